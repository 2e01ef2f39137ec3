"""Tries a wheel and a source distribution as a user gets them: each in an empty environment, in a folder of its own.

    python tools/check_wheel.py FOLDER

The wheel is installed where no compiler can be found, the source distribution as it builds itself. Then each must
simulate, and load every law into the kernel where this machine takes laws.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

#: Simulated by each.
SCENARIO = Path(__file__).parent.parent / "scenarios" / "dumbbell.toml"

#: Loads every law that there is, under a name of its own, and says how many.
LOAD = """
from windward import KernelError, _engine
laws = [law for law, _ in _engine.kernel_laws()]
try:
    _engine.kernel_support()
except KernelError as why:
    assert "left out" not in str(why), why
    print(f"no law was loaded: {str(why).splitlines()[0]}")
else:
    for law in laws:
        held = _engine.kernel_load(law, [], "wwwheel", stay=False)
        _engine.kernel_unload("wwwheel", force=False)
    print(f"{len(laws)} laws were loaded")
"""


def call(*command: str | Path, folder: Path, path: str, **more: str) -> str:
    """Runs a command with no environment but this; what it printed."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in ("HOME", "LANG")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=kept | {"PATH": path, "NO_COLOR": "1"} | more,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{command[0]} {command[1]} ... ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def attempt(package: Path, path: str) -> None:
    """Installs a package into an empty environment and uses it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        programs = folder / "venv" / "bin"
        path = os.pathsep.join(filter(None, [str(programs), path]))
        # Nothing of an earlier build: the engine is a library of this file's, not one that was left in the clone.
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        begun = time.perf_counter()
        call(programs / "python", *pip, package, folder=folder, path=path)
        print(f"{package.name}: installed in {time.perf_counter() - begun:.0f} s")
        shown = call(programs / "windward", "simulate", SCENARIO, "--seeds", "2", folder=folder, path=path)
        assert "goodput" in shown, shown
        if sys.platform == "linux":
            print(
                f"{package.name}: simulates; {call(programs / 'python', '-c', LOAD, folder=folder, path=path).strip()}"
            )


def main() -> None:
    """Checks the newest wheel and source distribution of a folder."""
    folder = Path(sys.argv[1]).resolve()
    (wheel,) = folder.glob("*.whl")
    (source,) = folder.glob("*.tar.gz")
    if sys.platform == "linux":
        assert "-abi3-manylinux_" in wheel.name, f"{wheel.name} is not for all Linux"
        shown = subprocess.run(
            [sys.executable, "-m", "auditwheel", "show", wheel], stdout=subprocess.PIPE, text=True, check=True
        )
        tag = wheel.stem.rsplit("-", 1)[1].split(".")[0]
        words = shown.stdout.replace("\n", " ")
        promised = tuple(map(int, tag.split("_")[1:3]))
        found = [
            tuple(map(int, part.split("_")[1:3]))
            for part in words.replace('"', " ").split()
            if part.startswith("manylinux_")
        ]
        assert found, words
        assert min(found) <= promised, f"auditwheel finds less than {tag}: {words}"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert any(name.startswith("windward/_engine") for name in names), names
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    attempt(wheel, path="")
    attempt(source, path=os.environ["PATH"])


if __name__ == "__main__":
    main()

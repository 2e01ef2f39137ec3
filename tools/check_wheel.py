"""Tries a wheel and a source distribution as a user gets them: each in an empty environment, in a folder of its own.

    python -m tools.check_wheel FOLDER

The wheel is installed where no compiler can be found, on every Python of this machine that the project supports, the
source distribution as it builds itself, on one. Then each must simulate a scenario of its own, again over the older
result, show it, and load every law into the kernel where this machine takes laws. Their sizes are written into
docs/start/install.md.
"""

import email
import email.message
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from tools.build_wheel import machine_paths
from tools.pythons import pythons, said, supported

ROOT = Path(__file__).parent.parent
INSTALL = ROOT / "docs" / "start" / "install.md"

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
        _engine.kernel_unload("wwwheel", even_if_used=False)
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


def attempt(package: Path, python: Path, path: str) -> None:
    """Installs a package into an empty environment and uses it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
        programs = folder / "venv" / "bin"
        path = os.pathsep.join(filter(None, [str(programs), path]))
        # Nothing of an earlier build: the engine is a library of this file's, not one that was left in the clone.
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        begun = time.perf_counter()
        call(programs / "python", *pip, package, folder=folder, path=path)
        print(f"{package.name}, {python}: installed in {time.perf_counter() - begun:.0f} s")
        windward = programs / "windward"
        call(windward, "init", "dumbbell", folder=folder, path=path)
        for _ in range(2):
            # The second time over the first.
            shown = call(windward, "simulate", "dumbbell.toml", "--seeds", "2", folder=folder, path=path)
            assert "goodput" in shown, shown
        shown = call(windward, "show", "results/dumbbell", folder=folder, path=path)
        assert "goodput" in shown, shown
        call(windward, "report", "results/dumbbell", folder=folder, path=path)
        print(f"{package.name}, {python}: simulates")
        if sys.platform == "linux":
            print(
                f"{package.name}, {python}: {call(programs / 'python', '-c', LOAD, folder=folder, path=path).strip()}"
            )


def check_contents(wheel: Path) -> None:
    """Checks the metadata and the contents of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        contents = {name: archive.read(name) for name in names}
    assert any(name.startswith("windward/_engine") and name.endswith(".so") for name in names), names
    # pytest finds its plugin by this, in an environment that has the wheel and nothing else of the project.
    (points,) = (text.decode() for name, text in contents.items() if name.endswith(".dist-info/entry_points.txt"))
    assert "[pytest11]\nwindward=pytest_windward" in points.replace(" = ", "="), points
    assert "pytest_windward/__init__.py" in names, names
    for path in {*machine_paths(), ROOT} - {Path("/")}:
        for name, content in contents.items():
            assert f"{path}/".encode() not in content, f"{name} names {path}, a folder of this machine"
    (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
    said = email.message_from_bytes(contents[metadata])
    for name in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES.txt"):
        assert any(one.endswith(f".dist-info/licenses/{name}") for one in names), f"{name} is missing"
    for name in ("headline.toml", "trace.toml", "recordings/train.trace", "household.json"):
        assert f"windward/_scenarios/{name}" in names, f"{name} is missing"
    text = said.get_payload()
    assert isinstance(text, str)
    assert "# Windward" in text
    assert not [target for target in re.findall(r"\]\(([^)]*)\)", text) if "://" not in target]
    assert said["Author"], "nobody has written it"
    for what in missing(said):
        print(f"{wheel.name}: missing for a release: {what}")


def missing(said: email.message.Message) -> list[str]:
    """Metadata that a release needs and the wheel lacks."""
    named = {str(url).partition(",")[0] for url in said.get_all("Project-URL", [])}
    if "Repository" in named:
        return []
    return [
        "[project.urls] Repository of pyproject.toml: no public address of the project is known, so the package's "
        "description has no links and no pictures"
    ]


def write_sizes(wheel: Path, source: Path) -> None:
    """Puts the sizes into the page of the installation."""
    text = INSTALL.read_text(encoding="utf-8")
    for words, file in (("One wheel of ", wheel), ("a source distribution of ", source)):
        text, count = re.subn(rf"(?<={words})[\d.]+(?= MB)", f"{file.stat().st_size / 1e6:.1f}", text)
        assert count == 1, f"`{words}` is not once in {INSTALL.name}"
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")
    INSTALL.write_text(text, encoding="utf-8")


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
    check_contents(wheel)
    write_sizes(wheel, source)
    found_here = pythons()
    for version in supported():
        if version not in found_here:
            print(f"not tried on Python {said(version)}: not on this machine")
    for python in found_here.values():
        attempt(wheel, python, path="")
    attempt(source, found_here[sys.version_info[:2]], path=os.environ["PATH"])


if __name__ == "__main__":
    main()

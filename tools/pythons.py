"""Runs the Python tests on the least and the newest Python of this machine, and with the least versions of packages.

    python tools/pythons.py list        # the Pythons found that the project supports
    python tools/pythons.py install     # what the two below need, beside other work
    python tools/pythons.py test        # on the least and the newest, unless this one is it
    python tools/pythons.py test-least  # on this one, with requirements/least.txt

The engine is one library for all of them: what `ENGINE` lists is tested on this Python alone, with packages that the
others need not have. Environments are folders such as `.venv-3.13`. Supported Pythons that are missing go to the file
that WINDWARD_SKIPPED names, one line each.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
REQUIREMENTS = ROOT / "requirements"
TESTS = ROOT / "tests"
Version = tuple[int, int]

#: Test modules whose subject is the engine or the drawing library, which are the same for every Python, or this
#: repository. All others run on the least and the newest Python too: results and other files, the command line,
#: scenarios.
ENGINE = {
    "adding",
    "applications",
    "attack",
    "attacks",
    "bench",
    "benches",
    "browser",
    "capture",
    "cell",
    "chance",
    "changes",
    "claims",
    "coded_flows",
    "coding",
    "compiled",
    "counts",
    "dead_keys",
    "discover",
    "docs",
    "emulate",
    "emulate_apps",
    "evaluate",
    "examples",
    "fair",
    "figures",
    "fluid",
    "forwarding",
    "generated",
    "get_answers",
    "get_failures",
    "get_link",
    "get_safety",
    "get_servers",
    "gym",
    "hars",
    "hosts",
    "interruption",
    "kernel",
    "laws_by_hand",
    "link",
    "link_examples",
    "link_objects",
    "link_options",
    "link_orders",
    "link_plugin",
    "link_processes",
    "link_truth",
    "make",
    "memory",
    "modules",
    "mutations",
    "notebook",
    "notes",
    "num",
    "num_cvxpy",
    "optimum",
    "optimum_apps",
    "oracles",
    "package",
    "patterns",
    "planted",
    "playground",
    "playground_page",
    "profiles",
    "queues",
    "queues_by_flow",
    "ran",
    "random_wireless",
    "receivers",
    "recordings",
    "requests",
    "rooms",
    "routing",
    "seferoglu2014",
    "serve",
    "site",
    "starvation",
    "strict_fifo",
    "sweep",
    "table_four",
    "tune",
    "validations",
    "wifi",
    "wifi_theory",
    "words",
}

#: Test modules that use every package that the program imports.
SMOKE = ("cli", "export", "figures", "parquet", "results", "stats")

#: Printed by a released interpreter that can make environments: the version, and itself.
ASK = """
import ensurepip, sys, sysconfig, venv
is_released = sys.version_info.releaselevel == "final" and not sysconfig.get_config_var("Py_GIL_DISABLED")
if is_released and sys.prefix == sys.base_prefix:
    print(*sys.version_info[:3], sys.executable)
"""


def supported() -> list[Version]:
    """The Pythons that pyproject.toml's classifiers name, in order."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [re.fullmatch(r"Programming Language :: Python :: (\d+)\.(\d+)", line) for line in project["classifiers"]]
    return sorted((int(line[1]), int(line[2])) for line in found if line)


def candidates() -> list[Path]:
    """Places of interpreters: on PATH, pyenv's, uv's."""
    home = Path.home()
    names = ["python3", *(f"python3.{minor}" for _, minor in supported())]
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    folders += sorted(Path(os.environ.get("PYENV_ROOT", home / ".pyenv")).glob("versions/*/bin"))
    folders += sorted((home / ".local" / "share" / "uv" / "python").glob("*/bin"))
    return [Path(sys.base_prefix) / "bin" / "python3", *(f / n for f in folders for n in names if (f / n).is_file())]


def pythons() -> dict[Version, Path]:
    """The supported interpreters of this machine, by version: the one that runs this, and the newest patches."""
    found: dict[Version, tuple[int, Path]] = {}
    asked = set()
    for path in candidates():
        # Links have their own environment only in `venv`, which is left out.
        if (real := path.resolve()) in asked:
            continue
        # pyenv's shims are one script with many names.
        if "shims" not in path.parts:
            asked.add(real)
        answer = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False).stdout.split(maxsplit=3)
        if len(answer) < 4:
            continue
        version, patch = (int(answer[0]), int(answer[1])), int(answer[2])
        is_own = version == sys.version_info[:2] and version in found
        if version in supported() and not is_own and patch > found.get(version, (-1,))[0]:
            found[version] = (patch, Path(answer[3].strip()))
    return {version: found[version][1] for version in sorted(found)}


def said(version: Version) -> str:
    """`3.13`."""
    return ".".join(map(str, version))


def environment(python: Path, name: str, lock: str) -> Path:
    """An environment with what a lock names and the package of this clone; made where it is missing or old."""
    folder = ROOT / f".venv-{name}"
    own = folder / "bin" / "python"
    locked = REQUIREMENTS / lock
    state = f"{hashlib.sha256(locked.read_bytes()).hexdigest()} {python} {folder}"
    stamp = folder / "installed"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == state and own.exists():
        return own
    print(f"== Python packages, {folder.name} ==", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    # This environment's pip serves all.
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        own,
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
        "--require-hashes",
    ]
    subprocess.run([*pip, "-r", locked], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "windward.pth").write_text(f"{ROOT / 'python'}\n", encoding="utf-8")
    stamp.write_text(state, encoding="utf-8")
    return own


def modules() -> dict[str, Path]:
    """The test modules by name, in order."""
    return {path.stem.removeprefix("test_"): path for path in sorted(TESTS.glob("*/test_*.py"))}


def run_tests(python: Path, paths: list[Path], *options: str) -> int:
    """The tests of these modules that need no clock and no minutes; pytest's exit code."""
    command: list[str | Path] = [python, "-m", "pytest", "-p", "no:cacheprovider", "--numprocesses", "auto"]
    command += ["--dist", "worksteal", "-m", "not realtime and not long", *options]
    print(" ".join(map(str, ["+", *command])), f"# {len(paths)} modules", flush=True)
    return subprocess.run([*command, *paths], cwd=ROOT, check=False).returncode


def others() -> list[Path]:
    """Environments of the least and the newest Python, if they are not this one."""
    found = pythons()
    own: Version = sys.version_info[:2]
    chosen = sorted({min(found), max(found)} - {own})
    return [environment(found[version], said(version), "tests.txt") for version in chosen]


def least() -> Path:
    """Environment of this Python with the least versions of packages."""
    return environment(pythons()[sys.version_info[:2]], "least", "least.txt")


def test() -> int:
    """On the least and the newest Python, if they are not this one."""
    found = pythons()
    missing = [version for version in supported() if version not in found]
    if path := os.environ.get("WINDWARD_SKIPPED"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"Python {said(version)}: not on this machine\n" for version in missing)
    chosen = [path for name, path in modules().items() if name not in ENGINE]
    for python in others():
        if code := run_tests(python, chosen):
            return code
    return 0


def test_least() -> int:
    """With the least versions of packages."""
    python = least()
    # Old packages warn of themselves.
    known = modules()
    return run_tests(python, [known[name] for name in SMOKE], "-W", "default")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["list"]:
            for version, path in pythons().items():
                print(said(version), path)
        case ["install"]:
            others()
            least()
        case ["test"]:
            sys.exit(test())
        case ["test-least"]:
            sys.exit(test_least())
        case _:
            sys.exit(__doc__)

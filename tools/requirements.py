"""Locks the Python packages that `make` installs: `make lock` writes requirements/ from pyproject.toml, with uv.

    python tools/requirements.py [--upgrade]

Each file has the packages of one purpose with the hashes of all their files, for every Python from the least that
pyproject.toml supports; `pip install --require-hashes -r` accepts nothing else. They name no index. Locked versions
stay until `--upgrade` or a change of pyproject.toml moves them.

run.txt      what the program imports
least.txt    the same in the least versions that pyproject.toml allows, with the group `tests` as locked
GROUP.txt    a group of `[dependency-groups]`; `tests` and `checks` include what the program imports
"""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "requirements"
#: Groups that are installed where the program's own packages are.
WITH_PROGRAM = ("tests", "checks")


def supported() -> str:
    """The least Python that the project supports, `3.11`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["requires-python"]).removeprefix(">=")


def imported() -> set[str]:
    """The names of the packages that the program asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[\w.-]+", text) for text in project["dependencies"]]
    return {name[0].lower().replace("_", "-") for name in names if name}


def purposes() -> dict[str, list[str]]:
    """The options of uv that name the packages of each file but least.txt."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    found = {group: [*(["pyproject.toml"] if group in WITH_PROGRAM else []), "--group", group] for group in groups}
    return {"run": ["pyproject.toml"], **found}


def compile_lock(options: list[str], output: Path, *more: str) -> None:
    """Resolves packages into a file."""
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--python-version", supported()]
    command += [
        "--no-emit-index-url",
        "--no-emit-find-links",
        "--no-annotate",
        "--no-header",
        "--output-file",
        str(output),
    ]
    subprocess.run([*command, *more, *options], cwd=ROOT, check=True)


def main() -> None:
    """Writes all files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    upgrade = ["--upgrade"] if parser.parse_args().upgrade else []
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # All groups together first: a package has one version, whatever it is installed for.
        whole = Path(folder) / "whole.txt"
        known = [file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.txt")) if file.name != "least.txt"]
        whole.write_text("".join(known), encoding="utf-8")
        groups = [option for name in purposes() if name != "run" for option in ("--group", name)]
        compile_lock(["pyproject.toml", *groups], whole, *upgrade)
        for name, options in purposes().items():
            compile_lock([*options, "--constraint", str(whole)], FOLDER / f"{name}.txt", *upgrade)
        # The tests' own tools are no part of what is to be as old as can be.
        tools = Path(folder) / "tools.txt"
        only = Path(folder) / "only.txt"
        compile_lock(["--group", "tests", "--constraint", str(whole)], only)
        pins = re.findall(r"^([\w.-]+)(==[^\\\n]+)", only.read_text(encoding="utf-8"), flags=re.MULTILINE)
        pins = [name + version for name, version in pins if name not in imported()]
        tools.write_text("\n".join(pins), encoding="utf-8")
        anew = [option for name in sorted(imported()) for option in ("--upgrade-package", name)]
        least = ["pyproject.toml", str(tools), "--resolution", "lowest-direct"]
        compile_lock(least, FOLDER / "least.txt", *(upgrade or anew))
    print(f"{len(purposes()) + 1} files written to {FOLDER.relative_to(ROOT)}/", file=sys.stderr)


if __name__ == "__main__":
    main()

"""Runs comparisons with what the project did not write, as evidence/benches/validations.toml lists them.

    make validate [WHAT="NAME ..."]

Without a name it lists them. A comparison that lacks something says what, and how to get it. Exit code 2 for a name
that is not in the list and for a variable that is missing, 1 where a comparison failed.
"""

import difflib
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LIST = ROOT / "evidence" / "benches" / "validations.toml"
#: What runs them, and the environment of ns-3's wheel.
VENV = os.environ.get("VENV", ".venv")
BIN = ROOT / VENV / "bin"
NS3 = f"{VENV}-ns3"


@dataclass(frozen=True)
class Validation:
    """A table of evidence/benches/validations.toml, whose head says what the fields mean."""

    name: str
    does: str
    takes: str
    run: list[str]
    root: bool = False
    missing: str = ""
    pages: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    needs: dict[str, str] = field(default_factory=dict)

    def line(self) -> str:
        """Line of the list."""
        return f"{self.name:15}{self.does}; {self.takes}{', as root' if self.root else ''}"

    def chosen(self) -> dict[str, str]:
        """The variables of the environment that it reads."""
        return {name: value for name in (*self.needs, *self.options) if (value := os.environ.get(name))}

    def commands(self) -> Iterator[list[str]]:
        """The words of each command, with what the variables choose added to the last."""
        chosen = self.chosen()
        programs = {name: str(BIN / name) for name in ("python", "pytest")}
        programs["ns3"] = str(ROOT / NS3 / "bin" / "python")
        for number, command in enumerate(self.run, start=1):
            words = shlex.split(command)
            if number == len(self.run):
                words += [
                    word for name, option in self.options.items() if name in chosen for word in shlex.split(option)
                ]
            yield [part for word in words for part in _filled(word, programs, chosen)]


def _filled(word: str, programs: dict[str, str], chosen: dict[str, str]) -> list[str]:
    """A word of a command with its programs; a word that is a variable becomes all the words of its value."""
    if word.startswith("{") and word[1:-1] in chosen:
        value = chosen[word[1:-1]]
        return [value] if Path(value).exists() else shlex.split(value)
    for name, path in programs.items():
        word = word.replace(f"{{{name}}}", path)
    return [word]


def validations() -> list[Validation]:
    """All of them, in the order of the file."""
    tables: list[dict[str, Any]] = tomllib.loads(LIST.read_text())["validation"]
    return [Validation(**table) for table in tables]


def asked(names: list[str]) -> list[Validation]:
    """The named ones; a `ValueError` if a name is not in the list."""
    known = {each.name: each for each in validations()}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "`make validate` lists them"
            raise ValueError(f"there is no validation {name}: {hint}")
    return [known[name] for name in names]


def lacks(one: Validation) -> str:
    """Lines on what is missing before it can run, and how to get it; empty if nothing is."""
    lines = [f"{name} is missing: {how}" for name, how in one.needs.items() if name not in one.chosen()]
    if lines:
        values = " ".join(f"{name}=..." for name in one.needs)
        return "\n".join([*lines, f"then: make validate WHAT={one.name} {values}"])
    return f"{one.name} needs root" if one.root and os.geteuid() != 0 else ""


def built(chosen: list[Validation]) -> int:
    """Has make set up what they run in; its exit code."""
    targets = [f"{VENV}/checks", f"{VENV}/engine"]
    if any("{ns3}" in command for one in chosen for command in one.run):
        targets.append(f"{NS3}/engine")
    return subprocess.run(
        [os.environ.get("MAKE", "make"), "--no-print-directory", *targets], cwd=ROOT, check=False
    ).returncode


def run(one: Validation) -> int:
    """Runs its commands, up to the first that fails; the exit code of that."""
    for command in one.commands():
        if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
            return code
    return 0


def main() -> int:
    """Runs the comparisons that are named, or lists all."""
    if not sys.argv[1:]:
        print('make validate WHAT=NAME; WHAT="ONE TWO" runs both.\n')
        print("\n".join(one.line() for one in validations()))
        return 0
    try:
        chosen = asked(sys.argv[1:])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for one in chosen:
        if missing := lacks(one):
            print(missing, file=sys.stderr)
            return 2
    if code := built(chosen):
        return code
    failed = [one.name for one in chosen if run(one)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

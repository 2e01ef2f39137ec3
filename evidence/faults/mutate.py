"""Plants the faults of mutations.toml one at a time and tells which tests and checks turn red: `make mutations`.

In a copy of the working tree under target/mutations. The tests of the fault's crate come first, then those of the
crates above it, at last the claims of the papers; it ends with the first that are red. Snapshots of our own output are
accepted whatever they say: that an output has moved does not show that it was right. What was found stays in
results/mutations, so that an interrupted run goes on; with names of faults as arguments these alone are planted, and
the page keeps the others' lines.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPY = ROOT / "target" / "mutations"
FOUND = ROOT / "results" / "mutations"
PAGE = ROOT / "evidence" / "measured" / "validation" / "mutations.md"
#: The crates whose tests may see a fault of a crate, the next ones first; of each its unit tests, which are built
#: soonest, then the others.
CRATES = {
    "laws": ("laws", "sim", "scenario", "models"),
    "elements": ("elements", "sim", "scenario", "models"),
    "traffic": ("traffic", "sim", "scenario", "models"),
    "radio": ("radio", "sim", "scenario", "models"),
    "sim": ("sim", "scenario", "models"),
}
KINDS = ("--lib", "--tests")
CLAIMS = "the papers' claims"
#: Of a fault that nothing saw.
UNSEEN = "**nothing**"
#: After the crate on the page, of a fault that was not planted by this tool. Such a line is kept until it is.
SWITCHED = r"\* |"
SWITCHED_SAYS = (
    r"Faults with \* were in one build together, each behind a switch, and switched on one at a time; only the unit",
    "tests of their crate ran.",
)
#: The longest run of one crate's tests on a slow machine is a tenth of it: a fault that takes longer never ends.
PATIENCE_S = 1800


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A change of a few words that makes the code wrong."""

    name: str
    file: str
    #: What the code then does.
    what: str
    old: str
    new: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Tests that a fault turned red."""

    #: A crate, or `CLAIMS`; empty where nothing saw it.
    where: str
    tests: list[str]


def faults() -> list[Fault]:
    """The list; each `old` stands once in its file.

    Raises
    ------
    ValueError
        Where one does not.
    """
    table = tomllib.loads((ROOT / "evidence" / "faults" / "mutations.toml").read_text(encoding="utf-8"))
    every = [Fault(**entry) for entry in table["fault"]]
    for fault in every:
        if (count := (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old)) != 1:
            raise ValueError(f"{fault.name}: `{fault.old}` stands {count} times in {fault.file}")
    return every


def copy() -> None:
    """The files that git knows, as they are in the working tree; those that did not change keep their times."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, COPY / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def run(command: list[str]) -> tuple[bool, str]:
    """Runs a command; returns true if it succeeded, and its output."""
    # Cargo's and Python's own settings hold; snapshots do not.
    variables = os.environ | {"INSTA_FORCE_PASS": "1", "INSTA_UPDATE": "no"}
    process = subprocess.Popen(
        command,
        cwd=COPY,
        env=variables,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False, "test it never ends ... FAILED"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode == 0, out


def red(crate: str, kind: str) -> list[str]:
    """The tests of a crate that fail."""
    # The simulator's ignored tests are the long ones; other crates' need a kernel or a file.
    long = ["--", "--include-ignored"] if crate == "sim" else []
    is_green, out = run(["cargo", "test", "--locked", "-p", f"windward-{crate}", kind, "--no-fail-fast", *long])
    if is_green:
        return []
    tests = re.findall(r"^test (.+?)(?: - should panic)? \.\.\. FAILED$", out, flags=re.MULTILINE)
    if not tests:
        raise RuntimeError(f"no test of windward-{crate} failed, and yet:\n{out[-3000:]}")
    return sorted(tests)


def red_claims() -> list[str]:
    """The claims that fail with the engine as it is in the copy."""
    is_built, out = run(["make", "--no-print-directory", ".venv/checks", ".venv/engine"])
    if not is_built:
        raise RuntimeError(f"the engine cannot be built:\n{out[-3000:]}")
    _, out = run([".venv/bin/pytest", "-q", "tests/papers/test_claims.py", "-m", "not realtime"])
    return sorted(set(re.findall(r"^FAILED tests/papers/test_claims\.py::(.+?)(?: - .*)?$", out, flags=re.MULTILINE)))


def plant(fault: Fault) -> Outcome:
    """Tests the copy with a fault, and takes it out again."""
    path = COPY / fault.file
    right = path.read_text(encoding="utf-8")
    try:
        path.write_text(right.replace(fault.old, fault.new), encoding="utf-8")
        for crate, kind in itertools.product(CRATES[Path(fault.file).parts[1]], KINDS):
            if tests := red(crate, kind):
                return Outcome(where=f"windward-{crate}", tests=tests)
        claims = red_claims()
        return Outcome(where=CLAIMS if claims else "", tests=claims)
    finally:
        path.write_text(right, encoding="utf-8")


def row(fault: Fault, outcome: Outcome) -> str:
    """A fault's line of the page."""
    file = fault.file.removeprefix("crates/").replace("/src/", "/")
    where, among = outcome.where or UNSEEN, ", ".join(f"`{name}`" for name in outcome.tests[:2])
    return f"| `{file}` | {fault.what} | {where} | {len(outcome.tests)} | {among} |"


def page(outcomes: dict[str, Outcome], before: str) -> str:
    """The table of all faults that were planted; of those that were not this time, what the page said before."""
    rows = []
    for fault in faults():
        if fault.name in outcomes:
            rows.append(row(fault, outcomes[fault.name]))
        else:
            rows += [line for line in before.splitlines() if f"| {fault.what} |" in line]
    seen = sum(UNSEEN not in line for line in rows)
    lines = [
        "# Planted faults",
        "",
        "Made by `make mutations`; do not edit. Each fault of `evidence/faults/mutations.toml` is planted alone.",
        "The tests of its crate run first, unit tests before others, then those of the crates above it, at last the",
        "claims. The run stops at the first failures, which are counted here; the first is named. Snapshots of our own",
        "output do not count.",
        *(SWITCHED_SAYS if any(SWITCHED in line for line in rows) else ()),
        "",
        f"{seen} of {len(rows)} faults were seen.",
        "",
        "| file | fault | seen by | red | among them |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *rows]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "faults", nargs="*", metavar="NAME", help="plant these anew; all that were not planted yet if none"
    )
    chosen = parser.parse_args().faults
    every = faults()
    if unknown := sorted(set(chosen) - {fault.name for fault in every}):
        sys.exit(f"unknown: {', '.join(unknown)}\nhint: the names stand in evidence/faults/mutations.toml")
    FOUND.mkdir(parents=True, exist_ok=True)
    copy()
    began = time.monotonic()
    todo = [f for f in every if f.name in chosen or (not chosen and not (FOUND / f"{f.name}.json").exists())]
    for done, fault in enumerate(todo, 1):
        outcome = plant(fault)
        file = FOUND / f"{fault.name}.json"
        file.with_suffix(".new").write_text(json.dumps(asdict(outcome)))
        file.with_suffix(".new").rename(file)
        left = (time.monotonic() - began) / done * (len(todo) - done) / 60
        print(
            f"{fault.name}: {outcome.where or 'NOT SEEN'} ({len(outcome.tests)} red); about {left:.0f} min left",
            flush=True,
        )
    outcomes = {path.stem: Outcome(**json.loads(path.read_text())) for path in FOUND.glob("*.json")}
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(page(outcomes, before), encoding="utf-8")
    if missed := [name for name, outcome in outcomes.items() if not outcome.where]:
        sys.exit(f"not seen: {', '.join(sorted(missed))}")


if __name__ == "__main__":
    main()

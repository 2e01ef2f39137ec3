"""Plants the faults of claims.toml one at a time and tells whether the check of their claim turns red.

In a copy of evidence/papers/ in a temporary folder. Claims about packet runs are judged from what `make reproduce` has
kept in results/papers. With PAPER or PAPER-CLAIM as arguments these alone are planted, and the page keeps the others'
lines.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from windward.papers import ledger
from windward.papers.judge import Judgement, Results, judge

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "evidence" / "measured" / "validation" / "claim-faults.md"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A change of a few words in a paper's code, or values of a kept table exchanged or multiplied."""

    paper: str
    claim: int
    #: What is wrong then.
    what: str
    file: str = ""
    old: str = ""
    new: str = ""
    table: str = ""
    column: str = ""
    swap: tuple[str, ...] = ()
    #: Number by which the column is multiplied, in the rows with these values.
    factor: float = 1.0
    where: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """As the command line takes it."""
        return f"{self.paper}-{self.claim}"


class Faulty(Results):
    """Kept tables, in one of which values are exchanged or multiplied."""

    fault: Fault

    def table(self, name: str) -> Any:
        """A table by the name under which it was kept."""
        table = super().table(name)
        if name != self.fault.table:
            return table
        if not self.fault.swap:
            chosen = np.ones(len(table), bool)
            for name, value in self.fault.where.items():
                chosen &= (table[name].astype(type(value)) == value).to_numpy()
            if not chosen.any():
                raise ValueError(f"{self.fault.name}: no row of {self.fault.table} has {self.fault.where}")
            column = table[self.fault.column]
            return table.assign(**{self.fault.column: np.where(chosen, self.fault.factor * column, column)})
        first, second = self.fault.swap
        column = table[self.fault.column].astype(str)
        return table.assign(**{self.fault.column: column.replace({first: second, second: first})})


def faults() -> list[Fault]:
    """The list; each `old` stands once in its file.

    Raises
    ------
    ValueError
        Where one does not.
    """
    table = tomllib.loads((ROOT / "evidence" / "faults" / "claims.toml").read_text(encoding="utf-8"))
    every = [Fault(**{**entry, "swap": tuple(entry.get("swap", ()))}) for entry in table["fault"]]
    for fault in every:
        if bool(fault.file) == bool(fault.table) or (fault.table and bool(fault.swap) == (fault.factor != 1)):
            raise ValueError(f"{fault.name}: a file, or a table with what is exchanged or multiplied")
        if (
            fault.file
            and (count := (ROOT / "evidence" / "papers" / fault.file).read_text(encoding="utf-8").count(fault.old)) != 1
        ):
            raise ValueError(f"{fault.name}: `{fault.old}` stands {count} times in {fault.file}")
    return every


def without() -> dict[str, str]:
    """Claims without a fault, by name: the reason why none can be planted, or that it has not been planted yet."""
    table = tomllib.loads((ROOT / "evidence" / "faults" / "claims.toml").read_text(encoding="utf-8"))
    reasons = {f"{entry['paper']}-{entry['claim']}": entry["why"] for entry in table.get("explained", [])}
    return reasons | dict.fromkeys(table.get("pending", []), "not planted yet")


def plant(fault: Fault, papers: Path) -> Judgement:
    """Judges the claim with the fault, in this copy of the papers, and takes it out again."""
    kept = Faulty(ROOT / "results" / "papers" / fault.paper)
    object.__setattr__(kept, "fault", fault)
    path = papers / (fault.file or f"{fault.paper}/claims.toml")
    right = path.read_text(encoding="utf-8")
    try:
        if fault.file:
            path.write_text(right.replace(fault.old, fault.new), encoding="utf-8")
        # What papers share is imported once for all of them.
        for name in [name for name in sys.modules if name.startswith("windward_papers")]:
            del sys.modules[name]
        paper = ledger.load(fault.paper)
        return judge(paper, paper.claims[fault.claim], kept)
    finally:
        path.write_text(right, encoding="utf-8")


def row(fault: Fault, judgement: Judgement) -> str:
    """A fault's line of the page."""
    seen = {True: "**not seen**", False: "red", None: "**not run**"}[judgement.holds]
    # A check that breaks has not seen the fault.
    if re.match(r"\w+(Error|Exception): ", judgement.ours):
        seen = "**broken**"
    return f"| {fault.paper} {fault.claim} | {fault.what.replace('|', chr(92) + '|')} | {seen} |"


def page(rows: dict[str, str], before: str) -> str:
    """The table of all faults; of those that were not planted this time, what the page said before."""
    lines = []
    for fault in faults():
        start = f"| {fault.paper} {fault.claim} | "
        old = [line for line in before.splitlines() if line.startswith(start)]
        lines += [rows[fault.name]] if fault.name in rows else old
    head = [
        "# Planted faults of the papers' checks",
        "",
        "Made by `make mutations`; do not edit. Each fault of `evidence/faults/claims.toml` is planted alone, and",
        "the claim is checked: red is right.",
        "",
        f"{sum('| red |' in line for line in lines)} of {len(lines)} faults turned their claim red.",
        "",
        "| claim | fault | check |",
        "|---|---|---|",
    ]
    if without():
        lines += ["", "Claims that hold without a fault:", ""]
        lines += [f"* {name.replace('-', ' ')}: {why}" for name, why in without().items() if why != "not planted yet"]
        pending = [name.replace("-", " ") for name, why in without().items() if why == "not planted yet"]
        lines += [f"* {name}: not planted yet" for name in pending]
    else:
        lines += ["", "Each claim that holds (reproduced, corrected, emulated or fitted) has a fault."]
    return "\n".join([*head, *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chosen", nargs="*", metavar="NAME", help="plant these alone: PAPER or PAPER-CLAIM")
    chosen = set(parser.parse_args().chosen)
    every = faults()
    if unknown := chosen - {name for fault in every for name in (fault.name, fault.paper)}:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}\nhint: the names are PAPER or PAPER-CLAIM of the list")
    # The copy is read anew for each fault; byte code of the last one must not be taken for it.
    sys.dont_write_bytecode = True
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        papers = Path(folder) / "papers"
        shutil.copytree(ROOT / "evidence" / "papers", papers, ignore=shutil.ignore_patterns("__pycache__"))
        ledger.root = lambda: papers
        for fault in every:
            if not chosen or chosen & {fault.name, fault.paper}:
                judgement = plant(fault, papers)
                rows[fault.name] = row(fault, judgement)
                print(rows[fault.name], judgement.ours[:100], flush=True)
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(page(rows, before), encoding="utf-8")
    if missed := [name for name, line in rows.items() if "| red |" not in line]:
        sys.exit(f"not red: {', '.join(missed)}")


if __name__ == "__main__":
    main()

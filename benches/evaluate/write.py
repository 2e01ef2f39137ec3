"""Evaluations of all laws, and of laws with a planted fault, as one table each.

python benches/evaluate/write.py laws writes docs/measured/evaluations.md, with `faults` it writes
docs/measured/validation/evaluate.md. What was interrupted goes on where it was: runs are kept in results/evaluations.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import windward as ww
from windward import _engine
from windward._evaluate.run import shared_references
from windward._evaluate.sections import SECTIONS
from windward.results._files import replace_text

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "results" / "evaluations"
LAWS_PAGE = ROOT / "docs" / "measured" / "evaluations.md"
FAULTS_PAGE = ROOT / "docs" / "measured" / "validation" / "evaluate.md"
FAULTS = ROOT / "tests" / "evaluate" / "faults.py"

#: Planted faults and the section that must find each; none for the law without one.
PLANTED = {
    "Sound": "",
    "NoBackoff": "5.1.1",
    "DeafToLoss": "5.1.3",
    "FirstComer": "5.1.4",
    "Hasty": "5.1.5",
    "DeafToMarks": "7.1",
    "StaleRoundTrip": "7.3",
}

#: Signs of the verdicts in a table.
SIGNS = {"meets": "✓", "does not": "✗", "cannot tell": "?", "not applicable": "–"}


def laws() -> list[str]:
    """All laws but those in Python, with the parameters that fit links of some Mbit/s."""
    found = [own for own in _engine.schema()["$defs"]["LawSpec"]["oneOf"] if "properties" in own]
    names = [own["properties"]["name"]["const"] for own in found]
    fitting = {"fast": "fast,alpha=20", "quic-tcp": "quic-tcp,backlog=20"}
    return [fitting.get(name, name) for name in names if name not in ("python", "tfrc")]


def evaluated(law: str, name: str, seeds: int) -> ww.Evaluation:
    """An evaluation, run or taken up again."""
    found = ww.evaluate(law, output=KEPT / f"{name.replace(',', '-').replace('=', '-')}-{seeds}", seeds=seeds)
    counts = {word: count for word, count in found.summary["counts"].items() if count}
    print(name, counts, flush=True)
    return found


def table(rows: Mapping[str, ww.Evaluation]) -> str:
    """Laws over sections."""
    sections = [section.key for section in SECTIONS if not section.not_modelled]
    lines = [["law", *sections], ["---"] * (len(sections) + 1)]
    for name, found in rows.items():
        lines.append([f"`{name}`", *(SIGNS[found.verdicts[key]] for key in sections)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def worst(rows: Mapping[str, ww.Evaluation]) -> str:
    """Sections that each law does not meet, with the figures."""
    from windward.show import _evaluate as words

    lines = []
    for name, found in rows.items():
        for row in found.rows("sections"):
            own = words.measure(found, row["measure"])
            if row["verdict"] == "does not" and own is not None:
                figures = f"{own['figure']} {words.value(own)}, allowed {words.allowed(own)} ({words.set_by(own)})"
                lines.append(f"| `{name}` | {row['section']} | {own['network']} | {figures} |")
    return "\n".join(["| law | section | network | figure |", "| --- | --- | --- | --- |", *lines])


def write_laws(seeds: int, only: Sequence[str]) -> None:
    """The page of all laws."""
    rows = {law: evaluated(law, law, seeds) for law in laws() if not only or law.partition(",")[0] in only}
    titles = "\n".join(f"* {own.key} {own.title}: {own.question}" for own in SECTIONS if not own.not_modelled)
    text = f"""\
# Evaluations of all laws by RFC 9743

<!-- Generated: python benches/evaluate/write.py laws (make evaluations) -->

Verdicts of [`windward evaluate`](../guides/evaluate.md) on every law, {seeds} seeds for each network. They are
evidence for and against, from simulations: RFC 9743 sets no thresholds. Here the worse of CUBIC and Reno on the same
networks and seeds sets them, with a margin.

✓ meets, ✗ does not, ? cannot be told from {seeds} seeds, – not applicable. 5.3.1, 5.3.2, 6.2 and 7.10 are not modelled.

{table(rows)}

## What is not met

{worst(rows)}

## Sections

{titles}
"""
    replace_text(LAWS_PAGE, text)


def write_faults(seeds: int) -> bool:
    """The page of planted faults; false if one is not found, or found elsewhere."""
    rows = {name: evaluated(f"{FAULTS}:{name}", name, seeds) for name in PLANTED}
    wrong = []
    for name, expected in PLANTED.items():
        failed = [key for key, verdict in rows[name].verdicts.items() if verdict == "does not"]
        if failed != ([expected] if expected else []):
            wrong.append(f"`{name}` fails {', '.join(failed) or 'nothing'} and should fail {expected or 'nothing'}")
    said = "Each fails its own section and no other." if not wrong else "; ".join(wrong) + "."
    expected = "\n".join(f"| `{name}` | {key or 'none'} |" for name, key in PLANTED.items())
    text = f"""\
# Planted faults in evaluations

<!-- Generated: python benches/evaluate/write.py faults (make validate WHAT=evaluate) -->

Laws with one planted fault each (`tests/evaluate/faults.py`), evaluated by
[`windward evaluate`](../../guides/evaluate.md) with {seeds} seeds. {said}

✓ meets, ✗ does not, ? cannot be told from {seeds} seeds, – not applicable.

{table(rows)}

| law | section of its fault |
| --- | --- |
{expected}
"""
    replace_text(FAULTS_PAGE, text)
    print(said)
    return not wrong


def main() -> None:
    """Writes a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", choices=("laws", "faults"))
    parser.add_argument("--seeds", type=int, default=None)
    parser.add_argument("--only", nargs="*", default=())
    asked = parser.parse_args()
    with shared_references():
        if asked.page == "laws":
            write_laws(asked.seeds or 10, asked.only)
        elif not write_faults(asked.seeds or 5):
            sys.exit(1)


if __name__ == "__main__":
    main()

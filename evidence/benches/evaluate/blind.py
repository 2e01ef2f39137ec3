"""Laws of this machine's kernel under other names, told apart by their rows alone: as root, in real time.

python evidence/benches/evaluate/blind.py [--runs N] [--seed S] writes evidence/measured/validation/blind.md.

Each of the kernel's `bbr`, `cubic` and `reno` becomes A, B or C by the seed. Networks of evaluations are run between
kernels under A, B and C, and in the simulator under all laws that the kernel may have. A stranger is the law whose rows
are nearest: the root of the sum over rows of squared logarithms of the ratio of figures, in units of a tenth, by which
simulator and kernels may differ.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from windward import _engine
from windward._engines.lines import simulated
from windward._evaluate.kernels import tables
from windward._evaluate.measure import Measure
from windward._evaluate.measures import measures
from windward._evaluate.networks import with_law
from windward._format.own import finders
from windward._search.objective import rows_of
from windward.results._files import replace_text

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.emulate.page import table  # noqa: E402

PAGE = ROOT / "evidence" / "measured" / "validation" / "blind.md"

#: Laws of the kernel that are given other names, and laws that a stranger may be.
STRANGERS = ("bbr", "cubic", "reno")
KNOWN = ("bbr", "cubic", "reno", "vegas", "westwood")

#: Rows: queue of a deep buffer, loss of a short one, loss at random, a long path, a neighbour.
ROWS = ("5.1.2/buffer-8", "6.4/loss-0.5", "6.3/10-mbit-100-ms", "5.2.1/cubic-1-buffer-4")

DURATION = "20 s"

#: Least figure, against the logarithm of nothing, and the difference between simulator and kernels that is one.
_LEAST, _NEAR = 1e-4, 0.1


def shortened(measure: Measure) -> dict[str, Any]:
    """The network of a row with a run of some seconds."""
    return {**measure.template, "duration": DURATION, "warmup": "5 s"}


def in_simulator(measure: Measure, law: str, seeds: Sequence[int]) -> float:
    """Mean figure of a law in the simulator."""
    text = json.dumps(with_law(shortened(measure), law))
    pool = _engine.Sweep("simulate", threads=1, folder=Path(), **finders({}, Path()))
    pool.submit(0, text, list(seeds))
    found: list[float] = []
    while len(found) < len(seeds):
        for _, _, answer, _ in pool.wait(0.1):
            found.append(measure.value({kind: rows_of(table) for kind, table in simulated(answer).items()}))
    return statistics.mean(found)


def between_kernels(measure: Measure, law: str, seeds: Sequence[int]) -> tuple[float, list[str]]:
    """Mean figure of a law of the kernel, and what was wrong with the timing."""
    plain = with_law(shortened(measure), "cubic")
    rows, problems = tables(plain, seeds, Path(), {"own": law})
    return statistics.mean(measure.value(each) for each in rows), problems


def nearest(row: Mapping[str, float], known: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Distance of a stranger's figures from those of each law, the nearest first."""

    def log(value: float) -> float:
        return math.log(max(value, _LEAST))

    found = {
        law: math.sqrt(sum(((log(row[name]) - log(own[name])) / _NEAR) ** 2 for name in row))
        for law, own in known.items()
    }
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


#: The page, but for its tables.
_TEXT = """\
# The kernel's laws under other names

<!-- Generated: make validate WHAT=blind -->

{strangers} of Linux {release} become A, B and C by lot. Four networks of `windward evaluate` run between kernels under
A, B and C, {runs} times of {duration} each, and with five seeds in the simulator under {known}. A stranger is the law
whose figures are nearest. Distances are the root of the sum of squared logarithms of the ratio of figures, in units of
a tenth: 1 is a difference of one row by 10 %.

**{right} of {count} are named right.** {timing}

## Figures

{figures}

{rows}

## Distances

{distances}
"""


def main() -> None:
    """Measures and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    order = list(STRANGERS)
    random.Random(asked.seed).shuffle(order)
    hidden = dict(zip("ABC", order, strict=True))
    chosen = [own for own in measures(["cubic", "reno"], is_full=False) if own.name in ROWS]
    known = {law: {own.name: in_simulator(own, law, range(1, 6)) for own in chosen} for law in KNOWN}
    seeds = list(range(1, asked.runs + 1))
    problems = []
    found: dict[str, dict[str, float]] = {}
    for name in hidden:
        found[name] = {}
        for own in chosen:
            found[name][own.name], wrong = between_kernels(own, hidden[name], seeds)
            problems += [f"{name}, {own.name}: {each}" for each in wrong]
    distances = {name: nearest(row, known) for name, row in found.items()}
    said = {name: next(iter(own)) for name, own in distances.items()}
    text = _TEXT.format(
        strangers=", ".join(f"`{law}`" for law in STRANGERS),
        known=", ".join(f"`{law}`" for law in KNOWN),
        release=platform.release().split("-")[0],
        runs=asked.runs,
        duration=DURATION,
        right=sum(said[name] == law for name, law in hidden.items()),
        count=len(hidden),
        timing="Not in time: " + "; ".join(problems) + "." if problems else "All runs were in time.",
        figures=table(
            ["", *(own.name for own in chosen)],
            [
                [label, *(f"{row[own.name]:.4g}" for own in chosen)]
                for rows, kind in ((known, "`{}` in the simulator"), (found, "{} between kernels"))
                for name, row in rows.items()
                for label in [kind.format(name)]
            ],
        ),
        rows="\n".join(f"* {own.name}: {own.figure}, {own.unit} ({own.network})" for own in chosen),
        distances=table(
            ["", "was", *(f"`{law}`" for law in KNOWN)],
            [[name, f"`{law}`", *(f"{distances[name][own]:.1f}" for own in KNOWN)] for name, law in hidden.items()],
        ),
    )
    replace_text(PAGE, text)
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

"""False verdicts: CUBIC judged as a stranger against CUBIC, on runs of different seeds.

python evidence/benches/evaluate/null.py [--seeds N] writes results/evaluations/null.json, for the page of planted
faults. Batches of seeds are run once: an interrupted count goes on. An evaluation takes K seeds for the stranger and K
others for the reference; no run is in two of the evaluations with the same K.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from windward._answers.sweep import Sweep
from windward._evaluate.measure import Measure
from windward._evaluate.plan import plan
from windward._evaluate.request import EvaluationRequest
from windward._evaluate.run import evaluate, rows_by_run
from windward._evaluate.verdict import DOES_NOT, evaluated, verdicts
from windward.results._files import replace_text

KEPT = Path(__file__).parents[3] / "results" / "evaluations"

#: Seeds of a law in an evaluation: the least, that of the suites, the default.
EACH = (3, 5, 10)

#: Seeds that are run together; the first ones are those that thresholds were chosen on.
_BATCH, _FIRST = 20, 1001

#: Figures of CUBIC by measure and seed.
Values = dict[str, dict[int, float]]


def figures(batch: Sequence[int]) -> tuple[Sequence[Measure], Values]:
    """Figures of CUBIC, run or taken up again."""
    asked = EvaluationRequest(law="cubic", text="cubic", references=("cubic",), seeds=batch, smallest=False)
    threads = int(os.environ["THREADS"]) if "THREADS" in os.environ else None
    path = evaluate(asked, output=KEPT / "null" / str(batch[0]), threads=threads).path
    planned = plan(asked)
    runs = rows_by_run(Sweep(path / "runs"))
    return planned.measures, {
        own.name: {seed: own.value(runs[planned.point(own, "cubic"), seed]) for seed in batch}
        for own in planned.measures
    }


def has_false(
    measures: Sequence[Measure], values: Values, stranger: Sequence[int], reference: Sequence[int]
) -> list[str]:
    """Measures with a false *does not*: a whole evaluation is false if it has one."""
    tested = [
        evaluated(
            own,
            [values[own.name][seed] for seed in stranger],
            {"cubic": [values[own.name][seed] for seed in reference]} if own.absolute is None else {},
        )
        for own in measures
    ]
    return [own.name for own, verdict in zip(measures, verdicts(tested), strict=True) if verdict == DOES_NOT]


def interval(false: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (C. J. Clopper and E. S. Pearson, 1934), by bisection."""

    def at_most(count: int, share: float) -> float:
        chance, term = 0.0, (1 - share) ** of
        for number in range(count + 1):
            chance += term
            term *= (of - number) / (number + 1) * share / (1 - share)
        return chance

    def where(count: int, chance: float) -> float:
        low, high = 0.0, 1.0 - 1e-12
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(count, middle) > chance else (low, middle)
        return high

    return (where(false - 1, 0.975) if false else 0.0), (where(false, 0.025) if false < of else 1.0)


def counted(measures: Sequence[Measure], values: Values, seeds: Sequence[int], each: int) -> dict[str, Any]:
    """Number of false evaluations, no two of which share a run."""
    pairs = [
        (seeds[at : at + each], seeds[at + each : at + 2 * each])
        for at in range(0, len(seeds) - 2 * each + 1, 2 * each)
    ]
    false = [found for pair in pairs if (found := has_false(measures, values, *pair))]
    low, high = interval(len(false), len(pairs))
    return {"each": each, "of": len(pairs), "false": len(false), "low": low, "high": high, "by": false}


def main() -> None:
    """Counts false verdicts with the thresholds as they are, and at exactly the reference's figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1480)
    count = parser.parse_args().seeds
    seeds = list(range(_FIRST, _FIRST + count))
    measures: Sequence[Measure] = ()
    values: Values = {}
    for at in range(0, count, _BATCH):
        measures, own = figures(seeds[at : at + _BATCH])
        for name, found in own.items():
            values.setdefault(name, {}).update(found)
        print(f"{min(at + _BATCH, count)} of {count} seeds", flush=True)
    exact = [own if own.absolute is not None else replace(own, margin=1.0, slack=0.0) for own in measures]
    found = {
        "seeds": count,
        "measures": len(measures),
        "thresholds": [counted(measures, values, seeds, each) for each in EACH],
        "exact": [counted(exact, values, seeds, each) for each in EACH],
    }
    print(json.dumps(found, indent=1))
    replace_text(KEPT / "null.json", json.dumps(found) + "\n")


if __name__ == "__main__":
    main()

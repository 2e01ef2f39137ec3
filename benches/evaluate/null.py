"""False verdicts: CUBIC judged as a stranger against CUBIC, on runs of different seeds.

python benches/evaluate/null.py [--seeds N] [--each K] writes results/evaluations/null.json, which the page of planted
faults shows. N seeds are run once. An evaluation takes K of them for the stranger and K others for the reference:
N/2K of them share no run, and 1000 are random splits of the N.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from windward._answers.sweep import Sweep
from windward._evaluate.measure import Measure
from windward._evaluate.plan import plan
from windward._evaluate.request import EvaluationRequest
from windward._evaluate.run import evaluate, rows_by_run
from windward._evaluate.verdict import DOES_NOT, evaluated, verdicts
from windward.results._files import replace_text

KEPT = Path(__file__).parents[2] / "results" / "evaluations"
SPLITS = 1000


def figures(seeds: int) -> tuple[Sequence[Measure], dict[str, dict[int, float]]]:
    """Figures of CUBIC by measure and seed."""
    asked = EvaluationRequest(
        law="cubic", text="cubic", references=("cubic",), seeds=list(range(1, seeds + 1)), smallest=False
    )
    threads = int(os.environ["THREADS"]) if "THREADS" in os.environ else None
    path = evaluate(asked, output=KEPT / f"null-{seeds}", threads=threads).path
    planned = plan(asked)
    runs = rows_by_run(Sweep(path / "runs"))
    return planned.measures, {
        own.name: {seed: own.value(runs[planned.point(own, "cubic"), seed]) for seed in asked.seeds}
        for own in planned.measures
    }


def has_false(
    measures: Sequence[Measure], values: dict[str, dict[int, float]], stranger: Sequence[int], reference: Sequence[int]
) -> bool:
    """True if a whole evaluation has a false *does not*."""
    tested = [
        evaluated(
            own,
            [values[own.name][seed] for seed in stranger],
            {"cubic": [values[own.name][seed] for seed in reference]} if own.absolute is None else {},
        )
        for own in measures
    ]
    return DOES_NOT in verdicts(tested)


def upper(false: int, of: int) -> float:
    """Upper end of the 95 % interval of a share (Clopper and Pearson), by bisection."""
    low, high = false / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        chance, term = 0.0, (1 - middle) ** of
        for count in range(false + 1):
            chance += term
            term *= (of - count) / (count + 1) * middle / (1 - middle) if middle < 1 else 0.0
        low, high = (middle, high) if chance > 0.025 else (low, middle)
    return high


def main() -> None:
    """Counts false verdicts with the thresholds as they are, and at exactly the reference's figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--each", type=int, default=5)
    asked = parser.parse_args()
    each = asked.each
    measures, values = figures(asked.seeds)
    exact = [own if own.absolute is not None else replace(own, margin=1.0, slack=0.0) for own in measures]
    drawn = random.Random(1)
    seeds = list(range(1, asked.seeds + 1))
    apart = [(seeds[at : at + each], seeds[at + each : at + 2 * each]) for at in range(0, len(seeds), 2 * each)]
    apart = [pair for pair in apart if len(pair[1]) == each]
    splits = []
    for _ in range(SPLITS):
        chosen = drawn.sample(seeds, 2 * each)
        splits.append((chosen[:each], chosen[each:]))
    found = {"seeds": asked.seeds, "each": each, "measures": len(measures), "apart": len(apart), "splits": SPLITS}
    for name, own in (("thresholds", measures), ("exact", exact)):
        alone = sum(has_false(own, values, *pair) for pair in apart)
        found[name] = {
            "apart": alone,
            "upper": upper(alone, len(apart)),
            "splits": sum(has_false(own, values, *pair) for pair in splits),
        }
    print(json.dumps(found))
    replace_text(KEPT / "null.json", json.dumps(found) + "\n")


if __name__ == "__main__":
    main()

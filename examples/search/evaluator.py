"""Evaluator for searchers in OpenEvolve's form: the score of a candidate's law on the training networks.

`evaluate(path)` answers {"combined_score": …, metrics …}. CUBIC has 0, Reno about -0.1. A stage of 8 networks comes
before the one of 64. A candidate that is no law scores -4, and the reason is an artifact.
"""

import runpy
from typing import Any

import windward as ww

#: Below the worst score that a law can have: the mean, and that of the worst tenth, are at least -2.
NO_LAW = -4.0


def score(path: str, stage: int) -> dict[str, Any]:
    """Scores the law of a candidate's file."""
    try:
        found = ww.bench(ww.Formula(**runpy.run_path(path)["LAW"]), set="train", stage=stage)
    except Exception as error:
        return {"combined_score": NO_LAW, "artifacts": {"error": f"{type(error).__name__}: {error}"}}
    return {"combined_score": found["combined_score"], **found["metrics"], "artifacts": found["artifacts"]}


def evaluate_stage1(path: str) -> dict[str, Any]:
    return score(path, 1)


def evaluate_stage2(path: str) -> dict[str, Any]:
    return score(path, 2)


evaluate = evaluate_stage2

"""Evaluator for searchers in OpenEvolve's form: the score of a candidate's law on the training networks.

CUBIC has 0. A stage of 8 networks comes before the one of 64. A candidate that is no law scores -4, with the reason.
"""

import json
import runpy
from typing import Any

import windward as ww

#: Below the worst score that a law can have: the mean, and that of the worst tenth, are at least -2.
NO_LAW = -4.0


def score(path: str, stage: int) -> tuple[dict[str, float], dict[str, str]]:
    """Figures of the law in a candidate's file, the combined score among them, and what to say about it."""
    try:
        found = ww.bench(ww.Formula(**runpy.run_path(path)["LAW"]), set="train", stage=stage)
    except Exception as error:
        return {"combined_score": NO_LAW}, {"error": f"{type(error).__name__}: {error}"}
    metrics = {"combined_score": found["combined_score"], **found["metrics"]}
    return metrics, {"worst": json.dumps(found["artifacts"]["worst"])}


def answer(path: str, stage: int) -> Any:
    metrics, artifacts = score(path, stage)
    try:
        from openevolve.evaluation_result import EvaluationResult
    except ImportError:
        return {**metrics, "artifacts": artifacts}
    return EvaluationResult(metrics=metrics, artifacts=artifacts)


def evaluate_stage1(path: str) -> Any:
    return answer(path, 1)


def evaluate_stage2(path: str) -> Any:
    return answer(path, 2)


evaluate = evaluate_stage2

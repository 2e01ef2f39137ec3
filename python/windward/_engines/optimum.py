"""Finds the best rates of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from windward._answers.optimum import Optimum

if TYPE_CHECKING:
    from windward import _engine

#: What the flows may want, beside "alpha=NUMBER".
OBJECTIVES = ("proportional", "max-min", "law")


def solve(compiled: _engine.Scenario, objective: str) -> Optimum:
    """The optimum of a scenario for "proportional", "max-min", "law" or "alpha=NUMBER".

    Raises
    ------
    ValueError
        For another objective, and where there are no best rates.
    """
    name, _, number = objective.partition("=")
    alpha = None
    if name == "alpha":
        try:
            alpha = float(number)
        except ValueError:
            alpha = -1.0
    if (name not in OBJECTIVES or number) and not (alpha is not None and 0 <= alpha < float("inf")):
        raise ValueError(
            f"unknown objective `{objective}`; objectives: {', '.join(OBJECTIVES)}, and alpha=NUMBER with NUMBER >= 0"
        )
    answer = compiled.optimum(name, alpha)
    return Optimum(
        name=compiled.name,
        title=compiled.title,
        scenario=compiled.to_toml(),
        objective=objective,
        flows=pd.DataFrame(answer["flows"]),
        links=pd.DataFrame(answer["links"]),
        value=answer["objective"],
        certificate=answer["certificate"],
        method=answer["method"],
        iterations=answer["iterations"],
        packet_bytes=answer["packet_bytes"],
    )

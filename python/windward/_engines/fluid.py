"""Runs the differential equations of a scenario's windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from windward import _engine
from windward._answers.fluid import Fluid
from windward._format.laws import keep_backlogs
from windward.theory._arguments import Delay, above_zero, engine_delay


def run(
    compiled: _engine.Scenario,
    *,
    tolerance: float = 1e-6,
    period_s: float | None = None,
    feedback_delay_s: Delay | None = None,
) -> Fluid:
    """The fluid run of a scenario.

    Raises
    ------
    ValueError
        Where the scenario has no fluid form; for a tolerance, a period or a delay that is not positive; for both a
        period and a delay.
    """
    above_zero("tolerance", tolerance)
    if period_s is not None:
        above_zero("period", period_s)
    answer = compiled.fluid(
        tolerance=tolerance, period=period_s, feedback_delay=engine_delay(feedback_delay_s, period_s)
    )
    columns: dict[str, Any] = dict(answer["series"])
    columns["flow"] = pd.Categorical.from_codes(columns["flow"].astype(np.int64), answer["flow"])
    series = pd.DataFrame(columns)
    last = series.tail(len(answer["flow"])).drop(columns=["time_s"]).reset_index(drop=True)
    last["flow"] = answer["flow"]
    last.insert(1, "group", compiled.entities()["flows"]["group"])
    last.insert(2, "law", answer["law"])
    rests = pd.DataFrame(answer["rests"])
    rests["optimum_bps"] = _optima(compiled, answer["law"], list(rests["from_s"].unique()))
    last["optimum_bps"] = rests["optimum_bps"].tail(len(last)).to_numpy()
    lyapunov = None
    if answer["lyapunov"] is not None:
        times = series["time_s"].to_numpy()[:: len(answer["flow"])]
        lyapunov = pd.DataFrame({"time_s": times, "lyapunov": answer["lyapunov"]})
    return Fluid(
        name=compiled.name,
        title=compiled.title,
        scenario=compiled.to_toml(),
        duration_s=compiled.duration_s,
        how=_how(tolerance, period_s, feedback_delay_s),
        flows=last,
        series=series,
        rests=rests,
        lyapunov=lyapunov,
        settled_s=answer["settled_s"],
        evaluations=answer["evaluations"],
    )


def _optima(compiled: _engine.Scenario, laws: Sequence[str], begins: Sequence[float]) -> Any:
    """Goodputs at the optimum of what the laws maximise, piece by piece, as far as all maximise what is known."""
    if not keep_backlogs(laws):
        return np.nan
    best: list[Any] = []
    for begin in begins:
        try:
            best += list(compiled.optimum("law", None, None, begin)["flows"]["goodput_bps"])
        except ValueError:
            # What has a fluid form and no optimum: a cell whose scheduler leaves some flow nothing.
            best += [np.nan] * len(laws)
    return best


def _how(tolerance: float, period_s: float | None, feedback_delay_s: Delay | None) -> str:
    if period_s is not None:
        return f"updates every {period_s:g} s"
    if feedback_delay_s is None:
        return f"differential equations, tolerance {tolerance:g}"
    lag = "a round trip" if isinstance(feedback_delay_s, str) else f"{feedback_delay_s:g} s"
    return f"differential equations, paths seen {lag} late"

"""Runs the differential equations of a scenario's windows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from windward import _engine
from windward._answers.fluid import Fluid
from windward._format.laws import keep_backlogs
from windward.results._shapes import Progress
from windward.results._tables import Columns, Named
from windward.theory._arguments import Delay, above_zero, check_period, engine_delay


def run(
    compiled: _engine.Scenario,
    *,
    tolerance: float = 1e-6,
    period_s: float | None = None,
    feedback_delay_s: Delay | None = None,
    loss_free: bool = False,
    stop: _engine.Stop | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Fluid:
    """The fluid run of a scenario, until `stop` is set; `progress` is told about ten times a second.

    Raises
    ------
    windward.NoAnswerError
        Where the scenario has no fluid form, and where it was stopped.
    ValueError
        For a tolerance, a period or a delay that is not positive; for both a period and a delay.
    windward.RunInterrupted
        On Ctrl-C.
    """
    above_zero("tolerance", tolerance)
    if period_s is not None:
        check_period("period", period_s, compiled.duration_s)
    followed = 0.0

    def tell(seconds: float) -> None:
        nonlocal followed
        followed = seconds
        if progress is not None:
            progress(Progress(fraction=min(seconds / compiled.duration_s, 1.0), finished=0, seeds=1))

    try:
        answer = compiled.fluid(
            tolerance=tolerance,
            period=period_s,
            feedback_delay=engine_delay(feedback_delay_s, period_s),
            is_loss_free=loss_free,
            stop=stop,
            progress=tell,
        )
        followed = compiled.duration_s
        how = _how(tolerance, period_s, feedback_delay_s) + (", loss-free" if loss_free else "")
        return _kept(compiled, answer, how)
    except KeyboardInterrupt as interrupt:
        stopped = _engine.RunInterrupted(f"interrupted: {followed:.3g} of {compiled.duration_s:g} s integrated")
        stopped.run = None
        raise stopped from interrupt


#: Keys of transports that no equation contains, with the value that is none.
_UNKNOWN = {
    "sack": True,
    "pacing": False,
    "transport": "tcp",
    "min_rto": "200 ms",
    **dict.fromkeys(("loss_detection", "newreno", "rto", "initial_ssthresh", "quick_acks", "compress_sacks")),
    **dict.fromkeys(("host_jitter", "small_queues")),
}

#: Keys that are named with their value.
_WORDS = {"sack": "sack = false", "transport": 'transport = "quic"'}

#: Flow tables that are named in one remark.
_NAMED = 3


def ignored(compiled: _engine.Scenario) -> list[str]:
    """Remarks on keys of flows that the equations do not contain: a remark for each set of keys."""
    entries = json.loads(compiled.to_json()).get("flow", [])
    tables: dict[str, list[str]] = {}
    for entry in entries:
        keys = [key for key, none in _UNKNOWN.items() if entry.get(key) not in (none, None)]
        if keys:
            listed = ", ".join(f"`{_WORDS.get(key, key)}`" for key in keys)
            names = tables.setdefault(listed, [])
            names.append(f"`{entry.get('name') or entry['from'] + '->' + entry['to']}`")
    return [
        f"equations: without {listed} of {', '.join(names[:_NAMED])}"
        + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        + "; `simulate` has it"
        for listed, names in tables.items()
    ]


def _kept(compiled: _engine.Scenario, answer: dict[str, Any], how: str) -> Fluid:
    """The engine's answer, with the optima beside it."""
    names, series = list(answer["flow"]), dict(answer["series"])
    rests = {name: list(column) if name == "flow" else column for name, column in answer["rests"].items()}
    rests["optimum_bps"] = _optima(compiled, answer["law"], np.unique(rests["from_s"]).tolist())
    tables: dict[str, Columns] = {
        "flows": {
            "flow": names,
            "group": list(compiled.entities()["flows"]["group"]),
            "law": list(answer["law"]),
            **{name: series[name][-len(names) :] for name in ("cwnd", "rate_bps", "goodput_bps", "queue_delay_ms")},
            "optimum_bps": rests["optimum_bps"][-len(names) :],
        },
        "flow_series": series | {"flow": Named(names, series["flow"])},
        "rests": rests,
    }
    if answer["lyapunov"] is not None:
        times = np.ascontiguousarray(series["time_s"][:: len(names)])
        tables["lyapunov"] = {"time_s": times, "lyapunov": np.asarray(answer["lyapunov"], dtype=float)}
    return Fluid(
        name=compiled.name,
        title=compiled.title,
        scenario=compiled.to_toml(),
        duration_s=compiled.duration_s,
        how=how,
        tables=tables,
        settled_s=answer["settled_s"],
        evaluations=answer["evaluations"],
        notes=ignored(compiled),
    )


def _optima(compiled: _engine.Scenario, laws: Sequence[str], begins: Sequence[float]) -> Any:
    """Goodputs at the optimum of what the laws maximise, piece by piece, as far as all maximise what is known."""
    best = np.full((len(begins), len(laws)), np.nan)
    for piece, begin in enumerate(begins if keep_backlogs(laws) else ()):
        # Some have a fluid form and no optimum: a cell whose scheduler leaves some flow nothing.
        with suppress(_engine.NoAnswerError):
            best[piece] = compiled.optimum("law", None, None, begin)["flows"]["goodput_bps"]
    return best.ravel()


def _how(tolerance: float, period_s: float | None, feedback_delay_s: Delay | None) -> str:
    if period_s is not None:
        return f"updates every {period_s:g} s"
    if feedback_delay_s is None:
        return f"differential equations, tolerance {tolerance:g}"
    lag = "a round trip" if isinstance(feedback_delay_s, str) else f"{feedback_delay_s:g} s"
    return f"differential equations, paths seen {lag} late"

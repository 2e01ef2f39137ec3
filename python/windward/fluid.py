"""The windows of a scenario as differential equations: where they go, and how fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from windward.digest import Digest, quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from windward import _engine

#: What a fluid run can be drawn as: the column and its axis.
FIGURES = {
    "windows": ("cwnd", "window (packets)", 1.0),
    "rates": ("goodput_bps", "goodput (Mbit/s)", 1e-6),
    "delays": ("queue_delay_ms", "queueing delay (ms)", 1.0),
}


@dataclass(frozen=True, kw_only=True)
class Fluid:
    """A fluid run: all flows send from the beginning and for ever; see `docs/models/fluid.md`."""

    #: Short name of the scenario.
    name: str
    #: One row per flow, at the end: `cwnd` in packets, `rate_bps` on the wire, `goodput_bps`, `queue_delay_ms`.
    flows: pd.DataFrame
    #: One row per flow and sample: `time_s`, `flow`, `cwnd`, `rate_bps`, `goodput_bps`, `queue_delay_ms`.
    series: pd.DataFrame
    #: When all rates were within 1 % of their last values for good, in seconds; None if they were not.
    settled_s: float | None
    #: Evaluations of the right-hand side.
    evaluations: int

    def plot(self, what: str = "windows") -> Figure:
        """Draws "windows", "rates" or "delays" over time.

        Raises
        ------
        ValueError
            For another figure.
        """
        from matplotlib.figure import Figure

        if what not in FIGURES:
            raise ValueError(f"there is no figure `{what}`; there are {', '.join(FIGURES)}")
        column, label, scale = FIGURES[what]
        figure = Figure(figsize=(8, 4), layout="constrained")
        axes = figure.add_subplot()
        for flow, series in self.series.groupby("flow", sort=False, observed=True):
            axes.plot(series["time_s"], series[column] * scale, label=str(flow))
        axes.set(xlabel="time (s)", ylabel=label, title=f"{self.name}: fluid {what}", ylim=(0, None))
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
        return figure


def run(compiled: _engine.Scenario, *, tolerance: float, period_s: float | None) -> Fluid:
    """The fluid run of a scenario.

    Raises
    ------
    ValueError
        Where the scenario has no fluid form, or for a tolerance or period that is not positive.
    """
    for name, value in (("tolerance", tolerance), ("period", period_s)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise ValueError(f"the {name} is {value:g}; it must be above 0")
    answer = compiled.fluid(tolerance=tolerance, period=period_s)
    columns: dict[str, Any] = dict(answer["series"])
    columns["flow"] = pd.Categorical.from_codes(columns["flow"].astype(np.int64), answer["flow"])
    series = pd.DataFrame(columns)
    last = series.tail(len(answer["flow"])).drop(columns=["time_s"]).reset_index(drop=True)
    last["flow"] = answer["flow"]
    last.insert(1, "law", answer["law"])
    return Fluid(
        name=compiled.name,
        flows=last,
        series=series,
        settled_s=answer["settled_s"],
        evaluations=answer["evaluations"],
    )


def digest(fluid: Fluid) -> Digest:
    """The end of a fluid run as a table."""
    rows = [
        [
            row["flow"],
            row["law"],
            quantity(row["cwnd"]),
            quantity(row["goodput_bps"], "bit/s"),
            quantity(row["queue_delay_ms"] / 1e3, "s"),
        ]
        for row in fluid.flows.to_dict("records")
    ]
    settled = (
        "rates have not settled" if fluid.settled_s is None else f"rates settle within 1 % after {fluid.settled_s:g} s"
    )
    return Digest(
        title="Fluid", columns=["flow", "law", "window", "goodput", "queueing delay"], words=2, rows=rows, note=settled
    )

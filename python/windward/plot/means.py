"""Figures of means over seeds with their 95 % confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from windward.plot.style import COLORS, INK, set_height
from windward.stats import mean_and_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from windward.run import Run

#: Up to so many entities have a bar each; above, flows are grouped and links are left out from the idlest.
MANY = 24


def goodput(run: Run, _seed: int, axes: Axes) -> str:
    """Goodput of each flow, or of each group's flows on average."""
    axes.set_xlabel("goodput (Mbit/s)")
    return _flows(run, axes, "goodput_bps", 1e-6)


def loss(run: Run, _seed: int, axes: Axes) -> str:
    """Share of each flow's segments that was lost."""
    axes.set_xlabel("lost segments (%)")
    return _flows(run, axes, "loss", 100.0)


def utilization(run: Run, _seed: int, axes: Axes) -> str:
    """Share of the time that each link was sending."""
    frame = run.links[["seed", "link", "utilization"]]
    busiest = frame.groupby("link", sort=False)["utilization"].mean().nlargest(MANY).index
    chosen = frame[frame["link"].isin(busiest)]
    axes.set_xlabel("utilization (%)")
    _bars(axes, chosen, "link", "utilization", 100.0)
    axes.set_xlim(0, 100)
    left_out = frame["link"].nunique() - len(busiest)
    return _note(run) + (f", {left_out} idler links not drawn" if left_out else "")


def _flows(run: Run, axes: Axes, metric: str, unit: float) -> str:
    frame = run.flows
    if frame.empty:
        raise ValueError("there is nothing to draw: the run has no flows")
    if frame["flow"].nunique() <= MANY:
        _bars(axes, frame, "flow", metric, unit)
        return _note(run)
    by_seed = frame.groupby(["group", "seed"], sort=False)[metric].mean().reset_index()
    _bars(axes, by_seed, "group", metric, unit)
    return f"{_note(run)}, mean flow of each group"


def _bars(axes: Axes, frame: pd.DataFrame, entity: str, metric: str, unit: float) -> None:
    """One bar for each entity, with its interval and its number."""
    groups = frame.groupby(entity, sort=False)[metric]
    names = [str(name) for name, _ in groups]
    rows = [mean_and_interval(values * unit) for _, values in groups]
    mean = np.array([row[0] for row in rows])
    interval = np.nan_to_num(np.array([row[1] for row in rows]))
    places = np.arange(len(names))
    set_height(axes, max(2.2, 1.3 + 0.28 * len(names)))
    axes.barh(places, mean, height=0.62, color=COLORS[0], alpha=0.85)
    axes.errorbar(mean, places, xerr=interval, fmt="none", ecolor=INK, elinewidth=1, capsize=2.5)
    axes.set_yticks(places, names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(left=0, right=max(float(np.nanmax(mean + interval, initial=0.0)), 1e-9) * 1.12)
    for place, value, error in zip(places, mean, interval, strict=True):
        if not np.isnan(value):
            axes.annotate(
                f"{value:.3g}", (value + error, place), (4, 0), textcoords="offset points", va="center", fontsize=8
            )


def _note(run: Run) -> str:
    count = len(run.seeds)
    return f"mean and 95 % confidence interval over {count} seeds" if count > 1 else f"seed {run.seeds[0]}"

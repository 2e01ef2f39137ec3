"""Figures of means over seeds with their 95 % confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from windward.results._names import shorten
from windward.results._values import NothingToDrawError
from windward.results.stats import busy_links, mean_and_interval
from windward.show.plot.style import COLORS, INK, inside, left_out_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windward.results._shapes import Packets

#: Up to so many entities have a bar each; above, flows are grouped and links are left out from the idlest.
MANY = 24


def goodput(run: Packets, _seed: int, figure: Figure) -> str:
    """Goodput of each flow, or of each group's flows on average."""
    return _flows(run, figure, "goodput_bps", 1e-6, "goodput (Mbit/s)")


def loss(run: Packets, _seed: int, figure: Figure) -> str:
    """Share of each flow's segments that was lost."""
    return _flows(run, figure, "loss", 100.0, "lost segments (%)", most=100.0)


def utilization(run: Packets, _seed: int, figure: Figure) -> str:
    """Share of the time that each link was sending."""
    frame = run.links[["seed", "link", "utilization"]]
    busiest = busy_links(run.totals("links"), MANY)
    chosen = frame[frame["link"].isin(busiest)]
    bars(figure, chosen, "link", "utilization", 100.0, "utilization (%)", most=100.0)
    left_out = frame["link"].nunique() - len(busiest)
    return _note(run) + left_out_note(left_out, "less busy link")


def stations(run: Packets, _seed: int, figure: Figure) -> str:
    """Share of the slots that each station of a cell was given, and its rate in all of them and in those."""
    frame = run.stations
    if frame.empty:
        raise NothingToDrawError("the run has no cell")
    chosen = frame[frame["link"].isin(frame["link"].unique()[:MANY])]
    names = list(chosen["link"].unique())
    figure.set_figheight(max(2.6, 1.7 + 0.34 * len(names)))
    left, right = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(names))
    for axes, metric, unit, shift, color, label in (
        (left, "airtime", 100.0, 0.0, COLORS[0], ""),
        (right, "offered_bps", 1e-6, -0.17, COLORS[5], "offered, all slots"),
        (right, "served_bps", 1e-6, 0.17, COLORS[0], "in slots served"),
    ):
        rows = [mean_and_interval(each * unit) for _, each in chosen.groupby("link", sort=False)[metric]]
        mean, interval = np.array(rows).T
        axes.barh(places + shift, mean, height=0.62 if axes is left else 0.34, color=color, alpha=0.85, label=label)
        if not np.isnan(interval).all():
            errors = inside(mean, interval, 100.0 if axes is left else np.inf)
            axes.errorbar(mean, places + shift, xerr=errors, fmt="none", ecolor=INK, elinewidth=1, capsize=2.5)
    left.set_yticks(places, shorten(names))
    left.set_ylim(len(names) - 0.4, -0.6)
    left.set_xlabel("airtime (% of slots)")
    right.set_xlabel("rate (Mbit/s)")
    right.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)
    for axes in (left, right):
        axes.grid(visible=False, axis="y")
    return _note(run) + left_out_note(frame["link"].nunique() - len(names), "more station")


def _flows(run: Packets, figure: Figure, metric: str, unit: float, label: str, most: float = np.inf) -> str:
    frame = run.flows
    if frame.empty:
        raise NothingToDrawError("the run has no flows")
    if frame["flow"].nunique() <= MANY:
        bars(figure, frame, "flow", metric, unit, label, most)
        return _note(run)
    by_seed = frame.groupby(["group", "seed"], sort=False)[metric].mean().reset_index()
    bars(figure, by_seed, "group", metric, unit, label, most)
    return f"{_note(run)}, mean flow of each group"


def bars(
    figure: Figure, frame: pd.DataFrame, entity: str, metric: str, unit: float, label: str, most: float = np.inf
) -> Axes:
    """One bar for each entity, with its interval and its number; the axis ends at `most` at the latest."""
    groups = frame.groupby(entity, sort=False)[metric]
    names = [str(name) for name, _ in groups]
    rows = [mean_and_interval(values * unit) for _, values in groups]
    mean = np.array([row[0] for row in rows])
    interval = np.nan_to_num(np.array([row[1] for row in rows]))
    places = np.arange(len(names))
    figure.set_figheight(max(2.2, 1.5 + 0.28 * len(names)))
    axes = figure.add_subplot()
    axes.set_xlabel(label)
    axes.barh(places, mean, height=0.62, color=COLORS[0], alpha=0.85)
    if interval.any():
        errors = inside(mean, interval, most)
        axes.errorbar(mean, places, xerr=errors, fmt="none", ecolor=INK, elinewidth=1, capsize=2.5)
    axes.set_yticks(places, shorten(names))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    longest = float(np.nanmax(mean + interval, initial=0.0))
    axes.set_xlim(left=0, right=min(1.12 * longest, most) if longest > 0 else 1)
    for place, value, error in zip(places, mean, interval, strict=True):
        if not np.isnan(value):
            axes.annotate(
                f"{value:.3g}",
                (min(value + error, most), place),
                (4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
    return axes


def _note(run: Packets) -> str:
    count = len(run.seeds)
    return f"mean and 95 % confidence interval over {count} seeds" if count > 1 else f"seed {run.seeds[0]}"

"""Figs. 6, 7, 9 and 12: goodput over time, and the means of all seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import windward as ww
from windward.papers import Context, figure
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS

from .. import reported, study
from ..networks import LAWS, MANY_SEEDS, SEEDS, SYSTEMS, Shape, grid, network, with_datagrams

#: Those that the paper has.
THREE = ("TCP-aware", "classical", "AODV")

#: Goodputs are means over so many samples, which are 0.5 s apart.
_SMOOTH = 10


def both(context: Context, shape: Shape, number: str) -> Figure:
    """The four panels of Figs. 6 and 7: two laws under the two rules; AODV and flows without coding are kept beside."""
    cases = {
        (law, system, "coded" if coding else "plain"): network(shape, system, law, coding=coding)
        for law in LAWS
        # In the tree there is one way only.
        for system in (THREE if shape == "tree" else SYSTEMS)
        for coding in (True, False)
    }
    runs = study.simulate(cases, context, f"figure {number}")
    names = ("law", "system", "coding")
    table = study.rates(runs, names)
    context.results.keep(f"figure-{number}", table)
    context.results.keep(f"figure-{number}-queues", queues(runs, names))
    drawing, grid = panels(2, 2)
    for row, law in zip(grid, LAWS, strict=True):
        for axes, system in zip(row, ("TCP-aware", "classical"), strict=True):
            chosen = table[(table["law"] == law) & (table["system"] == system) & (table["coding"] == "coded")]
            printed = reported.RATES.get((shape, law, system))
            over_time(axes, runs[law, system, "coded"], chosen, f"{law}, {system}", printed)
    return finish(drawing, grid)


def queues(runs: Mapping[tuple[Any, ...], ww.Run], names: tuple[str, ...]) -> pd.DataFrame:
    """Queues of all runs whose stations forward by backlog, as in `windward.Run.backlogs`."""
    return pd.concat(
        [run.backlogs.assign(**dict(zip(names, key, strict=True))) for key, run in runs.items() if len(run.backlogs)],
        ignore_index=True,
    )


def panels(rows: int, columns: int) -> tuple[Figure, Any]:
    drawing = Figure(figsize=(9.6, 0.9 + 2.7 * rows))
    FigureCanvasAgg(drawing)
    return drawing, drawing.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)


def over_time(
    axes: Axes, run: ww.Run, table: pd.DataFrame, title: str, printed: tuple[float, ...] | None = None
) -> None:
    """The first seed of a run; in the legend the means of all, and what the paper prints."""
    series = run.flow_series[run.flow_series["seed"] == run.seeds[0]]
    lines = {str(name): each.set_index("time_s")["goodput_bps"] for name, each in series.groupby("flow", sort=False)}
    rows = dict(zip(lines, printed or (), strict=False))
    for color, (name, rate) in zip(COLORS, lines.items(), strict=False):
        mean, error = mean_and_interval(table.loc[table["flow"] == name, "goodput_bps"] / 1e3)
        known = f"{mean:.0f}" if math.isnan(error) else f"{mean:.0f} ± {error:.0f}"
        label = f"{name}: {known}" + (f" (paper {rows[name]:g})" if name in rows else "")
        axes.plot(rate.index, rate.rolling(_SMOOTH, min_periods=1).mean() / 1e3, color=color, lw=0.9, label=label)
    for color, name in zip(COLORS[len(lines) :], sorted(set(table["flow"]) - set(lines)), strict=False):
        mean, error = mean_and_interval(table.loc[table["flow"] == name, "goodput_bps"] / 1e3)
        axes.axhline(mean, color=color, lw=0.9, ls="--", label=f"{name}: {mean:.0f} ± {error:.0f}, mean")
    axes.set_title(title)
    axes.legend(loc="upper right", fontsize=8)


def finish(drawing: Figure, grid: Any) -> Figure:
    grid[0][0].set_ylim(bottom=0)
    top = grid[0][0].get_ylim()[1]
    # Room for the legends.
    grid[0][0].set_ylim(0, 1.25 * top)
    for row in grid:
        row[0].set_ylabel("kbit/s")
    for axes in grid[-1]:
        axes.set_xlabel("time (s)")
    return drawing


@figure(
    "6",
    title="Goodput over time in the tree",
    caption="Flow 1 from A to B has one hop, flow 2 from A to D two. First seed, means over 5 s. The legends have "
    "means of 10 seeds with 95 % confidence intervals, and the printed values. Flows are coded. Positions are "
    "guesses: evidence/papers/seferoglu2014/tree.toml.",
)
def figure_6(context: Context) -> Figure:
    return both(context, "tree", "6")


@figure(
    "7",
    title="Goodput over time in the diamond",
    caption="Flow 1 from A to B, and flow 2 from A to D over either path. As Fig. 6.",
)
def figure_7(context: Context) -> Figure:
    many = {
        (law, "classical", "coded"): replace(network("diamond", "classical", law), seeds=MANY_SEEDS) for law in LAWS
    }
    runs = study.simulate(many, context, "figure 7, many seeds")
    context.results.keep("figure-7-many", study.rates(runs, ("law", "system", "coding")))
    return both(context, "diamond", "7")


@figure(
    "9",
    title="Goodput over time in the grid",
    caption="Four flows from the gateway, without losses. The first of ten draws of destinations and its means; "
    "otherwise as Fig. 6.",
)
def figure_9(context: Context) -> Figure:
    names = ("draw", "law", "system", "coding")
    cases = {
        (draw, law, system, "coded" if coding else "plain"): grid(draw, system, law, coding=coding)
        for draw in range(1, (context.seeds or SEEDS) + 1)
        for law in LAWS
        for system in SYSTEMS
        for coding in (True, False)
    }
    # |S_i| as the flows whose packets have lately passed (claim 29).
    recent = {
        (draw,): grid(draw, "TCP-aware", "SACK", routing={"k": "recent"})
        for draw in range(1, (context.seeds or SEEDS) + 1)
    }
    passed = study.simulate(recent, context, "figure 9, K by recent flows")
    context.results.keep("figure-9-recent", study.rates(passed, ("draw",)))
    runs = study.simulate(cases, context, "figure 9")
    table = study.rates(runs, names)
    context.results.keep("figure-9", table)
    context.results.keep("figure-9-queues", queues(runs, names))
    drawing, axes_of = panels(2, 2)
    for row, law in zip(axes_of, LAWS, strict=True):
        for axes, system in zip(row, ("TCP-aware", "classical"), strict=True):
            chosen = table[
                (table["law"] == law)
                & (table["system"] == system)
                & (table["coding"] == "coded")
                & (table["draw"] == 1)
            ]
            over_time(axes, runs[1, law, system, "coded"], chosen.assign(seed=1), f"{law}, {system}")
    return finish(drawing, axes_of)


@figure(
    "12",
    title="TCP beside datagrams in the diamond",
    caption="Flow 1 is TCP with SACK, coded; flow 2 is datagrams. Under TCP-aware backpressure the rate control (5) "
    "sends them, with M = 50 and slots of 20 ms. Under the others they are sent at 2 Mbit/s, which fills the "
    "buffers. Both are guesses.",
)
def figure_12(context: Context) -> Figure:
    cases = {(system,): with_datagrams(system) for system in THREE}
    runs = study.simulate(cases, context, "figure 12")
    table = study.rates(runs, ("system",))
    context.results.keep("figure-12", table)
    drawing, axes_of = panels(1, 3)
    for axes, system in zip(axes_of[0], THREE, strict=True):
        over_time(axes, runs[system,], table[table["system"] == system], system)
    return finish(drawing, axes_of)

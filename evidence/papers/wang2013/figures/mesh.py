"""Figs. 4 and 5: four laws under three schedulers over the grid of 802.11b, in packets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import windward as ww
from windward.papers import Context, figure
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, INK

from ...shared import packets
from .. import reported
from ..mesh import SCALED_S, SCALES, SCHEDULERS, SCHEMES, SEEDS, scaled, scenario, totals

Pair = tuple[str, str]


def simulated(context: Context, pairs: Mapping[Any, ww.Scenario], what: str) -> dict[Any, ww.Run]:
    """Runs, with their progress."""
    return packets.simulate(pairs, lambda text: context.progress(f"{what}: {text}"), context.seeds, context.share)


@figure(
    "4",
    title="Rates of the four downloads",
    caption="Goodput of each download over time, first seed, means over 10 s. Left: the original scheduler of 802.11, "
    "right: the proposed one. The paper's average rates, 16.82 packets a millisecond in all, exceed 802.11b at any "
    "rate, so only orders and ratios can be compared. Positions, rates and wiring are guesses: "
    "evidence/papers/wang2013/mesh.toml.",
)
def figure_4(context: Context) -> Figure:
    rules = ("original", "proposed")
    pairs = {(law, rule): scenario(scheme, SCHEDULERS[rule]) for law, scheme in SCHEMES.items() for rule in rules}
    runs = simulated(context, pairs, "figure 4")
    flows = packets.flows(runs, ("scheme", "scheduler"))
    context.results.keep("figure-4-flows", flows)
    drawing = Figure(figsize=(9.6, 9.0))
    FigureCanvasAgg(drawing)
    grid = drawing.subplots(len(SCHEMES), len(rules), sharex=True, sharey="row", squeeze=False)
    for row, law in zip(grid, SCHEMES, strict=True):
        for axes, rule in zip(row, rules, strict=True):
            series = runs[law, rule].flow_series
            series = series[series["seed"] == series["seed"].iloc[0]]
            for color, (name, each) in zip(COLORS, series.groupby("flow", observed=True, sort=False), strict=False):
                rate = each.set_index("time_s")["goodput_bps"].rolling(5).mean() / (8 * 160)
                axes.plot(rate.index, rate, color=color, linewidth=0.9, label=str(name))
            axes.set_title(f"{law}, {rule}")
        row[0].set_ylim(bottom=0)
        row[0].set_ylabel("packets/s")
    for axes in grid[-1]:
        axes.set_xlabel("time (s)")
    drawing.legend(*grid[0][0].get_legend_handles_labels(), loc="outside upper left", ncols=4)
    return drawing


@figure(
    "5",
    title="Four laws under three schedulers",
    caption="Means over seeds with 95 % confidence intervals: the objective Σ p ln x with p = 200, the total, Jain's "
    "index. Diamonds: the paper's indices. Bottom: all laws under the proposed scheduler (solid) and the "
    "queue-length rule (dashed), with the transmission aggressiveness scaled by β, five seeds of 300 s. Claims are "
    "judged at β = 1, the rule as printed.",
)
def figure_5(context: Context) -> Figure:
    pairs: dict[Pair, ww.Scenario] = {
        (law, rule): scenario(scheme, access, seeds=SEEDS)
        for law, scheme in SCHEMES.items()
        for rule, access in SCHEDULERS.items()
    }
    table = totals(
        packets.flows(runs := simulated(context, pairs, "figure 5"), ("scheme", "scheduler")), ["scheme", "scheduler"]
    )
    context.results.keep("figure-5", table)
    stations = pd.concat(
        [run.wifi_stations.assign(scheme=law, scheduler=rule) for (law, rule), run in runs.items()], ignore_index=True
    )
    context.results.keep("figure-5-stations", stations)
    # A short form has those of QUIC-TCP under the proposed rule alone.
    laws, rules = (SCHEMES, SCHEDULERS) if context.share == 1 else (("QUIC-TCP",), ("proposed",))
    others = {
        (law, rule, scale): scenario(SCHEMES[law], scaled(rule, scale), duration=f"{SCALED_S} s")
        for law in laws
        for rule in rules
        for scale in SCALES
        if rule != "original"
    }
    names = ("scheme", "scheduler", "scale")
    scales = totals(packets.flows(simulated(context, others, "figure 5, scales"), names), list(names))
    context.results.keep("figure-5-scales", scales)
    return draw(table, scales)


def draw(table: pd.DataFrame, scales: pd.DataFrame) -> Figure:
    """Three panels of bars, and two of curves."""
    drawing = Figure(figsize=(9.6, 10.5))
    FigureCanvasAgg(drawing)
    panels = drawing.subplot_mosaic(
        [["utility", "utility"], ["goodput_pps", "goodput_pps"], ["jain", "jain"], ["a", "b"]]
    )
    labels = {"utility": "Σ p ln x", "goodput_pps": "total (packets/s)", "jain": "Jain's index"}
    places = np.arange(len(SCHEMES))
    for metric, label in labels.items():
        axes = panels[metric]
        for at, (rule, color) in enumerate(zip(SCHEDULERS, COLORS, strict=False)):
            chosen = table[table["scheduler"] == rule].groupby("scheme", sort=False)[metric]
            rows = np.array([mean_and_interval(chosen.get_group(law)) for law in SCHEMES])
            shift = places + 0.26 * (at - 1)
            axes.bar(shift, rows[:, 0], 0.24, color=color, alpha=0.85, label=rule)
            axes.errorbar(shift, rows[:, 0], rows[:, 1], fmt="none", ecolor=INK, elinewidth=1, capsize=2.5)
            if metric == "jain":
                axes.plot(shift[0], reported.JAIN[rule], "D", color=INK, markersize=4)
        axes.set_ylabel(label)
        axes.set_xticks(places, list(SCHEMES))
        axes.grid(visible=False, axis="x")
    for name, law in enumerate(SCHEMES):
        if law in reported.JAIN_BY_LAW:
            panels["jain"].plot(name - 0.26, reported.JAIN_BY_LAW[law], "D", color=INK, markersize=4)
    shown = table["utility"]
    panels["utility"].set_ylim(shown.min() - 50, shown.max() + 50)
    for panel, metric in (("a", "utility"), ("b", "jain")):
        axes = panels[panel]
        for law, color in zip(SCHEMES, COLORS, strict=False):
            for rule, style in (("proposed", "-"), ("queue length", "--")):
                chosen = scales[(scales["scheme"] == law) & (scales["scheduler"] == rule)].groupby("scale")[metric]
                if not len(chosen):
                    continue
                mean, interval = np.array([mean_and_interval(each) for _, each in chosen]).T
                label = law if style == "-" else ""
                axes.errorbar(
                    sorted(SCALES), mean, interval, color=color, ls=style, marker="o", ms=3, capsize=2, label=label
                )
        axes.set_xscale("log")
        axes.set_xlabel("β")
        axes.set_ylabel(labels[metric])
    panels["a"].legend(loc="lower right")
    handles = panels["utility"].get_legend_handles_labels()
    drawing.legend(*handles, loc="outside upper left", ncols=3)
    return drawing

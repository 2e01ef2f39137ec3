"""Fig. 7: which steps κ leave the total alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from windward.papers import Context, figure
from windward.show.plot.style import COLORS, FAINT, INK

from ...shared import packets
from .. import reported, steps

#: The two readings of a rate.
METRICS = {"mean_window_rate_pps": "-", "goodput_pps": (0, (1, 1.2))}


@figure(
    "7",
    title="Steps κ that leave the total alone",
    caption="Left: totals over κ, of one seed; lines for mean cwnd/avgRTT, dotted lines for goodput. Shaded: the "
    "ranges in which the paper finds the total unaffected. Large steps make windows swing: cwnd/avgRTT falls where "
    "the paper says, but goodput hardly falls, because the queues keep the wire busy. Right: bounds of κ within "
    "which the total is 99.5 % (dots) or 97.5 % (rings) of the highest or more, by ρ, with least-squares lines; "
    "diamonds are the paper's. Below the lower bound, the module's whole-packet increases stop far from the target.",
    rehearsed_share=0.05,
)
def figure_7(context: Context) -> Figure:
    table = steps.run(lambda text: context.progress(f"figure 7: {text}"), context.seeds, context.share)
    context.results.keep("figure-7", table)
    return draw(table)


def draw(table: pd.DataFrame) -> Figure:
    """Totals over κ for ρ = ½ on the left, bounds of κ over ρ on the right."""
    figure = Figure(figsize=(9.6, 4.6))
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(5, 4))
    _totals(left, table[table["rho"] == 0.5])
    _bounds(right, table)
    left.set_title("(a) totals, ρ = ½")
    right.set_title("(b) bounds of good steps")
    return figure


def _totals(axes: Axes, table: pd.DataFrame) -> None:
    ranges = {"FAST": reported.FAST_STEPS, "QUIC-TCP": reported.STEPS[0.5]}
    axes.set_xscale("log")
    axes.set_xlim(table["kappa"].min(), table["kappa"].max())
    axes.set_ylim(2500, 3190)
    for at, (color, (scheme, (low, high))) in enumerate(zip(COLORS, ranges.items(), strict=False)):
        axes.plot((low, high), (3175 - 24 * at,) * 2, color=color, linewidth=8, alpha=0.3, solid_capstyle="butt")
        axes.annotate(
            f"paper: {low:g} to {high:g}", (np.sqrt(low * high), 3175 - 24 * at), ha="center", va="center", fontsize=8
        )
        for metric, dash in METRICS.items():
            chosen = table[table["scheme"] == scheme]
            means = packets.intervals(chosen.groupby("kappa")[metric])
            name = "cwnd/avgRTT" if metric == "mean_window_rate_pps" else "goodput"
            axes.plot(means.index, means["mean"], color=color, linestyle=dash, label=f"{scheme}, {name}")
            if dash == "-":
                axes.errorbar(means.index, means["mean"], yerr=means["ci95"], fmt=".", color=color, elinewidth=1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda kappa, _: f"{kappa:g}"))
    axes.set_xlabel("step κ")
    axes.set_ylabel("total (packets/s)")
    axes.legend(loc="lower center")


def _bounds(axes: Axes, table: pd.DataFrame) -> None:
    kinds: dict[float, dict[str, Any]] = {
        steps.GOOD: {"marker": "o", "markersize": 5},
        steps.FAIR: {"marker": "o", "markersize": 5, "markerfacecolor": "white"},
    }
    axes.set_yscale("log")
    rhos = np.array([0.0, 1.0])
    for color, bound, name in ((COLORS[3], "high", "upper"), (COLORS[2], "low", "lower")):
        for share, look in kinds.items():
            bounds = steps.bounds(table, "mean_window_rate_pps", share)
            means = packets.intervals(bounds[bounds["scheme"] == "QUIC-TCP"].groupby("rho")[bound])
            axes.errorbar(
                means.index, means["mean"], yerr=means["ci95"], color=color, linestyle="", elinewidth=1, **look
            )
        slope, intercept = steps.fit(steps.bounds(table, "mean_window_rate_pps", steps.GOOD), bound)
        text = f"{name}: lg κ = {slope:.1f} ρ − {-intercept:.1f}"
        axes.plot(rhos, 10 ** (slope * rhos + intercept), color=color, label=text)
    for share, look in kinds.items():
        axes.plot([], [], color=FAINT, linestyle="", label=f"{100 * share:g} % of the highest total", **look)
    paper = [(rho, bound) for rho, pair in reported.STEPS.items() for bound in pair]
    axes.plot(*zip(*paper, strict=True), "D", color=INK, markerfacecolor="white", markersize=5, label="paper", zorder=4)
    axes.set_xlabel("ρ")
    axes.set_ylabel("step κ")
    axes.legend(loc="upper left")

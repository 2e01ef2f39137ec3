"""Fig. 6: six laws under four schedulers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure
from windward.show.plot.style import COLORS, FAINT, INK

from ...shared import packets
from .. import reported
from ..access_point import SCHEDULERS, SCHEMES, TOTALS_ONLY, scenario, totals
from ..rules import WHOLE_QUEUE, WholeQueue


@figure(
    "6",
    title="Six laws under four schedulers",
    caption="One seed; diamonds are the paper's values. Top: the objective of (1), Σ p ln x with p = 200. Middle: the "
    "total, with bars for goodput and dashes for mean cwnd/avgRTT, the other metric that the paper may mean. Bottom: "
    "Jain's index. The upper two axes do not begin at 0. The wire carries 3125 packets/s, so the paper's totals "
    "above that cannot be goodputs. The hollow bar is QUIC-TCP with another reading of the queue-length scheduler, "
    "the access point's queue in place of the station's: it lowers the index.",
    rehearsed_share=0.05,
)
def figure_6(context: Context) -> Figure:
    table = study(lambda text: context.progress(f"figure 6: {text}"), context.seeds, context.share)
    context.results.keep("figure-6", table)
    return draw(table)


#: Seeds of every pair of law and scheduler; all pairs see the same channels.
SEEDS = 1


def study(tell: Callable[[str], None], seeds: int | None = None, share: float = 1.0) -> pd.DataFrame:
    """Total, Σ p ln x and Jain's index of every law, scheduler and seed.

    Parameters
    ----------
    tell
        Takes a few words on how far it is.
    seeds
        Of each pair. Default: SEEDS.
    share
        How much of the scenario's time a run takes.
    """
    pairs = {
        (law, scheduler): scenario(scheme, rule, **TOTALS_ONLY)
        for law, scheme in SCHEMES.items()
        for scheduler, rule in SCHEDULERS.items()
    }
    pairs["QUIC-TCP", WHOLE_QUEUE] = scenario(SCHEMES["QUIC-TCP"], WholeQueue, **TOTALS_ONLY)
    runs = packets.simulate(pairs, tell, SEEDS if seeds is None else seeds, share)
    return totals(packets.flows(runs, ("scheme", "scheduler")), ["scheme", "scheduler"])


def draw(table: pd.DataFrame) -> Figure:
    """Three panels of bars: laws from left to right, a colour for each scheduler."""
    figure = Figure(figsize=(9.6, 9.2))
    FigureCanvasAgg(figure)
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    paper = {
        "utility": {},
        "goodput_pps": {("QUIC-TCP", name): total for name, total in reported.TOTALS.items()}
        | {(name, next(iter(SCHEDULERS))): sum(rates) for name, rates in reported.RATES.items()},
        "jain": {("QUIC-TCP", name): index for name, index in reported.JAIN.items()}
        | {(name, next(iter(SCHEDULERS))): index for name, index in reported.JAIN_BY_LAW.items()},
    }
    paper["utility"] = {
        (name, next(iter(SCHEDULERS))): 200 * float(np.log(rates).sum()) for name, rates in reported.RATES.items()
    }
    for axes, metric in ((top, "utility"), (middle, "goodput_pps"), (bottom, "jain")):
        _bars(axes, table, metric, paper[metric])
    _dashes(middle, table)
    top.set_ylabel("Σ p ln x")
    middle.set_ylabel("total (packets/s)")
    bottom.set_ylabel("Jain's index")
    for axes, metric in ((top, "utility"), (middle, "goodput_pps")):
        shown = [*table.groupby(["scheme", "scheduler"])[metric].mean(), *paper[metric].values()]
        span = max(shown) - min(shown)
        axes.set_ylim(min(shown) - 0.15 * span, max(shown) + 0.1 * span)
    bottom.set_ylim(0, 1.08)
    middle.axhline(3125, color=FAINT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=0)
    middle.annotate(
        "the wire: 3125", (1, 3125), (0, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
        ha="right", fontsize=8.5, color=FAINT,
    )  # fmt: skip
    bottom.set_xticks(range(len(SCHEMES)), list(SCHEMES))
    figure.legend(*bottom.get_legend_handles_labels(), loc="outside upper left", ncols=6)
    return figure


def _place(scheme: str, scheduler: str) -> float:
    """Position of a bar."""
    names = [*SCHEDULERS, WHOLE_QUEUE]
    return list(SCHEMES).index(scheme) + 0.17 * (names.index(scheduler) - (len(SCHEDULERS) - 1) / 2)


def _bars(axes: Axes, table: pd.DataFrame, metric: str, paper: Mapping[tuple[str, str], float]) -> None:
    for color, scheduler in zip([*COLORS[: len(SCHEDULERS)], "none"], [*SCHEDULERS, WHOLE_QUEUE], strict=True):
        chosen = table[table["scheduler"] == scheduler]
        means = packets.intervals(chosen.groupby("scheme", sort=False)[metric])
        places = [_place(scheme, scheduler) for scheme in means.index]
        edge = COLORS[len(SCHEDULERS) - 1] if color == "none" else "none"
        axes.bar(places, means["mean"], width=0.15, color=color, edgecolor=edge, alpha=0.85, label=scheduler)
        axes.errorbar(places, means["mean"], yerr=means["ci95"], fmt="none", ecolor=INK, elinewidth=1, capsize=2)
    axes.plot(
        [_place(*pair) for pair in paper], list(paper.values()), "D", color=INK, markerfacecolor="white",
        markersize=5, label="paper", zorder=4,
    )  # fmt: skip
    axes.grid(visible=False, axis="x")


def _dashes(axes: Axes, table: pd.DataFrame) -> None:
    """The totals by cwnd/avgRTT."""
    means = table.groupby(["scheme", "scheduler"], sort=False)["mean_window_rate_pps"].mean()
    places = [_place(*pair) for pair in means.index]
    axes.plot(places, means, "_", color=INK, markersize=9, markeredgewidth=1.4, zorder=3)

"""Fig. 5: windows and rates of six laws under scheduler (10)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import windward as ww
from windward.papers import Context, figure
from windward.show.plot.style import COLORS, FAINT, INK

from ...shared import packets
from .. import reported
from ..access_point import SCHEMES, scenario

#: Seeds of each law: those that give the same rates again and again need few.
SEEDS = {name: 2 if name in ("QUIC-TCP", "FAST") else 20 for name in SCHEMES}

#: The seed whose series are drawn, and over how many seconds its rates are averaged.
SEED, SPAN_S = 1, 20


@figure(
    "5",
    title="Windows and rates of six laws under scheduler (10)",
    caption="Four downloads of 2000 s through the fading cell of papers/huang2020/access-point.toml. Left and middle: "
    "windows, and goodputs averaged over 20 s, of one seed. Right: goodput of each flow, with a dot for each seed "
    "and a bar for the mean and its 95 % confidence interval. Diamonds are the paper's rates. QUIC-TCP and FAST keep "
    "every flow near a quarter of the wire. CUBIC's order is the paper's: the stronger a station, the less its flow "
    "gets. The order of the flows of the other three laws is random.",
    rehearsed_share=0.05,
)
def figure_5(context: Context) -> Figure:
    flows, series = study(lambda text: context.progress(f"figure 5: {text}"), context.seeds, context.share)
    context.results.keep("figure-5-flows", flows)
    context.results.keep("figure-5-series", series)
    return draw(flows, series)


def study(
    tell: Callable[[str], None], seeds: int | None = None, share: float = 1.0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every flow of every law and seed, and windows, round trips and rates of one seed over time.

    Parameters
    ----------
    tell
        Takes a few words on how far it is.
    seeds
        Of each law. Default: SEEDS.
    share
        How much of the scenario's time a run takes.
    """
    runs: dict[tuple[str], ww.Run] = {}
    for count in dict.fromkeys(SEEDS.values()):
        chosen = {(name,): scenario(SCHEMES[name]) for name in SCHEMES if SEEDS[name] == count}
        runs |= packets.simulate(chosen, tell, count if seeds is None else seeds, share)
    runs = {(name,): runs[name,] for name in SCHEMES}
    flows = packets.flows(runs, ("scheme",))
    series = pd.concat(
        [
            run.flow_series[run.flow_series["seed"] == SEED].assign(scheme=name)[
                ["scheme", "time_s", "flow", "cwnd", "srtt_ms", "goodput_bps"]
            ]
            for (name,), run in runs.items()
        ],
        ignore_index=True,
    )
    return flows, series


def draw(flows: pd.DataFrame, series: pd.DataFrame) -> Figure:
    """A row for each law: its windows, its rates, and its mean rates beside the paper's."""
    figure = Figure(figsize=(9.6, 1.75 * len(SCHEMES) + 0.8))
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(SCHEMES), 3, width_ratios=(4, 4, 3), squeeze=False)
    bits = 8 * 160  # of a packet's payload, in which goodput is counted
    for row, name in zip(panels, SCHEMES, strict=True):
        chosen = series[series["scheme"] == name]
        for at, (_, flow) in enumerate(chosen.groupby("flow", sort=False, observed=True)):
            every = round(SPAN_S / float(np.median(np.diff(flow["time_s"]))))
            rates = flow["goodput_bps"].rolling(every, center=True, min_periods=1).mean() / bits
            row[0].plot(flow["time_s"], flow["cwnd"], color=COLORS[at], linewidth=0.9)
            row[1].plot(flow["time_s"], rates, color=COLORS[at], linewidth=0.9)
        _means(row[2], flows[flows["scheme"] == name], reported.RATES[name])
        row[0].set_ylabel(name, fontweight="bold")
        # Slow start's peak is ten times what follows; it may leave the picture.
        row[0].set_ylim(0, 1.15 * float(chosen["cwnd"].quantile(0.995)))
        row[1].set_ylim(0, 1.1 * float(rates_top(chosen, bits)))
        for panel in row[:2]:
            panel.set_xlim(0, float(series["time_s"].max()))
        for panel in row[:2]:
            panel.tick_params(labelbottom=name == list(SCHEMES)[-1])
        row[2].tick_params(labelbottom=name == list(SCHEMES)[-1])
    for panel, title in zip(panels[0], ("window (packets)", "goodput (packets/s)", "mean goodput"), strict=True):
        panel.set_title(title)
    for panel, label in zip(panels[-1], ("time (s)", "time (s)", "packets/s"), strict=True):
        panel.set_xlabel(label)
    handles = [Line2D([], [], color=COLORS[at], label=f"ftp{at}") for at in range(4)]
    handles.append(Line2D([], [], color=INK, marker="D", linestyle="", markerfacecolor="none", label="paper"))
    figure.legend(handles=handles, loc="outside upper right", ncols=5)
    return figure


def rates_top(series: pd.DataFrame, bits: float) -> float:
    """The highest rate to be seen in a panel, but for single samples."""
    return float(series["goodput_bps"].quantile(0.99)) / bits


def _means(axes: Axes, flows: pd.DataFrame, paper: tuple[float, ...]) -> None:
    groups = flows.groupby("flow", sort=False)["goodput_pps"]
    table = packets.intervals(groups)
    for at, (_, each) in enumerate(groups):
        axes.plot(each, np.full(len(each), at), ".", color=COLORS[at], alpha=0.45, markersize=5)
    places = np.arange(len(table))
    axes.errorbar(
        table["mean"], places, xerr=table["ci95"], fmt="|", color=INK, elinewidth=1, capsize=2.5, markersize=9
    )
    axes.plot(paper, places, "D", color=INK, markerfacecolor="none", markersize=5)
    axes.set_yticks(places, [f"ftp{at}" for at in places], color=FAINT)
    axes.set_ylim(len(table) - 0.5, -0.5)
    axes.set_xlim(0, 1800)
    axes.grid(visible=False, axis="y")

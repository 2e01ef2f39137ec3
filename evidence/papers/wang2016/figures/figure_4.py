"""Fig. 4: two flows over a lossy link."""

from __future__ import annotations

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure

from ...shared import packets
from ..network import RECOVERIES, shared
from .panels import COLOR, SAID, SEEDS, counts, goodputs, windows

LAWS = ("TCP-FIT", "Westwood", "Vegas", "CUBIC", "Reno")
LOSSES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
MBPS, RTT_MS = 100, 100


@figure(
    "4",
    title="Two flows over 100 Mbit/s, 100 ms and random loss",
    caption="Top: goodput of both over the loss, without SACK as in the paper and with it. Means of 5 seeds over 270 "
    "s, with 95 % confidence intervals. Below: at 1 % without SACK, of one seed, the windows of flow 1, and N of "
    "both TCP-FIT flows.",
)
def figure_4(context: Context) -> Figure:
    tell = lambda text: context.progress(f"figure 4: {text}")  # noqa: E731
    scenarios = {
        (law, loss, recovery): shared(
            (law, law),
            MBPS,
            RTT_MS,
            duration_s=300,
            warmup_s=30,
            loss=loss,
            sample_s=0.1 if loss == LOSSES[-1] and (law == "TCP-FIT" or not has_sack) else None,
            fields={"sack": has_sack},
        )
        for law in LAWS
        for loss in LOSSES
        for recovery, has_sack in RECOVERIES.items()
    }
    runs = packets.simulate(scenarios, tell, context.seeds or SEEDS, context.share)
    flows = packets.flows(runs, ("law_name", "loss_rate", "recovery"))
    table = (
        flows.groupby(["law_name", "loss_rate", "recovery", "seed"], sort=False)
        .agg(
            total_mbps=("goodput_bps", lambda bps: bps.sum() / 1e6),
            timeouts=("timeouts", "sum"),
            segments=("segments_sent", "sum"),
        )
        .reset_index()
    )
    series = windows({law: runs[law, LOSSES[-1], "NewReno"] for law in LAWS})
    context.results.keep("figure-4", table)
    context.results.keep("pulses", pulses_cost(context))
    context.results.keep("figure-4-series", series)
    context.results.keep("figure-4-series-sack", windows({"TCP-FIT": runs["TCP-FIT", LOSSES[-1], "SACK"]}))
    return draw(table, series)


def pulses_cost(context: Context) -> pd.DataFrame:
    """Mbit/s of two TCP-FIT flows with the background of all experiments and without it, by loss and seed."""
    scenarios = {
        (loss, name): shared(
            ("TCP-FIT", "TCP-FIT"), MBPS, RTT_MS, duration_s=300, warmup_s=30, loss=loss, has_pulses=name == "with_mbps"
        )
        for loss in (0.0, 1e-3, 1e-2)
        for name in ("with_mbps", "without_mbps")
    }
    runs = packets.simulate(
        scenarios, lambda text: context.progress(f"pulses: {text}"), context.seeds or SEEDS, context.share
    )
    flows = packets.flows(runs, ("loss_rate", "name"))
    wide = flows.pivot_table(index=["loss_rate", "seed"], columns="name", values="goodput_bps", aggfunc="sum") / 1e6
    return wide.reset_index().assign(mbps=MBPS)


def draw(table: pd.DataFrame, series: pd.DataFrame) -> Figure:
    """Goodputs above, windows and N below."""
    figure = Figure(figsize=(9.6, 6.6))
    FigureCanvasAgg(figure)
    panels = figure.subplots(2, 2)
    for axes, (recovery, name) in zip(panels[0], SAID.items(), strict=True):
        goodputs(axes, table[table["recovery"] == recovery], "loss_rate", MBPS, LAWS)
        axes.set_title(f"(a) {name}")
        axes.set_xscale("log")
        axes.set_xlabel("loss")
    # The colours of (b) are those of (a).
    figure.legend(*panels[0, 1].get_legend_handles_labels(), loc="outside upper right", ncols=5)
    one = series[series["seed"] == 1]
    for law in ("TCP-FIT", "Westwood", "Vegas"):
        flow = one[(one["law_name"] == law) & (one["flow"] == "flow-1")]
        panels[1, 0].plot(flow["time_s"], flow["cwnd"], color=COLOR[law], linewidth=0.8, label=law)
    panels[1, 0].set_title("(b) windows at 1 %")
    panels[1, 0].set_ylabel("cwnd (packets)")
    counts(panels[1, 1], one)
    panels[1, 1].set_title("(c) N of TCP-FIT at 1 %")
    for axes in panels[1]:
        axes.set_xlabel("time (s)")
        axes.set_xlim(0, float(series["time_s"].max()))
        axes.set_ylim(0)
    return figure

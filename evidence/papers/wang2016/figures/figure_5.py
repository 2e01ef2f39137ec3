"""Fig. 5: two flows over a link whose delay varies."""

from __future__ import annotations

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import windward as ww
from windward.papers import Context, figure
from windward.show.plot.style import INK

from ...shared import packets
from ..network import RECOVERIES, shared
from .panels import COLOR, SEEDS, counts, goodputs

LAWS = ("TCP-FIT", "TCP-FIT, mean base", "Westwood", "Vegas", "Reno")
DEVIATIONS_MS = (0, 10, 20, 30, 40, 50)
MBPS, RTT_MS, LOSS = 100, 100, 1e-3

#: [G] How deviations are added: around the base delay, or only what is above it. Packets keep their order.
READINGS = {"around the base": ww.format.NormalJitter, "above the base": ww.format.ClippedNormalJitter}

#: The law in which `rtt` is what it steers by, and how often it takes a new one: a period, a round trip.
ESTIMATORS = ("TCP-FIT", "TCP-FIT, mean base", "Vegas")


@figure(
    "5",
    title="Two flows over 100 Mbit/s, 100 ms, 0.1 % loss and jitter",
    caption="Top: goodput of both over the jitter's standard deviation, normal around the base, and clipped there. "
    "Means of 5 seeds over 270 s, with 95 % confidence intervals. Below: one seed at 50 ms around the base. The round "
    "trips that control TCP-FIT (mean of a period) and Vegas (least of a round trip), and N of both TCP-FIT flows. "
    "“Mean base” has the least mean of a period as RTTmin.",
)
def figure_5(context: Context) -> Figure:
    scenarios = {
        (law, deviation, reading, recovery): shared(
            (law, law),
            MBPS,
            RTT_MS,
            duration_s=300,
            warmup_s=30,
            loss=LOSS,
            jitter=jitter(deviation=f"{deviation} ms") if deviation else None,
            sample_s=0.1 if deviation == DEVIATIONS_MS[-1] and not has_sack else None,
            fields={"sack": has_sack},
        )
        for law in LAWS
        # A short form has the calm path and the roughest.
        for deviation in (DEVIATIONS_MS if context.share == 1 else (DEVIATIONS_MS[0], DEVIATIONS_MS[-1]))
        for reading, jitter in READINGS.items()
        for recovery, has_sack in RECOVERIES.items()
        # How jitter is added was seen to make no difference: with SACK one of both.
        if not (has_sack and jitter is ww.format.ClippedNormalJitter)
    }
    runs = packets.simulate(
        scenarios, lambda text: context.progress(f"figure 5: {text}"), context.seeds or SEEDS, context.share
    )
    flows = packets.flows(runs, ("law_name", "deviation_ms", "reading", "recovery"))
    table = (
        flows.groupby(["law_name", "deviation_ms", "reading", "recovery", "seed"], sort=False)
        .agg(
            total_mbps=("goodput_bps", lambda bps: bps.sum() / 1e6),
            min_rtt_s=("min_rtt_s", "min"),
            mean_rtt_s=("mean_rtt_s", "mean"),
        )
        .reset_index()
    )
    tables = []
    for law in ESTIMATORS:
        inner = runs[law, DEVIATIONS_MS[-1], next(iter(READINGS)), "NewReno"].internals
        chosen = inner[inner["name"].isin(["rtt", "n"])]
        wide = chosen.pivot(index=["seed", "time_s", "flow"], columns="name", values="value").reset_index()
        tables.append(wide.assign(law_name=law))
    series = pd.concat(tables, ignore_index=True)
    context.results.keep("figure-5", table)
    context.results.keep("figure-5-series", series)
    return draw(table, series)


def draw(table: pd.DataFrame, series: pd.DataFrame) -> Figure:
    """Goodputs above, estimates and N below."""
    figure = Figure(figsize=(9.6, 6.6))
    FigureCanvasAgg(figure)
    panels = figure.subplots(2, 2)
    for axes, reading in zip(panels[0], READINGS, strict=True):
        chosen = table[(table["reading"] == reading) & (table["recovery"] == "NewReno")]
        goodputs(axes, chosen, "deviation_ms", MBPS, LAWS)
        axes.set_title(f"(a) jitter {reading}")
        axes.set_xlabel("standard deviation (ms)")
    # The colours of (b) are those of (a).
    figure.legend(*panels[0, 1].get_legend_handles_labels(), loc="outside upper right", ncols=4)
    one = series[(series["seed"] == 1) & (series["time_s"] > 5)]
    for law in ("TCP-FIT", "Vegas"):
        flow = one[(one["law_name"] == law) & (one["flow"] == "flow-1")]
        panels[1, 0].plot(flow["time_s"], flow["rtt"] * 1e3, color=COLOR[law], linewidth=0.8, label=law)
    panels[1, 0].set_title("(b) round trips that laws steer by, σ = 50 ms")
    panels[1, 0].set_ylabel("round trip (ms)")
    mean = one[(one["law_name"] == "TCP-FIT, mean base") & (one["flow"] == "flow-1")]
    panels[1, 1].plot(mean["time_s"], mean["n"], color=INK, linewidth=0.6, label="flow-1, mean base")
    counts(panels[1, 1], one)
    panels[1, 1].set_title("(c) N of TCP-FIT, σ = 50 ms")
    for axes in panels[1]:
        axes.set_xlabel("time (s)")
        axes.set_xlim(0, float(series["time_s"].max()))
    panels[1, 1].set_ylim(0)
    return figure

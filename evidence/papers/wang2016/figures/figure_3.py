"""Fig. 3: two flows over 1 Gbit/s."""

from __future__ import annotations

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure
from windward.show.plot.style import FAINT

from ...shared import packets
from ..network import DEVICE_QUEUE, LAWS as SPECS, RECOVERIES, SENDER, bdp, shared
from .panels import COLOR, SAID, SEEDS, counts, goodputs, windows

LAWS = ("TCP-FIT", "CUBIC", "FAST", "Reno")

#: Senders and laws beside, all of Linux 2.6.31: without SACK and with it, as Tables 8 and 9, behind one bandwidth-delay
#: product; "device queue", for claims 25 to 28 and not drawn, where the sender's own device queue is the bottleneck's,
#: and overflows without a loss.
READINGS = {
    **{name: ({"sack": has_sack, **SENDER}, LAWS) for name, has_sack in RECOVERIES.items()},
    "device queue": (
        {"device_queue": DEVICE_QUEUE, **SENDER},
        ("TCP-FIT", "TCP-FIT, 4 ms", "CUBIC", "FAST, α = 200", "Reno"),
    ),
}
SEEDS_OF = {"NewReno": SEEDS, "SACK": 1, "device queue": 2}
RTTS_MS = (50, 100, 150, 200, 250)
MBPS = 1000

#: [G] The paper states none; Reno's 3000 packets at the end allow at most 750 s.
DURATION_S, WARMUP_S = 400, 40


@figure(
    "3",
    title="Two flows over 1 Gbit/s",
    caption="Top: goodput of both over the round trip from 40 s to 400 s. Left: without SACK as in the paper, means of "
    "5 seeds with 95 % confidence intervals. Right: with SACK, one seed. Below: at 250 ms without SACK, of one seed, "
    "the windows of flow 1, and N of both TCP-FIT flows. Dashed: half of the bandwidth-delay product.",
    rehearsed_share=0.05,
)
def figure_3(context: Context) -> Figure:
    tell = lambda text: context.progress(f"figure 3: {text}")  # noqa: E731
    tables, series, device = [], None, None
    # A short form leaves out what no claim is judged from.
    is_short = context.share != 1
    for recovery, (fields, laws) in READINGS.items():
        if is_short and recovery != "NewReno":
            continue
        scenarios = {
            (law, rtt): shared(
                (SPECS[law],) * 2,
                MBPS,
                rtt,
                duration_s=DURATION_S,
                warmup_s=WARMUP_S,
                sample_s=0.5 if rtt == RTTS_MS[-1] else None,
                fields=fields,
            )
            for law in laws
            for rtt in (RTTS_MS[:: len(RTTS_MS) - 1] if is_short else RTTS_MS)
            # Every other round trip of the reading beside.
            if recovery in RECOVERIES or rtt in RTTS_MS[::2]
        }
        runs = packets.simulate(scenarios, tell, context.seeds or SEEDS_OF[recovery], context.share)
        flows = packets.flows(runs, ("law_name", "rtt_ms"))
        total = flows.groupby(["law_name", "rtt_ms", "seed"], sort=False)
        tables.append(
            total.agg(total_bps=("goodput_bps", "sum"), timeouts=("timeouts", "sum"))
            .reset_index()
            .assign(recovery=recovery)
        )
        found = windows({law: runs[law, RTTS_MS[-1]] for law in laws})
        if recovery == "NewReno":
            series = found
        elif recovery == "device queue":
            device = found
    table = pd.concat(tables, ignore_index=True)
    assert series is not None
    context.results.keep("figure-3", table)
    context.results.keep("figure-3-series", series)
    if device is not None:
        context.results.keep("figure-3-series-device", device)
    return draw(table, series)


def draw(table: pd.DataFrame, series: pd.DataFrame) -> Figure:
    """Goodputs above, windows and N below."""
    figure = Figure(figsize=(9.6, 6.6))
    FigureCanvasAgg(figure)
    panels = figure.subplots(2, 2)
    table = table.assign(total_mbps=table["total_bps"] / 1e6)
    for axes, (recovery, name) in zip(panels[0], SAID.items(), strict=True):
        goodputs(axes, table[table["recovery"] == recovery], "rtt_ms", MBPS, LAWS)
        axes.set_title(f"(a) {name}")
        axes.set_xlabel("round trip (ms)")
    panels[0, 0].legend(loc="lower left")
    one = series[(series["seed"] == 1)]
    for law in LAWS:
        flow = one[(one["law_name"] == law) & (one["flow"] == "flow-1")]
        panels[1, 0].plot(flow["time_s"], flow["cwnd"], color=COLOR[law], linewidth=0.9, label=law)
    panels[1, 0].axhline(bdp(MBPS, RTTS_MS[-1]) / 2, color=FAINT, linestyle="--", linewidth=0.9)
    panels[1, 0].set_title("(b) windows at 250 ms")
    panels[1, 0].set_ylabel("cwnd (packets)")
    counts(panels[1, 1], one)
    panels[1, 1].set_title("(c) N of TCP-FIT at 250 ms")
    for axes in panels[1]:
        axes.set_xlabel("time (s)")
        axes.set_xlim(0, float(series["time_s"].max()))
        axes.set_ylim(0)
    return figure

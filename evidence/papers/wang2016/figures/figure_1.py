"""Fig. 1: a Reno beside a MulTCP of N connections."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import windward as ww
from windward.papers import Context, figure
from windward.show.plot.style import COLORS, FAINT

from ...shared import packets
from ..network import CARRIED, RECOVERIES, shared
from .panels import SEEDS

COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20)


@figure(
    "1",
    title="A Reno beside MulTCP(N)",
    caption="10 Mbit/s, 100 ms, 1 % loss, means of 5 seeds with 95 % confidence intervals, with SACK; pale the total "
    "without. Left: goodputs; dashed what the link carries. Right: what Reno keeps of its rate beside N = 1, and the "
    "mean queue.",
)
def figure_1(context: Context) -> Figure:
    scenarios = {
        (count, recovery): shared(
            ("Reno", ww.Multcp(connections=count)),
            10,
            100,
            duration_s=400,
            warmup_s=40,
            loss=0.01,
            fields={"sack": has_sack},
        )
        for count in COUNTS
        for recovery, has_sack in RECOVERIES.items()
    }
    runs = packets.simulate(
        scenarios, lambda text: context.progress(f"figure 1: {text}"), context.seeds or SEEDS, context.share
    )
    keys = ["count", "recovery", "seed"]
    flows = packets.flows(runs, ("count", "recovery"))
    wide = flows.pivot_table(index=keys, columns="flow", values="goodput_bps", observed=True) / 1e6
    queues = {
        (*key, seed): row["mean_backlog"]
        for key, run in runs.items()
        for seed, row in run.links[run.links["link"] == "a->b"].set_index("seed").iterrows()
    }
    table = wide.rename(columns={"flow-1": "reno_mbps", "flow-2": "multcp_mbps"}).assign(
        queue_packets=pd.Series(queues)
    )
    table = table.reset_index()
    context.results.keep("figure-1", table)
    return draw(table)


def draw(table: pd.DataFrame) -> Figure:
    """Goodputs on the left, Reno's share and the queue on the right."""
    figure = Figure(figsize=(9.6, 3.8))
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    table = table.assign(total=table["reno_mbps"] + table["multcp_mbps"])
    without = packets.intervals(table[table["recovery"] == "NewReno"].groupby("count")["total"])
    left.plot(without.index, without["mean"], color=COLORS[2], alpha=0.4, linewidth=1, label="both, without SACK")
    # [G] With SACK: section 2 does not say. Without it, as in section 6, MulTCP's window, of which a loss takes next to
    # nothing, hardly ever gets out of a recovery that repairs one loss a round trip.
    table = table[table["recovery"] == "SACK"]
    kinds = (("total", "both", 2), ("multcp_mbps", "MulTCP(N)", 1), ("reno_mbps", "Reno", 0))
    for value, name, color in kinds:
        means = packets.intervals(table.groupby("count")[value])
        left.errorbar(
            means.index, means["mean"], yerr=means["ci95"], color=COLORS[color], marker="o", markersize=3.5, label=name
        )
    left.axhline(10 * CARRIED, color=FAINT, linestyle="--", linewidth=0.9)
    left.set_xlabel("N")
    left.set_ylabel("goodput (Mbit/s)")
    left.set_ylim(0, 10.4)
    left.legend(loc="center right", fontsize=8)
    first = float(table.loc[table["count"] == 1, "reno_mbps"].mean())
    kept = packets.intervals(table.assign(kept=table["reno_mbps"] / first).groupby("count")["kept"])
    right.errorbar(
        kept.index, kept["mean"], yerr=kept["ci95"], color=COLORS[0], marker="o", markersize=3.5, label="Reno keeps"
    )
    right.set_ylim(0, 1.15)
    right.set_xlabel("N")
    right.set_ylabel("share of Reno's rate at N = 1")
    other = right.twinx()
    queue = packets.intervals(table.groupby("count")["queue_packets"])
    other.errorbar(
        queue.index, queue["mean"], yerr=queue["ci95"], color=COLORS[1], marker="s", markersize=3.5, label="queue"
    )
    other.set_ylim(0, 1.1 * float(np.nanmax(queue["mean"])))
    other.set_ylabel("mean queue (packets)")
    other.grid(visible=False)
    lines = [*right.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
    right.legend(lines, ["Reno keeps", "queue"], loc="center right")
    left.set_title("(a) goodputs")
    right.set_title("(b) Reno's share, queue")
    return figure

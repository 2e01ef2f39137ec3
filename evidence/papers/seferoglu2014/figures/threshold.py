"""Not a figure of the paper: what its section IV-B2 says of the choice of K, measured."""

from __future__ import annotations

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure
from windward.show.plot.style import COLORS, INK

from ...shared import packets
from .. import study
from ..networks import Shape, lossy, network
from .over_time import queues

#: Thresholds in packets, and B/|S|.
KS = ("0", "2", "5", "10", "20", "50", "100", "200", "400", "shared")
SHAPES: dict[Shape, tuple[tuple[str, str], ...]] = {"tree": (), "diamond": (("A", "B"),)}


@figure(
    "K",
    title="The choice of K",
    caption="Two coded flows of TCP with SACK; in the diamond link A–B loses half of its attempts. Above: goodputs, "
    "means of 10 seeds with 95 % confidence intervals; below: packets in queues that have sent nothing for a second, "
    "over all stations. Dotted: K = B/|S|.",
)
def figure_k(context: Context) -> Figure:
    cases = {
        (shape, k): network(
            shape, loss=[one for ends in SHAPES[shape] for one in lossy(ends, 0.5, "attempts")],
            routing={"k": k if k == "shared" else f"{k} packets" if k != "0" else 0},
        )
        for shape in SHAPES
        for k in KS
    }  # fmt: skip
    runs = study.simulate(cases, context, "figure K")
    table, waiting = study.rates(runs, ("shape", "k")), queues(runs, ("shape", "k"))
    trapped = waiting.groupby(["shape", "k", "seed"])[["mean_trapped", "mean_backlog"]].sum().reset_index()
    context.results.keep("figure-K", table)
    context.results.keep("figure-K-trapped", trapped)
    return draw(table, trapped)


def draw(table: pd.DataFrame, trapped: pd.DataFrame) -> Figure:
    drawing = Figure(figsize=(9.6, 6.0))
    FigureCanvasAgg(drawing)
    grid = drawing.subplots(2, 2, sharex=True, sharey="row")
    ks = [int(k) for k in KS if k != "shared"]
    for (above, below), shape in zip(grid.T, SHAPES, strict=True):
        own = table[table["shape"] == shape]
        for color, (flow, each) in zip(COLORS, own.groupby("flow"), strict=False):
            lines = packets.intervals(each.groupby("k")["goodput_bps"]) / 1e3
            chosen = lines.loc[[str(k) for k in ks]]
            above.errorbar(ks, chosen["mean"], chosen["ci95"], color=color, lw=1.2, capsize=2, label=str(flow))
            above.axhline(lines.loc["shared", "mean"], color=color, ls=":", lw=1)
        stuck = packets.intervals(trapped[trapped["shape"] == shape].groupby("k")["mean_trapped"])
        chosen = stuck.loc[[str(k) for k in ks]]
        below.errorbar(ks, chosen["mean"], chosen["ci95"], color=INK, lw=1.2, capsize=2)
        below.axhline(stuck.loc["shared", "mean"], color=INK, ls=":", lw=1)
        above.set_title(shape)
        below.set_xlabel("K (packets)")
        below.set_xscale("symlog", linthresh=2)
        below.set_xticks(ks, [str(k) for k in ks])
    grid[0][0].set_ylabel("kbit/s")
    grid[0][0].set_ylim(bottom=0)
    grid[1][0].set_ylabel("trapped packets")
    grid[1][0].set_ylim(bottom=0)
    grid[0][1].legend(loc="upper right")
    return drawing

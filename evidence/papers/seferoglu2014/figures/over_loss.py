"""Figs. 8, 10, 11 and 13: total and fairness over the loss, under its three readings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import windward as ww
from windward.papers import Context, figure
from windward.show.plot.style import COLORS, INK

from ...shared import packets
from .. import reported, study
from ..networks import LOSSES, MANY_DRAWS, READINGS, SEEDS, grid, lossy, network, with_datagrams

#: The two that these figures compare.
PAIR = ("TCP-aware", "AODV", "TCP-aware, loop-free")
NAMES = ("loss", "of", "system", "coding")

_WORDS = {
    "attempts": "of each attempt of the MAC",
    "packets": "of packets, with all attempts",
    "deliveries": "after the MAC's ACK",
}
_CAPTION = (
    "Totals and Jain's index of TCP-aware backpressure and AODV, means of 10 seeds with 95 % confidence intervals, "
    "under three readings of the loss. Loop-free: packets may also go where they come no hop closer. Solid: flows "
    "coded at their ends, as in the paper; dotted: plain TCP."
)


def keep(context: Context, number: str, cases: Mapping[tuple[Any, ...], ww.Scenario], names: tuple[str, ...]) -> Figure:
    """Runs all, keeps the flows, draws totals and fairness."""
    runs = study.simulate(cases, context, f"figure {number}")
    table = study.rates(runs, names)
    # Without loss all readings are one: it was run once.
    none = table[table["loss"] == 0]
    table = pd.concat([table, *(none.assign(of=of) for of in READINGS[1:])], ignore_index=True)
    context.results.keep(f"figure-{number}", table)
    return draw(table, [name for name in names if name in (*NAMES, "draw")], number)


def losses() -> list[tuple[float, Any]]:
    """Loss and reading; none is none in all."""
    return [(loss, of) for of in READINGS for loss in LOSSES if loss > 0 or of == READINGS[0]]


def combinations(context: Context) -> list[tuple[float, Any, Any, bool]]:
    """Loss, reading, system and whether flows are coded; a short form leaves out what no claim is judged from."""
    every = [(loss, of, system, coding) for loss, of in losses() for system in PAIR for coding in (True, False)]
    if context.share == 1:
        return every
    return [each for each in every if each[3] and (each[2] in PAIR[:2] or each[0] == 0)]


def draw(table: pd.DataFrame, names: list[str], number: str) -> Figure:
    """Two rows of panels, a column for each reading."""
    drawing = Figure(figsize=(9.6, 6.2))
    FigureCanvasAgg(drawing)
    above, below = drawing.subplots(2, len(READINGS), sharex=True, sharey="row")
    sums = study.totals(table, names)
    for top, bottom, of in zip(above, below, READINGS, strict=True):
        for system, color in zip(PAIR, COLORS, strict=False):
            for coding, style in (("coded", "-"), ("plain", ":")):
                chosen = sums[(sums["of"] == of) & (sums["system"] == system) & (sums["coding"] == coding)]
                for axes, metric, unit in ((top, "total_bps", 1e-3), (bottom, "jain", 1.0)):
                    if chosen.empty:
                        continue
                    lines = packets.intervals(chosen.groupby("loss")[metric]) * unit
                    look: dict[str, Any] = {"color": color, "ls": style, "lw": 1.2, "capsize": 2, "elinewidth": 0.7}
                    axes.errorbar(lines.index, lines["mean"], lines["ci95"], label=f"{system}, {coding}", **look)
                if number == "8" and coding == "coded" and system in reported.JAIN:
                    bottom.plot(0.5, reported.JAIN[system], "D", color=color, markersize=5, markeredgecolor=INK)
        top.set_title(_WORDS[of])
        bottom.set_xlabel("loss")
        bottom.set_ylim(0, 1.05)
    above[0].set_ylabel("total (kbit/s)")
    above[0].set_ylim(bottom=0)
    below[0].set_ylabel("Jain's index")
    below[0].set_xticks(np.array(LOSSES))
    drawing.legend(*above[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return drawing


@figure(
    "8",
    title="Total and fairness in the diamond with a lossy link",
    caption="Two flows of TCP with SACK, link A–B lossy in both directions. "
    f"{_CAPTION} Diamonds: the paper's indices at 0.5.",
)
def figure_8(context: Context) -> Figure:
    cases = {
        (loss, of, system, "coded" if coding else "plain"): network(
            "diamond", system, coding=coding, loss=lossy(("A", "B"), loss, of)
        )
        for loss, of, system, coding in combinations(context)
    }
    return keep(context, "8", cases, NAMES)


@figure(
    "10",
    title="Total and fairness in the grid with lossy links, SACK",
    caption="Four flows from the gateway, with ten draws of destinations and of the lossy half of the links. "
    f"{_CAPTION}",
)
def figure_10(context: Context) -> Figure:
    return _grid(context, "10", "SACK")


@figure(
    "11", title="Total and fairness in the grid with lossy links, Vegas", caption=f"As Fig. 10 with Vegas. {_CAPTION}"
)
def figure_11(context: Context) -> Figure:
    return _grid(context, "11", "Vegas")


def _grid(context: Context, number: str, law: str) -> Figure:
    many = {
        (draw, loss, READINGS[0], system, "coded"): grid(draw, system, law, loss)
        for draw in range(1, (context.seeds or MANY_DRAWS) + 1)
        for loss in LOSSES
        for system in PAIR[:2]
    }
    runs = study.simulate(many, context, f"figure {number}, many draws")
    context.results.keep(f"figure-{number}-many", study.rates(runs, ("draw", *NAMES)))
    cases = {
        (draw, loss, of, system, "coded" if coding else "plain"): grid(draw, system, law, loss, of, coding=coding)
        for draw in range(1, (context.seeds or SEEDS) + 1)
        for loss, of, system, coding in combinations(context)
    }
    return keep(context, number, cases, ("draw", *NAMES))


@figure(
    "13",
    title="Total and fairness beside datagrams in the diamond with a lossy link",
    caption=f"Flow 1 TCP with SACK, flow 2 datagrams as in Fig. 12; link A–B lossy in both directions. {_CAPTION}",
)
def figure_13(context: Context) -> Figure:
    cases = {
        (loss, of, system, "coded" if coding else "plain"): with_datagrams(system, loss, of, coding=coding)
        for loss, of, system, coding in combinations(context)
    }
    return keep(context, "13", cases, NAMES)

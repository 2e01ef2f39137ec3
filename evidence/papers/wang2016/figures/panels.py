"""Parts that several figures share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
from matplotlib.axes import Axes

import windward as ww
from windward.show.plot.style import COLORS, FAINT, INK

from ...shared import packets
from ..network import CARRIED, LAWS

#: Seeds of every point.
SEEDS = 5

#: A law looks the same in all figures.
COLOR = {law: COLORS[at % len(COLORS)] for at, law in enumerate(LAWS)} | {
    "Compound": "#56B4E9",
    "Hybla": "#E69F00",
    "Westwood": "#56B4E9",
    "TCP-FIT β = 5": "#E69F00",
    "TCP-FIT, mean base": INK,
}


#: What a panel says of a recovery.
SAID = {"NewReno": "without SACK", "SACK": "with SACK"}


def goodputs(axes: Axes, table: pd.DataFrame, key: str, mbps: float, laws: Iterable[str]) -> None:
    """A line for each law over `key`: means of both flows' Mbit/s, with 95 % confidence intervals, below the link's."""
    for law in laws:
        means = packets.intervals(table[table["law_name"] == law].groupby(key)["total_mbps"])
        axes.errorbar(
            means.index, means["mean"], yerr=means["ci95"], color=COLOR[law], marker="o", markersize=3.5, label=law
        )
    axes.axhline(mbps * CARRIED, color=FAINT, linestyle="--", linewidth=0.9)
    axes.set_ylim(0, 1.04 * mbps)
    axes.set_ylabel("goodput of both (Mbit/s)")


def windows(runs: Mapping[str, ww.Run]) -> pd.DataFrame:
    """Windows of every seed by law, and N where a law has it."""
    tables = []
    for law, run in runs.items():
        inner = run.internals
        n = inner[inner["name"] == "n"][["seed", "time_s", "flow", "value"]].rename(columns={"value": "n"})
        cwnd = run.flow_series[["seed", "time_s", "flow", "cwnd"]]
        tables.append(cwnd.merge(n, on=["seed", "time_s", "flow"], how="left").assign(law_name=law))
    return pd.concat(tables, ignore_index=True)


def counts(axes: Axes, series: pd.DataFrame) -> None:
    """N of the TCP-FIT flows over time."""
    chosen = series[series["law_name"] == "TCP-FIT"]
    for color, (name, flow) in zip(COLORS, chosen.groupby("flow", observed=True), strict=False):
        axes.plot(flow["time_s"], flow["n"], color=color, linewidth=0.8, label=str(name))
    axes.set_ylabel("N")
    axes.legend()

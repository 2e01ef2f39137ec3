"""Runs and bars of Figs. 6 and 7: the shares of two flows of different laws over one link."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes

from windward.papers import Context
from windward.show.plot.style import FAINT, INK

from ...shared import packets
from ..network import CARRIED, RECOVERIES, shared
from .panels import COLOR, SEEDS

RTTS_MS = (5, 10, 25, 50, 100)
MBPS = 100


def study(
    context: Context,
    name: str,
    pairs: tuple[tuple[str, str], ...],
    losses: tuple[float, ...],
    *,
    recoveries: Iterable[str] = RECOVERIES,
    rtts_ms: tuple[int, ...] = RTTS_MS,
    seeds: int = SEEDS,
) -> pd.DataFrame:
    """Goodputs of both flows in Mbit/s, for each recovery, pair of laws, loss, round trip and seed."""
    scenarios = {
        (recovery, first, second, loss, rtt): shared(
            (first, second), MBPS, rtt, duration_s=300, warmup_s=60, loss=loss, fields={"sack": RECOVERIES[recovery]}
        )
        for recovery in recoveries
        for first, second in pairs
        for loss in losses
        # A short form leaves out every other round trip.
        for rtt in (rtts_ms if context.share == 1 else rtts_ms[::2])
    }
    runs = packets.simulate(
        scenarios, lambda text: context.progress(f"figure {name}: {text}"), context.seeds or seeds, context.share
    )
    flows = packets.flows(runs, ("recovery", "first", "second", "loss_rate", "rtt_ms"))
    keys = ["recovery", "first", "second", "loss_rate", "rtt_ms", "seed"]
    wide = flows.pivot_table(index=keys, columns="flow", values="goodput_bps", observed=True, sort=False) / 1e6
    return wide.rename(columns={"flow-1": "first_mbps", "flow-2": "second_mbps"}).reset_index()


def bars(axes: Axes, table: pd.DataFrame, pairs: tuple[tuple[str, str], ...]) -> None:
    """For each round trip a bar for each pair: below the first flow, above the second."""
    width = 0.8 / len(pairs)
    for at, (first, second) in enumerate(pairs):
        chosen = table[(table["first"] == first) & (table["second"] == second)].groupby("rtt_ms")
        means = chosen[["first_mbps", "second_mbps"]].mean()
        places = [place + (at - (len(pairs) - 1) / 2) * width for place in range(len(means))]
        axes.bar(places, means["first_mbps"], width * 0.9, color=COLOR[first], alpha=0.45)
        axes.bar(
            places, means["second_mbps"], width * 0.9, bottom=means["first_mbps"], color=COLOR[second], label=second
        )
        error = packets.intervals(chosen["first_mbps"])["ci95"]
        axes.errorbar(places, means["first_mbps"], yerr=error, linestyle="", color=INK, elinewidth=0.9)
    axes.set_xticks(range(len(RTTS_MS)), [str(rtt) for rtt in RTTS_MS])
    axes.axhline(MBPS / 2 * CARRIED, color=FAINT, linestyle="--", linewidth=0.9)
    axes.set_ylim(0, 104)
    axes.set_xlabel("round trip (ms)")
    axes.grid(visible=False, axis="x")

"""Figures of flows under network coding: their blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from windward.results._values import NothingToDrawError
from windward.show.plot._paper import legend
from windward.show.plot.style import INK, left_out_note, looks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from windward.results._shapes import Packets

#: At most so many flows have a look of their own.
MANY = 8


def blocks(run: Packets, seed: int, figure: Figure) -> str:
    """Time of each block from its first segment to the last that was decoded, and its number of segments."""
    table = run.table("blocks", seed).to_pandas()
    if table.empty:
        raise NothingToDrawError("no flow is coded, or no block was decoded")
    present = list(dict.fromkeys(table["flow"]))
    flows = [flow for flow in run.table("flows", seed)["flow"].to_pylist() if flow in present]
    shown = flows[:MANY]
    figure.set_size_inches(9.0, 5.4)
    delays, sizes = figure.subplots(2, 1, sharex=True, height_ratios=(1.6, 1.0))
    own_looks = looks(len(shown))
    for flow, look in zip(shown, own_looks, strict=True):
        own = table[table["flow"] == flow]
        late = own[own["requests"] > 0]
        milliseconds = (own["decoded_s"] - own["opened_s"]) * 1e3
        style = {"linestyle": "none", "marker": "o", "markersize": 3.0, "color": look["color"]}
        delays.plot(own["opened_s"], milliseconds, **style)
        delays.plot(
            late["opened_s"],
            (late["decoded_s"] - late["opened_s"]) * 1e3,
            **{**style, "markersize": 7.0, "markerfacecolor": "none", "markeredgewidth": 0.8},
        )
        sizes.plot(own["opened_s"], own["size"], **{**style, "markersize": 2.0})
    # An entry of the legend that stands for all flows.
    asked = Line2D([], [], color=INK, linestyle="none", marker="o", markersize=7.0, markerfacecolor="none")
    delays.set_yscale("log")
    delays.set_ylabel("delay (ms)")
    sizes.set_ylabel("segments")
    sizes.set_xlabel("time of the first segment (s)")
    sizes.set_xlim(0, run.duration_s)
    sizes.set_ylim(bottom=0)
    handles = [Line2D([], [], linestyle="none", marker="o", markersize=3.0, color=look["color"]) for look in own_looks]
    legend(delays, [*handles, asked], [*shown, "asked for"], loc="upper right", ncols=min(5, len(shown) + 1))
    return f"seed {seed}; delay: from the first segment's departure until the last is handed up" + left_out_note(
        len(flows) - len(shown), "more flow"
    )

"""Maps of wireless networks: where stations stand, and arrows between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from matplotlib.patheffects import withStroke

from windward.show.plot.style import COLORS, INK

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from windward.results._shapes import Packets

Place = tuple[float, float]


def stations(run: Packets) -> pd.DataFrame:
    """What the stations did.

    Raises
    ------
    ValueError
        If there are none.
    """
    frame = run.wifi_stations
    if frame.empty:
        raise ValueError("there is nothing to draw: the run has no wireless network of 802.11")
    return frame


def places(run: Packets, seed: int) -> dict[str, Place]:
    """Where the stations stand, in metres."""
    frame = stations(run)
    frame = frame[frame["seed"] == seed]
    return dict(zip(frame["node"].astype(str), zip(frame["x_m"], frame["y_m"], strict=True), strict=True))


def outline(axes: Axes, at: Mapping[str, Place], pairs: Iterable[tuple[str, str]], filled: Iterable[str]) -> None:
    """Stations with their names, those of `filled` in colour, and lines between those that can receive each other."""
    for a, b in sorted(pairs):
        if a in at and b in at:
            (x, y), (u, v) = at[a], at[b]
            axes.plot([x, u], [y, v], color="#dddddd", linewidth=0.8, zorder=1)
    filled = set(filled)
    for node, (x, y) in at.items():
        face = COLORS[1] if node in filled else "white"
        axes.plot(x, y, "o", markersize=9, color=face, markeredgecolor=INK, zorder=3)
        label = axes.annotate(node, (x, y), xytext=(7, 7), textcoords="offset points", fontsize=8, color=INK, zorder=5)
        label.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
    axes.set_aspect("equal")
    axes.margins(0.08)
    axes.set_xlabel("metres")
    axes.set_ylabel("metres")
    axes.grid(visible=False)


def arrow(axes: Axes, begin: Place, end: Place, share: float, text: str = "") -> None:
    """An arrow, the wider the larger its share of 1, bent so that there is room for the one back."""
    axes.annotate(
        "",
        xy=end,
        xytext=begin,
        zorder=2,
        arrowprops={
            "arrowstyle": "-|>",
            "color": COLORS[0],
            "alpha": 0.85,
            "linewidth": 0.6 + 5 * min(share, 1.2),
            "shrinkA": 9,
            "shrinkB": 9,
            "connectionstyle": "arc3,rad=0.12",
            "mutation_scale": 8 + 6 * min(share, 1.2),
        },
    )
    if text:
        (x, y), (u, v) = begin, end
        # On the arc, whose height is 0.06 of its chord, nearer to where it begins.
        at = (0.6 * x + 0.4 * u + 0.06 * (v - y), 0.6 * y + 0.4 * v - 0.06 * (u - x))
        label = axes.annotate(text, at, fontsize=7.5, ha="center", va="center", color=INK, zorder=4)
        label.set_path_effects([withStroke(linewidth=2.5, foreground="white")])

"""Maps of wireless networks: where stations stand, and arrows between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patheffects import withStroke

from windward.results import _names
from windward.results._values import NothingToDrawError
from windward.results._ways import Place, bend
from windward.show.plot.style import COLORS, INK

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from windward.results._shapes import Packets

#: A map is at least this high for its width, and as wide for its height: the names of stations in a line have room.
FLATTEST = 0.3


def stations(run: Packets) -> pd.DataFrame:
    """Activity of the stations.

    Raises
    ------
    ValueError
        If there are none.
    """
    frame = run.wifi_stations
    if frame.empty:
        raise NothingToDrawError("the run has no wireless network of 802.11")
    return frame


def places(run: Packets, seed: int) -> dict[str, Place]:
    """Positions of the stations, in metres."""
    frame = stations(run)
    frame = frame[frame["seed"] == seed]
    return dict(zip(frame["node"].astype(str), zip(frame["x_m"], frame["y_m"], strict=True), strict=True))


def outline(
    axes: Axes,
    at: Mapping[str, Place],
    pairs: Iterable[tuple[str, str]],
    filled: Iterable[str],
    ways: Mapping[str, Sequence[Place]] | None = None,
) -> None:
    """Stations with their names, those of `filled` in colour, and lines between those that can receive each other.

    Those that move stand where they end; their ways are dotted, from a ring where they begin.
    """
    for a, b in sorted(pairs):
        if a in at and b in at:
            line = np.array(_line(at[a], at[b], [place for node, place in at.items() if node not in (a, b)]))
            axes.plot(*line.T, color="#dddddd", linewidth=0.8, zorder=1)
    for way in (ways or {}).values():
        axes.plot(*np.array(way).T, color=COLORS[2], linewidth=1.2, linestyle=(0, (1, 1.5)), zorder=2)
        axes.plot(*way[0], "o", markersize=4, color="white", markeredgecolor=COLORS[2], zorder=2)
    filled = set(filled)
    for node, (x, y) in at.items():
        face = COLORS[1] if node in filled else "white"
        axes.plot(x, y, "o", markersize=9, color=face, markeredgecolor=INK, zorder=3)
        label = axes.annotate(
            _names.one(node, 20), (x, y), xytext=(7, 7), textcoords="offset points", fontsize=8, color=INK, zorder=5
        )
        label.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
    _frame(axes, [*at.values(), *(place for way in (ways or {}).values() for place in way)])
    axes.set_xlabel("metres")
    axes.set_ylabel("metres")
    axes.grid(visible=False)


def _line(begin: Place, end: Place, others: Sequence[Place]) -> list[Place]:
    """The points of a line between two stations, around those between them."""
    middle = bend(begin, end, others)
    if middle is None:
        return [begin, end]
    # A parabola through the middle.
    (x, y), (u, v), (a, b) = begin, end, middle
    parts = [step / 24 for step in range(25)]
    return [
        (
            (1 - t) * (1 - 2 * t) * x + 4 * t * (1 - t) * a + t * (2 * t - 1) * u,
            (1 - t) * (1 - 2 * t) * y + 4 * t * (1 - t) * b + t * (2 * t - 1) * v,
        )
        for t in parts
    ]


def shape(places: Iterable[Place]) -> float:
    """Height of a map of these places by its width."""
    width, height = np.ptp(np.array(list(places)), axis=0)
    return float(np.clip(height / width if width else 1 / FLATTEST, FLATTEST, 1 / FLATTEST)) if width or height else 1.0


def _frame(axes: Axes, places: Sequence[Place]) -> None:
    """Axes with all places within, and room around them."""
    points = np.array(places)
    middle, size = (points.max(axis=0) + points.min(axis=0)) / 2, np.ptp(points, axis=0)
    size = np.maximum(size, max(FLATTEST * float(size.max()), 1.0))
    (left, bottom), (right, top) = middle - 0.58 * size, middle + 0.58 * size
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_aspect("equal")


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

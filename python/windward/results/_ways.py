"""Maps of wireless networks: the ways of stations that move, and links that would run across a station."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from windward._engine import Scenario, ScenarioError

Place = tuple[float, float]

#: A station this near to a link, as a share of the link's length, is on it.
_NEAR = 0.03

#: How far a link that goes around a station is from the straight one at most, as a share of its length.
_BEND = 0.09


def ways(scenario: str) -> dict[str, list[Place]]:
    """The turns of each station that moves, in metres, from the first to the last."""
    try:
        turns = Scenario.from_toml(scenario, "scenario", Path()).ways()
    except ScenarioError:
        # It names a recording that is not here.
        return {}
    found: dict[str, list[Place]] = {}
    for node, x, y in zip(turns["node"], turns["x_m"], turns["y_m"], strict=True):
        found.setdefault(node, []).append((x, y))
    return found


def bend(begin: Place, end: Place, others: Iterable[Place]) -> Place | None:
    """The middle of a link that goes around the stations between its ends; None where it may go straight."""
    (x, y), (u, v) = begin, end
    length = math.hypot(u - x, v - y)
    if not length:
        return None
    along, across = ((u - x) / length, (v - y) / length), ((v - y) / length, (x - u) / length)
    for a, b in others:
        far = (a - x) * along[0] + (b - y) * along[1]
        off = (a - x) * across[0] + (b - y) * across[1]
        if _NEAR * length < far < (1 - _NEAR) * length and abs(off) < _NEAR * length:
            # From left to right and back it is the same.
            side = 1.0 if (x, y) < (u, v) else -1.0
            shift = side * _BEND * length
            return (x + u) / 2 + shift * across[0], (y + v) / 2 + shift * across[1]
    return None

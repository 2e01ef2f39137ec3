"""The engine's description of its laws."""

from __future__ import annotations

from collections.abc import Iterable

from windward import _engine


def keep_backlogs(laws: Iterable[str]) -> bool:
    """Returns true if each of `laws` keeps a fixed number of its packets p in queues.

    It then maximises p ln x, and prices are queueing delays.
    """
    return set(laws) <= {law["name"] for law in _engine.laws() if law["backlog"] is not None}

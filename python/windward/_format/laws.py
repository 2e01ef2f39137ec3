"""What the engine says of its laws."""

from __future__ import annotations

from collections.abc import Iterable

from windward import _engine


def keep_backlogs(laws: Iterable[str]) -> bool:
    """Whether each of `laws` keeps a number of packets p of its own in queues.

    It then maximises p ln x, and prices are queueing delays.
    """
    return set(laws) <= {law["name"] for law in _engine.laws() if law["backlog"] is not None}

"""Schedulers of cells written in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from windward._engine import Slot
from windward.laws import find_class


@runtime_checkable
class CellScheduler(Protocol):
    """Decides which station a cell serves in a slot.

    A class is a scheduler if `Class(**parameters)` makes an object of this shape; each run makes a fresh one.
    """

    def choose(self, slot: Slot, /) -> int | None:
        """The station to serve, as an index into `slot.stations`; None for nobody.

        A station that has nothing waiting, or whose channel carries nothing in this slot, wastes the slot if it is
        chosen.
        """


def resolve(spec: str, parameters: Mapping[str, Any], folder: Path) -> Callable[[], CellScheduler]:
    """The scheduler that a scenario names as `FILE.py:CLASS`, relative to `folder`, or as `MODULE:CLASS`.

    Raises
    ------
    ScenarioError
        If there is no such file, module or class, or if importing it fails.
    """
    found = find_class(spec, folder, "scheduler")
    return lambda: found(**parameters)

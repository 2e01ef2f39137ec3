"""What is told of a run while it goes on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a simulation has come."""

    #: Simulated time of all seeds as a share of what is to be simulated, 0 to 1.
    fraction: float
    #: Seeds that have finished.
    finished: int
    #: Seeds asked for.
    seeds: int

"""What results are to those who show them, and what is told of a run while it goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from windward.results._tables import Totals


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a simulation has come."""

    #: Simulated time of all seeds as a share of what is to be simulated, 0 to 1.
    fraction: float
    #: Seeds that have finished.
    finished: int
    #: Seeds asked for.
    seeds: int


class Result(Protocol):
    """What every engine answers; `engine` tells which of the shapes below it has."""

    @property
    def engine(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def scenario(self) -> str: ...


class Packets(Result, Protocol):
    """A simulation or an emulation; see `windward.Run`."""

    @property
    def duration_s(self) -> float: ...
    @property
    def warmup_s(self) -> float: ...
    @property
    def seeds(self) -> tuple[int, ...]: ...
    @property
    def seeds_asked(self) -> tuple[int, ...]: ...
    @property
    def is_complete(self) -> bool: ...
    @property
    def versions(self) -> Mapping[str, str]: ...
    @property
    def timing(self) -> pd.DataFrame: ...
    @property
    def problems(self) -> Sequence[str]: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def flows(self) -> pd.DataFrame: ...
    @property
    def links(self) -> pd.DataFrame: ...
    @property
    def stations(self) -> pd.DataFrame: ...
    @property
    def wifi_stations(self) -> pd.DataFrame: ...
    @property
    def air(self) -> pd.DataFrame: ...
    def totals(self, kind: str) -> Totals: ...
    def table(self, kind: str, seed: int) -> pa.Table: ...


class Windows(Result, Protocol):
    """A fluid run; see `windward.Fluid`."""

    @property
    def duration_s(self) -> float: ...
    @property
    def how(self) -> str: ...
    @property
    def flows(self) -> pd.DataFrame: ...
    @property
    def series(self) -> pd.DataFrame: ...
    @property
    def lyapunov(self) -> pd.DataFrame | None: ...
    @property
    def settled_s(self) -> float | None: ...


class BestRates(Result, Protocol):
    """An optimum; see `windward.Optimum`."""

    @property
    def objective(self) -> str: ...
    @property
    def flows(self) -> pd.DataFrame: ...
    @property
    def links(self) -> pd.DataFrame: ...
    @property
    def certificate(self) -> Mapping[str, float]: ...
    @property
    def method(self) -> str: ...
    @property
    def iterations(self) -> int: ...

"""Common parts of answers without seeds: a folder that holds them whole, and a page about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from windward._engine import __version__
from windward.results._folder import ResultFolder, read_scenario, read_summary, read_table
from windward.results._place import Place, claim
from windward.results._summary import FORMAT, versions
from windward.results._tables import Columns, Tables, as_rows, from_arrow, to_arrow

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Kept(ABC):
    """A result without seeds: it says what its folder holds, and can be made from that again."""

    #: Short name of the scenario.
    name: str
    #: The question that the scenario asks.
    title: str | None
    #: The scenario as resolved, in TOML.
    scenario: str = field(repr=False)
    #: The tables of the answer, as columns.
    tables: Tables = field(repr=False)

    engine: ClassVar[str]

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """A table as rows of plain values; without pandas."""
        return as_rows(self.tables[kind])

    def _frame(self, kind: str) -> pd.DataFrame:
        frame: pd.DataFrame = to_arrow(self.tables[kind]).to_pandas()
        return frame

    def save(self, path: str | Path, *, replace: bool = False) -> None:
        """Saves the result in a folder.

        Parameters
        ----------
        path
            The folder.
        replace
            Replace an older result in it. Default: refuse.

        Raises
        ------
        windward.ResultError
            If the folder holds an older result and `replace` is not set, if it holds anything else, if another run
            writes to it, or if it cannot be written.
        """
        with claim(path, "replace" if replace else "refuse") as place:
            self.save_in(place)

    def save_in(self, place: Place) -> None:
        """Saves the result in a folder that has been taken for it."""
        summary = {
            "windward": __version__,
            "format": FORMAT,
            "engine": self.engine,
            "name": self.name,
            "title": self.title,
            "complete": True,
            "versions": versions(),
        }
        target = ResultFolder(place)
        try:
            target.write(self.tables, self.scenario, summary | self._summary())
            target.settle()
        finally:
            target.close()

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Opens a result's folder.

        Raises
        ------
        windward.ResultError
            If it holds no result of this engine that this version reads.
        """
        path = Path(path)
        summary = read_summary(path, cls.engine)
        tables = {file.stem: _columns(path, file.stem) for file in sorted(path.glob("*.parquet"))}
        return cls._from(summary, read_scenario(path), tables)

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about the result and returns its path."""
        from windward.show._report import write

        return write(self, Path(path))

    @abstractmethod
    def _summary(self) -> dict[str, Any]: ...

    @classmethod
    @abstractmethod
    def _from(cls, summary: dict[str, Any], scenario: str, tables: Tables) -> Self: ...


def _columns(path: Path, kind: str) -> Columns:
    table = read_table(path, kind)
    return table if isinstance(table, Mapping) else from_arrow(table)

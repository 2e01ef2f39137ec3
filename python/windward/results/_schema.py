"""The tables of results as the engine declares them: columns with type, unit and meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from windward import _engine


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table."""

    name: str
    #: "float64", "uint64", "uint32", "int64", "bool" or "string".
    kind: str
    #: Empty for pure numbers and names.
    unit: str
    doc: str
    #: List of names that the engine's values index; None for numbers and texts.
    names: str | None
    #: The scenario determines it; the engine's output lacks it.
    is_about: bool
    #: A property of the entity, not a measurement.
    is_fixed: bool
    #: Of a percentile from a histogram, the largest width of a bucket relative to its lower bound.
    relative_width: float | None

    @property
    def summary(self) -> str:
        """The first sentence of its meaning."""
        return re.split(r"(?<=[.])\s", self.doc, maxsplit=1)[0]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a result."""

    name: str
    doc: str
    #: "totals" (a row per entity), "parts" (a row per pair of entities that occurred) or "series".
    shape: str
    #: The column that names a row's entity; empty where rows belong to none.
    entity: str
    #: In every result, with or without rows.
    is_always: bool
    columns: tuple[Column, ...]

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Columns that describe an entity."""
        return frozenset(column.name for column in self.columns if column.is_fixed)

    def is_listed(self, column: Column) -> bool:
        """True for names that are kept as a list, one for each row; other names are kept by index."""
        return self.shape != "series" and column.name == self.entity

    def metadata(self, columns: Iterable[str]) -> list[tuple[str, str]]:
        """Texts for the metadata of a file with these columns: JSON with units, meanings and widths of histograms.

        The key `PANDAS_ATTRS` is read by pandas, into `DataFrame.attrs`.
        """
        return _metadata(self, tuple(columns))


@cache
def _metadata(table: Table, names: tuple[str, ...]) -> list[tuple[str, str]]:
    columns = [column for column in table.columns if column.name in names]
    about = {column.name: _about(column) for column in columns}
    units = {"units": {column.name: column.unit for column in columns if column.unit}}
    described = {"table": table.name, "description": table.doc, "columns": about}
    texts = {"windward": described, "PANDAS_ATTRS": units}
    return [(key, json.dumps(value, ensure_ascii=False)) for key, value in texts.items()]


def _about(column: Column) -> dict[str, Any]:
    about: dict[str, Any] = {"unit": column.unit, "description": column.summary}
    return about if column.relative_width is None else about | {"relative_width": column.relative_width}


def _table(given: Mapping[str, Any]) -> Table:
    return Table(**{**given, "columns": tuple(Column(**column) for column in given["columns"])})


#: The tables by name, for each kind of result: "packets", "timing", "optimum", "fluid", "sweep".
TABLES: Mapping[str, Mapping[str, Table]] = {
    kind: {given["name"]: _table(given) for given in tables} for kind, tables in _engine.tables().items()
}

#: The tables of a simulation or an emulation.
PACKETS = TABLES["packets"]

#: The tables of totals and means, one row per entity; the others are series.
TOTALS = tuple(name for name, table in PACKETS.items() if table.shape == "totals")

#: All tables that are not series: what a sweep keeps of a run.
KEPT = (*TOTALS, *(name for name, table in PACKETS.items() if table.shape == "parts"))


def of_engine(engine: str) -> Mapping[str, Table]:
    """The tables of an engine's results."""
    return TABLES.get(engine, PACKETS)

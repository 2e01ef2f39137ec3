"""The tables of a run: what the engine returns, with names in place of indices.

A table is a dict of columns: memoryviews or arrays of numbers, lists of texts, and `Named`: names by their index.
Arrow and pandas are imported when a person asks for them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from windward.results._schema import PACKETS, Column, Table

if TYPE_CHECKING:
    import pyarrow as pa

Columns = Mapping[str, Any]
Tables = Mapping[str, Columns]


class Named(NamedTuple):
    """A column of names, each by its index."""

    names: list[str]
    #: 32-bit integers.
    indices: Any


def _nothing(format: str) -> memoryview:  # noqa: A002
    return memoryview(b"").cast(format)  # type: ignore[call-overload, no-any-return]


def _empty(table: Table, column: Column) -> Any:
    if column.kind != "string":
        return _nothing(_FORMATS[column.kind])
    return [] if column.names is None or table.is_listed(column) else Named([], _nothing("I"))


#: Formats of Python's `struct`.
_FORMATS = {"float64": "d", "uint64": "Q", "uint32": "I", "int64": "q", "bool": "?"}

#: Tables without rows.
EMPTY: Tables = {
    name: {column.name: _empty(table, column) for column in table.columns} for name, table in PACKETS.items()
}


def build(output: Mapping[str, Any], entities: Mapping[str, Mapping[str, Any]]) -> Tables:
    """The tables of one seed.

    Parameters
    ----------
    output
        What `_engine.Job` returns for a seed: columns by table.
    entities
        What `_engine.Scenario.entities` returns: names, groups, laws and ends of flows, links and sources.
    """
    lists = _lists(output, entities)

    def column_of(table: Table, column: Column) -> Any:
        if column.is_about:
            return entities[table.name][column.name]
        values = output[table.name][column.name]
        if column.names is None:
            return values
        names = lists[column.names]
        if table.is_listed(column):
            return [names[at] for at in values]
        return Named(names, _indices(column.names, output[table.name], values, lists))

    return {
        name: {column.name: column_of(table, column) for column in table.columns} if name in output else EMPTY[name]
        for name, table in PACKETS.items()
    }


#: Classes of the sizes of responses, by number.
SIZE_CLASSES = ["up to 10 kB", "up to 100 kB", "up to 1 MB", "above 1 MB"]

#: What queues of nodes that forward by backlog hold, by number.
CLASSES = ["data", "acks", "datagrams"]


def _lists(output: Mapping[str, Any], entities: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """The lists of names that columns refer to."""
    flows, nodes = entities["flows"]["flow"], entities["nodes"]["node"]
    return {
        "flows": flows,
        "groups": entities["groups"]["group"],
        "apps": entities["apps"]["app"],
        "sources": entities["background"]["source"],
        "objects": entities["objects"]["object"],
        "size_classes": SIZE_CLASSES,
        "links": entities["links"]["link"],
        "nodes": nodes,
        # A broadcast is for `*`.
        "receivers": [*nodes, "*"],
        "queued": [*flows, *entities["background"]["source"]],
        "classes": CLASSES,
        "windows": entities["windows"]["window"],
        "sites": entities["sites"]["site"],
        # A cell whose stations have no places has none.
        "block_sites": [*entities["sites"]["site"], "-"],
        "frames": list(entities["frames"]["kind"]),
        "formats": list(entities["formats"]["format"]),
        # Frames of stations without EDCA have none.
        "categories": [*entities["categories"]["category"], "none"],
        "internals": output.get("internal_names", []),
    }


def _indices(names: str, columns: Columns, values: Any, lists: Mapping[str, list[str]]) -> Any:
    """Indices into a list of names, where the engine's own are others."""
    if names == "queued":
        flows = len(lists["flows"])
        own = (at + flows * (kind == 2) for kind, at in zip(columns["class"], values, strict=True))
    elif names in ("receivers", "block_sites"):
        own = (min(at, len(lists[names]) - 1) for at in values)
    else:
        return values
    return memoryview(array("I", own).tobytes()).cast("I")


def sent_by_flow(flows: Columns, coding: Columns) -> list[int]:
    """Packets that each flow sent and may lose: its segments, or a coded flow's combinations."""
    combinations = dict(zip(coding["flow"], coding["combinations"], strict=True))
    return [combinations.get(flow, sent) for flow, sent in zip(flows["flow"], flows["segments_sent"], strict=True)]


def describe(arrow: pa.Table, table: Table) -> pa.Table:
    """The table with the unit and meaning of each column in the metadata of its fields."""
    import pyarrow as pa

    known = {column.name: column for column in table.columns}

    def described(field: pa.Field) -> pa.Field:
        if (column := known.get(field.name)) is None:
            return field
        about = {"unit": column.unit, "description": column.doc}
        if column.relative_width is not None:
            about["relative_width"] = str(column.relative_width)
        return field.with_metadata(about)

    schema = pa.schema([described(field) for field in arrow.schema], {"table": table.name, "description": table.doc})
    return pa.Table.from_arrays(arrow.columns, schema=schema)


def has_rows(columns: Columns) -> bool:
    """Returns true if a table has a row."""
    first = next(iter(columns.values()))
    return len(first.indices if isinstance(first, Named) else first) > 0


class Packed(Mapping[str, Any]):
    """A table of numbers in little memory: what many seeds have in common is there once."""

    __slots__ = ("_data", "_layout")

    def __init__(self, layout: Mapping[str, Any], data: bytes) -> None:
        #: A column's texts, or the format of its numbers and where they begin and end.
        self._layout = layout
        self._data = data

    @classmethod
    def of(cls, table: Columns, like: Columns | None) -> Columns:
        """The table packed, its layout shared with another's where it is the same; as it is if it has other columns."""
        layout: dict[str, Any] = {}
        data = bytearray()
        for name, column in table.items():
            if isinstance(column, list):
                layout[name] = column
            elif isinstance(column, memoryview):
                begin = len(data)
                data += column.tobytes()
                layout[name] = (column.format, begin, len(data))
                # Arrow wants its numbers aligned.
                data += bytes(-len(data) % 8)
            else:
                return table
        if isinstance(like, Packed) and like._layout == layout:
            return like if like._data == data else cls(like._layout, bytes(data))
        return cls(layout, bytes(data))

    def __getitem__(self, name: str) -> Any:
        column = self._layout[name]
        if isinstance(column, list):
            return column
        format, begin, end = column  # noqa: A001
        return memoryview(self._data)[begin:end].cast(format)

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout)

    def __len__(self) -> int:
        return len(self._layout)


def to_arrow(columns: Columns) -> pa.Table:
    """A table for Arrow, which shares the memory of its numbers."""
    import numpy as np
    import pyarrow as pa

    def convert(column: Any) -> pa.Array:
        if isinstance(column, Named):
            indices = pa.array(np.asarray(column.indices).view(np.int32))
            return pa.DictionaryArray.from_arrays(indices, pa.array(column.names, pa.string()))
        return pa.array(column, pa.string()) if isinstance(column, list) else pa.array(np.asarray(column))

    return pa.table({name: convert(column) for name, column in columns.items()})


def from_arrow(table: pa.Table) -> Columns:
    """The columns of a table of Arrow's: numbers, texts, names by their index."""
    import numpy as np

    def convert(column: Any) -> Any:
        if hasattr(column.type, "value_type"):
            column = column.unify_dictionaries().combine_chunks()
            return Named(column.dictionary.to_pylist(), numbers(column.indices).astype(np.uint32))
        return column.to_pylist() if str(column.type) in ("string", "large_string") else numbers(column)

    return {name: convert(table.column(name)) for name in table.column_names}


def numbers(column: Any) -> Any:
    """A column of numbers as an array that shares its memory; Arrow's own way there imports pandas."""
    import numpy as np

    array = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    if array.null_count:
        return array.to_numpy(zero_copy_only=False)
    dtype = np.dtype(array.type.to_pandas_dtype())
    buffer = array.buffers()[1]
    whole = np.frombuffer(buffer, dtype) if buffer is not None else np.empty(0, dtype)
    return whole[array.offset : array.offset + len(array)]


def as_rows(columns: Columns) -> list[dict[str, Any]]:
    """A row for each entity, of plain values."""

    def plain(column: Any) -> Sequence[Any]:
        if isinstance(column, Named):
            return [column.names[at] for at in column.indices]
        return column if isinstance(column, list) else column.tolist()

    values = [plain(column) for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


@dataclass(frozen=True, kw_only=True)
class Totals:
    """One table of totals over seeds. Every seed has the same entities."""

    #: Which: one of `TOTALS`.
    kind: str
    #: The columns of each seed.
    tables: Sequence[Columns]

    @property
    def names(self) -> list[str]:
        """The entities, in the order of the scenario."""
        return list(self.attribute(PACKETS[self.kind].entity))

    @property
    def metrics(self) -> list[str]:
        """Names of the measured columns."""
        return [name for name in (self.tables[0] if self.tables else ()) if not self.is_attribute(name)]

    def is_attribute(self, name: str) -> bool:
        """True for a column that describes an entity."""
        return name in PACKETS[self.kind].attributes

    def has(self, name: str) -> bool:
        """True if there is such a column: results of older versions lack some."""
        return bool(self.tables) and name in self.tables[0]

    def attribute(self, name: str) -> Sequence[Any]:
        """A column that is the same in every seed."""
        return self.tables[0][name] if self.tables else ()

    def once(self) -> Totals:
        """The first seed alone: where all seeds are the same run, one draw and not several."""
        return Totals(kind=self.kind, tables=self.tables[:1])

    def values(self, metric: str, at: int) -> list[float]:
        """A metric of one entity, by seed."""
        return [table[metric][at] for table in self.tables]

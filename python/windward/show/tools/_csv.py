"""A table of a result as CSV: the columns of its Parquet file, names in place of indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windward.results._schema import PACKETS
from windward.results._tables import to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from windward.results._shapes import Result

#: The tables of a packet run, the first unless another is asked for.
RUN = tuple(sorted(PACKETS, key=lambda name: name not in ("flow_series", "link_series")))


def write(result: Result, table: str | None, seed: int | None) -> bytes:
    """The rows of a table; of several seeds those of all, with the column `seed`, unless one is named.

    Raises
    ------
    ValueError
        For a table that the result does not have.
    """
    import pyarrow as pa
    import pyarrow.csv as csv

    sink = pa.BufferOutputStream()
    csv.write_csv(_plain(_read(result, table, seed)), sink, csv.WriteOptions(quoting_style="needed"))
    return bytes(sink.getvalue().to_pybytes())


def _read(result: Any, table: str | None, seed: int | None) -> pa.Table:
    import pyarrow as pa

    if result.engine in ("simulate", "emulate"):
        name = _one_of(RUN, table)
        seeds = result.seeds if seed is None else (seed,)
        if len(seeds) == 1:
            return result.table(name, seeds[0])
        rows = [_plain(result.table(name, one)) for one in seeds]
        marked = [
            each.add_column(0, "seed", pa.array([one] * len(each), pa.int64()))
            for one, each in zip(seeds, rows, strict=True)
        ]
        return pa.concat_tables(marked)
    if result.engine == "sweep":
        return result.table(table or "runs")
    if result.engine == "compare":
        raise ValueError("a comparison has no tables of its own; its folder has one for each engine's answer")
    names = sorted(result.tables, key=lambda name: name != "flow_series")
    return to_arrow(result.tables[_one_of(names, table)])


def _one_of(names: Any, table: str | None) -> str:
    if table is not None and table not in names:
        raise ValueError(f"the result has no table `{table}`; tables: {', '.join(names)}")
    return table or str(next(iter(names)))


def _plain(table: pa.Table) -> pa.Table:
    """The table with names in place of their indices."""
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(pa.string()))
    return table

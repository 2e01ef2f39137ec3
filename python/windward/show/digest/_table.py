"""Tables of text, and what several of them need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from windward.errors import nearest
from windward.results._tables import Named
from windward.show.digest._numbers import percents, shares

if TYPE_CHECKING:
    from windward.results._shapes import Packets
    from windward.results._tables import Columns, Totals

#: Most queues and ways with a row each, the longest and the most taken.
MANY_QUEUES = 20


Row = TypeVar("Row")


Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class Digest:
    """A table: the first `words` columns hold text, the others numbers, which are `Amount`s or "–"."""

    title: str
    columns: Sequence[str]
    words: int
    rows: Sequence[Sequence[str]]
    note: str = ""


def left_out(count: int, noun: str, which: str = "") -> str:
    """A note on `count` rows that a table does not have: those that are `which`; empty if it has all."""
    return f"{count} {noun}{'s' if count > 1 else ''}{f' {which}' if which else ''} left out" if count > 0 else ""


def kept(totals: Totals, metric: str, at: int | None) -> list[float]:
    """Values by seed; none of what older versions did not measure."""
    return totals.values(metric, at) if at is not None and totals.has(metric) else []


def marked(totals: Totals, at: int, count: Callable[[Columns, int], float]) -> str:
    """The share of packets that queues marked; nothing where no queue marks."""
    if not any(any(table.get("marked", ())) for table in totals.tables):
        return "–"
    return percents(shares((table["marked"][at], count(table, at)) for table in totals.tables))


def by_name(
    run: Packets, kind: str, names: Sequence[str], metrics: Sequence[str]
) -> dict[tuple[str, ...], dict[str, list[float]]]:
    """Values by seed of what has a row only in seeds in which it was used: 0 in the others."""
    found: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for at, table in enumerate(run.totals(kind).tables):
        columns = [_plain(table[name]) for name in (*names, *metrics)]
        for row in zip(*columns, strict=True):
            values = found.setdefault(row[: len(names)], {metric: [0.0] * len(run.seeds) for metric in metrics})
            for metric, value in zip(metrics, row[len(names) :], strict=True):
                values[metric][at] = float(value)
    return found


def _plain(column: Any) -> Iterable[Any]:
    """The values of a column, names where it has indices of them."""
    return [column.names[at] for at in column.indices] if isinstance(column, Named) else column


def largest(rows: Mapping[Row, Value], sizes: Sequence[float]) -> dict[Row, Value]:
    """The rows of the largest sizes, at most `MANY_QUEUES`, in their order."""
    by_size = sorted(zip(rows, sizes, strict=True), key=lambda pair: -pair[1])[:MANY_QUEUES]
    chosen = {row for row, _ in by_size}
    return {row: value for row, value in rows.items() if row in chosen}


def with_columns(tables: Sequence[Digest], names: Sequence[str]) -> list[Digest]:
    """The tables that have columns of these names, with these alone after their words.

    Raises
    ------
    ValueError
        If no table has one of them.
    """
    known = dict.fromkeys(name for table in tables for name in table.columns[table.words :])
    wanted = [name.strip().lower() for name in names]
    for name in wanted:
        if name not in map(str.lower, known):
            raise ValueError(f"the tables have no column `{name}`; columns: {', '.join(known)}{nearest(name, known)}")
    found = []
    for table in tables:
        places = {name.lower(): at for at, name in enumerate(table.columns) if at >= table.words}
        chosen = [*range(table.words), *(places[name] for name in wanted if name in places)]
        if len(chosen) > table.words:
            columns, rows = [table.columns[at] for at in chosen], [[row[at] for at in chosen] for row in table.rows]
            found.append(replace(table, columns=columns, rows=rows))
    return found


def without_empty(table: Digest) -> Digest:
    """The table without columns in which nothing was measured."""
    kept = [at for at in range(len(table.columns)) if at < table.words or any(row[at] != "–" for row in table.rows)]
    return Digest(
        title=table.title,
        columns=[table.columns[at] for at in kept],
        words=table.words,
        rows=[[row[at] for at in kept] for row in table.rows],
        note=table.note,
    )

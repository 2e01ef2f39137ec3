"""Tables of applications, calls and background sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windward.show.digest._flows import MANY_FLOWS
from windward.show.digest._numbers import events, interval, percents, shares
from windward.show.digest._table import Digest, kept, left_out, without_empty

if TYPE_CHECKING:
    from windward.results._applications import Application, Shown
    from windward.results._tables import Totals


def of_application(application: Application, totals: Totals) -> Digest:
    """The table of an application."""
    names = totals.names[:MANY_FLOWS]
    rows = [
        [name.removesuffix(application.suffix), *(_cell(column, totals, at) for column in application.columns)]
        for at, name in enumerate(names)
    ]
    return without_empty(
        Digest(
            title=application.title,
            columns=[application.one, *(column.title for column in application.columns)],
            words=1 + sum(column.how == "property" for column in application.columns),
            rows=rows,
            note=left_out(len(totals.names) - len(rows), f"more {application.more or application.one}"),
        )
    )


def _cell(column: Shown, totals: Totals, at: int) -> str:
    """A number with its interval; a dash for what no row has."""
    if column.how == "property":
        return str(totals.attribute(column.column)[at])
    if column.if_any and not any(value > 0 for table in totals.tables for value in table.get(column.column, ())):
        return "–"
    if column.how == "share" and column.of:
        return percents(shares((table[column.column][at], table[column.of][at]) for table in totals.tables))
    values = kept(totals, column.column, at) if column.how == "kept" else totals.values(column.column, at)
    match column.how:
        case "share":
            return percents(values)
        case "events":
            return events(column.column, values)
        case _:
            return interval(values, column.unit)

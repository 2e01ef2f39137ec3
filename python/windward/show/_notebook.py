"""A result in a notebook: its tables, and its first figure."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from windward.show._page import describe
from windward.show._report import figure_of
from windward.show.page._html import table_of
from windward.show.plot import firsts

if TYPE_CHECKING:
    from windward.results._shapes import Result


def notebook(result: Result) -> str:
    """Display of a result in Jupyter, as HTML."""
    said = describe(result)
    head = f"<p><b>{html.escape(said.title)}</b><br><small>{html.escape(said.subtitle)}</small></p>"
    facts = "<br>".join(f"{html.escape(name)}: <b>{html.escape(value)}</b>" for name, value in said.facts)
    figure = next((drawn for what in firsts(result) if (drawn := figure_of(result, what, what))), "")
    return f"<div>{head}{figure}{''.join(table_of(table) for table in said.tables)}<p>{facts}</p></div>"

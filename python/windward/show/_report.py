"""A result as one HTML page that needs nothing else: tables and figures inside, no network, no scripts."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from windward.errors import ResultError
from windward.show._digest import Digest
from windward.show._page import describe
from windward.show.plot import FIGURES, PACKETS, draw
from windward.show.plot.style import styled

if TYPE_CHECKING:
    from windward.results._shapes import Result


#: The figures of a simulation's page.
_ORDER = (
    "windows",
    "rates",
    "queues",
    "delays",
    "rtt",
    "fairness",
    "goodput",
    "utilization",
    "stations",
    "map",
    "shares",
    "backlogs",
    "trapped",
    "blocks",
    "airtime",
    "air",
    "loss",
    "internals",
)


def write(run: Result, path: Path) -> Path:
    """Writes the page and returns its path.

    Raises
    ------
    ResultError
        If it cannot be written.
    """
    text = page(run)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ResultError(f"{path} cannot be written: {error.strerror}") from error
    return path


def page(run: Result) -> str:
    """The page's HTML."""
    template = Template((Path(__file__).parent / "report.html").read_text(encoding="utf-8"))
    said = describe(run)
    kinds = FIGURES[run.engine]
    order = _ORDER if kinds is PACKETS else kinds
    figures = [figure for what in order if (figure := figure_of(run, what, kinds[what].title))]
    return template.substitute(
        name=html.escape(said.name),
        title=html.escape(said.title),
        seeds=html.escape(said.how),
        span=html.escape(said.span + (f", the first {said.warmup_s:g} s not counted" if said.warmup_s else "")),
        facts="".join(f"<div><dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd></div>" for k, v in said.facts),
        tables="".join(table_of(table) for table in said.tables),
        figures="".join(figures),
        scenario=html.escape(said.scenario.strip()),
        versions=html.escape(", ".join(f"{name} {version}" for name, version in said.versions.items())),
    )


def table_of(table: Digest) -> str:
    """A table as HTML."""

    def cells(tag: str, row: list[str]) -> str:
        kinds = ["word" if at < table.words else "number" for at in range(len(row))]
        return "".join(
            f'<{tag} class="{kind}">{html.escape(cell)}</{tag}>' for kind, cell in zip(kinds, row, strict=True)
        )

    head = f"<thead><tr>{cells('th', list(table.columns))}</tr></thead>"
    rows = "".join(f"<tr>{cells('td', list(row))}</tr>" for row in table.rows)
    note = f'<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    body = f'<div class="wide"><table>{head}<tbody>{rows}</tbody></table></div>'
    return f"<h2>{html.escape(table.title)}</h2>{body}{note}"


def figure_of(run: Result, what: str, title: str) -> str:
    """A figure as SVG within the page; empty if there is nothing to draw."""
    try:
        figure = draw(run, what)
    except ValueError:
        return ""
    buffer = io.StringIO()
    with styled():
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    # Ids are unique within a figure; make them so within the page.
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{what}-", svg)
    return f'<figure aria-label="{html.escape(title)}">{svg}</figure>'

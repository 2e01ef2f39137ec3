"""Pieces of a page as HTML: tables, facts, charts with their still pictures, the frame around all."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from windward.show.page import _svg

if TYPE_CHECKING:
    from windward.show.digest._table import Digest
    from windward.show.page._chart import Chart, Panel

_HERE = Path(__file__).parent


class Section(NamedTuple):
    """A part of a page."""

    #: Its place in addresses.
    key: str
    title: str
    #: A line under the title; plain text.
    how: str
    body: str


def page(
    *,
    name: str,
    title: str,
    how: str,
    facts: Sequence[tuple[str, str]],
    sections: Sequence[Section],
    charts: Sequence[Chart],
    versions: Mapping[str, str],
) -> str:
    """The whole page; it needs nothing else."""
    data = json.dumps([chart.data() for chart in charts], separators=(",", ":"), ensure_ascii=False)
    # Nothing in a text may end the script.
    data = data.replace("<", "\\u003c")
    parts = (f"<script>\n{part}\n</script>" for part in (*scripts(), text("drawn.js"), text("report.js")))
    script = "\n".join([f'<script type="application/json" id="charts">{data}</script>', *parts])
    links = (f'<a href="#{section.key}">{html.escape(section.title)}</a>' for section in sections)
    return Template(text("page.html")).substitute(
        name=html.escape(name),
        title=html.escape(title),
        how=html.escape(how),
        facts=facts_of(facts),
        nav="".join(links),
        sections="\n".join(map(_section, sections)),
        versions=html.escape(", ".join(f"{name} {version}" for name, version in versions.items())),
        style=style(),
        script=script,
    )


@cache
def text(name: str) -> str:
    """A file of this package."""
    return (_HERE / name).read_text(encoding="utf-8")


def style() -> str:
    """The style of all pages."""
    return f"{text('uplot/uPlot.min.css')}\n{text('windward.css')}"


def scripts() -> list[str]:
    """The library that draws, with its licence, and what we draw with it."""
    licence = text("uplot/LICENSE").strip()
    return [f"/*! uPlot 1.6.32\n{licence}\n*/\n{text('uplot/uPlot.iife.min.js')}", text("charts.js")]


def _section(section: Section) -> str:
    how = f'<p class="how">{html.escape(section.how)}</p>' if section.how else ""
    return f'<section id="{section.key}">\n<h2>{html.escape(section.title)}</h2>\n{how}\n{section.body}\n</section>'


def facts_of(facts: Iterable[tuple[str, str]]) -> str:
    """Numbers with their names."""
    rows = "".join(f"<div><dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd></div>" for k, v in facts)
    return f'<dl class="facts">{rows}</dl>' if rows else ""


def table_of(table: Digest) -> str:
    """A table as HTML."""

    def cell(tag: str, at: int, value: str, scope: str = "") -> str:
        kind = "word" if at < table.words else "number"
        return f'<{tag} {scope}class="{kind}">{html.escape(value)}</{tag}>'

    head = "".join(cell("th", at, name, 'scope="col" ') for at, name in enumerate(table.columns))
    rows = []
    for row in table.rows:
        cells = (cell("td" if at else "th", at, value, "" if at else 'scope="row" ') for at, value in enumerate(row))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    note = f'<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    caption = f"<caption>{html.escape(table.title)}</caption>"
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        f"{note}"
    )


def chart_of(chart: Chart, *, is_still: bool = True) -> str:
    """A chart: its head, its panels with their keys, and still pictures of them for where there is no script."""
    is_alone = len(chart.panels) == 1
    panels = "".join(_panel(chart, panel, is_alone=is_alone, is_still=is_still) for panel in chart.panels)
    return (
        f'<div class="chart" id="chart-{chart.key}"><div class="head"><h3>{html.escape(chart.title)}</h3>'
        f'<span class="unit">{html.escape(chart.y_label)}, over {html.escape(chart.x_label)}</span>'
        f'<span class="at" aria-live="polite"></span></div>'
        f'<div class="panels{" few" if is_alone else ""}">{panels}</div>'
        f'<p class="note">{html.escape(chart.note)}</p></div>'
    )


def _panel(chart: Chart, panel: Panel, *, is_alone: bool, is_still: bool) -> str:
    keys = [(line.look, line.color, line.name) for line in panel.lines]
    keys += [("level", level.color, level.name) for level in panel.levels]
    # Under its panel's title `reno`, `reno-1` is `1`.
    marks = "".join(
        f'<span class="{look}" style="--c:var(--c{color})" title="{html.escape(name, quote=True)}"><i></i>'
        f"{html.escape('' if name == panel.title and not is_alone else name.removeprefix(f'{panel.title}-'))}"
        " <output></output></span>"
        for look, color, name in keys
    )
    title = "" if is_alone else f"<b>{html.escape(panel.title)}</b>"
    still = _svg.panel(chart, panel, width=chart.width if is_alone else _svg.WIDTH) if is_still else ""
    return f'<figure class="panel"><figcaption>{title}{marks}</figcaption><div class="plot">{still}</div></figure>'


def drawn_of(svg: str, key: str, name: str, caption: str = "") -> str:
    """A figure that matplotlib has drawn; `caption` is HTML."""
    # Ids are unique within a figure; make them so within the page.
    own = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{key}-", svg)
    said = html.escape(name, quote=True)
    below = f"<figcaption>{caption}</figcaption>" if caption else ""
    value = '<output class="at" aria-live="polite"></output>'
    return f'<figure class="drawn" aria-label="{said}">{value}{own}{below}</figure>'


def plain_text(name: str, body: str) -> str:
    """A text as it stands, to be opened."""
    opened = html.escape(body.strip())
    return f'<details class="file"><summary>{html.escape(name)}</summary><pre>{opened}</pre></details>'


def items(rows: Iterable[tuple[str, str, Any]]) -> str:
    """Short remarks: who, what, and whether it is a warning."""
    lines = "".join(
        f'<li class="{"warning" if is_bad else "remark"}"><b>{html.escape(who)}</b> {html.escape(what)}</li>'
        for who, what, is_bad in rows
    )
    return f'<ul class="left-out">{lines}</ul>' if lines else ""

"""A run as one HTML page that needs nothing else: tables and figures inside, no network, no scripts."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from windward.digest import Digest, digests, headline, seeds
from windward.errors import ResultError
from windward.plot import PLOTS, draw
from windward.plot.style import styled

if TYPE_CHECKING:
    from windward.run import Run

#: The figures of the page, in order; those with nothing to draw are left out.
FIGURES = ("windows", "rates", "queues", "delays", "rtt", "fairness", "goodput", "utilization", "loss", "internals")


def write(run: Run, path: Path) -> Path:
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


def page(run: Run) -> str:
    """The page's HTML."""
    template = Template((Path(__file__).parent / "report.html").read_text(encoding="utf-8"))
    figures = [figure for what in FIGURES if (figure := _figure(run, what))]
    return template.substitute(
        name=html.escape(run.name),
        title=html.escape(run.title or run.name),
        seeds=html.escape(seeds(run)),
        span=html.escape(_span(run)),
        facts="".join(f"<div><dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd></div>" for k, v in headline(run)),
        tables="".join(_table(table) for table in digests(run)),
        figures="".join(figures),
        scenario=html.escape(run.scenario.strip()),
        versions=html.escape(", ".join(f"{name} {version}" for name, version in run.versions.items())),
    )


def _span(run: Run) -> str:
    warmup = f", the first {run.warmup_s:g} s not counted" if run.warmup_s else ""
    return f"{run.duration_s:g} s simulated{warmup}"


def _table(table: Digest) -> str:
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


def _figure(run: Run, what: str) -> str:
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
    return f'<figure aria-label="{html.escape(PLOTS[what].title)}">{svg}</figure>'

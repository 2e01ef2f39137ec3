"""Pieces of an evaluation's page: each section with a strip for each of its measures."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from windward.show import _evaluate as words
from windward.show.page._html import plain_text

#: Size of a strip, in pixels.
_WIDTH, _HEIGHT, _EDGE = 300, 24, 8


def section_of(found: Any, row: Mapping[str, Any], *, is_open: bool) -> str:
    """A section: its question, its verdict, its measures, and the smallest network that shows what is not met."""
    own = words.measure(found, row["measure"])
    said = html.escape(row["verdict"])
    seeds = words.verdict(own, row["verdict"]).removeprefix(row["verdict"]).lstrip(": ")
    kind = row["verdict"].replace(" ", "-")
    asks = row["question"] + (f" ({seeds} decide)" if "seeds" in seeds else "")
    head = (
        f'<span class="verdict {kind}">{said}</span> '
        f"<b>§{row['section']} {html.escape(row['title'])}</b> "
        f'<span class="faint">{html.escape(asks)}</span>'
    )
    measures = [each for each in found.rows("measures") if each["section"] == row["section"]]
    body = table_of(measures) if measures else f"<p>{html.escape(row['why'])}.</p>"
    if row.get("smallest"):
        body += _smallest(found, own, row["smallest"])
    return f'<details class="criterion"{" open" if is_open else ""}><summary>{head}</summary>{body}</details>'


def _smallest(found: Any, own: Mapping[str, Any] | None, small: Mapping[str, Any]) -> str:
    unit = own["unit"] if own else ""
    figure = own["figure"] if own else ""
    said = (
        f"The smallest network that shows it: {figure} {words.amount(small['value'], unit)}, "
        f"allowed {words.amount(small['allowed'], unit)}, on {100 * small['share']:.0f} % of "
        f"{len(small['values'])} fresh seeds. The same bytes by: windward simulate {found.path.name}/{small['file']}"
    )
    if "kernels" in small:
        said += f". {words.between_kernels(small['kernels'], unit)}"
    return f'<p class="note">{html.escape(said)}</p>{plain_text(small["file"], small["text"])}'


def table_of(measures: Sequence[Mapping[str, Any]]) -> str:
    """Measures of a section: network, strip, numbers."""
    heads = ["network", "figure", "", "law", "allowed", "set by", "verdict"]
    kinds = ["word", "word", "strip", "number", "number", "word", "word"]
    head = "".join(f'<th scope="col" class="{k}">{html.escape(n)}</th>' for n, k in zip(heads, kinds, strict=True))
    rows = []
    before = ""
    for own in measures:
        network = "" if own["network"] == before else own["network"]
        before = own["network"]
        cells = [
            f'<th scope="row" class="word long">{html.escape(network)}</th>',
            f'<td class="word long">{html.escape(own["figure"])}</td>',
            f'<td class="strip">{_strip(own)}</td>',
            f'<td class="number">{html.escape(words.value(own))}</td>',
            f'<td class="number">{html.escape(words.allowed(own))}</td>',
            f'<td class="word">{html.escape(words.set_by(own))}</td>',
            f'<td class="word">{html.escape(words.verdict(own, own["verdict"]))}</td>',
        ]
        kind = ' class="new"' if network else ""
        rows.append(f"<tr{kind}>{''.join(cells)}</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="wide measures">{table}</div>'


#: Key of the strips.
KEY = (
    '<ul class="key"><li><svg width="14" height="12"><circle class="packets" cx="7" cy="6" r="4"/></svg>the law, with '
    'its 95 % interval</li><li><svg width="14" height="12"><circle class="fluid" cx="7" cy="6" r="4"/></svg>'
    'CUBIC and Reno</li><li><svg width="14" height="12"><path class="optimum" d="M7 0V12"/></svg>threshold; shaded: '
    "the wrong side</li></ul>"
)


def _strip(own: Mapping[str, Any]) -> str:
    """The law, its references and the threshold on one scale from 0."""
    references = [each["value"] for each in own["references"].values() if each["value"] is not None]
    known = [own["value"], own["allowed"], *references]
    numbers = [float(each) for each in known if each is not None and math.isfinite(each)]
    most = 1.08 * max(numbers, default=0.0)
    if not most > 0:
        return ""

    def x(value: float) -> float:
        return _EDGE + (_WIDTH - 2 * _EDGE) * min(1.0, max(0.0, value / most))

    middle = _HEIGHT / 2
    parts = [f'<path class="axis" d="M{_EDGE} {middle}H{_WIDTH - _EDGE}"/>']
    if own["allowed"] is not None:
        at = x(own["allowed"])
        left, right = (_EDGE, at) if own["better"] == "more" else (at, _WIDTH - _EDGE)
        parts.append(f'<rect class="wrong" x="{left:.1f}" y="3" width="{right - left:.1f}" height="{_HEIGHT - 6}"/>')
        parts.append(f'<path class="optimum" d="M{at:.1f} 2V{_HEIGHT - 2}"/>')
    parts += [f'<circle class="fluid" cx="{x(each):.1f}" cy="{middle}" r="4"/>' for each in references]
    if own["value"] is not None:
        error = own["ci95"] or 0.0
        ends = x(own["value"] - error), x(own["value"] + error)
        parts.append(f'<path class="error" d="M{ends[0]:.1f} {middle}H{ends[1]:.1f}"/>')
        parts.append(f'<circle class="packets" cx="{x(own["value"]):.1f}" cy="{middle}" r="4.5"/>')
    said = html.escape(f"{own['figure']}: {words.value(own)}, allowed {words.allowed(own)}", quote=True)
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{said}">{"".join(parts)}</svg>'

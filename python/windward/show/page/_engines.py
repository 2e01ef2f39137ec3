"""The engines side by side: a row for each flow, with a mark for what each engine says on one scale."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from windward.show._tables import folded
from windward.show.digest._numbers import percent, quantity
from windward.show.page._svg import ticks

#: What marks an engine, in the order in which they are drawn.
_MARKS = ("kernel", "ideal", "packets", "fluid", "optimum")
_NAMES = {
    "optimum": "optimum",
    "fluid": "fluid",
    "ideal": "packets, ideal CSMA",
    "packets": "packets",
    "kernel": "kernels",
}

#: Size of a row's strip, in pixels.
_WIDTH, _HEIGHT, _EDGE = 300, 24, 8


def scale_of(compared: Sequence[Mapping[str, Any]]) -> float:
    """Upper end of a table's scale, in bits a second, above the rates of all engines."""
    shown, _ = folded(compared)
    peaks = [row[f"{name}_bps"] for row in shown for name in _NAMES]
    peaks += [row["packets_bps"] + row["packets_error_bps"] for row in shown]
    return 1.04 * max(filter(math.isfinite, peaks), default=1.0) or 1.0


def engines(compared: Sequence[Mapping[str, Any]], at_least: float = 0.0) -> str:
    """The table, its scale and its key, as HTML; the scale ends at `at_least` if that is more than it needs."""
    shown, said = folded(compared)
    there = [name for name in _NAMES if any(math.isfinite(row[f"{name}_bps"]) for row in compared)]
    most = max(scale_of(compared), at_least)
    has_share = "packets" in there
    columns = [
        "group" if said else "flow",
        "law",
        "",
        *(_NAMES[name] for name in there),
        *(["of optimum"] if has_share else []),
    ]
    kinds = ["word", "word", "strip", *(f"number of-{name}" for name in there), *["number of-share"] * has_share]
    heads = [
        f'<th scope="col" class="{kind}">{_scale(most) if kind == "strip" else html.escape(name)}</th>'
        for name, kind in zip(columns, kinds, strict=True)
    ]
    rows = []
    group = None
    for row in shown:
        cells = [
            f'<th scope="row" class="word">{html.escape(row["flow"])}</th>',
            f'<td class="word">{html.escape(row["law"])}</td>',
            f'<td class="strip">{_strip(row, there, most)}</td>',
        ]
        for name in there:
            error = row["packets_error_bps"] if name == "packets" else math.nan
            cells.append(f'<td class="number of-{name}">{quantity(row[f"{name}_bps"], "bit/s", error)}</td>')
        if has_share:
            cells.append(f'<td class="number of-share">{percent(row["share"])}</td>')
        is_new = group is not None and row["law"] != group
        group = row["law"]
        rows.append(f'<tr class="{"new" if is_new else "same"}">{"".join(cells)}</tr>')
    note = f'<p class="note">{html.escape(said)}</p>' if said else ""
    key = "".join(f"<li>{_sign(name)}{html.escape(_NAMES[name])}</li>" for name in there)
    return (
        f'<ul class="key">{key}</ul><div class="wide"><table class="engines"><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{note}"
    )


def _x(value: float, most: float) -> float:
    return _EDGE + value / most * (_WIDTH - 2 * _EDGE)


def _scale(most: float) -> str:
    size, prefix = next((pair for pair in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if most >= pair[0]), (1.0, ""))
    marks = [
        f'<text x="{_x(value * size, most):.1f}" y="12" text-anchor="middle">{text}</text>'
        for value, text in ticks(0.0, most / size, 5)
    ]
    marks[0] = f'<text x="{_EDGE - 3}" y="12">0 {prefix}bit/s</text>'
    return (
        f'<svg class="scale" viewBox="0 0 {_WIDTH} 16" role="img" aria-label="goodput in {prefix}bit/s">'
        f"{''.join(marks)}</svg>"
    )


def _strip(row: Mapping[str, Any], there: Sequence[str], most: float) -> str:
    middle = _HEIGHT / 2
    parts = [f'<path class="axis" d="M{_EDGE} {middle}H{_WIDTH - _EDGE}"/>']
    said = []
    for name in _MARKS:
        value = row[f"{name}_bps"]
        if name not in there or not math.isfinite(value):
            continue
        error = row["packets_error_bps"] if name == "packets" else math.nan
        text = f"{_NAMES[name]}: {quantity(value, 'bit/s', error)}"
        said.append(text)
        x = _x(value, most)
        band = ""
        if math.isfinite(error):
            low, high = _x(max(value - error, 0.0), most), _x(value + error, most)
            band = f'<path class="error" d="M{low:.1f} {middle}H{high:.1f}"/>'
        parts.append(f"<g data-x='{x:.1f}'><title>{html.escape(text)}</title>{band}{_mark(name, x, middle)}</g>")
    label = html.escape("; ".join(reversed(said)), quote=True)
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _mark(name: str, x: float, y: float) -> str:
    if name == "optimum":
        return f'<path class="optimum" d="M{x:.1f} {y - 8:g}V{y + 8:g}"/>'
    if name == "fluid":
        return f'<circle class="fluid" cx="{x:.1f}" cy="{y:g}" r="4.6"/>'
    if name == "packets":
        return f'<circle class="packets" cx="{x:.1f}" cy="{y:g}" r="3.4"/>'
    size = 4.2
    if name == "ideal":
        return f'<rect class="ideal" x="{x - size:.1f}" y="{y - size:g}" width="{2 * size:g}" height="{2 * size:g}"/>'
    size = 5.2
    return f'<path class="kernel" d="M{x:.1f} {y - size:g}l{size} {size}l{-size} {size}l{-size} {-size}z"/>'


def _sign(name: str) -> str:
    return f'<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">{_mark(name, 10, 10)}</svg>'

"""The figures of a sweep's page: over a field with confidence bands, and tables in colours over two fields."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from windward.results._figures import FIGURES
from windward.results._panels import PANELS
from windward.show._sweep import cell
from windward.show.page._chart import Chart, Line, Panel
from windward.show.page._figures import COLORS

if TYPE_CHECKING:
    import pandas as pd

    from windward.results._shapes import Grid
    from windward.results._sweep import Axis

#: An axis is logarithmic where its values span this factor.
_SPAN = 25

#: Most lines in a panel; where there are more, each has a panel of its own, up to so many.
_LINES, _PANELS = COLORS, PANELS

#: Most rows and columns of a table in colours.
_CELLS = 24

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))


def charts_of(sweep: Grid) -> list[Chart]:
    """A chart for each figure that was measured, where a field with numbers can be the axis."""
    numeric = [axis for axis in sweep.axes if axis.kind != "text"]
    if not sweep.figures or not numeric or not (sweep.is_grid or len(sweep.axes) == 1):
        return []
    x, others = numeric[0], [axis for axis in sweep.axes if axis is not numeric[0]]
    charts = []
    for name in sweep.figures:
        frame, fixed = _fixed(sweep.means(name), others[1:])
        if np.isfinite(frame["mean"]).any():
            charts.append(_chart(sweep, name, frame, x, others[0] if others else None, fixed))
    return charts


def _chart(sweep: Grid, name: str, frame: pd.DataFrame, x: Axis, by: Axis | None, fixed: str) -> Chart:
    measured = FIGURES[name]
    scale, label = _scale(measured.label, measured.unit, frame["mean"].to_numpy())
    groups: list[tuple[Any, Any]] = [("", frame)] if by is None else list(frame.groupby(by.path, sort=False))
    places = np.unique(frame[x.path].to_numpy(float)) / x.scale
    lines = []
    for at, (value, rows) in enumerate(groups):
        means, errors = np.full(len(places), math.nan), np.zeros(len(places))
        where = np.searchsorted(places, rows[x.path].to_numpy(float) / x.scale * (1 - 1e-12))
        means[where] = rows["mean"].to_numpy() * scale
        errors[where] = np.nan_to_num(rows["ci95"].to_numpy()) * scale
        lines.append(
            Line(
                name=name if by is None else cell(value, by),
                values=means,
                low=np.maximum(means - errors, measured.least * scale) if errors.any() else None,
                high=np.minimum(means + errors, measured.most * scale) if errors.any() else None,
                color=at % COLORS,
                look="mark",
            )
        )
    if len(lines) <= _LINES:
        panels = [Panel(title=name, lines=lines)]
    else:
        panels = [Panel(title=line.name, lines=[line]) for line in lines[:_PANELS]]
    notes = [sweep.how] if sweep.how else []
    if by is not None:
        notes.append(f"lines: {by.path}")
    if fixed:
        notes.append(fixed)
    if len(lines) > max(_LINES, _PANELS):
        notes.append(f"{len(lines) - _PANELS} more not drawn")
    is_log = bool(places[0] > 0 and places[-1] >= _SPAN * places[0])
    margin = 0.0 if is_log else 0.02 * (places[-1] - places[0] or 1.0)
    begin, end = float(places[0]) - margin, float(places[-1]) + margin
    if is_log:
        begin, end = begin / 1.1, end * 1.1
    return Chart(
        key=f"sweep-{name}",
        title=measured.label[0].upper() + measured.label[1:],
        note=", ".join(notes),
        x_label=f"{x.path} ({x.unit})" if x.unit else x.path,
        y_label=label,
        x=places,
        panels=panels,
        x_from=begin,
        x_to=end,
        is_log=is_log,
        width=510,
        is_from_zero=name not in ("value", "residual"),
        y_least=None if math.isinf(measured.least) else measured.least * scale,
        y_most=1.02 * scale if name == "fairness" else None,
    )


def heats_of(sweep: Grid) -> str:
    """Heat maps as HTML: a table of each figure over two fields in a grid, darker cells for larger values."""
    if not sweep.finished or not sweep.is_grid or len(sweep.axes) < 2:
        return ""
    x, y = sweep.axes[0], sweep.axes[1]
    tables = []
    for name in sweep.figures:
        frame, fixed = _fixed(sweep.means(name), sweep.axes[2:])
        columns, rows = list(dict.fromkeys(frame[x.path])), list(dict.fromkeys(frame[y.path]))
        if max(len(columns), len(rows)) > _CELLS or not np.isfinite(frame["mean"]).any():
            continue
        values = {(a, b): mean for a, b, mean in zip(frame[x.path], frame[y.path], frame["mean"], strict=True)}
        tables.append(_heat(name, values, x, y, columns, rows, fixed))
    return f'<div class="heats">{"".join(tables)}</div>' if tables else ""


def _heat(
    name: str, values: dict[Any, float], x: Axis, y: Axis, columns: list[Any], rows: list[Any], fixed: str
) -> str:
    measured = FIGURES[name]
    known = [value for value in values.values() if math.isfinite(value)]
    scale, label = _scale(measured.label, measured.unit, np.array(known))
    low, high = min(known), max(known)

    def one(value: float) -> str:
        if not math.isfinite(value):
            return "<td>–</td>"
        share = (value - low) / (high - low) if high > low else 0.0
        ink = "; color: var(--paper)" if share > 0.55 else ""
        return (
            f'<td style="background: color-mix(in srgb, var(--accent) {100 * share:.0f}%, var(--panel)){ink}">'
            f"{value * scale:.3g}</td>"
        )

    head = "".join(f'<th scope="col">{html.escape(cell(value, x))}</th>' for value in columns)
    body = "".join(
        f'<tr><th scope="row">{html.escape(cell(row, y))}</th>'
        f"{''.join(one(values.get((column, row), math.nan)) for column in columns)}</tr>"
        for row in rows
    )
    caption = f"{label}, {fixed}" if fixed else label
    return (
        f'<div class="wide"><table class="cells"><caption>{html.escape(caption)}</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _fixed(frame: pd.DataFrame, others: Any) -> tuple[pd.DataFrame, str]:
    """The points at which the other fields have their first values."""
    notes = []
    for axis in others:
        first = frame[axis.path].iloc[0]
        frame = frame[frame[axis.path] == first]
        notes.append(f"{axis.path} = {cell(first, axis)}")
    return frame, f"at {', '.join(notes)}" if notes else ""


def _scale(label: str, unit: str, values: Any) -> tuple[float, str]:
    """Factor of the values, and the axis's label."""
    if unit == "%":
        return 100.0, f"{label} (%)"
    if unit not in ("bit/s", "s"):
        return 1.0, f"{label} ({unit})" if unit else label
    most = float(np.nanmax(np.abs(values)))
    size, prefix = next((pair for pair in _PREFIXES if most >= pair[0]), (1.0, ""))
    if unit == "s" and size > 1:
        size, prefix = 1.0, ""
    return 1 / size, f"{label} ({prefix}{unit})"

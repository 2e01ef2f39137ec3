"""Figures of sweeps: over a field with confidence bands, or a heat map over two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from windward._format.vary import label, read_value, worth
from windward.errors import OptionError, nearest
from windward.results import _names
from windward.results._figures import FIGURES, Measured
from windward.results._names import shorten
from windward.results._values import NothingToDrawError
from windward.show.plot._kind import Kind
from windward.show.plot._paper import legend
from windward.show.plot.style import INK, left_out_note, looks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windward.results._shapes import Grid
    from windward.results._sweep import Axis

#: Most lines in a figure.
MANY = 12

#: Up to so many cells along a side of a heat map have their number written in.
_WRITTEN = 9

#: What a line may be beside a field, and in which tables of a run.
_ENTITIES = {"flow": "flow", "group": "flow", "law": "flow", "link": "link"}

#: Told apart where there are no lines.
_MARKERS = "osD^vPX"

#: An axis is logarithmic where its values span this factor.
_SPAN = 25

#: How much smaller the prefixes of a unit are.
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))


def draw(
    sweep: Grid,
    what: str,
    figure: Figure,
    *,
    over: Sequence[str] | None = None,
    by: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> str:
    """Draws a figure of a sweep; returns the note for under its title.

    Raises
    ------
    ValueError
        For another field or figure, and where there is nothing to draw.
    """
    known = {axis.path: axis for axis in sweep.axes}
    for name in (*(over or ()), *(at or {}), *([by] if by is not None and by not in _ENTITIES else [])):
        if name not in known:
            raise ValueError(f"the sweep does not vary `{name}`; fields: {', '.join(known)}{nearest(name, known)}")
    if over is not None and len(over) > 2:
        raise ValueError(f"a figure has at most two fields along its axes, not {len(over)}")
    if over is not None and len(over) == 2:
        if by is not None:
            raise OptionError(("by", by, "a heat map has no lines; leave it out, or give one field along the axis"))
        return _heat(sweep, what, figure, known[over[0]], known[over[1]], at or {})
    x = known[over[0]] if over else _default_over(sweep)
    by = by if by is not None else _default_by(sweep, what, x)
    if by == x.path:
        raise ValueError(f"`{by}` is along the axis already; lines are of another field")
    return _lines(sweep, what, figure, x, by, at or {})


def _default_over(sweep: Grid) -> Axis:
    return next((axis for axis in sweep.axes if axis.kind != "text"), sweep.axes[0])


def _default_by(sweep: Grid, what: str, x: Axis) -> str | None:
    others = [axis for axis in sweep.axes if axis.path != x.path]
    if others and sweep.is_grid:
        return others[0].path
    if others or what not in FIGURES or not FIGURES[what].flow:
        return None
    try:
        flows = sweep.means(what, by="flow", most=1)["flow"]
    except ValueError:
        # There is no flow.
        return None
    return "flow" if 1 < flows.nunique() <= MANY else None


def _lines(sweep: Grid, what: str, figure: Figure, x: Axis, by: str | None, at: Mapping[str, Any]) -> str:
    frame = sweep.means(what, by=by if by in _ENTITIES else None)
    frame, fixed = _fix(sweep, frame, {x.path, *([by] if by else [])}, at)
    measured = _measured(what)
    scale, label = _scale(measured, frame["mean"])
    axes = figure.add_subplot()
    is_text = x.kind == "text"
    groups = [("", frame)] if by is None else list(frame.groupby(by, sort=False, observed=True))
    names = list(dict.fromkeys(frame[x.path]))
    is_joined = sweep.is_grid or len(sweep.axes) == 1
    field = next((axis for axis in sweep.axes if axis.path == by), None)
    handles: list[Any] = []
    labels: list[str] = []
    for at_line, ((name, rows), look) in enumerate(zip(groups[:MANY], looks(min(len(groups), MANY)), strict=True)):
        if not is_text:
            rows = rows.sort_values(x.path)
        places = np.array([names.index(value) for value in rows[x.path]], float) if is_text else rows[x.path] / x.scale
        means, errors = rows["mean"].to_numpy() * scale, np.nan_to_num(rows["ci95"].to_numpy()) * scale
        labels.append(str(name) if field is None else field.text(name))
        low = np.maximum(means - errors, measured.least * scale)
        high = np.minimum(means + errors, measured.most * scale)
        if is_joined and not is_text:
            (line,) = axes.plot(places, means, marker="o", markersize=3.5, label=labels[-1], **look)
            handles.append(line)
            axes.fill_between(places, low, high, color=look["color"], alpha=0.2, linewidth=0)
        else:
            shift = 0.0 if not is_text or len(groups) == 1 else 0.5 * (at_line / len(groups) - 0.4)
            color = look["color"]
            drawn = axes.errorbar(
                places + shift,
                means,
                yerr=[means - low, high - means] if errors.any() else None,
                fmt=_MARKERS[at_line % len(_MARKERS)],
                markersize=4,
                color=color,
                capsize=2.5,
                elinewidth=1,
            )
            handles.append(drawn)
    if is_text:
        axes.set_xticks(range(len(names)), shorten(names))
    else:
        _stretch(axes, frame[x.path].to_numpy() / x.scale)
    axes.set_xlabel(_field_label(x))
    axes.set_ylabel(label)
    least, most = axes.get_ylim()
    least = 0.0 if measured.column in _FROM_ZERO else max(least, measured.least * scale)
    # A line at the very end of what can be is seen whole.
    axes.set_ylim(least, min(1.05 * most if measured.column in _FROM_ZERO else most, 1.02 * measured.most * scale))
    if by is not None:
        beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
        legend(axes, handles, labels, title=_names.one(by), alignment="left", **beside)
    others = "" if is_joined else "; other fields vary with it"
    return _seeds(sweep) + fixed + others + left_out_note(len(groups) - MANY, "more line")


#: Figures whose axis begins at zero.
_FROM_ZERO = {"goodput_bps", "jain", "loss", "mean_rtt_s", "mean_cwnd", "timeouts", "utilization", "wait_s"}


def _heat(sweep: Grid, what: str, figure: Figure, x: Axis, y: Axis, at: Mapping[str, Any]) -> str:
    if x.path == y.path:
        raise ValueError(f"`{x.path}` is along both axes; a heat map has two fields")
    frame, fixed = _fix(sweep, sweep.means(what), {x.path, y.path}, at)
    scale, label = _scale(_measured(what), frame["mean"])
    axes = figure.add_subplot()
    axes.grid(visible=False)
    axes.set_xlabel(_field_label(x))
    axes.set_ylabel(_field_label(y))
    if not sweep.is_grid:
        if "text" in (x.kind, y.kind):
            raise ValueError("a heat map of points that are no grid needs fields with numbers")
        places = (frame[x.path] / x.scale, frame[y.path] / y.scale)
        mesh: Any = axes.scatter(*places, c=frame["mean"] * scale, cmap="cividis", s=26)
        _stretch(axes, places[0].to_numpy())
        figure.colorbar(mesh, ax=axes, label=label)
        return _seeds(sweep) + fixed + "; other fields vary with it" * (len(sweep.axes) > 2)
    columns, rows = _order(frame, x), _order(frame, y)
    values = np.full((len(rows), len(columns)), np.nan)
    for column, row, mean in zip(frame[x.path], frame[y.path], frame["mean"], strict=True):
        values[rows.index(row), columns.index(column)] = mean * scale
    mesh = axes.pcolormesh(values, cmap="cividis", edgecolors="white", linewidth=0.5 if values.size < 900 else 0.0)
    for ticks, axis, names in ((axes.set_xticks, x, columns), (axes.set_yticks, y, rows)):
        shown = range(0, len(names), max(1, -(-len(names) // 12)))
        ticks([place + 0.5 for place in shown], shorten(_number(names[place], axis) for place in shown))
    for spine in axes.spines.values():
        spine.set_visible(False)
    if max(values.shape) <= _WRITTEN:
        middle = (np.nanmin(values) + np.nanmax(values)) / 2
        for (row, column), value in np.ndenumerate(values):
            if not np.isnan(value):
                color = "white" if value < middle else INK
                axes.text(column + 0.5, row + 0.5, f"{value:.3g}", ha="center", va="center", color=color, fontsize=8)
    figure.colorbar(mesh, ax=axes, label=label)
    return _seeds(sweep) + fixed


def _order(frame: pd.DataFrame, axis: Axis) -> list[Any]:
    values = list(dict.fromkeys(frame[axis.path]))
    return values if axis.kind == "text" else sorted(values)


def _fix(sweep: Grid, frame: pd.DataFrame, drawn: set[str], at: Mapping[str, Any]) -> tuple[pd.DataFrame, str]:
    """The points at which fields that are not drawn have one value: the one asked for, in a grid else the first.

    A value that is asked for as text is read as those of a scenario, or is what the tables print.
    """
    notes = []
    for axis in sweep.axes:
        if axis.path in at:
            value = at[axis.path]
        elif axis.path in drawn or not sweep.is_grid or frame[axis.path].nunique() < 2:
            continue
        else:
            value = frame[axis.path].iloc[0]
        found = _match(frame[axis.path], value, axis)
        if found is None:
            values = ", ".join(axis.text(each) for each in _order(frame, axis)[:MANY])
            asked = value if isinstance(value, str) else axis.text(value)
            raise ValueError(f"{axis.path}: no point has {asked} there; values: {values}")
        frame = frame[frame[axis.path] == found]
        notes.append(f"{axis.path} = {axis.text(found)}")
    if frame.empty or not np.isfinite(frame["mean"]).any():
        raise NothingToDrawError(f"no run has a value{_measured_ones(sweep)}")
    return frame, f", at {', '.join(notes)}" if notes else ""


def _measured_ones(sweep: Grid) -> str:
    """The figures that have values, for a message."""
    names = [name for name in sweep.figures if np.isfinite(sweep.means(name)["mean"]).any()]
    return f"; figures with values: {', '.join(names)}" if names else ""


def _match(known: pd.Series[Any], value: Any, axis: Axis) -> Any:
    """The value of the field that is meant; None where no point has it."""
    values = list(dict.fromkeys(known))
    if axis.kind == "text":
        texts = {str(value), label(read_value(value)) if isinstance(value, str) else ""}
        return next((each for each in values if str(each) in texts), None)
    number = worth(read_value(value))[0] if isinstance(value, str) else value
    if number is None:
        return None
    # A number alone may be in the unit of the axis.
    for meant in (number, number * axis.scale):
        for each in values:
            if math.isclose(each, meant, rel_tol=1e-9):
                return each
    # Tables print fewer digits than there are.
    return next((each for each in values if axis.text(each) == axis.text(number)), None)


def _measured(what: str) -> Measured:
    found = FIGURES.get(what)
    if found is not None:
        return found
    unit = next((unit for end, unit in (("_bps", "bit/s"), ("_s", "s")) if what.endswith(end)), "")
    return Measured(column=what, label=what.removesuffix("_bps").removesuffix("_s").replace("_", " "), unit=unit)


def _scale(measured: Measured, values: Any) -> tuple[float, str]:
    """Factor of the values, and the axis's label."""
    if measured.unit == "%":
        return 100.0, f"{measured.label} (%)"
    if measured.unit not in ("bit/s", "s"):
        return 1.0, f"{measured.label} ({measured.unit})" if measured.unit else measured.label
    most = float(np.nanmax(np.abs(values)))
    size, prefix = next((pair for pair in _PREFIXES if most >= pair[0]), (1.0, ""))
    if measured.unit == "s" and size > 1:
        size, prefix = 1.0, ""
    return 1 / size, f"{measured.label} ({prefix}{measured.unit})"


def _stretch(axes: Axes, values: Any) -> None:
    """A logarithmic axis where the values span decades; one that has a zero too, where there is one."""
    above = values[values > 0]
    if (values < 0).any() or not len(above) or above.max() < _SPAN * above.min():
        return
    if (values == 0).any():
        axes.set_xscale("symlog", linthresh=float(above.min()))
    else:
        axes.set_xscale("log")


def _field_label(axis: Axis) -> str:
    return f"{axis.path} ({axis.unit})" if axis.unit else axis.path


def _number(value: Any, axis: Axis) -> str:
    return f"{value / axis.scale:.4g}" if axis.kind == "number" else str(value)


def _seeds(sweep: Grid) -> str:
    count = len(sweep.seeds)
    if count > 1:
        return f"mean and 95 % confidence interval over {count} seeds"
    return f"seed {sweep.seeds[0]}" if count else f"{sweep.of} at every point"


def _kind(name: str, measured: Measured) -> Kind:
    title = measured.label[0].upper() + measured.label[1:]
    return Kind(title=title, draw=lambda sweep, _seed, figure: draw(sweep, name, figure))


#: What can be drawn of a sweep, as far as its engine measures it.
SWEEP = {name: _kind(name, measured) for name, measured in FIGURES.items()}

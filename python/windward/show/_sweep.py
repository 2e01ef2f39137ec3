"""A sweep as tables of text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from windward.errors import nearest
from windward.results._figures import FIGURES
from windward.show.digest._numbers import Amount, number, quantity
from windward.show.digest._table import Digest, without_empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windward.results._shapes import Grid
    from windward.results._sweep import Axis

#: Up to so many points have a row each.
MANY_POINTS = 40

#: Up to so many failures are told.
_FAILURES = 5

#: The figures that a table of points has, the most important first.
IMPORTANT = (
    "goodput",
    "fairness",
    "load-p50",
    "load-p95",
    "paint",
    "qoe",
    "bitrate",
    "stalled",
    "startup",
    "mos",
    "call-rate",
    "frame-p95",
    "missed",
    "game-rtt-p50",
    "game-rtt-p95",
    "request-p50",
    "request-p95",
    "received",
    "datagram-p95",
    "datagram-loss",
    "loss",
    "rtt",
    "utilization",
    "wait",
    "completion",
    "unfinished",
    "delay",
    "settled",
    "value",
    "residual",
)


def digests(sweep: Grid, *, is_whole: bool = False, chosen: Sequence[str] | None = None) -> list[Digest]:
    """The points with their figures, and the runs that failed.

    Parameters
    ----------
    sweep
        The sweep.
    is_whole
        All points, not the first ones alone.
    chosen
        Names of the figures that have a column. Default: the important ones.
    """
    # Where all runs failed nothing was measured.
    tables = [_points(sweep, is_whole=is_whole, chosen=chosen)] if sweep.figures else []
    failures = sweep.failures
    if len(failures):
        names = ["point", *(["seed"] if sweep.seeds else [])]
        told = failures if is_whole else failures.head(_FAILURES)
        rows = [
            [*(str(row[name]) for name in names), str(row["reason"]).splitlines()[0]] for row in told.to_dict("records")
        ]
        note = _more(len(failures) - len(rows), "failure")
        tables.append(
            Digest(title="Failed runs", columns=[*names, "reason"], words=len(names) + 1, rows=rows, note=note)
        )
    return tables


def _points(sweep: Grid, *, is_whole: bool, chosen: Sequence[str] | None) -> Digest:
    most = None if is_whole else MANY_POINTS
    names = [*chosen] if chosen else [name for name in IMPORTANT if name in sweep.figures]
    for name in names:
        if name not in sweep.figures:
            known = ", ".join(sweep.figures)
            raise ValueError(f"the sweep has no column `{name}`; columns: {known}{nearest(name, sweep.figures)}")
    if not chosen and "unfinished" in names and not (sweep.means("unfinished", most=most)["mean"] > 0).any():
        names.remove("unfinished")
    frames = {name: sweep.means(name, most=most) for name in names}
    base = frames[names[0]]
    rows = []
    for at in range(len(base)):
        cells = [cell(base[axis.path].iloc[at], axis) for axis in sweep.axes]
        for name, frame in frames.items():
            mean, error = float(frame["mean"].iloc[at]), float(frame["ci95"].iloc[at])
            cells.append(_amount(mean, error, FIGURES[name].unit))
        rows.append(cells)
    columns = [*(axis.path for axis in sweep.axes), *(FIGURES[name].label for name in names)]
    note = _more(sweep.points - len(rows), "point") if not is_whole else ""
    table = Digest(title="Points", columns=columns, words=len(sweep.axes), rows=rows, note=note)
    return table if chosen else without_empty(table)


def cell(value: object, axis: Axis) -> str:
    """A value of a field, in the unit that it was written in."""
    if axis.kind != "number" or not isinstance(value, int | float):
        return axis.text(value)
    return Amount(axis.text(value), value / axis.scale, axis.unit)


def _amount(mean: float, error: float, unit: str) -> str:
    # Seeds that are the same run have no interval.
    error = math.nan if error == 0 else error
    if unit == "%":
        return quantity(100 * mean, "%", 100 * error)
    is_tiny = not unit and 0 < abs(mean) <= 1e-6
    return number(mean, f"{mean:.0e}") if is_tiny else quantity(mean, "" if unit == "packets" else unit, error)


def _more(count: int, noun: str) -> str:
    return f"{count} more {noun}{'s' if count > 1 else ''}; the CSV table has all" if count > 0 else ""

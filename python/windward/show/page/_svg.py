"""Charts as SVG: what a page shows without a script, and what it prints."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from windward.show.page._chart import Chart, Line, Panel

    Array = NDArray[np.float64]

#: A panel's size, and what its axes take of it; in pixels. The script draws its panels in the same frame.
WIDTH, HEIGHT = 340, 176
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 8, 8, 22

#: Coordinates are tenths of a pixel, whole numbers.
_FINE = 10

#: A line has at most so many points to a pixel: the least and the largest of what it has there.
_POINTS = 3


def panel(chart: Chart, shown: Panel, *, width: int = WIDTH) -> str:
    """A panel as an SVG element."""
    frame = _Frame(chart, width)
    parts = [*frame.axes(chart), f'<g transform="scale({1 / _FINE:g})">']
    for line in shown.lines:
        x = chart.x if line.x is None else line.x
        if line.low is not None and line.high is not None:
            parts.append(f'<path class="band c{line.color}" d="{frame.band(x, line.low, line.high)}"/>')
    for level in shown.levels:
        if math.isfinite(level.value):
            y, left, right = frame.y(level.value) * _FINE, frame.left * _FINE, frame.right * _FINE
            parts.append(
                f'<path class="level c{level.color}" d="M{left:.0f} {y:.0f}H{right:.0f}">'
                f"<title>{html.escape(level.name)} {level.value:.4g}</title></path>"
            )
    for line in shown.lines:
        x = chart.x if line.x is None else line.x
        parts.append(f'<path class="{line.look} c{line.color}" d="{frame.path(x, line.values, line.look == "mark")}"/>')
    parts.append("</g>")
    label = f"{chart.title}, {shown.title}: {_said(shown.lines)}"
    return (
        f'<svg class="still" viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="{html.escape(label, quote=True)}">'
        f"{''.join(parts)}</svg>"
    )


def _said(lines: Sequence[Line]) -> str:
    """Text for screen readers about the lines."""
    said = []
    for line in lines:
        known = line.values[np.isfinite(line.values)]
        if known.size:
            said.append(f"{line.name} from {known.min():.3g} to {known.max():.3g}, at the end {known[-1]:.3g}")
    return "; ".join(said) or "nothing"


class _Frame:
    """Positions of numbers on a panel."""

    def __init__(self, chart: Chart, width: int) -> None:
        self.left, self.right, self.top, self.bottom = _LEFT, width - _RIGHT, _TOP, HEIGHT - _BOTTOM
        self.is_log = chart.is_log
        self.x_from, self.x_to = self._along(chart.x_from), self._along(chart.x_to)
        self.y_from, self.y_to = chart.span()

    def _along(self, value: float) -> float:
        return math.log10(value) if self.is_log else value

    def x(self, value: float) -> float:
        """Pixels from the left."""
        return self.left + (self._along(value) - self.x_from) / (self.x_to - self.x_from) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Pixels from the top."""
        return self.bottom - (value - self.y_from) / (self.y_to - self.y_from) * (self.bottom - self.top)

    def axes(self, chart: Chart) -> list[str]:
        """Grid, ticks, and what is not counted."""
        parts = []
        if chart.begin > 0:
            parts.append(
                f'<rect class="warmup" x="{self.left}" y="{self.top}" width="{self.x(chart.begin) - self.left:.1f}" '
                f'height="{self.bottom - self.top}"/>'
            )
        for value, text in ticks(self.y_from, self.y_to, 4):
            y = self.y(value)
            parts.append(f'<path class="grid" d="M{self.left} {y:.1f}H{self.right}"/>')
            parts.append(f'<text x="{self.left - 5}" y="{y + 3.5:.1f}" text-anchor="end">{text}</text>')
        if chart.places:
            places: list[tuple[float, str]] = [(float(at), name) for at, name in enumerate(chart.places)]
        elif self.is_log:
            places = [(value, f"{value:g}") for value in decades(chart.x_from, chart.x_to)]
        else:
            places = ticks(chart.x_from, chart.x_to, 6)
        for value, text in places:
            parts.append(
                f'<text x="{self.x(value):.1f}" y="{self.bottom + 14}" text-anchor="middle">{html.escape(text)}</text>'
            )
        parts.append(f'<path class="axis" d="M{self.left} {self.bottom}H{self.right}"/>')
        return parts

    def _points(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Coordinates in tenths of a pixel; NaN where there is no value."""
        along = np.log10(x) if self.is_log else x
        across = self.left + (along - self.x_from) / (self.x_to - self.x_from) * (self.right - self.left)
        down = self.bottom - (y - self.y_from) / (self.y_to - self.y_from) * (self.bottom - self.top)
        is_inside = (along >= self.x_from - 1e-12) & (along <= self.x_to + 1e-12)
        down = np.clip(down, self.top - 2, self.bottom + 2)
        return np.rint(across * _FINE), np.where(is_inside, np.rint(down * _FINE), np.nan)

    def path(self, x: Array, y: Array, is_marks: bool) -> str:
        """A line, broken where there is no value; or points."""
        across, down = self._points(x, y)
        most = _POINTS * (self.right - self.left)
        if len(across) > most:
            across, down = _fewer(across, down, self.right - self.left)
        if is_marks:
            return "".join(f"M{a:.0f} {b:.0f}h0" for a, b in zip(across, down, strict=True) if b == b)
        return _joined(across, down)

    def band(self, x: Array, low: Array, high: Array) -> str:
        """The area between two lines."""
        every = max(1, 3 * len(x) // (2 * (self.right - self.left)))
        across, lower = self._points(x[::every], low[::every])
        _, upper = self._points(x[::every], high[::every])
        is_known = np.isfinite(lower) & np.isfinite(upper)
        if not is_known.any():
            return ""
        around = np.concatenate([across[is_known], across[is_known][::-1]])
        return _joined(around, np.concatenate([lower[is_known], upper[is_known][::-1]])) + "z"


def _fewer(across: Array, down: Array, columns: int) -> tuple[Array, Array]:
    """Thins a line: the lowest and the highest of each column of points, in order; a missing value stays a gap."""
    each = -(-len(down) // columns)
    filled = np.concatenate([down, np.full(-len(down) % each, np.nan)]).reshape(-1, each)
    is_known = np.isfinite(filled)
    low = np.where(is_known, filled, np.inf).argmin(axis=1)
    high = np.where(is_known, filled, -np.inf).argmax(axis=1)
    first = np.arange(len(filled)) * each
    chosen = np.unique(np.concatenate([first + low, first + high]))
    chosen = chosen[chosen < len(down)]
    return across[chosen], down[chosen]


def _joined(across: Array, down: Array) -> str:
    """A path through points, each as its distance from the one before."""
    is_known = np.isfinite(down)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], is_known, [False]]).astype(int)))
    parts = []
    for begin, end in zip(ends[::2], ends[1::2], strict=True):
        a, b = across[begin:end].astype(int), down[begin:end].astype(int)
        steps = np.stack([np.diff(a), np.diff(b)], axis=1).ravel().tolist()
        parts.append(f"M{a[0]} {b[0]}" + ("l" + " ".join(map(str, steps)) if steps else "h0"))
    return "".join(parts)


def decades(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten between two ends; of more than three decades the powers alone."""
    factors = (1, 2, 5) if high < 1000 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = (float(f"{factor}e{power}") for power in powers for factor in factors)
    return [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def ticks(low: float, high: float, count: int) -> list[tuple[float, str]]:
    """About so many round values between two ends, with their texts."""
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= 0.999 * raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9) + (round(step / power, 6) == 2.5))
    return [(at * step, f"{at * step:.{decimals}f}") for at in range(first, last + 1)]

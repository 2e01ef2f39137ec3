"""Data of a figure on a page: plain numbers, for a still picture (`_svg`) and for the page's script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: At most so many instants are on a page: of longer series every second, or every third, ….
_INSTANTS = 3000

#: Digits of a number on a page, of the largest in its line.
_DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a panel."""

    name: str
    values: Array
    #: The band around it.
    low: Array | None = None
    high: Array | None = None
    #: Which of the colours, and how it is drawn: "line", "fluid" (thin and dashed) or "mark" (a point each).
    color: int = 0
    look: str = "line"
    #: Its own instants where they are not the chart's.
    x: Array | None = None


@dataclass(frozen=True, kw_only=True)
class Level:
    """A value that does not change, drawn across a panel."""

    name: str
    value: float
    color: int = 0


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One of a figure's panels, which share their axes."""

    title: str
    lines: Sequence[Line]
    levels: Sequence[Level] = ()


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A figure."""

    key: str
    title: str
    #: What it shows, whose it is.
    note: str
    #: What is along the axes.
    x_label: str
    y_label: str
    x: Array
    panels: Sequence[Panel]
    #: Ends of the axis; what is counted begins at `begin`.
    x_from: float
    x_to: float
    begin: float = 0.0
    is_from_zero: bool = True
    #: The least that a value can be: the axis does not go below it. None where there is no such end.
    y_least: float | None = 0.0
    #: Where the axis ends: the largest that a share can be.
    y_most: float | None = None
    is_log: bool = False
    #: How wide a single panel is, in pixels.
    width: int = 1040
    #: Names of the places along the axis, where these are no numbers.
    places: Sequence[str] = ()

    def span(self) -> tuple[float, float]:
        """The ends of the vertical axis."""
        lows, highs = [], []
        for panel in self.panels:
            for line in panel.lines:
                known = line.values[np.isfinite(line.values)]
                if known.size:
                    lows.append(float(known.min()))
                    highs.append(float(known.max()))
                if line.high is not None and (bands := line.high[np.isfinite(line.high)]).size:
                    # Not every peak of an interval: a few would press the lines to the ground.
                    highs.append(float(np.quantile(bands, 0.98)))
            highs += [level.value for level in panel.levels if math.isfinite(level.value)]
        low, high = (min(lows), max(highs)) if lows else (0.0, 1.0)
        if self.is_from_zero:
            low = min(low, 0.0)
        if high <= low:
            high = low + (abs(low) or 1.0)
        margin = 0.04 * (high - low)
        most = high + margin if self.y_most is None else self.y_most
        if not self.is_from_zero:
            low = low - margin if self.y_least is None else max(low - margin, self.y_least)
        return low, most

    def data(self) -> dict[str, Any]:
        """Data for the page's script."""
        low, high = self.span()
        every = max(1, -(-len(self.x) // _INSTANTS))
        return {
            "key": self.key,
            "title": self.title,
            "x": _plain(self.x[::every]),
            "xLabel": self.x_label,
            "yLabel": self.y_label,
            "span": [self.x_from, self.x_to, low, high],
            "begin": self.begin,
            "fromZero": self.is_from_zero,
            "least": self.y_least,
            "most": self.y_most,
            "log": self.is_log,
            "places": list(self.places),
            "panels": [
                {
                    "title": panel.title,
                    "lines": [_line(line, self.x, every) for line in panel.lines],
                    "levels": [
                        {"name": level.name, "value": _number(level.value), "color": level.color}
                        for level in panel.levels
                        if math.isfinite(level.value)
                    ],
                }
                for panel in self.panels
            ],
        }


def _line(line: Line, x: Array, every: int) -> dict[str, Any]:
    values, low, high = line.values, line.low, line.high
    if line.x is not None:
        values = np.interp(x, line.x, values, left=math.nan, right=math.nan)
    plain = {"name": line.name, "color": line.color, "look": line.look, "y": _plain(values[::every])}
    if low is not None and high is not None:
        plain |= {"low": _plain(low[::every]), "high": _plain(high[::every])}
    return plain


def _plain(values: Array) -> dict[str, Any]:
    """Numbers as few characters: whole multiples of a step; of evenly spaced ones the first and the step."""
    known = values[np.isfinite(values)]
    if len(values) > 2 and known.size == len(values):
        steps = np.diff(values)
        step = float(f"{(values[-1] - values[0]) / (len(values) - 1):.9g}")
        if step > 0 and np.allclose(steps, step, rtol=1e-6, atol=0):
            return {"from": float(f"{values[0]:.9g}"), "by": step, "count": len(values)}
    largest = float(np.abs(known).max()) if known.size else 0.0
    exponent = (math.floor(math.log10(largest)) if largest > 0 else 0) - _DIGITS + 1
    scaled = values * 10.0**-exponent
    whole: list[Any] = np.rint(np.where(np.isfinite(scaled), scaled, 0)).astype(np.int64).tolist()
    for at in np.flatnonzero(~np.isfinite(values)):
        whole[at] = None
    return {"e": exponent, "v": whole}


def _number(value: float) -> float:
    return float(f"{value:.6g}")

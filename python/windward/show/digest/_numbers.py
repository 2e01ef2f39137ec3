"""Numbers as tables show them, with what they are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Self

from windward.results.stats import mean_and_interval, rare_interval


class Amount(str):
    """A number as a table shows it, with what it is: other programs' tables are made of that."""

    #: In `unit`, which has no prefix where tables choose one.
    value: float
    #: Half-width of its 95 % confidence interval; NaN without one.
    error: float
    unit: str

    def __new__(cls, text: str, value: float, unit: str = "", error: float = math.nan) -> Self:
        """A number of this text."""
        amount = super().__new__(cls, text)
        amount.value, amount.unit, amount.error = value, unit, error
        return amount


def decibels(ratio: float) -> float:
    """A ratio of powers in decibels."""
    return 10 * math.log10(ratio) if ratio > 0 else math.nan


_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))


#: Units that tables give a prefix.
_PREFIXED = ("bit/s", "s")


def quantity(value: float, unit: str = "", error: float = math.nan) -> str:
    """A value with its error, and with a fitting prefix of bit/s and s; "–" for what was not measured.

    The error has two digits and the value as many decimals as it; without an error the value has three digits.
    """
    if math.isnan(value):
        return "–"
    scale, prefix = 1.0, ""
    if unit in _PREFIXED and value:
        scale, prefix = prefix_of(abs(value))
    is_exact = math.isnan(error) or error < 1e-9 * abs(value) or error == 0
    error = math.nan if is_exact else error
    text = with_error(value / scale, error / scale)
    return Amount(f"{text} {prefix}{unit}".rstrip(), value, unit, error)


def prefix_of(size: float) -> tuple[float, str]:
    """The prefix that fits an amount of this size, and what it stands for."""
    return next((pair for pair in _PREFIXES if size >= pair[0]), _PREFIXES[-1])


def column_scale(cells: Iterable[str]) -> tuple[float, str]:
    """Divisor that gives a column one unit, and that unit; the largest number chooses."""
    amounts = [cell for cell in cells if isinstance(cell, Amount)]
    unit = next((cell.unit for cell in amounts if cell.unit), "")
    most = max((abs(cell.value) for cell in amounts if math.isfinite(cell.value)), default=0.0)
    if unit not in _PREFIXED or not most:
        return 1.0, unit
    scale, prefix = prefix_of(most)
    return scale, f"{prefix}{unit}"


def with_error(value: float, error: float = math.nan, most: int = 3) -> str:
    """A number with three digits, or with as many decimals as two digits of its error take; at most `most` of them."""
    if math.isnan(error):
        return f"{value:.{_decimals(value, 3, most)}f}"
    decimals = _decimals(error, 2, most)
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def number(value: float, text: str = "") -> str:
    """A number without a unit, as `text` or with four digits."""
    return Amount(text or f"{value:.4g}", value)


def _decimals(value: float, digits: int, most: int) -> int:
    """Decimals with which `digits` digits of a value are shown; at most `most`."""
    return 0 if value == 0 else max(0, min(most, digits - 1 - math.floor(math.log10(abs(value)))))


def mean(values: Iterable[float]) -> float:
    return mean_and_interval(values)[0]


def shares(counts: Iterable[tuple[float, float]]) -> list[float]:
    return [part / whole if whole else math.nan for part, whole in counts]


def interval(values: Iterable[float], unit: str = "") -> str:
    mean, error = mean_and_interval(values)
    return quantity(mean, unit, error)


def events(metric: str, values: Iterable[float]) -> str:
    """A mean number of events; of rare ones with both ends of its interval, of none with what it is below."""
    values = list(values)
    found = rare_interval(metric, values)
    if found is None:
        return interval(values)
    low, high = found
    if not any(values):
        return Amount(f"< {high:.2g}", 0.0, "", high)
    mean = mean_and_interval(values)[0]
    decimals = 2 if mean < 1 else 1
    error = max(mean - low, high - mean)
    return Amount(f"{mean:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})", mean, "", error)


def percents(values: Iterable[float]) -> str:
    mean, error = mean_and_interval(100 * value for value in values)
    return quantity(mean, "%", error)


def percent(share: float) -> str:
    """A share in per cent, with one decimal."""
    return "–" if math.isnan(share) else Amount(f"{100 * share:.1f} %", 100 * share, "%")


def fraction(values: Iterable[float]) -> str:
    mean, error = mean_and_interval(values)
    text = f"{mean:.3f}" + ("" if math.isnan(error) else f" ± {error:.3f}")
    return "–" if math.isnan(mean) else Amount(text, mean, "", error)

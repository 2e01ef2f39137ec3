"""Series of packet runs over time, as arrays: of one seed, or the mean over all with its confidence interval.

What draws them, on a page or in a figure, takes them from here. Neither pandas nor matplotlib is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from windward.results._tables import numbers
from windward.results.stats import t_quantile

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from windward.results._shapes import Packets, Windows

    Array = NDArray[np.float64]


class NothingToDrawError(ValueError):
    """A figure has nothing to draw of a result; `why` is said behind that."""

    def __init__(self, why: str) -> None:
        super().__init__(f"there is nothing to draw: {why}")


#: The interval of so few seeds fills a figure (Student's t is 4.3 of three): each seed is drawn instead.
FEW = 3

#: Rates are averaged over this share of the run.
_SMOOTHING = 1 / 100


@dataclass(frozen=True, kw_only=True)
class Values:
    """A series of each flow or link: a column each, a row for each instant."""

    #: Of whom: "flow" or "link".
    entity: str
    names: Sequence[str]
    time_s: Array
    means: Array
    #: Half-width of the 95 % confidence interval of the mean over seeds; None of one seed.
    errors: Array | None = None
    #: The values of each seed, where these are too few for an interval.
    seeds: Sequence[Array] = ()
    #: What the values are means over, in seconds; zero where they are none.
    span_s: float = 0.0
    #: The largest that they can be. None is below zero.
    most: float = math.inf

    @property
    def low(self) -> Array | None:
        """The lower ends of the intervals, none of which is where no value can be; of few seeds the least values."""
        if self.seeds:
            least: Array = np.fmin.reduce(self.seeds)
            return least
        return None if self.errors is None else np.maximum(self.means - self.errors, 0.0)

    @property
    def high(self) -> Array | None:
        """The upper ends; of few seeds the largest values."""
        if self.seeds:
            largest: Array = np.fmax.reduce(self.seeds)
            return largest
        return None if self.errors is None else np.minimum(self.means + self.errors, self.most)

    def part(self, names: Sequence[str]) -> Values:
        """Those of some flows or links alone."""
        places = {name: place for place, name in enumerate(self.names)}
        at = [places[name] for name in names]
        return Values(
            entity=self.entity,
            names=list(names),
            time_s=self.time_s,
            means=self.means[:, at],
            errors=None if self.errors is None else self.errors[:, at],
            seeds=[values[:, at] for values in self.seeds],
            span_s=self.span_s,
            most=self.most,
        )

    @property
    def mean(self) -> pd.DataFrame:
        """The values as a frame, instants in seconds as index."""
        import pandas as pd

        return pd.DataFrame(self.means, pd.Index(self.time_s, name="time_s"), pd.Index(self.names, name=self.entity))


@dataclass(frozen=True, kw_only=True)
class Series:
    """Time series of each flow or link."""

    kind: str
    column: str
    label: str
    unit: float = 1.0
    is_smooth: bool = False
    is_from_zero: bool = True

    def of(self, run: Packets, seed: int | None) -> Values:
        """Its values, of one seed, or of the mean over all."""
        return over_seeds(run, seed, self._one)

    def _one(self, run: Packets, seed: int) -> Values:
        values = _read(run, self.kind, seed, self.column, self.unit)
        return _smooth(values, run.duration_s) if self.is_smooth else values


SERIES: Mapping[str, Series] = {
    "windows": Series(kind="flow_series", column="cwnd", label="window (packets)"),
    "rates": Series(kind="flow_series", column="goodput_bps", unit=1e-6, label="goodput (Mbit/s)", is_smooth=True),
    "rtt": Series(kind="flow_series", column="srtt_ms", label="smoothed RTT (ms)", is_from_zero=False),
    "queues": Series(kind="link_series", column="backlog", label="backlog (packets)"),
    "delays": Series(kind="link_series", column="queue_delay_ms", label="queueing delay (ms)"),
    "links": Series(
        kind="link_series", column="rate_bps", unit=1e-6, label="rate on the wire (Mbit/s)", is_smooth=True
    ),
}


def has_bands(run: Any) -> bool:
    """Returns true if there is a mean over seeds to draw: several that differ."""
    return len(run.seeds) > 1 and not run.is_one_run


def index_of(run: Packets, seed: int | None) -> Values:
    """Jain's index of the smoothed goodputs, one column.

    Raises
    ------
    ValueError
        Of fewer than two flows, which share nothing.
    """
    if len(run.draws("flows").names) < 2:
        raise NothingToDrawError("one flow shares with nobody")
    return over_seeds(run, seed, _index)


def busiest(values: Values, most: int) -> list[str]:
    """The links with the largest means, in the scenario's order."""
    with np.errstate(invalid="ignore"):
        means = np.nan_to_num(np.nansum(values.means, axis=0) / np.maximum(np.isfinite(values.means).sum(axis=0), 1))
    order = np.argsort(-means, kind="stable")
    busy = {int(at) for at in order[:most] if means[at] > 0.01 * means[order[0]]} or {int(order[0])}
    return [name for at, name in enumerate(values.names) if at in busy]


def over_seeds(run: Packets, seed: int | None, read: Callable[[Packets, int], Values]) -> Values:
    """A series of one seed, or its mean over all at each instant, with the interval."""
    if seed is not None:
        return read(run, seed)
    each = [read(run, one) for one in run.seeds]
    first = each[0]
    values = [_at(one, first.time_s) for one in each]
    stack = np.ma.masked_invalid(np.stack(values))
    counts = stack.count(axis=0)
    quantiles = np.array([math.nan, math.nan, *(t_quantile(count - 1) for count in range(2, len(each) + 1))])
    spread = stack.std(axis=0).filled(np.nan) * np.sqrt(counts / np.maximum(counts - 1, 1))
    return Values(
        entity=first.entity,
        names=first.names,
        time_s=first.time_s,
        means=stack.mean(axis=0).filled(np.nan),
        errors=quantiles[counts] * spread / np.sqrt(np.maximum(counts, 1)),
        seeds=values if len(values) <= FEW else (),
        span_s=first.span_s,
        most=first.most,
    )


def _at(values: Values, time_s: Array) -> Array:
    """The values at other instants: those of the nearest of their own."""
    own = values.time_s
    if np.array_equal(own, time_s):
        return values.means
    after = np.clip(np.searchsorted(own, time_s), 1, max(len(own) - 1, 1))
    before = np.minimum(after, len(own) - 1) - (len(own) > 1)
    is_before = np.abs(time_s - own[before]) <= np.abs(own[np.minimum(after, len(own) - 1)] - time_s)
    return values.means[np.where(is_before, before, np.minimum(after, len(own) - 1))]


def _index(run: Packets, seed: int) -> Values:
    smooth = _smooth(_read(run, "flow_series", seed, "goodput_bps"), run.duration_s)
    squares = np.nansum(smooth.means**2, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        index = np.where(
            squares > 0, np.nansum(smooth.means, axis=1) ** 2 / (smooth.means.shape[1] * squares), math.nan
        )
    return Values(
        entity="flow",
        names=["all flows"],
        time_s=smooth.time_s,
        means=index[:, np.newaxis],
        span_s=smooth.span_s,
        most=1.0,
    )


def of_fluid(run: Windows, column: str, unit: float = 1.0) -> Values:
    """A series of a fluid run's flows."""
    table = run.tables["flow_series"]
    names = table["flow"].names
    times = np.asarray(table["time_s"]).reshape(-1, len(names))[:, 0].copy()
    means = np.asarray(table[column], dtype=float).reshape(-1, len(names)) * unit
    return Values(entity="flow", names=names, time_s=times, means=means)


def _read(run: Packets, kind: str, seed: int, column: str, unit: float = 1.0) -> Values:
    """A series as one column per flow or link, in the scenario's order."""
    entity = "flow" if kind == "flow_series" else "link"
    table = run.table(kind, seed).select(["time_s", entity, column]).unify_dictionaries().combine_chunks()
    if table.num_rows == 0:
        raise NothingToDrawError(f"the run has no {entity}s")
    whose = table.column(entity).combine_chunks()
    whose = whose if hasattr(whose, "indices") else whose.dictionary_encode()
    names, rows = [str(name) for name in whose.dictionary.to_pylist()], numbers(whose.indices)
    times, place = _instants(numbers(table.column("time_s")), len(names))
    means = np.full((len(times), len(names)), np.nan)
    means[place, rows] = numbers(table.column(column)) * unit
    has_any = np.zeros(len(names), dtype=bool)
    has_any[rows] = True
    if not has_any.all():
        names, means = [name for name, is_there in zip(names, has_any, strict=True) if is_there], means[:, has_any]
    return Values(entity=entity, names=names, time_s=times, means=means)


def _instants(rows: Array, count: int) -> tuple[Array, Any]:
    """The instants of a series, and the one of each row."""
    blocks = rows.reshape(-1, count) if len(rows) % count == 0 else None
    if blocks is not None and (blocks == blocks[:, :1]).all():
        return blocks[:, 0].copy(), np.repeat(np.arange(len(blocks)), count)
    return np.unique(rows, return_inverse=True)


def _smooth(values: Values, duration_s: float) -> Values:
    """A centred moving mean, and the time over which it goes."""
    times = values.time_s
    step = float(np.median(np.diff(times))) if len(times) > 1 else duration_s
    count = max(1, round(duration_s * _SMOOTHING / step))
    is_known = np.isfinite(values.means)
    zeros = np.zeros((1, values.means.shape[1]))
    sums = np.concatenate([zeros, np.cumsum(np.where(is_known, values.means, 0.0), axis=0)])
    counts = np.concatenate([zeros, np.cumsum(is_known, axis=0)])
    after = (count - 1) // 2
    end = np.minimum(np.arange(len(times)) + after + 1, len(times))
    begin = np.maximum(np.arange(len(times)) + after + 1 - count, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (sums[end] - sums[begin]) / (counts[end] - counts[begin])
    return Values(entity=values.entity, names=values.names, time_s=times, means=means, span_s=count * step)

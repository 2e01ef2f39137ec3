"""Statistics over seeds: means, confidence intervals, fairness."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from windward.results._rare import are_rare, events_interval, is_extreme

if TYPE_CHECKING:
    from windward.results._tables import Columns, Totals

__all__ = [
    "CONFIDENCE",
    "IDLE",
    "Mean",
    "busy_links",
    "half_width",
    "is_one_run",
    "jain",
    "mean_and_interval",
    "metric_interval",
    "overall",
    "percentile",
    "percentile_of_buckets",
    "rare_interval",
    "summarize",
    "summarize_one",
    "t_quantile",
    "tail",
    "total_goodput",
]

#: Probability that a confidence interval covers the mean.
CONFIDENCE = 0.95

#: Links that are less busy than this share of the busiest are idle: those that carry ACKs, mostly.
IDLE = 0.05


#: Deviations beyond this are squared after scaling.
_HUGE = 1e150

#: The normal distribution's quantile of 0.975.
_NORMAL = 1.959963984540054

#: Above this, five terms of the expansion are exact.
_MANY = 1000

#: Coefficients of x, x³, x⁵, … of each power of 1/n.
_EXPANSION = (
    (1 / 4, 1 / 4),
    (3 / 96, 16 / 96, 5 / 96),
    (-15 / 384, 17 / 384, 19 / 384, 3 / 384),
    (-945 / 92160, -1920 / 92160, 1482 / 92160, 776 / 92160, 79 / 92160),
)


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    return math.fsum(factor * x ** (2 * k + 1) for k, factor in enumerate(coefficients))


@cache
def t_quantile(freedom: int) -> float:
    """t(0.975, n): the quantile of Student's distribution with n >= 1 degrees of freedom that `CONFIDENCE` needs.

    By Newton's method on the probability that |T| <= t, a finite sum for whole n, and for large n, where the sum
    gathers rounding, by the expansion in 1/n: M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 26.7.3
    to 26.7.5. Within 1e-12, relatively.
    """
    t = _NORMAL
    if freedom > _MANY:
        return t + math.fsum(_polynomial(row, t) / freedom**k for k, row in enumerate(_EXPANSION, 1))
    # The normal quantile is below every other, and the probability concave in t: the steps rise to the root.
    log_peak = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    while True:
        density = 2 * math.exp(log_peak - (freedom + 1) / 2 * math.log1p(t * t / freedom))
        step = (CONFIDENCE - _within(t, freedom)) / density
        t += step
        if step < 1e-14 * t:
            return t


def _within(t: float, freedom: int) -> float:
    """The probability that |T| <= t."""
    cosine2 = 1 / (1 + t * t / freedom)
    # 1 + 1/2 cos² + 1·3/(2·4) cos⁴ + … for even n; cos (1 + 2/3 cos² + 2·4/(3·5) cos⁴ + …) for odd n.
    is_odd = freedom % 2
    term, total = 1.0, 0.0
    for k in range((freedom - is_odd) // 2):
        total += term
        term *= cosine2 * (2 * k + 1 + is_odd) / (2 * k + 2 + is_odd)
    sine = t / math.sqrt(freedom + t * t)
    if not is_odd:
        return sine * total
    return 2 / math.pi * (math.atan(t / math.sqrt(freedom)) + sine * math.sqrt(cosine2) * total)


def tail(t: float, freedom: int) -> float:
    """P(T > t) of Student's distribution with n >= 1 degrees of freedom."""
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    above = max(0.0, (1.0 - _within(abs(t), freedom)) / 2)
    return above if t > 0 else 1.0 - above


def half_width(deviation: float, count: int) -> float:
    """Half the width of the 95 % confidence interval of a mean over `count` independent seeds.

    Student's t: t(0.975, n - 1) s / √n with the sample deviation s. NaN for fewer than two seeds.
    """
    return math.nan if count < 2 else t_quantile(count - 1) * deviation / math.sqrt(count)


def mean_and_interval(values: Iterable[float]) -> tuple[float, float]:
    """Mean and half-width of its 95 % confidence interval; NaN values (nothing was measured) are left out."""
    known = [float(value) for value in values if not math.isnan(value)]
    if not known:
        return math.nan, math.nan
    if math.inf in known or -math.inf in known:
        return sum(known), math.nan
    mean = math.fsum(known) / len(known)
    if len(known) == 1:
        return mean, math.nan
    # The squares of numbers beyond 1e154 are no numbers.
    most = max(abs(value - mean) for value in known)
    scale = most if most > _HUGE else 1.0
    variance = math.fsum(((value - mean) / scale) ** 2 for value in known) / (len(known) - 1)
    return mean, half_width(scale * math.sqrt(variance), len(known))


def metric_interval(metric: str, values: Iterable[float], kind: str = "") -> tuple[float, float]:
    """Mean of a metric of a table over seeds, and a half-width that its 95 % confidence interval does not exceed.

    That of `mean_and_interval`; of rare events the longer side of `rare_interval`; NaN of extremes, and of shares and
    amounts that are 0 in all seeds, whose scatter is unknown.
    """
    values = list(values)
    mean, interval = mean_and_interval(values)
    if is_extreme(metric):
        return mean, math.nan
    found = rare_interval(metric, values, kind)
    if found is None and mean == 0 == interval:
        return mean, math.nan
    return (mean, interval) if found is None else (mean, max(mean - found[0], found[1] - mean))


def rare_interval(metric: str, values: Iterable[float], kind: str = "") -> tuple[float, float] | None:
    """95 % interval of the mean of rare events over seeds; None for other metrics."""
    known = [float(value) for value in values if not math.isnan(value)]
    return events_interval(known, t_quantile(len(known) - 1)) if are_rare(metric, known, kind) else None


def is_one_run(totals: Iterable[Totals]) -> bool:
    """Returns true if several seeds are the same run: without randomness all have equal tables."""
    return all(len(each.tables) > 1 and _are_alike(each.tables) for each in totals)


def _are_alike(tables: Sequence[Mapping[str, Any]]) -> bool:
    # As text: what was not measured is NaN, which does not equal itself. One after the other: seeds may be many.
    texts = (str({name: list(column) for name, column in table.items()}) for table in tables)
    first = next(texts)
    return all(text == first for text in texts)


def jain(rates: Iterable[float]) -> float:
    """Jain's fairness index (Σx)² / (n Σx²): 1 when all are equal, 1/n when one has everything.

    R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301, 1984. NaN of fewer
    than two flows, which share nothing, and when none got anything.
    """
    x = [float(rate) for rate in rates]
    squares = math.fsum(rate * rate for rate in x)
    return math.nan if squares == 0 or len(x) < 2 else math.fsum(x) ** 2 / (len(x) * squares)


def percentile(values: Sequence[float], percent: int) -> float:
    """The least of rising values that so many per cent of all do not exceed; NaN of none."""
    return values[-(-len(values) * percent // 100) - 1] if values else math.nan


def percentile_of_buckets(counts: Mapping[float, int], percent: int) -> float:
    """A percentile of times in seconds from a histogram, whose buckets are given by their lower bounds.

    The middle of the bucket, as the engine says it: 128 buckets of equal width in every octave of nanoseconds. NaN of
    none.
    """
    rank = -(-sum(counts.values()) * percent // 100)
    below = 0
    for least_s in sorted(counts):
        below += counts[least_s]
        if below >= rank and below:
            least = round(least_s * 1e9)
            width = 1 << max(0, least.bit_length() - 8)
            return (2 * least + width - 1) / 2e9
    return math.nan


class Mean(NamedTuple):
    """A metric of an entity over seeds."""

    name: str
    metric: str
    mean: float
    #: NaN for a single seed.
    ci95: float
    #: Seeds in which there was something to measure.
    seeds: int


def summarize(totals: Totals) -> Iterator[Mean]:
    """Means over seeds of everything measured, entity by entity."""
    metrics = totals.metrics
    for at, name in enumerate(totals.names):
        for metric in metrics:
            yield summarize_one(name, metric, totals.values(metric, at), totals.kind)


def summarize_one(name: str, metric: str, values: list[float], kind: str = "") -> Mean:
    """The mean of one metric by seed."""
    mean, interval = metric_interval(metric, values, kind)
    return Mean(name, metric, mean, interval, sum(not math.isnan(value) for value in values))


def total_goodput(flows: Columns, measured_s: float) -> float:
    """Goodput of all flows together in bit/s: what arrived of all of them over the counted time.

    A flow's own goodput is over the time that it was open. Of flows that were not open together the sum of these may be
    more than their links carry.
    """
    return 8 * math.fsum(flows["delivered_bytes"]) / measured_s


def overall(flows: Totals, measured_s: float) -> tuple[list[float], list[float]]:
    """Goodput of all flows together in bit/s over the counted time, and Jain's index of their goodputs, by seed."""
    tables = flows.tables
    return [total_goodput(each, measured_s) for each in tables], [jain(each["goodput_bps"]) for each in tables]


def busy_links(links: Totals, most: int) -> list[str]:
    """The links that carry something worth a row, at most so many, the busiest first."""
    means = {name: mean_and_interval(links.values("utilization", at))[0] for at, name in enumerate(links.names)}
    least = IDLE * max(means.values(), default=0.0)
    busy = [name for name, mean in means.items() if mean >= least]
    return sorted(busy, key=lambda name: -means[name])[:most]

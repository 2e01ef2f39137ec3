"""Intervals of means of rare events and of shares, which Student's interval does not cover."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

#: Columns of events that may be rare: counts of a run whose mean over few seeds has no normal error.
EVENTS = frozenset(
    (
        *("timeouts", "recoveries", "retransmits", "segments_lost", "lost", "dropped", "marked", "unfinished", "late"),
        *("freezes", "stalls", "switches", "handovers", "forwarded", "failures", "errors", "gaps", "discarded"),
        *("harq_lost", "harq_retransmissions", "rlc_failures", "rlc_retransmissions"),
        *("garbled_frames", "internal_collisions", "mpdu_failures", "given_up"),
    )
)

#: Columns of the same names that are shares, by table.
_SHARES = frozenset((("calls", "lost"), ("calls", "late"), ("ran_bearers", "late")))

#: How names of extremes of a run begin. Most seeds may reach the same bound, and their scatter says nothing.
_EXTREMES = ("max_", "min_", "longest_")

#: Events of a run in the mean beyond which Student's interval holds.
_MANY = 10.0

#: Probability below the interval, and above it.
_TAIL = 0.025

#: No event in n runs: fewer than 3/n a run with a probability of 95 % ("rule of three", e⁻³ = 5 %).
_NONE = 3.0

#: Bisections that halve an interval down to the last digit.
_STEPS = 100


def is_extreme(metric: str) -> bool:
    """Returns true for columns of extremes, whose mean has no interval."""
    return metric.startswith(_EXTREMES)


def is_event(metric: str, kind: str = "") -> bool:
    """Returns true for the column of a table that counts events."""
    return metric in EVENTS and (kind, metric) not in _SHARES


def are_rare(metric: str, values: Sequence[float], kind: str = "") -> bool:
    """Returns true for a metric's values, one for each seed, whose interval is that of rare events."""
    if not is_event(metric, kind) or len(values) < 2:
        return False
    # Seeds that agree on some events are no draws of a rare one.
    return sum(values) <= _MANY * len(values) and not (values[0] and min(values) == max(values))


def events_interval(values: Sequence[float], quantile: float) -> tuple[float, float]:
    """95 % interval of the mean of a count over runs, for rare events.

    The exact interval of a Poisson mean (F. Garwood, Biometrika 28, 1936) of the sum T of n runs, from the quantiles of
    gamma distributions of shapes T and T + 1. Events that come in clusters vary more: T is divided by the ratio φ of
    variance to mean where that is above 1, and both ends are multiplied by it (P. McCullagh, J. A. Nelder, Generalized
    Linear Models, 1989, §6.2). φ of few runs is uncertain as Student's t is: it grows by (t/1.96)².

    Parameters
    ----------
    quantile
        Student's t(0.975, n − 1).
    """
    n, total = len(values), math.fsum(values)
    if not total:
        return 0.0, _NONE / n
    mean = total / n
    spread = math.fsum((value - mean) ** 2 for value in values) / (n - 1) / mean
    phi = spread * (quantile / 1.959963984540054) ** 2 if spread > 1 + 1e-9 else 1.0
    low, high = _gamma(total / phi, _TAIL), _gamma(total / phi + 1, 1 - _TAIL)
    return phi * low / n, phi * high / n


def binomial_interval(held: int, of: int) -> tuple[float, float]:
    """95 % interval of a share from the number of trials in which something held.

    C. J. Clopper, E. S. Pearson, Biometrika 26, 1934: it covers the share at least so often.
    """
    if not of:
        return 0.0, 1.0
    low = 0.0 if held == 0 else _root(lambda p: _at_least(held, of, p) - _TAIL)
    high = 1.0 if held == of else _root(lambda p: _TAIL - (1 - _at_least(held + 1, of, p)))
    return low, high


def _at_least(held: int, of: int, share: float) -> float:
    """The probability of at least so many of independent trials."""
    return math.fsum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(held, of + 1))


def _gamma(shape: float, probability: float) -> float:
    """Quantile of the gamma distribution of a shape and scale 1."""
    high = shape + 1.0
    while _lower(shape, high) < probability:
        high *= 2
    return _root(lambda x: _lower(shape, x) - probability, high)


def _lower(shape: float, x: float) -> float:
    """Regularised lower incomplete gamma function: xᵃe⁻ˣ/Γ(a + 1)·(1 + x/(a + 1) + x²/((a + 1)(a + 2)) + …)."""
    if x <= 0:
        return 0.0
    term = total = 1.0
    at = shape
    while term > 1e-16 * total:
        at += 1
        term *= x / at
        total += term
    return min(math.exp(shape * math.log(x) - x - math.lgamma(shape + 1)) * total, 1.0)


def _root(rising: Callable[[float], float], high: float = 1.0) -> float:
    """Root of a rising function between 0 and a bound, by bisection."""
    low = 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2

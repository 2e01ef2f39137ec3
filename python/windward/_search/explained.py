"""The share of an objective's variance that a field explains."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

#: Bins of a field's range from which the share of the variance that it explains is found.
_BINS = 5

#: Permutations of the objective with which that share is compared, and the share of them that chance may bring beyond.
_PERMUTATIONS, _CHANCE = 500, 0.05


def explained(shares: Sequence[float], objective: Sequence[float]) -> float:
    """The share of the objective's variance that a field explains, beyond what chance does; NaN where that is all.

    Kelley's ε² = 1 − (1 − η²)(n − 1)/(n − k) of n trials in k bins of the field's range: the correlation ratio η² of a
    field without effect is (k − 1)/(n − 1), not 0. T. L. Kelley, "An unbiased correlation ratio measure", PNAS 21(9),
    1935. Chance is what 95 % of the permutations of the objective stay below.
    """
    known = [(share, value) for share, value in zip(shares, objective, strict=True) if math.isfinite(value)]
    bins = [min(int(share * _BINS), _BINS - 1) for share, _ in known]
    n, k = len(known), len(set(bins))
    if n < 2 * _BINS or k < 2:
        return math.nan
    values = [value for _, value in known]
    found = _between(bins, values)
    if math.isnan(found):
        return math.nan
    chance = random.Random(n)  # noqa: S311
    beyond = 0
    for _ in range(_PERMUTATIONS):
        order = sorted(values, key=lambda _: chance.random())
        beyond += _between(bins, order) >= found - 1e-12
    return 1 - (1 - found) * (n - 1) / (n - k) if beyond <= _CHANCE * _PERMUTATIONS else math.nan


def _between(bins: Sequence[int], values: Sequence[float]) -> float:
    """Correlation ratio η²: share of the values' variance that lies between the bins; NaN without variance."""
    mean = math.fsum(values) / len(values)
    total = math.fsum((value - mean) ** 2 for value in values)
    sums: dict[int, list[float]] = {}
    for at, value in zip(bins, values, strict=True):
        sums.setdefault(at, []).append(value - mean)
    between = math.fsum(math.fsum(own) ** 2 / len(own) for own in sums.values())
    return between / total if total > 0 else math.nan

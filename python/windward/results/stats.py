"""Statistics over seeds: means, confidence intervals, fairness."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from windward.results._tables import ATTRIBUTES

#: Probability that a confidence interval covers the mean.
CONFIDENCE = 0.95


def half_width(deviation: float, count: int) -> float:
    """Half the width of the 95 % confidence interval of a mean over `count` independent seeds.

    Student's t: t(0.975, n - 1) s / √n with the sample deviation s. NaN for fewer than two seeds.
    """
    if count < 2:
        return math.nan
    return float(stdtrit(count - 1, (1 + CONFIDENCE) / 2) * deviation / math.sqrt(count))


def mean_and_interval(values: Sequence[float] | pd.Series[float]) -> tuple[float, float]:
    """Mean and half-width of its 95 % confidence interval; NaN values (nothing was measured) are left out."""
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if len(known) == 0:
        return math.nan, math.nan
    deviation = float(known.std(ddof=1)) if len(known) > 1 else math.nan
    return float(known.mean()), half_width(deviation, len(known))


def jain(rates: Sequence[float] | pd.Series[float]) -> float:
    """Jain's fairness index (Σx)² / (n Σx²): 1 when all are equal, 1/n when one has everything.

    R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301, 1984. NaN without
    flows, or when none got anything.
    """
    x = np.asarray(rates, dtype=float)
    squares = float(np.square(x).sum())
    if squares == 0.0:
        return math.nan
    return float(x.sum()) ** 2 / (len(x) * squares)


def summarize(frame: pd.DataFrame, kind: str, entity: str) -> pd.DataFrame:
    """Mean and confidence interval over seeds of every number in `frame`, one row per entity and metric.

    Parameters
    ----------
    frame
        One row per entity and seed.
    kind
        What the entities are: goes into the column `kind`.
    entity
        The column that names them.
    """
    metrics = [name for name in frame.columns if name not in ATTRIBUTES]
    if frame.empty or not metrics:
        return pd.DataFrame({name: [] for name in ("kind", "name", "metric", "mean", "ci95", "seeds")})
    groups = frame.groupby(entity, sort=False, observed=True)[metrics]
    mean, deviation, count = groups.mean(), groups.std(ddof=1), groups.count()
    quantile = {n: half_width(1.0, n) for n in np.unique(count.to_numpy())}
    interval = deviation * count.map(lambda n: quantile[n])
    names = mean.index.astype(str).repeat(len(metrics))
    return pd.DataFrame(
        {
            "kind": kind,
            "name": names,
            "metric": metrics * len(mean),
            "mean": mean.to_numpy().ravel(),
            "ci95": interval.to_numpy().ravel(),
            "seeds": count.to_numpy().ravel(),
        }
    )

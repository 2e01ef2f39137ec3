"""Many packet runs at once, for the figures of papers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

import windward as ww
from windward.results.stats import mean_and_interval

if TYPE_CHECKING:
    from pandas.core.groupby import SeriesGroupBy

Key = TypeVar("Key")

#: Progress is told no more often than this, in seconds.
_QUIET_S = 2.0


def simulate(
    scenarios: Mapping[Key, ww.Scenario], tell: Callable[[str], None], seeds: int | None = None, share: float = 1.0
) -> dict[Key, ww.Run]:
    """Simulates all scenarios, one on each core at a time, and tells how many are done and how long the rest takes.

    Parameters
    ----------
    scenarios
        What to run, under names of your own.
    tell
        Takes a few words every few seconds.
    seeds
        Of each. Default: as the scenarios say.
    share
        How much of their time they run, warm-up included.
    """
    if share != 1:
        scenarios = {key: shortened(scenario, share) for key, scenario in scenarios.items()}
    began, told, runs = time.monotonic(), 0.0, {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # The engine works outside the interpreter's lock.
        jobs = {pool.submit(scenario.simulate, seeds=seeds, threads=1): key for key, scenario in scenarios.items()}
        try:
            for done, job in enumerate(as_completed(jobs), 1):
                runs[jobs[job]] = job.result()
                passed = time.monotonic() - began
                if passed - told > _QUIET_S:
                    told = passed
                    tell(f"run {done} of {len(jobs)}, {_span(passed / done * (len(jobs) - done))} left")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {key: runs[key] for key in scenarios}


def shortened(scenario: ww.Scenario, share: float) -> ww.Scenario:
    """The same for a share of its time, of which the warm-up takes as large a part."""

    def less(text: str) -> str:
        number, unit = text.split()
        return f"{float(number) * share:g} {unit}"

    return replace(scenario, duration=less(scenario.duration), warmup=scenario.warmup and less(scenario.warmup))


def _span(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"


def flows(runs: Mapping[Key, ww.Run], names: tuple[str, ...]) -> pd.DataFrame:
    """The flows of many runs as one table, the parts of their keys, which are tuples, in the columns `names`."""
    tables = []
    for key, run in runs.items():
        parts: dict[str, Any] = dict(zip(names, key, strict=True))  # type: ignore[call-overload]
        tables.append(run.flows.assign(**parts))
    return pd.concat(tables, ignore_index=True)


def intervals(values: SeriesGroupBy[float, Any]) -> pd.DataFrame:
    """Mean of every group, and the half-width of its 95 % confidence interval: NaN where there is but one value."""
    rows = {key: mean_and_interval(each) for key, each in values}
    index = pd.Index(list(rows))
    return pd.DataFrame(list(rows.values()), index=index, columns=["mean", "ci95"], dtype=np.float64)

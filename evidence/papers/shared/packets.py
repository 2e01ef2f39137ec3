"""Many packet runs at once, for the figures of papers."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

import windward as ww
from windward import _engine
from windward.results._files import replace_text
from windward.results.stats import mean_and_interval

if TYPE_CHECKING:
    from pandas.core.groupby import SeriesGroupBy

Key = TypeVar("Key")
Taken = TypeVar("Taken")

#: Progress is told no more often than this, in seconds.
_QUIET_S = 2.0


def simulate(
    scenarios: Mapping[Key, ww.Scenario], tell: Callable[[str], None], seeds: int | None = None, share: float = 1.0
) -> dict[Key, ww.Run]:
    """The runs of all scenarios, as `take_each` makes them."""
    return take_each(scenarios, lambda _, run: run, tell, seeds, share)


def take_each(
    scenarios: Mapping[Key, ww.Scenario],
    take: Callable[[Key, ww.Run], Taken],
    tell: Callable[[str], None],
    seeds: int | None = None,
    share: float = 1.0,
    kept: Path | None = None,
) -> dict[Key, Taken]:
    """Simulates all scenarios, one on each core at a time, and tells how many are done and how long the rest takes.

    Parameters
    ----------
    scenarios
        What to run, under names of your own.
    take
        Makes of a run, and its name, what is kept of it: many runs need not fit into memory.
    tell
        Takes a few words every few seconds.
    seeds
        Of each. Default: as the scenarios say.
    share
        How much of their time they run, warm-up included.
    kept
        Folder in which what is kept of each run, plain data, is written at once: of an interrupted command only the
        rest is run again. It is for the same scenario and the same engine alone.
    """
    if share != 1:
        scenarios = {key: shortened(scenario, share) for key, scenario in scenarios.items()}
    began, told, taken = time.monotonic(), 0.0, {}

    def work(key: Key) -> Taken:
        file = None if kept is None else kept / f"{_identity(scenarios[key], seeds)}.json"
        if file is not None and file.exists():
            found: Taken = json.loads(file.read_text(encoding="utf-8"))
            return found
        # The engine works outside the interpreter's lock.
        answer = take(key, scenarios[key].simulate(seeds=seeds, threads=1))
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_text(file, json.dumps(answer))
        return answer

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(work, key): key for key in scenarios}
        try:
            for done, job in enumerate(as_completed(jobs), 1):
                taken[jobs[job]] = job.result()
                passed = time.monotonic() - began
                if passed - told > _QUIET_S:
                    told = passed
                    tell(f"run {done} of {len(jobs)}, {_span(passed / done * (len(jobs) - done))} left")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {key: taken[key] for key in scenarios}


def _identity(scenario: ww.Scenario, seeds: int | None) -> str:
    """Digest of a scenario, its seeds and the engine."""
    return hashlib.sha256(f"{_engine_digest()} {seeds} {scenario.to_toml()}".encode()).hexdigest()


@functools.cache
def _engine_digest() -> str:
    return hashlib.sha256(Path(_engine.__file__).read_bytes()).hexdigest()


def shortened(scenario: ww.Scenario, share: float) -> ww.Scenario:
    """Scenario shortened to a share of its duration, the warm-up in proportion."""

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

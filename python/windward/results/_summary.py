"""The content of summary.json."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from windward import _engine
from windward.results._tables import Totals
from windward.results.stats import is_one_run, metric_interval, overall

#: The layout of result folders; grows when it changes so that older programs cannot read it.
FORMAT = 1


def about(
    *,
    name: str,
    title: str | None,
    duration_s: float,
    warmup_s: float,
    seeds: Sequence[int],
    finished: Sequence[int],
    engine: str,
) -> dict[str, Any]:
    """Head of the summary of a run, before its numbers."""
    return {
        "windward": _engine.__version__,
        "format": FORMAT,
        "engine": engine,
        "name": name,
        "title": title,
        "duration_s": duration_s,
        "warmup_s": warmup_s,
        "seeds": list(seeds),
        "finished": list(finished),
        "complete": len(finished) == len(seeds),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Versions of what makes results."""
    return {"windward": _engine.__version__, "python": platform.python_version()}


def with_means(about: Mapping[str, Any], totals: Sequence[Totals]) -> dict[str, Any]:
    """Head of a run, then means with half-widths of 95 % confidence intervals; seeds that are one run have none."""
    content = dict(about)
    content["one_run"] = is_one_run(totals)
    if content["one_run"]:
        totals = [table.once() for table in totals]
    (flows,) = (table for table in totals if table.kind == "flows")
    measured_s = about["duration_s"] - about["warmup_s"]
    content["goodput_bps"], content["jain"] = map(_mean, overall(flows, measured_s))
    for table in totals:
        content[table.kind] = rows_of(table)
    return content


def rows_of(totals: Totals) -> list[dict[str, Any]]:
    """A row for each entity: its attributes, and the means of its figures."""
    return [_row(totals, at) for at in range(len(totals.names))]


def _row(totals: Totals, at: int) -> dict[str, Any]:
    return {
        key: number(totals.attribute(key)[at]) if totals.is_attribute(key) else _mean(totals.values(key, at), key)
        for key in totals.tables[0]
    }


def _mean(values: Sequence[float], metric: str = "") -> dict[str, Any]:
    mean, interval = metric_interval(metric, values)
    return {"mean": number(mean), "ci95": number(interval)}


def number(value: Any) -> Any:
    """JSON has no NaN: what was not measured is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

"""The content of summary.json."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from windward import _engine
from windward.results import _folder
from windward.results._tables import ENTITY, TOTALS

if TYPE_CHECKING:
    from windward._answers.run import Run


def about(
    *,
    name: str,
    title: str | None,
    duration_s: float,
    warmup_s: float,
    seeds: Sequence[int],
    finished: Sequence[int],
    engine: str = "simulate",
) -> dict[str, Any]:
    """What a summary says before its numbers."""
    return {
        "windward": _engine.__version__,
        "format": _folder.FORMAT,
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
    """Versions of what makes and writes results."""
    return {
        "windward": _engine.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "pyarrow": pa.__version__,
    }


def summary_json(run: Run, counts: dict[str, int]) -> dict[str, Any]:
    """The content of summary.json: what the run is, then means with half-widths of 95 % confidence intervals."""
    content = dict(run._about)
    content.update(counts)
    rows = run.summary()
    values = {
        (kind, name, metric): {"mean": number(mean), "ci95": number(ci95)}
        for kind, name, metric, mean, ci95 in zip(
            rows["kind"], rows["name"], rows["metric"], rows["mean"], rows["ci95"], strict=True
        )
    }
    content["goodput_bps"] = values["all", "all", "goodput_bps"]
    content["jain"] = values["all", "all", "jain"]
    for kind in TOTALS:
        entities = run.table(kind, run.seeds[0]).to_pylist()
        content[kind] = [
            {key: values.get((kind, row[ENTITY[kind]], key), number(value)) for key, value in row.items()}
            for row in entities
        ]
    return content


def number(value: Any) -> Any:
    """JSON has no NaN: what was not measured is null."""
    return None if isinstance(value, float) and not np.isfinite(value) else value

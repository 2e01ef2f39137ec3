"""Repeats a network of an evaluation between kernels, in real time, under the law and under the reference."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from windward import _engine
from windward._engines.emulate import emulate, why_not
from windward._evaluate.figures import Rows
from windward._evaluate.measure import Measure
from windward._evaluate.networks import with_law
from windward._search.objective import rows_of
from windward.results import _figures
from windward.results._schema import KEPT
from windward.results._summary import number
from windward.results.stats import mean_and_interval

#: Runs of each law.
RUNS = 3


def repeated(measure: Measure, template: Mapping[str, Any], law: Any, reference: str, folder: Path) -> dict[str, Any]:
    """Figures of a network between kernels, and the share of the runs on the wrong side of the threshold.

    A machine or a law that cannot be emulated is named as the reason.
    """
    if any("ack_division" in own for own in template.get("flow", [])):
        return {"skipped": "Linux's receivers do not cheat"}
    if reason := why_not():
        return {"skipped": reason}
    seeds = list(range(1, RUNS + 1))
    try:
        values, problems = measured(measure.value, with_law(template, law), seeds, folder)
        others, more = measured(measure.value, with_law(template, reference), seeds, folder) if reference else ([], [])
    except (_engine.EmulationError, _engine.KernelError) as error:
        return {"skipped": str(error).splitlines()[0]}
    limit = mean_and_interval(others)[0] if others else math.nan
    share = sum(measure.excess(value, limit) > 0 for value in values) / len(values)
    return {
        "values": [number(value) for value in values],
        "value": number(mean_and_interval(values)[0]),
        "reference": number(limit) if others else None,
        "allowed": number(measure.allowed(limit)),
        "share": number(share),
        "problems": sorted({*problems, *more}),
    }


def measured(
    value: Callable[[Rows], float],
    plain: Mapping[str, Any],
    seeds: Sequence[int],
    folder: Path,
    congestion: Mapping[str, str] | None = None,
) -> tuple[list[float], list[str]]:
    """A figure of each run between kernels, and the faults of the runs' timing.

    Parameters
    ----------
    congestion
        Congestion controls of the kernel in place of the laws of flows.
    """
    found, problems = tables(plain, seeds, folder, congestion)
    return [value(rows) for rows in found], problems


def tables(
    plain: Mapping[str, Any],
    seeds: Sequence[int],
    folder: Path,
    congestion: Mapping[str, str] | None = None,
    series: Sequence[str] = (),
) -> tuple[list[Rows], list[str]]:
    """Rows of the tables and series of each run between kernels, and the faults of the runs' timing."""
    scenario = _engine.Scenario.from_json(json.dumps(plain, ensure_ascii=False), "the network", folder)
    run = emulate(scenario, seeds=seeds, congestion=congestion)
    found: list[Rows] = []
    for at, seed in enumerate(seeds):
        own = {kind: run.totals(kind).tables[at] for kind in KEPT}
        row = _figures.packets(own, {}, run.duration_s - run.warmup_s)
        own |= {kind: run.table(kind, seed).to_pydict() for kind in series}
        found.append({"runs": rows_of(row), **{kind: rows_of(table) for kind, table in own.items()}})
    return found, list(run.problems)

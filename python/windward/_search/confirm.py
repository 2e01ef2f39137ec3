"""Confirms a find between real kernels: some runs of it, and what they say."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from windward import _engine
from windward._engines.emulate import emulate, why_not
from windward._search.fair import Fair
from windward._search.objective import measured
from windward._search.questions import Question
from windward.results import _figures
from windward.results._place import claim
from windward.results._schema import KEPT
from windward.results._shapes import Progress
from windward.results._summary import number

#: Least share of the runs in which the question must hold.
_LEAST = 0.8

#: Goodputs of flows above this share of all lie this near without random loss, and with it.
_SHARE, _NEAR, _NEAR_WITH_LOSS = 0.05, 0.10, 0.25


def confirm(
    written: Mapping[str, Any],
    question: Question,
    goodputs: Mapping[str, float],
    *,
    runs: int,
    folder: Path,
    output: Path,
    fair: Fair | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Runs a find between kernels and judges it; a machine that cannot is said so, with its reason.

    Parameters
    ----------
    written
        The find.
    goodputs
        Goodput of each flow in the simulator.
    runs
        Number of runs.
    fair
        Fair shares of the flows in the simulator without the attack, where the question is about them.
    """
    if question.kind.is_quiet or question.kind.figure == "gain":
        return {"runs": 0, "skipped": f"{question.kind.label} is not measured between kernels"}
    if any("ack_division" in flow or "optimistic_acks" in flow for flow in written.get("flow", [])):
        return {"runs": 0, "skipped": "Linux's receivers do not cheat"}
    if reason := why_not():
        return {"runs": 0, "skipped": reason}
    try:
        scenario = _engine.Scenario.from_json(json.dumps({**written, "seeds": 1}), "the find", folder)
        with claim(output, "replace") as place:
            run = emulate(scenario, seeds=list(range(1, runs + 1)), place=place, progress=progress)
    except (_engine.EmulationError, _engine.KernelError) as error:
        return {"runs": 0, "skipped": str(error).splitlines()[0]}
    figures = []
    for at in range(runs):
        tables = {kind: run.totals(kind).tables[at] for kind in KEPT}
        row = {
            name: float(column[0])
            for name, column in _figures.packets(tables, {}, run.duration_s - run.warmup_s).items()
        }
        columns = tables["flows"]
        flows = [dict(zip(columns, cells, strict=True)) for cells in zip(*map(list, columns.values()), strict=True)]
        figures.append(measured(row, flows, None, fair=fair))
    values = [own.get(question.kind.figure, math.nan) for own in figures]
    held = sum(question.holds(value) for value in values)
    there = run.flows.groupby("flow", sort=False)["goodput_bps"].mean()
    # A flow of few bytes may differ much and says little.
    apart = {
        flow: abs(float(there.get(flow, math.inf)) - here) / here
        for flow, here in goodputs.items()
        if here > _SHARE * math.fsum(goodputs.values())
    }
    near = all(own <= (_NEAR_WITH_LOSS if has_random_loss(written) else _NEAR) for own in apart.values())
    return {
        "runs": runs,
        "held": held,
        "is_confirmed": held >= _LEAST * runs and near,
        "is_near": near,
        "values": [number(value) for value in values],
        "goodputs": {
            flow: {"simulator": number(here), "kernels": number(float(there.get(flow, math.nan)))}
            for flow, here in goodputs.items()
        },
        "problems": list(run.problems),
        "notes": list(run.notes),
    }


def has_random_loss(written: Mapping[str, Any]) -> bool:
    """Returns true if a link of a scenario loses packets at random, now and then or all the time."""
    places: list[Mapping[str, Any]] = list(written.get("link", []))
    for own in written.get("change", []):
        steps = own.get("steps", [])
        places += [own, *(steps if isinstance(steps, list) else [])]
    return any(own.get("loss") not in (None, 0, "0 %") for own in places)

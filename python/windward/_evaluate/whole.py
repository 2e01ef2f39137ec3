"""Runs with their series, which sweeps do not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from windward import _engine
from windward._engines.lines import simulated
from windward._engines.simulate import count_threads
from windward._evaluate.request import EvaluationRequest
from windward._format.own import finders

#: How often a Ctrl-C is noticed, in seconds.
_POLL = 0.1


def whole(
    asked: EvaluationRequest, text: str, seeds: Sequence[int], threads: int | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Tables of each seed of a scenario in JSON, with the series that the suite needs."""
    scenario = _engine.Scenario.from_json(text, "a case", asked.folder)
    about = {"entities": scenario.entities(), "measured_s": scenario.duration_s - scenario.warmup_s}
    workers = count_threads(threads, has_python=asked.has_python)
    job = _engine.Job(scenario, seeds=list(seeds), threads=workers, **finders(asked.laws, asked.folder))
    job.start()
    try:
        while not job.is_done:
            for result in job.wait(_POLL):
                yield int(result["seed"]), simulated({**result, **about}, asked.series)
    finally:
        job.cancel()

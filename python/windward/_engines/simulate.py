"""Simulates a scenario's seeds."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from windward import _engine
from windward._answers.run import Run
from windward._engines import memory
from windward._engines.collect import Collector, check_pcap, choose
from windward._format.own import finders
from windward.results._folder import ResultFolder
from windward.results._place import Place
from windward.results._shapes import Pcap, Progress

#: Most worker threads.
MOST_THREADS = 65_536


def simulate(
    scenario: _engine.Scenario,
    *,
    folder: Path,
    laws: Mapping[str, Callable[..., Any]] | None = None,
    seeds: int | Sequence[int] | None = None,
    threads: int | None = None,
    place: Place | None = None,
    progress: Callable[[Progress], None] | None = None,
    pcap: Pcap = False,
    qlog: bool = False,
) -> Run:
    """Simulates every seed; `Scenario.simulate` says what the arguments mean.

    `place` is where the results go, `folder` where the scenario's own files lie; `laws` holds laws, schedulers and
    rules that are Python objects, by the name under which the scenario knows them.
    """
    chosen = choose(seeds, scenario.seeds)
    check_pcap(pcap, place, qlog)
    workers = count_threads(threads)
    # Runs of code in Python take turns.
    memory.check(scenario, 1 if laws or scenario.python_classes else min(workers, len(chosen)))
    job = _engine.Job(
        scenario,
        seeds=chosen,
        threads=workers,
        **finders(laws or {}, folder),
    )
    target = ResultFolder(place) if place is not None else None
    try:
        return Collector(scenario, chosen, target, progress, engine="simulate").collect(job, pcap, qlog)
    finally:
        if target is not None:
            target.close()


def count_threads(threads: int | None, *, has_python: bool = False) -> int:
    """Worker threads: as many as this process may use, unless told; one for laws and others in Python.

    More would only wait for the interpreter's lock.
    """
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"threads={threads} is out of range; allowed: 1 to {MOST_THREADS}")
    if has_python:
        return 1
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return threads

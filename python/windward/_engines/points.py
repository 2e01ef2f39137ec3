"""Runs points of a sweep on this machine's cores, by the engine's own threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windward import _engine
from windward._engines import lines
from windward._format.own import finders

#: A point, the seeds that are missing, the cells of its fields' columns, its scenario in JSON.
Job = tuple[int, Sequence[int], Sequence[Any], str]

#: Takes finished runs.
Take = Callable[[Iterable[bytes]], None]

#: Is told how many runs' worth is under way.
Tell = Callable[[float], None]

#: How often progress is told and a Ctrl-C is noticed, in seconds.
_POLL = 0.1

#: So many runs wait for each worker: none is idle, and memory does not grow.
_AHEAD = 4


@dataclass(frozen=True, kw_only=True)
class Points:
    """Execution of the points of a sweep, on any machine."""

    engine: str
    #: Of the optimum: its name, and alpha where it has one.
    utility: tuple[str, float | None] | None
    #: Where the scenario's own files lie.
    folder: Path
    #: Laws, schedulers and rules that are Python objects, by name.
    laws: Mapping[str, Callable[..., Any]]
    #: Of a run, for the progress.
    duration_s: float

    def run(self, jobs: Iterator[Job | None], take: Take, tell: Tell, workers: int) -> None:
        """Runs all jobs; each finished run is taken, the failed ones too.

        A job that is None means that more follow from what is under way.
        """
        pool = self._pool(workers)
        cells: dict[int, Sequence[Any]] = {}
        missing: dict[int, int] = {}
        told = 0.0
        is_left = True

        def finished(seconds: float) -> Iterator[bytes]:
            for point, seed, answer, reason in pool.wait(seconds):
                if answer is None:
                    yield lines.failed(point, seed, cells[point], reason or "")
                else:
                    yield lines.answered(self.engine, point, seed, cells[point], answer)
                missing[point] -= 1
                if not missing[point]:
                    del missing[point], cells[point]

        try:
            while True:
                while is_left and pool.waiting < _AHEAD * workers:
                    try:
                        job = next(jobs)
                    except StopIteration:
                        is_left = False
                        break
                    if job is None:
                        break
                    point, seeds, cells[point], text = job
                    # The seeds of a point may come in several jobs.
                    missing[point] = missing.get(point, 0) + len(seeds)
                    pool.submit(point, text, list(seeds))
                if not missing and not is_left:
                    break
                take(finished(_POLL))
                if time.monotonic() - told > _POLL:
                    told = time.monotonic()
                    tell(sum(min(seconds / self.duration_s, 1.0) for seconds in pool.simulated_s()))
        except KeyboardInterrupt:
            pool.cancel()
            take(finished(0.0))
            raise
        finally:
            pool.cancel()
        tell(0.0)

    def _pool(self, workers: int) -> _engine.Sweep:
        name, alpha = self.utility or (None, None)
        return _engine.Sweep(
            self.engine,
            threads=workers,
            folder=self.folder,
            **finders(self.laws, self.folder),
            objective=name,
            alpha=alpha,
        )

"""Runs points of a sweep on a Ray cluster: the workers compute, this process writes."""

from __future__ import annotations

import logging
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from windward import _engine
from windward._engines import lines
from windward._engines.points import Job, Points, Take, Tell
from windward.errors import OptionError

#: A task is to take about so long, in seconds: Ray needs some milliseconds for each.
_TASK_S = 2.0

#: Most runs in a task.
_MOST = 5000

#: Tasks that wait for each processor of the cluster.
_AHEAD = 2

#: How often Ray runs a task again whose worker has died, before its runs are tried one by one.
_RETRIES = 2

#: How often a Ctrl-C is noticed and processors are counted, in seconds.
_POLL = 0.2


@dataclass(frozen=True)
class _Batch:
    """The runs of a task."""

    jobs: Sequence[Job]

    @property
    def runs(self) -> int:
        return sum(len(seeds) for _, seeds, _, _ in self.jobs)

    def split(self) -> Iterator[_Batch]:
        """A batch for each run."""
        for point, seeds, cells, text in self.jobs:
            for seed in seeds:
                yield _Batch([(point, [seed], cells, text)])


@dataclass
class _Queue:
    """The runs that nobody has been given yet, in batches of the size that their speed asks for."""

    jobs: Iterator[Job | None]
    #: Nothing more follows.
    is_done: bool = False
    again: deque[_Batch] = field(default_factory=deque)
    #: Of the first job of the next batch, the seeds that the last one had no room for.
    rest: Job | None = None
    run_s: float | None = None

    def next(self) -> _Batch | None:
        """The next batch; None where nothing is left, or more follows from what is under way."""
        if self.again:
            return self.again.popleft()
        room = 1 if self.run_s is None else max(1, min(_MOST, round(_TASK_S / max(self.run_s, 1e-6))))
        taken: list[Job] = []
        while room > 0:
            job, self.rest = self.rest, None
            if job is None:
                try:
                    job = next(self.jobs)
                except StopIteration:
                    self.is_done = True
                    break
            if job is None:
                break
            point, seeds, cells, text = job
            taken.append((point, seeds[:room], cells, text))
            if len(seeds) > room:
                self.rest = (point, seeds[room:], cells, text)
            room -= len(seeds)
        return _Batch(taken) if taken else None

    def learn(self, runs: int, seconds: float) -> None:
        each = seconds / runs
        self.run_s = each if self.run_s is None else 0.8 * self.run_s + 0.2 * each


def run_on(where: str, points: Points, files: Sequence[str]) -> Callable[[Iterator[Job | None], Take, Tell], None]:
    """Runner of jobs on a cluster: "ray" for a found or local one, or "ray://HOST:PORT".

    Parameters
    ----------
    files
        What of `points.folder` the scenarios name: it is sent to the workers.

    Raises
    ------
    ValueError
        For another place, without Ray, and for files that cannot be sent.
    """
    if where != "ray" and not where.startswith("ray://"):
        raise OptionError(("on", where, "not a place to run; allowed: ray, ray://HOST:PORT"))
    try:
        import ray
    except ImportError:
        raise OptionError(("on", where, "Ray is not installed\nhint: pip install 'windward[ray]'")) from None
    outside = next((name for name in files if PurePath(name).is_absolute() or ".." in PurePath(name).parts), None)
    if outside is not None:
        problem = f"`{outside}` is not in the scenario's folder, so it cannot be sent to a cluster"
        raise OptionError(("on", where, problem))
    sent = {name: (points.folder / name).read_bytes() for name in files}

    def run(jobs: Iterator[Job | None], take: Take, tell: Tell) -> None:
        is_own = not ray.is_initialized()
        if is_own:
            try:
                ray.init(
                    address=None if where == "ray" else where,
                    logging_level=logging.ERROR,
                    log_to_driver=False,
                )
            except (ConnectionError, ray.exceptions.RaySystemError) as error:
                raise OptionError(("on", where, f"no Ray cluster answers: {error}")) from None
        try:
            _run(ray, _Queue(jobs), replace(points, folder=Path()), sent, take, tell)
        finally:
            if is_own:
                ray.shutdown()

    return run


def _run(ray: Any, queue: _Queue, points: Points, files: Mapping[str, bytes], take: Take, tell: Tell) -> None:
    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(work)
    shared = ray.put((points, files))
    under_way: dict[Any, _Batch] = {}
    is_left = True
    try:
        while is_left or under_way:
            slots = _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
            while is_left and len(under_way) < slots:
                batch = queue.next()
                if batch is None:
                    is_left = not queue.is_done
                    break
                under_way[task.remote(shared, _engine.__version__, batch.jobs)] = batch
            ready, _ = ray.wait(list(under_way), num_returns=1, timeout=_POLL) if under_way else ([], [])
            for reference in ready:
                batch = under_way.pop(reference)
                try:
                    found, seconds = ray.get(reference)
                except _lost(ray) as error:
                    _again(queue, batch, error, take)
                    is_left = True
                    continue
                queue.learn(batch.runs, seconds)
                take(found)
            tell(0.0)
    except ray.exceptions.RayTaskError as error:
        raise ValueError(f"the workers of the cluster cannot run the sweep: {_cause(error)}") from None
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)


def _again(queue: _Queue, batch: _Batch, error: Exception, take: Take) -> None:
    """Repeats runs whose workers have died, each alone; a run that ends its worker again has failed."""
    if batch.runs > 1:
        queue.again.extend(batch.split())
        return
    (point, (seed,), cells, _) = batch.jobs[0]
    take([lines.failed(point, seed, cells, f"its worker died {_RETRIES + 1} times: {type(error).__name__}")])


def _lost(ray: Any) -> tuple[type[Exception], ...]:
    """Exceptions of Ray about a worker or an answer that is lost for good."""
    found = ray.exceptions
    return (found.WorkerCrashedError, found.NodeDiedError, found.ObjectLostError, found.OutOfMemoryError)


def _cause(error: Any) -> str:
    cause = getattr(error, "cause", None) or error
    said = str(cause).strip().splitlines() or [type(cause).__name__]
    return said[-1] if isinstance(cause, Exception) and "Traceback" in str(cause) else said[0]


def work(shared: tuple[Points, Mapping[str, bytes]], version: str, jobs: Sequence[Job]) -> tuple[list[bytes], float]:
    """A task: the finished runs, and how long they took, in seconds.

    Raises
    ------
    RuntimeError
        If the worker has another version of Windward.
    """
    if _engine.__version__ != version:
        raise RuntimeError(
            f"a worker has Windward {_engine.__version__}, this is {version}; install the same version on every node"
        )
    points, files = shared
    found: list[bytes] = []
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="windward-") as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        replace(points, folder=Path(folder)).run(iter(jobs), found.extend, lambda _: None, 1)
    return found, time.perf_counter() - began

"""Runs the networks of an evaluation and judges them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward import _engine
from windward._answers.evaluation import Evaluation
from windward._answers.sweep import Sweep
from windward._engines.points import Points
from windward._engines.simulate import count_threads
from windward._engines.sweep import fingerprint, run_points
from windward._evaluate.judge import judged
from windward._evaluate.plan import Planned, plan
from windward._evaluate.request import EvaluationRequest
from windward._evaluate.smallest import Networks
from windward._evaluate.whole import whole
from windward.errors import ResultError
from windward.results._files import replace_text
from windward.results._folder import to_json
from windward.results._interrupts import held_back
from windward.results._place import SUMMARY, holds
from windward.results._reopen import lines_of
from windward.results._shapes import Progress
from windward.results._summary import FORMAT, versions
from windward.results._sweep import (
    RUNS,
    Axis,
    Plan,
    SweepFolder,
    build,
    digest,
    part_name,
    parts,
    points_in_part,
    to_line,
)

if TYPE_CHECKING:
    from windward._engines.points import Job

#: Tables that figures are taken from.
_TABLES = (RUNS, "flows", "links", "flow_windows", "link_windows", "internals", "call_videos", "call_video_series")

#: Rows of a run's largest table, about.
_ROWS = 40


#: Runs of the reference laws, by scenario and seed, as lines of a journal; none outside `shared_references`.
_shared: dict[tuple[str, int], bytes] | None = None


@contextmanager
def shared_references() -> Iterator[None]:
    """Runs the networks under the reference laws once for all evaluations within."""
    global _shared
    _shared = {}
    try:
        yield
    finally:
        _shared = None


def evaluate(
    asked: EvaluationRequest,
    *,
    output: Path,
    threads: int | None = None,
    on: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Evaluation:
    """Runs what is missing in `output`, judges everything and writes the answer.

    Raises
    ------
    windward.RunInterrupted
        On Ctrl-C; what has finished is kept.
    windward.ResultError
        If `output` holds anything else, or cannot be written.
    """
    planned = plan(asked)
    head = _head(asked)
    target = _claim(output, planned, head)
    try:
        _run(planned, target, threads=threads, on=on, progress=progress)
        target.finish()
        _recall(planned, target)
    finally:
        target.close()
    networks = Networks(asked=asked, threads=threads)
    rows = judged(planned, rows_by_run(Sweep(output / "runs")), networks, output)
    replace_text(output / "evaluation.json", to_json({**head, **rows}))
    replace_text(output / SUMMARY, to_json({**head, **rows, "complete": True}))
    return Evaluation(output)


def _run(
    planned: Planned,
    target: SweepFolder,
    *,
    threads: int | None,
    on: str | None,
    progress: Callable[[Progress], None] | None,
) -> None:
    asked = planned.asked
    if not planned.points:
        return
    points = Points(engine="simulate", utility=None, folder=asked.folder, laws=asked.laws, duration_s=30.0)
    workers = count_threads(threads, has_python=asked.has_python)
    run = run_points(on, points, asked.files, workers)
    total, already = target.plan.runs, target.finished

    def tell(under_way: float = 0.0) -> None:
        if progress is not None:
            share = min((target.finished + under_way) / total, 1.0)
            progress(Progress(fraction=share, finished=target.finished, seeds=total, resumed=already / total))

    def take(found: Iterable[bytes]) -> None:
        with held_back():
            for line in found:
                target.take(line)
                _remember(planned, line)

    def jobs() -> Iterator[Job]:
        for at, seeds in target.left():
            point = planned.points[at]
            known = _remembered(planned, at, seeds)
            take(known.values())
            if missing := [seed for seed in seeds if seed not in known]:
                yield at, missing, [point.network, point.law], point.text

    def run_whole() -> None:
        for at, seeds, cells, text in jobs():
            for seed, tables in whole(asked, text, seeds, threads):
                take([to_line(at, seed, cells, tables, None)])
                tell()

    try:
        if asked.series:
            run_whole()
        else:
            run(jobs(), take, tell)
    except KeyboardInterrupt as interrupt:
        raise _engine.RunInterrupted(f"interrupted: {target.finished} of {total} runs finished") from interrupt


def _remember(planned: Planned, line: bytes) -> None:
    """Keeps a run of a reference law for further evaluations."""
    if _shared is None:
        return
    run = json.loads(line)
    point = planned.points[run["point"]]
    if point.law in planned.asked.references and not run["reason"]:
        _shared[point.text, run["seed"]] = line


def _recall(planned: Planned, target: SweepFolder) -> None:
    """Keeps the runs of reference laws of an evaluation that was there before."""
    if _shared is None or all(
        (point.text, seed) in _shared
        for point in planned.points
        if point.law in planned.asked.references
        for seed in planned.asked.seeds
    ):
        return
    axes = [axis.path for axis in target.plan.axes]
    for part in parts(target.path):
        files = {file.parent.name: file for file in target.path.glob(f"*/{part_name(part)}")}
        for line in lines_of(files, RUNS, axes):
            _remember(planned, json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _remembered(planned: Planned, at: int, seeds: Iterable[int]) -> dict[int, bytes]:
    """Runs of a point that an earlier evaluation has made, by seed."""
    if _shared is None:
        return {}
    point = planned.points[at]
    cells = [point.network, point.law]
    found = {seed: _shared[point.text, seed] for seed in seeds if (point.text, seed) in _shared}
    return {
        seed: json.dumps(json.loads(line) | {"point": at, "values": cells}, ensure_ascii=False).encode() + b"\n"
        for seed, line in found.items()
    }


def _claim(path: Path, planned: Planned, head: Mapping[str, Any]) -> SweepFolder:
    """The folder of the runs, within that of the answer."""
    asked = planned.asked
    try:
        path.mkdir(parents=True, exist_ok=True)
        held = holds(path)
        if held not in (None, "evaluate"):
            raise ResultError(f"{path} holds a result of `{held}`; it is not overwritten")
        texts = [point.text for point in planned.points]
        identity = {
            "windward": _engine.__version__,
            "build": build(),
            "engine": "simulate",
            "options": "",
            "scenario": "",
            "files": digest(fingerprint(asked.folder, asked.files), asked.code),
            "points": digest(*texts),
            "seeds": list(asked.seeds),
        }
        axes = [Axis(path=name, kind="text", unit="", scale=1.0) for name in ("network", "stranger")]
        planned_runs = Plan(
            identity=identity,
            axes=axes,
            points=len(texts),
            seeds=asked.seeds,
            part=points_in_part(_ROWS, len(asked.seeds)),
            about={"name": head["name"], "title": head["title"], "of": "simulate", "how": "", "grid": False},
        )
        first = _engine.Scenario.from_json(texts[0], "the first network", asked.folder).to_toml() if texts else ""
        found = SweepFolder(path / "runs", planned_runs, first)
        if held is None:
            replace_text(path / SUMMARY, to_json({**head, "complete": False}))
    except OSError as error:
        raise ResultError(f"{path} cannot be written: {error.strerror}") from error
    return found


def _head(asked: EvaluationRequest) -> dict[str, Any]:
    """Head of the summary."""
    return {
        "windward": _engine.__version__,
        "format": FORMAT,
        "engine": "evaluate",
        "name": asked.text,
        "title": asked.title,
        "law": asked.law,
        "against": list(asked.against),
        "references": list(asked.references),
        "is_full": asked.is_full,
        "suite": None if asked.suite is None else asked.suite.name,
        **({} if asked.transport == "tcp" else {"transport": asked.transport}),
        "only": list(asked.only),
        "seeds": list(asked.seeds),
        "versions": versions(),
    }


def rows_by_run(runs: Sweep) -> dict[tuple[int, int], dict[str, list[dict[str, Any]]]]:
    """Rows of the tables of each run, by point and seed; none of a run that failed."""
    found: dict[tuple[int, int], dict[str, list[dict[str, Any]]]] = {}
    for kind in _TABLES:
        for table in runs.chunks(kind):
            for row in table.to_pylist():
                if kind == RUNS and row["reason"]:
                    row = {"reason": row["reason"]}
                    found.setdefault((0, 0), {}).setdefault("failures", []).append(row)
                    continue
                found.setdefault((row["point"], row["seed"]), {}).setdefault(kind, []).append(row)
    return found

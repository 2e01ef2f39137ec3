"""Runs an engine at every point of a sweep."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward import _engine
from windward._answers.sweep import Sweep
from windward._engines import lines
from windward._engines.collect import choose
from windward._engines.emulate import emulate, why_not
from windward._engines.optimum import split_utility
from windward._engines.points import Points
from windward._engines.simulate import count_threads
from windward._format.design import Design
from windward._format.vary import change, label, worth
from windward.errors import OptionError, nearest
from windward.results._interrupts import held_back
from windward.results._shapes import Progress
from windward.results._sweep import Axis, Plan, SweepFolder, build, digest, points_in_part

if TYPE_CHECKING:
    from windward._engines.points import Job, Take, Tell

#: What can be asked at every point.
ENGINES = ("simulate", "fluid", "optimum", "emulate")

#: Most seeds of a job: what waits to be run is in memory.
_SEEDS = 1000

#: Engines that have no seeds.
_SEEDLESS = ("fluid", "optimum")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A sweep as it was asked for."""

    scenario: _engine.Scenario
    design: Design
    engine: str = "simulate"
    utility: str = "proportional"
    seeds: int | Sequence[int] | None = None
    #: Where the scenario's own files lie.
    folder: Path = field(default_factory=Path)
    #: Laws, schedulers and rules that are Python objects, by the name under which the scenario knows them.
    laws: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    #: Whether code of the scenario's own may run.
    allows_python: bool = True


def sweep(
    asked: Asked,
    *,
    output: Path | None = None,
    is_numbered: bool = False,
    threads: int | None = None,
    on: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Sweep:
    """Runs what of the sweep is not in `output` yet; `Scenario.sweep` says what the arguments mean.

    With `is_numbered` it goes to OUTPUT-2, OUTPUT-3, … where the folder holds another result.
    """
    plain = json.loads(asked.scenario.to_json())
    tried = _try(asked, plain, on)
    plan = _plan(asked, plain, tried)
    is_kept = output is not None
    path = output if output is not None else Path(tempfile.mkdtemp(prefix="windward-sweep-"))
    open_folder = SweepFolder.next if is_numbered else SweepFolder
    target = open_folder(path, plan, asked.scenario.to_toml())
    path = target.path
    workers = count_threads(threads, has_python=bool(tried.classes))
    points = Points(
        engine=asked.engine,
        utility=split_utility(asked.utility) if asked.engine == "optimum" else None,
        folder=asked.folder,
        laws=asked.laws,
        duration_s=asked.scenario.duration_s,
    )
    try:
        files = named(tried.recordings, tried.classes)
        run = _emulate if asked.engine == "emulate" else run_points(on, points, files, workers)
        began = target.finished

        def tell(under_way: float = 0.0) -> None:
            if progress is not None:
                done = target.finished
                share = (done + under_way) / plan.runs
                progress(Progress(fraction=min(share, 1.0), finished=done, seeds=plan.runs, resumed=began / plan.runs))

        def take(lines: Iterable[bytes]) -> None:
            # A run that has finished is kept and counted, whenever Ctrl-C is pressed.
            with held_back():
                for line in lines:
                    target.take(line)

        try:
            run(_jobs(asked, plain, target, take), take, tell)
        except KeyboardInterrupt as interrupt:
            stopped = _engine.RunInterrupted(f"interrupted: {target.finished} of {plan.runs} runs finished")
            stopped.run = Sweep(path, is_kept=is_kept) if target.finished else None
            raise stopped from interrupt
        target.finish()
    except BaseException:
        if not is_kept and not target.finished:
            shutil.rmtree(path, ignore_errors=True)
        raise
    finally:
        target.close()
    return Sweep(path, is_kept=is_kept)


def run_points(
    on: str | None, points: Points, files: Sequence[str], workers: int
) -> Callable[[Iterator[Job | None], Take, Tell], None]:
    """Runner of the points: this machine, or a Ray cluster.

    Raises
    ------
    ValueError
        For another place.
    """
    if on is None:
        return lambda jobs, take, tell: points.run(jobs, take, tell, workers)
    from windward._engines.cluster import run_on

    return run_on(on, points, files)


def _jobs(asked: Asked, plain: Mapping[str, Any], target: SweepFolder, take: Take) -> Iterator[Job]:
    """The points that are left, each with its scenario in JSON; those that cannot be are taken as failed."""
    kinds = [axis.kind for axis in target.plan.axes]
    for point, seeds in target.left():
        values = asked.design.values(point)
        cells = [_cell(value, kind) for value, kind in zip(values, kinds, strict=True)]
        try:
            changed = change(plain, dict(zip(asked.design.paths, values, strict=True)))
        except ValueError as error:
            take(lines.failed(point, seed, cells, str(error)) for seed in seeds)
            continue
        text = json.dumps(changed, ensure_ascii=False)
        for at in range(0, len(seeds), _SEEDS):
            yield point, seeds[at : at + _SEEDS], cells, text


def _cell(value: Any, kind: str) -> Any:
    """A value as its column has it."""
    return label(value) if kind == "text" else value if kind == "integer" else worth(value)[0]


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """Knowledge about the points before the first run."""

    #: What of them is written in Python.
    classes: list[str]
    #: Recordings that they name.
    recordings: set[str]


def _try(asked: Asked, plain: Mapping[str, Any], on: str | None) -> _Tried:
    """Tries every value once.

    Raises
    ------
    ValueError
        If a value cannot be, or the engine has no answer to such a scenario.
    """
    if asked.engine not in ENGINES:
        hint = nearest(asked.engine, ENGINES)
        raise ValueError(f"unknown engine `{asked.engine}`; engines: {', '.join(ENGINES)}{hint}")
    if asked.engine == "emulate" and on is not None:
        raise OptionError(("on", str(on), "an emulation needs this machine's kernel; leave it out"))
    if asked.engine == "emulate" and (reason := why_not()):
        raise _engine.EmulationError(reason)
    if asked.engine in ("simulate", "emulate") and asked.scenario.has_region:
        raise ValueError(
            f"`{asked.engine}` has no answer: a capacity region has no packets\nhint: use `optimum` or `fluid`"
        )
    split_utility(asked.utility)
    if asked.utility != Asked.utility and asked.engine != "optimum":
        raise ValueError(f"utility `{asked.utility}`: `{asked.engine}` has none\nhint: use `optimum`")
    classes = dict.fromkeys(asked.scenario.python_classes)
    recordings = set(asked.scenario.recordings)
    for changes, tried in asked.design.tried():
        text = json.dumps(change(plain, changes), ensure_ascii=False)
        scenario = _engine.Scenario.from_json(text, tried, asked.folder)
        classes |= dict.fromkeys(scenario.python_classes)
        recordings |= set(scenario.recordings)
    if classes and not asked.allows_python:
        names = ", ".join(f"`{name}`" for name in classes)
        raise ValueError(f"running the sweep would run Python code, which was not allowed: class = {names}")
    return _Tried(classes=list(classes), recordings=recordings)


def _seeds(asked: Asked) -> list[int]:
    if asked.engine in _SEEDLESS:
        if asked.seeds is not None:
            problem = f"`{asked.engine}` has no seeds: it answers the same each time"
            raise OptionError(("seeds", str(asked.seeds), problem))
        return []
    return choose(asked.seeds, asked.scenario.seeds[:1] if asked.engine == "emulate" else asked.scenario.seeds)


def _plan(asked: Asked, plain: Mapping[str, Any], tried: _Tried) -> Plan:
    entities, design, seeds = asked.scenario.entities(), asked.design, _seeds(asked)
    how = f"best rates, {asked.utility}" if asked.engine == "optimum" else ""
    rows = max(len(entities["flows"]["flow"]), len(entities["links"]["link"]))
    values = digest(*(json.dumps([path, *column]) for path, column in zip(design.paths, design.columns, strict=True)))
    return Plan(
        identity={
            "windward": _engine.__version__,
            "build": build(),
            "engine": asked.engine,
            "options": how,
            # Its seeds are not what it is.
            "scenario": digest(json.dumps({key: value for key, value in plain.items() if key != "seeds"})),
            "files": fingerprint(asked.folder, named(tried.recordings, tried.classes)),
            "points": digest(values, json.dumps([len(design), design.samples, bool(design.table)])),
            "seeds": seeds,
        },
        axes=[
            Axis(path=path, kind=measure.kind, unit=measure.unit, scale=measure.scale)
            for path, measure in zip(design.paths, design.measures, strict=True)
        ],
        points=len(design),
        seeds=seeds,
        part=points_in_part(rows, len(seeds)),
        about={
            "name": asked.scenario.name,
            "title": asked.scenario.title,
            "of": asked.engine,
            "how": how,
            "grid": design.is_grid,
        },
    )


def named(recordings: Iterable[str], classes: Iterable[str]) -> list[str]:
    """The files that a scenario names: recordings, and those of its classes in Python."""
    return sorted({*recordings, *(spec.rpartition(":")[0] for spec in classes if ".py:" in spec)})


def fingerprint(folder: Path, names: Sequence[str]) -> str:
    """A fingerprint of files of a folder."""
    contents = [(name, folder / name) for name in names]
    return digest(*(part for name, path in contents for part in (name, path.read_bytes() if path.exists() else b"")))


def _emulate(jobs: Iterator[Job], take: Callable[[Iterable[bytes]], None], tell: Callable[[float], None]) -> None:
    """One run after the other, in real time."""
    for point, seeds, cells, text in jobs:
        scenario = _engine.Scenario.from_json(text, f"point {point}", Path())
        for seed in seeds:
            try:
                run = emulate(scenario, seeds=[seed], progress=lambda now: tell(now.fraction))
            except (_engine.EmulationError, _engine.KernelError, OSError) as error:
                take([lines.failed(point, seed, cells, str(error))])
            else:
                take([lines.emulated(point, seed, cells, run)])
            tell(0.0)

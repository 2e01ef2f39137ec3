"""Runs the trials of a search: a sweep whose points follow from the answers of those before.

A generation is asked of the sampler when the one before it has finished, and told in the order of its trials: which
trials there are does not depend on the number of threads. What has been run is kept as a sweep's folder keeps it, so
that an interrupted search asks its sampler again and goes on with the first trial that is missing.
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward import _engine
from windward._answers.sweep import Sweep
from windward._engines import lines
from windward._engines.points import Points
from windward._engines.simulate import count_threads
from windward._engines.sweep import fingerprint, named, run_points
from windward._format.vary import Field, label, measure, worth
from windward._search import space
from windward._search.fair import Fair
from windward._search.objective import Judged, Objective, measured, of_tables
from windward._search.patterns import Patterns
from windward._search.samplers import Sampler, Vector
from windward._search.twin import twinned
from windward.errors import ResultError
from windward.results._files import replace_text
from windward.results._folder import to_json
from windward.results._interrupts import held_back
from windward.results._place import SCENARIO, SUMMARY, holds, numbers
from windward.results._shapes import Progress
from windward.results._summary import FORMAT, versions
from windward.results._sweep import (
    RUNS,
    Axis,
    OtherResultError,
    Plan,
    SweepFolder,
    build,
    digest,
    points_in_part,
)

if TYPE_CHECKING:
    from windward._engines.points import Job

#: Folders with numbers that are tried, at most.
_NUMBERS = 10_000


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search as it was asked for."""

    scenario: _engine.Scenario
    #: The scenario as plain values, under the law that is tuned.
    plain: Mapping[str, Any]
    fields: Sequence[Field]
    objective: Objective
    #: The flows whose law is tuned, by their names in the scenario.
    flows: Sequence[str]
    #: Whether figures are of these flows alone.
    is_of_flows: bool
    seeds: Sequence[int]
    #: Trials at most.
    count: int
    #: Of the sampler, and its name.
    seed: int
    sampler: str
    #: Where the scenario's own files lie.
    folder: Path
    #: Bounds that allow events, if there are any: their genes follow the shares of the fields.
    patterns: Patterns | None = None
    #: Fair shares of the flows without an attack, where the question is about them.
    fair: Fair | None = None
    #: Law of a twin that runs beside each network.
    twin: str | None = None
    #: Laws that are Python objects, by name.
    laws: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def values(self, genome: Vector) -> list[Any]:
        """Values of the fields at a point of the unit cube, and the events."""
        shares, genes = genome[: len(self.fields)], genome[len(self.fields) :]
        values = [space.value(own, float(share)) for own, share in zip(self.fields, shares, strict=True)]
        return values if self.patterns is None else [*values, self.patterns.events(genes)]

    def changed(self, values: Sequence[Any], plain: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The scenario with these values of the fields, and these events."""
        base = self.plain if plain is None else plain
        found = space.changed(base, self.fields, values[: len(self.fields)], self.flows)
        return found if self.patterns is None else self.patterns.applied(found, values[-1])

    @property
    def axes(self) -> list[Axis]:
        """The fields as columns."""
        found = []
        for each in self.fields:
            ends = each.values if each.range is None else space.ends(each)
            scale = measure(ends)
            found.append(Axis(path=each.path, kind=scale.kind, unit=scale.unit, scale=scale.scale))
        if self.patterns is not None:
            found.append(Axis(path="events", kind="text", unit="", scale=1.0))
        return found

    @property
    def chosen(self) -> Sequence[str] | None:
        """The flows that figures are of; None for all."""
        return self.flows if self.is_of_flows else None

    @property
    def files(self) -> list[str]:
        """The files that the scenario names."""
        return named(self.scenario.recordings, self.scenario.python_classes)

    def take_files(self, folder: Path) -> None:
        """Copies the files that the scenario names beside a scenario that is made of it, which runs by itself."""
        for name in self.files:
            # A file elsewhere is found from anywhere, or from nowhere else.
            if ".." in Path(name).parts or Path(name).is_absolute():
                continue
            if (self.folder / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.folder / name, folder / name)

    def head(self, engine: str) -> dict[str, Any]:
        """Head of the summary of a search."""
        return {
            "windward": _engine.__version__,
            "format": FORMAT,
            "engine": engine,
            "name": self.scenario.name,
            "title": self.scenario.title,
            "sampler": self.sampler,
            "seed": self.seed,
            "seeds": list(self.seeds),
            "versions": versions(),
        }

    def plan(self) -> Plan:
        """The search as a sweep, for its folder."""
        entities = self.scenario.entities()
        rows = max(len(entities["flows"]["flow"]), len(entities["links"]["link"]))
        fields = json.dumps([[each.path, each.values, str(each.range)] for each in self.fields])
        if self.patterns is not None:
            fields += str(self.patterns)
        # More trials go on with those that there are: their number is not what the search is.
        asked = [fields, self.objective.text, self.sampler, self.seed, self.is_of_flows, list(self.flows)]
        return Plan(
            identity={
                "windward": _engine.__version__,
                "build": build(),
                "engine": "simulate",
                "options": "",
                "scenario": digest(json.dumps({key: value for key, value in self.plain.items() if key != "seeds"})),
                "files": fingerprint(self.folder, self.files),
                "points": digest(json.dumps(asked)),
                "seeds": list(self.seeds),
            },
            axes=self.axes,
            points=self.count,
            seeds=self.seeds,
            part=points_in_part(rows, len(self.seeds)),
            about={
                "name": self.scenario.name,
                "title": self.scenario.title,
                "of": "simulate",
                "how": f"trials of {self.sampler} for {self.objective.text}",
                "grid": False,
            },
        )


@dataclass(kw_only=True)
class Trials:
    """Trials of a search, under way."""

    search: Search
    target: SweepFolder
    sampler: Sampler
    #: By trial and seed: the figures of each finished run; none of one that failed.
    runs: dict[int, dict[int, dict[str, float]]] = field(default_factory=dict)
    #: By trial: its values.
    values: dict[int, list[Any]] = field(default_factory=dict)
    #: On the monotonic clock: no generation is begun after it.
    deadline: float = math.inf
    generations: int = 0
    #: Whether what is known suffices: no generation is begun then.
    is_enough: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        self._read_kept()

    def jobs(self) -> Iterator[Job | None]:
        """Jobs that are left, generation by generation; None while a generation is under way."""
        search = self.search
        point = 0
        while point < search.count and time.monotonic() < self.deadline and not self.is_enough():
            asked = self.sampler.ask()
            shares = asked[: search.count - point]
            trials = range(point, point + len(shares))
            for trial, share in zip(trials, shares, strict=True):
                yield from self._job(trial, share)
            while any(len(self.runs.get(trial, ())) < len(search.seeds) for trial in trials):
                yield None
            if len(shares) < len(asked):
                # The last generation, cut short: nothing follows from it.
                return
            judged = [self.judge(trial) for trial in trials]
            self.sampler.tell(shares, [self._small(each) for each in judged], [each.violation for each in judged])
            point = trials.stop
            self.generations += 1

    def run(self, *, threads: int | None, on: str | None, progress: Callable[[Progress], None] | None) -> None:
        """Runs what is left, on this machine or a Ray cluster.

        Raises
        ------
        windward.RunInterrupted
            On Ctrl-C.
        """
        scenario, target = self.search.scenario, self.target
        folder = self.search.folder
        points = Points(
            engine="simulate", utility=None, folder=folder, laws=self.search.laws, duration_s=scenario.duration_s
        )
        whole, already = target.plan.runs, target.finished

        def tell(under_way: float = 0.0) -> None:
            if progress is not None:
                share = min((target.finished + under_way) / whole, 1.0)
                progress(Progress(fraction=share, finished=target.finished, seeds=whole, resumed=already / whole))

        workers = count_threads(threads, has_python=bool(scenario.python_classes))
        run = run_points(on, points, self.search.files, workers)
        try:
            run(self.jobs(), self.take, tell)
        except KeyboardInterrupt as interrupt:
            said = f"interrupted: {target.finished} of {whole} runs finished"
            raise _engine.RunInterrupted(said) from interrupt

    def take(self, found: Iterable[bytes]) -> None:
        """Keeps finished runs, whenever Ctrl-C is pressed."""
        with held_back():
            for line in found:
                self._note(json.loads(line))
                self.target.take(line)

    def judge(self, trial: int) -> Judged:
        """Judges a finished trial."""
        return self.search.objective.judge(list(self.runs[trial].values()))

    def judged(self) -> dict[int, Judged]:
        """The trials that have been asked for and run with every seed, judged."""
        each = len(self.search.seeds)
        return {trial: self.judge(trial) for trial in sorted(self.values) if len(self.runs.get(trial, ())) == each}

    def _small(self, judged: Judged) -> tuple[float, ...]:
        goals = self.search.objective.goals
        pairs = zip(goals, judged.goals, strict=True)
        return tuple(math.inf if math.isnan(value) else -goal.sign * value for goal, value in pairs)

    def _job(self, trial: int, share: Vector) -> Iterator[Job]:
        search = self.search
        values = search.values(share)
        self.values[trial] = values
        missing = [seed for seed in search.seeds if seed not in self.runs.get(trial, ())]
        if not missing:
            return
        kinds = [axis.kind for axis in self.target.plan.axes]
        shown = values if search.patterns is None else [*values[:-1], search.patterns.cell(values[-1])]
        cells = [_cell(value, kind) for value, kind in zip(shown, kinds, strict=True)]
        try:
            changed = search.changed(values)
            if search.twin is not None:
                changed = twinned(changed, search.twin)
        except ValueError as error:
            self.take(lines.failed(trial, seed, cells, str(error)) for seed in missing)
            return
        yield trial, missing, cells, json.dumps(changed, ensure_ascii=False)

    def _note(self, line: Mapping[str, Any]) -> None:
        """Learns the figures of a run from its line of the journal."""
        self._learn(line["point"], line["seed"], of_tables(line["tables"], self.search.chosen, self.search.fair))

    def _learn(self, trial: int, seed: int, figures: Mapping[str, float]) -> None:
        names = self.search.objective.names
        self.runs.setdefault(trial, {})[seed] = {name: figures.get(name, math.nan) for name in names}

    def _read_kept(self) -> None:
        """Learns what an interrupted search has run."""
        if self.target.finished:
            for trial, seed, figures in figures_of(Sweep(self.target.path), self.search.chosen, self.search.fair):
                self._learn(trial, seed, figures)


def _cell(value: Any, kind: str) -> Any:
    """A value as a cell of a column of this kind; a field that is left out has no number."""
    if kind == "text":
        return label(value)
    number = worth(value)[0]
    if number is None:
        return math.nan
    return int(number) if kind == "integer" else number


def figures_of(
    found: Sweep, chosen: Sequence[str] | None, fair: Fair | None = None
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Point, seed and figures of each run of a sweep; `measured` says what the arguments mean."""
    rows: dict[str, dict[tuple[int, int], list[dict[str, Any]]]] = {"flows": {}, "flow_windows": {}}
    for kind, own in rows.items():
        for table in found.chunks(kind):
            for row in table.to_pylist():
                own.setdefault((row["point"], row["seed"]), []).append(row)
    for table in found.chunks(RUNS):
        for row in table.to_pylist():
            numbers = {name: value for name, value in row.items() if isinstance(value, float)}
            run = (row["point"], row["seed"])
            flows, windows = (own.get(run, []) for own in rows.values())
            yield *run, measured(numbers, flows, chosen, windows, fair)


def open_search(
    output: Path, search: Search, head: Mapping[str, Any], *, is_numbered: bool
) -> tuple[Path, SweepFolder]:
    """The folder of a search, new or of the same question, and that of its trials.

    Raises
    ------
    ResultError
        If it holds anything else, or cannot be written.
    """
    plan = search.plan()
    candidates = [output]
    if is_numbered:
        candidates += [other for other, _ in zip(numbers(output), range(_NUMBERS), strict=False)]
    for path in candidates:
        try:
            return path, _claim(path, search, plan, head)
        except OtherResultError:
            if path == candidates[-1]:
                raise
    raise AssertionError("the last candidate raises")


def _claim(path: Path, search: Search, plan: Plan, head: Mapping[str, Any]) -> SweepFolder:
    is_new = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        held = holds(path)
        if held is not None and held != head["engine"]:
            raise OtherResultError(f"{path} holds a result of `{held}`; it is not overwritten")
        if held is None:
            replace_text(path / SUMMARY, to_json({**head, "complete": False}))
        target = SweepFolder(path / "trials", plan, search.scenario.to_toml())
        replace_text(path / SCENARIO, search.scenario.to_toml())
    except OSError as error:
        if is_new:
            # With anything in it, it stays.
            with suppress(OSError):
                path.rmdir()
        raise ResultError(f"{path} cannot be written: {error.strerror}") from error
    return target

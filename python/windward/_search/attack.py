"""Searches the network, within bounds, on which a law does worst, and shrinks it to what is needed."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from windward import _engine
from windward._answers.attack import Attack
from windward._answers.run import Run
from windward._engines.lines import simulated
from windward._engines.simulate import count_threads, simulate
from windward._format import shrunk
from windward._format.own import finders
from windward._format.parse import parse
from windward._format.vary import Field, change, label, name_of, read, read_values, split, worth
from windward._search import space
from windward._search.confirm import confirm
from windward._search.fair import Fair, fair, goodputs_of
from windward._search.genetic import Genetic
from windward._search.objective import QUIET, Bound, Goal, Objective, mean_of, of_tables, rows_of
from windward._search.patterns import Event, Patterns, is_pattern, read_generators
from windward._search.presets import bounds_like, default_bounds
from windward._search.questions import Until, read_until
from windward._search.samplers import CmaEs, Sampler, Vector, first
from windward._search.shrink import (
    Bounded,
    entries,
    fewer_lines,
    fewer_members,
    keys,
    named,
    shrink,
    text_of,
    with_members,
    without,
)
from windward._search.trials import Question, Trials, open_search
from windward._search.twin import twinned
from windward._search.why import explain, without_attack
from windward.errors import OptionError
from windward.results._files import replace_text
from windward.results._folder import to_json
from windward.results._place import SCENARIO, SUMMARY, claim
from windward.results._shapes import Progress
from windward.results._summary import number

#: Trials and seeds by default: a find that one seed shows may be a coincidence of phases.
TRIALS, SEEDS = 300, 3

#: Seconds at the end of a run in which nothing happens, by default, where the question is one about them.
QUIET_END_S = 10.0

#: A find holds with so much to spare while it is shrunk.
_MARGIN = 1.1

#: Share of the clean network's goodput that must still be delivered where flows are compared.
_KEPT = 0.5

#: Reference that follows from the scenario's laws.
_AUTO = "auto"

#: Longest find that is confirmed without being asked for, in seconds.
_PATIENCE_S = 120.0

#: Delays and rates that are given with a plus change so long after the start.
_AFTER = "2 s"

#: Number of the best trials that are tried against the reference.
_TRIED = 20


@dataclass(frozen=True, kw_only=True)
class Attacked:
    """An attack as it was asked for."""

    scenario: _engine.Scenario
    #: The scenario as it is written, without defaults: what the find is made of.
    written: Mapping[str, Any]
    until: str
    within: Sequence[str]
    #: A kind of network whose bounds are meant where none are given.
    like: str | None = None
    #: The kind of network whose bounds are meant by default.
    default: str | None = None
    #: The law that must not fail on the same network; None: none; "auto": CUBIC, or Reno where all flows are CUBIC, and
    #: none where flows are compared with their fair shares.
    reference: str | None = "auto"
    seeds: int = SEEDS
    trials: int = TRIALS
    budget_s: float = math.inf
    seed: int = 1
    #: So long before the end of the run patterns are at rest; None: only where the question needs it.
    quiet_end_s: float | None = None
    #: Runs of the find between kernels; 0: none; None: one if this machine can, and the find is short.
    confirm: int | None = 0
    #: Laws of the scenario that are Python objects, by name. Those in files of its folder are refused.
    laws: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    folder: Path = field(default_factory=Path)


def attack(
    asked: Attacked,
    *,
    output: Path,
    is_numbered: bool = False,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Attack:
    """Searches, shrinks what it finds and writes it; `Scenario.attack` says what the arguments mean."""
    deadline = time.monotonic() + asked.budget_s
    until = read_until(asked.until)
    if until.other is not None:
        space.find(until.other, "until", asked.until)
        asked = replace(asked, reference=None)
    asked, quiet_s = _quiet(asked, until)
    asked = _with_defaults(asked, until)
    bounds = _bounds(asked, quiet_s)
    plain, bounded = bounds.plain, bounds.bounded
    tried = Runs(asked, threads, until.other)
    names = tuple(name_of(flow) for flow in plain.get("flow", []))
    flows = len(asked.scenario.entities()["flows"]["flow"])
    if until.kind.is_of_flows and flows < 2:
        said = f"the question compares flows, and the scenario has {flows or 'none'}"
        raise OptionError(("until", asked.until, said))
    if not flows and until.kind.figure not in ("wait-p95", "utilization"):
        raise OptionError(("until", asked.until, "the question is about flows, and the scenario has none"))
    shares = tried.fair(plain) if until.kind.is_fair else None
    clean = tried.figures(plain, shares)
    until = until.of(mean_of(clean, until.kind.figure))
    if until.holds(mean_of(clean, until.kind.figure)):
        figure = mean_of(clean, until.kind.figure)
        shown = f"{100 * figure:.3g} %" if until.kind.unit == "%" else _amount(float(f"{figure:.3g}"), until.kind.unit)
        said = f"it holds already without an attack: {until.kind.label} {shown}"
        raise OptionError(("until", asked.until, said))
    limits: tuple[Bound, ...] = ()
    if until.kind.is_of_flows:
        least = _KEPT * mean_of(clean, "goodput")
        limits = (Bound(name="goodput", is_most=False, limit=least, text="half of the clean network's goodput"),)
    objective = Objective(
        text=asked.until,
        goals=(Goal(name=until.kind.figure, is_large=until.kind.is_large),),
        bounds=limits,
        # The question must hold on every seed.
        is_worst=True,
    )
    question = Question(
        scenario=asked.scenario,
        plain=plain,
        fields=[own.field for own in bounded],
        objective=objective,
        flows=names,
        is_of_flows=False,
        seeds=list(range(1, asked.seeds + 1)),
        count=asked.trials,
        seed=asked.seed,
        sampler="CMA-ES" if bounds.patterns is None else "genetic",
        folder=asked.folder,
        patterns=bounds.patterns,
        fair=shares,
        twin=until.other,
        laws=asked.laws,
    )
    head = _head(asked, question, until)
    path, target = open_search(output, question, head, is_numbered=is_numbered)
    try:
        trials = Trials(question=question, target=target, sampler=_sampler(question, bounded), deadline=deadline)
        judge = Judge(asked=asked, until=until, trials=trials, runs=tried)
        trials.is_enough = lambda: judge.found(_MARGIN) is not None
        trials.run(threads=threads, on=None, progress=progress)
    finally:
        target.close()
    found = judge.found(_MARGIN)
    if found is None:
        found = judge.found(1.0)
    best = min(trials.judged().items(), key=lambda pair: objective.key(pair[1]))[0] if trials.judged() else None
    summary = head | {
        "trials": len(trials.judged()),
        "clean": {name: number(mean_of(clean, name)) for name in clean[0]},
        "closest": None if best is None else number(trials.judged()[best].goals[0]),
        "complete": True,
        "shared": len([trial for trial, is_shared in judge.shared.items() if is_shared]),
        "found": None,
    }
    if found is not None:
        writer = Writer(
            asked=asked,
            until=until,
            question=question,
            runs=tried,
            judge=judge,
            bounds=bounds,
            progress=progress,
        )
        summary["found"] = writer.write(path, trials.values[found], is_spared=judge.holds_everywhere(found, _MARGIN))
    replace_text(path / SUMMARY, to_json(summary))
    return Attack(path)


@dataclass
class Runs:
    """Runs of single scenarios on all seeds of the attack."""

    asked: Attacked
    threads: int | None
    #: The law of a twin beside each network.
    twin: str | None = None

    #: Fair shares of networks, by their text.
    known: dict[str, Fair] = field(default_factory=dict)

    def figures(
        self, plain: Mapping[str, Any], fair: Fair | None = None, *, seeds: Sequence[int] | None = None
    ) -> list[dict[str, float]]:
        """Figures of each seed; empty where a run fails."""
        return [{} if own is None else of_tables(own, None, fair) for own in self._tables(plain, seeds)]

    def fair_under(self, clean: Mapping[str, Any], attacked: Mapping[str, Any]) -> Fair:
        """Fair shares of a network, which is another without an attack, as far as the attack leaves them."""
        text = json.dumps(attacked, ensure_ascii=False)
        return self.fair(clean).under(_engine.Scenario.from_json(text, "the attack", self.asked.folder))

    def fair(self, plain: Mapping[str, Any]) -> Fair:
        """Fair shares of a network, which has no attack."""
        text = json.dumps(plain, ensure_ascii=False)
        if text not in self.known:
            runs = [goodputs_of(rows_of(own["flows"])) for own in self._tables(plain) if own is not None]
            scenario = _engine.Scenario.from_json(text, "the network without the attack", self.asked.folder)
            self.known[text] = fair(scenario, runs)
        return self.known[text]

    def _tables(
        self, plain: Mapping[str, Any], seeds: Sequence[int] | None = None
    ) -> list[Mapping[str, Mapping[str, Any]] | None]:
        """Tables of the totals of each seed; None where a run fails."""
        pool = _engine.Sweep(
            "simulate",
            threads=count_threads(self.threads),
            folder=self.asked.folder,
            **finders(self.asked.laws, self.asked.folder),
        )
        seeds = list(range(1, self.asked.seeds + 1)) if seeds is None else list(seeds)
        whole = plain if self.twin is None else twinned(plain, self.twin)
        pool.submit(0, json.dumps(whole, ensure_ascii=False), seeds)
        found: dict[int, Mapping[str, Mapping[str, Any]] | None] = {}
        try:
            while len(found) < len(seeds):
                for _, seed, answer, _ in pool.wait(0.1):
                    found[seed] = None if answer is None else simulated(answer)
        finally:
            pool.cancel()
        return [found[seed] for seed in seeds]

    def resolved(self, written: Mapping[str, Any]) -> str | None:
        """A scenario with its defaults, as JSON; None for one that cannot be."""
        try:
            return _engine.Scenario.from_json(json.dumps(written), "the find", self.asked.folder).to_json()
        except ValueError:
            return None


def _with_defaults(asked: Attacked, until: Until) -> Attacked:
    """The attack with bounds and a reference, where none are given."""
    if not asked.within and asked.like is None:
        plain = json.loads(asked.scenario.to_json())
        kind, within = default_bounds(plain, is_of_flows=until.kind.is_of_flows)
        asked = replace(asked, within=within, default=kind)
    if asked.reference == _AUTO:
        laws = {str(own["law"]["name"]) for own in json.loads(asked.scenario.to_json()).get("flow", [])}
        law = "reno" if laws == {"cubic"} else "cubic"
        asked = replace(asked, reference=None if until.kind.is_fair else law)
    return asked


def _quiet(asked: Attacked, until: Until) -> tuple[Attacked, float]:
    """The attack with a window for its quiet end, where it has one, and that end's length.

    Raises
    ------
    OptionError
        For an end that leaves no time for an attack.
    """
    quiet_s = asked.quiet_end_s
    if quiet_s is None:
        quiet_s = QUIET_END_S if until.kind.is_quiet else 0.0
    scenario = asked.scenario
    if quiet_s < 0 or quiet_s > scenario.duration_s - max(scenario.warmup_s, 1.0):
        said = f"{quiet_s:g} s at the end of {scenario.duration_s:g} s leave no time for an attack"
        raise OptionError(("quiet_end", f"{quiet_s:g} s", said))
    if until.kind.figure == "gap" and until.limit > quiet_s:
        raise OptionError(("until", asked.until, f"the quiet end of {quiet_s:g} s is shorter; give a longer one"))
    return asked, quiet_s


def _with_window(side: dict[str, Any], begin_s: float, end_s: float) -> dict[str, Any]:
    window = {"name": QUIET, "from": f"{begin_s:.12g} s", "to": f"{end_s:.12g} s"}
    output = dict(side.get("output", {}))
    others = [own for own in output.get("windows", []) if own.get("name") != QUIET]
    return {**side, "output": {**output, "windows": [*others, window]}}


@dataclass(kw_only=True)
class Bounds:
    """Bounds of an attack: fields, and patterns of events."""

    #: The scenario with changes that do nothing yet, as resolved and as written.
    plain: dict[str, Any]
    written: dict[str, Any]
    bounded: list[Bounded]
    patterns: Patterns | None


def _bounds(asked: Attacked, quiet_s: float) -> Bounds:
    """The bounds as fields and patterns.

    Raises
    ------
    OptionError
        For bounds that name nothing, or allow nothing.
    """
    plain: dict[str, Any] = json.loads(asked.scenario.to_json())
    written: dict[str, Any] = json.loads(json.dumps(asked.written))
    within = list(asked.within)
    if asked.like is not None:
        within += bounds_like(asked.like, plain)
    if any(name not in asked.laws for name in asked.scenario.python_classes):
        raise ValueError("an attack runs no Python from files: give the laws as objects, from Python")
    end_s = asked.scenario.duration_s - quiet_s
    generators = [own for text in within if is_pattern(text) for own in read_generators(plain, text)]
    if quiet_s:
        plain, written = (_with_window(side, end_s, asked.scenario.duration_s) for side in (plain, written))
    if quiet_s and (cheats := next((own for own in generators if own.flow), None)) is not None:
        raise OptionError(("within", cheats.text, "a receiver cheats until the end: nothing is at rest before"))
    found: list[Bounded] = []
    steps: dict[str, int] = {}
    for text in within:
        if not is_pattern(text):
            plain, written, more = _fields(plain, written, text, steps, asked.folder)
            found += more
            _refuse_twice([own.name for own in found])
            for bound in more:
                for end in space.ends(bound.field):
                    _refuse(change(plain, {bound.field.path: end}), text, label(end), asked.folder)
                if space.is_single(bound.field):
                    raise OptionError(("within", text, "the range has one value; there is nothing to search"))
    _refuse_twice([f"receiver.{own.flow}.{own.key}" for own in generators if own.flow])
    patterns = None
    if generators:
        patterns = Patterns(generators=tuple(generators), end_ms=1e3 * end_s, is_quiet=quiet_s > 0)
        for at, own in enumerate(generators):
            if own.flow:
                for value in (own.range.start, own.range.stop):
                    event = Event(of=at, at_ms=0.0, on_ms=0.0, off_ms=0.0, value=value)
                    _refuse(patterns.applied(plain, [event]), own.text, patterns.describe(event), asked.folder)
    return Bounds(plain=plain, written=written, bounded=found, patterns=patterns)


def _refuse_twice(bounded: Sequence[str]) -> None:
    """Refuses bounds of which two hold for one field."""
    for at, name in enumerate(bounded):
        if name in bounded[:at]:
            raise OptionError(("within", name, "given twice"))


def _refuse(plain: Mapping[str, Any], text: str, value: str, folder: Path) -> None:
    """Refuses a bound whose end no scenario can have."""
    try:
        _engine.Scenario.from_json(json.dumps(plain, ensure_ascii=False), "the bound", folder)
    except ValueError as error:
        raise OptionError(("within", text, f"{value}: {str(error).removeprefix('the bound: ')}")) from None


def _fields(
    plain: dict[str, Any], written: dict[str, Any], text: str, steps: dict[str, int], folder: Path
) -> tuple[dict[str, Any], dict[str, Any], list[Bounded]]:
    """The fields that a bound names, and both scenarios with what is needed to vary them.

    `steps` has the number of each link's change whose fields step.
    """
    found: list[Bounded] = []
    path, equals, values = text.partition("=")
    if not equals:
        raise OptionError(("within", text, "give a field and its range, as in 'link.air.delay=+0..20 ms'"))
    is_step = values.strip().startswith("+")
    parts = split(path.strip())
    if parts[0] == "traffic" or (parts[0] == "link" and parts[2:] == ["up"]):
        example = "pattern 1..20 Mbit/s" if parts[0] == "traffic" else "pattern 10..200 ms"
        raise OptionError(("within", text, f"such a bound is a pattern, as in '{path.strip()}={example}'"))
    for own in _expanded(plain, path.strip()):
        present = next(iter(read(plain, own)), None)
        spread = space.spread(own, values.strip().lstrip("+"), "within", text)
        is_added = False
        if spread.range is None:
            raise OptionError(("within", text, "a range is needed, as in 0..20 ms"))
        if is_step:
            found.append(_step(plain, written, own, present, spread, steps, text))
            continue
        # Jitter is written as its maximum.
        if own.endswith(".jitter"):
            if present is not None and present.get("model") != "uniform":
                raise OptionError(("within", text, f"`{own}` is not uniform; give the bounds of one of its fields"))
            is_added = present is None
            if is_added:
                plain, written = (change(side, {own: {"model": "uniform", "max": "0 ms"}}) for side in (plain, written))
            own, present = f"{own}.max", "0 ms" if present is None else present["max"]
            spread = replace(spread, path=own)
        if present is None and own.startswith("flow.") and split(own)[-1] in space.RECEIVERS:
            # A receiver that is honest: one ACK in the place of one, or no other.
            found.append(Bounded(field=spread, neutral=space.RECEIVERS[split(own)[-1]], name=own))
            continue
        if present is None:
            # The reason why the scenario cannot have the field comes first, such as its spelling.
            least = space.value(spread, 0.0)
            _refuse(change(plain, {own: least}), text, label(least), folder)
            raise OptionError(("within", text, f"`{own}` has no value now; write one in the scenario"))
        found.append(Bounded(field=spread, neutral=present, name=own, is_added=is_added))
    return plain, written, found


def _expanded(plain: Mapping[str, Any], path: str) -> list[str]:
    """A path with `*`, by numbers: every entry is attacked by itself."""
    parts = split(path)
    if "*" not in parts:
        return [path]
    at = parts.index("*")
    entries = plain.get(parts[0])
    if at != 1 or not isinstance(entries, list) or not entries:
        raise OptionError(("within", path, "`*` stands for the entries of a list, as in link.*.delay"))
    # Flows and links have names, or numbers.
    return [".".join([parts[0], str(own.get("name", number)), *parts[2:]]) for number, own in enumerate(entries)]


def _step(
    plain: dict[str, Any],
    written: dict[str, Any],
    path: str,
    present: Any,
    spread: Field,
    steps: dict[str, int],
    text: str,
) -> Bounded:
    """A field of a link that steps from its present value by the range, after a while and for ever."""
    parts = split(path)
    value, unit, _, _ = worth(present)
    worths = [worth(spread.range.at(at)) for at in (0.0, 1.0)] if spread.range else []
    ends = [end for end, *_ in worths]
    link = next((own for own in plain.get("link", []) if own.get("name") == parts[1]), None)
    if parts[0] != "link" or len(parts) != 3 or link is None or value is None or None in ends:
        raise OptionError(("within", text, "a step, written with +, is one of a field of a link with a name"))
    if unit and any(of != unit for end, of, *_ in worths if end or of):
        said = f"the range of a step needs a unit of `{parts[2]}`, as in +{_STEPS.get(unit, f'0..1 {unit}')}"
        raise OptionError(("within", text, said))
    if not unit and any(of for _, of, *_ in worths):
        raise OptionError(("within", text, f"`{parts[2]}` has no unit; write the range as in +0..2 %"))
    # A link has one change at a time: all its steps are in one table.
    at = steps.setdefault(parts[1], len(plain.get("change", [])))
    for side in (plain, written):
        changes = side.setdefault("change", [])
        if at == len(changes):
            changes.append({"link": parts[1], "at": _AFTER})
        changes[at][parts[2]] = present
    low, high = (_amount(value + float(end or 0), unit) for end in ends)
    stepped = read_values(f"change.{at}.{parts[2]}", f"{low}..{high}")
    return Bounded(field=stepped, neutral=present, name=f"{path} after {_AFTER}")


#: Examples of the range of a step, by the unit of the field.
_STEPS = {"s": "0..20 ms", "bit/s": "0..5 Mbit/s", "B": "0..50 kB", "packets": "0..50 packets"}


def _amount(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value * 1e3:.12g} ms"
    return f"{value / 1e3:.12g} kbit/s" if unit == "bit/s" else f"{value:.12g} {unit}".rstrip()


def _sampler(question: Question, bounded: Sequence[Bounded]) -> Sampler:
    """The sampler: of fields alone CMA-ES from a Latin hypercube, of events a genetic algorithm from known attacks."""
    shares = [space.share_of(own.field, own.neutral) for own in bounded]
    if question.patterns is None:
        return CmaEs(first(shares, question.seed), question.seed)
    patterns = question.patterns
    # The clean run first.
    genomes: list[Vector] = [np.array([*shares, *patterns.genes([])])]
    genomes += [np.array([*shares, *patterns.genes(own)]) for own in patterns.templates()]
    if shares:
        genomes += [np.array([*point, *patterns.genes([])]) for point in first(shares, question.seed)[1:]]
    return Genetic(genomes, question.seed, patterns.layout(len(shares)))


def _head(asked: Attacked, question: Question, until: Until) -> dict[str, Any]:
    patterns = question.patterns
    return question.head("attack") | {
        "until": asked.until,
        "says": until.says,
        "figure": until.kind.figure,
        "label": until.kind.label,
        "unit": until.kind.unit,
        "within": [*asked.within, *([f"like {asked.like}"] if asked.like else [])],
        "default": asked.default,
        "quiet_from_s": patterns.end_ms / 1e3 if patterns is not None and patterns.is_quiet else None,
        "reference": asked.reference,
    }


@dataclass(kw_only=True)
class Judge:
    """Judgement of the trials beside the reference law."""

    asked: Attacked
    until: Until
    trials: Trials
    runs: Runs
    #: By trial: whether the reference law suffers the same there, which is then no fault of the law.
    shared: dict[int, bool] = field(default_factory=dict)
    #: By trial: whether it holds in the second half of the measured time too, and is no matter of the beginning.
    lasting: dict[int, bool] = field(default_factory=dict)

    def found(self, margin: float) -> int | None:
        """The best trial that holds on every seed by a margin, and not under the reference law too."""
        judged = self.trials.judged()
        key = self.trials.question.objective.key
        for trial in sorted(judged, key=lambda trial: (key(judged[trial]), trial))[:_TRIED]:
            if not self.holds_everywhere(trial, margin):
                # The best first: none of the others holds either.
                return None
            if not self._is_shared(trial) and self._is_left(trial, margin) and self._lasts(trial):
                return trial
        return None

    def holds_everywhere(self, trial: int, margin: float) -> bool:
        """Returns true if the question holds on every seed by a margin, within all bounds."""
        runs = self.trials.runs[trial]
        if len(runs) < len(self.trials.question.seeds) or not self.trials.judge(trial).is_feasible:
            return False
        return all(self.until.holds(run[self.until.kind.figure], margin) for run in runs.values())

    def _plain(self, trial: int) -> dict[str, Any]:
        return self.trials.question.changed(self.trials.values[trial])

    def _lasts(self, trial: int) -> bool:
        if not self.until.kind.is_of_flows:
            return True
        if trial not in self.lasting:
            clean, plain = (
                _later(own, self.asked.scenario) for own in (self.trials.question.plain, self._plain(trial))
            )
            runs = self.runs.figures(plain, self.fair(clean, plain))
            self.lasting[trial] = all(self.until.holds(run.get(self.until.kind.figure, math.nan)) for run in runs)
        return self.lasting[trial]

    def _is_shared(self, trial: int) -> bool:
        if trial not in self.shared:
            self.shared[trial] = self.suffers(self._plain(trial), self.trials.question.plain)
        return self.shared[trial]

    def suffers(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> bool:
        """Returns true if the question holds for the reference law on a network, which is another without an attack."""
        return self.asked.reference is not None and self._reference_until.holds(self.under_reference(plain, clean))

    def under_reference(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> float:
        """Figure of a network under the reference law; its fair shares are those under that law."""
        law = str(self.asked.reference)
        return mean_of(
            self.runs.figures(_under(plain, law), self.fair(_under(clean, law), plain)), self.until.kind.figure
        )

    def fair(self, clean: Mapping[str, Any], attacked: Mapping[str, Any]) -> Fair | None:
        """The fair shares that an attack leaves, where the question is about them."""
        return self.runs.fair_under(clean, attacked) if self.until.kind.is_fair else None

    def _is_left(self, trial: int, margin: float) -> bool:
        """Returns true if flows fall short of what the attack leaves for them, and not only of what they had."""
        if not self.until.kind.is_fair:
            return True
        plain = self._plain(trial)
        runs = self.runs.figures(plain, self.fair(self.trials.question.plain, plain))
        return all(self.until.holds(run.get(self.until.kind.figure, math.nan), margin) for run in runs)

    @cached_property
    def _reference_until(self) -> Until:
        """The question for the reference law: a share is one of what that law has on the clean network."""
        asked = read_until(self.asked.until)
        if not asked.kind.is_share or self.asked.reference is None:
            return asked
        clean = _under(self.trials.question.plain, self.asked.reference)
        return asked.of(mean_of(self.runs.figures(clean), asked.kind.figure))


def _later(plain: Mapping[str, Any], scenario: _engine.Scenario) -> dict[str, Any]:
    """The scenario with figures of the second half of its measured time."""
    return {**plain, "warmup": f"{(scenario.warmup_s + scenario.duration_s) / 2:.12g} s"}


def _under(plain: Mapping[str, Any], law: str) -> dict[str, Any]:
    flows = [{**own, "law": {"name": law}} for own in plain.get("flow", [])]
    return {**plain, "flow": flows}


@dataclass(kw_only=True)
class Writer:
    """Shrinks a find and writes it, with what each of its parts is needed for."""

    asked: Attacked
    until: Until
    question: Question
    runs: Runs
    judge: Judge
    bounds: Bounds
    progress: Callable[[Progress], None] | None = None

    def write(self, path: Path, values: Sequence[Any], *, is_spared: bool) -> dict[str, Any]:
        """Writes the find as a scenario without defaults; returns its part of the summary."""
        margin = _MARGIN if is_spared else 1.0
        bounded, patterns = self.bounds.bounded, self.bounds.patterns
        self._lessen(values, margin)
        plain = self.question.plain
        small = shrink(
            values, bounded, patterns, lambda tried: self._holds(self.question.changed(tried), plain, margin)
        )
        file = self._file(small)
        # One entry may make several flows.
        flows = min(2 if self.until.kind.is_of_flows else 1, len(file.get("flow", [])))
        neutral = {
            own.field.path: own.neutral for at, own in enumerate(bounded) if label(small[at]) != label(own.neutral)
        }
        if patterns is not None:
            neutral |= patterns.neutral(small[-1])

        def clean(tried: Mapping[str, Any]) -> dict[str, Any]:
            return without_attack(tried, self.asked.written, neutral)

        file = fewer_lines(file, self.runs.resolved, lambda tried: self._holds(tried, clean(tried), margin), flows)
        (path / "find").mkdir(exist_ok=True)
        replace_text(path / "find" / SCENARIO, shrunk.to_toml(file))
        replayed = json.loads(self.runs.resolved(file) or "{}")
        shares = self.judge.fair(clean(file), file)
        runs = self.runs.figures(replayed, shares)
        run = self._simulate(parse(path / "find" / SCENARIO), path / "find" / "run")
        why = self._why(clean(file), run, replayed, path)
        figure = self.until.kind.figure
        reference = None
        if self.asked.reference is not None:
            reference = number(self.judge.under_reference(file, clean(file)))
        return {
            "value": number(mean_of(runs, figure)),
            "values": [number(run.get(figure, math.nan)) for run in runs],
            "goodput": number(mean_of(runs, "goodput")),
            "clean": self._clean(clean(file)),
            "fresh": [number(own.get(figure, math.nan)) for own in self._fresh(replayed, shares)],
            "worst": _worst(run, shares),
            "reference": reference,
            "changes": self._changes(small),
            "lines": self._lines(file, clean),
            "why": why,
            "kernels": self._confirm(file, run, shares, path),
            "holds": all(self.until.holds(run.get(figure, math.nan)) for run in runs),
        }

    def _lessen(self, values: Sequence[Any], margin: float) -> None:
        """Makes groups of nodes as small as the question allows: fewer flows are easier to understand, and faster."""

        def holds(sizes: Mapping[int, int]) -> bool:
            plain = with_members(self.question.plain, sizes)
            if self.runs.resolved(plain) is None:
                return False
            return self._holds(self.question.changed(values, plain), plain, margin)

        sizes = fewer_members(self.question.plain, holds)
        self.question = replace(self.question, plain=with_members(self.question.plain, sizes))
        self.bounds = replace(self.bounds, written=with_members(self.bounds.written, sizes))

    def _simulate(self, scenario: _engine.Scenario, output: Path) -> Run:
        with claim(output, "replace") as place:
            return simulate(
                scenario, folder=self.asked.folder, laws=self.asked.laws, threads=self.runs.threads, place=place
            )

    def _why(
        self, clean: Mapping[str, Any], run: Run, replayed: Mapping[str, Any], path: Path
    ) -> dict[str, Any] | None:
        """Runs the network without the attack, and says from when on and why the find differs."""
        resolved = self.runs.resolved(clean)
        if resolved is None:
            return None
        scenario = _engine.Scenario.from_json(resolved, "the find without the attack", self.asked.folder)
        return explain(run, self._simulate(scenario, path / "find" / "clean"), replayed)

    def _clean(self, clean: Mapping[str, Any]) -> dict[str, float | None]:
        """Figures of the find's network without the attack."""
        if self.runs.resolved(clean) is None:
            return {}
        runs = self.runs.figures(clean, self.judge.fair(clean, clean))
        return {name: number(mean_of(runs, name)) for name in (self.until.kind.figure, "goodput")}

    def _fresh(self, replayed: Mapping[str, Any], shares: Fair | None) -> list[dict[str, float]]:
        """Figures of as many seeds again, for which nothing was searched."""
        seeds = range(self.asked.seeds + 1, 2 * self.asked.seeds + 1)
        return self.runs.figures(replayed, shares, seeds=seeds)

    def _confirm(self, file: Mapping[str, Any], run: Run, shares: Fair | None, path: Path) -> dict[str, Any] | None:
        runs = self.asked.confirm
        if runs is None:
            if run.duration_s > _PATIENCE_S:
                said = f"the find takes {run.duration_s:g} s in real time; it is confirmed if asked for"
                return {"runs": 0, "skipped": said}
            runs = 1
        if not runs:
            return None
        goodputs = run.flows.groupby("flow", sort=False)["goodput_bps"].mean()
        return confirm(
            file,
            self.until,
            {str(flow): float(goodput) for flow, goodput in goodputs.items()},
            runs=runs,
            fair=shares,
            folder=self.asked.folder,
            output=path / "find" / "kernels",
            progress=self.progress,
        )

    def _holds(self, plain: Mapping[str, Any], clean: Mapping[str, Any], margin: float) -> bool:
        if self.until.kind.is_fair and self.runs.resolved(clean) is None:
            return False
        runs = self.runs.figures(plain, self.judge.fair(clean, plain))
        if not self.question.objective.judge(runs).is_feasible:
            return False
        if not all(self.until.holds(run.get(self.until.kind.figure, math.nan), margin) for run in runs):
            return False
        # A smaller find must be the law's own too.
        return not self.judge.suffers(plain, clean)

    def _file(self, values: Sequence[Any]) -> dict[str, Any]:
        """The find as it is written, without changes that do nothing."""
        bounded = self.bounds.bounded
        needed = [at for at, own in enumerate(bounded) if label(values[at]) != label(own.neutral)]
        file = change(self.bounds.written, {bounded[at].field.path: values[at] for at in needed})
        used = {int(split(path)[1]) for at in needed if (path := bounded[at].field.path).startswith("change.")}
        before = len(self.asked.written.get("change", []))
        for at, own in enumerate(bounded):
            path = own.field.path
            if at not in needed and own.is_added:
                file = shrunk.without(file, path.removesuffix(".max"))
            if at not in needed and path.startswith("change.") and int(split(path)[1]) in used:
                file = shrunk.without(file, path)
        if "change" in file:
            file["change"] = [own for at, own in enumerate(file["change"]) if at < before or at in used]
            file = {key: value for key, value in file.items() if key != "change" or value}
        if self.bounds.patterns is not None:
            file = self.bounds.patterns.applied(file, values[-1])
        return {**file, "seeds": self.asked.seeds}

    def _changes(self, values: Sequence[Any]) -> list[dict[str, Any]]:
        """Each change with the figure if it alone is left out."""
        rows = []
        for at, own in enumerate(self.bounds.bounded):
            if label(values[at]) != label(own.neutral):
                left = [*values[:at], own.neutral, *values[at + 1 :]]
                rows.append((own.name, _alike(own.neutral, own.field), label(values[at]), left))
        if self.bounds.patterns is not None:
            events: list[Event] = list(values[-1])
            for at, event in enumerate(events):
                own_text = self.bounds.patterns.describe(event)
                generator = self.bounds.patterns.generators[event.of]
                rest = "–" if generator.neutral is None else label(generator.neutral)
                if generator.key == "up":
                    rest = "up"
                left = [*values[:-1], [*events[:at], *events[at + 1 :]]]
                rows.append((generator.path, rest, own_text, left))
        return [
            {"field": name, "clean": clean, "attack": there, "without": self._figure(self.question.changed(left))}
            for name, clean, there, left in rows
        ]

    def _figure(self, plain: Mapping[str, Any]) -> float | None:
        return self._figure_of(plain, self.question.plain)

    def _figure_of(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> float | None:
        if self.until.kind.is_fair and self.runs.resolved(clean) is None:
            return None
        found: float | None = number(
            mean_of(self.runs.figures(plain, self.judge.fair(clean, plain)), self.until.kind.figure)
        )
        return found

    def _lines(
        self, file: Mapping[str, Any], clean: Callable[[Mapping[str, Any]], dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Every part of the file: the figure without it, or nothing where no network is left."""
        rows = []
        for place in [*entries(file), *keys(file)]:
            tried = without(file, place)
            is_network = self.runs.resolved(tried) is not None
            rows.append(
                {
                    "line": named(file, place),
                    "content": text_of(file, place),
                    "is_network": is_network,
                    "without": self._figure_of(tried, clean(tried)) if is_network else None,
                    "holds": is_network and self._holds(tried, clean(tried), 1.0),
                }
            )
        return rows


def _worst(run: Run, shares: Fair | None) -> dict[str, Any] | None:
    """The flow that falls farthest short of its fair share, over the seeds."""
    if shares is None:
        return None
    goodputs = {
        str(flow): float(own) for flow, own in run.flows.groupby("flow", sort=False)["goodput_bps"].mean().items()
    }
    short = shares.shortfalls(goodputs)
    if not short:
        return None
    flow = max(short, key=lambda own: short[own])
    return {"flow": flow, "goodput": number(goodputs[flow]), "fair": number(short[flow] * goodputs[flow])}


def _alike(value: Any, own: Field) -> str:
    """A value in the unit of a field's range, where shares are written as numbers otherwise."""
    if value is None:
        return "–"
    if own.range is not None and own.range.unit == "%" and isinstance(value, int | float):
        return f"{100 * value:g} %"
    return label(value)

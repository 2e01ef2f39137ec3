"""Searches the network, within bounds, on which a law does worst, and shrinks it to what is needed."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from windward import _engine
from windward._answers.attack import Attack
from windward._engines.lines import simulated
from windward._engines.simulate import count_threads, simulate
from windward._format import shrunk
from windward._format.parse import parse
from windward._format.vary import Field, change, label, read, read_values, split, worth
from windward._search import space
from windward._search.objective import Bound, Goal, Objective, mean_of, of_tables
from windward._search.samplers import CmaEs, first
from windward._search.trials import Question, Trials, open_search
from windward.errors import OptionError
from windward.results._files import replace_text
from windward.results._folder import to_json
from windward.results._place import SCENARIO, SUMMARY, claim
from windward.results._shapes import Progress
from windward.results._summary import number
from windward.show._attack import named

#: Trials and seeds by default: a find that one seed shows may be a coincidence of phases.
TRIALS, SEEDS = 300, 3

#: A find holds with so much to spare while it is shrunk.
_MARGIN = 1.1

#: Of what the clean network delivers, so much must still be delivered where flows are compared.
_KEPT = 0.5

#: Delays and rates that are given with a plus change so long after the start.
_AFTER = "2 s"

#: So many of the best trials are tried against the reference.
_TRIED = 20


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A question that an attack may ask."""

    figure: str
    is_large: bool
    #: By default, as written.
    limit: str
    #: What holds then, with the limit.
    says: str
    #: Whether flows are compared.
    is_of_flows: bool = False
    #: Whether the limit is a share of what the clean network has.
    is_share: bool = False


KINDS: Mapping[str, Kind] = {
    "starves": Kind(
        figure="ratio", is_large=True, limit="10", says="a flow has {} times another's goodput", is_of_flows=True
    ),
    "unfair": Kind(
        figure="ratio", is_large=True, limit="3", says="a flow has {} times another's goodput", is_of_flows=True
    ),
    "bloats": Kind(figure="wait-p95", is_large=True, limit="100 ms", says="5 % of the packets wait {} or longer"),
    "idles": Kind(
        figure="utilization",
        is_large=False,
        limit="50%",
        says="the busiest link carries at most {} of what it did",
        is_share=True,
    ),
    "loses": Kind(figure="loss", is_large=True, limit="5%", says="at least {} of the segments are lost"),
}


@dataclass(frozen=True, kw_only=True)
class Until:
    """The question: a kind, with its limit in base units."""

    kind: Kind
    limit: float
    text: str

    def of(self, clean: float) -> Until:
        """The question where the clean network has this figure."""
        return replace(self, limit=self.limit * clean) if self.kind.is_share else self

    def holds(self, value: float, margin: float = 1.0) -> bool:
        """Returns true if a figure is beyond the limit, by this factor."""
        return value >= self.limit * margin if self.kind.is_large else value <= self.limit / margin

    @property
    def says(self) -> str:
        """The answer in words, if it holds."""
        return self.kind.says.format(self.text)


def read_until(text: str) -> Until:
    """Reads a question such as `unfair:3`, `bloats:100ms` and `idles`.

    Raises
    ------
    OptionError
        For another question or limit.
    """
    name, _, limit = text.partition(":")
    if name not in KINDS:
        raise OptionError(("until", text, f"unknown question; questions: {', '.join(KINDS)}"))
    kind = KINDS[name]
    limit = limit or kind.limit
    value, unit, *_ = worth(limit if re.search(r"[^\d.eE+-]", limit) else float(limit))
    expected = "s" if kind.figure == "wait-p95" else ""
    if value is None or unit != expected or not value > 0 or (kind.is_of_flows and value <= 1):
        raise OptionError(("until", text, f"`{limit}` is no limit for `{name}`; write it as in {name}:{kind.limit}"))
    return Until(kind=kind, limit=value, text=limit)


@dataclass(frozen=True, kw_only=True)
class Attacked:
    """An attack as it was asked for."""

    scenario: _engine.Scenario
    #: The scenario as it is written, without defaults: what the find is made of.
    written: Mapping[str, Any]
    until: str
    within: Sequence[str]
    #: The law that must not fail on the same network; None: no comparison.
    reference: str | None = "cubic"
    seeds: int = SEEDS
    trials: int = TRIALS
    budget_s: float = math.inf
    seed: int = 1
    folder: Path = field(default_factory=Path)


@dataclass(frozen=True, kw_only=True)
class Bounded:
    """A field that the attack may change."""

    field: Field
    #: The value that does nothing.
    neutral: Any
    #: As the person who asked would call it.
    name: str
    #: Whether the field was put into the scenario to be varied.
    is_added: bool = False


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
    plain, written, bounded = _bounds(asked)
    tried = Runs(asked, threads)
    names = tuple(str(flow["name"]) for flow in plain.get("flow", []))
    clean = tried.figures(plain)
    if until.kind.is_of_flows and len(asked.scenario.entities()["flows"]["flow"]) < 2:
        raise OptionError(("until", asked.until, "the scenario has one flow, and nobody to share with"))
    until = until.of(mean_of(clean, until.kind.figure))
    if until.holds(mean_of(clean, until.kind.figure)):
        said = f"it holds already without an attack: {named(until.kind.figure, mean_of(clean, until.kind.figure))}"
        raise OptionError(("until", asked.until, said))
    bounds: tuple[Bound, ...] = ()
    if until.kind.is_of_flows:
        least = _KEPT * mean_of(clean, "goodput")
        bounds = (Bound(name="goodput", is_most=False, limit=least, text="half of the clean network's goodput"),)
    objective = Objective(
        text=asked.until, goals=(Goal(name=until.kind.figure, is_large=until.kind.is_large),), bounds=bounds
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
        sampler="CMA-ES",
        folder=asked.folder,
    )
    head = _head(asked, question, until)
    path, target = open_search(output, question, head, is_numbered=is_numbered)
    shares = [space.share_of(own.field, own.neutral) for own in bounded]
    sampler = CmaEs(first(shares, asked.seed), asked.seed)
    try:
        trials = Trials(question=question, target=target, sampler=sampler, deadline=deadline)
        judge = Judge(asked=asked, until=until, trials=trials, runs=tried, plain=plain)
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
        values = _shrink(found, trials, until, bounded, tried, plain, objective)
        summary["found"] = _write_find(path, values, until, bounded, tried, plain, written, asked)
    replace_text(path / SUMMARY, to_json(summary))
    return Attack(path)


@dataclass
class Runs:
    """Runs of single scenarios on all seeds of the attack."""

    asked: Attacked
    threads: int | None

    def figures(self, plain: Mapping[str, Any]) -> list[dict[str, float]]:
        """Figures of each seed; empty where a run fails."""
        pool = _engine.Sweep("simulate", threads=count_threads(self.threads), folder=self.asked.folder, **_NOTHING)
        seeds = list(range(1, self.asked.seeds + 1))
        pool.submit(0, json.dumps(plain, ensure_ascii=False), seeds)
        found: dict[int, dict[str, float]] = {}
        try:
            while len(found) < len(seeds):
                for _, seed, answer, _ in pool.wait(0.1):
                    found[seed] = {} if answer is None else of_tables(simulated(answer), None)
        finally:
            pool.cancel()
        return [found[seed] for seed in seeds]


def _refuse(name: str, _parameters: Mapping[str, Any]) -> Callable[..., Any]:
    raise ValueError(f"`{name}` is Python, which an attack does not run")


_NOTHING: Any = {"law": _refuse, "scheduler": _refuse, "rule": _refuse}


def _bounds(asked: Attacked) -> tuple[dict[str, Any], dict[str, Any], list[Bounded]]:
    """The scenario with changes that do nothing yet, as resolved and as written, and the fields.

    Raises
    ------
    OptionError
        For bounds that name nothing, or allow nothing.
    """
    if not asked.within:
        raise OptionError(("within", "", "nothing may be changed; give bounds, as in 'link.*.delay=+0..20 ms'"))
    if asked.scenario.python_classes:
        raise ValueError("an attack runs no Python: laws and schedulers in the scenario are written in it")
    plain: dict[str, Any] = json.loads(asked.scenario.to_json())
    written: dict[str, Any] = json.loads(json.dumps(asked.written))
    found: list[Bounded] = []
    for text in asked.within:
        path, equals, values = text.partition("=")
        if not equals:
            raise OptionError(("within", text, "give a field and its range, as in 'link.air.delay=+0..20 ms'"))
        is_step = values.strip().startswith("+")
        for own in _expanded(plain, path.strip()):
            present = next(iter(read(plain, own)), None)
            spread = read_values(own, values.strip().lstrip("+"))
            is_added = False
            if spread.range is None:
                raise OptionError(("within", text, "a range is needed, as in 0..20 ms"))
            if is_step:
                found.append(_step(plain, written, own, present, spread, text))
                continue
            # Jitter is written as its maximum.
            if own.endswith(".jitter"):
                if present is not None and present.get("model") != "uniform":
                    raise OptionError(("within", text, f"`{own}` is not uniform; give the bounds of one of its fields"))
                is_added = present is None
                if is_added:
                    plain, written = (
                        change(side, {own: {"model": "uniform", "max": "0 ms"}}) for side in (plain, written)
                    )
                own, present = f"{own}.max", "0 ms" if present is None else present["max"]
                spread = replace(spread, path=own)
            if present is None:
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


def _step(plain: dict[str, Any], written: dict[str, Any], path: str, present: Any, spread: Field, text: str) -> Bounded:
    """A field of a link that steps from its present value by the range, after a while and for ever."""
    parts = split(path)
    value, unit, _, _ = worth(present)
    ends = [worth(spread.range.at(at))[0] for at in (0.0, 1.0)] if spread.range else []
    link = next((own for own in plain.get("link", []) if own.get("name") == parts[1]), None)
    if parts[0] != "link" or len(parts) != 3 or link is None or value is None or None in ends:
        raise OptionError(("within", text, "a step, written with +, is one of a field of a link with a name"))
    for side in (plain, written):
        side.setdefault("change", []).append({"link": parts[1], "at": _AFTER, parts[2]: present})
    at = len(plain["change"]) - 1
    low, high = (_amount(value + float(end or 0), unit) for end in ends)
    stepped = read_values(f"change.{at}.{parts[2]}", f"{low}..{high}")
    return Bounded(field=stepped, neutral=present, name=f"{path} after {_AFTER}")


def _amount(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value * 1e3:.12g} ms"
    return f"{value / 1e3:.12g} kbit/s" if unit == "bit/s" else f"{value:.12g} {unit}".rstrip()


def _head(asked: Attacked, question: Question, until: Until) -> dict[str, Any]:
    return question.head("attack") | {
        "until": asked.until,
        "says": until.says,
        "figure": until.kind.figure,
        "within": list(asked.within),
        "reference": asked.reference,
    }


def _holds_everywhere(trials: Trials, trial: int, until: Until, margin: float) -> bool:
    runs = trials.runs[trial]
    if len(runs) < len(trials.question.seeds) or not trials.judge(trial).is_feasible:
        return False
    return all(until.holds(run[until.kind.figure], margin) for run in runs.values())


@dataclass(kw_only=True)
class Judge:
    """Judgement of the trials beside the reference law."""

    asked: Attacked
    until: Until
    trials: Trials
    runs: Runs
    plain: Mapping[str, Any]
    #: By trial: whether the reference law suffers the same there, which is then no fault of the law.
    shared: dict[int, bool] = field(default_factory=dict)

    def found(self, margin: float) -> int | None:
        """The best trial that holds on every seed by a margin, and not under the reference law too."""
        judged = self.trials.judged()
        key = self.trials.question.objective.key
        for trial in sorted(judged, key=lambda trial: (key(judged[trial]), trial))[:_TRIED]:
            if not _holds_everywhere(self.trials, trial, self.until, margin):
                return None
            if not self._is_shared(trial):
                return trial
        return None

    def _is_shared(self, trial: int) -> bool:
        if self.asked.reference is None:
            return False
        if trial not in self.shared:
            question = self.trials.question
            attacked = _applied(self.plain, question.fields, self.trials.values[trial])
            figure = self.until.kind.figure
            value = mean_of(self.runs.figures(_under(attacked, self.asked.reference)), figure)
            self.shared[trial] = self._reference_until.holds(value)
        return self.shared[trial]

    @cached_property
    def _reference_until(self) -> Until:
        """The question for the reference law: a share is one of what that law has on the clean network."""
        asked = read_until(self.asked.until)
        if not asked.kind.is_share or self.asked.reference is None:
            return asked
        return asked.of(mean_of(self.runs.figures(_under(self.plain, self.asked.reference)), asked.kind.figure))


def _applied(plain: Mapping[str, Any], fields: Sequence[Field], values: Sequence[Any]) -> dict[str, Any]:
    return change(plain, dict(zip([own.path for own in fields], values, strict=True)))


def _under(plain: Mapping[str, Any], law: str) -> dict[str, Any]:
    flows = [{**own, "law": {"name": law}} for own in plain.get("flow", [])]
    return {**plain, "flow": flows}


def _shrink(
    trial: int,
    trials: Trials,
    until: Until,
    bounded: Sequence[Bounded],
    tried: Runs,
    plain: Mapping[str, Any],
    objective: Objective,
) -> list[Any]:
    """Values that do as little as possible: fields that are not needed at rest, the others small and round."""
    fields = [own.field for own in bounded]
    values = list(trials.values[trial])
    margin = _MARGIN if _holds_everywhere(trials, trial, until, _MARGIN) else 1.0

    def holds(candidate: Sequence[Any]) -> bool:
        runs = tried.figures(_applied(plain, fields, candidate))
        judged = objective.judge(runs)
        return judged.is_feasible and all(until.holds(run.get(until.kind.figure, math.nan), margin) for run in runs)

    for at, own in enumerate(bounded):
        without = [*values[:at], own.neutral, *values[at + 1 :]]
        if holds(without):
            values = without
    for at, own in enumerate(bounded):
        if label(values[at]) == label(own.neutral):
            continue
        rest, there = space.share_of(own.field, own.neutral), space.share_of(own.field, values[at])
        for _ in range(8):
            middle = (rest + there) / 2
            nearer = [*values[:at], space.value(own.field, middle), *values[at + 1 :]]
            if holds(nearer):
                values, there = nearer, middle
            else:
                rest = middle
        for rounded in _rounded(values[at], own):
            if holds([*values[:at], rounded, *values[at + 1 :]]):
                values = [*values[:at], rounded, *values[at + 1 :]]
                break
    return values


def _alike(value: Any, own: Field) -> str:
    """A value in the unit of a field's range, where shares are written as numbers otherwise."""
    if own.range is not None and own.range.unit == "%" and isinstance(value, int | float):
        return f"{100 * value:g} %"
    return label(value)


def _rounded(value: Any, own: Bounded) -> Iterator[Any]:
    """Values of few digits near one, the fewest first; then those that are a little farther from rest."""
    found, _, unit, scale = worth(value)
    rest, *_ = worth(own.neutral)
    ends = [worth(space.value(own.field, share))[0] for share in (0.0, 1.0 - 1e-12)]
    if found is None or rest is None or None in ends or found == rest:
        return
    least, most = sorted(float(end or 0) for end in ends)
    for digits in (1, 2, 3):
        near = float(f"{found / scale:.{digits}g}")
        step = math.copysign(10 ** (math.floor(math.log10(abs(near) or 1)) - digits + 1), found - rest)
        for rounded in (near, near + step):
            rounded = float(f"{rounded:.12g}")
            if least <= rounded * scale <= most * (1 + 1e-9):
                yield f"{rounded:g} {unit}".rstrip() if unit else rounded


def _write_find(
    path: Path,
    values: Sequence[Any],
    until: Until,
    bounded: Sequence[Bounded],
    tried: Runs,
    plain: Mapping[str, Any],
    written: Mapping[str, Any],
    asked: Attacked,
) -> dict[str, Any]:
    """Writes the find as a scenario without defaults, and says what each of its changes is needed for."""
    fields = [own.field for own in bounded]
    needed = [at for at, own in enumerate(bounded) if label(values[at]) != label(own.neutral)]
    small = _applied(written, [fields[at] for at in needed], [values[at] for at in needed])
    used = {int(split(fields[at].path)[1]) for at in needed if fields[at].path.startswith("change.")}
    before = len(asked.written.get("change", []))
    if "change" in small:
        small["change"] = [own for at, own in enumerate(small["change"]) if at < before or at in used]
        small = {key: value for key, value in small.items() if key != "change" or value}
    for at, own in enumerate(bounded):
        if at not in needed and own.is_added:
            small = shrunk.without(small, own.field.path.removesuffix(".max"))
    small = {**small, "seeds": asked.seeds}
    text = shrunk.to_toml(small)
    (path / "find").mkdir(exist_ok=True)
    replace_text(path / "find" / SCENARIO, text)
    replayed = json.loads(_engine.Scenario.from_json(json.dumps(small), "the find", asked.folder).to_json())
    runs = tried.figures(replayed)
    with claim(path / "find" / "run", "replace") as place:
        simulate(parse(path / "find" / SCENARIO), folder=asked.folder, laws={}, threads=tried.threads, place=place)
    reference = None
    if asked.reference is not None:
        reference = number(mean_of(tried.figures(_under(replayed, asked.reference)), until.kind.figure))
    lines = []
    for at in needed:
        without = [*values[:at], bounded[at].neutral, *values[at + 1 :]]
        left = mean_of(tried.figures(_applied(plain, fields, without)), until.kind.figure)
        lines.append(
            {
                "field": bounded[at].name,
                "clean": _alike(bounded[at].neutral, fields[at]),
                "attack": label(values[at]),
                "without": number(left),
            }
        )
    return {
        "value": number(mean_of(runs, until.kind.figure)),
        "values": [number(run.get(until.kind.figure, math.nan)) for run in runs],
        "goodput": number(mean_of(runs, "goodput")),
        "reference": reference,
        "changes": lines,
        "holds": all(until.holds(run.get(until.kind.figure, math.nan)) for run in runs),
    }

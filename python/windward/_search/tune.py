"""Tunes a law, a link or a queue: which values of some fields are best on a network, and how sure that is."""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from windward import _engine
from windward._answers.tuning import Tuning
from windward._engines.collect import choose
from windward._engines.sweep import Asked, sweep
from windward._format.design import Design, Table
from windward._format.vary import Field, change, label, name_of, read, worth
from windward._search import space
from windward._search.attack import attack
from windward._search.explained import explained
from windward._search.fresh import LEAST_FRESH, fresh_seeds
from windward._search.objective import Objective, mean_of, read_objective
from windward._search.request import AttackRequest
from windward._search.samplers import FIRST, CmaEs, Nsga2, Sampler, first, fronts
from windward._search.trials import Search, Trials, figures_of, open_search
from windward.errors import OptionError
from windward.results._files import replace_text
from windward.results._folder import to_json
from windward.results._place import SUMMARY
from windward.results._shapes import Progress
from windward.results._summary import number
from windward.results._sweep import OtherResultError
from windward.results.stats import mean_and_interval
from windward.theory.laws import ratio_under_delay

if TYPE_CHECKING:
    from windward._search.objective import Judged

_Made = TypeVar("_Made")

#: Trials by default.
TRIALS = 200

#: Fresh seeds on which the best values and the present ones are compared, at least.
_FRESH = 10

#: A value within this share of the best objective is as good.
_PLATEAU = 0.02

#: Delay that is no queue, by which two flows may differ: some milliseconds are usual on wireless links.
_DELAY_S = 0.005

#: Of a packet on the wire.
_PACKET_BITS = 12_000

#: Networks on which the best values are tried again: a name, the fields of links that change, and by what factor.
_OTHERS = (
    ("rates × 0.5", "rate", 0.5),
    ("rates × 1.5", "rate", 1.5),
    ("delays × 0.5", "delay", 0.5),
    ("delays × 1.5", "delay", 1.5),
    ("losses × 0.5", "loss", 0.5),
    ("losses × 1.5", "loss", 1.5),
)


#: Kind of network whose bounds an attack has, and its questions with several flows and with one.
_LIKE, _SHARED, _ALONE = "wifi", "unfair:3", "slows:30%"


@dataclass(frozen=True, kw_only=True)
class TuneRequest:
    """A tuning as it was asked for."""

    scenario: _engine.Scenario
    objective: str
    #: The flow or group whose law is tuned and whose figures count; None: all flows.
    flow: str | None = None
    #: The law that they get; None: the one that they have.
    law: str | None = None
    #: Fields with ranges or choices, as texts; empty: all numbers of the law.
    fields: Sequence[str] = ()
    seeds: int | Sequence[int] | None = None
    trials: int = TRIALS
    #: Time in seconds after which no generation of trials begins.
    budget_s: float = math.inf
    #: Of the sampler.
    seed: int = 1
    #: Trials of an attack on the present and on the best values; 0: none.
    attack: int = 0
    folder: Path = field(default_factory=Path)
    #: Laws, schedulers and rules that are Python objects, by the name under which the scenario knows them.
    laws: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def tune(
    asked: TuneRequest,
    *,
    output: Path,
    is_numbered: bool = False,
    threads: int | None = None,
    on: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Tuning:
    """Searches, then compares what it found with what there was; `Scenario.tune` says what the arguments mean.

    With `is_numbered` it goes to OUTPUT-2, OUTPUT-3, … where the folder holds another result.
    """
    began = time.monotonic()
    search = _question(asked)
    path, target = open_search(output, search, _head(search), is_numbered=is_numbered)
    sampler = _sampler(search)
    try:
        trials = Trials(search=search, target=target, sampler=sampler, deadline=began + asked.budget_s)
        trials.run(threads=threads, on=on, progress=progress)
        if len(trials.judged()) == search.count:
            target.finish()
    finally:
        target.close()
    return _conclude(asked, search, trials, path, threads, on, progress)


def _question(asked: TuneRequest) -> Search:
    """Checks the request and makes the question of the search.

    Raises
    ------
    OptionError
        If something of it cannot be.
    """
    objective = read_objective(asked.objective)
    scenario = asked.scenario
    if scenario.has_region:
        raise ValueError("`simulate` has no answer: a capacity region has no packets")
    if asked.trials < 1:
        raise OptionError(("trials", str(asked.trials), "at least one is needed"))
    plain: dict[str, Any] = json.loads(scenario.to_json())
    objective.refuse_unmeasured(plain)
    flows = _flows(plain, asked.flow)
    if asked.law is not None:
        space.find(asked.law)
        plain = change(plain, {path: {"name": asked.law} for path in space.of_flows(flows, "law")})
        scenario = _engine.Scenario.from_json(json.dumps(plain), f"scenario with {asked.law}", asked.folder)
        plain = json.loads(scenario.to_json())
    laws = _laws(plain, flows)
    fields = [space.chosen(text, laws) for text in asked.fields]
    if not fields:
        if len(laws) != 1:
            raise OptionError(
                ("flow", asked.flow or "all", f"different laws: {', '.join(sorted(laws))}; choose a flow")
            )
        # The numbers that a formula's author has named are what it is about.
        fields = space.constants(plain, flows) or space.parameters(laws.pop())
    if repeated := next((own.path for at, own in enumerate(fields) if own.path in [f.path for f in fields[:at]]), None):
        raise OptionError(("set", repeated, "given twice"))
    for own in fields:
        if own.path.startswith(space.LAW) and not flows:
            raise OptionError(("set", own.path, "the scenario has no flows"))
        # First, for a field that cannot be, the reason, such as its spelling or its unit.
        _try(plain, own, [other for other in fields if other is not own], flows, asked.folder)
        if space.current(plain, own, flows) is None:
            said = "the scenario gives it no value, or several; write one to compare with"
            if own.path.startswith(space.LAW) and space.OWN in laws:
                name = own.path.removeprefix(space.LAW)
                said += f'\nhint: law = {{ name = "python", …, {name} = VALUE }}'
            raise OptionError(("set", own.path, said))
    return Search(
        scenario=scenario,
        plain=plain,
        fields=fields,
        objective=objective,
        flows=flows,
        is_of_flows=asked.flow is not None,
        seeds=choose(asked.seeds, scenario.seeds),
        count=asked.trials,
        seed=asked.seed,
        sampler="CMA-ES" if len(objective.goals) == 1 else "NSGA-II",
        folder=asked.folder,
        laws=asked.laws,
    )


def _try(plain: Mapping[str, Any], own: Field, others: Sequence[Field], flows: Sequence[str], folder: Path) -> None:
    """Refuses before any run a field that can have none of its range, and a choice that cannot be.

    Raises
    ------
    ValueError
        With what the first of them is refused for.
    """
    refused: list[ValueError] = []
    choices = own.values or [space.value(own, share) for share in (0.0, 0.5, 1.0)]
    for value in choices:
        try:
            _check(plain, [own], [value], flows, folder)
        except ValueError as error:
            refused.append(error)
        else:
            if not own.values:
                return
            continue
        # Some are possible with others alone.
        beside = ((other, end) for other in others for end in other.values or space.ends(other))
        if own.values and not any(_can_be(plain, [own, other], [value, end], flows, folder) for other, end in beside):
            raise refused[-1]
    if len(refused) == len(choices):
        raise refused[0]


def _check(
    plain: Mapping[str, Any], fields: Sequence[Field], values: Sequence[Any], flows: Sequence[str], folder: Path
) -> None:
    text = json.dumps(space.changed(plain, fields, values, flows))
    name = ", ".join(f"{own.path}={label(value)}" for own, value in zip(fields, values, strict=True))
    _engine.Scenario.from_json(text, name, folder)


def _can_be(
    plain: Mapping[str, Any], fields: Sequence[Field], values: Sequence[Any], flows: Sequence[str], folder: Path
) -> bool:
    try:
        _check(plain, fields, values, flows, folder)
    except ValueError:
        return False
    return True


def _flows(plain: Mapping[str, Any], flow: str | None) -> list[str]:
    names = [name_of(own) for own in plain.get("flow", [])]
    if flow is None:
        return names
    if flow not in names and all(name.strip() in names for name in flow.split(",")):
        raise OptionError(("flow", flow, "one flow or group is expected\nhint: without a name, all flows are tuned"))
    if flow not in names:
        raise OptionError(("flow", flow, f"the scenario has no such flow; flows: {', '.join(names)}"))
    return [flow]


def _laws(plain: Mapping[str, Any], flows: Sequence[str]) -> set[str]:
    return {str(own["law"]["name"]) for own in plain.get("flow", []) if name_of(own) in flows}


def _head(search: Search) -> dict[str, Any]:
    return search.head("tune") | {
        "objective": search.objective.text,
        "goals": [goal.name for goal in search.objective.goals],
        "flows": list(search.flows),
    }


def _sampler(search: Search) -> Sampler:
    """The sampler, begun at the present values and a Latin hypercube."""
    now = [space.current(search.plain, own, search.flows) for own in search.fields]
    shares = [space.share_of(own, value) for own, value in zip(search.fields, now, strict=True)]
    kind = CmaEs if search.sampler == "CMA-ES" else Nsga2
    return kind(first(shares, search.seed), search.seed)


def _conclude(
    asked: TuneRequest,
    search: Search,
    trials: Trials,
    path: Path,
    threads: int | None,
    on: str | None,
    progress: Callable[[Progress], None] | None,
) -> Tuning:
    """Compares the best values with the present ones on fresh seeds, here and on networks near this one; writes it."""
    judged = trials.judged()
    summary = _head(search) | {"trials": len(judged), "generations": trials.generations, "asked": search.count}
    feasible = {trial: own for trial, own in judged.items() if own.is_feasible}
    summary["feasible"] = len(feasible)
    summary["judged"] = [
        {"trial": trial, "goals": [number(goal) for goal in own.goals], "violation": number(own.violation)}
        for trial, own in judged.items()
    ]
    best = _best(search.objective, judged) if judged else None
    if best is None:
        replace_text(path / SUMMARY, to_json(summary | {"complete": True, "best": None, "front": []}))
        return Tuning(path)
    values = trials.values[best]
    now = [space.current(search.plain, own, search.flows) for own in search.fields]
    summary |= {
        "best": best,
        "front": _front(search, trials, judged),
        "parameters": _parameters(search, trials, judged, values, now),
        "comparisons": _compare(asked, search, values, now, path, threads, on, progress),
        "sharing": _sharing(search, values, now),
        "attacked": _attacked(asked, search, values, now, path, threads, progress),
    }
    tuned = space.changed(search.plain, search.fields, values, search.flows)
    text = _engine.Scenario.from_json(json.dumps(tuned), "the tuned scenario", asked.folder).to_toml()
    search.take_files(path)
    replace_text(path / "tuned.toml", text)
    summary["kernel"] = _kernel_line(search, values)
    replace_text(path / SUMMARY, to_json(summary | {"complete": True}))
    return Tuning(path)


def _best(objective: Objective, judged: Mapping[int, Judged]) -> int | None:
    """The best trial: of two goals the one of the front that is nearest to the best of both, each over its range."""
    finite = {trial: own for trial, own in judged.items() if math.isfinite(own.violation)}
    if not finite:
        return None
    feasible = {trial: own for trial, own in finite.items() if own.is_feasible}
    if len(objective.goals) == 1 or not feasible:
        if len(objective.goals) > 1:
            return min(finite, key=lambda trial: (finite[trial].violation, trial))
        return min(finite, key=lambda trial: (objective.key(finite[trial]), trial))
    front = _first_front(objective, feasible)
    columns = [[goal.sign * feasible[trial].goals[at] for trial in front] for at, goal in enumerate(objective.goals)]
    tops, widths = [max(column) for column in columns], [max(column) - min(column) or 1.0 for column in columns]
    distances = [
        math.hypot(*((top - column[at]) / width for column, top, width in zip(columns, tops, widths, strict=True)))
        for at in range(len(front))
    ]
    return min(zip(distances, front, strict=True))[1]


def _first_front(objective: Objective, feasible: Mapping[int, Judged]) -> list[int]:
    trials = list(feasible)
    told = [
        ([-goal.sign * value for goal, value in zip(objective.goals, feasible[trial].goals, strict=True)], 0.0)
        for trial in trials
    ]
    return [trials[at] for at in fronts(told)[0]]


def _front(search: Search, trials: Trials, judged: Mapping[int, Judged]) -> list[dict[str, Any]]:
    """Front of two goals: the trials that no other betters in both."""
    feasible = {trial: own for trial, own in judged.items() if own.is_feasible}
    if len(search.objective.goals) == 1 or not feasible:
        return []
    front = sorted(_first_front(search.objective, feasible), key=lambda trial: feasible[trial].goals)
    return [
        {
            "trial": trial,
            "values": [label(value) for value in trials.values[trial]],
            "goals": list(feasible[trial].goals),
        }
        for trial in front
    ]


def _parameters(
    search: Search, trials: Trials, judged: Mapping[int, Judged], values: Sequence[Any], now: Sequence[Any]
) -> list[dict[str, Any]]:
    """Each field: where it is searched, its present and its best value, how far one may go, how much it matters."""
    goal = search.objective.goals[0]
    feasible = {trial: own.goals[0] for trial, own in judged.items() if own.is_feasible}
    top = max((goal.sign * value for value in feasible.values()), default=math.nan)
    # Logarithms differ, ratios of everything else do.
    near = math.log1p(_PLATEAU) if goal.name == "power" else _PLATEAU * abs(top)
    good = [trial for trial, value in feasible.items() if top - goal.sign * value <= near]
    first = [trial for trial in range(min(FIRST * len(search.fields), search.count)) if trial in judged]
    found = []
    for at, own in enumerate(search.fields):
        ordered = sorted(good, key=lambda trial: space.share_of(own, trials.values[trial][at]))
        ends = [space.value(own, 0.0), space.value(own, 1.0 - 1e-12)]
        shares = [space.share_of(own, trials.values[trial][at]) for trial in first]
        share = explained(shares, [judged[trial].goals[0] for trial in first])
        found.append(
            {
                "field": own.path,
                "least": label(ends[0]) if own.range else None,
                "most": label(ends[1]) if own.range else None,
                "now": label(now[at]),
                "best": label(values[at]),
                "plateau": [label(trials.values[trial][at]) for trial in (ordered[0], ordered[-1])] if good else [],
                "explains": number(share),
            }
        )
    return found


def _compare(
    asked: TuneRequest,
    search: Search,
    values: Sequence[Any],
    now: Sequence[Any],
    path: Path,
    threads: int | None,
    on: str | None,
    progress: Callable[[Progress], None] | None,
) -> list[dict[str, Any]]:
    """Runs present and best values on seeds that the search never saw, here and on networks near this one."""
    seeds = fresh_seeds(search.seeds, max(_FRESH, 2 * len(search.seeds)))
    tuned = [place for own in search.fields for place in space.places(own, search.flows)]
    others = _others(search.plain, tuned)
    paths = [*tuned, *dict.fromkeys(path for _, changes in others for path in changes)]
    there = {path: next(iter(read(search.plain, path)), None) for path in paths}
    rows = []
    for _, changes in others:
        for side in (now, values):
            own = {
                place: value
                for each, value in zip(search.fields, side, strict=True)
                for place in space.places(each, search.flows)
            }
            # Tuned values come last: no change of the network may take their place.
            rows.append(tuple((there | changes | own)[path] for path in paths))
    wanted = Asked(
        scenario=_engine.Scenario.from_json(json.dumps(search.plain), "scenario", asked.folder),
        design=Design(fields=(), table=Table(paths=tuple(paths), rows=rows)),
        seeds=seeds,
        folder=asked.folder,
        laws=asked.laws,
    )
    output = path / "comparison"
    found = _anew(output, lambda: sweep(wanted, output=output, threads=threads, on=on, progress=progress))
    sides: dict[int, dict[int, dict[str, float]]] = {}
    for point, seed, figures in figures_of(found, search.chosen):
        sides.setdefault(point, {})[seed] = figures
    return [
        _comparison(search.objective, name, sides.get(2 * at, {}), sides.get(2 * at + 1, {}))
        for at, (name, _) in enumerate(others)
    ]


def _anew(folder: Path, make: Callable[[], _Made]) -> _Made:
    """Something in a folder of the search; what an earlier part of the search put there gives way."""
    try:
        return make()
    except OtherResultError:
        shutil.rmtree(folder)
        return make()


def _others(plain: Mapping[str, Any], tuned: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """The network itself, then those near it: their names, and what is different there."""
    found: list[tuple[str, dict[str, Any]]] = [("this network", {})]
    for name, key, factor in _OTHERS:
        changes = {}
        for at, link in enumerate(plain.get("link", [])):
            value, _, unit, scale = worth(link.get(key))
            own = [f"link.{at}.{key}", f"link.{link.get('name')}.{key}"]
            if value and not any(path in tuned for path in own):
                changes[own[0]] = f"{value * factor / scale:.12g} {unit}".rstrip() if unit else value * factor
        if changes:
            found.append((name, changes))
    return found


def _comparison(
    objective: Objective, network: str, now: Mapping[int, Mapping[str, float]], best: Mapping[int, Mapping[str, float]]
) -> dict[str, Any]:
    """Figures of both on the same seeds, and the interval of their difference."""
    figures = []
    shown = dict.fromkeys([*objective.names, "goodput", "rtt", "wait-p95"])
    for name in shown:
        pairs = [(now[seed].get(name, math.nan), best[seed].get(name, math.nan)) for seed in now if seed in best]
        means = [mean_and_interval(column) for column in zip(*pairs, strict=True)] if pairs else []
        if not means or any(math.isnan(mean) for mean, _ in means):
            continue
        difference = mean_and_interval([after - before for before, after in pairs])
        figures.append(
            {
                "figure": name,
                "now": _pair(means[0]),
                "best": _pair(means[1]),
                "difference": _pair(difference),
            }
        )
    within = {
        side: [bound.text for bound in objective.bounds if bound.excess(mean_of(list(runs.values()), bound.name)) > 0]
        for side, runs in (("now", now), ("best", best))
    }
    return {"network": network, "seeds": len(now), "figures": figures, "broken": within}


def _pair(value: tuple[float, float]) -> dict[str, Any]:
    return {"mean": number(value[0]), "ci95": number(value[1])}


def _sharing(search: Search, values: Sequence[Any], now: Sequence[Any]) -> dict[str, Any] | None:
    """Ratio in which two flows share the slowest link if one of them has some milliseconds of delay that are no queue.

    Of laws that keep a number of packets queued, which is searched: docs/concepts/starvation.md, Eq. 2.
    """
    laws = _laws(search.plain, search.flows)
    about = [own for own in _engine.laws() if own["name"] in laws]
    rates = [rate for link in search.plain.get("link", []) if (rate := worth(link.get("rate"))[0])]
    if len(about) != 1 or not about[0]["backlog_parameter"] or not rates:
        return None
    path = space.LAW + about[0]["backlog_parameter"]
    at = next((at for at, own in enumerate(search.fields) if own.path == path), None)
    if at is None:
        return None
    capacity = min(rates) / _PACKET_BITS
    sides = {"now": worth(now[at])[0], "best": worth(values[at])[0]}
    found = {side: ratio_under_delay(_DELAY_S, capacity, backlog) for side, backlog in sides.items() if backlog}
    return {"delay_s": _DELAY_S, **found} if len(found) == len(sides) else None


def _attacked(
    asked: TuneRequest,
    search: Search,
    values: Sequence[Any],
    now: Sequence[Any],
    path: Path,
    threads: int | None,
    progress: Callable[[Progress], None] | None,
) -> dict[str, Any] | None:
    """Attacks the network with the present and with the best values, within the bounds of a Wi-Fi link."""
    if not asked.attack:
        return None
    found: dict[str, Any] = {}
    for side, own in (("now", now), ("best", values)):
        plain = space.changed(search.plain, search.fields, own, search.flows)
        scenario = _engine.Scenario.from_json(json.dumps(plain), f"the {side} values", asked.folder)
        are_several = len(scenario.entities()["flows"]["flow"]) > 1
        wanted = AttackRequest(
            scenario=scenario,
            written=plain,
            until=_SHARED if are_several else _ALONE,
            within=(),
            like=_LIKE,
            reference=None,
            seeds=1,
            fresh=LEAST_FRESH,
            trials=asked.attack,
            seed=asked.seed,
            folder=asked.folder,
            laws=asked.laws,
        )
        output = path / f"attack-{side}"
        try:
            about = _anew(output, partial(attack, wanted, output=output, threads=threads, progress=progress)).summary
        except OptionError as error:
            # It holds without an attack, or no link has a name.
            found[side] = {"skipped": str(error).splitlines()[0]}
            continue
        value = about["found"]["value"] if about["found"] else about["closest"]
        found |= {"label": about["label"], "unit": about["unit"], "question": about["says"]}
        found[side] = {"is_found": about["found"] is not None, "value": value, "trials": about["trials"]}
    return {"like": _LIKE, **found}


def _kernel_line(search: Search, values: Sequence[Any]) -> str | None:
    """The command that gives a loaded law these values; None for a law or parameters that the kernel does not have."""
    laws = _laws(search.plain, search.flows)
    # Only Linux has laws in its kernel.
    known = dict(_engine.kernel_laws()) if hasattr(_engine, "kernel_laws") else {}
    if len(laws) != 1 or (law := laws.pop()) not in known:
        return None
    given = {own.path.removeprefix(space.LAW): value for own, value in zip(search.fields, values, strict=True)}
    if any(name not in known[law] for name in given):
        return None
    return " ".join(
        [f"windward kernel set {law.replace('-', '_')}", *(f"{name}={label(value)}" for name, value in given.items())]
    )

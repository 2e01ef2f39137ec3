"""Searches the network, within bounds, on which a law does worst, and shrinks it to what is needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from windward._answers.attack import Attack
from windward._engines.collect import choose
from windward._format.vary import name_of
from windward._search import space
from windward._search.bounds import Allowed, allowed_by, amount
from windward._search.figures import Runs
from windward._search.find import Writer
from windward._search.genetic import Genetic
from windward._search.judge import MARGIN, Judge
from windward._search.objective import Goal, Limit, Objective, mean_of
from windward._search.questions import Question, read_question
from windward._search.request import AttackRequest, quiet_end, with_defaults
from windward._search.samplers import CmaEs, Sampler, Vector, first
from windward._search.shrink import Variable
from windward._search.trials import Search, Trials, open_search
from windward.errors import OptionError
from windward.results._files import replace_text
from windward.results._folder import to_json
from windward.results._place import SUMMARY
from windward.results._shapes import Progress
from windward.results._summary import number

#: Trials that are shrunk, at most.
_ATTEMPTS = 3

#: Share of the clean network's goodput that must still be delivered where flows are compared.
_KEPT = 0.5


def attack(
    asked: AttackRequest,
    *,
    output: Path,
    is_numbered: bool = False,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Attack:
    """Searches, shrinks what it finds and writes it; `Scenario.attack` says what the arguments mean."""
    # First: the clean runs are part of the budget.
    deadline = time.monotonic() + asked.budget_s
    question = read_question(asked.until)
    if question.other is not None:
        space.find(question.other, "until", asked.until)
        asked = replace(asked, reference=None)
    quiet_s = quiet_end(asked, question)
    asked = with_defaults(asked, question)
    allowed = allowed_by(asked, quiet_s)
    plain, variables = allowed.plain, allowed.variables
    tried = Runs(asked, threads, question.other)
    names = tuple(name_of(flow) for flow in plain.get("flow", []))
    flows = len(asked.scenario.entities()["flows"]["flow"])
    if question.kind.is_of_flows and flows < 2:
        said = f"the question compares flows, and the scenario has {flows or 'none'}"
        raise OptionError(("until", asked.until, said))
    if not flows and question.kind.figure not in ("wait-p95", "utilization"):
        raise OptionError(("until", asked.until, "the question is about flows, and the scenario has none"))
    shares = tried.fair(plain) if question.kind.is_fair else None
    clean = tried.figures(plain, shares)
    question = question.of(mean_of(clean, question.kind.figure))
    if question.holds(mean_of(clean, question.kind.figure)):
        figure = mean_of(clean, question.kind.figure)
        shown = (
            f"{100 * figure:.3g} %" if question.kind.unit == "%" else amount(float(f"{figure:.3g}"), question.kind.unit)
        )
        said = f"it holds already without an attack: {question.kind.label} {shown}"
        raise OptionError(("until", asked.until, said))
    limits: tuple[Limit, ...] = ()
    # A network that carries nothing has any ratio of flows: a part of the goodput must remain.
    if question.kind.is_of_flows:
        least = _KEPT * mean_of(clean, "goodput")
        limits = (Limit(name="goodput", is_most=False, limit=least, text="half of the clean network's goodput"),)
    objective = Objective(
        text=asked.until,
        goals=(Goal(name=question.kind.figure, is_large=question.kind.is_large),),
        bounds=limits,
        # The question must hold on every seed.
        is_worst=True,
    )
    search = Search(
        scenario=asked.scenario,
        plain=plain,
        fields=[own.field for own in variables],
        objective=objective,
        flows=names,
        is_of_flows=False,
        seeds=choose(asked.seeds, []),
        count=asked.trials,
        seed=asked.seed,
        sampler="CMA-ES" if allowed.patterns is None else "genetic",
        folder=asked.folder,
        patterns=allowed.patterns,
        fair=shares,
        twin=question.other,
        laws=asked.laws,
    )
    head = _head(asked, search, question)
    path, target = open_search(output, search, head, is_numbered=is_numbered)
    try:
        trials = Trials(search=search, target=target, sampler=_sampler(search, variables), deadline=deadline)
        judge = Judge(asked=asked, question=question, trials=trials, runs=tried)
        finder = _Finder(asked, allowed, search, judge, path, progress)
        # While time is left a find needs something to spare, as fresh seeds may take a part of it. In the end one
        # without will do.
        trials.is_enough = lambda: finder.conclude(MARGIN)
        trials.run(threads=threads, on=None, progress=progress)
        finder.conclude(1.0)
    finally:
        target.close()
    best = min(trials.judged().items(), key=lambda pair: objective.key(pair[1]))[0] if trials.judged() else None
    summary = head | {
        "trials": len(trials.judged()),
        "clean": {name: number(mean_of(clean, name)) for name in clean[0]},
        "closest": None if best is None else number(trials.judged()[best].goals[0]),
        "complete": True,
        "shared": len([trial for trial, is_shared in judge.shared.items() if is_shared]),
        "scattered": len(judge.scattered),
        "found": finder.found,
    }
    replace_text(path / SUMMARY, to_json(summary))
    return Attack(path)


@dataclass
class _Finder:
    """Takes the best trials for finds, one after the other, until one is confirmed on fresh seeds."""

    asked: AttackRequest
    allowed: Allowed
    search: Search
    judge: Judge
    path: Path
    progress: Callable[[Progress], None] | None
    #: The find's part of the summary.
    found: dict[str, Any] | None = None
    attempts: int = 0

    def conclude(self, margin: float) -> bool:
        """Returns true if a trial that holds by a margin is a find, or too many of them were none."""
        while self.found is None and self.attempts < _ATTEMPTS:
            trial = self.judge.found(margin)
            if trial is None:
                return False
            writer = Writer(
                asked=self.asked,
                question=self.judge.question,
                search=self.search,
                runs=self.judge.runs,
                judge=self.judge,
                allowed=self.allowed,
                progress=self.progress,
            )
            self.found = writer.write(self.path, self.judge.trials.values[trial], margin)
            self.attempts += 1
            if self.found is None:
                self.judge.refuse(trial, margin)
        return True


def _sampler(search: Search, variables: Sequence[Variable]) -> Sampler:
    """The sampler: of fields alone CMA-ES from a Latin hypercube, of events a genetic algorithm from known attacks."""
    shares = [space.share_of(own.field, own.neutral) for own in variables]
    if search.patterns is None:
        return CmaEs(first(shares, search.seed), search.seed)
    patterns = search.patterns
    # The clean run first.
    genomes: list[Vector] = [np.array([*shares, *patterns.genes([])])]
    genomes += [np.array([*shares, *patterns.genes(own)]) for own in patterns.templates()]
    if shares:
        genomes += [np.array([*point, *patterns.genes([])]) for point in first(shares, search.seed)[1:]]
    return Genetic(genomes, search.seed, patterns.layout(len(shares)))


def _head(asked: AttackRequest, search: Search, question: Question) -> dict[str, Any]:
    patterns = search.patterns
    return search.head("attack") | {
        "until": asked.until,
        "says": question.says,
        "figure": question.kind.figure,
        "label": question.kind.label,
        "unit": question.kind.unit,
        "within": [*asked.within, *([f"like {asked.like}"] if asked.like else [])],
        "default": asked.default,
        "quiet_from_s": patterns.end_ms / 1e3 if patterns is not None and patterns.is_quiet else None,
        "reference": asked.reference,
        "fresh": asked.fresh,
    }

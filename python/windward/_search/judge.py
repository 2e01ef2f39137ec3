"""Judgement of an attack's trials on fresh seeds: what counts as a find, and is no fault of the network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from windward import _engine
from windward._search.fair import Fair
from windward._search.figures import Runs
from windward._search.fresh import LEAST, Share, count, fresh_seeds
from windward._search.objective import Limit, mean_of
from windward._search.questions import Question, read_question
from windward._search.request import AttackRequest
from windward._search.trials import Trials

#: A find holds with so much to spare while it is shrunk.
MARGIN = 1.1

#: Number of the best trials that are tried on fresh seeds.
_TRIED = 20

#: Share of the seeds on which the question holds for the reference law, or without an attack, where that suffers the
#: same.
_SUFFERS = 0.5


@dataclass(kw_only=True)
class Judge:
    """Judgement of the trials on fresh seeds, beside the clean network and the reference law."""

    asked: AttackRequest
    question: Question
    trials: Trials
    runs: Runs
    #: By trial: whether the reference law suffers the same there, which is then no fault of the law.
    shared: dict[int, bool] = field(default_factory=dict)
    #: By trial and margin: whether it is a find on fresh seeds.
    verdicts: dict[tuple[int, float], bool] = field(default_factory=dict)
    #: Trials that hold on the seeds of the search, and too seldom on fresh ones.
    scattered: set[int] = field(default_factory=set)

    @cached_property
    def seeds(self) -> list[int]:
        """Fresh seeds on which trials are judged, and finds shrunk."""
        return self.fresh(0)

    def fresh(self, batch: int) -> list[int]:
        """A batch of fresh seeds."""
        return fresh_seeds(self.trials.search.seeds, self.asked.fresh, batch=batch)

    def found(self, margin: float) -> int | None:
        """The best trial that holds by a margin: on every seed of the search, on fresh ones, and for this law alone."""
        judged = self.trials.judged()
        key = self.trials.search.objective.key
        for trial in sorted(judged, key=lambda trial: (key(judged[trial]), trial))[:_TRIED]:
            if not self._holds_everywhere(trial, margin):
                # The best first: none of the others holds either.
                return None
            if (trial, margin) not in self.verdicts:
                self.verdicts[trial, margin] = self._is_find(trial, margin)
            if self.verdicts[trial, margin]:
                return trial
        return None

    def refuse(self, trial: int, margin: float) -> None:
        """Takes a trial for no find: what it was shrunk to holds too seldom on other fresh seeds."""
        self.verdicts[trial, margin] = False
        self.scattered.add(trial)

    def _holds_everywhere(self, trial: int, margin: float) -> bool:
        """Returns true if the question holds on every seed of the search by a margin, within all bounds."""
        runs = self.trials.runs[trial]
        if len(runs) < len(self.trials.search.seeds) or not self.trials.judge(trial).is_feasible:
            return False
        return all(self.question.holds(run[self.question.kind.figure], margin) for run in runs.values())

    def _is_find(self, trial: int, margin: float) -> bool:
        plain, clean = self.trials.search.changed(self.trials.values[trial]), self.trials.search.plain
        # A coin decides where it holds on as many seeds without the attack.
        is_steady = self.share(plain, clean, margin).is_enough() and not self._is_coin and self._lasts(plain, clean)
        if not is_steady:
            self.scattered.add(trial)
            return False
        self.shared[trial] = self.suffers(plain, clean)
        return not self.shared[trial]

    def share(
        self,
        plain: Mapping[str, Any],
        clean: Mapping[str, Any],
        margin: float = 1.0,
        *,
        seeds: Sequence[int] | None = None,
    ) -> Share:
        """The share of seeds on which the question holds on a network, which is another without an attack.

        Parameters
        ----------
        seeds
            Judges all of these; by default so many fresh ones that it is clear whether they are enough.
        """
        fair = self.fair(clean, plain)
        limits = self.trials.search.objective.bounds
        return self._count(plain, fair, self.question, seeds, margin=margin, limits=limits)

    @cached_property
    def _is_coin(self) -> bool:
        """True if the question holds without an attack on half of the fresh seeds."""
        plain = self.trials.search.plain
        return self._count(plain, self.fair(plain, plain), self.question, None, need=_SUFFERS).is_enough(_SUFFERS)

    def _lasts(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> bool:
        """Returns true if it holds in the second half of the measured time too, and is no matter of the beginning."""
        if not self.question.kind.is_of_flows:
            return True
        clean, plain = (_later(own, self.asked.scenario) for own in (clean, plain))
        return self._count(plain, self.fair(clean, plain), self.question, None).is_enough()

    def suffers(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> bool:
        """Returns true if the question holds for the reference law on a network, which is another without an attack."""
        return self.asked.reference is not None and self.of_reference(plain, clean).is_enough(_SUFFERS)

    def of_reference(
        self, plain: Mapping[str, Any], clean: Mapping[str, Any], *, seeds: Sequence[int] | None = None
    ) -> Share:
        """The share of seeds on which the question holds for the reference law; arguments as for `share`."""
        plain, fair = self._under(plain, clean)
        return self._count(plain, fair, self._reference_question, seeds, need=_SUFFERS)

    def under_reference(self, plain: Mapping[str, Any], clean: Mapping[str, Any], seeds: Sequence[int]) -> float:
        """Mean figure of a network under the reference law."""
        plain, fair = self._under(plain, clean)
        return mean_of(self.runs.figures(plain, fair, seeds=seeds), self.question.kind.figure)

    def _under(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> tuple[dict[str, Any], Fair | None]:
        """A network under the reference law, with its fair shares under that law."""
        law = str(self.asked.reference)
        return _under(plain, law), self.fair(_under(clean, law), _under(plain, law))

    def is_own(self, share: Share, clean: Share, reference: Share | None) -> bool:
        """Returns true if a find holds on enough seeds, and beyond chance more often than elsewhere.

        Parameters
        ----------
        clean, reference
            The shares without the attack, and under the reference law.
        """
        others = [clean] if reference is None else [clean, reference]
        return share.is_enough() and all(share.is_above(other) and not other.is_enough(_SUFFERS) for other in others)

    def fair(self, clean: Mapping[str, Any], attacked: Mapping[str, Any]) -> Fair | None:
        """The fair shares that an attack leaves, where the question is about them."""
        return self.runs.fair_under(clean, attacked) if self.question.kind.is_fair else None

    def clean_share(self, clean: Mapping[str, Any], seeds: Sequence[int]) -> Share:
        """The share of seeds on which the question holds on a network without an attack."""
        return self._count(clean, self.fair(clean, clean), self.question, seeds)

    def _count(
        self,
        plain: Mapping[str, Any],
        fair: Fair | None,
        question: Question,
        seeds: Sequence[int] | None,
        *,
        margin: float = 1.0,
        limits: Sequence[Limit] = (),
        need: float = LEAST,
    ) -> Share:
        def judge(seeds: Sequence[int]) -> list[tuple[bool, str]]:
            found = self.runs.figures(plain, fair, seeds=seeds)
            return [(_holds(own, question, margin, limits), str(own)) for own in found]

        if seeds is not None:
            return count(seeds, judge, need=0.0, is_whole=True)
        return count(self.seeds, judge, need=need)

    @cached_property
    def _reference_question(self) -> Question:
        """The question for the reference law: a share is one of what that law has on the clean network."""
        asked = read_question(self.asked.until)
        if not asked.kind.is_share or self.asked.reference is None:
            return asked
        clean = _under(self.trials.search.plain, self.asked.reference)
        return asked.of(mean_of(self.runs.figures(clean), asked.kind.figure))


def _holds(run: Mapping[str, float], question: Question, margin: float, limits: Sequence[Limit]) -> bool:
    """Returns true if the question holds for a run by a margin, within bounds."""
    is_within = all(not limit.excess(run.get(limit.name, math.nan)) for limit in limits)
    return is_within and question.holds(run.get(question.kind.figure, math.nan), margin)


def _later(plain: Mapping[str, Any], scenario: _engine.Scenario) -> dict[str, Any]:
    """The scenario with figures of the second half of its measured time."""
    return {**plain, "warmup": f"{(scenario.warmup_s + scenario.duration_s) / 2:.12g} s"}


def _under(plain: Mapping[str, Any], law: str) -> dict[str, Any]:
    flows = [{**own, "law": {"name": law}} for own in plain.get("flow", [])]
    return {**plain, "flow": flows}

"""Judgement of an attack's trials: what counts as a find, and is no fault of the network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from windward import _engine
from windward._search.fair import Fair
from windward._search.figures import Runs
from windward._search.objective import mean_of
from windward._search.questions import Question, read_question
from windward._search.request import AttackRequest
from windward._search.trials import Trials

#: A find holds with so much to spare while it is shrunk.
MARGIN = 1.1

#: Number of the best trials that are tried against the reference.
_TRIED = 20


@dataclass(kw_only=True)
class Judge:
    """Judgement of the trials beside the reference law."""

    asked: AttackRequest
    question: Question
    trials: Trials
    runs: Runs
    #: By trial: whether the reference law suffers the same there, which is then no fault of the law.
    shared: dict[int, bool] = field(default_factory=dict)
    #: By trial: whether it holds in the second half of the measured time too, and is no matter of the beginning.
    lasting: dict[int, bool] = field(default_factory=dict)

    def found(self, margin: float) -> int | None:
        """The best trial that holds on every seed by a margin, and not under the reference law too."""
        judged = self.trials.judged()
        key = self.trials.search.objective.key
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
        if len(runs) < len(self.trials.search.seeds) or not self.trials.judge(trial).is_feasible:
            return False
        return all(self.question.holds(run[self.question.kind.figure], margin) for run in runs.values())

    def _plain(self, trial: int) -> dict[str, Any]:
        return self.trials.search.changed(self.trials.values[trial])

    def _lasts(self, trial: int) -> bool:
        if not self.question.kind.is_of_flows:
            return True
        if trial not in self.lasting:
            clean, plain = (_later(own, self.asked.scenario) for own in (self.trials.search.plain, self._plain(trial)))
            runs = self.runs.figures(plain, self.fair(clean, plain))
            self.lasting[trial] = all(self.question.holds(run.get(self.question.kind.figure, math.nan)) for run in runs)
        return self.lasting[trial]

    def _is_shared(self, trial: int) -> bool:
        if trial not in self.shared:
            self.shared[trial] = self.suffers(self._plain(trial), self.trials.search.plain)
        return self.shared[trial]

    def suffers(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> bool:
        """Returns true if the question holds for the reference law on a network, which is another without an attack."""
        return self.asked.reference is not None and self._reference_question.holds(self.under_reference(plain, clean))

    def under_reference(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> float:
        """Figure of a network under the reference law; its fair shares are those under that law."""
        law = str(self.asked.reference)
        return mean_of(
            self.runs.figures(_under(plain, law), self.fair(_under(clean, law), plain)), self.question.kind.figure
        )

    def fair(self, clean: Mapping[str, Any], attacked: Mapping[str, Any]) -> Fair | None:
        """The fair shares that an attack leaves, where the question is about them."""
        return self.runs.fair_under(clean, attacked) if self.question.kind.is_fair else None

    def _is_left(self, trial: int, margin: float) -> bool:
        """Returns true if flows fall short of what the attack leaves for them, and not only of what they had."""
        if not self.question.kind.is_fair:
            return True
        plain = self._plain(trial)
        runs = self.runs.figures(plain, self.fair(self.trials.search.plain, plain))
        return all(self.question.holds(run.get(self.question.kind.figure, math.nan), margin) for run in runs)

    @cached_property
    def _reference_question(self) -> Question:
        """The question for the reference law: a share is one of what that law has on the clean network."""
        asked = read_question(self.asked.until)
        if not asked.kind.is_share or self.asked.reference is None:
            return asked
        clean = _under(self.trials.search.plain, self.asked.reference)
        return asked.of(mean_of(self.runs.figures(clean), asked.kind.figure))


def _later(plain: Mapping[str, Any], scenario: _engine.Scenario) -> dict[str, Any]:
    """The scenario with figures of the second half of its measured time."""
    return {**plain, "warmup": f"{(scenario.warmup_s + scenario.duration_s) / 2:.12g} s"}


def _under(plain: Mapping[str, Any], law: str) -> dict[str, Any]:
    flows = [{**own, "law": {"name": law}} for own in plain.get("flow", [])]
    return {**plain, "flow": flows}

"""An attack as it was asked for, and its defaults."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from windward import _engine
from windward._search.fresh import FRESH, LEAST_FRESH
from windward._search.presets import default_bounds
from windward._search.questions import Question
from windward.errors import OptionError

#: Trials and seeds by default: a find that one seed shows may be a coincidence of phases.
TRIALS, SEEDS = 300, 3

#: Seconds at the end of a run in which nothing happens, by default, where the question is one about them.
QUIET_END_S = 10.0

#: Reference that follows from the scenario's laws.
_AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class AttackRequest:
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
    reference: str | None = _AUTO
    seeds: int = SEEDS
    #: Number of fresh seeds on which a find is shrunk, and as many others on which it is confirmed.
    fresh: int = FRESH
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


def with_defaults(asked: AttackRequest, question: Question) -> AttackRequest:
    """The attack with bounds and a reference, where none are given.

    Raises
    ------
    OptionError
        For too few fresh seeds.
    """
    if asked.fresh < LEAST_FRESH:
        said = f"at least {LEAST_FRESH} are needed to tell a share from chance"
        raise OptionError(("fresh", str(asked.fresh), said))
    if not asked.within and asked.like is None:
        plain = json.loads(asked.scenario.to_json())
        kind, within = default_bounds(plain, is_of_flows=question.kind.is_of_flows)
        asked = replace(asked, within=within, default=kind)
    if asked.reference == _AUTO:
        laws = {str(own["law"]["name"]) for own in json.loads(asked.scenario.to_json()).get("flow", [])}
        law = "reno" if laws == {"cubic"} else "cubic"
        asked = replace(asked, reference=None if question.kind.is_fair else law)
    return asked


def quiet_end(asked: AttackRequest, question: Question) -> float:
    """Length of the quiet end in seconds, zero where the attack has none.

    Raises
    ------
    OptionError
        For an end that leaves no time for an attack.
    """
    quiet_s = asked.quiet_end_s
    if quiet_s is None:
        quiet_s = QUIET_END_S if question.kind.is_quiet else 0.0
    scenario = asked.scenario
    if quiet_s < 0 or quiet_s > scenario.duration_s - max(scenario.warmup_s, 1.0):
        said = f"{quiet_s:g} s at the end of {scenario.duration_s:g} s leave no time for an attack"
        raise OptionError(("quiet_end", f"{quiet_s:g} s", said))
    if question.kind.figure == "gap" and question.limit > quiet_s:
        raise OptionError(("until", asked.until, f"the quiet end of {quiet_s:g} s is shorter; give a longer one"))
    return quiet_s

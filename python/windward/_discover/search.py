"""The search: generations of laws that race, in epochs, with an attack on the best of each epoch."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from windward._bench import networks as sets
from windward._bench.networks import Network
from windward._bench.score import combined
from windward._discover.adversary import find_extra
from windward._discover.contract import Contract
from windward._discover.field import Field, Journal, Law, Verdict, training
from windward._discover.trees import Trees
from windward.errors import OptionError

#: Generations from one look at the validation set to the next.
EPOCH = 6

#: A gain on the validation set that is one, and epochs without one after which the search ends.
GAIN, PATIENCE = 0.01, 2

#: Laws of an epoch that are judged on all networks.
LEADERS = 6

#: Networks that attacks have found, at most: a tenth of the set; the oldest go.
MOST_EXTRA = 6

#: Laws that the find is compared with, as `windward bench` scores them.
REFERENCES: Mapping[str, Law] = {
    "cubic": "cubic",
    "reno": "reno",
    "quic-tcp,backlog=20": {"name": "quic-tcp", "backlog": 20.0},
    "fast,alpha=20": {"name": "fast", "alpha": 20.0},
    "yeah": "yeah",
    "westwood": "westwood",
    "vegas": "vegas",
    "copa": "copa",
    "bbr3": "bbr3",
}

#: Seeds that the search does not use: of the limits, and of the networks, of which there are many.
FRESH, FRESH_OF_NETWORKS = (101, 102, 103), (101,)

#: Draws of the bootstrap, and the quantiles of its interval.
_DRAWS, _QUANTILES = 2000, (0.025, 0.975)


class Family(Protocol):
    """Laws that are searched, generation by generation."""

    name: str
    #: The first laws of the first generation, which are known.
    starts: int

    def ask(self) -> list[dict[str, Any]]:
        """The laws of the next generation."""

    def tell(self, costs: Sequence[float], violations: Sequence[float]) -> None:
        """Takes their costs, to be made small, and by how much they break limits."""


FAMILIES: Mapping[str, Callable[[int], Family]] = {"contract": Contract, "tree": Trees}


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A law that was tried."""

    law: Mapping[str, Any]
    verdict: Verdict
    generation: int


@dataclass(frozen=True, kw_only=True)
class DiscoverRequest:
    """A search as it was asked for."""

    family: str
    #: Candidates at most.
    count: int
    seed: int
    #: Time in seconds after which no generation begins.
    budget_s: float = math.inf
    #: Trials of the attack after each epoch; 0: none.
    attack: int = 0
    #: Seed of the held-out set, which is opened once, at the end; None: it is not.
    held_out: int | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise OptionError(("family", self.family, f"unknown family; families: {', '.join(FAMILIES)}"))
        if self.count < 1:
            raise OptionError(("trials", str(self.count), "at least one is needed"))

    def question(self) -> dict[str, Any]:
        """The part of the request that a search in the folder shares: more trials, and more time, go on with it."""
        return {
            "family": self.family,
            "seed": self.seed,
            "attack": self.attack,
            "training_set": sets.digest("train"),
            "validation_set": sets.digest("validation"),
        }


@dataclass(kw_only=True)
class Search:
    """A search under way."""

    asked: DiscoverRequest
    races: Field
    folder: Path
    #: Called with the number of candidates that have been judged.
    progress: Callable[[int], None] = lambda _: None
    #: What the sampler gets in place of the verdicts of a generation: the null test shuffles them.
    rewards: Callable[[list[Verdict]], list[Verdict]] = lambda own: own
    tried: list[Candidate] = field(default_factory=list)
    #: By epoch: the best law's score on the training and on the validation set.
    epochs: list[dict[str, float]] = field(default_factory=list)
    #: Laws that led an epoch, by their text.
    leaders: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    #: The known laws that the search began with.
    starts: list[Mapping[str, Any]] = field(default_factory=list)

    def run(self) -> Candidate:
        """Searches; returns the best law by the training set and what attacks have added to it."""
        asked = self.asked
        family = FAMILIES[asked.family](asked.seed)
        deadline = time.monotonic() + asked.budget_s
        validation = Field(
            networks=sets.networks("validation"), limits=(), journal=self.races.journal, threads=asked.threads
        )
        generation, stale, best = 0, 0, -math.inf
        while stale < PATIENCE and not self._is_over(deadline):
            for _ in range(EPOCH):
                self._generation(family, generation)
                generation += 1
                if self._is_over(deadline):
                    break
            leader = self._lead()
            (scores,) = validation.scores([leader.law], validation.networks)
            seen = combined(list(scores.values()))
            self.epochs.append({"training": leader.verdict.score, "validation": seen})
            stale = 0 if seen > best + GAIN else stale + 1
            best = max(best, seen)
            if asked.attack and stale < PATIENCE and not self._is_over(deadline):
                self._attack(leader, len(self.epochs))
        return self._lead()

    def _is_over(self, deadline: float) -> bool:
        return len(self.tried) >= self.asked.count or time.monotonic() >= deadline

    def _generation(self, family: Family, generation: int) -> None:
        asked = family.ask()
        laws = asked[: self.asked.count - len(self.tried)]
        if not generation:
            self.starts = list(laws[: family.starts])
        verdicts = self.rewards(self.races.judge(laws))
        if len(laws) == len(asked):
            family.tell([own.cost for own in verdicts], [own.violation for own in verdicts])
        self.tried += [
            Candidate(law=law, verdict=own, generation=generation) for law, own in zip(laws, verdicts, strict=True)
        ]
        self.progress(len(self.tried))

    def _lead(self) -> Candidate:
        """The best law so far. Those that have led are judged again: attacks add networks."""
        distinct = {json.dumps(own.law): own for own in self.tried}
        ordered = sorted(distinct.values(), key=lambda own: own.verdict.key)
        self.leaders |= {json.dumps(own.law): own.law for own in ordered[:LEADERS]}
        judged = self.rewards([self.races.whole(law) for law in self.leaders.values()])
        whole = [replace(distinct[text], verdict=own) for text, own in zip(self.leaders, judged, strict=True)]
        best = min(whole, key=lambda own: own.verdict.key)
        self.leaders = {
            json.dumps(own.law): own.law for own in sorted(whole, key=lambda own: own.verdict.key)[:LEADERS]
        }
        return best

    def _attack(self, leader: Candidate, epoch: int) -> None:
        found = find_extra(
            leader.law, self.folder / "attacks" / f"epoch-{epoch}", self.asked.attack, self.asked.threads
        )
        if found is not None:
            extra = [*self.races.extra, replace(found, name=f"found-{epoch}")]
            self.races.extra = extra[-MOST_EXTRA:]


def confirmed(
    law: Law, networks: Sequence[Network], journal: Journal, threads: int | None, others: Mapping[str, Law]
) -> dict[str, Any]:
    """A law and others on a set of networks with seeds that no search has seen; how far it is before each of them."""
    beyond = Field(networks=networks, limits=(), journal=journal, threads=threads, seeds=FRESH_OF_NETWORKS)
    own, *theirs = beyond.scores([law, *others.values()], networks)
    family = {network.name: network.family for network in networks}
    rows = {}
    for name, scores in zip(others, theirs, strict=True):
        low, high = difference(own, scores, family)
        score = combined(list(scores.values()))
        rows[name] = {"score": score, "ahead": combined(list(own.values())) - score, "low": low, "high": high}
    return {"score": combined(list(own.values())), "networks": own, "others": rows, "seeds": list(FRESH_OF_NETWORKS)}


def difference(own: Mapping[str, float], other: Mapping[str, float], family: Mapping[str, str]) -> tuple[float, float]:
    """95 % interval of the difference of two combined scores: networks of each family are drawn anew, as pairs."""
    families: dict[str, list[str]] = {}
    for name in own:
        families.setdefault(family[name], []).append(name)
    draws = random.Random(1)  # noqa: S311
    found = []
    for _ in range(_DRAWS):
        names = [names[int(draws.random() * len(names))] for names in families.values() for _ in names]
        found.append(combined([own[name] for name in names]) - combined([other[name] for name in names]))
    found.sort()
    low, high = (found[round(share * (_DRAWS - 1))] for share in _QUANTILES)
    return low, high


def begin(asked: DiscoverRequest, folder: Path, journal: Journal) -> Search:
    """A search on the training set."""
    return Search(asked=asked, races=training(journal, asked.threads), folder=folder)

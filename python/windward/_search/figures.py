"""Figures of single networks under attack, and their fair shares."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windward import _engine
from windward._engines.lines import simulated
from windward._engines.simulate import count_threads
from windward._format.own import finders
from windward._search.fair import Fair, fair, goodputs_of
from windward._search.objective import of_tables, rows_of
from windward._search.request import AttackRequest
from windward._search.twin import twinned

#: Runs whose tables are kept.
_KEPT = 20_000


@dataclass
class Runs:
    """Runs of single scenarios on all seeds of the attack."""

    asked: AttackRequest
    threads: int | None
    #: The law of a twin beside each network.
    twin: str | None = None

    #: Fair shares of networks, by their text.
    known: dict[str, Fair] = field(default_factory=dict)
    #: Tables of runs, by the network's text and the seed.
    run: dict[tuple[str, int], Mapping[str, Mapping[str, Any]] | None] = field(default_factory=dict)

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
        whole = plain if self.twin is None else twinned(plain, self.twin)
        text = json.dumps(whole, ensure_ascii=False)
        seeds = list(range(1, self.asked.seeds + 1)) if seeds is None else list(seeds)
        if len(self.run) > _KEPT:
            self.run.clear()
        missing = [seed for seed in seeds if (text, seed) not in self.run]
        if missing:
            self.run |= {(text, seed): tables for seed, tables in self._simulated(text, missing).items()}
        return [self.run[text, seed] for seed in seeds]

    def _simulated(self, text: str, seeds: Sequence[int]) -> dict[int, Mapping[str, Mapping[str, Any]] | None]:
        pool = _engine.Sweep(
            "simulate",
            threads=count_threads(self.threads, has_python=bool(self.asked.scenario.python_classes)),
            folder=self.asked.folder,
            **finders(self.asked.laws, self.asked.folder),
        )
        pool.submit(0, text, list(seeds))
        found: dict[int, Mapping[str, Mapping[str, Any]] | None] = {}
        try:
            while len(found) < len(seeds):
                for _, seed, answer, _ in pool.wait(0.1):
                    found[seed] = None if answer is None else simulated(answer)
        finally:
            pool.cancel()
        return found

    def resolved(self, written: Mapping[str, Any]) -> str | None:
        """A scenario with its defaults, as JSON; None for one that cannot be."""
        try:
            return _engine.Scenario.from_json(json.dumps(written), "the find", self.asked.folder).to_json()
        except ValueError:
            return None

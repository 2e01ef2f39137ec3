"""Networks on which candidates race: first the limits and a few networks, then more for those that lead.

What has been run is kept in a journal, so that an interrupted search goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from windward import _engine
from windward._bench import networks as sets
from windward._bench.networks import Network, timed
from windward._bench.run import REFERENCE
from windward._bench.score import Figures, Scored, combined, figures, mean, ratio
from windward._discover.limits import Limit, limits
from windward._engines.lines import simulated
from windward._engines.simulate import count_threads
from windward._evaluate.networks import with_law

#: Networks of a race, round by round, and the share of the candidates that reaches the next round.
ROUNDS = (8, 24, 64)
PASS = 0.4

#: Seeds of the limits of a law that leads; the first decides while laws race.
LIMIT_SEEDS = (1, 2, 3)

#: Extent of a run.
DURATION_S, WARMUP_S = 12.0, 4.0

#: Runs after which the journal is written.
_KEPT_AT_ONCE = 128

#: How often Ctrl-C is noticed, in seconds.
_POLL = 0.05

Law = Mapping[str, Any] | str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Score and limits of a law."""

    #: Mean score over the networks that it ran on plus the mean of the worst tenth, as `windward bench` has it.
    score: float
    #: By how much it breaks limits, in all.
    violation: float
    #: Rounds of the race that it has run.
    rounds: int
    #: By limit: the figure.
    limits: Mapping[str, float] = field(default_factory=dict)
    #: By network: the score.
    networks: Mapping[str, float] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """Cost for a sampler: a law that got further in the race has less than one that did not."""
        return 10.0 * (len(ROUNDS) - self.rounds) - self.score

    @property
    def key(self) -> tuple[float, float]:
        """Order of laws, the best first."""
        return self.violation, self.cost


@dataclass(frozen=True, kw_only=True)
class Extra:
    """A network that the search has added: a find of an attack, with the placeholder of the law."""

    name: str
    about: str
    plain: Mapping[str, Any]


class Journal:
    """Answers of runs, in a file of lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Any] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                # The last line of a search that was killed may be a part of one.
                try:
                    own = json.loads(line)
                except ValueError:
                    continue
                self._known[own["run"]] = own["answer"]
        self.kept = len(self._known)

    def get(self, key: str) -> Any:
        """The answer of a run; None if it is not known."""
        return self._known.get(key)

    def put(self, answers: Mapping[str, Any]) -> None:
        """Keeps answers."""
        if not answers:
            return
        self._known.update(answers)
        lines = "".join(json.dumps({"run": key, "answer": own}) + "\n" for key, own in answers.items())
        with self._path.open("a", encoding="utf-8") as file:
            # After a part of a line, a new one begins.
            if self._path.stat().st_size and not self._path.read_bytes().endswith(b"\n"):
                file.write("\n")
            file.write(lines)


@dataclass(kw_only=True)
class Field:
    """Networks and limits, and what is known of laws on them."""

    networks: Sequence[Network]
    limits: Sequence[Limit]
    journal: Journal
    threads: int | None = None
    seeds: Sequence[int] = (1,)
    extra: list[Extra] = field(default_factory=list)
    #: Called while runs are made.
    tell: Callable[[], None] = lambda: None
    runs: int = 0

    def judge(self, laws: Sequence[Law]) -> list[Verdict]:
        """Races laws against each other: all run the first round, the best of each round the next."""
        # A law may be there twice.
        texts = [json.dumps(law) for law in laws]
        distinct = dict(zip(texts, laws, strict=True))
        broken = self._limits(list(distinct.values()))
        verdicts = {
            text: Verdict(score=-math.inf, violation=violation, rounds=0, limits=values)
            for text, (violation, values) in zip(distinct, broken, strict=True)
        }
        racing = list(distinct)
        for at, count in enumerate(ROUNDS, start=1):
            scores = self.scores([distinct[text] for text in racing], self.networks[:count], with_extra=True)
            for text, own in zip(racing, scores, strict=True):
                verdicts[text] = replace(verdicts[text], score=combined(list(own.values())), rounds=at, networks=own)
            racing.sort(key=lambda text: verdicts[text].key)
            racing = racing[: max(1, math.ceil(PASS * len(racing)))]
        return [verdicts[text] for text in texts]

    def whole(self, law: Law) -> Verdict:
        """Judges a law on all networks, and its limits by their means over several seeds."""
        several = [self.figures_of_limits(law, seed) for seed in LIMIT_SEEDS]
        values = {own.name: mean([each[own.name] for each in several]) for own in self.limits}
        violation = math.fsum(each.missing(values[each.name]) for each in self.limits)
        (own,) = self.scores([law], self.networks, with_extra=True)
        return Verdict(
            score=combined(list(own.values())), violation=violation, rounds=len(ROUNDS), limits=values, networks=own
        )

    def scores(
        self, laws: Sequence[Law], networks: Sequence[Network], *, with_extra: bool = False
    ) -> list[dict[str, float]]:
        """Scores of laws by network, beside CUBIC on the same networks and seeds."""
        plain = {own.name: timed(own, DURATION_S, WARMUP_S) for own in networks}
        about = {own.name: (own.family, own.about) for own in networks}
        if with_extra:
            plain |= {own.name: dict(own.plain) for own in self.extra}
            about |= {own.name: ("found", own.about) for own in self.extra}
        jobs = [
            (json.dumps(with_law(template, law)), seed)
            for law in (REFERENCE, *laws)
            for template in plain.values()
            for seed in self.seeds
        ]
        found = dict(zip(jobs, self._figures(jobs), strict=True))
        answers = []
        for law in laws:
            own: dict[str, float] = {}
            for name, template in plain.items():
                sides = [
                    [found[json.dumps(with_law(template, side)), seed] for seed in self.seeds]
                    for side in (law, REFERENCE)
                ]
                own[name] = _scored(name, *about[name], *sides).score
            answers.append(own)
        return answers

    def figures_of_limits(self, law: Law, seed: int) -> dict[str, float]:
        """Figures of a law's limits, with a seed of their own."""
        ((_, values),) = self._limits([law], seed)
        return values

    def _limits(self, laws: Sequence[Law], seed: int = 1) -> list[tuple[float, dict[str, float]]]:
        jobs = [(json.dumps(with_law(own.template, law)), seed) for law in laws for own in self.limits]
        tables = iter(self._tables(jobs))
        answers = []
        for _ in laws:
            values = {}
            for own in self.limits:
                flows = next(tables)
                values[own.name] = math.nan if isinstance(flows, str) else own.figure(flows)
            violation = math.fsum(own.missing(values[own.name]) for own in self.limits)
            answers.append((violation, values))
        return answers

    def _figures(self, jobs: Sequence[tuple[str, int]]) -> list[Figures | str]:
        return [
            own if isinstance(own, str) else figures(own, _measured(text))
            for own, (text, _) in zip(self._tables(jobs), jobs, strict=True)
        ]

    def _tables(self, jobs: Sequence[tuple[str, int]]) -> list[dict[str, list[Any]] | str]:
        """Columns of the table of flows of each run that figures need; the reason of one that failed."""
        keys = [hashlib.sha256(f"{seed} {text}".encode()).hexdigest()[:24] for text, seed in jobs]
        missing = {key: job for key, job in zip(keys, jobs, strict=True) if self.journal.get(key) is None}
        self._simulate(missing)
        return [self.journal.get(key) for key in keys]

    def _simulate(self, jobs: Mapping[str, tuple[str, int]]) -> None:
        keys = list(jobs)
        for at in range(0, len(keys), _KEPT_AT_ONCE):
            self._some({key: jobs[key] for key in keys[at : at + _KEPT_AT_ONCE]})

    def _some(self, jobs: Mapping[str, tuple[str, int]]) -> None:
        workers = count_threads(self.threads, has_python=False)
        pool = _engine.Sweep("simulate", threads=workers, folder=Path(), law=_no_law, scheduler=_no_law, rule=_no_law)
        keys = list(jobs)
        found: dict[str, Any] = {}
        try:
            for at, key in enumerate(keys):
                pool.submit(at, jobs[key][0], [jobs[key][1]])
            while len(found) < len(keys):
                for at, _, answer, reason in pool.wait(_POLL):
                    flows = None if answer is None else simulated(answer)["flows"]
                    found[keys[at]] = (reason or "it failed") if flows is None else _kept(flows)
                self.tell()
        finally:
            # In the order of the jobs: the journal is the same for any number of threads.
            self.journal.put({key: found[key] for key in keys if key in found})
            self.runs += len(found)
            pool.cancel()


def training(journal: Journal, threads: int | None) -> Field:
    """The training set of `windward bench`, with all limits."""
    return Field(networks=sets.networks("train"), limits=limits(), journal=journal, threads=threads)


def _no_law(*_: Any) -> Any:
    raise AssertionError("no law in Python is searched")


#: Columns of a run that figures are made of.
_COLUMNS = ("flow", "goodput_bps", "rtt_p95_s", "segments_sent", "segments_lost")


def _kept(flows: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [str(value) if name == "flow" else float(value) for value in flows[name]] for name in _COLUMNS}


def _measured(text: str) -> float:
    plain = json.loads(text)
    ends = [_engine.quantity(plain[name]) for name in ("duration", "warmup")]
    return ends[0][0] - (ends[1][0] if ends[1] else 0.0) if ends[0] else math.nan


def _scored(name: str, family: str, about: str, own: Sequence[Figures | str], other: Sequence[Figures | str]) -> Scored:
    failure = next((run for run in (*own, *other) if isinstance(run, str)), "")
    if failure:
        return Scored(name=name, family=family, about=about, goodput=0.0, rtt=0.0, loss=0.0, failure=failure)
    pairs = [
        (run, beside)
        for run, beside in zip(own, other, strict=True)
        if isinstance(run, Figures) and isinstance(beside, Figures)
    ]
    return Scored(
        name=name,
        family=family,
        about=about,
        goodput=mean([ratio(run.goodputs, beside.goodputs) for run, beside in pairs]),
        rtt=mean([ratio(run.rtts, beside.rtts) for run, beside in pairs]),
        loss=mean([run.loss for run, _ in pairs]),
    )

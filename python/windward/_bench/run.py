"""Runs a law, and CUBIC, on the networks of a set."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from windward import _engine
from windward._bench import networks as sets
from windward._bench.networks import Network, timed
from windward._bench.score import Figures, Scored, Summary, combined, figures, mean, ratio, regret
from windward._engines.lines import simulated
from windward._engines.simulate import count_threads
from windward._evaluate.networks import with_law
from windward._format.own import finders
from windward._search.fair import best_shares
from windward.results._shapes import Progress

#: The law that others are compared with.
REFERENCE = "cubic"

#: A law this much worse than CUBIC in a stage does not reach the next.
HOPELESS = -1.5


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Extent of the runs of a stage."""

    #: Networks of the set, from its beginning.
    networks: int
    duration_s: float
    warmup_s: float
    seeds: int


#: Stages, each some ten times the one before: about 2 s, 20 s and 3 min on two cores.
STAGES = {
    1: Stage(networks=len(sets.FAMILIES), duration_s=8.0, warmup_s=3.0, seeds=1),
    2: Stage(networks=sets.EACH * len(sets.FAMILIES), duration_s=12.0, warmup_s=4.0, seeds=1),
    3: Stage(networks=sets.EACH * len(sets.FAMILIES), duration_s=30.0, warmup_s=6.0, seeds=3),
}

#: Runs of CUBIC and optima, which every law is compared with, by the text of the network and the seed.
_known: dict[tuple[str, int], Figures | str] = {}
_best: dict[str, Mapping[str, float]] = {}

#: How often Ctrl-C is noticed, in seconds.
_POLL = 0.05


@dataclass(frozen=True, kw_only=True)
class BenchRequest:
    """A question as it was asked."""

    #: The law as a scenario names it, and as people do.
    law: Any
    text: str
    set: str
    seed: int | None
    stage: int
    folder: Path
    laws: Mapping[str, Callable[..., Any]]

    @property
    def has_python(self) -> bool:
        """True for a law in Python."""
        return isinstance(self.law, Mapping) and self.law.get("name") == "python"


def run(
    asked: BenchRequest, *, threads: int | None = None, progress: Callable[[Progress], None] | None = None
) -> dict[str, Any]:
    """Runs the stages up to the one that was asked for; ends after one in which the law is hopeless.

    Raises
    ------
    windward.RunInterrupted
        On Ctrl-C.
    """
    drawn = sets.networks(asked.set, asked.seed)
    head = {
        "windward": _engine.__version__,
        "version": sets.VERSION,
        "digest": sets.digest(asked.set, asked.seed),
        "seed": asked.seed,
    }
    for number in range(1, asked.stage + 1):
        found = _stage(asked, drawn, STAGES[number], threads, progress)
        summary = Summary(law=asked.text, set=asked.set, stage=number, networks=found, head=head)
        if number < asked.stage and combined([own.score for own in found]) < HOPELESS:
            break
    return summary.plain()


def _stage(
    asked: BenchRequest,
    drawn: Sequence[Network],
    stage: Stage,
    threads: int | None,
    progress: Callable[[Progress], None] | None,
) -> list[Scored]:
    chosen = drawn[: stage.networks]
    plain = [timed(own, stage.duration_s, stage.warmup_s) for own in chosen]
    reference = [json.dumps(with_law(own, REFERENCE)) for own in plain]
    texts = [json.dumps(with_law(own, asked.law)) for own in plain]
    seeds = list(range(1, stage.seeds + 1))
    jobs = {(text, seed): False for text in reference for seed in seeds if (text, seed) not in _known}
    jobs |= {(text, seed): True for text in texts for seed in seeds if (text, seed) not in _known}
    workers = count_threads(threads, has_python=asked.has_python)
    span = stage.duration_s - stage.warmup_s
    runs = _simulated(list(jobs), span, asked, workers, progress)
    # The law's own runs are asked for once; CUBIC's by every law.
    _known.update({job: found for job, found in runs.items() if not jobs[job]})
    everything = {**_known, **runs}
    found = []
    for own, text, other in zip(chosen, texts, reference, strict=True):
        if other not in _best:
            _best[other] = best_shares(_engine.Scenario.from_json(other, own.name, Path()))
        pairs = [(everything[text, seed], everything[other, seed]) for seed in seeds]
        found.append(_scored(own, pairs, _best[other]))
    return found


def _scored(own: Network, pairs: Sequence[tuple[Figures | str, Figures | str]], best: Mapping[str, float]) -> Scored:
    """A network, from the runs of the law and of CUBIC on each seed."""
    scored = partial(Scored, name=own.name, family=own.family, about=own.about)
    if failure := next((run for pair in pairs for run in pair if isinstance(run, str)), ""):
        return scored(goodput=0.0, rtt=0.0, loss=0.0, failure=failure)
    both = [(run, other) for run, other in pairs if isinstance(run, Figures) and isinstance(other, Figures)]
    return scored(
        goodput=mean([ratio(run.goodputs, other.goodputs) for run, other in both]),
        rtt=mean([ratio(run.rtts, other.rtts) for run, other in both]),
        loss=mean([run.loss for run, _ in both]),
        regret=mean([regret(run, best) for run, _ in both]),
    )


def _simulated(
    jobs: Sequence[tuple[str, int]],
    span_s: float,
    asked: BenchRequest,
    workers: int,
    progress: Callable[[Progress], None] | None,
) -> dict[tuple[str, int], Figures | str]:
    """Figures of runs; the reason of those that failed."""
    pool = _engine.Sweep("simulate", threads=workers, folder=asked.folder, **finders(asked.laws, asked.folder))
    found: dict[tuple[str, int], Figures | str] = {}
    try:
        for at, (text, seed) in enumerate(jobs):
            pool.submit(at, text, [seed])
        while len(found) < len(jobs):
            for at, _, answer, reason in pool.wait(_POLL):
                flows = None if answer is None else simulated(answer)["flows"]
                found[jobs[at]] = (reason or "it failed") if flows is None else figures(flows, span_s)
            if progress is not None:
                progress(Progress(fraction=len(found) / len(jobs), finished=len(found), seeds=len(jobs), resumed=0.0))
    except KeyboardInterrupt as interrupt:
        said = f"interrupted: {len(found)} of {len(jobs)} runs finished"
        raise _engine.RunInterrupted(said) from interrupt
    finally:
        pool.cancel()
    return found

"""What a page or a terminal says of a result, whatever engine it is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch

from windward._answers.fluid import Fluid
from windward._answers.open import Result
from windward._answers.optimum import Optimum
from windward._answers.run import Run
from windward.results._summary import versions
from windward.results.stats import jain
from windward.show._digest import Digest, digests, headline, quantity, seeds
from windward.show._tables import fluid_digest, optimum_digests
from windward.show.plot import PLOTS
from windward.show.plot._answers import FLUID, OPTIMUM

#: The figures of a simulation's page, in order.
FIGURES = (
    "windows",
    "rates",
    "queues",
    "delays",
    "rtt",
    "fairness",
    "goodput",
    "utilization",
    "stations",
    "loss",
    "internals",
)


@dataclass(frozen=True, kw_only=True)
class Page:
    """The words of a result."""

    name: str
    title: str
    #: What was done, and by what: under the title.
    span: str
    how: str
    #: The few numbers that sum it up, with their names.
    facts: Sequence[tuple[str, str]]
    tables: Sequence[Digest]
    #: Titles of the figures that there may be, by the name that `plot` takes.
    figures: Mapping[str, str]
    scenario: str
    versions: Mapping[str, str]


@singledispatch
def describe(result: Result) -> Page:
    """What is said of a result."""
    raise TypeError(f"{type(result).__name__} is no result")


@describe.register
def _(run: Run) -> Page:
    return Page(
        name=run.name,
        title=run.title or run.name,
        span=f"{run.duration_s:g} s {run.engine}d",
        how=seeds(run),
        facts=[*headline(run), *_timing(run)],
        tables=digests(run),
        figures={what: PLOTS[what].title for what in FIGURES},
        scenario=run.scenario,
        versions=run.versions,
    )


def _timing(run: Run) -> list[tuple[str, str]]:
    """How well an emulation kept its time, whether it is to be trusted, and what it did differently."""
    timing = run.timing
    if timing.empty:
        return []
    late = (quantity(float(timing[f"late_{what}_s"].max()), "s") for what in ("p50", "p99", "max"))
    trust = run.problems or ["yes"]
    return [
        ("packets late by (p50, p99, most)", ", ".join(late)),
        *(("trustworthy" if problem == "yes" else "NOT TRUSTWORTHY", problem) for problem in trust),
        *(("the kernel differs", note) for note in run.notes),
    ]


@describe.register
def _(best: Optimum) -> Page:
    goodput = best.flows["goodput_bps"]
    return Page(
        name=best.name,
        title=best.title or best.name,
        span=f"best rates, {best.objective}",
        how=f"{best.method}, {best.iterations} iterations",
        facts=[
            ("goodput of all flows", quantity(goodput.sum(), "bit/s")),
            ("Jain's index", f"{jain(goodput):.3f}"),
            ("largest residual of the certificate", f"{max(best.certificate.values()):.0e}"),
        ],
        tables=optimum_digests(best),
        figures={what: title for what, (title, _) in OPTIMUM.items()},
        scenario=best.scenario,
        versions=versions(),
    )


@describe.register
def _(run: Fluid) -> Page:
    goodput = run.flows["goodput_bps"]
    return Page(
        name=run.name,
        title=run.title or run.name,
        span=f"all flows from the beginning, {run.duration_s:g} s",
        how=run.how,
        facts=[
            ("goodput of all flows", quantity(goodput.sum(), "bit/s")),
            ("Jain's index", f"{jain(goodput):.3f}"),
            ("longest queueing delay", quantity(run.flows["queue_delay_ms"].max() / 1e3, "s")),
            ("rates settle after", "–" if run.settled_s is None else f"{run.settled_s:g} s"),
        ],
        tables=[fluid_digest(run)],
        figures={what: title for what, (title, _) in FLUID.items()},
        scenario=run.scenario,
        versions=versions(),
    )

"""Description of a result of any engine, for a page or a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windward.errors import nearest
from windward.results._summary import versions
from windward.results.stats import jain
from windward.show import _attack, _evaluate, _tuning
from windward.show._sweep import digests as sweep_digests
from windward.show._tables import (
    certificate,
    compare_app_digest,
    compare_digest,
    fluid_digest,
    optimum_digests,
    rests_digest,
)
from windward.show.digest._numbers import quantity
from windward.show.digest._run import digests, headline, seeds
from windward.show.digest._table import Digest, with_columns

if TYPE_CHECKING:
    from windward.results._shapes import BestRates, Compared, Finding, Found, Grid, Judgement, Packets, Result, Windows


@dataclass(frozen=True, kw_only=True)
class Page:
    """The words of a result."""

    name: str
    title: str
    #: What was done, and by what: under the title.
    span: str
    how: str
    #: What is not counted at its beginning.
    warmup_s: float = 0.0
    #: The few numbers that sum it up, with their names.
    facts: Sequence[tuple[str, str]]
    tables: Sequence[Digest]
    #: What stands below the tables in a terminal.
    footer: Sequence[tuple[str, str]]
    scenario: str
    versions: Mapping[str, str]

    @property
    def subtitle(self) -> str:
        """The line under the title."""
        return " · ".join(filter(None, (self.span, self.how)))


def describe(result: Result) -> Page:
    """Description of a result."""
    return _PAGES[result.engine](result)


def tables(
    result: Result, *, is_whole: bool = True, table: str | None = None, columns: Sequence[str] | None = None
) -> Sequence[Digest]:
    """Its tables.

    Parameters
    ----------
    result
        A result of any engine.
    is_whole
        Of a sweep all points, for other programs.
    table
        Name of one of them. Default: all.
    columns
        Names of their columns; of a sweep, of its figures. Default: the important ones.

    Raises
    ------
    ValueError
        If there is no such table or column.
    """
    if result.engine == "sweep":
        found: Sequence[Digest] = sweep_digests(result, is_whole=is_whole, chosen=columns)  # type: ignore[arg-type]
    else:
        found = describe(result).tables
    if table is not None:
        names = {digest.title.lower(): digest for digest in found}
        if table.lower() not in names:
            raise ValueError(f"the result has no table `{table}`; tables: {', '.join(names)}{nearest(table, names)}")
        found = [names[table.lower()]]
    return found if columns is None or result.engine == "sweep" else with_columns(found, columns)


def _packets(run: Packets) -> Page:
    facts = [*headline(run), *_timing(run)]
    return Page(
        name=run.name,
        title=run.title or run.name,
        span=f"{run.duration_s:g} s {_DONE[run.engine]}",
        warmup_s=run.warmup_s,
        how=seeds(run),
        facts=facts,
        footer=facts,
        tables=digests(run),
        scenario=run.scenario,
        versions=run.versions,
    )


_DONE = {"simulate": "simulated", "emulate": "emulated"}


def _timing(run: Packets) -> list[tuple[str, str]]:
    """Timing of an emulation, its reliability, and its differences from the scenario."""
    if run.engine != "emulate":
        return []
    timing = run.timing
    late = (quantity(float(timing[f"late_{what}_s"].max()), "s") for what in ("p50", "p99", "max"))
    trust = run.problems or ["yes"]
    return [
        ("packets late by (p50, p99, most)", ", ".join(late)),
        *(("trustworthy" if problem == "yes" else "NOT TRUSTWORTHY", problem) for problem in trust),
        *(("the kernel differs", note) for note in run.notes),
    ]


def _optimum(best: BestRates) -> Page:
    goodput = [row["goodput_bps"] for row in best.rows("flows")]
    return Page(
        name=best.name,
        title=best.title or best.name,
        span=f"best rates, {best.utility}" + (", free routing" if best.routing == "free" else ""),
        how=f"{best.method}, {best.iterations} iterations",
        facts=[
            ("goodput of all flows", quantity(sum(goodput), "bit/s")),
            ("Jain's index", f"{jain(goodput):.3f}"),
            ("largest residual of the certificate", f"{max(best.certificate.values()):.0e}"),
        ],
        footer=[("certificate", certificate(best))],
        tables=optimum_digests(best),
        scenario=best.scenario,
        versions=versions(),
    )


def _fluid(run: Windows) -> Page:
    flows = run.rows("flows")
    goodput = [row["goodput_bps"] for row in flows]
    return Page(
        name=run.name,
        title=run.title or run.name,
        span=f"all flows from the beginning, {run.duration_s:g} s",
        how=run.how,
        facts=[
            ("goodput of all flows", quantity(sum(goodput), "bit/s")),
            ("Jain's index", f"{jain(goodput):.3f}"),
            ("longest queueing delay", quantity(max(row["queue_delay_ms"] for row in flows) / 1e3, "s")),
            ("rates settle after", "–" if run.settled_s is None else f"{run.settled_s:g} s"),
        ],
        footer=[("note", note) for note in run.notes],
        tables=[fluid_digest(run), *rests_digest(run)],
        scenario=run.scenario,
        versions=versions(),
    )


def _sweep(sweep: Grid) -> Page:
    failed = len(sweep.failures)
    counts = f"{sweep.points} point{'s' if sweep.points > 1 else ''}"
    if len(sweep.seeds) > 1:
        counts += f" × {len(sweep.seeds)} seeds"
    state = "" if sweep.is_complete else f", interrupted: {sweep.finished} of {sweep.runs_asked} runs finished"
    over = "mean ± 95 % confidence interval over the seeds" if len(sweep.seeds) > 1 else sweep.how
    return Page(
        name=sweep.name,
        title=sweep.title or sweep.name,
        span=f"`{sweep.of}` at {counts}{state}",
        how=over or (f"seed {sweep.seeds[0]}" if sweep.seeds else "no seeds"),
        facts=[("runs", str(sweep.finished)), *([("failed", str(failed))] if failed else [])],
        footer=[("failed", f"{failed} of {sweep.finished} runs")] if failed else [],
        tables=sweep_digests(sweep),
        scenario=sweep.scenario,
        versions=sweep.versions,
    )


def _compare(compared: Compared) -> Page:
    kernel = compared.kernel
    subjects = [
        *(["goodput of each flow"] if compared.rows else []),
        *(["completion times of each application"] if compared.app_rows else []),
    ]
    return Page(
        name=compared.name,
        title=compared.title or compared.name,
        span=", ".join(subjects) or "no flows, and no applications with requests",
        how=f"optimum: {compared.optimum.utility}" if compared.rows and compared.optimum else "",
        facts=[],
        footer=[
            *(("note", note) for note in compared.notes),
            *((f"{engine} skipped", reason) for engine, reason in compared.left_out.items()),
            *(("kernel NOT TRUSTWORTHY", problem) for problem in (kernel.problems if kernel else ())),
            *(("the kernel differs", note) for note in (kernel.notes if kernel else ())),
        ],
        tables=[
            *([compare_digest(compared.rows)] if compared.rows else []),
            *([compare_app_digest(compared.app_rows)] if compared.app_rows else []),
        ],
        scenario=compared.scenario,
        versions=versions(),
    )


def _size(about: Mapping[str, Any]) -> str:
    """Number of trials and seeds of a search."""
    return " × ".join(
        f"{number} {noun}{'' if number == 1 else 's'}"
        for number, noun in ((about.get("trials", 0), "trial"), (len(about["seeds"]), "seed"))
    )


def _tune(found: Found) -> Page:
    about = found.summary
    state = "" if found.is_complete else ", interrupted"
    facts = _tuning.verdicts(found)
    return Page(
        name=found.name,
        title=found.title or found.name,
        span=f"tuned for {found.objective}: {_size(about)}{state}",
        how=f"{about['sampler']}, seed {about['seed']}",
        facts=facts,
        footer=facts,
        tables=_tuning.digests(found),
        scenario=found.scenario,
        versions=found.versions,
    )


def _attacked(attack: Finding) -> Page:
    about = attack.summary
    facts = _attack.verdicts(attack)
    return Page(
        name=attack.name,
        title=attack.title or attack.name,
        span=f"attacked: {_size(about)}",
        how=f"{about['sampler']}, seed {about['seed']}; {_attack.bounds(about)}",
        facts=facts,
        footer=facts,
        tables=_attack.digests(attack),
        scenario=attack.scenario_file.read_text(encoding="utf-8") if attack.is_found else attack.scenario,
        versions=attack.versions,
    )


def _evaluated(found: Judgement) -> Page:
    about = found.summary
    facts = _evaluate.facts(found)
    kind = f"suite {about['suite']}," if about.get("suite") else "full" if about["is_full"] else "quick"
    return Page(
        name=found.name,
        title=found.title or found.name,
        span=f"{kind} evaluation, {len(about['seeds'])} seeds",
        how=""
        if about.get("suite")
        else f"thresholds relative to {' and '.join(about['references'])} on the same networks and seeds",
        facts=facts,
        footer=facts,
        tables=_evaluate.digests(found),
        scenario=found.scenario,
        versions=found.versions,
    )


_PAGES: Mapping[str, Callable[[Any], Page]] = {
    "simulate": _packets,
    "emulate": _packets,
    "optimum": _optimum,
    "fluid": _fluid,
    "sweep": _sweep,
    "compare": _compare,
    "tune": _tune,
    "attack": _attacked,
    "evaluate": _evaluated,
}

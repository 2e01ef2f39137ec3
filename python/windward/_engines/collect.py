"""Takes the finished seeds of a job, whichever engine runs it, and keeps them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from windward import _engine
from windward._answers.run import Run
from windward.errors import ResultError
from windward.results._folder import ResultFolder, read_table
from windward.results._place import Place
from windward.results._schema import TOTALS
from windward.results._shapes import Pcap, Progress
from windward.results._summary import about, with_means
from windward.results._tables import Packed, Tables, Totals, build

#: How often progress is told and a Ctrl-C is noticed, in seconds.
_POLL = 0.1

#: The summary is written again when so many times as long has passed as it takes: the time of many seeds stays linear.
_SELDOM = 10.0

#: Most seeds of a run.
MOST_SEEDS = 1_000_000


def check_pcap(pcap: Pcap, place: Place | None, qlog: bool = False) -> None:
    """Refuses captures of an unknown form, or without a place."""
    if pcap not in (False, True, "interfaces"):
        raise ValueError(f'pcap={pcap!r}: allowed are True, False and "interfaces"')
    if pcap and place is None:
        raise ValueError(f"pcap={pcap!r} needs output=DIR, where the captures are written")
    if qlog and place is None:
        raise ValueError("qlog=True needs output=DIR, where the events are written")


class Jobs(Protocol):
    """Runner of the seeds of a scenario, for any engine."""

    def start(self, folder: str | None = None, *, packets: str | None = None, qlog: bool = False) -> None: ...
    def wait(self, seconds: float) -> list[dict[str, Any]]: ...
    def simulated_s(self) -> list[float]: ...
    def cancel(self) -> None: ...
    @property
    def is_done(self) -> bool: ...


class Collector:
    """Takes finished seeds from a job into memory or into a folder."""

    def __init__(
        self,
        scenario: _engine.Scenario,
        seeds: list[int],
        target: ResultFolder | None,
        progress: Callable[[Progress], None] | None,
        engine: str,
    ) -> None:
        self.scenario = scenario
        self.engine = engine
        self.seeds = seeds
        self.target = target
        self.progress = progress
        self.entities = scenario.entities()
        self.kept: dict[int, Tables] = {}
        self.counts: dict[int, dict[str, int]] = {}
        #: What an emulation says of its own timing, by seed.
        self.timing: dict[int, dict[str, Any]] = {}
        self.notes: list[str] = []
        self._summary_written_s = self._summary_took_s = self._told_s = 0.0

    def collect(self, job: Jobs, pcap: Pcap, qlog: bool = False) -> Run:
        folder = str(self.target.captures) if self.target and (pcap or qlog) else None
        packets = {False: None, True: "together", "interfaces": "apart"}[pcap]
        job.start(folder, packets=packets, qlog=qlog)
        try:
            while not job.is_done:
                for result in job.wait(_POLL):
                    self.take(result)
                if time.monotonic() - self._told_s >= _POLL:
                    self.tell(job)
            self.tell(job)
        except KeyboardInterrupt as interrupt:
            job.cancel()
            self.drop_unwritten()
            stopped = _engine.RunInterrupted(f"interrupted: {len(self.kept)} of {len(self.seeds)} seeds finished")
            stopped.run = self.run() if self.kept else None
            raise stopped from interrupt
        except BaseException:
            job.cancel()
            # Why it ended matters more than that the disk is full.
            with suppress(ResultError):
                self.drop_unwritten()
            raise
        finally:
            job.cancel()
        if self.target is not None:
            self.write_summary(self.target)
            self.target.settle()
        return self.run()

    def take(self, result: dict[str, Any]) -> None:
        seed = int(result["seed"])
        built = build(result, self.entities)
        self.counts[seed] = {name: int(result[name]) for name in ("events", "packet_hops")}
        if "quality" in result:
            self.timing[seed] = result["quality"]
            self.notes = result["notes"]
        if self.target is None:
            self.kept[seed] = built
        else:
            # Many seeds need not fit into memory: what the summary does not need is read from the folder again.
            like: Tables = next(reversed(self.kept.values())) if self.kept else {}
            self.kept[seed] = {kind: Packed.of(built[kind], like.get(kind)) for kind in TOTALS}
            self.target.write_seed(seed, built, lambda: (self.scenario.to_toml(), self.about()))
            passed = time.monotonic() - self._summary_written_s
            # That of the last seed is written at the end.
            if len(self.kept) < len(self.seeds) and passed > _SELDOM * self._summary_took_s:
                self.write_summary(self.target)

    def write_summary(self, target: ResultFolder) -> None:
        """Writes the summary over the seeds that are kept."""
        began = time.monotonic()
        target.write_summary(self.summary())
        self._summary_written_s = time.monotonic()
        self._summary_took_s = self._summary_written_s - began

    def drop_unwritten(self) -> None:
        """Forgets a seed whose writing was interrupted, so that memory, summary and folder say the same."""
        if self.target is not None:
            self.kept = {seed: kept for seed, kept in self.kept.items() if self.target.has(seed)}
            if self.kept:
                self.write_summary(self.target)

    def summary(self) -> dict[str, Any]:
        """The content of summary.json over the seeds that are kept."""
        counts = {name: sum(self.counts[seed][name] for seed in self.kept) for name in ("events", "packet_hops")}
        totals = [Totals(kind=kind, tables=[self.kept[seed][kind] for seed in self.finished()]) for kind in TOTALS]
        return with_means(self.about() | counts, totals)

    def finished(self) -> list[int]:
        """The seeds that are kept, in the order asked for."""
        return [seed for seed in self.seeds if seed in self.kept]

    def tell(self, job: Jobs) -> None:
        self._told_s = time.monotonic()
        if self.progress is not None:
            simulated = sum(job.simulated_s())
            fraction = simulated / (self.scenario.duration_s * len(self.seeds))
            self.progress(Progress(fraction=min(fraction, 1.0), finished=len(self.kept), seeds=len(self.seeds)))

    def about(self) -> dict[str, Any]:
        """Description of the run, and the timing of an emulation."""
        description = about(
            name=self.scenario.name,
            title=self.scenario.title,
            duration_s=self.scenario.duration_s,
            warmup_s=self.scenario.warmup_s,
            seeds=self.seeds,
            finished=self.finished(),
            engine=self.engine,
        )
        if self.timing:
            description["timing"] = [{"seed": seed} | self.timing[seed] for seed in description["finished"]]
            description["notes"] = self.notes
        return description

    def run(self) -> Run:
        """The result of the seeds that are kept."""
        kept, target = dict(self.kept), self.target

        def load(kind: str, seed: int) -> Any:
            return kept[seed][kind] if kind in kept[seed] or target is None else read_table(target.path, kind, seed)

        return Run(about=self.about(), scenario=self.scenario.to_toml(), load=load)


def choose(seeds: int | Sequence[int] | None, default: list[int]) -> list[int]:
    """The seeds to run: a number of them (1, 2, …), a list, or the scenario's own.

    Raises
    ------
    ValueError
        If there is none, one twice, or a negative one.
    """
    if isinstance(seeds, int) and seeds > MOST_SEEDS:
        raise ValueError(f"{seeds} seeds; at most {MOST_SEEDS} are allowed")
    chosen = default if seeds is None else list(range(1, seeds + 1)) if isinstance(seeds, int) else list(seeds)
    if not chosen:
        raise ValueError("no seeds given; at least one is needed")
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"seeds {chosen}: seed {_repeated(chosen)} is listed twice")
    if min(chosen) < 0 or max(chosen) >= 1 << 63:
        raise ValueError(f"seeds {chosen}: seeds are integers from 0 to 2^63 - 1")
    return chosen


def _repeated(seeds: list[int]) -> int:
    return next(seed for at, seed in enumerate(seeds) if seed in seeds[:at])

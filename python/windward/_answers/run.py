"""A finished run, in memory or in its folder: tables, means, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward._answers.about import About
from windward._answers.frames import Frames
from windward.results._figures import PERCENTILES
from windward.results._folder import read_scenario, read_summary, read_table
from windward.results._schema import PACKETS, TOTALS
from windward.results._tables import Columns, Totals, as_rows, describe, to_arrow
from windward.results.stats import is_one_run, overall, percentile_of_buckets, summarize, summarize_one

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from matplotlib.figure import Figure

    from windward.results._shapes import Result


class Run(About, Frames):
    """Result of a simulation or an emulation: one row per entity and seed, series, means over seeds, figures.

    Frames name their columns with units: `_s` seconds, `_ms` milliseconds, `_bps` bits a second, `_pps` full
    segments a second; windows, flights and backlogs are in packets. Totals and means count from the warm-up on.
    `docs/reference/results.md` explains every column.

    Examples
    --------
    >>> import windward as ww
    >>> run = ww.load("scenarios/dumbbell.toml").simulate(seeds=2)
    >>> run.seeds
    (1, 2)
    """

    def __init__(self, *, about: dict[str, Any], scenario: str, load: Callable[[str, int], pa.Table | Columns]) -> None:
        self._about = about
        self._load = cache(load)
        #: The scenario as resolved, in TOML.
        self.scenario = scenario

    @property
    def engine(self) -> str:
        """Engine of the run: "simulate" or "emulate"."""
        return str(self._about["engine"])

    @property
    def timing(self) -> pd.DataFrame:
        """Timing quality of an emulation, one row per seed; empty for a simulation.

        `late_share` is the share of packets that were more than 1 ms late. `problem` is the reason to distrust the
        seed, or None. `docs/reference/results.md` explains all.
        """
        import pandas as pd

        return pd.DataFrame(self._about.get("timing", []))

    @property
    def notes(self) -> list[str]:
        """Differences of an emulation from its scenario."""
        notes: list[str] = self._about.get("notes", [])
        return notes

    @property
    def problems(self) -> list[str]:
        """Why an emulation is not to be trusted; empty where it is."""
        timing = self._about.get("timing", [])
        return [f"seed {row['seed']}: {row['problem']}" for row in timing if row["problem"] is not None]

    @property
    def duration_s(self) -> float:
        """Simulated time in seconds."""
        return float(self._about["duration_s"])

    @property
    def warmup_s(self) -> float:
        """Totals and means count from here, in seconds."""
        return float(self._about["warmup_s"])

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that finished."""
        return tuple(self._about["finished"])

    @property
    def seeds_asked(self) -> tuple[int, ...]:
        """The seeds that were to be run."""
        return tuple(self._about["seeds"])

    @property
    def is_complete(self) -> bool:
        """True if every requested seed finished."""
        return bool(self._about["complete"])

    @cached_property
    def is_one_run(self) -> bool:
        """True if several seeds are the same run to the last digit, because nothing in the scenario is random."""
        return is_one_run(self.totals(kind) for kind in TOTALS)

    def __repr__(self) -> str:
        state = "" if self.is_complete else f" of {len(self.seeds_asked)} (interrupted)"
        return f"<Run {self.name}: {len(self.totals('flows').names)} flows, {len(self.seeds)} seeds{state}>"

    def _repr_html_(self) -> str:
        """Display in Jupyter: the tables and the first figure."""
        from windward.show._notebook import notebook

        return notebook(self)

    @cached_property
    def jain(self) -> pd.Series[float]:
        """Jain's fairness index of the flows' goodputs by seed; NaN of fewer than two TCP flows."""
        import pandas as pd

        _, fairness = overall(self.totals("flows"), self.duration_s - self.warmup_s)
        return pd.Series(fairness, index=pd.Index(self.seeds, name="seed"), name="jain", dtype=float)

    def summary(self) -> pd.DataFrame:
        """Mean and half-width of the 95 % confidence interval (Student's t over seeds) of every measure.

        One row per `kind` (a name of `TOTALS`, or "all"), `name` and `metric`, with `mean`, `ci95` and `seeds`. `ci95`
        is NaN for a single seed, where all seeds are the same run, and for extremes. `seeds` counts those with a
        measured value.

        Counts of events, such as losses, drops, timeouts and unfinished transfers, have the interval of a Poisson mean.
        None in n seeds gives 3/n ("rule of three"). A share or an amount that is 0 in all seeds has no interval.
        """
        import pandas as pd

        draws = {kind: self.draws(kind) for kind in TOTALS}
        rows = [{"kind": kind} | mean._asdict() for kind, totals in draws.items() for mean in summarize(totals)]
        whole = overall(draws["flows"], self.duration_s - self.warmup_s)
        for metric, values in zip(("goodput_bps", "jain"), whole, strict=True):
            rows.append({"kind": "all"} | summarize_one("all", metric, values)._asdict())
        return pd.DataFrame(rows)

    def totals(self, kind: str) -> Totals:
        """A table of totals, seed by seed, without pandas: one of the names of `TOTALS`."""
        return Totals(kind=kind, tables=[_columns(self._load(kind, seed)) for seed in self.seeds])

    def draws(self, kind: str) -> Totals:
        """Totals to draw: of one seed alone if all are the same run."""
        totals = self.totals(kind)
        return totals.once() if self.is_one_run else totals

    def table(self, kind: str, seed: int) -> pa.Table:
        """One table of one seed as Arrow.

        `docs/reference/results.md` lists the tables and their columns. The metadata of each field has its unit and
        meaning.
        """
        table = self._load(kind, seed)
        return describe(to_arrow(table) if isinstance(table, Mapping) else table, PACKETS[kind])

    def percentiles(self, what: str = "rtt") -> pd.DataFrame:
        """Percentiles over all seeds together, from the merged histograms of the seeds.

        Parameters
        ----------
        what
            "rtt": round-trip times of each flow. "queue_delay": waits at each link.

        Returns
        -------
        pandas.DataFrame
            One row per flow or link, in the scenario's order: its name, `p50_s`, `p95_s`, `p99_s`. NaN where nothing
            was measured.

        Raises
        ------
        ValueError
            For another quantity.
        """
        import pandas as pd

        table = PACKETS.get(f"{what}_histograms")
        if table is None:
            raise ValueError(f"no percentiles of `{what}`; allowed: rtt, queue_delay")
        merged: dict[str, dict[float, int]] = {name: {} for name in self.totals(f"{table.entity}s").names}
        for seed in self.seeds:
            for row in as_rows(_columns(self._load(table.name, seed))):
                counts = merged[row[table.entity]]
                counts[row["least_s"]] = counts.get(row["least_s"], 0) + row["count"]
        rows = [
            {table.entity: name} | {f"p{percent}_s": percentile_of_buckets(counts, percent) for percent in PERCENTILES}
            for name, counts in merged.items()
        ]
        return pd.DataFrame(rows, columns=[table.entity, *(f"p{percent}_s" for percent in PERCENTILES)])

    def plot(
        self,
        what: str | None = None,
        *,
        seed: int | None = None,
        beside: Sequence[Result] | Mapping[str, Result] = (),
        for_: str | None = None,
    ) -> Figure:
        """Draws the run.

        Parameters
        ----------
        what
            One of `windward.show.plot.PACKETS`: "windows", "rates", "queues", "rtt", "goodput", ….
            Default: "windows"; without flows the loads, videos or datagrams.
        seed
            Seed of the series to draw. Default: the mean over all, with its 95 % confidence interval; the first in
            figures that have no mean.
        beside
            Other results to draw in the same figure, as a list, or by the names that they are to have in it.
        for_
            The paper's column that it is for, one of `windward.show.plot.COLUMNS`: "ieee", "ieee-wide", "acm",
            "acm-wide". It has that column's width and fonts, and no title: the caption's place.

        Raises
        ------
        ValueError
            If there is no such figure or column, or nothing to draw on it.
        """
        from windward.show.plot import by_name, draw, draw_together

        if beside:
            return draw_together(by_name(self, beside), what or "windows", seed=seed, for_=for_)
        return draw(self, what, seed=seed, for_=for_)

    def steps(self, path: str | Path, *, seed: int | None = None) -> Path:
        """Writes a self-contained HTML page that steps through the queues of stations that forward by backlog.

        A map with the queues of each station by flow, and a slider over time. Returns the page's path.

        Raises
        ------
        ValueError
            If no stations forward by backlog, or there is no such seed.
        """
        from windward.show._steps import write

        return write(self, Path(path), seed)

    def export(
        self,
        path: str | Path,
        form: str,
        *,
        seed: int | None = None,
        link: str | None = None,
        table: str | None = None,
    ) -> Path:
        """Writes a table as CSV, or one seed's series as a file that another tool reads, and returns its path.

        Parameters
        ----------
        path
            The file.
        form
            "csv", "flent", "iperf3" or "mahimahi"; `docs/guides/papers.md` says what each holds.
        seed
            Seed of the series. Default: the first; in CSV all, with a column `seed`.
        link
            Of mahimahi, the link whose log it is. Default: the busiest.
        table
            Of CSV, the table, a name that `table` takes. Default: "flow_series".

        Raises
        ------
        ValueError
            For another format, seed, link or table, and where the run has nothing that the format holds.
        """
        from windward.show.plot import seed_of
        from windward.show.tools import export

        if seed is not None:
            seed_of(self, seed)
        export(self, Path(path), form, seed=seed, link=link, table=table)
        return Path(path)

    def _frame(self, kind: str) -> pd.DataFrame:
        import pandas as pd

        frames = []
        for seed in self.seeds:
            frame = self.table(kind, seed).to_pandas()
            frame.insert(0, "seed", pd.Series(seed, index=frame.index, dtype="int64"))
            frames.append(frame)
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame({"seed": []})


def open(path: str | Path) -> Run:  # noqa: A001
    """Opens the folder of a simulation or an emulation, whole or interrupted.

    Raises
    ------
    windward.ResultError
        If the folder holds no Windward result, one of another engine, or one of a format that this version does not
        read.
    """
    path = Path(path)
    summary = read_summary(path, "simulate", "emulate")
    return Run(about=summary, scenario=read_scenario(path), load=lambda kind, seed: read_table(path, kind, seed))


def _columns(table: pa.Table | Columns) -> Columns:
    return table if isinstance(table, Mapping) else table.to_pydict()

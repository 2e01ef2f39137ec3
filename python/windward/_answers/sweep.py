"""A sweep, whole or interrupted: its tables, means over seeds, figures."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward._answers.about import About
from windward.errors import ResultError
from windward.results._figures import FIGURES
from windward.results._folder import read_scenario, read_summary
from windward.results._sweep import RUNS, Axis, assemble, journal, part_name, parts
from windward.results._tables import to_arrow
from windward.results.stats import metric_interval

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from matplotlib.figure import Figure

#: What a line of a figure may be, beside a field.
ENTITIES = {"flow": "flows", "group": "flows", "law": "flows", "link": "links"}


class Sweep(About):
    """Results of an engine at every point of a sweep; the folder is a Parquet dataset.

    Every table has a row for each run, or for each run and flow or link. Its columns are `point`, `seed` (if the engine
    has seeds) and one for each field, in base units: seconds, bits per second, shares.

    Examples
    --------
    >>> import windward as ww
    >>> dumbbell = ww.load("scenarios/dumbbell.toml")
    >>> sweep = dumbbell.sweep({"duration": ["20 s"], "flow.*.law": ["reno", "cubic"]}, seeds=2)
    >>> sweep
    <Sweep dumbbell: 2 points over duration, flow.*.law>
    >>> (sweep.means("goodput")["mean"] / 1e6).round().tolist()  # of all flows, in Mbit/s
    [97.0, 97.0]
    """

    engine = "sweep"

    def __init__(self, path: Path, *, is_kept: bool = True) -> None:
        self._about = read_summary(path, "sweep")
        #: The folder.
        self.path = path
        if not is_kept:
            # A sweep that nobody asked to keep lives as long as this object.
            weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)

    @classmethod
    def open(cls, path: str | Path) -> Sweep:
        """Opens the folder of a sweep, whole or interrupted.

        Raises
        ------
        windward.ResultError
            If it holds no sweep that this version reads.
        """
        return cls(Path(path))

    @property
    def of(self) -> str:
        """The engine that ran the points."""
        return str(self._about["of"])

    @property
    def how(self) -> str:
        """Settings of the engine."""
        return str(self._about["how"])

    @property
    def is_grid(self) -> bool:
        """True if all combinations of the fields' values are points."""
        return bool(self._about["grid"])

    @property
    def scenario(self) -> str:
        """The scenario of the sweep, in TOML."""
        return read_scenario(self.path)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that are varied."""
        return tuple(axis.path for axis in self.axes)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The fields, with their values and units."""
        return tuple(Axis(**axis) for axis in self._about["fields"])

    @property
    def points(self) -> int:
        """Number of points of the whole sweep."""
        return int(self._about["points"])

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of every point; empty for an engine without seeds."""
        return tuple(self._about["seeds"])

    @property
    def is_complete(self) -> bool:
        """True if every point was run with every seed."""
        return bool(self._about["complete"])

    @property
    def runs_asked(self) -> int:
        """Number of runs of the whole sweep."""
        return self.points * max(1, len(self.seeds))

    def __repr__(self) -> str:
        state = "" if self.is_complete else f", {self.finished} of {self.runs_asked} runs (interrupted)"
        return f"<Sweep {self.name}: {self.points} points over {', '.join(self.fields)}{state}>"

    def _repr_html_(self) -> str:
        """Display in Jupyter: the tables and the first figure."""
        from windward.show._notebook import notebook

        return notebook(self)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per run: figures over all its flows, or NaN and the `reason` why it failed."""
        return self.frame(RUNS)

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row per run and flow: totals and means of the flow, as in `Run.flows`."""
        return self.frame("flows")

    @cached_property
    def links(self) -> pd.DataFrame:
        """One row per run and link: totals and means of the link, as in `Run.links`."""
        return self.frame("links")

    @cached_property
    def finished(self) -> int:
        """Number of finished runs, including failed ones."""
        return sum(len(table) for table in self.chunks(RUNS, ["point"]))

    @cached_property
    def failures(self) -> pd.DataFrame:
        """The runs that failed: `point`, `seed`, the fields, and the `reason`."""
        import pandas as pd

        names = ["point", *(["seed"] if self.seeds else []), *self.fields, "reason"]
        frames = [table.to_pandas() for table in self.chunks(RUNS, names)]
        failed = [frame[frame["reason"] != ""] for frame in frames]
        return pd.concat(failed, ignore_index=True) if failed else pd.DataFrame(columns=names)

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures that its runs have."""
        columns = self._columns(RUNS)
        return tuple(name for name, figure in FIGURES.items() if figure.column in columns)

    def table(self, kind: str) -> pa.Table:
        """A table as Arrow: "runs", "flows", "links", or another of a run that has rows.

        Raises
        ------
        windward.ResultError
            If there is none, or it cannot be read.
        """
        import pyarrow as pa

        found = list(self.chunks(kind))
        if not found:
            has = ", ".join(sorted(folder.name for folder in self.path.iterdir() if any(folder.glob("part-*.parquet"))))
            raise ResultError(f"{self.path} has no table `{kind}`; tables: {has or 'none yet'}")
        return pa.concat_tables(found, promote_options="permissive")

    def frame(self, kind: str) -> pd.DataFrame:
        """A table as a pandas frame; see `table`."""
        frame: pd.DataFrame = self.table(kind).to_pandas()
        return frame

    def chunks(self, kind: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """A table part by part, all runs of a point together; these columns of it alone if any are named."""
        import pyarrow.parquet as pq

        for part in parts(self.path):
            file = self.path / kind / part_name(part)
            if file.is_file():
                # A part whose runs all failed has no column of what was measured.
                try:
                    with pq.ParquetFile(file) as reader:
                        there = reader.schema_arrow.names
                        yield reader.read(columns=[name for name in columns or there if name in there])
                except (OSError, ValueError) as error:
                    raise ResultError(f"{file} cannot be read: {error}") from error
        lines = sorted(journal(self.path), key=lambda line: (line["point"], line["seed"]))
        tables = assemble(lines, self.axes, has_seeds=bool(self.seeds))
        if kind in tables:
            table = to_arrow(tables[kind])
            yield table.select([name for name in columns or table.column_names if name in table.column_names])

    def means(self, figure: str = "goodput", *, by: str | None = None, most: int | None = None) -> pd.DataFrame:
        """Mean and half width of the 95 % confidence interval over seeds, at every point.

        Parameters
        ----------
        figure
            One of `figures`, over all flows of a run; with `by` one that a single flow or link has. Or the name of a
            column of `runs`, `flows` or `links`.
        by
            "flow", "link", or "group" or "law": the mean of those flows.
        most
            Number of points, from the first. Default: all.

        Returns
        -------
        pandas.DataFrame
            `point`, the fields, with `by` its column, `mean`, `ci95` (NaN for one seed) and `seeds`.

        Raises
        ------
        ValueError
            For a figure that was not measured.
        """
        import numpy as np
        import pandas as pd

        kind, column = self._column(figure, by)
        rows = ["point", *self.fields]
        groups = rows if by is None else [*rows, by]
        frames = []
        for table in self.chunks(kind, self._needed(kind, [*groups, column])):
            frame = table.to_pandas()
            if column not in frame:
                frame[column] = np.nan
            if most is not None:
                frame = frame[frame["point"] < most]
            if frame.empty:
                break
            # Flows of a group count once for each seed, or a group of many flows would look certain.
            seed = ["seed"] if self.seeds else []
            each = frame.groupby([*groups, *seed], sort=False, observed=True)[column].mean().reset_index()
            grouped = each.groupby(groups, sort=False, observed=True)[column]
            error = grouped.agg(lambda values: metric_interval(column, values, kind)[1]).rename("ci95")
            frames.append(grouped.agg(["mean", "count"]).join(error).reset_index())
        if not frames:
            raise ValueError(f"there is nothing to show: {self.path} has no finished runs")
        found: pd.DataFrame = pd.concat(frames, ignore_index=True)
        return found.rename(columns={"count": "seeds"})[[*groups, "mean", "ci95", "seeds"]]

    def plot(
        self,
        what: str = "goodput",
        *,
        over: str | Sequence[str] | None = None,
        by: str | None = None,
        at: Mapping[str, Any] | None = None,
        for_: str | None = None,
    ) -> Figure:
        """Draws a figure over a field with confidence bands, one line per value of another; or a heat map.

        Parameters
        ----------
        what
            One of `figures`, or the name of a column of `runs`, `flows` or `links`.
        over
            The field along the axis; two make a heat map. Default: the first that is varied.
        by
            The field that has a line for each of its values, or "flow", "group", "law" or "link". Default: the next
            field, or the flows.
        at
            Values of fields that are not drawn, in base units or as text, as tables print them. Default: their first.
        for_
            The paper's column that it is for: "ieee", "ieee-wide", "acm" or "acm-wide".

        Raises
        ------
        ValueError
            If there is no such figure, field or column, or nothing to draw.
        """
        from windward.show.plot import draw_sweep

        return draw_sweep(self, what, over=[over] if isinstance(over, str) else over, by=by, at=at, for_=for_)

    def _columns(self, kind: str) -> list[str]:
        """The columns of a table, whichever parts have them; none where there is no table."""
        import pyarrow.parquet as pq

        names: dict[str, None] = {}
        for part in parts(self.path):
            file = self.path / kind / part_name(part)
            if file.exists():
                try:
                    names |= dict.fromkeys(pq.read_schema(file).names)
                except (OSError, ValueError) as error:
                    raise ResultError(f"{file} cannot be read: {error}") from error
        lines = journal(self.path)
        return [*(names | dict.fromkeys(assemble(lines, self.axes, has_seeds=bool(self.seeds)).get(kind, {})))]

    def _needed(self, kind: str, columns: Sequence[str]) -> list[str]:
        return list(dict.fromkeys([*columns, *(["seed"] if self.seeds else [])]))

    def _column(self, figure: str, by: str | None) -> tuple[str, str]:
        """The table and the column of a figure."""
        kind = RUNS if by is None else ENTITIES.get(by, RUNS)
        known = FIGURES.get(figure)
        column = figure
        if known is not None:
            column = {"flows": known.flow, "links": known.link}.get(kind, known.column)
        columns = self._columns(kind)
        if self.finished and not self.figures:
            raise ValueError(f"there is nothing to show: all {self.finished} runs in {self.path} failed")
        if not columns:
            raise ValueError(f"there is nothing to show: {self.path} has no finished runs")
        if column not in columns or column in ("point", "seed", "reason", *self.fields):
            skipped = {"point", "seed", "reason", *self.fields}
            have = [name for name in columns if name not in skipped]
            named = [name for name in self.figures if kind == RUNS or getattr(FIGURES[name], kind[:-1])]
            raise ValueError(
                f"unknown figure `{figure}`{'' if by is None else f' by {by}'}; "
                f"figures: {', '.join(named)}; columns: {', '.join(have)}"
            )
        return kind, column

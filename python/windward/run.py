"""A finished run, in memory or in its folder: tables, means, figures."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from windward import _engine, folder
from windward.stats import jain, mean_and_interval, summarize
from windward.tables import ENTITY, TOTALS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Run:
    """What a simulation or an emulation returned: one row per entity and seed, series, means over seeds, figures.

    Frames name their columns with units: `_s` seconds, `_ms` milliseconds, `_bps` bits a second, `_pps` full
    segments a second; windows, flights and backlogs are in packets. Totals and means count from the warm-up on.
    """

    def __init__(self, *, about: dict[str, Any], scenario: str, load: Callable[[str, int], pa.Table]) -> None:
        self._about = about
        self._load = cache(load)
        #: The scenario as resolved, in TOML.
        self.scenario = scenario

    @property
    def name(self) -> str:
        """Short name of the scenario."""
        return str(self._about["name"])

    @property
    def title(self) -> str | None:
        """The question that the scenario asks."""
        title: str | None = self._about["title"]
        return title

    @property
    def engine(self) -> str:
        """Who ran it: "simulate" or "emulate"."""
        return str(self._about["engine"])

    @property
    def timing(self) -> pd.DataFrame:
        """How well an emulation kept its time, one row per seed; empty for a simulation, whose time is its own.

        Columns: `seed`, `packets`, `late_p50_s`, `late_p99_s`, `late_max_s` (how late packets left), `late_share` (more
        than 1 ms late), `missed` and `overflowed` (packets that the emulator lost itself), `cpu_per_packet_s`,
        `is_realtime`, and `problem`, why the seed is not to be trusted, or None.
        """
        return pd.DataFrame(self._about.get("timing", []))

    @property
    def notes(self) -> list[str]:
        """What an emulation did differently from the scenario."""
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
    def versions(self) -> dict[str, str]:
        """Versions of what made the run."""
        versions: dict[str, str] = self._about["versions"]
        return versions

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
        """Whether every seed asked for finished."""
        return bool(self._about["complete"])

    def __repr__(self) -> str:
        state = "" if self.is_complete else f" of {len(self.seeds_asked)} (interrupted)"
        return f"<Run {self.name}: {len(self.flows) // max(len(self.seeds), 1)} flows, {len(self.seeds)} seeds{state}>"

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Totals and means of every flow, one row per flow and seed."""
        return self._frame("flows")

    @cached_property
    def links(self) -> pd.DataFrame:
        """Totals and means of every link, one row per link and seed."""
        return self._frame("links")

    @cached_property
    def stations(self) -> pd.DataFrame:
        """What the stations of cells have beyond links: airtime, channel, one row per station and seed."""
        return self._frame("stations")

    @cached_property
    def background(self) -> pd.DataFrame:
        """Totals of every background source, one row per source and seed."""
        return self._frame("background")

    @cached_property
    def flow_series(self) -> pd.DataFrame:
        """Samples of every flow, one row per seed, instant and flow."""
        return self._frame("flow_series")

    @cached_property
    def link_series(self) -> pd.DataFrame:
        """Samples of every link, one row per seed, instant and link."""
        return self._frame("link_series")

    @cached_property
    def internals(self) -> pd.DataFrame:
        """What the laws showed of themselves, one row per seed, instant, flow and name; empty unless asked for."""
        return self._frame("internals")

    @cached_property
    def jain(self) -> pd.Series[float]:
        """Jain's fairness index of the flows' goodputs by seed; NaN without TCP flows."""
        return pd.Series(
            {seed: jain(self.table("flows", seed)["goodput_bps"].to_numpy()) for seed in self.seeds},
            name="jain",
            dtype=float,
        ).rename_axis("seed")

    def summary(self) -> pd.DataFrame:
        """Mean and half-width of the 95 % confidence interval (Student's t over seeds) of everything measured.

        One row per `kind` ("flows", "links", "stations", "background", "all"), `name` and `metric`, with `mean`, `ci95`
        (NaN for a single seed) and `seeds`, the number of seeds in which there was something to measure.
        """
        parts = [summarize(getattr(self, kind), kind, ENTITY[kind]) for kind in TOTALS]
        goodput = self.flows.groupby("seed")["goodput_bps"].sum().reindex(self.seeds).fillna(0.0)
        for metric, values in (("goodput_bps", goodput), ("jain", self.jain)):
            mean, interval = mean_and_interval(values)
            row = {"kind": "all", "name": "all", "metric": metric, "mean": mean, "ci95": interval}
            parts.append(pd.DataFrame([row | {"seeds": int(values.notna().sum())}]))
        return pd.concat([part for part in parts if len(part)], ignore_index=True)

    def table(self, kind: str, seed: int) -> pa.Table:
        """One table of one seed as Arrow.

        Its name is "flows", "links", "stations", "background", "flow_series", "link_series" or "internals".
        """
        return self._load(kind, seed)

    def plot(self, what: str = "windows", *, seed: int | None = None) -> Figure:
        """Draws the run.

        Parameters
        ----------
        what
            One of `windward.plot.NAMES`: "windows", "rates", "queues", "rtt", "goodput", ….
        seed
            Whose series to draw. Default: the first.

        Raises
        ------
        ValueError
            If there is no such figure, or nothing to draw on it.
        """
        from windward.plot import draw

        return draw(self, what, seed=seed)

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about the run and returns its path."""
        from windward.report import write

        return write(self, Path(path))

    def _frame(self, kind: str) -> pd.DataFrame:
        frames = []
        for seed in self.seeds:
            frame = self.table(kind, seed).to_pandas()
            frame.insert(0, "seed", np.int64(seed))
            frames.append(frame)
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame({"seed": []})


def about(
    *,
    name: str,
    title: str | None,
    duration_s: float,
    warmup_s: float,
    seeds: Sequence[int],
    finished: Sequence[int],
    engine: str = "simulate",
) -> dict[str, Any]:
    """What a summary says before its numbers."""
    return {
        "windward": _engine.__version__,
        "format": folder.FORMAT,
        "engine": engine,
        "name": name,
        "title": title,
        "duration_s": duration_s,
        "warmup_s": warmup_s,
        "seeds": list(seeds),
        "finished": list(finished),
        "complete": len(finished) == len(seeds),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Versions of what makes and writes results."""
    return {
        "windward": _engine.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "pyarrow": pa.__version__,
    }


def summary_json(run: Run, counts: dict[str, int]) -> dict[str, Any]:
    """The content of summary.json: what the run is, then means with half-widths of 95 % confidence intervals."""
    content = dict(run._about)
    content.update(counts)
    rows = run.summary()
    values = {
        (kind, name, metric): {"mean": number(mean), "ci95": number(ci95)}
        for kind, name, metric, mean, ci95 in zip(
            rows["kind"], rows["name"], rows["metric"], rows["mean"], rows["ci95"], strict=True
        )
    }
    content["goodput_bps"] = values["all", "all", "goodput_bps"]
    content["jain"] = values["all", "all", "jain"]
    for kind in TOTALS:
        entities = run.table(kind, run.seeds[0]).to_pylist()
        content[kind] = [
            {key: values.get((kind, row[ENTITY[kind]], key), number(value)) for key, value in row.items()}
            for row in entities
        ]
    return content


def open_run(path: str | Path) -> Run:
    """Opens the folder of a simulation or an emulation, whole or interrupted.

    Raises
    ------
    windward.ResultError
        If the folder holds no Windward result, one of another engine, or one of a format that this version does not
        read.
    """
    path = Path(path)
    summary = folder.read_summary(path, "simulate", "emulate")
    try:
        scenario = (path / folder.SCENARIO).read_text()
    except OSError:
        scenario = ""
    return Run(about=summary, scenario=scenario, load=lambda kind, seed: folder.read_table(path, kind, seed))


def number(value: Any) -> Any:
    """JSON has no NaN: what was not measured is null."""
    return None if isinstance(value, float) and not np.isfinite(value) else value

"""The folder of a run: what lies where, and how it is written so that it is whole at every instant.

```
DIR/
  summary.json            means and confidence intervals, versions, seeds; whether all seeds finished
  scenario.toml           the scenario as resolved
  seed-1/                 one folder for each finished seed
    flows.parquet         one row per flow: totals and means after the warm-up
    links.parquet         one row per link
    stations.parquet      one row per station of a cell: what it has beyond a link
    wifi_stations.parquet one row per station of a wireless network: place, frames, airtime, queue
    wifi_links.parquet    one row per link of a wireless network: attempts, failures, contention window
    csma_links.parquet    one row per link under ideal CSMA
    slotted_links.parquet one row per link in slots under MaxWeight
    backlogs.parquet      queues of stations that forward by backlog: one row per station and flow
    shares.parquet        packets that these stations sent: one row per link and flow
    backlog_series.parquet samples of these queues
    coding.parquet        what the coding layers of flows counted: one row per coded flow
    blocks.parquet        their blocks: when each was sent and decoded
    background.parquet    one row per background source
    flow_series.parquet   samples of every flow
    link_series.parquet   samples of every link
    internals.parquet     what the laws showed of themselves, if asked for
    air.parquet           frames of wireless networks in a part of the run, if asked for
    capture.pcapng        every packet, if asked for
  report.html             if `windward report` was asked for it
```

A run of `optimum` or `fluid` has no seeds: its tables lie beside the summary, which names the engine.

```
DIR/
  summary.json            engine, what was asked, the answer
  scenario.toml
  flows.parquet           one row per flow: the best rates, or where the windows end
  links.parquet           one row per link, of `optimum`
  paths.parquet           one row per flow and path, of `optimum` with free routing
  flow_links.parquet      one row per flow and link that it uses, of the same
  schedule.parquet        one row per set of links that are active together, of the same
  flow_series.parquet     samples of every flow, of `fluid`
  rests.parquet           where each piece of a run with changes ends, one row per piece and flow, of `fluid`
  lyapunov.parquet        Y(w) at every sample, of `fluid` where there is one
  report.html
```

A seed's folder is written under another name and renamed when it is complete; the summary is replaced in the same way
after each seed. Whatever stops a run, the finished seeds can be read. Nothing in the folder depends on the clock, the
machine's speed or the number of threads.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward._engine import write_parquet
from windward.errors import ResultError
from windward.results._summary import FORMAT
from windward.results._tables import ABSENT_IF_EMPTY, Columns, Tables, has_rows

if TYPE_CHECKING:
    import pyarrow as pa

SUMMARY = "summary.json"
SCENARIO = "scenario.toml"
CAPTURE = "capture.pcapng"
REPORT = "report.html"

STAGING = ".windward-"


class ResultFolder:
    """Writes a run's folder seed by seed.

    An older Windward result in the folder is kept until the first seed of the new run has finished, and removed
    then. A folder that holds anything else is refused.

    Raises
    ------
    ResultError
        If the folder holds something else, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_begun = False
        if path.exists() and not path.is_dir():
            raise ResultError(f"{path} is a file; results need a folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
            foreign = sorted(file.name for file in path.iterdir() if not file.name.startswith(STAGING))
            if foreign and not is_result(path):
                raise ResultError(
                    f"{path} contains `{foreign[0]}` and is not a Windward result; it is not overwritten\n"
                    "hint: choose another folder, or delete its contents"
                )
            if foreign and json.loads((path / SUMMARY).read_text()).get("engine") == "sweep":
                raise ResultError(
                    f"{path} holds a sweep; it is not overwritten\nhint: choose another folder, or delete it"
                )
            self._staging = Path(tempfile.mkdtemp(prefix=STAGING, dir=path))
        except OSError as error:
            raise ResultError(f"{path} cannot be written: {error.strerror}") from error

    @property
    def captures(self) -> Path:
        """Where the engine may write seed-N.pcapng; on the same file system, so that they can be moved."""
        return self._staging

    def write_seed(self, seed: int, tables: Tables, scenario: str, summary: dict[str, Any]) -> None:
        """Adds a finished seed, and replaces the summary by one that includes it."""
        try:
            staged = self._staging / f"seed-{seed}"
            staged.mkdir()
            for kind, table in tables.items():
                if kind not in ABSENT_IF_EMPTY or has_rows(table):
                    _write(staged / f"{kind}.parquet", table)
            capture = self._staging / f"seed-{seed}.pcapng"
            if capture.exists():
                capture.rename(staged / CAPTURE)
            if not self._is_begun:
                # Killed at any point from here on, the folder is a result still: its summary lists what is there.
                self.write_summary(summary | {"complete": False, "finished": []})
                self._remove_older()
                replace_text(self.path / SCENARIO, scenario)
                self._is_begun = True
            staged.rename(self.path / staged.name)
            self.write_summary(summary)
        except OSError as error:
            raise ResultError(f"{self.path} cannot be written: {error.strerror}") from error

    def write(self, tables: Tables, scenario: str, summary: dict[str, Any]) -> None:
        """Writes a run without seeds."""
        try:
            for kind, table in tables.items():
                _write(self._staging / f"{kind}.parquet", table)
            self.write_summary(summary | {"complete": False})
            self._remove_older()
            replace_text(self.path / SCENARIO, scenario)
            for kind in tables:
                (self._staging / f"{kind}.parquet").rename(self.path / f"{kind}.parquet")
            self.write_summary(summary)
        except OSError as error:
            raise ResultError(f"{self.path} cannot be written: {error.strerror}") from error

    def has(self, seed: int) -> bool:
        """Whether the seed has been written by this run."""
        return self._is_begun and (self.path / f"seed-{seed}").is_dir()

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Replaces the summary."""
        try:
            replace_text(self.path / SUMMARY, to_json(summary))
        except OSError as error:
            raise ResultError(f"{self.path} cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Removes what was staged, and the folder if nothing was ever written to it."""
        shutil.rmtree(self._staging, ignore_errors=True)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def _remove_older(self) -> None:
        """Removes the tables of an older run and what was drawn from them, and nothing else."""
        for table in self.path.glob("*.parquet"):
            table.unlink()
        (self.path / REPORT).unlink(missing_ok=True)
        for folder in (*self.path.glob("seed-*"), *self.path.glob(f"{STAGING}*/")):
            # By name: `mkdtemp` answers an absolute path from Python 3.12 on, whatever it was given.
            if folder.name != self._staging.name:
                shutil.rmtree(folder)


def is_result(path: Path) -> bool:
    """Whether the folder holds a Windward result, of whatever format."""
    try:
        return "windward" in json.loads((path / SUMMARY).read_text())
    except (OSError, ValueError, TypeError):
        return False


#: What opens the results of each engine.
OPENERS = {
    "simulate": "windward.open",
    "emulate": "windward.open",
    "optimum": "windward.Optimum.open",
    "fluid": "windward.Fluid.open",
    "sweep": "windward.Sweep.open",
    "compare": "windward.Comparison.open",
}


def read_summary(path: Path, *engines: str) -> dict[str, Any]:
    """The summary of a run, of one of these engines if any is given.

    Raises
    ------
    ResultError
        If there is no result, one of another engine, or one that this version does not read.
    """
    if not path.exists():
        raise ResultError(f"{path} does not exist")
    if not is_result(path):
        raise ResultError(f"{path} is not a Windward result: it has no valid {SUMMARY}")
    summary: dict[str, Any] = json.loads((path / SUMMARY).read_text())
    if summary.get("format") != FORMAT:
        raise ResultError(
            f"{path} has format {summary.get('format')}, this version of Windward reads format {FORMAT}: "
            f"it was written by version {summary['windward']}"
        )
    found = summary["engine"]
    if engines and found not in engines:
        hint = f"hint: open it with {OPENERS[found]}"
        raise ResultError(f"{path} is a result of `{found}`, not of `{engines[0]}`\n{hint}")
    return summary


def read_table(path: Path, kind: str, seed: int | None = None) -> pa.Table | Columns:
    """One table of a finished seed, or of a run without seeds; without rows if it was not recorded.

    Raises
    ------
    ResultError
        If it cannot be read.
    """
    folder = path if seed is None else path / f"seed-{seed}"
    file = folder / f"{kind}.parquet"
    if kind in ABSENT_IF_EMPTY and not file.exists():
        return ABSENT_IF_EMPTY[kind]
    import pyarrow as pa
    import pyarrow.parquet as pq

    is_series = kind.endswith("_series") or kind in ("internals", "air")
    names = ["flow", "link", "name", "from", "to", "kind"] if is_series else []
    try:
        # Not pq.read_table, whose datasets import pandas.
        with pq.ParquetFile(file) as reader:
            metadata, there = reader.metadata, [name for name in names if name in reader.schema_arrow.names]
        with pq.ParquetFile(file, metadata=metadata, read_dictionary=there) as reader:
            table = reader.read()
        # The file says that nothing is missing; a table that was never written says nothing of the kind.
        return table.cast(pa.schema([field.with_nullable(True) for field in table.schema]))
    except (OSError, ValueError) as error:
        raise ResultError(f"{file} cannot be read: {error}") from error


def read_scenario(path: Path) -> str:
    """The scenario of a run, in TOML; empty where it cannot be read."""
    try:
        return (path / SCENARIO).read_text(encoding="utf-8")
    except OSError:
        return ""


def _write(path: Path, columns: Columns) -> None:
    write_parquet(path, dict(columns))


def replace_text(path: Path, text: str) -> None:
    """Writes a text file so that a reader sees the old one or the new one, never a part."""
    new = path.with_name(f"{STAGING}{path.name}")
    new.write_text(text)
    new.replace(path)


def to_json(summary: dict[str, Any]) -> str:
    """JSON with one line for each top-level key, and one for each entity below it."""
    lines = []
    for key, value in summary.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join("    " + json.dumps(row, allow_nan=False, ensure_ascii=False) for row in value)
            lines.append(f"  {json.dumps(key)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"

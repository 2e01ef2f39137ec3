"""The folder of a run: what lies where, and how it is written so that it is whole at every instant.

```
DIR/
  summary.json            means and confidence intervals, versions, seeds; whether all seeds finished
  scenario.toml           the scenario as resolved
  seed-1/                 one folder for each finished seed
    flows.parquet         one row per flow: totals and means after the warm-up
    links.parquet         one row per link
    …                     further tables; those of media, of coding and of forwarding only where they have rows
    capture.pcapng        every packet, if asked for
    captures/             the same with a file for each interface, if asked for
    qlog/                 the events of each connection over QUIC, if asked for
  report.html             if `windward report` was asked for it
```

A run of `optimum` or `fluid` has no seeds: its tables lie beside the summary, which names the engine.

```
DIR/
  summary.json            engine, what was asked, the answer
  scenario.toml
  flows.parquet           one row per flow: the best rates, or where the windows end
  …                       further tables
  report.html
```

`docs/reference/results.md` lists all tables and columns; the metadata of each file has the units of its columns.

A seed's folder is written under another name and renamed when it is complete. The summary is replaced in the same way,
now and then and at the end; until then the folders say which seeds have finished. Whatever stops a run, these can be
read. Nothing in the folder of a whole run depends on the clock, the machine's speed or the number of threads.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward._engine import MAX_SCENARIO, read_text, write_parquet
from windward.errors import ResultError
from windward.results._files import read_json, replace_lines, replace_text
from windward.results._place import SCENARIO, SUMMARY, Place
from windward.results._schema import PACKETS, Table, of_engine
from windward.results._summary import FORMAT, Rows, encode
from windward.results._swap import finish
from windward.results._tables import EMPTY, Columns, Tables, has_rows

if TYPE_CHECKING:
    import pyarrow as pa

CAPTURE = "capture.pcapng"
CAPTURES = "captures"
QLOG = "qlog"


class ResultFolder:
    """Writes a run's folder seed by seed.

    Raises
    ------
    ResultError
        If the folder cannot be written.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._is_begun = False
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._staging = place.stage()
        except OSError as error:
            raise self._refused(error) from error

    @property
    def path(self) -> Path:
        """Path of the result."""
        return self.place.path

    @property
    def captures(self) -> Path:
        """Folder in which the engine writes seed-N.pcapng, captures-N and qlog-N, from which they are moved."""
        return self._staging

    def write_seed(self, seed: int, tables: Tables, begin: Callable[[], tuple[str, dict[str, Any]]]) -> None:
        """Adds a finished seed; `begin` makes the scenario and the summary, which stand there before the first."""
        try:
            staged = self._staging / f"seed-{seed}"
            staged.mkdir()
            for kind, table in tables.items():
                if PACKETS[kind].is_always or has_rows(table):
                    _write(staged / f"{kind}.parquet", table, PACKETS[kind])
            extras = {f"seed-{seed}.pcapng": CAPTURE, f"captures-{seed}": CAPTURES, f"qlog-{seed}": QLOG}
            for capture, name in extras.items():
                if (self._staging / capture).exists():
                    (self._staging / capture).rename(staged / name)
            if not self._is_begun:
                scenario, summary = begin()
                replace_lines(self.path / SUMMARY, to_lines(summary | {"complete": False, "finished": []}))
                replace_text(self.path / SCENARIO, scenario)
                self._is_begun = True
            staged.rename(self.path / staged.name)
        except OSError as error:
            raise self._refused(error) from error

    def write(self, tables: Tables, scenario: str, summary: dict[str, Any]) -> None:
        """Writes a run without seeds."""
        try:
            for kind, table in tables.items():
                _write(self._staging / f"{kind}.parquet", table, of_engine(summary["engine"]).get(kind))
            replace_text(self.path / SCENARIO, scenario)
            for kind in tables:
                (self._staging / f"{kind}.parquet").rename(self.path / f"{kind}.parquet")
            replace_text(self.path / SUMMARY, to_json(summary))
        except OSError as error:
            raise self._refused(error) from error

    def has(self, seed: int) -> bool:
        """Returns true if this run has written the seed."""
        return self._is_begun and (self.path / f"seed-{seed}").is_dir()

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Replaces the summary."""
        try:
            replace_lines(self.path / SUMMARY, to_lines(summary))
        except OSError as error:
            raise self._refused(error) from error

    def settle(self) -> None:
        """The result is whole: takes the place of an older one, if it is to."""
        shutil.rmtree(self._staging, ignore_errors=True)
        self.place.settle()

    def close(self) -> None:
        """Removes what was staged, and the folder if nothing was ever written to it."""
        shutil.rmtree(self._staging, ignore_errors=True)
        with suppress(OSError):
            self.path.rmdir()

    def _refused(self, error: OSError) -> ResultError:
        return ResultError(f"{self.path} cannot be written: {error.strerror}")


def read_summary(path: Path, *engines: str) -> dict[str, Any]:
    """The summary of a run, of one of these engines if any is given; an interrupted one has the seeds that are there.

    Raises
    ------
    ResultError
        If there is no result, one of another engine, or one that this version does not read.
    """
    if not path.exists():
        raise ResultError(f"{path} does not exist")
    finish(path)
    try:
        summary: dict[str, Any] = read_json(path / SUMMARY)
        is_one = isinstance(summary, dict) and "windward" in summary
    except (OSError, ValueError):
        is_one = False
    if not is_one:
        raise ResultError(f"{path} is not a Windward result: it has no valid {SUMMARY}")
    if summary.get("format") != FORMAT:
        raise ResultError(
            f"{path} has format {summary.get('format')}, this version of Windward reads format {FORMAT}: "
            f"it was written by version {summary['windward']}"
        )
    found = summary["engine"]
    if engines and found not in engines:
        hint = "hint: windward.open opens the results of every engine"
        raise ResultError(f"{path} is a result of `{found}`, not of `{engines[0]}`\n{hint}")
    if found in ("simulate", "emulate") and not summary["complete"]:
        there = {entry.name for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False)}
        summary["finished"] = [seed for seed in summary["seeds"] if f"seed-{seed}" in there]
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
    known = PACKETS.get(kind)
    if known is not None and not known.is_always and not file.exists():
        return EMPTY[kind]
    import pyarrow as pa
    import pyarrow.parquet as pq

    is_series = known is not None and known.shape == "series"
    names = [column.name for column in known.columns if column.names] if known is not None and is_series else []
    if file.exists() and not file.is_file():
        raise ResultError(f"{file} cannot be read: not a regular file")
    try:
        # Not pq.read_table, whose datasets import pandas.
        with pq.ParquetFile(file) as reader:
            metadata, there = reader.metadata, [name for name in names if name in reader.schema_arrow.names]
            # Threads cost a small table more than they save, and a run may have thousands.
            table = None if there else reader.read(use_threads=False)
        if table is None:
            with pq.ParquetFile(file, metadata=metadata, read_dictionary=there) as reader:
                table = reader.read()
        # The file says that nothing is missing; a table that was never written says nothing of the kind.
        return table.cast(pa.schema([field.with_nullable(True) for field in table.schema]))
    except (OSError, ValueError) as error:
        raise ResultError(f"{file} cannot be read: {error}") from error


def read_scenario(path: Path) -> str:
    """The scenario of a run, in TOML; empty where it cannot be read."""
    try:
        return read_text(path / SCENARIO, MAX_SCENARIO)
    except (OSError, ValueError):
        return ""


def _write(path: Path, columns: Columns, table: Table | None) -> None:
    write_parquet(path, dict(columns), table.metadata(columns) if table is not None else [])


def to_json(summary: dict[str, Any]) -> str:
    """JSON with one line for each top-level key, and one for each entity below it."""
    return "".join(to_lines(summary))


def to_lines(summary: dict[str, Any]) -> Iterator[str]:
    """The parts of the text of `to_json`, one after the other: a summary of many entities is long."""
    comma = "{\n"
    for key, value in summary.items():
        yield f"{comma}  {json.dumps(key)}: "
        comma = ",\n"
        if isinstance(value, Sequence) and not isinstance(value, str) and value and isinstance(value[0], dict):
            yield "[\n"
            texts = value.texts() if isinstance(value, Rows) else map(encode, value)
            yield from (f"{',' + chr(10) if at else ''}    {text}" for at, text in enumerate(texts))
            yield "\n  ]"
        else:
            # Rows that are made when they are read are a list to the encoder.
            yield encode(list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value)
    yield "\n}\n"

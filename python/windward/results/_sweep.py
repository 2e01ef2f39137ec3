"""The folder of a sweep: a Parquet dataset that grows while the sweep runs, whatever stops it.

```
DIR/
  summary.json            engine, fields, how many points and seeds; whether all of them were run
  scenario.toml           the scenario that is varied
  runs/part-000000.parquet   one row per run: point, seed, the fields, figures over all flows, or why it failed
  flows/part-000000.parquet  one row per run and flow: point, seed, the fields, its totals and means
  links/…                 the same of links, stations and other tables of a run, those that have rows
  journal/000001.jsonl    runs of parts that are not whole yet, one line each
```

A part holds the points of a fixed range, so that the files are the same bytes however often the sweep was interrupted
and wherever its runs were made. A run is kept from the moment at which its line is in the journal; a line that was torn
by a crash or a full disk is dropped, and its run made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from windward import _engine
from windward._engine import write_parquet
from windward.errors import ResultError
from windward.results._files import STAGING, fresh, read_json, replace_text
from windward.results._folder import to_json
from windward.results._lock import InUseError, Lock
from windward.results._place import SCENARIO, SUMMARY, holds, is_result, numbers
from windward.results._reopen import lines_of
from windward.results._schema import TABLES, of_engine
from windward.results._summary import FORMAT, versions
from windward.results._tables import Columns, Named

#: The tables of its own.
SWEEP = TABLES["sweep"]

#: The table with one row for each run.
RUNS = "runs"
JOURNAL = "journal"

#: Rows of the largest table in a part, about.
_ROWS = 50_000

#: Most points in a part.
_POINTS = 1000

#: So many numbered folders are tried.
_NUMBERS = 10_000

#: What must be the same for a sweep to go on, and what to say where it is not.
_SAME = {
    "engine": "was run by `{theirs}`, this sweep by `{ours}`",
    "windward": "was written by version {theirs} of Windward, this is version {ours}",
    "build": "was written by another build of Windward {version}",
    "options": "was run with other options of the engine",
    "scenario": "is a sweep of another scenario",
    "files": "is a sweep with other laws or recordings: a file that the scenario names has changed",
    "points": "is a sweep of other points",
    "seeds": "is a sweep with other seeds",
}


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A field that is varied, as a column of every table."""

    path: str
    #: "integer", "number" or "text".
    kind: str
    #: The unit that its values were written in, and how many base units one of it is.
    unit: str
    scale: float

    def text(self, value: Any) -> str:
        """A value as tables and figures have it, in the unit that it was written in."""
        if self.kind != "number" or not isinstance(value, int | float):
            return str(value)
        return f"{value / self.scale:.6g} {self.unit}".rstrip()

    def column(self, values: Sequence[Any]) -> Any:
        """Values of it as a column."""
        if self.kind == "text":
            return [str(value) for value in values]
        return _numbers("q" if self.kind == "integer" else "d", values)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Planned runs."""

    #: By whom, of what: what must be the same for a sweep to be gone on with.
    identity: Mapping[str, Any]
    axes: Sequence[Axis]
    points: int
    #: Empty for an engine without seeds, which answers once.
    seeds: Sequence[int]
    #: Points in a part.
    part: int
    #: What the summary says beside.
    about: Mapping[str, Any]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return self.points * self.each

    @property
    def each(self) -> int:
        """Runs of a point."""
        return max(1, len(self.seeds))

    def points_of(self, part: int) -> range:
        """The points of a part."""
        return range(part * self.part, min((part + 1) * self.part, self.points))


def points_in_part(entities: int, seeds: int) -> int:
    """Number of points in a part, for this many rows of a run."""
    return max(1, min(_POINTS, _ROWS // max(1, entities * max(1, seeds))))


def digest(*texts: str | bytes) -> str:
    """A fingerprint of texts."""
    found = hashlib.sha256()
    for text in texts:
        data = text.encode() if isinstance(text, str) else text
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()


def build() -> str:
    """A fingerprint of the compiled engine: two builds may say the same version."""
    with Path(_engine.__file__).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class SweepFolder:
    """Writes a sweep, and goes on with one that was interrupted.

    Raises
    ------
    ResultError
        If the folder holds something else, another sweep, or one that is being written; or cannot be written.
    """

    def __init__(self, path: Path, plan: Plan, scenario: str) -> None:
        self.path = path
        self.plan = plan
        self._journals: dict[int, IO[bytes]] = {}
        #: Finished runs of parts that are not whole: index of the point within its part times `each`, plus the seed's.
        self._open: dict[int, set[int]] = {}
        self._whole: set[int] = set()
        self._is_fresh = False
        self._order = {seed: at for at, seed in enumerate(plan.seeds)}
        if path.exists() and not path.is_dir():
            raise ResultError(f"{path} is a file; results need a folder")
        try:
            self._lock = Lock(path)
        except OSError as error:
            raise ResultError(f"{path} cannot be written: {error.strerror}") from error
        try:
            self._begin(scenario)
        except OSError as error:
            self.close()
            raise ResultError(f"{path} cannot be written: {error.strerror}") from error
        except BaseException:
            self.close()
            raise

    @classmethod
    def next(cls, path: Path, plan: Plan, scenario: str) -> SweepFolder:
        """The folder, or, where it holds another result, the first of NAME-2, NAME-3, … that holds none or this sweep.

        Raises
        ------
        ResultError
            As for the folder itself.
        """
        for other in (path, *itertools.islice(numbers(path), _NUMBERS)):
            try:
                return cls(other, plan, scenario)
            except OtherResultError:
                continue
            except InUseError:
                # By the same sweep, as far as can be seen: two of them would do everything twice.
                if not is_result(other) or _difference(other, plan) is None:
                    raise
        raise ResultError(f"{path} and {_NUMBERS} folders beside it hold other results; delete some")

    def _begin(self, scenario: str) -> None:
        if holds(self.path) is not None:
            if (difference := _difference(self.path, self.plan)) is not None:
                hint = "hint: choose another folder, or delete this one to begin again"
                raise OtherResultError(f"{self.path} {difference}\n{hint}")
            self._take_stock()
        else:
            self._is_fresh = True
            self.write_summary(is_complete=False)
        replace_text(self.path / SCENARIO, scenario)

    def _take_stock(self) -> None:
        """Finds what has been run, and drops what a crash has left half-written."""
        for file in self.path.glob(f"*/{STAGING}*"):
            file.unlink()
        before = int(read_json(self.path / SUMMARY)["points"])
        for part in parts(self.path):
            if before < self.plan.points_of(part).stop:
                self._reopen(part)
        self._whole = set(parts(self.path))
        for file in sorted((self.path / JOURNAL).glob("*.jsonl")):
            part = int(file.stem)
            if part in self._whole:
                file.unlink()
                continue
            lines, length = _whole_lines(file)
            if length < file.stat().st_size:
                with file.open("r+b") as torn:
                    torn.truncate(length)
            self._open[part] = {self._place(line["point"], line["seed"]) for line in lines}
        for part in [part for part in self._open if self._is_whole(part)]:
            self._write_part(part)
        if before != self.plan.points:
            self.write_summary(is_complete=False)

    def _reopen(self, part: int) -> None:
        """Takes the runs of a part back to the journal, since it gets more points."""
        name = part_name(part)
        files = {file.parent.name: file for file in self.path.glob(f"*/{name}")}
        lines = lines_of(files, RUNS, [axis.path for axis in self.plan.axes])
        (self.path / JOURNAL).mkdir(exist_ok=True)
        staged = fresh(self.path / JOURNAL)
        staged.write_bytes(b"".join(map(_dumped, lines)))
        staged.replace(self.path / JOURNAL / f"{part:06}.jsonl")
        # The runs first: the part is there as long as they are.
        for kind in sorted(files, key=lambda kind: kind != RUNS):
            files[kind].unlink()

    @property
    def finished(self) -> int:
        """Number of finished runs."""
        whole = sum(len(self.plan.points_of(part)) for part in self._whole) * self.plan.each
        return whole + sum(map(len, self._open.values()))

    def left(self) -> Iterator[tuple[int, list[int]]]:
        """The points that are not whole, each with the seeds that are missing; [0] for an engine without seeds.

        What finishes in the meantime does not matter: each part is looked at before its first point is given.
        """
        seeds = list(self.plan.seeds) or [0]
        for part in range(math.ceil(self.plan.points / self.plan.part)):
            if part in self._whole:
                continue
            done = frozenset(self._open.get(part, ()))
            for point in self.plan.points_of(part):
                missing = [seed for seed in seeds if self._place(point, seed) not in done]
                if missing:
                    yield point, missing

    def take(self, line: bytes) -> None:
        """Keeps a run, a line of `to_line`; the same run again is left out."""
        head = json.loads(line[: line.index(b', "tables"')] + b"}")
        part = head["point"] // self.plan.part
        place = self._place(head["point"], head["seed"])
        done = self._open.setdefault(part, set())
        if part in self._whole or place in done:
            return
        try:
            if part not in self._journals:
                (self.path / JOURNAL).mkdir(exist_ok=True)
                self._journals[part] = (self.path / JOURNAL / f"{part:06}.jsonl").open("ab", buffering=0)
            _write_all(self._journals[part], line)
            done.add(place)
            if self._is_whole(part):
                self._write_part(part)
        except OSError as error:
            raise ResultError(
                f"{self.path} cannot be written: {error.strerror}\n"
                "hint: what has finished is kept; the same command goes on with the rest"
            ) from error

    def write_summary(self, *, is_complete: bool) -> None:
        """Replaces the summary."""
        plan = self.plan
        summary = {
            "windward": _engine.__version__,
            "format": FORMAT,
            "engine": "sweep",
            **plan.about,
            "points": plan.points,
            "seeds": list(plan.seeds),
            "complete": is_complete,
            "versions": versions(),
            "identity": dict(plan.identity),
            "part": plan.part,
            "fields": [vars(axis) for axis in plan.axes],
        }
        replace_text(self.path / SUMMARY, to_json(summary))

    def finish(self) -> None:
        """Says that all has been run."""
        with contextlib.suppress(OSError):
            (self.path / JOURNAL).rmdir()
        self.write_summary(is_complete=True)

    def close(self) -> None:
        """Lets others write; a folder of this sweep in which nothing was ever finished is removed."""
        for file in self._journals.values():
            file.close()
        if self._is_fresh and not self.finished:
            for name in (SUMMARY, SCENARIO):
                (self.path / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                (self.path / JOURNAL).rmdir()
        self._lock.release()

    def _place(self, point: int, seed: int) -> int:
        return (point % self.plan.part) * self.plan.each + self._order.get(seed, 0)

    def _is_whole(self, part: int) -> bool:
        return len(self._open[part]) == len(self.plan.points_of(part)) * self.plan.each

    def _write_part(self, part: int) -> None:
        if (journal := self._journals.pop(part, None)) is not None:
            journal.close()
        file = self.path / JOURNAL / f"{part:06}.jsonl"
        lines, _ = _whole_lines(file)
        ordered = sorted(lines, key=lambda line: self._place(line["point"], line["seed"]))
        tables = assemble(ordered, self.plan.axes, has_seeds=bool(self.plan.seeds))
        # The runs last: a part is there when they are.
        for kind in sorted(tables, key=lambda kind: kind == RUNS):
            folder = self.path / kind
            folder.mkdir(exist_ok=True)
            name = part_name(part)
            staged = fresh(folder, ".parquet")
            known = SWEEP if kind == RUNS else of_engine(self.plan.about["of"])
            write_parquet(staged, dict(tables[kind]), known[kind].metadata(tables[kind]))
            staged.replace(folder / name)
        file.unlink()
        self._whole.add(part)
        del self._open[part]


class OtherResultError(ResultError):
    """A folder that holds another sweep, or the result of another engine."""


def _difference(path: Path, plan: Plan) -> str | None:
    """Why a folder's result is not that of a plan; None where it is."""
    summary = read_json(path / SUMMARY)
    if summary.get("engine") != "sweep":
        return f"holds a result of `{summary.get('engine')}`, no sweep; it is not overwritten"
    found = summary["identity"]
    for key, text in _SAME.items():
        ours, theirs = plan.identity.get(key), found.get(key)
        if ours != theirs:
            said = text.format(ours=ours, theirs=theirs, version=_engine.__version__)
            return f"{said}; its points are not mixed with these"
    if plan.points < summary["points"] and (last := _last(path, summary)) >= plan.points:
        return f"has run {last + 1} points already; ask for as many, or more"
    return None


def _last(path: Path, summary: Mapping[str, Any]) -> int:
    """The last point that was run; −1 of none."""
    whole = [min((part + 1) * summary["part"], summary["points"]) - 1 for part in parts(path)]
    return max([*whole, *(line["point"] for line in journal(path))], default=-1)


def part_name(part: int) -> str:
    """The file of a part, in each table's folder."""
    return f"part-{part:06}.parquet"


def parts(path: Path) -> list[int]:
    """The parts of a sweep that are whole."""
    return sorted(int(file.stem.removeprefix("part-")) for file in (path / RUNS).glob("part-*.parquet"))


def journal(path: Path) -> list[dict[str, Any]]:
    """The runs of parts that are not whole."""
    whole = {f"{part:06}" for part in parts(path)}
    files = sorted(file for file in (path / JOURNAL).glob("*.jsonl") if file.stem not in whole and file.is_file())
    return [line for file in files for line in _whole_lines(file)[0]]


def to_line(
    point: int, seed: int, values: Sequence[Any], tables: Mapping[str, Columns] | None, reason: str | None
) -> bytes:
    """A run as a line of the journal: the values of its fields as columns have them, its tables or why it failed."""
    plain = {kind: {name: _plain(column) for name, column in table.items()} for kind, table in (tables or {}).items()}
    return _dumped({"point": point, "seed": seed, "values": list(values), "tables": plain, "reason": reason or ""})


def _dumped(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def assemble(lines: Sequence[Mapping[str, Any]], axes: Sequence[Axis], *, has_seeds: bool) -> dict[str, dict[str, Any]]:
    """The tables of many runs, each row with its point, its seed and the values of the fields."""
    kinds: dict[str, list[str]] = {RUNS: []}
    for line in lines:
        for kind, table in line["tables"].items():
            names = kinds.setdefault(kind, [])
            names += [name for name in table if name not in names]
    tables = {}
    for kind, names in kinds.items():
        heights = [_height(line["tables"].get(kind, {}), least=kind == RUNS) for line in lines]

        def repeat(value: Iterable[Any], heights: Sequence[int] = heights) -> list[Any]:
            return [each for each, height in zip(value, heights, strict=True) for _ in range(height)]

        columns: dict[str, Any] = {"point": _numbers("Q", repeat(line["point"] for line in lines))}
        if has_seeds:
            columns["seed"] = _numbers("Q", repeat(line["seed"] for line in lines))
        for at, axis in enumerate(axes):
            columns[axis.path] = axis.column(repeat(line["values"][at] for line in lines))
        if kind == RUNS:
            columns["reason"] = [line["reason"] for line in lines]
        for name in names:
            rows = [
                line["tables"].get(kind, {}).get(name, [math.nan] * height)
                for line, height in zip(lines, heights, strict=True)
            ]
            values = [value for row in rows for value in row]
            # Those of a run that failed are NaN: of one type in every part.
            columns[name] = _numbers("d", values) if kind == RUNS else _column(values)
        if columns["point"]:
            tables[kind] = columns
    return tables


def _height(table: Mapping[str, Sequence[Any]], *, least: bool) -> int:
    return len(next(iter(table.values()))) if table else int(least)


def _plain(column: Any) -> list[Any]:
    return [column.names[at] for at in column.indices] if isinstance(column, Named) else list(column)


def _column(values: list[Any]) -> Any:
    if any(isinstance(value, str) for value in values):
        return [value if isinstance(value, str) else "" for value in values]
    return _numbers("Q" if all(type(value) is int for value in values) else "d", values)


def _numbers(format: str, values: Iterable[Any]) -> memoryview:  # noqa: A002
    # Not the array itself: an empty one has no aligned memory, which the engine asks for.
    return memoryview(array(format, values).tobytes()).cast(format)  # type: ignore[call-overload, no-any-return]


def _whole_lines(file: Path) -> tuple[list[dict[str, Any]], int]:
    """The runs of a journal up to the first torn line, once each, and how many bytes they are."""
    lines: dict[tuple[int, int], dict[str, Any]] = {}
    length = 0
    with file.open("rb") as journal:
        for text in journal:
            try:
                line = json.loads(text) if text.endswith(b"\n") else None
            except ValueError:
                line = None
            if line is None:
                break
            length += len(text)
            lines.setdefault((line["point"], line["seed"]), line)
    return list(lines.values()), length


def _write_all(file: IO[bytes], data: bytes) -> None:
    """Writes a line in one go where the disk allows it; on a disk that fills up a part of it may stay."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]

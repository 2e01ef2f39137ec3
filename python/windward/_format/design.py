"""The points of a sweep: which values its fields have together."""

from __future__ import annotations

import csv
import io
import math
import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from windward._engine import MAX_RECORDING, read_text
from windward._format.vary import Field, Measure, Range, measure, read_value, read_values

#: Most points of a sweep.
MOST_POINTS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Table:
    """Points given one by one."""

    paths: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]


@dataclass(frozen=True, kw_only=True)
class Design:
    """Points: every row of the table with every combination of the fields, or samples of a Latin hypercube over these.

    Points are numbered from 0; the last field's values change fastest.
    """

    fields: tuple[Field, ...]
    table: Table | None = None
    #: Samples of the Latin hypercube (M. D. McKay, R. J. Beckman, W. J. Conover, 1979); None for all combinations.
    samples: int | None = None

    def __post_init__(self) -> None:
        if (count := self.combinations * (len(self.table.rows) if self.table else 1)) > MOST_POINTS:
            raise ValueError(
                f"{count} points; at most {MOST_POINTS} are allowed\n"
                "hint: give fewer values, or take the samples of a Latin hypercube"
            )
        if repeated := next((path for at, path in enumerate(self.paths) if path in self.paths[:at]), None):
            raise ValueError(f"{repeated}: given twice; give all its values at once, as in {repeated}=1,2,3")
        if not self.paths:
            raise ValueError(
                "there is nothing to vary\nhint: give fields with values, such as link.air.loss=0,0.1%,1%, or points"
            )
        if self.samples is not None and self.samples < 1:
            raise ValueError(f"{self.samples} samples: at least one is needed")
        if self.samples is not None and not self.fields:
            raise ValueError("a Latin hypercube needs fields with ranges, as in link.air.delay='1..100 ms'")
        for field in self.fields:
            if field.range is not None and self.samples is None:
                raise ValueError(
                    f"{field.path}: the range does not say which values\n"
                    "hint: add `step 1`, `count 5` or `log 5`, or take samples of a Latin hypercube"
                )

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The fields, in the order of the columns."""
        return (*(self.table.paths if self.table else ()), *(field.path for field in self.fields))

    @cached_property
    def combinations(self) -> int:
        """Points for each row of the table."""
        return self.samples if self.samples is not None else math.prod(len(field.values) for field in self.fields)

    def __len__(self) -> int:
        return self.combinations * (len(self.table.rows) if self.table else 1)

    def values(self, point: int) -> tuple[Any, ...]:
        """The values of a point, in the order of `paths`."""
        row, point = divmod(point, self.combinations)
        given = self.table.rows[row] if self.table else ()
        if self.samples is not None:
            return (*given, *(column[point] for column in self._hypercube))
        chosen = []
        for field in reversed(self.fields):
            point, at = divmod(point, len(field.values))
            chosen.append(field.values[at])
        return (*given, *reversed(chosen))

    def changes(self, point: int) -> dict[str, Any]:
        """Values that replace the scenario's own at a point."""
        return dict(zip(self.paths, self.values(point), strict=True))

    @cached_property
    def columns(self) -> tuple[Sequence[Any], ...]:
        """All values of each field."""
        table = tuple(zip(*self.table.rows, strict=True)) if self.table else ()
        return (*table, *(self._hypercube if self.samples is not None else (field.values for field in self.fields)))

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """Measure of each field."""
        return tuple(measure(list(column)) for column in self.columns)

    @cached_property
    def is_grid(self) -> bool:
        """Returns true if all combinations of the fields' values are points."""
        return self.table is None and self.samples is None

    @cached_property
    def _hypercube(self) -> tuple[Sequence[Any], ...]:
        """One value from each of as many equal parts of each field's range as there are samples, in random order."""
        columns = []
        for at, field in enumerate(self.fields):
            # `Random.random` is the same in every version of Python. What the field is called does not matter.
            chance = random.Random(at)  # noqa: S311
            count = self.samples or 0
            order = sorted(range(count), key=[chance.random() for _ in range(count)].__getitem__)
            shares = [(stratum + chance.random()) / count for stratum in order]
            columns.append([_at(field, share) for share in shares])
        return tuple(columns)

    def tried(self) -> list[tuple[dict[str, Any], str]]:
        """Points that together have every value once, and what is tried with each: a mistake is told before any run."""
        first = self.changes(0)
        tried = [(first, ", ".join(f"{path}={value}" for path, value in first.items()))]
        if self.table:
            return tried
        for path, column in zip(self.paths, self.columns, strict=True):
            ends = column if len(column) <= _TRIED else (*column[: _TRIED - 1], column[-1])
            tried += [(first | {path: value}, f"{path}={value}") for value in ends]
        return tried


#: Of longer lists of values only so many are tried beforehand.
_TRIED = 1000


def _at(field: Field, share: float) -> Any:
    if isinstance(field.range, Range):
        return field.range.at(share)
    return field.values[min(int(share * len(field.values)), len(field.values) - 1)]


def design(
    values: Mapping[str, str | Sequence[Any]],
    points: str | Path | Sequence[Mapping[str, Any]] | None,
    samples: int | None,
) -> Design:
    """A design from what a person gives.

    Raises
    ------
    OSError
        If a file of points cannot be read.
    ValueError
        If something in it is wrong.
    """
    fields = []
    for path, each in values.items():
        fields.append(read_values(path, each) if isinstance(each, str) else Field(path=path, values=tuple(each)))
        fields[-1].check()
    table = None
    if points is not None:
        is_file = isinstance(points, str | Path)
        table = read_points(Path(points)) if is_file else read_rows(points, "points")  # type: ignore[arg-type]
    return Design(fields=tuple(fields), table=table, samples=samples)


def read_points(path: Path) -> Table:
    """Points from a file: CSV with a column for each field, or TOML with a [[point]] for each point.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If something in it is wrong: file, line, what is allowed.
    """
    if path.suffix.lower() == ".csv":
        return _read_csv(path)
    if path.suffix.lower() == ".toml":
        return _read_toml(path)
    raise ValueError(f"{path}: points are read from .csv or .toml; give the file one of these endings")


def _read_csv(path: Path) -> Table:
    lines = csv.reader(io.StringIO(read_text(path, MAX_RECORDING), newline=""), skipinitialspace=True)
    try:
        header = tuple(name.strip() for name in next(lines, []))
        if not header or not all(header):
            raise ValueError(f"{path}:1: the first line names the fields, as in link.air.loss,flow.*.law")
        rows: list[tuple[Any, ...]] = []
        for cells in lines:
            if not cells:
                continue
            if len(cells) != len(header):
                raise ValueError(f"{path}:{lines.line_num}: {len(cells)} values for {len(header)} fields")
            if len(rows) == MOST_POINTS:
                raise ValueError(f"{path}:{lines.line_num}: at most {MOST_POINTS} points are allowed")
            rows.append(tuple(read_value(cell) for cell in cells))
    except csv.Error as error:
        raise ValueError(f"{path}:{lines.line_num}: no line of a CSV file: {error}") from None
    return _table(path, header, rows)


def _read_toml(path: Path) -> Table:
    try:
        content = tomllib.loads(read_text(path, MAX_RECORDING))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None
    except RecursionError:
        raise ValueError(f"{path}: too many lists or tables in one another") from None
    points = content.get("point", [])
    if set(content) - {"point"} or not isinstance(points, list) or not all(isinstance(each, dict) for each in points):
        raise ValueError(f'{path}: a file of points has nothing but [[point]] tables, with keys like "link.air.loss"')
    return read_rows(points, str(path))


def read_rows(points: Sequence[Mapping[str, Any]], origin: str) -> Table:
    """Points given as mappings from fields to values.

    Raises
    ------
    ValueError
        Where they have different fields, or a field stands for a whole table of the scenario.
    """
    header = tuple(points[0]) if points else ()
    for number, point in enumerate(points, start=1):
        if set(point) != set(header):
            odd = sorted(set(point) ^ set(header))[0]
            raise ValueError(
                f"{origin}: point {number}: `{odd}` is not in every point; all points have the same fields"
            )
        for key, value in point.items():
            if "." not in key and isinstance(value, Mapping):
                raise ValueError(f'{origin}: point {number}: write the path in quotes: "{key}.{next(iter(value), "")}"')
    return _table(Path(origin), header, [tuple(point[key] for key in header) for point in points])


def _table(path: Path, header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Table:
    if not rows:
        raise ValueError(f"{path}: there are no points in it")
    for name, column in zip(header, zip(*rows, strict=True), strict=True):
        Field(path=name, values=column).check()
    return Table(paths=header, rows=rows)

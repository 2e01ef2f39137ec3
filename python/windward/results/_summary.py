"""The content of summary.json."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from windward import _engine
from windward.results._tables import Totals
from windward.results.stats import is_one_run, metric_interval, overall

#: The layout of result folders; grows when it changes so that older programs cannot read it.
FORMAT = 1


def about(
    *,
    name: str,
    title: str | None,
    duration_s: float,
    warmup_s: float,
    seeds: Sequence[int],
    finished: Sequence[int],
    engine: str,
) -> dict[str, Any]:
    """Head of the summary of a run, before its numbers."""
    return {
        "windward": _engine.__version__,
        "format": FORMAT,
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
    """Versions of what makes results."""
    return {"windward": _engine.__version__, "python": platform.python_version()}


def with_means(about: Mapping[str, Any], totals: Sequence[Totals]) -> dict[str, Any]:
    """Head of a run, then means with half-widths of 95 % confidence intervals; seeds that are one run have none."""
    content = dict(about)
    content["one_run"] = is_one_run(totals)
    if content["one_run"]:
        totals = [table.once() for table in totals]
    (flows,) = (table for table in totals if table.kind == "flows")
    measured_s = about["duration_s"] - about["warmup_s"]
    content["goodput_bps"], content["jain"] = map(_mean, overall(flows, measured_s))
    for table in totals:
        content[table.kind] = Rows(table)
    return content


class Rows(Sequence[dict[str, Any]]):
    """A row for each entity: its attributes, and the means of its figures.

    Rows are made when they are read: those of 40 000 links, all at once, take some hundred megabytes.
    """

    def __init__(self, totals: Totals) -> None:
        self._totals = totals
        self._count = len(totals.names)
        self._columns = [(key, totals.is_attribute(key)) for key in (totals.tables[0] if totals.tables else ())]

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, at: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(at, slice):
            return [self[index] for index in range(self._count)[at]]
        at = range(self._count)[at]
        return next(self._block(at, at + 1))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for begin in range(0, self._count, _BLOCK):
            yield from self._block(begin, min(begin + _BLOCK, self._count))

    def _block(self, begin: int, end: int) -> Iterator[dict[str, Any]]:
        """Some rows, made column by column: views of all columns of many seeds would take most of the memory."""
        tables, kind = self._totals.tables, self._totals.kind
        columns = []
        for key, is_attribute in self._columns:
            if is_attribute:
                columns.append([number(value) for value in tables[0][key][begin:end]])
            else:
                seeds = [table[key][begin:end] for table in tables]
                columns.append([_mean([seed[at] for seed in seeds], key, kind) for at in range(end - begin)])
        keys = [key for key, _ in self._columns]
        return (dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True))

    def texts(self) -> Iterator[str]:
        """JSON of each row: the same text as `encode` makes of it.

        That of one seed is made column by column, in a third of the time.
        """
        if len(self._totals.tables) != 1:
            yield from map(encode, self)
            return
        (table,) = self._totals.tables
        for begin in range(0, self._count, _BLOCK):
            block = slice(begin, begin + _BLOCK)
            parts = [
                _attributes(key, table[key][block]) if is_attribute else _measured(key, table[key][block])
                for key, is_attribute in self._columns
            ]
            yield from (f"{{{', '.join(row)}}}" for row in zip(*parts, strict=True))


#: Rows whose texts are made together.
_BLOCK = 1000

#: The encoder that `json.dumps` would make for each call.
encode = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode


def _attributes(key: str, values: Iterable[Any]) -> list[str]:
    head = f"{encode(key)}: "
    return [head + (_float(value) if isinstance(value, float) else encode(value)) for value in values]


def _measured(key: str, values: Iterable[float]) -> list[str]:
    head, tail = f'{encode(key)}: {{"mean": ', ', "ci95": null}'
    return [head + _float(float(value)) + tail for value in values]


def _float(value: float) -> str:
    return float.__repr__(value) if math.isfinite(value) else "null"


def rows_of(totals: Totals) -> list[dict[str, Any]]:
    """A row for each entity: its attributes, and the means of its figures."""
    return list(Rows(totals))


def _mean(values: Sequence[float], metric: str = "", kind: str = "") -> dict[str, Any]:
    if len(values) == 1:
        return {"mean": number(float(values[0])), "ci95": None}
    mean, interval = metric_interval(metric, values, kind)
    return {"mean": number(mean), "ci95": number(interval)}


def number(value: Any) -> Any:
    """JSON has no NaN: what was not measured is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

"""Parts of a sweep that get more points: their runs go back to the journal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def lines_of(files: Mapping[str, Path], runs: str, fields: Sequence[str]) -> list[dict[str, Any]]:
    """The runs of a part as lines of the journal.

    Parameters
    ----------
    files
        Its tables by kind.
    runs
        The kind with one row for each run.
    fields
        The columns of the varied fields.
    """
    import pyarrow.parquet as pq

    found: dict[tuple[int, int], dict[str, Any]] = {}
    for kind in (runs, *(kind for kind in files if kind != runs)):
        with pq.ParquetFile(files[kind]) as reader:
            rows = reader.read().to_pylist()
        for row in rows:
            point, seed = row.pop("point"), row.pop("seed", 0)
            values = [row.pop(field) for field in fields]
            if kind == runs:
                reason = row.pop("reason")
                found[point, seed] = {"point": point, "seed": seed, "values": values, "tables": {}, "reason": reason}
                if all(math.isnan(value) for value in row.values()):
                    # It has failed.
                    continue
            table = found[point, seed]["tables"].setdefault(kind, {name: [] for name in row})
            for name, value in row.items():
                table[name].append(value)
    return list(found.values())

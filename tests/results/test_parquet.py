"""Parquet files as the engine writes them, read by pyarrow."""

from array import array
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from windward._engine import write_parquet


def test_pyarrow_reads_what_was_written(tmp_path: Path) -> None:
    """Over a row group of 2^20 rows, so that there are two; names beyond 8 bits."""
    rows = (1 << 20) + 13
    random = np.random.default_rng(1)
    names = [f"flow-{at} é" for at in range(300)]
    columns = {
        "x": random.normal(size=rows),
        "n": random.integers(0, 1 << 64, rows, dtype=np.uint64),
        "small": random.integers(0, 1 << 32, rows, dtype=np.uint32),
        "signed": random.integers(-(1 << 62), 1 << 62, rows),
    }
    columns["x"][::7] = np.nan
    indices = random.integers(0, 300, rows, dtype=np.uint32)
    words = [f"word {at % 5}" for at in range(rows)]
    write_parquet(tmp_path / "t.parquet", {**columns, "name": (names, indices), "text": words})
    table = pq.read_table(tmp_path / "t.parquet")
    table.validate(full=True)
    assert table.schema.types == [pa.float64(), pa.uint64(), pa.uint32(), pa.int64(), pa.string(), pa.string()]
    for name, values in columns.items():
        np.testing.assert_array_equal(table[name].to_numpy(), values)
    assert table["name"].to_pylist() == [names[at] for at in indices]
    assert table["text"].to_pylist() == words
    frame = pd.read_parquet(tmp_path / "t.parquet")
    np.testing.assert_array_equal(frame["x"], columns["x"])


@pytest.mark.parametrize("count", [1, 256, 257, 65_536, 65_537])
def test_every_width_of_indices(tmp_path: Path, count: int) -> None:
    names = [str(at) for at in range(count)]
    indices = np.arange(count, dtype=np.uint32)[::-1].copy()
    write_parquet(tmp_path / "t.parquet", {"name": (names, indices)})
    column = pq.read_table(tmp_path / "t.parquet", read_dictionary=["name"])["name"]
    assert column.to_pylist() == names[::-1]


def test_no_rows(tmp_path: Path) -> None:
    nothing = memoryview(b"").cast("d")
    write_parquet(tmp_path / "t.parquet", {"x": nothing, "text": [], "name": ([], nothing.cast("B").cast("I"))})
    table = pq.read_table(tmp_path / "t.parquet")
    assert (table.num_rows, table.column_names) == (0, ["x", "text", "name"])


def test_what_is_no_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a column holds numbers, texts, or names"):
        write_parquet(tmp_path / "t.parquet", {"x": array("h", [1])})
    with pytest.raises(ValueError, match="one length"):
        write_parquet(tmp_path / "t.parquet", {"x": array("d", [1.0]), "text": []})
    with pytest.raises(OSError, match="nowhere"):
        write_parquet(tmp_path / "nowhere" / "t.parquet", {"x": array("d", [1.0])})

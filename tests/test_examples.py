"""Every example runs and draws its figure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

EXAMPLES = sorted((REPOSITORY / "examples").glob("plot_*.py"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    environment = os.environ | {"MPLBACKEND": "Agg"}
    subprocess.run([sys.executable, "-W", "error", path], cwd=tmp_path, env=environment, check=True)
    figure = tmp_path / f"{path.stem.removeprefix('plot_')}.png"
    assert figure.read_bytes().startswith(b"\x89PNG")

"""Every example runs, prints what its head says, and draws its figure."""

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from conftest import REPOSITORY

EXAMPLES = sorted((REPOSITORY / "examples").glob("plot_*.py"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    environment = os.environ | {"MPLBACKEND": "Agg"}
    command = [sys.executable, "-W", "error", path]
    done = subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    head = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert done.stdout.splitlines() == textwrap.dedent(head.partition("It prints:\n\n")[2]).splitlines()
    figure = tmp_path / f"{path.stem.removeprefix('plot_')}.png"
    assert figure.read_bytes().startswith(b"\x89PNG")

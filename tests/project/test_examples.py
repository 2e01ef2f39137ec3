"""Every example runs, prints numbers of the shape that its head says, bears its answer out, and draws its figure."""

import ast
import os
import re
import runpy
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Commands
from conftest import REPOSITORY, environment

EXAMPLES = sorted((REPOSITORY / "examples").glob("plot_*.py"))
GALLERY = runpy.run_path(str(REPOSITORY / "tools" / "write_gallery.py"))

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")

#: The direction that each answer claims, of the numbers line by line. The margins are several times what seeds show.
CLAIMS: dict[str, Callable[[list[list[float]]], bool]] = {
    "bufferbloat": lambda n: n[0][0] > 20 * max(line[0] for line in n[1:]),
    "household": lambda n: n[1][0] < 2 and min(n[2][0], n[3][0]) > 4 and n[1][4] > 4 * max(n[2][4], n[3][4]),
    "bbr_cubic": lambda n: n[0][1] > 80 and n[-1][1] < 45,
    "quic": lambda n: all(abs(line[2] / line[0] - 1) < 0.03 for line in n[:4]) and n[5][3] > 5 * n[2][3],
    "wifi_walk": lambda n: n[0][3] + 15 < n[1][3] and n[1][3] + 8 < n[2][3],
    "slow_station": lambda n: n[-1][1] < n[0][1] / 2 and all(line[3] > 0.8 * line[1] for line in n),
    "satellite": lambda n: n[6][0] > 10 * n[0][0] and n[7][0] > 3 * n[1][0],
    "lte_drive": lambda n: n[0][0] > 5 * n[1][0] and all(line[-2] > 85 for line in n),
    "late_start": lambda n: all(line[2] > 2.5 * line[0] for line in n[:2]) and n[2][2] < 1.6 * n[2][0],
    "backpressure": lambda n: n[3][0] > 1.4 * n[1][0] and n[0][0] > 1.2 * n[2][0],
    "network_coding": lambda n: n[7][1] > 2 * n[2][1] and n[9][1] > 5 * n[4][1],
    "own_law": lambda n: n[0][0] > 2.5,
    "paper_figure": lambda n: all(abs(line[1] / line[3] - 1) < 0.12 for line in n[:5]),
    "to_kernel": lambda n: n[0][0] > 9 and abs(n[0][1] - 20) < 2,
    "compare_laws": lambda n: min(n[at][0] for at in (2, 3, 4)) > n[1][0] + 1,
    "buffer_sizing": lambda n: n[0][1] + 5 < n[2][1],
    "quic_tcp_backlog": lambda n: all(abs(line[1] - 60) < 3 for line in n[:3]),
}

#: Examples whose answer needs all of their seeds.
WHOLE = {"backpressure"}


def numbers(line: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(line)]


def shape(line: str) -> list[str]:
    """The words of a line, its numbers alike."""
    return NUMBER.sub("#", line).split()


def test_the_gallery_has_every_example() -> None:
    names = {path.stem.removeprefix("plot_") for path in EXAMPLES}
    assert names == set(GALLERY["ORDER"]) == set(CLAIMS)
    assert len(names) >= 12


@pytest.mark.parametrize("seeds", [pytest.param(4, id="4 seeds"), pytest.param(None, id="all", marks=pytest.mark.long)])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, seeds: int | None, tmp_path: Path, commands: Commands) -> None:
    name = path.stem.removeprefix("plot_")
    if name in WHOLE:
        seeds = None
    if name == "to_kernel":
        # In an interpreter of its own, where warnings of imports are errors too.
        command = [sys.executable, "-W", "error", path]
        variables = os.environ | {"MPLBACKEND": "Agg"}
        done = subprocess.run(command, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, text=True, check=True)
    else:
        done = commands.run([str(path)], tmp_path, environment(), is_program=True, seeds=seeds)
    assert done.returncode == 0, done.stderr
    head = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    said = textwrap.dedent(head.partition("It prints:\n\n")[2]).splitlines()
    printed = done.stdout.splitlines()
    if name == "to_kernel":
        # The second line is real time, or says why there is none.
        said, printed = said[:1], [line for line in printed if line.startswith("simulated")]
    assert [shape(line) for line in printed] == [shape(line) for line in said]
    assert CLAIMS[name]([numbers(line) for line in printed]), done.stdout
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_answers_carry_the_printed_numbers(name: str) -> None:
    """Each with a decimal, or a percentage: others are rounded words of the sentence."""
    example = GALLERY["Example"].read(name)
    printed = set(NUMBER.findall(example.printed))
    exact = [number for number in NUMBER.findall(example.answer) if "." in number]
    assert exact or name in ("bbr_cubic", "wifi_walk", "backpressure", "own_law")
    missing = [number for number in exact if number not in printed]
    assert missing == []
    assert CLAIMS[name]([numbers(line) for line in example.printed.splitlines()])


def test_the_gallery_is_what_the_heads_say() -> None:
    assert GALLERY["PAGE"].read_text(encoding="utf-8") == GALLERY["page"](), "tools/write_gallery.py --page writes it"
    for name in GALLERY["ORDER"]:
        assert (GALLERY["PICTURES"] / f"{name}.png").stat().st_size < 100_000

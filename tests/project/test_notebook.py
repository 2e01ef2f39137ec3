"""Results for notebooks and papers: HTML, and tables for other programs."""

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import REPOSITORY, Cli

import windward as ww

sys.path.insert(0, str(REPOSITORY / "tools"))
from run_notebook import run as run_notebook

NOTEBOOK = REPOSITORY / "docs" / "start" / "notebook.ipynb"


@pytest.mark.parametrize("engine", ["simulate", "fluid", "optimum", "sweep"])
def test_results_show_themselves(scenario_file: Path, engine: str) -> None:
    scenario = ww.load(scenario_file)
    result = (
        scenario.sweep({"link.a->b.loss": [0, 0.01]}, seeds=1) if engine == "sweep" else getattr(scenario, engine)()
    )
    shown = result._repr_html_()
    assert "Do Reno and CUBIC share a link?" in shown
    assert shown.count("<svg") == 1
    assert "<table>" in shown
    assert "<script" not in shown
    # Every tag is closed.
    ElementTree.fromstring(re.sub(r"<br>", "<br/>", shown))


def test_tables_for_other_programs(cli: Cli, scenario_file: Path) -> None:
    scenario = ww.load(scenario_file)
    run = scenario.simulate(output=scenario_file.parent / "run")
    rows = list(csv.reader(cli("show", "run", "--as", "csv", "--table", "flows").stdout.splitlines()))
    assert rows[0][:4] == ["flow", "law", "goodput (bit/s)", "goodput ± (bit/s)"]
    assert [row[0] for row in rows[1:]] == ["reno", "cubic-1", "cubic-2"]
    assert len({len(row) for row in rows}) == 1
    mean = run.flows[run.flows["flow"] == "reno"]["goodput_bps"].mean()
    assert float(rows[1][2]) == pytest.approx(mean)
    # On a terminal too, and with some columns.
    alone = cli("show", "run", "--table", "flows").stdout
    assert [line.split()[0] for line in alone.splitlines()[1:5]] == ["flow", "reno", "cubic-1", "cubic-2"]
    assert "utilization" not in alone
    chosen = cli("show", "run", "--columns", "loss,mean RTT").stdout
    (head,) = (line.split("  ") for line in chosen.splitlines() if line.startswith("flow"))
    assert [name.strip() for name in head if name] == ["flow", "law", "loss", "mean RTT"]
    markdown = cli("show", "run", "--as", "markdown").stdout
    assert "**Links**" in markdown
    assert re.search(r"^\| reno +\| reno \| .* ± .* Mbit/s \|", markdown, flags=re.MULTILINE)
    latex = cli("show", "run", "--as", "latex").stdout
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 3
    assert r"link & rate (Mbit/s) &" in latex
    assert r"a->b & 5.00 &" in latex
    assert r"$\pm$" in latex
    assert "±" not in latex
    assert not re.search(r"(?<!\\)[%_#]", latex)


def test_formats_are_checked(cli: Cli, scenario_file: Path) -> None:
    ww.load(scenario_file).optimum().save(scenario_file.parent / "best")
    for arguments, said in (
        (["--as", "excel"], "error: --as excel: not a format of tables; formats: csv, markdown, latex\n"),
        (["--as", "csv", "--table", "x"], "error: the result has no table `x`; tables: flows, bottlenecks\n"),
        (
            ["--table", "flow"],
            "error: the result has no table `flow`; tables: flows, bottlenecks\nhint: did you mean `flows`?\n",
        ),
        (
            ["--columns", "rat"],
            "error: the tables have no column `rat`; columns: rate, goodput, price of its route, capacity, load, "
            "price\nhint: did you mean `rate`?\n",
        ),
    ):
        result = cli("show", "best", *arguments)
        assert (result.returncode, result.stdout, result.stderr) == (2, "", said)


def told(cell: dict[str, Any]) -> list[str]:
    """Output of a cell, without the paths of its figures, which depend on the plotting library."""
    texts = []
    for output in cell["outputs"]:
        for mime, lines in sorted(output.get("data", {"text/plain": output.get("text")}).items()):
            text = re.sub(r"<svg.*?</svg>", "<svg/>", "".join(lines), flags=re.DOTALL)
            texts.append(f"{mime}: {text}")
    return texts


def test_the_notebook_shows_what_it_says() -> None:
    """Every cell runs, and shows again the numbers that stand in it."""
    written = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    ran = run_notebook(NOTEBOOK)
    cells = [cell for cell in ran["cells"] if cell["cell_type"] == "code"]
    for cell, before in zip(ran["cells"], written["cells"], strict=True):
        if cell["cell_type"] == "code":
            assert told(cell) == told(before)
    shown = [told(cell) for cell in cells]
    assert sum(any("<table>" in text for text in texts) for texts in shown) == 3
    for kind in ("Run", "Optimum", "Sweep"):
        assert any(
            f"text/plain: <{kind}" in text or f"text/plain: {kind}(" in text for texts in shown for text in texts
        )
    assert sum(any(text.startswith("image/svg+xml") for text in texts) for texts in shown) == 3


def test_the_notebook_is_one() -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    nbformat.validate(nbformat.read(NOTEBOOK, as_version=4))


def test_links_of_the_notebook_lead_somewhere() -> None:
    text = "".join(line for cell in json.loads(NOTEBOOK.read_text())["cells"] for line in cell["source"])
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert targets
    assert all((NOTEBOOK.parent / target).exists() for target in targets)

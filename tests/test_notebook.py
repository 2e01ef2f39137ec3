"""What notebooks and papers are given of results: HTML, and tables for other programs."""

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import Cli

import windward as ww


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
    assert rows[0][:4] == ["flow", "law", "goodput", "goodput ±"]
    assert [row[0] for row in rows[1:]] == ["reno", "cubic-1", "cubic-2"]
    assert len({len(row) for row in rows}) == 1
    mean = run.flows[run.flows["flow"] == "reno"]["goodput_bps"].mean()
    number, unit = rows[1][2].split()
    assert float(number) * {"Mbit/s": 1e6, "kbit/s": 1e3}[unit] == pytest.approx(mean, rel=0.01)
    markdown = cli("show", "run", "--as", "markdown").stdout
    assert "**Links**" in markdown
    assert re.search(r"^\| reno +\| reno \| .* ± .* Mbit/s \|", markdown, flags=re.MULTILINE)
    latex = cli("show", "run", "--as", "latex").stdout
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 3
    assert r"a->b & 5.00 Mbit/s" in latex
    assert r"$\pm$" in latex
    assert "±" not in latex
    assert not re.search(r"(?<!\\)[%_#]", latex)


def test_formats_are_checked(cli: Cli, scenario_file: Path) -> None:
    ww.load(scenario_file).optimum().save(scenario_file.parent / "best")
    for arguments, said in (
        (["--as", "excel"], "error: --as excel: not a format of tables; formats: csv, markdown, latex\n"),
        (
            ["--table", "flows"],
            "error: --table chooses among tables for other programs; add --as csv, markdown or latex\n",
        ),
        (
            ["--as", "csv", "--table", "x"],
            "error: --table x: the result has no such table; tables: flows, bottlenecks\n",
        ),
    ):
        result = cli("show", "best", *arguments)
        assert (result.returncode, result.stdout, result.stderr) == (2, "", said)

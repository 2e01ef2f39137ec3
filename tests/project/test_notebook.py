"""Results for notebooks and papers: HTML, and tables for other programs."""

import ast
import csv
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import REPOSITORY, Cli

import windward as ww

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


def run_notebook() -> list[dict[str, Any]]:
    """Texts by their type for each cell of code: those that Jupyter would show of its last line."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"]), "cell").body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
        methods = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_", "text/plain": "__repr__"}
        texts = {kind: getattr(value, method)() for kind, method in methods.items() if hasattr(value, method)}
        shown.append({kind: text for kind, text in texts.items() if last and text})
    return shown


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NOTEBOOK.parent)
    shown = run_notebook()
    assert sum("<table>" in texts.get("text/html", "") for texts in shown) == 3
    assert sum("<svg" in texts.get("image/svg+xml", "") for texts in shown) == 3
    for kind in ("Run", "Optimum", "Sweep"):
        assert any(re.match(f"<?{kind}\\b", texts.get("text/plain", "")) for texts in shown)


def test_the_notebook_has_no_outputs() -> None:
    """Outputs are half a megabyte, and as much again with each change."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells if "outputs" in cell)


def test_the_notebook_is_one() -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    nbformat.validate(nbformat.read(NOTEBOOK, as_version=4))


def test_links_of_the_notebook_lead_somewhere() -> None:
    text = "".join(line for cell in json.loads(NOTEBOOK.read_text())["cells"] for line in cell["source"])
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert targets
    assert all((NOTEBOOK.parent / target).exists() for target in targets)

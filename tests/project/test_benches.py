"""Benches keep up with the package: the names and columns that they use exist, and their networks simulate."""

import ast
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import REPOSITORY

import windward as ww
from windward import _engine

PROGRAMS = sorted(path for folder in ("evidence", "tools") for path in (REPOSITORY / folder).rglob("*.py"))
#: Columns of each table.
COLUMNS: dict[str, set[str]] = {}
for tables in _engine.tables().values():
    for table in tables:
        COLUMNS.setdefault(table["name"], {"seed"}).update(column["name"] for column in table["columns"])


def unknown_names(tree: ast.Module) -> Iterator[str]:
    """Attributes of `ww` that the package lacks."""
    for node in ast.walk(tree):
        is_of_package = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ww"
        if is_of_package and not hasattr(ww, node.attr):
            yield f"ww.{node.attr}"


def unknown_columns(tree: ast.Module) -> Iterator[str]:
    """Columns that are read from a table of a result, or from a variable that is one, and that the table lacks."""
    variables = {
        target.id: node.value.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr in COLUMNS
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    filtered = {
        target.id: variables[node.value.value.id]
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Subscript)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id in variables
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    variables = filtered | variables
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)):
            continue
        owner, column = node.value, node.slice.value
        name = owner.attr if isinstance(owner, ast.Attribute) else None
        name = variables.get(owner.id) if isinstance(owner, ast.Name) else name
        if isinstance(column, str) and name in COLUMNS and column not in COLUMNS[name]:
            yield f"{name}.{column}"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_names_and_columns_exist(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [*unknown_names(tree), *unknown_columns(tree)] == []


def test_a_column_that_no_table_has_is_found() -> None:
    tree = ast.parse("table = run.edca_links\nmine = table[keep]\nprint(mine['ppdus'], run.links['loss'], ww.Fixed)")
    assert [*unknown_names(tree), *unknown_columns(tree)] == ["ww.Fixed", "edca_links.ppdus"]


def test_networks_of_aggregation_simulate() -> None:
    cases = runpy.run_path(str(REPOSITORY / "evidence" / "benches" / "wifi" / "aggregation_cases.py"))
    case = cases["cell"](cases["HT20"], 7, warmup_s=0.1)
    found = case.simulate(0.6, 1)
    assert sum(found.goodput[0]) == pytest.approx(case.expected(), rel=0.02)
    assert found.mean_ampdu == pytest.approx(28, abs=1)


def test_nginx_is_compared_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = REPOSITORY / "evidence" / "benches" / "emulate"
    monkeypatch.syspath_prepend(str(folder))
    bench = runpy.run_path(str(folder / "nginx.py"))
    network = bench["NETWORKS"][0]
    response, page = bench["simulated"](network, bench["Measured"]([], [], 237, 106, 0.0))
    # Of 42 segments a first window of ten takes three round trips of 40 ms, after the handshake; 1.2 ms each.
    assert 4 * 0.04 < response < 4 * 0.04 + 42 * 0.0012
    assert page > 8 * sum(bench["OBJECTS"]) / 10e6
    monkeypatch.setenv("PATH", "")
    assert bench["main"]() == 0
    assert capsys.readouterr().out == "skipped: nginx and curl not installed\n"


def test_a_browser_is_compared_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "evidence" / "benches" / "emulate"))
    bench = runpy.run_path(str(REPOSITORY / "evidence" / "benches" / "emulate" / "browser.py"))
    assert bench["picture"](40_000).startswith(b"\x89PNG")
    assert len(bench["picture"](40_000)) == pytest.approx(40_000, rel=0.02)
    monkeypatch.setenv("PATH", "")
    assert bench["main"]() == 0
    assert capsys.readouterr().out == "skipped: nginx and chromium not installed\n"

"""Answers of `optimum` and `fluid` in folders: kept, shown, drawn, opened again."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from conftest import REPOSITORY, Cli

import windward as ww
from windward.show._page import describe
from windward.show.plot import FIGURES

SHARED = REPOSITORY / "scenarios" / "flow-in-the-middle.toml"


def test_an_optimum_comes_back_from_its_folder(tmp_path: Path) -> None:
    best = ww.load(SHARED).optimum("law")
    best.save(tmp_path / "kept")
    again = ww.Optimum.open(tmp_path / "kept")
    pd.testing.assert_frame_equal(again.flows, best.flows)
    pd.testing.assert_frame_equal(again.links, best.links)
    assert again.to_dict() == best.to_dict()
    assert (again.title, again.scenario) == (best.title, best.scenario)
    summary = json.loads((tmp_path / "kept" / "summary.json").read_text())
    assert (summary["engine"], summary["complete"]) == ("optimum", True)
    assert summary["links"][1]["price"] == best.links["price"][1]


def test_a_fluid_run_comes_back_from_its_folder(tmp_path: Path) -> None:
    run = ww.load(SHARED).fluid()
    run.save(tmp_path / "kept")
    again = ww.Fluid.open(tmp_path / "kept")
    pd.testing.assert_frame_equal(again.flows, run.flows)
    pd.testing.assert_frame_equal(again.series, run.series)
    assert again.lyapunov is not None
    assert run.lyapunov is not None
    pd.testing.assert_frame_equal(again.lyapunov, run.lyapunov)
    assert (again.how, again.settled_s, again.duration_s) == (run.how, run.settled_s, 60.0)
    assert json.loads((tmp_path / "kept" / "summary.json").read_text())["engine"] == "fluid"


def test_the_equations_end_at_the_optimum_beside_them_and_y_falls() -> None:
    run = ww.load(SHARED).fluid()
    assert run.flows["goodput_bps"].to_numpy() == pytest.approx(run.flows["optimum_bps"].to_numpy(), rel=1e-4)
    assert run.lyapunov is not None
    y = run.lyapunov["lyapunov"].to_numpy()
    # By hand, at rho = 1/2: 10 packets without a queue have v = w - x d - p = -30, so that Y = 3 (30²/10)/2.
    assert y[0] == pytest.approx(135.0, rel=1e-6)
    assert (y[1:] <= y[:-1] + 1e-9 * y[0]).all()


def test_without_a_known_utility_there_is_no_optimum_beside_a_run(scenario_file: Path) -> None:
    run = ww.load(scenario_file).fluid()
    assert run.flows["optimum_bps"].isna().all()
    assert run.lyapunov is None
    with pytest.raises(ValueError, match=r"there is no Y\(w\)"):
        run.plot("lyapunov")


@pytest.mark.parametrize("engine", ["optimum", "fluid"])
def test_show_plot_and_report_work_on_the_folder(engine: str, cli: Cli, tmp_path: Path) -> None:
    said = cli(engine, SHARED, "--output", "kept")
    assert said.stderr == ""
    assert cli("show", "kept").stdout + "\nresults in kept\n" == said.stdout
    # Paths are drawn of free routing: tests/engines/test_routing.py.
    figures = [what for what in FIGURES[engine] if what != "paths"]
    for what in figures:
        assert cli("plot", "kept", "--what", what, "-o", f"{what}.svg").stdout == f"{what}.svg\n"
        assert "<svg" in (tmp_path / f"{what}.svg").read_text()
    assert cli("plot", "kept").stdout == ("rates.svg\n" if engine == "optimum" else "windows.svg\n")
    assert cli("report", "kept").stdout == "kept/report.html\n"
    page = (tmp_path / "kept" / "report.html").read_text()
    # Rates and prices of an optimum are numbers in tables.
    assert ("<figure" in page) == (engine == "fluid")
    assert 'kind = "csma"' in page.replace("&quot;", '"')
    refused = cli("plot", "kept", "--seed", "1")
    assert (refused.returncode, refused.stderr) == (2, f"error: a result of `{engine}` has no seeds\n")
    refused = cli("plot", "kept", "--what", "rings")
    assert "unknown figure `rings`" in refused.stderr


def test_a_result_takes_the_place_of_an_older_one_and_of_nothing_else(cli: Cli, scenario_file: Path) -> None:
    kept = scenario_file.parent / "kept"
    assert cli("simulate", scenario_file.name, "--seeds", "2", "-q", "-o", "kept").returncode == 0
    assert cli("report", "kept").returncode == 0
    assert cli("fluid", scenario_file.name, "-o", "kept", "--replace").returncode == 0
    assert sorted(path.name for path in kept.iterdir()) == [
        "flow_series.parquet",
        "flows.parquet",
        "rests.parquet",
        "scenario.toml",
        "summary.json",
    ]
    with pytest.raises(ww.ResultError, match=r"a result of `fluid`, not of `sweep`\nhint: windward.open opens"):
        ww.Sweep.open(kept)
    assert cli("simulate", scenario_file.name, "--seeds", "1", "-q", "-o", "kept", "--replace").returncode == 0
    assert sorted(path.name for path in kept.iterdir()) == ["scenario.toml", "seed-1", "summary.json"]
    (scenario_file.parent / "thesis").mkdir()
    (scenario_file.parent / "thesis" / "thesis.tex").touch()
    refused = cli("optimum", scenario_file.name, "-o", "thesis")
    assert (refused.returncode, "is not overwritten" in refused.stderr) == (2, True)


def test_compare_goes_without_packets_where_there_are_none(cli: Cli, tmp_path: Path) -> None:
    result = cli("compare", SHARED, "--output", "kept")
    assert result.returncode == 0
    assert re.search("packets skipped +a region says which rates are possible", result.stdout)
    kept = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert kept == ["fluid", "optimum", "scenario.toml", "summary.json"]
    refused = cli("simulate", SHARED)
    assert (refused.returncode, refused.stderr) == (
        2,
        "error: the capacity region `channel` has no packets and cannot be simulated\n"
        "hint: use `optimum` or `fluid`, or replace the region by a [[cell]]\n",
    )


def test_a_comparison_without_flows_is_of_applications(tmp_path: Path) -> None:
    scenario = ww.Scenario(
        name="pages",
        duration="5 s",
        node=[ww.Node(name="home"), ww.Node(name="server")],
        link=[ww.Link(from_="server", to="home", rate="10 Mbit/s", delay="10 ms", buffer="100 ms")],
        app=[
            ww.Requests(
                name="page",
                from_="home",
                to="server",
                law="cubic",
                arrivals=ww.format.PeriodicArrivals(every="1 s"),
                response="10 kB",
            )
        ],
    )
    compared = scenario.compare(seeds=1, emulate=False)
    said = describe(compared)
    assert said.subtitle == "completion times of each application"
    assert [table.columns[0] for table in said.tables] == ["application"]
    page = compared.report(tmp_path / "report.html").read_text()
    assert "goodput of each flow" not in page
    assert "processor sharing" in page

"""Requests over two-way TCP connections: tables, tables of text, and files."""

from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli

import windward as ww

SCENARIO = """\
name = "shop"
duration = "20 s"
node = [{ name = "client" }, { name = "server" }]
link = [{ name = "access", from = "server", to = "client", rate = "20 Mbit/s", delay = "10 ms" }]

[[app]]
kind = "requests"
name = "shop"
from = "client"
to = "server"
law = "cubic"
arrivals = { kind = "poisson", load = 0.5 }
response = { kind = "exponential", mean = "50 kB" }
connections = "pool"
deadline = "200 ms"

[[flow]]
name = "download"
from = "server"
to = "client"
law = "cubic"
"""


@pytest.fixture
def shop(tmp_path: Path) -> ww.Scenario:
    (tmp_path / "shop.toml").write_text(SCENARIO, encoding="utf-8")
    return ww.load(tmp_path / "shop.toml")


def test_a_run_has_a_row_for_each_request(shop: ww.Scenario) -> None:
    run = shop.simulate()
    apps, requests = run.apps, run.requests
    assert list(apps["app"]) == ["shop"]
    assert apps["requests"][0] == len(requests) == apps["finished"][0] + apps["unfinished"][0]
    done = requests.dropna(subset=["end_s"])
    assert len(done) == apps["finished"][0] > 100
    assert (done["completion_s"] - (done["end_s"] - done["intended_s"])).abs().max() < 1e-9
    assert done["completion_s"].mean() == pytest.approx(apps["completion_mean_s"][0])
    assert run.request_classes["requests"].sum() == len(requests)
    assert set(requests["reused"]) == {0, 1}
    assert apps["completion_p50_s"][0] <= apps["completion_p95_s"][0] <= apps["completion_p99_s"][0]
    # A request cannot be faster than on the path alone.
    assert done["slowdown"].min() >= 1 - 1e-9
    # The arrivals are those of the load: half of 20 Mbit/s, within the scatter of some thousand.
    assert apps["offered_bps"][0] == pytest.approx(10e6, rel=0.1)


def test_another_law_has_the_same_arrivals_and_sizes(tmp_path: Path) -> None:
    rows = []
    for law in ("cubic", "bbr"):
        (tmp_path / f"{law}.toml").write_text(SCENARIO.replace('law = "cubic"', f'law = "{law}"', 1), encoding="utf-8")
        rows.append(ww.load(tmp_path / f"{law}.toml").simulate().requests.sort_values("intended_s"))
    first, second = (own[["intended_s", "size_bytes"]].reset_index(drop=True) for own in rows)
    assert first.equals(second)


def test_the_command_shows_them_and_keeps_them(shop: ww.Scenario, cli: Cli, tmp_path: Path) -> None:
    done = cli("simulate", "shop.toml")
    assert done.returncode == 0, done.stderr
    assert "shop" in done.stdout
    assert "p99" in done.stdout
    kept = ww.open(tmp_path / "results" / "shop")
    assert isinstance(kept, ww.Run)
    assert kept.requests.equals(shop.simulate().requests)
    assert cli("report", "results/shop").returncode == 0


def test_the_scenario_of_the_repository_runs() -> None:
    run = ww.load(REPOSITORY / "scenarios" / "requests.toml").simulate(seeds=1)
    assert run.apps["unfinished"][0] < 0.05 * run.apps["requests"][0]

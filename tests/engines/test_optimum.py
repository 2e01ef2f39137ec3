"""The best rates, on the command line and from Python."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import SMALL, Cli, matches

import windward as ww
from windward._engines import compare


def parking_lot(**flow: object) -> ww.Scenario:
    """Two links of 9 Mbit/s in a row, a flow over both and one over each."""
    hop = {"rate": "9 Mbit/s", "delay": "5 ms"}
    return ww.Scenario(
        name="parking-lot",
        duration="30 s",
        warmup="10 s",
        node=[ww.Node(name=name) for name in "abc"],
        link=[ww.Link(from_="a", to="b", **hop), ww.Link(from_="b", to="c", **hop)],
        flow=[
            ww.Flow(name=name, from_=ends[0], to=ends[1], **flow)
            for name, ends in {"long": "ac", "first": "ab", "second": "bc"}.items()
        ],
    )


def test_proportional_fairness_of_a_parking_lot() -> None:
    # Kelly, Maulloo, Tan 1998: the flow over both links gets a third.
    best = parking_lot(law="reno").optimum()
    assert best.flows["rate_bps"].tolist() == pytest.approx([3e6, 6e6, 6e6], rel=1e-7)
    assert max(best.certificate.values()) < 1e-8
    assert best.value == pytest.approx(sum(math.log(rate / 12000) for rate in (3e6, 6e6, 6e6)), rel=1e-9)


def test_max_min_fairness_of_a_parking_lot() -> None:
    best = parking_lot(law="reno").optimum("max-min")
    assert best.flows["rate_bps"].tolist() == pytest.approx([4.5e6] * 3, rel=1e-7)
    assert best.value is None


def test_packets_of_quic_tcp_reach_the_optimum() -> None:
    """QUIC-TCP maximises the sum of p ln x (huang2020, Theorem 1) when every flow knows its propagation delay.

    A flow keeps p packets waiting within one (crates/sim/tests/it/backlog.rs): of p = 40 that is 2.5 % of its rate.
    """
    scenario = parking_lot(law=ww.QuicTcp(backlog=40), known_base_rtt="path")
    best, run = scenario.optimum("law"), scenario.simulate()
    packets = run.flows["goodput_bps"].to_numpy()
    assert packets == pytest.approx(best.flows["goodput_bps"].to_numpy(), rel=0.025)


def test_the_command(cli: Cli, scenario_file: Path) -> None:
    matches("optimum", cli("optimum", scenario_file.name))


def test_json(cli: Cli, scenario_file: Path) -> None:
    answer = json.loads(cli("optimum", scenario_file.name, "--utility", "alpha=2", "--json").stdout)
    assert answer["utility"] == "alpha=2"
    assert max(answer["certificate"].values()) < 1e-8
    assert {flow["utility"]["alpha"] for flow in answer["flows"]} == {2.0}


@pytest.mark.parametrize("utility", ["fair", "alpha", "alpha=-1", "alpha=inf", "law=2"])
def test_no_utility(cli: Cli, scenario_file: Path, utility: str) -> None:
    result = cli("optimum", scenario_file.name, "--utility", utility)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"unknown utility `{utility}`; utilities: proportional" in result.stderr


def test_compare(cli: Cli, scenario_file: Path) -> None:
    matches("compare", cli("compare", scenario_file.name, "--no-emulate", "--output", "kept"))
    rows = json.loads(cli("compare", scenario_file.name, "--no-emulate", "--json").stdout)["flows"]
    kept = ww.open(scenario_file.parent / "kept" / "simulate")
    mean = kept.flows.groupby("flow", sort=False)["goodput_bps"].mean()
    assert [row["packets_bps"] for row in rows] == pytest.approx(mean.tolist(), rel=1e-9)


def test_compare_leaves_out_an_optimum_that_does_not_exist(tmp_path: Path) -> None:
    text = (
        SMALL
        + """
[[app]]
kind = "page"
name = "web"
from = "a"
to = "b"
law = "cubic"
objects = [{ name = "page", size = "10 kB" }]
visits = 1
"""
    )
    (tmp_path / "small.toml").write_text(text, encoding="utf-8")
    compared = ww.load(tmp_path / "small.toml").compare(seeds=1, emulate=False, output=tmp_path / "kept")
    assert compared.optimum is None
    assert sorted(compared.left_out) == ["fluid", "kernel", "optimum"]
    again = ww.Comparison.open(tmp_path / "kept")
    assert (again.name, again.optimum) == (compared.name, None)
    assert again.packets is not None
    flows = again.packets.flows
    assert list(again.table["flow"]) == list(flows["flow"])
    assert list(again.table["law"]) == list(flows["law"])
    assert again.table["packets_bps"].to_numpy() == pytest.approx(flows["goodput_bps"].to_numpy())
    assert again.table[["optimum_bps", "share"]].isna().all(axis=None)
    assert [row["app"] for row in again.app_rows] == ["web"]
    assert "optimum skipped" in again.report(tmp_path / "report.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="unknown utility"):
        ww.load(tmp_path / "small.toml").compare(utility="fair", emulate=False)


@pytest.mark.parametrize("engine", ["pieces", "solve", "follow"])
def test_compare_does_not_take_a_fault_for_a_missing_answer(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        np.zeros(2).reshape(3)

    monkeypatch.setattr(compare, engine, fail)
    with pytest.raises(ValueError, match="cannot reshape") as failed:
        parking_lot(law="reno").compare(seeds=1, emulate=False)
    assert type(failed.value) is ValueError


def test_an_engine_without_an_answer_says_so_by_an_error_of_its_own() -> None:
    scenario = parking_lot(law="tfrc")
    with pytest.raises(ww.NoAnswerError, match="TFRC is not supported"):
        scenario.fluid()
    down = replace(scenario, change=[ww.Change(link="a->b", at="0 s", up=False)])
    with pytest.raises(ww.NoAnswerError, match="nothing crosses it"):
        down.optimum()
    # An argument that cannot be is none of that.
    with pytest.raises(ValueError, match="there is no network at 31 s") as refused:
        scenario.optimum(time_s=31)
    assert not isinstance(refused.value, ww.NoAnswerError)


def test_compare_has_applications_in_json_as_simulate_has(cli: Cli, scenario_file: Path) -> None:
    apps = """
    [[app]]
    name = "web"
    kind = "requests"
    from = "b"
    to = "a"
    law = "reno"
    arrivals = { kind = "poisson", rate = 5 }
    response = "20 kB"
    [[app]]
    name = "talk"
    kind = "call"
    from = "a"
    to = "b"
    """
    scenario_file.write_text(SMALL + apps)
    kept = cli("compare", scenario_file.name, "--no-emulate", "--json", "--output", "kept")
    compared = json.loads(kept.stdout)
    simulated = json.loads(cli("simulate", scenario_file.name, "--json").stdout)
    for kind in ("apps", "pages", "videos", "background", "calls", "call_videos", "games"):
        rows = [row for row in compared[kind] if row["engine"] == "packets"]
        assert [{key: value for key, value in row.items() if key != "engine"} for row in rows] == simulated[kind]
    assert [row["engine"] for row in compared["apps"]] == ["optimum", "packets"]
    assert len(compared["calls"]) == 2
    summary = json.loads((scenario_file.parent / "kept" / "summary.json").read_text(encoding="utf-8"))
    assert compared.items() <= summary.items()


def test_background_may_leave_nothing(cli: Cli, scenario_file: Path) -> None:
    flood = '\n[[background]]\nfrom = "a"\nto = "b"\npattern = { kind = "cbr", rate = "1 Gbit/s" }\n'
    scenario_file.write_text(SMALL + flood)
    result = cli("optimum", scenario_file.name)
    assert (result.returncode, result.stdout) == (2, "")
    assert "background traffic takes all of its capacity" in result.stderr


def test_compare_refuses_seeds_before_it_asks_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fluid model may take minutes, and needs no seeds."""
    asked: list[str] = []
    monkeypatch.setattr(compare, "follow", lambda *_, **__: asked.append("fluid"))
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    with pytest.raises(ValueError, match="9223372036854775808 seeds; at most 1000000 are allowed"):
        ww.load(tmp_path / "small.toml").compare(seeds=2**63, output=tmp_path / "kept")
    assert not asked
    assert not (tmp_path / "kept").exists()

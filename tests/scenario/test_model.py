"""Scenarios as objects and as files are the same thing."""

import json
import pickle
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import REPOSITORY

import windward as ww
from windward import _engine

SCENARIOS = sorted(REPOSITORY.glob("scenarios/**/*.toml"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_ready_scenarios_survive_the_way_through_objects(path: Path, tmp_path: Path) -> None:
    scenario = ww.load(path)
    (tmp_path / "again.toml").write_text(scenario.to_toml())
    again = ww.load(tmp_path / "again.toml")
    assert again.to_toml() == scenario.to_toml()
    assert scenario.to_toml() == _engine.Scenario.from_toml(path.read_text(), str(path), path.parent).to_toml()


def test_json_files(scenario_file: Path) -> None:
    scenario = ww.load(scenario_file)
    path = scenario_file.with_suffix(".json")
    path.write_text(json.dumps(tomllib.loads(scenario_file.read_text())))
    assert ww.load(path) == scenario


def test_every_kind_of_field() -> None:
    scenario = ww.Scenario(
        name="all",
        duration="2 s",
        seeds=[3, 5],
        node=[ww.Node(name="a"), ww.Node(name="b"), ww.Node(name="c", count=2)],
        link=[
            ww.Link(
                from_="a",
                to="b",
                rate="1 Mbit/s",
                delay="1 ms",
                loss=ww.format.GilbertElliottLoss(good_to_bad=0.01, bad_to_good="20 %"),
                jitter=ww.format.ExponentialJitter(mean="1 ms"),
                reverse=ww.format.Reverse(loss=0.5, buffer="10 ms"),
            ),
            ww.Link(from_="b", to="c", rate="1 Mbit/s", delay="1 ms", loss=ww.format.BernoulliLoss(probability="1 %")),
        ],
        flow=[ww.Flow(from_="a", to="c", law=ww.QuicTcp(rho=0.25), delayed_ack=False, via=["b"], size="10 kB")],
        background=[
            ww.Background(
                from_="a",
                to="b",
                pattern=ww.format.OnOff(rate="10 kbit/s", on="1 s", off="1 s", on_spread=ww.format.Pareto(pareto=1.5)),
            )
        ],
    )
    written = tomllib.loads(scenario.to_toml())
    assert written["seeds"] == [3, 5]
    assert written["link"][0]["loss"]["bad_to_good"] == 0.2
    assert written["link"][0]["jitter"] == {"model": "exponential", "mean": "1 ms"}
    assert written["flow"][0]["delayed_ack"] is False
    assert written["flow"][0]["law"]["rho"] == 0.25
    assert written["background"][0]["pattern"]["on_spread"] == {"pareto": 1.5}
    assert list(scenario.simulate(seeds=1).flows["flow"]) == ["a->c-1", "a->c-2"]
    assert pickle.loads(pickle.dumps(scenario)) == scenario


REGIONS = [
    ww.format.BoxRegion(name="r", links=["air"], capacity="6 Mbit/s"),
    ww.format.NormRegion(name="r", links=["air-2", "air-1"], capacity=["6 Mbit/s", "3 Mbit/s"], exponent=2),
    ww.format.EllipsoidRegion(name="r", links=["air"], capacity="6 Mbit/s", matrix=[[1, 0.5], [0.5, 1]]),
    ww.format.HalfSpacesRegion(name="r", links=["air"], limit=[ww.format.Limit(weights=[1, 2], most="6 Mbit/s")]),
    ww.format.FadingRegion(name="r", links=["air"], state=[ww.format.ChannelState(rates=["6 Mbit/s", "6 Mbit/s"])]),
    ww.format.CsmaRegion(name="r", links=["air"], capacity="6 Mbit/s", conflicts=[["air-1", "air-2"]]),
]


@pytest.mark.parametrize("region", REGIONS, ids=lambda region: region.TAG[1])
def test_regions_answer_optimum_and_fluid_and_have_no_packets(region: ww.format.NormRegion, tmp_path: Path) -> None:
    scenario = ww.Scenario(
        name="cell",
        duration="20 s",
        node=[ww.Node(name="a", count=2), ww.Node(name="b", count=2)],
        link=[ww.Link(name="air", from_="a", to="b", delay="20 ms", reverse=ww.format.Reverse(rate="1 Gbit/s"))],
        region=[region],
        flow=[ww.Flow(from_="a", to="b", law=ww.QuicTcp(backlog=20))],
    )
    (tmp_path / "cell.toml").write_text(scenario.to_toml())
    assert ww.load(tmp_path / "cell.toml").to_toml() == scenario.to_toml()
    best, run = scenario.optimum(), scenario.fluid()
    assert run.flows["rate_bps"].to_numpy() == pytest.approx(best.flows["rate_bps"].to_numpy(), rel=1e-3)
    with pytest.raises(ValueError, match="the capacity region `r` has no packets and cannot be simulated"):
        scenario.simulate()


def test_a_scenario_that_exists_is_right(link: Callable[..., ww.Scenario]) -> None:
    with pytest.raises(ww.ScenarioError, match=r"flow\[0\]\.to: .*`c`"):
        link(ww.Flow(from_="a", to="c", law="reno"))
    with pytest.raises(ww.ScenarioError, match="unknown law `rneo`"):
        link(ww.Flow(from_="a", to="b", law="rneo"))
    with pytest.raises(ww.ScenarioError, match="duration"):
        link(ww.Flow(from_="a", to="b", law="reno"), duration=5)
    with pytest.raises(ww.ScenarioError, match=r"flow\[0\]\.law"):
        link(ww.Flow(from_="a", to="b", law=object()))


def test_arguments_are_checked(link: Callable[..., ww.Scenario]) -> None:
    scenario = link(ww.Flow(from_="a", to="b", law="reno"))
    with pytest.raises(ValueError, match="at least one"):
        scenario.simulate(seeds=[])
    with pytest.raises(ValueError, match="threads=0"):
        scenario.simulate(threads=0)
    with pytest.raises(ValueError, match="output=DIR"):
        scenario.simulate(pcap=True)

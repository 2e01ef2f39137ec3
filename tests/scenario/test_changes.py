"""Networks that change while they run: in packets, in the fluid model, at the optimum, and behind `windward link`."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import REPOSITORY, Cli

import windward as ww
from windward import transfer


@pytest.fixture(scope="module")
def handover() -> ww.Scenario:
    return ww.load(REPOSITORY / "scenarios" / "handover.toml")


def test_packets_follow_the_link_there_and_back(handover: ww.Scenario) -> None:
    """20 Mbit/s, 3 for twenty seconds, then 20 again: payload is 1448 of 1500 bytes."""
    run = handover.simulate(seeds=1)
    series = run.flow_series

    def mean(begin: float, end: float, column: str = "goodput_bps") -> float:
        rows = series[(series["time_s"] > begin) & (series["time_s"] <= end)]
        return float(rows[column].mean())

    payload = 1448 / 1500
    before, meanwhile, after = mean(10, 20), mean(30, 40), mean(50, 60)
    assert abs(before / (20e6 * payload) - 1) < 0.01
    # Losses come by chance: the rate alone is a bound.
    assert 0.9 < meanwhile / (3e6 * payload) <= 1
    assert abs(after / before - 1) < 0.02
    # 50 ms of propagation at first, 120 in the other cell, and what waits.
    assert mean(10, 20, "srtt_ms") < 115
    assert mean(30, 40, "srtt_ms") > 120


def test_a_table_of_steps_is_the_same_as_its_file(handover: ww.Scenario, tmp_path: Path) -> None:
    (tmp_path / "steps.csv").write_text("time_s,rate_bps,delay_ms,loss\n20,3e6,60,0.001\n40,20e6,25,0\n")
    text = handover.to_toml()
    head, _, rest = text.partition("[[change]]")
    rest = rest[rest.index("[[flow]]") :]
    (tmp_path / "handover.toml").write_text(f'{head}[[change]]\nlink = "air"\nsteps = "steps.csv"\n\n{rest}')
    other = ww.load(tmp_path / "handover.toml")
    assert other.simulate(seeds=1).flows.equals(handover.simulate(seeds=1).flows)


def test_the_fluid_run_shows_every_rest(handover: ww.Scenario, tmp_path: Path) -> None:
    law = replace(handover.flow[0], law="vegas")
    fluid = replace(handover, flow=[law]).fluid()
    rests = fluid.rests
    assert list(rests["from_s"]) == [0, 20, 40]
    assert list(rests["until_s"]) == [20, 40, 60]
    # Vegas keeps its backlog: each piece ends at its optimum, at which the link is full.
    assert np.allclose(rests["goodput_bps"], rests["optimum_bps"], rtol=2e-3)
    assert np.allclose(rests["rate_bps"], [20e6, 3e6, 20e6], rtol=2e-3)
    assert fluid.flows["optimum_bps"][0] == rests["optimum_bps"].iloc[-1]
    fluid.save(tmp_path / "fluid")
    assert ww.Fluid.open(tmp_path / "fluid").rests.equals(rests)


def test_the_optimum_is_that_of_a_time(handover: ww.Scenario) -> None:
    rates = [handover.optimum(time_s=at).flows["rate_bps"][0] for at in (0, 19.9, 20, 40)]
    assert np.allclose(rates, [20e6, 20e6, 3e6, 20e6], rtol=1e-6)
    assert np.isclose(handover.optimum().flows["rate_bps"][0], 20e6, rtol=1e-6)
    with pytest.raises(ValueError, match="the run lasts from 0 to 60 s; there is no network at 61 s"):
        handover.optimum(time_s=61)


def test_the_command_line_tells_when(cli: Cli) -> None:
    file = str(REPOSITORY / "scenarios" / "handover.toml")
    shown = cli("optimum", file, "--time", "30")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "3.00 Mbit/s" in shown.stdout
    assert cli("optimum", file, "--time", "61").returncode == 2


def test_changes_from_python() -> None:
    scenario = ww.Scenario(
        name="down",
        duration="10 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(name="air", from_="a", to="b", rate="10 Mbit/s", delay="10 ms")],
        change=[
            ww.Change(link="air", at="4 s", up=False, drop="all"),
            ww.Change(link="air", steps=[ww.format.ChangeStep(at="6 s", up=True, rate="5 Mbit/s")]),
        ],
        background=[ww.Background(from_="a", to="b", pattern=ww.format.Cbr(rate="2 Mbit/s"), packet="1000 B")],
    )
    (source,) = scenario.simulate().background.to_dict("records")
    # 250 a second: 1000 before 4 s, less those on the wire then, and 1000 since 6 s with the 500 that had waited.
    assert 2490 <= source["received"] <= 2500
    with pytest.raises(ValueError, match="link `air` is down at 4 s"):
        scenario.fluid()


def test_the_drive_is_as_its_page_says(cli: Cli) -> None:
    page = (REPOSITORY / "docs" / "guides" / "drive.md").read_text()
    train = REPOSITORY / "scenarios" / "train.toml"
    shown = cli("sweep", str(train), "--set", "flow.download.law=cubic,vegas,westwood", "--seeds", "10")
    assert (shown.returncode, shown.stderr) == (0, "")
    printed = [line.rstrip() for line in shown.stdout.splitlines() if line and not line.startswith("results in")]
    assert all(f"\n{line}\n" in page for line in printed), shown.stdout
    scenario = ww.load(train)
    calls = {
        law: replace(scenario, flow=[replace(scenario.flow[0], law=law)]).simulate(seeds=10).background
        for law in ("cubic", "vegas", "westwood")
    }
    assert [round(1e3 * call["mean_delay_s"].mean()) for call in calls.values()] == [267, 83, 197]
    assert [round(100 * call["loss"].mean(), 1) for call in calls.values()] == [2.5, 0.0, 0.7]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("30s rate=2", "change '30s rate=2': `2` has no unit"),
        ("30s speed=2mbit", "change '30s speed=2mbit': `speed=2mbit`: expected TIME NAME=VALUE …"),
        ("30s", "change '30s': expected TIME NAME=VALUE …"),
        ("soon down", "change 'soon down': "),
        ("30s loss=1%,2%,3%", "change '30s loss=1%,2%,3%': loss=1%,2%,3%: expected one value, or two, DOWN,UP"),
    ],
)
def test_a_wrong_change_of_a_link_is_refused(change: str, told: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(told)):
        transfer.link(["true"], rate="10mbit", changes=[change])

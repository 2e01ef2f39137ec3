"""Recordings that scenarios name: packet-delivery traces of links, signal-to-noise traces of stations."""

import runpy
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli

import windward as ww

LINK = """
name = "phone"
duration = "20 s"
warmup = "2 s"
node = [{ name = "server" }, { name = "phone" }]

[[link]]
from = "server"
to = "phone"
rate = { trace = "downlink.trace" }
delay = "20 ms"
reverse = { rate = "5 Mbit/s" }

[[background]]
from = "server"
to = "phone"
pattern = { kind = "cbr", rate = "20 Mbit/s" }
packet = "1000 B"
"""

CELL = """
name = "walk"
duration = "8 s"
node = [{ name = "ap" }, { name = "phone" }]

[[cell]]
name = "cell"
access_point = "ap"
slot = "10 ms"
symbol_rate = "1 MBd"
amc = "ctc"
fading = { model = "trace", samples = "walk.csv" }

[[cell.station]]
node = "phone"
snr = "0 dB"

[[background]]
from = "ap"
to = "phone"
pattern = { kind = "cbr", rate = "8 Mbit/s" }
"""


@pytest.fixture
def phone(tmp_path: Path) -> Path:
    """Ten seconds of 12 Mbit/s, of which every other second is silent."""
    instants = [ms for second in range(0, 10, 2) for ms in range(1000 * second + 1, 1000 * second + 1001)]
    (tmp_path / "downlink.trace").write_text("".join(f"{ms}\n" for ms in [*instants, 10_000]))
    (tmp_path / "phone.toml").write_text(LINK)
    return tmp_path / "phone.toml"


def test_a_recorded_link_carries_what_was_recorded(phone: Path) -> None:
    scenario = ww.load(phone)
    run = scenario.simulate()
    link = run.links.set_index("link").loc["server->phone"]
    # 5001 opportunities of 1500 bytes in 10 s.
    assert link["rate_bps"] == 5001 * 12_000 / 10
    # What is offered is more, and packets of 1000 bytes share opportunities: all are used, to a packet that is begun.
    assert link["utilization"] == pytest.approx(1, abs=1e-3)
    rates = run.link_series.query("link == 'server->phone'").set_index("time_s")["rate_bps"]
    seconds = rates.groupby(lambda time: int(time - 1e-9)).mean()
    assert seconds[4] == pytest.approx(12e6, rel=2e-3)
    assert seconds[5] == 0


def test_the_results_of_a_recorded_link_stand_alone(phone: Path, tmp_path: Path) -> None:
    ww.load(phone).simulate(seeds=1, output=tmp_path / "out")
    (tmp_path / "downlink.trace").unlink()
    again = ww.load(tmp_path / "out" / "scenario.toml")
    rate = again.link[0].rate
    assert isinstance(rate, ww.format.RecordedRate)
    assert (len(rate.trace), rate.trace[-1]) == (5001, 10_000)


def test_recordings_are_found_beside_the_scenario_in_python_too(phone: Path) -> None:
    def scenario(rate: str | ww.format.RecordedRate) -> ww.Scenario:
        return ww.Scenario(
            name="two",
            duration="1 s",
            node=[ww.Node(name="a"), ww.Node(name="b")],
            link=[ww.Link(from_="a", to="b", rate=rate, delay="1 ms")],
            flow=[ww.Flow(from_="a", to="b", law=ww.Reno())],
            folder=phone.parent,
        )

    recorded = scenario(ww.format.RecordedRate(trace="downlink.trace")).simulate()
    assert recorded.links["rate_bps"].tolist() == [5001 * 1200.0] * 2
    with pytest.raises(ww.ScenarioError, match=r"link\[0\].rate.trace: cannot read `gone.trace`"):
        scenario(ww.format.RecordedRate(trace="gone.trace"))


def test_a_recorded_channel_is_played(tmp_path: Path) -> None:
    """17 dB for a second, then 3 dB, which no mode of the table gets through: 3 Mbit/s half of the time."""
    rows = [f"{at},{17 if at < 1 else 3}" for at in (0, 0.5, 1, 1.5)]
    (tmp_path / "walk.csv").write_text("\n".join(["time_s,snr_db", *rows]))
    (tmp_path / "walk.toml").write_text(CELL)
    run = ww.load(tmp_path / "walk.toml").simulate()
    station = run.stations.iloc[0]
    # Slots begin at 0, 10, ... 8000 ms; those of the beginning and of the end both have 17 dB.
    assert station["offered_bps"] == pytest.approx(3e6 * 401 / 801)


def test_the_command_line_says_what_is_wrong_with_a_recording(cli: Cli, phone: Path) -> None:
    (phone.parent / "downlink.trace").write_text("1\n2\n1.5\n")
    result = cli("check", str(phone))
    assert result.returncode == 2
    assert "phone.toml:10:18: downlink.trace: line 3: `1.5` is not a number of milliseconds" in result.stderr


def test_the_ready_recording_is_what_its_tool_makes() -> None:
    tool = runpy.run_path(str(REPOSITORY / "tools" / "make_recordings.py"))
    assert tool["FILE"].read_text(encoding="ascii") == tool["text"]()


def test_a_call_waits_behind_a_download_that_steers_by_loss() -> None:
    """Question of scenarios/train.toml: the buffer, 100 packets, is 0.2 s at the mean rate; Vegas queues some three."""
    by_loss = ww.load(REPOSITORY / "scenarios" / "train.toml")
    by_delay = replace(by_loss, flow=[replace(by_loss.flow[0], law="vegas")])
    runs = [scenario.simulate() for scenario in (by_loss, by_delay)]
    waits = [float(run.background["mean_delay_s"].iloc[0]) for run in runs]
    assert waits[0] > 2 * waits[1]
    # A datagram that is under way at the end of the warm-up counts at neither end.
    assert runs[1].background["received"].iloc[0] <= runs[1].background["sent"].iloc[0]
    assert runs[1].background["loss"].iloc[0] == 0

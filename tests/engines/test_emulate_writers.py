"""Applications with a pace of their own between real kernels: as root; elsewhere skipped with the reason."""

from dataclasses import replace
from pathlib import Path

import pytest
from emulated import emulated, needs_kernels

import windward as ww


def network(duration: str = "6 s", **flow: object) -> ww.Scenario:
    """A flow over 10 Mbit/s and 40 ms, behind two bandwidth-delay products."""
    return ww.Scenario(
        name="writer",
        duration=duration,
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate="10 Mbit/s", delay="20 ms", buffer="67 packets")],
        flow=[ww.Flow(from_="a", to="b", **flow)],
    )


def ratio(scenario: ww.Scenario) -> float:
    """Goodput between kernels over that of the simulator."""
    real, ours = emulated(scenario, seeds=1), scenario.simulate(seeds=1)
    assert not real.problems
    return float(real.flows.loc[0, "goodput_bps"] / ours.flows.loc[0, "goodput_bps"])


@needs_kernels
@pytest.mark.realtime
@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_a_writer_keeps_its_pace(transport: str) -> None:
    """1 Mbit/s in writes of 2500 B every 20 ms, and three bursts of 1 MB."""
    periodic = network(law="cubic", transport=transport, write={"rate": "1 Mbit/s", "every": "20 ms"})
    bursts = network(law="cubic", transport=transport, write={"chunk": "1 MB", "every": "2 s"})
    for scenario in (periodic, bursts):
        assert ratio(scenario) == pytest.approx(1.0, rel=0.05)
    assert emulated(periodic, seeds=1).flows.loc[0, "goodput_bps"] == pytest.approx(1e6, rel=0.03)


@needs_kernels
@pytest.mark.realtime
def test_a_small_send_buffer_makes_a_bulk_flow_wait() -> None:
    """32 KiB of memory, two thirds of it in use, in a round trip of 40 ms: 4.4 to 6.6 Mbit/s of 10."""
    scenario = network(law="cubic", send_buffer="32 KiB", stack="linux")
    assert ratio(scenario) == pytest.approx(1.0, rel=0.1)


@needs_kernels
@pytest.mark.realtime
def test_the_kernels_bbr_leaves_startup_behind_a_small_send_buffer() -> None:
    """A call that waits for room is one call: what it writes later is not app-limited, so Startup ends."""
    scenario = replace(network(law="bbr", send_buffer="64 KiB"), output=ww.Output(internals=True))
    for run in (emulated(scenario, seeds=1), scenario.simulate(seeds=1)):
        modes = run.internals[(run.internals["name"] == "mode") & (run.internals["time_s"] > 3.0)]["value"]
        assert (modes == 2).mean() > 0.9


@needs_kernels
@pytest.mark.realtime
def test_a_slow_reader_holds_the_sender() -> None:
    """A reader of 2 Mbit/s on a path of 10: its goodput is what it reads, and the window closes."""
    scenario = network(law="cubic", read={"rate": "2 Mbit/s"})
    run = emulated(scenario, seeds=1)
    assert run.flows.loc[0, "goodput_bps"] == pytest.approx(2e6, rel=0.05)
    assert run.flows.loc[0, "segments_lost"] == 0


@needs_kernels
def test_applications_whose_buffers_kernels_lack(tmp_path: Path) -> None:
    for flow, why in (
        ({"receive_buffer": "100 kB"}, "flow `a->b`: Linux's receive buffer has a size in memory, not in payload"),
        (
            {"read": {"rate": "1 Mbit/s"}, "receive_window": "100 packets", "stack": "rfc"},
            "flow `a->b`: the emulator supports `read` only with Linux's receive buffer",
        ),
        ({"send_buffer": "2000 B"}, "flow `a->b`: Linux's send buffers have at least 4608 B, not 2 kB"),
        (
            {"send_buffer": {"max": "1 MiB"}},
            "flow `a->b`: the limit of autotuned send buffers is a setting of the host",
        ),
    ):
        with pytest.raises(ww.EmulationError) as error:
            network(law="cubic", **flow).emulate()
        assert why in str(error.value)
        assert "hint: " in str(error.value)

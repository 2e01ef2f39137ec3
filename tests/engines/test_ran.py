"""LTE and NR cells from Python: TCP end to end, beside the optimum of the same cell."""

from __future__ import annotations

import pytest

import windward as ww


class FirstServable:
    """Serves the first station that has something to send."""

    def choose(self, slot: ww.Slot) -> int | None:
        return next((at for at, station in enumerate(slot.stations) if station.backlog_packets and station.rate), None)


def scenario(snrs: tuple[int, ...], scheduler: object = "proportional-fair", preset: str = "n78-20mhz") -> ww.Scenario:
    """Downloads behind a wire that is no bottleneck, to stations with constant channels."""
    cell = ww.RanCell(
        name="macro",
        access_point="mast",
        technology="lte" if preset.startswith("lte") else "nr",
        preset=preset,
        scheduler=scheduler,  # type: ignore[arg-type]
        buffer="500 kB",
        station=[ww.RanStation(node=f"phone-{at}", snr=f"{snr} dB") for at, snr in enumerate(snrs, 1)],
    )
    return ww.Scenario(
        name="ran",
        duration="12 s",
        warmup="4 s",
        node=[ww.Node(name="server"), ww.Node(name="mast"), ww.Node(name="phone", count=len(snrs))],
        link=[ww.Link(from_="server", to="mast", rate="1 Gbit/s", delay="5 ms", buffer="2000 packets")],
        cell=[cell],
        flow=[
            ww.Flow(name=f"flow-{at}", from_="server", to=f"phone-{at}", law="cubic") for at in range(1, len(snrs) + 1)
        ],
    )


@pytest.mark.parametrize(("preset", "bits", "headers"), [("n78-20mhz", 66.71e6, 9), ("lte-20mhz", 75.38e6, 4)])
def test_one_flow_fills_the_cell(preset: str, bits: float, headers: int) -> None:
    """A TCP flow gets the top MCS's blocks, 1448 bytes of a packet's 1500 and its headers; so says the optimum."""
    model = scenario((40,), preset=preset)
    expected = bits * 1448 / (1500 + headers)
    assert model.simulate().flows["goodput_bps"].iloc[0] == pytest.approx(expected, rel=0.01)
    assert model.optimum("law").flows["goodput_bps"].iloc[0] == pytest.approx(expected, rel=0.01)


def test_equal_airtime() -> None:
    """Proportional fairness gives two backlogged stations half of the resource blocks each."""
    shares = scenario((40, 12)).simulate().ran_links.set_index("link")["prb_share"]
    assert shares["mast->phone-1"] == pytest.approx(0.5, abs=0.04)
    assert shares["mast->phone-2"] == pytest.approx(0.5, abs=0.04)


def test_a_scheduler_in_python() -> None:
    """A rule that prefers the first station starves the second."""
    first, second = scenario((40, 40), FirstServable).simulate().flows["goodput_bps"]
    assert first > 20 * second


def test_fluid_says_why_not() -> None:
    """Proportional fairness has no fluid form."""
    with pytest.raises(ValueError, match="proportional-fair"):
        scenario((40, 12)).fluid()

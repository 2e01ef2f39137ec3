"""LTE and NR cells from Python: TCP end to end, beside the optimum of the same cell."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

import windward as ww

sys.path.insert(0, str(REPOSITORY / "evidence" / "benches" / "cell"))

import l4s
import replay


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
        station=[ww.format.RanStation(node=f"phone-{at}", snr=f"{snr} dB") for at, snr in enumerate(snrs, 1)],
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
    short = dataclasses.replace(scenario((40, 40), FirstServable), duration="4 s", warmup="1 s")
    first, second = short.simulate().flows["goodput_bps"]
    assert first > 20 * second


def test_fluid_says_why_not() -> None:
    """Proportional fairness has no fluid form."""
    with pytest.raises(ValueError, match="proportional-fair"):
        scenario((40, 12)).fluid()


#: Ten phones in a cell of 20 MHz, one of which drives out of it: twelve lines.
TEN = """\
name = "ten"
duration = "40 s"
node = [{ name = "server" }, { name = "mast" }, { name = "phone", count = 9 }, { name = "car" }]
link = [{ from = "server", to = "mast", rate = "1 Gbit/s", delay = "10 ms" }]
flow = [{ from = "server", to = "phone", law = "cubic" }, { from = "server", to = "car", law = "bbr" }]
[[cell]]
name = "town"
access_point = "mast"
technology = "lte"
preset = "lte-20mhz"
station = [{ node = "phone", layout = { kind = "random", width = "300 m", height = "300 m" } }, { node = "car",
    at = ["50 m", "30 m"], motion = { kind = "waypoints", points = [{ time = "40 s", at = ["2 km", "30 m"] }] } }]
"""


def test_ten_phones_and_a_car_in_twelve_lines(tmp_path: Path) -> None:
    """The phones share the cell; the car has its rate while it is near, and none beyond the edge.

    The causes of a delay add up to it, and the queue has the most of it behind CUBIC.
    """
    assert len(TEN.splitlines()) == 12
    file = tmp_path / "ten.toml"
    file.write_text(
        TEN.replace(
            'duration = "40 s"',
            'duration = "40 s"\nwarmup = "2 s"\noutput = { windows = '
            '[{ name = "near", from = "4 s", to = "10 s" }, { name = "far", from = "35 s", to = "40 s" }] }',
        )
    )
    run = ww.load(file).simulate()
    goodputs = run.flows.set_index("flow")["goodput_bps"] / 1e6
    assert 45 < goodputs.sum() < 75.4
    phones = [rate for flow, rate in goodputs.items() if "phone" in str(flow)]
    assert min(phones) > 0.6 * max(phones)
    windows = run.flow_windows.set_index(["flow", "window"])["goodput_bps"]
    car = next(flow for flow in run.flows["flow"] if "car" in flow)
    assert windows[car, "near"] > 1.5e6 > 5 * windows[car, "far"]
    delays = run.ran_delays[run.ran_delays["packets"] > 0].set_index("link")
    causes = ["queue_s", "grants_s", "drx_s", "transmission_s", "harq_s", "rlc_s", "handover_s", "decoding_s"]
    assert delays[causes].sum(axis=1).to_numpy() == pytest.approx(delays["mean_delay_s"].to_numpy(), rel=1e-9)
    down, up = delays.loc["mast->phone-1"], delays.loc["phone-1->mast"]
    assert down["queue_s"] > 0.9 * down["mean_delay_s"]
    assert down["delay_p50_s"] <= down["delay_p95_s"] <= down["delay_p99_s"]
    assert up["grants_s"] == max(up[cause] for cause in causes)
    # One site: nothing to change to, but the link of the car fails at last.
    moves = run.ran_mobility.set_index("link")
    assert moves["handovers"].sum() == 0
    assert moves["failures"].drop("mast->car").sum() == 0


@pytest.mark.parametrize("forwarding", [True, False])
def test_a_drive_past_three_sites(forwarding: bool) -> None:
    """Handovers west, middle, east; with forwarding the cell loses nothing of a slow stream."""
    sites = [
        ww.format.RanSite(name=name, at=[f"{x} m", "0 m"]) for name, x in (("west", 0), ("middle", 500), ("east", 1000))
    ]
    motion = {"kind": "waypoints", "points": [{"time": "50 s", "at": ["1100 m", "20 m"]}]}
    car = ww.format.RanStation(node="car", at=["-100 m", "20 m"], motion=motion)  # type: ignore[arg-type]
    cell = ww.RanCell(
        name="street",
        access_point="core",
        technology="nr",
        preset="n78-40mhz",
        shadowing=False,
        line_of_sight=False,
        site=sites,
        handover=ww.format.Handover(forwarding=forwarding),
        station=[car],
    )
    model = ww.Scenario(
        name="drive",
        duration="50 s",
        node=[ww.Node(name=name) for name in ("server", "core", "car")],
        link=[ww.Link(from_="server", to="core", rate="1 Gbit/s", delay="5 ms")],
        cell=[cell],
        background=[ww.Background(from_="server", to="car", pattern=ww.format.Cbr(rate="12 Mbit/s"))],
        output=ww.Output(air=ww.format.AirSpan(from_="10 s", length="50 ms")),
    )
    run = model.simulate()
    events = run.ran_handovers
    assert list(events["to"]) == ["west", "middle", "east"]
    assert list(events["from"]) == ["west", "west", "middle"]
    # Beyond the middle of two sites, 0 and 500 m, by the distance for 3 dB: 350 m of 24 m/s. The filter of k = 4
    # lags a ramp by T (1 - a)/a = 270 ms: T = 40 ms, a = 1 - (1 - 2^(-4/4))^(40/200) (TS 38.331 §5.5.3.2). Then seven
    # periods for 256 ms, half a period to the next measurement, and 15 ms to prepare.
    weight = 1 - 0.5 ** (40 / 200)
    lag = 0.04 * (1 - weight) / weight + 7 * 0.04 + 0.02 + 0.015
    assert events["time_s"].iloc[1] == pytest.approx((100 + 250 + 22) / 24 + lag, abs=0.2)
    moves = run.ran_mobility.iloc[0]
    assert (moves["handovers"], moves["failures"], moves["interrupted_s"]) == (2, 0, pytest.approx(0.08))
    sent, received = run.background[["sent", "received"]].iloc[0]
    under_way = 20
    if forwarding:
        assert sent - received <= under_way
        assert moves["forwarded"] > 0
    else:
        assert moves["forwarded"] == 0
    blocks = run.ran_blocks
    assert set(blocks["site"]) == {"west"}
    assert set(blocks["link"]) <= {"core->car", "car->core"}
    assert (blocks["first_prb"] + blocks["prbs"]).max() <= 106
    assert blocks["began_s"].between(10, 10.05).all()


def test_places_have_no_optimum() -> None:
    """Channels that follow from places are drawn, so the optimum and the fluid model refuse them."""
    cell = ww.RanCell(
        name="cell",
        access_point="mast",
        technology="lte",
        preset="lte-10mhz",
        station=[ww.format.RanStation(node="phone", at=["50 m", "0 m"])],
    )
    model = ww.Scenario(
        name="placed",
        duration="1 s",
        node=[ww.Node(name=name) for name in ("server", "mast", "phone")],
        link=[ww.Link(from_="server", to="mast", rate="1 Gbit/s", delay="5 ms")],
        cell=[cell],
        flow=[ww.Flow(from_="server", to="phone", law="reno")],
    )
    with pytest.raises(ValueError, match="have places"):
        model.optimum("law")
    with pytest.raises(ValueError, match="have places"):
        model.fluid()


@pytest.mark.parametrize(("preset", "period_ms"), [("n78-40mhz", 10), ("n78-40mhz", 20), ("lte-20mhz", 10)])
def test_a_replay_hides_the_wait_for_grants(preset: str, period_ms: int) -> None:
    """Pings take half a period of requests longer than the least, and HARQ; through a recording only the wait for an
    opportunity: CellReplay's finding."""
    case = replay.Case(preset, period_ms, 20)
    least, live, replayed = replay.compare(case, seconds=20)
    assert live - least == pytest.approx(period_ms / 2 + 0.6, abs=0.8)
    assert 0 < replayed - least < 3.5
    assert 0.05 < 1 - replayed / live < 0.30


def test_predicted_sojourns_keep_the_queue_short() -> None:
    """L4Span's claim, at rest: less delay by 90 % and more, nearly at the rate of the full buffer."""
    tail, marked = (
        l4s.measure(l4s.scenario("prague", queue, None, seconds=12, seeds=1)) for queue in ("drop-tail", "l4span")
    )
    assert marked.delay_ms < 0.1 * tail.delay_ms
    assert marked.goodput_mbps > 0.92 * tail.goodput_mbps
    assert 0 < marked.marked < 0.3
    assert tail.marked == 0


def test_a_call_on_a_bearer_of_its_own(tmp_path: Path) -> None:
    """A call beside a download to the same phone: good on 5QI 1, bad in the default bearer."""
    text = """\
name = "call"
duration = "12 s"
warmup = "2 s"
node = [{ name = "server" }, { name = "mast" }, { name = "phone" }]
link = [{ from = "server", to = "mast", rate = "1 Gbit/s", delay = "10 ms" }]
cell = [{ name = "n78", access_point = "mast", technology = "nr", preset = "n78-20mhz", station = [STATION] }]
flow = [{ from = "server", to = "phone", law = "cubic" }]
app = [{ kind = "call", from = "phone", to = "server", dscp = "EF" }]
"""
    station = '{ node = "phone", snr = "15 dB"BEARER }'
    bearer = ', bearer = [{ qi = 1, dscp = "EF", guaranteed = "200 kbit/s" }]'
    runs = []
    for at, own in enumerate((bearer, "")):
        file = tmp_path / f"{at}.toml"
        file.write_text(text.replace("STATION", station.replace("BEARER", own)))
        runs.append(ww.load(file).simulate())
    own, shared = (run.calls.set_index("source")["mos"] for run in runs)
    assert (own > 4.0).all(), own
    assert shared.min() < 2.5, shared
    bearers = runs[0].ran_bearers.set_index(["link", "qi"])
    assert bearers.loc[("mast->phone", 1), "late"] == 0
    assert bearers.loc[("mast->phone", 1), "delay_p99_s"] < 0.01
    assert bearers.loc[("mast->phone", 9), "late"] > 0.5
    assert runs[1].ran_bearers.empty


def test_groups_of_resource_blocks_fade_apart() -> None:
    """A delay spread: blocks lie on groups that are apart, and slow stations gain by choosing among them."""
    runs = []
    for spread in (None, "1 us"):
        model = scenario((15, 15, 15, 15))
        cell = model.cell[0]
        assert isinstance(cell, ww.RanCell)
        stations = [dataclasses.replace(station, speed="3 km/h") for station in cell.station]
        cell = dataclasses.replace(cell, delay_spread=spread, station=stations)
        output = ww.Output(air=ww.format.AirSpan(from_="6 s", length="20 ms"))
        runs.append(dataclasses.replace(model, cell=[cell], output=output).simulate())
    flat, selective = runs
    assert selective.flows["goodput_bps"].sum() > flat.flows["goodput_bps"].sum()
    for run in runs:
        # No two blocks of a slot share a resource block.
        down = run.ran_blocks[run.ran_blocks["link"].str.startswith("mast->")]
        for _, blocks in down.groupby("began_s"):
            ends = blocks.sort_values("first_prb")
            assert (
                ends["first_prb"].iloc[1:].to_numpy() >= (ends["first_prb"] + ends["prbs"]).iloc[:-1].to_numpy()
            ).all()

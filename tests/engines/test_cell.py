"""Cells from Python: schedulers of one's own, and packets beside the optimum of the same cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

import windward as ww
from windward.show.digest._run import digests

SNRS_DB = (12, 19, 13, 16)


class LongestWeighted:
    """Queue-length MaxWeight, as `queue-length` has it."""

    def choose(self, slot: ww.Slot) -> int | None:
        able = [at for at, station in enumerate(slot.stations) if station.backlog_packets and station.rate]
        return max(able, key=lambda at: slot.stations[at].backlog_bits * slot.stations[at].rate, default=None)


class Wrong:
    """Names a station that is not there."""

    def choose(self, slot: ww.Slot) -> int | None:
        return len(slot.stations)


def cell(scheduler: object = "queueing-delay", backlog: float = 60) -> ww.Scenario:
    """Four downloads behind a wire that is no bottleneck: the air alone limits them."""
    law = ww.QuicTcp(rho=0.5, kappa=0.5, backlog=backlog)
    wire = ww.Link(from_="server", to="bs", rate="100 Mbit/s", delay="20 ms", buffer="1000 packets")
    back = ww.Link(from_="ue", to="bs", rate="100 Mbit/s", delay="1 ms", duplex=False)
    stations = [ww.format.Station(node=f"ue-{at}", snr=f"{snr} dB") for at, snr in enumerate(SNRS_DB, 1)]
    air = ww.Cell(
        name="air",
        access_point="bs",
        slot="1 ms",
        symbol_rate="2 Msymbol/s",
        amc="ctc",
        scheduler=scheduler,  # type: ignore[arg-type]
        station=stations,
    )
    return ww.Scenario(
        name="cell",
        duration="120 s",
        warmup="40 s",
        node=[ww.Node(name="server"), ww.Node(name="bs"), ww.Node(name="ue", count=4)],
        link=[wire, back],
        cell=[air],
        flow=[
            ww.Flow(name=f"flow-{at}", from_="server", to=f"ue-{at}", law=law, segment="460 B", overhead="40 B")
            for at in range(1, 5)
        ],
    )


def test_a_scheduler_in_python_does_what_the_same_rule_in_rust_does() -> None:
    short = {"duration": "10 s", "warmup": "0 s"}
    ours = replace(cell("queue-length"), **short).simulate()
    own = replace(cell(LongestWeighted), **short).simulate()
    assert own.flows["goodput_bps"].tolist() == ours.flows["goodput_bps"].tolist()
    assert own.stations["airtime"].tolist() == ours.stations["airtime"].tolist()


def test_a_wrong_answer_ends_the_run_and_says_what_is_allowed() -> None:
    with pytest.raises(ww.LawError, match=r"Wrong.*4 is no station: 0 to 3, or None"):
        cell(Wrong).simulate()


def test_an_answer_beyond_64_bits_ends_the_run() -> None:
    class Huge(Wrong):
        def choose(self, slot: ww.Slot) -> int:
            return 10**400

    with pytest.raises(ww.LawError, match=r"Huge.*a number beyond 64 bits is no station: 0 to 3, or None"):
        cell(Huge).simulate()


def test_a_class_without_choose_is_no_scheduler() -> None:
    with pytest.raises(ww.LawError, match="has no `choose`"):
        cell(dict).simulate()


def test_the_scheduler_shares_the_air_as_the_optimum_does() -> None:
    """QUIC-TCP over eq. (10) maximises the sum of p ln x over the cell's region (huang2020, Theorem 3).

    A run counts 80 s of slots of 1 ms. Packets also wait for slots, some of the 60 that each flow keeps; what a flow is
    short of by that it is short of in weight, so that rates are within a few per cent; the sum, which the air fixes,
    nearer.
    """
    scenario = cell()
    best = scenario.optimum("law").flows["goodput_bps"].to_numpy()
    got = scenario.simulate().flows["goodput_bps"].to_numpy()
    assert abs(got.sum() / best.sum() - 1) < 0.02
    assert abs(got / best - 1).max() < 0.06
    # Not so under round robin, which wastes what the channels offer.
    turns = cell(ww.format.RoundRobinScheduler(oblivious=True)).simulate().flows["goodput_bps"].to_numpy()
    assert turns.sum() < 0.85 * best.sum()


#: The eight modes of 802.16e: SNR in dB from which on each is used, and bits a symbol.
MODES = ((5, 1), (8, 1.5), (10.5, 2), (14, 3), (16, 3), (18, 4), (20, 4.5), (22, 5))


def corner(amc: str | ww.format.ShannonAmc, at: int) -> float:
    """The goodput of one flow that has the whole cell to itself: a corner of the ergodic region."""
    whole = cell()
    alone = replace(whole, flow=[whole.flow[at]], cell=[replace(whole.cell[0], amc=amc)])
    return float(alone.optimum("law").flows["goodput_bps"].iloc[0])


@pytest.mark.parametrize("at", range(4))
def test_corners_of_the_region_are_integrals_over_the_fading(at: int) -> None:
    """E[R] over an exponential SNR of mean γ̄, by quadrature: the integral of R(γ) exp(-γ/γ̄)/γ̄.

    The modes' states are enumerated: as good as the optimum, which is good to 1e-9. Shannon's rate has no states; it is
    sampled at 4096 points of the four channels together, and an even sequence of so many errs by less than 1 %.
    """
    mean = 10 ** (SNRS_DB[at] / 10)
    symbols = 2e6 * 460 / 500  # of payload

    def density(snr: float) -> float:
        return float(np.exp(-snr / mean) / mean)

    begins = [10 ** (begin / 10) for begin, _ in MODES]
    steps = zip(begins, [*begins[1:], np.inf], MODES, strict=True)
    expected = sum(bits * quad(density, begin, end)[0] for begin, end, (_, bits) in steps)
    assert corner("ctc", at) == pytest.approx(symbols * expected, rel=1e-8)

    gap = 10**0.3
    expected = quad(lambda snr: np.log2(1 + snr / gap) * density(snr), 0, 50 * mean)[0]
    assert corner(ww.format.ShannonAmc(gap="3 dB"), at) == pytest.approx(symbols * expected, rel=0.01)


def test_stations_are_shown(tmp_path: Path) -> None:
    """The terminal's table and the figure hold what the run's table does."""
    run = replace(cell(), duration="5 s", warmup="0 s").simulate(seeds=2)
    (table,) = (table for table in digests(run) if table.title == "Stations")
    assert list(table.columns) == ["station", "airtime", "mean SNR", "rate offered", "rate when served"]
    first = run.stations[run.stations["link"] == "bs->ue-1"]
    name, airtime, snr, offered, served = table.rows[0]
    assert name == "bs->ue-1"
    assert float(airtime.split()[0]) == pytest.approx(100 * first["airtime"].mean(), abs=0.1)
    # 5000 independent draws of 12 dB: the mean power is within 1/sqrt(5000) = 1.4 %, 0.06 dB, of it; three times that.
    assert abs(float(snr.split()[0]) - 12) < 0.2
    assert offered.endswith("Mbit/s")
    # Slots are taken when they are good.
    assert first["served_bps"].mean() > first["offered_bps"].mean()
    assert float(served.split()[0]) > float(offered.split()[0])

    figure = run.plot("stations")
    left, right = figure.axes
    assert [bar.get_width() for bar in left.patches] == pytest.approx(
        list(100 * run.stations.groupby("link", sort=False)["airtime"].mean())
    )
    assert len(right.patches) == 8
    assert "Stations" in run.report(tmp_path / "page.html").read_text()

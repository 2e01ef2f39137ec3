"""Closed forms of 802.11n, ac and ax: published tables and values worked out apart; durations and saturation of every
combination are held in crates/radio/src/wifi/ppdu/tests.rs.
"""

import doctest

import numpy as np
import pytest

from windward.theory import wifi

HT7 = wifi.Mode("802.11n", "20 MHz", mcs=7)


def test_the_examples_say_what_they_print() -> None:
    assert doctest.testmod(wifi).failed == 0


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        (1, [30.45, 31.29, 29.58, 27.52, 25.35, 22.25]),
        (2, [40.70, 40.64, 37.71, 34.86, 31.98, 27.97]),
        (8, [54.81, 52.74, 47.86, 43.90, 40.09, 34.92]),
        (28, [59.75, 56.77, 51.13, 46.79, 42.66, 37.11]),
    ],
)
def test_contention_is_bianchis(frames: int, expected: list[float]) -> None:
    """HT, 20 MHz, MCS 7. The table has the propagation delay, up to 0.2 µs of a slot of 9 or an exchange of 390."""
    found = [wifi.contention(HT7, stations, frames=frames) / 1e6 for stations in (1, 2, 5, 10, 20, 50)]
    assert found == pytest.approx(expected, rel=1e-3)


def test_contention_of_wide_channels_and_with_rts() -> None:
    wide = wifi.Mode("802.11ax", "160 MHz", mcs=11, he_ltf="8 us")
    found = [wifi.contention(wide, n, frames=256, payload=1500, headers=38) / 1e6 for n in (2, 5, 10, 20, 50)]
    assert found == pytest.approx([1030, 930.6, 852.4, 777.7, 676.9], rel=1e-4)
    assert wifi.contention(HT7, 10, rts=True) / 1e6 == pytest.approx(59.00, abs=0.005)
    # One station never collides.
    assert wifi.contention(HT7, 1) == pytest.approx(wifi.saturation(HT7).goodput_bps, rel=1e-9)
    # A loss of MPDUs costs their share as long as the window is far from full.
    short = wifi.contention(HT7, 1, frames=2, loss=0.1)
    assert short == pytest.approx(0.9 * wifi.contention(HT7, 1, frames=2), rel=0.01)


@pytest.mark.parametrize(
    ("stations", "loss", "simulated"),
    [(1, 0.05, 56.60), (1, 0.1, 53.56), (1, 0.3, 41.64), (1, 0.5, 29.47), (5, 0.1, 45.27), (5, 0.3, 34.97)],
)
def test_losses_shorten_aggregates(stations: int, loss: float, simulated: float) -> None:
    """HT, 20 MHz, MCS 7: 28 MPDUs, a window of 64. The simulator, 5 s: A-MPDUs that collide differ in length there."""
    assert wifi.contention(HT7, stations, loss=loss) / 1e6 == pytest.approx(simulated, rel=0.03)


def test_losses_block_a_window_as_long_as_an_aggregate() -> None:
    wide = wifi.Mode("802.11ac", "80 MHz", mcs=9, streams=2, guard="0.4 us")
    assert wifi.contention(wide, 1, loss=0.1) / 1e6 == pytest.approx(522.66, rel=0.01)
    assert wifi.contention(wide, 1, loss=0.3) / 1e6 == pytest.approx(368.68, rel=0.02)


@pytest.mark.parametrize(
    ("category", "alone", "protected", "wide", "two"),
    [("VI", 58.82, 56.81, 722.21, 52.36), ("VO", 56.33, 53.10, 690.06, 44.83)],
)
def test_video_and_voice_send_until_their_txop_ends(
    category: str, alone: float, protected: float, wide: float, two: float
) -> None:
    """The simulator, 5 s: alone at 20 MHz, with RTS, and at 80 MHz with two streams; two stations at 20 MHz."""
    assert wifi.saturation(HT7, category=category).goodput_bps / 1e6 == pytest.approx(alone, rel=1e-3)
    assert wifi.saturation(HT7, category=category, rts=True).goodput_bps / 1e6 == pytest.approx(protected, rel=1e-3)
    mode = wifi.Mode("802.11ac", "80 MHz", mcs=9, streams=2, guard="0.4 us")
    assert wifi.saturation(mode, category=category).goodput_bps / 1e6 == pytest.approx(wide, rel=2e-3)
    assert wifi.contention(HT7, 2, category=category) / 1e6 == pytest.approx(two, rel=0.03)
    with pytest.raises(ValueError, match=f"3 stations of {category}.*allowed: 1 to 2"):
        wifi.contention(HT7, 3, category=category)
    with pytest.raises(ValueError, match="losses within a TXOP are not modelled"):
        wifi.contention(HT7, 1, category=category, loss=0.1)


@pytest.mark.parametrize(("offered", "closed", "ns3"), [(55e6, 8.17, 8.25), (58e6, 15.14, 15.15)])
def test_aggregates_size_themselves(offered: float, closed: float, ns3: float) -> None:
    """The rounding to whole symbols is a mean here: 0.2 %. ns-3.44 simulates."""
    found = wifi.partial_load(HT7, offered)
    size = offered * found.cycle_s / 8 / 1472
    assert size == pytest.approx(closed, rel=2e-3)
    assert size == pytest.approx(ns3, rel=1e-2)
    assert wifi.partial_load(HT7, 1e6).frames == 1
    with pytest.raises(ValueError, match=r"at most 5\.97"):
        wifi.partial_load(HT7, 60e6)


def test_airtime_is_divided_as_published() -> None:
    """Table 1 of Høiland-Jørgensen et al. (ATC 2017): two stations at 144.4 Mbit/s, one at 7.2.

    Mean aggregates are not whole; the paper rounds no symbol: 1 %.
    """
    fast = wifi.Mode("802.11n", "20 MHz", mcs=7, streams=2, guard="0.4 us")
    slow = wifi.Mode("802.11n", "20 MHz", mcs=0, guard="0.4 us")
    modes = [fast, fast, slow]
    overhead = [1e-6 * (34 + 32 + 58 * 8 / rate + 67.5) for rate in (144.4, 144.4, 7.2)]

    def published(frames: list[float], *, fair: bool) -> tuple[wifi.Array, wifi.Array]:
        """As in the paper: the share of the PPDUs times the goodput alone, overhead included."""
        airtime = wifi.airtime_shares(modes, frames, fair=fair, overhead_s=overhead).airtime
        alone = [
            wifi.airtime_shares([mode], [count], fair=fair, overhead_s=[beside]).goodput_bps[0]
            for mode, count, beside in zip(modes, frames, overhead, strict=True)
        ]
        return airtime, airtime * np.array(alone)

    airtime, goodput = published([4.47, 5.08, 1.89], fair=False)
    assert goodput / 1e6 == pytest.approx([9.7, 11.4, 5.1], abs=0.06)
    assert airtime == pytest.approx([0.100, 0.112, 0.788], abs=0.006)
    assert published([18.44, 18.52, 1.89], fair=True)[1] / 1e6 == pytest.approx([42.2, 42.3, 2.2], rel=1e-2)
    weighted = wifi.airtime_shares(modes, [32, 32, 2], fair=True, weights=[2, 1, 1])
    assert np.round(weighted.airtime, 12) == pytest.approx([0.5, 0.25, 0.25])


@pytest.mark.parametrize(
    ("slow", "frames", "fair", "simulated"),
    [
        (0, [1, 1], False, [4.82, 4.82]),
        (0, [1, 1], True, [19.00, 2.24]),
        (0, [28, 2], False, [35.18, 2.51]),
        (0, [28, 2], True, [30.14, 3.00]),
        (5, [2, 2], False, [19.18, 19.18]),
        (5, [2, 2], True, [21.23, 17.41]),
    ],
)
def test_short_aggregates_cost_the_others_their_overhead(
    slow: int, frames: list[float], *, fair: bool, simulated: list[float]
) -> None:
    """An access point, MCS 7 to one station and `slow` to the other: the simulator, 7 s, both saturated.

    A single MPDU has an ACK and no delimiter there: 1.2 %.
    """
    modes = [HT7, wifi.Mode("802.11n", "20 MHz", mcs=slow)]
    found = wifi.airtime_shares(modes, frames, fair=fair).goodput_bps / 1e6
    assert found == pytest.approx(simulated, rel=0.02)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"standard": "802.11be"}, "802.11be is not modelled; 802.11ax is the nearest"),
        ({"standard": "802.11g"}, "allowed: 802.11n, 802.11ac, 802.11ax"),
        ({"mcs": 9}, "highest MCS is 7"),
        ({"mcs": -1}, "mcs is -1"),
        ({"streams": 5}, "1 to 4 spatial streams"),
        ({"width": "80 MHz"}, "at most 40 MHz, not 80 MHz"),
        ({"width": "20"}, "expected a quantity with its unit, as in `20 MHz`"),
        ({"width": "30 MHz"}, "20, 40, 80 or 160 MHz wide, not 30 MHz"),
        ({"guard": "1.6 us"}, "the nearest is 0.8 µs"),
        ({"guard": "1 us"}, "0.4, 0.8, 1.6 or 3.2 µs, not 1 µs"),
        ({"band": "6 GHz"}, "802.11n does not exist at 6 GHz; allowed: 2.4 GHz, 5 GHz"),
        ({"band": "5.8 GHz"}, "unknown band"),
        ({"standard": "802.11ax", "band": "2.4 GHz", "width": "160 MHz"}, "at most 40 MHz, not 160 MHz"),
        ({"standard": "802.11ac", "width": "80 MHz", "streams": 3, "mcs": 6}, "the next lower is 5"),
    ],
)
def test_what_the_standard_lacks_is_refused(wrong: dict[str, object], reason: str) -> None:
    right: dict[str, object] = {"standard": "802.11n", "width": "20 MHz", "mcs": 0}
    with pytest.raises(ValueError, match=reason):
        wifi.Mode(**(right | wrong))  # type: ignore[arg-type]


def test_arguments_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown access category"):
        wifi.saturation(HT7, category="AV")
    with pytest.raises(ValueError, match="stations is 0"):
        wifi.contention(HT7, 0)
    with pytest.raises(ValueError, match="loss is 1"):
        wifi.contention(HT7, 2, loss=1.0)
    with pytest.raises(ValueError, match="one for each station"):
        wifi.airtime_shares([HT7], [3], fair=True, weights=[1, 2])
    with pytest.raises(ValueError, match="2 modes and 1 mean"):
        wifi.airtime_shares([HT7, HT7], [3], fair=True)

"""Laws stepped by hand: the engine's own laws, by numbers worked out from their equations."""

import doctest

import pytest

import windward as ww
from windward.theory import laws


def test_the_example() -> None:
    assert doctest.testmod(laws).failed == 0
    assert doctest.testmod(laws).attempted > 0


def test_reno_grows_and_halves() -> None:
    """20 packets, 12 in flight at the loss: 6; a round trip adds one; a timeout leaves one, and half as ssthresh."""
    window = laws.Window("reno", initial=20)
    window.on_loss(0.0, flight=12)
    assert window.cwnd == 6
    window.on_ack(0.1, rtt_s=0.1, acked=6)
    assert window.cwnd == 7
    window.on_ack(0.2, rtt_s=0.1, acked=7, recovering=True)
    assert window.cwnd == 7
    window.on_timeout(0.3)
    assert (window.cwnd, window.internals()) == (1, {"ssthresh": 3.5})


def test_the_sender_keeps_round_trips() -> None:
    """RFC 6298: the first sample, then 1/8 of each; the least is the base."""
    window = laws.Window(ww.Reno())
    assert (window.srtt_s, window.base_rtt_s, window.pacing_rate) == (None, None, None)
    window.on_ack(0.1, rtt_s=0.2)
    window.on_ack(0.2, rtt_s=0.1)
    assert (window.srtt_s, window.base_rtt_s) == (pytest.approx(0.1875), 0.1)


def test_vegas_acts_once_a_round_trip() -> None:
    """No queue: one packet more for each round trip, however many ACKs it has."""
    window = laws.Window(ww.Vegas(), initial=20)
    window.on_loss(0.0)
    start = window.cwnd
    for trip in range(1, 11):
        for part in range(4):
            window.on_ack(0.1 * trip + 0.025 * part, rtt_s=0.1, acked=start / 4)
    assert 7 < window.cwnd - start <= 10


def test_tcp_fit_raises_n_by_beta_and_cuts_by_it() -> None:
    """Half a second without a queue: N = 1 + β = 4, of which a loss takes 2/13."""
    window = laws.Window(ww.TcpFit(beta=3), initial=80)
    window.on_loss(0.0)
    for now in (0.0, 0.25, 0.5):
        window.on_ack(now, rtt_s=0.1)
    assert window.internals()["n"] == pytest.approx(4)
    before = window.cwnd
    window.on_loss(0.6)
    assert window.cwnd == pytest.approx(before * 11 / 13)


def test_emultcp_by_hand() -> None:
    """1 + ¼ = 1.25; 1.25 + ¼/1.25 = 1.45; then a queue: ¾·1.45 + ¼/1.45 = 1.2599."""
    connections = laws.Connections(ww.format.Emultcp(tau="5 s"))
    seen = []
    for now, rtt in ((0, 0.1), (5, 0.1), (10, 0.1), (15, 0.2)):
        connections.update(now, rtt)
        seen.append(connections.n)
    assert seen == pytest.approx([1, 1.25, 1.45, 0.75 * 1.45 + 0.25 / 1.45])


@pytest.mark.parametrize(("rounding", "opens"), [("floor", 6), ("nearest", 3)])
def test_rounding_decides_when_the_second_connection_opens(rounding: str, opens: int) -> None:
    """n is 1, 1.25, 1.45, 1.62, 1.78, 1.92, 2.05."""
    connections = laws.Connections(ww.format.Emultcp(tau="1 s", rounding=rounding))
    assert next(now for now in range(20) if connections.update(now, 0.1) == 2) == opens


def test_the_fast_law_reads_the_base_round_trip() -> None:
    connections = laws.Connections("emultcp-fast")
    for look in range(30):
        connections.update(look / 10, 0.1, base_rtt_s=0.1)
    assert connections.wanted > 4


def test_what_is_impossible_is_refused() -> None:
    window = laws.Window("reno")
    window.on_ack(1.0, rtt_s=0.1)
    for wrong, message in (
        (lambda: window.on_ack(0.5), "now_s is 0.5; the last was 1"),
        (lambda: window.on_ack(2.0, rtt_s=-1), "rtt_s is -1; it must be above 0"),
        (lambda: window.on_ack(2.0, acked=0), "acked is 0; it must be above 0"),
        (lambda: window.on_loss(2.0, flight=-1), "flight is -1; it must not be negative"),
        (lambda: laws.Window("renno"), "there is no law `renno`; laws: reno, cubic"),
        (lambda: laws.Window(ww.TcpFit(alpha=2)), "tcp-fit.alpha"),
        (lambda: laws.Window("reno", initial=0), "the initial window is 0; it must be above 0"),
        (lambda: laws.Connections(ww.format.Emultcp(beta=2)), "`beta`: 2 is not between"),
        (lambda: laws.Connections("emultcp-slow"), "emultcp-slow"),
        (lambda: laws.Connections(ww.format.Emultcp(rounding="up")), "rounding"),
    ):
        with pytest.raises(ValueError, match=r".") as error:
            wrong()
        assert message in str(error.value)

"""Laws stepped by hand: what a window or a number of connections becomes by ACKs, losses and delays of your choice.

No network is simulated: each call is one event, and the law is the engine's own.

>>> import windward as ww
>>> from windward.theory import laws
>>> window = laws.Window(ww.Reno(), initial=20)
>>> window.on_loss(0.0)
>>> window.on_ack(0.1, rtt_s=0.1, acked=10)
>>> window.cwnd
11.0
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from windward import _engine
from windward._format.convert import to_plain
from windward.theory._arguments import above_zero

if TYPE_CHECKING:
    from windward.format import Connections as ConnectionsLaw, LawSpec

__all__ = ["Connections", "Window", "ratio_under_delay"]


class Window:
    """The window of one sender under a law; the caller is the network.

    A round trip is over when a packet sent since the last one ended is acknowledged. Times are kept to the nanosecond.

    Parameters
    ----------
    law
        Such as `ww.TcpFit(beta=5)`, or its name.
    initial
        The first window, in packets.

    Raises
    ------
    ValueError
        For a law or a parameter that does not exist, and for a clock that goes back; the message says which.

    Examples
    --------
    >>> import windward as ww
    >>> window = ww.laws.Window(ww.Cubic(), initial=20)
    >>> window.on_loss(0.0)
    >>> window.cwnd
    14.0
    """

    def __init__(self, law: LawSpec, initial: float = 10.0) -> None:
        above_zero("initial window", initial)
        plain = {"name": law} if isinstance(law, str) else to_plain(law, repr)
        self._window = _engine.LawWindow(json.dumps(plain), float(initial))

    def on_ack(
        self,
        now_s: float,
        *,
        rtt_s: float | None = None,
        acked: float = 1.0,
        flight: float | None = None,
        recovering: bool = False,
    ) -> None:
        """New data is acknowledged.

        Parameters
        ----------
        now_s
            Seconds on a clock that never goes back.
        rtt_s
            Its round-trip sample in seconds. Default: none.
        acked
            Packets that it is for; a whole window makes a step of one round trip.
        flight
            Packets in flight before it. Default: the window.
        recovering
            The sender is repairing a loss: the law may learn, but not grow.
        """
        self._window.on_ack(now_s, rtt_s, acked, flight, recovering)

    def on_loss(self, now_s: float, *, flight: float | None = None) -> None:
        """A packet is lost, with so many in flight (default: the window)."""
        self._window.on_congestion(now_s, flight, is_timeout=False)

    def on_timeout(self, now_s: float, *, flight: float | None = None) -> None:
        """The retransmission timer expires, with so many packets in flight (default: the window)."""
        self._window.on_congestion(now_s, flight, is_timeout=True)

    @property
    def cwnd(self) -> float:
        """In packets."""
        return self._window.cwnd

    @property
    def pacing_rate(self) -> float | None:
        """In packets a second; None where the law sets none."""
        return self._window.pacing_rate

    @property
    def srtt_s(self) -> float | None:
        """The smoothed round-trip time (RFC 6298) in seconds; None before the first sample."""
        return self._window.srtt_s

    @property
    def base_rtt_s(self) -> float | None:
        """The least sample in seconds; None before the first."""
        return self._window.base_rtt_s

    def internals(self) -> dict[str, float]:
        """Internal state of the law by name, such as `ssthresh`."""
        return self._window.observe()


class Connections:
    """The number of connections of a transfer under E-MULTCP; the caller is the host.

    Parameters
    ----------
    law
        `ww.format.Emultcp(tau="5 s")`, `ww.format.EmultcpFast()`, or its name.

    Raises
    ------
    ValueError
        For a parameter that is impossible, and for a clock that goes back; the message says which.

    Examples
    --------
    >>> import windward as ww
    >>> connections = ww.laws.Connections("emultcp")
    >>> connections.update(0.0, 0.1)
    1
    """

    def __init__(self, law: ConnectionsLaw | str = "emultcp") -> None:
        plain = law if isinstance(law, str) else to_plain(law, repr)
        self._controller = _engine.LawConnections(json.dumps(plain))

    def update(self, now_s: float, rtt_s: float | None = None, *, base_rtt_s: float | None = None) -> int:
        """Takes a measurement; returns the number of connections to have.

        Parameters
        ----------
        now_s
            Seconds on a clock that never goes back.
        rtt_s
            Mean round-trip time since the last call in seconds. Default: nothing arrived.
        base_rtt_s
            The least ever seen, which only `emultcp-fast` reads: the paper's law takes the least of its own means.
        """
        return self._controller.update(now_s, rtt_s, base_rtt_s)

    @property
    def n(self) -> float:
        """The law's n before rounding."""
        return self._controller.n

    @property
    def wanted(self) -> int:
        """Number of connections to have."""
        return self._controller.wanted


def ratio_under_delay(delay_s: float, capacity_pps: float, backlog: float, flows: int = 2) -> float:
    """Ratio of rates between flows that keep `backlog` packets queued, if one of them has more delay that is no queue.

    At rest a flow's rate is x = p/(q + e): p its packets in the queue, q the queueing delay, e the delay that it takes
    for queueing and that is none. Of two flows that differ by Δ in e, with a = Δc/p on a link of capacity c, the ratio
    is (a + √(a² + 4))/2. With n flows, of which one is delayed, it is 1 + a/u for u = ((n − a) + √((n − a)² +
    4(n − 1)a))/2. QUIC-TCP, FAST and Vegas rest so.

    Parameters
    ----------
    delay_s
        Δ in seconds.
    capacity_pps
        Rate of the link in packets per second.
    backlog
        p in packets.
    flows
        Number of flows.

    Raises
    ------
    ValueError
        For a capacity or a backlog that is not above zero, a negative delay, and fewer than two flows.

    Examples
    --------
    >>> import windward as ww
    >>> round(ww.laws.ratio_under_delay(0.02, 1000, 20), 3)  # a = 1: the golden ratio
    1.618
    """
    above_zero("capacity", capacity_pps)
    above_zero("backlog", backlog)
    if not delay_s >= 0 or not math.isfinite(delay_s):
        raise ValueError(f"delay {delay_s}: a number of seconds, 0 or more, is needed")
    if flows < 2:
        raise ValueError(f"{flows} flows: at least two share a link")
    a = delay_s * capacity_pps / backlog
    u = ((flows - a) + math.hypot(flows - a, 2 * math.sqrt((flows - 1) * a))) / 2
    # Where a is large the two terms of u cancel: their product is (n − 1)a.
    if a > flows:
        u = 2 * (flows - 1) * a / (math.hypot(flows - a, 2 * math.sqrt((flows - 1) * a)) - (flows - a))
    return 1 + a / u

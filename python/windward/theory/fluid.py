"""Windows and rates as differential equations, over networks that are no scenarios."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from windward import _engine
from windward._format.convert import to_plain
from windward.theory._arguments import Delay, above_zero, check_period, engine_delay
from windward.theory.num import Array, Network, Numbers, as_json

if TYPE_CHECKING:
    from windward.format import LawSpec

__all__ = [
    "DownloadTrajectory",
    "EmultcpTrajectory",
    "EmultcpUser",
    "Trajectory",
    "follow",
    "follow_download",
    "follow_emultcp",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class Trajectory:
    """Windows through time over a network that is no scenario; one row per sample, one column per flow.

    Examples
    --------
    >>> import windward as ww
    >>> network = ww.num.wired([1000.0], routes=[[0], [0]], utilities=[])["network"]
    >>> laws = [ww.QuicTcp(backlog=20)] * 2
    >>> path = ww.fluid.follow(
    ...     network,
    ...     laws,
    ...     base_rtt_s=[0.1, 0.1],
    ...     windows=[10.0, 100.0],
    ...     duration_s=30.0,
    ...     interval_s=0.1,
    ... )
    >>> path.rates[-1].round().tolist()
    [500.0, 500.0]
    """

    #: Seconds.
    time_s: Array
    #: In packets.
    windows: Array
    #: In packets a second, or whatever unit the capacities have.
    rates: Array
    #: Queueing delays of the paths in seconds.
    delays_s: Array
    #: Evaluations of the right-hand side.
    evaluations: int

    def settled_s(self, rates: Numbers, share: float = 0.01) -> float | None:
        """From when on all rates are within this share of the given ones, in seconds; None if the last are not."""
        far = (np.abs(self.rates / np.asarray(rates) - 1) > share).any(axis=1)
        if far[-1]:
            return None
        return float(self.time_s[np.flatnonzero(far)[-1] + 1]) if far.any() else float(self.time_s[0])


def follow(
    network: Network,
    laws: Sequence[LawSpec],
    *,
    base_rtt_s: Numbers,
    known_base_rtt_s: Numbers | None = None,
    windows: Numbers,
    duration_s: float,
    interval_s: float,
    tolerance: float = 1e-6,
    period_s: float | None = None,
    feedback_delay_s: Delay | None = None,
    clock: Literal["round trip", "common"] = "round trip",
    buffers: Numbers | None = None,
    loss_free: bool = False,
) -> Trajectory:
    """Follows the windows of laws over any network, any capacity region.

    Parameters
    ----------
    network
        As `windward.num` takes it; capacities in packets a second.
    laws
        Law of every flow, such as `ww.QuicTcp(rho=0.5)`.
    base_rtt_s
        Round trip of every flow without queues.
    known_base_rtt_s
        Base RTT of every law; the rest of the round trip counts as queueing. Less than `base_rtt_s`: a hidden delay,
        such as jitter. More: an error of the base. Default: `base_rtt_s`.
    windows
        At the start, in packets.
    duration_s, interval_s
        Duration and sampling interval.
    tolerance
        Error allowed in a step of the integrator.
    period_s
        Update all windows every so often instead, as the papers' own computations do.
    feedback_delay_s
        Every flow sees delay and loss of its path as they were so long ago, or a round trip ago ("rtt"). By steps of a
        64th of the shortest delay; takes no tolerance and no period.
    clock
        FAST and QUIC-TCP state dW/dt per step. In the differential equation a step is a round trip, or the same second
        for all flows, as in the papers' proofs. With a period and "round trip" a step is an update.
    buffers
        Packets that may wait at each link. Default: no limit.
    loss_free
        Leave losses out of the equations of FAST, QUIC-TCP, Vegas and exp-delay, as their papers do.

    Raises
    ------
    ValueError
        If something is wrong; the message says what.
    """
    flows = len(laws)
    known = base_rtt_s if known_base_rtt_s is None else known_base_rtt_s
    for name, numbers in (("base_rtt_s", base_rtt_s), ("known_base_rtt_s", known), ("windows", windows)):
        if len(numbers) != flows or not all(np.isfinite(number) and number > 0 for number in numbers):
            raise ValueError(f"{name}: expected {flows} numbers above 0, one per law")
    for name, value in (("duration_s", duration_s), ("interval_s", interval_s), ("tolerance", tolerance)):
        above_zero(name, value)
    if period_s is not None:
        check_period("period_s", period_s, duration_s)
    limits = np.full(len(network["links"]), np.inf) if buffers is None else np.asarray(buffers, dtype=float)
    if len(limits) != len(network["links"]) or not (limits >= 0).all():
        raise ValueError(f"buffers: expected {len(network['links'])} non-negative numbers, one per link")
    answer = _engine.fluid_follow(
        as_json(network),
        json.dumps([to_plain(law, repr) for law in laws]),
        base_rtt=np.asarray(base_rtt_s, dtype=float),
        known_base_rtt=np.asarray(known, dtype=float),
        windows=np.asarray(windows, dtype=float),
        buffers=limits,
        duration=duration_s,
        interval=interval_s,
        tolerance=tolerance,
        period=period_s,
        feedback_delay=engine_delay(feedback_delay_s, period_s),
        is_common=clock == "common",
        is_loss_free=loss_free,
    )
    return Trajectory(**answer)


@dataclass(frozen=True, kw_only=True, eq=False)
class EmultcpTrajectory:
    """Rates and numbers of connections through time; one row per sample, one column per user.

    Examples
    --------
    >>> import windward as ww
    >>> users = [ww.fluid.EmultcpUser(loss=0.02), ww.fluid.EmultcpUser(loss=0.02, speed=0.0)]
    >>> path = ww.fluid.follow_emultcp(
    ...     [200.0], [[0], [0]], users, rates=[10.0, 10.0], connections=[1.0, 1.0], duration_s=200.0, interval_s=1.0
    ... )
    >>> bool(path.rates[-1, 0] > 2 * path.rates[-1, 1])  # plain TCP has one connection for ever
    True
    """

    #: Seconds.
    time_s: Array
    #: x, in the unit of the capacities.
    rates: Array
    #: n.
    connections: Array
    #: The price Σ g of every user's path.
    prices: Array
    #: Evaluations of the right-hand side.
    evaluations: int


@dataclass(frozen=True, kw_only=True)
class EmultcpUser:
    """A user of E-MULTCP's fluid model; the defaults are those of chen2007's simulations.

    Examples
    --------
    >>> import windward as ww
    >>> users = [ww.fluid.EmultcpUser(loss=0.02), ww.fluid.EmultcpUser(loss=0.02, speed=0.0)]
    """

    #: Round-trip time T in seconds.
    rtt_s: float = 0.168
    #: Loss of the wireless links of the path.
    loss: float = 0.0
    #: Speed c of the number of connections, a second; 0 for plain TCP.
    speed: float = 0.0125
    #: Size S of a packet, in the unit of the capacities times a second.
    segment: float = 1.0


def follow_emultcp(
    capacities: Numbers,
    routes: Sequence[Sequence[int]],
    users: Sequence[EmultcpUser],
    *,
    rates: Numbers,
    connections: Numbers,
    duration_s: float,
    interval_s: float,
    beta: float | None = None,
    tolerance: float = 1e-6,
) -> EmultcpTrajectory:
    """Follows E-MULTCP's fluid model (chen2007, section III) on two time scales.

    Parameters
    ----------
    capacities
        Capacities of the links, in packets per second (or any one unit).
    routes
        For each user the links that it crosses.
    users
        One for each route.
    rates, connections
        At the start, above 0; one for each user.
    duration_s, interval_s
        Duration and sampling interval.
    beta
        β of the smooth form (12)-(14). Default: the discontinuous form (2), (9)-(11).
    tolerance
        Error allowed in a step.

    Raises
    ------
    ValueError
        If something is wrong; the message says what.
    """
    for name, numbers in (("rates", rates), ("connections", connections)):
        if len(numbers) != len(users) or not all(np.isfinite(number) and number > 0 for number in numbers):
            raise ValueError(f"{name}: expected {len(users)} numbers above 0, one per user")
    for name, value in (("duration_s", duration_s), ("interval_s", interval_s), ("tolerance", tolerance)):
        above_zero(name, value)
    answer = _engine.fluid_emultcp(
        np.asarray(capacities, dtype=float),
        routes,
        users=[(user.segment, user.rtt_s, user.loss, user.speed) for user in users],
        rates=np.asarray(rates, dtype=float),
        connections=np.asarray(connections, dtype=float),
        beta=beta,
        duration=duration_s,
        interval=interval_s,
        tolerance=tolerance,
    )
    return EmultcpTrajectory(**answer)


@dataclass(frozen=True, kw_only=True, eq=False)
class DownloadTrajectory:
    """A download through time, one entry at each of the controller's looks, ten a second.

    Examples
    --------
    >>> import windward as ww
    >>> path = ww.fluid.follow_download(capacity=1000.0, rtt_s=0.1, loss=0.01, buffer=100.0, duration_s=20.0)
    >>> bool(path.connections[-1] > 1)
    True
    """

    #: Seconds.
    time_s: Array
    #: n.
    connections: Array
    #: W, the sum of the receive windows in packets; infinite where nothing is bounded.
    windows: Array
    #: Throughput in packets per second.
    rates: Array
    #: Queueing delay in seconds.
    queues_s: Array


def follow_download(
    *, capacity: float, rtt_s: float, loss: float, buffer: float, duration_s: float, bound: bool = True
) -> DownloadTrajectory:
    """Follows a download of `emultcp-fast`: the controller itself in front of windows that are means.

    The path is one link; the server has Reno's window, which random loss alone halves.

    Parameters
    ----------
    capacity
        Capacity of the link, in packets of 1500 bytes per second.
    rtt_s
        Base round trip.
    loss
        Loss probability of the link.
    buffer
        Buffer of the link, in packets.
    duration_s
        Duration in seconds.
    bound
        Bounds the sum of the receive windows once several connections make a queue.

    Raises
    ------
    ValueError
        If something is wrong; the message says what.
    """
    above_zero("duration_s", duration_s)
    answer = _engine.fluid_download(
        capacity=capacity, rtt=rtt_s, loss=loss, buffer=buffer, duration=duration_s, bound=bound
    )
    return DownloadTrajectory(**answer)

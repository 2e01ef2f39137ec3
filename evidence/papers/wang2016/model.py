"""The models of wang2016 sections 3 to 5, written from its equations; rates in packets a second, times in seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import windward as ww
from windward.format import LawSpec
from windward.theory.num import Array

#: A packet on the wire: 1448 bytes and 52 of headers.
PACKET_BITS = 12_000


def decrease(n: float) -> float:
    """Share of the window that a loss takes, (3)."""
    return 2 / (3 * n + 1)


def sawtooth(growth: float, share: float, loss: float, rtt: float = 1.0) -> float:
    """(20): rate of an increase by `growth` a round trip and a decrease by `share`, one loss in 1/`loss` packets."""
    return float(np.sqrt(growth * (2 - share) / (2 * loss * share)) / rtt)


def drawn(growth: float, share: float, loss: float, losses: int, seed: int | None) -> float:
    """Packets a round trip of the same, counted over losses at geometric distances (a seed) or all equal (None)."""
    distances = np.full(losses, 1 / loss) if seed is None else np.random.default_rng(seed).geometric(loss, losses)
    window, rounds, packets = sawtooth(growth, share, loss), 0.0, 0.0
    for distance in distances:
        # The window grows by g packets per window: after so many packets w² has grown by 2·g·distance.
        top = np.sqrt(window**2 + 2 * growth * distance)
        rounds += (top - window) / growth
        packets += distance
        window = (1 - share) * top
    return packets / rounds


@dataclass(frozen=True, kw_only=True, eq=False)
class Sessions:
    """Sessions over links (section 5.1); TCP-FIT where alpha is above 0, else Reno."""

    #: Links by sessions.
    routes: Array
    #: B, packets a second.
    bandwidth: Array
    #: D of each session.
    delay: Array
    #: P of each session.
    loss: Array
    #: Of each session.
    alpha: Array
    #: p = v(q) of a link.
    drop: Callable[[Array], Array]

    def rates(self, queues: Array) -> Array:
        """(30) and (24) at the queueing delays of the links."""
        q, p = self.routes.T @ queues, self.routes.T @ self.drop(queues)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(self.alpha > 0, self.alpha / q, 0)
        return np.maximum(1 / (self.delay + q), share) * np.sqrt(3 / (2 * (self.loss + p)))

    def equilibrium(self) -> Array:
        """Queueing delays with (29): links that are not full have none."""
        queues = np.full(len(self.bandwidth), 0.01)
        for step in np.concatenate([np.full(4000, 0.1), np.full(4000, 0.02)]):
            queues = np.maximum(queues * (self.routes @ self.rates(queues) / self.bandwidth) ** step, 1e-15)
        return np.where(queues > 1e-12, queues, 0)


def random_sessions(seed: int) -> Sessions:
    """Two to six TCP-FIT sessions over one to three links."""
    rng = np.random.default_rng(seed)
    links, sessions = rng.integers(1, 4), rng.integers(2, 7)
    routes = rng.random((links, sessions)) < 0.6
    routes[rng.integers(0, links, sessions), np.arange(sessions)] = True
    slope = rng.uniform(0.001, 0.1)
    return Sessions(
        routes=routes.astype(float),
        bandwidth=rng.uniform(500, 5000, links),
        delay=rng.uniform(0.01, 0.2, sessions),
        loss=10 ** rng.uniform(-4, -2, sessions),
        alpha=rng.uniform(0.02, 0.1, sessions),
        drop=lambda q: slope * q,
    )


def shared(
    laws: list[LawSpec],
    rtt_ms: float,
    loss: float,
    *,
    mbps: float = 20,
    buffer: float = 1.0,
    duration_s: float = 300,
) -> ww.Run:
    """Packets of these laws over one link with a buffer of so many bandwidth-delay products."""
    return ww.Scenario(
        name="shared",
        duration=f"{duration_s} s",
        stack="rfc",
        warmup=f"{duration_s / 4} s",
        output=ww.Output(internals=True),
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[
            ww.Link(
                from_="a",
                to="b",
                rate=f"{mbps} Mbit/s",
                delay=f"{rtt_ms / 2} ms",
                loss=loss,
                buffer=f"{max(20, round(buffer * mbps * 1e3 * rtt_ms / 12000))} packets",
            )
        ],
        flow=[
            ww.Flow(name=f"flow-{at}", from_="a", to="b", law=law, start_spread="0 s") for at, law in enumerate(laws, 1)
        ],
    ).simulate(seeds=3)


def lossy(mbps: float, loss: float = 1e-3) -> ww.Scenario:
    """One TCP-FIT flow over 100 ms with so much loss."""
    return ww.Scenario(
        name="lossy",
        duration="200 s",
        stack="rfc",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate=f"{mbps} Mbit/s", delay="50 ms", buffer="unlimited", loss=loss)],
        flow=[ww.Flow(from_="a", to="b", law="tcp-fit")],
    )

"""Laws with a fault each, which an attack must find: Reno, or a window for a backlog, with one thing wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import windward as ww


class Aimd:
    """Slow start, a packet per round trip, half at a loss."""

    def __init__(self, cwnd: float) -> None:
        self.cwnd = cwnd
        self.ssthresh = math.inf

    def on_ack(self, ack: ww.Ack) -> None:
        if not ack.recovering:
            self.cwnd += ack.acked if self.cwnd < self.ssthresh else self.gain(ack)

    def gain(self, ack: ww.Ack) -> float:
        return ack.acked / self.cwnd

    def on_congestion(self, event: ww.Congestion) -> None:
        self.before = (self.cwnd, self.ssthresh)
        self.ssthresh = max(2.0, event.flight / 2)
        self.cwnd = 1.0 if event.kind == "timeout" else self.ssthresh

    def on_undo(self) -> None:
        self.cwnd, self.ssthresh = self.before


class WrongSign(Aimd):
    """Above 2⁹ packets the window shrinks."""

    def on_ack(self, ack: ww.Ack) -> None:
        super().on_ack(ack)
        if self.cwnd > 512:
            self.cwnd = max(2.0, self.cwnd - 3 * ack.acked)
            self.ssthresh = 2.0


class Overflow(Aimd):
    """The window is kept in eight bits."""

    def on_ack(self, ack: ww.Ack) -> None:
        super().on_ack(ack)
        if self.cwnd >= 256:
            self.cwnd = self.cwnd % 256 + 1
            self.ssthresh = 2.0


class Stuck(Aimd):
    """After two timeouts in a row it never leaves recovery."""

    def __init__(self, cwnd: float) -> None:
        super().__init__(cwnd)
        self.timeouts = 0

    def on_ack(self, ack: ww.Ack) -> None:
        if self.timeouts < 2:
            super().on_ack(ack)

    def on_congestion(self, event: ww.Congestion) -> None:
        super().on_congestion(event)
        self.timeouts += event.kind == "timeout"


class OldBase:
    """Five packets queued by a base that never expires, and never more than twice what fits into it."""

    def __init__(self, cwnd: float) -> None:
        self.cwnd = cwnd
        self.base = math.inf

    def on_ack(self, ack: ww.Ack) -> None:
        if ack.rtt is None:
            return
        self.base = min(self.base, ack.rtt)
        self.cwnd = max(2.0, self.cwnd + (5.0 - self.cwnd * (1 - self.base / ack.rtt)) / max(self.cwnd, 1.0))

    def on_congestion(self, event: ww.Congestion) -> None:
        self.cwnd = max(2.0, self.cwnd / 2)


class Twitchy(Aimd):
    """Takes a round trip of more than twice the last one for a loss."""

    last = math.inf

    def on_ack(self, ack: ww.Ack) -> None:
        super().on_ack(ack)
        if ack.rtt is not None:
            if ack.rtt > 2 * self.last:
                self.cwnd = self.ssthresh = max(2.0, self.cwnd / 2)
            self.last = ack.rtt


class Deaf(Aimd):
    """Hears only one loss in three seconds."""

    heard = -math.inf

    def on_congestion(self, event: ww.Congestion) -> None:
        if event.now - self.heard > 3:
            super().on_congestion(event)
            self.heard = event.now
        else:
            self.cwnd += 20


class Capped(Aimd):
    """After a silence of half a second the window has at most four packets for ever."""

    last = math.inf
    most = math.inf

    def on_ack(self, ack: ww.Ack) -> None:
        super().on_ack(ack)
        if ack.now - self.last > 0.5:
            self.most = 4.0
        self.last = ack.now
        self.cwnd = min(self.cwnd, self.most)


class Distant(Aimd):
    """Grows by the square of the inverse round trip: near flows take all."""

    def gain(self, ack: ww.Ack) -> float:
        return min(1.0, ack.acked / self.cwnd * (0.03 / max(ack.srtt, 0.001)) ** 3)


class Cut(Aimd):
    """Divides the window by the losses of an event, not by two."""

    def on_congestion(self, event: ww.Congestion) -> None:
        super().on_congestion(event)
        if event.kind == "loss" and event.lost >= 1:
            self.cwnd = self.ssthresh = max(1.0, event.flight / 10)


class Eager(Aimd):
    """Goes on in slow start after a timeout until the next loss, twice as fast."""

    def on_ack(self, ack: ww.Ack) -> None:
        if not ack.recovering and self.ssthresh == -1:
            self.cwnd += 4 * ack.acked
        else:
            super().on_ack(ack)

    def on_congestion(self, event: ww.Congestion) -> None:
        super().on_congestion(event)
        if event.kind == "timeout":
            self.ssthresh = -1


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A fault, the question that shows it, and bounds within which it shows."""

    law: Callable[..., Any]
    until: str
    within: tuple[str, ...]
    #: Changes of the network.
    link: Mapping[str, Any] = field(default_factory=dict)
    duration: str = "20 s"
    flows: int = 1
    trials: int = 60


PLANTED = [
    Planted(
        law=WrongSign,
        until="idles:60%",
        within=("link.core.delay=+0..1500 ms",),
        link={"buffer": "2000 packets"},
        duration="40 s",
    ),
    Planted(
        law=Overflow,
        until="idles:55%",
        within=("link.core.delay=pattern +0..200 ms",),
        link={"buffer": "150 packets"},
    ),
    Planted(law=Stuck, until="stalls:30%", within=("link.core.up=pattern 0.1..3 s",), duration="30 s"),
    Planted(law=OldBase, until="slows:30%", within=("link.core.delay=pattern +0..200 ms",)),
    Planted(law=Twitchy, until="slows:40%", within=("link.core.delay=pattern +0..60 ms",)),
    Planted(
        law=Deaf, until="loses:20%", within=("link.core.rate=pattern 1..10 Mbit/s",), link={"buffer": "400 packets"}
    ),
    Planted(law=Capped, until="stalls:40%", within=("link.core.up=pattern 0.1..2 s",), duration="30 s"),
    Planted(law=Distant, until="starves:4", within=("link.accA.delay=2..100 ms",), flows=2, duration="40 s"),
    Planted(law=Cut, until="slows:60%", within=("link.core.loss=pattern 0..1 %",)),
    Planted(law=Eager, until="loses:3%", within=("link.core.up=pattern 0.1..3 s",)),
]


def network(planted: Planted) -> ww.Scenario:
    """Flows of the law over one link of 10 Mbit/s and 20 ms."""
    names = ["A", "B"][: planted.flows]
    link = {"rate": "10 Mbit/s", "delay": "18 ms", "buffer": "60 packets", "loss": 0.0, **planted.link}
    return ww.Scenario(
        name="planted",
        duration=planted.duration,
        warmup="1 s",
        node=[*(ww.Node(name=name.lower()) for name in names), ww.Node(name="m"), ww.Node(name="z")],
        link=[
            *(ww.Link(name=f"acc{name}", from_=name.lower(), to="m", rate="1 Gbit/s", delay="2 ms") for name in names),
            ww.Link(name="core", from_="m", to="z", **link),
        ],
        flow=[ww.Flow(name=name, from_=name.lower(), to="z", law=planted.law) for name in names],
    )

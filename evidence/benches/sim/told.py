"""A sender and a path so simple that a law is all there is: for laws beside one another, told the same."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace
from typing import Any, Protocol

from windward.theory import laws

#: 10 Mbit/s in packets of 1500 bytes a second, and the round trip of an empty queue.
RATE, BASE_RTT_S = 10e6 / 8 / 1500, 0.1


class Law(Protocol):
    """Methods of a law that the sender calls."""

    @property
    def cwnd(self) -> float: ...
    def on_ack(self, now_s: float, *, rtt_s: float) -> None: ...
    def on_loss(self, now_s: float) -> None: ...


class Imitation:
    """A law written in Python for the simulator, told by hand."""

    def __init__(self, law: Any, initial: float) -> None:
        self.law = law(initial)

    @property
    def cwnd(self) -> float:
        return float(self.law.cwnd)

    def on_ack(self, now_s: float, *, rtt_s: float) -> None:
        # The packet was sent a round trip ago.
        self.law.on_ack(
            SimpleNamespace(
                now=now_s, acked=1, rtt=rtt_s, srtt=rtt_s, sent_at=now_s - rtt_s, app_limited=False, recovering=False
            )
        )

    def on_loss(self, now_s: float) -> None:
        self.law.on_congestion(SimpleNamespace(now=now_s, kind="loss"))


def losses(share: float, seed: int = 1) -> set[int]:
    """Which of the first million packets are lost."""
    draw = random.Random(seed)
    return {packet for packet in range(1_000_000) if draw.random() < share}


def ride(law: Law, lost: set[int], packets: int) -> list[list[float]]:
    """Runs a law over `packets` packets sent under its own window: [now_s, rtt_s] per ACK, [now_s] per loss.

    ACKs of a window are spread over a round trip, which lasts as long as the link needs to send the window. A lost
    packet cuts the window at once; its repair costs nothing.
    """
    now_s, events = 0.0, []
    for packet in range(packets):
        rtt_s = max(BASE_RTT_S, law.cwnd / RATE)
        now_s = round(now_s + rtt_s / law.cwnd, 9)
        if packet in lost:
            law.on_loss(now_s)
            events.append([now_s])
        else:
            law.on_ack(now_s, rtt_s=rtt_s)
            events.append([now_s, rtt_s])
    return events


def replay(law: Law, events: list[list[float]]) -> list[float]:
    """The windows of a law that is told `events`."""
    windows = []
    for now_s, *rtt_s in events:
        if rtt_s:
            law.on_ack(now_s, rtt_s=rtt_s[0])
        else:
            law.on_loss(now_s)
        windows.append(law.cwnd)
    return windows


def window(law: Any, initial: float) -> laws.Window:
    return laws.Window(law, initial)


def told(law: str, attributes: dict[str, str], initial: float, events: list[list[float]]) -> dict[str, Any]:
    """A case for `peer_laws.py`."""
    return json.loads(json.dumps({"law": law, "attributes": attributes, "initial": initial, "events": events}))

"""The engine's own laws stepped by hand: no network, only ACKs, losses and round trips that the checks choose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import windward as ww
from windward.format import LawSpec
from windward.theory.laws import Window

#: The round trip of Table 6, and the period R of the rule (8), seconds.
RTT, PERIOD = 0.1, 0.5
#: A period so long that N is moved once, when a check wants it, and never again.
ONCE = 1e6


@dataclass
class Sender:
    """A window and its clock."""

    window: Window
    now_s: float = 0.0

    @classmethod
    def avoiding(cls, law: LawSpec, cwnd: float) -> Sender:
        """In congestion avoidance, its window between a half and all of `cwnd`, as its law's decrease has it."""
        sender = cls(Window(law, initial=cwnd))
        sender.window.on_loss(0.0)
        return sender

    @classmethod
    def fit(cls, n: float, cwnd: float = 40.0) -> Sender:
        """TCP-FIT with N held: its rule (8) raises N from 1 to `n` after the first period, and the next never ends."""
        sender = cls.avoiding(ww.TcpFit(beta=max(n - 1, 1e-6), period=ONCE), cwnd)
        if n > 1:
            sender.ack()
            sender.now_s = ONCE
            sender.ack()
        return sender

    @property
    def cwnd(self) -> float:
        """In packets."""
        return self.window.cwnd

    def shown(self, name: str) -> float:
        """Something that the law shows of itself."""
        return self.window.internals()[name]

    def ack(self, rtt_s: float = RTT, acked: float = 1.0) -> None:
        """So many packets acknowledged now."""
        self.window.on_ack(self.now_s, rtt_s=rtt_s, acked=acked)

    def round_trip(self, rtt_s: float = RTT) -> None:
        """A whole window is acknowledged after a round trip."""
        self.now_s += rtt_s
        self.ack(rtt_s, self.cwnd)

    def rate(self, distances: Iterable[float], *, steps: int = 40) -> list[float]:
        """Packets a round trip between losses so many packets apart, of each cycle, by `steps` ACKs a cycle."""
        rates = []
        for distance in distances:
            left, rounds = distance, 0.0
            while left > 0:
                acked = min(distance / steps, left)
                rounds += acked / self.cwnd
                self.now_s += RTT * acked / self.cwnd
                self.ack(acked=acked)
                left -= acked
            self.window.on_loss(self.now_s)
            rates.append(distance / rounds)
        return rates


def mean_rate(sender: Sender, distances: Sequence[float], skip: int, steps: int = 40) -> float:
    """Packets a round trip over all cycles but the first `skip`."""
    rates = sender.rate(distances, steps=steps)[skip:]
    packets = distances[skip:]
    return sum(packets) / sum(p / r for p, r in zip(packets, rates, strict=True))

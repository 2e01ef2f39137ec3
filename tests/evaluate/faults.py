"""Laws with one planted fault each, which their own section of an evaluation must find, and no other."""

from __future__ import annotations

import windward as ww


class Sound:
    """Reno without a fault."""

    def __init__(self, cwnd: float) -> None:
        self.cwnd = cwnd
        self.ssthresh = float("inf")

    def on_ack(self, ack: ww.Ack) -> None:
        if ack.recovering:
            return
        self.cwnd += ack.acked if self.cwnd < self.ssthresh else ack.acked / self.cwnd

    def on_congestion(self, event: ww.Congestion) -> None:
        self.ssthresh = max(2.0, event.flight / 2)
        self.cwnd = 1.0 if event.kind == "timeout" else self.ssthresh


class NoBackoff(Sound):
    """§5.1.1: keeps its window after a timeout."""

    def on_congestion(self, event: ww.Congestion) -> None:
        if event.kind != "timeout":
            super().on_congestion(event)


class DeafToLoss(Sound):
    """§5.1.3: ignores losses below a window of 18 packets, which many flows then have."""

    def on_congestion(self, event: ww.Congestion) -> None:
        super().on_congestion(event)
        if event.kind != "timeout":
            self.ssthresh = self.cwnd = max(18.0, self.cwnd)


class DeafToMarks(Sound):
    """§7.1: ignores marks."""

    def on_congestion(self, event: ww.Congestion) -> None:
        if event.kind != "mark":
            super().on_congestion(event)


class FirstComer(Sound):
    """§5.1.4: leaves most of the link to those that began before it."""

    began: float | None = None

    @property
    def is_late(self) -> bool:
        """True if the flow began when others had."""
        return self.began is not None and 4.5 < self.began < 5.5

    def on_ack(self, ack: ww.Ack) -> None:
        self.began = ack.now if self.began is None else self.began
        before = self.cwnd
        super().on_ack(ack)
        if self.is_late and self.cwnd >= self.ssthresh:
            self.cwnd = before + (self.cwnd - before) / 10

    def on_congestion(self, event: ww.Congestion) -> None:
        super().on_congestion(event)
        if self.is_late:
            self.ssthresh = self.cwnd = max(2.0, self.cwnd / 4)


class Hasty(Sound):
    """§5.1.5: starts by five times the window in a round trip."""

    def on_ack(self, ack: ww.Ack) -> None:
        if self.cwnd < self.ssthresh and not ack.recovering:
            self.cwnd += 4 * ack.acked
        else:
            super().on_ack(ack)


class StaleRoundTrip(Sound):
    """§7.3: shrinks once every round trip of 2 s was more than 2.9 times the least of the whole connection."""

    near = 0.0

    def on_ack(self, ack: ww.Ack) -> None:
        if ack.rtt is not None and ack.rtt < 2.9 * ack.base_rtt:
            self.near = ack.now
        if ack.now - self.near > 2 and self.cwnd >= self.ssthresh:
            self.ssthresh = self.cwnd = max(2.0, self.cwnd - 0.05 * ack.acked)
        else:
            super().on_ack(ack)

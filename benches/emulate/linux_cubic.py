"""Linux's CUBIC in the simulator: the whole numbers of net/ipv4/tcp_cubic.c, without HyStart.

To see whether they explain where the kernel's goodput differs from that of Windward's law, which follows RFC 9438 in
real numbers. What differs: the window and its target are whole packets, cut and not rounded; the Reno-friendly window
grows by 0.53 packets a round trip throughout (RFC 8312), where RFC 9438 lets it grow by one once it has passed its old
maximum.
"""

from __future__ import annotations

import windward as ww

#: C in packets/s³, and β in 1/1024.
C, BETA = 0.4, 717


class LinuxCubic:
    """The law."""

    def __init__(self, cwnd: float) -> None:
        self.cwnd = int(cwnd)
        self.ssthresh = 1 << 30
        self.count = 0
        self.last_max = 0
        self.epoch: float | None = None
        self.k = 0.0
        self.origin = self.friendly = self.acks = 0

    def on_ack(self, ack: ww.Ack) -> float:
        if not (ack.recovering or ack.app_limited):
            self.grow(ack, round(ack.acked))
        return float(self.cwnd)

    def grow(self, ack: ww.Ack, acked: int) -> None:
        if self.cwnd < self.ssthresh:
            self.cwnd += acked
            return
        every = self.segments_per_packet(ack, acked)
        if self.count >= every:
            self.count = 0
            self.cwnd += 1
        self.count += acked
        self.cwnd += self.count // every
        self.count %= every

    def segments_per_packet(self, ack: ww.Ack, acked: int) -> int:
        """Segments to be acknowledged before the window grows by one."""
        self.acks += acked
        if self.epoch is None:
            self.epoch, self.acks, self.friendly = ack.now, acked, self.cwnd
            self.origin = max(self.last_max, self.cwnd)
            self.k = ((self.origin - self.cwnd) / C) ** (1 / 3)
        offset = ack.now + ack.base_rtt - self.epoch - self.k
        step = int(C * abs(offset) ** 3)
        target = self.origin - step if offset < 0 else self.origin + step
        every = self.cwnd // (target - self.cwnd) if target > self.cwnd else 100 * self.cwnd
        if self.last_max == 0:
            every = min(every, 20)
        per_friendly = self.cwnd * 15 >> 3
        while self.acks > per_friendly:
            self.acks -= per_friendly
            self.friendly += 1
        if self.friendly > self.cwnd:
            every = min(every, self.cwnd // (self.friendly - self.cwnd))
        return max(every, 2)

    def on_congestion(self, event: ww.Congestion) -> float:
        self.epoch = None
        self.last_max = self.cwnd * (1024 + BETA) // 2048 if self.cwnd < self.last_max else self.cwnd
        self.ssthresh = max(self.cwnd * BETA // 1024, 2)
        self.cwnd = 1 if event.kind == "timeout" else self.ssthresh
        return float(self.cwnd)

"""ns-3's laws as they behave, to see whether their bookkeeping explains where its goodput differs from Windward's.

* At the end of a fast recovery `TcpSocketBase::ProcessAck` hands the law all segments from the first lost one on,
  although SACK had reported them during recovery: a law that counts segments grows by all of them at once.
* `TcpSocketBase::EnterRecovery` gives the law what is in flight after the third duplicate, two packets or more below
  the window; of the three only TcpNewReno halves that instead of cwnd.
"""

from __future__ import annotations

import math

import windward as ww

#: CUBIC's C in packets/s³ and β (RFC 8312).
C, BETA = 0.4, 0.7


class LinuxReno:
    """TcpLinuxReno: whole packets, the count of acknowledged segments kept over a loss, half of cwnd at a loss."""

    def __init__(self, cwnd: float) -> None:
        self.cwnd = cwnd
        self.ssthresh = math.inf
        self.count = 0.0
        self.held = 0.0

    def on_ack(self, ack: ww.Ack) -> None:
        if ack.app_limited:
            return
        if ack.recovering:
            self.held += ack.acked
            return
        segments = ack.acked + self.held
        self.held = 0.0
        self.grow(ack, segments)

    def grow(self, ack: ww.Ack, segments: float) -> None:
        """Takes segments outside of a recovery; those that slow start does not use are for congestion avoidance."""
        started = min(segments, max(self.ssthresh - self.cwnd, 0.0))
        self.cwnd += started
        if segments > started:
            self.avoid_congestion(ack, segments - started)

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        window = math.floor(self.cwnd)
        if self.count >= window:
            self.count = 0
            self.cwnd += 1
        self.count += segments
        self.cwnd += self.count // window
        self.count %= window

    def on_congestion(self, event: ww.Congestion) -> None:
        self.ssthresh = max(self.reduced(), 2.0)
        self.cwnd = 1.0 if event.kind == "timeout" else self.ssthresh

    def reduced(self) -> float:
        return self.cwnd / 2


class NewReno(LinuxReno):
    """TcpNewReno: 1/cwnd for every ACK, however many segments it covers."""

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        self.cwnd += 1 / self.cwnd

    def reduced(self) -> float:
        return (math.floor(self.cwnd) - 2) / 2


class Cubic(LinuxReno):
    """TcpCubic: RFC 8312 in Linux's counters, without HyStart."""

    def __init__(self, cwnd: float) -> None:
        super().__init__(cwnd)
        self.last_max = 0.0
        self.epoch = math.nan
        self.k = self.origin = self.reno = self.acks = 0.0

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        self.count += segments
        every = self.segments_per_packet(ack, segments)
        if self.count >= every:
            self.cwnd += 1
            self.count -= every

    def segments_per_packet(self, ack: ww.Ack, segments: float) -> float:
        """Segments to be acknowledged before the window grows by one."""
        self.acks += segments
        if math.isnan(self.epoch):
            self.epoch, self.acks, self.reno = ack.now, segments, self.cwnd
            self.origin = max(self.last_max, self.cwnd)
            self.k = math.cbrt((self.origin - self.cwnd) / C)
        target = self.origin + C * (ack.now + ack.base_rtt - self.epoch - self.k) ** 3
        every = self.cwnd / (target - self.cwnd) if target > self.cwnd else 100 * self.cwnd
        if self.last_max == 0:
            every = min(every, 20)
        per_reno = self.cwnd * (1 + BETA) / (3 * (1 - BETA))
        while self.acks > per_reno:
            self.acks -= per_reno
            self.reno += 1
        if self.reno > self.cwnd:
            every = min(every, self.cwnd / (self.reno - self.cwnd))
        return max(every, 2)

    def reduced(self) -> float:
        self.last_max = self.cwnd * (1 + BETA) / 2 if self.cwnd < self.last_max else self.cwnd
        self.epoch = math.nan
        return self.cwnd * BETA

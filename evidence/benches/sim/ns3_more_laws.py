"""More of ns-3's laws as they behave; `ns3_laws.py` has the first three, and what ns-3's socket does around a loss.

What the socket tells a law, in `TcpSocketBase`:

* growth: the segments that an ACK covers, and at the end of a fast recovery all from the last hole on;
* a loss: what is in flight after the third duplicate, two packets fewer than the window;
* a fast recovery by half more than the law said: `TcpPrrRecovery::DoRecovery` adds a segment for each duplicate to what
  SACK has counted already, until that is what was in flight; only the end of the recovery takes it back. Its product
  of bytes has 32 bits: where that is too few, from some 40 packets on, nothing is left of it;
* delays: never a sample, always the smoothed round-trip time, of which `minRtt` is the least.
"""

from __future__ import annotations

import math
from typing import ClassVar

import ns3_laws

import windward as ww

#: Bytes of a segment.
SEGMENT = 1448


class PerAck(ns3_laws.LinuxReno):
    """Base of laws derived from TcpNewReno: a packet per ACK in slow start, then 1/cwnd per ACK, in whole bytes."""

    #: What a fast recovery sends, over what the law wants to be left.
    INFLATION: ClassVar[float] = 1.5
    #: Packets of the window that are not in flight after the third duplicate.
    MISSING: ClassVar[float] = 2

    def __init__(self, cwnd: float) -> None:
        super().__init__(cwnd)
        self.is_inflated = False

    def grow(self, ack: ww.Ack, segments: float) -> None:
        if self.is_inflated:
            self.cwnd, self.is_inflated = self.ssthresh, False
        if self.cwnd < self.ssthresh:
            self.cwnd += self.opening()
            segments -= 1
            if self.cwnd < self.ssthresh:
                return
        if segments > 0:
            self.avoid_congestion(ack, segments)

    def opening(self) -> float:
        """Packets that an ACK adds in slow start."""
        return 1.0

    def on_congestion(self, event: ww.Congestion) -> None:
        flight = self.flight
        super().on_congestion(event)
        product = self.INFLATION * flight * self.ssthresh * SEGMENT**2
        self.is_inflated = event.kind == "loss" and product < 2**32
        if self.is_inflated:
            self.cwnd = self.INFLATION * self.ssthresh

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        self.cwnd += math.floor(SEGMENT / self.cwnd) / SEGMENT

    @property
    def flight(self) -> float:
        """Packets in flight after the third duplicate ACK, rounded down."""
        return max(math.floor(self.cwnd) - self.MISSING, 0)

    def reduced(self) -> float:
        return self.flight / 2


class Veno(PerAck):
    """TcpVeno: never more than one delay between two looks at them, so its growth is always Reno's."""

    BETA: ClassVar[float] = 3

    def __init__(self, cwnd: float) -> None:
        super().__init__(cwnd)
        self.base = math.inf
        self.waiting = 0.0

    def on_ack(self, ack: ww.Ack) -> None:
        if ack.srtt is not None:
            self.base = min(self.base, ack.srtt)
            if not ack.recovering:
                window = math.floor(self.cwnd)
                self.waiting = window - math.floor(window * self.base / ack.srtt)
        super().on_ack(ack)

    def reduced(self) -> float:
        return self.flight * (0.8 if self.waiting < self.BETA else 0.5)


class Hybla(PerAck):
    """TcpHybla: ρ is computed when the smoothed round-trip time is the least ever, and that was the SYN's."""

    RHO: ClassVar[float] = 1.0

    def opening(self) -> float:
        return 2**self.RHO - 1

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        self.count += segments * self.RHO**2 / math.floor(self.cwnd)
        grown = math.floor(self.count)
        self.count -= grown
        self.cwnd += grown


class Htcp(PerAck):
    """TcpHtcp: α in bytes per ACK; β without a bound, of the delays since the last loss; quotients of integers."""

    def __init__(self, cwnd: float) -> None:
        super().__init__(cwnd)
        self.alpha = self.beta = self.sent = self.last_throughput = self.throughput = self.lost_at = self.now = 0.0
        self.least, self.greatest = math.inf, 0.0

    def on_ack(self, ack: ww.Ack) -> None:
        self.now = ack.now
        # The ACK that ends a recovery still belongs to it.
        if not ack.recovering and not self.held:
            self.sent += ack.acked * SEGMENT
        self.throughput = self.sent / max(ack.now - self.lost_at, 1e-9)
        self.update_alpha()
        if ack.srtt is not None:
            self.least, self.greatest = min(self.least, ack.srtt), max(self.greatest, ack.srtt)
        super().on_ack(ack)

    def update_alpha(self) -> None:
        past = max(self.now - self.lost_at - 1, 0.0)
        self.alpha = max(2 * (1 - self.beta) * (1 + 10 * past + past * past / 4), 1.0)

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        self.cwnd += math.floor(SEGMENT / self.cwnd + self.alpha) / SEGMENT

    def on_congestion(self, event: ww.Congestion) -> None:
        self.lost_at = self.now = event.now
        super().on_congestion(event)

    def reduced(self) -> float:
        self.beta = 0.5
        faster = self.throughput - self.last_throughput
        if faster > 0 and self.last_throughput > 0 and faster // self.last_throughput <= 0.2:
            self.beta = self.least / self.greatest
        self.update_alpha()
        left = self.flight * self.beta
        self.least, self.greatest = math.inf, 0.0
        self.last_throughput, self.throughput, self.sent = self.throughput, 0.0, 0.0
        return left


class HighSpeed(PerAck):
    """TcpHighSpeed: whole packets; b with two digits, of what is in flight after the third duplicate."""

    #: Rows of RFC 3649's table, up to 1793 packets: window, b. a is the row's number, from 1 on.
    ROWS: ClassVar[list[tuple[int, float]]] = [
        (38, 0.50), (118, 0.44), (221, 0.41), (347, 0.38), (495, 0.37), (663, 0.35), (851, 0.34), (1058, 0.33),
        (1284, 0.32), (1529, 0.31), (1793, 0.30),
    ]  # fmt: skip

    def row(self, window: float) -> int:
        return next(at for at, (upper, _) in enumerate(self.ROWS) if window <= upper)

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        self.cwnd = math.floor(self.cwnd)
        self.count += segments * (self.row(self.cwnd) + 1)
        while self.count >= self.cwnd:
            self.count -= self.cwnd
            self.cwnd += 1

    def reduced(self) -> float:
        return math.floor(self.flight * (1 - self.ROWS[self.row(self.flight)][1]))


class Scalable(PerAck):
    """TcpScalable: whole packets, one for 50 segments, or for a window where that is less."""

    FACTOR: ClassVar[int] = 50

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        window = min(math.floor(self.cwnd), self.FACTOR)
        self.cwnd = math.floor(self.cwnd)
        if self.count >= window:
            self.count = 0
            self.cwnd += 1
        self.count += segments
        if self.count >= window:
            self.cwnd += self.count // window
            self.count = 0

    def reduced(self) -> float:
        return math.floor(self.flight * 0.875)


class Bic(PerAck):
    """TcpBic: about W_max four fifths of a packet per round trip; a loss takes its share of cwnd."""

    #: Round trips to pass W_max; Linux has 20.
    SMOOTH: ClassVar[int] = 5
    FAST_CONVERGENCE: ClassVar[bool] = True

    def __init__(self, cwnd: float) -> None:
        super().__init__(cwnd)
        self.w_max = 0

    def avoid_congestion(self, ack: ww.Ack, segments: float) -> None:
        self.count += segments
        if self.count > self.segments_per_packet(math.floor(self.cwnd)):
            self.cwnd += 1
            self.count = 0

    def segments_per_packet(self, window: int) -> float:
        if window < 14:
            return window
        if window < self.w_max:
            step = (self.w_max - window) // 4
            every = window // 16 if step > 16 else window * self.SMOOTH // 4 if step <= 1 else window // step
        elif window < self.w_max + 4:
            every = window * self.SMOOTH // 4
        elif window < self.w_max + 48:
            every = window * 3 // (window - self.w_max)
        else:
            every = window // 16
        if self.w_max == 0:
            every = min(every, 20)
        return max(every, 1)

    def reduced(self) -> float:
        window = math.floor(self.cwnd)
        self.w_max = math.floor(0.8 * window) if window < self.w_max and self.FAST_CONVERGENCE else window
        return self.flight / 2 if window < 14 else window * 0.8


class Westwood(PerAck):
    """TcpWestwoodPlus: counts what is repaired twice, and raises the window on a loss where the estimate says so."""

    def __init__(self, cwnd: float) -> None:
        super().__init__(cwnd)
        self.ends = self.span = math.nan
        self.segments = self.bandwidth = self.sample = 0.0
        self.base = math.inf

    def on_ack(self, ack: ww.Ack) -> None:
        if ack.srtt is not None:
            self.base = min(self.base, ack.srtt)
            if ack.now >= self.ends:
                sample = self.segments / self.span
                self.bandwidth = 0.9 * self.bandwidth + 0.05 * (sample + self.sample)
                self.sample, self.segments, self.ends = sample, 0.0, math.nan
            # While it repairs a loss each duplicate is one, and at the end all are counted again.
            self.segments += 1 if ack.recovering else ack.acked + self.held
            if math.isnan(self.ends):
                self.ends, self.span = ack.now + ack.srtt, ack.srtt
        super().on_ack(ack)

    def reduced(self) -> float:
        return self.bandwidth * self.base


class Vegas(PerAck):
    """TcpVegas: a loss takes one packet, or goes back to ssthresh; after each a new cycle begins."""

    ALPHA: ClassVar[float] = 2
    BETA: ClassVar[float] = 4
    GAMMA: ClassVar[float] = 1

    def __init__(self, cwnd: float) -> None:
        super().__init__(cwnd)
        self.base = self.least = math.inf
        self.samples = 0
        self.began = 0.0
        self.was_recovering = False

    def on_ack(self, ack: ww.Ack) -> None:
        if ack.srtt is not None:
            self.base, self.least = min(self.base, ack.srtt), min(self.least, ack.srtt)
            self.samples += 1
        if ack.recovering:
            self.was_recovering = True
            return
        if self.is_inflated:
            self.cwnd, self.is_inflated = self.ssthresh, False
        if self.was_recovering:
            self.was_recovering = False
            self.restart(ack)
            if self.cwnd < self.ssthresh:
                self.cwnd += 1
            return
        if ack.sent_at < self.began:
            if self.cwnd < self.ssthresh:
                self.cwnd += 1
            return
        self.decide()
        self.restart(ack)

    def restart(self, ack: ww.Ack) -> None:
        self.began, self.samples, self.least = ack.now, 0, math.inf

    def decide(self) -> None:
        if self.samples <= 2:
            self.cwnd += 1 if self.cwnd < self.ssthresh else 1 / self.cwnd
            return
        window = math.floor(self.cwnd)
        target = math.floor(window * self.base / self.least)
        waiting = window - target
        if self.cwnd < self.ssthresh:
            if waiting > self.GAMMA:
                self.cwnd = min(window, target + 1)
                self.ssthresh = self.after_loss()
            else:
                self.cwnd += 1
        elif waiting > self.BETA:
            self.cwnd = window - 1
            self.ssthresh = self.after_loss()
        elif waiting < self.ALPHA:
            self.cwnd = window + 1
        self.ssthresh = max(self.ssthresh, 0.75 * self.cwnd)

    def after_loss(self) -> float:
        return max(min(self.ssthresh, self.cwnd - 1), 2.0)

    def reduced(self) -> float:
        return self.after_loss()

"""ns-3's laws alone: told one by one what they read, they answer with their windows.

    python peer_laws.py < told.json

Reads a list of {"law": …, "attributes": {name: value}, "initial": packets, "events": […]}, an event being
[now_s, rtt_s] for the ACK of a segment or [now_s] for a loss; for each writes {"cwnd": […]}, packets after each event.
No socket and no network: the law's own object, for which the round-trip time is the latest one and the smoothed one.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from ns import ns

sys.path.insert(0, str(Path(__file__).parents[2]))

from benches.ns3_tcp import LAWS

SEGMENT = 1448


class Told:
    """A law of ns-3, and what its socket would keep for it."""

    def __init__(self, law: str, attributes: dict[str, str], initial: float) -> None:
        self.law = ns.CreateObject[getattr(ns, LAWS[law])]()
        for name, value in attributes.items():
            self.law.SetAttribute(name, ns.StringValue(value))
        self.held = ns.CreateObject[ns.TcpSocketState]()
        self.state = ns.PeekPointer(self.held)
        self.state.m_segmentSize = SEGMENT
        self.state.m_cWnd.Set(round(initial * SEGMENT))
        self.state.m_ssThresh.Set(2**31)
        self.acked = 0

    @property
    def cwnd(self) -> float:
        return float(self.state.m_cWnd.Get()) / SEGMENT

    def ack(self, rtt_s: float) -> None:
        rtt = ns.Seconds(rtt_s)
        self.state.m_lastRtt.Set(rtt)
        self.state.m_srtt.Set(rtt)
        if rtt < self.state.m_minRtt:
            self.state.m_minRtt = rtt
        self.acked += 1
        self.state.m_lastAckedSeq = ns.SequenceNumber32(self.acked)
        self.state.m_nextTxSequence.Set(ns.SequenceNumber32(self.acked + math.floor(self.cwnd)))
        self.law.PktsAcked(self.held, 1, rtt)
        self.law.IncreaseWindow(self.held, 1)

    def loss(self) -> None:
        """The window goes where the law says, and the repair takes no time."""
        self.law.CongestionStateSet(self.held, ns.TcpSocketState.CA_RECOVERY)
        self.state.m_ssThresh.Set(self.law.GetSsThresh(self.held, self.state.m_cWnd.Get()))
        self.state.m_cWnd.Set(self.state.m_ssThresh.Get())
        self.law.CongestionStateSet(self.held, ns.TcpSocketState.CA_OPEN)


def windows(told: Told, events: list[list[float]]) -> list[float]:
    began = ns.Simulator.Now()
    answers = []
    for now_s, *rtt_s in events:
        ns.Simulator.Stop(began + ns.Seconds(now_s) - ns.Simulator.Now())
        ns.Simulator.Run()
        told.ack(rtt_s[0]) if rtt_s else told.loss()
        answers.append(told.cwnd)
    return answers


if __name__ == "__main__":
    cases: list[dict[str, Any]] = json.load(sys.stdin)
    # All to the end: TcpWestwoodPlus leaves events behind that read it.
    laws = [Told(case["law"], case["attributes"], case["initial"]) for case in cases]
    for law, case in zip(laws, cases, strict=True):
        print(json.dumps({"cwnd": windows(law, case["events"])}), flush=True)

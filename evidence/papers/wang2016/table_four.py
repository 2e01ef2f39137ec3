"""Table 4 of wang2016, and the packets that its rows are laid beside.

Rates in packets a second, times in seconds; D is the round trip of an empty queue, q the queueing delay, P + p the
share of packets lost. Compound's Λ and Westwood's η are the corrected ones (claim 10).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import windward as ww
from windward.format import LawSpec

from .model import PACKET_BITS

#: α of TCP-FIT, and the packets that the engine's Vegas (in the middle of its band) and FAST keep queued.
ALPHA, KEPT = 0.1, {"Vegas": 3.0, "FAST": 10.0}
#: Compound's α', β', k.
COMPOUND = (0.125, 0.5, 0.75)


def compound_factor() -> float:
    """Λ."""
    a, b, k = COMPOUND
    core = ((1 - (1 - b) ** (2 - k)) / (2 - k)) ** ((1 - k) / (2 - k)) / (1 - (1 - b) ** (1 - k))
    return float((1 - k) * a ** (1 / (2 - k)) * core)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of Table 4; the law is the engine's, with the row's own constants."""

    name: str
    law: LawSpec
    #: T(D, q, P + p).
    rate: Callable[[float, float, float], float]
    is_bounded: bool = True

    def bound(self, d: float, p: float) -> float:
        """The greatest rate over a path that loses P = `p`: that without congestion."""
        return self.rate(d, 0.0, p) if self.is_bounded else float("inf")

    def fairness(self, near: float, far: float, q: float, p: float) -> float:
        """η = T_i/T_j of the flows with round trips D_i = `near` and D_j = `far`."""
        return self.rate(near, q, p) / self.rate(far, q, p)


def reno(d: float, q: float, p: float) -> float:
    return float(np.sqrt(1.5 / p) / (d + q))


def connections(d: float, q: float, alpha: float = ALPHA) -> float:
    """E[N], (25)."""
    return max(1.0, alpha * (d + q) / q) if q > 0 else float("inf")


ROWS = [
    Row(
        name="TCP-FIT",
        law=ww.TcpFit(alpha=ALPHA),
        rate=lambda d, q, p: connections(d, q) * reno(d, q, p),
        is_bounded=False,
    ),
    Row(name="Reno", law=ww.Reno(), rate=reno),
    # 1.17 is that of a decrease by 0.2, Linux 2.6.22's.
    Row(name="CUBIC", law=ww.Cubic(version="linux-2.6.22"), rate=lambda d, q, p: 1.17 * ((d + q) * p**3) ** -0.25),
    Row(name="Compound", law=ww.Compound(), rate=lambda d, q, p: compound_factor() / ((d + q) * p**0.8)),
    # γ' = 4/5, of random losses.
    Row(name="Veno", law=ww.Veno(), rate=lambda d, q, p: float(np.sqrt(1.8 / (0.4 * p)) / (d + q))),
    Row(
        name="Westwood",
        law=ww.Westwood(),
        rate=lambda d, q, p: float(np.sqrt((1 - p) / p / ((d + q) * (p * d + q)))),
    ),
    Row(name="Vegas", law=ww.Vegas(), rate=lambda d, q, p: KEPT["Vegas"] / q, is_bounded=False),
    Row(name="FAST", law=ww.Fast(alpha=KEPT["FAST"]), rate=lambda d, q, p: KEPT["FAST"] / q, is_bounded=False),
]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Results of the packet simulator, means over seeds: of each flow, and of the link that all share."""

    rates: list[float]
    #: Standard errors of the rates.
    errors: list[float]
    #: Round trips without a queue.
    delays: list[float]
    #: Mean queueing delay.
    queue: float
    #: Losses at random and in the queue, over packets.
    loss: float
    #: Mean N of each TCP-FIT flow.
    n: list[float]


def measure(
    laws: list[LawSpec],
    delays_s: list[float],
    loss: float,
    rate: float,
    *,
    buffer: float = 1.0,
    duration_s: float = 400,
    seeds: int = 3,
) -> Measured:
    """Flows of these laws and delays over one link of `rate` packets a second.

    Its buffer has so many bandwidth-delay products of the longest round trip, at least 20 packets. Losses are random
    and in the direction of data alone; each segment has its ACK.
    """
    share = min(delays_s) / 4
    run = ww.Scenario(
        name="table-four",
        duration=f"{duration_s} s",
        stack="rfc",
        warmup=f"{duration_s / 5} s",
        output=ww.Output(internals=True, sample_interval="500 ms"),
        node=[ww.Node(name="x"), ww.Node(name="y"), *(ww.Node(name=f"s{at}") for at in range(len(laws)))],
        link=[
            ww.Link(
                from_="x",
                to="y",
                rate=f"{round(rate * PACKET_BITS)} bit/s",
                delay=f"{share} s",
                buffer=f"{max(20, round(buffer * rate * max(delays_s)))} packets",
                loss=loss,
                reverse=ww.format.Reverse(loss=0.0),
            ),
            *(
                ww.Link(
                    from_=f"s{at}",
                    to="x",
                    rate=f"{round(20 * rate * PACKET_BITS)} bit/s",
                    delay=f"{delay / 2 - share} s",
                    buffer="unlimited",
                )
                for at, delay in enumerate(delays_s)
            ),
        ],
        flow=[
            ww.Flow(name=f"f{at}", from_=f"s{at}", to="y", law=law, delayed_ack=False) for at, law in enumerate(laws)
        ],
    ).simulate(seeds=seeds)
    flows = run.flows.groupby("flow", sort=False)
    link = run.links[(run.links["from"] == "x") & (run.links["to"] == "y")]
    n: list[float] = []
    if any(isinstance(law, ww.TcpFit) for law in laws):
        late = run.internals[(run.internals["name"] == "n") & (run.internals["time_s"] > duration_s / 5)]
        n = [float(value) for value in late.groupby("flow", sort=False)["value"].mean()]
    return Measured(
        rates=[float(value) for value in flows["goodput_pps"].mean()],
        errors=[float(value) for value in flows["goodput_pps"].std(ddof=1) / np.sqrt(seeds)],
        delays=[float(value) for value in flows["min_rtt_s"].min()],
        queue=float(link["mean_queue_delay_s"].mean()),
        loss=float((link["lost"] + link["dropped"]).sum() / (link["packets"] + link["dropped"]).sum()),
        n=n,
    )

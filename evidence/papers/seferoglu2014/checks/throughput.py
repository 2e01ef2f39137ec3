"""Claims 12 and 15: what the rate control reaches, and what TCP's throughput depends on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import windward as ww
from windward.papers import Finding, claim

from ..slotted import PACKET, SLOT_S, network

#: Two receivers of one station, ON in 90 % and in 30 % of the slots.
OFF = {("A", "B"): 0.1, ("A", "C"): 0.7}
FLOWS = [("A", "B"), ("A", "C")]
MS = (0.3, 1, 10, 100)
#: R_max: packets that may come to the station in a slot.
MOST = 2


def controlled(m: float, k: int, slots: int) -> list[float]:
    """Rates of the second half of so many slots under (3) and (5) with log utility, at most two packets a slot in."""
    pattern = ww.format.Backlog(m=m, slot=f"{SLOT_S} s", limit=f"{MOST * PACKET / SLOT_S:.0f} bit/s")
    run = network(
        "star",
        f"{k} packets",
        off=OFF,
        duration=f"{slots * SLOT_S} s",
        warmup=f"{slots * SLOT_S / 2} s",
        background=[ww.Background(from_=a, to=b, pattern=pattern) for a, b in FLOWS],
    ).simulate(seeds=1)
    return [rate * SLOT_S / PACKET for rate in run.background["received_bps"]]


@claim(12)
def utility_is_optimal_for_large_m() -> Finding:
    best = network("star", 0, off=OFF, flows=FLOWS).optimum("proportional", routing="free")
    optimum = float(np.log(best.flows["rate_bps"] * SLOT_S / PACKET).sum())
    k, gaps, bounds = 5, [], []
    for m in MS:
        gaps.append(optimum - float(np.log(controlled(m, k, 200_000)).sum()))
        # B of the proof: one packet leaves, at most R_max come in a slot; |L| = |S| = 2, F_max = 1.
        bounds.append((1 + MOST**2 + 2 * 2 * 2 * k) / (2 * m))
    # Both rates are counted to 1/√n of 100 000 slots: a per cent of the utility.
    return Finding(
        ours=f"below the optimum {optimum:.3f} by {', '.join(f'{gap:.3f}' for gap in gaps)} at M = "
        f"{', '.join(map(str, MS))}; bounds {', '.join(f'{bound:.2f}' for bound in bounds)}",
        holds=all(-0.02 < gap < bound + 0.02 for gap, bound in zip(gaps, bounds, strict=True))
        and gaps[0] > 0.02 > gaps[-1],
    )


def wire(delay_s: float, loss: float, **fields: Any) -> ww.Scenario:
    """A flow of SACK over a wire that is never full."""
    flow = ww.Flow(
        name="flow", from_="a", to="b", law=ww.Reno(byte_counting=False), delayed_ack=False, segment="960 B", **fields
    )
    return ww.Scenario(
        name="wire",
        duration="600 s",
        stack="rfc",
        warmup="20 s",
        node=[ww.Node(name="a"), ww.Node(name="m"), ww.Node(name="b")],
        link=[
            ww.Link(from_="a", to="m", rate="100 Mbit/s", delay="1 ms", loss=loss, reverse=ww.format.Reverse(loss=0)),
            ww.Link(from_="m", to="b", rate="100 Mbit/s", delay=f"{delay_s / 2 - 1e-3} s"),
        ],
        flow=[flow],
    )


@claim(15)
def throughput_falls_with_edge_loss_and_round_trip() -> Finding:
    qs, ts = (0.002, 0.005, 0.01, 0.02), (0.05, 0.1, 0.2, 0.4)
    rate = np.array([[float(wire(t, q).simulate(seeds=1).flows["goodput_pps"].iloc[0]) for t in ts] for q in qs])
    # log x = c + a log q + b log T.
    grid = np.array([[1, np.log(q), np.log(t)] for q in qs for t in ts])
    (_, of_q, of_t), *_ = np.linalg.lstsq(grid, np.log(rate).ravel(), rcond=None)
    is_falling = bool((np.diff(rate, axis=0) < 0).all() and (np.diff(rate, axis=1) < 0).all())
    # What the network loses behind the edge is masked: a coded flow of a constant window keeps its rate.
    window = {"receive_window": "20 packets", "coding": "random"}
    kept = [float(inside(loss, **window).simulate(seeds=1).flows["goodput_pps"].iloc[0]) for loss in (0.0, 0.02)]
    plain = float(inside(0.02, receive_window="20 packets").simulate(seeds=1).flows["goodput_pps"].iloc[0])
    return Finding(
        ours=f"x ∝ q^{of_q:.2f} T^{of_t:.2f} over {len(qs)} losses and {len(ts)} round trips, printed q^-0.5 T^-1.5; "
        f"with 2 % lost behind the edge a coded flow keeps {kept[1] / kept[0]:.0%} of its rate, a plain one "
        f"{plain / kept[0]:.0%}",
        # As printed the exponent of T is −1.5, corrected −1; that of q is −1/2 in both.
        holds=is_falling
        and abs(of_t + 1) < 0.1 < abs(of_t + 1.5)
        and abs(of_q + 0.5) < 0.1
        and kept[1] > 0.9 * kept[0] > plain,
    )


def inside(loss: float, **fields: Any) -> ww.Scenario:
    """Wire with its losses behind the edge."""
    base = wire(0.1, 0.0, **fields)
    first, second = base.link
    return replace(base, link=[first, replace(second, loss=loss, reverse=ww.format.Reverse(loss=0))])

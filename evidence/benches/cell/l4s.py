"""Measures marks for L4S flows at the queue before RLC, and prints the table of docs/reference/models/ran.md.

python evidence/benches/cell/l4s.py
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import windward as ww

QUEUES = ("drop-tail", "codel", "dualpi2", "l4span")
#: Laws, and the ECN of their flows.
LAWS = {"prague": "scalable", "cubic": "classic"}
#: Speeds of the four stations.
SPEEDS = (None, "3 km/h")


@dataclass(frozen=True)
class Figures:
    """Sums and means over the downlinks of a cell."""

    goodput_mbps: float
    delay_ms: float
    p95_ms: float
    marked: float


def scenario(law: str, queue: str, speed: str | None, *, seconds: int = 40, seeds: int = 5) -> ww.Scenario:
    """Downloads to four stations behind a wire that is no bottleneck."""
    discipline = ww.format.Codel(ecn=True) if queue == "codel" else queue
    cell = ww.RanCell(
        name="cell",
        access_point="mast",
        technology="nr",
        preset="n78-20mhz",
        queue=discipline,  # type: ignore[arg-type]
        station=[ww.format.RanStation(node="phone", snr="15 dB", speed=speed)],
    )
    return ww.Scenario(
        name="l4s",
        duration=f"{seconds} s",
        warmup=f"{seconds // 4} s",
        seeds=seeds,
        node=[ww.Node(name="server"), ww.Node(name="mast"), ww.Node(name="phone", count=4)],
        link=[ww.Link(from_="server", to="mast", rate="1 Gbit/s", delay="10 ms", buffer="20000 packets")],
        cell=[cell],
        flow=[ww.Flow(name="download", from_="server", to="phone", law=law, ecn=LAWS[law])],  # type: ignore[arg-type]
    )


def measure(model: ww.Scenario) -> Figures:
    """Runs a cell. Delays are those of the queue before RLC, weighted by packets."""
    run = model.simulate()
    links = run.links[run.links["link"].str.startswith("mast->")]
    flows, seeds = run.flows, run.flows["seed"].nunique()
    sent = links["packets"].to_numpy()
    of = lambda column: float(np.average(links[column], weights=sent))  # noqa: E731
    return Figures(
        goodput_mbps=float(flows["goodput_bps"].sum()) / seeds / 1e6,
        delay_ms=of("mean_queue_delay_s") * 1e3,
        p95_ms=of("queue_delay_p95_s") * 1e3,
        marked=float(links["marked"].sum() / sent.sum()),
    )


def main() -> None:
    print("| speed | law | queue | goodput, Mbit/s | mean wait, ms | 95th percentile, ms | marked |")
    print("|---|---|---|---|---|---|---|")
    for speed in SPEEDS:
        for law in LAWS:
            for queue in QUEUES:
                seen = measure(scenario(law, queue, speed))
                row = f"{seen.goodput_mbps:.1f} | {seen.delay_ms:.1f} | {seen.p95_ms:.1f} | {seen.marked:.1%}"
                print(f"| {speed or 'at rest'} | {law} | `{queue}` | {row} |")
                sys.stdout.flush()


if __name__ == "__main__":
    main()

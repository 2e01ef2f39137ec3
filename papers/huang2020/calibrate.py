"""Searches the guesses of access-point.toml: what brings the paper's totals and fairness.

    python papers/huang2020/calibrate.py [SEEDS]

For each variant: QUIC-TCP under the schedulers of Fig. 6 and the other laws under (10), as total in packets a second by
goodput and by cwnd/avgRTT, and Jain's index of the goodputs. The last line sums the relative errors of the totals (the
better of both readings) and the differences of the indices from the paper's.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import windward as ww

QUIC = ww.QuicTcp(mode="ns2", rho=0.5, kappa=1.5, backlog=200)
FAST = ww.Fast(mode="ns2", gamma=1.5, alpha=200)

#: Law and scheduler, with the paper's total in packets a second and Jain's index (section V-B, summed from its rates).
CASES: dict[str, tuple[Any, Any, float, float]] = {
    "QUIC (10)": (QUIC, "queueing-delay", 3124.68, 1.000),
    "QUIC RR": (QUIC, ww.RoundRobinScheduler(oblivious=True), 2856.75, 0.938),
    "QUIC max-SNR": (QUIC, "max-snr", 3313.89, 0.749),
    "QUIC length": (QUIC, "queue-length", 3215.84, 0.745),
    "FAST": (FAST, "queueing-delay", 3124.64, 1.000),
    "CUBIC": (ww.Cubic(), "queueing-delay", 2973.56, 0.821),
    "Compound": (ww.Compound(), "queueing-delay", 2945.03, 0.711),
    "Vegas": (ww.Vegas(alpha=200, beta=203), "queueing-delay", 2830.32, 0.722),
    "Reno": (ww.Reno(byte_counting=False), "queueing-delay", 2686.54, 0.552),
}

#: What a variant changes: fields of the cell, factor on all delays of wires, fields of the flows.
VARIANTS: dict[str, tuple[dict[str, Any], float, dict[str, Any]]] = {
    "as guessed": ({}, 1.0, {}),
    "delays x 1.4": ({}, 1.4, {}),
    "delays x 2": ({}, 2.0, {}),
    "slots handed on": ({"service": "fluid"}, 1.0, {}),
    "2.4 Msymbol/s": ({"symbol_rate": "2.4 Msymbol/s"}, 1.0, {}),
    "shared buffer": ({"shared_buffer": "2000 packets"}, 1.0, {}),
    "without SACK": ({}, 1.0, {"sack": False}),
}


def variant(base: ww.Scenario, law: Any, scheduler: Any, change: tuple[Any, float, Any]) -> ww.Scenario:
    """The scenario with another law, scheduler and guesses."""
    cell, factor, tcp = change
    delayed = [replace(link, delay=f"{float(link.delay.split()[0]) * factor:g} ms") for link in base.link]
    flows = [replace(flow, law=law, **tcp) for flow in base.flow]
    return replace(base, link=delayed, cell=[replace(base.cell[0], scheduler=scheduler, **cell)], flow=flows)


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    base = ww.load(Path(__file__).parent / "access-point.toml")
    for name, change in VARIANTS.items():
        print(f"\n{name}\n{'':14}{'goodput':>9}{'cwnd/RTT':>10}{'paper':>9}{'Jain':>8}{'paper':>8}")
        errors = differences = 0.0
        for case, (law, scheduler, total, fairness) in CASES.items():
            run = variant(base, law, scheduler, change).simulate(seeds=seeds)
            sums = run.flows.groupby("seed")[["goodput_pps", "mean_window_rate_pps"]].sum().mean()
            jain = float(run.jain.mean())
            errors += min(abs(float(value) / total - 1) for value in sums)
            differences += abs(jain - fairness)
            goodput, window_rate = (float(value) for value in sums)
            print(f"{case:14}{goodput:9.1f}{window_rate:10.1f}{total:9.1f}{jain:8.3f}{fairness:8.3f}", flush=True)
        print(f"{'off by':14}{errors:9.1%}{'':27}{differences:16.3f}")


if __name__ == "__main__":
    main()

"""BBRv1 beside loss-driven flows: the simulator, and the model of R. Ware et al., IMC 2019.

python evidence/benches/evaluate/ware.py [--seeds N] writes results/evaluations/ware.json, for the page of planted
faults.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from windward._evaluate.networks import bdp_packets, bottleneck, flow
from windward._evaluate.request import EvaluationRequest
from windward._evaluate.suites import SUITES
from windward._evaluate.whole import whole
from windward._search.objective import rows_of
from windward.results._files import replace_text
from windward.results.stats import mean_and_interval

KEPT = Path(__file__).parents[3] / "results" / "evaluations"

RATE_MBIT, RTT_MS = 20.0, 40.0

#: Buffers in bandwidth-delay products, and other flows.
BUFFERS = (2, 4, 8, 16)
OTHERS = (("reno", 1), ("cubic", 1), ("cubic", 4), ("cubic", 16))

#: Share of the packets of BBRv1 in ProbeRTT, its interval, and its length, in seconds.
_PROBE_PACKETS, _INTERVAL_S, _LENGTH_S = 4, 10.0, 0.2


def model(bdps: float) -> float:
    """Share of one BBR flow, whatever the number of the others (§5).

    Loss-driven flows keep p = 1/2 - 1/(2X) - 4N/q of a buffer of X products, q packets. ProbeRTT takes 200 ms, a round
    trip and the time of a full queue, every 10 s.
    """
    packets = bdp_packets(RATE_MBIT, RTT_MS, bdps)
    others = max(0.0, 0.5 - 1 / (2 * bdps) - _PROBE_PACKETS / packets)
    probe_s = packets * 12_000 / (RATE_MBIT * 1e6) + _LENGTH_S + RTT_MS / 1e3
    return (1 - others) * (1 - probe_s / _INTERVAL_S)


def shares(bdps: float, law: str, count: int, seeds: list[int]) -> list[float]:
    """BBR's share of the goodput of each run."""
    flows = [flow("bbr", name="bbr"), flow(law, name="other", count=count)]
    plain = bottleneck(flows, rate_mbit=RATE_MBIT, rtt_ms=RTT_MS, bdps=bdps, duration_s=400, warmup_s=100)
    asked = EvaluationRequest(law="bbr", text="bbr", suite=SUITES["bbr-draft"], seeds=seeds)
    found = []
    for _, tables in sorted(whole(asked, json.dumps(plain), seeds, None)):
        rows = rows_of(tables["flows"])
        own = sum(row["goodput_bps"] for row in rows if row["group"] == "bbr")
        found.append(own / sum(row["goodput_bps"] for row in rows))
    return found


def main() -> None:
    """Runs the networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = list(range(1, parser.parse_args().seeds + 1))
    rows = []
    for bdps in BUFFERS:
        row = {"buffer": bdps, "model": model(bdps), "seeds": len(seeds)}
        for law, count in OTHERS:
            row[f"{count} {law}"] = mean_and_interval(shares(bdps, law, count, seeds))
        rows.append(row)
        print(row, flush=True)
    replace_text(KEPT / "ware.json", json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()

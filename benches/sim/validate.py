"""Lays Windward's goodput beside ns-3's and writes docs/validation/ns3.md.

python benches/sim/validate.py --ns3 .venv-ns3/bin/python
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
from pathlib import Path

import windward as ww

ROOT = Path(__file__).parents[2]
PEER = Path(__file__).with_name("peer_ns3.py")
PAGE = ROOT / "docs" / "validation" / "ns3.md"
SEEDS = 3
LAWS = ("reno", "cubic")


def ns3(python: str, *arguments: object) -> float:
    """Goodput of one run, in Mbit/s."""
    run = subprocess.run([python, str(PEER), *map(str, arguments)], capture_output=True, text=True, check=True)
    return float(json.loads(next(line for line in run.stdout.splitlines() if line.startswith("{")))["goodput_mbit"])


def lossy(law: str, loss: float) -> list[float]:
    """The same flow in Windward, seed by seed."""
    scenario = ww.Scenario(
        name="lossy",
        duration="300 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[
            ww.Link(
                from_="a",
                to="b",
                rate="10 Mbit/s",
                delay="50 ms",
                buffer="1000 packets",
                loss=loss,
                reverse=ww.Reverse(loss=0.0),
            )
        ],
        flow=[ww.Flow(from_="a", to="b", law=law, min_rto="200 ms")],
    )
    run = scenario.simulate(seeds=SEEDS)
    return (run.flows["delivered_bytes"] * 8 / 300 / 1e6).tolist()


def dumbbell(law: str) -> list[float]:
    """Sixteen flows of one law over 100 Mbit/s, all of them together."""
    members = 16
    edge = {"rate": "1 Gbit/s", "delay": "1 ms", "buffer": "10000 packets"}
    scenario = ww.Scenario(
        name="dumbbell",
        duration="30 s",
        node=[
            ww.Node(name="sender", count=members),
            ww.Node(name="left"),
            ww.Node(name="right"),
            ww.Node(name="receiver", count=members),
        ],
        link=[
            ww.Link(from_="sender", to="left", **edge),
            ww.Link(from_="left", to="right", rate="100 Mbit/s", delay="48 ms", buffer="834 packets"),
            ww.Link(from_="right", to="receiver", **edge),
        ],
        flow=[ww.Flow(from_="sender", to="receiver", law=law, start_step="62500 us")],
    )
    run = scenario.simulate(seeds=1)
    return [float(run.flows["delivered_bytes"].sum() * 8 / 30 / 1e6)]


def mean(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{statistics.fmean(values):.2f} ± {2 * statistics.stdev(values) / math.sqrt(len(values)):.2f}"


def square_root(loss: float) -> float:
    """The response function of Reno without delayed ACKs in growth, √(3/(2p))/R, in Mbit/s of payload."""
    return min(math.sqrt(1.5 / loss) / 0.1012 * 1448 * 8 / 1e6, 9.65)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", required=True, help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    rows = []
    for law in LAWS:
        for loss in (0.001, 0.003, 0.01):
            theirs = [ns3(python, "lossy", law, loss, 300, seed) for seed in range(1, SEEDS + 1)]
            mine = lossy(law, loss)
            theory = f"{square_root(loss):.2f}" if law == "reno" else "–"
            share = statistics.fmean(mine) / statistics.fmean(theirs)
            rows.append(f"| {law} | {loss:.1%} | {mean(mine)} | {mean(theirs)} | {share:.2f} | {theory} |")
            print(rows[-1])
    crowd = []
    for law in LAWS:
        mine, theirs = dumbbell(law), [ns3(python, "dumbbell", law, 16, 100, 100, 834, 30)]
        crowd.append(f"| {law} | {mean(mine)} | {mean(theirs)} | {mine[0] / theirs[0]:.3f} |")
        print(crowd[-1])
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(
        f"""# Beside ns-3

<!-- Generated: make validate-ns3 -->

Goodput in Mbit/s of the same network in Windward and in ns-3 (the wheel from the Python package index, driven by
`benches/sim/peer_ns3.py`): segments of 1448 bytes, SACK, timestamps, first window 10, delayed ACKs (every second
segment, or 40 ms), least timeout 200 ms. `reno` is ns-3's TcpLinuxReno. Mean ± two standard errors over {SEEDS} seeds.

## One flow, 10 Mbit/s, 100 ms, random loss, 300 s

| law | loss | Windward | ns-3 | ratio | √(3/2p)/R |
|---|---|---|---|---|---|
{chr(10).join(rows)}

## Sixteen flows, 100 Mbit/s, 100 ms, 834 packets, 30 s

| law | Windward | ns-3 | ratio |
|---|---|---|---|
{chr(10).join(crowd)}

## Where they differ

* **Recovery.** ns-3 keeps its old window for about the first half of the round trip in which it repairs a loss, and
  lets it grow meanwhile (a trace of its `CongestionWindow` shows it), then reduces it ACK by ACK. Windward reduces
  from the first ACK on (RFC 6937), and duplicates open no window (RFC 5681 §3.2). Half a round trip at twice the
  rate, in a cycle of W/2 round trips, is a tenth at 1 % loss. It puts ns-3 above what an ideal AIMD window can send
  under independent losses, 1.07 √(3/2p)/R (Ott, Kemperman, Mathis 1996); Windward stays below.
* **Small windows.** Windward sends whole packets, and a segment that a delayed ACK leaves over waits for it: half a
  packet each of the window, 11 % at 1 % loss. The exact formula of Padhye et al., with these terms as its
  tolerance, is held in `crates/sim/tests/padhye.rs`.
* **Counting.** Windward's Reno counts acknowledged packets, as Linux does (RFC 3465), and so does ns-3's
  TcpLinuxReno. `law = {{ name = "reno", byte_counting = false }}` counts ACKs, as RFC 5681 and ns-2 do.
* **CUBIC.** Ours is RFC 9438: the Reno-friendly window grows by α = 0.529 a round trip and by 1 after it has passed
  its old maximum, and there is no HyStart by default. ns-3's follows RFC 8312 with Linux's HyStart, which ends slow
  start early.
* **Lost retransmissions.** Neither finds them before the timer; both pay the timeout.
* **The start.** Each run is counted from its first instant in both, slow start included.
"""
    )
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

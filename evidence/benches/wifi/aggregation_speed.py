"""Measures the speed of 802.11ac, beside ns-3 if installed, and writes evidence/measured/benchmarks/aggregation.md.

    python evidence/benches/wifi/aggregation_speed.py --ns3 .venv-ns3/bin/python

Times are CPU seconds: of the engine's whole process, of ns-3's run without its start.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from aggregation_cases import VHT80, Case, Flow, cell
from bench import REPEATS, Engine

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3, ns3_version, why_no_ns3  # noqa: E402

PEER = Path(__file__).with_name("peer_aggregation.py")
PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "aggregation.md"
STATIONS = 20
#: Offered load of all stations together in `crates/sim/examples/aggregation.rs`.
OFFERED_MBIT = 450
#: Datagrams that a saturated source keeps at its station.
BACKLOG = 92
#: Simulated seconds of ours, and of ns-3.
OURS, THEIRS = 20, 2
#: Seconds between which the cost in many networks is measured.
BETWEEN = (1, 2)
#: Networks of 20 stations and the metres between their middles.
PLANES = ((1, 0), (50, 300), (50, 100))
#: Goals: ns-3's time over ours, nanoseconds an MPDU, cost in 50 networks over that in one.
LEAST_RATIO, MOST_NANOSECONDS, MOST_GROWTH = 100, 150, 2


def overloaded() -> Case:
    """Twenty stations with datagrams for the one in the middle, at a constant rate above what all carry."""
    case = cell(VHT80, 9, STATIONS)
    flows = [replace(flow, offered_mbit=OFFERED_MBIT / STATIONS) for flow in case.flows]
    return replace(case, flows=flows, queue=200, seconds=THEIRS, warmup_s=0.5)


def mixed() -> Case:
    """Twenty TCP flows, every other one from the station in the middle."""
    case = cell(VHT80, 9, STATIONS)
    ends = [(1 + at, 0) if at % 2 == 0 else (0, 1 + at) for at in range(STATIONS)]
    flows = [Flow(from_=a, to=b, kind="tcp", start_s=at / 1000) for at, (a, b) in enumerate(ends)]
    return replace(case, flows=flows, law="cubic", queue=200, seconds=THEIRS, warmup_s=0.5)


def verdict(value: float, goal: float, unit: str, is_least: bool, digits: int = 0) -> str:
    """Comparison with a goal."""
    met = value >= goal if is_least else value <= goal
    least = "least" if is_least else "most"
    return f"{value:.{digits}f}{unit}, goal at {least} {goal:g}{unit}: {'met' if met else '**missed**'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    missing = why_no_ns3(python)
    engine = Engine("aggregation")
    answers = []
    if python and not missing:
        answers = [said for [said] in Ns3(python, PEER, given=[overloaded().plain(), mixed().plain()]).answers()]
    rows, costs, ratios = [], [], []
    beside_ns3 = {"overloaded": 0, "tcp": 1}
    for name, what, arguments in (
        ("saturated", "20 stations, saturated", ("star", STATIONS, OURS, BACKLOG)),
        ("overloaded", f"20 stations, {OFFERED_MBIT} Mbit/s offered", ("star", STATIONS, OURS)),
        ("tcp", "20 TCP flows, both directions", ("tcp", STATIONS, OURS)),
    ):
        run = engine.run(*arguments)
        mpdus = run.said["mpdus"]
        costs.append((what, 1e9 * run.cpu_s / mpdus))
        beside = "– | – | –"
        if answers and name in beside_ns3:
            said = answers[beside_ns3[name]]
            theirs = said["run_cpu_s"] / THEIRS
            ratio = theirs / (run.cpu_s / OURS)
            ratios.append(ratio)
            beside = f"{sum(said['goodput_mbit']):.1f} Mbit/s | {theirs:.2f} s | **{ratio:.0f}**"
        rows.append(
            f"| {what} | {mpdus / OURS:.0f} | {mpdus / run.said['ppdus']:.1f} | "
            f"{run.said['goodput_mbit']:.1f} Mbit/s | {1000 * run.cpu_s / OURS:.2f} ms | "
            f"{costs[-1][1]:.0f} ns | {beside} |"
        )
        print(rows[-1], flush=True)
    lines, growths = [], []
    for what, backlog in (("saturated", (BACKLOG,)), (f"{OFFERED_MBIT} Mbit/s a network", ())):
        base = 0.0
        for networks, metres in PLANES:
            # As many MPDUs in each.
            spans = [seconds * PLANES[-1][0] // networks for seconds in BETWEEN]
            early, late = (engine.run("networks", networks, STATIONS, metres, span, *backlog) for span in spans)
            cost = 1e9 * (late.cpu_s - early.cpu_s) / (late.said["mpdus"] - early.said["mpdus"])
            base = base or cost
            apart = f"{metres} m" if metres else "–"
            growths.append((f"{what}, {networks} networks, {apart}", cost / base))
            lines.append(
                f"| {what} | {networks} | {apart} | {networks * STATIONS} | {cost:.0f} ns | {cost / base:.2f} |"
            )
            print(lines[-1], flush=True)
    goals = "\n".join(
        f"* {what}: {verdict(growth, MOST_GROWTH, '', False, 2)}." for what, growth in growths if growth != 1
    )
    counted = f"""| sources | networks | between their middles | senders | an MPDU | beside one network |
|---|---|---|---|---|---|
{chr(10).join(lines)}

CPU time of a later part, so without the start: medians of {REPEATS} runs. Each network is a receiver and {STATIONS}
stations on a circle of 1 m; all are on one channel. Networks 300 m apart do not hear each other. Those 100 m apart do
not sense each other, but interfere. Beside one network:

{goals}

A datagram of constant rate costs an event, and almost half of them are dropped at a full queue. A saturated source has
an event for each PPDU that is done."""
    version = f"ns-3 {ns3_version(python)}" if python and not missing else f"ns-3 took no part: {missing}"
    reached = [
        f"* {what}, an MPDU of ours: {verdict(cost, MOST_NANOSECONDS, ' ns', False)}." for what, cost in costs[:2]
    ]
    if ratios:
        reached.append(f"* CPU time of ns-3 over ours: {verdict(min(ratios), LEAST_RATIO, '', True)}.")
    goals = "\n".join(reached)
    PAGE.write_text(f"""# Speed of 802.11ac

<!-- Generated: make bench -->

VHT80, MCS 9, one stream, guard interval of 400 ns. Written by `make bench` (`python
evidence/benches/wifi/aggregation_speed.py`) on a shared virtual machine with two cores: read the ratios, not the
seconds.

| network | MPDUs a second | per PPDU | goodput | CPU a second | an MPDU | ns-3: goodput | ns-3: CPU a second | ratio |
|---|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}

* Ours is the engine alone, `crates/sim/examples/aggregation.rs`, a process of its own over {OURS} simulated seconds:
  median of {REPEATS} runs. An MPDU includes its packet's generation, queueing and reception.
* Saturated stations keep {BACKLOG} datagrams in their queue. Stations that offer {OFFERED_MBIT} Mbit/s in all are not
  saturated: one that holds the channel for longer than its queue lasts sends what arrives, in shorter A-MPDUs.
* {version}: the wheel from the Python package index, one run of {THEIRS} s of the same network, without the start of
  Python and its bindings.
{goals}

## What an MPDU costs

{counted}

The hot path allocates nothing: `crates/sim/tests/it/allocations.rs` counts that a run of twice the length makes no more
allocations.
""")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

"""Times fading cells, and writes evidence/measured/benchmarks/cells.md.

    python evidence/benches/cell/bench.py

CPU seconds of the simulator, the best of several runs: the headline of evidence/papers/huang2020/access-point.toml, the
24 runs of its Fig. 6 on two threads, and slots of cells with more and more stations.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import windward as ww

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "cells.md"
sys.path.insert(0, str(ROOT / "evidence"))

from papers import packets  # noqa: E402
from papers.huang2020.access_point import FILE, SCHEDULERS, SCHEMES, TOTALS_ONLY, scenario  # noqa: E402

STATIONS = (10, 30, 100, 300)
SLOTS = 100_000
RUNS = 3

#: Goals of the page, in seconds.
HEADLINE_GOAL_S, FIGURE_GOAL_S = 5, 60


def seconds(run: Callable[[], object], runs: int = RUNS) -> tuple[float, float]:
    """CPU seconds and seconds on the clock, of the quickest of several runs."""
    took = []
    for _ in range(runs):
        cpu, wall = time.process_time(), time.perf_counter()
        run()
        took.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(took)


def headline() -> tuple[float, float, int]:
    """The run of 2000 s with four QUIC-TCP flows, on one thread; and the segments that it sends."""
    at = replace(ww.load(FILE), seeds=1, **TOTALS_ONLY)
    sent = int(at.simulate(threads=1).flows["segments_sent"].sum())
    return *seconds(lambda: at.simulate(threads=1)), sent


def figure() -> tuple[float, float]:
    """Six laws under four schedulers, one seed each, a thread for each core."""
    runs = {
        (law, name): scenario(scheme, rule, **TOTALS_ONLY)
        for law, scheme in SCHEMES.items()
        for name, rule in SCHEDULERS.items()
    }
    return seconds(lambda: packets.simulate(runs, lambda _: None, seeds=1), runs=1)


def slots(stations: int, scheduler: str) -> float:
    """Microseconds a slot of a cell at 60 % load, whatever the number of its stations."""
    rate_mbps = 12.0
    air = ww.Cell(
        name="air",
        access_point="bs",
        slot="1 ms",
        symbol_rate="10 Msymbol/s",
        amc="ctc",
        scheduler=scheduler,
        station=[ww.format.Station(node="ue", snr="15 dB")],
    )
    loads = [
        ww.Background(
            from_="bs", to=f"ue-{at}", pattern=ww.format.Poisson(rate=f"{1000 * rate_mbps / stations:.3f} kbit/s")
        )
        for at in range(1, stations + 1)
    ]
    at = ww.Scenario(
        name="slots",
        duration=f"{SLOTS / 1000:g} s",
        stack="rfc",
        output=ww.Output(sample_interval="100 s"),
        node=[ww.Node(name="bs"), ww.Node(name="ue", count=stations)],
        cell=[air],
        background=loads,
    )
    return 1e6 * seconds(lambda: at.simulate(threads=1))[0] / SLOTS


def main() -> None:
    """Measures and writes the page."""
    cpu, wall, sent = headline()
    print(f"headline {cpu:.2f} s", flush=True)
    figure_cpu, figure_wall = figure()
    print(f"24 runs {figure_cpu:.1f} s of CPU, {figure_wall:.1f} s", flush=True)
    rows = []
    for stations in STATIONS:
        costs = [slots(stations, scheduler) for scheduler in ("queueing-delay", "round-robin")]
        cells = "".join(f" {cost:.2f} | {1e3 * cost / stations:.1f} |" for cost in costs)
        rows.append(f"| {stations} |{cells}")
        print(rows[-1], flush=True)
    PAGE.write_text(
        PAGE_TEXT.format(
            cores=os.cpu_count(),
            runs=RUNS,
            cpu=cpu,
            wall=wall,
            sent=sent / 1e6,
            goal=HEADLINE_GOAL_S,
            figure_cpu=figure_cpu,
            figure_wall=figure_wall,
            figure_goal=FIGURE_GOAL_S,
            slots=SLOTS,
            rows="\n".join(rows),
        ),
        encoding="utf-8",
    )


PAGE_TEXT = """\
# Speed of cells

<!-- Generated: make bench -->

Written by `python evidence/benches/cell/bench.py`, a part of `make bench`, on a shared machine with {cores} cores. CPU seconds, the
best of {runs} runs. The model and its limits: [cell](../../../docs/reference/models/cell.md).

| | CPU | clock | goal |
|---|---|---|---|
| `evidence/papers/huang2020/access-point.toml`: 2000 s, four flows, {sent:.1f} million segments, one thread | {cpu:.2f} s | {wall:.2f} s | {goal} s |
| the 24 runs of huang2020's Fig. 6: six laws, four schedulers, two threads | {figure_cpu:.1f} s | {figure_wall:.1f} s | {figure_goal} s |

A cell at the same load, shared by more and more stations, independent Rayleigh channels, {slots} slots:

| stations | queueing delay: µs a slot | ns a slot and station | round robin: µs a slot | ns a slot and station |
|---|---|---|---|---|
{rows}
"""  # noqa: E501


if __name__ == "__main__":
    main()

"""BBR of the simulator beside Linux's own between real kernels, to docs/measured/validation/bbr-kernels.md.

python benches/emulate/bbr.py [--only PATTERN ...] [--seeds N] [--list]; as root, on a machine that does nothing else:
an hour in real time for all of the matrix. What was interrupted goes on where it was: runs are kept in
results/bbr-kernels.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import platform
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from networks import path
from page import table
from repeat import in_time

import windward as ww

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "measured" / "validation" / "bbr-kernels.md"

#: Runs are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "bbr-kernels"

MBPS = (10, 100)
RTTS_MS = (20, 100)
BUFFERS = (0.25, 1.0, 4.0)
LOSSES = (0.0, 0.01, 0.03)

#: BBR measures the round trip anew every 10 s, in 200 ms and a round trip; from 20 s on four times.
SECONDS, WARMUP = 61, 20

#: A run is repeated when 1 % of its packets were later than this: half a packet of 10 Mbit/s, four of 100 Mbit/s.
LATE_S = 0.0005

#: Seeds of the simulator.
SIMULATED = 5

#: What is asked for: goodput within a share of the kernel's, the mean queue within a share or so many packets.
GOODPUT, QUEUE, PACKETS = 0.05, 0.1, 2.0


class Cell(NamedTuple):
    """A path, and whether a CUBIC shares it."""

    mbps: int
    rtt_ms: int
    #: Bandwidth-delay products.
    buffer: float
    loss: float
    is_shared: bool

    @property
    def name(self) -> str:
        """What its names begin with."""
        shared = "shared" if self.is_shared else "alone"
        return f"{self.mbps}-{self.rtt_ms}-{self.buffer:g}-{self.loss:g}-{shared}"

    @property
    def packets(self) -> int:
        """The buffer in packets of 1500 B."""
        return max(round(self.buffer * self.mbps * 1e3 * self.rtt_ms / 12_000), 1)


def network(cells: list[Cell]) -> ww.Scenario:
    """Paths without anything in common, as one scenario."""
    nodes, links, flows = [], [], []
    for cell in cells:
        reverse = ww.Reverse(loss=0.0, buffer="unlimited")
        ends, link = path(cell.name, cell.mbps, cell.rtt_ms, cell.packets, cell.loss, reverse)
        nodes += ends
        links.append(link)
        flow = ww.Flow(name=f"{cell.name}-bbr", from_=link.from_, to=link.to, law="bbr", stack="linux")
        flows.append(flow)
        if cell.is_shared:
            cubic = ww.Cubic(version="linux", hystart=True)
            flows.append(replace(flow, name=f"{cell.name}-cubic", law=cubic))
    return ww.Scenario(
        name="bbr-kernels",
        duration=f"{SECONDS} s",
        warmup=f"{WARMUP} s",
        output=ww.Output(sample_interval="1 s"),
        node=nodes,
        link=links,
        flow=flows,
    )


def groups(cells: list[Cell]) -> dict[str, list[Cell]]:
    """Which cells are emulated at once: one of 100 Mbit/s, or three of 10 that differ in nothing but the buffer."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        shared = "shared" if cell.is_shared else "alone"
        name = cell.name if cell.mbps == max(MBPS) else f"{cell.mbps}-{cell.rtt_ms}-{cell.loss:g}-{shared}"
        found.setdefault(name, []).append(cell)
    return found


def figures(run: ww.Run, cell: Cell) -> dict[str, float]:
    """Means over the seeds: goodputs in Mbit/s, and packets in the queue."""
    goodputs = run.flows.groupby("flow")["goodput_bps"].mean() / 1e6
    queue = run.links.groupby("link")["mean_backlog"].mean()[cell.name]
    other = goodputs[f"{cell.name}-cubic"] if cell.is_shared else float("nan")
    return {"own": goodputs[f"{cell.name}-bbr"], "other": other, "queue": queue}


def agree(here: dict[str, float], there: dict[str, float]) -> list[str]:
    """What does not agree."""
    off = [name for name in ("own", "other") if abs(here[name] - there[name]) > GOODPUT * there[name]]
    if abs(here["queue"] - there["queue"]) > max(QUEUE * there["queue"], PACKETS):
        off.append("queue")
    return off


def measured(cells: list[Cell], seeds: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row for each cell, and the emulations' own accounts of their timing."""
    rows, timings = [], []
    wanted = {name: members for name, members in groups(MATRIX).items() if not set(members).isdisjoint(cells)}
    for at, (name, members) in enumerate(wanted.items(), 1):
        print(f"{at}/{len(wanted)} {name}  {time.strftime('%H:%M:%S')}", flush=True)
        scenario = network(members)
        runs = [
            in_time(scenario.emulate, KEPT / name / str(seed), late_s=LATE_S, seed=seed, force=True)
            for seed in range(1, seeds + 1)
        ]
        timings += [run.timing for run in runs]
        simulated = scenario.simulate(seeds=range(1, SIMULATED + 1))
        for cell in members:
            each = pd.DataFrame([figures(run, cell) for run in runs])
            there = {str(key): float(value) for key, value in each.mean().items()}
            here = figures(simulated, cell)
            off = agree(here, there)
            rows.append(
                {
                    **cell._asdict(),
                    "off": ", ".join(off),
                    **{f"{key}_kernel": value for key, value in there.items()},
                    **{f"{key}_simulated": value for key, value in here.items()},
                }
            )
            print(
                f"  {cell.name}: kernel {written(there)}; simulated {written(here)}; off: {off or 'nothing'}",
                flush=True,
            )
    return pd.DataFrame(rows), pd.concat(timings)


def written(found: dict[str, float]) -> str:
    """Goodputs and queue as the page has them."""
    other = "" if found["other"] != found["other"] else f" and {found['other']:.3g}"
    return f"{found['own']:.3g}{other}, {found['queue']:.1f}"


def page(found: pd.DataFrame, timing: pd.DataFrame, seeds: int) -> str:
    """The page."""
    lines = []
    for _, row in found.iterrows():
        sides = [
            {key: float(row[f"{key}_{side}"]) for key in ("own", "other", "queue")} for side in ("kernel", "simulated")
        ]
        lines.append(
            [
                f"{row['mbps']} Mbit/s, {row['rtt_ms']} ms",
                f"{row['buffer']:g}",
                f"{100 * row['loss']:g} %",
                "CUBIC" if row["is_shared"] else "–",
                *(written(side) for side in sides),
                row["off"] or "–",
            ]
        )
    late = (timing["late_p99_s"] > LATE_S).sum()
    held = (found["off"] == "").sum()
    return f"""# BBR between real kernels

<!-- Generated: make validate-bbr -->

The law [`bbr`](../../reference/laws/bbr.md) of the simulator beside Linux {platform.release()}'s own between network
namespaces over the same [emulated](../../guides/emulation.md) link. One download for {SECONDS} s, of which the first
{WARMUP} do not count, alone or beside a CUBIC that begins with it. Goodput in Mbit/s, first BBR's, then CUBIC's; then
the mean number of packets in the queue. Runs of each cell: {seeds} between kernels, {SIMULATED} in the simulator.

Asked for: goodputs within {GOODPUT:.0%} of the kernel's, the mean queue within {QUEUE:.0%} or {PACKETS:g} packets. It
holds in {held} of {len(found)} cells; *off* says what does not.

{table(["link", "buffer (BDP)", "loss", "beside", "kernel", "simulated", "off"], lines)}

In {late} of {len(timing)} emulations 1 % of the packets were more than {LATE_S * 1e3:g} ms late.
"""


#: All cells.
MATRIX = [Cell(*values) for values in product(MBPS, RTTS_MS, BUFFERS, LOSSES, (False, True))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=["*"], metavar="PATTERN", help='cells, as "10-20-*-alone"')
    parser.add_argument("--seeds", type=int, default=1, help="emulations of each cell")
    parser.add_argument("--list", action="store_true", help="name the cells and stop")
    chosen = parser.parse_args()
    cells = [cell for cell in MATRIX if any(fnmatch.fnmatch(cell.name, pattern) for pattern in chosen.only)]
    if not cells:
        raise SystemExit("no such cell; --list names them")
    if chosen.list:
        print(*(cell.name for cell in cells), sep="\n")
        return
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    found, timing = measured(cells, chosen.seeds)
    if len(cells) < len(MATRIX):
        print("a part of the matrix: the page stays as it is")
        return
    PAGE.write_text(page(found, timing, chosen.seeds), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

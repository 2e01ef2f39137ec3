"""BBR of the simulator beside Linux's own between real kernels, to evidence/measured/validation/bbr-kernels.md.

python evidence/benches/emulate/bbr.py [--only PATTERN ...] [--seeds N] [--list]; as root, on a machine that does
nothing else: an hour in real time for all of the matrix. What was interrupted goes on where it was: runs are kept in
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

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "bbr-kernels.md"

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

#: Of the simulator.
SEEDS = range(1, 6)

#: Tolerances: goodput as a share of the kernel's, the mean queue as a share or in packets.
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
        """Prefix of the names of its nodes, link and flows."""
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
        reverse = ww.format.Reverse(loss=0.0, buffer="unlimited")
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
    """Quantities that disagree: the goodput of a law, or the queue."""
    sides = {"BBR": "own", "CUBIC": "other"}
    off = [law for law, name in sides.items() if abs(here[name] - there[name]) > GOODPUT * there[name]]
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
            in_time(scenario.emulate, KEPT / name / str(seed), late_s=LATE_S, seed=seed, even_if_slow=True)
            for seed in range(1, seeds + 1)
        ]
        timings += [run.timing for run in runs]
        simulated = scenario.simulate(seeds=SEEDS)
        for cell in members:
            each = pd.DataFrame([figures(run, cell) for run in runs])
            there = {str(key): float(value) for key, value in each.mean().items()}
            apart = each["queue"].max() - each["queue"].min()
            here = figures(simulated, cell)
            off = agree(here, there)
            rows.append(
                {
                    **cell._asdict(),
                    "off": ", ".join(off),
                    "apart": apart,
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
    held = {what: int((~found["off"].str.contains(what)).sum()) for what in ("BBR", "CUBIC", "queue")}
    shared, apart = found["is_shared"], found["apart"]
    ratios = (found["other_simulated"] / found["other_kernel"])[shared]
    return f"""# BBR between real kernels

<!-- Generated: make validate WHAT=bbr -->

The law [`bbr`](../../../docs/reference/laws/bbr.md) of the simulator, with Linux's stack, beside Linux
{platform.release()}'s own between network namespaces over the same [emulated](../../../docs/guides/emulation.md) link.
One download for {SECONDS} s, of which the first {WARMUP} do not count, alone or beside a CUBIC that begins with it (in
the simulator `version = "linux"` with HyStart). Goodput in Mbit/s, first BBR's, then CUBIC's; then the mean number of
packets in the queue. Means; runs of each cell: {seeds} between kernels, {len(SEEDS)} in the simulator.

Asked for: goodputs within {GOODPUT:.0%} of the kernel's, the mean queue within {QUEUE:.0%} or {PACKETS:g} packets.
Within that are

* BBR's goodput in **{held["BBR"]} of {len(found)}** cells,
* CUBIC's beside it in {held["CUBIC"] - int((~shared).sum())} of {int(shared.sum())},
* the queue in {held["queue"]} of {len(found)}.

*off* says what is not. Two runs of one cell between kernels are themselves apart in their queues by
{apart.median():.1f} packets in the median, in one cell of ten by more than {apart.quantile(0.9):.0f}.

{table(["link", "buffer (BDP)", "loss", "beside", "kernel", "simulated", "off"], lines)}

**CUBIC** has {ratios.min():.2f} to {ratios.max():.2f} of what it has in the kernel, {ratios.median():.2f} in the
median. In deep buffers the shares of the two differ from run to run. In buffers of a quarter of a product, where BBR
leaves it one or two per cent of the link, they hang on tenths of a millisecond: CUBIC's packets answer its ACKs, and
whether they find the queue full depends on where between two departures they arrive (phase effects: S. Floyd and V.
Jacobson, "On traffic phase effects in packet-switched gateways", 1992). With CUBIC's host further away by so many
microseconds, of the 1200 that a packet takes, it has in Mbit/s:

{with_phases()}

**Queues of one flow.** BBR sends at the greatest rate of ten round trips, and bunches of ACKs look like a greater rate.
Between real hosts ACKs are a little late, now more, now less; the simulator's are on time. With ACKs that are late by
up to {JITTERS_MS[0]:g} to {JITTERS_MS[-1]:g} ms, evenly, its queues grow as follows.

{with_jitter(found)}

At 10 Mbit/s, 20 ms and random loss most of the queue comes of SACKs that the receiver
[holds back](../../../docs/reference/models/loss-detection.md#acks-that-wait): ACKs that wait for a timer come in
bunches. Without that, `tcp_comp_sack_nr = 0` there and `compress_sacks = false` here, the mean queues are as follows; ±
is the standard deviation of one run of the simulator.

{without_compression()}

In {late} of {len(timing)} emulations 1 % of the packets were more than {LATE_S * 1e3:g} ms late.
"""


#: ACKs late by so much at most, evenly: what a busy machine does to hosts between which packets pass in real time.
JITTERS_MS = (0.1, 0.2, 0.3)


def with_jitter(found: pd.DataFrame) -> str:
    """The cells of one flow whose queues are off, simulated with ACKs that are a little late."""
    rows = []
    for _, row in found[found["off"].str.contains("queue") & ~found["is_shared"]].iterrows():
        cell = Cell(**{field: row[field] for field in Cell._fields})
        scenario = network([cell])
        queues = []
        for jitter in JITTERS_MS:
            late = ww.format.Reverse(loss=0.0, buffer="unlimited", jitter={"model": "uniform", "max": f"{jitter} ms"})
            run = replace(scenario, link=[replace(scenario.link[0], reverse=late)]).simulate(seeds=SEEDS)
            queues.append(f"{figures(run, cell)['queue']:.1f}")
        name = f"{cell.mbps} Mbit/s, {cell.rtt_ms} ms, {cell.buffer:g} BDP, {100 * cell.loss:g} %"
        rows.append(
            [name, f"{row['queue_kernel']:.1f}", f"{row['apart']:.1f}", f"{row['queue_simulated']:.1f}", *queues]
        )
    return table(
        [
            "cell",
            "kernel",
            "its runs apart by",
            "simulated",
            *(f"ACKs up to {jitter} ms late" for jitter in JITTERS_MS),
        ],
        rows,
    )


#: CUBIC's host is further away by so much, in microseconds, and in these cells.
PHASES_US = (0, 200, 400, 600, 800, 1000)
PHASED = ("10-20-0.25-0-shared", "10-20-0.25-0.01-shared", "10-20-0.25-0.03-shared", "10-100-0.25-0.03-shared")


def phased(cell: Cell) -> ww.Scenario:
    """The cell once for each distance of CUBIC's host."""
    plain = network([cell])
    (link,), (own, other) = plain.link, plain.flow
    nodes, links, flows = [], [], []
    for distance in PHASES_US:
        left, right, host = (f"{distance}-{end}" for end in ("a", "b", "host"))
        nodes += [ww.Node(name=name) for name in (left, right, host)]
        access = ww.format.Reverse(buffer="unlimited", delay="0 us")
        links += [
            replace(link, name=f"{distance}", from_=left, to=right),
            ww.Link(
                name=f"{distance}-access",
                from_=host,
                to=left,
                rate="1 Gbit/s",
                delay=f"{distance} us",
                buffer="unlimited",
                reverse=access,
            ),
        ]
        flows += [
            replace(own, name=f"{distance}-bbr", from_=left, to=right),
            replace(other, name=f"{distance}-cubic", from_=host, to=right),
        ]
    return replace(plain, node=nodes, link=links, flow=flows)


def with_phases() -> str:
    """CUBIC's goodput by where its packets arrive between two departures."""
    rows, ratios = [], []
    cells = {cell.name: cell for cell in MATRIX}
    for name in PHASED:
        cell = cells[name]
        scenario = phased(cell)
        there = in_time(scenario.emulate, KEPT / f"phases-{name}" / "1", late_s=LATE_S, even_if_slow=True)
        means = []
        for side, run in (("kernel", there), ("simulated", scenario.simulate(seeds=SEEDS))):
            goodputs = run.flows.groupby("flow")["goodput_bps"].mean() / 1e6
            found = [goodputs[f"{distance}-cubic"] for distance in PHASES_US]
            where = f"{cell.mbps} Mbit/s, {cell.rtt_ms} ms, {100 * cell.loss:g} %"
            means.append(sum(found) / len(found))
            rows.append([where, side, *(f"{value:.3f}" for value in found), f"{means[-1]:.3f}"])
        ratios.append(means[1] / means[0])
    text = table(["cell", "", *(str(distance) for distance in PHASES_US), "mean"], rows)
    return f"{text}\n\nIn the mean over the distances it has {min(ratios):.2f} to {max(ratios):.2f} of the kernel's."


def without_compression() -> str:
    """Queues of one flow whose receiver holds no SACK back, and of one whose does."""
    rows = []
    for loss in LOSSES[1:]:
        cells = [cell for cell in MATRIX if cell[:2] == (MBPS[0], RTTS_MS[0]) and cell[3:] == (loss, False)]
        scenario = network(cells)
        folder = KEPT / f"at-once-{loss:g}" / "1"
        off = {"net.ipv4.tcp_comp_sack_nr": 0}
        there = in_time(scenario.emulate, folder, late_s=LATE_S, sysctl=off, even_if_slow=True)
        plain = replace(scenario, flow=[replace(flow, compress_sacks=False) for flow in scenario.flow])
        without, usual = plain.simulate(seeds=SEEDS), scenario.simulate(seeds=SEEDS)
        for cell in cells:
            queues = usual.links[usual.links["link"] == cell.name]["mean_backlog"]
            rows.append(
                [
                    f"{cell.buffer:g} BDP, {100 * loss:g} %",
                    f"{figures(there, cell)['queue']:.1f}",
                    f"{figures(without, cell)['queue']:.1f}",
                    f"{queues.mean():.1f} ± {queues.std():.1f}",
                ]
            )
    return table(["cell", "kernel, without", "simulated, without", "simulated, with"], rows)


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

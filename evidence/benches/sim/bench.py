"""Measures the packet simulator, beside ns-3 where it can be had, and writes evidence/measured/benchmarks/packets.md.

    python evidence/benches/sim/bench.py --windward .venv/bin/windward --ns3 .venv-ns3/bin/python

Times are CPU seconds of whole processes as the operating system counts them; the peers take turns; medians are shown.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import example, why_no_ns3  # noqa: E402

PEER = Path(__file__).with_name("peer_ns3.py")
PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "packets.md"
REPEATS = 9
#: CPU seconds after which ns-3 is stopped and asked how far it came: repairing large windows takes it long.
PATIENCE_S = 60


@dataclass
class Measured:
    """Runs of one command."""

    cpu_s: list[float] = field(default_factory=list)
    rss_mib: float = 0.0
    said: list[dict[str, float]] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        return statistics.median(self.cpu_s)

    @property
    def alone(self) -> float:
        """Without start-up, where the process told."""
        return statistics.median(said.get("run_cpu_s", math.nan) for said in self.said)

    def __getitem__(self, name: str) -> float:
        return self.said[-1][name]


def understand(said: str) -> dict[str, float]:
    """ns-3's line of JSON, or ours, `events 1 hops 2 …`; nothing where nothing was said."""
    for line in said.splitlines():
        if line.startswith("{"):
            return dict(json.loads(line))
        if line.startswith("events "):
            words = line.split()
            return {name: float(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    return {}


def measure(command: list[str], into: Measured) -> None:
    """Runs a command once and adds what it took."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(command)} ended with status {status}")
        out.seek(0)
        into.said.append(understand(out.read()))
    into.cpu_s.append(usage.ru_utime + usage.ru_stime)
    # The system's figure begins with what this process had when it forked: a small command tells its own.
    peak_kib = into.said[-1].get("peak_kib", usage.ru_maxrss)
    into.rss_mib = max(into.rss_mib, peak_kib / 1024)


def in_turn(commands: dict[str, tuple[list[str], int]]) -> dict[str, Measured]:
    """Runs the commands in turn, each as often as asked."""
    results = {name: Measured() for name in commands}
    for turn in range(max(times for _, times in commands.values())):
        for name, (command, times) in commands.items():
            if turn < times:
                measure(command, results[name])
                print(f"  {name}: {results[name].cpu_s[-1]:.2f} s", file=sys.stderr)
    return results


def row(what: str, program: str, run: Measured, alone: float) -> str:
    """A row of the table of dumbbells; `alone` is the CPU time without start-up."""
    hops, events = run["hops"], run["events"]
    return (
        f"| {what} | {program} | {hops / 1e6:.2f} M | {run.cpu:.3g} s | {alone:.3g} s | {hops / alone / 1e6:.3g} M/s | "
        f"{1e9 * alone / hops:.0f} ns | {1e9 * alone / events:.0f} ns | {run.rss_mib:.3g} MiB | "
        f"{run['goodput_mbit']:.1f} Mbit/s |"
    )


class Bench:
    """The programs that take part."""

    def __init__(self, windward: str, ns3: str | None) -> None:
        self.windward = windward
        self.ns3 = ns3
        self.why_no_ns3 = why_no_ns3(ns3)
        self.binary = example("dumbbell")

    def ours(self, *numbers: int) -> list[str]:
        """Our engine alone on a dumbbell: flows, Mbit/s, RTT in ms, buffer in packets, seconds."""
        return [self.binary, "cubic", *map(str, numbers)]

    def dumbbell(self, scenario: str, numbers: list[int], peer_seconds: int, peer_repeats: int) -> list[str]:
        """Rows of one dumbbell: our engine alone, the command, ns-3, and how we stand to it."""
        with tempfile.TemporaryDirectory() as folder:
            command = [
                self.windward,
                "simulate",
                f"scenarios/{scenario}",
                "--seeds",
                "1",
                "--quiet",
                "--replace",
                "--output",
            ]
            # ns-3 finds its end of slow start by HyStart, as it does by default: without, it takes thrice as long.
            theirs = [str(self.ns3), str(PEER), "dumbbell", "cubic-hystart"]
            theirs += map(str, [*numbers[:-1], peer_seconds, PATIENCE_S])
            commands = {
                "engine": (self.ours(*numbers), REPEATS),
                "command": ([*command, str(Path(folder) / "result")], REPEATS),
            }
            if not self.why_no_ns3:
                commands["ns-3"] = (theirs, peer_repeats)
            results = in_turn(commands)
        engine, whole = results["engine"], results["command"]
        flows, mbit, *_, seconds = numbers
        what = f"{flows} flows, {mbit} Mbit/s, {seconds} s"
        hops = f"{engine['hops'] / 1e6:.2f} M"
        command_rate = f"{engine['hops'] / whole.cpu / 1e6:.2f} M/s"
        rows = [
            f"| {what} | `windward simulate` | {hops} | {whole.cpu:.2f} s | – | {command_rate} | – | – | "
            f"{whole.rss_mib:.0f} MiB | |",
            row("", "its engine alone", engine, engine.cpu),
        ]
        if "ns-3" in results:
            peer = results["ns-3"]
            rows.append(row(f"{peer['simulated_s']:.3g} s of it", "ns-3", peer, peer.alone))
            per_second = peer.cpu / peer["simulated_s"] / (whole.cpu / seconds)
            per_hop = peer.alone / peer["hops"] / (engine.cpu / engine["hops"])
            memory = f"**{peer.rss_mib / whole.rss_mib:.1f}**, **{peer.rss_mib / engine.rss_mib:.0f}**"
            rows.append(
                f"| | *ns-3 over the command, over the engine* | | **{per_second:.0f}** a second simulated | | "
                f"**{per_hop:.0f}** a hop | | | {memory} | |"
            )
        return rows

    def crowd(self) -> list[str]:
        """Rows of the cost of a hop with very many flows beside that with few."""
        runs = {
            "few": self.ours(16, 100, 100, 834, 60),
            "wide": self.ours(16, 10_000, 100, 83_340, 5),
            "start": self.ours(10_000, 10_000, 100, 83_340, 5),
            "on": self.ours(10_000, 10_000, 100, 83_340, 10),
        }
        results = in_turn({name: (command, 5) for name, command in runs.items()})
        few, wide, start, on = (results[name] for name in runs)
        cost = few.cpu / few["hops"]

        def line(what: str, cpu: float, hops: float, rss: float) -> str:
            beside = cpu / hops / cost
            return f"| {what} | {hops / 1e6:.1f} M | {1e9 * cpu / hops:.0f} ns | {beside:.1f} | {rss:.0f} MiB |"

        return [
            line("16 flows, 100 Mbit/s, 60 s", few.cpu, few["hops"], few.rss_mib),
            line("16 flows, 10 Gbit/s, 5 s", wide.cpu, wide["hops"], wide.rss_mib),
            line("10 000 flows, 10 Gbit/s, 5 s", start.cpu, start["hops"], start.rss_mib),
            line("the same, seconds 5 to 10", on.cpu - start.cpu, on["hops"] - start["hops"], on.rss_mib),
        ]

    def instructions(self) -> str:
        """Instructions by callgrind, which counts and does not time."""
        if not shutil.which("valgrind"):
            return "Instructions were not counted: valgrind is not installed."
        with tempfile.TemporaryDirectory() as folder:
            counts = [
                callgrind(self.ours(16, 100, 100, 834, seconds), Path(folder) / str(seconds)) for seconds in (6, 12)
            ]
        (first, early), (second, late) = counts
        spent = second - first
        total = spent.total()
        lines = "\n".join(f"| `{name}` | {share / total:.0%} |" for name, share in spent.most_common(6))
        return (
            f"Counted by callgrind over seconds 6 to 12 of the dumbbell with 16 flows, so without start-up: "
            f"**{total / (late['hops'] - early['hops']):.0f} instructions a packet-hop, "
            f"{total / (late['events'] - early['events']):.0f} an event**. By function, what the compiler put into it "
            f"included:\n\n| function | instructions |\n|---|---|\n{lines}"
        )


def callgrind(command: list[str], file: Path) -> tuple[Counter[str], dict[str, float]]:
    """Instructions of each function, and what the command said."""
    grind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", *command]
    said = subprocess.run(grind, capture_output=True, text=True, cwd=ROOT, check=True).stdout
    annotate = ["callgrind_annotate", "--auto=no", "--threshold=100", str(file)]
    table = subprocess.run(annotate, capture_output=True, text=True, check=True).stdout
    counts: Counter[str] = Counter()
    for count, function in re.findall(r"^ *([\d,]+) \([^)]*\)  [^ ]*?:([^\[\n]+)", table, flags=re.MULTILINE):
        counts[function.strip().removeprefix("windward_sim::")] += int(count.replace(",", ""))
    return counts, understand(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--windward", required=True, help="the windward command")
    parser.add_argument("--ns3", help="a Python in which ns-3 is installed")
    options = parser.parse_args()
    bench = Bench(options.windward, options.ns3)
    if bench.why_no_ns3:
        print(f"ns-3 takes no part: {bench.why_no_ns3}", file=sys.stderr)
    rows = bench.dumbbell("dumbbell.toml", [16, 100, 100, 834, 60], 60, 3)
    rows += bench.dumbbell("gigabit.toml", [2, 1000, 100, 8334, 20], 2, 1)
    missing = f"\nns-3 took no part when this page was made: {bench.why_no_ns3}.\n" if bench.why_no_ns3 else ""
    page = f"""# Speed of the packet simulator

<!-- Generated: make bench -->

Written by `make bench` on a shared virtual machine with two cores: read the ratios, not the seconds.

| dumbbell, CUBIC | program | packet-hops | process | run alone | hops a second | a hop | an event | memory | goodput |
|---|---|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
{missing}
* A packet-hop is one link traversal, of data or of an ACK; a data packet takes three, its access links included. Both
  sides count them, at their transmitters.
* Times are CPU seconds, medians of {REPEATS} runs in turn, of ns-3 3 and 1, all single-threaded. `windward simulate`
  is all that a person waits for: Python's start, the scenario, result files. Its engine alone is
  `crates/sim/examples/dumbbell.rs`, a process of its own, whose start takes less than a hundredth of a second.
* On both sides: SACK, timestamps, an ACK for every second segment or after 40 ms, an initial
  window of ten segments of 1448 bytes, minimum timeout 200 ms. The RTT is 100 ms, the buffer one
  bandwidth-delay product, drop-tail, in packets.
  ns-3 leaves slow start by HyStart, its default; Windward overshoots, which is more work per hop.
* ns-3 is the wheel from the Python package index, driven from Python (`evidence/benches/sim/peer_ns3.py`). Built with
  its own optimised profile it needs about half the time and a tenth of the memory.
* At 1 Gbit/s ns-3 gets a duration of 2 s and is stopped after {PATIENCE_S} s of CPU, in the repair of the overshoot,
  where it scans a scoreboard of some ten thousand segments at every ACK. The ratio a hop is that of this phase; over
  20 s it is in the thousands.

## Ten thousand flows

| | packet-hops | a hop | beside the first row | peak memory |
|---|---|---|---|---|
{chr(10).join(bench.crowd())}

Medians of 5. What a crowd costs is memory: 40 000 access links and 10 000 connections do not fit the caches, so that
a hop waits for them. In the first seconds packets travel in bursts, which find their link in the cache; later each
packet comes to a cold one.

## Instructions and allocations

{bench.instructions()}

The hot path allocates nothing: `crates/sim/tests/it/allocations.rs` counts that a run of twice the length makes no more
allocations.
"""
    PAGE.write_text(page)
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

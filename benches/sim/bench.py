"""Measures the packet simulator, beside ns-3 where it can be had, and writes docs/benchmarks.md.

    python benches/sim/bench.py --windward .venv/bin/windward --ns3 .venv-ns3/bin/python

Each figure is the median over runs of whole processes as the operating system counts them; the peers run in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PEER = Path(__file__).with_name("peer_ns3.py")
PAGE = ROOT / "docs" / "benchmarks.md"


@dataclass
class Measured:
    """Runs of one command."""

    cpu_s: list[float] = field(default_factory=list)
    rss_mib: list[float] = field(default_factory=list)
    said: str = ""

    @property
    def cpu(self) -> float:
        return statistics.median(self.cpu_s)

    @property
    def rss(self) -> float:
        return max(self.rss_mib)


#: ns-3 is stopped after so many seconds: its scoreboard scans windows of 17 000 segments at every ACK.
PATIENCE_S = 90


def measure(command: list[str], into: Measured) -> None:
    """Runs a command once and adds what it took; what is stopped has said nothing."""
    with tempfile.TemporaryFile("w+") as out:
        limited = ["timeout", "--signal=KILL", str(PATIENCE_S), *command]
        process = subprocess.Popen(limited, stdout=out, stderr=subprocess.DEVNULL, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        # `timeout` kills the command and itself.
        is_stopped = os.waitstatus_to_exitcode(status) in (-9, 137)
        if status != 0 and not is_stopped:
            raise SystemExit(f"{' '.join(command)} ended with status {status}")
        out.seek(0)
        into.said = out.read()
    into.cpu_s.append(PATIENCE_S if is_stopped else usage.ru_utime + usage.ru_stime)
    into.rss_mib.append(usage.ru_maxrss / 1024)


def in_turn(commands: dict[str, list[str]], times: dict[str, int]) -> dict[str, Measured]:
    """Runs the commands in turn, each as often as asked."""
    results = {name: Measured() for name in commands}
    for turn in range(max(times.values())):
        for name, command in commands.items():
            if turn < times[name]:
                measure(command, results[name])
                print(f"  {name}: {results[name].cpu_s[-1]:.2f} s", file=sys.stderr)
    return results


def ours(said: str) -> dict[str, float]:
    """`events 1 hops 2 …` as numbers."""
    words = said.split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2], strict=True)}


def peer(said: str) -> dict[str, float]:
    """The line of JSON among what ns-3's bindings say."""
    return json.loads(next(line for line in said.splitlines() if line.startswith("{")))


def case(binary: str, ns3: str | None, numbers: list[int], peer_seconds: int, repeats: int) -> list[str]:
    """A table row for ours and one for ns-3, of one dumbbell."""
    arguments = ["cubic", *map(str, numbers)]
    short = ["cubic", *map(str, numbers[:-1]), str(peer_seconds)]
    commands = {"windward": [binary, *arguments]}
    times = {"windward": repeats}
    if ns3:
        commands["ns-3"] = [ns3, str(PEER), "dumbbell", *short]
        times["ns-3"] = 1
    results = in_turn(commands, times)
    mine = results["windward"]
    said = ours(mine.said)
    rate = said["hops"] / mine.cpu
    name = f"{numbers[0]} flows, {numbers[1]} Mbit/s, {numbers[-1]} s"
    rows = [
        f"| {name} | Windward | {said['hops'] / 1e6:.2f} M | {mine.cpu:.3f} s | {rate / 1e6:.1f} M/s | "
        f"{1e9 / rate:.0f} ns | {1e9 * mine.cpu / said['events']:.0f} ns | {mine.rss:.0f} MiB | "
        f"{said['goodput_mbit']:.1f} Mbit/s |"
    ]
    if ns3 and "{" not in results["ns-3"].said:
        stopped = f"stopped after {results['ns-3'].cpu:.0f} s"
        rows.append(f"| the same, {peer_seconds} s | ns-3 | – | {stopped} | – | – | – | – | – |")
    elif ns3:
        theirs = results["ns-3"]
        said = peer(theirs.said)
        alone = said["hops"] / said["run_cpu_s"]
        rows.append(
            f"| the same, {peer_seconds} s | ns-3 | {said['hops'] / 1e6:.2f} M | {theirs.cpu:.1f} s "
            f"({said['run_cpu_s']:.1f} s run alone) | {alone / 1e6:.3f} M/s | {1e9 / alone:.0f} ns | – | "
            f"{theirs.rss:.0f} MiB | {said['goodput_mbit']:.1f} Mbit/s |"
        )
        rows.append(f"| | **ratio** | | | **{rate / alone:.0f}** | | | **{mine.rss / theirs.rss:.2f}** | |")
    return rows


def command_line(windward: str) -> str:
    """The whole `windward simulate`, start-up, tables and files included."""
    with tempfile.TemporaryDirectory() as folder:
        result = Measured()
        for at in range(3):
            target = str(Path(folder) / str(at))
            measure([windward, "simulate", "scenarios/dumbbell.toml", "--seeds", "1", "--quiet", "-o", target], result)
    return (
        f"`windward simulate scenarios/dumbbell.toml` as a whole process, Python's start and result files included: "
        f"{result.cpu:.2f} s of CPU, {result.rss:.0f} MiB."
    )


def crowd(binary: str) -> str:
    """Cost of a hop with very many flows beside that with few, on one bottleneck."""
    few, many = ["cubic", "16", "10000", "100", "83340", "5"], ["cubic", "10000", "10000", "100", "83340", "5"]
    results = in_turn({"16": [binary, *few], "10 000": [binary, *many]}, {"16": 5, "10 000": 5})
    cost = {name: result.cpu / ours(result.said)["hops"] * 1e9 for name, result in results.items()}
    return (
        f"10 000 flows on one bottleneck of 10 Gbit/s cost {cost['10 000']:.0f} ns a packet-hop, 16 flows "
        f"{cost['16']:.0f} ns: {cost['10 000'] / cost['16']:.1f} times as much (5 s simulated, median of 5). "
        f"Peak memory with 10 000 flows: {results['10 000'].rss:.0f} MiB."
    )


def instructions(binary: str) -> str:
    """Instructions by callgrind, which counts and does not time."""
    if not shutil.which("valgrind"):
        return "Instructions were not counted: valgrind is not installed."
    counts = []
    for seconds in ("6", "12"):
        command = [
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            binary,
            "cubic",
            "16",
            "100",
            "100",
            "834",
            seconds,
        ]
        run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
        total = int(re.search(r"Collected : (\d+)", run.stderr)[1])
        counts.append((total, ours(run.stdout)["hops"], ours(run.stdout)["events"]))
    (first, hops, events), (second, more_hops, more_events) = counts
    extra = second - first
    return (
        f"Instructions (callgrind, 16 flows, seconds 6 to 12, so without start-up): {extra / (more_hops - hops):.0f} a "
        f"packet-hop, {extra / (more_events - events):.0f} an event."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--windward", required=True, help="the windward command")
    parser.add_argument("--ns3", help="a Python in which ns-3 is installed")
    options = parser.parse_args()
    ns3 = options.ns3 if options.ns3 and Path(options.ns3).exists() else None
    if ns3 is None:
        print("ns-3 is not installed: its column is left out", file=sys.stderr)
    build = [
        "cargo",
        "build",
        "--release",
        "--locked",
        "-p",
        "windward-sim",
        "--example",
        "dumbbell",
        "--message-format=json",
    ]
    built = subprocess.run(build, capture_output=True, text=True, cwd=ROOT, check=True).stdout
    binary = next(
        line["executable"]
        for line in map(json.loads, built.splitlines())
        if line.get("executable") and line["target"]["name"] == "dumbbell"
    )
    rows = case(binary, ns3, [16, 100, 100, 834, 60], 60, 9)
    rows += case(binary, ns3, [2, 1000, 100, 8334, 20], 2, 9)
    without = "" if ns3 else "\nns-3 was not installed on the machine that made this page.\n"
    page = f"""# Speed of the packet simulator

<!-- Generated: make bench -->

Written by `make bench` on a shared virtual machine with two cores: read the ratios, not the seconds. A packet-hop
is one link traversal, of data or ACKs; the dumbbell has access links at either end, so a data packet takes three.
CPU is of the whole process, median of 9 runs (ns-3: one run), single-threaded. TCP has SACK, timestamps, delayed
ACKs, a first window of ten on both sides. ns-3 is the wheel from the Python package index, driven from Python; its
packet-hops are counted from what was delivered, its rate from the run alone, without start-up. Run `python
benches/sim/peer_ns3.py` to repeat its side.

| dumbbell, CUBIC | simulator | packet-hops | CPU | rate | a hop | an event | peak memory | goodput |
|---|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
{without}
{command_line(options.windward)}

{crowd(binary)}

{instructions(binary)}

Allocations on the hot path: none; `crates/sim/tests/allocations.rs` counts them.
"""
    PAGE.write_text(page)
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

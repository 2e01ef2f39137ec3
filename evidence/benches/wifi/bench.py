"""Measures wireless networks beside ns-3, where it can be had, and writes evidence/measured/benchmarks/wifi.md.

    python evidence/benches/wifi/bench.py --ns3 .venv-ns3/bin/python

Times are CPU seconds: of our engine's whole process, of ns-3's run without its start.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from cases import Case, grid, star

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3, example, why_no_ns3  # noqa: E402

PEER = Path(__file__).with_name("peer_ns3.py")
PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "wifi.md"
REPEATS = 5


@dataclass(frozen=True)
class Run:
    """CPU time and output of one of our runs."""

    cpu_s: float
    said: dict[str, float]


class Engine:
    """An example of `crates/sim` that says `events 1 frames 2 …`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.binary = example(name)

    def run(self, *arguments: object) -> Run:
        """The median of several runs."""
        times = []
        for _ in range(REPEATS):
            with tempfile.TemporaryFile("w+") as out:
                process = subprocess.Popen([self.binary, *map(str, arguments)], stdout=out)
                _, status, usage = os.wait4(process.pid, 0)
                if status:
                    raise SystemExit(f"{self.name} {arguments} ended with status {status}")
                out.seek(0)
                said = understand(out.read())
            times.append(usage.ru_utime + usage.ru_stime)
        return Run(statistics.median(times), said)

    def instructions(self, *arguments: object) -> tuple[float, dict[str, float]]:
        """Instructions of a run, and what it said."""
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self.binary, *map(str, arguments)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        counted = re.search(r"refs:\s+([\d,]+)", run.stderr)
        if counted is None:
            raise SystemExit("callgrind counted nothing")
        return float(counted[1].replace(",", "")), understand(run.stdout)

    def per(self, unit: str, *arguments: object, seconds: tuple[int, int]) -> float:
        """Instructions per `unit` between two instants, so without the start."""
        (first, early), (second, late) = (self.instructions(*arguments, end) for end in seconds)
        return (second - first) / (late[unit] - early[unit])


def understand(said: str) -> dict[str, float]:
    """Reads `events 1 frames 2 …`."""
    words = said.split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2], strict=True)}


def ns3(python: str, case: Case) -> tuple[float, float]:
    """CPU seconds and goodput in Mbit/s of one run."""
    [[said]] = Ns3(python, PEER, given=[case.plain()]).answers()
    return said["run_cpu_s"], sum(said["goodput_mbit"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    missing = why_no_ns3(python)
    engine = Engine("wifi")
    rows = []
    for what, arguments, case in (
        ("4 × 4 grid, four TCP flows, 100 s", ("grid", 100), replace(grid("tcp", False), warmup_s=1, seeds=1)),
        ("20 stations, saturated, 20 s", ("star", 20, 20), replace(star(20, "802.11b", False), warmup_s=1, seeds=1)),
    ):
        run = engine.run(*arguments)
        frames = run.said["frames"]
        beside = "– | – | –"
        if python and not missing:
            cpu, goodput = ns3(python, case)
            beside = f"{goodput:.2f} Mbit/s | {cpu:.1f} s | **{cpu / run.cpu_s:.0f}**"
        rows.append(
            f"| {what} | {frames:.0f} | {run.said['goodput_mbit']:.2f} Mbit/s | {run.cpu_s:.3f} s | "
            f"{1e9 * run.cpu_s / frames:.0f} ns | {beside} |"
        )
        print(rows[-1], flush=True)
    counted = "Instructions were not counted: valgrind is not installed."
    if shutil.which("valgrind"):
        lines = []
        base = 0.0
        for stations in (100, 300, 1000):
            cost = engine.per("frames", "plane", stations, seconds=(5, 10))
            base = base or cost
            lines.append(f"| {stations} | {cost:.0f} | {cost / base:.2f} |")
        of_grid, of_star = (engine.per("frames", *which, seconds=(5, 10)) for which in (("grid",), ("star", 20)))
        counted = f"""| stations on the plane | instructions a frame | beside 100 |
|---|---|---|
{chr(10).join(lines)}

Counted by callgrind over seconds 5 to 10, so without the start. The plane has 40 stations in a square of 1 km, of which
those within 550 m sense a frame; each offers 50 kbit/s to the nearest other one. (Of 100 stations more stand near the
edge, and are heard by fewer.) The grid takes {of_grid:.0f} instructions a frame, the star of 20 stations
{of_star:.0f}."""
    without = f"\nns-3 took no part when this page was made: {missing}.\n" if missing else ""
    PAGE.write_text(f"""# Speed of wireless networks

<!-- Generated: make bench -->

802.11b at 11 Mbit/s, control frames at 1 Mbit/s, no RTS. Written by `make bench` on a shared virtual machine with two
cores: read the ratios, not the seconds.

| network | data frames and ACKs | goodput | CPU | a frame | ns-3: goodput | ns-3: CPU | ns-3's over ours |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
{without}
* Ours is the engine alone, `crates/sim/examples/wifi.rs`, a process of its own: median of {REPEATS} runs.
* ns-3 is the wheel from the Python package index, one run of the same network, without the start of Python and its
  bindings. The results are compared [on another page](wifi-ns3.md).
* A station that defers costs nothing while others send: the calendar holds one event for it, at or before the instant
  at which its backoff can end.

## What a frame costs

{counted}

The hot path allocates nothing: `crates/sim/tests/it/allocations.rs` counts that a run of twice the length makes no more
allocations.
""")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

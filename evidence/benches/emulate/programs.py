"""Downloads by curl from nginx over random lines beside the simulator's and the emulator's.

python evidence/benches/emulate/programs.py [LINES]; as root, forty minutes in real time for 24 lines, on a machine that
does nothing else, to evidence/measured/validation/programs.md. Finished lines are kept in results/programs. Needs nginx
and curl: without one of them the comparison is skipped, which it prints with its reason. Ends with 1 where a median is
off by more than the tolerance.
"""

from __future__ import annotations

import json
import os
import platform
import random
import shutil
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from nginx import LAW, Network, behind, off, scenario, site
from page import table
from repeat import in_time

import windward as ww
from windward.results._files import replace_text

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "programs.md"
KEPT = ROOT / "results" / "programs"
LINES, SEED = 24, 57
SIZES = (5_000, 100_000, 700_000, 5_000_000)
#: Downloads of each size over each line.
REPEATS = 7
#: Tolerance of a median, and what curl and nginx themselves take, in seconds, which no model has.
WITHIN, OWN_S = 0.02, 0.001
#: Lateness of the 99th of 100 packets at which a run is repeated, in seconds.
LATE_S = 0.0005
#: Sizes nearby, in bytes: where a buffer is full by one packet, a segment more or less decides on a loss.
NEARBY = (-1448, -1000, -500, 500, 1000, 1448)

#: Prints the times of the downloads of each size, and the bytes of the headers.
CLIENT = """\
import json, subprocess, sys, time
base, repeats, sizes = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
for _ in range(200):
    if subprocess.run(["curl", "-s", "-o", "/dev/null", base + "/" + sizes[0]]).returncode == 0:
        break
    time.sleep(0.05)
form = "%{time_total} %{size_header} %{size_request}"
found = {}
for size in sizes:
    for _ in range(repeats):
        time.sleep(0.3)
        command = ["curl", "-s", "-o", "/dev/null", "-w", form, "-H", "Connection: close", base + "/" + size]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.setdefault(size, []).append(done.stdout.split())
print(json.dumps(found))
"""


class Download(NamedTuple):
    """Downloads of a size: median in seconds, bytes of the response's header and of the request, and lateness."""

    time: float
    header: int
    request: int
    late: float


def lines(count: int) -> list[Network]:
    """Random lines: 5 to 100 Mbit/s, 10 to 120 ms, and a buffer of half to two bandwidth-delay products."""
    draw = random.Random(SEED)
    found = []
    for _ in range(count):
        down = round(5 * 20 ** draw.random(), 1)
        up = round(max(1.0, down * draw.uniform(0.1, 1.0)), 1)
        rtt = round(10 * 12 ** draw.random(), 1)
        product = down * 1e6 * rtt * 1e-3 / 8 / 1500
        packets = max(20, round(product * draw.uniform(0.5, 2.0)))
        name = f"{down:g}/{up:g} Mbit/s, {rtt:g} ms, {packets} packets"
        found.append(Network(name, f"{down} Mbit/s", f"{up} Mbit/s", f"{rtt / 2:g} ms", f"{packets} packets"))
    return found


def measured(network: Network, kept: Path) -> dict[int, Download]:
    """Downloads by curl over the line, between namespaces; the least late of at most three runs."""
    if kept.exists():
        return {int(size): Download(*own) for size, own in json.loads(kept.read_text(encoding="utf-8")).items()}
    best: tuple[float, Any] | None = None
    for _ in range(3):
        with tempfile.TemporaryDirectory() as place:
            config = site(Path(place), {str(size): bytes(size) for size in SIZES})
            client = config.with_name("client.py")
            client.write_text(CLIENT, encoding="utf-8")
            arguments = [str(REPEATS), ",".join(map(str, SIZES))]
            found, late = behind(network, config, [sys.executable, str(client)], "", arguments)
        if best is None or late < best[0]:
            best = (late, found)
        if late <= LATE_S:
            break
    assert best is not None
    late, found = best
    own = {
        int(size): Download(
            statistics.median(float(time) for time, _, _ in each), int(each[0][1]), int(each[0][2]), late
        )
        for size, each in found.items()
    }
    kept.parent.mkdir(parents=True, exist_ok=True)
    replace_text(kept, json.dumps(own))
    return own


def downloads(network: Network, size: int, real: Download) -> ww.Scenario:
    """Scenario of the downloads as an application; headers are part of the bytes."""
    app = ww.Requests(
        name="downloads",
        from_="client",
        to="server",
        law=LAW,
        tcp=ww.format.Tcp(stack="linux"),
        request=f"{real.request} B",
        response=f"{size + real.header} B",
        connections="new",
        arrivals=ww.format.ClosedArrivals(users=1, think="300 ms", think_spread="fixed"),
    )
    seconds = REPEATS * (real.time + 0.3) + 1
    return replace(scenario(network, app), name="programs", duration=f"{seconds:.1f} s")


def nearby(network: Network, size: int, real: Download) -> list[float]:
    """The simulator's medians for the sizes nearby, in seconds."""
    return [median(downloads(network, size + more, real).simulate(seeds=1)) for more in NEARBY]


def is_within(real: float, model: float) -> bool:
    """True if a median is that of curl, to the tolerance or to the time of the programs themselves."""
    return abs(model - real) <= max(WITHIN * real, OWN_S)


def median(run: ww.Run) -> float:
    """Median of the completion times, in seconds."""
    return float(run.requests["completion_s"].dropna().median())


def main() -> int:
    """Measures, and writes the page."""
    missing = [name for name in ("nginx", "curl") if shutil.which(name) is None]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed")
        return 0
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    rows, edges, missed = [], [], 0
    for number, network in enumerate(lines(count)):
        kept = KEPT / str(number)
        for size, real in measured(network, kept / "programs.json").items():
            model = downloads(network, size, real)
            ours = [
                median(model.simulate(seeds=1)),
                median(in_time(model.emulate, kept / str(size), late_s=LATE_S, seed=1, even_if_slow=True)),
            ]
            row = [network.name, f"{size / 1e3:g} kB", f"{1e3 * real.time:.1f}"]
            for own in ours:
                row += [f"{1e3 * own:.1f}", off(real.time, own)]
            rows.append([*row, f"{1e3 * real.late:.2f}"])
            print(rows[-1], flush=True)
            if not all(is_within(real.time, own) for own in ours):
                around = nearby(network, size, real)
                # Sizes that differ by as little as a segment take the same time, unless a loss begins there.
                jumps = max(around) > (1 + 2 * WITHIN) * min(around)
                if jumps and any(is_within(real.time, own) for own in around):
                    edges.append([*row[:3], " ".join(f"{1e3 * own:.1f}" for own in around)])
                else:
                    missed += 1
    columns = ["line", "size", "curl", "simulator", "off by", "emulator", "off by", "late, 99 %"]
    replace_text(
        PAGE,
        f"""# Downloads by curl from nginx over random lines, beside the simulator and the emulator

<!-- Generated: make validate WHAT=programs -->

Linux {platform.release()}, {os.cpu_count()} processors, CUBIC with HyStart. nginx and curl are at the ends of `windward
link`. The simulator and the emulator have the same line as a scenario, with `stack = "linux"` and an `[[app]]` whose
responses have the same numbers of bytes, headers included. The emulator's client and server are Windward's own, between
the same kernels.

Times in milliseconds, from the start of the handshake to the last byte: medians of {REPEATS} downloads, each over a
connection of its own. Lines are drawn from seed {SEED}: rate down and up, round trip, buffer. **Late:** 99 % of the
packets between the programs were late by less than this.

{table(columns, rows)}

A median is within {WITHIN:.0%} or {1e3 * OWN_S:g} ms of curl's, which is what curl and nginx themselves take, in
{len(rows) - len(edges) - missed} of {len(rows)} rows.

## Edges

Where a buffer is full by one packet's time, a segment more or less decides on a loss: a model has it and curl has none,
or the reverse. Sizes that differ by {", ".join(f"{more:+d}" for more in NEARBY)} bytes give the simulator curl's time.

{table(["line", "size", "curl", "simulator, sizes nearby"], edges)}

Rows that are neither: {missed}.
""".replace("%;", " %;")
        .replace("% or", " % or")
        .replace("WHAT%", "WHAT"),
    )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())

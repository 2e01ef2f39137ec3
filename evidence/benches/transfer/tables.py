"""chen2007's Tables I and II between real kernels: one TCP, E-MULTCP and two TCPs over emulated 1xRTT and EVDO.

    export WINDWARD_TRACES=FOLDER
    python evidence/benches/transfer/tables.py --at-once 12 --write evidence/measured/papers/chen2007-kernels.md

The links are those that evidence/papers/chen2007/live.py fitted in the simulator to the TCP column of the tables alone;
here a server with Reno sends through `windward link`, and `windward get --law emultcp` decides how many connections
there are. The recording is mahimahi's (see live.py). What was measured is kept in --journal. Needs nginx, and what
`windward link` needs.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from behind import behind, measured, parser, say
from bench import SERVER, WEB, WINDWARD, serve, version
from ends import parsed
from papers.chen2007 import live

from windward import __version__

#: Seconds of a run over 1xRTT, and how many there are; MB of a file over EVDO, starts along it, and seconds at most.
SPAN, RUNS = 900.0, 4
FILE, STARTS, PATIENCE = 5, 8, 600.0
#: A row of a table, and how `windward get` makes it.
PROTOCOLS = {
    "TCP": ["-n", "1"],
    "E-MULTCP": ["--law", "emultcp"],
    "E-MULTCP, τ = 5 s": ["--law", "emultcp(tau=5)"],
    "2 TCPs": ["-n", "2"],
}


@dataclass(frozen=True)
class Place:
    """A network, and the trace of it from a start on, where it is recorded."""

    access: live.Access
    trace: Callable[[], list[int]] | None
    starts: int


PLACES = {
    "1xRTT": Place(live.ONE_X, None, RUNS),
    "EVDO, the drive": Place(live.EVDO_DRIVE, live.recording, STARTS),
    "EVDO, steady stretches": Place(live.EVDO_STEADY, lambda: live.steady(live.recording()), STARTS),
}


@dataclass(frozen=True)
class Task:
    """A run."""

    place: str
    protocol: str
    start: int


@dataclass(frozen=True)
class Outcome:
    """Result of one run; `connections` is the mean over the run."""

    kbps: float
    queue_ms: float
    connections: float
    is_realtime: bool


def attempt(task: Task) -> Outcome:
    """A download behind a link, in an empty folder and without a memory of former ones."""
    place = PLACES[task.place]
    path = place.access
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if place.trace is None:
            rate = ["--rate", f"{path.kbps}kbit,1mbit"]
        else:
            trace = place.trace()
            piece = live.cut(trace, task.start * trace[-1] / 1000 / place.starts, PATIENCE)
            (folder / "down").write_text("".join(f"{t}\n" for t in piece))
            # A millisecond for a packet on the way back: 12 Mbit/s.
            (folder / "up").write_text("1\n")
            rate = ["--trace", f"{folder / 'down'},{folder / 'up'}"]
        options = [
            *(*rate, "--delay", f"{path.base_ms / 2}ms", "--buffer", f"{path.buffer},1000"),
            *("--loss", f"{path.loss * 100}%,0"),
        ]
        span, size = (SPAN, 100) if place.trace is None else (PATIENCE, FILE)
        run = [task.protocol, str(span)]
        seed = task.start + 1
        return Outcome(**behind(folder, __file__, options, run, congestion="reno", megabytes=size, seed=seed))


def run(protocol: str, outcome: Path, span_s: float) -> None:
    """The near side of the link."""
    samples = Path("samples")
    command = [*WINDWARD, "--json", *PROTOCOLS[protocol], f"http://{SERVER}:{WEB}/file"]
    begun = time.monotonic()
    with samples.open("w") as out:
        process = subprocess.Popen(command, stdout=out)
        try:
            process.wait(span_s)
        except subprocess.TimeoutExpired:
            process.kill()
    seconds = time.monotonic() - begun
    seen = [sample for line in samples.read_text().splitlines() if (sample := parsed(line))]
    # Of a file that is whole the last part may have come after the last sample.
    is_whole = process.returncode == 0
    received = FILE * 1e6 if is_whole else max(sample["received_bytes"] for sample in seen)
    connections = statistics.mean(sample["connections"] for sample in seen)
    outcome.write_text(json.dumps({"kbps": received * 8e-3 / seconds, "connections": connections}))
    os._exit(0)


def page(found: dict[Task, Outcome]) -> str:
    """The page."""
    tables = []
    for place, setting in PLACES.items():
        printed = live.PRINTED[setting.access.name]
        packet_ms = 12e3 / setting.access.kbps if setting.access.kbps else 0.0
        rows, tcp = [], 0.0
        for protocol in PROTOCOLS:
            runs = [found[Task(place, protocol, start)] for start in range(setting.starts)]
            mean, error = (
                statistics.mean(r.kbps for r in runs),
                statistics.stdev(r.kbps for r in runs) / len(runs) ** 0.5,
            )
            tcp = tcp or mean
            rtt = setting.access.base_ms + packet_ms + statistics.mean(r.queue_ms for r in runs)
            count = statistics.mean(r.connections for r in runs)
            print_ = printed.get(protocol.split(",")[0])
            theirs = (
                f"{print_[0]:g}, {print_[0] / printed['TCP'][0]:.2f}, {print_[1]:g}, {print_[2]:g}" if print_ else ""
            )
            mark = "" if all(r.is_realtime for r in runs) else " †"
            rows.append(
                f"| {protocol} | {mean:.0f} ± {error:.0f}{mark} | {mean / tcp:.2f} | {rtt:.0f} "
                f"| {count:.2f} | {theirs} |"
            )
        tables.append(
            f"**{place}** ({setting.access.base_ms:g} ms, {setting.access.loss:.2%} loss, "
            f"{setting.access.buffer} packets)\n\n"
            "| | kbit/s | over TCP | RTT, ms | connections | printed: kbit/s, over TCP, RTT, connections |\n"
            "|---|---|---|---|---|---|\n" + "\n".join(rows)
        )
    is_late = any(not outcome.is_realtime for outcome in found.values())
    marked = "\n† In one of the runs the machine was too busy to emulate the link on time.\n" if is_late else ""
    return f"""\
# Tables I and II of chen2007 between real kernels

`windward get` {__version__} from {version("nginx")} with Reno; Linux {platform.release()}. By

    export WINDWARD_TRACES=FOLDER
    python evidence/benches/transfer/tables.py --at-once 12 --write evidence/measured/papers/chen2007-kernels.md

The networks of 2007 no longer exist. [The ledger](chen2007.md) fits links to the TCP column alone in the simulator
(claims 52 to 54): 1xRTT is a constant rate, EVDO a recording that is not part of the repository. Here the same links
carry traffic between real kernels. The sender is Linux's Reno. The controller is that of `windward get --law emultcp`,
which reads the kernel's estimate of the round trip at the receiver.

Over 1xRTT there are {RUNS} runs of {SPAN:.0f} s with other losses. Along EVDO files of {FILE} MB begin at {STARTS}
places. ±: standard error. RTT is the sum of propagation, a packet's transmission and
the mean wait in the queue. E-MULTFRC is missing, because Linux has no TFRC.

{(chr(10) * 2).join(tables)}
{marked}"""


def main() -> None:
    """The command line; `serve` and `run` are for the two ends of the link."""
    if sys.argv[1:2] == ["serve"]:
        return serve(Path(sys.argv[2]))
    if sys.argv[1:2] == ["run"]:
        return run(sys.argv[3], Path(sys.argv[2]), float(sys.argv[4]))
    arguments = parser(__doc__, "results/chen2007-kernels.jsonl").parse_args()
    if not shutil.which("nginx"):
        print("skipped: nginx not installed")
        return None
    tasks = [
        Task(place, protocol, start)
        for place in PLACES
        for protocol in PROTOCOLS
        for start in range(PLACES[place].starts)
    ]
    found = measured(tasks, (Task, Outcome), attempt, arguments.journal, arguments.at_once)
    return say(page(found), arguments.write)


if __name__ == "__main__":
    main()

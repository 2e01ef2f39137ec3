"""`windward get` beside curl and aria2 over recordings of cellular links, through `windward link`.

    export WINDWARD_TRACES=FOLDER
    python evidence/benches/transfer/recordings.py --write evidence/measured/benchmarks/get-recordings.md

The recordings are mahimahi's (github.com/ravinet/mahimahi, folder traces, GPL 3), sought under their names in the
folder that WINDWARD_TRACES gives; nothing is fetched. What was measured is kept in --journal, and not measured again.
Needs nginx, curl, aria2c and what `windward link` needs.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

import ends
from behind import behind, measured, parser, say
from bench import TRIES, version
from ends import LEAD, Outcome

from windward import __version__

#: A recording, and MB of a file that takes half a minute of it.
RECORDINGS = {
    "Verizon-EVDO-driving": 2,
    "TMobile-UMTS-driving": 8,
    "ATT-LTE-driving-2016": 18,
    "Verizon-LTE-short": 20,
}
#: Where along the recording a download begins, as a share of it.
STARTS = (0.0, 0.33, 0.67)
#: Packets in the queue of a recorded link, and one-way delay.
DEPTH, DELAY = 200, "20 ms"
PROGRAMS = ("windward get", "curl", "aria2c -x16")


@dataclass(frozen=True)
class Task:
    """One measurement: a program on a recording, alone or beside a CUBIC flow that started earlier."""

    recording: str
    program: str
    has_rival: bool
    start: float


def attempt(task: Task) -> Outcome:
    """Runs a program to its end behind a link."""
    run = [task.program, str(LEAD * task.has_rival), "0"]
    with tempfile.TemporaryDirectory() as name:
        folder, size = Path(name), RECORDINGS[task.recording]
        found = behind(folder, ends.__file__, options(task, folder), run, congestion="cubic", megabytes=size, seed=1)
    return Outcome(**found)


def options(task: Task, folder: Path) -> list[str]:
    """Options of `windward link`; writes the recording, from the task's start on, to the folder."""
    ways = []
    for way in ("down", "up"):
        times = [int(line) for line in recording(task.recording, way).read_text().split()]
        begin = int(task.start * times[-1])
        path = folder / way
        path.write_text("".join(f"{t}\n" for t in sorted((t - begin - 1) % times[-1] + 1 for t in times)))
        ways.append(str(path))
    return ["--trace", ",".join(ways), "--delay", DELAY, "--buffer", str(DEPTH)]


def recording(name: str, way: str) -> Path:
    """The file of a recording."""
    return Path(os.environ["WINDWARD_TRACES"]) / f"{name}.{way}"


def page(found: dict[Task, Outcome]) -> str:
    """The page."""
    rows = []
    for place in RECORDINGS:
        for program in PROGRAMS:
            alone = [found[Task(place, program, False, start)] for start in STARTS]
            shared = [found[Task(place, program, True, start)] for start in STARTS]
            mark = "" if all(outcome.is_realtime for outcome in (*alone, *shared)) else " †"
            each = " ".join(f"{outcome.goodput:.2f}" for outcome in alone)
            mean = statistics.mean
            rows.append(
                f"| {place} | `{program}` | {mean(o.goodput for o in alone):.2f} ({each}){mark} "
                f"| {mean(o.queue_ms for o in alone):.0f} "
                f"| {mean(o.goodput for o in shared):.2f} | {mean(o.rival for o in shared):.2f} |"
            )
    is_late = any(not outcome.is_realtime for outcome in found.values())
    marked = "\n† The machine was too busy to keep the link's time in one of the runs.\n" if is_late else ""
    sizes, places = ", ".join(map(str, RECORDINGS.values())), ", ".join(f"{start:.0%}" for start in STARTS)
    return f"""\
# Downloads over recorded cellular links

`windward get` {__version__} beside {version("curl")} and {version("aria2c")}, from {version("nginx")} with CUBIC;
Linux {platform.release()}. By

    export WINDWARD_TRACES=FOLDER
    python evidence/benches/transfer/recordings.py --write evidence/measured/benchmarks/get-recordings.md

The recordings are mahimahi's (github.com/ravinet/mahimahi, folder `traces`), both directions, recorded while
driving; {DELAY} of propagation each way, a drop-tail queue of {DEPTH} packets, no loss but the queue's. A file of
{sizes} MB, from the program's start to its end, begun at {len(STARTS)} places of each recording ({places}); means,
in brackets each. The last two columns are other runs: the download beside a CUBIC flow that was there {LEAD:.0f} s
earlier, and what that flow has.

| recording | program | goodput, Mbit/s | queue, ms | shared: download | CUBIC flow |
|---|---|---|---|---|---|
{chr(10).join(rows)}
{marked}"""


def main() -> None:
    """The command line."""
    arguments = parser(__doc__, "results/get-recordings.jsonl").parse_args()
    if missing := [program for program in ("nginx", "curl", "aria2c") if not shutil.which(program)]:
        print(f"skipped: {', '.join(missing)} not installed")
        return None
    folder = os.environ.get("WINDWARD_TRACES")
    files = [recording(name, way) for name in RECORDINGS for way in ("down", "up")] if folder else []
    lacking = [str(file) for file in files if not file.exists()]
    if not folder or lacking:
        print(f"skipped: WINDWARD_TRACES names no folder with {', '.join(lacking) or ', '.join(RECORDINGS)}")
        return None
    tasks = [
        Task(place, program, has_rival, start)
        for place in RECORDINGS
        for has_rival in (False, True)
        for start in STARTS
        for program in PROGRAMS
    ]
    return say(
        page(measured(tasks, (Task, Outcome), attempt, arguments.journal, arguments.at_once, TRIES)), arguments.write
    )


if __name__ == "__main__":
    main()

"""Both ends of a link: bench.py's server, and a program that fetches a file from it, for a time or to its end.

`windward get` tells what it has received meanwhile; of other programs only the whole file counts. These are processes
of their own, which import little: they start while others are measured.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO

from behind import rival
from bench import ARIA2, FLOW, PROGRAMS, SERVER, WEB, WINDWARD, serve

#: The last seconds of a span, which are told apart.
LATE = 10.0
#: How much earlier the other flow begins, in seconds.
LEAD = 5.0
#: Seconds between two samples of `windward get --json`, and a little more.
LAST_SAMPLE = 0.6
#: Seconds after which a program that runs to its end is given up.
PATIENCE = 600.0


@dataclass(frozen=True)
class Outcome:
    """Result of one measurement; rates in Mbit/s."""

    goodput: float
    late: float
    queue_ms: float
    rival: float
    is_realtime: bool


def run(program: str, outcome: Path, lead_s: float, span_s: float) -> None:
    """The program, for `span_s` or, where that is 0, to its end, and what a rival receives meanwhile."""
    heard = rival((SERVER, FLOW), lead_s)
    url, before, begun = f"http://{SERVER}:{WEB}/file", heard(), time.monotonic()
    is_ours = program == "windward get"
    command = [*(WINDWARD if is_ours else ARIA2 if program.startswith("aria2c") else PROGRAMS[program]), url]
    if program.startswith("aria2c"):
        command[1:1] = ["-x16", "-s16"]
    seen: list[tuple[float, float]] = [(0.0, 0.0)]
    process = subprocess.Popen(
        [*command, "--json"] if is_ours else command, stdout=subprocess.PIPE if is_ours else None, text=True
    )
    if process.stdout:
        threading.Thread(target=watch, args=(process.stdout, begun, seen), daemon=True).start()
    try:
        process.wait(span_s or PATIENCE)
    except subprocess.TimeoutExpired:
        if not span_s:
            process.kill()
            raise
    seconds, brought = time.monotonic() - begun, heard() - before
    goodput = late = math.nan
    if not span_s:
        goodput = Path("file").stat().st_size * 8e-6 / seconds
    elif is_ours:
        # The sample after the end is still to come.
        time.sleep(LAST_SAMPLE)
        at = {mark: brought_by(seen, mark) for mark in (span_s - LATE, span_s)}
        goodput, late = at[span_s] * 8e-6 / span_s, (at[span_s] - at[span_s - LATE]) * 8e-6 / LATE
    process.kill()
    outcome.write_text(json.dumps({"goodput": goodput, "late": late, "rival": brought * 8e-6 / seconds}))
    os._exit(0)


def watch(lines: IO[str], begun: float, seen: list[tuple[float, float]]) -> None:
    """Notes when `windward get --json` told what it had received, by the clock that started with the program."""
    for line in lines:
        if sample := parsed(line):
            seen.append((time.monotonic() - begun, sample["received_bytes"]))


def brought_by(seen: list[tuple[float, float]], mark: float) -> float:
    """Bytes received by then, between samples in proportion to time."""
    (before, few), (after, many) = next(pair for pair in pairwise(seen) if pair[1][0] >= mark)
    return few + (many - few) * (mark - before) / (after - before)


def parsed(line: str) -> dict[str, float] | None:
    """A sample of what `windward get --json` prints; a line that was cut off is none."""
    with contextlib.suppress(json.JSONDecodeError):
        found = json.loads(line)
        if "received_bytes" in found and "time_s" in found:
            return dict(found)
    return None


def main() -> None:
    """The command line, as `behind` gives it."""
    match sys.argv[1:]:
        case ["serve", folder]:
            serve(Path(folder))
        case ["run", outcome, program, lead_s, span_s]:
            run(program, Path(outcome), float(lead_s), float(span_s))


if __name__ == "__main__":
    main()

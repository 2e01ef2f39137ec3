"""Tools of the transfer benches: programs behind `windward link`, and a journal of measurements."""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


def behind(
    folder: Path, bench: str, options: Sequence[str], run: Sequence[str], *, congestion: str, megabytes: int, seed: int
) -> dict[str, Any]:
    """Runs `bench run …` behind a link whose other end runs `bench serve FOLDER` and has `file` of `megabytes` MB.

    The same `seed` loses the same packets, so that repeated runs need different ones. In an empty folder, without a
    memory of former runs. Returns what the program left in outcome.json, the mean queueing delay towards it as
    `queue_ms`, and whether the link kept its time as `is_realtime`.
    """
    place, report = folder / "place", folder / "report.json"
    (folder / "files").mkdir()
    place.mkdir()
    with (folder / "files" / "file").open("wb") as file:
        file.truncate(megabytes * 1_000_000)
    command = [
        *(sys.executable, "-m", "windward", "link", *options, "--congestion", congestion, "--seed", str(seed)),
        *("--server", f"{sys.executable} {bench} serve {folder}", "--report", str(report)),
        *("--", sys.executable, bench, "run", str(folder / "outcome.json"), *run),
    ]
    surroundings = os.environ | {"XDG_CACHE_HOME": str(place)}
    ended = subprocess.run(command, cwd=place, env=surroundings, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(f"{list(run)}: {ended.stderr[-2000:]}")
    link, found = json.loads(report.read_text()), json.loads((folder / "outcome.json").read_text())
    kept = {"queue_ms": link["down"]["mean_queue_delay_s"] * 1000, "is_realtime": link["quality"]["problem"] is None}
    return {**found, **kept}


def rival(address: tuple[str, int], lead_s: float) -> Callable[[], int]:
    """A flow from `address` that has the link to itself for a while, if any; tells how many bytes it has brought."""
    received = 0

    def receive(peer: socket.socket) -> None:
        nonlocal received
        while block := peer.recv(1 << 16):
            received += len(block)

    if lead_s:
        threading.Thread(target=receive, args=(socket.create_connection(address),), daemon=True).start()
        time.sleep(lead_s)
    return lambda: received


def measured(
    tasks: Sequence[Task],
    kinds: tuple[type[Task], type[Outcome]],
    attempt: Callable[[Task], Outcome],
    journal: Path,
    at_once: int,
    tries: int = 1,
) -> dict[Task, Outcome]:
    """Outcomes of all tasks; measures those missing from the journal, `at_once` of them in parallel.

    Repeats a task until the link is on time, `tries` times at most. `kinds` are the dataclasses of tasks and outcomes;
    the journal stores their fields.
    """
    done: dict[Task, Outcome] = {}
    journal.parent.mkdir(parents=True, exist_ok=True)
    if journal.exists():
        entries = [json.loads(line) for line in journal.read_text().splitlines()]
        done |= {kinds[0](**entry["task"]): kinds[1](**entry["outcome"]) for entry in entries}
    left = [task for task in tasks if task not in done]
    lock, begun = threading.Lock(), time.monotonic()

    def one(task: Task) -> None:
        for _ in range(tries):
            outcome: Any = attempt(task)
            if outcome.is_realtime:
                break
        with lock, journal.open("a") as file:
            entry: Any = task
            file.write(json.dumps({"task": asdict(entry), "outcome": asdict(outcome)}) + "\n")
            done[task] = outcome
            missing = sum(task not in done for task in tasks)
            minutes = (time.monotonic() - begun) / (len(left) - missing) * missing / 60
            print(f"{len(tasks) - missing} of {len(tasks)}, {minutes:.0f} min left: {task} {outcome}", flush=True)

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(one, left))
    return done


def parser(doc: str | None, journal: str) -> argparse.ArgumentParser:
    """The options of these benches."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--journal", type=Path, metavar="FILE", default=Path(journal), help="what was measured")
    made.add_argument("--at-once", type=int, default=1, metavar="N", help="number of links at the same time")
    made.add_argument("--write", type=Path, metavar="FILE", help="write the page there")
    return made


def say(text: str, where: Path | None) -> None:
    """The page, to its file or to the terminal."""
    if where:
        where.write_text(text)
    else:
        print(text)

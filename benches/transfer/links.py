"""`windward get` over thirty constant links and over recordings of cellular ones, through `windward link`.

    python benches/transfer/links.py draws --write docs/measured/benchmarks/get-links.md
    export WINDWARD_TRACES=FOLDER
    python benches/transfer/links.py recordings --write docs/measured/benchmarks/get-recordings.md

The constant links are those of links.csv: RTT 20 to 300 ms, 5 to 50 Mbit/s, independent loss of 0.3 to 4 % towards the
receiver, a drop-tail queue of 0.5 to 4 bandwidth-delay products, each uniform in its logarithm (`draw` makes the file
from its seed). The recordings are mahimahi's (github.com/ravinet/mahimahi, folder traces, GPL 3), sought under their
names in the folder that WINDWARD_TRACES gives; nothing is fetched. What was measured is kept in --journal, and not
measured again. Needs nginx, curl, aria2c for the recordings, and what `windward link` needs. The thirty links take a
quarter of an hour, and another 37 minutes for each of the --repeats beside a neighbour: two hours, or three quarters of
one with --at-once 3 where there are processors for it; then 22 minutes for each link that is measured --again, and
half a minute for the simulated runs.
"""

from __future__ import annotations

import contextlib
import csv
import json
import math
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import IO

from behind import behind, measured, parser, rival, say
from bench import ARIA2, FLOW, PROGRAMS, SERVER, TRIES, WEB, WINDWARD, serve, version
from simulated import kept as kept_simulated

import windward as ww
from windward import __version__

LINKS = Path(__file__).parent / "links.csv"
SEED = 2029
#: Seconds that a download over a constant link is watched, of which the last LATE are told apart; how much earlier a
#: rival begins.
SPAN, LATE, LEAD = 30.0, 10.0, 5.0
#: Within so many seconds `windward get --json` tells how much it has received, and a little more.
LAST_SAMPLE = 0.6
#: Standard deviation of the ratio of what a neighbour has in two runs beside one curl, in sixteen pairs; what a normal
#: variable is below its mean with 5 %, in those.
NOISE, SIDE = 0.14, 1.645
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
#: Seconds after which a program on a recording is given up.
PATIENCE = 600.0
RIVALS = ("windward get", "curl", "aria2c -x16")


@dataclass(frozen=True)
class Link:
    """A constant link."""

    rate_mbps: float
    rtt_ms: float
    loss_percent: float
    buffer_bdp: float

    @property
    def best_mbps(self) -> float:
        """C(1 - p)."""
        return self.rate_mbps * (1 - self.loss_percent / 100)

    @property
    def limit_ms(self) -> float:
        """The longest mean queue that a download should make."""
        return self.rtt_ms / 4 + 10

    @property
    def buffer(self) -> str:
        """Of the queue, in bytes."""
        return f"{self.rate_mbps * 1e6 / 8 * self.rtt_ms / 1e3 * self.buffer_bdp:.0f}B"

    def options(self) -> list[str]:
        """Of `windward link`."""
        return [
            *("--rate", f"{self.rate_mbps}mbit,1gbit", "--delay", f"{self.rtt_ms / 2}ms"),
            *("--buffer", f"{self.buffer},1000", "--loss", f"{self.loss_percent}%,0"),
        ]

    def simulated(self) -> ww.Link:
        """The same in the packet simulator."""
        return ww.Link(
            name="link",
            from_="server",
            to="client",
            rate=f"{self.rate_mbps} Mbit/s",
            delay=f"{self.rtt_ms / 2} ms",
            buffer=self.buffer,
            loss=self.loss_percent / 100,
            reverse=ww.Reverse(rate="1 Gbit/s", buffer="1000 packets", loss=0.0),
        )


@dataclass(frozen=True)
class Task:
    """What is measured once: a program on a link or recording, alone or beside a CUBIC flow that was there first."""

    place: str
    program: str
    has_rival: bool
    start: float = 0.0
    #: Beside a rival on a constant link, which run it is.
    repeat: int = 0


@dataclass(frozen=True)
class Outcome:
    """What was found; rates in Mbit/s."""

    goodput: float
    late: float
    queue_ms: float
    rival: float
    is_realtime: bool


def draw(seed: int, count: int) -> str:
    """The file of links."""
    source = random.Random(seed)
    rows = ["rate_mbps,rtt_ms,loss_percent,buffer_bdp"]
    for _ in range(count):
        rate, rtt, loss, buffer = (
            math.exp(source.uniform(math.log(low), math.log(high)))
            for low, high in ((5, 50), (20, 300), (0.3, 4), (0.5, 4))
        )
        rows.append(f"{rate:.1f},{rtt:.0f},{loss:.2f},{buffer:.2f}")
    return "\n".join(rows) + "\n"


@cache
def links() -> list[Link]:
    """The constant links."""
    with LINKS.open() as file:
        return [Link(**{name: float(value) for name, value in row.items()}) for row in csv.DictReader(file)]


def attempt(task: Task) -> Outcome:
    """Runs a program behind a link."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = [task.program, str(LEAD * task.has_rival), str(span(task))]
        found = behind(folder, __file__, options(task, folder), run, congestion="cubic", megabytes=size(task))
        return Outcome(**found)


def size(task: Task) -> int:
    """MB of the file: more than the time on a constant link brings."""
    if task.place.isdigit():
        return math.ceil(links()[int(task.place)].rate_mbps * 2 * SPAN / 8)
    return RECORDINGS[task.place]


def span(task: Task) -> float:
    """Seconds after which the program is stopped; 0: it comes to its end."""
    return SPAN if task.place.isdigit() else 0.0


def options(task: Task, folder: Path) -> list[str]:
    """Of `windward link`."""
    if task.place.isdigit():
        return links()[int(task.place)].options()
    ways = []
    for way in ("down", "up"):
        times = [int(line) for line in recording(task.place, way).read_text().split()]
        begin = int(task.start * times[-1])
        path = folder / way
        path.write_text("".join(f"{t}\n" for t in sorted((t - begin - 1) % times[-1] + 1 for t in times)))
        ways.append(str(path))
    return ["--trace", ",".join(ways), "--delay", DELAY, "--buffer", str(DEPTH)]


def recording(name: str, way: str) -> Path:
    """The file of a recording."""
    return Path(os.environ["WINDWARD_TRACES"]) / f"{name}.{way}"


def run(program: str, outcome: Path, lead_s: float, span_s: float) -> None:
    """The near side of the link: the program, for a time or to its end, and what a rival receives meanwhile."""
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


def draws(journal: Path, at_once: int, repeats: int, again: int, seeds: int) -> str:
    """The page of constant links."""
    places = [str(at) for at in range(len(links()))]
    alone = [Task(place, "windward get", False) for place in places]

    def beside(places: list[str], runs: range) -> list[Task]:
        programs = ("windward get", "curl")
        return [Task(place, program, True, repeat=run) for run in runs for place in places for program in programs]

    shared = beside(places, range(repeats))
    found = measured([*alone, *shared], (Task, Outcome), attempt, journal, at_once, TRIES)
    rows, shares, lates, queues, kept = [], [], [], [], []

    def rivals(place: str, program: str, tasks: list[Task]) -> float:
        return statistics.mean(found[t].rival for t in tasks if (t.place, t.program) == (place, program))

    for place, link in zip(places, links(), strict=True):
        ours = found[Task(place, "windward get", False)]
        neighbour, curl = rivals(place, "windward get", shared), rivals(place, "curl", shared)
        share, late = ours.goodput / link.best_mbps, ours.late / link.best_mbps
        shares.append(share)
        lates.append(late)
        queues.append(ours.queue_ms / link.limit_ms)
        kept.append(neighbour / curl)
        mark = "" if all(found[t].is_realtime for t in (*alone, *shared) if t.place == place) else " †"
        rows.append(
            f"| {link.rate_mbps:g} | {link.rtt_ms:g} | {link.loss_percent:g} | {link.buffer_bdp:g} "
            f"| {ours.goodput:.2f}{mark} | {share:.2f} | {late:.2f} | {ours.queue_ms:.0f} of {link.limit_ms:.0f} "
            f"| {neighbour:.2f} | {curl:.2f} |"
        )
    count = len(places)
    doubtful = [place for place, value in zip(places, kept, strict=True) if value < 0.9]
    more = beside(doubtful, range(repeats, repeats + again))
    found |= measured(more, (Task, Outcome), attempt, journal, at_once, TRIES)
    second = {place: rivals(place, "windward get", more) / rivals(place, "curl", more) for place in doubtful if again}

    # When nothing is measured any more: it takes all processors.
    there = [kept_simulated(link.simulated(), LEAD, SPAN, seeds) for link in links()]
    rows = [f"{row} {each.share:.2f} |" for row, each in zip(rows, there, strict=True)]
    least, error = min(there), statistics.mean(each.error for each in there)
    ratios = [each.share for each in there]
    further = f", with a standard deviation of {NOISE / math.sqrt(again):.1%}" if second else ""

    noise = NOISE / math.sqrt(repeats)
    low = sum(value * (1 + SIDE * noise) < 0.9 for value in kept)
    mean = f"{statistics.mean(kept):.2f} ± {statistics.stdev(kept) / math.sqrt(count):.2f}"

    def reached(values: list[float], least: float) -> str:
        return f"{sum(value >= least for value in values)} of {count}"

    is_late = any(not outcome.is_realtime for outcome in found.values())
    marked = "\n† The machine was too busy to keep the link's time in one of the runs.\n" if is_late else ""
    each = "a run" if repeats == 1 else f"{repeats} runs"
    return f"""\
# `windward get` over links that it was not tuned on

`windward get` {__version__} from {version("nginx")} with CUBIC; Linux {platform.release()}. By

    python benches/transfer/links.py draws --write docs/measured/benchmarks/get-links.md

Thirty links of [links.csv](../../../benches/transfer/links.csv), drawn by seed {SEED}: uniform in the logarithm,
RTT 20 to 300 ms, 5 to 50 Mbit/s, independent loss of 0.3 to 4 %, a drop-tail queue of 0.5 to 4 bandwidth-delay
products. The law's constants were chosen on others: links of seeds 2028 and before, between kernels and simulated, and
sixty simulated ones of seed 3001. Each download is watched for {SPAN:.0f} s from the program's start, without a memory
of former ones; one run each, so that single figures have the noise of a run. Share: mean rate over C(1 − p). Neighbour
and beside curl: what a CUBIC flow that was there {LEAD:.0f} s earlier has beside the download, and what it has beside
one curl, {each} each. Simulated: the ratio of both in the packet simulator, {seeds} runs each with Linux's TCP and
CUBIC.

| | reached |
|---|---|
| 0.8 of C(1 − p), from the start to {SPAN:.0f} s | {reached(shares, 0.8)}; mean {statistics.mean(shares):.2f} |
| 0.8 of C(1 − p), from {SPAN - LATE:.0f} to {SPAN:.0f} s | {reached(lates, 0.8)}; mean {statistics.mean(lates):.2f} |
| a mean queue below RTT/4 + 10 ms | {sum(value < 1 for value in queues)} of {count} |
| the neighbour has 0.9 of what it has beside one curl | {reached(kept, 0.9)}; mean {mean} |
| it has less, by more than noise explains | {low} of {count} |
{again_row(second, again)}\
| simulated, it has 0.9 of what it has beside one | {reached(ratios, 0.9)}; mean {statistics.mean(ratios):.2f}, \
least {least.share:.2f} ± {least.error:.2f} |

| Mbit/s | RTT, ms | loss, % | buffer, BDP | goodput | share | last {LATE:.0f} s | queue, ms | neighbour | beside curl \
| simulated |
|---|---|---|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
{marked}
A neighbour that random loss holds back has a rate of about 1/(RTT + queue): a link that is full with a queue of a
seventh of the RTT leaves it seven eighths of what it had, whoever filled it. Half a minute has few losses: the ratio
of two runs beside one curl has a standard deviation of {NOISE:.0%} (sixteen pairs), so that beside a download that
takes nothing a quarter of the links would show less than 0.9, and by means of three runs a tenth. Less by more than
noise explains: below 0.9 with {SIDE} standard deviations of the ratio, {noise:.1%} for {each}, added, which one in
twenty is by chance. Of the mean the standard error over the links is given. The lowest of many means are low by chance
too: what further runs of those links have stands apart, and only they count in it{further}.
The simulator has as many runs as are asked for: its ratios have one of {error:.1%}.
"""


def again_row(second: dict[str, float], again: int) -> str:
    """A row of the table: what the links below 0.9 have in further runs."""
    if not second:
        return ""
    each = ", ".join(f"{value:.2f}" for value in second.values())
    high = sum(value >= 0.9 for value in second.values())
    return (
        f"| the links below 0.9, measured {again} times more | "
        f"{high} of {len(second)} have 0.9 then; mean {statistics.mean(second.values()):.2f} ({each}) |\n"
    )


def recordings(journal: Path, at_once: int) -> str:
    """The page of recorded links."""
    tasks = [
        Task(place, program, has_rival, start)
        for place in RECORDINGS
        for has_rival in (False, True)
        for start in STARTS
        for program in RIVALS
    ]
    found = measured(tasks, (Task, Outcome), attempt, journal, at_once, TRIES)
    rows = []
    for place in RECORDINGS:
        for program in RIVALS:
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
    python benches/transfer/links.py recordings --write docs/measured/benchmarks/get-recordings.md

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
    """The command line; `serve` and `run` are for the two ends of the link."""
    if sys.argv[1:2] == ["serve"]:
        return serve(Path(sys.argv[2]))
    if sys.argv[1:2] == ["run"]:
        return run(sys.argv[3], Path(sys.argv[2]), float(sys.argv[4]), float(sys.argv[5]))
    options = parser(__doc__, "results/get-links.jsonl")
    options.add_argument(
        "what", choices=("draw", "draws", "recordings"), help="what to measure; draw: write links.csv again"
    )
    options.add_argument(
        "--repeats", type=int, default=3, metavar="N", help="runs beside a neighbour on constant links"
    )
    options.add_argument(
        "--again", type=int, default=18, metavar="N", help="further runs where the neighbour has less than 0.9 in those"
    )
    options.add_argument("--seeds", type=int, default=100, metavar="N", help="simulated runs beside a neighbour")
    arguments = options.parse_args()
    if arguments.what == "draw":
        LINKS.write_text(draw(SEED, 30))
        return None
    is_recorded = arguments.what == "recordings"
    missing = [
        program for program in ("nginx", "curl", *(["aria2c"] if is_recorded else [])) if not shutil.which(program)
    ]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        return None
    if is_recorded:
        folder = os.environ.get("WINDWARD_TRACES")
        lacking = [
            str(path)
            for name in RECORDINGS
            for way in ("down", "up")
            if folder and not (path := recording(name, way)).exists()
        ]
        if not folder or lacking:
            print(f"skipped: WINDWARD_TRACES names no folder with {', '.join(lacking) or ', '.join(RECORDINGS)}")
            return None
    given = (arguments.journal, arguments.at_once)
    return say(
        recordings(*given) if is_recorded else draws(*given, arguments.repeats, arguments.again, arguments.seeds),
        arguments.write,
    )


if __name__ == "__main__":
    main()

"""`windward get` over thirty constant links, through `windward link`.

    python evidence/benches/transfer/links.py --write evidence/measured/benchmarks/get-links.md

The links are those of links.csv: RTT 20 to 300 ms, 5 to 50 Mbit/s, independent loss of 0.3 to 4 % towards the
receiver, a drop-tail queue of 0.5 to 4 bandwidth-delay products, each uniform in its logarithm (--draw makes the file
from its seed). Each run has a seed of its own. What was measured is kept in --journal, and not measured again. Needs
nginx, curl and what `windward link` needs. One after the other the links take 50 minutes, and another 37 minutes for
each of the --repeats beside a neighbour, then 22 minutes for each link that is measured --again: with --at-once an
hour, where there are processors for eight. The simulated runs take half a minute.
"""

from __future__ import annotations

import csv
import math
import platform
import random
import shutil
import statistics
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ends
from behind import behind, measured, parser, say
from bench import TRIES, version
from ends import LATE, LEAD, Outcome
from neighbour import Kept, kept, kept_simulated
from scipy import stats

import windward as ww
from windward import __version__

LINKS = Path(__file__).parent / "links.csv"
SEED = 2029
#: Seconds that a download is watched, and runs of it alone.
SPAN, ALONE = 30.0, 3
#: Simulated runs of a link.
SIMULATED = 100
PROGRAMS = ("windward get", "curl")
#: The goals: of C(1 - p), and of what a neighbour has beside one more.
SHARE, KEPT = 0.8, 0.9


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
        """Buffer of the link, in bytes."""
        return f"{self.rate_mbps * 1e6 / 8 * self.rtt_ms / 1e3 * self.buffer_bdp:.0f}B"

    def options(self) -> list[str]:
        """Options of `windward link`."""
        return [
            *("--rate", f"{self.rate_mbps}mbit,1gbit", "--delay", f"{self.rtt_ms / 2}ms"),
            *("--buffer", f"{self.buffer},1000", "--loss", f"{self.loss_percent}%,0"),
        ]

    def simulated(self) -> ww.Link:
        """Model of the link for the packet simulator."""
        return ww.Link(
            name="link",
            from_="server",
            to="client",
            rate=f"{self.rate_mbps} Mbit/s",
            delay=f"{self.rtt_ms / 2} ms",
            buffer=self.buffer,
            loss=self.loss_percent / 100,
            reverse=ww.format.Reverse(rate="1 Gbit/s", buffer="1000 packets", loss=0.0),
        )


@dataclass(frozen=True)
class Task:
    """One measurement: a program on a link, alone or beside a CUBIC flow that started earlier."""

    place: int
    program: str
    has_rival: bool
    repeat: int

    @property
    def seed(self) -> int:
        """Seed of the link, different in each run and on each link."""
        return 1 + self.place + self.repeat * len(links())


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
    link = links()[task.place]
    # More than the time brings.
    size = math.ceil(link.rate_mbps * 2 * SPAN / 8)
    run = [task.program, str(LEAD * task.has_rival), str(SPAN)]
    with tempfile.TemporaryDirectory() as name:
        folder, options = Path(name), link.options()
        found = behind(folder, ends.__file__, options, run, congestion="cubic", megabytes=size, seed=task.seed)
    return Outcome(**found)


def beside(places: Iterable[int], repeats: range) -> list[Task]:
    """Both programs beside a neighbour."""
    return [Task(place, program, True, run) for run in repeats for place in places for program in PROGRAMS]


def rivals(found: dict[Task, Outcome], place: int, program: str, repeats: range) -> list[float]:
    """Goodput of the neighbour in each run, in Mbit/s."""
    return [found[Task(place, program, True, run)].rival for run in repeats]


def kept_there(found: dict[Task, Outcome], place: int, repeats: range) -> Kept:
    """The share that the neighbour keeps."""
    ours, one = (rivals(found, place, program, repeats) for program in PROGRAMS)
    return kept(ours, one)


def page(found: dict[Task, Outcome], repeats: range, further: range, there: list[Kept]) -> str:
    """The page; `there` is what is simulated."""
    rows, shares, lates, queues = [], [], [], []
    first = [kept_there(found, place, repeats) for place in range(len(links()))]
    for place, link in enumerate(links()):
        runs = [found[Task(place, "windward get", False, run)] for run in range(ALONE)]
        goodput, late, queue = (
            statistics.mean(each) for each in zip(*((r.goodput, r.late, r.queue_ms) for r in runs), strict=True)
        )
        shares.append(goodput / link.best_mbps)
        lates.append(late / link.best_mbps)
        queues.append(queue / link.limit_ms)
        neighbour, curl = (statistics.mean(rivals(found, place, program, repeats)) for program in PROGRAMS)
        mark = "" if all(run.is_realtime for task, run in found.items() if task.place == place) else " †"
        rows.append(
            f"| {link.rate_mbps:g} | {link.rtt_ms:g} | {link.loss_percent:g} | {link.buffer_bdp:g} "
            f"| {goodput:.2f}{mark} | {shares[-1]:.2f} | {lates[-1]:.2f} | {queue:.0f} of {link.limit_ms:.0f} "
            f"| {neighbour:.2f} | {curl:.2f} | {first[place].share:.2f} ± {first[place].error:.2f} "
            f"| {there[place].share:.2f} |"
        )
    count, least = len(rows), min(there)
    ratios = [each.share for each in first]
    mean = f"{statistics.mean(ratios):.2f} ± {statistics.stdev(ratios) / math.sqrt(count):.2f}"
    # Of both means, one-sided.
    side = float(stats.t.ppf(0.95, 2 * (len(repeats) - 1)))
    low = sum(each.share + side * each.error < KEPT for each in first)
    error, error_there = (statistics.mean(each.error for each in kind) for kind in (first, there))

    def reached(values: list[float], least: float) -> str:
        return f"{sum(value >= least for value in values)} of {count}"

    is_late = any(not outcome.is_realtime for outcome in found.values())
    chance = (
        "The lowest of many means are low by chance too: a row of their own has the further runs of\n"
        "those links, and only they count in it. "
        if further
        else ""
    )
    marked = "\n† The machine was too busy to keep the link's time in one of the runs.\n" if is_late else ""
    return f"""\
# `windward get` over links that it was not tuned on

`windward get` {__version__} from {version("nginx")} with CUBIC; Linux {platform.release()}. By

    python evidence/benches/transfer/links.py --repeats {len(repeats)} --again {len(further)} \
--write evidence/measured/benchmarks/get-links.md

Thirty links of [links.csv](../../benches/transfer/links.csv), drawn by seed {SEED}: RTT 20 to 300 ms, 5
to 50 Mbit/s, independent loss of 0.3 to 4 %, a drop-tail queue of 0.5 to 4 bandwidth-delay products, each uniform in
the logarithm. The law's constants were chosen on others: links of seeds 2028 and before, between kernels and
simulated, and sixty simulated ones of seed 3001. Each download is watched for {SPAN:.0f} s from the program's start,
without a memory
of former ones; means of {ALONE} runs. Share: mean rate over C(1 − p). Neighbour: rate of a CUBIC flow that
started {LEAD:.0f} s before the download; beside curl: its rate beside one curl; means of {len(repeats)} runs each.
Kept: the ratio of both. Simulated: the same ratio in the packet simulator, {SIMULATED} runs each with Linux's TCP
and CUBIC. No two runs lose the same packets.

| | reached |
|---|---|
| {SHARE} of C(1 − p), from the start to {SPAN:.0f} s | {reached(shares, SHARE)}; mean {statistics.mean(shares):.2f} |
| {SHARE} of C(1 − p), from {SPAN - LATE:.0f} to {SPAN:.0f} s | {reached(lates, SHARE)}; \
mean {statistics.mean(lates):.2f} |
| a mean queue below RTT/4 + 10 ms | {sum(value < 1 for value in queues)} of {count} |
| the neighbour keeps {KEPT} of what it has beside one curl | {reached(ratios, KEPT)}; mean {mean} |
| it keeps less, by more than noise explains | {low} of {count} |
{further_row(found, doubtful(first), further)}\
| simulated, it keeps {KEPT} | {reached([each.share for each in there], KEPT)}; mean \
{statistics.mean(each.share for each in there):.2f}, least {least.share:.2f} ± {least.error:.2f} |

| Mbit/s | RTT, ms | loss, % | buffer, BDP | goodput | share | last {LATE:.0f} s | queue, ms | neighbour \
| beside curl | kept | simulated |
|---|---|---|---|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
{marked}
A neighbour limited by random loss has a rate of about 1/(RTT + queue). On a full link with a queue of a
seventh of the RTT it keeps seven eighths of its rate, for any kind of download. Half a minute has few losses: the
standard error of what is kept is {error:.2f} on the mean, so that some links show less than they have. Less by more
than noise explains: below {KEPT} with {side:.2f} standard errors added, Student's one-sided 95 %, which one link in
twenty is by chance that keeps just {KEPT}. {chance}The simulator has as many runs as are asked for: its standard error
is {error_there:.2f}.
"""


def doubtful(first: list[Kept]) -> list[int]:
    """The links whose neighbour keeps too little."""
    return [place for place, each in enumerate(first) if each.share < KEPT]


def further_row(found: dict[Task, Outcome], places: list[int], further: range) -> str:
    """A row of the table: what the links below the goal have in further runs."""
    if not places or not further:
        return ""
    second = [kept_there(found, place, further) for place in places]
    each = ", ".join(f"{kept.share:.2f} ± {kept.error:.2f}" for kept in second)
    high = sum(kept.share >= KEPT for kept in second)
    again = f"the links below {KEPT}, measured {len(further)} times more"
    return f"| {again} | {high} of {len(second)} have it then ({each}) |\n"


def main() -> None:
    """The command line."""
    options = parser(__doc__, "results/get-links.jsonl")
    options.add_argument("--draw", action="store_true", help="write links.csv again, and measure nothing")
    options.add_argument("--repeats", type=int, default=9, metavar="N", help="runs beside a neighbour, 2 or more")
    options.add_argument(
        "--again", type=int, default=27, metavar="N", help="further runs where the neighbour keeps less than 0.9"
    )
    arguments = options.parse_args()
    if arguments.draw:
        LINKS.write_text(draw(SEED, 30))
        return None
    for name, least in (("repeats", 2), ("again", 0)):
        if (given := getattr(arguments, name)) < least or given == 1:
            options.error(f"argument --{name}: {given} given, {least or '0, or 2'} or more allowed")
    if missing := [program for program in ("nginx", "curl") if not shutil.which(program)]:
        print(f"skipped: {', '.join(missing)} not installed")
        return None
    repeats = range(arguments.repeats)
    further = range(arguments.repeats, arguments.repeats + arguments.again)

    def done(tasks: list[Task]) -> dict[Task, Outcome]:
        return measured(tasks, (Task, Outcome), attempt, arguments.journal, arguments.at_once, TRIES)

    places = range(len(links()))
    alone = [Task(place, "windward get", False, run) for run in range(ALONE) for place in places]
    found = done([*alone, *beside(places, repeats)])
    found |= done(beside(doubtful([kept_there(found, place, repeats) for place in places]), further))
    # When nothing is measured any more: it takes all processors.
    there = [kept_simulated(link.simulated(), LEAD, SPAN, SIMULATED) for link in links()]
    return say(page(found, repeats, further, there), arguments.write)


if __name__ == "__main__":
    main()

"""Random combinations of networks, options, laws and stacks, to evidence/measured/validation/combinations.md.

python evidence/benches/emulate/combinations.py [--draws N] [--kernels N] [--paced N] [--only DRAW ...]
[--laws LAW ...] [--no-page]. With --paced only draws with applications of their own pace or fixed send buffers run,
between kernels, and the page gets their section. Simulations take a second a draw. Emulations (root, a machine
that does nothing else) take half a minute each. They are kept in results/combinations, so an interrupted run continues.

A draw is flagged if its speed differs grossly from

* the same draw without one of its options, less the time that the option explains,
* the same draw with the other stack,
* Linux between namespaces (`windward emulate`), for laws that Linux has.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import sys
import warnings
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from page import table
from repeat import in_time

import windward as ww
from windward.results._files import replace_text

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "combinations.md"
#: Emulations are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "combinations"

Stack = Literal["rfc", "linux"]
STACKS: tuple[Stack, Stack] = ("rfc", "linux")

#: Seconds of a run.
SECONDS = 16
#: Seeds of a simulation.
SEEDS = (1, 2, 3)
#: Gross differences: speeds as shares of the other's.
WITHOUT, STACK, KERNEL = 0.5, 0.5, 0.67
#: Difference up to which speeds count as near, and the heading of the section of draws with a pace of their own.
NEAR, PACED = 0.05, "## Applications with a pace of their own"
#: Runs between kernels of a draw that differs in the first.
RUNS = 6
#: An emulation is repeated when 1 % of its packets were later than this.
LATE_S = 0.001
#: Timeout of a lost last segment, in seconds.
TAIL_S = 0.3
#: Linux acknowledges a FIN with a delayed ACK, unless the receiving program closes earlier, in seconds.
SINK_S = 0.04
#: Bits of a full segment's payload, and bytes of it.
BITS, BYTES = 8 * 1448, 1448

#: Laws that every Linux has as a module, and the form in which the simulator equals the kernel's.
IN_LINUX: dict[str, ww.format.LawSpec | str] = {
    "reno": "reno",
    "cubic": ww.Cubic(version="linux", hystart=True),
    "bbr": "bbr",
}
LAWS: tuple[str, ...] = (
    *("reno", "cubic", "bbr", "bbr3", "copa", "vegas", "bic", "htcp", "highspeed", "scalable", "westwood", "veno"),
    *("hybla", "compound", "dctcp", "prague", "fast", "tcp-fit"),
)


@dataclass(frozen=True, kw_only=True)
class Draw:
    """A combination. `options` are the ones that a neighbour lacks in turn."""

    index: int
    law: str
    mbps: float
    rtt_ms: float
    #: Packets.
    buffer: int
    traffic: str
    #: Bytes of a file, a write or a response.
    size: int
    #: Time between two writes or requests.
    every_ms: float
    options: Mapping[str, Any]

    @property
    def bdp(self) -> float:
        """Bandwidth-delay product in segments."""
        return self.mbps * 1e3 * self.rtt_ms / BITS

    def without(self, option: str) -> Draw:
        """The neighbour without an option."""
        return replace(self, options={name: value for name, value in self.options.items() if name != option})

    def line(self) -> str:
        """The draw in words."""
        sizes = {"bulk": "", "file": f" of {self.size} B"}
        traffic = self.traffic + sizes.get(self.traffic, f" of {self.size} B every {self.every_ms:.0f} ms")
        options = ", ".join(f"{name} = {value}" for name, value in self.options.items()) or "no option"
        return f"{self.law}, {self.mbps:.3g} Mbit/s, {self.rtt_ms:.3g} ms, {self.buffer} packets, {traffic}; {options}"


def fits(option: str, options: Mapping[str, Any], law: str, traffic: str) -> bool:
    """True if the option may be combined with the others."""
    match option:
        case "receive_window":
            return not {"receive_buffer", "read"} & {*options}
        case "pacing":
            return law not in ("bbr", "bbr3", "copa", "prague")
        case "idle_restart":
            return traffic in ("writer", "answers")
    return True


def drawn(index: int, laws: Iterable[str] = LAWS) -> Draw:
    """The draw of this number; it does not depend on the number of draws."""
    stream = random.Random(f"combinations {index}")
    law = stream.choice([*laws])
    mbps, rtt_ms = 10 ** stream.uniform(0.3, 1.9), 10 ** stream.uniform(1.2, 2.2)
    bdp = mbps * 1e3 * rtt_ms / BITS
    # FAST holds its α of 100 packets in the queue, and overflows a smaller one with every answer.
    buffer = max(120 if law == "fast" else 20, round(bdp * 10 ** stream.uniform(-0.5, 0.6)))
    traffic = stream.choice(("bulk", "bulk", "file", "file", "writer", "writer", "answers", "page"))
    every_ms = 10 ** stream.uniform(1, 3)
    if traffic == "file":
        size = round(10 ** stream.uniform(4, 6.7))
    else:
        # A timeout for a lost last segment must not make answers queue without end.
        load = stream.uniform(0.05, 0.25 if traffic == "answers" else 0.7)
        size = max(1000, round(load * mbps * every_ms * 125))
    at = stream.uniform(1, SECONDS / 3)
    if traffic in ("file", "page"):
        # Within the transfer: slow start takes six round trips or so.
        at = stream.uniform(0.2, 1.1) * (8e-6 * size / mbps + 6e-3 * rtt_ms)
    makers: dict[str, Any] = {
        "receive_window": lambda: max(10, round(bdp * stream.uniform(0.2, 2))),
        "receive_buffer": lambda: stream.choice(("auto", max(20 * BYTES, round(bdp * stream.uniform(0.3, 3)) * BYTES))),
        "send_buffer": lambda: stream.choice(("auto", max(20 * BYTES, round(bdp * stream.uniform(0.5, 4)) * BYTES))),
        "read": lambda: round(mbps * stream.uniform(0.2, 1.5), 3),
        "sack": lambda: False,
        "ecn": lambda: stream.choice(("classic", "classic", "accurate")),
        "queue": lambda: stream.choice(("codel", "fq-codel", "pie", "red")),
        "outage": lambda: (round(at, 3), round(at + 10 ** stream.uniform(-0.6, 0.2), 3)),
        "loss": lambda: round(10 ** stream.uniform(-3.5, -2), 5),
        "pacing": lambda: True,
        "idle_restart": lambda: True,
        "slow": lambda: round(stream.uniform(0.05, 0.5), 3),
    }
    # Half of the draws have an outage: what follows a timeout goes wrong most.
    chosen = {*stream.sample([*makers], stream.randint(1, 3)), *stream.choice(((), ("outage",)))}
    tried = {name: make() for name, make in makers.items() if name in chosen}
    options = {name: value for name, value in tried.items() if fits(name, tried, law, traffic)}
    if options.get("ecn") == "classic" and law in ("dctcp", "prague"):
        options["ecn"] = "accurate"
    if "ecn" in options:
        options.setdefault("queue", "codel")
    return Draw(
        index=index,
        law=law,
        mbps=mbps,
        rtt_ms=rtt_ms,
        buffer=buffer,
        traffic=traffic,
        size=size,
        every_ms=every_ms,
        options=options,
    )


def changes(draw: Draw) -> list[ww.Change]:
    """Outage, preceded by a slow second if there is one: it fills the queue, and AQM marks."""
    steps = []
    begin, end = draw.options.get("outage", (SECONDS / 4, SECONDS / 4))
    if slow := draw.options.get("slow"):
        steps.append(ww.format.ChangeStep(at=f"{max(0.05, begin - 0.5):.3f} s", rate=f"{draw.mbps * slow:.6g} Mbit/s"))
    if begin < end:
        steps.append(ww.format.ChangeStep(at=f"{begin:.3f} s", loss=1.0))
    if slow or begin < end:
        back = ww.format.ChangeStep(at=f"{end + (0.5 if begin == end else 0):.3f} s", rate=f"{draw.mbps:.6g} Mbit/s")
        steps.append(replace(back, loss=draw.options.get("loss", 0.0)) if begin < end else back)
    return [ww.Change(link="path", steps=steps)] if steps else []


def queue(draw: Draw) -> Any:
    """The discipline, which marks if the flow has ECN."""
    kind = draw.options.get("queue", "drop-tail")
    ecn = "ecn" in draw.options
    makers: dict[str, Any] = {
        "codel": ww.format.Codel,
        "fq-codel": ww.format.FqCodel,
        "pie": ww.format.Pie,
        "red": ww.format.Red,
    }
    return makers[kind](ecn=ecn) if kind in makers else ww.format.DropTail()


def scenario(draw: Draw, stack: Stack) -> ww.Scenario:
    """The network of a draw with a stack."""
    chosen = draw.options
    tcp: dict[str, Any] = {"stack": stack}
    for name in ("sack", "ecn", "pacing", "idle_restart"):
        if name in chosen:
            tcp[name] = chosen[name]
    if "receive_window" in chosen:
        tcp["receive_window"] = f"{chosen['receive_window']} packets"
    for name in ("receive_buffer", "send_buffer"):
        if name in chosen:
            tcp[name] = chosen[name] if chosen[name] == "auto" else f"{chosen[name]} B"
    if "read" in chosen:
        tcp["read"] = ww.format.Read(rate=f"{chosen['read']} Mbit/s")
        if "receive_buffer" not in chosen:
            tcp["receive_buffer"] = "auto"
    law = IN_LINUX.get(draw.law, draw.law) if stack == "linux" else draw.law
    flows: list[ww.Flow] = []
    apps: list[Any] = []
    if draw.traffic == "answers":
        arrivals = ww.format.PeriodicArrivals(every=f"{draw.every_ms:.3f} ms")
        made = ww.Requests(
            name="it",
            from_="client",
            to="server",
            law=law,
            tcp=ww.format.Tcp(**tcp),
            connections=1,
            stop=f"{SECONDS} s",
            arrivals=arrivals,
            response=f"{draw.size} B",
        )
        apps.append(made)
    elif draw.traffic == "page":
        objects = [ww.format.PageObject(name=f"part-{at}", size=f"{max(1000, draw.size // 5)} B") for at in range(6)]
        page = ww.Page(
            name="it", from_="client", to="server", law=law, tcp=ww.format.Tcp(**tcp), visits=1, objects=objects
        )
        apps.append(page)
    else:
        write = (
            ww.format.Write(chunk=f"{draw.size} B", every=f"{draw.every_ms:.3f} ms")
            if draw.traffic == "writer"
            else None
        )
        size = f"{draw.size} B" if draw.traffic == "file" else None
        flows.append(ww.Flow(name="it", from_="server", to="client", law=law, size=size, write=write, **tcp))
    path = ww.Link(
        name="path",
        from_="server",
        to="client",
        rate=f"{draw.mbps:.6g} Mbit/s",
        delay=f"{draw.rtt_ms / 2:.6g} ms",
        buffer=f"{draw.buffer} packets",
        queue=queue(draw),
        loss=chosen.get("loss", 0.0),
        reverse=ww.format.Reverse(loss=0.0, queue="drop-tail", buffer="1000 packets"),
    )
    return ww.Scenario(
        name=f"draw-{draw.index}",
        duration=f"{SECONDS if draw.traffic in ('bulk', 'writer') else 60} s",
        node=[ww.Node(name="server"), ww.Node(name="client")],
        link=[path],
        flow=flows,
        app=apps,
        change=changes(draw),
    )


class Speed(NamedTuple):
    """Speed of a run: Mbit/s, or completions a second; higher is better. `repeated` counts retransmissions."""

    value: float
    repeated: float


def speed(draw: Draw, run: ww.Run) -> Speed:
    """Mean speed over the seeds."""
    repeated = float(run.flows["retransmits"].mean()) if len(run.flows) else 0.0
    if draw.traffic in ("bulk", "writer"):
        return Speed(float(run.flows["goodput_bps"].mean()) / 1e6, repeated)
    if draw.traffic == "file":
        done = run.flows["completion_s"].fillna(60.0)
        return Speed(1 / float(done.mean()), repeated)
    if draw.traffic == "page":
        loads = run.visits.filter(like="load").iloc[:, 0].fillna(60.0)
        return Speed(1 / float(loads.mean()) if len(loads) else 1 / 60, repeated)
    return Speed(1 / max(1e-6, float(run.requests["completion_s"].fillna(60.0).mean())), repeated)


def simulated(draw: Draw, stack: Stack) -> Speed:
    """Speed in the simulator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return speed(draw, scenario(draw, stack).simulate(seeds=SEEDS, threads=1))


def is_overloaded(draw: Draw, found: Speed) -> bool:
    """True if requests come faster than they are answered: they queue without end, which multiplies any difference."""
    return draw.traffic == "answers" and 1 / found.value > draw.every_ms / 1e3


def explained(draw: Draw, option: str, other: Speed) -> float:
    """Least speed that the option explains, beside a neighbour without it that has `other`."""
    value = draw.options[option]
    rtt = draw.rtt_ms / 1e3
    bits = {"bulk": 0.0, "writer": 0.0}.get(draw.traffic, 8e-6 * draw.size)
    seconds, limit = 0.0, float("inf")
    match option:
        case "receive_window":
            # Half a window where every second segment is acknowledged.
            limit = max(1, value - 1) * BITS / rtt / 1e6
        case "receive_buffer" if value != "auto":
            limit = value * 8 / rtt / 1e6
        case "send_buffer" if value != "auto":
            limit = 0.5 * value * 8 / rtt / 1e6
        case "read":
            limit = value
        case "outage":
            # The timer doubles once beyond the outage; slow start takes ten round trips.
            lost = value[1] - value[0]
            seconds = 2 * lost + 1.0 + 10 * rtt
        case "slow":
            seconds = 1.5 + 10 * rtt
        case "idle_restart":
            seconds = 4 * rtt
    if option != "outage" and draw.traffic not in ("bulk", "writer"):
        # The neighbour may be done before the outage.
        begin, end = draw.options.get("outage", (0.0, 0.0))
        seconds += 2 * (end - begin)
    if "sack" in draw.options:
        # RFC 6582 repairs one loss in a round trip.
        seconds += rtt * other.repeated
    if draw.traffic in ("bulk", "writer"):
        share = max(0.0, 1 - seconds / SECONDS)
        return min(other.value * share, limit)
    if draw.traffic == "answers":
        is_too_much = 8e-3 * draw.size / draw.every_ms > 0.7 * limit
        # Answers of one connection follow each other: the neighbour, or the option, may take longer than a request.
        if is_too_much or is_overloaded(draw, Speed(1 / (1 / other.value + bits / limit), 0.0)):
            return 0.0
    # A waiting request waits for what others of its connection lost.
    count = 1 if draw.traffic != "answers" else min(1.0, (seconds + 1) / SECONDS)
    return 1 / (1 / other.value + count * seconds + bits / limit + TAIL_S)


class Flag(NamedTuple):
    """A gross difference."""

    draw: Draw
    stack: str
    against: str
    found: float
    expected: float

    def row(self) -> list[str]:
        """As the page has it."""
        return [
            str(self.draw.index),
            self.draw.line(),
            self.stack,
            self.against,
            f"{self.found:.3g}",
            f"{self.expected:.3g}",
        ]


def judged(draw: Draw) -> list[Flag]:
    """Differences from the neighbours and between the stacks."""
    own = {stack: simulated(draw, stack) for stack in STACKS}
    flags = []
    for stack in STACKS:
        for option in draw.options:
            if option in ("loss", "queue", "sack") or (option == "ecn" and draw.law in ("dctcp", "prague")):
                # Losses slow a flow by orders of magnitude, by its response function; NewReno repairs one a round trip.
                continue
            expected = explained(draw, option, simulated(draw.without(option), stack))
            if own[stack].value < WITHOUT * expected:
                flags.append(Flag(draw, stack, f"without {option}", own[stack].value, expected))
    if "sack" not in draw.options and not all(is_overloaded(draw, each) for each in own.values()):
        slow, fast = sorted(own.values())
        stack = STACKS[0] if own[STACKS[0]] == slow else STACKS[1]
        least = STACK * fast.value
        if draw.traffic not in ("bulk", "writer"):
            # A lost last segment: the timeout where RACK-TLP has a probe.
            begin, end = draw.options.get("outage", (0.0, 0.0))
            least = 1 / (1 / least + TAIL_S + 2 * (end - begin))
        if slow.value < least:
            flags.append(Flag(draw, stack, "the other stack", slow.value, fast.value))
    return flags


def has_kernel(draw: Draw) -> bool:
    """True if kernels can run the draw."""
    alien = {"receive_window", "pacing"}
    # Linux has no accurate feedback in its TCP yet, and its receive buffer has a size in memory.
    if draw.options.get("ecn") == "accurate" or draw.options.get("receive_buffer", "auto") != "auto":
        return False
    # `emulate` has no readers of `[[app]]`.
    if draw.traffic == "page" or (draw.traffic == "answers" and "read" in draw.options):
        return False
    return draw.law in IN_LINUX and not alien & {*draw.options} and draw.mbps <= 60


def is_paced(draw: Draw) -> bool:
    """True if an application of the draw writes or reads at its own pace, or waits for a fixed send buffer."""
    return draw.traffic == "writer" or "read" in draw.options or draw.options.get("send_buffer", "auto") != "auto"


class Repeated(NamedTuple):
    """A draw between kernels that differed in its first run: speeds of the simulator and of every run."""

    draw: Draw
    found: float
    kernels: list[float]

    def flag(self) -> Flag | None:
        """The difference from the nearest of the runs, if it is gross."""
        nearest = min(max(self.found, min(self.kernels)), max(self.kernels))
        slow, fast = sorted((self.found, nearest))
        least = KERNEL * fast
        if self.draw.traffic == "file":
            least = 1 / (1 / least + SINK_S)
        return Flag(self.draw, "linux", "kernels", self.found, nearest) if slow < least else None


def emulated(draw: Draw) -> Repeated:
    """Linux between namespaces beside the simulator; run again, as kernels may scatter, where the first run differs."""
    network, place = scenario(draw, "linux"), KEPT / f"{draw.law}-{draw.index}"

    def kernel(kept: Path) -> float:
        return speed(draw, in_time(network.emulate, kept, late_s=LATE_S, even_if_slow=True)).value

    once = Repeated(draw, simulated(draw, "linux").value, [kernel(place)])
    if not once.flag():
        return once
    more = [kernel(place.with_name(f"{place.name}-again-{number}")) for number in range(1, RUNS)]
    return once._replace(kernels=once.kernels + more)


def beside(runs: list[Repeated]) -> str:
    """A table of speeds in the simulator and between kernels."""
    rows = [
        [str(each.draw.index), each.draw.line(), f"{each.found:.3g}", " ".join(f"{run:.3g}" for run in each.kernels)]
        for each in runs
    ]
    return table(["draw", "combination", "simulator", "kernels"], rows)


def paced_section(runs: list[Repeated], flags: list[Flag]) -> str:
    """The section of the draws with a pace of their own."""
    ratios = sorted(each.found / min(each.kernels, key=lambda run: abs(run - each.found)) for each in runs)
    median, near = ratios[len(ratios) // 2], sum(abs(ratio - 1) < NEAR for ratio in ratios)
    flagged = ", ".join(str(flag.draw.index) for flag in flags) or "none"
    return f"""{PACED}

{len(runs)} further draws between kernels (Linux {platform.release()}) whose application writes or reads at its own
pace, or whose send buffer has a fixed size: `combinations.py --paced {len(runs)}`. The median ratio of the speeds,
simulator over kernels, is {median:.3f}. {near} of {len(runs)} are within {NEAR:.0%}. Flagged: {flagged}.

{beside(runs)}
"""


def page(count: int, kernels: list[Repeated], flags: list[Flag]) -> str:
    """The page."""
    again = [each for each in kernels if len(each.kernels) > 1]
    repeats = beside(again) if again else "None did."
    columns = ["draw", "combination", "stack", "compared with", "speed", "expected"]
    rows = table(columns, [flag.row() for flag in flags]) if flags else "No draw is flagged."
    return f"""# Random combinations of options, stacks and laws

<!-- Generated: make validate WHAT=combinations -->

{count} draws of networks: 2 to 80 Mbit/s, 16 to 160 ms. Traffic is bulk, files, writers, answers on one connection, or
pages. Each has some of these options: receive window, receive buffer, send buffer, reader, no SACK, ECN, AQM, outage,
a link that is slow for a time, random loss, pacing, idle restart. Every second draw has an outage.

Each runs {SECONDS} s with both stacks and {len(SEEDS)} seeds. Its speed is the goodput in Mbit/s, or the inverse of the
mean completion time in seconds. A draw is flagged if its speed is

* below {WITHOUT:g} of that without one of its options, less the time that the option explains;
* below {STACK:g} of that with the other stack, on connections with SACK;
* below {KERNEL:g} of that of Linux {platform.release()} between namespaces (`windward emulate`), or above its inverse:
  {len(kernels)} draws of Reno, CUBIC and BBR, of all traffic but pages. A draw that differs from the first run has
  {RUNS} of them, and is flagged if it differs from the nearest.

`python evidence/benches/emulate/combinations.py --only DRAW` repeats one, `--laws {" ".join(IN_LINUX)} --only DRAW
--kernels 1` one between kernels.

{rows}

## Draws that differ from the first run between kernels

{repeats}
"""


def compared(draws: list[Draw]) -> tuple[list[Repeated], list[Flag]]:
    """Runs the draws between kernels, and returns what differs grossly."""
    runs, flags = [], []
    for draw in draws:
        print(draw.index, draw.line(), flush=True)
        runs.append(emulated(draw))
        print("simulator", runs[-1].found, "kernels", runs[-1].kernels, flush=True)
        if flag := runs[-1].flag():
            print(" | ".join(flag.row()), flush=True)
            flags.append(flag)
    return runs, flags


def write_paced(count: int, *, is_kept: bool) -> int:
    """Compares draws with a pace of their own, writes their section if `is_kept`; 1 if one is flagged."""
    of_linux = (drawn(number, IN_LINUX) for number in range(40 * count))
    runs, flags = compared([draw for draw in of_linux if has_kernel(draw) and is_paced(draw)][:count])
    if is_kept:
        before = PAGE.read_text(encoding="utf-8").partition(PACED)[0].rstrip("\n")
        replace_text(PAGE, f"{before}\n\n{paced_section(runs, flags)}")
    return 1 if flags else 0


def main() -> int:
    """Draws, compares, writes the page; 1 if a draw is flagged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kernels", type=int, default=0, help="draws that are emulated too, as root")
    parser.add_argument(
        "--paced", type=int, default=0, help="draws with a pace of their own that are emulated, as root"
    )
    parser.add_argument("--only", type=int, nargs="*", help="these draws, and no page")
    parser.add_argument("--laws", nargs="*", default=LAWS, help="laws to draw from, and no page")
    parser.add_argument("--no-page", action="store_true")
    options = parser.parse_args()
    if options.paced:
        return write_paced(options.paced, is_kept=not options.no_page)
    numbers = options.only or range(options.first, options.first + options.draws)
    draws = [drawn(number, options.laws) for number in numbers]
    flags = []
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        for draw, found in zip(draws, pool.map(judged, draws), strict=True):
            for flag in found:
                print(" | ".join(flag.row()), flush=True)
            if options.only:
                print(draw.line(), {stack: simulated(draw, stack) for stack in STACKS})
            flags += found
    # Draws of their own: of all laws few are Linux's.
    pool_of_kernels = draws if options.only else [drawn(number, IN_LINUX) for number in range(20 * options.kernels)]
    real = [draw for draw in pool_of_kernels if has_kernel(draw)][: options.kernels]
    kernels, apart = compared(real)
    flags += apart
    print(f"{len(flags)} flags in {len(draws)} draws, {len(real)} of them between kernels")
    if not (options.only or options.no_page or options.laws != LAWS):
        _, heading, paced = PAGE.read_text(encoding="utf-8").partition(PACED)
        replace_text(PAGE, page(len(draws), kernels, flags) + (f"\n{heading}{paced}" if heading else ""))
    return 1 if flags else 0


if __name__ == "__main__":
    sys.exit(main())

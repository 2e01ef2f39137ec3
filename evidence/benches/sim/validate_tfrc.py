"""Lays Windward's TFRC beside ns-2's and writes evidence/measured/validation/tfrc-ns2.md.

python evidence/benches/sim/validate_tfrc.py; needs ns-2 (`apt install ns2`).
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path
from statistics import fmean, stdev

import windward as ww

ROOT = Path(__file__).parents[3]
PEER = Path(__file__).with_name("peer_ns2_tfrc.tcl")
PAGE = ROOT / "evidence" / "measured" / "validation" / "tfrc-ns2.md"

LOSSES = (0.001, 0.003, 0.01, 0.03, 0.06, 0.1)
#: Flows of each kind, and Mbit/s of the link that they share.
SHARED = ((2, 10), (4, 10), (8, 10), (16, 10), (16, 5))
SEEDS = range(1, 6)
#: Networks with round trips and starts at random: with the same ones whose packet finds the queue full is no chance.
DRAWN = 20
WARMUP_S, ALONE_S, SHARED_S = 100, 2000, 400
#: The way to the bottleneck's end; each flow's own way follows it.
COMMON_S = 0.04
#: Bytes of a segment, and of the headers that ns-2 counts on top of it.
SEGMENT, HEADERS = 1000, {"tfrc": 32, "sack": 40}
#: A network's flows: the kind, its own one-way delay in seconds, and its start.
Flows = list[tuple[str, float, float]]


def ns2(mbit: int, buffer: int, loss: float, seconds: int, flows: Flows, seed: int, *, is_alike: bool) -> list[float]:
    """Packets a second that each flow's receiver got in ns-2."""
    words = [int(is_alike), seed, mbit, buffer, loss, WARMUP_S, seconds]
    each = [f"{kind}:{delay}:{start}" for kind, delay, start in flows]
    done = subprocess.run(["ns", PEER, *map(str, words), *each], capture_output=True, text=True, check=True)
    return [int(word) / seconds for word in done.stdout.split()]


def ours(mbit: int, buffer: int, loss: float, seconds: int, flows: Flows, seeds: range) -> list[list[float]]:
    """Packets per second that each flow's receiver got in Windward, for each seed."""
    scenario = ww.Scenario(
        name="tfrc",
        duration=f"{WARMUP_S + seconds} s",
        stack="rfc",
        warmup=f"{WARMUP_S} s",
        node=[ww.Node(name=name) for name in ("a", "b", *(f"b{at}" for at, _ in enumerate(flows)))],
        link=[
            ww.Link(
                from_="a",
                to="b",
                rate=f"{mbit} Mbit/s",
                delay=f"{COMMON_S} s",
                buffer=f"{buffer} packets",
                loss=loss,
                reverse=ww.format.Reverse(loss=0.0, buffer="unlimited"),
            ),
            *(
                ww.Link(from_="b", to=f"b{at}", rate="100 Mbit/s", delay=f"{delay} s", buffer="unlimited")
                for at, (_, delay, _) in enumerate(flows)
            ),
        ],
        flow=[
            ww.Flow(
                name=f"f{at:02}",
                from_="a",
                to=f"b{at}",
                law="tfrc" if kind == "tfrc" else ww.Reno(byte_counting=False),
                segment=f"{SEGMENT} B",
                overhead=f"{HEADERS[kind]} B",
                delayed_ack=False,
                start=f"{start} s",
            )
            for at, (kind, _, start) in enumerate(flows)
        ],
    )
    found = scenario.simulate(seeds=seeds).flows.sort_values(["seed", "flow"])
    return [list(of_seed["goodput_bps"] / (8 * SEGMENT)) for _, of_seed in found.groupby("seed")]


def written(values: list[float], digits: int) -> str:
    """The mean, with its standard error."""
    return f"{fmean(values):.{digits}f} ± {stdev(values) / len(values) ** 0.5:.{digits}f}"


def alone() -> list[str]:
    """A row for each loss."""
    rows = []
    for loss in LOSSES:
        flows: Flows = [("tfrc", 0.01, 0.0)]
        here = [rates[0] for rates in ours(100, 100_000, loss, ALONE_S, flows, SEEDS)]
        as_is, alike = (
            [ns2(100, 100_000, loss, ALONE_S, flows, seed, is_alike=is_alike)[0] for seed in SEEDS]
            for is_alike in (False, True)
        )
        ratios = [f"{fmean(here) / fmean(there):.3f}" for there in (as_is, alike)]
        cells = [f"{loss:.1%}", written(here, 1), written(alike, 1), ratios[1], written(as_is, 1), ratios[0]]
        rows.append(f"| {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def drawn(each: int, seed: int) -> Flows:
    """So many flows of each kind, with round trips of 80 to 120 ms and starts within ten seconds."""
    draw = random.Random(seed)
    kinds = ("tfrc", "sack") * each
    return [(kind, round(draw.uniform(0.0, 0.02), 6), round(draw.uniform(0.0, 10.0), 3)) for kind in kinds]


def shared() -> list[str]:
    """A row for each number of flows."""
    rows = []
    for each, mbit in SHARED:
        buffer = mbit * 1_000_000 // 80_000
        sides: tuple[list[float], list[float]] = ([], [])
        for seed in range(1, DRAWN + 1):
            flows = drawn(each, seed)
            both = (
                ours(mbit, buffer, 0.0, SHARED_S, flows, range(1, 2))[0],
                ns2(mbit, buffer, 0.0, SHARED_S, flows, seed, is_alike=False),
            )
            for side, rates in zip(sides, both, strict=True):
                side.append(sum(rates[::2]) / sum(rates[1::2]))
        cells = [f"{each} and {each}", f"{mbit} Mbit/s", *(written(side, 2) for side in sides)]
        rows.append(f"| {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def page(of_alone: list[str], of_shared: list[str]) -> str:
    """The page."""
    return f"""# TFRC beside ns-2

<!-- Generated: make validate WHAT=tfrc -->

[TFRC](../../../docs/reference/models/tfrc.md) in Windward and in ns-2.35 (`ns2` of Debian and Ubuntu, driven by
`evidence/benches/sim/peer_ns2_tfrc.tcl`), the simulator of chen2007. Packets of {SEGMENT} B, means of {len(SEEDS)}
seeds with their standard errors, after {WARMUP_S} s.

**Alone**, 100 ms there and back, independent loss, {ALONE_S} s: packets a second that the receiver gets. *ns-2 by
RFC 5348*: with the RFC's constants in place of ns-2's. The weight of the RTT filter is 0.9 instead of 0.95.
The timeout is four round trips instead of one by the variance, on a clock of 0.1 s. The ratios are ours
over theirs.

| loss | here | ns-2 by RFC 5348 | ratio | ns-2 as it is | ratio |
|---|---|---|---|---|---|
{chr(10).join(of_alone)}

At much loss the equation's second term rules, and ns-2 as it is has more by its shorter timeout.

**Beside TCP**: as many flows of TFRC as of Reno with SACK (`Agent/TCP/Sack1`) on one drop-tail link with a buffer of a
bandwidth-delay product. {SHARED_S} s. Total rate of TFRC over total rate of TCP. ns-2 unchanged; {DRAWN}
networks with random round trips of 80 to 120 ms and random starts, the same for both.

| TFRC and TCP | link | here | ns-2 |
|---|---|---|---|
{chr(10).join(of_shared)}
"""


def main() -> None:
    if not shutil.which("ns"):
        raise SystemExit("ns-2 is missing: apt install ns2")
    PAGE.write_text(page(alone(), shared()), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

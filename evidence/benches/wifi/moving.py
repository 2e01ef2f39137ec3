"""Lays networks that move in Windward beside ns-3 and writes evidence/measured/validation/moving-ns3.md.

python evidence/benches/wifi/moving.py --ns3 .venv-ns3/bin/python
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
from pathlib import Path

from cases import Case, Flow, interval

import windward as ww

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3, ns3_version  # noqa: E402

PEER = Path(__file__).with_name("peer_ns3.py")
TEXT = Path(__file__).with_name("moving-ns3.md.in")
PAGE = ROOT / "evidence" / "measured" / "validation" / "moving-ns3.md"
STATIONS, WIDTH, HEIGHT, SECONDS = 30, 800.0, 500.0, 100.0
FLOWS, DATAGRAM, OFFERED_MBIT = 8, 540, 4 * 540 * 8e-6
#: Largest speeds in metres a second; 0: no station moves.
SPEEDS = (0, 5, 20)
#: Draws of the ways, and seeds on each: ours, and ns-3's.
DRAWS, OURS, THEIRS = 4, 4, 1
TOLERANCE = 0.1


def way(draws: random.Random, speed: float) -> list[tuple[float, float, float]]:
    """From place to place for the whole run."""
    now, x, y = 0.0, round(draws.uniform(0, WIDTH), 2), round(draws.uniform(0, HEIGHT), 2)
    points = [(now, x, y)]
    while speed > 0 and now < SECONDS:
        to_x, to_y = round(draws.uniform(0, WIDTH), 2), round(draws.uniform(0, HEIGHT), 2)
        now = round(now + max(math.hypot(to_x - x, to_y - y) / draws.uniform(1, speed), 0.01), 3)
        x, y = to_x, to_y
        points.append((now, x, y))
    return points


def network(routing: str, speed: float, draw: int) -> Case:
    """One draw."""
    draws = random.Random(1000 * draw + speed)
    ways = [way(draws, speed) for _ in range(STATIONS)]
    ends = [draws.sample(range(STATIONS), 2) for _ in range(FLOWS)]
    flows = [Flow(route=pair, offered_mbit=OFFERED_MBIT, start_s=20 + at * 0.37) for at, pair in enumerate(ends)]
    return Case(
        name=f"{routing} at {speed} m/s",
        positions=[(points[0][1], points[0][2]) for points in ways],
        ways=ways if speed > 0 else [],
        flows=flows,
        datagram=DATAGRAM,
        queue=64,
        # ns-3's AODV looks up who is behind a MAC address in what ARP has found, or never hears of broken links.
        as_shipped=["arp"],
        routing=routing,
        seconds=SECONDS,
        warmup_s=0,
        seeds=THEIRS,
    )


def sent_mbit(case: Case) -> float:
    """Goodput if everything arrived."""
    payload = (case.datagram - 28) / case.datagram
    return sum(flow.offered_mbit * payload * (SECONDS - flow.start_s) / SECONDS for flow in case.flows)


def offered_mbit(case: Case) -> float:
    """Offered load in Mbit/s, headers included."""
    return sent_mbit(case) * case.datagram / (case.datagram - 28)


def run(case: Case) -> list[tuple[float, float]]:
    """Share delivered and messages of every seed of ours."""
    run = case.scenario({"name": "reno"}).simulate(seeds=OURS)
    answers = []
    for seed in range(1, OURS + 1):
        sources, stations = run.background, run.wifi_stations
        arrived = sources[sources["seed"] == seed]["received"].sum() / sources[sources["seed"] == seed]["sent"].sum()
        answers.append((float(arrived), float(stations[stations["seed"] == seed]["routing_messages"].sum())))
    return answers


def line(what: str, unit: str, ours: list[float], theirs: list[float]) -> str:
    ratio = statistics.fmean(ours) / statistics.fmean(theirs)
    marked = f"{ratio:.3f}" if abs(ratio - 1) <= TOLERANCE else f"**{ratio:.3f}**"
    return f"| {what} | {unit} | {interval(ours)} | {interval(theirs)} | {marked} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", required=True, help="a Python in which ns-3 is installed")
    chosen = parser.parse_args()
    kinds = [(routing, speed) for routing in ("aodv", "dsdv") for speed in SPEEDS]
    cases = {kind: [network(*kind, draw) for draw in range(DRAWS)] for kind in kinds}
    flat = [case for kind in kinds for case in cases[kind]]
    begun = [Ns3(chosen.ns3, PEER, given=[case.plain() for case in half]) for half in (flat[0::2], flat[1::2])]
    theirs: dict[str, list[dict[str, float]]] = {}
    for ns3, half in zip(begun, (flat[0::2], flat[1::2]), strict=True):
        for case, runs in zip(half, ns3.answers(), strict=True):
            theirs[repr(case)] = [
                {
                    "delivered": sum(one["goodput_mbit"]) / sent_mbit(case),
                    "messages": one["routing_messages"],
                    "given up": one["given_up"] * case.datagram * 8e-6 / SECONDS / offered_mbit(case),
                }
                for one in runs
            ]
    rows = ["| routing, largest speed | what | Windward | ns-3 | ratio |", "|---|---|---|---|---|"]
    for kind in kinds:
        mine = [answer for case in cases[kind] for answer in run(case)]
        other = [one for case in cases[kind] for one in theirs[repr(case)]]
        what = f"{kind[0].upper()}, {kind[1]} m/s" if kind[1] else f"{kind[0].upper()}, at rest"
        rows.append(line(what, "delivered", [one[0] for one in mine], [one["delivered"] for one in other]))
        if kind[0] == "aodv" and kind[1]:
            kept = [one["delivered"] + one["given up"] for one in other]
            rows.append(line(what, "delivered, or given up by ns-3's MAC", [one[0] for one in mine], kept))
        rows.append(line(what, "messages", [one[1] for one in mine], [one["messages"] for one in other]))
    page = TEXT.read_text(encoding="utf-8").format(
        stations=STATIONS, width=WIDTH, height=HEIGHT, flows=FLOWS, datagram=DATAGRAM, seconds=SECONDS, draws=DRAWS,
        windward=ww.__version__, version=ns3_version(chosen.ns3), ours=OURS, theirs=THEIRS,
        table="\n".join(rows),
    )  # fmt: skip
    PAGE.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()

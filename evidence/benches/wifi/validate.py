"""Lays wireless networks in Windward beside ns-3 and writes evidence/measured/validation/wifi-ns3.md.

python evidence/benches/wifi/validate.py --ns3 .venv-ns3/bin/python
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from cases import ACKS, IRREGULAR, UNEQUAL, UNEQUAL_9, Case, Flow, chain, grid, hidden, interval, line, star

import windward as ww

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3, ns3_version  # noqa: E402

PEER = Path(__file__).with_name("peer_ns3.py")
PAGE = ROOT / "evidence" / "measured" / "validation" / "wifi-ns3.md"
#: TcpNewReno: grows by 1/cwnd for every ACK.
LAW = {"name": "reno", "byte_counting": False}
#: Seeds of ours, whose runs take no time.
SEEDS = 8
TOLERANCE = 0.05
SHIPPED = ["errors", "detection"]


class Peer:
    """ns-3 on all cases, two processes at once."""

    def __init__(self, python: str, cases: list[Case]) -> None:
        halves = [cases[0::2], cases[1::2]]
        begun = [Ns3(python, PEER, given=[case.plain() for case in half]) for half in halves]
        self.known: dict[str, list[list[float]]] = {}
        for ns3, half in zip(begun, halves, strict=True):
            for case, runs in zip(half, ns3.answers(), strict=True):
                self.known[repr(case)] = [run["goodput_mbit"] for run in runs]

    def __getitem__(self, case: Case) -> list[float]:
        return [sum(flows) for flows in self.known[repr(case)]]

    def flows(self, case: Case) -> list[list[float]]:
        """Goodputs by seed and flow."""
        return self.known[repr(case)]


def stars() -> list[Case]:
    """Saturation."""
    b = [
        replace(star(n, "802.11b", rts), seconds=11, warmup_s=1, seeds=2)
        for n in (1, 5, 10, 20)
        for rts in (False, True)
    ]
    a = [
        replace(star(n, "802.11a", rts), seconds=5, warmup_s=1, seeds=1)
        for n in (1, 5, 10, 20)
        for rts in (False, True)
    ]
    return b + a


def chains(kind: str) -> list[Case]:
    """Rows of stations."""
    seconds, seeds = (30, 1) if kind == "udp" else (60, 2)
    return [
        replace(chain(hops, kind, rts), seconds=seconds, seeds=seeds)
        for hops in (2, 3, 4, 5, 6)
        for rts in (False, True)
    ]


def grids() -> list[Case]:
    """wang2013's grid, static routes."""
    udp = [replace(grid("udp", rts), seconds=30, seeds=1) for rts in (False, True)]
    tcp = [replace(grid("tcp", rts), seconds=60, seeds=3) for rts in (False, True)]
    return udp + tcp


def interfered() -> list[Case]:
    """Networks in which the rate of a frame decides whether it stands the interference of others."""
    b = [replace(case, seconds=22, seeds=2) for case in (ACKS, UNEQUAL, UNEQUAL_9, *IRREGULAR)]
    hidden_12 = line("hidden, 12.0 dB", [0, 125, 375], [[0, 1], [2, 1]], 40, sense=250)
    a = [replace(case, standard="802.11a", data_mbit=54, basic_mbit=24) for case in (hidden_12, chain(4, "udp"))]
    return b + [replace(case, seconds=8, warmup_s=1, seeds=1, flows=faster(case)) for case in a]


def faster(case: Case) -> list[Flow]:
    """Its flows at what 802.11a does not carry."""
    return [replace(flow, offered_mbit=12 if len(flow.route) > 2 else 40) for flow in case.flows]


#: Seconds in which routes settle before flows start, and until these are counted.
SETTLED, COUNTED = 40, 50


def found(case: Case) -> Case:
    """Variant of a case with DSDV routes, whose flows start after the routes have settled."""
    flows = [replace(flow, start_s=SETTLED + flow.start_s) for flow in case.flows]
    return replace(case, routing="dsdv", flows=flows, warmup_s=COUNTED, seconds=COUNTED + 40, seeds=3)


def row(case: Case, theirs: list[float], mine: list[float], what: str) -> str:
    """A line of a table."""
    ratio = statistics.fmean(mine) / statistics.fmean(theirs)
    marked = f"{ratio:.3f}" if abs(ratio - 1) <= TOLERANCE else f"**{ratio:.3f}**"
    return f"| {what} | {'RTS' if case.rts else 'basic'} | {interval(mine)} | {interval(theirs)} | {marked} |"


def flow_rows(case: Case, theirs: list[list[float]], mine: list[list[float]], what: str) -> list[str]:
    """A line for every flow."""
    names = [what] if len(case.flows) == 1 else [f"{what}, flow {at}" for at in range(1, len(case.flows) + 1)]
    columns = zip(names, zip(*mine, strict=True), zip(*theirs, strict=True), strict=True)
    return [row(case, list(their), list(our), name) for name, our, their in columns]


def table(rows: list[str], first: str) -> str:
    return f"| {first} | access | Windward | ns-3 | ratio |\n|---|---|---|---|---|\n" + "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", required=True, help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    version = ns3_version(python)

    saturated, udp, tcp, meshes = stars(), chains("udp"), chains("tcp"), grids()
    routed = [found(case) for case in meshes]
    routed += [replace(found(case), seeds=1) for case in (*udp[4:6], *tcp[4:6])]
    routed.append(replace(found(udp[4]), seeds=2, relays_back_off=True))
    pairs = [replace(hidden(rts), seeds=4) for rts in (False, True)]
    # What explains a difference, switched on both sides.
    patient = [replace(case, retries=20) for case in pairs]
    relays = [replace(case, relays_back_off=True, seeds=2) for case in udp[4:]]
    shipped = [
        replace(case, as_shipped=SHIPPED, seeds=1) for case in (saturated[6], pairs[0], pairs[1], udp[4], udp[5])
    ]
    # By rate as in Windward; with one ratio for all rates, which shows that ns-3's receiver obeys; and as ns-3 comes.
    by_rate = interfered()
    single = replace(by_rate[0], capture_db=10)
    free = [replace(case, as_shipped=SHIPPED) for case in by_rate]
    relayed = [replace(case, relays_back_off=True) for case in by_rate if len(case.flows) == 1]
    theirs = Peer(
        python,
        [
            *(*saturated, *udp, *tcp, *meshes, *routed, *pairs, *patient, *relays, *shipped),
            *(*by_rate, single, *free, *relayed),
        ],
    )
    told, other = (statistics.fmean(flows[1] for flows in theirs.flows(case)) for case in (by_rate[0], single))
    if abs(other / told - 1) < 0.2:
        raise SystemExit(f"{told} and {other} Mbit/s: what ns-3's receiver requires makes no difference to 802.11b")

    def rows(cases: list[Case], what: Any) -> list[str]:
        return [row(case, theirs[case], case.simulate(LAW, SEEDS), what(case)) for case in cases]

    def name(case: Case) -> str:
        return f"{case.name}, relays back off" if case.relays_back_off else case.name

    def kind(case: Case) -> str:
        return f"{name(case)}, {case.flows[0].kind.upper()}"

    def by_flow(cases: list[Case], what: Any) -> list[str]:
        return [
            one
            for case in cases
            for one in flow_rows(case, theirs.flows(case), case.simulate_flows(LAW, SEEDS), what(case))
        ]

    def where(case: Case) -> str:
        return f"{case.standard}, {name(case)}"

    sections = {
        "by_rate": table(by_flow([*by_rate, *relayed], where), "network"),
        "single": table(by_flow([single], lambda case: f"{where(case)}, 10 dB"), "network"),
        "free": table(by_flow(free, where), "network"),
        "saturation": table(rows(saturated, lambda case: f"{case.standard}, {case.name}"), "network"),
        "hidden": table(rows(pairs, lambda _: "7 attempts") + rows(patient, lambda _: "20 attempts"), "limit"),
        "udp": table(rows([*udp, *relays], name), "length"),
        "tcp": table(rows(tcp, name), "length"),
        "grid": table(rows(meshes, lambda case: case.flows[0].kind.upper()), "flows"),
        "routed": table(rows(routed, kind), "network"),
        "shipped": table(rows(shipped, kind), "network"),
    }
    template = Path(__file__).with_name("wifi-ns3.md.in").read_text()
    for key, text in (sections | {"version": version, "windward": ww.__version__, "seeds": str(SEEDS)}).items():
        template = template.replace(f"@{key}@", text)
    PAGE.write_text(template)
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

"""Lays wireless networks in Windward beside ns-3 and writes docs/measured/validation/wifi-ns3.md.

python benches/wifi/validate.py --ns3 .venv-ns3/bin/python
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from cases import Case, chain, grid, hidden, interval, star

import windward as ww

ROOT = Path(__file__).parents[2]
PEER = Path(__file__).with_name("peer_ns3.py")
PAGE = ROOT / "docs" / "measured" / "validation" / "wifi-ns3.md"
#: TcpNewReno: grows by 1/cwnd for every ACK.
LAW = {"name": "reno", "byte_counting": False}
#: Seeds of ours, whose runs take no time.
SEEDS = 8
TOLERANCE = 0.05
SHIPPED = ["errors", "detection"]


class Ns3:
    """ns-3 on all cases, two processes at once."""

    def __init__(self, python: str, cases: list[Case]) -> None:
        halves = [cases[0::2], cases[1::2]]
        processes = [
            subprocess.Popen([python, str(PEER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in halves
        ]
        for process, half in zip(processes, halves, strict=True):
            assert process.stdin
            json.dump([case.plain() for case in half], process.stdin)
            process.stdin.close()
        self.known: dict[str, list[float]] = {}
        for process, half in zip(processes, halves, strict=True):
            assert process.stdout
            lines = (line for line in process.stdout if line.startswith("["))
            for case in half:
                runs = next((json.loads(line) for line in lines if line.startswith("[{")), None)
                if runs is None:
                    raise SystemExit(f"ns-3 ended before {case.name} was done")
                self.known[repr(case)] = [sum(run["goodput_mbit"]) for run in runs]
            process.wait()

    def __getitem__(self, case: Case) -> list[float]:
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


def row(case: Case, theirs: list[float], mine: list[float], what: str) -> str:
    """A line of a table."""
    ratio = statistics.fmean(mine) / statistics.fmean(theirs)
    marked = f"{ratio:.3f}" if abs(ratio - 1) <= TOLERANCE else f"**{ratio:.3f}**"
    return f"| {what} | {'RTS' if case.rts else 'basic'} | {interval(mine)} | {interval(theirs)} | {marked} |"


def table(rows: list[str], first: str) -> str:
    return f"| {first} | access | Windward | ns-3 | ratio |\n|---|---|---|---|---|\n" + "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", required=True, help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    asked = [python, "-c", "import importlib.metadata as m; print(m.version('ns3'))"]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()

    saturated, udp, tcp, meshes = stars(), chains("udp"), chains("tcp"), grids()
    pairs = [replace(hidden(rts), seeds=4) for rts in (False, True)]
    # What explains a difference, switched on both sides.
    patient = [replace(case, retries=20) for case in pairs]
    chained = [replace(case, retries=20) for case in udp[4:6]]
    shipped = [
        replace(case, as_shipped=SHIPPED, seeds=1) for case in (saturated[6], pairs[0], pairs[1], udp[4], udp[5])
    ]
    theirs = Ns3(python, [*saturated, *udp, *tcp, *meshes, *pairs, *patient, *chained, *shipped])

    def rows(cases: list[Case], what: Any) -> list[str]:
        return [row(case, theirs[case], case.simulate(LAW, SEEDS), what(case)) for case in cases]

    def name(case: Case) -> str:
        return case.name

    sections = {
        "saturation": table(rows(saturated, lambda case: f"{case.standard}, {case.name}"), "network"),
        "hidden": table(rows(pairs, lambda _: "7 attempts") + rows(patient, lambda _: "20 attempts"), "limit"),
        "udp": table(rows(udp, name) + rows(chained, lambda case: f"{case.name}, 20 attempts"), "length"),
        "tcp": table(rows(tcp, name), "length"),
        "grid": table(rows(meshes, lambda case: case.flows[0].kind.upper()), "flows"),
        "shipped": table(rows(shipped, lambda case: f"{case.name}, {case.flows[0].kind.upper()}"), "network"),
    }
    template = Path(__file__).with_name("wifi-ns3.md.in").read_text()
    for key, text in (sections | {"version": version, "windward": ww.__version__, "seeds": str(SEEDS)}).items():
        template = template.replace(f"@{key}@", text)
    PAGE.write_text(template)
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

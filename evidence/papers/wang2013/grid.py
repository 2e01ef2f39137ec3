"""The grid of the Matlab part as a network of `windward.num`, from grid.toml."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

import windward as ww
from windward.theory import num
from windward.theory.fluid import Trajectory, follow
from windward.theory.num import Array

from ..shared.quic_tcp import Case

FILE = Path(__file__).parent / "grid.toml"


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """The scenario, and what follows from it."""

    settings: dict[str, Any]
    #: The wired links and the used links of the air, in the order of the network.
    wires: list[str]
    hops: list[tuple[str, str]]

    @classmethod
    def load(cls) -> Grid:
        """From the file."""
        settings = tomllib.loads(FILE.read_text(encoding="utf-8"))
        wires = list(dict.fromkeys(wire for route in settings["wired"]["routes"] for wire in route))
        hops = [(a, b) for route in settings["air"]["routes"] for a, b in pairwise(route)]
        return cls(settings=settings, wires=wires, hops=list(dict.fromkeys(hops)))

    def distance(self, a: str, b: str) -> float:
        """Between two nodes, in metres."""
        places = {name: (x, y) for y, row in enumerate(self.settings["air"]["grid"]) for x, name in enumerate(row)}
        return float(self.settings["air"]["spacing_m"] * math.dist(places[a], places[b]))

    @property
    def region(self) -> num.Csma:
        """Two links conflict if an end of one senses an end of the other."""
        air = self.settings["air"]
        for a, b in self.hops:
            assert self.distance(a, b) <= air["range_m"], f"{a} does not reach {b}"
        conflicts = [
            (i, j)
            for (i, one), (j, other) in combinations(enumerate(self.hops), 2)
            if min(self.distance(a, b) for a in one for b in other) <= air["sensed_m"]
        ]
        straight = [self.distance(a, b) == air["spacing_m"] for a, b in self.hops]
        rates = [air["rate"] if is_straight else air["rate"] / air["diagonal"] for is_straight in straight]
        return {"kind": "csma", "rates": rates, "conflicts": conflicts, "entropy": 1.0}

    def case(self, backlog: float) -> Case:
        """The four flows."""
        wired, air = self.settings["wired"], self.settings["air"]
        links: list[Any] = [{"wired": wired["rate"]}] * len(self.wires) + ["wireless"] * len(self.hops)
        first = len(self.wires)
        routes = [
            [self.wires.index(wire) for wire in wires] + [first + self.hops.index((a, b)) for a, b in pairwise(nodes)]
            for wires, nodes in zip(wired["routes"], air["routes"], strict=True)
        ]
        network: num.Network = {
            "links": links,
            "couplings": [{"links": list(range(first, len(links))), "region": self.region}],
            "routes": routes,
        }
        # There and back over the wires; the air's propagation is negligible, section IV-A.
        base_rtt = np.array([2 * wired["delay_s"] * len(wires) for wires in wired["routes"]])
        return Case(network=network, base_rtt=base_rtt, backlog=np.full(len(routes), backlog))

    def run(self, rho: float, backlog: float, duration_s: float, interval_s: float) -> Trajectory:
        """(15) as an update every period."""
        case, updates = self.case(backlog), self.settings["updates"]
        return follow(
            case.network,
            [ww.QuicTcp(rho=rho, kappa=updates["kappa"], backlog=backlog)] * case.flows,
            base_rtt_s=case.base_rtt,
            windows=np.full(case.flows, self.settings["flows"]["window_at_start"]),
            duration_s=duration_s,
            interval_s=interval_s,
            period_s=updates["period_s"],
            loss_free=True,
        )

    def benchmark(self, backlog: float) -> Array:
        """The paper's: the sub-gradient iteration (9) on (2)."""
        case = self.case(backlog)
        fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": backlog}] * case.flows
        problem: num.Problem = {"network": case.network, "utilities": fair}
        rate = self.settings["air"]["rate"]
        return num.subgradient(
            problem, first=0.02 * backlog / rate**2, decay=1e-3, iterations=400_000, price=backlog / rate
        )[0].rates

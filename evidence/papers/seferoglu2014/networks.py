"""The ns-2 part: tree, diamond and grid, who forwards how, and what is lost where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

import windward as ww

FOLDER = Path(__file__).parent

Shape = Literal["tree", "diamond", "grid"]
LossOf = Literal["attempts", "packets", "deliveries"]

#: Who forwards how; classical backpressure is K = 0. [G] The paper's L_s is open: of the four choices links that lead
#: a hop closer to the destination come nearest to its statements, so they stand first; loop-free ways, which let flow 1
#: of the diamond go round by C and D, are kept beside them.
SYSTEMS: dict[str, Any] = {
    "TCP-aware": ww.format.BackpressureRouting(k="shared", links="downstream"),
    "classical": ww.format.BackpressureRouting(k=0, links="downstream"),
    "AODV": ww.format.AodvRouting(mode="ns2"),
    "TCP-aware, loop-free": ww.format.BackpressureRouting(k="shared", links="loop-free"),
    "classical, loop-free": ww.format.BackpressureRouting(k=0, links="loop-free"),
}

#: [G] ns-2's senders: Sack1 counts ACKs, Vegas with its defaults.
LAWS: dict[str, Any] = {"SACK": ww.Reno(byte_counting=False), "Vegas": ww.Vegas(alpha=1, beta=3, gamma=1)}

#: The axis of Figs. 8, 10, 11 and 13.
LOSSES = (0.0, 0.2, 0.3, 0.4, 0.5)

#: Readings of the axis: see `LinkLoss`. The first stands first for the same reason as above.
READINGS: tuple[LossOf, ...] = ("attempts", "packets", "deliveries")

#: Seeds of each run: "We have repeated each 200 sec simulation for 10 seeds."
SEEDS = 10

#: Seeds and draws of claims that ten leave open (24, 33 to 35).
MANY_SEEDS, MANY_DRAWS = 40, 30


def network(
    shape: Shape,
    system: str = "TCP-aware",
    law: str = "SACK",
    *,
    coding: bool = True,
    loss: Sequence[ww.format.LinkLoss] = (),
    routing: Mapping[str, Any] | None = None,
    **fields: Any,
) -> ww.Scenario:
    """A network of a file under a system, its flows under a law.

    Parameters
    ----------
    shape
        Which file.
    system, law
        Of `SYSTEMS` and `LAWS`.
    coding
        Whether the flows are coded at their ends, as the paper's are in all systems.
    loss
        Losses of links.
    routing
        What else of the system differs.
    fields
        Fields of all flows.
    """
    base = ww.load(FOLDER / f"{shape}.toml")
    forwarding = replace(SYSTEMS[system], **(routing or {}))
    layer: dict[str, Any] = {"coding": "random"} if coding else {}
    flows = [replace(flow, law=LAWS[law], **layer, **fields) for flow in base.flow]
    return replace(base, wifi=[replace(base.wifi[0], routing=forwarding, loss=list(loss))], flow=flows, seeds=SEEDS)


def lossy(ends: tuple[str, str], probability: float, of: LossOf) -> list[ww.format.LinkLoss]:
    """Losses of a link in both directions; none at 0."""
    pairs = (ends, ends[::-1]) if probability > 0 else ()
    return [ww.format.LinkLoss(from_=a, to=b, probability=probability, of=of) for a, b in pairs]


@cache
def grid_draw(draw: int) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Random draws of the paper: four destinations, and the lossy half of the links between neighbours."""
    rng = np.random.default_rng(draw)
    base = ww.load(FOLDER / "grid.toml")
    at = {
        station.node: tuple(float(str(axis).split()[0]) for axis in station.at or ())
        for station in base.wifi[0].station
    }
    names = sorted(at)
    links = [(a, b) for a in names for b in names if a < b and np.hypot(*np.subtract(at[a], at[b])) < 300]
    destinations = rng.choice([name for name in names if name != "GW"], 4, replace=False)
    half = sorted(rng.choice(len(links), len(links) // 2, replace=False))
    return tuple(map(str, destinations)), tuple(links[index] for index in half)


def grid(
    draw: int,
    system: str,
    law: str,
    probability: float = 0.0,
    of: LossOf = "attempts",
    *,
    coding: bool = True,
    routing: Mapping[str, Any] | None = None,
) -> ww.Scenario:
    """The grid with the destinations and lossy links of one draw; to be run with the draw as its seed."""
    destinations, half = grid_draw(draw)
    loss = [one for ends in half for one in lossy(ends, probability, of)]
    scenario = network("grid", system, law, coding=coding, loss=loss, routing=routing)
    flows = [replace(flow, to=to) for flow, to in zip(scenario.flow, destinations, strict=True)]
    return replace(scenario, flow=flows, seeds=[draw])


def with_datagrams(
    system: str, probability: float = 0.0, of: LossOf = "attempts", *, coding: bool = True, limit: str = "2 Mbit/s"
) -> ww.Scenario:
    """The diamond of Figs. 12 and 13: flow 1 is TCP, flow 2 datagrams by (5), else at a rate that fills buffers."""
    scenario = network("diamond", system, coding=coding, loss=lossy(("A", "B"), probability, of))
    first, second = scenario.flow
    pattern: Any = ww.format.Cbr(rate=limit)
    if system.startswith("TCP-aware"):
        pattern = ww.format.Backlog(limit=limit)
    datagrams = ww.Background(name="flow2", from_=second.from_, to=second.to, pattern=pattern, packet="1000 B")
    return replace(scenario, flow=[first], background=[datagrams])

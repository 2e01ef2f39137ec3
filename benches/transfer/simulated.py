"""What a neighbour keeps beside a download over a constant link, in the packet simulator with Linux's TCP and CUBIC."""

from __future__ import annotations

import math
from typing import NamedTuple

import windward as ww

#: CUBIC as servers run it.
CUBIC = {"name": "cubic", "version": "linux", "hystart": True}


class Kept(NamedTuple):
    """The share that a neighbour keeps, and its standard error."""

    share: float
    error: float


def kept(link: ww.Link, lead_s: float, span_s: float, seeds: int) -> Kept:
    """What a flow that began `lead_s` earlier has beside `emultcp-fast` for `span_s`, over that beside one more."""
    ours, one = (rates(link, connections, lead_s, span_s, seeds) for connections in ("emultcp-fast", None))
    share = ours[0] / one[0]
    return Kept(share, share * math.hypot(ours[1] / ours[0], one[1] / one[0]))


def rates(link: ww.Link, connections: str | None, lead_s: float, span_s: float, seeds: int) -> tuple[float, float]:
    """The mean goodput of the neighbour over so many seeds, in bit/s, and its standard error."""
    path = {"from_": link.from_, "to": link.to, "law": CUBIC, "stack": "linux"}
    scenario = ww.Scenario(
        name="neighbour",
        duration=f"{lead_s + span_s} s",
        warmup=f"{lead_s} s",
        node=[ww.Node(name=link.from_), ww.Node(name=link.to)],
        link=[link],
        flow=[
            ww.Flow(name="neighbour", **path),
            ww.Flow(name="download", start=f"{lead_s} s", connections=connections, **path),
        ],
    )
    flows = scenario.simulate(seeds=seeds).flows
    goodputs = flows.loc[flows["flow"] == "neighbour", "goodput_bps"]
    return float(goodputs.mean()), float(goodputs.std()) / math.sqrt(len(goodputs))

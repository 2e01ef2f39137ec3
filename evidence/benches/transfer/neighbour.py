"""Share that a neighbour keeps beside a download: measured, and simulated with Linux's TCP and CUBIC."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

import windward as ww

#: CUBIC as servers run it.
CUBIC = {"name": "cubic", "version": "linux", "hystart": True}


class Kept(NamedTuple):
    """The share that a neighbour keeps, and its standard error."""

    share: float
    error: float


def kept(beside_ours: Sequence[float], beside_one: Sequence[float]) -> Kept:
    """Goodput beside ours over goodput beside one more flow; from independent runs, two or more of each kind."""
    (ours, one), errors = zip(*(estimate(runs) for runs in (beside_ours, beside_one)), strict=True)
    return Kept(ours / one, ours / one * math.hypot(*errors))


def estimate(runs: Sequence[float]) -> tuple[float, float]:
    """The mean, and its standard error as a share of it."""
    mean = statistics.mean(runs)
    return mean, statistics.stdev(runs) / math.sqrt(len(runs)) / mean


def kept_simulated(link: ww.Link, lead_s: float, span_s: float, seeds: int) -> Kept:
    """Share that a flow begun `lead_s` earlier keeps for `span_s` beside `emultcp-fast`, relative to one more flow."""
    return kept(*(rates(link, connections, lead_s, span_s, seeds) for connections in ("emultcp-fast", None)))


def rates(link: ww.Link, connections: str | None, lead_s: float, span_s: float, seeds: int) -> list[float]:
    """The goodput of the neighbour for each of the first `seeds` seeds, in bit/s."""
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
    return [float(each) for each in flows.loc[flows["flow"] == "neighbour", "goodput_bps"]]

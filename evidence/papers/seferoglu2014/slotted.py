"""The slotted networks on which the theory is checked: stations, sources, and what the engine makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import windward as ww

#: Length of a slot, and bits of the packet that each active link sends in it.
SLOT_S = 1e-3
PACKET = 12_000

#: Places where neighbours, and only they, are in range of 250 m.
PLACES = {
    "star": {"B": (0, 0), "A": (200, 0), "C": (400, 0)},
    "diamond": {"A": (55, 250), "B": (250, 395), "C": (250, 105), "D": (445, 250)},
    "line": {"A": (0, 0), "B": (200, 0), "C": (400, 0), "D": (600, 0)},
}


def network(
    shape: str,
    k: str | Literal[0],
    *,
    off: Mapping[tuple[str, str], float] | None = None,
    buffer: int = 10_000_000,
    slot: str = "1 ms",
    links: Literal["loop-free", "all"] = "loop-free",
    duration: str = "100 s",
    warmup: str = "0 s",
    flows: Sequence[tuple[str, str]] = (),
    background: Sequence[ww.Background] = (),
) -> ww.Scenario:
    """Stations that share time by slots; links with a station in common conflict, `off` is how likely each is OFF."""
    places = PLACES[shape]
    return ww.Scenario(
        name=shape,
        duration=duration,
        stack="rfc",
        warmup=warmup,
        node=[ww.Node(name=name) for name in sorted(places)],
        wifi=[
            ww.Wifi(
                name="air",
                access=ww.format.MaxWeightAccess(slot=slot, conflicts="primary"),
                routing=ww.format.BackpressureRouting(k=k, links=links),
                buffer=f"{buffer} packets",
                station=[ww.format.WifiStation(node=name, at=[f"{x} m", f"{y} m"]) for name, (x, y) in places.items()],
                loss=[
                    ww.format.LinkLoss(from_=ends[0], to=ends[1], probability=probability)
                    for ends, probability in (off or {}).items()
                ],
            )
        ],
        flow=[ww.Flow(from_=a, to=b, law="reno") for a, b in flows],
        background=list(background),
    )


def poisson(ends: tuple[str, str], packets_per_slot: float) -> ww.Background:
    """Packets of independent arrivals."""
    rate = packets_per_slot * PACKET / SLOT_S
    return ww.Background(from_=ends[0], to=ends[1], pattern=ww.format.Poisson(rate=f"{rate:.0f} bit/s"))


def at_once(ends: tuple[str, str], packets: int) -> ww.Background:
    """So many packets in the first of the slots, which then are of one second."""
    pattern = ww.format.Cbr(rate=f"{packets * PACKET} bit/s")
    return ww.Background(from_=ends[0], to=ends[1], pattern=pattern, stop=f"{1 - 0.5 / packets:.4f} s")


def boundary(shape: str, flows: Sequence[tuple[str, str]], off: Mapping[tuple[str, str], float] | None = None) -> float:
    """The largest rate that all flows can have, in packets a slot: the optimum over all routings and schedules."""
    best = network(shape, 0, off=off, flows=flows).optimum("max-min", routing="free")
    return float(best.flows["rate_bps"].min()) * SLOT_S / PACKET

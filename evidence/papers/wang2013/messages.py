"""Section II-C in packets: a line of four stations under ideal CSMA, with rates that follow queue lengths.

[G] The network: the text has none for it. Stations are 200 m apart, links that share a station conflict, and of the
three flows one crosses all three hops, so that each link has two flows: N = 2. The wires are left out.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

import windward as ww
from windward.theory import num
from windward.theory.num import Array

#: Stations of each flow, and the weight p of its utility p ln x.
STATIONS = ("A", "B", "C", "D")
FLOWS = {"AD": ("A", "D"), "AB": ("A", "B"), "BD": ("B", "D")}
WEIGHT = 2.0
#: ε of λ = ε Q, in milliseconds: queues are λ/ε, some tens of packets.
EPSILON_MS = 0.2
#: Bytes of a packet and of a message on the wire.
PACKET, MESSAGE = 1500, 32
#: Times between messages: the step of huang2020 §V-A, one that costs little, and one at which queues are long gone.
SLOTS_MS = (20, 100, 500)
#: Time, and the part of it that is left out, in seconds.
DURATION_S, WARMUP_S = 300, 100

LINKS = list(pairwise(STATIONS))


def hops(flow: str) -> int:
    """Links of a flow's route."""
    first, last = (STATIONS.index(end) for end in FLOWS[flow])
    return last - first


def scenario(scheme: str, slot_ms: int = SLOTS_MS[0]) -> ww.Scenario:
    """The line with one of the schemes: "link-based", "node-based" or "QUIC-TCP"."""
    by_length = ww.format.IdealAccess(epsilon=f"{EPSILON_MS} ms", conflicts="primary")
    scale = WEIGHT / (EPSILON_MS / 1e3)
    pattern: ww.format.MessagePassing | ww.format.Backlog
    if scheme == "node-based":
        pattern = ww.format.Backlog(m=scale * slot_ms / 1e3, slot=f"{slot_ms} ms", limit="20 Mbit/s")
    else:
        pattern = ww.format.MessagePassing(
            weight=scale, slot=f"{slot_ms} ms", limit="20 Mbit/s", message=f"{MESSAGE} B"
        )
    flows = [
        ww.Flow(name=name, from_=first, to=last, law=ww.QuicTcp(rho=0.5, kappa=0.5, backlog=WEIGHT), stack="rfc")
        for name, (first, last) in FLOWS.items()
    ]
    sources = [
        ww.Background(name=name, from_=first, to=last, pattern=pattern, packet=f"{PACKET} B")
        for name, (first, last) in FLOWS.items()
    ]
    is_tcp = scheme == "QUIC-TCP"
    return ww.Scenario(
        name="line",
        duration=f"{DURATION_S} s",
        warmup=f"{WARMUP_S} s",
        stack="rfc",
        output=ww.Output(sample_interval="10 s"),
        node=[ww.Node(name=name) for name in STATIONS],
        wifi=[
            ww.Wifi(
                name="air",
                standard="802.11b",
                access=ww.format.IdealAccess(conflicts="primary") if is_tcp else by_length,
                routing=ww.format.BackpressureRouting(k=0, links="downstream")
                if scheme == "node-based"
                else "shortest",
                buffer="100000 packets",
                station=[
                    ww.format.WifiStation(node=name, at=[f"{200 * at} m", "0 m"], data_rate="11 Mbit/s")
                    for at, name in enumerate(STATIONS)
                ],
            )
        ],
        flow=flows if is_tcp else [],
        background=[] if is_tcp else sources,
    )


def told_queues(slot_ms: int) -> list[ww.Background]:
    """The messages of reference 10's scheme: each station tells each of its queues to its neighbour in each slot.

    For the air that they take. The scheme itself knows the queues at once, as the engine's ideal CSMA has it.
    """
    pattern = ww.format.Cbr(rate=f"{8 * MESSAGE * 1000 / slot_ms:g} bit/s")
    messages = []
    for name, ends in FLOWS.items():
        first, last = map(STATIONS.index, ends)
        for at in range(first, last):
            neighbour = STATIONS[at - 1 if at else 1]
            messages.append(
                ww.Background(
                    name=f"{name}-messages-{STATIONS[at]}",
                    from_=STATIONS[at],
                    to=neighbour,
                    pattern=pattern,
                    packet=f"{MESSAGE} B",
                )
            )
    return messages


def rates(run: ww.Run) -> Array:
    """Packets a second of each flow."""
    if len(run.flows):
        return np.asarray(run.flows.set_index("flow").loc[list(FLOWS), "goodput_pps"], dtype=float)
    received = run.background.set_index("source").loc[list(FLOWS), "received"]
    return np.asarray(received, dtype=float) / (DURATION_S - WARMUP_S)


def messages(run: ww.Run) -> pd.DataFrame:
    """The sources of messages."""
    return run.background[run.background["source"].astype(str).str.contains("-messages-")]


def used_links(run: ww.Run) -> pd.DataFrame:
    """Links that carry data, with the time that a packet takes."""
    names = [f"{near}->{far}" for near, far in LINKS]
    return run.csma_links.set_index("link").loc[names]


def optimum(packets_per_second: Array) -> Array:
    """The optimum of (2) with these rates b of the three links alone."""
    network: num.Network = {
        "links": ["wireless"] * len(LINKS),
        "couplings": [
            {
                "links": [0, 1, 2],
                "region": {"kind": "csma", "rates": packets_per_second, "conflicts": [(0, 1), (1, 2)], "entropy": 1.0},
            }
        ],
        "routes": [[0, 1, 2], [0], [1, 2]],
    }
    fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": WEIGHT}] * len(FLOWS)
    return np.asarray(num.solve({"network": network, "utilities": fair}).rates)

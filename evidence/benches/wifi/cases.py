"""Wireless networks on which Windward is laid beside ns-3: each a case, plain data that `peer_ns3.py` also reads."""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict, dataclass, field
from typing import Any

import windward as ww

#: Metres at which frames are received and sensed, but where a case says otherwise.
RECEIVE, SENSE = 250.0, 550.0
#: Payload of a TCP segment; bytes of a UDP datagram, IP and UDP headers included.
SEGMENT, DATAGRAM = 1448, 1500


#: Required signal-to-interference ratio in decibels, by Mbit/s, as in `crates/radio/src/wifi/radio/errors.rs`.
REQUIRED_DB = {
    "802.11b": {1: 2.2, 2: 5.2, 5.5: 4.4, 11: 7.6},
    "802.11a": {6: 3.8, 9: 6.7, 12: 6.9, 18: 9.7, 24: 13.4, 36: 16.5, 48: 21.2, 54: 22.5},
}
#: Of AODV without what ns-3 leaves out.
ROUTINGS = {
    "fixed": ww.format.ShortestRouting(),
    "dsdv": ww.format.DsdvRouting(),
    "aodv": ww.format.AodvRouting(local_repair=False),
}


def motion(way: list[tuple[float, float, float]]) -> ww.format.WaypointsMotion | None:
    """A way that begins at the station's position."""
    points = [ww.format.Waypoint(time=f"{time} s", at=[f"{x} m", f"{y} m"]) for time, x, y in way if time > 0]
    return ww.format.WaypointsMotion(points=points) if points else None


@dataclass(frozen=True, kw_only=True)
class Flow:
    """An unbounded flow along a fixed route."""

    #: Indices of stations, from the sender to the receiver.
    route: list[int]
    #: "udp" or "tcp".
    kind: str = "udp"
    #: UDP: rate on the wire, IP and UDP headers included.
    offered_mbit: float = 0.0
    start_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Case:
    """A wireless network and what it carries."""

    name: str
    positions: list[tuple[float, float]]
    flows: list[Flow]
    standard: str = "802.11b"
    data_mbit: float = 11
    basic_mbit: float = 1
    rts: bool = False
    receive: float = RECEIVE
    sense: float = SENSE
    #: Packets that may wait at a station beside the one being sent.
    queue: int = 100
    #: Attempts of a frame before it is given up.
    retries: int = 7
    law: str = "newreno"
    segment: int = SEGMENT
    datagram: int = DATAGRAM
    seconds: float = 20
    warmup_s: float = 2
    seeds: int = 4
    #: "fixed", along the flows' routes, or "dsdv" or "aodv": then their ends alone count.
    routing: str = "fixed"
    #: Seconds and metres where each station is when, straight and evenly in between; empty: none moves.
    ways: list[list[tuple[float, float, float]]] = field(default_factory=list)
    #: Required signal-to-interference ratio whatever the rate; without it, by rate.
    capture_db: float | None = None
    #: What is left in ns-3 as it comes.
    as_shipped: list[str] = field(default_factory=list)
    #: In ns-3, a backoff for packets passed on at once, as the standard has it.
    relays_back_off: bool = False

    def plain(self) -> dict[str, Any]:
        """As `peer_ns3.py` reads it."""
        required = REQUIRED_DB[self.standard]
        if self.capture_db is not None:
            required = dict.fromkeys(required, self.capture_db)
        return asdict(self) | {"required_db": required}

    def scenario(self, law: Any, **changes: Any) -> ww.Scenario:
        """Windward's scenario for the case, its TCP under `law`; `changes` are fields of the wireless network."""

        def name(station: int) -> str:
            return f"s{station}"

        nodes = [name(at) for at in range(len(self.positions))]
        wifi = {
            "name": "air",
            "standard": self.standard,
            "data_rate": f"{self.data_mbit} Mbit/s",
            "basic_rate": f"{self.basic_mbit} Mbit/s",
            "rts_threshold": "0 B" if self.rts else None,
            # ns-3 has one limit for short and long frames.
            "short_retries": self.retries,
            "long_retries": self.retries if self.rts else None,
            "buffer": f"{self.queue} packets",
            "routing": ROUTINGS[self.routing],
            "reach": ww.format.WifiReach(
                receive=f"{self.receive} m",
                sense=f"{self.sense} m",
                capture=None if self.capture_db is None else f"{self.capture_db} dB",
            ),
            "station": [
                ww.format.WifiStation(node=node, at=[f"{x} m", f"{y} m"], motion=motion(way))
                for node, (x, y), way in zip(
                    nodes, self.positions, self.ways or [[]] * len(self.positions), strict=True
                )
            ],
        }

        def path(flow: Flow) -> dict[str, Any]:
            first, *via, last = (name(at) for at in flow.route)
            found = {"via": via} if self.routing == "fixed" else {}
            return {"from_": first, "to": last, "start": f"{flow.start_s} s"} | found

        return ww.Scenario(
            name="beside-ns3",
            duration=f"{self.seconds} s",
            stack="rfc",
            warmup=f"{self.warmup_s} s",
            node=[ww.Node(name=node) for node in nodes],
            wifi=[ww.Wifi(**wifi | changes)],
            flow=[
                ww.Flow(name=f"f{at}", law=law, segment=f"{self.segment} B", **path(flow))
                for at, flow in enumerate(self.flows)
                if flow.kind == "tcp"
            ],
            background=[
                ww.Background(
                    name=f"f{at}",
                    pattern=ww.format.Cbr(rate=f"{flow.offered_mbit} Mbit/s"),
                    packet=f"{self.datagram} B",
                    **path(flow),
                )
                for at, flow in enumerate(self.flows)
                if flow.kind == "udp"
            ],
        )

    def simulate(self, law: Any, seeds: int, **changes: Any) -> list[float]:
        """Goodput of all flows together in Windward, in Mbit/s, seed by seed."""
        return [sum(flows) for flows in self.simulate_flows(law, seeds, **changes)]

    def simulate_flows(self, law: Any, seeds: int, **changes: Any) -> list[list[float]]:
        """Goodput of each flow in Windward, in Mbit/s, for each seed."""
        run = self.scenario(law, **changes).simulate(seeds=seeds)
        goodput: list[list[float]] = [[] for _ in range(seeds)]
        for at, bits in zip(
            run.flows["seed"], run.flows["delivered_bytes"] * 8 / (self.seconds - self.warmup_s), strict=True
        ):
            goodput[at - 1].append(bits / 1e6)
        payload = (self.datagram - 28) / self.datagram
        for at, bits in zip(run.background["seed"], run.background["received_bps"] * payload, strict=True):
            goodput[at - 1].append(bits / 1e6)
        return goodput


def interval(values: list[float]) -> str:
    """Mean, and its standard error where there is more than one value."""
    mean = f"{statistics.fmean(values):.3f}"
    return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values) / math.sqrt(len(values)):.3f}"


def star(stations: int, standard: str, rts: bool) -> Case:
    """Senders on a circle that always have something to send to the station in the middle."""
    is_b = standard == "802.11b"
    angles = [2 * math.pi * at / stations for at in range(stations)]
    offered = (16 if is_b else 70) / stations
    return Case(
        name=f"{stations} stations",
        standard=standard,
        data_mbit=11 if is_b else 54,
        basic_mbit=1 if is_b else 24,
        rts=rts,
        positions=[(50.0, 50.0)] + [(50 + 50 * math.cos(angle), 50 + 50 * math.sin(angle)) for angle in angles],
        flows=[Flow(route=[1 + at, 0], offered_mbit=offered, start_s=at / 1000) for at in range(stations)],
    )


def hidden(rts: bool) -> Case:
    """Two senders out of each other's reach, a receiver between them."""
    return Case(
        name="hidden",
        rts=rts,
        sense=RECEIVE,
        positions=[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)],
        flows=[Flow(route=[at, 1], offered_mbit=8, start_s=at / 1000) for at in (0, 2)],
    )


def line(name: str, places: list[float], routes: list[list[int]], offered_mbit: float, **fields: Any) -> Case:
    """Stations in a line at `places`, in metres, no two gaps alike, and flows along `routes`."""
    return Case(
        name=name,
        positions=[(place, 0.0) for place in places],
        flows=[Flow(route=route, offered_mbit=offered_mbit, start_s=at / 1000) for at, route in enumerate(routes)],
        **fields,
    )


#: ACKs at 1 Mbit/s that reach their station 5.3 dB above the frames of another.
ACKS = line("ACKs under interference", [0, 157, 320, 556], [[0, 1], [2, 3]], 8)
#: Two hidden senders, of which one is 4.5 dB stronger at the receiver: too little for 11 Mbit/s; and 8.9 dB: enough.
UNEQUAL = line("hidden, 4.5 dB", [0, 153, 351], [[0, 1], [2, 1]], 8, sense=RECEIVE)
UNEQUAL_9 = line("hidden, 8.9 dB", [0, 120, 320], [[0, 1], [2, 1]], 8, sense=RECEIVE)
#: Chains with hops of 100 to 220 m.
IRREGULAR = [
    line("4 irregular hops", [0, 130, 345, 480, 700], [[0, 1, 2, 3, 4]], 3),
    line("5 irregular hops", [0, 180, 300, 540, 640, 860], [[0, 1, 2, 3, 4, 5]], 3),
]


def chain(hops: int, kind: str, rts: bool = False) -> Case:
    """One flow over stations 200 m apart, of which each senses two on either side."""
    return Case(
        name=f"{hops} hops",
        rts=rts,
        positions=[(200.0 * at, 0.0) for at in range(hops + 1)],
        flows=[Flow(kind=kind, route=list(range(hops + 1)), offered_mbit=12 / hops)],
        seconds=60,
        warmup_s=5,
    )


#: Routes of wang2013's four downloads on the grid: station 8 is the access point, at the left end of the third row.
DOWNLOADS = [[8, 13, 14, 15], [8, 12], [8, 5, 2], [8, 5]]


def grid(kind: str, rts: bool) -> Case:
    """wang2013's grid of 150 m, its four downloads from the access point itself."""
    return Case(
        name="grid",
        rts=rts,
        positions=[(150.0 * (at % 4), 450.0 - 150.0 * (at // 4)) for at in range(16)],
        flows=[Flow(kind=kind, route=route, offered_mbit=2.0, start_s=at / 100) for at, route in enumerate(DOWNLOADS)],
        seconds=100,
        warmup_s=10,
    )

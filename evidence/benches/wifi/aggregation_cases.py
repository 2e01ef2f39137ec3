"""Networks of 802.11n, ac and ax for the comparison with ns-3: plain data that `peer_aggregation.py` also reads."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import windward as ww

#: Payload of a TCP segment; bytes of a UDP datagram, IP and UDP headers included.
SEGMENT, DATAGRAM = 1448, 1500
#: DSCP CS4, which Linux and ns-3 both map to AC_VI.
VIDEO = 32
#: TXOP limit of AC_VI in ns-3 (IEEE 802.11-2020, table 9-155).
VIDEO_TXOP = "4096 us"
POWER_DBM, FREQUENCY_HZ, NOISE_FIGURE_DB = 20.0, 5.25e9, 7.0


@dataclass(frozen=True, kw_only=True)
class Flow:
    """An unbounded flow."""

    from_: int
    to: int
    #: "udp" or "tcp".
    kind: str = "udp"
    #: UDP: rate, IP and UDP headers included.
    offered_mbit: float = 0.0
    dscp: int = 0
    start_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Case:
    """A network and its flows."""

    name: str
    standard: str
    mcs: int
    width: int
    guard_ns: int
    flows: list[Flow]
    streams: int = 1
    positions: list[tuple[float, float]] = field(default_factory=list)
    #: MPDUs in an A-MPDU at most; `None`: as many as the standard allows; 1: no A-MPDU, an ACK for each frame.
    mpdus: int | None = None
    #: Largest A-MSDU in bytes; `None`: none.
    amsdu: int | None = None
    window: int = 64
    rts: bool = False
    #: Loss of each MPDU.
    loss: float = 0.0
    #: Reaction to a lost BlockAck: "data" or "request".
    after_loss: str = "data"
    #: Power in dBm from which frames are sensed and received.
    threshold_dbm: float | None = None
    law: str = "newreno"
    #: Packets that may wait at a station.
    queue: int = 1000
    segment: int = SEGMENT
    datagram: int = DATAGRAM
    seconds: float = 2.0
    warmup_s: float = 0.5
    seeds: int = 1
    as_shipped: list[str] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """As `peer_aggregation.py` reads it."""
        plain = asdict(self)
        for flow in plain["flows"]:
            flow["from"] = flow.pop("from_")
        return plain

    def scenario(self, seconds: float) -> ww.Scenario:
        """Windward's scenario for the case."""
        nodes = [f"s{at}" for at in range(len(self.positions))]
        threshold = None if self.threshold_dbm is None else f"{self.threshold_dbm} dBm"
        pairs = {(flow.from_, flow.to) for flow in self.flows}
        wifi = ww.Wifi(
            name="air",
            standard=self.standard,
            band="5 GHz",
            width=f"{self.width} MHz",
            streams=self.streams,
            guard_interval=f"{self.guard_ns} ns",
            rate_control=ww.format.FixedRateControl(mcs=self.mcs),
            ampdu=None if self.mpdus is None else ww.format.Ampdu(mpdus=self.mpdus),
            amsdu=None if self.amsdu is None else f"{self.amsdu} B",
            # ns-3 gives no MPDU under a BlockAck agreement up.
            block_ack=None
            if self.mpdus == 1
            else ww.format.BlockAck(window=self.window, attempts=100_000, after_loss=self.after_loss),
            edca=ww.format.Edca(video=ww.format.Contention(txop=VIDEO_TXOP)),
            rts_threshold="0 B" if self.rts else None,
            reach=ww.format.WifiReach(
                path_loss="free-space",
                power=f"{POWER_DBM} dBm",
                receive_threshold=threshold,
                sense_threshold=threshold,
            ),
            station=[
                ww.format.WifiStation(node=node, at=[f"{x} m", f"{y} m"])
                for node, (x, y) in zip(nodes, self.positions, strict=True)
            ],
            loss=[ww.format.LinkLoss(from_=nodes[a], to=nodes[b], probability=self.loss) for a, b in sorted(pairs)]
            if self.loss
            else None,
        )

        def ends(flow: Flow) -> dict[str, Any]:
            return {"from_": nodes[flow.from_], "to": nodes[flow.to], "start": f"{flow.start_s} s", "dscp": flow.dscp}

        law: dict[str, Any] = {"newreno": {"name": "reno", "byte_counting": False}, "cubic": {"name": "cubic"}}[
            self.law
        ]
        numbered = list(enumerate(self.flows))
        return ww.Scenario(
            name="beside-ns3",
            duration=f"{seconds} s",
            stack="rfc",
            warmup=f"{self.warmup_s} s",
            node=[ww.Node(name=node) for node in nodes],
            wifi=[wifi],
            flow=[
                ww.Flow(name=f"f{at}", law=law, segment=f"{self.segment} B", **ends(flow))
                for at, flow in numbered
                if flow.kind == "tcp"
            ],
            background=[
                ww.Background(
                    name=f"f{at}",
                    pattern=ww.format.Cbr(rate=f"{flow.offered_mbit} Mbit/s"),
                    packet=f"{self.datagram} B",
                    **ends(flow),
                )
                for at, flow in numbered
                if flow.kind == "udp"
            ],
        )

    def simulate(self, seconds: float, seeds: int) -> Found:
        """Goodput of each flow in Windward by seed, and the size of aggregates."""
        run = self.scenario(seconds).simulate(seeds=seeds)
        span = seconds - self.warmup_s
        goodput: list[list[float]] = [[] for _ in range(seeds)]
        for at, taken in zip(run.flows["seed"], run.flows["delivered_bytes"], strict=True):
            goodput[at - 1].append(taken * 8e-6 / span)
        payload = (self.datagram - 28) / self.datagram
        for at, bits in zip(run.background["seed"], run.background["received_bps"], strict=True):
            goodput[at - 1].append(bits * payload / 1e6)
        sizes = run.ampdu_sizes
        data = {f"s{flow.from_}->s{flow.to}" for flow in self.flows}
        mine = sizes[sizes["link"].isin(data)]
        return Found(goodput, float((mine["mpdus"] * mine["ppdus"]).sum() / mine["ppdus"].sum()))

    def expected(self, standard: bool = True) -> float:
        """Goodput of one saturated station in Mbit/s by the closed form.

        With `standard` as Windward counts times, else as ns-3: short guard intervals not rounded, no VHT-SIG-B,
        HE-LTFs of 8 µs.
        """
        size = self.datagram + 38
        most = {"802.11n": 65_535, "802.11ac": 1_048_575, "802.11ax": 6_500_631}[self.standard]
        frames = self.mpdus or self.window
        while frames > 1 and (1544 * frames - 2 > most or self.ppdu_us(1544 * frames - 2, standard) > 5484):
            frames -= 1
        bare = frames == 1 and self.standard == "802.11n"
        data = self.ppdu_us(size if bare else 1544 * frames - 2, standard)
        control = {0: 6, 1: 12, 2: 12}.get(self.mcs, 24)

        def of(count: int) -> float:
            return 20 + 4 * math.ceil((22 + 8 * count) / (4 * control))

        answer = of(14 if frames == 1 else 32 if self.window <= 64 else 56)
        protection = of(20) + of(14) + 32.2 if self.rts else 0.0
        return 8 * (self.datagram - 28) * frames / (43 + 67.5 + protection + data + 16 + answer + 0.2)

    def ppdu_us(self, psdu: int, standard: bool) -> float:
        """Duration of a PPDU in microseconds."""
        carriers = {"802.11ax": {20: 234, 40: 468, 80: 980, 160: 1960}}.get(
            self.standard, {20: 52, 40: 108, 80: 234, 160: 468}
        )[self.width]
        bits, rate = MODULATION[self.mcs]
        per_symbol = math.floor(carriers * bits * self.streams * rate[0] / rate[1])
        fields = {1: 1, 2: 2, 3: 4, 4: 4}[self.streams]
        if self.standard == "802.11ax":
            symbol = 12.8 + self.guard_ns / 1000
            training = {800: 7.2, 1600: 8.0, 3200: 16.0}[self.guard_ns] if standard else 8.0
            preamble, encoders = 36 + fields * training, 1
        else:
            symbol = 3.2 + self.guard_ns / 1000
            mbit = per_symbol / symbol
            is_short = self.guard_ns == 400
            if self.standard == "802.11n":
                preamble, each = 32 + 4 * fields, 350 if is_short else 320
            else:
                # ns-3 leaves VHT-SIG-B out where there is one user.
                preamble, each = (36 if standard else 32) + 4 * fields, 600 if is_short else 540
            encoders = math.ceil(round(mbit / each, 9))
        data = math.ceil((16 + 8 * psdu + 6 * encoders) / per_symbol) * symbol
        if standard and self.guard_ns == 400:
            data = 4 * math.ceil(round(data / 4, 9))
        return preamble + data


@dataclass(frozen=True)
class Found:
    """Goodputs in Mbit/s by seed and flow, and MPDUs per PPDU in the mean."""

    goodput: list[list[float]]
    mean_ampdu: float


#: Bits per subcarrier and code rate by MCS.
MODULATION = [
    (1, (1, 2)), (2, (1, 2)), (2, (3, 4)), (4, (1, 2)), (4, (3, 4)), (6, (2, 3)),
    (6, (3, 4)), (6, (5, 6)), (8, (3, 4)), (8, (5, 6)), (10, (3, 4)), (10, (5, 6)),
]  # fmt: skip


#: Formats: standard, width in MHz, guard interval in ns.
HT20, HT20_SHORT = ("802.11n", 20, 800), ("802.11n", 20, 400)
HT40, HT40_SHORT = ("802.11n", 40, 800), ("802.11n", 40, 400)
VHT20, VHT40, VHT80, VHT160 = (("802.11ac", width, 400) for width in (20, 40, 80, 160))
VHT80_LONG = ("802.11ac", 80, 800)
HE20, HE80, HE160 = (("802.11ax", width, 800) for width in (20, 80, 160))
HE80_LONG = ("802.11ax", 80, 3200)


def label(air: tuple[str, int, int], mcs: int, streams: int) -> str:
    """Name of a mode."""
    standard, width, guard = air
    name = {"802.11n": "HT", "802.11ac": "VHT", "802.11ax": "HE"}[standard]
    return f"{name} MCS {mcs}, {width} MHz, {guard} ns" + (f", {streams} streams" if streams > 1 else "")


def cell(
    air: tuple[str, int, int], mcs: int, stations: int = 1, name: str = "", load: float = 1.3, **fields: Any
) -> Case:
    """Senders on a circle of 1 m that always have something to send to the station in the middle."""
    standard, width, guard = air
    streams = fields.get("streams", 1)
    angles = [2 * math.pi * at / stations for at in range(stations)]
    bare = Case(name="", standard=standard, mcs=mcs, width=width, guard_ns=guard, flows=[], **fields)
    offered = bare.expected() * load * DATAGRAM / (DATAGRAM - 28) / stations
    return Case(
        name=name or label(air, mcs, streams),
        standard=standard,
        mcs=mcs,
        width=width,
        guard_ns=guard,
        positions=[(0.0, 0.0)] + [(round(math.cos(a), 6), round(math.sin(a), 6)) for a in angles],
        flows=[Flow(from_=1 + at, to=0, offered_mbit=round(offered, 3), start_s=at / 1000) for at in range(stations)],
        **fields,
    )


def distance(case: Case, snr_db: float) -> float:
    """Distance in metres at which a frame is `snr_db` above the noise, in free space."""
    noise = -174 + 10 * math.log10(case.width * 1e6) + NOISE_FIGURE_DB
    wavelength = 299_792_458.0 / FREQUENCY_HZ
    return wavelength / (4 * math.pi) * math.pow(10, (POWER_DBM - noise - snr_db) / 20)


def power_at(metres: float) -> float:
    """Received power in dBm in free space."""
    return POWER_DBM - 20 * math.log10(4 * math.pi * metres * FREQUENCY_HZ / 299_792_458.0)

"""Compares 802.11n, ac and ax in Windward with ns-3 and writes evidence/measured/validation/aggregation-ns3.md.

python evidence/benches/wifi/aggregation.py --ns3 .venv-ns3/bin/python
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import statistics
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aggregation_cases import (
    HE20,
    HE80,
    HE80_LONG,
    HE160,
    HT20,
    HT20_SHORT,
    HT40,
    HT40_SHORT,
    VHT20,
    VHT80,
    VHT80_LONG,
    VHT160,
    VIDEO,
    Case,
    Flow,
    Found,
    cell,
    distance,
    power_at,
)

import windward as ww

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3, ns3_version  # noqa: E402

PEER = Path(__file__).with_name("peer_aggregation.py")
PAGE = ROOT / "evidence" / "measured" / "validation" / "aggregation-ns3.md"
#: Answers of ns-3 so far.
KNOWN = ROOT / "target" / "aggregation-ns3.jsonl"
#: Seeds of Windward, and simulated seconds of each run.
SEEDS, SECONDS = 3, 6.0
TOLERANCE = 0.05
#: Least relative change of ns-3's own result by a switch.
LEAST_CHANGE = 0.01


@dataclass(frozen=True)
class Row:
    """A case, and the one without its switch in ns-3."""

    case: Case
    #: Setting that distinguishes the two.
    switch: str = ""
    off: Case | None = None


def plain(air: Any, mcs: int, **fields: Any) -> Case:
    """One saturated station."""
    return cell(air, mcs, **fields)


HT, VHT, HE = plain(HT20, 7), plain(VHT80, 9), plain(HE80, 11, window=256)
VHT_2 = plain(VHT80, 9, streams=2)


def modes() -> list[Row]:
    """Saturation of one station."""
    ht40, ht40_2 = plain(HT40_SHORT, 7), plain(HT40_SHORT, 7, streams=2)
    vht160 = plain(VHT160, 9, window=64)
    he160 = plain(HE160, 11, window=256)
    vht20 = plain(VHT20, 8)
    he20 = plain(HE20, 7)
    long = plain(VHT80_LONG, 9)
    he_long = plain(HE80_LONG, 7)
    return [
        Row(plain(HT20, 0), "MCS 0 instead of 7", HT),
        Row(HT, "", None),
        Row(plain(HT20_SHORT, 7), "guard interval of 400 ns", HT),
        Row(plain(HT40, 3), "MCS 3, 40 MHz, instead of MCS 7, 20 MHz", HT),
        Row(ht40, "40 MHz, 400 ns", HT),
        Row(ht40_2, "second stream", ht40),
        Row(vht20, "256-QAM", HT),
        Row(long, "", None),
        Row(VHT, "guard interval of 400 ns", long),
        Row(VHT_2, "second stream", VHT),
        Row(vht160, "160 MHz", VHT),
        Row(he20, "HE instead of HT", HT),
        Row(he_long, "MCS 7, 3200 ns", HE),
        Row(HE, "window of 256", plain(HE80, 11, mpdus=64)),
        Row(he160, "160 MHz", HE),
    ]


def sizes() -> list[Row]:
    """A-MPDUs of at most K MPDUs."""

    def of(air: Any, mcs: int, window: int, counts: tuple[int, ...]) -> list[Row]:
        single = plain(air, mcs, window=window, mpdus=1)
        limited = [replace_name(plain(air, mcs, window=window, mpdus=count), count) for count in counts]
        return [Row(replace_name(single, 1))] + [Row(case, "A-MPDUs", replace_name(single, 1)) for case in limited]

    def replace_name(case: Case, count: int) -> Case:
        return replace(case, name=f"{case.name}, K = {count}")

    return [
        *of(HT20, 7, 64, (8, 28)),
        *of(VHT80, 9, 64, (8, 28, 64)),
        *of(HE80, 11, 256, (8, 64)),
    ]


def amsdus() -> list[Row]:
    """Packets that share an MPDU."""

    def of(case: Case, amsdu: int) -> Row:
        name = f"{case.name}, A-MSDUs of {amsdu} B"
        return Row(replace(case, name=name, amsdu=amsdu), "A-MSDUs", case)

    def small(air: Any, mcs: int) -> Case:
        case = plain(air, mcs, load=2.5)
        return replace(case, name=f"{case.name}, 900 B", datagram=900)

    bare = plain(HT20, 7, load=2.5, mpdus=1)
    alone = of(replace(bare, name=f"{bare.name}, K = 1"), 7935)
    both = of(plain(HT20, 7, load=2.5), 3839).case
    lossy = replace(both, name=f"{both.name}, p = 0.1", loss=0.1)
    return [
        alone,
        Row(both, "A-MPDUs", alone.case),
        of(plain(VHT80, 9, load=2.5), 11_398),
        of(small(VHT80, 9), 3839),
        Row(lossy, "losses", both),
        Row(of(several(HT20, 7, 10), 3839).case, "10 stations", both),
    ]


def several(air: Any, mcs: int, stations: int, what: str = "", **fields: Any) -> Case:
    """Saturated stations, with so much load that queues are long after the warm-up."""
    case = cell(air, mcs, stations, load=3.0, **fields)
    # In HT a PPDU takes 5 ms: as many of them need longer.
    seconds = 5.0 if air == HT20 else 2.5
    return replace(case, name=f"{case.name}, {stations} stations{what}", seconds=seconds, warmup_s=0.6)


def stations() -> list[Row]:
    """Contention of saturated stations."""
    ht = [Row(several(HT20, 7, n), f"{n} stations", HT) for n in (2, 5, 10, 20)]
    small = Row(several(HT20, 7, 10, ", K = 8", mpdus=8), "10 stations", sizes()[1].case)
    vht = [Row(several(VHT80, 9, n), f"{n} stations", VHT) for n in (5, 10, 20)]
    return [*ht, small, *vht, Row(several(HE80, 11, 10, window=256), "10 stations", HE)]


def protection() -> list[Row]:
    """RTS and CTS."""
    alone = replace(HT, name=f"{HT.name}, 1 station", rts=True)
    pairs = [(several(air, mcs, n, rts=True), several(air, mcs, n)) for air, mcs, n in RTS_CASES]
    return [Row(alone, "RTS", HT)] + [Row(case, "RTS", without) for case, without in pairs]


RTS_CASES = ((HT20, 7, 10), (VHT80, 9, 10), (VHT80, 9, 20))


def losses() -> list[Row]:
    """Losses of MPDUs."""

    def of(case: Case, loss: float) -> Row:
        return Row(replace(case, name=f"{case.name}, p = {loss}", loss=loss), "losses", case)

    he = plain(HE80, 11, window=256)
    return [of(HT, 0.1), of(HT, 0.3), of(VHT_2, 0.1), of(VHT_2, 0.3), of(he, 0.1)]


def requests() -> list[Row]:
    """Data or a BlockAck request after a lost BlockAck."""

    def of(air: Any, mcs: int, count: int, **fields: Any) -> list[Row]:
        data = several(air, mcs, count, ", data", **fields)
        asks = several(air, mcs, count, ", request", after_loss="request", **fields)
        return [Row(data), Row(asks, "request", data)]

    return [*of(HT20, 7, 5, mpdus=8), *of(VHT80, 9, 10)]


def categories() -> list[Row]:
    """AC_VI against AC_BE, each with as many stations."""

    def of(each: int, is_video: bool) -> Case:
        case = several(HT20, 7, 2 * each, mpdus=8)
        kinds = [VIDEO if is_video and at % 2 == 0 else 0 for at in range(2 * each)]
        flows = [replace(flow, dscp=dscp) for flow, dscp in zip(case.flows, kinds, strict=True)]
        name = f"VI and BE, {each} each" if is_video else f"BE and BE, {each} each"
        return replace(case, name=name, flows=flows, seconds=10.0 if is_video else 3.0)

    return [row for each in (1, 2) for row in (Row(of(each, False)), Row(of(each, True), "AC_VI", of(each, False)))]


def loads() -> list[Row]:
    """A constant rate below saturation."""

    def of(air: Any, mcs: int, mbit: float) -> Case:
        case = plain(air, mcs)
        # Goodput of the payload.
        offered = round(mbit * 1500 / 1472, 3)
        return replace(case, name=f"{case.name}, {mbit} Mbit/s", flows=[replace(case.flows[0], offered_mbit=offered)])

    return [
        Row(of(HT20, 7, 45), "partial load", HT),
        Row(of(HT20, 7, 55), "partial load", HT),
        Row(of(HT20, 7, 58), "partial load", HT),
        Row(of(VHT80, 9, 300), "partial load", VHT),
    ]


def transport() -> list[Row]:
    """One TCP flow."""

    def of(case: Case, law: str) -> Row:
        flow = Flow(from_=1, to=0, kind="tcp")
        name = f"{case.name}, {'NewReno' if law == 'newreno' else 'CUBIC'}"
        tcp = replace(case, name=name, flows=[flow], law=law, queue=400, seconds=3.0, warmup_s=1.0)
        return Row(tcp, "TCP instead of UDP", case)

    return [of(case, law) for case in (HT, VHT) for law in ("newreno", "cubic")]


def hidden() -> list[Row]:
    """Two senders that do not sense each other, the receiver between them."""

    def of(name: str, rts: bool, is_hidden: bool) -> Case:
        base = cell(HT20, 7, 2, mpdus=32, rts=rts)
        metres = 20.0
        # Between the power at 20 m and at 40 m, 6 dB apart; the senders otherwise side by side.
        threshold = round(power_at(metres * math.sqrt(2)), 2)
        places = [(0.0, 0.0), (metres, 0.0), (-metres, 0.0) if is_hidden else (metres * 0.9, 8.0)]
        return replace(base, name=name, positions=places, threshold_dbm=threshold, seconds=8.0)

    seen = of("senders in reach of each other", False, False)
    bare = of("hidden, basic access", False, True)
    asking = replace(bare, name="hidden, requests", after_loss="request")
    return [
        Row(seen),
        Row(bare, "hidden", seen),
        Row(asking, "request", bare),
        Row(of("hidden, RTS", True, True), "RTS", bare),
    ]


#: Power from which frames are received, lower than the usual −82 dBm.
LEAST_DBM = -95.0
#: SNR in decibels at which about 10 % of MPDUs of 1538 bytes are lost, over white noise.
SNRS = ((HT20, 3, {}, 9.63), (HT20, 7, {}, 19.58), (VHT80, 9, {}, 25.10), (HE20, 9, {}, 25.10))


def noise() -> list[Row]:
    """Losses by signal-to-noise ratio."""
    rows = []
    for air, mcs, fields, decibels in SNRS:
        near = cell(air, mcs, threshold_dbm=LEAST_DBM, **fields)
        metres = round(distance(near, decibels), 3)
        far = replace(near, name=f"{near.name}, {metres:.1f} m", positions=[(0.0, 0.0), (metres, 0.0)])
        rows.append(Row(far, "distance", near))
        if near.standard == "802.11ax":
            # The same without LDPC in ns-3: its receiver makes no difference.
            rows.append(Row(replace(far, name=f"{far.name}, ns-3 without LDPC", as_shipped=["errors"])))
    return rows


SECTIONS = {
    "modes": modes,
    "sizes": sizes,
    "amsdus": amsdus,
    "stations": stations,
    "protection": protection,
    "losses": losses,
    "requests": requests,
    "categories": categories,
    "loads": loads,
    "transport": transport,
    "hidden": hidden,
    "noise": noise,
}


class Peer:
    """ns-3 on all cases, two processes at once; goes on where it was interrupted."""

    def __init__(self, python: str, version: str, cases: list[Case]) -> None:
        self.known: dict[str, dict[str, Any]] = {}
        self.version = version
        if KNOWN.exists():
            for line in KNOWN.read_text().splitlines():
                self.known |= json.loads(line)
        missing = [case for case in cases if self.key(case) not in self.known]
        shares = [share for share in (missing[0::2], missing[1::2]) if share]
        begun = [Ns3(python, PEER, given=[case.plain() for case in share]) for share in shares]
        KNOWN.parent.mkdir(exist_ok=True)
        for ns3, share in zip(begun, shares, strict=True):
            for case, runs in zip(share, ns3.answers(), strict=True):
                [self.known[self.key(case)]] = runs
                with KNOWN.open("a") as file:
                    file.write(json.dumps({self.key(case): runs[0]}) + "\n")

    def key(self, case: Case) -> str:
        """Cache key of an answer: version, script and case."""
        script = hashlib.sha256(PEER.read_bytes()).hexdigest()[:16]
        return json.dumps([self.version, script, case.plain()])

    def __getitem__(self, case: Case) -> dict[str, Any]:
        return self.known[self.key(case)]


def needed(rows: list[Row]) -> list[Case]:
    """The cases of `rows`, each once."""
    cases = {repr(case): case for row in rows for case in (row.case, row.off) if case is not None}
    return list(cases.values())


def lines(row: Row, mine: Found, theirs: dict[str, Any]) -> list[str]:
    """Lines of a table: one for all flows together, or one by access category."""
    case = row.case
    groups: dict[str, list[int]] = {"": list(range(len(case.flows)))}
    if any(flow.dscp for flow in case.flows):
        groups = {
            f": {name}": [at for at, flow in enumerate(case.flows) if flow.dscp == dscp]
            for name, dscp in (("AC_VI", VIDEO), ("AC_BE", 0))
        }
    found = []
    for name, members in groups.items():
        own = [sum(flows[at] for at in members) for flows in mine.goodput]
        other = sum(theirs["goodput_mbit"][at] for at in members)
        ratio = statistics.fmean(own) / other
        marked = f"{ratio:.3f}" if abs(ratio - 1) <= TOLERANCE else f"**{ratio:.3f}**"
        sizes = f"{mine.mean_ampdu:.2f} | {theirs['mean_ampdu']:.2f}" if name in ("", ": AC_VI") else " | "
        found.append(f"| {case.name}{name} | {statistics.fmean(own):.2f} | {other:.2f} | {marked} | {sizes} |")
    return found


def table(rows: list[Row], mine: dict[str, Found], theirs: Peer) -> str:
    head = "| network | Windward | ns-3 | ratio | MPDUs | ns-3's |\n|---|---|---|---|---|---|"
    return "\n".join([head, *(one for row in rows for one in lines(row, mine[repr(row.case)], theirs[row.case]))])


def switched(rows: list[Row], theirs: Peer) -> str:
    """Table of ns-3's own results without and with each switch; fails if one has no effect."""
    found = []
    for row in rows:
        if row.off is None:
            continue
        without, with_it = (theirs[case]["goodput_mbit"] for case in (row.off, row.case))
        # The first flow is the one whose category changes.
        of = (lambda flows: sum(flows[0::2])) if row.switch == "AC_VI" else sum
        before, after = of(without), of(with_it)
        change = after / before - 1
        if abs(change) < LEAST_CHANGE:
            raise SystemExit(f"{row.case.name}: {row.switch} changes {before} to {after} Mbit/s in ns-3")
        found.append(f"| {row.case.name} | {row.switch} | {before:.2f} | {after:.2f} | {change:+.1%} |")
    return "\n".join(["| network | switch | without | with | change |\n|---|---|---|---|---|", *found])


def rounding(rows: list[Row]) -> str:
    """Largest computed differences by the duration of PPDUs."""
    ratios = [(row.case.expected() / row.case.expected(False) - 1, row.case.name) for row in rows]
    return "\n".join(f"* {ratio:+.2%}: {name};" for ratio, name in (min(ratios), max(ratios)))[:-1] + "."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", required=True, help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    version = ns3_version(python)
    sections = {name: make() for name, make in SECTIONS.items()}
    everything = [row for rows in sections.values() for row in rows]
    cases = needed(everything)
    theirs = Peer(python, version, cases)
    mine = {repr(row.case): row.case.simulate(max(SECONDS, 2 * row.case.seconds), SEEDS) for row in everything}
    text = {name: table(rows, mine, theirs) for name, rows in sections.items()}
    text |= {
        "switches": switched(everything, theirs),
        "rounding": rounding(sections["modes"] + sections["sizes"]),
        "count": str(sum(len(lines(row, mine[repr(row.case)], theirs[row.case])) for row in everything)),
        "version": version,
        "windward": ww.__version__,
        "seeds": str(SEEDS),
        "seconds": f"{SECONDS:g}",
        "cpu": f"{sum(answer['run_cpu_s'] for answer in map(theirs.__getitem__, cases)):.0f}",
        "own_cpu": f"{time.process_time():.0f}",
    }
    page = Path(__file__).with_name("aggregation-ns3.md.in").read_text()
    for key, value in text.items():
        page = page.replace(f"@{key}@", value)
    PAGE.write_text(page)
    KNOWN.unlink()
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

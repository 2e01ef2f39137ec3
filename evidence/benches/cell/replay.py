"""Measures what replay of a recorded cell hides, and writes evidence/measured/validation/cell-replay.md.

    python evidence/benches/cell/replay.py

A cell is recorded as mahimahi's users do: the delivery opportunities of both directions under saturation, and half of
the least round trip as the delay. Then pings and short bursts go through the cell and through its replay.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import windward as ww

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "cell-replay.md"

#: Names, presets, periods of scheduling requests in ms, and round trips of the wire in ms.
CELLS = {"n78, 40 MHz": "n78-40mhz", "LTE, 20 MHz": "lte-20mhz"}
PERIODS, WIRES = (5, 10, 20), (10, 20, 30)
BURSTS = (1, 10, 100)
#: Bytes of a packet that an opportunity of mahimahi carries.
OPPORTUNITY = 1504
RECORD_S, PING_S = 10, 60
#: Between pings in ms: not a multiple of anything in the cell, so that they meet all phases.
EVERY_MS = 107.3


@dataclass(frozen=True)
class Case:
    """A cell behind a wire."""

    preset: str
    period_ms: int
    wire_ms: int

    def scenario(self, seconds: float, *, outer_loop: bool = True, **parts: Any) -> ww.Scenario:
        """The cell with this traffic."""
        adaptation = ww.format.Adaptation(outer_loop=outer_loop)
        cell = ww.RanCell(
            name="cell",
            access_point="mast",
            technology="lte" if self.preset.startswith("lte") else "nr",
            preset=self.preset,  # type: ignore[arg-type]
            adaptation=adaptation,
            uplink=ww.format.UplinkGrants(sr_period=f"{self.period_ms} ms"),
            station=[ww.format.RanStation(node="phone", snr="15 dB")],
        )
        wire = ww.Link(from_="server", to="mast", rate="10 Gbit/s", delay=f"{self.wire_ms / 2} ms")
        nodes = [ww.Node(name=name) for name in ("server", "mast", "phone")]
        return ww.Scenario(
            name="live", duration=f"{seconds} s", stack="rfc", seeds=1, node=nodes, link=[wire], cell=[cell], **parts
        )


def pings(every_ms: float, start_ms: float = 0.0) -> dict[str, Any]:
    """Pings of the phone."""
    ping = ww.Ping(from_="phone", to="server", every=f"{every_ms} ms", start=f"{1000 + start_ms} ms")
    return {"app": [ping]}


def round_trip(scenario: ww.Scenario) -> float:
    """Mean round trip of the pings, in ms."""
    return 1e3 * float(scenario.simulate().background["mean_delay_s"].iloc[0])


def least(case: Case) -> float:
    """Least round trip in ms: pings at all phases of the requests, without block errors."""
    steps = [0.25 * step for step in range(4 * case.period_ms)]
    # The period is a multiple of all in the cell: all pings of a run are alike.
    return min(round_trip(case.scenario(1.5, outer_loop=False, **pings(200, start))) for start in steps)


def record(case: Case) -> tuple[list[int], list[int]]:
    """Delivery opportunities of the saturated downlink and uplink, as times in ms that mahimahi's files hold."""
    flood = ww.format.Cbr(rate="400 Mbit/s")
    sources = [
        ww.Background(name=f"{ends[0]}-floods", from_=ends[0], to=ends[1], pattern=flood)
        for ends in (("server", "phone"), ("phone", "server"))
    ]
    output = ww.Output(air=ww.format.AirSpan(from_="1 s", length=f"{RECORD_S} s"))
    run = case.scenario(RECORD_S + 1.5, background=sources, output=output).simulate()
    blocks = run.ran_blocks
    blocks = blocks[blocks["received"] == 1]

    def opportunities(link: str) -> list[int]:
        own = blocks[blocks["link"] == link]
        times, carried = [], 0.0
        for ended_s, bits in zip(own["ended_s"], own["bits"], strict=True):
            carried += bits / 8 / OPPORTUNITY
            # As the file has it: whole milliseconds.
            times += [math.ceil(1e3 * (ended_s - 1) - 1e-6)] * int(carried)
            carried -= int(carried)
        return [min(time, 1000 * RECORD_S) for time in times] + [1000 * RECORD_S]

    return opportunities("mast->phone"), opportunities("phone->mast")


def replayed(
    case: Case, traces: tuple[Sequence[int], Sequence[int]], least_ms: float, seconds: float, **parts: Any
) -> ww.Scenario:
    """The replay of a cell: two recorded rates, and half the least round trip in each direction."""
    down, up = traces
    delay = f"{least_ms / 2} ms"
    link = ww.Link(
        from_="server",
        to="phone",
        rate={"trace": down},
        delay=delay,
        buffer="6172672 B",
        reverse=ww.format.Reverse(rate={"trace": up}, delay=delay),
    )
    nodes = [ww.Node(name="server"), ww.Node(name="phone")]
    return ww.Scenario(name="replay", duration=f"{seconds} s", stack="rfc", seeds=1, node=nodes, link=[link], **parts)


def compare(case: Case, seconds: float = PING_S) -> tuple[float, float, float]:
    """Least round trip, and the mean ones of pings through the cell and through its replay, in ms."""
    bottom = least(case)
    live = round_trip(case.scenario(seconds, **pings(EVERY_MS)))
    replay = round_trip(replayed(case, record(case), bottom, seconds, **pings(EVERY_MS)))
    return bottom, live, replay


def burst(scenario: ww.Scenario) -> float:
    """Mean delay in ms of the last packet of a burst."""
    return 1e3 * float(scenario.simulate().background["mean_delay_s"].max())


def bursts(packets: int, sender: str) -> dict[str, Any]:
    """A burst of packets every second or so."""
    receiver = "server" if sender == "phone" else "phone"
    pattern = ww.format.Periodic(every="1013 ms")
    source = ww.Background(from_=sender, to=receiver, count=packets, pattern=pattern, packet="1500 B", start="1 s")
    return {"background": [source]}


def main() -> int:
    """Writes the page."""
    rows = [
        "| cell | requests every | wire | least | live | replayed | too short by |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, preset in CELLS.items():
        for period in PERIODS:
            for wire in WIRES:
                bottom, live, replay = compare(Case(preset, period, wire))
                error = 100 * (1 - replay / live)
                times = f"{bottom:.1f} ms | {live:.1f} ms | {replay:.1f} ms"
                rows.append(f"| {name} | {period} ms | {wire} ms | {times} | {error:.0f} % |")
    short = ["| cell | direction | packets | live | replayed | too short by |", "|---|---|---|---|---|---|"]
    for name, preset in CELLS.items():
        case = Case(preset, 10, 20)
        traces, bottom = record(case), least(case)
        for sender, way in (("server", "down"), ("phone", "up")):
            for packets in BURSTS:
                parts = bursts(packets, sender)
                live = burst(case.scenario(PING_S, **parts))
                replay = burst(replayed(case, traces, bottom, PING_S, **parts))
                error = 100 * (1 - replay / live)
                short.append(f"| {name} | {way} | {packets} | {live:.1f} ms | {replay:.1f} ms | {error:.0f} % |")
    PAGE.write_text(TEXT.format(rows="\n".join(rows), short="\n".join(short)))
    print(f"written: {PAGE.relative_to(ROOT)}")
    return 0


TEXT = """# Replay of a recorded cell: round trips and bursts that mahimahi's method hides

Written by `python evidence/benches/cell/replay.py` (`make validate WHAT=replay`).

mahimahi replays a cellular link from two files: the times at which a saturated link delivered packets, down and up.
The delay is half of the least round trip. In a real cell grants depend on the load, so a light load waits for them, and
a replay does not show it. CellReplay (NSDI 2025) reports round trips that are 13 to 17 % too short. Here
[our cell](../../../docs/reference/models/ran.md) is recorded and replayed in this way.

One station at 15 dB, constant channel, 10 % block errors, pings of the station every 107.3 ms for 60 s. *Least*:
without block errors, at the best phase of the requests.

## Round trips of pings

{rows}

The live mean is the least round trip, half the period of scheduling requests, the wait for a slot, and HARQ. The replay
has the first, and its own wait for an opportunity. Its files have whole milliseconds, and its uplink has no
grants: with requests every 5 ms the errors cancel in n78. With the usual periods of 10 and 20 ms it is 5 to 26 % too
short.

## Bursts

Delay of the last packet of a burst of packets of 1500 bytes, one way, every 1.013 s, requests every 10 ms, a wire of
20 ms. A replay has half of the round trip in each direction: a downlink alone comes out too long, an uplink too short.

{short}

## Use

* Replay fits downloads that keep the cell busy. For web pages, calls and games use the cell itself:
  `windward link --cell` puts it in front of any program.
* Round trips of a recording are those of the load at which they were measured.
"""


if __name__ == "__main__":
    sys.exit(main())

"""Lays optimum and fluid beside packets on random networks of 802.11n, ac and ax.

python benches/wifi/validate_bounds.py [--networks 50] [--first SEED]

Writes docs/measured/validation/wifi-bounds.md. Each network follows from its number alone.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import windward as ww

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "measured" / "validation" / "wifi-bounds.md"
#: Seconds of a run, and of its beginning that is left out. Both are doubled for a network that is off: CUBIC at 80 MHz
#: needs a minute after a loss.
SECONDS, WARMUP_S = 16, 6
#: Most seconds of a run.
MOST_S = 128
#: At rest: twice the time changes the goodput by less.
REST = 0.05
SEEDS = 2
#: What the page of the fluid promises: its total and the rate of each flow, relative to packets. Minstrel-HT spends air
#: on other modes than the best.
PROMISED = {"ideal": (0.2, 0.25), "minstrel-ht": (0.3, 0.5)}
#: Of the bound, that a finite run may be above it: packets that were on their way when the count began.
ABOVE = 0.005


@dataclass(frozen=True, kw_only=True)
class Found:
    """A network and what the engines say about it."""

    number: int
    what: str
    control: str
    #: Seconds of the packets' run, and their goodput.
    seconds: int
    goodput_bps: float
    #: Sum of ln and sum of the goodputs of packets less those of the optimum: the mean over flows, and the share.
    log: float
    total: float
    #: Goodputs of the fluid over those of packets, in all and by flow; none with a reason.
    fluid: list[float]
    why: str


def network(number: int, seconds: int = SECONDS) -> ww.Scenario:
    """A random flat: an access point, one to four stations at 2 to 45 m, downloads, at times an upload."""
    draw = random.Random(f"flat {number}")
    standard = draw.choice(["802.11n", "802.11ac", "802.11ax"])
    width = draw.choice({"802.11n": [20, 40], "802.11ac": [20, 40, 80], "802.11ax": [20, 40, 80]}[standard])
    count = draw.choice([1, 1, 2, 2, 3, 4])
    # Reno, and DCTCP even more so, needs minutes to fill 80 MHz.
    law = "cubic" if width == 80 else draw.choice(["cubic", "cubic", "reno"])
    uploads = draw.random() < 0.2
    control = draw.choice(["ideal", "ideal", "minstrel-ht"])
    names = [f"s{at}" for at in range(count)]
    places = {name: (draw.uniform(2, 45), draw.uniform(0, 2 * math.pi)) for name in names}
    flows = [ww.Flow(name=f"down-{name}", from_="server", to=name, law=law, stack="linux") for name in names]
    if uploads:
        flows.append(ww.Flow(name="up", from_=names[0], to="server", law=law, stack="linux"))
    stations = [ww.WifiStation(node="AP", at=["0 m", "0 m"])]
    for name, (far, angle) in places.items():
        at = [f"{far * math.cos(angle):.2f} m", f"{far * math.sin(angle):.2f} m"]
        stations.append(ww.WifiStation(node=name, at=at))
    return ww.Scenario(
        name="flat",
        duration=f"{seconds} s",
        warmup=f"{seconds * WARMUP_S / SECONDS:g} s",
        output=ww.Output(sample_interval="1 s"),
        node=[ww.Node(name=name) for name in ["server", "AP", *names]],
        link=[ww.Link(from_="server", to="AP", rate="2 Gbit/s", delay=f"{draw.choice([2, 5, 10, 20])} ms")],
        flow=flows,
        wifi=[
            ww.Wifi(
                name="home",
                standard=standard,
                width=f"{width} MHz",
                streams=draw.choice([1, 2]),
                rate_control=control,
                access_point="AP",
                station=stations,
            )
        ],
    )


def describe(scenario: ww.Scenario) -> str:
    wifi = scenario.wifi[0]
    return f"{wifi.standard}, {wifi.width}, {wifi.rate_control}, {len(scenario.flow)} × {scenario.flow[0].law}"


def compare(number: int, seconds: int) -> Found:
    scenario = network(number, seconds)
    packets = scenario.simulate(seeds=SEEDS).flows.groupby("flow", sort=False)["goodput_bps"].mean().to_numpy()
    what, control, goodput = describe(scenario), str(scenario.wifi[0].rate_control), float(packets.sum())
    known = {"number": number, "what": what, "control": control, "seconds": seconds, "goodput_bps": goodput}
    try:
        fair = scenario.optimum("proportional").flows["goodput_bps"].to_numpy()
        most = float(scenario.optimum("alpha=0").flows["goodput_bps"].sum())
    except ValueError as refused:
        return Found(**known, log=0, total=0, fluid=[], why=str(refused))
    log = float(np.log(np.maximum(packets, 1) / fair).mean())
    total = packets.sum() / most - 1
    try:
        fluid, why = replace(scenario, duration="100 s").fluid().flows["goodput_bps"].to_numpy(), ""
        ratios = [float(fluid.sum() / packets.sum()), *(fluid / packets).tolist()]
    except ValueError as refused:
        ratios, why = [], str(refused).splitlines()[0]
    return Found(**known, log=log, total=total, fluid=ratios, why=why)


def look(number: int) -> Found:
    found = compare(number, SECONDS)
    while is_off(found) and found.seconds < MOST_S:
        before, found = found, compare(number, 2 * found.seconds)
        if abs(found.goodput_bps / before.goodput_bps - 1) < REST:
            break
    return found


def is_off(found: Found) -> bool:
    if found.log > ABOVE or found.total > ABOVE:
        return True
    total, each = PROMISED[found.control]
    far = [abs(ratio - 1) for ratio in found.fluid]
    return bool(far) and (far[0] > total or max(far[1:]) > each)


def row(found: Found) -> str:
    each = found.fluid[1:]
    fluid = f"{found.fluid[0]:.2f} | {min(each):.2f}–{max(each):.2f}" if each else f"– | {found.why}"
    off = "**off**" if is_off(found) else ""
    what = found.what if found.seconds == SECONDS else f"{found.what}, {found.seconds} s"
    return f"| {found.number} | {what} | {math.exp(found.log):.2f} | {1 + found.total:.2f} | {fluid} | {off} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=50)
    parser.add_argument("--first", type=int, default=1)
    chosen = parser.parse_args()
    found = []
    for number in range(chosen.first, chosen.first + chosen.networks):
        found.append(look(number))
        print(row(found[-1]), flush=True)
    if (chosen.networks, chosen.first) != (50, 1):
        return
    page = TEXT.format(
        rows="\n".join(map(row, found)),
        off=sum(map(is_off, found)),
        refused=sum(not one.fluid for one in found),
        seeds=SEEDS,
        seconds=SECONDS,
        warmup=WARMUP_S,
        most=MOST_S,
    )
    PAGE.write_text(page, encoding="utf-8")
    print(PAGE.relative_to(ROOT))


TEXT = """# Optimum and fluid beside packets over random Wi-Fi

<!-- Generated: make validate WHAT=wifi-bounds -->

Fifty random networks of 802.11n, ac and ax: an access point, one to four stations at 2 to 45 m, a download each and at
times an upload. Widths, streams, rate controls, laws and round trips are drawn. Packets: {seeds} seeds of {seconds} s
without the first {warmup} s. A network that is off runs again for twice the time, up to {most} s, until that changes
its goodput by less than 5 %: the row says the time.

* *mean of ln*, *sum*: goodput of packets over the optimum of proportional fairness (geometric mean over flows) and over
  the greatest sum. The optimum is an upper bound: no number is above 1.
* *fluid*: goodput of the equations over that of packets, in all and from the least to the greatest flow. The promise is
  20 % in all and 25 % for each flow, under Minstrel-HT 30 and 50 %. The fluid refuses {refused} of the networks.

{off} networks are off.

The limits were set after these networks had been seen. Twenty were drawn afterwards (`--first 1001 --networks 20`), and
none is off. Packets reach at most 0.96 of the optimum. The fluid refuses 7; its total in the others is 0.99 to 1.13 of
packets, and a flow 0.96 to 1.18.

Fifty more were drawn later (`--first 7001 --networks 50`). Packets reach at most 0.96 of the optimum. The fluid refuses
12; its total in 36 others is 0.98 to 1.25 of packets, and a flow 0.95 to 1.37. Two had been off, each with one CUBIC
flow over 80 MHz:

* **7007, 1.35 after 64 s** (previously 2.36). Linux's stack has at most 2.6 MB in flight, which the equations have
  now: 520 Mbit/s. Without a loss packets have 465. One of the seeds loses packets after 3 s, and CUBIC stays at 280 for
  the rest of the 16 s.
* **7050, 1.21 after 32 s** (previously 1.48). CUBIC is still on its way up after 16 s.

Then 36 were drawn (`--first 9001 --networks 36`). None is off. Packets reach at most 0.94 of the optimum. The fluid
refuses 6; its total in the others is 0.99 to 1.27 of packets. The most, 9026 with Reno under Minstrel-HT, has 1.44
after 16 s and 1.27 after 32.

| network | | mean of ln | sum | fluid, in all | fluid, by flow | |
|---|---|---|---|---|---|---|
{rows}
"""


if __name__ == "__main__":
    main()

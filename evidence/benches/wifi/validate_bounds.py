"""Lays optimum and fluid beside packets on random networks of 802.11n, ac and ax.

python evidence/benches/wifi/validate_bounds.py [--networks 50] [--first SEED]

Writes evidence/measured/validation/wifi-bounds.md. Each network follows from its number alone.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "wifi-bounds.md"
#: Seconds of a run, and of its beginning that is left out. Both are doubled for a network that is off: CUBIC at 80 MHz
#: needs a minute after a loss.
SECONDS, WARMUP_S = 16, 6
#: Most seconds of a run.
MOST_S = 128
#: At rest: twice the time changes the goodput by less.
REST = 0.05
SEEDS = 2
#: Most seeds of a network that is off: they are doubled until the 95 % intervals of the means decide.
MOST_SEEDS = 64
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
    #: Seconds of the packets' run, its seeds, and their goodput.
    seconds: int
    seeds: int
    goodput_bps: float
    #: Sum of ln and sum of the goodputs of packets less those of the optimum: the mean over flows, and the share.
    log: float
    total: float
    #: Goodputs of the fluid over those of packets, in all and by flow; none with a reason.
    fluid: list[float]
    #: Half-widths of the 95 % intervals of the goodputs of packets, as shares.
    spread: list[float]
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
    stations = [ww.format.WifiStation(node="AP", at=["0 m", "0 m"])]
    for name, (far, angle) in places.items():
        at = [f"{far * math.cos(angle):.2f} m", f"{far * math.sin(angle):.2f} m"]
        stations.append(ww.format.WifiStation(node=name, at=at))
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


def compare(number: int, seconds: int, seeds: int = SEEDS) -> Found:
    scenario = network(number, seconds)
    flows = scenario.simulate(seeds=seeds).flows
    by_seed = flows.pivot(index="seed", columns="flow", values="goodput_bps")[[flow.name for flow in scenario.flow]]
    packets = by_seed.mean().to_numpy()
    what, control, goodput = describe(scenario), str(scenario.wifi[0].rate_control), float(packets.sum())
    known: dict[str, Any] = {"number": number, "what": what, "control": control, "seconds": seconds, "seeds": seeds}
    known |= {"goodput_bps": goodput, "spread": [half_width(by_seed.sum(axis=1)), *map(half_width, columns(by_seed))]}
    try:
        fair = scenario.optimum("proportional").flows["goodput_bps"].to_numpy()
        most = float(scenario.optimum("alpha=0").flows["goodput_bps"].sum())
    except ww.NoAnswerError as refused:
        return Found(**known, log=0, total=0, fluid=[], why=str(refused))
    log = float(np.log(np.maximum(packets, 1) / fair).mean())
    total = packets.sum() / most - 1
    try:
        fluid, why = replace(scenario, duration="100 s").fluid().flows["goodput_bps"].to_numpy(), ""
        ratios = [float(fluid.sum() / packets.sum()), *(fluid / packets).tolist()]
    except ww.NoAnswerError as refused:
        ratios, why = [], str(refused).splitlines()[0]
    return Found(**known, log=log, total=total, fluid=ratios, why=why)


def columns(table: pd.DataFrame) -> list[pd.Series]:
    return [table[name] for name in table]


def half_width(sample: pd.Series) -> float:
    """Half-width of the 95 % interval of a mean, as a share of it."""
    mean, interval = mean_and_interval(sample)
    return interval / mean if mean > 0 else math.inf


def look(number: int) -> Found:
    found = compare(number, SECONDS)
    while is_off(found) and found.seconds < MOST_S:
        before, found = found, compare(number, 2 * found.seconds)
        if abs(found.goodput_bps / before.goodput_bps - 1) < REST:
            break
    # Two seeds of a flow whose windows need seconds to recover say little about its mean.
    while is_off(found) and not is_decided(found) and found.seeds < MOST_SEEDS:
        found = compare(number, found.seconds, 2 * found.seeds)
    return found


def limits(found: Found) -> list[float]:
    """The promise for the ratios of a network: in all, and of each flow."""
    total, each = PROMISED[found.control]
    return [total, *[each] * (len(found.fluid) - 1)] if found.fluid else []


def is_off(found: Found) -> bool:
    if found.log > ABOVE or found.total > ABOVE:
        return True
    return any(abs(ratio - 1) > limit for ratio, limit in zip(found.fluid, limits(found), strict=True))


def is_decided(found: Found) -> bool:
    """True if some ratio is off over the whole interval of the packets' mean; a bound of the optimum has none."""
    if found.log > ABOVE or found.total > ABOVE:
        return True
    ends = [
        (ratio / (1 + wide), ratio / max(1 - wide, 1e-9)) for ratio, wide in zip(found.fluid, found.spread, strict=True)
    ]
    return any(low > 1 + limit or high < 1 - limit for (low, high), limit in zip(ends, limits(found), strict=True))


def row(found: Found) -> str:
    each = found.fluid[1:]
    fluid = f"{found.fluid[0]:.2f} | {min(each):.2f}–{max(each):.2f}" if each else f"– | {found.why}"
    off = "**off**" if is_off(found) else ""
    what = found.what if found.seconds == SECONDS else f"{found.what}, {found.seconds} s"
    what += f", {found.seeds} seeds" if found.seeds != SEEDS else ""
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
        most_seeds=MOST_SEEDS,
    )
    PAGE.write_text(page, encoding="utf-8")
    print(PAGE.relative_to(ROOT))


TEXT = """# Optimum and fluid beside packets over random Wi-Fi

<!-- Generated: make validate WHAT=wifi-bounds -->

Fifty random networks of 802.11n, ac and ax: an access point, one to four stations at 2 to 45 m, a download each and at
times an upload. Widths, streams, rate controls, laws and round trips are drawn. Packets: {seeds} seeds of {seconds} s
without the first {warmup} s.

A network that is off runs again for twice the time, up to {most} s, until that changes its goodput by less than 5 %. If
it is still off, it runs with twice as many seeds, up to {most_seeds}, until the whole 95 % interval of a mean is off.
The row says time and seeds.

* *mean of ln*, *sum*: goodput of packets over the optimum of proportional fairness (geometric mean over flows) and over
  the greatest sum. The optimum is an upper bound: no number is above 1.
* *fluid*: goodput of the equations over that of packets, in all and from the least to the greatest flow. The promise is
  20 % in all and 25 % for each flow, under Minstrel-HT 30 and 50 %. The fluid refuses {refused} of the networks.

{off} networks are off.

The limits were set after these networks had been seen. Three draws came later, in all 120 networks (`--first 1001
--networks 20`, `--first 7001 --networks 50`, `--first 9001 --networks 50`). None is off. Packets reach at most 0.96 of
the optimum.

| networks | refused by the fluid | of these for bursts | fluid, in all | fluid, by flow |
|---|---|---|---|---|
| 1001 to 1020 | 8 | 1 | 0.99–1.13 | 0.96–1.18 |
| 7001 to 7050 | 17 | 5 | 0.98–1.25 | 0.95–1.37 |
| 9001 to 9050 | 14 | 5 | 0.99–1.11 | 0.96–1.20 |

Three networks had been off in the fluid:

* **7007, 1.22** after 64 s and 6 seeds, and **9046, 1.45**: one CUBIC flow over 80 MHz and 40 ms. ACKs that wait for
  the air release up to 1795 packets at once. The wire of 2 Gbit/s drops what exceeds its buffer of 1000, and CUBIC
  needs half a minute after that. Through an unlimited buffer the ratios are 1.12 and 1.11. The fluid refuses such
  windows now.
* **9047, 1.32** for one of three Reno flows, 2 seeds of 32 s. With 4 seeds it is 1.16.

| network | | mean of ln | sum | fluid, in all | fluid, by flow | |
|---|---|---|---|---|---|---|
{rows}
"""


if __name__ == "__main__":
    main()

"""Lays the LTE cell beside ns-3's and writes evidence/measured/validation/lte-ns3.md.

python evidence/benches/cell/validate_ns3.py --ns3 .venv-ns3/bin/python
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import windward as ww

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3, ns3_version  # noqa: E402

PEER = Path(__file__).with_name("peer_ns3_lte.py")
PAGE = ROOT / "evidence" / "measured" / "validation" / "lte-ns3.md"
RULES = {"pf": "proportional-fair", "rr": "round-robin"}
#: Four stations from near to far, and ten near ones; in km.
FOUR = (1.0, 3.0, 7.0, 14.0)
TEN = tuple(round(1 + 0.2 * at, 1) for at in range(10))
SECONDS, OURS_S = 2.0, 10.0
PAYLOAD, HEADERS = 1400, 28
#: Largest block of 50 and 100 resource blocks in bits a millisecond, and of the 48 that ns-3's groups of three use.
BLOCKS = {100: 75_376, 50: 36_696, 48: 35_160}
TOLERANCE = 0.05


def snr(kilometres: float) -> float:
    """Signal-to-noise ratio of Friis's loss in dB, at 2.1 GHz and 30 dBm over 18 MHz with a noise figure of 9 dB."""
    return 23.5 - 20 * math.log10(kilometres)


def ours(rule: str, blocks: int, kilometres: Sequence[float]) -> list[float]:
    """Goodput of each station in bit/s."""
    stations = [
        ww.format.RanStation(node=f"phone-{at}", snr=f"{snr(far):.3f} dB") for at, far in enumerate(kilometres, 1)
    ]
    cell = ww.RanCell(
        name="lte",
        access_point="mast",
        technology="lte",
        preset="lte-20mhz" if blocks == 100 else "lte-10mhz",
        scheduler=RULES[rule],
        per_slot=25,
        rlc=ww.format.Rlc(mode="um"),
        # ns-3 has no errors at its CQI's rates, and reports in every millisecond.
        adaptation=ww.format.Adaptation(outer_loop=False, cqi_period="1 ms"),
        station=stations,
    )
    rate = f"{85 * blocks / 100} Mbit/s"
    floods = [
        ww.Background(
            name=f"to-{at}",
            from_="server",
            to=f"phone-{at}",
            pattern=ww.format.Cbr(rate=rate),
            packet=f"{PAYLOAD + HEADERS} B",
        )
        for at in range(1, len(kilometres) + 1)
    ]
    scenario = ww.Scenario(
        name="lte",
        duration=f"{OURS_S + 1} s",
        stack="rfc",
        warmup="1 s",
        seeds=1,
        node=[ww.Node(name="server"), ww.Node(name="mast"), ww.Node(name="phone", count=max(2, len(kilometres)))],
        link=[ww.Link(from_="server", to="mast", rate="10 Gbit/s", delay="1 ms", buffer="1000000 packets")],
        cell=[cell],
        background=floods,
    )
    received = scenario.simulate().background["received_bps"]
    return [float(rate) * PAYLOAD / (PAYLOAD + HEADERS) for rate in received]


def main() -> int:
    """Runs all cases and writes the page; 1 if one is off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", required=True, help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    alone = sorted({*FOUR, *TEN})
    single: list[tuple[str, int, tuple[float, ...]]] = [("pf", 100, (far,)) for far in alone]
    cases = [*single, ("pf", 50, (1.0,)), ("pf", 100, FOUR), ("rr", 100, FOUR), ("pf", 100, TEN), ("rr", 100, TEN)]
    given = [
        {"scheduler": rule, "blocks": blocks, "kilometres": far, "seconds": SECONDS} for rule, blocks, far in cases
    ]
    theirs = [answer["goodput_bps"] for answer in Ns3(python, PEER, given=given).answers()]
    mine = [ours(*case) for case in cases]
    worst = 0.0
    full = ["| carrier | block | block × payload | Windward | ns-3 | deviation |", "|---|---|---|---|---|---|"]
    for name, at, used in (("20 MHz", 0, 100), ("10 MHz", len(single), 50)):
        own, other = mine[at][0] / 1e6, theirs[at][0] / 1e6
        # Groups of three leave two of 50 blocks out in ns-3.
        expected = other * BLOCKS[used] / BLOCKS[48] if used == 50 else other
        worst = max(worst, abs(own / expected - 1))
        share = BLOCKS[used] / 1e3 * PAYLOAD / (PAYLOAD + HEADERS + 4)
        full.append(
            f"| {name} | {BLOCKS[used]} bit | {share:.2f} | {own:.2f} | {other:.2f} | {own / expected - 1:+.2%} |"
        )
    rows = ["| rule | station at | SNR | Windward | ns-3 | deviation |", "|---|---|---|---|---|---|"]
    rates = [dict(zip(alone, (side[at][0] for at in range(len(alone))), strict=True)) for side in (mine, theirs)]
    for (rule, _, kilometres), *sides in list(zip(cases, mine, theirs, strict=True))[len(single) + 1 :]:
        for at, far in enumerate(kilometres):
            shares = [side[at] / own[far] for side, own in zip(sides, rates, strict=True)]
            # Six of 25 groups each in ns-3, and in ours a seventh in every fourth slot; of ten stations 2 and 2.5.
            fair = {4: 6.25 / 6, 10: 2.5 / 2}[len(kilometres)] if rule == "rr" else 1.0
            error = shares[0] / (shares[1] * fair) - 1
            worst = max(worst, abs(error))
            of = f"{rule}, {len(kilometres)} stations"
            rows.append(f"| {of} | {far:g} km | {snr(far):.1f} dB | {shares[0]:.2%} | {shares[1]:.2%} | {error:+.1%} |")
    print("\n".join([*full, *rows]))
    text = TEXT.format(version=ns3_version(python), full="\n".join(full), rows="\n".join(rows), worst=f"{worst:.1%}")
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE.relative_to(ROOT))
    return int(worst > TOLERANCE)


TEXT = """# The LTE cell beside ns-3's

Written by `make validate WHAT=lte` with ns-3 {version}. UDP downloads of 1400 bytes of payload from a host behind the
core, in unacknowledged mode, without fading, after 0.5 s. The largest deviation is {worst}.

## One station at 23.5 dB

Mbit/s of payload. ns-3's groups of three resource blocks leave two of 50 out: 48 carry a block of 35 160 bits. The
deviation at 10 MHz is from ns-3's rate times 36 696/35 160.

{full}

## Several stations

Goodput as a share of that which the station has alone, on each side: the two choose the modulation of a ratio by other
curves. Proportional fairness gives equal airtime. ns-3's round robin gives each of four stations 6 of 25 groups, each
of ten 2, and leaves the rest out. Ours gives them all, in turn. The deviation is without that.

{rows}
"""


if __name__ == "__main__":
    sys.exit(main())

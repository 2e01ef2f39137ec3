"""Two and three kernels over 802.11ac of 80 MHz beside the simulator, to evidence/measured/validation/vht80.md.

python evidence/benches/emulate/vht80.py; as root, two minutes on a machine that does nothing else. Fails where a
goodput is more than 5 % off the simulator's, where the two kernels have less than 300 Mbit/s, or where the emulator was
late.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from pathlib import Path

from page import interval, table
from repeat import in_time

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "vht80.md"

#: Seconds of a run, and those that do not count.
SECONDS, WARMUP = 10, 3
SEEDS = 5
TOLERANCE, LEAST_MBPS = 0.05, 300
#: A run later than this at 99 % of its packets is repeated.
LATE_S = 0.001
#: Linux's own, and one as eBPF.
LAWS: dict[str, ww.format.LawSpec | str] = {
    "CUBIC": ww.Cubic(version="linux", hystart=True),
    "Compound (eBPF)": "compound",
}


def scenario(law: ww.format.LawSpec | str, stations: int) -> ww.Scenario:
    """An access point that sends to `stations` stations at MCS 9, one spatial stream, 400 ns of guard interval."""
    names = [f"station-{at}" for at in range(1, stations + 1)]
    places = [("0 m", "0 m"), ("5 m", "0 m"), ("0 m", "5 m")]
    air = ww.Wifi(
        name="home",
        standard="802.11ac",
        width="80 MHz",
        streams=1,
        rate_control=ww.format.FixedRateControl(mcs=9),
        access_point="AP",
        station=[
            ww.format.WifiStation(node=name, at=place)
            for name, place in zip(["AP", *names], places[: stations + 1], strict=True)
        ],
    )
    return ww.Scenario(
        name="vht80",
        duration=f"{SECONDS} s",
        warmup=f"{WARMUP} s",
        node=[ww.Node(name=name) for name in ("AP", *names)],
        wifi=[air],
        flow=[ww.Flow(name=name, from_="AP", to=name, law=law, stack="linux") for name in names],
    )


def compare(name: str, law: ww.format.LawSpec | str, stations: int, folder: Path) -> tuple[list[str], list[str]]:
    """Cells of a row, and what is wrong with it."""
    case = scenario(law, stations)
    simulated = case.simulate(seeds=SEEDS)
    emulated = in_time(case.emulate, folder / f"{name}-{stations}", late_s=LATE_S, even_if_slow=True)
    ours, error = mean_and_interval(simulated.flows.groupby("seed")["goodput_bps"].sum() / 1e6)
    real = float(emulated.flows["goodput_bps"].sum() / 1e6)
    sizes = [run.edca_links.set_index("link").loc["AP->station-1", "mean_ampdu"] for run in (simulated, emulated)]
    ppdus = [float(size.mean()) if hasattr(size, "mean") else float(size) for size in sizes]
    timing = emulated.timing.iloc[0]
    cells = [
        str(stations + 1),
        name,
        interval(ours, error),
        f"{real:.1f}",
        f"**{real / ours:.3f}**",
        " / ".join(f"{size:.1f}" for size in ppdus),
        f"{timing['packets'] / SECONDS / 1000:.1f}",
        f"{timing['late_p99_s'] * 1e6:.0f}",
        f"{100 * timing['late_share']:.2f}",
        f"{timing['cpu_per_packet_s'] * 1e6:.1f}",
    ]
    wrong = [f"{name}, {stations + 1} kernels: {problem}" for problem in emulated.problems]
    if abs(real / ours - 1) > TOLERANCE:
        wrong.append(f"{name}, {stations + 1} kernels: {real:.1f} Mbit/s, simulated {ours:.1f}")
    if stations == 1 and real < LEAST_MBPS:
        wrong.append(f"{name}, 2 kernels: {real:.1f} Mbit/s, less than {LEAST_MBPS}")
    return cells, wrong


def main() -> None:
    """Writes the page."""
    if os.geteuid() != 0:
        sys.exit("this needs root")
    rows, wrong = [], []
    with tempfile.TemporaryDirectory() as folder:
        for stations in (1, 2):
            for name, law in LAWS.items():
                cells, problems = compare(name, law, stations, Path(folder))
                print(" | ".join(cells), *problems, sep="\n", flush=True)
                rows.append(cells)
                wrong += problems
    if wrong:
        sys.exit(f"{PAGE.relative_to(ROOT)} stays as it is:\n" + "\n".join(wrong))
    heads = [
        "kernels",
        "law",
        "simulated, Mbit/s",
        "kernels, Mbit/s",
        "ratio",
        "MPDUs per PPDU",
        "thousand packets a second",
        "99 % late by at most, µs",
        "late by more than 1 ms, %",
        "CPU per packet, µs",
    ]
    PAGE.write_text(
        f"""# 802.11ac of 80 MHz between kernels

<!-- Generated: make validate WHAT=vht80 -->

Downloads from an access point to one and two stations over VHT80: MCS 9, one spatial stream, short guard interval.
Each node has a kernel of its own. A run takes {SECONDS} s; its first {WARMUP} s do not count. Simulated: mean of
{SEEDS} seeds with its 95 % interval. MPDUs per PPDU: simulated / between kernels. Linux {platform.release()},
{os.cpu_count()} processors.

{table(heads, rows)}

Required: goodputs within {100 * TOLERANCE:.0f} % of the simulator's, at least {LEAST_MBPS} Mbit/s between two kernels,
at most 1 % of the packets more than 1 ms late.
""",
        encoding="utf-8",
    )
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

"""Lays flows with Linux's loss detection beside Linux's own, under random loss, and prints the table of a page.

python benches/emulate/linux_stack.py [--seeds 3]; as root, on a machine that does nothing else. The page is
docs/measured/validation/linux-stack.md.
"""

from __future__ import annotations

import argparse
from typing import Any, Literal

import pandas as pd
from linux_cubic import LinuxCubic
from networks import crowd
from page import interval, table

import windward as ww
from windward.results.stats import mean_and_interval

#: Loss, and how many flows stand side by side in one emulation, each on a link of its own.
CASES = ((0.0, 1), (0.001, 8), (0.01, 10), (0.03, 10))
#: Flows side by side and seeds of a simulation.
CROWD, SEEDS = 20, 6


def goodput(flows: pd.DataFrame) -> tuple[float, float]:
    """Mean and 95 % interval over flows, in Mbit/s."""
    return mean_and_interval(flows["goodput_bps"] / 1e6)


def row(name: str, law: Any, loss: float, count: int, seeds: int) -> list[str]:
    """One law at one loss: by RFC 6675, by Linux's stack, and by Linux."""
    stacks: tuple[Literal["rfc", "linux"], ...] = ("rfc", "linux")
    simulated = [goodput(crowd(law, loss, CROWD, stack).simulate(seeds=SEEDS).flows) for stack in stacks]
    imitated = goodput(crowd(LinuxCubic, loss, CROWD, "linux").simulate(seeds=SEEDS).flows) if name == "cubic" else None
    runs = [crowd(law, loss, count, "linux").emulate(seeds=[seed]) for seed in range(1, seeds + 1)]
    real = goodput(pd.concat([run.flows for run in runs]))
    ratios = [f"{real[0] / mean:.3f}" for mean, _ in simulated]
    last = f"{real[0] / imitated[0]:.3f}" if imitated else "–"
    cells = [interval(*real), interval(*simulated[0]), ratios[0], interval(*simulated[1]), f"**{ratios[1]}**", last]
    print(name, loss, cells, flush=True)
    return [name, f"{loss:.1%}", *cells]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="emulations of each case")
    seeds = parser.parse_args().seeds
    laws = {"reno": ww.Reno(), "cubic": ww.Cubic(hystart=True)}
    rows = [row(name, law, loss, count, seeds) for name, law in laws.items() for loss, count in CASES]
    columns = ["law", "loss", "Linux", "`rfc`", "ratio", "`linux`", "ratio", "in Linux's integers too"]
    print(table(columns, rows))


if __name__ == "__main__":
    main()

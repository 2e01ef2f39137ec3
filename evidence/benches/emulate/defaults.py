"""Networks with default settings between kernels, beside the simulator.

python evidence/benches/emulate/defaults.py; as root, twenty minutes in real time, on a machine that does nothing else.
Writes a section of evidence/measured/validation/emulation.md. Finished runs are kept in results/defaults. Ends with 1
where a figure is off by more than the tolerance and its interval.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from page import interval, table
from repeat import in_time

import windward as ww
from windward.results._files import replace_text
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "emulation.md"
KEPT = ROOT / "results" / "defaults"
#: The section, with its marks.
OPEN, CLOSE = "<!-- networks with default settings -->\n", "<!-- end of networks with default settings -->\n"
#: Tolerance, and lateness of the 99th of 100 packets at which a run is repeated, in seconds.
WITHIN, LATE_S = 0.05, 0.001

#: A figure of each seed of a run.
Figure = Callable[[ww.Run], "pd.Series[float]"]


class Case(NamedTuple):
    """A scenario, the seeds emulated and simulated, and its figures: name, unit, scale and values by seed."""

    file: str
    emulated: int
    simulated: int
    figures: tuple[tuple[str, str, float, Figure], ...]


def of_flows(group: str, column: str) -> Figure:
    """Mean of a column over the flows of a group, by seed."""

    def figure(run: ww.Run) -> pd.Series[float]:
        flows = run.flows
        return flows[flows["group"] == group].groupby("seed")[column].mean()

    return figure


def of_table(name: str, column: str) -> Figure:
    """Mean of a column of a table, by seed."""

    def figure(run: ww.Run) -> pd.Series[float]:
        frame: pd.DataFrame = getattr(run, name)
        return frame.groupby("seed")[column].mean()

    return figure


def goodput(group: str) -> tuple[str, str, float, Figure]:
    """Goodput of a group of flows."""
    return f"goodput of `{group}`", "Mbit/s", 1e-6, of_flows(group, "goodput_bps")


def round_trip(group: str) -> tuple[str, str, float, Figure]:
    """Mean round trip of a group of flows."""
    return f"round trip of `{group}`", "ms", 1e3, of_flows(group, "mean_rtt_s")


CASES = (
    Case("dumbbell", 3, 5, (goodput("cubic"), round_trip("cubic"))),
    Case(
        "flat",
        5,
        5,
        tuple(make(name) for name in ("download-near", "download-far", "upload-far") for make in (goodput, round_trip)),
    ),
    Case("phones", 3, 5, (goodput("phone"), round_trip("phone"), goodput("car"), round_trip("car"))),
    Case(
        "household",
        3,
        5,
        (
            goodput("upload"),
            round_trip("upload"),
            ("page, mean load", "s", 1.0, of_table("pages", "load_mean_s")),
            ("film, mean bit rate", "Mbit/s", 1e-6, of_table("videos", "mean_bitrate_bps")),
            ("call, least MOS", "", 1.0, lambda run: run.calls.groupby("seed")["mos"].min()),
            ("game, mean round trip", "ms", 1e3, of_table("games", "mean_rtt_s")),
        ),
    ),
)


def without_small_queues(scenario: ww.Scenario) -> ww.Scenario:
    """The scenario as the emulator has it: TCP small queues do not hold for uploads over Wi-Fi."""
    stations = {station.node for wifi in scenario.wifi or [] for station in wifi.station}
    flows = [replace(flow, small_queues=False) if flow.from_ in stations else flow for flow in scenario.flow or []]
    return replace(scenario, flow=flows)


def rows(case: Case) -> tuple[list[list[str]], list[str], pd.DataFrame]:
    """Lines of the page, the figures outside the tolerance, and the lateness of the emulations."""
    scenario = ww.load(ROOT / "scenarios" / f"{case.file}.toml")
    seeds = range(1, case.emulated + 1)
    runs = [
        in_time(scenario.emulate, KEPT / case.file / str(seed), late_s=LATE_S, seed=seed, even_if_slow=True)
        for seed in seeds
    ]
    model = without_small_queues(scenario).simulate(seeds=case.simulated)
    lines, off = [], []
    for name, unit, scale, figure in case.figures:
        ours = mean_and_interval(figure(model) * scale)
        theirs = mean_and_interval(pd.concat([figure(run) for run in runs]) * scale)
        ratio = ours[0] / theirs[0]
        error = sum((half / mean) ** 2 for mean, half in (ours, theirs)) ** 0.5
        if abs(ratio - 1) > WITHIN + error:
            off.append(f"{name} in {case.file}")
        lines.append(
            [case.file, name, interval(*ours, unit), interval(*theirs, unit), f"**{interval(ratio, error * ratio)}**"]
        )
        print(lines[-1], flush=True)
    return lines, off, pd.concat([run.timing for run in runs])


def section(found: list[tuple[list[list[str]], list[str], pd.DataFrame]]) -> str:
    """The section of the page."""
    off = [name for _, names, _ in found for name in names]
    timing = pd.concat([each for *_, each in found])
    late = int((timing["late_p99_s"] > LATE_S).sum())
    verdict = (
        f"Outside {WITHIN:.0%} and the interval: {', '.join(off)}."
        if off
        else f"No ratio is off by more than {WITHIN:.0%} and its interval."
    )
    return f"""{OPEN}
## Networks with default settings

<!-- Generated: python evidence/benches/emulate/defaults.py -->

Scenarios that name neither a stack nor buffers of hosts: the default is Linux's stack. Linux {platform.release()}
between namespaces; means over seeds with 95 % intervals. The flat is simulated without TCP small queues, which [do not
hold in the emulator](../../../docs/guides/emulation.md). {verdict.replace("%", " %")}

{table(["scenario", "figure", "simulated", "kernels", "ratio"], [line for lines, *_ in found for line in lines])}

In {late} of {len(timing)} emulations 1 % of the packets were more than {1e3 * LATE_S:g} ms late.

{CLOSE}"""


def main() -> int:
    """Measures, and writes the section into the page."""
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    found = [rows(case) for case in CASES]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(OPEN)
    after = rest.partition(CLOSE)[2] if rest else ""
    replace_text(PAGE, before + section(found) + after)
    return int(any(names for _, names, _ in found))


if __name__ == "__main__":
    sys.exit(main())

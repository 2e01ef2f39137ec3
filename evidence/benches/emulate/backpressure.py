"""Backpressure between real kernels beside the simulator, to evidence/measured/validation/backpressure-kernels.md.

python evidence/benches/emulate/backpressure.py [--seeds 3] [--copies 3] [--seconds 60]; as root, on a machine that does
nothing else. Networks that do not hear each other stand side by side in one emulation: all laws under both rules, in
several copies, so that a minute of real time is many runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from page import table
from repeat import in_time

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "backpressure-kernels.md"

#: Runs are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "backpressure-kernels"

NETWORKS = ("tree", "diamond")
#: Linux's CUBIC leaves slow start by HyStart.
LAWS = {"reno": ww.Reno(), "cubic": ww.Cubic(hystart=True), "vegas": ww.Vegas()}
RULES: dict[str, int | str] = {"classical": 0, "TCP-aware": "shared"}
#: Seeds of the simulator, each with all copies.
SIMULATED = 10
#: A seed is emulated again when one packet in a hundred was late by a tenth of the round trips, which last half a
#: second.
LATE_S = 0.05

#: Linux without what the simulator's senders have not: probes of the tail, undoing by DSACK and F-RTO, adaptation to
#: reordering, SYN timeouts that do not double. Loss detection by time (RACK) stays: `tcp_recovery` does not end it.
UNADAPTED = {
    "net.ipv4.tcp_recovery": 0,
    "net.ipv4.tcp_early_retrans": 0,
    "net.ipv4.tcp_max_reordering": 3,
    "net.ipv4.tcp_frto": 0,
    "net.ipv4.tcp_dsack": 0,
    "net.ipv4.tcp_syn_linear_timeouts": 0,
}


class Case(NamedTuple):
    """Control law and forwarding rule that several copies of a network share."""

    law: str
    rule: str


CASES = [Case(law, rule) for law in LAWS for rule in RULES]


def label(case: Case, copy: int) -> str:
    """Prefix of the names in a copy."""
    return f"{case.law}-{case.rule}-{copy}"


def variant(network: ww.Scenario, case: Case, coding: str | None) -> ww.Scenario:
    """A network under a rule, with all its flows under a law, and coded or not."""
    wifi = replace(network.wifi[0], routing=ww.format.BackpressureRouting(k=RULES[case.rule]))
    flows = [replace(flow, law=LAWS[case.law], coding=coding) for flow in network.flow]
    return replace(network, wifi=[wifi], flow=flows)


def renamed(network: ww.Scenario, prefix: str) -> ww.Scenario:
    """A network whose names begin with `prefix`."""

    def own(name: str) -> str:
        return f"{prefix}-{name}"

    wifi = [
        replace(air, name=own(air.name), station=[replace(each, node=own(each.node)) for each in air.station])
        for air in network.wifi
    ]
    flows = [replace(flow, name=own(str(flow.name)), from_=own(flow.from_), to=own(flow.to)) for flow in network.flow]
    return replace(network, node=[replace(node, name=own(node.name)) for node in network.node], wifi=wifi, flow=flows)


def side_by_side(networks: Sequence[ww.Scenario], **changes: str) -> ww.Scenario:
    """Networks that have nothing to do with each other, as one scenario."""
    return replace(
        networks[0],
        node=[node for network in networks for node in network.node],
        wifi=[air for network in networks for air in network.wifi],
        flow=[flow for network in networks for flow in network.flow],
        **changes,
    )


def scenario(name: str, copies: int, seconds: int, coding: str | None = None) -> ww.Scenario:
    """All cases of a network of the paper, `copies` of each."""
    network = ww.load(ROOT / "evidence" / "papers" / "seferoglu2014" / f"{name}.toml")
    all_copies = [
        renamed(variant(network, case, coding), label(case, copy)) for case in CASES for copy in range(copies)
    ]
    return side_by_side(all_copies, name=name, duration=f"{seconds} s")


class Emulated(NamedTuple):
    """Emulations of several seeds."""

    flows: pd.DataFrame
    timing: pd.DataFrame


def emulate(network: ww.Scenario, seeds: int, folder: Path, sysctl: Mapping[str, int] | None = None) -> Emulated:
    """Each seed, in a machine's own time as far as it can be had."""
    runs = [
        in_time(network.emulate, folder / str(seed), late_s=LATE_S, seed=seed, sysctl=sysctl)
        for seed in range(1, seeds + 1)
    ]
    return Emulated(pd.concat([run.flows for run in runs]), pd.concat([run.timing for run in runs]))


def goodputs(flows: pd.DataFrame, case: Case) -> dict[str, pd.Series]:
    """Goodputs of a case in kbit/s, by flow: one for each copy and seed."""
    names = flows["flow"].str.rsplit("-", n=2, expand=True)
    mine = names[0] == f"{case.law}-{case.rule}"
    return {str(name): part["goodput_bps"] / 1e3 for name, part in flows[mine].groupby(names[2][mine])}


def compared(simulated: pd.DataFrame, emulated: Mapping[str, Emulated]) -> str:
    """A row for each case and flow: the simulator's goodput, then each emulation's and its share of the simulator's."""
    rows = []
    for case in CASES:
        others = [goodputs(run.flows, case) for run in emulated.values()]
        for flow, values in goodputs(simulated, case).items():
            mean, error = mean_and_interval(values)
            cells = [case.law, case.rule, flow, f"{mean:.0f} ± {error:.0f}"]
            for other in others:
                real, real_error = mean_and_interval(other[flow])
                cells += [f"{real:.0f} ± {real_error:.0f}", f"**{real / mean:.2f}**" if mean > 0 else "–"]
            rows.append(cells)
    columns = [column for name in emulated for column in (name, "ratio")]
    return table(["law", "rule", "flow", "simulated", *columns], rows)


def timeouts(flows: pd.DataFrame) -> list[list[str]]:
    """Timeouts of the first and the second flow in a run, means of each case."""
    names = flows["flow"].str.rsplit("-", n=2, expand=True)
    means = flows["timeouts"].groupby([names[0], names[2]]).mean()
    mean = {case: [means[f"{case.law}-{case.rule}", flow] for flow in ("flow1", "flow2")] for case in CASES}
    return [[*case, f"{first:.1f}, {second:.1f}"] for case, (first, second) in mean.items()]


def starved(flows: pd.DataFrame) -> list[list[str]]:
    """Runs of each case in which the second flow got less than a twentieth of the first's rate."""
    counted = []
    for case in CASES:
        first, second = goodputs(flows, case).values()
        share = second.to_numpy() / first.to_numpy()
        counted.append([case.law, case.rule, f"{(share < 0.05).sum()} of {len(share)}"])
    return counted


def beside(count: Callable[[pd.DataFrame], list[list[str]]], headings: list[str], flows: Sequence[pd.DataFrame]) -> str:
    """Table of a count for each case, with one column per table of flows."""
    rows = zip(*map(count, flows), strict=True)
    return table(headings, [[*cells[0][:2], *(cell[2] for cell in cells)] for cells in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="emulations of each network")
    parser.add_argument("--copies", type=int, default=3, help="copies of each network in one emulation")
    parser.add_argument("--seconds", type=int, default=60, help="duration of each")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    sections, timing = [], []
    for name in NETWORKS:
        network = scenario(name, options.copies, options.seconds)
        coded = scenario(name, options.copies, options.seconds, coding="random")
        runs = {
            "kernel": emulate(network, options.seeds, KEPT / f"{name}-as-is"),
            "kernel, unadapted": emulate(network, options.seeds, KEPT / f"{name}-unadapted", UNADAPTED),
            "kernel, coded": emulate(coded, options.seeds, KEPT / f"{name}-coded"),
        }
        timing += [run.timing for run in runs.values()]
        plain, with_coding = (each.simulate(seeds=SIMULATED).flows for each in (network, coded))
        *uncoded, last = runs
        sections.append(f"## The {name}\n\n{compared(plain, {key: runs[key] for key in uncoded})}")
        sections.append(f"With network coding:\n\n{compared(with_coding, {last: runs[last]})}")
        tables = (plain, *(runs[key].flows for key in uncoded), with_coding, runs[last].flows)
        headings = ["law", "rule", "simulated", *uncoded, "simulated, coded", last]
        sections.append(
            f"Runs in which flow 2 got less than a twentieth of flow 1's rate:\n\n{beside(starved, headings, tables)}"
        )
        sections.append(f"Timeouts of flows 1 and 2 in a run:\n\n{beside(timeouts, headings, tables)}")
        print("\n\n".join(sections[-4:]), flush=True)
    times = pd.concat(timing)
    late = {what: times[f"late_{what}_s"].max() * 1e3 for what in ("p50", "p99", "max")}
    count = options.copies * options.seeds
    settings = ", ".join(f"`{name.removeprefix('net.ipv4.')} = {value}`" for name, value in UNADAPTED.items())
    PAGE.write_text(
        f"""# Backpressure between real kernels

<!-- Generated: make validate WHAT=backpressure -->

The tree and the diamond of seferoglu2014 (`evidence/papers/seferoglu2014/tree.toml`, `diamond.toml`) in
[emulation](../../../docs/guides/emulation.md): TCP is that of Linux {platform.release()} at both ends, Vegas as eBPF,
and the stations between them are the simulator's. Goodput in kbit/s over {options.seconds} s; {count} runs emulated,
{options.copies * SIMULATED} simulated; 95 % confidence intervals.

*Kernel* is Linux as it is. *Unadapted* is Linux without what the simulator's senders have not: tail loss probes,
undoing by DSACK and F-RTO, adaptation to reordering, linear SYN timeouts:
{textwrap.fill(settings, 118)}.
It still detects losses by time (RACK), whatever `tcp_recovery` says.

What is seen:

* Under the TCP-aware rule the tree's flows get what they get in the simulator, by every law, coded or not.
* The classical rule starves flow 2 of Reno and CUBIC in many runs, and the threshold brings it back, between kernels as
  in the simulator. Means of nine runs of which some are starved say little: intervals are as wide as the means. CUBIC's
  flow 2 is starved more often between kernels. The timeouts point at the reason. The simulator's flow 1
  waits for its timer where a retransmission is lost (RFC 6675), and meanwhile flow 2 gets in. Linux detects
  lost retransmissions by time, and its flow 1 hardly ever times out.
* In the diamond packets overtake each other. The simulator's senders take that for loss, and their windows are too
  small to starve anybody. Linux adapts, keeps larger windows, and starves flow 2 under the classical rule as in the
  tree. Two experiments: unadapted, Linux hardly starves flow 2 there, either; and coded, so that no TCP sees any
  reordering, Linux and the simulator agree under the TCP-aware rule. What differs is the reaction to reordering.

{chr(10).join(section + chr(10) for section in sections)}
## Timing

Lateness of packets in {len(times)} emulations, the worst of all: median {late["p50"]:.3f} ms, 99 %
{late["p99"]:.1f} ms, greatest {late["max"]:.0f} ms.
In {(times["late_share"] > 0.01).sum()} of them more than 1 % of the packets were more than 1 ms late,
which the emulator reports. Round trips here last half a second, and a frame of 1000 B 5 ms.
""",
        encoding="utf-8",
    )
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

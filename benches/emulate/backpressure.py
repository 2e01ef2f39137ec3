"""Backpressure between real kernels beside the simulator, written to docs/measured/validation/backpressure-kernels.md.

python benches/emulate/backpressure.py [--seeds 3] [--copies 3] [--seconds 60]; as root, on a machine that does nothing
else. Networks that do not hear each other stand side by side in one emulation: all laws under both rules, in several
copies, so that a minute of real time is many runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import pandas as pd
from page import interval, table

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "measured" / "validation" / "backpressure-kernels.md"

#: Runs are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "backpressure-kernels"

NETWORKS = ("tree", "diamond")
#: Linux's CUBIC leaves slow start by HyStart.
LAWS = {"reno": ww.Reno(), "cubic": ww.Cubic(hystart=True), "vegas": ww.Vegas()}
RULES: dict[str, int | str] = {"classical": 0, "TCP-aware": "shared"}
#: Seeds of the simulator, each with all copies.
SIMULATED = 10
#: A seed is emulated again when the machine was busy, so often at most: when one packet in a hundred was late by a
#: tenth of the round trips, which last half a second.
TRIES = 3
LATE_S = 0.05

#: Linux as the simulator repairs losses, by three duplicates and a timer (RFC 6675, RFC 6298), with a first timer of a
#: second that doubles from the beginning.
AS_SIMULATED = {
    "net.ipv4.tcp_recovery": 0,
    "net.ipv4.tcp_early_retrans": 0,
    "net.ipv4.tcp_max_reordering": 3,
    "net.ipv4.tcp_frto": 0,
    "net.ipv4.tcp_dsack": 0,
    "net.ipv4.tcp_syn_linear_timeouts": 0,
}


class Case(NamedTuple):
    """What is the same in several copies of a network."""

    law: str
    rule: str


CASES = [Case(law, rule) for law in LAWS for rule in RULES]


def label(case: Case, copy: int) -> str:
    """What the names of a copy begin with."""
    return f"{case.law}-{case.rule}-{copy}"


def variant(network: ww.Scenario, case: Case) -> ww.Scenario:
    """A network under a rule, with all its flows under a law."""
    wifi = replace(network.wifi[0], routing=ww.BackpressureRouting(k=RULES[case.rule]))
    return replace(network, wifi=[wifi], flow=[replace(flow, law=LAWS[case.law]) for flow in network.flow])


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


def scenario(name: str, copies: int, seconds: int) -> ww.Scenario:
    """All cases of a network of the paper, each in so many copies."""
    network = ww.load(ROOT / "papers" / "seferoglu2014" / f"{name}.toml")
    all_copies = [renamed(variant(network, case), label(case, copy)) for case in CASES for copy in range(copies)]
    return side_by_side(all_copies, name=name, duration=f"{seconds} s")


class Emulated(NamedTuple):
    """Emulations of several seeds."""

    flows: pd.DataFrame
    timing: pd.DataFrame


def emulate(network: ww.Scenario, seeds: int, folder: Path, sysctl: Mapping[str, int] | None = None) -> Emulated:
    """Emulates each seed until the machine has kept its time, at most `TRIES` times; else the best of them counts.

    What `folder` has already is not emulated again.
    """
    runs = [kept(network, seed, folder / str(seed), sysctl) for seed in range(1, seeds + 1)]
    return Emulated(pd.concat([run.flows for run in runs]), pd.concat([run.timing for run in runs]))


def kept(network: ww.Scenario, seed: int, folder: Path, sysctl: Mapping[str, int] | None) -> ww.Run:
    """The run of a seed, from `folder` if it is there."""
    if folder.exists():
        return cast("ww.Run", ww.open(folder))

    def lateness(run: ww.Run) -> float:
        timing = run.timing.iloc[0]
        return float("inf") if timing["missed"] + timing["overflowed"] > 0 else float(timing["late_p99_s"])

    best: ww.Run | None = None
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory() as place:
            run = network.emulate(seeds=[seed], sysctl=sysctl, output=Path(place) / "run")
            print(f"  {folder}: {run.problems or 'in time'}", flush=True)
            if best is None or lateness(run) < lateness(best):
                best = run
                shutil.copytree(Path(place) / "run", folder, dirs_exist_ok=True)
        if lateness(best) <= LATE_S:
            break
    assert best is not None
    return best


def goodputs(flows: pd.DataFrame, case: Case) -> dict[str, pd.Series]:
    """Goodputs of a case in kbit/s, by flow: one for each copy and seed."""
    names = flows["flow"].str.rsplit("-", n=2, expand=True)
    mine = names[0] == f"{case.law}-{case.rule}"
    return {str(name): part["goodput_bps"] / 1e3 for name, part in flows[mine].groupby(names[2][mine])}


def rows(simulated: pd.DataFrame, *emulated: pd.DataFrame) -> Iterator[list[str]]:
    """A row for each case and flow: the simulator's goodput, then each emulation's and its share of the simulator's."""
    for case in CASES:
        mine, others = goodputs(simulated, case), [goodputs(flows, case) for flows in emulated]
        for flow, values in mine.items():
            mean, error = mean_and_interval(values)
            cells = [case.law, case.rule, flow, interval(mean, error)]
            for other in others:
                real, real_error = mean_and_interval(other[flow])
                cells += [interval(real, real_error), f"**{real / mean:.2f}**" if mean > 0 else "–"]
            yield cells


def starved(flows: pd.DataFrame) -> list[list[str]]:
    """Runs of each case in which the second flow got less than a twentieth of the first's rate."""
    counted = []
    for case in CASES:
        first, second = goodputs(flows, case).values()
        share = second.to_numpy() / first.to_numpy()
        counted.append([case.law, case.rule, f"{(share < 0.05).sum()} of {len(share)}"])
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="emulations of each network")
    parser.add_argument("--copies", type=int, default=3, help="copies of each network in one emulation")
    parser.add_argument("--seconds", type=int, default=60, help="duration of each")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    columns = ["law", "rule", "flow", "simulated", "kernel", "ratio", "kernel as simulated", "ratio"]
    sections, timing = [], []
    for name in NETWORKS:
        network = scenario(name, options.copies, options.seconds)
        simulated = network.simulate(seeds=SIMULATED).flows
        as_is = emulate(network, options.seeds, KEPT / f"{name}-as-is")
        alike = emulate(network, options.seeds, KEPT / f"{name}-as-simulated", AS_SIMULATED)
        sections.append(f"## The {name}\n\n{table(columns, list(rows(simulated, as_is.flows, alike.flows)))}")
        counts = zip(starved(simulated), starved(as_is.flows), starved(alike.flows), strict=True)
        dead = table(
            ["law", "rule", "simulated", "kernel", "kernel as simulated"],
            [[*ours, real[2], like[2]] for ours, real, like in counts],
        )
        sections.append(f"Runs in which flow 2 got less than a twentieth of flow 1's rate:\n\n{dead}")
        print("\n".join(sections[-2:]), flush=True)
        timing += [as_is.timing, alike.timing]
    times = pd.concat(timing)
    late = {what: times[f"late_{what}_s"].max() * 1e3 for what in ("p50", "p99", "max")}
    runs = options.copies * options.seeds
    settings = ", ".join(f"`{name.removeprefix('net.ipv4.')} = {value}`" for name, value in AS_SIMULATED.items())
    PAGE.write_text(
        f"""# Backpressure between real kernels

<!-- Generated: make validate-backpressure -->

The tree and the diamond of seferoglu2014 (`papers/seferoglu2014/tree.toml`, `diamond.toml`) in
[emulation](../../guides/emulation.md): TCP is that of Linux {platform.release()} at both ends, Vegas as eBPF, and the
stations between them are the simulator's. Goodput in kbit/s over {options.seconds} s; {runs} runs emulated,
{options.copies * SIMULATED} simulated; 95 % confidence intervals.

*Kernel* is Linux as it is. *Kernel as simulated* repairs losses as the simulator does, by three duplicates and a timer:
{settings}.

{chr(10).join(section + chr(10) for section in sections)}
## Timing

Lateness of packets in {len(times)} emulations, the worst of all: median {late["p50"]:.3f} ms, 99 %
{late["p99"]:.1f} ms, greatest {late["max"]:.0f} ms. {(times["late_share"] > 0.01).sum()} of them had more than 1 % of
their packets more than 1 ms late, by the emulator's own account too many; round trips here last half a second, and a
frame of 1000 B 5 ms.
""",
        encoding="utf-8",
    )
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

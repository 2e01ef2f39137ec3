"""Holds flows over QUIC between namespaces to the simulator, and writes validation/quic-kernels.md.

python evidence/benches/emulate/quic.py [--seeds 3] [--only beside]; as root, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import platform
from pathlib import Path
from typing import Any

from page import between, interval, table

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "quic-kernels.md"

#: Seeds simulated, times that a run which was not in time is repeated.
SIMULATED, TIMES = 5, 3
#: Allowed distance of the goodputs' means.
ALLOWED = 0.05

#: Delays of a link that carries a packet in 0.6 ms.
PHASES = ("20 ms", "20.1 ms", "20.15 ms")

SECONDS: dict[str, Any] = {"duration": "20 s", "warmup": "5 s"}


def link(rate: str, delay: str, packets: int, **more: Any) -> ww.Link:
    reverse = ww.format.Reverse(buffer="unlimited", loss=0.0)
    return ww.Link(
        name="path", from_="a", to="b", rate=rate, delay=delay, buffer=f"{packets} packets", reverse=reverse, **more
    )


def alone(name: str, law: Any, own: ww.Link, **flow: Any) -> ww.Scenario:
    """One flow over QUIC from a to b."""
    ends = [ww.Node(name="a"), ww.Node(name="b")]
    flows = [ww.Flow(name="quic", from_="a", to="b", law=law, transport="quic", **flow)]
    return ww.Scenario(name=name, node=ends, link=[own], flow=flows, **SECONDS)


def changed(scenario: ww.Scenario, law: str, names: list[str]) -> ww.Scenario:
    """The scenario whose flows of these names are under a law over QUIC."""
    flows = [
        dataclasses.replace(flow, law=law, transport="quic") if flow.name in names else flow for flow in scenario.flow
    ]
    return dataclasses.replace(scenario, flow=flows, **SECONDS)


def networks() -> dict[str, ww.Scenario]:
    """Title and scenario of each network."""
    wifi = ww.load(ROOT / "scenarios" / "wifi.toml")
    lte = ww.load(ROOT / "scenarios" / "lte.toml")
    return {
        "10 Mbit/s, 2 × 20 ms, 1 BDP, `cubic`": alone("short", "cubic", link("10 Mbit/s", "20 ms", 33)),
        "50 Mbit/s, 2 × 10 ms, CoDel with ECN, `reno`": alone(
            "codel", "reno", link("50 Mbit/s", "10 ms", 400, queue=ww.format.Codel(ecn=True)), ecn="classic"
        ),
        "10 Mbit/s, 2 × 25 ms, 1 % loss, `copa`": alone("lossy", "copa", link("10 Mbit/s", "25 ms", 84, loss=0.01)),
        "`scenarios/wifi.toml`, both downloads `quic-tcp`": changed(
            wifi, "quic-tcp", [str(flow.name) for flow in wifi.flow]
        ),
        "`scenarios/lte.toml`, all four `cubic`": changed(lte, "cubic", [str(flow.name) for flow in lte.flow]),
    }


def beside(law: str, packets: int, *, cross: bool = False, delay: str = "20 ms") -> ww.Scenario:
    """A flow over QUIC and one over the kernel's TCP, under the same law, on one link.

    Poisson traffic of a fortieth of the rate may cross it, so that losses do not follow from phases.
    """
    # Linux's Reno with pacing sends pairs of segments, as it does without.
    paced: dict[str, Any] = {} if cross else {"pacing": True}
    flows = [
        ww.Flow(name="quic", from_="a", to="b", law=law, transport="quic"),
        ww.Flow(name="tcp", from_="a", to="b", law=law, **paced),
    ]
    poisson = ww.Background(
        name="cross", from_="a", to="b", packet="200 B", pattern=ww.format.Poisson(rate="0.5 Mbit/s")
    )
    return ww.Scenario(
        name="beside",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[link("20 Mbit/s", delay, packets)],
        flow=flows,
        background=[poisson] if cross else [],
        duration="40 s",
        warmup="10 s",
    )


def emulated(scenario: ww.Scenario, seeds: int) -> ww.Run:
    """An emulation that was in time, or the last of several."""
    run = scenario.emulate(seeds=seeds)
    for _ in range(TIMES):
        if not run.problems:
            break
        print("not in time:", run.problems, flush=True)
        run = scenario.emulate(seeds=seeds)
    return run


def rows(title: str, scenario: ww.Scenario, seeds: int) -> list[list[str]]:
    """A row for each flow, and one for all where there are several."""
    ours, theirs = scenario.simulate(seeds=SIMULATED), emulated(scenario, seeds)
    found = []
    names = list(dict.fromkeys(ours.flows["flow"]))
    parts = [(name, [name]) for name in names] + ([("all", names)] if len(names) > 1 else [])
    for name, members in parts:
        cells = [title, str(name)]
        means = []
        for run in (ours, theirs):
            own = run.flows[run.flows["flow"].isin(members)]
            mean, error = mean_and_interval(own.groupby("seed")["goodput_bps"].sum() / 1e6)
            means.append(mean)
            # One seed has no interval.
            cells.append(interval(mean, 0.0 if math.isnan(error) else error, "Mbit/s"))
        cells.append(f"**{means[1] / means[0]:.3f}**")
        for run in (ours, theirs):
            own = run.flows[run.flows["flow"].isin(members)]
            cells.append(f"{own['mean_rtt_s'].mean() * 1e3:.1f} ms")
        for run in (ours, theirs):
            own = run.flows[run.flows["flow"].isin(members)]
            cells.append(f"{100 * own['segments_lost'].sum() / own['segments_sent'].sum():.2f} %")
        late = theirs.timing["late_p99_s"].max() * 1e6
        cells.append(f"{late:.0f} µs" + ("" if not theirs.problems else ", late"))
        found.append(cells)
    for cells in found:
        print(cells, flush=True)
    return found


COLUMNS = [
    "network",
    "flow",
    "simulated",
    "between kernels",
    "ratio",
    "RTT simulated",
    "RTT real",
    "lost simulated",
    "lost real",
    "lateness p99",
]


def five_networks(seeds: int) -> str:
    """The section on QUIC alone, up to the heading of the next."""
    found = [row for title, scenario in networks().items() for row in rows(title, scenario, seeds)]
    whole = [row for row in found if row[1] in ("quic", "all")]
    least, most = (f(float(row[4].strip("*")) for row in whole) for f in (min, max))
    verdict = "hold" if max(1 - least, most - 1) <= ALLOWED else "do not hold"
    return f"""\
## Five networks

Goodputs of a network within {100 * ALLOWED:.0f} % of the simulator's: {verdict}, from {least:.3f} to {most:.3f}.

{table(COLUMNS, found)}

## Beside"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="repeats of each emulation")
    parser.add_argument("--only", choices=["beside"], help="leave the section on the five networks as it is")
    asked = parser.parse_args()
    seeds = asked.seeds
    first = between(PAGE, "## Five networks", "## Beside") if asked.only else five_networks(seeds)
    shared = [
        row
        for title, scenario in (
            ("134 packets, Poisson traffic of 0.5 Mbit/s, `reno`", beside("reno", 134, cross=True)),
            ("400 packets, `quic-tcp`", beside("quic-tcp", 400)),
        )
        for row in rows(f"20 Mbit/s, 2 × 20 ms, {title}", scenario, 2 * seeds if scenario.background else seeds)
    ]
    phases = []
    for delay in PHASES:
        run = emulated(beside("reno", 134, delay=delay), 2)
        means = run.flows.groupby("flow")[["goodput_bps", "segments_lost", "recoveries"]].mean()
        cells = [f"{means['goodput_bps'][name] / 1e6:.1f} Mbit/s" for name in ("quic", "tcp")]
        phases.append([f"2 × {delay}", *cells, *(f"{means['recoveries'][name]:.1f}" for name in ("quic", "tcp"))])
        print(phases[-1], flush=True)
    PAGE.write_text(
        f"""\
# QUIC between namespaces beside the simulator

<!-- Generated: make validate WHAT=quic-kernels -->

Linux {platform.release()}. `windward emulate` runs a flow with `transport = "quic"` between two endpoints of
quinn-proto, each with a UDP socket in a network namespace. The simulator runs the same endpoints in virtual time.
{SIMULATED} seeds simulated, {seeds} emulated, 20 s each of which 15 count; 95 % confidence intervals.

`python evidence/benches/emulate/quic.py`

{first} the kernel's TCP under the same law

One link, a flow over QUIC and a flow over TCP. The law of the TCP flow runs in the kernel: `reno` is Linux's own, and
`quic-tcp` is Windward's as an eBPF program. The simulator has its own TCP, with pacing under `quic-tcp`. 40 s of which
30 count.

{table(COLUMNS, shared)}

## Phase effects of drop-tail

Without the Poisson traffic, the shares between kernels depend on the delay within one packet's time, 0.6 ms. A packet
that arrives just behind a departure finds room in a full buffer, and one just ahead of it is dropped (Floyd and
Jacobson, "On traffic phase effects in packet-switched gateways", 1992). ACKs clock both flows, and QUIC's
acknowledgements and data pass two programs, which takes 0.1 ms more than the kernel. The delay decides which of the
two is ahead. 2 emulations each:

{table(["delay", "quic", "tcp", "recoveries of quic", "recoveries of tcp"], phases)}

Linux's pacing does not change this. It sends segments in pairs (TSO, `tcp_min_tso_segs` of 2): 94 % of the packets of
a paced Reno leave two together, as ACKs without pacing would release them. The simulator paces one by one, and a
flow so paced loses less than one beside it that sends pairs: 13 of 19 Mbit/s. Leave `pacing` out to predict a
kernel's Reno or CUBIC.

## What differs

* The endpoints of a flow share a thread, as those of an application do. It has the lowest real-time priority.
* Timers of the pacer and of delayed ACKs go off some 50 µs late.
* Goodput between kernels counts when the receiver reads, in the simulation when a datagram arrives.
* quinn paces in bursts of up to ten packets in both.
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()

"""Claims 2, 3, 4 and 9: what backpressure does to the clock of TCP, run by the engine."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Finding, claim

from ..networks import LAWS, network
from ..rules import PlaceHolder
from ..slotted import network as slots
from .kept import is_above

SEEDS = 5


@cache
def example_1(k: int) -> ww.Run:
    """Fig. 1(b) in slots: flow 1 has a window of one packet, flow 2 one of eight, from 2 s on."""
    scenario = slots("star", f"{k} packets" if k else 0, duration="60 s", flows=[("A", "B"), ("A", "C")], buffer=100)
    one, two = scenario.flow
    return replace(
        scenario,
        flow=[
            replace(one, name="flow1", receive_window="1 packets"),
            replace(two, name="flow2", receive_window="8 packets", start="2 s"),
        ],
    ).simulate()


@claim(2)
def a_window_of_one_is_frozen() -> Finding:
    found, holds = [], True
    for k in (0, 10):
        run = example_1(k)
        queue = run.backlog_series.query("node == 'A' and flow == 'flow1' and `class` == 'data' and time_s > 20")
        flows = run.flows.set_index("flow")
        series = run.flow_series.query("flow == 'flow1' and time_s > 20")
        rate, again = float(series["goodput_bps"].mean()), int(flows["timeouts"]["flow1"])
        least, most = queue["backlog"].min(), queue["backlog"].max()
        found.append(f"K = {k}: U1 from {least} to {most}, {again} timeouts, {rate / 1e3:.0f} kbit/s")
        # Frozen: its packet never leaves, and only its timer adds to it; served: the packet comes and goes.
        if k == 0:
            is_one = least == most <= 1 + again
            holds &= rate == 0 and is_one and float(flows["goodput_bps"]["flow2"]) > 1e6
        else:
            holds &= rate > 1e5 and again == 0
    return Finding(ours="; ".join(found), holds=holds)


#: Seeds of claim 4, whose laws differ by less than single seeds of CUBIC do.
MANY = 10


@cache
def tree(system: str, first: str, second: str, seeds: int = SEEDS) -> pd.DataFrame:
    """The flows of the tree, each with a law of its own, by seed."""
    laws: dict[str, Any] = {**LAWS, "Compound": "compound", "CUBIC": "cubic"}
    scenario = network("tree", system, coding=False)
    pairs = zip(scenario.flow, (first, second), strict=True)
    return replace(scenario, flow=[replace(flow, law=laws[law]) for flow, law in pairs]).simulate(seeds=seeds).flows


def of_flow(table: pd.DataFrame, metric: str, flow: str = "flow2") -> pd.Series[float]:
    return table[table["flow"] == flow].set_index("seed")[metric]


@claim(3)
def vegas_waits_for_its_acks() -> Finding:
    tables = {system: tree(system, "SACK", "Vegas") for system in ("TCP-aware", "classical")}
    rtt = {system: of_flow(table, "mean_rtt_s") for system, table in tables.items()}
    rate = {system: of_flow(table, "goodput_bps") for system, table in tables.items()}
    alike = {system: of_flow(tree(system, "Vegas", "Vegas"), "mean_rtt_s").mean() for system in tables}
    # A seed in which nothing came back has no round trip at all.
    longer = rtt["classical"].fillna(np.inf) > rtt["TCP-aware"]
    return Finding(
        ours=f"Vegas's round trips beside SACK: classical {rtt['classical'].mean():.2f} s, TCP-aware "
        f"{rtt['TCP-aware'].mean():.2f} s; goodput {rate['classical'].mean() / 1e3:.0f} and "
        f"{rate['TCP-aware'].mean() / 1e3:.0f} kbit/s; beside Vegas {alike['classical']:.3f} and "
        f"{alike['TCP-aware']:.3f} s",
        holds=bool(longer.all() and (rate["classical"] < rate["TCP-aware"]).all()),
    )


@claim(4)
def newer_laws_time_out_too() -> Finding:
    found, holds = [], True
    for law in ("Compound", "CUBIC"):
        often, rate = {}, {}
        for system in ("TCP-aware", "classical"):
            table = tree(system, law, law, MANY)
            rate[system] = of_flow(table, "goodput_bps")
            often[system] = 1e3 * of_flow(table, "timeouts") / of_flow(table, "segments_sent")
            holds &= bool((of_flow(table, "timeouts") > 0).all()) or system == "TCP-aware"
        holds &= is_above(rate["TCP-aware"], rate["classical"]) and is_above(often["classical"], often["TCP-aware"])
        found.append(
            f"{law}: {often['classical'].mean():.1f} timeouts in 1000 segments of flow 2, "
            f"{often['TCP-aware'].mean():.1f} TCP-aware; "
            f"{rate['classical'].mean() / 1e3:.0f} kbit/s ({rate['TCP-aware'].mean() / 1e3:.0f})"
        )
    # A threshold of 20 packets makes as many timeouts: that the runs have none is read off their scenario.
    k = network("tree", "classical").wifi[0].routing.k  # type: ignore[union-attr]
    return Finding(ours=f"{'; '.join(found)}; K = {k}", holds=holds and k == 0)


@claim(9)
def place_holders_are_no_cure() -> Finding:
    share = {}
    rules: dict[str, dict[str, Any]] = {
        "max{K, U}": {},
        "U + K": {"class_": PlaceHolder},
        "U": {"k": 0},
    }
    for name, routing in rules.items():
        run = network("tree", coding=False, routing=routing).simulate(seeds=3)
        rates = [of_flow(run.flows, "goodput_bps", flow) for flow in ("flow1", "flow2")]
        share[name] = rates[1] / (rates[0] + rates[1])
    return Finding(
        ours="flow 2's share in the tree: "
        + ", ".join(f"{100 * each.mean():.1f} % by {k}" for k, each in share.items()),
        holds=bool(share["U + K"].max() < 0.5 * share["max{K, U}"].min()),
    )

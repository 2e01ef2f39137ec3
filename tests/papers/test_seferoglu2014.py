"""The ns-2 part of seferoglu2014 in short: every kind of run resolves, and what decides is seen in seconds."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import pytest

import windward as ww
from windward import papers

papers.load("seferoglu2014")
networks: Any = importlib.import_module("windward_papers.seferoglu2014.networks")


def short(scenario: ww.Scenario, seconds: int = 60, seeds: int = 3) -> ww.Run:
    return replace(scenario, duration=f"{seconds} s").simulate(seeds=seeds)


def rate(run: ww.Run, flow: str) -> float:
    return float(run.flows.loc[run.flows["flow"] == flow, "goodput_bps"].mean())


def test_classical_backpressure_starves_tcp_and_the_threshold_does_not() -> None:
    classical, aware = (
        # A sender that adapts to reordering: flow 2 has two paths.
        short(networks.network("diamond", system, coding=False, stack="linux"))
        for system in ("classical", "TCP-aware")
    )
    # 39 of 996 kbit/s, and 286 of 549.
    assert rate(classical, "flow2") < 0.05 * rate(classical, "flow1")
    assert rate(aware, "flow2") > 0.1 * rate(aware, "flow1")


def test_coding_survives_losses_that_plain_tcp_does_not() -> None:
    loss = networks.lossy(("A", "B"), 0.2, "deliveries")
    plain, coded = (short(networks.network("diamond", coding=coding, loss=loss)) for coding in (False, True))
    # 178 and 106 kbit/s in these runs, 174 and 92 over ten seeds; TCP sends 4 and 15 % of its segments again.
    assert rate(coded, "flow1") > 1.3 * rate(plain, "flow1")
    again = [run.flows["retransmits"].sum() / run.flows["segments_sent"].sum() for run in (plain, coded)]
    assert again[1] < 0.5 * again[0]


def test_tcp_lives_beside_paced_datagrams_only() -> None:
    alive, dead = (short(networks.with_datagrams(system)) for system in ("TCP-aware", "AODV"))
    assert rate(alive, "flow1") > 2e5
    assert rate(dead, "flow1") < 2e4


@pytest.mark.parametrize("system", ["TCP-aware", "classical", "AODV", "TCP-aware, loop-free", "classical, loop-free"])
@pytest.mark.parametrize("of", ["attempts", "packets", "deliveries"])
def test_the_grid_runs_under_all_systems_and_losses(system: str, of: str) -> None:
    scenario = networks.grid(1, system, "Vegas", 0.3, of)
    assert len(scenario.wifi[0].loss) == 2 * len(networks.grid_draw(1)[1])
    assert {flow.to for flow in scenario.flow} == set(networks.grid_draw(1)[0])
    run = replace(scenario, duration="10 s").simulate()
    assert run.flows["goodput_bps"].sum() > 1e4


def test_draws_are_the_same_every_time_and_half_of_the_links() -> None:
    assert networks.grid_draw(3) == networks.grid_draw.__wrapped__(3)
    # 4 x 3 cells: 17 neighbours in rows and columns, 12 across.
    assert len(networks.grid_draw(3)[1]) == 29 // 2


def test_a_threshold_far_below_half_of_the_buffer_locks_flows_out() -> None:
    # NewReno halves a queue of B packets to B/2, which is above K = B/4: it alone is served. At K = B/2 all are.
    base = networks.network("tree")
    names = ["N", "E", "S", "W"]
    places = [(0, 0), (0, 100), (100, 0), (0, -100), (-100, 0)]

    def trapped(k: str) -> float:
        wifi = replace(
            base.wifi[0],
            station=[
                ww.format.WifiStation(node=node, at=[f"{x} m", f"{y} m"])
                for node, (x, y) in zip(["A", *names], places, strict=True)
            ],
            routing=replace(networks.SYSTEMS["TCP-aware"], k=k),
        )
        star = replace(
            base,
            node=[ww.Node(name=name) for name in ["A", *names]],
            wifi=[wifi],
            flow=[replace(base.flow[0], name=name, to=name) for name in names],
        )
        return float(short(star).backlogs.groupby("seed")["mean_trapped"].sum().mean())

    # 19 and 0 packets over ten seeds of 200 s.
    assert trapped("shared") > 8
    assert trapped("50 packets") < 1

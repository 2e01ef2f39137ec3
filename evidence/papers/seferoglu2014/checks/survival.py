"""Claims 16 to 24, 29 to 32 and 37 to 39: whose flows survive, Figs. 6, 7, 9 and 12."""

from __future__ import annotations

import pandas as pd

from windward.papers import Finding, Order, Results, claim

from .. import reported
from .kept import by_flow, deaths, fairness, flows, interval, is_above, kbps, rows, total


def silent(table: pd.DataFrame, flow: str = "flow2") -> float:
    """Share of the spans of 5 s in which nothing of a flow arrived."""
    return float(by_flow(table, "silent")[flow].mean())


def is_printed(values: pd.Series[float], printed: float) -> bool:
    low, high = interval(values / 1e3)
    return low <= printed <= high


@claim(16)
def sack_over_tcp_aware_backpressure(results: Results) -> Finding:
    found = rows(results, "6", law="SACK", system="TCP-aware")
    rates, index = by_flow(found), fairness(found)
    printed = reported.RATES["tree", "SACK", "TCP-aware"]
    return Finding(
        ours=f"{flows(found)} kbit/s, Jain {index.mean():.3f}; without coding "
        f"{flows(rows(results, '6', law='SACK', system='TCP-aware', coding='plain'))}",
        holds=deaths(found).sum() == 0
        and not any(is_printed(rate, value) for rate, value in zip(rates.values(), printed, strict=True))
        and float(index.max()) < reported.JAIN_TREE["SACK"],
    )


@claim(17)
def sack_over_classical_backpressure(results: Results) -> Finding:
    classical, aware = (rows(results, "6", law="SACK", system=system) for system in ("classical", "TCP-aware"))
    share = by_flow(classical)["flow2"] / total(classical)
    return Finding(
        ours=f"{flows(classical)} kbit/s: flow 2 has {share.mean():.1%}, nothing arrives in {silent(classical):.0%} of "
        f"all spans of 5 s (TCP-aware {silent(aware):.0%}); without coding "
        f"{flows(rows(results, '6', law='SACK', system='classical', coding='plain'))}",
        # Not starved: "no chance" would be below a tenth of the total, and silent for most of the time.
        holds=interval(share)[0] > 0.1 and silent(classical) < 0.5,
    )


@claim(18)
def vegas_over_tcp_aware_backpressure(results: Results) -> Finding:
    found = rows(results, "6", law="Vegas", system="TCP-aware")
    rates, index = by_flow(found), fairness(found)
    first, second = reported.RATES["tree", "Vegas", "TCP-aware"]
    ratios = [rate.mean() / 1e3 / value for rate, value in zip(rates.values(), (first, second), strict=True)]
    return Finding(
        ours=f"{flows(found)} kbit/s, {ratios[0]:.2f} and {ratios[1]:.2f} times the printed, Jain {index.mean():.3f}",
        # Flow 1 within 3 % of the printed rate; flow 2 is not.
        holds=abs(ratios[0] - 1) < 0.03 and ratios[1] < 0.95 and float(index.mean()) < reported.JAIN_TREE["Vegas"],
    )


@claim(19)
def vegas_over_classical_backpressure(results: Results) -> Finding:
    vegas, sack = (rows(results, "6", law=law, system="classical") for law in ("Vegas", "SACK"))
    return Finding(
        ours=f"Vegas {flows(vegas)}, SACK {flows(sack)} kbit/s; flow 2 is silent in {silent(vegas):.0%} of the spans "
        f"of 5 s with Vegas, {silent(sack):.0%} with SACK",
        holds=is_above(by_flow(vegas)["flow2"], by_flow(sack)["flow2"]),
    )


@claim(51)
def vegas_is_never_silent(results: Results) -> Finding:
    vegas = rows(results, "6", law="Vegas", system="classical")
    return Finding(
        ours=f"flow 2 has {kbps(by_flow(vegas)['flow2'])} kbit/s and is silent in {silent(vegas):.0%} of the spans of "
        "5 s",
        holds=silent(vegas) < 0.05,
    )


@claim(52)
def vegas_is_never_silent_in_the_diamond(results: Results) -> Finding:
    vegas, plain = (rows(results, "7", law="Vegas", system="classical", coding=coding) for coding in ("coded", "plain"))
    return Finding(
        ours=f"flow 2 has {kbps(by_flow(vegas)['flow2'])} kbit/s and is silent in {silent(vegas):.0%} of the spans of "
        f"5 s; without coding in {silent(plain):.0%}",
        holds=silent(vegas) < 0.05 and silent(plain) < 0.05,
    )


@claim(20)
def vegas_carries_more_than_sack(results: Results) -> Finding:
    vegas, sack = (total(rows(results, "6", law=law, system="TCP-aware")) for law in ("Vegas", "SACK"))
    ratio = vegas / sack
    return Finding(
        ours=f"{kbps(vegas)} against {kbps(sack)} kbit/s, ratio {ratio.mean():.2f}",
        holds=interval(ratio)[1] < reported.RATIO,
    )


@claim(21)
def sack_in_the_diamond_tcp_aware(results: Results) -> Finding:
    found, plain = (rows(results, "7", law="SACK", system="TCP-aware", coding=coding) for coding in ("coded", "plain"))
    return Finding(
        ours=f"{flows(found)} kbit/s; without coding {flows(plain)}; flow 2 silent in {silent(found):.0%}, "
        f"{silent(plain):.0%}",
        # Coded, as the paper's flows are: plain TCP takes the reordering of two paths for loss.
        holds=deaths(found).sum() == 0 and silent(found) < 0.05,
    )


@claim(22)
def sack_in_the_diamond_classical(results: Results) -> Finding:
    plain, coded = (rows(results, "7", law="SACK", system="classical", coding=coding) for coding in ("plain", "coded"))
    free = rows(results, "7", law="SACK", system="classical, loop-free", coding="plain")
    dead = deaths(coded)
    rates = by_flow(coded)
    second = int((rates["flow2"] < rates["flow1"]).sum())
    return Finding(
        ours=f"without coding {flows(plain)} kbit/s: flow 2 dies in {(deaths(plain) > 0).sum()} of {len(dead)} seeds; "
        f"coded one of the two in {(dead > 0).sum()}, flow 2 being the smaller in {second}; loop-free without coding "
        f"{flows(free)}",
        holds=int((dead > 0).sum()) < 0.5 * len(dead) and silent(coded) < 0.5,
    )


@claim(23)
def vegas_in_the_diamond_tcp_aware(results: Results) -> Finding:
    found = rows(results, "7", law="Vegas", system="TCP-aware")
    classical = rows(results, "7", law="Vegas", system="classical")
    return Finding(
        ours=f"{flows(found)} kbit/s, Jain {fairness(found).mean():.3f}; classical {fairness(classical).mean():.3f}",
        holds=deaths(found).sum() == 0 and is_above(fairness(found), fairness(classical)),
    )


@claim(24)
def vegas_in_the_diamond_classical(results: Results) -> Finding:
    vegas, sack = (rows(results, "7-many", law=law, system="classical") for law in ("Vegas", "SACK"))
    plain = rows(results, "7", law="Vegas", system="classical", coding="plain")
    low, high = interval(fairness(vegas) - fairness(sack))
    return Finding(
        ours=f"Vegas {flows(vegas)}, SACK {flows(sack)} kbit/s; flow 2 silent in {silent(vegas):.0%}, "
        f"{silent(sack):.0%}; without coding Vegas {flows(plain)}; Jain's index above SACK's by {low:+.2f} to "
        f"{high:+.2f}",
        holds=True,
        scatter=Order(low=low, high=high),
    )


def grid_deaths(results: Results, law: str, system: str, coding: str = "coded") -> pd.Series[int]:
    return deaths(rows(results, "9", law=law, system=system, coding=coding))


def counted(dead: pd.Series[int]) -> str:
    return f"{int(dead.sum())} of {4 * len(dead)} flows, in {int((dead > 0).sum())} of {len(dead)} draws"


def dying(results: Results, law: str, system: str) -> str:
    others = grid_deaths(results, law, f"{system}, loop-free")
    return (
        f"dead: {counted(grid_deaths(results, law, system))}; without coding "
        f"{counted(grid_deaths(results, law, system, 'plain'))}; loop-free {counted(others)}"
    )


@claim(29)
def sack_survives_in_the_grid(results: Results) -> Finding:
    recent = deaths(rows(results, "9-recent"))
    return Finding(
        ours=f"with K by the flows that lately passed {counted(recent)} dead; with K by all flows in the station's "
        f"queues {dying(results, 'SACK', 'TCP-aware')}",
        holds=int(recent.sum()) == 0,
    )


@claim(30)
def sack_dies_in_the_grid_by_the_classical_rule(results: Results) -> Finding:
    classical, aware = (grid_deaths(results, "SACK", system) for system in ("classical", "TCP-aware"))
    return Finding(
        ours=dying(results, "SACK", "classical"),
        holds=0 < int((classical > 0).sum()) < 0.8 * len(classical) and int(classical.sum()) > int(aware.sum()),
    )


@claim(31)
def vegas_survives_in_the_grid(results: Results) -> Finding:
    return Finding(
        ours=dying(results, "Vegas", "TCP-aware"),
        holds=int(grid_deaths(results, "Vegas", "TCP-aware").sum()) == 0,
    )


@claim(32)
def vegas_dies_in_the_grid_by_the_classical_rule(results: Results) -> Finding:
    plain, coded = (grid_deaths(results, "Vegas", "classical", coding) for coding in ("plain", "coded"))
    aware = rows(results, "9", law="Vegas", system="TCP-aware")
    classical = rows(results, "9", law="Vegas", system="classical")
    return Finding(
        ours=f"{dying(results, 'Vegas', 'classical')}; Jain {fairness(classical).mean():.2f}, TCP-aware "
        f"{fairness(aware).mean():.2f}",
        holds=int((coded > 0).sum()) < 0.5 * len(coded) and int((plain > 0).sum()) < 0.5 * len(plain),
    )


def mixed(results: Results, system: str) -> pd.DataFrame:
    return rows(results, "12", system=system)


@claim(37)
def tcp_and_datagrams_survive(results: Results) -> Finding:
    found = mixed(results, "TCP-aware")
    return Finding(ours=f"{flows(found)} kbit/s", holds=deaths(found).sum() == 0)


@claim(38)
def tcp_dies_by_the_classical_rule(results: Results) -> Finding:
    found = mixed(results, "classical")
    return Finding(ours=f"{flows(found)} kbit/s", holds=bool((deaths(found) == 1).all()) and dead_tcp(found))


@claim(39)
def tcp_dies_beside_datagrams_over_aodv(results: Results) -> Finding:
    found = mixed(results, "AODV")
    return Finding(ours=f"{flows(found)} kbit/s", holds=bool((deaths(found) == 1).all()) and dead_tcp(found))


def dead_tcp(table: pd.DataFrame) -> bool:
    rates = by_flow(table)
    return bool((rates["flow1"] < 0.05 * rates["flow2"]).all())

"""Flows of different laws or round trips beside one another: Figs. 6, 7 and 9."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from windward.papers import Finding, claim
from windward.papers.judge import Results

from ..figures.panels import SAID
from .experiments import LAWS, above, listed, means


def beside(results: Results, name: str, value: str) -> dict[Any, tuple[float, float]]:
    """Figs. 6 and 7: Mbit/s of the first or second flow without SACK, by the laws, loss and round trip."""
    table = results.table(name)
    table = table[table["recovery"] == "NewReno"]
    return means(table[value], [table["second"], table["loss_rate"], table["rtt_ms"]])


def shares(results: Results, name: str, laws: tuple[str, ...]) -> tuple[str, dict[str, pd.DataFrame]]:
    """Shares of both that each law takes beside the first one without loss, as text with and without SACK, and without
    SACK by round trip and seed."""
    table = results.table(name)
    table = table[table["loss_rate"] == 0]
    table = table.assign(share=table["second_mbps"] / (table["first_mbps"] + table["second_mbps"]))
    rtts = sorted(set(table["rtt_ms"]))
    text = []
    for recovery in ("NewReno", "SACK"):
        chosen = table[table["recovery"] == recovery]
        share = means(chosen["share"], [chosen["second"], chosen["rtt_ms"]])
        rows = "; ".join(f"{law} {listed(share, [(law, rtt) for rtt in rtts], 2)}" for law in laws)
        text.append(f"{SAID[recovery]} {rows}")
    without = table[table["recovery"] == "NewReno"]
    each = {
        law: without[without["second"] == law].pivot_table(index="rtt_ms", columns="seed", values="share")
        for law in laws
    }
    return f"shares at {', '.join(map(str, rtts))} ms {'. '.join(text)}", each


def has_more(share: pd.DataFrame) -> tuple[str, bool]:
    """In how many runs a law has more than half, and whether a sign test at 1 % calls that more."""
    runs, more = share.size, int((share > 0.5).to_numpy().sum())
    return f"more in {more} of {runs} runs", bool(binomtest(more, runs, alternative="greater").pvalue < 0.01)


@claim(35)
def fit_shares_with_reno(results: Results) -> Finding:
    text, share = shares(results, "figure-6", ("TCP-FIT", "Reno", "Vegas"))
    gain = (share["TCP-FIT"] - share["Reno"]).mean(axis="columns").abs().max()
    return Finding(
        ours=f"{text}. In the same runs without SACK TCP-FIT takes what a Reno takes in its place to {gain:.2f}",
        holds=bool(share["TCP-FIT"].mean(axis="columns").between(0.4, 0.6).all())
        and gain < 0.1
        and bool((share["Vegas"].mean(axis="columns") < 0.2).all()),
    )


@claim(93)
def cubic_beside_reno(results: Results) -> Finding:
    text, share = shares(results, "figure-6", ("CUBIC", "Reno"))
    runs, is_more = has_more(share["CUBIC"])
    return Finding(ours=f"{text}. CUBIC has {runs} without SACK", holds=is_more and not has_more(share["Reno"])[1])


@claim(36)
def fit_takes_what_reno_leaves(results: Results) -> Finding:
    first = beside(results, "figure-6", "first_mbps")
    second = beside(results, "figure-6", "second_mbps")
    rtts = sorted({rtt for _, loss, rtt in first if loss > 0})
    loss = max(loss for _, loss, _ in first)
    kept = {rtt: first["TCP-FIT", loss, rtt][0] / first["Reno", loss, rtt][0] for rtt in rtts}
    # At 5 and 10 ms, where both fill the link, seeds differ by more.
    long = [rtt for rtt in rtts if rtt >= 25]
    apart = {rtt: first["Reno", loss, rtt][0] - first["TCP-FIT", loss, rtt][0] for rtt in long}
    return Finding(
        ours=f"at 0.1 % a Reno gets {listed(first, [('TCP-FIT', loss, r) for r in rtts], 1)} Mbit/s beside TCP-FIT, "
        f"{listed(first, [('Reno', loss, r) for r in rtts], 1)} beside a Reno, at {', '.join(map(str, rtts))} ms: "
        f"{', '.join(f'{k:.2f}' for k in kept.values())}; "
        f"TCP-FIT {listed(second, [('TCP-FIT', loss, r) for r in rtts], 1)}",
        holds=abs(np.mean([kept[rtt] for rtt in long]) - 1) < 0.1
        and all(abs(apart[rtt]) < sum(first[law, loss, rtt][1] for law in ("TCP-FIT", "Reno")) for rtt in long)
        and all(above(second["TCP-FIT", loss, rtt], first["TCP-FIT", loss, rtt]) for rtt in long),
    )


@claim(37)
def fit_shares_with_compound(results: Results) -> Finding:
    text, share = shares(results, "figure-7", ("Compound",))
    return Finding(ours=text, holds=bool(share["Compound"].mean(axis="columns").between(0.4, 0.6).all()))


@claim(94)
def cubic_beside_fit(results: Results) -> Finding:
    text, share = shares(results, "figure-7", ("CUBIC",))
    runs, is_more = has_more(share["CUBIC"])
    return Finding(ours=f"{text}. CUBIC has {runs} without SACK", holds=is_more)


def three(results: Results, panel: str, platform: str, reading: str) -> tuple[str, list[float]]:
    """Fig. 9: Mbit/s of Flows 1 to 3, and as text."""
    table = results.table("figure-9")
    chosen = table[(table["panel"] == panel) & (table["platform"] == platform) & (table["reading"] == reading)]
    rates = means(chosen["goodput_bps"] / 1e6, [chosen["flow"].astype(str)])
    flows = sorted(rates)
    return listed(rates, flows, 1), [rates[flow][0] for flow in flows]


def all_readings(results: Results, panel: str) -> tuple[str, list[float]]:
    """Fig. 9 in all readings as text; the numbers are those of dummynet with SACK and the results' round trips."""
    text, rates = three(results, panel, "dummynet", "results")
    printed, _ = three(results, panel, "dummynet", "printed")
    deep, _ = three(results, panel, "Linktropy", "results")
    return (
        f"Flows 1, 2, 3 at 20, 70, 170 ms with SACK behind 50 packets: {text} Mbit/s; at 150, 250, 300 ms: {printed}; "
        f"at 20, 70, 170 ms without SACK behind 250 ms: {deep}",
        rates,
    )


def held(results: Results, panel: str) -> tuple[str, list[float]]:
    """Fig. 9 for TCP-FIT with α held."""
    text, rates = three(results, f"{panel}, α held", "dummynet", "results")
    return f"with α held {text}", rates


@claim(38)
def reno_favours_the_short(results: Results) -> Finding:
    text, rates = all_readings(results, "Reno")
    # The order, and close to 0: below 5 % of the link.
    return Finding(ours=text, holds=rates[0] > rates[1] > rates[2] and rates[2] < 5)


@claim(39)
def hybla_is_fair(results: Results) -> Finding:
    text, rates = all_readings(results, "Hybla")
    return Finding(ours=text, holds=max(rates) < 1.5 * min(rates))


@claim(40)
def fit_is_fairer_than_reno(results: Results) -> Finding:
    text, rates = all_readings(results, "TCP-FIT, no loss")
    other, even = held(results, "TCP-FIT, no loss")
    _, hybla = all_readings(results, "Hybla")
    # More than slightly by the rule of §5.5; with α held it is no less fair than Hybla.
    return Finding(
        ours=f"{text}; {other}",
        holds=rates[0] > 2 * rates[2] and max(even) / min(even) < max(hybla) / min(hybla),
    )


@claim(41)
def fit_is_fair_under_loss(results: Results) -> Finding:
    text, rates = all_readings(results, "TCP-FIT, 0.1 %")
    other, even = held(results, "TCP-FIT, 0.1 %")
    # By the rule of §5.5 it is not.
    return Finding(ours=f"{text}; {other}", holds=max(even) < 1.5 * min(even) and max(rates) > 1.5 * min(rates))


@claim(42)
def vegas_keeps_early_comers(results: Results) -> Finding:
    text, rates = all_readings(results, "Vegas")
    # Unfair, but not in the order of the starts.
    return Finding(ours=text, holds=not rates[0] > rates[1] > rates[2])


@claim(86)
def beta_one_is_the_most_careful(results: Results) -> Finding:
    first = beside(results, "figure-6-by-beta", "first_mbps")
    rtts = sorted({rtt for _, _, rtt in first})
    (loss,) = {loss for _, loss, _ in first}
    text = "; ".join(f"{law} {listed(first, [(law, loss, rtt) for rtt in rtts], 1)}" for law in LAWS)
    kept = [[first[law, loss, rtt] for law in LAWS] for rtt in rtts]
    return Finding(
        ours=f"Mbit/s that a Reno keeps at {' and '.join(map(str, rtts))} ms beside {text}",
        holds=all(one[0] > five[0] > many[0] and above(one, many) for one, five, many in kept),
    )

"""Claims 20 to 31: four laws under three schedulers over the grid of 802.11b, Figs. 4 and 5."""

from __future__ import annotations

import pandas as pd

from windward.papers import Finding, Order, Results, claim
from windward.results.stats import mean_and_interval

from .. import reported
from ..mesh import SCHEDULERS, SCHEMES

PROPOSED, ORIGINAL, LENGTH = SCHEDULERS


def values(results: Results, law: str, rule: str, metric: str) -> pd.Series[float]:
    """A metric of Fig. 5 of each seed."""
    table = results.table("figure-5")
    chosen = table[(table["scheme"] == law) & (table["scheduler"] == rule)]
    return chosen.set_index("seed")[metric]


def mean(results: Results, law: str, rule: str, metric: str) -> float:
    return float(values(results, law, rule, metric).mean())


def shown(each: pd.Series[float], digits: int = 0) -> str:
    middle, interval = mean_and_interval(each)
    return f"{middle:.{digits}f} ± {interval:.{digits}f}"


def rates(results: Results, law: str, rule: str) -> list[float]:
    """Mean goodput of each flow, in packets a second."""
    flows = results.table("figure-4-flows")
    chosen = flows[(flows["scheme"] == law) & (flows["scheduler"] == rule)]
    return [float(rate) for rate in chosen.groupby("flow", sort=False, observed=True)["goodput_pps"].mean()]


def _order(rates: tuple[float, ...] | list[float]) -> list[int]:
    return sorted(range(len(rates)), key=lambda at: rates[at])


def _rates_of(results: Results, law: str) -> str:
    by_rule = [" ".join(f"{rate:.1f}" for rate in rates(results, law, rule)) for rule in (PROPOSED, ORIGINAL)]
    return f"proposed {by_rule[0]}, original {by_rule[1]} packets/s"


def _beside_quic(results: Results, law: str) -> dict[str, float]:
    """The law's total over QUIC-TCP's, less one, by scheduler."""
    return {
        rule: mean(results, law, rule, "goodput_pps") / mean(results, "QUIC-TCP", rule, "goodput_pps") - 1
        for rule in SCHEDULERS
    }


def _beside(results: Results, law: str, share: dict[str, float]) -> str:
    totals = f"total {share[PROPOSED]:+.1%} (proposed), {share[ORIGINAL]:+.1%} (original)"
    return f"{totals}; {_rates_of(results, law)}"


@claim(20)
def rates_of_quic_tcp(results: Results) -> Finding:
    # Order and shares: no rate of 802.11b gives the amount.
    printed, ours = (_shares(each) for each in (reported.RATES["QUIC-TCP"], rates(results, "QUIC-TCP", PROPOSED)))
    return Finding(
        ours=f"{_rates_of(results, 'QUIC-TCP')}; shares under the proposed scheduler "
        f"{', '.join(f'{share:.2f}' for share in ours)} for {', '.join(f'{share:.2f}' for share in printed)}",
        holds=_order(printed) == _order(ours)
        # As printed the amounts are beyond 802.11b.
        and sum(rates(results, "QUIC-TCP", PROPOSED)) < 0.1 * 1e3 * sum(reported.RATES["QUIC-TCP"])
        and all(abs(one / other - 1) < 0.25 for one, other in zip(ours, printed, strict=True)),
    )


def _shares(rates: tuple[float, ...] | list[float]) -> list[float]:
    return [rate / sum(rates) for rate in rates]


@claim(21)
def fast_beside_quic_tcp(results: Results) -> Finding:
    share = _beside_quic(results, "FAST")
    low, high = _lead(results, ("QUIC-TCP", PROPOSED), ("FAST", PROPOSED))
    return Finding(
        ours=f"{_beside(results, 'FAST', share)}; QUIC-TCP leads by {low:+.1%} to {high:+.1%} (proposed)",
        holds=abs(share[PROPOSED]) < 0.05 and abs(share[ORIGINAL]) < 0.05,
        scatter=Order(low=low, high=high),
    )


def _lead(results: Results, one: tuple[str, str], other: tuple[str, str]) -> tuple[float, float]:
    """Interval of the difference of two pairs' totals, over the other's mean, the same seeds on both sides."""
    first, second = (values(results, *pair, "goodput_pps") for pair in (one, other))
    middle, interval = mean_and_interval((first - second) / second.mean())
    return middle - interval, middle + interval


@claim(22)
def vegas_beside_quic_tcp(results: Results) -> Finding:
    share = _beside_quic(results, "Vegas")
    return Finding(
        ours=_beside(results, "Vegas", share),
        holds=share[PROPOSED] > 0.1 and share[ORIGINAL] > 0,
    )


@claim(23)
def reno_beside_quic_tcp(results: Results) -> Finding:
    share = _beside_quic(results, "Reno")
    return Finding(ours=_beside(results, "Reno", share), holds=share[PROPOSED] > 0.1 and share[ORIGINAL] > 0)


@claim(35)
def reno_penalises_hops(results: Results) -> Finding:
    last = {rule: set(_order(rates(results, "Reno", rule))[:2]) for rule in (PROPOSED, ORIGINAL)}
    return Finding(
        ours=f"{_rates_of(results, 'Reno')}; last: "
        + "; ".join(f"{', '.join(f'ftp{at}' for at in sorted(each))} ({rule})" for rule, each in last.items()),
        # The many hops pay, not the long wires: ftp3, with the longest, is not among them.
        holds=all(each == {0, 2} for each in last.values()),
    )


@claim(24)
def order_of_totals(results: Results) -> Finding:
    totals = {law: mean(results, law, PROPOSED, "goodput_pps") for law in SCHEMES}
    order = sorted(totals, key=lambda law: -totals[law])
    return Finding(
        ours=" > ".join(f"{law} {shown(values(results, law, PROPOSED, 'goodput_pps'))}" for law in order),
        # The two that keep a backlog are level.
        holds=set(order[-2:]) == {"QUIC-TCP", "FAST"},
    )


@claim(25)
def the_highest_objective(results: Results) -> Finding:
    means = {(law, rule): mean(results, law, rule, "utility") for law in SCHEMES for rule in SCHEDULERS}
    ours = ("QUIC-TCP", PROPOSED)
    ordered = sorted(means, key=lambda pair: -means[pair])
    best = next(pair for pair in ordered if pair != ours)
    # The same seeds on both sides.
    lead = values(results, *ours, "utility") - values(results, *best, "utility")
    middle, interval = mean_and_interval(lead)
    return Finding(
        ours=", ".join(f"{law} {rule} {means[law, rule]:.0f}" for law, rule in ordered[:5])
        + f"; QUIC-TCP proposed is {middle:+.0f} ± {interval:.0f} beside {' '.join(best)}. {_by_scale(results)}",
        holds=True,
        scatter=Order(low=middle - interval, high=middle + interval),
    )


def _by_scale(results: Results) -> str:
    """Lead of QUIC-TCP under the proposed rule over the best of the others at the same β."""
    table = results.table("figure-5-scales").groupby(["scale", "scheme", "scheduler"])["utility"].mean()
    leads = []
    for scale, each in table.groupby("scale"):
        pairs = each.droplevel("scale")
        others = pairs.drop(("QUIC-TCP", PROPOSED))
        if len(others):
            leads.append(f"{pairs['QUIC-TCP', PROPOSED] - others.max():+.0f} ({scale:g})")
    return f"At other β it is beside the best of the seven others {', '.join(leads)}" if leads else ""


@claim(26)
def totals_by_scheduler(results: Results) -> Finding:
    found = {rule: values(results, "QUIC-TCP", rule, "goodput_pps") for rule in SCHEDULERS}
    share = {rule: float(each.mean() / found[ORIGINAL].mean()) for rule, each in found.items()}
    leads = [_lead(results, ("QUIC-TCP", a), ("QUIC-TCP", b)) for a, b in ((LENGTH, PROPOSED), (PROPOSED, ORIGINAL))]
    return Finding(
        ours="; ".join(f"{rule} {shown(each)}" for rule, each in found.items())
        + f" packets/s; over the original {share[LENGTH]:.2f} and {share[PROPOSED]:.2f} for the paper's "
        f"{reported.TOTALS[LENGTH] / reported.TOTALS[ORIGINAL]:.2f} and "
        f"{reported.TOTALS[PROPOSED] / reported.TOTALS[ORIGINAL]:.2f}; queue lengths lead by {leads[0][0]:+.0%} to "
        f"{leads[0][1]:+.0%}, the proposed rule by {leads[1][0]:+.0%} to {leads[1][1]:+.0%}",
        holds=True,
        scatter=Order(low=min(low for low, _ in leads), high=min(high for _, high in leads)),
    )


@claim(27)
def fairness_by_scheduler(results: Results) -> Finding:
    found = {rule: values(results, "QUIC-TCP", rule, "jain") for rule in SCHEDULERS}
    means = {rule: float(each.mean()) for rule, each in found.items()}
    return Finding(
        ours=", ".join(f"{rule} {shown(each, 2)}" for rule, each in found.items()),
        holds=means[ORIGINAL] > max(means[PROPOSED], means[LENGTH]) and means[ORIGINAL] > 0.95,
    )


@claim(28)
def fast_is_quic_tcp(results: Results) -> Finding:
    share = _beside_quic(results, "FAST")
    return Finding(
        ours="total beside QUIC-TCP's: " + ", ".join(f"{rule} {each:+.1%}" for rule, each in share.items()),
        holds=max(abs(each) for each in share.values()) < 0.03,
    )


@claim(29)
def loss_based_totals_are_larger(results: Results) -> Finding:
    share = {law: _beside_quic(results, law) for law in ("Vegas", "Reno")}
    return Finding(
        ours="; ".join(
            f"{law} " + ", ".join(f"{rule} {each:+.0%}" for rule, each in by_rule.items())
            for law, by_rule in share.items()
        ),
        # Not slightly.
        holds=all(each > 0.05 for by_rule in share.values() for each in by_rule.values()),
    )


@claim(30)
def loss_based_laws_are_unfair(results: Results) -> Finding:
    found = {law: values(results, law, PROPOSED, "jain") for law in ("QUIC-TCP", "Vegas", "Reno")}
    return Finding(
        ours=", ".join(f"{law} {shown(each, 2)}" for law, each in found.items()),
        holds=max(float(found["Vegas"].max()), float(found["Reno"].max())) < float(found["QUIC-TCP"].min()),
    )


@claim(31)
def it_works_with_collisions(results: Results) -> Finding:
    flows, stations = results.table("figure-4-flows"), results.table("figure-5-stations")
    chosen = flows[(flows["scheme"] == "QUIC-TCP") & (flows["scheduler"] == PROPOSED)]
    least = chosen.groupby("seed")["goodput_pps"].agg(lambda each: each.min() / each.mean())
    air = stations[(stations["scheme"] == "QUIC-TCP") & (stations["attempts"] > 1000)].groupby("scheduler")
    cw = air["mean_cw"].mean()
    failed = air["failures"].sum() / air["attempts"].sum()
    scales = results.table("figure-5-scales")
    scales = scales[(scales["scheme"] == "QUIC-TCP") & (scales["scheduler"] == PROPOSED)]
    means = scales.groupby("scale")[["goodput_pps", "utility"]].mean()
    printed = means.index.max()
    best = float(means["utility"].drop(printed).idxmax())
    # The same seeds on both sides.
    each = scales.pivot_table(index="seed", columns="scale", values="utility")
    lead, interval = mean_and_interval(each[printed] - each[best])
    return Finding(
        ours=f"no flow below {least.min():.2f} of the mean; mean window {cw[PROPOSED]:.1f} for {cw[ORIGINAL]:.0f}, "
        f"failed attempts {failed[PROPOSED]:.2%} for {failed[ORIGINAL]:.1%}; objective as printed "
        f"{means['utility'][printed]:.0f}, {lead:+.0f} ± {interval:.0f} beside the best other β, {best:g}; total "
        f"{means['goodput_pps'][printed]:.0f}, of at most {means['goodput_pps'].max():.0f} over all β",
        holds=float(least.min()) > 0.1 and cw[PROPOSED] < 5 and lead + interval >= 0,
    )

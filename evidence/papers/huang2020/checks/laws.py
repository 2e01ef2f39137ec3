"""Claims 24 to 37: six laws under scheduler (10), Fig. 5."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import stats

import windward as ww
from windward.papers import Finding, Results, claim
from windward.results.stats import jain, mean_and_interval

from .. import reported
from ..access_point import BACKLOG, SCHEMES, SNR_DB

#: Distance from where windows end at which they count as there.
THERE = 0.05

#: Windows are taken to have ended in the last quarter of the run.
END = 0.75


def rates(results: Results, scheme: str) -> pd.DataFrame:
    """The flows' goodputs in packets a second: a row for each seed, a column for each flow."""
    flows = results.table("figure-5-flows")
    chosen = flows[flows["scheme"] == scheme]
    return chosen.pivot(index="seed", columns="flow", values="goodput_pps")


def summed(results: Results, scheme: str, metric: str = "goodput_pps") -> pd.Series[float]:
    """The total of each seed."""
    flows = results.table("figure-5-flows")
    return flows[flows["scheme"] == scheme].groupby("seed")[metric].sum()


def indices(results: Results, scheme: str) -> pd.Series[float]:
    """Jain's index of each seed."""
    return rates(results, scheme).apply(jain, axis=1)


def series(results: Results, scheme: str) -> dict[str, pd.DataFrame]:
    """Windows and round trips over time of each flow, from where there are both."""
    table = results.table("figure-5-series")
    chosen = table[table["scheme"] == scheme].dropna(subset=["cwnd", "srtt_ms"])
    return {str(flow): each for flow, each in chosen.groupby("flow", observed=True)}


def ended(flow: pd.DataFrame) -> pd.Series[bool]:
    """Which samples are of the last quarter."""
    times: pd.Series[float] = flow["time_s"]
    return times > END * float(times.max())


def settled_s(flow: pd.DataFrame) -> float:
    """From when on the window stays where it ends; infinite if it does not."""
    far = (flow["cwnd"] / flow.loc[ended(flow), "cwnd"].mean() - 1).abs() > THERE
    if far.iloc[-1]:
        return float("inf")
    return float(flow["time_s"][far].max()) if far.any() else 0.0


def shown(values: pd.Series[float], digits: int = 0) -> str:
    """Mean, and its interval if there are several."""
    mean, interval = mean_and_interval(values)
    return f"{mean:.{digits}f}" + (f" ± {interval:.{digits}f}" if np.isfinite(interval) else "")


def spread(values: pd.Series[float]) -> float:
    """Half width of the 95 % prediction interval: t s (1 + 1/n)^½ with the deviation s of one run.

    The paper's numbers are of one run; chance does not explain a number outside the interval.
    """
    count = len(values)
    return float(stats.t.ppf(0.975, count - 1) * values.std(ddof=1) * np.sqrt(1 + 1 / count))


def is_near(values: pd.Series[float], printed: float) -> bool:
    """True if a printed number is within the 95 % prediction interval of one run."""
    return abs(printed - float(values.mean())) <= spread(values)


def _beside(results: Results, scheme: str) -> str:
    """Totals, rates and fairness of a law; what one run more may differ by."""
    table = rates(results, scheme)
    totals, fairness = summed(results, scheme), indices(results, scheme)
    by_window = summed(results, scheme, "mean_window_rate_pps")
    return (
        f"{', '.join(f'{table[flow].mean():.0f}' for flow in table)}; total {totals.mean():.0f}, one run more within "
        f"{spread(totals):.0f}; by cwnd/avgRTT {by_window.mean():.0f}; Jain {fairness.mean():.3f}, one run more within "
        f"{spread(fairness):.3f}"
    )


def _ranks(values: object) -> tuple[int, ...]:
    """The flows from the one with the most to the one with the least."""
    return tuple(int(at) for at in np.argsort(-np.asarray(values, dtype=float)))


def _backlogs(results: Results, scheme: str) -> pd.Series[float]:
    """Packets that each flow keeps in queues: rate times queueing delay."""
    flows = results.table("figure-5-flows")
    chosen = flows[flows["scheme"] == scheme]
    return chosen["goodput_pps"] * (chosen["mean_rtt_s"] - chosen["min_rtt_s"])


def _equal_shares(results: Results, scheme: str) -> Finding:
    """The total is the paper's, the rates are not: all flows keep p packets in queues, but not all the same ones."""
    by_window = summed(results, scheme, "mean_window_rate_pps")
    table, backlogs = rates(results, scheme), _backlogs(results, scheme)
    paper = np.array(reported.RATES[scheme])
    # Distance of the farthest flow from a quarter of the total.
    far = (table.div(table.mean(axis=1), axis=0) - 1).abs().max(axis=1)
    printed = float(np.abs(paper / paper.mean() - 1).max())
    return Finding(
        ours=f"{_beside(results, scheme)}; x q^s = {backlogs.min():.0f} to {backlogs.max():.0f} packets; farthest flow "
        f"{far.mean():.1%} off a quarter, paper {printed:.2%}",
        holds=abs(by_window.mean() / paper.sum() - 1) < 5e-3
        and backlogs.between(0.9 * BACKLOG, 1.1 * BACKLOG).all()
        # What differs: the stronger a station the shorter its wait, so the more its flow gets.
        and _ranks(table.mean()) == _ranks(SNR_DB)
        and 10 * printed < far.min()
        and far.max() < 0.07,
    )


@claim(24)
def quic_tcp_fills_the_wire(results: Results) -> Finding:
    return _equal_shares(results, "QUIC-TCP")


@claim(25)
def fast_fills_it_as_well(results: Results) -> Finding:
    found = _equal_shares(results, "FAST")
    gap = summed(results, "QUIC-TCP") - summed(results, "FAST")
    printed = sum(reported.RATES["QUIC-TCP"]) - sum(reported.RATES["FAST"])
    return Finding(
        ours=f"{found.ours}; QUIC-TCP minus FAST {gap.mean():.2f} packets/s, paper {printed:.2f}",
        holds=found.holds and abs(float(gap.mean()) - printed) < 1,
    )


@claim(26)
def compound(results: Results) -> Finding:
    totals, fairness = summed(results, "Compound"), indices(results, "Compound")
    return Finding(
        ours=_beside(results, "Compound"),
        # What differs: both. What agrees: the strongest station gets least.
        holds=not is_near(totals, sum(reported.RATES["Compound"]))
        and not is_near(fairness, reported.JAIN_BY_LAW["Compound"])
        and _ranks(rates(results, "Compound").mean())[-1] == _ranks(reported.RATES["Compound"])[-1],
    )


@claim(27)
def cubic(results: Results) -> Finding:
    table, fairness = rates(results, "CUBIC"), indices(results, "CUBIC")
    paper = reported.RATES["CUBIC"]
    first, last = set(_ranks(paper)[:2]), _ranks(paper)[2:]
    alike = [set(_ranks(row)[:2]) == first and _ranks(row)[2:] == last for _, row in table.iterrows()]
    least = table.min(axis=1) / table.mean(axis=1)
    return Finding(
        ours=f"{_beside(results, 'CUBIC')}; the paper's order in {sum(alike)} of {len(alike)} seeds; the least flow "
        f"has {least.mean():.2f} of the mean, paper {min(paper) / np.mean(paper):.2f}",
        # What agrees: order and total. What differs: how deep the least flow falls.
        # One of 12 orders comes up by chance.
        holds=stats.binom.sf(sum(alike) - 1, len(alike), 1 / 12) < 1e-4
        and abs(float(summed(results, "CUBIC").mean()) / sum(paper) - 1) < 0.02
        and float(least.mean()) < 0.6
        and not is_near(fairness, reported.JAIN_BY_LAW["CUBIC"]),
    )


@claim(28)
def vegas(results: Results) -> Finding:
    totals = summed(results, "Vegas")
    return Finding(
        ours=_beside(results, "Vegas"),
        # What agrees: the total. What differs: the index.
        holds=is_near(totals, sum(reported.RATES["Vegas"]))
        and float(totals.mean()) < 0.95 * float(summed(results, "QUIC-TCP").mean())
        and _is_fairer(results, "Vegas"),
    )


@claim(29)
def reno(results: Results) -> Finding:
    totals, most = summed(results, "Reno"), float(summed(results, "QUIC-TCP").mean())
    paper = sum(reported.RATES["Reno"])
    return Finding(
        ours=f"{_beside(results, 'Reno')}; {1 - totals.mean() / most:.1%} less than QUIC-TCP",
        # What differs: both. What agrees: something is lost.
        holds=not is_near(totals, paper) and paper < float(totals.mean()) < 0.99 * most and _is_fairer(results, "Reno"),
    )


def _is_fairer(results: Results, scheme: str) -> bool:
    """True if the index is above the paper's by more than one run may be off."""
    fairness, printed = indices(results, scheme), reported.JAIN_BY_LAW[scheme]
    return not is_near(fairness, printed) and float(fairness.mean()) > printed


@claim(30)
def order_of_totals(results: Results) -> Finding:
    totals = {name: summed(results, name) for name in SCHEMES}
    means = {name: float(each.mean()) for name, each in totals.items()}
    ordered = sorted(means, key=lambda name: -means[name])
    return Finding(
        ours=" > ".join(f"{name} {means[name]:.0f}" for name in ordered),
        holds=abs(means["QUIC-TCP"] / means["FAST"] - 1) < 1e-3
        and set(ordered[:2]) == {"QUIC-TCP", "FAST"}
        # What differs: Compound loses nothing, and Reno no more than CUBIC. What agrees: Vegas is below both.
        and ordered[2] == "Compound"
        and ordered[5] == "Vegas"
        and abs(means["CUBIC"] - means["Reno"]) < spread(totals["Reno"]),
    )


@claim(31)
def quic_tcp_converges_quickly(results: Results) -> Finding:
    return _convergence(results, "QUIC-TCP")


@claim(32)
def fast_converges(results: Results) -> Finding:
    return _convergence(results, "FAST")


def _convergence(results: Results, scheme: str) -> Finding:
    """Times to settle, and the steps of windows on the way and after."""
    flows = series(results, scheme).values()
    times = [settled_s(flow) for flow in flows]
    away = min(float(_moves(flow)[flow["time_s"] <= 10].mean()) for flow in flows)
    there = max(float(_moves(flow)[ended(flow)].mean()) for flow in flows)
    return Finding(
        ours=f"windows within 5 % of their end after {max(times):.0f} s; they move {away:.0f} packets in 2 s on "
        f"the way and {there:.1f} there",
        holds=max(times) < 60 and away > 5 * there,
    )


def _moves(flow: pd.DataFrame) -> pd.Series[float]:
    """Absolute change of the window since the last sample."""
    return flow["cwnd"].diff().abs()


@claim(33)
def vegas_climbs_in_a_line(results: Results) -> Finding:
    times, slopes = [], []
    for flow in series(results, "Vegas").values():
        times.append(settled_s(flow))
        # From the end of slow start to nine tenths of where it ends.
        end = float(flow.loc[ended(flow), "cwnd"].mean())
        climb = flow[(flow["time_s"] > 40) & (flow["cwnd"].cummax() < 0.9 * end)]
        if climb.empty:
            return Finding(ours="nothing to climb: slow start ended beyond nine tenths of the last window", holds=False)
        slope = float(np.polyfit(climb["time_s"], climb["cwnd"], 1)[0])
        slopes.append(slope * float(climb["srtt_ms"].mean()) / 1e3)
    quick = max(settled_s(flow) for flow in series(results, "QUIC-TCP").values())
    return Finding(
        ours=f"{min(slopes):.2f} to {max(slopes):.2f} packets a round trip; there after {min(times):.0f} to "
        f"{max(times):.0f} s, QUIC-TCP after {quick:.0f} s",
        holds=min(slopes) > 0.9 and max(slopes) < 1.1 and min(times) > 10 * quick,
    )


@claim(34)
def reno_is_a_sawtooth(results: Results) -> Finding:
    cuts, growth = [], []
    for flow in series(results, "Reno").values():
        window, step_s = flow["cwnd"].to_numpy(), np.diff(flow["time_s"])
        ratio = window[1:] / window[:-1]
        # Cuts of windows in avoidance; a timeout goes to one.
        cuts += [
            float(each) for at, each in enumerate(ratio) if each < 0.8 and window[at] > 100 and window[at + 1] > 10
        ]
        rising = (ratio > 1) & (window[1:] > 100)
        growth += list((np.diff(window) / step_s * flow["srtt_ms"].to_numpy()[1:] / 1e3)[rising])
    return Finding(
        ours=f"{len(cuts)} cuts, to {np.median(cuts):.2f} of the window in the median; between them "
        f"{np.median(growth):.2f} packets a round trip",
        holds=len(cuts) >= 5 and abs(float(np.median(cuts)) - 0.5) < 0.02 and abs(float(np.median(growth)) - 1) < 0.05,
    )


def alone(law: ww.Cubic | ww.Compound) -> pd.DataFrame:
    """A flow with the bottleneck's wire to itself, round trip 0.7 s: its window, and what its law shows of itself."""
    wire = ww.Link(from_="a", to="b", rate="5 Mbit/s", delay="350 ms", buffer="2000 packets")
    run = ww.Scenario(
        name="alone",
        duration="400 s",
        stack="rfc",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[wire],
        flow=[ww.Flow(from_="a", to="b", law=law, segment="160 B", overhead="40 B", delayed_ack=False)],
        output=ww.Output(sample_interval="100 ms", internals=True),
    ).simulate()
    inside = run.internals.pivot(index="time_s", columns="name", values="value")
    return inside.assign(cwnd=run.flow_series.set_index("time_s")["cwnd"])


@claim(35)
def cubic_rests_where_it_lost() -> Finding:
    inside = alone(ww.Cubic())
    time, window, k = inside.index.to_numpy(float), inside["cwnd"].to_numpy(float), inside["k"].to_numpy(float)
    cuts = np.flatnonzero(window[1:] < 0.85 * window[:-1]) + 1
    paces = []
    for begin, end in pairwise(cuts):
        reach = float(k[(begin + end) // 2])
        # Epochs in which it has met its old maximum and gone beyond it.
        if time[end] - time[begin] > reach + 4 and reach > 5:
            # Two round trips after the loss, when it is repaired; at the old maximum; before the next loss.
            at = np.array([time[begin] + 3, time[begin] + reach, time[end] - 1.5])
            paces.append((np.interp(at + 1, time, window) - np.interp(at - 1, time, window)) / 2)
    first, middle, last = np.median(paces, axis=0)
    return Finding(
        ours=f"{len(paces)} epochs: {first:.0f} packets/s after the loss, {middle:.1f} at the old maximum, {last:.0f} "
        "before the next",
        holds=len(paces) >= 3 and bool(first > 3 * middle and last > 3 * middle),
    )


@claim(36)
def compound_gives_its_delay_window_back() -> Finding:
    inside = alone(ww.Compound())
    # From the end of slow start on; means over 20 s, some five of the swings of the delay window.
    means = inside[inside.index > 20].rolling(200).mean().iloc[199::200]
    # The wire holds 3125 packets/s x 0.7 s; Compound gives way from gamma = 30 packets in the queue on.
    held = 3125 * 0.7 + 30
    before, after = means[means["loss_window"] < held], means[means["loss_window"] > held + 30]
    slope = float(np.polyfit(before["loss_window"], before["delay_window"], 1)[0])
    return Finding(
        ours=f"{slope:.2f} packets of delay window for each of loss window, from {before['delay_window'].max():.0f} to "
        f"{after['delay_window'].max():.0f} when that fills the wire",
        holds=-1.3 < slope < -0.7
        and len(after) >= 5
        and after["delay_window"].max() < 1 < before["delay_window"].max(),
    )


@claim(37)
def who_starves(results: Results) -> Finding:
    shares = {name: float(_least_share(results, name).mean()) for name in SCHEMES}
    printed = {name: min(each) / float(np.mean(each)) for name, each in reported.RATES.items()}
    fair, others = ("QUIC-TCP", "FAST"), ("CUBIC", "Compound", "Vegas", "Reno")
    return Finding(
        ours="least flow against the mean, ours and the paper's: "
        + ", ".join(f"{name} {share:.2f} ({printed[name]:.2f})" for name, share in shares.items()),
        holds=min(shares[name] for name in fair) > max(0.9, *(shares[name] for name in others if name != "Vegas"))
        # What differs: none falls as far as in the paper; CUBIC comes nearest.
        and all(shares[name] > printed[name] + 0.1 for name in others)
        and shares["CUBIC"] == min(shares.values()) < 0.6,
    )


def _least_share(results: Results, scheme: str) -> pd.Series[float]:
    """The least flow's goodput over the mean of all four, by seed."""
    table = rates(results, scheme)
    return table.min(axis=1) / table.mean(axis=1)

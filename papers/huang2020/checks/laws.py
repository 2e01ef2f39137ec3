"""Claims 24 to 37: six laws under scheduler (10), Fig. 5."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Finding, Results, claim
from windward.results.stats import jain, mean_and_interval

from .. import reported
from ..access_point import BACKLOG, SCHEMES

#: Distance from where windows end at which they count as there.
THERE = 0.05

#: Windows are taken to have ended in the last quarter of the run, seconds.
END_S = 1500


def rates(results: Results, scheme: str) -> pd.DataFrame:
    """The flows' goodputs in packets a second: a row for each seed, a column for each flow."""
    flows = results.table("figure-5-flows")
    chosen = flows[flows["scheme"] == scheme]
    return chosen.pivot(index="seed", columns="flow", values="goodput_pps")


def summed(results: Results, scheme: str, metric: str = "goodput_pps") -> pd.Series[float]:
    """The total of each seed."""
    flows = results.table("figure-5-flows")
    return flows[flows["scheme"] == scheme].groupby("seed")[metric].sum()


def series(results: Results, scheme: str) -> dict[str, pd.DataFrame]:
    """Windows and round trips over time of each flow, from where there are both."""
    table = results.table("figure-5-series")
    chosen = table[table["scheme"] == scheme].dropna(subset=["cwnd", "srtt_ms"])
    return {str(flow): each for flow, each in chosen.groupby("flow", observed=True)}


def settled_s(flow: pd.DataFrame) -> float:
    """From when on the window stays where it ends; infinite if it does not."""
    far = (flow["cwnd"] / flow.loc[flow["time_s"] > END_S, "cwnd"].mean() - 1).abs() > THERE
    if far.iloc[-1]:
        return float("inf")
    return float(flow["time_s"][far].max()) if far.any() else 0.0


def shown(values: pd.Series[float], digits: int = 0) -> str:
    """Mean and interval."""
    mean, interval = mean_and_interval(values)
    return f"{mean:.{digits}f} ± {interval:.{digits}f}"


def kept(values: pd.Series[float], before: float, interval: float) -> bool:
    """Whether a mean is where it was when the ledger was written: within the interval that it had then."""
    return abs(float(values.mean()) - before) <= interval


def _beside(results: Results, scheme: str) -> str:
    """Totals, rates and fairness of a law."""
    table = rates(results, scheme)
    each = ", ".join(shown(table[flow]) for flow in table)
    by_window = summed(results, scheme, "mean_window_rate_pps")
    return (
        f"{each}; total {shown(summed(results, scheme), 1)}, by cwnd/avgRTT {shown(by_window, 1)}; "
        f"Jain {shown(table.apply(jain, axis=1), 3)}"
    )


def _differs(results: Results, scheme: str, total: tuple[float, float], index: tuple[float, float]) -> Finding:
    """What is found of a law, and whether it is what the note explains: means and intervals of when that was written.

    The paper's pair of total and index must lie outside, or there is nothing to explain.
    """
    totals, indices = summed(results, scheme), rates(results, scheme).apply(jain, axis=1)
    is_near = abs(sum(reported.RATES[scheme]) - total[0]) <= total[1]
    is_fair = abs(reported.JAIN_BY_LAW[scheme] - index[0]) <= index[1]
    return Finding(
        ours=_beside(results, scheme),
        holds=kept(totals, *total) and kept(indices, *index) and not (is_near and is_fair),
    )


def _backlogs(results: Results, scheme: str) -> pd.Series[float]:
    """Packets that each flow keeps in queues: rate times queueing delay."""
    flows = results.table("figure-5-flows")
    chosen = flows[flows["scheme"] == scheme]
    return chosen["goodput_pps"] * (chosen["mean_rtt_s"] - chosen["min_rtt_s"])


def _equal_shares(results: Results, scheme: str) -> Finding:
    """The total is the paper's, the rates are not: all flows keep p packets in queues, but not all the same ones."""
    by_window = summed(results, scheme, "mean_window_rate_pps")
    means, backlogs = rates(results, scheme).mean(), _backlogs(results, scheme)
    paper = np.array(reported.RATES[scheme])
    off = float(np.abs(means / paper - 1).max())
    return Finding(
        ours=f"{_beside(results, scheme)}; x q^s = {backlogs.min():.0f} to {backlogs.max():.0f} packets",
        holds=abs(by_window.mean() / paper.sum() - 1) < 1e-3
        and 0.01 < off < 0.07
        and (int(means.argmax()), int(means.argmin())) == (1, 0)
        and backlogs.between(0.9 * BACKLOG, 1.1 * BACKLOG).all(),
    )


@claim(24)
def quic_tcp_fills_the_wire(results: Results) -> Finding:
    return _equal_shares(results, "QUIC-TCP")


@claim(25)
def fast_fills_it_as_well(results: Results) -> Finding:
    found = _equal_shares(results, "FAST")
    gap = summed(results, "QUIC-TCP", "mean_window_rate_pps") - summed(results, "FAST", "mean_window_rate_pps")
    return Finding(
        ours=f"{found.ours}; QUIC-TCP minus FAST {shown(gap, 2)} packets/s by cwnd/avgRTT",
        holds=found.holds and abs(float(gap.mean())) < 1,
    )


@claim(26)
def compound(results: Results) -> Finding:
    return _differs(results, "Compound", total=(3113.3, 1.9), index=(0.911, 0.054))


@claim(27)
def cubic(results: Results) -> Finding:
    return _differs(results, "CUBIC", total=(3079.7, 10.8), index=(0.986, 0.011))


@claim(28)
def vegas(results: Results) -> Finding:
    return _differs(results, "Vegas", total=(3001.8, 30.1), index=(0.998, 0.002))


@claim(29)
def reno(results: Results) -> Finding:
    return _differs(results, "Reno", total=(2899.1, 117.4), index=(0.896, 0.131))


@claim(30)
def order_of_totals(results: Results) -> Finding:
    means = {name: float(summed(results, name).mean()) for name in SCHEMES}
    ordered = sorted(means, key=lambda name: -means[name])
    return Finding(
        ours=" > ".join(f"{name} {means[name]:.0f}" for name in ordered),
        holds=abs(means["QUIC-TCP"] / means["FAST"] - 1) < 1e-3
        and set(ordered[:2]) == {"QUIC-TCP", "FAST"}
        and ordered[2:] == ["Compound", "CUBIC", "Vegas", "Reno"],
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
    there = max(float(_moves(flow)[flow["time_s"] > END_S].mean()) for flow in flows)
    return Finding(
        ours=f"windows within 5 % of their end after {max(times):.0f} s; they move {away:.0f} packets in 2 s on "
        f"the way and {there:.1f} there",
        holds=max(times) < 60 and away > 5 * there,
    )


def _moves(flow: pd.DataFrame) -> pd.Series[float]:
    """How far the window moved since the last sample."""
    return flow["cwnd"].diff().abs()


@claim(33)
def vegas_climbs_in_a_line(results: Results) -> Finding:
    times, slopes = [], []
    for flow in series(results, "Vegas").values():
        times.append(settled_s(flow))
        # From the end of slow start to nine tenths of where it ends.
        end = float(flow.loc[flow["time_s"] > END_S, "cwnd"].mean())
        climb = flow[(flow["time_s"] > 40) & (flow["cwnd"].cummax() < 0.9 * end)]
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
    off = float((inside["loss_window"] + inside["delay_window"] - inside["cwnd"]).abs().max())
    # From the end of slow start on; means over 20 s, some five of the swings of the delay window.
    means = inside[inside.index > 20].rolling(200).mean().iloc[199::200]
    # The wire holds 3125 packets/s x 0.7 s; Compound gives way from gamma = 30 packets in the queue on.
    held = 3125 * 0.7 + 30
    before, after = means[means["loss_window"] < held], means[means["loss_window"] > held + 30]
    slope = float(np.polyfit(before["loss_window"], before["delay_window"], 1)[0])
    return Finding(
        ours=f"window = loss window + delay window to {off:.0e}; {slope:.2f} packets of the latter for each of the "
        f"former, from {before['delay_window'].max():.0f} to {after['delay_window'].max():.0f} when that fills it",
        holds=off < 1e-6
        and -1.3 < slope < -0.7
        and len(after) >= 5
        and after["delay_window"].max() < 1 < before["delay_window"].max(),
    )


@claim(37)
def who_starves(results: Results) -> Finding:
    shares = {name: float(_least_share(results, name).mean()) for name in SCHEMES}
    return Finding(
        ours="least flow against the mean: " + ", ".join(f"{name} {share:.2f}" for name, share in shares.items()),
        holds=min(shares[name] for name in ("QUIC-TCP", "FAST")) > 0.9
        # What differs: in the mean no flow gets less than half its share.
        and 0.5 < shares["Reno"] < shares["Compound"] < 0.8 < shares["CUBIC"] < shares["Vegas"],
    )


def _least_share(results: Results, scheme: str) -> pd.Series[float]:
    """The least flow's goodput over the mean of all four, by seed."""
    table = rates(results, scheme)
    return table.min(axis=1) / table.mean(axis=1)

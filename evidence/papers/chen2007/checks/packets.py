"""Claims 26 to 35: Fig. 7 in packets, over simulated TCP. Claim 61: its link under TFRC."""

from __future__ import annotations

import numpy as np

from windward.papers import Finding, Results, claim

from ..section_five import (
    BEFORE,
    FLOOR,
    GAMMA,
    LOSSES,
    NEAREST,
    PACKET,
    PROBED,
    PROBED_BEFORE,
    RTT_MIN,
    Reading,
    streams,
)
from .algorithm import ratio


def figure_7(
    results: Results, loss: float, gamma: float = GAMMA, packet: int = PACKET, reading: str = FLOOR.name
) -> dict[str, np.ndarray]:
    """Throughput and loss as the link counts them, timeouts, mean RTT and n, for each seed."""
    table = results.table("figure-7-runs")
    rows = table[
        (table["reading"] == reading)
        & (table["gamma"] == gamma)
        & (table["packet"] == packet)
        & (table["loss"] == loss)
    ]
    return {name: rows[name].to_numpy() for name in ("throughput", "timeouts", "lost", "rtt", "n", "open")}


def means(
    results: Results, what: str, gamma: float = GAMMA, packet: int = PACKET, reading: Reading = FLOOR
) -> list[float]:
    return [float(figure_7(results, loss, gamma, packet, reading.name)[what].mean()) for loss in LOSSES]


def errors(results: Results, what: str, reading: Reading = FLOOR) -> list[float]:
    """Standard errors of `means`."""
    runs = [figure_7(results, loss, reading=reading.name)[what] for loss in LOSSES]
    return [float(run.std(ddof=1) / np.sqrt(len(run))) for run in runs]


def listed(values: list[float], form: str) -> str:
    return ", ".join(f"{value:{form}}" for value in values)


#: Readings of Fig. 7, as they are told.
TOLD = (FLOOR, NEAREST, BEFORE, PROBED, PROBED_BEFORE)


@claim(26)
def throughput_is_near_the_best(results: Results) -> Finding:
    shares = {reading.name: means(results, "throughput", reading=reading) for reading in TOLD}
    probed, before = shares[PROBED.name], shares[PROBED_BEFORE.name]
    return Finding(
        ours="; ".join(f"{listed(share, '.3f')} ({name})" for name, share in shares.items()) + " of B(1 − p)",
        holds=0.7 < shares[FLOOR.name][0] < 0.76
        and all(0.75 < share < 1 for share in shares[FLOOR.name][1:] + shares[NEAREST.name] + shares[BEFORE.name])
        and all(0.72 < share < 0.8 for share in (probed[0], before[0]))
        and min(probed[1:]) > 0.73
        and min(before[1:]) > 0.75,
    )


@claim(27)
def throughput_is_near_its_formula(results: Results) -> Finding:
    shares = {
        reading.name: [share / ratio(0.75) for share in means(results, "throughput", reading=reading)]
        for reading in TOLD
    }
    close = shares[BEFORE.name]
    return Finding(
        ours="; ".join(f"{listed(share, '.2f')} ({name})" for name, share in shares.items()) + " of (22)",
        holds=all(abs(share - 1) < 0.07 for share in close[1:])
        and 0.84 < close[0] < 0.9
        and all(0.8 < share < 1 for share in shares[FLOOR.name] + shares[NEAREST.name]),
    )


@claim(28)
def the_round_trip_stays_short(results: Results) -> Finding:
    rtts = means(results, "rtt")
    return Finding(
        ours=f"{listed([1e3 * rtt for rtt in rtts], '.0f')} ms",
        holds=all(RTT_MIN <= rtt < 1.2 * RTT_MIN for rtt in rtts),
    )


@claim(29)
def losses_are_the_links_own(results: Results) -> Finding:
    losses = means(results, "lost")
    return Finding(
        ours=f"{listed([100 * loss for loss in losses], '.2f')} %",
        holds=all(abs(ours - loss) < 0.002 for ours, loss in zip(losses, LOSSES, strict=True)),
    )


@claim(30)
def more_loss_more_connections(results: Results) -> Finding:
    connections = means(results, "n")
    return Finding(ours=listed(connections, ".1f"), holds=bool(np.all(np.diff(connections) > 0)))


@claim(31)
def no_loss_one_connection(results: Results) -> Finding:
    lossless = figure_7(results, 0.0)
    n, share = lossless["n"], lossless["throughput"]
    # The least mean of a lossy beginning is near 168 ms.
    later = figure_7(results, LOSSES[0], reading="cleared")["open"]
    return Finding(
        ours=f"n is {n.mean():.1f} on average, {share.mean():.3f} of the link; after 900 s with losses of 2 % at most "
        f"{later.max():.0f}",
        holds=bool(np.all(n > 5) and np.all(share > 0.99) and np.all(later == 1)),
    )


@claim(32)
def few_connections_leave_a_gap(results: Results) -> Finding:
    coarse, fine = (figure_7(results, 0.02, packet=packet) for packet in (1000, 500))
    return Finding(
        ours=f"at 2 % {coarse['throughput'].mean():.2f} with n = {coarse['n'].mean():.1f}, "
        f"{fine['throughput'].mean():.2f} with {fine['n'].mean():.1f} for packets half as long",
        holds=bool(coarse["n"].mean() < 4 and fine["throughput"].mean() > coarse["throughput"].mean() + 0.04),
    )


@claim(33)
def the_gap_grows_with_timeouts(results: Results) -> Finding:
    found = {
        reading.name: (means(results, "throughput", reading=reading), errors(results, "throughput", reading))
        for reading in (FLOOR, BEFORE)
    }
    timeouts = means(results, "timeouts")
    # In standard errors: what the share loses from 2 % on to 8, and from 4 on.
    falls = {
        name: [(shares[at] - shares[3]) / np.hypot(error[at], error[3]) for at in (0, 1)]
        for name, (shares, error) in found.items()
    }
    return Finding(
        ours="; ".join(
            ", ".join(f"{share:.3f} ± {e:.3f}" for share, e in zip(shares, error, strict=True))
            + f" of B(1 − p) ({name})"
            for name, (shares, error) in found.items()
        )
        + f"; {listed([100 * share for share in timeouts], '.2f')} timeouts in 100 segments",
        holds=bool(np.all(np.diff(timeouts) > 0)) and all(whole < 0 and rest < 3 for whole, rest in falls.values()),
    )


@claim(34)
def a_higher_threshold_and_shorter_packets_help(results: Results) -> Finding:
    base, patient, fine = (
        means(results, "throughput"),
        means(results, "throughput", gamma=0.4),
        means(results, "throughput", packet=500),
    )
    few = [2 <= int(n) <= 4 for n in means(results, "n")]
    return Finding(
        ours=f"{listed(base, '.2f')}; γ = 0.4: {listed(patient, '.2f')}; 500 bytes: {listed(fine, '.2f')}; n is "
        f"{listed(means(results, 'n'), '.1f')}",
        # The text speaks of 2 to 4 connections, and names slower convergence as the expense of short packets.
        holds=all(more > less + 0.05 for more, less in zip(patient, base, strict=True))
        and sum(few) >= 2
        and all(more > less + 0.02 for more, less, is_few in zip(fine, base, few, strict=True) if is_few),
    )


@claim(35)
def as_many_connections_as_the_link_takes(results: Results) -> Finding:
    connections = means(results, "n")
    return Finding(
        ours=f"{connections[0]:.1f} at 2 %, {connections[2]:.1f} at 6 %",
        holds=2 <= connections[0] <= 3 and abs(connections[2] - 5) < 0.5,
    )


#: Seconds over which the throughput of claim 61 is averaged: the period of n.
PERIOD_S = 20


@claim(61)
def one_connection_has_no_steps() -> Finding:
    shares, variations, text = {}, {}, []
    for is_combined in (False, True):
        run = streams(LOSSES[0], 4500, is_combined=is_combined).simulate(seeds=4)
        carried = 8 * PACKET / (1e6 * (1 - LOSSES[0]))
        shares[is_combined] = run.flows.groupby("seed")["goodput_pps"].sum().to_numpy() * carried
        total = run.flow_series.groupby(["time_s", "seed"])["goodput_bps"].sum().unstack()
        total = total[total.index > run.warmup_s]
        means = total.groupby(total.index // PERIOD_S).mean()
        variations[is_combined] = (means.std() / means.mean()).to_numpy()
        text.append(
            f"{shares[is_combined].mean():.2f} of B(1 − p), which varies by {variations[is_combined].mean():.0%}, "
            f"{'in one' if is_combined else 'side by side'}"
        )
    return Finding(
        ours="; ".join(text),
        holds=bool(
            shares[True].min() > shares[False].max() + 0.03 and variations[True].max() < 0.8 * variations[False].min()
        ),
    )

"""Claims 26 to 35: Fig. 7 in packets, over simulated TCP."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Finding, claim

from ..network import NODES, links, lossy_before, reno
from .algorithm import ratio

#: Losses of Fig. 7.
LOSSES = (0.02, 0.04, 0.06, 0.08)
#: RTT_min of the paper's link, in seconds.
RTT_MIN = 0.168
SEEDS = 4


@dataclass(frozen=True)
class Reading:
    """Choices that the text leaves open: how n is rounded, and whether a packet is lost before its transmission."""

    name: str
    rounding: Literal["floor", "nearest"] = "floor"
    is_lost_before: bool = False


FLOOR = Reading("⌊n⌋")
NEAREST = Reading("n rounded", "nearest")
#: As ns-2's `lossmodel` puts the losses, before the queue.
BEFORE = Reading("n rounded, lost before the queue", "nearest", True)


def network(
    loss: float, duration: float, *, gamma: float = 0.2, packet: int = 1000, reading: Reading = FLOOR
) -> ww.Scenario:
    """The paper's link: 1 Mbit/s, 168 ms, a buffer of 50 kB; NewReno under E-MULTCP, `packet` in bytes."""
    path = ("1 Mbit/s", "80 ms", 50_000 // packet, loss)
    nodes, wires = lossy_before(*path) if reading.is_lost_before else (NODES, links(*path))
    controller = ww.Emultcp(tau="20 s", gamma=gamma, rounding=reading.rounding, max=16)
    return ww.Scenario(
        name="section-5",
        duration=f"{duration} s",
        warmup=f"{duration / 10} s",
        output=ww.Output(sample_interval="1 s", internals=True),
        node=nodes,
        link=wires,
        flow=[reno(packet=packet, connections=controller)],
    )


def shown(run: ww.Run, name: str) -> pd.DataFrame:
    """Values that the controllers show as `name` after the warm-up: seconds as rows, seeds as columns."""
    rows = run.internals[run.internals["name"] == name]
    table = rows.pivot(index="time_s", columns="seed", values="value")
    return table[table.index > run.warmup_s]


@cache
def figure_7(
    loss: float, gamma: float = 0.2, packet: int = 1000, reading: Reading = FLOOR, duration: float = 9000
) -> dict[str, np.ndarray]:
    """Throughput and loss as the link counts them, timeouts, mean RTT and n, for each seed; τ = 20 s."""
    run = network(loss, duration, gamma=gamma, packet=packet, reading=reading).simulate(seeds=SEEDS)
    of_seed = run.flows.groupby("seed")
    ahead = run.links[run.links["from"] == "s"]
    return {
        # The share of the best, B(1 − p), whether or not what is lost has been transmitted.
        "throughput": of_seed["goodput_pps"].sum().to_numpy() * 8 * packet / (1e6 * (1 - loss)),
        "timeouts": (of_seed["timeouts"].sum() / of_seed["segments_sent"].sum()).to_numpy(),
        "loss": ahead["loss"].to_numpy(),
        "rtt": shown(run, "mean_rtt_s").mean().to_numpy(),
        "n": shown(run, "n").mean().to_numpy(),
        "open": shown(run, "open").max().to_numpy(),
    }


def means(what: str, gamma: float = 0.2, packet: int = 1000, reading: Reading = FLOOR) -> list[float]:
    return [float(figure_7(loss, gamma, packet, reading)[what].mean()) for loss in LOSSES]


def errors(what: str, reading: Reading = FLOOR) -> list[float]:
    """Standard errors of `means`."""
    runs = [figure_7(loss, 0.2, 1000, reading)[what] for loss in LOSSES]
    return [float(run.std(ddof=1) / np.sqrt(len(run))) for run in runs]


def listed(values: list[float], form: str) -> str:
    return ", ".join(f"{value:{form}}" for value in values)


@claim(26)
def throughput_is_near_the_best() -> Finding:
    shares = {reading.name: means("throughput", reading=reading) for reading in (FLOOR, NEAREST, BEFORE)}
    return Finding(
        ours="; ".join(f"{listed(share, '.3f')} ({name})" for name, share in shares.items()) + " of B(1 − p)",
        holds=0.7 < shares[FLOOR.name][0] < 0.76
        and all(0.75 < share < 1 for share in shares[FLOOR.name][1:] + shares[NEAREST.name] + shares[BEFORE.name]),
    )


@claim(27)
def throughput_is_near_its_formula() -> Finding:
    shares = {
        reading.name: [share / ratio(0.75) for share in means("throughput", reading=reading)]
        for reading in (FLOOR, NEAREST, BEFORE)
    }
    close = shares[BEFORE.name]
    return Finding(
        ours="; ".join(f"{listed(share, '.2f')} ({name})" for name, share in shares.items()) + " of (22)",
        holds=all(abs(share - 1) < 0.07 for share in close[1:])
        and 0.84 < close[0] < 0.9
        and all(0.8 < share < 1 for share in shares[FLOOR.name] + shares[NEAREST.name]),
    )


@claim(28)
def the_round_trip_stays_short() -> Finding:
    rtts = means("rtt")
    return Finding(
        ours=f"{listed([1e3 * rtt for rtt in rtts], '.0f')} ms",
        holds=all(RTT_MIN <= rtt < 1.2 * RTT_MIN for rtt in rtts),
    )


@claim(29)
def losses_are_the_links_own() -> Finding:
    losses = means("loss")
    return Finding(
        ours=f"{listed([100 * loss for loss in losses], '.2f')} %",
        holds=all(abs(ours - loss) < 0.002 for ours, loss in zip(losses, LOSSES, strict=True)),
    )


@claim(30)
def more_loss_more_connections() -> Finding:
    connections = means("n")
    return Finding(ours=listed(connections, ".1f"), holds=bool(np.all(np.diff(connections) > 0)))


@claim(31)
def no_loss_one_connection() -> Finding:
    n, share = figure_7(0.0)["n"], figure_7(0.0)["throughput"]
    # The least mean of a lossy beginning is near 168 ms.
    lossy = network(LOSSES[0], 9000)
    wires = [replace(lossy.link[0], name="lossy"), *lossy.link[1:]]
    cleared = replace(lossy, warmup="1800 s", link=wires, change=[ww.Change(link="lossy", at="900 s", loss=0)])
    later = shown(cleared.simulate(seeds=SEEDS), "open").max()
    return Finding(
        ours=f"n is {n.mean():.1f} on average, {share.mean():.3f} of the link; after 900 s with losses of 2 % at most "
        f"{later.max():.0f}",
        holds=bool(np.all(n > 5) and np.all(share > 0.99) and np.all(later == 1)),
    )


@claim(32)
def few_connections_leave_a_gap() -> Finding:
    coarse, fine = (figure_7(0.02, 0.2, packet, FLOOR) for packet in (1000, 500))
    return Finding(
        ours=f"at 2 % {coarse['throughput'].mean():.2f} with n = {coarse['n'].mean():.1f}, "
        f"{fine['throughput'].mean():.2f} with {fine['n'].mean():.1f} for packets half as long",
        holds=bool(coarse["n"].mean() < 4 and fine["throughput"].mean() > coarse["throughput"].mean() + 0.04),
    )


@claim(33)
def the_gap_grows_with_timeouts() -> Finding:
    found = {
        reading.name: (means("throughput", reading=reading), errors("throughput", reading))
        for reading in (FLOOR, BEFORE)
    }
    timeouts = means("timeouts")
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
def a_higher_threshold_and_shorter_packets_help() -> Finding:
    base, patient, fine = means("throughput"), means("throughput", gamma=0.4), means("throughput", packet=500)
    few = [2 <= int(n) <= 4 for n in means("n")]
    return Finding(
        ours=f"{listed(base, '.2f')}; γ = 0.4: {listed(patient, '.2f')}; 500 bytes: {listed(fine, '.2f')}; n is "
        f"{listed(means('n'), '.1f')}",
        # The text speaks of 2 to 4 connections, and names slower convergence as the expense of short packets.
        holds=all(more > less + 0.05 for more, less in zip(patient, base, strict=True))
        and sum(few) >= 2
        and all(more > less + 0.02 for more, less, is_few in zip(fine, base, few, strict=True) if is_few),
    )


@claim(35)
def as_many_connections_as_the_link_takes() -> Finding:
    connections = means("n")
    return Finding(
        ours=f"{connections[0]:.1f} at 2 %, {connections[2]:.1f} at 6 %",
        holds=2 <= connections[0] <= 3 and abs(connections[2] - 5) < 0.5,
    )

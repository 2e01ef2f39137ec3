"""Claims 26 to 38 and 59: section V in packets, over simulated TCP."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Finding, claim

from ..network import NODES, links, reno

#: Losses of Fig. 7.
LOSSES = (0.02, 0.04, 0.06, 0.08)
#: RTT_min of the paper's link, in seconds.
RTT_MIN = 0.168
SEEDS = 4


def link(
    loss: float,
    tau: float,
    duration: float,
    background: list[ww.Background] | None = None,
    *,
    gamma: float = 0.2,
    packet: int = 1000,
) -> ww.Run:
    """The paper's link: 1 Mbit/s, 168 ms, a buffer of 50 kB; NewReno under E-MULTCP, `packet` in bytes."""
    return ww.Scenario(
        name="section-5",
        duration=f"{duration} s",
        warmup=f"{duration / 10} s",
        output=ww.Output(sample_interval="1 s", internals=True),
        node=NODES,
        link=links("1 Mbit/s", "80 ms", 50_000 // packet, loss),
        flow=[reno(packet=packet, connections=ww.Emultcp(tau=f"{tau} s", gamma=gamma, max=16))],
        background=background or [],
    ).simulate(seeds=SEEDS)


def shown(run: ww.Run, name: str) -> pd.DataFrame:
    """What the controllers show as `name` after the warm-up: seconds as rows, seeds as columns."""
    rows = run.internals[run.internals["name"] == name]
    table = rows.pivot(index="time_s", columns="seed", values="value")
    return table[table.index > run.warmup_s]


@cache
def figure_7(loss: float, gamma: float = 0.2, packet: int = 1000) -> dict[str, np.ndarray]:
    """Of each seed: throughput and loss as the link counts them, timeouts, mean RTT and n; τ = 20 s, 9000 s."""
    run = link(loss, 20, 9000, gamma=gamma, packet=packet)
    of_seed = run.flows.groupby("seed")
    ahead = run.links[run.links["from"] == "s"]
    return {
        # A wire that loses its share last delivers so much of what it transmits.
        "throughput": of_seed["goodput_pps"].sum().to_numpy() * 8 * packet / (1e6 * (1 - loss)),
        "timeouts": (of_seed["timeouts"].sum() / of_seed["segments_sent"].sum()).to_numpy(),
        "loss": ahead["loss"].to_numpy(),
        "rtt": shown(run, "mean_rtt_s").mean().to_numpy(),
        "n": shown(run, "n").mean().to_numpy(),
        "open": shown(run, "open").max().to_numpy(),
    }


def means(what: str, gamma: float = 0.2, packet: int = 1000) -> list[float]:
    return [float(figure_7(loss, gamma, packet)[what].mean()) for loss in LOSSES]


def listed(values: list[float], form: str) -> str:
    return ", ".join(f"{value:{form}}" for value in values)


@claim(26)
def throughput_is_near_the_best() -> Finding:
    shares = means("throughput")
    return Finding(
        ours=f"{listed(shares, '.2f')} of B(1 − p)",
        holds=0.7 < shares[0] < 0.75 and all(0.75 < share < 1 for share in shares[1:]),
    )


@claim(27)
def throughput_is_near_its_formula() -> Finding:
    shares = [share / (2 / 3 * (1 + 0.75 + 0.75**2) / 1.75) for share in means("throughput")]
    return Finding(ours=f"{listed(shares, '.2f')} of (22)", holds=all(0.8 < share < 0.97 for share in shares))


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
        holds=all(abs(ours - loss) < 0.005 for ours, loss in zip(losses, LOSSES, strict=True)),
    )


@claim(30)
def more_loss_more_connections() -> Finding:
    connections = means("n")
    return Finding(ours=listed(connections, ".1f"), holds=bool(np.all(np.diff(connections) > 0)))


@claim(31)
def no_loss_one_connection() -> Finding:
    most, share = figure_7(0.0)["open"], figure_7(0.0)["throughput"]
    return Finding(
        ours=f"at most {most.max():.0f}, {share.mean():.3f} of the link",
        holds=bool(np.all(most == 1) and np.all(share > 0.99)),
    )


@claim(32)
def few_connections_leave_a_gap() -> Finding:
    coarse, fine = (figure_7(0.02, packet=packet) for packet in (1000, 500))
    return Finding(
        ours=f"at 2 % {coarse['throughput'].mean():.2f} with n = {coarse['n'].mean():.1f}, "
        f"{fine['throughput'].mean():.2f} with {fine['n'].mean():.1f} for packets half as long",
        holds=bool(coarse["n"].mean() < 4 and fine["throughput"].mean() > coarse["throughput"].mean() + 0.04),
    )


@claim(33)
def the_gap_grows_with_timeouts() -> Finding:
    shares, timeouts = means("throughput"), means("timeouts")
    return Finding(
        ours=f"{listed(shares, '.2f')} of B(1 − p); {listed([100 * share for share in timeouts], '.2f')} timeouts in "
        "100 segments",
        holds=bool(np.all(np.diff(timeouts) > 0) and shares[3] < shares[1] - 0.01 and shares[0] < shares[1]),
    )


@claim(34)
def a_higher_threshold_and_shorter_packets_help() -> Finding:
    base, patient, fine = means("throughput"), means("throughput", gamma=0.4), means("throughput", packet=500)
    return Finding(
        ours=f"{listed(base, '.2f')}; γ = 0.4: {listed(patient, '.2f')}; 500 bytes: {listed(fine, '.2f')}",
        holds=all(more > less + 0.05 for more, less in zip(patient, base, strict=True))
        and all(more > less for more, less in zip(fine[:2], base[:2], strict=True))
        and fine[3] < base[3],
    )


@claim(35)
def as_many_connections_as_the_link_takes() -> Finding:
    connections = means("n")
    return Finding(
        ours=f"{connections[0]:.1f} at 2 %, {connections[2]:.1f} at 6 %",
        holds=2 <= connections[0] <= 3 and abs(connections[2] - 5) < 0.5,
    )


@cache
def ramps(tau: float) -> tuple[float, float, float, float]:
    """Mean seconds up from n = 2 to 4 at a loss of 6 %, and down to 2 once datagrams fill the link.

    Each with what its formula says.
    """
    step = 150 * tau
    datagrams = ww.Background(from_="s", to="r", packet="1000 B", pattern=ww.Cbr(rate="990 kbit/s"), start=f"{step} s")
    run = link(0.06, tau, 180 * tau, [datagrams])
    rows = run.internals[run.internals["name"] == "n"]
    up, down, formula = [], [], []
    for _, of_seed in rows.groupby("seed"):
        time, n = of_seed["time_s"].to_numpy(), of_seed["value"].to_numpy()
        up.append(time[n >= 4][0] - time[n >= 2][0])
        after = time > step
        down.append(time[after & (n <= 2)][0] - step)
        formula.append(4 * tau * np.log(n[~after][-1] / 2))
    return float(np.mean(up)), 24 * tau, float(np.mean(down)), float(np.mean(formula))


def ramp_finding(tau: float) -> Finding:
    up, up_formula, down, down_formula = ramps(tau)
    return Finding(
        ours=f"up {up:.0f} s for {up_formula:.0f}, down {down:.0f} s for {down_formula:.0f}",
        holds=abs(up / up_formula - 1) < 0.25 and abs(down - down_formula) < 2 * tau,
    )


@claim(36)
def ramps_at_20_s() -> Finding:
    return ramp_finding(20)


@claim(37)
def ramps_at_5_s() -> Finding:
    return ramp_finding(5)


@claim(38)
def a_shorter_period_is_faster() -> Finding:
    slow, fast = ramps(20), ramps(5)
    return Finding(
        ours=f"up {slow[0]:.0f} and {fast[0]:.0f} s, down {slow[2]:.0f} and {fast[2]:.0f} s",
        holds=fast[0] < slow[0] / 2 and fast[2] < slow[2] / 2,
    )


@claim(59)
def changes_are_not_tracked_quickly() -> Finding:
    up, _, down, _ = ramps(20)
    return Finding(
        ours=f"{up:.0f} s up and {down:.0f} s down, {up / RTT_MIN:.0f} and {down / RTT_MIN:.0f} round trips",
        holds=min(up, down) > 100 * RTT_MIN,
    )

"""Claims 8 to 16: equilibrium, utilisation, stability, friendliness and fairness (sections 5.1 to 5.6)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

import windward as ww
from windward.papers import Finding, claim
from windward.theory.num import Array

from ..model import Sessions, random_sessions, shared

CASES = 12


def one_link(bandwidth: float, delay: Array, loss: float, alpha: Array, slope: float = 0.0) -> Sessions:
    """Sessions over one link of p = slope q."""
    return Sessions(
        routes=np.ones((1, len(delay))),
        bandwidth=np.array([bandwidth]),
        delay=delay,
        loss=np.full(len(delay), loss),
        alpha=alpha,
        drop=lambda q: slope * q,
    )


@claim(8)
def an_equilibrium_exists() -> Finding:
    excess = idle = 0.0
    for seed in range(CASES):
        case = random_sessions(seed)
        queues = case.equilibrium()
        load = case.routes @ case.rates(queues) / case.bandwidth
        excess = max(excess, float((load - 1).max()))
        idle = max(idle, float((queues * (1 - load)).max()))
    return Finding(
        ours=f"{CASES} random networks: loads above B by at most {excess:.0e}, q (B - RT)/B by {idle:.0e} s",
        holds=excess < 1e-6 and idle < 1e-8,
    )


@claim(9)
def some_link_is_full() -> Finding:
    full, waiting = 0, 0
    for seed in range(CASES):
        case = random_sessions(seed)
        queues = case.equilibrium()
        load = case.routes @ case.rates(queues) / case.bandwidth
        full += bool((load > 1 - 1e-6).any())
        waiting += bool((case.routes[queues > 0] > 0).any(axis=0).all())
    # (31): two Renos over 100 Mbit/s, 100 ms and 1 % loss.
    reno = one_link(8333, np.array([0.1, 0.1]), 0.01, np.zeros(2))
    share = float(reno.rates(np.zeros(1)).sum() / 8333)
    return Finding(
        ours=f"{full} of {CASES} networks have a full link, in {waiting} every session crosses one; two Renos at 1 % "
        f"loss "
        f"use {share:.1%} of 100 Mbit/s",
        holds=full == waiting == CASES and share < 0.05 and float(reno.equilibrium()[0]) == 0.0,
    )


@claim(11)
def the_queue_stays_between_bounds() -> Finding:
    least = most = 0.0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        delay, bandwidth = rng.uniform(0.01, 0.2, 5), 2000.0
        hat = rng.uniform(0.02, 0.1, 5) / delay * np.sqrt(3 / (2 * 10 ** rng.uniform(-4, -2, 5)))
        u = rng.uniform(1, 5, 5) * bandwidth
        bounds = hat.sum() / bandwidth * np.array([delay.min(), delay.max()])
        for step in range(3000):
            q = queue(u, delay, bandwidth)
            if step > 2000:
                least, most = max(least, bounds[0] / q - 1), max(most, q / bounds[1] - 1)
            u = (1 - q / (delay + q)) * u + hat
    return Finding(
        ours=f"20 random links: after 2000 periods q is below the lower bound by {max(least, 0):.0e} of it at most, "
        f"above "
        f"the upper by {max(most, 0):.0e}",
        holds=least < 1e-6 and most < 1e-6,
    )


def queue(u: Array, delay: Array, bandwidth: float) -> float:
    """q of (34), or 0."""

    def surplus(q: float) -> float:
        return float((delay * u / (delay + q)).sum() - bandwidth)

    return 0.0 if surplus(0) <= 0 else float(brentq(surplus, 0, 1e4, xtol=1e-15))


def radius(gain: float, u: Array, delay: Array, hat: Array, bandwidth: float) -> float:
    """Spectral radius of u ← u + gain·(α̂ - u q/(D + q)) at u, by central differences; (33) has gain 1, (8) has 1/α."""

    def after(u: Array) -> Array:
        q = queue(u, delay, bandwidth)
        return u + gain * (hat - u * q / (delay + q))

    steps = 1e-5 * np.diag(u)
    columns = [(after(u + step) - after(u - step)) / (2 * step.sum()) for step in steps]
    return float(np.abs(np.linalg.eigvals(np.array(columns).T)).max())


@claim(12)
def stable_with_the_slow_rule() -> Finding:
    slow, real = 0.0, np.inf
    for seed in range(20):
        rng = np.random.default_rng(seed)
        delay, bandwidth, alpha = rng.uniform(0.01, 0.2, 5), 2000.0, rng.uniform(0.02, 0.1)
        hat = alpha / delay * np.sqrt(3 / (2 * 10 ** rng.uniform(-4, -2)))
        q = float((delay * hat).sum() / bandwidth)
        rest = hat * (delay + q) / q
        slow = max(slow, radius(1.0, rest, delay, hat, bandwidth))
        real = min(real, radius(1 / alpha, rest, delay, hat, bandwidth))
    swings = []
    for late in (None, 0.5):
        series = lossy(20).fluid(feedback_delay_s=late).series.query("time_s > 150")["cwnd"]
        swings.append(float(series.max() / series.min() - 1))
    return Finding(
        ours=f"20 random links at rest: spectral radius of (36) at most {slow:.3f}; of the rule (8), whose β = 1 is "
        f"not the α of (33), at least {real:.1f}. Windows of the fluid engine alone on a lossy link: swing "
        f"{swings[0]:.0e} if it sees its queue at once, {swings[1]:.0%} if a period of 500 ms late",
        holds=slow < 1 - 1e-6 and real > 1 and swings[0] < 1e-5 and swings[1] > 0.2,
    )


def lossy(mbps: float) -> ww.Scenario:
    """One TCP-FIT flow over 100 ms with 0.1 % loss."""
    return ww.Scenario(
        name="lossy",
        duration="200 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate=f"{mbps} Mbit/s", delay="50 ms", buffer="unlimited", loss=1e-3)],
        flow=[ww.Flow(from_="a", to="b", law="tcp-fit")],
    )


def reno_with_fit(alpha: float, loss: float, slope: float) -> tuple[float, float, float]:
    """Queueing delay of six Renos, and a Reno's rate then and with three of them replaced by TCP-FIT of this alpha."""
    delay = np.full(6, 0.05)
    renos = one_link(1000, delay, loss, np.zeros(6), slope)
    mixed = one_link(1000, delay, loss, np.array([0, 0, 0, alpha, alpha, alpha]), slope)
    before, after = renos.equilibrium(), mixed.equilibrium()
    return float(before[0]), float(renos.rates(before)[0]), float(mixed.rates(after)[0])


@claim(13)
def friendly_if_alpha_is_small() -> Finding:
    below = above = 0.0
    for loss, slope in ((1e-4, 0.1), (1e-3, 0.05), (1e-5, 0.5)):
        share = reno_with_fit(0.01, loss, slope)[0]
        share /= 0.05 + share
        for factor in (0.2, 0.99):
            _, alone, beside = reno_with_fit(factor * share, loss, slope)
            below = max(below, abs(beside / alone - 1))
        _, alone, beside = reno_with_fit(2 * share, loss, slope)
        above = max(above, beside / alone)
    return Finding(
        ours=f"6 cases of α ≤ q/(D+q): Reno's rate changes by {below:.0e}; at twice that α it falls to {above:.2f} "
        f"at most",
        holds=below < 1e-6 and above < 0.99,
    )


@claim(14)
def the_choice_of_alpha_is_friendly() -> Finding:
    ratios = []
    for rtt in (10, 20, 50, 100):
        mixed = shared([ww.Reno(), ww.TcpFit()], rtt, 0.0).flows
        alone = shared([ww.Reno(), ww.Reno()], rtt, 0.0).flows
        rate = mixed.loc[mixed["law"] == "reno", "goodput_bps"].mean() / alone["goodput_bps"].mean()
        ratios.append(rate)
    return Finding(
        ours=f"packets, 20 Mbit/s, RTT 10, 20, 50, 100 ms, 3 seeds: beside TCP-FIT Reno has "
        f"{', '.join(f'{r:.2f}' for r in ratios)} of what it has beside Reno",
        holds=all(0.9 < r < 1.1 for r in ratios),
    )


@claim(15)
def reno_loses_what_the_queue_costs() -> Finding:
    worst, costs = 0.0, []
    for rtt, loss in ((50, 0.01), (100, 0.01), (100, 0.003)):
        mixed = shared([ww.Reno(), ww.TcpFit()], rtt, loss)
        alone = shared([ww.Reno(), ww.Reno()], rtt, loss).flows["goodput_bps"].mean()
        reno = mixed.flows[mixed.flows["law"] == "reno"]
        queued = mixed.links["mean_queue_delay_s"].iloc[0]
        congestion = mixed.links["dropped"].iloc[0] / mixed.links["packets"].iloc[0]
        share = rtt * 1e-3 / (rtt * 1e-3 + queued) * np.sqrt(loss / (loss + congestion))
        costs.append(1 - share)
        worst = max(worst, abs(reno["goodput_bps"].mean() / alone - share))
    return Finding(
        ours=f"packets, three lossy links: T_Δ should be {', '.join(f'{c:.1%}' for c in costs)} of Reno's rate by "
        f"the queues and "
        f"drops measured; off by at most {worst:.1%}",
        holds=worst < 0.08 and max(costs) < 0.25,
    )


@claim(16)
def fair_whatever_the_rtt() -> Finding:
    delay = np.array([0.02, 0.07, 0.17])
    fit = one_link(8333, delay, 1e-3, np.full(3, 0.1))
    queues = fit.equilibrium()
    n = 0.1 * (delay + queues) / queues
    rates = fit.rates(queues)
    crowded = one_link(8333, np.repeat(delay, 100), 1e-5, np.full(300, 0.01), 1e-3)
    q = crowded.equilibrium()
    reno = crowded.rates(q)[[0, 100, 200]]
    off = float(np.abs(reno / reno[0] * (delay + q) / (delay[0] + q) - 1).max())
    paths = replace(fit, routes=np.array([[1.0, 1, 1], [0, 1, 1], [0, 0, 1]]), bandwidth=np.array([8333, 1e5, 1e5]))
    other = paths.rates(paths.equilibrium())
    spread = float(max(np.ptp(rates) / rates.mean(), np.ptp(other) / other.mean()))
    return Finding(
        ours=f"N = {', '.join(f'{v:.1f}' for v in n)} at 20, 70, 170 ms: rates differ by {spread:.0e}, also over "
        f"further links that "
        f"are not full; where N = 1 they are as 1/(D+q), to {off:.0e}",
        holds=spread < 1e-6 and n.min() > 1 and off < 1e-9,
    )

"""Claims 15 to 25: the algorithm of section IV."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad

from windward.papers import Finding, claim

from ..model import SPEED, Case, update

#: β and τ of the paper's simulations.
BETA, TAU = 0.75, 20.0
ALPHA = 1 - BETA


def updates(start: float, end: float, beta: float = BETA) -> int:
    """How often (21) applies from n = `start` to `end`: never congested on the way up, always on the way down."""
    n, count = start, 0
    while n < end if end > start else n > end:
        n = update(n, beta, is_congested=end < start)
        count += 1
    return count


@claim(15)
def probe_overhead() -> Finding:
    share = 32 / 1500
    return Finding(ours=f"{share:.1%}", holds=round(100 * share, 1) == 2.1)


@claim(16)
def the_update_is_the_law() -> Finding:
    worst = []
    for alpha in (0.25, 0.025):
        # The same speed c: τ in proportion to α. 400 s up from 2, then 60 s down from 5.
        tau, gaps = TAU * alpha / ALPHA, []
        for start, seconds, is_congested in ((2.0, 400.0, False), (5.0, 60.0, True)):
            n = start
            for _ in range(round(seconds / tau)):
                n = update(n, 1 - alpha, is_congested=is_congested)
            grown = 2 * SPEED * seconds
            exact = np.sqrt(start**2 + grown) if not is_congested else np.sqrt(1 + (start**2 - 1) * np.exp(-grown))
            gaps.append(abs(n / exact - 1))
        worst.append(max(gaps))
    return Finding(
        ours=f"(21) is off the solution of (10) by {worst[0]:.1%} at α = 1/4, by {worst[1]:.2%} at a tenth of α and τ",
        holds=worst[0] < 0.12 and 0.05 < worst[1] / worst[0] < 0.15,
    )


@claim(17)
def time_to_open() -> Finding:
    pairs = ((2.0, 5.0), (1.0, 3.0), (3.0, 8.0))
    found = [updates(a, b) * TAU for a, b in pairs]
    closed = [TAU / (2 * ALPHA) * (b * b - a * a) for a, b in pairs]
    return Finding(
        ours=f"from 2 to 5, 1 to 3, 3 to 8: {', '.join(f'{f:.0f}' for f in found)} s by (21), "
        f"{', '.join(f'{c:.0f}' for c in closed)} s by the formula",
        holds=all(abs(f - c) <= TAU for f, c in zip(found, closed, strict=True)),
    )


@claim(18)
def time_to_close() -> Finding:
    pairs = ((5.0, 2.0), (10.0, 4.0), (20.0, 10.0))
    found = [updates(a, b) * TAU for a, b in pairs]
    closed = [TAU / ALPHA * np.log(a / b) for a, b in pairs]
    exact = [TAU / (2 * ALPHA) * np.log((a * a - 1) / (b * b - 1)) for a, b in pairs]
    return Finding(
        ours=f"from 5 to 2, 10 to 4, 20 to 10: {', '.join(f'{f:.0f}' for f in found)} s by (21), "
        f"{', '.join(f'{c:.0f}' for c in closed)} s by the formula, {', '.join(f'{e:.0f}' for e in exact)} s with "
        f"its 1/n",
        holds=all(abs(f - c) <= TAU for f, c in zip(found, closed, strict=True))
        and all(e >= c for e, c in zip(exact, closed, strict=True)),
    )


@claim(19)
def length_of_a_cycle() -> Finding:
    peaks = (3.0, 5.0, 10.0)
    found = [updates(BETA * n, n) * TAU for n in peaks]
    closed = [n * n * (1 - BETA**2) * TAU / (2 * ALPHA) for n in peaks]
    return Finding(
        ours=f"n* = 3, 5, 10: {', '.join(f'{f:.0f}' for f in found)} s by (21), "
        f"{', '.join(f'{c:.0f}' for c in closed)} s by T",
        holds=all(abs(f - c) <= TAU for f, c in zip(found, closed, strict=True)),
    )


def course(t: float, peak: float, beta: float, tau: float) -> float:
    """n(t) of one cycle, from βn*."""
    return float(np.sqrt(2 * (1 - beta) * t / tau + (beta * peak) ** 2))


@claim(20)
def course_of_a_cycle() -> Finding:
    worst = 0.0
    for peak in (3.0, 5.0, 10.0):
        n = BETA * peak
        for count in range(updates(n, peak)):
            worst = max(worst, abs(n / course(count * TAU, peak, BETA, TAU) - 1))
            n = update(n, BETA, is_congested=False)
    length = 25 * (1 - BETA**2) * TAU / (2 * ALPHA)
    end = course(length, 5, BETA, TAU)
    return Finding(
        ours=f"(21) follows n(t) to {worst:.2%} over cycles to 3, 5 and 10; n(T) = {end:.6f} for n* = 5",
        holds=worst < 0.01 and abs(end - 5) < 1e-12,
    )


@claim(21)
def utilisation() -> Finding:
    worst = 0.0
    values = {}
    for beta in (0.0, 0.25, 0.5, 0.75, 0.9, 0.999):
        closed = 2 / 3 * (1 + beta + beta**2) / (1 + beta)
        for peak, tau in ((3.0, 20.0), (8.0, 5.0)):
            length = peak**2 * (1 - beta**2) * tau / (2 * (1 - beta))
            mean = quad(course, 0, length, args=(peak, beta, tau))[0] / length / peak
            worst = max(worst, abs(mean / closed - 1))
        values[beta] = closed
    return Finding(
        ours=f"the integral is (22) to {worst:.0e} whatever n* and τ; {values[0.75]:.3f} at β = 3/4, at least "
        f"{min(values.values()):.3f}",
        holds=worst < 1e-6 and round(values[0.75], 3) == 0.881 and min(values.values()) >= 2 / 3,
    )


@claim(22)
def trade_off() -> Finding:
    beta = np.linspace(0, 1, 101)
    ratio = 2 / 3 * (1 + beta + beta**2) / (1 + beta)
    rising = beta[1:][np.diff(ratio) > 0]
    least = beta[ratio.argmin()]
    return Finding(
        ours=f"(22) goes from {ratio[0]:.3f} to {ratio[-1]:.3f} and rises throughout (least at β = {least:g}); β = "
        f"3/4 has the "
        f"responsiveness {ALPHA:g}",
        holds=len(rising) == 100 and least == 0 and ALPHA == 0.25,
    )


@claim(23)
def time_in_periods() -> Finding:
    return Finding(ours=f"τ/(2α) = {1 / (2 * ALPHA):g} τ at α = 1/4", holds=1 / (2 * ALPHA) == 2.0)


@claim(24)
def no_starvation() -> Finding:
    counts = np.linspace(1, 100, 20_001)
    least = {beta: float((beta * counts + (1 - beta) / counts).min()) for beta in (0.25, 0.4, 0.5, 0.75, 0.9)}
    return Finding(
        ours="least n after an update from n ≥ 1: " + ", ".join(f"{n:.3f} at β = {b:g}" for b, n in least.items()),
        holds=all(least[b] >= 1 for b in (0.5, 0.75, 0.9)) and least[0.25] < 0.9 and least[0.4] < 1,
    )


@claim(25)
def slow_and_fair() -> Finding:
    case = Case(
        capacity=np.array([250.0]),
        routes=[[0], [0]],
        rtt=np.full(2, 0.168),
        loss=np.full(2, 0.06),
        speed=np.full(2, SPEED),
        beta=1e4,
    )
    run = case.follow(np.array([30.0, 200.0]), np.array([1.0, 6.0]), 6000, 1)
    apart = run.connections[:, 1] / run.connections[:, 0] - 1
    half = float(run.time_s[np.flatnonzero(apart < apart[0] / 2)[0]])
    return Finding(
        ours=f"two users with 1 and 6 connections: the difference halves in {half:.0f} s, more than 100 round trips; "
        f"after 6000 s "
        f"n differs by {abs(apart[-1]):.0e}, x by {abs(run.rates[-1, 1] / run.rates[-1, 0] - 1):.0e}; 2 to 5 takes "
        f"{updates(2, 5) * TAU:.0f} s, 5 to 2 {updates(5, 2) * TAU:.0f} s",
        holds=half > 16.8 and abs(apart[-1]) < 1e-2 and updates(2, 5) > 5 * updates(5, 2) >= 5,
    )

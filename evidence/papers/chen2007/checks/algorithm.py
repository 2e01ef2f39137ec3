"""Claims 15 to 25: the algorithm of section IV. What (21) does is asked of the engine's controller."""

from __future__ import annotations

from itertools import islice

import numpy as np
from scipy.integrate import quad

from windward.papers import Finding, claim

from ..controller import TAU, Told, cycle_utilisation, saw
from ..model import SPEED, Case

#: β of the paper's simulations.
BETA = 0.75
ALPHA = 1 - BETA


def climb(start: float, end: float, beta: float = BETA, tau_s: float = TAU) -> np.ndarray:
    """n from the first value at or above `start`, after each update without a queue, to the first above `end`."""
    told = Told(beta, tau_s)
    told.climb(start)
    return np.array([told.n, *told.climb(end)])


def fall(start: float, end: float) -> np.ndarray:
    """n from the first value at or above `start`, after each update with a queue, to the first at or below `end`."""
    told = Told()
    told.climb(start)
    return np.array([told.n, *told.fall(end)])


def listed(values: list[float], form: str = ".0f") -> str:
    return ", ".join(f"{value:{form}}" for value in values)


@claim(15)
def probe_overhead() -> Finding:
    """Arithmetic."""
    share = 32 / 1500
    return Finding(ours=f"{share:.1%}", holds=round(100 * share, 1) == 2.1)


@claim(16)
def the_update_is_the_law() -> Finding:
    worst = []
    for alpha in (0.25, 0.025):
        # The same speed c: τ in proportion to α. 400 s up from 2, then 60 s down from 5.
        tau, gaps = TAU * alpha / ALPHA, []
        for least, seconds, is_congested in ((2.0, 400.0, False), (5.0, 60.0, True)):
            told = Told(1 - alpha, tau)
            told.climb(least)
            start = told.n
            for _ in range(round(seconds / tau)):
                told.update(is_congested=is_congested)
            grown = 2 * SPEED * seconds
            exact = np.sqrt(start**2 + grown) if not is_congested else np.sqrt(1 + (start**2 - 1) * np.exp(-grown))
            gaps.append(abs(told.n / exact - 1))
        worst.append(max(gaps))
    return Finding(
        ours=f"(21) is off the solution of (10) by {worst[0]:.1%} at α = 1/4, by {worst[1]:.2%} at a tenth of α and τ",
        holds=worst[0] < 0.12 and 0.05 < worst[1] / worst[0] < 0.15,
    )


@claim(17)
def time_to_open() -> Finding:
    ramps = [climb(a, b) for a, b in ((2.0, 5.0), (1.0, 3.0), (3.0, 8.0))]
    found = [(len(n) - 1) * TAU for n in ramps]
    closed = [TAU / (2 * ALPHA) * (n[-1] ** 2 - n[0] ** 2) for n in ramps]
    # Each update adds α²/n² to n² beside the 2α of the formula: over a ramp α·ln(N1/N2) to n².
    exact = [c - TAU / 2 * np.log(n[-1] / n[0]) for c, n in zip(closed, ramps, strict=True)]
    ends = ", ".join(f"{n[0]:.2f} to {n[-1]:.2f}" for n in ramps)
    return Finding(
        ours=f"from {ends}: {listed(found)} s; by the formula {listed(closed)} s, with the squares that it leaves out "
        f"{listed(exact)} s",
        holds=all(abs(f - c) <= TAU for f, c in zip(found, closed, strict=True))
        and all(abs(f - e) <= 0.1 * TAU for f, e in zip(found, exact, strict=True)),
    )


@claim(18)
def time_to_close() -> Finding:
    ramps = [fall(a, b) for a, b in ((5.0, 2.0), (10.0, 4.0), (20.0, 10.0))]
    found = [(len(n) - 1) * TAU for n in ramps]
    closed = [TAU / ALPHA * np.log(n[0] / n[-1]) for n in ramps]
    exact = [TAU / (2 * ALPHA) * np.log((n[0] ** 2 - 1) / (n[-1] ** 2 - 1)) for n in ramps]
    ends = ", ".join(f"{n[0]:.2f} to {n[-1]:.2f}" for n in ramps)
    return Finding(
        ours=f"from {ends}: {listed(found)} s; by the formula {listed(closed)} s, with its 1/n {listed(exact)} s",
        holds=all(abs(f - c) <= TAU for f, c in zip(found, closed, strict=True))
        and all(e >= c for e, c in zip(exact, closed, strict=True)),
    )


def cycle(peak: float) -> tuple[float, float, float]:
    """A cycle of the saw: n where it was cut, n after the cut, and seconds until it is cut again."""
    n = np.array(list(islice(saw(BETA, peak, peak), 3 * int(2 * peak**2))))
    cuts = np.flatnonzero(np.diff(n) < 0)
    return float(n[cuts[1]]), float(n[cuts[1] + 1]), float(cuts[2] - cuts[1] - 1) * TAU


@claim(19)
def length_of_a_cycle() -> Finding:
    peaks = (3.0, 5.0, 10.0)
    found = [cycle(peak)[2] for peak in peaks]
    closed = [peak**2 * (1 - BETA**2) * TAU / (2 * ALPHA) for peak in peaks]
    return Finding(
        ours=f"n* = 3, 5, 10: {listed(found)} s by (21), {listed(closed)} s by T",
        holds=all(abs(f - c) <= TAU for f, c in zip(found, closed, strict=True)),
    )


def course(t: float, low: float, beta: float, tau: float) -> float:
    """n(t) of one cycle, from n = `low`, the paper's βn*."""
    return float(np.sqrt(2 * (1 - beta) * t / tau + low**2))


@claim(20)
def course_of_a_cycle() -> Finding:
    worst = 0.0
    for peak in (3.0, 5.0, 10.0):
        for at, n in enumerate(ramp := climb(BETA * peak, peak)):
            worst = max(worst, abs(n / course(at * TAU, ramp[0], BETA, TAU) - 1))
    length = 25 * (1 - BETA**2) * TAU / (2 * ALPHA)
    end = course(length, BETA * 5, BETA, TAU)
    return Finding(
        ours=f"(21) follows n(t) to {worst:.2%} over cycles to 3, 5 and 10; n(T) = {end:.6f} for n* = 5",
        holds=0 < worst < 0.01 and abs(end - 5) < 1e-12,
    )


def ratio(beta: float) -> float:
    """(22)."""
    return 2 / 3 * (1 + beta + beta**2) / (1 + beta)


@claim(21)
def utilisation() -> Finding:
    worst = 0.0
    for beta in (0.0, 0.25, 0.5, 0.75, 0.9, 0.999):
        for peak, tau in ((3.0, 20.0), (8.0, 5.0)):
            length = peak**2 * (1 - beta**2) * tau / (2 * (1 - beta))
            mean = quad(course, 0, length, args=(beta * peak, beta, tau))[0] / length / peak
            worst = max(worst, abs(mean / ratio(beta) - 1))
    driven = {beta: cycle_utilisation(beta, 40.0) for beta in (0.5, 0.75, 0.9)}
    off = max(abs(mean / ratio(beta) - 1) for beta, mean in driven.items())
    return Finding(
        ours=f"the integral of n(t) is (22) to {worst:.0e} whatever n* and τ, {ratio(0.75):.3f} at β = 3/4; the "
        f"engine's updates in cycles to n* = 40: {listed(list(driven.values()), '.3f')} at β = 1/2, 3/4, 0.9, "
        f"{off:.1%} off",
        holds=worst < 1e-6 and round(ratio(0.75), 3) == 0.881 and ratio(0) == 2 / 3 and off < 0.005,
    )


@claim(22)
def trade_off() -> Finding:
    beta = np.linspace(0, 1, 101)
    is_rising = bool(np.all(np.diff([ratio(b) for b in beta]) > 0))
    driven = [cycle_utilisation(b, 20.0, 5000) for b in (0.1, 0.3, 0.5, 0.7, 0.9)]
    return Finding(
        ours=f"(22) {'rises throughout' if is_rising else 'does not rise'}; the engine's updates in cycles to n* = 20 "
        f"use {listed(driven, '.3f')} at β = 0.1, 0.3, 0.5, 0.7, 0.9",
        holds=is_rising and bool(np.all(np.diff(driven) > 0.02)),
    )


@claim(23)
def time_in_periods() -> Finding:
    ramps = [climb(a, b) for a, b in ((2.0, 10.0), (5.0, 20.0))]
    slopes = [(len(n) - 1) / (n[-1] ** 2 - n[0] ** 2) for n in ramps]
    return Finding(
        ours=f"from 2 to 10 and from 5 to 20 by the engine: {listed(slopes, '.3f')} τ for each unit of N1² - N2²",
        holds=all(abs(slope / 2 - 1) < 0.01 for slope in slopes),
    )


@claim(24)
def no_starvation() -> Finding:
    """The engine holds n at 1; without that (21) at β < 1/2 would leave less."""
    lows, held, unheld = {}, {}, {}
    for beta in (0.25, 0.4, 0.5, 0.75, 0.9):
        told, lows[beta] = Told(beta), 100.0
        held[beta], unheld[beta] = 0, 100.0
        # From many n under a queue that stays.
        for height in (1.5, 2, 5, 20):
            told.climb(height)
            for _ in range(60):
                before = told.n
                bare = beta * before + (1 - beta) / before
                n = told.update(is_congested=True)
                lows[beta], unheld[beta] = min(lows[beta], n), min(unheld[beta], bare)
                held[beta] += bare < 1 - 1e-12
                if abs(n - max(bare, 1)) > 1e-12:
                    return Finding(ours=f"{n} after {before} at β = {beta}, {bare} by (21)", holds=False)
    return Finding(
        ours="least n under a queue that stays, with the engine's floor: "
        + ", ".join(f"{n:.3f}" for n in lows.values())
        + "; by (21) alone "
        + ", ".join(f"{n:.3f}" for n in unheld.values())
        + f" at β = {', '.join(f'{b:g}' for b in lows)}",
        holds=all(n == 1 for n in (lows[0.25], lows[0.4]))
        and all(n >= 1 - 1e-12 for n in lows.values())
        and all(held[beta] == 0 for beta in (0.5, 0.75, 0.9))
        and held[0.25] > 0
        and held[0.4] > 0,
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
    up, down = (TAU * (len(ramp) - 1) for ramp in (climb(2, 5), fall(5, 2)))
    return Finding(
        ours=f"two users with 1 and 6 connections: the difference halves in {half:.0f} s, more than 100 round trips; "
        f"after 6000 s n differs by {abs(apart[-1]):.0e}, x by {abs(run.rates[-1, 1] / run.rates[-1, 0] - 1):.0e}; "
        f"the engine's updates take {up:.0f} s from 2 to 5, {down:.0f} s from 5 to 2",
        holds=half > 16.8 and abs(apart[-1]) < 1e-2 and up > 5 * down and abs(up - 840) <= TAU and abs(down - 80) < 1,
    )

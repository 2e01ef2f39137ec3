"""Claims 8 to 18: windows over queueing-delay CSMA (section III and the appendix)."""

from __future__ import annotations

import numpy as np

import windward as ww
from windward.papers import Finding, claim
from windward.theory import num
from windward.theory.fluid import follow

from ...shared.quic_tcp import Case, Point, descent, ends, least_eigenvalue, random_windows
from ..graphs import at_rest, chain, product_form, random_case, random_region, sets
from .problem import coupling, worst_kkt

SEEDS = range(8)
RHOS = (0.25, 0.5, 1.0)


def points() -> list[Point]:
    """Random windows on random networks, small and large."""
    return [
        Point.of(case, random_windows(40 + at, case.flows, most / 30, most))
        for case in map(random_case, SEEDS)
        for at, most in enumerate((10.0, 60.0, 300.0))
    ]


@claim(8)
def fluid_relations() -> Finding:
    worst = 0.0
    for case in map(random_case, SEEDS):
        links, region = coupling(case)
        f = case.map()
        for seed in range(5):
            windows = random_windows(50 + seed, case.flows, 1, 300)
            rates, delays = f.solve(windows)
            link_delays = f.link_delays
            capacity = np.array([link["wired"] if link != "wireless" else 0.0 for link in case.network["links"]])
            # (13), (14) from their definitions.
            b = np.asarray(region["rates"])
            capacity[links] = b * (product_form(region, b * link_delays[links]) @ sets(region))
            load = case.incidence @ rates
            worst = max(
                worst,
                float(np.abs(rates * (case.base_rtt + delays) / windows - 1).max()),
                float(np.abs(case.incidence.T @ link_delays - delays).max()),
                float(np.abs(link_delays * (capacity - load)).max() / windows.sum()),
                float(((load - capacity) / capacity).max()),
                float(-link_delays.min()),
            )
    return Finding(ours=f"40 points: (10)-(14) to {worst:.0e}", holds=worst < 1e-8)


@claim(9)
def delays_set_the_chain() -> Finding:
    worst = 0.0
    for seed in SEEDS:
        luck = np.random.default_rng(60 + seed)
        region = random_region(luck, 6)
        b = np.asarray(region["rates"])
        delays = luck.uniform(0, 4, 6) / b
        u = at_rest(chain(region, b * np.exp(b * delays)))
        worst = max(worst, float(np.abs(b * (u @ sets(region)) - num.region_rates(region, delays)).max() / b.max()))
        worst = max(worst, float(np.abs(u - num.stationary(region, delays)).max()))
    return Finding(ours=f"8 graphs: the chain with a = b exp(b q) serves (14) to {worst:.0e}", holds=worst < 1e-9)


@claim(10)
def rest_is_unique_and_the_optimum() -> Finding:
    apart = kkt = 0.0
    for case in map(random_case, SEEDS):
        rests = np.array([case.rest(random_windows(seed, case.flows, 0.5, 500)) for seed in range(5)])
        apart = max(apart, float((np.ptp(rests, axis=0) / rests.mean(axis=0)).max()))
        f = case.map()
        rates, _ = f.solve(rests[0])
        links, region = coupling(case)
        u = num.stationary(region, f.link_delays[links])
        kkt = max(kkt, worst_kkt(case, rates, f.link_delays, u), float(np.abs(rates / case.best().rates - 1).max()))
    return Finding(
        ours=f"5 starts on each of 8 networks: w* differ by {apart:.0e}; x*, u* fulfil (3)-(7) to {kkt:.0e}",
        holds=apart < 1e-6 and kkt < 1e-6,
    )


@claim(11)
def the_jacobian_is_definite() -> Finding:
    least = np.inf
    count = 0
    for seed in range(40):
        luck = np.random.default_rng(70 + seed)
        links = int(luck.integers(2, 8))
        region = random_region(luck, links)
        b = np.asarray(region["rates"])
        jacobian = num.region_jacobian(region, luck.uniform(0.05, 4, links) / b)
        assert jacobian is not None
        # Congruent to the covariance of the activity, whose entries are alike.
        values = np.linalg.eigvalsh(jacobian / np.outer(b, b))
        # The sign counts: of a negative matrix the quotient of both is above 1.
        least, count = min(least, float(values[0] / np.abs(values).max())), count + 1
    return Finding(ours=f"{count} graphs: least over largest eigenvalue {least:.0e} or more", holds=least > 1e-9)


@claim(12)
def the_jacobian_is_a_covariance() -> Finding:
    worst = 0.0
    for seed in SEEDS:
        luck = np.random.default_rng(120 + seed)
        region = random_region(luck, 5)
        b, states = np.asarray(region["rates"]), sets(region).astype(float)
        delays = luck.uniform(0.05, 4, 5) / b
        u = product_form(region, b * delays)
        covariance = states.T @ np.diag(u) @ states - np.outer(u @ states, u @ states)
        formula = np.outer(b, b) * covariance
        steps = np.diag(1e-5 / b)
        differences = np.array(
            [
                (num.region_rates(region, delays + step) - num.region_rates(region, delays - step)) / (2 * step.max())
                for step in steps
            ]
        ).T
        for jacobian in (differences, num.region_jacobian(region, delays)):
            worst = max(worst, float(np.abs(jacobian - formula).max() / np.abs(formula).max()))
    return Finding(
        ours=f"8 graphs: differences of R by q and b_l b_n Cov(r_l, r_n) agree to {worst:.0e}", holds=worst < 1e-6
    )


@claim(13)
def the_inner_matrix_is_dominant() -> Finding:
    """U - mu mu^T without the empty set: each row's diagonal exceeds the rest by u_i u_0."""
    slack_off, least = 0.0, np.inf
    for seed in SEEDS:
        luck = np.random.default_rng(130 + seed)
        region = random_region(luck, 5)
        u = num.stationary(region, luck.uniform(0, 3, 5) / np.asarray(region["rates"]))
        inner = np.diag(u[1:]) - np.outer(u[1:], u[1:])
        slack = 2 * np.diag(inner) - np.abs(inner).sum(axis=1)
        slack_off = max(slack_off, float(np.abs(slack / (u[1:] * u[0]) - 1).max()))
        least = min(least, float(slack.min()))
    return Finding(
        ours=f"8 graphs: slack of every row above {least:.0e}, equal to u_i u_0 to {slack_off:.0e}",
        holds=least > 0 and slack_off < 1e-6,
    )


@claim(14)
def the_sets_have_full_rank() -> Finding:
    short = 0
    for seed in range(40):
        luck = np.random.default_rng(140 + seed)
        links = int(luck.integers(2, 10))
        states = sets(random_region(luck, links))[1:]
        has_singletons = all(any((state == unit).all() for state in states) for unit in np.eye(links, dtype=bool))
        short += np.linalg.matrix_rank(states.astype(float)) < links or not has_singletons
    return Finding(
        ours=f"40 graphs, the empty set left out: {short} without every singleton or short of rank", holds=short == 0
    )


@claim(15)
def windows_converge_for_all_rho() -> Finding:
    definite = min(least_eigenvalue(point, rho) for point in points() for rho in (0.1, *RHOS))
    free = [least_eigenvalue(point, 0.0) for point in points() if (point.delays < 1e-9).any()]
    distance, rise, runs = ends([random_case(seed) for seed in SEEDS], RHOS, 2)
    # rho = 0, where the proof has a gap: what comes of it all the same.
    far_0, rise_0, runs_0 = ends([random_case(seed) for seed in SEEDS], (0.0,), 4)
    return Finding(
        ours=f"K's least over largest eigenvalue: {definite:.0e} for ρ > 0, {min(free):.0e} for ρ = 0 with a flow "
        f"without queue. {runs} runs with ρ > 0 end within {distance:.0e} of the optimum, {runs_0} with ρ = 0 within "
        f"{far_0:.0e}; Y rises by {max(rise, rise_0):.0e} of its start at most",
        holds=definite > 1e-9
        and len(free) >= 3
        and max(map(abs, free)) < 1e-12
        and distance < 1e-4
        and far_0 < 1e-4
        and max(rise, rise_0) < 1e-9,
    )


@claim(16)
def y_falls_as_the_matrix_says() -> Finding:
    worst, count = 0.0, 0
    for point in points():
        for rho in (0.0, *RHOS):
            off = descent(point.case, point.windows, rho, point.case.slope(point.windows, point.rates, rho))
            if off is not None:
                worst, count = max(worst, off), count + 1
    return Finding(ours=f"{count} points: dY/dt by differences and by (26) agree to {worst:.0e}", holds=worst < 1e-4)


@claim(17)
def special_cases() -> Finding:
    worst = 0.0
    for point in points():
        case, v, share = point.case, point.case.gap(point.windows, point.rates), point.case.base_rtt / point.rtt

        def step(laws: list[ww.QuicTcp] | list[ww.Fast], point: Point = point, case: Case = case) -> np.ndarray:
            run = follow(
                case.network,
                laws,
                base_rtt_s=case.base_rtt,
                windows=point.windows,
                duration_s=0.02,
                interval_s=0.02,
                period_s=0.02,
                loss_free=True,
            )
            return np.asarray(run.windows[1] - run.windows[0])

        fast = step([ww.Fast(gamma=0.05, alpha=float(p)) for p in case.backlog])
        half = step([ww.QuicTcp(rho=0.5, kappa=0.05, backlog=float(p)) for p in case.backlog])
        one = step([ww.QuicTcp(rho=1.0, kappa=0.05, backlog=float(p)) for p in case.backlog])
        for ours, formula in ((fast, -0.05 * v), (half, share * fast), (one, -0.05 * share * v / point.windows)):
            worst = max(worst, float(np.abs(ours - formula).max() / np.abs(formula).max()))
    return Finding(
        ours=f"{len(points())} points: ρ = 1 is -κ (d/d̄) v/w and ρ = ½ FAST times d/d̄ to {worst:.0e}",
        holds=worst < 1e-5,
    )


@claim(18)
def the_contention_window_has_the_mean() -> Finding:
    """CW = 2 exp(-b q)/(b T) + 1, made an integer by chance; a back-off is uniform in 0 … CW - 1."""
    luck = np.random.default_rng(18)
    slot, draws = 20e-6, 400_000
    worst = 0.0
    for b in (700.0, 6875.0):
        for product in (0.0, 0.5, 1.0, 2.0):
            mean = np.exp(-product) / b
            window = 2 * mean / slot + 1
            whole = np.floor(window) + (luck.random(draws) < window % 1)
            measured = (luck.random(draws) * whole).astype(int).mean() * slot
            error = slot * whole.mean() / np.sqrt(12 * draws)
            worst = max(worst, abs(measured - mean) / error)
    # From the smallest window on the formula has no room: b q = 8 asks for less than a slot of mean.
    floor, below = 2 * np.exp(-8.0) / (700 * slot) + 1, np.exp(-8.0) / 700 / slot
    return Finding(
        ours=f"8 pairs of b and b q: mean of 400 000 draws within {worst:.1f} standard errors of exp(-b q)/b; at "
        f"b q = 8, b = 700/s, CW = {floor:.2f} and the mean {below:.2f} slots",
        holds=worst < 4 and 1 < floor < 1.1,
    )

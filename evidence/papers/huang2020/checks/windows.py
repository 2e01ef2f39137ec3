"""Claims 9 to 12, 16 and 18: where the windows go (sections III-A and IV)."""

from __future__ import annotations

import numpy as np

import windward as ww
from windward.papers import Finding, claim
from windward.theory import num
from windward.theory.fluid import follow
from windward.theory.num import Array

from ...shared.quic_tcp import Case, Point, descent, ends, least_eigenvalue, random_case, random_windows

#: Exponents of Theorems 2 and 3.
RHOS = (0.1, 0.25, 0.5, 0.75, 1.0)


def points() -> list[tuple[Case, Array]]:
    """Random windows on random networks with box and smooth regions: without queues, with some, with all."""
    cases = [random_case(seed, kind) for kind in ("box", "norm", "ellipsoid") for seed in range(6)]
    return [
        (case, random_windows(seed, case.flows, most / 30, most))
        for case in cases
        for seed, most in ((20, 30.0), (21, 300.0), (22, 3000.0))
    ]


@claim(9)
def y_falls_as_the_matrix_says() -> Finding:
    worst, count = 0.0, 0
    for case, windows in points():
        for rho in (0.0, *RHOS):
            off = descent(case, windows, rho, case.slope(windows, Point.of(case, windows).rates, rho))
            if off is not None:
                worst, count = max(worst, off), count + 1
    return Finding(
        ours=f"{count} points: dY/dt by differences and by (27) agree to {worst:.0e}",
        holds=worst < 1e-5 and count > 200,
    )


@claim(10)
def k_is_definite_but_for_rho_zero() -> Finding:
    definite = min(least_eigenvalue(Point.of(case, w), rho) for case, w in points() for rho in RHOS)
    free: list[float] = []
    queued: list[float] = []
    at_rest: list[float] = []
    for case, windows in points():
        point = Point.of(case, windows)
        (free if (point.delays < 1e-9).any() else queued).append(least_eigenvalue(point, 0.0))
    for seed in range(6):
        case = random_case(seed, "box")
        at_rest.append(least_eigenvalue(Point.of(case, case.rest(random_windows(1, case.flows))), 0.0))
    # The law that the text prints for rho = 0 is that of rho = 1; (27) at rho = 0 is of -kappa (d/d_bar) w v.
    printed = corrected = 0.0
    for case, windows in points():
        point = Point.of(case, windows)
        misprint = -(case.base_rtt / point.rtt) * case.gap(windows, point.rates) / windows
        printed = max(printed, descent(case, windows, 0.0, misprint) or 0.0)
        corrected = max(corrected, descent(case, windows, 0.0, case.slope(windows, point.rates, 0.0)) or 0.0)
    return Finding(
        ours=f"least over largest eigenvalue: ρ > 0 {definite:.0e}; ρ = 0 {min(free):.0e} with a flow without queue, "
        f"{min(queued):.0e} else, {min(at_rest):.0e} at rest. dY/dt at ρ = 0: off by {printed:.0%} with v/w, by "
        f"{corrected:.0e} with w v",
        holds=definite > 1e-9
        and len(free) >= 10
        and max(map(abs, free)) < 1e-12
        and min(queued) > 1e-9
        and min(at_rest) > 1e-3
        and printed > 0.1
        and corrected < 1e-5,
    )


@claim(11)
def windows_converge_in_a_box() -> Finding:
    distance, rise, runs = ends([random_case(seed, "box") for seed in range(6)], RHOS[1:], 4)
    return Finding(
        ours=f"{runs} runs: x within {distance:.0e} of the optimum, Y never rises by more than {rise:.0e} of its start",
        holds=distance < 1e-4 and rise < 1e-9,
    )


@claim(12)
def special_cases() -> Finding:
    """One update of the engine's laws at random windows against the formulas of the text."""
    worst = 0.0
    case = random_case(0, "box")
    for seed in range(20):
        windows = random_windows(30 + seed, case.flows, 5, 500)
        point = Point.of(case, windows)
        v, share = case.gap(windows, point.rates), case.base_rtt / point.rtt

        def step(law: type[ww.QuicTcp] | type[ww.Fast], windows: Array = windows, **fields: float) -> Array:
            name = "backlog" if law is ww.QuicTcp else "alpha"
            laws = [law(**{name: float(p)}, **fields) for p in case.backlog]  # type: ignore[arg-type]
            run = follow(
                case.network,
                laws,
                base_rtt_s=case.base_rtt,
                windows=windows,
                duration_s=0.02,
                interval_s=0.02,
                period_s=0.02,
                loss_free=True,
            )
            return np.asarray(run.windows[1] - run.windows[0])

        fast = step(ww.Fast, gamma=0.05)
        pairs = [
            (fast, -0.05 * v),
            (step(ww.QuicTcp, rho=0.5, kappa=0.05), share * fast),
            (step(ww.QuicTcp, rho=1.0, kappa=5.0), -5.0 * share * v / windows),
            (step(ww.QuicTcp, rho=0.0, kappa=5e-4), -5e-4 * share * v * windows),
        ]
        worst = max(worst, *(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs))
    return Finding(
        ours=f"20 points: ρ = 1 is -κ (d/d̄) v/w, ρ = ½ FAST times d/d̄, ρ = 0 -κ (d/d̄) w v, all to {worst:.0e}",
        holds=worst < 1e-5,
    )


@claim(16)
def windows_converge_in_smooth_regions() -> Finding:
    cases = [random_case(seed, kind) for kind in ("norm", "ellipsoid") for seed in range(4)]
    coupled = sum(
        bool(Point.of(case, case.rest(random_windows(1, case.flows))).link_delays[3:].any()) for case in cases
    )
    distance, rise, runs = ends(cases, RHOS[1:], 3)
    return Finding(
        ours=f"{runs} runs, {coupled} of 8 networks end with the air full: x within {distance:.0e} of the optimum, Y "
        f"never rises by more than {rise:.0e} of its start",
        holds=distance < 1e-4 and rise < 1e-9 and coupled >= 4,
    )


@claim(18)
def windows_converge_in_piecewise_linear_regions() -> Finding:
    cases = [random_case(seed, "half_spaces") for seed in range(6)]
    # A cell with three levels of rate and few channel draws: r* jumps at corners, and is shared in time on edges.
    luck = np.random.default_rng(18)
    cell: num.Region = {"kind": "fading", "rates": luck.choice([0.0, 300.0, 900.0, 1500.0], (12, 3))}
    cases += [
        Case(
            network={
                "links": [{"wired": float(luck.uniform(400, 1200))}, "wireless", "wireless", "wireless"],
                "couplings": [{"links": [1, 2, 3], "region": cell}],
                "routes": [[0, 1], [0, 2], [0, 3], [1]],
            },
            base_rtt=luck.uniform(0.02, 0.2, 4),
            backlog=luck.uniform(5, 40, 4),
        )
        for _ in range(3)
    ]
    distance, rise, runs = ends(cases, (0.25, 0.5, 1.0), 2)
    return Finding(
        ours=f"{runs} runs: x within {distance:.0e} of the optimum; Y never rises by more than {rise:.0e} of its start",
        holds=distance < 1e-4 and rise < 1e-6,
    )

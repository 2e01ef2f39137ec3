"""Claims 1, 10, 11 and 14: which arrivals MaxWeight carries, and how much waits."""

from __future__ import annotations

from functools import cache

import numpy as np

from windward.papers import Finding, claim

from ..slotted import SLOT_S, boundary, network, poisson

SLOTS = 100_000
#: Two receivers of one station, each ON in half of the slots (Fig. 1(a)); the diamond, both ways round.
STAR = ("star", (("A", "B"), ("A", "C")), ((("A", "B"), 0.5), (("A", "C"), 0.5)))
DIAMOND = ("diamond", (("A", "B"), ("A", "D")), ())
CASES = {"star": STAR, "diamond": DIAMOND}


@cache
def edge(name: str) -> float:
    shape, flows, off = CASES[name]
    return boundary(shape, flows, dict(off))


@cache
def waiting(name: str, k: int, part: float) -> tuple[float, float]:
    """Packets left after all slots, and on average over the second half, at `part` of the boundary."""
    shape, flows, off = CASES[name]
    run = network(
        shape,
        f"{k} packets" if k else 0,
        off=dict(off),
        duration=f"{SLOTS * SLOT_S} s",
        warmup=f"{SLOTS * SLOT_S / 2} s",
        background=[poisson(ends, part * edge(name)) for ends in flows],
    ).simulate()
    return float(run.backlogs["last_backlog"].sum()), float(run.backlogs["mean_backlog"].sum())


def surplus(name: str, part: float) -> float:
    """Expected number of arrivals beyond the boundary; `deviation` is five standard deviations of the arrivals."""
    return 2 * (part - 1) * edge(name) * SLOTS


def deviation(name: str) -> float:
    return float(5 * np.sqrt(2 * edge(name) * SLOTS))


@claim(1)
def max_weight_stabilises_what_can_be_carried() -> Finding:
    inside = {part: waiting("star", 0, part) for part in (0.5, 0.9, 0.95)}
    # Three quarters of the slots serve somebody (Tassiulas and Ephremides 1993): by hand, not by the solver.
    is_known = abs(2 * edge("star") - 0.75) < 1e-6
    return Finding(
        ours=f"the region ends at {2 * edge('star'):.4f} packets a slot; at 50, 90, 95 % of it "
        + ", ".join(f"{mean:.1f}" for _, mean in inside.values())
        + " packets wait on average",
        holds=is_known and all(last < 0.005 * SLOTS for last, _ in inside.values()),
    )


@claim(10)
def any_finite_k_is_stable_inside() -> Finding:
    left = {(name, k): waiting(name, k, 0.95)[0] for name in CASES for k in (0, 10, 50)}
    beyond = {(name, k): waiting(name, k, 1.05)[0] for name in CASES for k in (0, 10, 50)}
    grows = all(abs(last - surplus(name, 1.05)) < deviation(name) for (name, _), last in beyond.items())
    return Finding(
        ours=f"of {SLOTS} slots' packets at 95 % of the boundary at most {max(left.values()):.0f} are left; at 105 % "
        + ", ".join(f"{last:.0f}" for last in beyond.values())
        + " for a surplus of "
        + ", ".join(f"{surplus(name, 1.05):.0f}" for name in CASES),
        holds=all(last < deviation(name) for (name, _), last in left.items()) and grows,
    )


@claim(11)
def backlog_is_linear_in_k_within_the_bound() -> Finding:
    # The second link needs nearly all of its slots, and below K both queues count alike: its queue is about K.
    off, rates = {("A", "B"): 0.1, ("A", "C"): 0.7}, {("A", "B"): 0.58, ("A", "C"): 0.28}
    ks = (0, 20, 40, 80, 160)

    def mean(k: int) -> float:
        run = network(
            "star",
            f"{k} packets" if k else 0,
            off=off,
            duration=f"{4 * SLOTS * SLOT_S} s",
            warmup=f"{SLOTS * SLOT_S} s",
            background=[poisson(ends, rate) for ends, rate in rates.items()],
        ).simulate()
        return float(run.backlogs["mean_backlog"].sum())

    means = [mean(k) for k in ks]
    # B: a packet leaves a slot at most, arrivals have the second moments of Poisson numbers; |L| = |S| = 2; with
    # ε = 0.02 λ + ε is on the boundary λ_C ≤ 0.3.
    b = 1 + sum(rate + rate**2 for rate in rates.values())
    bounds = [(b + 2 * 2 * 2 * k) / (2 * 0.02) for k in ks]
    slopes = np.diff(means[1:]) / np.diff(ks[1:])
    return Finding(
        ours=f"at K = {', '.join(map(str, ks))}: {', '.join(f'{value:.1f}' for value in means)} packets, a slope of "
        f"{slopes.min():.2f} to {slopes.max():.2f}; the bound is {', '.join(f'{value:.0f}' for value in bounds)}",
        holds=all(np.less(means, bounds)) and bool(np.abs(slopes - 1).max() < 0.15),
    )


@claim(14)
def the_region_is_that_of_classical_backpressure() -> Finding:
    ks, parts = (0, 10, 50), (0.95, 1.05)
    stable = {(name, k): [waiting(name, k, part)[0] < deviation(name) for part in parts] for name in CASES for k in ks}
    return Finding(
        ours=f"{sum(verdict == [True, False] for verdict in stable.values())} of {len(stable)} pairs of network and K "
        "stay at 95 % and grow at 105 % of one boundary",
        holds=all(verdict == [True, False] for verdict in stable.values()),
    )

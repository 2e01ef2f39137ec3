"""The best rates of random networks against CVXPY and Clarabel (num_oracle.py says how it comes to its digits).

210 instances: seven kinds of network, 2 to 200 flows, three families of utilities, one of each size. Those of 50 flows
and more are long tests.
"""

import itertools
from typing import Any

import numpy as np
import pytest

from windward.theory import num

KINDS = ["wired", "norm", "ellipsoid", "half_spaces", "fading", "csma", "csma_entropy"]
SIZES = [2, 3, 5, 8, 12, 20, 30, 50, 100, 200]


@pytest.mark.parametrize("seeds", ["0 to 6", pytest.param("7 to 9", marks=pytest.mark.long)])
@pytest.mark.parametrize("family", ["log", "alpha", "reno"])
@pytest.mark.parametrize("kind", KINDS)
def test_rates_and_objective(kind: str, family: str, seeds: str) -> None:
    # It imports CVXPY, which takes a second in each process that collects this module.
    from num_oracle import Oracle

    first, last = map(int, seeds.split(" to "))
    for seed, flows in [*enumerate(SIZES)][first : last + 1]:
        problem = random_problem(np.random.default_rng([seed, KINDS.index(kind), len(family)]), kind, flows, family)
        ours, theirs = num.solve(problem), Oracle(problem)
        theirs.solve()
        # The judge has settled ten times closer than it judges.
        assert theirs.last_step < 1e-7, seed
        assert ours.rates == pytest.approx(theirs.rates, rel=1e-6, abs=0), f"seed {seed}, residual {ours.residual}"
        assert ours.objective == pytest.approx(theirs.objective(), rel=1e-8), seed


def around_one(rng: np.random.Generator, *shape: int) -> Any:
    """Values spread evenly in their logarithm over one power of ten."""
    return 10 ** rng.uniform(-0.5, 0.5, shape or None)


def random_problem(rng: np.random.Generator, kind: str, flows: int, family: str) -> dict[str, Any]:
    """Wired links and, unless `kind` is "wired", one coupling; every flow crosses one to four links."""
    links = int(np.clip(flows // 3, 3, 60))
    wireless = 0 if kind == "wired" else int(np.clip(links // 2, 2, 8))
    wired = max(links - wireless, 1)
    links = wired + wireless
    routes = [rng.choice(links, rng.integers(1, min(links, 4) + 1), replace=False) for _ in range(flows)]
    couplings = [{"links": list(range(wired, links)), "region": random_region(rng, kind, wireless)}]
    return {
        "network": {
            "links": [{"wired": around_one(rng) * flows / links} for _ in range(wired)] + ["wireless"] * wireless,
            "couplings": couplings if wireless else [],
            "routes": routes,
        },
        "utilities": [random_utility(rng, family) for _ in range(flows)],
    }


def random_utility(rng: np.random.Generator, family: str) -> dict[str, Any]:
    """Weights differ by a factor of ten; the flows of a network differ in alpha."""
    weight = around_one(rng)
    match family:
        case "log":
            return {"kind": "proportional_fair", "weight": weight}
        case "alpha":
            return {"kind": "alpha_fair", "weight": weight, "alpha": rng.choice([0.5, 1.5, 2.0, 3.0])}
        case "reno":
            return {"kind": "reno", "segment": 1.0, "rtt": weight, "loss": rng.uniform(0, 0.1)}
    raise ValueError(family)


def random_region(rng: np.random.Generator, kind: str, k: int) -> dict[str, Any]:
    """A region of k links."""
    match kind:
        case "norm":
            return {"kind": "norm", "capacity": around_one(rng, k), "exponent": rng.uniform(1.1, 6)}
        case "ellipsoid":
            # Entries of both signs: rates help and hinder one another.
            b = rng.uniform(-0.5, 0.5, (k, k))
            matrix = b @ b.T + np.eye(k)
            return {"kind": "ellipsoid", "matrix": (matrix + matrix.T) / 2}
        case "half_spaces":
            return {"kind": "half_spaces", "normals": around_one(rng, k + 2, k), "offsets": around_one(rng, k + 2)}
        case "fading":
            draws = rng.choice([0, 0.5, 1, 1.5, 3, 4.5], (rng.integers(5, 40), k))
            return {"kind": "fading", "rates": np.vstack([draws, np.full(k, 0.5)])}
        case "csma" | "csma_entropy":
            conflicts = [pair for pair in itertools.combinations(range(k), 2) if rng.random() < 0.5]
            entropy = around_one(rng) if kind == "csma_entropy" else 0.0
            return {"kind": "csma", "rates": around_one(rng, k), "conflicts": conflicts, "entropy": entropy}
    return {}

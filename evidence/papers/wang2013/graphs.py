"""Random conflict graphs, and the ideal CSMA of section II-A as a Markov chain."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from windward.theory import num
from windward.theory.num import Array

from ..shared.quic_tcp import Case


def random_region(luck: np.random.Generator, links: int, entropy: float = 1.0) -> num.Csma:
    """Each pair of links conflicts with probability one half; each link alone sends 300 to 1500 packets a second."""
    conflicts = [pair for pair in combinations(range(links), 2) if luck.random() < 0.5]
    return {"kind": "csma", "rates": luck.uniform(300, 1500, links), "conflicts": conflicts, "entropy": entropy}


def random_case(seed: int, entropy: float = 1.0) -> Case:
    """Five flows, each over one of two wires and then one to three of five links of the air, which are all used."""
    luck = np.random.default_rng([seed, 2013])
    wires: list[num.Wired] = [{"wired": float(c)} for c in luck.uniform(300, 1500, 2)]
    network: num.Network = {
        "links": [*wires, "wireless", "wireless", "wireless", "wireless", "wireless"],
        "couplings": [{"links": [2, 3, 4, 5, 6], "region": random_region(luck, 5, entropy)}],
        "routes": [
            [int(luck.integers(2)), 2 + flow, *(2 + (flow + 1 + k) % 5 for k in range(luck.integers(3)))]
            for flow in range(5)
        ],
    }
    return Case(network=network, base_rtt=luck.uniform(0.01, 0.1, 5), backlog=luck.uniform(1, 10, 5))


def sets(region: num.Csma) -> NDArray[np.bool_]:
    """r^i as rows, the empty set first."""
    return num.independent_sets(len(region["rates"]), [(int(a), int(b)) for a, b in region["conflicts"]])


def product_form(region: num.Csma, aggressiveness: Array) -> Array:
    """(1): Pr(r^i) proportional to the exponential of the sum of rho_l r_l^i."""
    weight = sets(region) @ aggressiveness
    u = np.exp(weight - weight.max())
    return np.asarray(u / u.sum())


def chain(region: num.Csma, attempts: Array) -> Array:
    """The generator of the chain over the independent sets.

    A link that may start does so at rate a_l, one that sends ends at rate b_l.
    """
    states = sets(region)
    index = {tuple(state): at for at, state in enumerate(states)}
    generator = np.zeros((len(states), len(states)))
    for at, state in enumerate(states):
        for link in range(states.shape[1]):
            other = state.copy()
            other[link] = not other[link]
            to = index.get(tuple(other))
            if to is not None:
                generator[at, to] = np.asarray(region["rates"])[link] if state[link] else attempts[link]
    generator -= np.diag(generator.sum(axis=1))
    return generator


def at_rest(generator: Array) -> Array:
    """The distribution that a chain keeps: u Q = 0, the entries of u summing to 1."""
    system = np.vstack([generator.T / np.abs(generator).max(), np.ones(len(generator))])
    return np.asarray(np.linalg.lstsq(system, np.append(np.zeros(len(generator)), 1.0), rcond=None)[0])

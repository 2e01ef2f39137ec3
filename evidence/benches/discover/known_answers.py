"""Problems with known answers, on which `discover`'s families are tried: rests of laws on paths whose delay is a price.

Flows share links whose queueing delay grows with the load, as M/M/1's does: q(y) = 1/(C - y). Rates are best where
the sum of the flows' utilities less the integral of the links' delays is greatest (Kelly, Maulloo, Tan, 1998), that is
where each flow's marginal utility is its queueing delay. A law of windows W = T(W, q) rests at some rate x(q) for each
delay q. Its worth is the objective there; the law whose rest is the marginal utility has the best.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windward._discover.contract import GENES, Contract
from windward._discover.trees import Node, Plant, Trees, operation, packets, quantity

Array = NDArray[np.float64]

#: Queueing delays at which a law's rest is found, in seconds; between them it is interpolated.
DELAYS = np.geomspace(1e-5, 10.0, 80)

_PLACES = np.log(DELAYS)

#: Rates between which a rest is, in packets per second.
LEAST, MOST = 0.1, 1e7

#: Target window of a law: of the window in packets, base over round-trip time, rate in packets/s and base in seconds.
Target = Callable[[Array, Array, Array, Array], Array]


@dataclass(frozen=True)
class Problem:
    """Links and the flows over them."""

    #: Base round-trip times by link and flow, in seconds.
    bases: Array
    #: Capacity of each link, in packets per second.
    capacities: Array
    #: Rate at which the marginal utility of a flow of this base round-trip time is a delay.
    demand: Callable[[Array, Array], Array]

    def worth(self, target: Target) -> float:
        """Mean objective over links, less that of the best rates: at most 0."""
        best = self._objective(self.demand(self.bases[..., None], DELAYS))
        return float(np.mean(self._objective(rest(target, self.bases)) - best))

    def _objective(self, rates: Array) -> Array:
        """Utilities less the price of delay, where rates at the delays are `rates` and all flows see their link's."""
        return np.array([self._of_link(at, capacity, np.log(rates[at])) for at, capacity in enumerate(self.capacities)])

    def _of_link(self, at: int, capacity: float, rates: Array) -> float:
        """The objective of a link, from logarithms of its flows' rates at the delays."""

        def wanted(place: float) -> Array:
            return np.exp([np.interp(place, _PLACES, own) for own in rates])

        # The load that the flows want falls with the delay, the delay that it makes grows: they meet once.
        low, high = _PLACES[0], _PLACES[-1]
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if np.sum(wanted(middle)) > capacity - math.exp(-middle) else (low, middle)
        x = wanted(high)
        load = float(np.sum(x))
        if load >= capacity:
            # No delay makes the flows fit.
            return -1e3
        utility = sum(self._utility(math.log(own), float(base)) for own, base in zip(x, self.bases[at], strict=True))
        return utility + math.log(1.0 - load / capacity)

    def _utility(self, log_rate: float, base: float) -> float:
        """Integral of the marginal utility from 1 packet/s on, over the logarithm of the rate."""
        rates = np.log(self.demand(np.array([base]), DELAYS))
        grid = np.linspace(0.0, log_rate, 200)
        marginal = np.exp(np.interp(grid, rates[::-1], _PLACES[::-1]) + grid)
        return float(np.trapezoid(marginal, grid))


def rest(target: Target, bases: Array) -> Array:
    """Rates at which a law rests at each of the delays, by link, flow and delay."""
    base = bases[..., None] + 0.0 * DELAYS
    rtt = base + DELAYS
    low, high = np.full_like(rtt, math.log(LEAST)), np.full_like(rtt, math.log(MOST))
    with np.errstate(all="ignore"):
        for _ in range(45):
            middle = (low + high) / 2
            rate = np.exp(middle)
            window = rate * rtt
            grows = target(window, base / rtt, rate, base) > window
            low, high = np.where(grows, middle, low), np.where(grows, high, middle)
    return np.exp((low + high) / 2)


def problem(demand: Callable[[Array, Array], Array], seed: int, links: int = 8, flows: int = 3) -> Problem:
    """Links of 100 to 10 000 packets/s, 1.2 to 120 Mbit/s, and flows of 10 to 200 ms."""
    draw = random.Random(seed)
    bases = np.array([[0.01 * 20 ** draw.random() for _ in range(flows)] for _ in range(links)])
    return Problem(bases, np.array([100 * 100 ** draw.random() for _ in range(links)]), demand)


def backlog(packets: float) -> Callable[[Array, Array], Array]:
    """Marginal utility p/x: proportional fairness with a weight 1/p of delay. QUIC-TCP's rest, x·q = p."""
    return lambda base, delay: packets / delay + 0.0 * base


def damped(packets: float) -> Callable[[Array, Array], Array]:
    """Rest of T = W·share + p·share: x·q = p·base/(base + q)."""
    return lambda base, delay: packets * base / (base + delay) / delay


def of_contract(constants: dict[str, float]) -> Target:
    """Target of a contract, without losses."""
    theta, p, q = (constants[name] for name in ("theta", "p", "q"))
    return lambda window, share, rate, _base: window * share * (1 + theta) + p + q * np.log2(1 + rate / 100)


def of_tree(tree: Node) -> Target:
    """Target of a tree, without losses: the least round-trip time of a round is that of all."""

    def target(window: Array, share: Array, rate: Array, base: Array) -> Array:
        quantities = {
            "w": window,
            "w * share": window * share,
            "w * (1 - share)": window * (1 - share),
            "rate * base": rate * base,
            "share": share,
            "base / least": share,
            "lost": 0.0 * share,
            "1 / w": 1 / window,
        }

        def value(node: Node) -> Array:
            if not node.name:
                return np.full_like(window, node.value)
            if not node.parts:
                return quantities[node.name]
            return OPERATIONS[node.name](*(value(part) for part in node.parts))

        return value(tree)

    return target


OPERATIONS: dict[str, Callable[..., Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "sqrt": np.sqrt,
    "log2": np.log2,
    "exp2": np.exp2,
}

#: Tree that is best for `damped(20)`, and the cost below which another is as good.
PLANTED = operation("+", quantity("w * share"), operation("*", packets(20.0), quantity("share")))
ENOUGH = 1e-4

#: Coefficients of the target; the others move the window, not its rest.
RESTING = ("theta", "p", "q")


def rediscover(packets: float, seed: int, trials: int = 1500) -> dict[str, float]:
    """The contract that CMA-ES finds for proportional fairness with a weight 1/`packets` of delay."""
    genes = tuple(own for own in GENES if own.name in RESTING)
    given = problem(backlog(packets), seed)
    family = Contract(seed, genes, law=lambda values: {"constants": dict(values)})
    best: tuple[float, dict[str, float]] = (math.inf, {})
    tried = 0
    while tried < trials:
        laws = [own["constants"] for own in family.ask()]
        costs = [-given.worth(of_contract(own)) for own in laws]
        family.tell(costs, [0.0] * len(costs))
        tried += len(laws)
        best = min([best, *zip(costs, laws, strict=True)], key=lambda own: own[0])
    return best[1]


def breed(
    given: Problem, seed: int, *, trials: int = 3000, starts: Sequence[Plant] = (), enough: float = 0.0
) -> tuple[float, Plant]:
    """The tree that is bred for a problem, and what it lacks of the best; ends when it lacks little."""
    family = Trees(seed, starts, size=40)
    best: tuple[float, Plant] | None = None
    known: dict[Node, float] = {}
    tried = 0
    while tried < trials and (best is None or best[0] > enough):
        family.ask()
        costs = []
        for plant in family.plants:
            if plant.tree not in known:
                worth = given.worth(of_tree(plant.tree))
                known[plant.tree] = -worth if math.isfinite(worth) else 1e9
            costs.append(known[plant.tree])
        family.tell(costs, [0.0] * len(costs))
        tried += len(costs)
        own = min(zip(costs, range(len(costs)), strict=True))
        if best is None or own[0] < best[0]:
            best = own[0], family.plants[own[1]]
    assert best is not None
    return best


def apart(found: Target, known: Target, seed: int) -> float:
    """Largest relative difference of two laws' windows at rest, on paths that the search has not seen."""
    bases = problem(backlog(1.0), seed + 1000).bases
    one, other = rest(found, bases), rest(known, bases)
    # Windows from 2 to 10 000 packets.
    window = other * (bases[..., None] + DELAYS)
    within = (window > 2) & (window < 1e4)
    return float(np.max(np.abs(one / other - 1)[within]))

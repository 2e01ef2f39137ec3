"""Samplers of the unit cube, asked for a generation of points and told how they rank.

Written here: of a generation's points only the ranks are told, and each draws from a generator that is the same in
every version of Python, so that a search gives the same trials everywhere. `Random.random` is all that they draw from.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Sampler(Protocol):
    """A search over points of the unit cube, generation by generation."""

    def ask(self) -> list[Vector]:
        """The points of the next generation."""

    def tell(
        self, points: Sequence[Vector], objectives: Sequence[Sequence[float]], violations: Sequence[float]
    ) -> None:
        """Results of the points: objectives to be made small, and by how much each point breaks its bounds."""


def hypercube(count: int, dimensions: int, seed: int) -> list[Vector]:
    """A Latin hypercube: each coordinate has one point in each of `count` equal parts, in random order.

    M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21(2), 1979.
    """
    chance = random.Random(seed)  # noqa: S311
    columns = []
    for _ in range(dimensions):
        order = sorted(range(count), key=[chance.random() for _ in range(count)].__getitem__)
        columns.append([(stratum + chance.random()) / count for stratum in order])
    return [np.array(point) for point in zip(*columns, strict=True)]


#: Points of the first generation of every search, for each field.
FIRST = 10


def first(present: Sequence[float], seed: int) -> list[Vector]:
    """First generation of a search: the present point, then a Latin hypercube."""
    return [np.array(present), *hypercube(FIRST * len(present) - 1, len(present), seed)]


class CmaEs:
    """CMA-ES for one objective, begun at the best of a Latin hypercube.

    N. Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv 1604.00772, 2016: the non-elitist strategy of its
    appendix A with positive weights and the default constants. Points outside of the cube are moved to its surface
    before they are tried, and learned from as they were tried. When its step is below the resolution of the search it
    begins again, with a doubled population (A. Auger, N. Hansen, CEC 2005).

    Parameters
    ----------
    first
        Points of the first generation.
    """

    #: The first step, as a share of each range, and the step below which the search begins again.
    STEP, LEAST_STEP = 0.2, 1e-4

    def __init__(self, first: Sequence[Vector], seed: int) -> None:
        self._first: list[Vector] | None = list(first)
        self._chance = random.Random(seed)  # noqa: S311
        self._dimensions = len(first[0])
        #: Even, so that two cores have the same share of it.
        self._population = 2 * math.ceil((4 + math.floor(3 * math.log(self._dimensions))) / 2)
        self._best: tuple[tuple[float, float], Vector] | None = None

    def ask(self) -> list[Vector]:
        """The hypercube first, then samples of the search distribution."""
        if self._first is not None:
            return self._first
        return [
            np.clip(self._mean + self._step * (self._axes @ (self._lengths * self._normal())), 0.0, 1.0)
            for _ in range(self._population)
        ]

    def tell(
        self, points: Sequence[Vector], objectives: Sequence[Sequence[float]], violations: Sequence[float]
    ) -> None:
        """Moves the distribution towards the better half."""
        keys = [(violation, own[0]) for own, violation in zip(objectives, violations, strict=True)]
        order = sorted(range(len(points)), key=lambda at: (*keys[at], at))
        if self._best is None or keys[order[0]] < self._best[0]:
            self._best = (keys[order[0]], points[order[0]])
        if self._first is not None:
            self._first = None
            self._begin(self._best[1])
            return
        self._learn([points[at] for at in order])
        if self._step * float(np.max(self._lengths)) < self.LEAST_STEP:
            self._population *= 2
            self._begin(np.array([self._chance.random() for _ in range(self._dimensions)]))

    def _begin(self, mean: Vector) -> None:
        n, parents = self._dimensions, self._population // 2
        raw = np.log((self._population + 1) / 2) - np.log(np.arange(1, parents + 1))
        self._weights = raw / raw.sum()
        mass = 1 / float(np.sum(self._weights**2))
        self._mass = mass
        self._c_sigma = (mass + 2) / (n + mass + 5)
        self._damping = 1 + 2 * max(0.0, math.sqrt((mass - 1) / (n + 1)) - 1) + self._c_sigma
        self._c_path = (4 + mass / n) / (n + 4 + 2 * mass / n)
        self._c_one = 2 / ((n + 1.3) ** 2 + mass)
        self._c_mass = min(1 - self._c_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
        self._norm = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self._mean, self._step, self._generation = mean, self.STEP, 0
        self._covariance = np.eye(n)
        self._axes, self._lengths = np.eye(n), np.ones(n)
        self._path_sigma, self._path = np.zeros(n), np.zeros(n)

    def _learn(self, ordered: Sequence[Vector]) -> None:
        self._generation += 1
        n = self._dimensions
        steps = np.array([(point - self._mean) / self._step for point in ordered[: len(self._weights)]])
        step = self._weights @ steps
        self._mean = self._mean + self._step * step
        whitened = self._axes @ ((self._axes.T @ step) / self._lengths)
        c = self._c_sigma
        self._path_sigma = (1 - c) * self._path_sigma + math.sqrt(c * (2 - c) * self._mass) * whitened
        length = float(np.linalg.norm(self._path_sigma))
        aged = math.sqrt(1 - (1 - c) ** (2 * self._generation))
        is_straight = length / aged < (1.4 + 2 / (n + 1)) * self._norm
        c = self._c_path
        self._path = (1 - c) * self._path + (math.sqrt(c * (2 - c) * self._mass) * step if is_straight else 0.0)
        lost = 0.0 if is_straight else c * (2 - c)
        ranked = (steps.T * self._weights) @ steps
        self._covariance = (
            (1 - self._c_one - self._c_mass + self._c_one * lost) * self._covariance
            + self._c_one * np.outer(self._path, self._path)
            + self._c_mass * ranked
        )
        self._step = min(0.5, self._step * math.exp(self._c_sigma / self._damping * (length / self._norm - 1)))
        values, self._axes = np.linalg.eigh((self._covariance + self._covariance.T) / 2)
        self._lengths = np.sqrt(np.maximum(values, 1e-20))

    def _normal(self) -> Vector:
        """Normal numbers by Box and Muller's transform."""
        draws = [(self._chance.random(), self._chance.random()) for _ in range(self._dimensions)]
        return np.array([math.sqrt(-2 * math.log(1 - a)) * math.cos(2 * math.pi * b) for a, b in draws])


class Nsga2:
    """NSGA-II for two objectives, begun with a Latin hypercube.

    K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, IEEE Trans. Evol. Comput. 6(2), 2002, with its constrained domination,
    simulated binary crossover (index 15, probability 0.9) and polynomial mutation (index 20, probability 1/n).
    """

    CROSSING, CROSSING_INDEX, MUTATION_INDEX = 0.9, 15.0, 20.0

    def __init__(self, first: Sequence[Vector], seed: int) -> None:
        self._first: list[Vector] | None = list(first)
        self._chance = random.Random(seed)  # noqa: S311
        self._size = max(8, 2 * math.ceil(len(first) / 2))
        self._parents: list[tuple[Vector, tuple[float, ...], float]] = []
        self._order: list[tuple[int, float]] = []

    def ask(self) -> list[Vector]:
        """The hypercube first, then children of tournaments."""
        if self._first is not None:
            return self._first
        children: list[Vector] = []
        while len(children) < self._size:
            children += self._cross(self._winner(), self._winner())
        return [self._mutate(child) for child in children[: self._size]]

    def tell(
        self, points: Sequence[Vector], objectives: Sequence[Sequence[float]], violations: Sequence[float]
    ) -> None:
        """Keeps the best fronts of parents and children, of the last one those that stand apart."""
        self._first = None
        told = zip(points, objectives, violations, strict=True)
        everybody = [*self._parents, *((point, tuple(own), violation) for point, own, violation in told)]
        ranked: list[tuple[int, float, int]] = []
        for rank, front in enumerate(fronts([(own, violation) for _, own, violation in everybody])):
            spread = crowding([everybody[at][1] for at in front])
            ranked += [(rank, -apart, at) for at, apart in zip(front, spread, strict=True)]
        ranked.sort()
        kept = ranked[: self._size]
        self._parents = [everybody[at] for _, _, at in kept]
        self._order = [(rank, apart) for rank, apart, _ in kept]

    def _winner(self) -> Vector:
        first, second = (int(self._chance.random() * len(self._parents)) for _ in range(2))
        return self._parents[min(first, second, key=lambda at: (self._order[at], at))][0]

    def _cross(self, first: Vector, second: Vector) -> list[Vector]:
        if self._chance.random() > self.CROSSING:
            return [first.copy(), second.copy()]
        one, other = first.copy(), second.copy()
        for at in range(len(first)):
            u = self._chance.random()
            power = 1 / (self.CROSSING_INDEX + 1)
            spread = (2 * u) ** power if u <= 0.5 else (1 / (2 * (1 - u))) ** power
            middle, half = (first[at] + second[at]) / 2, spread * (first[at] - second[at]) / 2
            one[at], other[at] = middle + half, middle - half
        return [np.clip(one, 0.0, 1.0), np.clip(other, 0.0, 1.0)]

    def _mutate(self, point: Vector) -> Vector:
        power = 1 / (self.MUTATION_INDEX + 1)
        for at in range(len(point)):
            if self._chance.random() < 1 / len(point):
                u = self._chance.random()
                point[at] += (2 * u) ** power - 1 if u < 0.5 else 1 - (2 * (1 - u)) ** power
        return np.clip(point, 0.0, 1.0)


def fronts(told: Sequence[tuple[Sequence[float], float]]) -> list[list[int]]:
    """Indices of points by front: of the first front none is dominated, of the next only by those before.

    A point within its bounds dominates one outside, of two outside the one that is less so.
    """
    left = list(range(len(told)))
    found = []
    while left:
        front = [at for at in left if not any(_dominates(told[other], told[at]) for other in left)]
        found.append(front)
        taken = set(front)
        left = [at for at in left if at not in taken]
    return found


def _dominates(one: tuple[Sequence[float], float], other: tuple[Sequence[float], float]) -> bool:
    if one[1] or other[1]:
        return one[1] < other[1]
    pairs = list(zip(one[0], other[0], strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def crowding(points: Sequence[Sequence[float]]) -> list[float]:
    """Distance of each point of a front to its neighbours; infinite at the ends."""
    apart = [0.0] * len(points)
    for goal in range(len(points[0])):
        order = sorted(range(len(points)), key=lambda at: (points[at][goal], at))
        width = points[order[-1]][goal] - points[order[0]][goal]
        for place, at in enumerate(order):
            if place in (0, len(order) - 1):
                apart[at] = math.inf
            elif width > 0 and math.isfinite(width):
                apart[at] += (points[order[place + 1]][goal] - points[order[place - 1]][goal]) / width
    return apart

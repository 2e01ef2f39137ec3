"""A genetic algorithm over events: which of them happen, when, for how long and how strongly."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windward._search.samplers import Vector


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Layout of a genome: numbers first, then slots for events of `width` numbers each.

    The first number of a slot says whether its event happens: if it is at least 0.5.
    """

    numbers: int
    slots: int
    width: int

    @property
    def length(self) -> int:
        """Numbers of a genome."""
        return self.numbers + self.slots * self.width

    def slot(self, at: int) -> slice:
        """Place of a slot in a genome."""
        start = self.numbers + at * self.width
        return slice(start, start + self.width)

    def events(self, genome: Vector) -> int:
        """Number of events that happen."""
        return sum(bool(genome[self.slot(at)][0] >= 0.5) for at in range(self.slots))


class Genetic:
    """A genetic algorithm with elitism, begun with known genomes.

    Parents are winners of tournaments of two. A child takes each slot as a whole, and each number, from one of its
    parents, and is changed in one place or two: an event more, an event less, another one, a copy elsewhere, or a
    small step of some of its numbers. A tenth of each generation is random. The best of parents and children live on;
    of two that are equally good the one with fewer events does.

    Parameters
    ----------
    first
        Genomes of the first generation.
    """

    #: Genomes that live on, and the share of random ones in each generation.
    SIZE, NEW = 24, 0.1

    #: Standard deviation of small steps.
    STEP = 0.12

    def __init__(self, first: Sequence[Vector], seed: int, layout: Layout) -> None:
        self._chance = random.Random(seed)  # noqa: S311
        self._layout = layout
        self._first: list[Vector] | None = list(first)
        while len(self._first) < self.SIZE:
            self._first.append(self._random())
        self._parents: list[tuple[tuple[float, float, int], Vector]] = []

    def ask(self) -> list[Vector]:
        """The known genomes first, then children."""
        if self._first is not None:
            return self._first
        new = math.ceil(self.NEW * self.SIZE)
        children = [self._mutate(self._cross(self._winner(), self._winner())) for _ in range(self.SIZE - new)]
        return [*children, *(self._random() for _ in range(new))]

    def tell(
        self, points: Sequence[Vector], objectives: Sequence[Sequence[float]], violations: Sequence[float]
    ) -> None:
        """Keeps the best of parents and children."""
        self._first = None
        told = [
            ((violation, own[0], self._layout.events(point)), point)
            for point, own, violation in zip(points, objectives, violations, strict=True)
        ]
        every = [*self._parents, *told]
        order = sorted(range(len(every)), key=lambda at: (every[at][0], at))
        kept: list[tuple[tuple[float, float, int], Vector]] = []
        for at in order:
            # Copies would take the place of others.
            if not any(np.array_equal(every[at][1], own) for _, own in kept):
                kept.append(every[at])
            if len(kept) == self.SIZE:
                break
        self._parents = kept

    def _winner(self) -> Vector:
        # The parents are in order.
        return self._parents[min(int(self._chance.random() * len(self._parents)) for _ in range(2))][1]

    def _random(self) -> Vector:
        genome = np.array([self._chance.random() for _ in range(self._layout.length)])
        # Half as many events as there is room for, at the most: few are easier to understand.
        for at in range(self._layout.slots):
            genome[self._layout.slot(at)][0] = 1.0 if self._chance.random() < 0.25 else 0.0
        return genome

    def _cross(self, one: Vector, other: Vector) -> Vector:
        child = one.copy()
        for at in range(self._layout.numbers):
            if self._chance.random() < 0.5:
                child[at] = other[at]
        for at in range(self._layout.slots):
            if self._chance.random() < 0.5:
                child[self._layout.slot(at)] = other[self._layout.slot(at)]
        return child

    def _mutate(self, genome: Vector) -> Vector:
        for _ in range(1 + int(self._chance.random() * 2)):
            places = self._layout.numbers + self._layout.slots
            at = int(self._chance.random() * places)
            if at < self._layout.numbers:
                genome[at] = self._near(genome[at])
            else:
                self._mutate_slot(genome, at - self._layout.numbers)
        return genome

    def _mutate_slot(self, genome: Vector, at: int) -> None:
        place = self._layout.slot(at)
        draw = self._chance.random()
        if genome[place][0] < 0.5:
            genome[place] = [1.0, *(self._chance.random() for _ in range(self._layout.width - 1))]
        elif draw < 0.15:
            genome[place][0] = 0.0
        elif draw < 0.25:
            genome[place][1:] = [self._chance.random() for _ in range(self._layout.width - 1)]
        elif draw < 0.35:
            # The same on another target, or at another time.
            other = self._layout.slot(int(self._chance.random() * self._layout.slots))
            genome[other] = genome[place]
            genome[other][1 + int(self._chance.random() * 2)] = self._chance.random()
        else:
            for number in range(1, self._layout.width):
                if self._chance.random() < 0.4:
                    genome[place][number] = self._near(float(genome[place][number]))

    def _near(self, share: float) -> float:
        # A sum of twelve uniform numbers: nearly normal, and the same on every machine.
        normal = sum(self._chance.random() for _ in range(12)) - 6.0
        return min(max(share + self.STEP * normal, 0.0), 1.0)

"""Samplers: they find known optima and fronts, and give the same points for the same seed."""

import math

import numpy as np
import pytest

from windward._search.samplers import CmaEs, Nsga2, crowding, fronts, hypercube


def minimum(function, dimensions: int, trials: int, seed: int = 1) -> float:
    """The least value that CMA-ES finds in so many trials."""
    sampler = CmaEs(hypercube(10 * dimensions, dimensions, seed), seed)
    least, done = math.inf, 0
    while done < trials:
        points = sampler.ask()
        values = [function(point) for point in points]
        sampler.tell(points, [[value] for value in values], [0.0] * len(points))
        least, done = min(least, *values), done + len(points)
    return least


def test_a_hypercube_has_one_point_in_each_part_of_each_coordinate():
    points = np.array(hypercube(20, 3, 7))
    for column in points.T:
        assert sorted(int(20 * value) for value in column) == list(range(20))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_cma_es_finds_the_centre_of_an_ellipsoid(seed: int):
    # Condition 1e4, turned by 45°, away from the centre of the cube.
    def ellipsoid(point):
        x, y = point - np.array([0.3, 0.8])
        return (x + y) ** 2 + 1e4 * (x - y) ** 2

    assert minimum(ellipsoid, 2, 600, seed) < 1e-6


def test_cma_es_follows_rosenbrocks_valley():
    def rosenbrock(point):
        x, y = 4 * point - 2
        return 100 * (y - x * x) ** 2 + (1 - x) ** 2

    assert minimum(rosenbrock, 2, 1500) < 1e-4


def test_cma_es_finds_an_optimum_at_the_edge():
    assert minimum(lambda point: float(np.sum(point)), 4, 400) < 1e-3


def test_cma_es_learns_from_bounds_that_are_broken():
    sampler = CmaEs(hypercube(20, 2, 1), 1)
    best = math.inf
    for _ in range(80):
        points = sampler.ask()
        # The least of x + y where x ≥ 0.5.
        broken = [max(0.0, 0.5 - point[0]) for point in points]
        sampler.tell(points, [[point[0] + point[1]] for point in points], broken)
        best = min([best, *(point[0] + point[1] for point, own in zip(points, broken, strict=True) if not own)])
    assert best < 0.505


def test_nsga_2_comes_near_the_front_of_zdt1():
    sampler = Nsga2(hypercube(40, 5, 1), 1)
    for _ in range(60):
        points = sampler.ask()
        objectives = []
        for point in points:
            g = 1 + 9 * float(np.mean(point[1:]))
            objectives.append((float(point[0]), g * (1 - math.sqrt(point[0] / g))))
        sampler.tell(points, objectives, [0.0] * len(points))
    found = [own for _, own, _ in sampler._parents]
    # The front is f2 = 1 − √f1.
    assert max(second - (1 - math.sqrt(first)) for first, second in found) < 0.1
    assert max(first for first, _ in found) - min(first for first, _ in found) > 0.8


def test_a_seed_gives_the_same_points():
    def course(seed: int) -> list[list[float]]:
        sampler = Nsga2(hypercube(10, 2, seed), seed)
        asked = []
        for _ in range(5):
            points = sampler.ask()
            asked += [list(point) for point in points]
            sampler.tell(points, [(point[0], 1 - point[0] * point[1]) for point in points], [0.0] * len(points))
        return asked

    assert course(3) == course(3) != course(4)


def test_fronts_and_crowding_by_hand():
    told = [((1.0, 4.0), 0.0), ((2.0, 2.0), 0.0), ((4.0, 1.0), 0.0), ((3.0, 3.0), 0.0), ((0.0, 0.0), 0.5)]
    assert fronts(told) == [[0, 1, 2], [3], [4]]
    assert crowding([(1.0, 4.0), (2.0, 2.0), (4.0, 1.0)]) == [math.inf, 2.0, math.inf]

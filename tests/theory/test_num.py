"""The solver of network utility maximisation from Python, for networks that are not scenarios."""

import doctest
import json
import math
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from windward.theory import num

FAIR: num.ProportionalFair = {"kind": "proportional_fair", "weight": 1.0}


def coupled(region: dict[str, Any], flows: int = 2, utility: dict[str, Any] | None = None) -> dict[str, Any]:
    """One flow on each link of a region."""
    return {
        "network": {
            "links": ["wireless"] * flows,
            "couplings": [{"links": list(range(flows)), "region": region}],
            "routes": [[link] for link in range(flows)],
        },
        "utilities": [utility or FAIR] * flows,
    }


def test_examples_of_the_docstrings() -> None:
    assert doctest.testmod(num).failed == 0
    assert doctest.testmod(num).attempted > 5


# Logarithms of equal weight make the product of the rates largest. With a conflict or in turns each link gets half of
# its time; on a circle x/a = y/b = 1/sqrt 2; half-spaces x + y <= 2, x <= 0.5 meet in (0.5, 1.5).
@pytest.mark.parametrize(
    ("region", "rates"),
    [
        ({"kind": "box", "capacity": [3.0, 2.0]}, [3, 2]),
        ({"kind": "norm", "capacity": [3.0, 2.0], "exponent": 1.0}, [1.5, 1]),
        ({"kind": "norm", "capacity": [3.0, 2.0], "exponent": 2.0}, [3 / math.sqrt(2), math.sqrt(2)]),
        ({"kind": "ellipsoid", "matrix": [[1 / 9, 0.0], [0.0, 1 / 4]]}, [3 / math.sqrt(2), math.sqrt(2)]),
        ({"kind": "half_spaces", "normals": [[1.0, 1.0], [1.0, 0.0]], "offsets": [2.0, 0.5]}, [0.5, 1.5]),
        # Each link is alone able to send in its draw.
        ({"kind": "fading", "rates": [[4.0, 0.0], [0.0, 8.0]], "probabilities": [3, 1]}, [3, 2]),
        ({"kind": "csma", "rates": [3.0, 2.0], "conflicts": [(0, 1)], "entropy": 0.0}, [1.5, 1]),
    ],
)
def test_regions(region: dict[str, Any], rates: list[float]) -> None:
    best = num.solve(coupled(region))
    assert best.rates == pytest.approx(rates, rel=1e-8)
    assert best.link_rates == pytest.approx(rates, rel=1e-8)
    assert best.objective == pytest.approx(sum(map(math.log, rates)), rel=1e-8)
    assert best.residual < 1e-9


def test_entropy_of_csma() -> None:
    """One link of rate 1, active with probability u: ln u - u ln u - (1-u) ln(1-u) is largest."""
    region = {"kind": "csma", "rates": [1.0], "conflicts": [], "entropy": 1.0}
    best = num.solve(coupled(region, flows=1))
    idle, active = best.mixtures[0]["probabilities"]
    assert idle + active == pytest.approx(1, rel=1e-12)
    assert best.rates[0] == pytest.approx(active, rel=1e-9)
    # Its derivative, 1/u - ln(u/(1-u)), is 0.
    assert 1 / active == pytest.approx(math.log(active / idle), rel=1e-8)
    assert best.objective == pytest.approx(math.log(active) - active * math.log(active) - idle * math.log(idle))


@pytest.mark.parametrize(
    ("utility", "rate", "price"),
    [
        ({"kind": "alpha_fair", "weight": 2.0, "alpha": 2.0}, 5, 2 / 25),
        ({"kind": "alpha_fair", "weight": 2.0, "alpha": 0.5}, 5, 2 / math.sqrt(5)),
        ({"kind": "window", "window": 3.0, "base_rtt": 0.1}, 5, 3 / 5 - 0.1),
        # sqrt 2 S/(T sqrt eps) = 20 > 5: the link is the bottleneck; with eps = 1, 2 < 5: it is not.
        ({"kind": "reno", "segment": 1.0, "rtt": math.sqrt(2) / 2, "loss": 0.01}, 5, 4 / 25 - 0.01),
        ({"kind": "reno", "segment": 1.0, "rtt": math.sqrt(2) / 2, "loss": 1.0}, 2, 0),
    ],
)
def test_utilities(utility: dict[str, Any], rate: float, price: float) -> None:
    best = num.solve(num.wired([5.0], routes=[[0]], utilities=[utility]))
    assert best.rates == pytest.approx([rate], rel=1e-7)
    assert best.prices == pytest.approx([price], rel=1e-7, abs=1e-8)
    assert best.path_prices == pytest.approx(best.prices)


def test_emultcp_on_a_link_without_loss() -> None:
    # h(z) = z tanh(beta z/2) = 2 S^2/(T^2 x^2) at the price z (chen2007 (19)); for S = T = 1, x = 1 it is 2.
    utility: num.Emultcp = {"kind": "emultcp", "segment": 1.0, "rtt": 1.0, "loss": 0.0, "beta": 3.0}
    price = num.solve(num.wired([1.0], [[0]], [utility])).prices[0]
    assert price * math.tanh(1.5 * price) == pytest.approx(2, rel=1e-8)


def test_max_min() -> None:
    # Bertsekas, Gallager, Data Networks, 6.5: the poorest link is filled first.
    best = num.solve(num.wired([1.0, 3.0], [[0], [0, 1], [1]], [{"kind": "max_min", "weight": 1.0}] * 3))
    assert best.rates == pytest.approx([0.5, 0.5, 2.5], rel=1e-9)
    assert best.objective is None
    assert best.method == "water_filling"
    assert [(level["level"], level["flows"]) for level in best.levels] == [
        (pytest.approx(0.5), [0, 1]),
        (pytest.approx(2.5), [2]),
    ]


def test_methods_agree() -> None:
    problem = coupled({"kind": "norm", "capacity": [3.0, 2.0], "exponent": 3.0})
    best, conic = num.solve(problem), num.solve_reference(problem)
    assert (best.method, conic.method) == ("interior", "reference")
    assert conic.rates == pytest.approx(best.rates, rel=1e-6)


def test_subgradient() -> None:
    problem = num.wired([1.0, 1.0], [[0, 1], [0], [1]], [FAIR] * 3)
    found, trace = num.subgradient(problem, first=0.01, iterations=4000, price=2.0)
    assert found.method == "subgradient"
    assert trace.shape == (4000, 3)
    # At prices 2 a flow asks for 1/4 or 1/2; the averages are those of the last half.
    assert trace[0] == pytest.approx([0.25, 0.5, 0.5])
    assert found.rates == pytest.approx(trace[2000:].mean(axis=0))
    assert found.rates == pytest.approx([1 / 3, 2 / 3, 2 / 3], rel=1e-3)


@pytest.mark.parametrize(
    "steps", [{"first": 0}, {"first": math.nan}, {"first": 1, "iterations": 0}, {"first": 1, "decay": -1}]
)
def test_impossible_steps(steps: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="all must be positive and finite"):
        num.subgradient(num.wired([1.0], [[0]], [FAIR]), **steps)


def test_arrays_stand_for_lists() -> None:
    routes = [np.array([0, 1]), np.array([0]), np.array([1])]
    problem = num.wired(np.array([1.0, 1.0]), routes, [{"kind": "proportional_fair", "weight": np.float64(1)}] * 3)
    assert num.solve(problem).rates == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    matrix = np.array([[1.0, 0.2], [0.2, 1.0]])
    lists = num.solve(coupled({"kind": "ellipsoid", "matrix": matrix.tolist()}))
    assert num.solve(coupled({"kind": "ellipsoid", "matrix": matrix})).rates.tolist() == lists.rates.tolist()


def test_what_comes_back_can_be_written_as_json() -> None:
    best = num.solve(coupled({"kind": "csma", "rates": [3.0, 2.0], "conflicts": [(0, 1)], "entropy": 1.0}))
    plain = json.loads(json.dumps([best.mixtures, best.levels, best.certificate, best.objective, best.method]))
    assert plain[0] == best.mixtures
    assert set(plain[2]) == {"primal", "dual", "slackness", "scheduling", "gap"}


WRONG: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda p: p.pop("utilities"), "problem: missing field `utilities`"),
    (lambda p: p["utilities"].pop(), "utilities: 1 utilities for 2 routes"),
    (lambda p: p["utilities"][1].update(kind="log"), "utilities[1].kind: unknown variant `log`, expected one of `prop"),
    (lambda p: p["utilities"][1].update(wight=1), "utilities[1]: unknown field `wight`, expected `weight`"),
    (lambda p: p["utilities"][1].update(weight=-1.0), "utilities[1].weight: -1 is not a positive number"),
    (lambda p: p["utilities"][1].update(weight=math.nan), "utilities[1].weight: not a finite number"),
    (lambda p: p["utilities"][1].update(weight=math.inf), "utilities[1].weight: not a finite number"),
    (lambda p: p["utilities"][1].update(weight={1}), "{1} is not allowed in a problem: set is not a number"),
    (lambda p: p["network"]["routes"].__setitem__(0, [7]), "routes[0]: link 7 does not exist; there are 2"),
    (lambda p: p["network"]["routes"].__setitem__(0, [-1]), "network.routes[0][0]: invalid value: integer `-1`"),
    (lambda p: p["network"]["routes"].__setitem__(0, []), "unbounded: flow 0 crosses no link"),
    (lambda p: p["network"]["links"].__setitem__(0, "wired"), "network.links[0].wired: invalid type"),
    (lambda p: p["network"]["links"].__setitem__(0, {"wired": 0}), "couplings[0]: link 0 is wired"),
    (lambda p: p["network"].pop("couplings"), "links[0]: a wireless link that no coupling names"),
    (lambda p: p["network"]["couplings"][0]["region"].update(capacity=[1, 0]), "infeasible: flow 1 crosses link 1"),
    (
        lambda p: p["network"]["couplings"][0]["region"].update(kind="norm"),
        "network.couplings[0].region: missing field",
    ),
]


@pytest.mark.parametrize(("spoil", "message"), WRONG)
def test_what_is_refused(spoil: Callable[[dict[str, Any]], Any], message: str) -> None:
    problem = coupled({"kind": "box", "capacity": [3.0, 2.0]})
    problem["utilities"] = [dict(FAIR), dict(FAIR)]
    assert num.solve(problem).residual < 1e-9
    spoil(problem)
    for method in (num.solve, num.solve_reference):
        with pytest.raises(ValueError) as refused:  # noqa: PT011
            method(problem)
        assert message in str(refused.value)


def test_a_tolerance_out_of_reach() -> None:
    problem = num.wired([1.0, 2.0], [[0, 1], [0], [1]], [FAIR] * 3)
    with pytest.raises(ValueError, match=r"stopped after 2 iterations with residual .*, above 1.0e-10"):
        num.solve(problem, max_iterations=2)
    assert num.solve(problem, tolerance=1e-4).iterations < num.solve(problem).iterations


def test_other_threads_run_meanwhile() -> None:
    problem = num.wired([1.0], [[0]], [FAIR])
    gate, ran = threading.Lock(), []

    def wait() -> None:
        with gate:
            ran.append("meanwhile")

    interval = sys.getswitchinterval()
    with gate:
        thread = threading.Thread(target=wait)
        thread.start()
        # From here on nothing but a released lock of the interpreter lets the thread go on.
        sys.setswitchinterval(1000)
    try:
        num.subgradient(problem, first=1e-3, iterations=2_000_000)
        assert ran == ["meanwhile"]
    finally:
        sys.setswitchinterval(interval)
        thread.join()


def test_fixed_windows_on_a_cell() -> None:
    """Windows of 30 and 20 packets over links that share a circle of radius 100, without propagation delay: x = w/q on
    the circle with q along x, so x_s = 100 sqrt(w_s/(w_1 + w_2))."""
    circle = {"kind": "norm", "capacity": [100.0, 100.0], "exponent": 2.0}
    f = num.FluidMap(coupled(circle)["network"], [1e-6, 1e-6])
    rates, delays = f.solve(np.array([30, 20]))
    assert rates == pytest.approx([100 * math.sqrt(0.6), 100 * math.sqrt(0.4)], rel=1e-4)
    assert rates * (delays + 1e-6) == pytest.approx([30, 20], rel=1e-9)
    assert f.link_delays == pytest.approx(delays)
    assert f.link_rates == pytest.approx(rates)
    assert max(f.certificate.values()) < 1e-9
    assert num.region_rates(circle, delays) == pytest.approx(rates, rel=1e-9)
    # Scaling the windows scales the delays: no rate changes, and Euler's theorem for functions of degree 0.
    jacobian = f.rate_jacobian()
    assert jacobian is not None
    assert jacobian @ [30, 20] == pytest.approx([0, 0], abs=1e-3)


def test_regions_answer_prices() -> None:
    links = {"kind": "csma", "rates": [3.0, 2.0], "conflicts": [(0, 1)], "entropy": 1.0}
    e = math.e
    assert num.stationary(links, [1 / 3, 1.0]) == pytest.approx(
        [1 / (1 + e + e**2), e / (1 + e + e**2), e**2 / (1 + e + e**2)]
    )
    assert num.independent_sets(3, [(0, 1)]).tolist() == [
        [False, False, False],
        [True, False, False],
        [False, True, False],
        [False, False, True],
        [True, False, True],
        [False, True, True],
    ]
    fading = {"kind": "fading", "rates": [[4.0, 0.0], [3.0, 8.0]]}
    assert num.region_rates(fading, [3.0, 1.0]) == pytest.approx([3.5, 0])
    assert num.region_jacobian(fading, [3.0, 1.0]) is None
    with pytest.raises(ValueError, match="prices must be numbers from 0"):
        num.region_rates(fading, [-1.0, 1.0])
    with pytest.raises(ValueError, match=r"region.rates: 2 entries for 3 links"):
        num.region_rates(fading, [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="only CSMA with entropy"):
        num.stationary(fading, [1.0, 1.0])
    with pytest.raises(ValueError, match="pairs of different positions below 2"):
        num.independent_sets(2, [(0, 2)])


def test_wrong_windows_are_refused() -> None:
    network = num.wired([1.0], [[0]], [])["network"]
    with pytest.raises(ValueError, match="2 base RTTs for 1 routes"):
        num.FluidMap(network, [1.0, 1.0])
    with pytest.raises(ValueError, match=r"windows\[0\]: -1 is not a positive number"):
        num.FluidMap(network, [1.0]).solve([-1.0])

"""The best rates of networks that are not scenarios: any utilities, any capacity regions.

A problem is made of dicts and lists; `Problem` and the types below it tell a type checker what they hold:

>>> from windward.theory import num
>>> cell = {"kind": "norm", "capacity": [4.0, 3.0], "exponent": 2.0}
>>> network = {
...     "links": [{"wired": 9.0}, "wireless", "wireless"],
...     "couplings": [{"links": [1, 2], "region": cell}],
...     "routes": [[0, 1], [0, 2]],
... }
>>> fair = {"kind": "proportional_fair", "weight": 1.0}
>>> best = num.solve({"network": network, "utilities": [fair, fair]})
>>> [round(float(rate), 6) for rate in best.rates]  # 4/sqrt(2) and 3/sqrt(2)
[2.828427, 2.12132]
>>> best.residual < 1e-9
True

Rates may be in any one unit; prices are utility per rate. The model, the methods and their limits:
`docs/reference/models/num.md`. Scenarios have `Scenario.optimum`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from windward import _engine

__all__ = [
    "AlphaFair",
    "Array",
    "Box",
    "Coupling",
    "Csma",
    "Ellipsoid",
    "Emultcp",
    "Fading",
    "FluidMap",
    "HalfSpaces",
    "Indices",
    "MaxMin",
    "Network",
    "Norm",
    "Numbers",
    "Problem",
    "ProportionalFair",
    "Region",
    "Reno",
    "Rows",
    "Solution",
    "Utility",
    "Window",
    "Wired",
    "as_json",
    "independent_sets",
    "region_jacobian",
    "region_rates",
    "solve",
    "solve_reference",
    "stationary",
    "subgradient",
    "wired",
]

Array = NDArray[np.float64]
#: Numbers in a list, a tuple or an array.
Numbers = Sequence[float] | NDArray[Any]
#: Rows of numbers.
Rows = Sequence[Numbers] | NDArray[Any]
#: Indices of links.
Indices = Sequence[int] | NDArray[Any]


class Wired(TypedDict):
    """A link of constant capacity, from 0."""

    wired: float


class Box(TypedDict):
    """r_l <= c_l: links with time slots or bands of their own."""

    kind: Literal["box"]
    capacity: Numbers


class Norm(TypedDict):
    """(sum (r_l/c_l)^e)^(1/e) <= 1, with e from 1 (time sharing) up."""

    kind: Literal["norm"]
    capacity: Numbers
    exponent: float


class Ellipsoid(TypedDict):
    """r^T H r <= 1, r >= 0, with H symmetric and positive definite."""

    kind: Literal["ellipsoid"]
    matrix: Rows


class HalfSpaces(TypedDict):
    """n_k^T r <= b_k for every k, r >= 0; no normal has a negative entry."""

    kind: Literal["half_spaces"]
    normals: Rows
    offsets: Numbers


class Fading(TypedDict):
    """A cell that serves one link at a time, chosen for each channel draw: one row of rates per draw."""

    kind: Literal["fading"]
    rates: Rows
    #: Probabilities of the draws, scaled to sum to 1. Default: equal.
    probabilities: NotRequired[Numbers | None]


class Csma(TypedDict):
    """Ideal CSMA: mixtures of the independent sets of a conflict graph; at most 64 links and 65 536 sets."""

    kind: Literal["csma"]
    #: Rate of each link without interference.
    rates: Numbers
    #: Pairs of positions within the coupling that cannot be active together.
    conflicts: Sequence[tuple[int, int]] | Sequence[Sequence[int]] | NDArray[Any]
    #: Weight T of the entropy of the sets' probabilities in the objective; 1 in wang2013 (2), 0 without.
    entropy: float


Region = Box | Norm | Ellipsoid | HalfSpaces | Fading | Csma


class Coupling(TypedDict):
    """Wireless links whose rates lie together in one region."""

    #: In the order of the region's coordinates.
    links: Indices
    region: Region


class Network(TypedDict):
    """Links, couplings of the wireless ones, and the route of each flow."""

    links: Sequence[Wired | Literal["wireless"]]
    couplings: NotRequired[Sequence[Coupling]]
    routes: Sequence[Indices]


class ProportionalFair(TypedDict):
    """p ln x."""

    kind: Literal["proportional_fair"]
    weight: float


class AlphaFair(TypedDict):
    """p x^(1-alpha)/(1-alpha), p ln x for alpha = 1; alpha from 0."""

    kind: Literal["alpha_fair"]
    weight: float
    alpha: float


class MaxMin(TypedDict):
    """The lexicographically largest x/p: the limit of a large alpha. All flows or none."""

    kind: Literal["max_min"]
    weight: float


class Reno(TypedDict):
    """-2 S^2/(T^2 x) - loss x: Reno's square-root law; S in packets, T in seconds."""

    kind: Literal["reno"]
    segment: float
    rtt: float
    loss: float


class Emultcp(TypedDict):
    """The utility of E-MULTCP's equilibrium (chen2007); `beta` is the sharpness of its sign of congestion."""

    kind: Literal["emultcp"]
    segment: float
    rtt: float
    loss: float
    beta: float


class Window(TypedDict):
    """w ln x - d x: prices are the queueing delays of fixed windows of w packets (huang2020 (19))."""

    kind: Literal["window"]
    window: float
    base_rtt: float


Utility = ProportionalFair | AlphaFair | MaxMin | Reno | Emultcp | Window


class Problem(TypedDict):
    """Maximise the sum of U_s(x_s), a utility for each route, within the network's capacity."""

    network: Network
    utilities: Sequence[Utility]


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """The best rates, with the prices that prove it.

    Examples
    --------
    >>> import windward as ww
    >>> fair = {"kind": "proportional_fair", "weight": 1.0}
    >>> best = ww.num.solve(ww.num.wired([9.0], routes=[[0], [0], [0]], utilities=[fair] * 3))
    >>> best.rates.round(6).tolist(), best.residual < 1e-9
    ([3.0, 3.0, 3.0], True)
    """

    #: Rate of every flow.
    rates: Array
    #: Price of every link: utility per rate.
    prices: Array
    #: Sum of the prices along the route of every flow.
    path_prices: Array
    #: Rate of every link: its capacity, or its rate in its region.
    link_rates: Array
    #: Mixture with which each coupling reaches its rates, by `kind`: "direct", "faces" (the `prices` of half-spaces),
    #: "shares" (of each draw, for each link) or "sets" (the `probabilities` of independent sets).
    mixtures: list[dict[str, Any]]
    #: The sum of the utilities and entropies; None for max-min, which has none.
    objective: float | None
    #: For max-min: where flows stop, rising: `level`, `flows` and the `prices` that prove it. Else empty.
    levels: list[dict[str, Any]]
    #: "interior", "water_filling", "reference" or "subgradient".
    method: str
    #: Iterations of the method.
    iterations: int
    #: Relative residuals, all 0 at an exact optimum, computed from the answer alone: `primal` (overload), `dual`
    #: (marginal utility against price), `slackness`, `scheduling` (are the rates what MaxWeight serves?), `gap`.
    certificate: dict[str, float]

    @property
    def residual(self) -> float:
        """The largest residual of the certificate; infinite where one is not a number."""
        residuals = self.certificate.values()
        return math.inf if any(math.isnan(residual) for residual in residuals) else max(residuals)


def wired(capacity: Numbers, routes: Sequence[Indices], utilities: Sequence[Utility]) -> Problem:
    """A problem whose links all have a constant capacity.

    >>> fair = {"kind": "proportional_fair", "weight": 1.0}
    >>> parking_lot = wired([1.0, 1.0], routes=[[0, 1], [0], [1]], utilities=[fair] * 3)
    >>> [round(float(rate), 6) for rate in solve(parking_lot).rates]
    [0.333333, 0.666667, 0.666667]
    """
    links: list[Wired | Literal["wireless"]] = [{"wired": float(c)} for c in capacity]
    return {"network": {"links": links, "routes": routes}, "utilities": utilities}


def solve(problem: Problem, *, tolerance: float = 1e-10, max_iterations: int = 10_000) -> Solution:
    """Solves the problem by an interior point method on the dual, or by water filling for max-min.

    The interpreter's lock is released meanwhile.

    Parameters
    ----------
    problem
        The problem. Lists may be arrays.
    tolerance
        Largest relative residual at which the method stops.
    max_iterations
        Most Newton steps of a method; ordinary problems take 10 to 80.

    Raises
    ------
    ValueError
        If the description is wrong (the message names the place), if there are no best rates, or if the tolerance is
        not reached.
    """
    return Solution(**_engine.num_solve(as_json(problem), tolerance, max_iterations))


def solve_reference(problem: Problem) -> Solution:
    """Solves the problem by Clarabel, a general conic solver: slower, less precise, and independent.

    Raises
    ------
    ValueError
        As `solve`, and for the utilities "max_min" and "emultcp", which have no conic form.
    """
    return Solution(**_engine.num_solve_reference(as_json(problem)))


def subgradient(
    problem: Problem, *, first: float, decay: float = 0.0, iterations: int = 10_000, price: float = 1.0
) -> tuple[Solution, Array]:
    """The papers' own iteration: prices rise with overload, rates answer prices (huang2020 §II-A, wang2013 (8)-(9)).

    Parameters
    ----------
    problem
        The problem.
    first
        The first step, price per rate.
    decay
        Step k is `first`/sqrt(1 + `decay` k); 0 keeps the step.
    iterations
        Number of iterations.
    price
        Price of every link at the start.

    Returns
    -------
    Solution
        Averages over the last half of the iterations; its certificate tells how near they are.
    Array
        The rates of every iteration, one row each.

    Raises
    ------
    ValueError
        As `solve`, for max-min and alpha = 0, whose rates are no function of prices, and for impossible steps.
    """
    if not (0 < first < math.inf and 0 <= decay < math.inf and 0 < price < math.inf and iterations >= 1):
        raise ValueError(
            f"first={first}, decay={decay}, iterations={iterations}, price={price}: "
            "all must be positive and finite; only decay may be 0"
        )
    fields, trace = _engine.num_subgradient(as_json(problem), first, decay, iterations, price)
    return Solution(**fields), trace


class FluidMap:
    """F: w -> (x, q, r) of huang2020 (11)-(17): what fixed windows make of a network.

    It keeps its last answer as the next start: along a trajectory an answer takes microseconds.

    >>> from windward.theory.num import FluidMap, wired
    >>> one_link = wired([10.0], routes=[[0], [0]], utilities=[])["network"]
    >>> windows_to_rates = FluidMap(one_link, base_rtt_s=[1.0, 1.0])
    >>> rates, delays = windows_to_rates.solve([8.0, 12.0])  # 10 packets queue: 1 s
    >>> [round(float(rate), 6) for rate in rates], round(float(delays[0]), 6)
    ([4.0, 6.0], 1.0)
    """

    def __init__(self, network: Network, base_rtt_s: Numbers) -> None:
        """For `network`; `base_rtt_s` is d_s of every flow, the round trip without queues, in seconds.

        Raises
        ------
        ValueError
            If something is wrong; the message names the place.
        """
        self._map = _engine.FluidMap(as_json(network), _numbers(base_rtt_s))

    def solve(self, windows: Numbers) -> tuple[Array, Array]:
        """x_s and q^s, packets a second and seconds, of windows in packets.

        Raises
        ------
        ValueError
            For a window that is not positive, or if the solver does not converge.
        """
        return self._map.solve(_numbers(windows))

    @property
    def link_delays(self) -> Array:
        """q_l in seconds; one of many where links in series are full together."""
        return self._map.link_delays()

    @property
    def link_rates(self) -> Array:
        """c_l or r_l in packets a second; a link of a piecewise linear region gets its load."""
        return self._map.link_rates()

    @property
    def certificate(self) -> dict[str, float]:
        """The residuals of the last answer, as `Solution.certificate`."""
        return self._map.certificate()

    def rate_jacobian(self) -> Array | None:
        """The derivatives of x_s by w_n, a row for each s (huang2020 App. A), where the bottlenecks stay the same.

        None where link rates jump: channel draws, and independent sets without entropy.
        """
        return self._map.rate_jacobian()


def region_rates(region: Region, prices: Numbers) -> Array:
    """MaxWeight's rates: the r of the region with the largest sum of price times rate (huang2020 (17)).

    >>> [float(rate) for rate in region_rates({"kind": "norm", "capacity": [4.0, 3.0], "exponent": 1.0}, [1.0, 2.0])]
    [0.0, 3.0]

    Raises
    ------
    ValueError
        If the region is wrong for so many prices, or a price is negative.
    """
    return _engine.num_region_rates(as_json(region), _numbers(prices))


def region_jacobian(region: Region, prices: Numbers) -> Array | None:
    """Derivatives of MaxWeight's rates by the prices, a row for each rate; None for regions where rates jump.

    Raises
    ------
    ValueError
        As `region_rates`.
    """
    return _engine.num_region_jacobian(as_json(region), _numbers(prices))


def stationary(region: Csma, prices: Numbers) -> Array:
    """Probabilities of the independent sets at these prices, in the order of `independent_sets` (wang2013 (7)).

    Raises
    ------
    ValueError
        As `region_rates`, and without entropy.
    """
    probabilities = _engine.num_region_stationary(as_json(region), _numbers(prices))
    if probabilities is None:
        raise ValueError("only CSMA with entropy above 0 has a stationary distribution that follows from prices")
    return probabilities


def independent_sets(links: int, conflicts: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    """The sets of links that can be active together, a row each; the first is empty.

    >>> independent_sets(2, conflicts=[(0, 1)]).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1]]

    Raises
    ------
    ValueError
        For wrong pairs, and beyond 64 links or 65 536 sets.
    """
    masks = _engine.num_independent_sets(links, conflicts)
    return np.array([[mask >> link & 1 for link in range(links)] for mask in masks], dtype=np.bool_)


def _numbers(values: Numbers) -> Array:
    return np.ascontiguousarray(values, dtype=np.float64)


def as_json(description: Problem | Network | Region) -> str:
    """A description as the engine reads it."""
    return json.dumps(description, default=_plain)


def _plain(value: Any) -> Any:
    """An array, or a number out of one, as Python's own."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise ValueError(
        f"{value!r} is not allowed in a problem: {type(value).__name__} is not a number, text, list or dict"
    )

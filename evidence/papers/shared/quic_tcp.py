"""Window law of QUIC-TCP over the map F, and the matrices of its proof, for huang2020 and wang2013.

Written from the papers' equations in numpy; checks compare it with the engine. Equation numbers are huang2020's. Rates
in packets a second, windows in packets, delays in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import windward as ww
from windward.theory import num
from windward.theory.fluid import Trajectory, follow
from windward.theory.num import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """Flows over a network."""

    network: num.Network
    #: d_s, seconds.
    base_rtt: Array
    #: p_s, packets that flow s shall keep in queues.
    backlog: Array

    @property
    def flows(self) -> int:
        """Number of flows."""
        return len(self.base_rtt)

    @property
    def incidence(self) -> Array:
        """A: 1 where flow s crosses link l."""
        matrix = np.zeros((len(self.network["links"]), self.flows))
        for flow, route in enumerate(self.network["routes"]):
            matrix[np.asarray(route, dtype=int), flow] = 1
        return matrix

    def best(self) -> num.Solution:
        """The optimum of (1), by the interior method."""
        fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": float(p)} for p in self.backlog]
        return num.solve({"network": self.network, "utilities": fair}, tolerance=1e-12)

    def fixed_windows(self, windows: Array) -> num.Problem:
        """The problem (19), which F solves."""
        utilities: list[num.Utility] = [
            {"kind": "window", "window": float(w), "base_rtt": float(d)}
            for w, d in zip(windows, self.base_rtt, strict=True)
        ]
        return {"network": self.network, "utilities": utilities}

    def map(self) -> num.FluidMap:
        """F."""
        return num.FluidMap(self.network, self.base_rtt)

    def gap(self, windows: Array, rates: Array) -> Array:
        """v = w - x d - p."""
        return windows - rates * self.base_rtt - self.backlog

    def slope(self, windows: Array, rates: Array, rho: float) -> Array:
        """dw/dt of (18) at kappa = 1; d/d_bar is d x/w by (11)."""
        return np.asarray(-(self.base_rtt * rates / windows) * windows ** (1 - 2 * rho) * self.gap(windows, rates))

    def lyapunov(self, windows: Array, rates: Array, rho: float) -> Array:
        """Y of (26), along the last axis."""
        return np.asarray(((self.gap(windows, rates) / windows**rho) ** 2).sum(axis=-1) / 2)

    def rest(self, windows: Array) -> Array:
        """The windows at which v = 0, from these: w <- w - v/2 until no v is above 1e-8 of its p.

        Only F is used, which is good to 1e-10 of a capacity; no optimum and none of the laws.
        """
        f = self.map()
        for _ in range(20_000):
            v = self.gap(windows, f.solve(windows)[0])
            if np.abs(v / self.backlog).max() < 1e-8:
                return windows
            windows = windows - v / 2
        raise ArithmeticError(f"v stays at {np.abs(v / self.backlog).max():.0e} of p")

    def follow(self, rho: float, windows: Array, duration_s: float) -> Trajectory:
        """The differential equation (18), all flows by one clock; kappa = w^(2 rho - 1) for windows of a hundred."""
        laws = [ww.QuicTcp(rho=rho, kappa=100 ** (2 * rho - 1), backlog=float(p)) for p in self.backlog]
        return follow(
            self.network,
            laws,
            base_rtt_s=self.base_rtt,
            windows=windows,
            duration_s=duration_s,
            interval_s=duration_s / 200,
            tolerance=1e-8,
            clock="common",
            loss_free=True,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Point:
    """F at one point, with the matrices of the proof of Theorem 2 and 3."""

    case: Case
    windows: Array
    rates: Array
    #: q^s.
    delays: Array
    #: q.
    link_delays: Array

    @classmethod
    def of(cls, case: Case, windows: Array) -> Point:
        """F at these windows, solved from scratch."""
        f = case.map()
        rates, delays = f.solve(windows)
        return cls(case=case, windows=windows, rates=rates, delays=delays, link_delays=f.link_delays)

    @property
    def bottlenecks(self) -> NDArray[np.intp]:
        """B: the links with a queue, as indices."""
        return np.flatnonzero(self.link_delays > 1e-9 * self.link_delays.max(initial=1e-9))

    @property
    def rtt(self) -> Array:
        """d_bar."""
        return self.case.base_rtt + self.delays

    def service(self) -> Array:
        """N: how the rates of the bottlenecks follow their delays; 0 for constant capacities."""
        links = len(self.case.network["links"])
        matrix = np.zeros((links, links))
        for coupling in self.case.network.get("couplings", []):
            inside = np.asarray(coupling["links"], dtype=int)
            jacobian = num.region_jacobian(coupling["region"], self.link_delays[inside])
            if jacobian is not None and self.link_delays[inside].any():
                matrix[np.ix_(inside, inside)] = jacobian
        return matrix[np.ix_(self.bottlenecks, self.bottlenecks)]

    def m(self) -> Array:
        """M of (25), M' of (33): A_B^T (N + A_B D_bar^-1 X A_B^T)^-1 A_B, of the links that are not redundant."""
        a = self.case.incidence[self.bottlenecks]
        inner = self.service() + a @ np.diag(self.rates / self.rtt) @ a.T
        return np.asarray(a.T @ np.linalg.pinv(inner, rcond=1e-10) @ a)

    def rate_jacobian(self) -> Array:
        """dx/dw = D_bar^-1 (I - X M D_bar^-1), (25)."""
        inverse = np.diag(1 / self.rtt)
        return np.asarray(inverse @ (np.eye(self.case.flows) - np.diag(self.rates) @ self.m() @ inverse))

    def k(self, rho: float) -> Array:
        """The matrix in the brackets of (27): dY/dt = -kappa v^T K v."""
        w, d, share = self.windows, self.case.base_rtt, self.case.base_rtt / self.rtt
        own = (1 - rho) * (1 - share) * share * w ** (1 - 4 * rho) + rho * self.case.backlog * share * w ** (-4 * rho)
        coupled = w ** (1 - 2 * rho) * d / self.rtt**2
        return np.diag(own) + coupled[:, None] * self.m() * coupled[None, :]


def random_region(luck: np.random.Generator, kind: str, links: int) -> num.Region:
    """A region in which every link alone reaches 300 to 1500 packets a second.

    "box", "norm" and "ellipsoid" are the cases (a) and (b) of huang2020 Fig. 1, "half_spaces" is (c).
    """
    capacity = luck.uniform(300, 1500, links)
    match kind:
        case "box":
            return {"kind": "box", "capacity": capacity}
        case "norm":
            return {"kind": "norm", "capacity": capacity, "exponent": float(luck.uniform(1.2, 4))}
        case "ellipsoid":
            # Cross terms from 0: whoever sends more leaves less to the others.
            mixed = luck.uniform(0, 0.5, (links, links))
            mixed = (mixed + mixed.T) / 2
            np.fill_diagonal(mixed, 1)
            return {"kind": "ellipsoid", "matrix": mixed / np.outer(capacity, capacity)}
        case "half_spaces":
            normals = luck.uniform(0.3, 1.5, (links, links)) / capacity
            return {"kind": "half_spaces", "normals": normals, "offsets": np.ones(links)}
    raise ValueError(kind)


def random_case(seed: int, kind: str, *, flows: int | None = None) -> Case:
    """Three to six flows: each crosses one or two of three wired links, then one of three wireless ones.

    Every wireless link has a flow, as Appendix E of huang2020 requires.
    """
    luck = np.random.default_rng([seed, sum(map(ord, kind))])
    flows = flows or int(luck.integers(3, 7))
    wires: list[num.Wired] = [{"wired": float(c)} for c in luck.uniform(200, 2000, 3)]
    region = random_region(luck, kind, 3)
    routes = []
    for flow in range(flows):
        wired = luck.choice(3, size=luck.integers(1, 3), replace=False)
        air = 3 + (flow if flow < 3 else int(luck.integers(3)))
        routes.append([*map(int, wired), air])
    network: num.Network = {
        "links": [*wires, "wireless", "wireless", "wireless"],
        "couplings": [{"links": [3, 4, 5], "region": region}],
        "routes": routes,
    }
    return Case(network=network, base_rtt=luck.uniform(0.02, 0.2, flows), backlog=luck.uniform(5, 40, flows))


def random_windows(seed: int, flows: int, least: float = 1.0, most: float = 300.0) -> Array:
    """Windows spread evenly over their logarithms."""
    return np.exp(np.random.default_rng(seed).uniform(np.log(least), np.log(most), flows))


def derivative(case: Case, windows: Array, flow: int, share: float = 1e-5) -> tuple[Array, Array] | None:
    """Central differences of x and q^s by one window; None where the bottlenecks change in between."""
    step = share * windows[flow] * np.eye(case.flows)[flow]
    above, below = Point.of(case, windows + step), Point.of(case, windows - step)
    if not np.array_equal(above.bottlenecks, below.bottlenecks):
        return None
    width = 2 * step[flow]
    return (above.rates - below.rates) / width, (above.delays - below.delays) / width


def descent(case: Case, windows: Array, rho: float, slope: Array) -> float | None:
    """Difference of dY/dt along `slope`, by central differences, from -v^T K v, over the larger of the two.

    The divisor is at least 1e-6 of Y times the speed of the windows, for the case that both are 0 up to rounding. None
    where the bottlenecks change in between.
    """
    point = Point.of(case, windows)
    step = 1e-5 * windows.min() / np.abs(slope).max() * slope
    above, below = Point.of(case, windows + step), Point.of(case, windows - step)
    if not np.array_equal(above.bottlenecks, below.bottlenecks):
        return None
    rise = case.lyapunov(above.windows, above.rates, rho) - case.lyapunov(below.windows, below.rates, rho)
    v = case.gap(windows, point.rates)
    measured, said = rise / (2 * step[0]) * slope[0], -v @ point.k(rho) @ v
    floor = 1e-6 * case.lyapunov(windows, point.rates, rho) * np.abs(slope / windows).max()
    return float(abs(measured - said) / max(abs(measured), abs(said), floor))


def least_eigenvalue(point: Point, rho: float) -> float:
    """Least over largest eigenvalue of W^(2 rho - 1/2) K W^(2 rho - 1/2), congruent to K with entries of like size."""
    scale = point.windows ** (2 * rho - 0.5)
    values = np.linalg.eigvalsh(scale[:, None] * point.k(rho) * scale[None, :])
    return float(values[0] / values[-1]) if values[-1] > 0 else 0.0


def ends(cases: list[Case], rhos: tuple[float, ...], starts: int) -> tuple[float, float, int]:
    """Follows (18) from random starts.

    Returns the largest relative distance of the rates from the optimum at the end, the largest rise of Y in a sample
    over Y at the start, and the number of runs.
    """
    distance = rise = 0.0
    runs = 0
    for case in cases:
        best = case.best().rates
        for rho in rhos:
            for seed in range(starts):
                run = case.follow(rho, random_windows(10 + seed, case.flows, 1, 1000), 4000.0)
                distance = max(distance, float(np.abs(run.rates[-1] / best - 1).max()))
                y = case.lyapunov(run.windows, run.rates, rho)
                rise = max(rise, float(np.diff(y).max() / y[0]))
                runs += 1
    return distance, rise, runs

"""Network utility maximisation by CVXPY and Clarabel, to more digits than one conic solve can give.

An objective known to 1e-12 leaves rates within 1e-6 at best, and poor flows know less: so one solve is only a start.

1. The conic problem is solved again and again with every rate measured in the one found before, until rates stay.
2. Newton's method from there (sequential quadratic programming): utilities, entropies and curved regions are replaced
   by their second-order models at the last answer, the linear constraints stay as they are, and Clarabel solves the
   quadratic program for the *correction*. An error of e leaves one of e^2, and `last_step`, the correction made last,
   tells how far the answer had been off.

Nothing here knows Windward's solver: only the description of a problem is common to both.
"""

import itertools
import warnings
from typing import Any

import cvxpy as cp
import numpy as np


class Oracle:
    """The rates of a problem with at most one coupling, and utilities with logarithms and powers."""

    def __init__(self, problem: dict[str, Any]) -> None:
        network = problem["network"]
        links, routes = network["links"], network["routes"]
        crosses = np.zeros((len(links), len(routes)))
        for flow, route in enumerate(routes):
            crosses[route, flow] = 1
        # U' = weight x^-alpha - loss.
        self.weight, self.alpha, self.loss = np.array([marginal(u) for u in problem["utilities"]]).T
        wired = [at for at, link in enumerate(links) if link != "wireless"]
        #: Share of each wired capacity that a unit of each rate takes.
        self.wired = crosses[wired] / np.array([links[at]["wired"] for at in wired])[:, None]
        self.region: dict[str, Any] = {"kind": "none"}
        self.air = crosses[:0]
        for coupling in network.get("couplings", []):
            self.region, self.air = coupling["region"], crosses[coupling["links"]]
        if self.region["kind"] == "csma":
            #: What each independent set serves.
            self.sets = independent_sets(self.region["conflicts"], len(self.air)) * self.region["rates"]
        # A fair share of the poorest link, the air's taken as 1.
        all_links = np.vstack([self.wired, self.air])
        self.rates = 1 / np.max(all_links * np.count_nonzero(all_links, axis=1)[:, None], axis=0)
        self.last_step = np.inf

    def solve(self) -> None:
        """Finds `rates`; `last_step` is the last relative correction of any."""
        for tolerance in [1e-8, 1e-10, *[1e-12] * 10]:
            self._conic(tolerance)
            if self.last_step < 1e-2 and tolerance <= 1e-12:
                break
        if not np.isfinite(self.last_step):
            raise cp.SolverError("no start")
        # Rates near 0 may have been missed by powers of ten, of which a step halves or doubles.
        for _ in range(40):
            self._correct()
            if self.last_step < 1e-10:
                break

    def objective(self) -> float:
        """The sum of utilities and entropy."""
        is_log = self.alpha == 1
        exponent = np.where(is_log, 1, 1 - self.alpha)
        value = self.weight * np.where(is_log, np.log(self.rates), self.rates**exponent / exponent)
        entropy = -self.region["entropy"] * np.sum(self.u * np.log(self.u)) if self._has_entropy else 0.0
        return float(np.sum(value - self.loss * self.rates) + entropy)

    @property
    def _has_entropy(self) -> bool:
        return self.region.get("entropy", 0) > 0

    def _conic(self, tolerance: float) -> None:
        """The problem itself, in rates relative to the last ones."""
        x = cp.Variable(len(self.rates))
        turnover = self.weight * self.rates ** (1 - self.alpha)
        scale = np.max(turnover)
        gains = [-(self.loss * self.rates / scale) @ x]
        for alpha in np.unique(self.alpha):
            of = np.flatnonzero(self.alpha == alpha)
            value = cp.log(x[of]) if alpha == 1 else cp.power(x[of], 1 - alpha, approx=False) / (1 - alpha)
            gains.append((turnover[of] / scale) @ value)
        constraints = [(self.wired * self.rates) @ x <= 1]
        r = cp.Variable(len(self.air))
        fits = (self.air * self.rates) @ x <= r
        region = self.region
        match region["kind"]:
            case "norm":
                constraints += [fits, cp.pnorm(r / np.array(region["capacity"]), region["exponent"], approx=False) <= 1]
            case "ellipsoid":
                constraints += [fits, cp.norm(np.linalg.cholesky(np.array(region["matrix"])).T @ r) <= 1]
            case kind if kind != "none":
                served, shares, inside = self._mixture()
                constraints += [(self.air * self.rates) @ x <= served, *inside]
                if self._has_entropy:
                    gains.append(region["entropy"] / scale * cp.sum(cp.entr(shares)))
        # Where the start is far off a pass may fail, and the next one asks for something else.
        problem = cp.Problem(cp.Maximize(cp.sum(gains)), constraints)
        if ask(problem, tolerance) not in {cp.OPTIMAL, cp.OPTIMAL_INACCURATE}:
            self.last_step = np.inf
            return
        self.last_step = float(np.max(np.abs(x.value - 1)))
        self.rates = self.rates * np.clip(x.value, 1e-3, None)
        if region["kind"] in {"norm", "ellipsoid"}:
            self.r = r.value if region["kind"] == "ellipsoid" else self.air @ self.rates
            prices = scale * fits.dual_value
            self.price = max(0.0, prices @ self.r / (self._curve()[1] @ self.r))
        if self._has_entropy:
            self.u = np.maximum(shares.value, 1e-15)

    def _correct(self) -> None:
        """One step of Newton's method."""
        turnover = self.weight * self.rates ** (1 - self.alpha)
        scale = np.max(turnover)
        change, gain = quadratic((turnover - self.loss * self.rates) / scale, self.alpha * turnover / scale)
        gains = [gain]
        constraints = [(self.wired * self.rates) @ change <= 1 - self.wired @ self.rates, cp.abs(change) <= 0.5]
        load = self.air @ self.rates
        more = (self.air * self.rates) @ change
        region = self.region
        bends = region["kind"] in {"norm", "ellipsoid"}
        if bends:
            level, gradient, hessian = self._curve()
            dr = cp.Variable(len(self.r))
            touches = gradient @ dr <= 1 - level
            # Below a norm's curve there is nothing to gain; some rates of an ellipsoid help others.
            fits = load + more == self.r + dr if region["kind"] == "norm" else load + more <= self.r + dr
            constraints += [fits, touches]
            gains.append(-self.price / scale / 2 * cp.quad_form(dr, cp.psd_wrap(hessian)))
        elif self._has_entropy:
            weight = region["entropy"] / scale
            du, gain = quadratic(-weight * self.u * (np.log(self.u) + 1), weight * self.u)
            served = self.sets.T @ self.u + (self.sets.T * self.u) @ du
            constraints += [load + more <= served, self.u @ du == 1 - np.sum(self.u)]
            gains.append(gain)
        elif region["kind"] != "none":
            served, _, inside = self._mixture()
            constraints += [load + more <= served, *inside]
        # An inaccurate answer can be the next one's fixed point without being right: only an accurate one settles.
        problem = cp.Problem(cp.Maximize(cp.sum(gains)), constraints)
        is_accurate = any(ask(problem, tolerance) == cp.OPTIMAL for tolerance in (1e-15, 1e-14, 1e-13, 1e-12))
        if change.value is None:
            raise cp.SolverError("no correction")
        self.last_step = float(np.max(np.abs(change.value))) if is_accurate else np.inf
        self.rates = self.rates * (1 + change.value)
        if bends:
            self.r = self.r + dr.value
            self.price = max(0.0, scale * float(touches.dual_value))
        if self._has_entropy:
            self.u = self.u * np.clip(1 + du.value, 0.1, 10)

    def _mixture(self) -> tuple[cp.Expression, cp.Variable, list[cp.Constraint]]:
        """Link rates of a polyhedral region, the variable behind them, and what confines it."""
        region = self.region
        if region["kind"] == "half_spaces":
            r = cp.Variable(len(self.air))
            offsets = np.array(region["offsets"])
            return r, r, [(np.array(region["normals"]) / offsets[:, None]) @ r <= 1]
        if region["kind"] == "fading":
            draws = np.array(region["rates"])
            shares = cp.Variable(draws.shape, nonneg=True)
            return cp.sum(cp.multiply(draws, shares), axis=0) / len(draws), shares, [cp.sum(shares, axis=1) <= 1]
        u = cp.Variable(len(self.sets), nonneg=True)
        return self.sets.T @ u, u, [cp.sum(u) == 1]

    def _curve(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Value, gradient and Hessian at r of the f of the region f(r) <= 1."""
        region = self.region
        if region["kind"] == "ellipsoid":
            h = np.array(region["matrix"])
            return self.r @ h @ self.r, 2 * h @ self.r, 2 * h
        e, capacity = region["exponent"], np.array(region["capacity"])
        z = self.r / capacity
        # A link that no flow crosses stays at 0, where there may be no second derivative.
        bend = e * (e - 1) * np.where(z > 0, z, 1) ** (e - 2) * (z > 0)
        return np.sum(z**e), e * z ** (e - 1) / capacity, np.diag(bend / capacity**2)


def marginal(utility: dict[str, Any]) -> tuple[float, float, float]:
    """(weight, alpha, loss) of U' = weight x^-alpha - loss."""
    match utility["kind"]:
        case "proportional_fair":
            return utility["weight"], 1.0, 0.0
        case "alpha_fair":
            return utility["weight"], utility["alpha"], 0.0
        case "reno":
            return 2 * (utility["segment"] / utility["rtt"]) ** 2, 2.0, utility["loss"]
    raise ValueError(utility)


def independent_sets(conflicts: list[tuple[int, int]], links: int) -> np.ndarray:
    """All of them, one row each."""
    sets = np.array(list(itertools.product([0, 1], repeat=links)))
    conflicting = [sets[:, a] * sets[:, b] for a, b in conflicts]
    return sets[np.sum(conflicting, axis=0) == 0] if conflicts else sets


def quadratic(gradient: np.ndarray, curvature: np.ndarray) -> tuple[cp.Expression, cp.Expression]:
    """A change d and its gain g d - c d^2/2, in a unit for each entry that makes all curvatures alike."""
    scaled = cp.Variable(len(gradient))
    d = cp.multiply(1 / np.sqrt(curvature), scaled)
    return d, gradient @ d - cp.sum_squares(scaled) / 2


def ask(problem: cp.Problem, tolerance: float) -> str:
    """Asks Clarabel; what it says of the answer that the variables then hold."""
    # CVXPY evaluates powers at rates that may be a digit below 0. There are no parameters to look for.
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        try:
            problem.solve(
                solver=cp.CLARABEL,
                ignore_dpp=True,
                tol_gap_abs=tolerance,
                tol_gap_rel=tolerance,
                tol_feas=tolerance,
                max_iter=200,
            )
        except cp.SolverError:
            return cp.SOLVER_ERROR
    return str(problem.status)

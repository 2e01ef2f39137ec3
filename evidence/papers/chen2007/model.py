"""The fluid model of chen2007 section III in numpy, beside the engine's; packets a second, seconds, S = 1 packet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, root

from windward.theory.fluid import EmultcpTrajectory, EmultcpUser, follow_emultcp
from windward.theory.num import Array

#: Speed c of the paper's simulations: α/τ with α = 1/4 and τ = 20 s.
SPEED = 0.0125


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """Users over links; `beta` of the smooth form."""

    capacity: Array
    routes: Sequence[Sequence[int]]
    #: T, Σε and c of each user.
    rtt: Array
    loss: Array
    speed: Array
    beta: float

    @property
    def users(self) -> int:
        """Number of users."""
        return len(self.rtt)

    @property
    def incidence(self) -> Array:
        """Links by users."""
        matrix = np.zeros((len(self.capacity), self.users))
        for user, route in enumerate(self.routes):
            matrix[list(route), user] = 1
        return matrix

    def link_prices(self, rates: Array) -> Array:
        """g of (12)."""
        return np.logaddexp(0, self.beta * (1 - self.capacity / (self.incidence @ rates))) / self.beta

    def prices(self, rates: Array) -> Array:
        """Σ g of each user's path."""
        return self.incidence.T @ self.link_prices(rates)

    def indicator(self, prices: Array) -> Array:
        """f of (13)."""
        return np.tanh(self.beta * prices / 2)

    def manifold(self, connections: Array) -> Array:
        """The rates of (17), by a root of their own."""

        def gap(logs: Array) -> Array:
            x = np.exp(logs)
            return np.asarray(
                logs - np.log(connections * np.sqrt(2) / (self.rtt * np.sqrt(self.loss + self.prices(x))))
            )

        start = np.log(np.full(self.users, self.capacity.min() / self.users))
        found = root(gap, start, method="hybr", tol=1e-13)
        if np.abs(gap(found.x)).max() > 1e-9:
            raise ArithmeticError("no rates for these connections")
        return np.asarray(np.exp(found.x))

    def drift(self, connections: Array) -> Array:
        """The slope of n in the reduced system (16)."""
        f = self.indicator(self.prices(self.manifold(connections)))
        return self.speed * (1 / connections - connections * f)

    def follow(
        self, rates: Array, connections: Array, duration_s: float, interval_s: float, *, is_smooth: bool = True
    ) -> EmultcpTrajectory:
        """The engine's run of (14), or of (9)-(11)."""
        users = [EmultcpUser(rtt_s=t, loss=e, speed=c) for t, e, c in zip(self.rtt, self.loss, self.speed, strict=True)]
        return follow_emultcp(
            self.capacity,
            self.routes,
            users,
            rates=rates,
            connections=connections,
            duration_s=duration_s,
            interval_s=interval_s,
            beta=self.beta if is_smooth else None,
            tolerance=1e-9 if is_smooth else 1e-6,
        )

    def rest(self) -> tuple[Array, Array]:
        """x and n at the end of a run: of 20 000 s, or where 2000 s more change them by less than 3e-8."""
        rates, connections = np.full(self.users, 20.0), np.ones(self.users)
        for _ in range(10):
            run = self.follow(rates, connections, 2000, 2000)
            change = np.abs([run.rates[-1] / rates - 1, run.connections[-1] / connections - 1]).max()
            rates, connections = run.rates[-1], run.connections[-1]
            if change < 3e-8:
                break
        return rates, connections


def single(loss: float, beta: float = 1e5, speed: float = SPEED) -> Case:
    """The paper's link: 1 Mbit/s in packets of 8000 bit, 168 ms."""
    return Case(
        capacity=np.array([125.0]),
        routes=[[0]],
        rtt=np.array([0.168]),
        loss=np.array([loss]),
        speed=np.array([speed]),
        beta=beta,
    )


def random_case(seed: int, *, beta: float = 100.0, is_lossy: bool = True) -> Case:
    """Three to five users over two links: some over one, some over both."""
    rng = np.random.default_rng(seed)
    users = rng.integers(3, 6)
    return Case(
        capacity=rng.uniform(100, 400, 2),
        routes=[([0], [1], [0, 1])[at % 3] for at in range(users)],
        rtt=rng.uniform(0.05, 0.3, users),
        loss=rng.uniform(0.01, 0.08, users) * is_lossy,
        speed=rng.uniform(0.01, 0.05, users),
        beta=beta,
    )


def marginal(rate: float, rtt: float, loss: float, beta: float) -> float:
    """U' of Theorem 1: h⁻¹(2S²/(T²x²)) with h(z) = (ε + z) tanh(βz/2)."""
    target = 2 / (rtt * rate) ** 2

    def gap(z: float) -> float:
        return (loss + z) * float(np.tanh(beta * z / 2)) - target

    return float(brentq(gap, 0, target + 1 + 10 / beta, xtol=1e-16))

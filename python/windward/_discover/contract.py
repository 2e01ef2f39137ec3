"""Laws in the form of a contract: a window that moves towards T, a target with a few coefficients.

    W ← W + κ·(T − W) once a window of ACKs, T = (1 + θ)·W·base/avg + p + q·log2(1 + rate/100)

θ = q = 0 are FAST and QUIC-TCP; q is the law that keeps a logarithm of its rate in the queue, whose flows share well
in spite of delays that are no queue (docs/concepts/starvation.md). From a share of lost packets on others are taken to
fill the queue, and the window grows by at least m packets a round trip: m = 1 is Reno. A loss leaves b + v·base/avg of
the flight, so that losses without a queue can take less than those with one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from windward._search.samplers import CmaEs, Vector, hypercube

STEP = (
    "target = w * share * (1 + theta) + p + q * log2(1 + rate / 100); "
    "delay = acked * clamp(kappa * (target - w) / w, -0.5, 1); "
    "if(lost > full, max(delay, m * acked / w), delay)"
)
LOSS = "min(b + v * share, 0.95) * flight"


@dataclass(frozen=True, kw_only=True)
class Gene:
    """A coefficient: its range, on a logarithmic scale if it spans more than two decades."""

    name: str
    least: float
    most: float
    #: Digits that are kept: fewer than make a difference.
    digits: int = 3

    @property
    def is_log(self) -> bool:
        """True if its range is divided by ratios."""
        return self.least > 0 and self.most / self.least > 100

    def at(self, share: float) -> float:
        """The value at a share of the way."""
        share = min(max(share, 0.0), 1.0)
        if self.is_log:
            value = math.exp(math.log(self.least) + share * math.log(self.most / self.least))
        else:
            value = self.least + share * (self.most - self.least)
        return float(f"{value:.{self.digits}g}")

    def share(self, value: float) -> float:
        """The share of the way at which a value lies."""
        value = min(max(value, self.least), self.most)
        if self.is_log:
            return math.log(value / self.least) / math.log(self.most / self.least)
        return (value - self.least) / (self.most - self.least)


GENES = (
    Gene(name="theta", least=0.0, most=0.5),
    Gene(name="p", least=0.5, most=200.0),
    Gene(name="q", least=0.0, most=10.0),
    Gene(name="kappa", least=0.02, most=2.0),
    Gene(name="full", least=1e-5, most=0.05),
    Gene(name="m", least=0.0, most=2.0),
    Gene(name="b", least=0.3, most=0.9),
    Gene(name="v", least=0.0, most=0.5),
    Gene(name="exit", least=2.0, most=300.0),
    Gene(name="average", least=8.0, most=512.0),
)

#: Coefficients that are parameters of the law, not of its formulas.
_OWN = ("exit", "average")

#: Laws that the search knows: FAST's and QUIC-TCP's rest with three backlogs, one that turns to Reno, the log-law.
STARTS: tuple[Mapping[str, float], ...] = (
    {"p": 20, "m": 0, "b": 0.5, "v": 0, "exit": 20},
    {"p": 5, "m": 0, "b": 0.5, "v": 0, "exit": 5},
    {"p": 60, "m": 0, "b": 0.5, "v": 0, "exit": 60},
    {"p": 20, "m": 1, "b": 0.5, "v": 0.2, "exit": 20, "full": 1e-4},
    {"p": 2, "q": 3, "m": 1, "b": 0.5, "v": 0, "exit": 20, "full": 1e-3},
)
_REST = {"theta": 0.0, "q": 0.0, "kappa": 0.5, "full": 0.05, "average": 256.0}


def law(values: Mapping[str, float]) -> dict[str, Any]:
    """The law with these coefficients, as a scenario has it."""
    constants = {name: value for name, value in values.items() if name not in _OWN}
    own = {name: values[name] for name in _OWN}
    return {"name": "formula", "step": STEP, "loss": LOSS, "start": "", **own, "constants": constants}


#: Points of the Latin hypercube for each coefficient: the known laws say more of where to begin.
_FIRST = 2


class Contract:
    """Family of contracts, searched by CMA-ES from known laws and a Latin hypercube."""

    name = "contract"

    def __init__(
        self, seed: int, genes: Sequence[Gene] = GENES, law: Callable[[Mapping[str, float]], dict[str, Any]] = law
    ) -> None:
        self._genes = genes
        self._law = law
        starts = [np.array([own.share({**_REST, **start}[own.name]) for own in genes]) for start in STARTS]
        self.starts = len(starts)
        self._sampler = CmaEs([*starts, *hypercube(_FIRST * len(genes), len(genes), seed)], seed)
        self._asked: list[Vector] = []

    def ask(self) -> list[dict[str, Any]]:
        """The laws of the next generation; in the first the known ones come first."""
        self._asked = self._sampler.ask()
        return [
            self._law({own.name: own.at(float(share)) for own, share in zip(self._genes, point, strict=True)})
            for point in self._asked
        ]

    def tell(self, costs: Sequence[float], violations: Sequence[float]) -> None:
        """Takes the costs of the laws, to be made small, and by how much they break limits."""
        self._sampler.tell(self._asked, [(cost,) for cost in costs], violations)

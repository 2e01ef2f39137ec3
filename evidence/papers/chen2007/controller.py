"""The engine's own controller, told by hand whether there is a queue: (21) as `connections = "emultcp"` runs it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice

import numpy as np

import windward as ww
from windward.theory import laws

#: τ of the paper's simulations, in seconds.
TAU = 20.0
#: Round trips without and with a queue, which is more than the paper's fifth.
CLEAR_S, QUEUED_S = 0.168, 0.252
#: More connections than any check opens.
MAX = 100_000


class Told:
    """n of (21), one update at a time, α = 1 - β."""

    def __init__(self, beta: float = 0.75, tau_s: float = TAU) -> None:
        law = ww.format.Emultcp(tau=f"{tau_s} s", alpha=1 - beta, beta=beta, gamma=0.2, max=MAX)
        self._controller = laws.Connections(law)
        self._clock = (tau_s * tick for tick in count())
        # What it is told at 0 s opens its first period and belongs to the next mean.
        self._controller.update(next(self._clock), CLEAR_S)

    @property
    def n(self) -> float:
        """The connections that it wants, a real number."""
        return self._controller.n

    def update(self, *, is_congested: bool, queued_s: float = QUEUED_S) -> float:
        """n after another period, under a queue with round trips of so many seconds."""
        self._controller.update(next(self._clock), queued_s if is_congested else CLEAR_S)
        return self.n

    def climb(self, to: float) -> list[float]:
        """n after each update without a queue, until it has reached `to`."""
        return [self.update(is_congested=False) for _ in iter(lambda: self.n < to, False)]

    def fall(self, to: float) -> list[float]:
        """n after each update with a queue, until it is no more than `to`."""
        return [self.update(is_congested=True) for _ in iter(lambda: self.n > to, False)]


def saw(beta: float, peak: float, start: float = 0.0) -> Iterator[float]:
    """n of (21) for ever, told of a queue whenever it has reached `peak`; from the first above `start` on."""
    told = Told(beta)
    told.climb(max(start, 1.25))
    yield told.n
    while True:
        yield told.update(is_congested=told.n >= peak)


def cycle_utilisation(beta: float, peak: float, updates: int = 20_000) -> float:
    """Mean of n over `peak` in that saw."""
    return float(np.mean(list(islice(saw(beta, peak, peak), updates))) / peak)

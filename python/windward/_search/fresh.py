"""Fresh seeds, which no search has seen, and the share of them on which something holds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from windward.results._rare import binomial_interval
from windward.results._summary import number

#: Fresh seeds on which a find is shrunk, and as many again on which it is confirmed, by default and at least.
FRESH, LEAST_FRESH = 20, 10

#: Share of the fresh seeds on which a find holds at least: four of five, as between kernels.
LEAST = 0.8

#: The first fresh seed, beyond those that are chosen by hand, and seeds from one batch to the next.
_FROM, _BATCH = 1_000_001, 1_000_000


def fresh_seeds(searched: Iterable[int], count: int, *, batch: int = 0) -> list[int]:
    """Seeds that a search has not seen; those of different batches differ."""
    seen = set(searched)
    begin = _FROM + batch * _BATCH
    return list(itertools.islice((seed for seed in itertools.count(begin) if seed not in seen), count))


@dataclass(frozen=True, kw_only=True)
class Share:
    """Number of seeds on which something holds."""

    held: int
    of: int
    #: Whether all seeds are one run, since nothing in the network is random.
    is_one_run: bool = False

    @property
    def value(self) -> float:
        """The share of the seeds."""
        return self.held / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share on all seeds; the share itself where all seeds are one run."""
        return (self.value, self.value) if self.is_one_run else binomial_interval(self.held, self.of)

    def is_enough(self, need: float = LEAST) -> bool:
        """Returns true if it holds on as many of the seeds as it must."""
        return self.held >= need * self.of - 1e-9 and self.of > 0

    def is_above(self, other: Share) -> bool:
        """Returns true if it holds more often than something else, beyond chance: their intervals are apart."""
        return self.interval[0] > other.interval[1]

    def summary(self) -> dict[str, Any]:
        """Its part of a summary."""
        low, high = self.interval
        return {"held": self.held, "of": self.of, "low": number(low), "high": number(high), "one_run": self.is_one_run}


#: Judges seeds: of each, whether it holds, and what is compared to see whether two seeds are one run.
Judge = Callable[[Sequence[int]], Sequence[tuple[bool, Any]]]


def count(seeds: Sequence[int], judge: Judge, *, need: float = LEAST, is_whole: bool = False) -> Share:
    """Counts the seeds on which something holds, and stops where it is clear whether these are enough.

    Two seeds that are one run stand for all. Then three, two fifths and all of the seeds are judged. They are not
    enough where even the upper end of the share's interval is below what is needed, or too few are left. They are where
    two fifths of the seeds are judged and it holds on all of them.

    Parameters
    ----------
    need
        Share of the seeds on which it must hold.
    is_whole
        Judges all seeds, for a share to be told, unless too few are left.
    """
    parts = -(-2 * len(seeds) // 5)
    held = done = 0
    for stage in sorted({min(2, len(seeds)), min(3, len(seeds)), parts, len(seeds)}):
        found = judge(seeds[done:stage])
        held, done = held + sum(is_held for is_held, _ in found), stage
        if stage == 2 and found[0] == found[1]:
            return Share(held=held, of=done, is_one_run=True)
        share = Share(held=held, of=done)
        if done - held > (1 - need) * len(seeds) + 1e-9:
            break
        if not is_whole and (share.interval[1] < need or (held == done >= parts)):
            break
    return share

"""Verdicts over seeds, corrected for many comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windward._evaluate.measure import Measure
from windward.results.stats import mean_and_interval, tail

#: Chance of a false *does not* in a whole evaluation, and of a false *meets* of a single measure.
ALPHA = 0.05

#: No verdict of fewer seeds.
LEAST_SEEDS = 3

#: Smallest deviation that is believed, as a share of the threshold: figures that happen to agree are not certain.
_FLOOR = 0.01

#: Most seeds that are named as those that would decide.
_MOST_SEEDS = 1000

#: The normal distribution's quantile of 0.8: the chance that the named number of seeds decides.
_POWER = 0.8416

MEETS, DOES_NOT, CANNOT_TELL = "meets", "does not", "cannot tell"
NOT_APPLICABLE, NOT_MODELLED = "not applicable", "not modelled"


@dataclass(frozen=True, kw_only=True)
class Tested:
    """A measure over seeds, beside its threshold."""

    measure: Measure
    #: The law's figure of each seed, and those of the references.
    values: Sequence[float]
    references: Mapping[str, Sequence[float]]
    #: Reference that the threshold is of; empty for an absolute one.
    reference: str
    #: Mean of the threshold over seeds.
    allowed: float
    #: Mean excess over the threshold, and the deviation that is believed.
    excess: float
    deviation: float
    seeds: int
    #: Chance of such an excess if the threshold is met exactly, and of such a distance on the right side.
    chance: float
    chance_of_meeting: float

    @property
    def mean(self) -> float:
        """Mean of the law's figure."""
        return mean_and_interval(self.values)[0]

    @property
    def interval(self) -> float:
        """Half-width of its 95 % interval."""
        return mean_and_interval(self.values)[1]

    @property
    def is_known(self) -> bool:
        """True if there is enough to be judged."""
        return self.seeds >= LEAST_SEEDS

    @property
    def relative_excess(self) -> float:
        """Excess as a share of the threshold, to compare measures."""
        return self.excess / (abs(self.allowed) or 1.0)


def evaluated(measure: Measure, values: Sequence[float], references: Mapping[str, Sequence[float]]) -> Tested:
    """Compares a measure with its threshold, seed by seed.

    The threshold is that of the reference whose figure is worse: this can only make a false *does not* rarer.
    """
    means = {law: mean_and_interval(own)[0] for law, own in references.items()}
    known = {law: mean for law, mean in means.items() if not math.isnan(mean)}
    worst = min if measure.is_large else max
    reference = "" if measure.absolute is not None or not known else worst(known, key=lambda law: known[law])
    beside = references[reference] if reference else [math.nan] * len(values)
    pairs = [
        (measure.excess(value, other), measure.allowed(other))
        for value, other in zip(values, beside, strict=True)
        if not math.isnan(measure.excess(value, other))
    ]
    count = len(pairs)
    allowed = math.fsum(limit for _, limit in pairs) / count if count else math.nan
    if measure.absolute is not None:
        allowed = measure.absolute
    excess = math.fsum(over for over, _ in pairs) / count if count else math.nan
    deviation, chance, meeting = math.nan, 1.0, 1.0
    if count > 1:
        spread = math.sqrt(math.fsum((over - excess) ** 2 for over, _ in pairs) / (count - 1))
        deviation = max(spread, _FLOOR * abs(allowed), 1e-12)
        t = excess * math.sqrt(count) / deviation
        chance, meeting = tail(t, count - 1), tail(-t, count - 1)
    return Tested(
        measure=measure,
        values=values,
        references=references,
        reference=reference,
        allowed=allowed,
        excess=excess,
        deviation=deviation,
        seeds=count,
        chance=chance,
        chance_of_meeting=meeting,
    )


def adjusted(chances: Sequence[float]) -> list[float]:
    """Chances corrected for their number by S. Holm, "A simple sequentially rejective multiple test procedure", 1979.

    Whatever the dependence between them, at most `ALPHA` of whole evaluations have one false one below `ALPHA`.
    """
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    found, least = [1.0] * len(chances), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, (len(chances) - rank) * chances[at]))
        found[at] = least
    return found


def verdicts(tested: Sequence[Tested]) -> list[str]:
    """Verdict of each measure of a whole evaluation."""
    known = [own for own in tested if own.is_known]
    corrected = dict(zip(map(id, known), adjusted([own.chance for own in known]), strict=True))
    return [_verdict(own, corrected.get(id(own), 1.0)) for own in tested]


def _verdict(own: Tested, corrected: float) -> str:
    if not own.is_known:
        return CANNOT_TELL
    if corrected < ALPHA:
        return DOES_NOT
    return MEETS if own.chance_of_meeting < ALPHA else CANNOT_TELL


def needed(own: Tested, comparisons: int) -> int | None:
    """Number of seeds that would decide with a chance of 80 %, if mean and deviation stay; None beyond 1000.

    Parameters
    ----------
    own
        What was measured.
    comparisons
        Number of measures of the evaluation, by which Holm's first step divides.
    """
    if not own.is_known or own.excess == 0:
        return None
    level = ALPHA / comparisons if own.excess > 0 else ALPHA
    effect = abs(own.excess) / own.deviation
    for count in range(own.seeds + 1, _MOST_SEEDS + 1):
        t = effect * math.sqrt(count) - _POWER
        if t > 0 and tail(t, count - 1) < level:
            return count
    return None


def of_section(found: Sequence[str]) -> str:
    """Verdict of a section: the worst of its measures."""
    return next((verdict for verdict in (DOES_NOT, CANNOT_TELL) if verdict in found), MEETS)

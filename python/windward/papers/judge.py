"""Claims against their checks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from windward.papers.ledger import FITTED, UNDECIDED, Claim, Paper, PaperError, spans
from windward.results._files import replace_bytes, replace_text

__all__ = [
    "Bound",
    "Check",
    "Finding",
    "Judgement",
    "MissingResultError",
    "Order",
    "Results",
    "Scatter",
    "claim",
    "judge",
    "judge_all",
    "summary",
]

Check = TypeVar("Check", bound=Callable[..., "Finding"])


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """The range of single runs beside the print; the verdict follows from it and stands nowhere before."""

    low: float
    #: Infinite where some of the runs were cut off: what they would have taken has no upper end.
    high: float
    #: Number in the paper.
    printed: float
    #: Values that would be another result: the printed ones of the other cells of the row, 0 for a gain.
    others: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.others or not self.low <= self.high:
            raise ValueError("a range needs low <= high and the values that would be another result")

    @property
    def verdict(self) -> str:
        """Differs where the print lies outside, undecided where another result lies inside as well.

        A range that holds all of several other results tells none from another. One without an upper end, of runs
        that were cut off, can leave the print out, but cannot confirm it.

        Examples
        --------
        >>> Scatter(low=1, high=3, printed=2, others=(4,)).verdict
        'reproduced'
        >>> Scatter(low=1, high=5, printed=2, others=(4,)).verdict
        'undecided'
        >>> Scatter(low=1, high=9, printed=0.9, others=(4, 8)).verdict
        'undecided'
        >>> Scatter(low=1, high=math.inf, printed=2, others=(0.5,)).verdict
        'undecided'
        """
        if len(self.others) > 1 and all(map(self._has, self.others)):
            return UNDECIDED
        if not self._has(self.printed):
            return "differs"
        return UNDECIDED if math.isinf(self.high) or any(map(self._has, self.others)) else "reproduced"

    def _has(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, kw_only=True)
class Bound:
    """Runs most of which were cut off: a bound from below, and no range."""

    #: Shortest of the runs, cut off or not.
    least: float
    runs: int
    #: Number in the paper.
    printed: float

    @property
    def verdict(self) -> str:
        """Differs where the print lies below so many runs that one more would do so in one of 20 cases at most.

        The paper's run is one more of the same kind: the shortest of n + 1 with a probability of 1/(n + 1).

        >>> Bound(least=90, runs=5, printed=60).verdict, Bound(least=90, runs=19, printed=60).verdict
        ('undecided', 'differs')
        """
        return "differs" if self.printed < self.least and self.runs >= 19 else UNDECIDED


@dataclass(frozen=True, kw_only=True)
class Order:
    """The interval of a difference that is said to be above 0; the verdict follows from it."""

    low: float
    high: float
    #: Least difference that the sentence means: an interval below it differs, even if it holds 0.
    meant: float = 0.0

    @property
    def verdict(self) -> str:
        """Undecided where 0 lies inside, or one seed gives no interval.

        >>> Order(low=1, high=2).verdict, Order(low=-1, high=2).verdict, Order(low=-2, high=-1).verdict
        ('reproduced', 'undecided', 'differs')
        >>> Order(low=-1, high=2, meant=10).verdict
        'differs'
        """
        if self.low > 0:
            return "reproduced"
        return "differs" if self.high < self.meant else UNDECIDED


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of a check."""

    #: Our value, or what was found, in a few words.
    ours: str
    #: True if the claim is as in the ledger. For a corrected claim: the printed form fails and the corrected one holds.
    holds: bool | np.bool
    #: Of a claim whose runs scatter: range, interval or bound, from which the verdict follows. Undecided needs one.
    scatter: Scatter | Order | Bound | None = None


def claim(id: int) -> Callable[[Check], Check]:  # noqa: A002
    """Marks the function that checks a claim."""

    def mark(check: Check) -> Check:
        check.claim_id = id  # type: ignore[attr-defined]
        return check

    return mark


class MissingResultError(PaperError):
    """A check asks for numbers that no figure has kept."""


@dataclass(frozen=True)
class Results:
    """The numbers that `windward reproduce` has kept in a folder."""

    folder: Path

    def has(self, name: str) -> bool:
        """True if a table of this name was kept."""
        return self._file(name).exists()

    def table(self, name: str) -> pd.DataFrame:
        """A table by the name under which it was kept.

        Raises
        ------
        MissingResultError
            If there is none.
        """
        if not self.has(name):
            raise MissingResultError(f"{self.folder} holds no table `{name}`")
        return pd.read_parquet(self._file(name))

    def keep(self, name: str, table: pd.DataFrame) -> None:
        """Keeps a table, as Parquet and as CSV."""
        self.folder.mkdir(parents=True, exist_ok=True)
        replace_bytes(self._file(name), table.to_parquet(index=False))
        replace_text(self._file(name).with_suffix(".csv"), table.to_csv(index=False))

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A claim with what its check found."""

    claim: Claim
    #: The finding; for claims that were not checked, the reason.
    ours: str
    #: None where nothing was checked.
    holds: bool | None

    @property
    def outcome(self) -> str:
        """The ledger's verdict where the check agrees; else "FAILED", or "not run"."""
        if self.holds is False:
            return "FAILED"
        return self.claim.verdict if self.holds or not self.claim.is_checked else "not run"

    def to_dict(self) -> dict[str, Any]:
        """As a row of JSON."""
        claim = self.claim
        row = {name: getattr(claim, name) for name in ("id", "claim", "where", "how", "paper", "tolerance", "why")}
        return row | {"ours": self.ours, "verdict": claim.verdict, "outcome": self.outcome, "note": claim.note}


def judge(paper: Paper, claim: Claim, results: Results | None = None) -> Judgement:
    """Runs the check of one claim. Checks about packet runs need `results`; what a check raises is a failure."""
    if not claim.is_checked:
        return Judgement(claim=claim, ours="–", holds=None)
    if claim.runs and results is None:
        return Judgement(claim=claim, ours=f"judged by `windward reproduce {paper.key}`", holds=None)
    check = paper.checks[claim.id]
    try:
        finding = check(results) if claim.runs else check()
    except MissingResultError as error:
        return Judgement(claim=claim, ours=str(error), holds=None)
    except Exception as error:  # whatever went wrong, the claim is not shown, and the others are still judged
        return Judgement(claim=claim, ours=f"{type(error).__name__}: {error}", holds=False)
    if why := _objection(claim, finding):
        return Judgement(claim=claim, ours=f"{finding.ours} ({why})", holds=False)
    return Judgement(claim=claim, ours=finding.ours, holds=bool(finding.holds))


def _objection(claim: Claim, finding: Finding) -> str:
    """Why the ledger's verdict cannot be that of this range; empty where it can."""
    if finding.scatter is None:
        return "undecided needs the range of the runs" if claim.verdict == UNDECIDED else ""
    verdict = finding.scatter.verdict
    stands = "reproduced" if claim.verdict == FITTED else claim.verdict
    return "" if stands == verdict else f"the range of the runs says {verdict}"


def judge_all(paper: Paper, ids: list[int] | None = None, results: Results | None = None) -> Iterator[Judgement]:
    """Judges these claims, or all, in order.

    Raises
    ------
    PaperError
        For an id that the ledger does not have.
    """
    for number in ids or ():
        if number not in paper.claims:
            still = " yet" if number in paper.open else ""
            raise PaperError(f"{paper.key} has no claim {number}{still}; claims: {spans(list(paper.claims))}")
    for number, claim in paper.claims.items():
        if not ids or number in ids:
            yield judge(paper, claim, results)


def summary(judgements: Sequence[Judgement]) -> str:
    """Number of claims by outcome."""
    counts = Counter(judgement.outcome for judgement in judgements)
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items())

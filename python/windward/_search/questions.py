"""The questions that an attack may ask: which figure, how bad it must be, and when it is no find."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from windward._format.vary import worth
from windward.errors import OptionError, nearest


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A question that an attack may ask."""

    figure: str
    label: str
    unit: str = ""
    is_large: bool
    #: By default, as written.
    limit: str
    #: Meaning with the limit.
    says: str
    #: Whether flows are compared.
    is_of_flows: bool = False
    #: Whether flows are compared with their fair shares.
    is_fair: bool = False
    #: Whether the limit is a multiple of what the clean network has.
    is_share: bool = False
    #: Whether the figure is one of a time after the attack.
    is_quiet: bool = False


_RATIO = Kind(
    figure="ratio",
    label="ratio of goodputs",
    is_large=True,
    limit="10",
    says="a flow has {} times another's goodput",
    is_of_flows=True,
)
_WAIT = Kind(
    figure="wait-p95",
    label="longest p95 wait",
    unit="s",
    is_large=True,
    limit="100 ms",
    says="5 % of the packets wait {} or longer",
)

KINDS: Mapping[str, Kind] = {
    "starves": _RATIO,
    "unfair": Kind(
        figure="shortfall",
        label="fair share over goodput",
        is_large=True,
        limit="3",
        says="the fair share of a flow is {} times its goodput",
        is_of_flows=True,
        is_fair=True,
    ),
    "bloats": _WAIT,
    "idles": Kind(
        figure="utilization",
        label="utilization",
        unit="%",
        is_large=False,
        limit="50%",
        says="the busiest link carries at most {} of what it did",
        is_share=True,
    ),
    "slows": Kind(
        figure="goodput",
        label="goodput",
        unit="bit/s",
        is_large=False,
        limit="50%",
        says="the flows have at most {} of their goodput without the attack",
        is_share=True,
    ),
    "stalls": Kind(
        figure="rest",
        label="least goodput after the attack",
        unit="bit/s",
        is_large=False,
        limit="10%",
        says="after the attack a flow has at most {} of its goodput without it",
        is_share=True,
        is_quiet=True,
    ),
    "loses": Kind(
        figure="loss",
        label="lost segments",
        unit="%",
        is_large=True,
        limit="5%",
        says="at least {} of the segments are lost",
    ),
    "differs": Kind(
        figure="gain",
        label="goodput of the other law over that of this one",
        is_large=True,
        limit="3",
        says="{1} has {0} times the goodput on the same network",
    ),
}

#: Other forms of a question, by the form of its limit.
_FORMS: Mapping[str, Kind] = {
    "index": Kind(
        figure="fairness",
        label="Jain's index",
        is_large=False,
        limit="0.6",
        says="Jain's index of the goodputs is at most {}",
        is_of_flows=True,
    ),
    "gap": Kind(
        figure="gap",
        label="longest time without data after the attack",
        unit="s",
        is_large=True,
        limit="5 s",
        says="after the attack a flow receives nothing for {} or longer",
        is_quiet=True,
    ),
    "times": replace(_WAIT, limit="5x", says="the longest p95 wait is {} as long as without the attack", is_share=True),
}


@dataclass(frozen=True, kw_only=True)
class Question:
    """The question: a kind, with its limit in base units."""

    kind: Kind
    limit: float
    text: str
    #: The law to compare with, of `differs`.
    other: str | None = None

    def of(self, clean: float) -> Question:
        """The question where the clean network has this figure."""
        return replace(self, limit=self.limit * clean) if self.kind.is_share else self

    def holds(self, value: float, margin: float = 1.0) -> bool:
        """Returns true if a figure is beyond the limit, by this factor."""
        return value >= self.limit * margin if self.kind.is_large else value <= self.limit / margin

    @property
    def says(self) -> str:
        """The answer in words, if it holds."""
        return self.kind.says.format(self.text, self.other)


def read_question(text: str) -> Question:
    """Reads a question such as `unfair:3`, `bloats:100ms`, `stalls` and `differs:cubic:3`.

    Raises
    ------
    OptionError
        For another question or limit.
    """
    name, _, limit = text.partition(":")
    if name not in KINDS:
        raise OptionError(("until", text, f"unknown question; questions: {', '.join(KINDS)}{nearest(name, KINDS)}"))
    kind, other = KINDS[name], None
    if name == "differs":
        other, _, limit = limit.partition(":")
        if not other:
            raise OptionError(("until", text, "name the law to compare with, as in differs:cubic or differs:cubic:3"))
    kind, limit, value = _limit(name, kind, limit or kind.limit)
    if value is None or not 0 < value < math.inf or (kind.is_of_flows and kind.is_large and value <= 1):
        raise OptionError(("until", text, f"`{limit}` is no limit for `{name}`; write it as in {name}:{kind.limit}"))
    return Question(kind=kind, limit=value, text=limit, other=other)


def _limit(name: str, kind: Kind, limit: str) -> tuple[Kind, str, float | None]:
    """The form of a question that its limit is one of, and the limit in base units; None if it is none."""
    if name == "bloats" and (times := re.fullmatch(r"([\d.]+)\s*x", limit)):
        return _FORMS["times"], f"{times[1]} times", float(times[1])
    value, unit, *_ = worth(limit if re.search(r"[^\d.eE+-]", limit) else float(limit))
    if name == "unfair" and value is not None and value < 1 and not unit:
        kind = _FORMS["index"]
    if name == "stalls" and unit == "s":
        kind = _FORMS["gap"]
    expected = "s" if kind.unit == "s" else ""
    return kind, limit, value if unit == expected else None

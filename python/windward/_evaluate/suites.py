"""Conformance suites: cases of a specification, as measures with thresholds of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from windward._evaluate import bbr_draft, cubic_rfc, rmcat
from windward._evaluate.measure import Measure
from windward._evaluate.sections import Section
from windward.errors import OptionError, nearest


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Cases of a specification."""

    name: str
    #: The specification, as titles have it.
    title: str
    cases: Sequence[Section]
    measures: Callable[[], list[Measure]]
    #: Laws that relative thresholds are of.
    references: Sequence[str] = ()
    #: Series of a run that figures are taken from.
    series: Sequence[str] = ()
    #: Laws that it judges if they are those of calls.
    controls: Sequence[str] = ()


SUITES = {
    "bbr-draft": Suite(
        name="bbr-draft",
        title="the test cases of draft-ietf-ccwg-bbr",
        cases=bbr_draft.CASES,
        measures=bbr_draft.measures,
        series=("internals",),
    ),
    "cubic": Suite(
        name="cubic",
        title="the windows of RFC 9438",
        cases=cubic_rfc.CASES,
        measures=cubic_rfc.measures,
        references=("reno",),
    ),
    "rmcat": Suite(
        name="rmcat",
        title="the test cases of RFC 8867",
        cases=rmcat.CASES,
        measures=rmcat.measures,
        references=rmcat.REFERENCES,
        series=("call_video_series",),
        controls=rmcat.CONTROLS,
    ),
}


def read_suite(name: str) -> Suite:
    """A suite by its name.

    Raises
    ------
    OptionError
        For one that does not exist.
    """
    if name not in SUITES:
        said = f"no suite `{name}`; suites: {', '.join(SUITES)}{nearest(name, SUITES)}"
        raise OptionError(("suite", name, said))
    return SUITES[name]

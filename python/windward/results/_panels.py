"""Which lines share a panel of a figure, and how many a panel has: the same on a page and in a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from windward.results._values import Values, busiest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from windward.results._shapes import Windows

    Array = NDArray[np.float64]

#: More lines than this do not share a panel: each group of flows, or each link, has its own.
CROWD = 4

#: In a panel of a group, more flows than this are drawn as a median and a band.
MANY = 6

#: Most panels of a figure.
PANELS = 12

#: Where the axis of Jain's index ends: a line at 1 is seen whole.
MOST_INDEX = 1.02

#: Part of a fluid run that is drawn: this multiple of the settling time of its rates, and at least this share.
_SETTLED, _LEAST = 5.0, 0.05


def of_flows(flows: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Names of the flows of each panel.

    Parameters
    ----------
    flows
        Name and group of each flow.
    """
    groups: dict[str, list[str]] = {}
    for name, group in flows:
        groups.setdefault(group, []).append(name)
    every = [name for names in groups.values() for name in names]
    if len(every) <= CROWD or len(groups) > PANELS:
        return {"all flows" if len(every) != 1 else every[0]: every}
    return groups


def of_links(values: Values) -> tuple[dict[str, list[str]], int]:
    """Names of the busiest links, by panel, and the number of those left out."""
    chosen = busiest(values, PANELS)
    left_out = len(values.names) - len(chosen)
    return ({name: [name] for name in chosen} if len(chosen) > CROWD else {"links": chosen}), left_out


def is_crowded(groups: dict[str, list[str]]) -> bool:
    """Returns true if a panel has a median and a band in place of lines."""
    return any(len(names) > MANY for names in groups.values())


def band(means: Array) -> tuple[Array, Array, Array]:
    """The 5th, 50th and 95th percentile of many lines, columns of `means`; NaN before a line begins."""
    shares = np.full((3, len(means)), np.nan)
    is_known = np.isfinite(means).any(axis=1)
    shares[:, is_known] = np.nanpercentile(means[is_known], [5, 50, 95], axis=1)
    low, middle, high = shares
    return low, middle, high


def are_alike(means: Array) -> bool:
    """Returns true if all lines, columns of `means`, equal the first within a thousandth."""
    return means.shape[1] < 2 or bool(np.allclose(means, means[:, :1], rtol=1e-3))


def alone(groups: dict[str, list[str]], values: Values) -> dict[str, list[str]] | None:
    """The first flow of each panel, where the flows of every panel do the same; None where they do not."""
    if all(len(names) < 2 for names in groups.values()):
        return None
    if not all(are_alike(values.part(names).means) for names in groups.values()):
        return None
    return {title: names[:1] for title, names in groups.items()}


def moving_s(run: Windows) -> float:
    """The part of a fluid run that is drawn, in seconds: while its rates settle, and a while longer."""
    settled = run.duration_s if run.settled_s is None else _SETTLED * run.settled_s
    return min(run.duration_s, max(settled, _LEAST * run.duration_s))


def notes_of(run: Windows, *, is_alone: bool, shown_s: float) -> Sequence[str]:
    """Remarks below a figure of a fluid run."""
    notes = [run.how]
    if is_alone:
        notes.append("the flows of a group do the same")
    if shown_s < run.duration_s:
        notes.append(f"unchanged until {run.duration_s:g} s")
    return notes

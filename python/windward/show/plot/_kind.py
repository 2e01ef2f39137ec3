"""Kinds of figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of figure."""

    title: str
    #: Draws a result, and the series of one of its seeds, on an empty figure; returns a note for under the title.
    #: Raises ValueError without anything to draw.
    draw: Callable[[Any, Any, Figure], str]
    #: Whether it also draws the mean over all seeds, with its confidence interval, if it is given None for a seed.
    has_bands: bool = False

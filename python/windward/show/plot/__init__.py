"""Figures of a run: one function each, all in one style."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.show.plot import _means as means, _series as series
from windward.show.plot.style import head, styled

if TYPE_CHECKING:
    from windward._answers.run import Run


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A kind of figure."""

    title: str
    #: Draws on an empty figure; returns a note for under the title. Raises ValueError without anything to draw.
    draw: Callable[[Run, int, Figure], str]


PLOTS = {
    "windows": Plot(title="Windows", draw=series.windows),
    "rates": Plot(title="Goodput over time", draw=series.rates),
    "rtt": Plot(title="Round-trip times", draw=series.rtt),
    "queues": Plot(title="Queues", draw=series.queues),
    "delays": Plot(title="Queueing delays", draw=series.delays),
    "links": Plot(title="Rates of the links", draw=series.links),
    "fairness": Plot(title="Jain's fairness index over time", draw=series.fairness),
    "internals": Plot(title="Internals of the laws", draw=series.internals),
    "goodput": Plot(title="Mean goodput", draw=means.goodput),
    "utilization": Plot(title="Utilization of the links", draw=means.utilization),
    "loss": Plot(title="Lost segments", draw=means.loss),
    "stations": Plot(title="Stations of the cell", draw=means.stations),
}

#: What `Run.plot` and `windward plot` can draw.
NAMES = tuple(PLOTS)

#: File formats by the ending of the name.
FORMATS = (".svg", ".pdf", ".png")


def draw(run: Run, what: str, *, seed: int | None = None) -> Figure:
    """Draws one figure; see `Run.plot`."""
    if what not in PLOTS:
        near = difflib.get_close_matches(what, NAMES, n=1)
        hint = f"\nhint: did you mean `{near[0]}`?" if near else ""
        raise ValueError(f"there is no figure `{what}`; figures: {', '.join(NAMES)}{hint}")
    if seed is not None and seed not in run.seeds:
        raise ValueError(f"the run has no seed {seed}; seeds: {', '.join(map(str, run.seeds))}")
    plot = PLOTS[what]
    with styled():
        # Not through pyplot: no window, no global state, any thread.
        figure = Figure()
        FigureCanvasAgg(figure)
        note = plot.draw(run, run.seeds[0] if seed is None else seed, figure)
        head(figure, plot.title, f"{run.name} · {note}")
    return figure


def save(figure: Figure, path: Path) -> None:
    """Writes a figure as SVG, PDF or PNG, by the ending of the name; the same figure gives the same bytes.

    Raises
    ------
    ValueError
        If the name ends otherwise.
    OSError
        If the file cannot be written.
    """
    if path.suffix not in FORMATS:
        raise ValueError(f"{path}: figures are written as {', '.join(FORMATS)}; give the file one of these endings")
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix)
    with styled():
        figure.savefig(path, metadata=metadata)

"""Figures of results: one function each, all in one style."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.show.plot import _answers, _backlog, _coding, _means, _series, _sweep, _wireless
from windward.show.plot._kind import Kind
from windward.show.plot.style import head, styled

if TYPE_CHECKING:
    from windward.results._shapes import Grid, Result

PACKETS = {
    "windows": Kind(title="Windows", draw=_series.windows),
    "rates": Kind(title="Goodput over time", draw=_series.rates),
    "rtt": Kind(title="Round-trip times", draw=_series.rtt),
    "queues": Kind(title="Queues", draw=_series.queues),
    "delays": Kind(title="Queueing delays", draw=_series.delays),
    "links": Kind(title="Rates of the links", draw=_series.links),
    "fairness": Kind(title="Jain's fairness index over time", draw=_series.fairness),
    "internals": Kind(title="Internals of the laws", draw=_series.internals),
    "goodput": Kind(title="Mean goodput", draw=_means.goodput),
    "utilization": Kind(title="Utilization of the links", draw=_means.utilization),
    "loss": Kind(title="Lost segments", draw=_means.loss),
    "stations": Kind(title="Stations of the cell", draw=_means.stations),
    "map": Kind(title="The wireless network", draw=_wireless.network),
    "airtime": Kind(title="Time of the stations", draw=_wireless.airtime),
    "air": Kind(title="Frames on the air", draw=_wireless.air),
    "backlogs": Kind(title="Queues of the stations by flow", draw=_backlog.backlogs),
    "trapped": Kind(title="Trapped packets", draw=_backlog.trapped),
    "shares": Kind(title="Ways of the flows", draw=_backlog.shares),
    "blocks": Kind(title="Blocks of coded flows", draw=_coding.blocks),
}

#: What can be drawn of each engine's results; the first is drawn unless another is asked for.
FIGURES: Mapping[str, Mapping[str, Kind]] = {
    "simulate": PACKETS,
    "emulate": PACKETS,
    "fluid": _answers.FLUID,
    "optimum": _answers.OPTIMUM,
    "sweep": _sweep.SWEEP,
}

#: File formats by the ending of the name.
FORMATS = (".svg", ".pdf", ".png")


def names(result: Result) -> tuple[str, ...]:
    """What can be drawn of a result."""
    return tuple(FIGURES[result.engine])


def draw(result: Result, what: str | None = None, *, seed: int | None = None) -> Figure:
    """Draws one figure of a result.

    Parameters
    ----------
    result
        A run, a fluid run or an optimum.
    what
        One of `names(result)`. Default: the first.
    seed
        Whose series to draw, of a run. Default: the first.

    Raises
    ------
    ValueError
        If there is no such figure, no such seed, or nothing to draw.
    """
    kinds = FIGURES[result.engine]
    what = next(iter(kinds)) if what is None else what
    if what not in kinds:
        near = difflib.get_close_matches(what, kinds, n=1)
        hint = f"\nhint: did you mean `{near[0]}`?" if near else ""
        raise ValueError(f"unknown figure `{what}`; figures: {', '.join(kinds)}{hint}")
    chosen = seed_of(result, seed)
    kind = kinds[what]
    with styled():
        # Not through pyplot: no window, no global state, any thread.
        figure = Figure()
        FigureCanvasAgg(figure)
        note = kind.draw(result, chosen, figure)
        head(figure, kind.title, f"{result.name} · {note}")
    return figure


def draw_sweep(
    sweep: Grid,
    what: str = "goodput",
    *,
    over: Sequence[str] | None = None,
    by: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> Figure:
    """Draws a figure of a sweep over one field or two; `windward.Sweep.plot` says what the arguments mean.

    Raises
    ------
    ValueError
        If there is no such figure or field, or nothing to draw.
    """
    with styled():
        figure = Figure()
        FigureCanvasAgg(figure)
        note = _sweep.draw(sweep, what, figure, over=over, by=by, at=at)
        title = _sweep.SWEEP[what].title if what in _sweep.SWEEP else what
        head(figure, title, f"{sweep.name} · {note}")
    return figure


def seed_of(result: Result, seed: int | None) -> int:
    """The seed whose series are shown: the first unless another is asked for; 0 where there are none.

    Raises
    ------
    ValueError
        If the result has no such seed.
    """
    seeds: tuple[int, ...] = () if result.engine == "sweep" else getattr(result, "seeds", ())
    if seed is not None and not seeds:
        raise ValueError(f"a result of `{result.engine}` has no seeds")
    if seed is not None and seed not in seeds:
        raise ValueError(f"the run has no seed {seed}; seeds: {', '.join(map(str, seeds))}")
    return seed if seed is not None else next(iter(seeds), 0)


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

"""Figures of results: one function each, all in one style."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Before anything of matplotlib.
from windward.show.plot import _backend as _backend  # isort: skip

from matplotlib.backends.backend_agg import FigureCanvasAgg

from windward.errors import nearest
from windward.results import _names
from windward.results._files import replace_bytes
from windward.results._values import NothingToDrawError, has_bands
from windward.show.plot import (
    _aggregation,
    _answers,
    _apps,
    _backlog,
    _coding,
    _means,
    _radio,
    _series,
    _sweep,
    _together,
    _tuning,
    _wireless,
)
from windward.show.plot._kind import Kind
from windward.show.plot._paper import COLUMNS as COLUMNS, Column, column_of, fit
from windward.show.plot._together import by_name as by_name
from windward.show.plot.style import Styled, head, styled, write_as_they_are

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from windward.results._shapes import Compared, Grid, Result

__all__ = [
    "COLUMNS",
    "FIGURES",
    "FORMATS",
    "PACKETS",
    "by_name",
    "draw",
    "draw_sweep",
    "draw_together",
    "firsts",
    "listed",
    "names",
    "save",
    "seed_of",
]

PACKETS = {
    "windows": Kind(title="Windows", draw=_series.windows, has_bands=True),
    "rates": Kind(title="Goodput over time", draw=_series.rates, has_bands=True),
    "rtt": Kind(title="Round-trip times", draw=_series.rtt, has_bands=True),
    "queues": Kind(title="Queues", draw=_series.queues, has_bands=True),
    "delays": Kind(title="Queueing delays", draw=_series.delays, has_bands=True),
    "links": Kind(title="Rates of the links", draw=_series.links, has_bands=True),
    "fairness": Kind(title="Jain's fairness index over time", draw=_series.fairness, has_bands=True),
    "internals": Kind(title="Internals of the laws", draw=_series.internals),
    "goodput": Kind(title="Mean goodput", draw=_means.goodput),
    "utilization": Kind(title="Utilization of the links", draw=_means.utilization),
    "loss": Kind(title="Lost segments", draw=_means.loss),
    "stations": Kind(title="Stations of the cell", draw=_means.stations),
    "causes": Kind(title="Causes of the delay in the cell", draw=_radio.causes),
    "resources": Kind(title="Resource blocks of the cell", draw=_radio.resources),
    "sites": Kind(title="Serving sites", draw=_radio.sites),
    "map": Kind(title="The wireless network", draw=_wireless.network),
    "airtime": Kind(title="Time of the stations", draw=_wireless.airtime),
    "air": Kind(title="Frames on the air", draw=_wireless.air),
    "aggregates": Kind(title="A-MPDUs and rates", draw=_aggregation.aggregates),
    "backlogs": Kind(title="Queues of the stations by flow", draw=_backlog.backlogs),
    "trapped": Kind(title="Trapped packets", draw=_backlog.trapped),
    "shares": Kind(title="Ways of the flows", draw=_backlog.shares),
    **_apps.figures(),
    "blocks": Kind(title="Blocks of coded flows", draw=_coding.blocks),
}


def _beside(what: str, compared: Compared, _seed: int | None, figure: Figure) -> str:
    """The answers of a comparison that have this figure, each by its name there."""
    engines = _together.KINDS[what].engines
    answers = {name: getattr(compared, name) for name in ("optimum", "fluid", "ideal", "packets", "kernel")}
    drawn = {name: each for name, each in answers.items() if each is not None and each.engine in engines}
    if not drawn:
        raise NothingToDrawError(f"no answer of the comparison has `{what}`")
    known = {}
    if what == "goodput":
        # Of a network that changes their own tables have one of its pieces.
        known = {name: {row["flow"]: row[f"{name}_bps"] for row in compared.rows} for name in ("optimum", "fluid")}
    note = _together.draw(drawn, what, None, figure, known)
    return f"{', '.join(drawn)}; {note}"


#: Of a comparison, what its answers have in common first.
_COMPARED = {"goodput": _together.KINDS["goodput"], **_together.KINDS}

#: What can be drawn of each engine's results; the first is drawn unless another is asked for.
FIGURES: Mapping[str, Mapping[str, Kind]] = {
    "simulate": PACKETS,
    "emulate": PACKETS,
    "fluid": _answers.FLUID,
    "optimum": _answers.OPTIMUM,
    "sweep": _sweep.SWEEP,
    "tune": _tuning.TUNING,
    "compare": {what: Kind(title=kind.title, draw=partial(_beside, what)) for what, kind in _COMPARED.items()},
}

#: Results in words, and the engine whose figures they have; a page of steps is drawn of runs alone.
_RESULTS = {
    "a run": "simulate",
    "an optimum": "optimum",
    "a fluid run": "fluid",
    "a sweep": "sweep",
    "a tuning": "tune",
    "a comparison": "compare",
}


def listed() -> str:
    """Names of all figures by result, for the help of the command."""
    texts = []
    for result, engine in _RESULTS.items():
        there = ", ".join(FIGURES[engine])
        texts.append(f"of {result}: {there}" + (", or steps, a page with a slider" if engine == "simulate" else ""))
    return "; ".join(texts)


#: File formats by the ending of the name.
FORMATS = (".svg", ".pdf", ".png")


#: Of a run, the figure that is drawn by default: the first of these that has something to draw.
_FIRST = ("windows", "loads", "video", "completion", "datagrams", "queues")


def names(result: Result) -> tuple[str, ...]:
    """Names of the figures of a result."""
    return tuple(FIGURES[result.engine])


def firsts(result: Result) -> tuple[str, ...]:
    """Names of the figures that are tried by default, the first first: without flows a run has no windows."""
    return _FIRST if FIGURES[result.engine] is PACKETS else names(result)[:1]


def draw(
    result: Result,
    what: str | None = None,
    *,
    seed: int | None = None,
    for_: str | None = None,
) -> Styled:
    """Draws one figure of a result.

    Parameters
    ----------
    result
        A run, a fluid run or an optimum.
    what
        One of `names(result)`. Default: the first of `firsts(result)` that has something to draw.
    seed
        Whose series to draw, of a run. Default: the mean over all, with its 95 % confidence interval; the first of
        figures that have no mean.
    for_
        The paper's column that the figure is for: one of `COLUMNS`. Its title and note are then left to the caption.

    Raises
    ------
    ValueError
        If there is no such figure, no such seed, no such column, or nothing to draw.
    """
    column = column_of(for_)
    kinds = FIGURES[result.engine]
    if what is None:
        for tried in firsts(result):
            with suppress(NothingToDrawError):
                return draw(result, tried, seed=seed, for_=for_)
        what = firsts(result)[0]
    if what not in kinds:
        raise ValueError(f"unknown figure `{what}`; figures: {', '.join(kinds)}{nearest(what, kinds)}")
    chosen: int | None = seed_of(result, seed)
    kind = kinds[what]
    if seed is None and kind.has_bands and has_bands(result):
        chosen = None
    with styled(column):
        figure = _empty(column)
        figure.what = what
        note = kind.draw(result, chosen, figure)
        return _finish(figure, kind.title, f"{_names.one(result.name)} · {note}")


def draw_together(
    results: Mapping[str, Result], what: str | None = None, *, seed: int | None = None, for_: str | None = None
) -> Styled:
    """Draws one figure of several results, by the names that they have in it; the rest is as `draw` takes it.

    Raises
    ------
    ValueError
        If they have no such figure in common, there is no such seed or column, or nothing to draw.
    """
    column = column_of(for_)
    chosen = next(iter(_together.KINDS)) if what is None else what
    if seed is not None:
        for result in results.values():
            seed_of(result, seed)
    with styled(column):
        figure = _empty(column)
        note = _together.draw(results, chosen, seed, figure)
        return _finish(figure, _together.KINDS[chosen].title, note)


def _empty(column: Column | None) -> Styled:
    # Not through pyplot: no window, no global state, any thread.
    figure = Styled(column)
    FigureCanvasAgg(figure)
    return figure


def _finish(figure: Styled, title: str, note: str) -> Styled:
    """The head of a figure; in a paper its place is the caption."""
    figure.caption = f"{title}: {note}"
    if figure.column is None:
        head(figure, title, note)
    else:
        fit(figure, figure.column)
    write_as_they_are(figure)
    return figure


def draw_sweep(
    sweep: Grid,
    what: str = "goodput",
    *,
    over: Sequence[str] | None = None,
    by: str | None = None,
    at: Mapping[str, Any] | None = None,
    for_: str | None = None,
) -> Styled:
    """Draws a figure of a sweep over one field or two; `windward.Sweep.plot` says what the arguments mean.

    Raises
    ------
    ValueError
        If there is no such figure or field, or nothing to draw.
    """
    column = column_of(for_)
    with styled(column):
        figure = _empty(column)
        note = _sweep.draw(sweep, what, figure, over=over, by=by, at=at)
        title = _sweep.SWEEP[what].title if what in _sweep.SWEEP else what
        return _finish(figure, title, f"{_names.one(sweep.name)} · {note}")


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
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise ValueError(f"{path}: figures are written as {', '.join(FORMATS)}; give the file one of these endings")
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
    with styled(figure.column if isinstance(figure, Styled) else None):
        # Drawn whole before the file is touched.
        drawn = io.BytesIO()
        figure.savefig(drawn, format=ending[1:], metadata=metadata)
    replace_bytes(path, drawn.getvalue())

"""Several results in one figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from windward.errors import nearest
from windward.results import _names
from windward.results._names import shorten
from windward.results._panels import CROWD, MOST_INDEX
from windward.results._values import FEW, SERIES, NothingToDrawError, Values, busiest, has_bands, index_of, of_fluid
from windward.results.stats import mean_and_interval
from windward.show.plot._paper import legend
from windward.show.plot._series import draw_line, never_below_zero, top
from windward.show.plot.style import COLORS, INK, inside, left_out_note, looks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from windward.results._shapes import Result

#: At most so many results in a figure.
MOST = 9

#: In a panel, and in a figure of bars.
_MOST_LINES, _MOST_BARS = 12, 24

_PACKETS = ("simulate", "emulate")

#: What the series of the fluid engine are called there.
_FLUID = {"windows": ("cwnd", 1.0), "rates": ("goodput_bps", 1e-6)}


#: Means of results that are known already, by the result's name and the flow.
_Known = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, kw_only=True)
class _Lines:
    """A figure over time."""

    title: str
    label: str
    #: The values of a result, of one seed or of the mean over all.
    of: Callable[[Any, int | None], Values]
    engines: tuple[str, ...] = _PACKETS
    is_from_zero: bool = True
    #: Where the axis ends, of what cannot be more.
    most: float | None = None

    def draw(self, results: Mapping[str, Any], seed: int | None, figure: Figure, _known: _Known) -> str:
        """Draws it; returns the note for under its title."""
        return _lines(results, self, seed, figure)


@dataclass(frozen=True, kw_only=True)
class _Bars:
    """A figure of means over the run."""

    title: str
    label: str
    #: The table, its entity, the column and what it is multiplied by.
    total: tuple[str, str, str, float]
    engines: tuple[str, ...] = _PACKETS
    #: The largest that it can be.
    most: float = math.inf

    def draw(self, results: Mapping[str, Any], _seed: int | None, figure: Figure, known: _Known) -> str:
        """Draws it, over all seeds; returns the note for under its title."""
        return _bars(results, self, figure, known)


def by_name(result: Result, beside: Sequence[Result] | Mapping[str, Result]) -> Mapping[str, Result]:
    """A result and others by their names in the figure: told apart by engine or number where they have the same."""
    others = list(beside.items()) if isinstance(beside, Mapping) else [(other.name, other) for other in beside]
    pairs = [(result.name, result), *others]
    names = [text for text, _ in pairs]
    if len(set(names)) < len(names):
        engines = [f"{text}, {one.engine}" for text, one in pairs]
        names = engines if len(set(engines)) == len(names) else [f"{text} {at}" for at, text in enumerate(names, 1)]
    return dict(zip(names, (one for _, one in pairs), strict=True))


def draw(
    results: Mapping[str, Result], what: str, seed: int | None, figure: Figure, known: _Known | None = None
) -> str:
    """Draws a figure of several results; returns the note for under its title.

    Parameters
    ----------
    results, what, seed, figure
        The results by their names there, the figure's name, the seed, and where it is drawn.
    known
        Means that take the place of those of a result's own table, where it covers only a part of the time.

    Raises
    ------
    ValueError
        If they have no such figure, or nothing to draw.
    """
    if len(results) > MOST:
        raise ValueError(f"a figure has room for {MOST} results, not {len(results)}")
    if what not in KINDS:
        hint = nearest(what, KINDS)
        raise ValueError(f"several results have no figure `{what}` in common; figures: {', '.join(KINDS)}{hint}")
    kind = KINDS[what]
    for text, result in results.items():
        if result.engine not in kind.engines:
            fitting = [name for name, each in KINDS.items() if result.engine in each.engines]
            common = f"; figures of `{result.engine}` beside others: {', '.join(fitting)}" if fitting else ""
            raise ValueError(f"{text}: a result of `{result.engine}` has no `{what}` to lay beside others{common}")
    return kind.draw(results, seed, figure, known or {})


def _lines(results: Mapping[str, Any], kind: _Lines, seed: int | None, figure: Figure) -> str:
    """All lines together if they are few, else a panel for each result on the same axes."""
    series, left_out = {}, 0
    for text, run in results.items():
        values = kind.of(run, seed if seed is not None or _has_bands(run) else _first(run))
        known = values.mean.dropna(axis=1, how="all")
        chosen = busiest(values, _MOST_LINES) if known.columns.name == "link" else list(known.columns[:_MOST_LINES])
        left_out += known.shape[1] - len(chosen) if known.columns.name != "link" else 0
        series[text] = values.part(chosen)
    if not any(values.mean.shape[1] for values in series.values()):
        raise NothingToDrawError("the results have no flows")
    duration_s = max(run.duration_s for run in results.values())
    if sum(values.mean.shape[1] for values in series.values()) <= CROWD:
        axes = figure.add_subplot()
        lines = [(text, column) for text, values in series.items() for column in values.mean.columns]
        is_alone = all(values.mean.shape[1] == 1 for values in series.values())
        for look, (text, column) in zip(looks(len(lines)), lines, strict=True):
            draw_line(axes, series[text], column, text if is_alone else f"{text}: {column}", look)
        # Bands are no lines.
        labels = [str(line.get_label()) for line in axes.get_lines()]
        legend(axes, axes.get_lines(), labels, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
        axes.set_xlabel("time (s)")
        axes.set_ylabel(kind.label)
        grid = np.array([axes])
    else:
        columns = min(len(series), 2)
        rows = math.ceil(len(series) / columns)
        figure.set_figheight(1.3 + 2.0 * rows)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        names = list(dict.fromkeys(column for values in series.values() for column in values.mean.columns))
        colors = dict(zip(names, looks(len(names)), strict=True))
        drawn: dict[str, Line2D] = {}
        for axes, (text, values) in zip(grid, series.items(), strict=False):
            for column in values.mean.columns:
                draw_line(axes, values, column, column, colors[column])
            drawn |= {str(line.get_label()): line for line in axes.get_lines()}
            axes.set_title(_names.one(text))
        for axes in grid[len(series) :]:
            axes.remove()
        figure.supxlabel("time (s)", fontsize="medium")
        figure.supylabel(kind.label, fontsize="medium")
        legend(figure, [drawn[str(column)] for column in names], map(str, names), loc="outside right upper")
    grid[0].set_xlim(0, duration_s)
    if kind.is_from_zero:
        grid[0].set_ylim(0, top(series.values()) if kind.most is None else kind.most)
    else:
        never_below_zero(grid[0])
    return _note(results, seed, has_lines=True) + left_out_note(left_out, "more flow")


def _bars(results: Mapping[str, Any], kind: _Bars, figure: Figure, known: _Known) -> str:
    """A bar for each result at each flow or link."""
    table, entity, column, unit = kind.total
    means: dict[str, dict[str, tuple[float, float]]] = {}
    for text, result in results.items():
        if text in known:
            means[text] = {one: (mean * unit, math.nan) for one, mean in known[text].items()}
            continue
        frame: pd.DataFrame = getattr(result, table)
        groups = frame.groupby(entity, sort=False, observed=True)[column]
        means[text] = {str(one): mean_and_interval(values * unit) for one, values in groups}
    names = list(dict.fromkeys(one for of in means.values() for one in of))
    if entity == "link":
        # ACKs alone are nothing to look at.
        most = max((mean for of in means.values() for mean, _ in of.values()), default=0.0)
        names = [one for one in names if max(of.get(one, (0.0, 0.0))[0] for of in means.values()) > 0.05 * most]
    left_out = len(names) - _MOST_BARS
    names = names[:_MOST_BARS]
    if not names:
        raise NothingToDrawError("the results have no flows")
    figure.set_figheight(max(2.6, 1.6 + (0.1 + 0.2 * len(means)) * len(names)))
    axes = figure.add_subplot()
    high = 0.8 / len(means)
    handles: list[Any] = []
    for at, of in enumerate(means.values()):
        places = np.arange(len(names)) + (at - (len(means) - 1) / 2) * high
        mean, interval = np.array([of.get(one, (math.nan, math.nan)) for one in names]).T
        color = COLORS[at % len(COLORS)]
        hatch = None if at < len(COLORS) else "///"
        handles.append(axes.barh(places, mean, height=0.9 * high, color=color, alpha=0.85, hatch=hatch))
        if not np.isnan(interval).all():
            errors = inside(mean, interval, kind.most)
            axes.errorbar(mean, places, xerr=errors, fmt="none", ecolor=INK, elinewidth=0.8, capsize=1.5)
    axes.set_yticks(range(len(names)), shorten(names))
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.set_xlim(0, min(axes.get_xlim()[1], kind.most))
    axes.set_xlabel(kind.label)
    axes.grid(visible=False, axis="y")
    legend(axes, handles, means, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
    return _note(results, None) + left_out_note(left_out, f"more {entity}")


def _has_bands(run: Any) -> bool:
    return run.engine in _PACKETS and has_bands(run)


def _first(run: Any) -> int | None:
    return run.seeds[0] if run.engine in _PACKETS else None


def _note(results: Mapping[str, Any], seed: int | None, *, has_lines: bool = False) -> str:
    """Note on the seeds that are drawn."""
    if seed is not None:
        return f"seed {seed}"
    counts = sorted({len(run.seeds) for run in results.values() if _has_bands(run)})
    if not counts:
        return "one seed each" if any(run.engine in _PACKETS for run in results.values()) else "one run each"
    count = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    if has_lines and counts[0] <= FEW:
        few = "" if counts[-1] <= FEW else ", of more than three their 95 % confidence interval"
        return f"mean over {count} seeds, and each of them (thin){few}"
    return f"mean and 95 % confidence interval over {count} seeds"


def _of(what: str) -> Callable[[Any, int | None], Values]:
    def read(result: Any, seed: int | None) -> Values:
        if result.engine in _PACKETS:
            return SERIES[what].of(result, seed)
        column, unit = _FLUID[what]
        return of_fluid(result, column, unit)

    return read


_ALL = (*_PACKETS, "fluid", "optimum")

#: By the names that they have for one result.
KINDS: Mapping[str, _Lines | _Bars] = {
    **{
        what: _Lines(
            title=title,
            label=SERIES[what].label,
            of=_of(what),
            is_from_zero=SERIES[what].is_from_zero,
            engines=(*_PACKETS, "fluid") if what in _FLUID else _PACKETS,
        )
        for what, title in (
            ("rates", "Goodput over time"),
            ("windows", "Windows"),
            ("rtt", "Round-trip times"),
            ("queues", "Queues"),
            ("delays", "Queueing delays"),
            ("links", "Rates of the links"),
        )
    },
    "fairness": _Lines(title="Jain's fairness index over time", label="Jain's index", of=index_of, most=MOST_INDEX),
    "goodput": _Bars(
        title="Mean goodput",
        label="goodput (Mbit/s)",
        total=("flows", "flow", "goodput_bps", 1e-6),
        engines=_ALL,
    ),
    "loss": _Bars(title="Lost segments", label="lost segments (%)", total=("flows", "flow", "loss", 100.0), most=100.0),
    "utilization": _Bars(
        title="Utilization of the links",
        label="utilization (%)",
        total=("links", "link", "utilization", 100.0),
        most=100.0,
    ),
}

"""Figures over time, of one seed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from windward.results import _names, _panels
from windward.results._panels import CROWD, MANY, MOST_INDEX, PANELS
from windward.results._values import FEW, SERIES, Series, Values, index_of
from windward.show.plot._paper import legend
from windward.show.plot.style import COLORS, FAINT, WARMUP, left_out_note, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windward.results._shapes import Packets

#: The share of a panel that the word "warm-up" may need.
_ROOM = 0.3

#: Figures narrower than this, in inches, have at most two panels in a row.
_NARROW = 5.0


class Span(Protocol):
    """A duration with a warm-up."""

    @property
    def duration_s(self) -> float:
        """Its end in seconds."""

    @property
    def warmup_s(self) -> float:
        """Warm-up at the beginning, in seconds."""


def windows(run: Packets, seed: int | None, figure: Figure) -> str:
    """Window of each flow's law."""
    return _flows(run, seed, figure, SERIES["windows"])


def rates(run: Packets, seed: int | None, figure: Figure) -> str:
    """Goodput of each flow, a moving mean."""
    return _flows(run, seed, figure, SERIES["rates"])


def rtt(run: Packets, seed: int | None, figure: Figure) -> str:
    """Smoothed round-trip time of each flow."""
    return _flows(run, seed, figure, SERIES["rtt"])


def queues(run: Packets, seed: int | None, figure: Figure) -> str:
    """Packets waiting at the links that have the longest queues."""
    return _links(run, seed, figure, SERIES["queues"])


def delays(run: Packets, seed: int | None, figure: Figure) -> str:
    """Wait of a packet that arrives at a link."""
    return _links(run, seed, figure, SERIES["delays"])


def links(run: Packets, seed: int | None, figure: Figure) -> str:
    """Rate on the wire of the links, a moving mean."""
    return _links(run, seed, figure, SERIES["links"])


def fairness(run: Packets, seed: int | None, figure: Figure) -> str:
    """Jain's index of the smoothed goodputs."""
    values = index_of(run, seed)
    axes = figure.add_subplot()
    draw_lines(axes, values)
    axes.set_ylim(0, MOST_INDEX)
    axes.set_ylabel("Jain's index")
    axes.set_xlabel("time (s)")
    time_axis(run, axes)
    return f"{note_of(run, seed)}, of goodputs over {values.span_s:.3g} s"


def internals(run: Packets, seed: int, figure: Figure) -> str:
    """State of the laws: one panel for each name."""
    table = run.table("internals", seed)
    if len(table) == 0:
        raise ValueError("the run recorded no internals; set `internals = true` under `[output]` in the scenario")
    frame = table.to_pandas()
    names = list(frame["name"].cat.categories)
    flows = list(frame["flow"].unique())[:PANELS]
    colors = dict(zip(flows, looks(len(flows)), strict=True))
    figure.set_figheight(1.2 + 1.7 * len(names))
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for name, panel in zip(names, panels, strict=True):
        for flow in flows:
            rows = frame[(frame["name"] == name) & (frame["flow"] == flow)]
            values = rows["value"].replace([np.inf, -np.inf], np.nan)
            if len(rows):
                panel.plot(rows["time_s"], values, label=str(flow), **colors[flow])
        panel.set_ylabel(_names.one(name, 24))
        time_axis(run, panel)
    panels[-1].set_xlabel("time (s)")
    if len(flows) > 1:
        handles = [Line2D([], [], **colors[flow]) for flow in flows]
        legend(figure, handles, map(str, flows), loc="outside right upper")
    left_out = frame["flow"].nunique() - len(flows)
    return note_of(run, seed) + left_out_note(left_out, "more flow")


def _flows(run: Packets, seed: int | None, figure: Figure, series: Series) -> str:
    """Lines of flows: a few together, more in one panel for each group."""
    table = run.table("flows", run.seeds[0]).select(["flow", "group"]).to_pandas()
    groups = _panels.of_flows(zip(table["flow"], table["group"].astype(str), strict=True))
    is_crowded = _panels.is_crowded(groups)
    # A band of flows and one of seeds in the same place could not be told apart.
    seed = run.seeds[0] if is_crowded and seed is None else seed
    values = series.of(run, seed)
    panels(run, figure, values, groups, series.label, is_from_zero=series.is_from_zero)
    crowd = ", median and 5–95 % of the flows" if is_crowded else ""
    return note_of(run, seed) + crowd + _span_note(values)


def _links(run: Packets, seed: int | None, figure: Figure, series: Series) -> str:
    """Lines of the links with the largest means; the idle ones are left out."""
    values = series.of(run, seed)
    groups, left_out = _panels.of_links(values)
    panels(run, figure, values, groups, series.label, is_from_zero=True)
    return note_of(run, seed) + left_out_note(left_out, "less busy link") + _span_note(values)


def _span_note(values: Values) -> str:
    return f", mean over {values.span_s:.3g} s" if values.span_s else ""


def panels(
    run: Span,
    figure: Figure,
    values: Values,
    groups: Mapping[str, list[str]],
    label: str,
    *,
    is_from_zero: bool,
) -> None:
    """One panel for each group, all on the same axes."""
    columns = min(len(groups), 3 if len(groups) > CROWD and figure.get_figwidth() > _NARROW else 2)
    rows = math.ceil(len(groups) / columns)
    if len(groups) > 1:
        figure.set_figheight(1.1 + 1.8 * rows)
    figure.set_layout_engine("constrained", w_pad=0.08)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, (name, members) in zip(grid.flat, groups.items(), strict=False):
        draw_lines(axes, values.part(members))
        time_axis(run, axes)
        if len(groups) > 1:
            axes.set_title(_names.one(name, _letters(figure, columns)))
        elif 1 < len(members) <= MANY:
            legend(axes, axes.get_lines(), members, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
    if len(groups) > 1 and 1 < max(map(len, groups.values())) <= MANY:
        # Beside the title: the same for every panel, whose flows are NAME-1, NAME-2, ….
        longest = max(range(len(groups)), key=lambda at: len(list(groups.values())[at]))
        lines = grid.flat[longest].get_lines()
        names = [f"flow {at + 1}" for at in range(len(lines))]
        figure.legend(lines, names, loc="upper right", ncols=len(lines)).set_in_layout(False)
    for axes in grid.flat[len(groups) :]:
        axes.remove()
    if is_from_zero:
        grid[0, 0].set_ylim(0, top([values.part(members) for members in groups.values()]))
    else:
        never_below_zero(grid[0, 0])
    figure.supylabel(label, fontsize=10)
    figure.supxlabel("time (s)", fontsize=10)


def _letters(figure: Figure, columns: int) -> int:
    """Maximum length of a panel's title, for this many panels in a row."""
    return max(8, int((72 * figure.get_figwidth() / columns - 26) / 6.4))


def never_below_zero(axes: Axes) -> None:
    """Ends the axis at zero if it would reach below: no drawn value is negative."""
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, 0.0), high)


def draw_lines(axes: Axes, values: Values) -> None:
    """A line each, with the band of its confidence interval; of many lines of one seed, the median and a band."""
    means = values.mean
    if means.shape[1] <= MANY or values.errors is not None:
        for look, name in zip(looks(means.shape[1]), means.columns, strict=True):
            draw_line(axes, values, str(name), str(name), look)
        return
    low, middle, high = _panels.band(values.means)
    axes.fill_between(values.time_s, low, high, color=COLORS[0], alpha=0.2, linewidth=0)
    axes.plot(values.time_s, middle, color=COLORS[0])


def top(drawn: Iterable[Values]) -> float | None:
    """Upper end of an axis from zero: above all means, but not above every peak of their intervals.

    None, of one seed: wherever the lines end.
    """
    highest = 0.0
    for values in drawn:
        if values.high is None:
            return None
        known = values.high[np.isfinite(values.high)]
        highest = max(
            highest, float(np.nanmax(values.means, initial=0.0)), float(np.quantile(known, 0.98)) if known.size else 0.0
        )
    return 1.05 * highest if highest > 0 else None


def draw_line(axes: Axes, values: Values, name: str, label: str, look: Mapping[str, Any]) -> None:
    """One line; of a mean over seeds with the band of its confidence interval, or of few seeds with a line each."""
    at = list(values.names).index(name)
    axes.plot(values.time_s, values.means[:, at], label=label, **look)
    if values.seeds:
        # A collection: legends are made of the axes' lines.
        lines = [np.column_stack([values.time_s, each[:, at]]) for each in values.seeds]
        axes.add_collection(LineCollection(lines, colors=look["color"], linewidths=0.6, alpha=0.5))
        axes.autoscale_view()
        return
    if values.low is not None and values.high is not None:
        low, high = values.low[:, at], values.high[:, at]
        axes.fill_between(values.time_s, low, high, color=look["color"], alpha=0.2, linewidth=0)


def time_axis(run: Span, axes: Axes) -> None:
    axes.set_xlim(0, run.duration_s)
    if run.warmup_s > 0:
        axes.axvspan(0, run.warmup_s, color=WARMUP, linewidth=0, zorder=0)
        # A short one has no room for its name: that stands beside it.
        is_short = run.warmup_s < _ROOM * run.duration_s
        axes.annotate(
            "warm-up",
            (run.warmup_s, 1),
            (3 if is_short else -3, -3),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            ha="left" if is_short else "right",
            va="top",
            color=FAINT,
            fontsize=8,
        )


def note_of(run: Packets, seed: int | None) -> str:
    """Note on the seeds that are drawn."""
    if seed is None and len(run.seeds) <= FEW:
        return f"mean, and each of {len(run.seeds)} seeds (thin)"
    if seed is None:
        return f"mean and 95 % confidence interval over {len(run.seeds)} seeds"
    return f"seed {seed}" + (f" of {len(run.seeds)}" if len(run.seeds) > 1 else "")

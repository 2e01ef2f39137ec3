"""Figures over time, of one seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from windward.show.plot.style import COLORS, FAINT, WARMUP, left_out_note, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windward.results._shapes import Packets

#: More lines than this do not share a panel: each group of flows, or each link, has its own.
CROWD = 4

#: In a panel of a group, more flows than this are drawn as a median and a band.
MANY = 6

#: At most so many panels.
PANELS = 12

#: Rates are averaged over this share of the run.
_SMOOTHING = 1 / 100


class Span(Protocol):
    """What lasts."""

    @property
    def duration_s(self) -> float:
        """Its end in seconds."""

    @property
    def warmup_s(self) -> float:
        """What does not count at its beginning, in seconds."""


def windows(run: Packets, seed: int, figure: Figure) -> str:
    """Window of each flow's law."""
    return _flows(run, seed, figure, _pivot(run, "flow_series", seed, "cwnd"), "window (packets)")


def rates(run: Packets, seed: int, figure: Figure) -> str:
    """Goodput of each flow, a moving mean."""
    values, span_s = _smooth(_pivot(run, "flow_series", seed, "goodput_bps") / 1e6, run.duration_s)
    return f"{_flows(run, seed, figure, values, 'goodput (Mbit/s)')}, mean over {span_s:.3g} s"


def rtt(run: Packets, seed: int, figure: Figure) -> str:
    """Smoothed round-trip time of each flow."""
    values = _pivot(run, "flow_series", seed, "srtt_ms")
    return _flows(run, seed, figure, values, "smoothed RTT (ms)", is_from_zero=False)


def queues(run: Packets, seed: int, figure: Figure) -> str:
    """Packets waiting at the links that have the longest queues."""
    return _links(run, seed, figure, _pivot(run, "link_series", seed, "backlog"), "backlog (packets)")


def delays(run: Packets, seed: int, figure: Figure) -> str:
    """Wait of a packet that arrives at a link."""
    return _links(run, seed, figure, _pivot(run, "link_series", seed, "queue_delay_ms"), "queueing delay (ms)")


def links(run: Packets, seed: int, figure: Figure) -> str:
    """Rate on the wire of the links, a moving mean."""
    values, span_s = _smooth(_pivot(run, "link_series", seed, "rate_bps") / 1e6, run.duration_s)
    return f"{_links(run, seed, figure, values, 'rate on the wire (Mbit/s)')}, mean over {span_s:.3g} s"


def fairness(run: Packets, seed: int, figure: Figure) -> str:
    """Jain's index of the smoothed goodputs."""
    values, span_s = _smooth(_pivot(run, "flow_series", seed, "goodput_bps"), run.duration_s)
    squares = (values**2).sum(axis=1)
    index = values.sum(axis=1) ** 2 / (values.shape[1] * squares.where(squares > 0))
    axes = figure.add_subplot()
    axes.plot(index.index, index.to_numpy(), color=COLORS[0])
    axes.set_ylim(0, 1.03)
    axes.set_ylabel("Jain's index")
    axes.set_xlabel("time (s)")
    _time_axis(run, axes)
    return f"{_seed(run, seed)}, of goodputs over {span_s:.3g} s"


def internals(run: Packets, seed: int, figure: Figure) -> str:
    """What the laws show of themselves: one panel for each name."""
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
        panel.set_ylabel(name)
        _time_axis(run, panel)
    panels[-1].set_xlabel("time (s)")
    lines = {line.get_label(): line for panel in panels for line in panel.get_lines()}
    if len(flows) > 1:
        figure.legend([lines[str(flow)] for flow in flows], flows, loc="outside right upper")
    left_out = frame["flow"].nunique() - len(flows)
    return _seed(run, seed) + left_out_note(left_out, "more flow")


def _pivot(run: Packets, kind: str, seed: int, column: str) -> pd.DataFrame:
    """A series as one column per entity, in the scenario's order."""
    entity = "flow" if kind == "flow_series" else "link"
    frame = run.table(kind, seed).select(["time_s", entity, column]).to_pandas()
    if frame.empty:
        raise ValueError(f"there is nothing to draw: the run has no {entity}s")
    table: pd.DataFrame = frame.pivot_table(
        index="time_s", columns=entity, values=column, observed=True, sort=False, dropna=False
    )
    return table


def _smooth(values: pd.DataFrame, duration_s: float) -> tuple[pd.DataFrame, float]:
    """A centred moving mean, and the time over which it goes."""
    step = float(np.median(np.diff(values.index))) if len(values) > 1 else duration_s
    count = max(1, round(duration_s * _SMOOTHING / step))
    return values.rolling(count, center=True, min_periods=1).mean(), count * step


def _flows(
    run: Packets, seed: int, figure: Figure, values: pd.DataFrame, label: str, *, is_from_zero: bool = True
) -> str:
    """Lines of flows: a few together, more in one panel for each group."""
    table = run.table("flows", seed).select(["flow", "group"]).to_pandas()
    groups = {str(group): list(flows) for group, flows in table.groupby("group", sort=False)["flow"]}
    if values.shape[1] <= CROWD or len(groups) > PANELS:
        groups = {f"all {values.shape[1]} flows": list(values.columns)}
    panels(run, figure, values, groups, label, is_from_zero=is_from_zero)
    is_banded = any(len(flows) > MANY for flows in groups.values())
    return _seed(run, seed) + (", median and 5–95 % of the flows" if is_banded else "")


def _links(run: Packets, seed: int, figure: Figure, values: pd.DataFrame, label: str) -> str:
    """Lines of the links with the largest means; the idle ones are left out."""
    means = values.mean().sort_values(ascending=False, kind="stable")
    busiest = set(means[means > 0.01 * means.iloc[0]].index[:PANELS]) or {means.index[0]}
    chosen = [name for name in values.columns if name in busiest]
    chosen_panels = {str(name): [name] for name in chosen} if len(chosen) > CROWD else {"links": chosen}
    panels(run, figure, values, chosen_panels, label, is_from_zero=True)
    left_out = values.shape[1] - len(chosen)
    return _seed(run, seed) + left_out_note(left_out, "idler link")


def panels(
    run: Span,
    figure: Figure,
    values: pd.DataFrame,
    groups: Mapping[str, list[str]],
    label: str,
    *,
    is_from_zero: bool,
) -> None:
    """One panel for each group, all on the same axes."""
    columns = min(len(groups), 3 if len(groups) > CROWD else 2)
    rows = math.ceil(len(groups) / columns)
    if len(groups) > 1:
        figure.set_figheight(1.1 + 1.8 * rows)
    figure.set_layout_engine("constrained", w_pad=0.08)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, (name, members) in zip(grid.flat, groups.items(), strict=False):
        _lines(axes, values[members])
        _time_axis(run, axes)
        if len(groups) > 1:
            axes.set_title(name)
        elif 1 < len(members) <= MANY:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
    if len(groups) > 1 and 1 < max(map(len, groups.values())) <= MANY:
        # Beside the title: the same for every panel, whose flows are NAME-1, NAME-2, ….
        longest = max(range(len(groups)), key=lambda at: len(list(groups.values())[at]))
        lines = grid.flat[longest].get_lines()
        names = [f"flow {at + 1}" for at in range(len(lines))]
        figure.legend(lines, names, loc="upper right", ncols=len(lines)).set_in_layout(False)
    for axes in grid.flat[len(groups) :]:
        axes.remove()
    if is_from_zero:
        grid[0, 0].set_ylim(bottom=0)
    figure.supylabel(label, fontsize=10)
    figure.supxlabel("time (s)", fontsize=10)


def _lines(axes: Axes, values: pd.DataFrame) -> None:
    """A line each; of many, the median and a band."""
    if values.shape[1] <= MANY:
        for look, name in zip(looks(values.shape[1]), values.columns, strict=True):
            axes.plot(values.index, values[name].to_numpy(), label=str(name), **look)
        return
    # Instants at which no flow has a value yet have no percentiles.
    known = values.dropna(how="all")
    low, middle, high = np.nanpercentile(known.to_numpy(), [5, 50, 95], axis=1)
    axes.fill_between(known.index, low, high, color=COLORS[0], alpha=0.2, linewidth=0)
    axes.plot(known.index, middle, color=COLORS[0])


def _time_axis(run: Span, axes: Axes) -> None:
    axes.set_xlim(0, run.duration_s)
    if run.warmup_s > 0:
        axes.axvspan(0, run.warmup_s, color=WARMUP, linewidth=0, zorder=0)
        axes.annotate(
            "warm-up",
            (run.warmup_s, 1),
            (-3, -3),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            ha="right",
            va="top",
            color=FAINT,
            fontsize=8,
        )


def _seed(run: Packets, seed: int) -> str:
    return f"seed {seed}" + (f" of {len(run.seeds)}" if len(run.seeds) > 1 else "")

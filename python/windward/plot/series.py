"""Figures over time, of one seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from windward.plot.style import COLORS, FAINT, WARMUP, looks, set_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from windward.run import Run

#: Up to so many lines are drawn one by one; above, groups are drawn as a median and a band.
MANY = 12

#: Rates are averaged over this share of the run.
_SMOOTHING = 1 / 100


def windows(run: Run, seed: int, axes: Axes) -> str:
    """Window of each flow's law."""
    axes.set_ylabel("window (packets)")
    return _flows(run, seed, axes, _pivot(run, "flow_series", seed, "cwnd"))


def rates(run: Run, seed: int, axes: Axes) -> str:
    """Goodput of each flow, a moving mean."""
    values, span_s = _smooth(_pivot(run, "flow_series", seed, "goodput_bps") / 1e6, run.duration_s)
    axes.set_ylabel("goodput (Mbit/s)")
    return f"{_flows(run, seed, axes, values)}, mean over {span_s:.3g} s"


def rtt(run: Run, seed: int, axes: Axes) -> str:
    """Smoothed round-trip time of each flow."""
    axes.set_ylabel("smoothed RTT (ms)")
    return _flows(run, seed, axes, _pivot(run, "flow_series", seed, "srtt_ms"), is_from_zero=False)


def queues(run: Run, seed: int, axes: Axes) -> str:
    """Packets waiting at the links that ever had some."""
    axes.set_ylabel("backlog (packets)")
    return _links(run, seed, axes, _pivot(run, "link_series", seed, "backlog"))


def delays(run: Run, seed: int, axes: Axes) -> str:
    """Wait of a packet that arrives at a link."""
    axes.set_ylabel("queueing delay (ms)")
    return _links(run, seed, axes, _pivot(run, "link_series", seed, "queue_delay_ms"))


def links(run: Run, seed: int, axes: Axes) -> str:
    """Rate on the wire of the links, a moving mean."""
    values, span_s = _smooth(_pivot(run, "link_series", seed, "rate_bps") / 1e6, run.duration_s)
    axes.set_ylabel("rate on the wire (Mbit/s)")
    return f"{_links(run, seed, axes, values)}, mean over {span_s:.3g} s"


def fairness(run: Run, seed: int, axes: Axes) -> str:
    """Jain's index of the smoothed goodputs."""
    values, span_s = _smooth(_pivot(run, "flow_series", seed, "goodput_bps"), run.duration_s)
    squares = (values**2).sum(axis=1)
    index = values.sum(axis=1) ** 2 / (values.shape[1] * squares.where(squares > 0))
    axes.plot(index.index, index.to_numpy(), color=COLORS[0])
    axes.set_ylabel("Jain's index")
    axes.set_ylim(0, 1.03)
    _time_axis(run, axes)
    return f"{_seed(run, seed)}, of goodputs over {span_s:.3g} s"


def internals(run: Run, seed: int, axes: Axes) -> str:
    """What the laws show of themselves: one panel for each name."""
    table = run.table("internals", seed)
    if len(table) == 0:
        raise ValueError("the run recorded no internals; set `internals = true` under `[output]` in the scenario")
    frame = table.to_pandas()
    names = list(frame["name"].cat.categories)
    flows = list(frame["flow"].unique())[:MANY]
    colors = dict(zip(flows, looks(len(flows)), strict=True))
    set_height(axes, 1.2 + 1.8 * len(names))
    figure = axes.figure
    axes.remove()
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for name, panel in zip(names, panels, strict=True):
        for flow in flows:
            rows = frame[(frame["name"] == name) & (frame["flow"] == flow)]
            values = rows["value"].replace([np.inf, -np.inf], np.nan)
            if len(rows):
                panel.plot(rows["time_s"], values, label=str(flow), **colors[flow])
        panel.set_ylabel(name)
        _time_axis(run, panel)
        panel.label_outer()
    lines = {line.get_label(): line for panel in panels for line in panel.get_lines()}
    if len(flows) > 1:
        panels[0].legend(
            [lines[str(flow)] for flow in flows], flows, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2
        )
    left_out = frame["flow"].nunique() - len(flows)
    return _seed(run, seed) + (f", {left_out} more flows not drawn" if left_out else "")


def _pivot(run: Run, kind: str, seed: int, column: str) -> pd.DataFrame:
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


def _flows(run: Run, seed: int, axes: Axes, values: pd.DataFrame, *, is_from_zero: bool = True) -> str:
    """Lines of flows; of many flows, median and band of each group."""
    if values.shape[1] <= MANY:
        _lines(axes, values)
        note = _seed(run, seed)
    else:
        groups = run.table("flows", seed).select(["flow", "group"]).to_pandas().set_index("flow")["group"]
        members = groups.reindex(values.columns.astype(str))
        for look, (group, names) in zip(looks(members.nunique()), members.groupby(members, sort=False), strict=True):
            part = values.loc[:, names.index].to_numpy()
            low, middle, high = np.nanpercentile(part, [5, 50, 95], axis=1)
            axes.fill_between(values.index, low, high, color=look["color"], alpha=0.2, linewidth=0)
            axes.plot(values.index, middle, label=f"{group} ({part.shape[1]})", **look)
        note = f"{_seed(run, seed)}, median and 5–95 % of the flows"
    _finish(run, axes, is_from_zero=is_from_zero)
    return note


def _links(run: Run, seed: int, axes: Axes, values: pd.DataFrame) -> str:
    """Lines of the links with the largest means; the idle ones are left out."""
    means = values.mean().sort_values(ascending=False, kind="stable")
    busiest = set(means[means > 0.01 * means.iloc[0]].index[:MANY])
    chosen = values[[name for name in values.columns if name in busiest]] if busiest else values.iloc[:, :1]
    _lines(axes, chosen)
    _finish(run, axes, is_from_zero=True)
    left_out = values.shape[1] - chosen.shape[1]
    return _seed(run, seed) + (f", {left_out} quieter links not drawn" if left_out else "")


def _lines(axes: Axes, values: pd.DataFrame) -> None:
    for look, name in zip(looks(values.shape[1]), values.columns, strict=True):
        axes.plot(values.index, values[name].to_numpy(), label=str(name), **look)


def _finish(run: Run, axes: Axes, *, is_from_zero: bool) -> None:
    if is_from_zero:
        axes.set_ylim(bottom=0)
    _time_axis(run, axes)
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1:
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def _time_axis(run: Run, axes: Axes) -> None:
    axes.set_xlabel("time (s)")
    axes.set_xlim(0, run.duration_s)
    if run.warmup_s > 0:
        axes.axvspan(0, run.warmup_s, color=WARMUP, linewidth=0, zorder=0)
        axes.text(
            run.warmup_s,
            0.985,
            "warm-up ",
            transform=axes.get_xaxis_transform(),
            ha="right",
            va="top",
            color=FAINT,
            fontsize=8,
        )


def _seed(run: Run, seed: int) -> str:
    return f"seed {seed}" + (f" of {len(run.seeds)}" if len(run.seeds) > 1 else "")

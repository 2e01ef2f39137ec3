"""Figures of stations that forward by backlog: their queues over time, what is trapped, which ways flows take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from windward.results import _names
from windward.results._names import shorten
from windward.results._tables import CLASSES
from windward.results._values import NothingToDrawError
from windward.results.stats import mean_and_interval
from windward.show.plot._map import arrow, outline, places, shape
from windward.show.plot._paper import legend
from windward.show.plot.style import COLORS, INK, LINE, left_out_note, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windward.results._shapes import Packets

#: At most so many stations or flows have a panel, and so many queues a bar.
PANELS = 12
MANY = 24

#: A queue that has sent nothing for longer than this, in seconds, is stalled, and its packets are trapped.
STALLED_S = 1.0

#: Links that carry less than this share of a flow are not drawn.
_SEEN = 0.005


def backlogs(run: Packets, seed: int, figure: Figure) -> str:
    """Queues of each station by flow, with K; filled where nothing moves."""
    table = run.table("backlog_series", seed).to_pandas()
    if table.empty:
        raise NothingToDrawError("no stations forward by backlog")
    names = [_name(flow, kind) for flow, kind in zip(table["flow"], table["class"], strict=True)]
    table = table.assign(queue=names)
    means = table.groupby("node", observed=True)["backlog"].mean()
    busy = means[means > 0].sort_values(ascending=False, kind="stable").index[:PANELS]
    nodes = [node for node in places(run, seed) if node in busy]
    queues = list(dict.fromkeys(in_order(run, table[table["backlog"] > 0])["queue"]))
    colors = dict(zip(queues, looks(len(queues)), strict=True))
    columns = min(3, max(1, len(nodes)))
    rows = math.ceil(len(nodes) / columns) or 1
    figure.set_size_inches(9.0, 1.3 + 2.0 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, node in zip(grid.flat, nodes, strict=False):
        own = table[table["node"] == node]
        for queue, each in own.groupby("queue", sort=False):
            if queue in colors:
                _line(axes, each, colors[str(queue)], str(queue))
        k = own.drop_duplicates("time_s")
        axes.plot(k["time_s"], k["threshold"], color=INK, linewidth=0.9, linestyle=(0, (1, 1.4)), label="K")
        axes.set_title(_names.one(str(node), 24))
        axes.set_xlim(0, run.duration_s)
    # While flows begin K may be a multiple of what it is then.
    grid[0, 0].set_ylim(0, 1.08 * max(1.0, float(table["backlog"].max()), float(table["threshold"].median())))
    for axes in grid.flat[len(nodes) :]:
        axes.remove()
    handles = {str(line.get_label()): line for axes in figure.axes for line in axes.get_lines()}
    legend(figure, handles.values(), handles, loc="outside upper right", ncols=min(8, len(handles)))
    figure.supxlabel("time (s)", fontsize=10)
    figure.supylabel("packets", fontsize=10)
    note = f"seed {seed}; filled: nothing has moved for {STALLED_S:g} s"
    return note + left_out_note(int((means > 0).sum()) - len(nodes), "station")


def _line(axes: Axes, queue: pd.DataFrame, look: dict[str, Any], label: str) -> None:
    axes.plot(queue["time_s"], queue["backlog"], label=label, linewidth=1.0, **look)
    is_trapped = (queue["idle_s"] > STALLED_S).to_numpy()
    axes.fill_between(
        queue["time_s"], queue["backlog"], where=is_trapped, color=look["color"], alpha=0.28, linewidth=0, step="mid"
    )


def trapped(run: Packets, _seed: int, figure: Figure) -> str:
    """Mean length of each queue, the part of it that was trapped, and what was left at the end."""
    table = _of_all_seeds(run, "backlogs")
    if table.empty:
        raise NothingToDrawError("no stations forward by backlog")
    table["queue"] = [
        f"{node}: {_name(flow, kind)}"
        for node, flow, kind in zip(table["node"], table["flow"], table["class"], strict=True)
    ]
    # A queue that a seed never used was empty in it.
    metrics = ("mean_backlog", "mean_trapped", "last_backlog")
    wide = {
        metric: table.pivot_table(index="seed", columns="queue", values=metric, sort=False)
        .reindex(list(run.seeds))
        .fillna(0.0)
        for metric in metrics
    }
    order = list(dict.fromkeys(in_order(run, table)["queue"]))
    longest = set(wide["mean_backlog"].mean(axis=0).nlargest(MANY).index)
    shown = [queue for queue in order if queue in longest]
    figure.set_size_inches(9.0, max(2.6, 1.6 + 0.27 * len(shown)))
    left, right = figure.subplots(1, 2, sharey=True)
    rows = np.arange(len(shown))
    _bars(left, rows, wide["mean_backlog"].loc[:, shown], "mean queue", COLORS[5])
    _bars(left, rows, wide["mean_trapped"].loc[:, shown], "of it trapped", COLORS[1], 0.36)
    _bars(right, rows, wide["last_backlog"].loc[:, shown], "", LINE)
    left.set_yticks(rows, shorten(shown))
    left.set_ylim(len(shown) - 0.4, -0.6)
    left.set_xlim(left=0)
    right.set_xlim(left=0)
    left.set_xlabel("packets, mean over time")
    right.set_xlabel("packets left at the end")
    for axes in (left, right):
        axes.grid(visible=False, axis="y")
    left.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)
    of = f"mean of {len(run.seeds)} seeds" if len(run.seeds) > 1 else f"seed {run.seeds[0]}"
    note = f"{of}; trapped: in a queue that has sent nothing for {STALLED_S:g} s"
    return note + left_out_note(len(order) - len(shown), "shorter queue")


def _bars(axes: Axes, rows: Any, values: pd.DataFrame, label: str, color: str, height: float = 0.74) -> None:
    pairs = [mean_and_interval(values[queue]) for queue in values]
    means = [mean for mean, _ in pairs]
    axes.barh(rows, means, height, color=color, label=label)
    errors = np.nan_to_num([error for _, error in pairs])
    if errors.any():
        axes.errorbar(means, rows, xerr=errors, fmt="none", ecolor=INK, elinewidth=0.8, capsize=1.5)


def shares(run: Packets, _seed: int, figure: Figure) -> str:
    """A map for each flow: which links its packets take."""
    table = _of_all_seeds(run, "shares")
    table = table[table["class"] != "acks"]
    if table.empty:
        raise NothingToDrawError("no stations forward by backlog")
    at = places(run, run.seeds[0])
    named = {**_ends(run, "flows", "flow"), **_ends(run, "background", "source")}
    ends = dict(zip(run.links["link"], zip(run.links["from"], run.links["to"], strict=True), strict=True))
    packets = table.groupby(["flow", "link"], sort=False, observed=True)["packets"].sum()
    there = set(table["flow"])
    flows = [flow for flow in named if flow in there][:PANELS]
    columns = min(2, len(flows))
    rows = math.ceil(len(flows) / columns)
    tall = 4.4 * min(1.0, max(0.4, shape(at.values())))
    figure.set_size_inches(4.9 * columns, 1.0 + (tall + 0.3) * rows)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes, flow in zip(grid.flat, flows, strict=False):
        own = packets[flow]
        source, sink = named[flow]
        arrived = sum(count for link, count in own.items() if ends[link][1] == sink)
        outline(axes, at, _pairs(run), {source, sink})
        for link, count in own.items():
            share = count / arrived if arrived else 0.0
            if share >= _SEEN:
                begin, end = (at[node] for node in ends[link])
                arrow(axes, begin, end, share, f"{100 * share:.0f} %")
        whose, first, last = _names.one(flow, 24), _names.one(source, 16), _names.one(sink, 16)
        axes.set_title(f"{whose}: {first} to {last}, {arrived / len(run.seeds):.0f} packets")
    for axes in grid.flat[len(flows) :]:
        axes.remove()
    of = f"{len(run.seeds)} seeds" if len(run.seeds) > 1 else f"seed {run.seeds[0]}"
    left_out = len(there) - len(flows)
    return f"{of}; 100 % is what arrives at the destination" + left_out_note(left_out, "more flow")


def in_order(run: Packets, table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table of queues flow by flow, as the scenario has them, their data before their ACKs."""
    flows = [*_ends(run, "flows", "flow"), *_ends(run, "background", "source")]
    pairs = zip(table["flow"], table["class"], strict=True)
    rank = np.array([flows.index(flow) * len(CLASSES) + CLASSES.index(kind) for flow, kind in pairs], dtype=int)
    return table.iloc[np.argsort(rank, kind="stable")]


def _of_all_seeds(run: Packets, kind: str) -> pd.DataFrame:
    frames = [run.table(kind, seed).to_pandas().assign(seed=seed) for seed in run.seeds]
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined


def _pairs(run: Packets) -> set[tuple[str, str]]:
    return {(min(a, b), max(a, b)) for a, b in zip(run.links["from"], run.links["to"], strict=True)}


def _ends(run: Packets, kind: str, entity: str) -> dict[str, tuple[str, str]]:
    table = run.table(kind, run.seeds[0]).to_pandas()
    return {name: (a, b) for name, a, b in zip(table[entity], table["from"], table["to"], strict=True)}


def _name(flow: object, kind: object) -> str:
    """Data need no word."""
    return f"{flow}, ACKs" if kind == "acks" else str(flow)

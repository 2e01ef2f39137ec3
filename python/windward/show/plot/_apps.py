"""Figures of applications: what a person waits for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Patch

from windward.results._applications import APPLICATIONS
from windward.results._values import NothingToDrawError
from windward.show.plot._kind import Kind
from windward.show.plot._paper import legend
from windward.show.plot.style import COLORS, FAINT, left_out_note, looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windward.results._applications import Distribution
    from windward.results._shapes import Packets

#: Maximum number of applications with a line or panel of their own.
MANY = 8

#: Maximum number of objects of a page with a bar of their own.
BARS = 60


def distribution(what: Distribution, run: Packets, seed: int, figure: Figure) -> str:
    """Share of the rows of each application that took at most a time; those that did not end never do."""
    table = run.table(what.table, seed).to_pandas()
    if table.empty:
        raise NothingToDrawError(what.empty)
    names = list(dict.fromkeys(table[what.by]))
    shown = names[:MANY]
    _shares(figure, [(name, table[table[what.by] == name][what.x].to_numpy()) for name in shown], what.label)
    note = f"seed {seed}"
    without = int(table[what.x].isna().sum())
    if what.rows:
        note += f"; {len(table)} {what.rows}"
    if what.without and without:
        note += f"; {without} {what.without}"
    return note + left_out_note(len(names) - len(shown), f"more {what.one}")


def datagrams(run: Packets, seed: int, figure: Figure) -> str:
    """Share of the datagrams of each source, of a game each direction, that took at most a time."""
    table = run.table("datagram_histograms", seed).to_pandas()
    if table.empty:
        raise NothingToDrawError("no datagram arrived")
    sources = list(dict.fromkeys(table["source"]))
    figure.set_size_inches(7.0, 4.2)
    axes = figure.subplots()
    for name, look in zip(sources[:MANY], looks(len(sources[:MANY])), strict=True):
        own = table[table["source"] == name].sort_values("least_s")
        shares = own["count"].cumsum() / own["count"].sum()
        axes.step(1e3 * own["least_s"], shares, where="post", label=name, **look)
    axes.set_xscale("log")
    axes.set_xlabel("delay (ms); of a ping the round trip")
    axes.set_ylabel("share of the arrived datagrams")
    axes.set_ylim(0, 1)
    handles, labels = axes.get_legend_handles_labels()
    legend(axes, handles, labels, loc="lower right")
    return f"seed {seed}" + left_out_note(len(sources) - MANY, "more source")


def _shares(figure: Figure, lines: Sequence[tuple[str, np.ndarray]], label: str) -> None:
    """Empirical distributions; a value that is not known counts as never reached."""
    figure.set_size_inches(7.0, 4.2)
    axes = figure.subplots()
    for (name, values), look in zip(lines, looks(len(lines)), strict=True):
        known = np.sort(values[~np.isnan(values)])
        if len(known):
            shares = np.arange(1, len(known) + 1) / len(values)
            axes.step(np.r_[known[0], known], np.r_[0.0, shares], where="post", label=name, **look)
    axes.set_xscale("log")
    axes.set_xlabel(label)
    axes.set_ylabel("share")
    axes.set_ylim(0, 1)
    handles, labels = axes.get_legend_handles_labels()
    legend(axes, handles, labels, loc="lower right")


def waterfall(run: Packets, seed: int, figure: Figure) -> str:
    """Objects of the first whole visit of a page: discovered, asked for, answered, arrived."""
    table = run.table("objects", seed).to_pandas()
    done = table.groupby(["app", "visit"], observed=True)["end_s"].apply(lambda ends: ends.notna().all())
    whole = [key for key, is_whole in done.items() if is_whole]
    if not whole:
        raise NothingToDrawError("no visit of a page is complete")
    app, visit = min(whole, key=lambda key: key[1])
    own = table[(table["app"] == app) & (table["visit"] == visit)].sort_values("discovered_s", kind="stable")
    shown = own.head(BARS)
    begin = own["discovered_s"].min()
    figure.set_size_inches(9.0, max(2.4, 0.9 + 0.22 * len(shown)))
    axes = figure.subplots()
    rows = np.arange(len(shown))
    parts = (("waits", "discovered_s", "start_s", FAINT), ("asks", "start_s", "first_byte_s", COLORS[1]))
    for name, start, end, color in (*parts, ("receives", "first_byte_s", "end_s", COLORS[0])):
        axes.barh(rows, shown[end] - shown[start], left=shown[start] - begin, height=0.7, color=color, label=name)
    axes.set_yticks(rows, [str(name) for name in shown["object"]])
    axes.invert_yaxis()
    axes.set_xlabel("time since the visit began (s)")
    axes.set_xlim(left=0)
    handles, labels = axes.get_legend_handles_labels()
    legend(axes, handles, labels, loc="lower left")
    note = f"seed {seed}; {app}, visit {visit}: {own['end_s'].max() - begin:.3g} s"
    return note + left_out_note(len(own) - len(shown), "later object")


def video(run: Packets, seed: int, figure: Figure) -> str:
    """Bit rates, throughputs and buffer of each video over time; stalls are shaded."""
    table = run.table("chunks", seed).to_pandas()
    if table.empty:
        raise NothingToDrawError("the scenario has no video")
    apps = list(dict.fromkeys(table["app"]))
    shown = apps[: MANY // 2]
    figure.set_size_inches(9.0, 0.8 + 3.4 * len(shown))
    panels = figure.subplots(2 * len(shown), 1, sharex=True, squeeze=False)[:, 0]
    for at, app in enumerate(shown):
        _video(panels[2 * at], panels[2 * at + 1], table[table["app"] == app])
        panels[2 * at].set_title(app, loc="left")
    panels[-1].set_xlabel("time (s)")
    panels[-1].set_xlim(0, run.duration_s)
    return f"seed {seed}; shaded: stalls" + left_out_note(len(apps) - len(shown), "more video")


def _video(rates: Axes, buffer: Axes, chunks: pd.DataFrame) -> None:
    done = chunks.dropna(subset=["end_s"])
    rates.step(chunks["asked_s"], chunks["bitrate_bps"] / 1e6, where="post", color=COLORS[0], label="bit rate")
    rates.plot(
        done["end_s"],
        done["throughput_bps"] / 1e6,
        linestyle="none",
        marker="o",
        markersize=2.5,
        color=COLORS[1],
        label="throughput",
    )
    rates.set_ylabel("Mbit/s")
    rates.set_ylim(bottom=0)
    # It falls until a chunk arrives, which adds its playing time: all that there is after the first.
    before = done["buffer_s"] - done["buffer_s"].iloc[:1].sum()
    times = np.repeat(done["end_s"].to_numpy(), 2)
    levels = np.column_stack([before, done["buffer_s"]]).ravel()
    buffer.plot(times, levels, color=COLORS[2], linewidth=0.8)
    buffer.set_ylabel("buffer (s)")
    buffer.set_ylim(bottom=0)
    stalls = chunks[chunks["stall_s"] > 0]
    for end, length in zip(stalls["end_s"], stalls["stall_s"], strict=True):
        for axes in (rates, buffer):
            axes.axvspan(end - length, end, color=COLORS[3], alpha=0.3, linewidth=0)
    handles, labels = rates.get_legend_handles_labels()
    legend(rates, [*handles, Patch(color=COLORS[3], alpha=0.3)], [*labels, "stall"], loc="lower right", ncols=3)


def call(run: Packets, seed: int, figure: Figure) -> str:
    """Bit rate of the encoder, rate of arrivals, and delay of the frames of each direction of a call over time."""
    table = run.table("call_video_series", seed).to_pandas()
    if table.empty:
        raise NothingToDrawError("the scenario has no call with video")
    sources = list(dict.fromkeys(table["source"]))
    shown = sources[: MANY // 2]
    figure.set_size_inches(9.0, 0.8 + 3.4 * len(shown))
    panels = figure.subplots(2 * len(shown), 1, sharex=True, squeeze=False)[:, 0]
    for at, source in enumerate(shown):
        rates, delays = panels[2 * at], panels[2 * at + 1]
        own = table[table["source"] == source]
        rates.plot(own["time_s"], own["received_bps"] / 1e6, color=COLORS[1], linewidth=0.8, label="received")
        rates.plot(own["time_s"], own["target_bps"] / 1e6, color=COLORS[0], linewidth=1.2, label="encoder")
        rates.set_ylabel("Mbit/s")
        rates.set_ylim(bottom=0)
        rates.set_title(source, loc="left")
        delays.plot(own["time_s"], own["frame_delay_s"] * 1e3, color=COLORS[2], linewidth=0.8)
        delays.set_ylabel("frame delay (ms)")
        delays.set_ylim(bottom=0)
        handles, labels = rates.get_legend_handles_labels()
        legend(rates, handles, labels, loc="lower right", ncols=2)
    panels[-1].set_xlabel("time (s)")
    panels[-1].set_xlim(0, run.duration_s)
    return f"seed {seed}" + left_out_note(len(sources) - len(shown), "more direction")


#: Figures with functions of their own.
DRAWN = {
    "waterfall": Kind(title="Waterfall of a page", draw=waterfall),
    "video": Kind(title="Videos over time", draw=video),
    "call": Kind(title="Video of calls over time", draw=call),
    "datagrams": Kind(title="Delays of datagrams", draw=datagrams),
}


def figures() -> dict[str, Kind]:
    """Figures of all applications, in the order of their tables."""
    found = {}
    for application in APPLICATIONS:
        for what in application.distributions:
            found[what.name] = Kind(title=what.title, draw=partial(distribution, what))
        found.update({name: DRAWN[name] for name in application.drawn})
    return found

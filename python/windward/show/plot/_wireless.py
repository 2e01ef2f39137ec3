"""Figures of wireless networks: who hears whom and what is sent, how stations spend their time, frames on the air."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.patheffects import withStroke

from windward.results._names import shorten
from windward.results._values import NothingToDrawError
from windward.results._ways import ways
from windward.show.plot._map import arrow, outline, places, shape, stations
from windward.show.plot.style import COLORS, INK, left_out_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windward.results._shapes import Packets

#: Most stations with a row of their own.
MANY = 24

#: Colours of the kinds of frames.
FRAMES = {
    "rts": COLORS[5],
    "cts": COLORS[2],
    "data": COLORS[0],
    "ack": COLORS[4],
    "block-ack": "#8C5A00",
    "block-ack-request": INK,
    "broadcast": COLORS[3],
}

#: Names of kinds of frames in a legend that are not their own in capitals.
LEGEND = {"data": "data", "block-ack": "BlockAck", "block-ack-request": "BlockAck request"}

#: Widths of the axes of frames, in points; of a bar that has room for a number; of MPDUs that have room for an edge.
WIDE, ROOM, VISIBLE = 620.0, 16.0, 3.0


def network(run: Packets, seed: int, figure: Figure) -> str:
    """A map: stations, who can receive whom, what each link carries, sources and sinks of flows."""
    own = stations(run)
    own = own[own["seed"] == seed]
    links = run.links[run.links["seed"] == seed]
    links = links[links["from"].isin(own["node"]) & links["to"].isin(own["node"])]
    at, moving = places(run, seed), ways(run.scenario)
    everywhere = [*at.values(), *(place for way in moving.values() for place in way)]
    figure.set_size_inches(7.5, min(9.0, 1.4 + 6.6 * shape(everywhere)))
    axes = figure.subplots()
    ends = run.flows[run.flows["seed"] == seed]
    pairs = {(min(a, b), max(a, b)) for a, b in zip(links["from"], links["to"], strict=True)}
    outline(axes, at, pairs, ends["to"], moving)
    most = float(links["throughput_bps"].max()) or 1.0
    for name_from, name_to, rate in zip(links["from"], links["to"], links["throughput_bps"], strict=True):
        if rate > most / 1000:
            arrow(axes, at[name_from], at[name_to], rate / most)
    note = f"seed {seed}; grey: can receive each other; arrows: what links carry, at most {most / 1e6:.3g} Mbit/s"
    return f"{note}; filled: sinks" + ("; dotted: ways" if moving else "")


def airtime(run: Packets, _seed: int, figure: Figure) -> str:
    """Share of the time that each station sent, and sensed others."""
    frame = stations(run)
    means = frame.groupby("node", sort=False)[["sending", "sensing"]].mean()
    shown = means.iloc[:MANY]
    figure.set_figheight(max(2.6, 1.5 + 0.28 * len(shown)))
    axes = figure.subplots()
    places = np.arange(len(shown))
    axes.barh(places, 100 * shown["sending"], color=COLORS[0], label="sending")
    axes.barh(places, 100 * shown["sensing"], left=100 * shown["sending"], color=COLORS[5], label="sensing others")
    axes.set_yticks(places, shorten(shown.index))
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the time (%)")
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)
    of = f"mean of {len(run.seeds)} seeds" if len(run.seeds) > 1 else f"seed {run.seeds[0]}"
    return of + left_out_note(len(means) - len(shown), "more station")


def air(run: Packets, seed: int, figure: Figure) -> str:
    """Frames on the air, station by station; those that whom they were for did not receive are hatched.

    A bar of several MPDUs is divided into them, and says how many there are; those that were not received are marked.
    """
    frames = run.air[run.air["seed"] == seed].reset_index(drop=True)
    if frames.empty:
        raise NothingToDrawError(
            'no frames were recorded; ask for them in the scenario: [output] air = { from = "10 s", length = "20 ms" }'
        )
    senders = list(pd.unique(frames["from"].astype(str)))
    order = [node for node in stations(run)["node"].unique() if node in senders][:MANY]
    figure.set_size_inches(10.0, max(2.6, 1.5 + 0.3 * len(order)))
    axes = figure.subplots()
    begin = float(frames["began_s"].min())
    for row, node in enumerate(order):
        own = frames[frames["from"] == node]
        for kind, color in FRAMES.items():
            for received, hatch in ((1, None), (0, "////")):
                chosen = own[(own["kind"] == kind) & (own["received"] == received)]
                spans = [
                    (1e3 * (a - begin), 1e3 * (b - a))
                    for a, b in zip(chosen["began_s"], chosen["ended_s"], strict=True)
                ]
                if spans:
                    edge = COLORS[1] if hatch else color
                    face = "white" if hatch else color
                    axes.broken_barh(
                        spans, (row - 0.38, 0.76), facecolor=face, edgecolor=edge, hatch=hatch, linewidth=0.8
                    )
    failures = _aggregates(run, seed, frames, order, axes)
    present = [kind for kind in FRAMES if (frames["kind"] == kind).any()]
    handles = [axes.barh(math.nan, 0, color=FRAMES[kind], label=LEGEND.get(kind, kind.upper())) for kind in present]
    if failures:
        handles.append(axes.barh(math.nan, 0, color=COLORS[1], label="MPDU not received"))
    if not frames["received"].all():
        handles.append(
            axes.barh(math.nan, 0, facecolor="white", edgecolor=COLORS[1], hatch="////", label="not received")
        )
    axes.set_yticks(np.arange(len(order)), shorten(order))
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"milliseconds from {begin:.6g} s")
    axes.grid(visible=False, axis="y")
    axes.legend(handles=handles, loc="lower right", bbox_to_anchor=(1, 1), ncols=len(handles), borderaxespad=0)
    return f"seed {seed}, {len(frames)} frames" + left_out_note(len(senders) - len(order), "more station")


def _aggregates(run: Packets, seed: int, frames: pd.DataFrame, order: Sequence[str], axes: Axes) -> int:
    """Divides the bars of A-MPDUs into their MPDUs and numbers them; returns how many MPDUs failed."""
    mpdus = run.air_mpdus
    mpdus = mpdus[mpdus["seed"] == seed]
    rows = {node: row for row, node in enumerate(order)}
    begin = float(frames["began_s"].min())
    per_ms = WIDE / (1e3 * (float(frames["ended_s"].max()) - begin))
    failed: dict[int, list[tuple[float, float]]] = {}
    places: list[float] = []
    heights: list[float] = []
    began, ended = frames["began_s"].to_numpy(float), frames["ended_s"].to_numpy(float)
    airtime_s = 8 * frames["bytes"].to_numpy(float) / frames["rate_bps"].to_numpy(float)
    is_any_received = frames["received"].to_numpy() == 1
    for _, own in mpdus.groupby("frame", sort=False):
        at = int(own["frame"].iloc[0])
        row = rows.get(str(frames["from"].iloc[at]))
        if row is None or len(own) == 1:
            continue
        # The data follow the preamble.
        sizes = own["bytes"].to_numpy(float)
        left = 1e3 * (max(began[at], ended[at] - airtime_s[at]) - begin)
        right = 1e3 * (ended[at] - begin)
        ends = left + (right - left) * np.cumsum(sizes) / sizes.sum()
        starts = np.concatenate([[left], ends[:-1]])
        is_received = own["received"].to_numpy() == 1
        if is_any_received[at]:
            # Otherwise the whole bar is hatched.
            failed.setdefault(row, []).extend(
                (start, end - start) for start, end in zip(starts[~is_received], ends[~is_received], strict=True)
            )
        count = str(len(own)) if is_received.all() else f"{is_received.sum()}/{len(own)}"
        if (right - left) * per_ms / len(own) >= VISIBLE:
            places += ends[:-1].tolist()
            heights += [float(row)] * (len(own) - 1)
        if (right - left) * per_ms >= ROOM:
            middle = (1e3 * (began[at] - begin) + right) / 2
            label = axes.text(middle, row, count, ha="center", va="center", fontsize=7, color="white")
            label.set_path_effects([withStroke(linewidth=1.6, foreground=INK)])
    axes.vlines(places, np.subtract(heights, 0.38), np.add(heights, 0.38), colors="white", linewidths=0.5)
    for row, spans in failed.items():
        axes.broken_barh(spans, (row - 0.38, 0.76), facecolor=COLORS[1], linewidth=0)
    return sum(map(len, failed.values()))

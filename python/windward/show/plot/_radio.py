"""Figures of LTE and NR cells: causes of the delay, resource blocks over time, serving sites."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.patches import Patch, Rectangle

from windward.results._names import shorten
from windward.results._values import NothingToDrawError
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, INK, left_out_note, looks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windward.results._shapes import Packets

#: Most links with a bar each, and stations with a colour or a line of their own.
MANY, STATIONS = 24, 18

#: Columns of the causes in the order of a packet's way, with their names and colours.
CAUSES = {
    "queue_s": ("queue", "#c8c8c8"),
    "grants_s": ("grants", COLORS[4]),
    "drx_s": ("sleep (DRX)", COLORS[3]),
    "transmission_s": ("transmission", COLORS[0]),
    "harq_s": ("HARQ", COLORS[5]),
    "rlc_s": ("RLC", COLORS[2]),
    "handover_s": ("handover", COLORS[1]),
    "decoding_s": ("decoding", INK),
}

#: Causes below this share of a panel's longest bar are not named.
VISIBLE = 0.002


def causes(run: Packets, _seed: int, figure: Figure) -> str:
    """Parts of the mean delay of each radio link: all of them, and those after the queue on a scale of their own."""
    links = run.draws("ran_delays")
    used = [at for at in range(len(links.names)) if any(links.values("packets", at))]
    if not used:
        raise NothingToDrawError("the run has no cell of LTE or NR that delivered a packet")
    # Downlinks and uplinks alternate.
    shown = sorted(used, key=lambda at: (at % 2, at))[:MANY]
    means = {cause: np.nan_to_num([mean_and_interval(links.values(cause, at))[0] for at in shown]) for cause in CAUSES}
    figure.set_size_inches(9.0, max(2.8, 1.7 + 0.27 * len(shown)))
    left, right = figure.subplots(1, 2, sharey=True)
    names = shorten([links.names[at] for at in shown])
    _stack(left, means, list(CAUSES))
    _stack(right, means, [cause for cause in CAUSES if cause != "queue_s"])
    left.set_yticks(np.arange(len(shown)), names)
    left.set_ylim(len(shown) - 0.4, -0.6)
    left.set_title("whole delay")
    right.set_title("after the queue")
    longest = max(sum(means[cause][at] for cause in CAUSES) for at in range(len(shown)))
    present = [cause for cause in CAUSES if _is_visible(means, cause, longest)]
    handles = [Patch(color=CAUSES[cause][1], label=CAUSES[cause][0]) for cause in present]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    of = f"mean of {len(run.seeds)} seeds" if len(run.seeds) > 1 else f"seed {run.seeds[0]}"
    return f"{of}; means over the packets delivered" + left_out_note(len(used) - len(shown), "more link")


def _is_visible(means: Mapping[str, np.ndarray], cause: str, longest: float) -> bool:
    rest = max(
        (sum(means[other][at] for other in CAUSES if other != "queue_s") for at in range(len(means[cause]))),
        default=math.nan,
    )
    return bool(means[cause].max() > VISIBLE * min(longest, rest))


def _stack(axes: Axes, means: Mapping[str, np.ndarray], shown: Sequence[str]) -> None:
    """Stacked bars, in the unit that fits the longest."""
    total = np.sum([means[cause] for cause in shown], axis=0)
    unit, name = (1.0, "s") if total.max() >= 1 else (1e3, "ms")
    left = np.zeros_like(total)
    for cause in shown:
        width = unit * means[cause]
        axes.barh(np.arange(len(total)), width, left=left, height=0.7, color=CAUSES[cause][1], linewidth=0)
        left += width
    axes.set_xlabel(f"mean delay ({name})")
    axes.set_xlim(left=0)
    axes.grid(visible=False, axis="y")


def resources(run: Packets, seed: int, figure: Figure) -> str:
    """Resource blocks of a cell over time: which station has which, in both directions; failed blocks are hatched."""
    blocks = run.table("ran_blocks", seed).to_pandas()
    if blocks.empty:
        raise NothingToDrawError(
            "no transport blocks were recorded; ask for them in the scenario: "
            '[output] air = { from = "10 s", length = "50 ms" }'
        )
    ends = {name: (begin, end) for name, begin, end in run.links[["link", "from", "to"]].to_numpy().tolist()}
    # Downlinks and uplinks alternate.
    downlinks = set(run.draws("ran_links").names[::2])
    blocks["down"] = [str(link) in downlinks for link in blocks["link"]]
    blocks["station"] = [
        ends[str(link)][1 if down else 0] for link, down in zip(blocks["link"], blocks["down"], strict=True)
    ]
    stations = list(dict.fromkeys(blocks["station"]))
    stations.sort(key=list(dict.fromkeys(end for pair in ends.values() for end in pair)).index)
    look = {station: number for number, station in enumerate(stations)}
    begin = float(blocks["began_s"].min())
    panels = list(blocks.groupby(["site", "down"], sort=True, observed=True))
    panels.sort(key=lambda panel: (str(panel[0][0]), not panel[0][1]))
    figure.set_size_inches(10.0, 1.0 + 2.2 * len(panels))
    for axes, ((site, down), own) in zip(
        figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0], panels, strict=True
    ):
        for (station, received), chosen in own.groupby(["station", "received"], sort=False, observed=True):
            color = COLORS[look[station] % len(COLORS)]
            faint = 1.0 - 0.35 * (look[station] // len(COLORS))
            columns = chosen[["began_s", "ended_s", "first_prb", "prbs"]].to_numpy(float)
            boxes = [Rectangle((1e3 * (a - begin), low), 1e3 * (b - a), high) for a, b, low, high in columns]
            style = {"facecolor": color, "alpha": faint} if received else {"facecolor": "white", "hatch": "//////"}
            axes.add_collection(
                PatchCollection(boxes, edgecolor="white" if received else color, linewidth=0.4, **style)
            )
        axes.set_xlim(0, 1e3 * (float(blocks["ended_s"].max()) - begin))
        axes.set_ylim(0, float((own["first_prb"] + own["prbs"]).max()))
        axes.set_ylabel("resource block")
        axes.set_title(("downlink" if down else "uplink") + (f" of {site}" if site != "-" else ""))
        axes.grid(visible=False)
    axes.set_xlabel(f"milliseconds from {begin:.6g} s")
    names = stations[:STATIONS]
    handles = [
        Patch(color=COLORS[look[name] % len(COLORS)], alpha=1.0 - 0.35 * (look[name] // len(COLORS)), label=label)
        for name, label in zip(names, shorten(names), strict=True)
    ]
    if not blocks["received"].all():
        handles.append(Patch(facecolor="white", edgecolor=INK, hatch="//////", label="not decoded"))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 9))
    return f"seed {seed}, {len(blocks)} transport blocks" + left_out_note(len(stations) - len(names), "more station")


def sites(run: Packets, seed: int, figure: Figure) -> str:
    """Serving site of each station over time; interruptions are gaps, failures crosses."""
    events = run.table("ran_handovers", seed).to_pandas()
    if events.empty:
        raise NothingToDrawError("no station of a cell of LTE or NR has a place")
    ends = dict(run.links[["link", "to"]].to_numpy().tolist())
    order = list(dict.fromkeys(events.sort_values("time_s", kind="stable")["to"]))
    links = list(dict.fromkeys(events["link"]))
    if len(events) == len(links):
        raise NothingToDrawError("no station changed its site")
    # Those that change their site come first.
    changes = events["link"].value_counts()
    shown = sorted(links, key=lambda link: -int(changes[link]))[:STATIONS]
    figure.set_figheight(max(2.6, 1.6 + 0.5 * len(order)))
    axes = figure.subplots()
    shifts = np.linspace(-0.3, 0.3, len(shown)) if len(shown) > 1 else [0.0]
    for link, shift, look in zip(shown, shifts, looks(len(shown)), strict=True):
        own = events[events["link"] == link].sort_values("time_s", kind="stable")
        times: list[float] = []
        places: list[float] = []
        for time, out, to in own[["time_s", "interrupted_s", "to"]].itertuples(index=False):
            if times:
                times += [time - out, math.nan]
                places += [places[-1], math.nan]
            times.append(time)
            places.append(order.index(to) + shift)
        times.append(run.duration_s)
        places.append(places[-1])
        axes.plot(times, places, label=ends[link], **look)
        failed = own[own["failure"] == 1]
        axes.plot(
            failed["time_s"], [order.index(to) + shift for to in failed["to"]], "x", color=COLORS[1], markersize=5
        )
    axes.set_yticks(np.arange(len(order)), shorten(order))
    # A band for each site: many stations stand apart in it, and near the next one's.
    axes.grid(visible=False, axis="y")
    for at in range(0, len(order), 2):
        axes.axhspan(at - 0.5, at + 0.5, color=INK, alpha=0.06, linewidth=0)
    axes.set_ylim(-0.5, len(order) - 0.5)
    axes.set_xlim(0, run.duration_s)
    axes.set_xlabel("time (s)")
    figure.legend(loc="outside right upper")
    count = int((events["failure"] == 0).sum()) - len(links)
    note = f"seed {seed}; {count} handovers, {int((events['failure'] == 1).sum())} failures"
    return note + left_out_note(len(links) - len(shown), "more station")

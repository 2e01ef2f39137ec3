"""Queues of stations that forward by backlog, step by step: a page with a slider that needs nothing else."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import numpy as np

from windward.errors import ResultError
from windward.results._files import replace_text
from windward.results._values import NothingToDrawError
from windward.show.plot import seed_of
from windward.show.plot._backlog import in_order
from windward.show.plot._map import places
from windward.show.plot.style import COLORS

if TYPE_CHECKING:
    from windward.results._shapes import Packets

#: At most so many steps: of longer series every second sample, or every third, ….
_STEPS = 600

#: Size of the map, height of the longest queue, width of a bar; in pixels.
_WIDTH, _TALLEST, _BAR = 960.0, 100.0, 18.0


def write(run: Packets, path: Path, seed: int | None = None) -> Path:
    """Writes the page and returns its path.

    Raises
    ------
    ValueError
        If no stations forward by backlog, or there is no such seed.
    ResultError
        If it cannot be written.
    """
    text = page(run, seed_of(run, seed))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, text)
    except OSError as error:
        raise ResultError(f"{path} cannot be written: {error.strerror}") from error
    return path


def page(run: Packets, seed: int) -> str:
    """The page's HTML: the picture as it was at the end, and what a script needs to show it at other times."""
    table = run.table("backlog_series", seed).to_pandas()
    if table.empty:
        raise NothingToDrawError("no stations forward by backlog")
    times = np.unique(table["time_s"])
    every = -(-len(times) // _STEPS)
    times = times[len(times) - 1 :: -every][::-1]
    table = in_order(run, table)
    names = list(dict.fromkeys(zip(table["flow"], table["class"], strict=True)))
    at_most = max(1, int(table["backlog"].max()), round(float(table["threshold"].median())))
    scale = _TALLEST / at_most
    queues: list[_Queue] = []
    for (node, flow, kind), each in table.groupby(["node", "flow", "class"], sort=False, observed=True):
        # From the flow's first packet on: before, its queues are empty.
        steps = each.set_index("time_s").reindex(times)
        queues.append(
            _Queue(
                id=f"q{len(queues)}",
                node=str(node),
                place=names.index((flow, kind)),
                backlog=steps["backlog"].fillna(0).astype(int).tolist(),
                k=steps["threshold"].bfill().round(1).tolist(),
            )
        )
    template = Template((Path(__file__).parent / "steps.html").read_text(encoding="utf-8"))
    shown = {
        "times": times.tolist(),
        "scale": scale,
        "queues": [{"id": queue.id, "backlog": queue.backlog, "k": queue.k} for queue in queues],
    }
    return template.substitute(
        name=html.escape(run.name),
        title=html.escape(run.title or run.name),
        seed=seed,
        end=f"{times[-1]:g}",
        last=len(times) - 1,
        picture=_picture(run, seed, queues, names, scale),
        # Only numbers and ids are in it: nothing that could end the script.
        series=json.dumps(shown, separators=(",", ":")),
    )


@dataclass(frozen=True, kw_only=True)
class _Queue:
    """A bar."""

    id: str
    node: str
    #: Which of the bars of its station.
    place: int
    #: Packets, and K of the station, at each step.
    backlog: list[int]
    k: list[float]


def _picture(run: Packets, seed: int, queues: list[_Queue], names: list[tuple[str, str]], scale: float) -> str:
    at = places(run, seed)
    xs, ys = zip(*at.values(), strict=True)
    side = _BAR * len(names)
    width = max(xs) - min(xs) or 1.0
    wide = _WIDTH - 2 * side - 80
    # As wide as the page, and no taller than bars of neighbours in a column have room.
    factor = max(wide / width, 0.0)
    tall = min((max(ys) - min(ys)) * factor, 440.0)
    stretch = tall / (max(ys) - min(ys)) if max(ys) > min(ys) else 0.0
    spot = {
        node: (40 + side + (x - min(xs)) * factor, 60 + _TALLEST + tall - (y - min(ys)) * stretch)
        for node, (x, y) in at.items()
    }
    links = {(min(a, b), max(a, b)) for a, b in zip(run.links["from"], run.links["to"], strict=True)}
    marks = [
        '<line class="link" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>'.format(*spot[a], *spot[b])
        for a, b in sorted(links)
        if a in spot and b in spot
    ]
    for node, (x, y) in spot.items():
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#222"/>')
        marks.append(f'<text x="{x:.1f}" y="{y + 17:.1f}" text-anchor="middle">{html.escape(node)}</text>')
    for queue in queues:
        marks += _bar(queue, *spot[queue.node], len(names), scale)
    for number, (flow, kind) in enumerate(names):
        x = 12 + 150 * number
        name = f"{flow}, ACKs" if kind == "acks" else flow
        marks.append(f'<rect x="{x}" y="10" width="14" height="14" fill="{_color(number)}"/>')
        marks.append(f'<text class="key" x="{x + 20}" y="22">{html.escape(name)}</text>')
    height = 60 + _TALLEST + tall + 30
    return (
        f'<svg viewBox="0 0 {_WIDTH:g} {height:.0f}" role="img" aria-label="queues of the stations">'
        f"{''.join(marks)}</svg>"
    )


def _bar(queue: _Queue, x: float, y: float, bars: int, scale: float) -> list[str]:
    left, base = x + _BAR * (queue.place - bars / 2), y - 7
    height, k = queue.backlog[-1] * scale, base - min(queue.k[-1] * scale, _TALLEST)
    middle, count = left + _BAR / 2, queue.backlog[-1] or ""
    return [
        f'<line class="foot" x1="{left:.1f}" y1="{base:.1f}" x2="{left + _BAR:.1f}" y2="{base:.1f}"/>',
        f'<rect id="{queue.id}" data-base="{base:.1f}" x="{left + 2:.1f}" y="{base - height:.1f}" '
        f'width="{_BAR - 4:g}" height="{height:.1f}" fill="{_color(queue.place)}"/>',
        f'<line id="{queue.id}-k" class="k" x1="{left:.1f}" y1="{k:.1f}" x2="{left + _BAR:.1f}" y2="{k:.1f}"/>',
        f'<text id="{queue.id}-count" class="count" x="{middle:.1f}" y="{base - height - 3:.1f}">{count}</text>',
    ]


def _color(number: int) -> str:
    return COLORS[number % len(COLORS)]

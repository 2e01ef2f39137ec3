"""The figures of a page: what runs and fluid runs show over time, what sweeps show over a field."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from windward.results import _panels
from windward.results._panels import MANY, MOST_INDEX
from windward.results._values import FEW, SERIES, Values, has_bands, index_of, of_fluid
from windward.show.page._chart import Chart, Level, Line, Panel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from windward.results._shapes import BestPiece, BestRates, Packets, Windows

    Array = NDArray[np.float64]

#: Colours of the lines of a panel.
COLORS = 6

_TITLES = {
    "windows": "Windows",
    "rates": "Goodput",
    "delays": "Queueing delay",
    "queues": "Queues",
    "rtt": "Round-trip time",
    "fairness": "Jain's fairness index",
}


def of_packets(
    run: Packets,
    kinds: Sequence[str] = tuple(_TITLES),
    *,
    fluid: Windows | None = None,
    best: BestRates | None = None,
    pieces: Sequence[BestPiece] = (),
    until_s: float | None = None,
) -> list[Chart]:
    """The figures of a run over time; in that of the goodput, beside the packets, the equations and the optimum.

    Parameters
    ----------
    run
        A simulation or an emulation.
    kinds
        Which figures.
    fluid, best
        What other engines answer about the same scenario.
    pieces
        The best rates piece by piece where the network changes, in place of `best`.
    until_s
        How far the run is, where it goes on.
    """
    seed = None if has_bands(run) else run.seeds[0]
    charts = []
    for kind in kinds:
        try:
            values = index_of(run, seed) if kind == "fairness" else SERIES[kind].of(run, seed)
        except ValueError:
            continue
        charts.append(_chart(run, kind, values, fluid, best, pieces, until_s))
    return charts


def _chart(
    run: Packets,
    kind: str,
    values: Values,
    fluid: Windows | None,
    best: BestRates | None,
    pieces: Sequence[BestPiece],
    until_s: float | None,
) -> Chart:
    groups, left_out = _groups(run, values) if kind != "fairness" else ({"all flows": list(values.names)}, 0)
    beside: dict[str, Values] = {}
    if fluid is not None and kind in ("windows", "rates"):
        beside["fluid"] = of_fluid(fluid, *(("goodput_bps", 1e-6) if kind == "rates" else ("cwnd", 1.0)))
    levels: dict[str, float] = {}
    steps: dict[str, Array] = {}
    if best is not None and kind == "rates" and pieces:
        steps = _steps([row["flow"] for row in best.rows("flows")], pieces, values.time_s)
    elif best is not None and kind == "rates":
        levels = {row["flow"]: row["goodput_bps"] / 1e6 for row in best.rows("flows")}
    notes = [_whose(run)]
    if values.span_s:
        notes.append(f"mean over {values.span_s:.3g} s")
    if _panels.is_crowded(groups):
        notes.append("median and 5–95 % of the flows")
    if beside:
        notes.append("dashed: the windows' equations, all flows from the beginning")
    if levels or steps:
        is_end = best is not None and not steps and "[[change]]" in best.scenario
        notes.append("dotted: the optimum of all flows together" + ", as the network ends" * is_end)
    if left_out:
        notes.append(f"{left_out} less busy link{'s' if left_out > 1 else ''} not drawn")
    if until_s is not None:
        notes.append(f"so far {until_s:.3g} s")
    panels = [
        Panel(
            title=title,
            lines=[*_lines(values, names), *_beside(beside, names), *_stepped(steps, names)],
            levels=_levels(levels, names),
        )
        for title, names in groups.items()
    ]
    series = SERIES.get(kind)
    return Chart(
        key=kind,
        title=_TITLES[kind],
        note=", ".join(notes),
        x_label="time (s)",
        y_label="index" if series is None else series.label,
        x=values.time_s,
        panels=panels,
        x_from=0.0,
        x_to=run.duration_s,
        begin=run.warmup_s,
        is_from_zero=series is None or series.is_from_zero,
        y_most=MOST_INDEX if series is None else None,
    )


def _groups(run: Packets, values: Values) -> tuple[dict[str, list[str]], int]:
    """Links that share a panel, and the number of those left out."""
    if values.entity == "link":
        return _panels.of_links(values)
    flows = run.draws("flows")
    there = set(values.names)
    groups = zip(flows.names, map(str, flows.attribute("group")), strict=True)
    return _panels.of_flows((name, group) for name, group in groups if name in there), 0


def _lines(values: Values, names: Sequence[str]) -> list[Line]:
    """A line each, with its band; of many the median and a band."""
    part = values.part(names)
    if len(names) > MANY:
        low, middle, high = _panels.band(part.means)
        return [Line(name=f"median of {len(names)}", values=middle, low=low, high=high)]
    lines = []
    for at, name in enumerate(names):
        lines.append(
            Line(
                name=name,
                values=part.means[:, at],
                low=None if part.low is None else part.low[:, at],
                high=None if part.high is None else part.high[:, at],
                color=at % COLORS,
            )
        )
    return lines


def _beside(others: Mapping[str, Values], names: Sequence[str]) -> list[Line]:
    """Lines of other engines for the same flows; identical flows have one line."""
    lines: list[Line] = []
    if len(names) > MANY:
        return lines
    for engine, values in others.items():
        drawn: list[Array] = []
        for at, name in enumerate(names):
            if name not in values.names:
                continue
            line = values.means[:, values.names.index(name)]
            if any(np.allclose(line, other, rtol=2e-3, equal_nan=True) for other in drawn):
                continue
            drawn.append(line)
            text = f"{engine}, {name}"
            lines.append(Line(name=text, values=line, color=at % COLORS, look="fluid", x=values.time_s))
        if len(drawn) == 1:
            (only,) = [line for line in lines if line.name.startswith(f"{engine}, ")]
            lines[lines.index(only)] = Line(name=engine, values=only.values, color=5, look="fluid", x=only.x)
    return lines


def _steps(names: Sequence[str], pieces: Sequence[BestPiece], time_s: Array) -> dict[str, Array]:
    """The best rate of each flow at each instant, in Mbit/s."""
    found = {name: np.full(len(time_s), math.nan) for name in names}
    for piece in pieces:
        is_then = (time_s >= piece.from_s) & (time_s <= piece.until_s)
        for name, rate in zip(names, piece.goodput_bps or [math.nan] * len(names), strict=True):
            found[name][is_then] = rate / 1e6
    return found


def _stepped(steps: Mapping[str, Array], names: Sequence[str]) -> list[Line]:
    known = [name for name in names if name in steps]
    if not known or len(names) > MANY:
        return []
    first = steps[known[0]]
    if all(np.allclose(steps[name], first, rtol=2e-3, equal_nan=True) for name in known):
        return [Line(name="optimum", values=first, color=6, look="level")]
    return [
        Line(name=f"optimum, {name}", values=steps[name], color=at % COLORS, look="level")
        for at, name in enumerate(known)
    ]


def _levels(levels: Mapping[str, float], names: Sequence[str]) -> list[Level]:
    known = {name: levels[name] for name in names if name in levels}
    if not known or len(names) > MANY:
        return []
    values = list(known.values())
    if max(values) - min(values) <= 2e-3 * max(values):
        return [Level(name="optimum", value=values[0], color=6)]
    return [Level(name=f"optimum, {name}", value=known[name], color=at % COLORS) for at, name in enumerate(known)]


def _whose(run: Packets) -> str:
    if has_bands(run) and len(run.seeds) <= FEW:
        return f"mean and range of {len(run.seeds)} seeds"
    if has_bands(run):
        return f"mean and 95 % confidence interval over {len(run.seeds)} seeds"
    return f"seed {run.seeds[0]}" + (f" of {len(run.seeds)}" if len(run.seeds) > 1 else "")


def of_windows(run: Windows) -> list[Chart]:
    """The figures of a fluid run."""
    flows = run.rows("flows")
    shown_s = _panels.moving_s(run)
    best = {row["flow"]: row["optimum_bps"] / 1e6 for row in flows}
    charts = []
    for key, title, column, unit, label in (
        ("fluid-windows", "Windows", "cwnd", 1.0, "window (packets)"),
        ("fluid-rates", "Goodput", "goodput_bps", 1e-6, "goodput (Mbit/s)"),
        ("fluid-delays", "Queueing delays of the paths", "queue_delay_ms", 1.0, "queueing delay (ms)"),
    ):
        values = of_fluid(run, column, unit)
        groups = _panels.of_flows((row["flow"], row["group"]) for row in flows)
        first = _panels.alone(groups, values)
        groups = first or groups
        notes = [*_panels.notes_of(run, is_alone=first is not None, shown_s=shown_s)]
        is_last = values.time_s <= shown_s * (1 + 1e-9)
        cut = Values(
            entity="flow", names=values.names, time_s=values.time_s[is_last], means=values.means[is_last], errors=None
        )
        levels = best if key == "fluid-rates" and all(map(math.isfinite, best.values())) else {}
        if levels:
            notes.append("dotted: the optimum of what the laws maximise")
        charts.append(
            Chart(
                key=key,
                title=title,
                note=", ".join(notes),
                x_label="time (s)",
                y_label=label,
                x=cut.time_s,
                panels=[
                    Panel(title=title, lines=_lines(cut, names), levels=_levels(levels, names))
                    for title, names in groups.items()
                ],
                x_from=0.0,
                x_to=shown_s,
            )
        )
    return charts

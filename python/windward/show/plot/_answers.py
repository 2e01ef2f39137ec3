"""Figures of what `optimum` and `fluid` answer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from windward._format.laws import keep_backlogs
from windward.results import _names, _panels
from windward.results._names import shorten
from windward.results._panels import MANY
from windward.results._values import NothingToDrawError, Values
from windward.show.plot._kind import Kind
from windward.show.plot._means import bars
from windward.show.plot._paper import legend
from windward.show.plot._series import panels
from windward.show.plot.style import COLORS, left_out_note

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from windward.results._shapes import BestRates, Windows

#: Up to so many flows or links have a bar each.
_BARS = 24

#: Paths with a smaller share of their flow are not drawn.
_SEEN = 5e-4

#: Prices below this share of the largest are those of links that limit nobody.
IDLE_PRICE = 1e-6


def _windows(run: Windows, _seed: int, figure: Figure) -> str:
    return _series(run, figure, "cwnd", 1.0, "window (packets)")


def _delays(run: Windows, _seed: int, figure: Figure) -> str:
    return _series(run, figure, "queue_delay_ms", 1.0, "queueing delay (ms)")


def _rates(run: Windows, _seed: int, figure: Figure) -> str:
    """Rates, and beside them what they would be at the optimum of what the laws maximise."""
    note = _series(run, figure, "goodput_bps", 1e-6, "goodput (Mbit/s)")
    best = run.flows["optimum_bps"] / 1e6
    if best.isna().any() or len(figure.axes) > 1 or len(best) > MANY:
        return note
    (axes,) = figure.axes
    lines = {name: line for line in axes.get_lines() for name in str(line.get_label()).split(", ")}
    for flow, value in zip(run.flows["flow"], best, strict=True):
        color = lines[flow].get_color() if flow in lines else COLORS[0]
        axes.axhline(value, color=color, linestyle=(0, (1, 2)), linewidth=1)
    return f"{note}; dotted: the optimum"


def _lyapunov(run: Windows, _seed: int, figure: Figure) -> str:
    if run.lyapunov is None:
        raise ValueError("there is no Y(w): it is known where all flows are QUIC-TCP of one rho")
    axes = figure.add_subplot()
    y = run.lyapunov[run.lyapunov["lyapunov"] > 0]
    axes.plot(y["time_s"], y["lyapunov"], color=COLORS[0])
    axes.set_yscale("log")
    # Below 1e-12 of the start is rounding.
    start = float(y["lyapunov"].iloc[0]) if len(y) else 1.0
    axes.set_ylim(bottom=max(float(y["lyapunov"].min()) / 2 if len(y) else 0.0, 1e-12 * start))
    axes.set_xlim(0, float(y["time_s"][y["lyapunov"] > 1e-12 * start].max()) if len(y) else run.duration_s)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("Y(w)  (packets to the power 2 − 2ρ)")
    return f"{run.how}; it never grows (huang2020, appendix B)"


def _series(run: Windows, figure: Figure, column: str, unit: float, label: str) -> str:
    """Lines of flows: a few together, more in one panel for each group."""
    table = run.series.pivot_table(index="time_s", columns="flow", values=column, observed=True, sort=False)
    table = table[list(run.flows["flow"])] * unit
    groups = _panels.of_flows(zip(run.flows["flow"], run.flows["group"].astype(str), strict=True))
    shown = _Shown(duration_s=_panels.moving_s(run))
    table = table[table.index <= shown.duration_s]
    if len(groups) == 1 and table.shape[1] <= MANY:
        table = _merge(table)
        groups = {"flows": list(table.columns)}
    values = _values(table)
    first = _panels.alone(groups, values) if len(groups) > 1 else None
    groups = first or groups
    panels(shown, figure, values, groups, label, is_from_zero=True)
    notes = [*_panels.notes_of(run, is_alone=first is not None, shown_s=shown.duration_s)]
    if _panels.is_crowded(groups):
        notes.insert(1, "median and 5–95 % of the flows")
    return ", ".join(notes)


def _values(table: pd.DataFrame) -> Values:
    names = [str(name) for name in table.columns]
    return Values(entity="flow", names=names, time_s=table.index.to_numpy(), means=table.to_numpy())


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """The part of a run that is drawn."""

    duration_s: float
    warmup_s: float = 0.0


def _merge(table: pd.DataFrame) -> pd.DataFrame:
    """One column for flows that do the same, under all their names."""
    names: dict[int, list[str]] = {}
    for at in range(table.shape[1]):
        column = table.iloc[:, at].to_numpy()
        same = (other for other in names if np.allclose(table.iloc[:, other].to_numpy(), column, rtol=1e-3))
        names.setdefault(next(same, at), []).append(str(table.columns[at]))
    merged = table.iloc[:, list(names)]
    return merged.set_axis([", ".join(flows) for flows in names.values()], axis=1)


def _goodputs(best: BestRates, _seed: int, figure: Figure) -> str:
    chosen = best.flows.nlargest(_BARS, "goodput_bps").index
    shown = best.flows.loc[sorted(chosen)]
    bars(figure, shown, "flow", "goodput_bps", 1e-6, "goodput (Mbit/s)")
    return f"best rates, {best.utility}" + left_out_note(len(best.flows) - len(shown), "more flow")


def _links(best: BestRates, _seed: int, figure: Figure) -> str:
    """Utilisation of each used link."""
    used = best.links[best.links["load_bps"] > 0]
    used = used.assign(share=used["load_bps"] / used["capacity_bps"])
    shown = used.loc[sorted(used.nlargest(_BARS, "share").index)]
    if shown.empty:
        raise NothingToDrawError("no flow crosses a link")
    bars(figure, shown, "link", "share", 100.0, "load (% of what the link can carry)", most=100.0)
    return f"best rates, {best.utility}" + left_out_note(len(best.links) - len(shown), "less busy link")


def _prices(best: BestRates, _seed: int, figure: Figure) -> str:
    """Prices of the bottlenecks."""
    used = best.links[best.links["price"] > IDLE_PRICE * best.links["price"].max()]
    shown = used.loc[sorted(used.nlargest(_BARS, "price").index)]
    if shown.empty:
        raise NothingToDrawError("no link limits a flow")
    is_delay = best.utility == "law" and keep_backlogs(best.flows["law"])
    if is_delay:
        bars(figure, shown, "link", "price", 1e3, "price: queueing delay (ms)")
    else:
        bars(figure, shown, "link", "price", 1.0, "price (utility per packet a second)")
    return f"bottlenecks, {best.utility}" + left_out_note(len(best.links) - len(shown), "cheaper link")


def _paths(best: BestRates, _seed: int, figure: Figure) -> str:
    """Rate of a flow on each of its paths."""
    if best.paths is None:
        raise NothingToDrawError("paths are found by free routing")
    chosen = best.paths[best.paths["share"] >= _SEEN].nlargest(_BARS, "rate_bps").index
    shown = best.paths.loc[sorted(chosen)]
    scale, unit = (1e-6, "Mbit/s") if shown["rate_bps"].max() >= 1e6 else (1e-3, "kbit/s")
    figure.set_size_inches(9.0, max(2.6, 1.6 + 0.29 * len(shown)))
    axes = figure.subplots()
    flows = list(dict.fromkeys(shown["flow"]))
    colors = dict(zip(flows, islice(cycle(COLORS), len(flows)), strict=True))
    bars_of: dict[str, Any] = {}
    labels: list[str] = []
    totals = best.paths.groupby("flow")["rate_bps"].sum() * scale
    for flow in flows:
        rows = np.flatnonzero(shown["flow"] == flow)
        own = shown.iloc[rows]
        label = f"{_names.one(flow)}, {totals[flow]:.3g} {unit}"
        drawn = axes.barh(rows, own["rate_bps"] * scale, 0.74, color=colors[flow], alpha=0.85)
        bars_of[flow] = drawn
        labels.append(label)
        axes.bar_label(drawn, [f"{100 * share:.3g} %" for share in own["share"]], padding=4, fontsize=8.5)
    axes.set_yticks(np.arange(len(shown)), shorten(path.replace("->", " → ") for path in shown["path"]))
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.margins(x=0.1)
    axes.set_xlabel(f"rate ({unit}); in per cent: of the flow")
    axes.grid(visible=False, axis="y")
    legend(figure, bars_of.values(), labels, loc="outside lower center", ncols=min(4, len(flows)))
    return f"best rates, {best.utility}, free routing" + left_out_note(len(best.paths) - len(shown), "smaller path")


FLUID = {
    "windows": Kind(title="Windows, by their differential equations", draw=_windows),
    "rates": Kind(title="Goodput, by the windows' differential equations", draw=_rates),
    "delays": Kind(title="Queueing delays of the flows' paths", draw=_delays),
    "lyapunov": Kind(title="Lyapunov function Y(w) along the trajectory", draw=_lyapunov),
}

OPTIMUM = {
    "rates": Kind(title="Best rates", draw=_goodputs),
    "links": Kind(title="Links at the best rates", draw=_links),
    "prices": Kind(title="Prices of the bottlenecks", draw=_prices),
    "paths": Kind(title="Paths at the best rates", draw=_paths),
}

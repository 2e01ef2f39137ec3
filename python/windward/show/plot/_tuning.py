"""Figures of tunings: the objective over each field."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from windward.results._figures import FIGURES, Measured
from windward.results._values import NothingToDrawError
from windward.show.plot._kind import Kind
from windward.show.plot.style import COLORS, FAINT, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from windward.results._shapes import Found

#: An axis is logarithmic where the trials span this factor.
_SPAN = 25

#: Panels side by side.
_COLUMNS = 3


def landscape(found: Found, _seed: int | None, figure: Figure) -> str:
    """Every trial a dot, over each field; the best is ringed."""
    best = found.summary.get("best")
    if best is None:
        raise NothingToDrawError("no trial has finished")
    judged = {row["trial"]: row for row in found.rows("judged")}
    frame = found.trials.means("goodput")
    frame = frame[frame["point"].isin(list(judged))]
    name = found.summary["goals"][0]
    measured = FIGURES.get(name, Measured(column="", label=name))
    values = np.array([judged[trial]["goals"][0] for trial in frame["point"]], float)
    is_within = np.array([judged[trial]["violation"] == 0 for trial in frame["point"]])
    scale, prefix = _prefix(values, measured.unit)
    rows = math.ceil(len(found.trials.axes) / _COLUMNS)
    columns = min(_COLUMNS, len(found.trials.axes))
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True)
    figure.set_size_inches(max(5.0, 3.2 * columns), 0.8 + 2.8 * rows)
    order = frame["point"].to_numpy()
    for at, axis in enumerate(found.trials.axes):
        axes = panels[at // columns][at % columns]
        places = frame[axis.path].to_numpy()
        if axis.kind == "text":
            words = sorted(set(map(str, places)))
            places = np.array([words.index(str(place)) for place in places], float)
            axes.set_xticks(range(len(words)), words)
        else:
            places = places.astype(float) / axis.scale
        axes.scatter(places[~is_within], values[~is_within] * scale, facecolors="none", edgecolors=FAINT, s=14)
        axes.scatter(
            places[is_within],
            values[is_within] * scale,
            c=order[is_within],
            cmap="Blues",
            vmin=-0.5 * order.max(),
            vmax=order.max(),
            s=14,
            linewidths=0,
        )
        mine = order == best
        axes.scatter(places[mine], values[mine] * scale, facecolors="none", edgecolors=COLORS[1], s=90, linewidths=1.6)
        axes.set_xlabel(f"{axis.path}{f' ({axis.unit})' if axis.unit else ''}", color=INK)
        if axis.kind != "text" and places.min() > 0 and places.max() >= _SPAN * places.min():
            axes.set_xscale("log")
    for at in range(len(found.trials.axes), rows * columns):
        panels[at // columns][at % columns].set_axis_off()
    for row in panels:
        row[0].set_ylabel(f"{measured.label}{f' ({prefix})' if prefix else ''}", color=FAINT)
    outside = "" if is_within.all() else "; hollow: beyond the bounds"
    return f"{len(frame)} trials, later ones darker; ringed: the best for {found.objective}{outside}"


def _prefix(values: np.ndarray, unit: str) -> tuple[float, str]:
    if unit == "%":
        return 100.0, "%"
    top = float(np.nanmax(np.abs(values))) if len(values) else 0.0
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")):
        if unit and top >= factor:
            return 1 / factor, letter + unit
    return 1.0, unit


TUNING = {"landscape": Kind(title="Trials", draw=landscape)}

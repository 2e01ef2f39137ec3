"""The figure of chen2007 that needs no packets."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure
from windward.show.plot.style import COLORS, FAINT

from .controller import cycle_utilisation


@figure(
    "5",
    title="Utilisation against responsiveness",
    caption="What E-MULTCP uses of a link with errors against 1 - β. Line: (22). Dots: the mean of n over n* when the "
    "update (21) runs through its cycles to n* = 20. Cross: the paper's choice, β = 3/4.",
)
def figure_5(context: Context) -> Figure:
    line = np.linspace(0, 1, 101)
    dots = np.linspace(0.1, 0.9, 9)
    measured = [cycle_utilisation(1 - float(alpha), 20.0) for alpha in dots]
    context.results.keep("figure-5", pd.DataFrame({"responsiveness": line, "utilisation": ratio(1 - line)}))
    context.results.keep("figure-5-updates", pd.DataFrame({"responsiveness": dots, "utilisation": measured}))
    drawn = Figure(figsize=(6, 4), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.add_subplot()
    axes.plot(line, ratio(1 - line), color=COLORS[0], label="(22)")
    axes.plot(dots, measured, "o", color=COLORS[1], label="updates (21)")
    axes.plot([0.25], [ratio(np.array([0.75]))[0]], "x", color=FAINT, markersize=10, label="β = 3/4")
    axes.set(xlabel="normalised responsiveness 1 - β", ylabel="utilisation", xlim=(0, 1), ylim=(0.6, 1.02))
    axes.legend(frameon=False)
    return drawn


def ratio(beta: np.ndarray) -> np.ndarray:
    """(22)."""
    return np.asarray(2 / 3 * (1 + beta + beta**2) / (1 + beta))

"""Fig. 7: TCP-FIT beside CUBIC and Compound."""

from __future__ import annotations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure

from .panels import SAID
from .shares import bars, study

PAIRS = (("TCP-FIT", "CUBIC"), ("TCP-FIT", "Compound"))


@figure(
    "7",
    title="TCP-FIT beside CUBIC and Compound, 100 Mbit/s",
    caption="Lower bars, pale: goodput of TCP-FIT, with 95 % confidence intervals. Upper bars: goodput of the other "
    "flow. Means of 5 seeds over 240 s. Dashed: half of the link. The paper's caption names a Reno that is not there.",
)
def figure_7(context: Context) -> Figure:
    table = study(context, "7", PAIRS, (0.0,))
    context.results.keep("figure-7", table)
    figure = Figure(figsize=(9.6, 4))
    FigureCanvasAgg(figure)
    for axes, (recovery, said) in zip(figure.subplots(1, 2, sharey=True), SAID.items(), strict=True):
        bars(axes, table[table["recovery"] == recovery], PAIRS)
        axes.set_title(said)
    figure.axes[0].set_ylabel("goodput (Mbit/s)")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return figure

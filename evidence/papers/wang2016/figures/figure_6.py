"""Fig. 6: a flow of each law beside a Reno."""

from __future__ import annotations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure

from .panels import SAID
from .shares import bars, study

#: Reno first.
PAIRS = (("Reno", "TCP-FIT"), ("Reno", "Reno"), ("Reno", "CUBIC"), ("Reno", "Vegas"))
LOSSES = (0.0, 1e-3)

#: For claim 86, which the paper does not draw: β, where both fill the link that loses. Where they do not, N is 1
#: whatever β. What the Reno keeps differs by 3 %, as much as one run from the next: five seeds do not show it.
BY_BETA = (("Reno", "TCP-FIT"), ("Reno", "TCP-FIT β = 5"), ("Reno", "TCP-FIT β = 25"))
FULL_MS = (5, 10)
SEEDS_BY_BETA = 20


@figure(
    "6",
    title="A flow beside a Reno, 100 Mbit/s",
    caption="Lower bars, pale: goodput of the Reno, with 95 % confidence intervals. Upper bars: goodput of the flow "
    "beside it, by law. Means of 5 seeds over 240 s. Dashed: half of the link. The paper's caption says RTT "
    "fairness; its text, friendliness.",
)
def figure_6(context: Context) -> Figure:
    table = study(context, "6", PAIRS, LOSSES)
    context.results.keep("figure-6", table)
    by_beta = study(
        context, "6 by β", BY_BETA, LOSSES[1:], recoveries=("NewReno",), rtts_ms=FULL_MS, seeds=SEEDS_BY_BETA
    )
    context.results.keep("figure-6-by-beta", by_beta)
    figure = Figure(figsize=(9.6, 7))
    FigureCanvasAgg(figure)
    for row, (recovery, said) in zip(figure.subplots(2, 2, sharey=True), SAID.items(), strict=True):
        for axes, loss in zip(row, LOSSES, strict=True):
            bars(axes, table[(table["recovery"] == recovery) & (table["loss_rate"] == loss)], PAIRS)
            axes.set_title(f"(a) no random loss, {said}" if loss == 0 else f"(b) 0.1 % random loss, {said}")
        row[0].set_ylabel("goodput (Mbit/s)")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=4)
    return figure

"""Tables 8 and 9, as pictures."""

from __future__ import annotations

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from windward.papers import Context, figure
from windward.show.plot.style import COLORS, FAINT, INK

from ..reported import RTTS_MS
from ..responses import CHOICES, study
from .panels import SAID

_CAPTION = (
    "Left without SACK, as the paper has it; right with SACK, one seed. Every seed a dot; a triangle is a seed that "
    "was not there when the run ended. Diamonds are the paper's."
)


@figure(
    "table-8",
    title="Two flows to their fair share of 1 Gbit/s",
    caption="Seconds until windows are within a fifth, now and in means of the next 50 round trips. Cells have 20 "
    f"seeds, beyond 600 simulated seconds 2. {_CAPTION}",
)
def table_8(context: Context) -> Figure:
    table = study(context, do_stop=False)
    context.results.keep("table-8", table)
    return draw(table)


@figure(
    "table-9",
    title="One flow to all of 1 Gbit/s after 99 others have stopped",
    caption=f"Seconds until its window is 95 % of the bandwidth-delay product. {_CAPTION}",
)
def table_9(context: Context) -> Figure:
    table = study(context, do_stop=True)
    context.results.keep("table-9", table)
    return draw(table)


def draw(table: pd.DataFrame) -> Figure:
    """Seconds over the round trip, by law."""
    figure = Figure(figsize=(9.6, 4.6))
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2, sharey=True)
    laws = [law for law in CHOICES if law in set(table["law_name"])]
    for axes, (recovery, name) in zip(panels, SAID.items(), strict=True):
        for at, law in enumerate(laws):
            color = (*COLORS, INK, FAINT)[at]
            chosen = table[(table["recovery"] == recovery) & (table["law_name"] == law)]
            # Beside each other, not above.
            places = chosen["rtt_ms"].to_numpy() * 1.06 ** (at - len(laws) / 2)
            # What takes no time that can be seen stands at the foot.
            axes.plot(places, chosen["seconds"].clip(lower=0.05), ".", color=color, label=law, markersize=5)
            late = chosen["seconds"].isna().to_numpy()
            axes.plot(places[late], chosen["limit_s"][late], "^", color=color, markerfacecolor="none", markersize=5)
            axes.plot(places, chosen["printed_s"], "D", color=color, markerfacecolor="none", markersize=5)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.minorticks_off()
        axes.set_xticks(RTTS_MS, [str(rtt) for rtt in RTTS_MS])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
        axes.set_xlabel("round trip (ms)")
        axes.set_title(name)
    panels[0].set_ylabel("seconds")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=7)
    return figure

"""Fig. 9: three flows of different round trips over several bottlenecks."""

from __future__ import annotations

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import windward as ww
from windward.papers import Context, figure
from windward.show.plot.style import COLORS

from ...shared import packets
from ..network import DUMMYNET, QUEUE_MS, bdp, flow, link, pulses
from .panels import SEEDS

#: Panels of the figure: law and random loss of Link 3.
PANELS = {
    "Reno": ("Reno", 0.0),
    "Hybla": ("Hybla", 0.0),
    "TCP-FIT, no loss": ("TCP-FIT", 0.0),
    "TCP-FIT, 0.1 %": ("TCP-FIT", 1e-3),
    "Vegas": ("Vegas", 0.0),
}

#: The same of TCP-FIT with α held, for claims 40 and 41.
HELD = {"TCP-FIT, no loss, α held": ("TCP-FIT, α held", 0.0), "TCP-FIT, 0.1 %, α held": ("TCP-FIT, α held", 1e-3)}

#: Recovery and queue in packets. Table 7 names Linktropy, which has one link where this network has three. "Linktropy":
#: its default of 250 ms, without SACK as in section 6. "dummynet": [G] its default of 50 slots, with SACK.
PLATFORMS = {"Linktropy": (False, bdp(100, QUEUE_MS)), "dummynet": (True, DUMMYNET)}

#: [G] Links carry 100 Mbit/s each; the paper's figure, where rates and delays stand, is lost.
MBPS = 100

#: One-way delays of Links 1, 2, 3 in ms. "results": those of the round trips that the results name, 20, 70 and 170 ms.
#: "printed": 75, 50 and 25 ms of Links 3, 2 and 1 make the text's 150, 125 and 75 ms, with the flows in reverse.
DELAYS_MS = {"results": (50.0, 25.0, 10.0), "printed": (25.0, 50.0, 75.0)}

#: [G] Seconds between the starts of the flows; the paper speaks of early comers.
APART_S = 20

DURATION_S, WARMUP_S = 600, 100


def network(law: str, loss: float, platform: str, delays_ms: tuple[float, float, float]) -> ww.Scenario:
    """Flow 1 over Link 3, Flow 2 over Links 2 and 3, Flow 3 over all; access is without delay."""
    first, second, third = delays_ms
    has_sack, queue = PLATFORMS[platform]

    def wire(names: tuple[str, str], delay: float, lost: float = 0.0) -> ww.Link:
        return link(MBPS, 2 * delay, names=names, buffer=queue, loss=lost)

    return ww.Scenario(
        name="bottlenecks",
        duration=f"{DURATION_S} s",
        stack="rfc",
        warmup=f"{WARMUP_S} s",
        output=ww.Output(sample_interval="1 s"),
        node=[ww.Node(name=name) for name in "abcd"],
        link=[wire(("a", "b"), first), wire(("b", "c"), second), wire(("c", "d"), third, loss)],
        background=pulses(MBPS, ("c", "d")),
        flow=[
            flow(f"flow-{at}", law, from_=source, to="d", start=f"{(at - 1) * APART_S} s", sack=has_sack)
            for at, source in ((1, "c"), (2, "b"), (3, "a"))
        ],
    )


@figure(
    "9",
    title="Three flows with round trips of 20, 70 and 170 ms",
    caption="Goodputs averaged over 10 s of one seed, with SACK behind dummynet's queues of 50 slots; flows begin 20 s "
    "apart. Flow 1 crosses Link 3, Flow 2 Links 2 and 3, Flow 3 all three, of 100 Mbit/s each. The last panel has the "
    "means of 5 seeds from 100 s on, with 95 % confidence intervals. Dots are for these delays. Rings are for 75, 125 "
    "and 150 ms one way, those of the text with the flows numbered in reverse.",
)
def figure_9(context: Context) -> Figure:
    scenarios = {
        (panel, platform, reading): network(*chosen, platform, delays)
        for panel, chosen in (PANELS | HELD).items()
        for platform in PLATFORMS
        for reading, delays in DELAYS_MS.items()
        if platform == "dummynet" or (reading == "results" and panel in PANELS)
    }
    runs = packets.simulate(
        scenarios, lambda text: context.progress(f"figure 9: {text}"), context.seeds or SEEDS, context.share
    )
    table = packets.flows(runs, ("panel", "platform", "reading"))
    table = table[["panel", "platform", "reading", "seed", "flow", "goodput_bps", "mean_rtt_s"]]
    series = pd.concat(
        [
            runs[panel, "dummynet", "results"]
            .flow_series[["seed", "time_s", "flow", "goodput_bps"]]
            .assign(panel=panel)
            for panel in PANELS
        ],
        ignore_index=True,
    )
    series = series[series["seed"] == 1]
    context.results.keep("figure-9", table)
    context.results.keep("figure-9-series", series)
    return draw(table, series)


def draw(table: pd.DataFrame, series: pd.DataFrame) -> Figure:
    """A panel for each law, and one with the means of all."""
    figure = Figure(figsize=(9.6, 6.4))
    FigureCanvasAgg(figure)
    panels = figure.subplots(2, 3).ravel()
    for axes, (letter, panel) in zip(panels, zip("abcde", PANELS, strict=True), strict=False):
        for at, (name, one) in enumerate(series[series["panel"] == panel].groupby("flow", sort=False, observed=True)):
            rates = one["goodput_bps"].rolling(10, center=True, min_periods=1).mean() / 1e6
            axes.plot(one["time_s"], rates, color=COLORS[at], linewidth=0.9, label=str(name))
        axes.set_title(f"({letter}) {panel}")
        axes.set_ylim(0, 104)
        axes.set_xlim(0, float(series["time_s"].max()))
        axes.set_xlabel("time (s)")
        axes.set_ylabel("goodput (Mbit/s)")
    panels[0].legend()
    last = panels[-1]
    for at, panel in enumerate(PANELS):
        for reading, look in (("results", {}), ("printed", {"markerfacecolor": "white"})):
            chosen = table[
                (table["platform"] == "dummynet") & (table["panel"] == panel) & (table["reading"] == reading)
            ]
            means = packets.intervals(chosen.groupby("flow", observed=True)["goodput_bps"]) / 1e6
            for index, (color, (_, row)) in enumerate(zip(COLORS, means.iterrows(), strict=False)):
                place = at + (index - 1) * 0.2 + (0.05 if look else -0.05)
                last.errorbar(
                    place,
                    row["mean"],
                    yerr=row["ci95"],
                    color=color,
                    marker="o",
                    markersize=4,
                    linestyle="",
                    elinewidth=0.9,
                    **look,
                )
    last.set_xticks(range(len(PANELS)), ["a", "b", "c", "d", "e"])
    last.set_title("means")
    last.set_ylim(0, 104)
    return figure

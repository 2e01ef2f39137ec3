"""Fig. 3: the window law over ideal CSMA, fluid."""

from __future__ import annotations

from matplotlib.figure import Figure

from windward.papers import Context, figure

from ...shared import evolution
from ..grid import Grid


@figure(
    "3",
    title="Source rates for ρ = 0, ½ and 1",
    caption="The window law (15) as an update every 20 ms with κ = 0.05 over ideal queueing-delay CSMA, from windows "
    "of 2 packets. The six links of a grid all conflict. Top: p = 20, bottom: p = 200 packets. Dashed: the optimum "
    "of (2) by the sub-gradient iteration, the paper's benchmark. Time is logarithmic: every ρ converges, the "
    "smaller the sooner. From the dots on all rates are within 1 % of the optimum. Layout, delays, rates, p, κ and "
    "period are guesses: evidence/papers/wang2013/grid.toml.",
    is_rehearsed=False,
)
def figure_3(context: Context) -> Figure:
    grid = Grid.load()
    updates, flows = grid.settings["updates"], grid.settings["flows"]
    runs = {}
    for name in ("", "_sensitivity"):
        backlog = flows[f"backlog{name}"]
        for rho, span in zip(updates["rho"], updates[f"duration{name}_s"], strict=True):
            context.progress(f"figure 3: ρ = {rho:g}, p = {backlog:g}")
            fine, coarse = updates["period_s"], max(updates["period_s"], span / 10_000)
            began = grid.run(rho, backlog, min(span, 1000 * coarse), fine)
            runs[rho, backlog] = evolution.join(began, grid.run(rho, backlog, span, coarse))
    samples = evolution.table(runs)
    best = evolution.benchmarks({backlog: grid.benchmark(backlog) for backlog in dict.fromkeys(p for _, p in runs)})
    context.results.keep("figure-3", samples)
    context.results.keep("figure-3-benchmark", best)
    return evolution.draw(samples, best)

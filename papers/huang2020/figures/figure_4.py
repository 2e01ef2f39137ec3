"""Fig. 4: the Matlab part, fluid."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from matplotlib.figure import Figure

from windward.papers import Context, figure

from ...shared import evolution
from ..cell import Cell


@figure(
    "4",
    title="Source rates for ρ = 0, ¼, ½ and 1",
    caption="The literal update (9) every 20 ms with κ = 0.05 on a fading cell of four users (mean SNR 11, 17, 12 and "
    "15 dB, five modes of modulation and coding), from windows of 2 packets; above p = 20, below p = 200 packets. "
    "Dashed: the optimum of (1) by the sub-gradient iteration, the paper's benchmark. Time is logarithmic: every ρ "
    "arrives, the smaller the sooner; dots mark from when on all rates are within 1 % of the optimum. With p = 200, "
    "ρ = 1 is still on its way when the figure ends. Delays, p and the choice of modes are guesses: "
    "papers/huang2020/cell.toml.",
)
def figure_4(context: Context) -> Figure:
    cell = Cell.load()
    updates, flows = cell.settings["updates"], cell.settings["flows"]
    keys = [
        (rho, backlog, span)
        for rho, span in zip(updates["rho"], updates["duration_s"], strict=True)
        for backlog in (flows["backlog"], flows["backlog_sensitivity"])
    ]
    with ThreadPoolExecutor() as pool:
        # The longest first, so that no core waits at the end. The engine works outside the interpreter's lock.
        started = {key: pool.submit(cell.run, *key) for key in reversed(keys)}
        runs = {}
        for at, (rho, backlog, span) in enumerate(keys, 1):
            context.progress(f"figure 4: waiting for run {at} of {len(keys)}, some minutes in all")
            runs[rho, backlog] = started[rho, backlog, span].result()
    samples = evolution.table(runs)
    best = evolution.benchmarks({backlog: cell.benchmark(backlog) for backlog in dict.fromkeys(p for _, p in runs)})
    context.results.keep("figure-4", samples)
    context.results.keep("figure-4-benchmark", best)
    return evolution.draw(samples, best)

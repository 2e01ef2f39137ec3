"""Fig. 4: the Matlab part, fluid, with round trips for which all ρ converge and with those of the ns-2 part."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
from matplotlib.figure import Figure

from windward.papers import Context, figure

from ...shared import evolution
from ..cell import Cell


@figure(
    "4",
    title="Source rates for ρ = 0, ¼, ½ and 1",
    caption="The literal update (9) every 20 ms with κ = 0.05 on a fading cell of four users, from windows of 2 "
    "packets. The users have a mean SNR of 11, 17, 12 and 15 dB and five modes of modulation and coding. Top: p = "
    "20, bottom: p = 200 packets. Dashed: the optimum of (1) by the sub-gradient iteration, the paper's benchmark. "
    "Time is logarithmic: every ρ converges, the smaller the sooner. From the dots on all rates are within 1 % of "
    "the optimum. With p = 200, ρ = 1 has not converged when the figure ends. Round trips of 36 and 50 ms were "
    "chosen so that ρ = 0 converges (claim 21), and p and the modes are guesses: evidence/papers/huang2020/cell.toml.",
    is_rehearsed=False,
)
def figure_4(context: Context) -> Figure:
    cell = Cell.load()
    updates, flows = cell.settings["updates"], cell.settings["flows"]
    keys = [
        (rho, backlog, span)
        for rho, span in zip(updates["rho"], updates["duration_s"], strict=True)
        for backlog in (flows["backlog"], flows["backlog_sensitivity"])
    ]
    return _evolution(context, "figure-4", cell, keys, flows["base_rtt_s"])


@figure(
    "4-delays",
    title="The same with the round trips of the packet part",
    caption="As Figure 4 with p = 20 and round trips of 0.88 s, those of access-point.toml. The paper calls it the "
    "same network. With ρ = 0 rates do not converge: κ d x is 16 to 25, and the limit is 2. With ρ = ¼ and ½ they "
    "do. With ρ = 1 they would need hours.",
    is_rehearsed=False,
)
def figure_4_delays(context: Context) -> Figure:
    cell = Cell.load()
    updates, flows = cell.settings["updates"], cell.settings["flows"]
    spans = zip(updates["rho"], updates["duration_packets_s"], strict=True)
    keys = [(rho, flows["backlog"], span) for rho, span in spans]
    return _evolution(context, "figure-4-delays", cell, keys, flows["base_rtt_packets_s"])


def _evolution(
    context: Context, name: str, cell: Cell, keys: Iterable[tuple[float, float, float]], base_rtt_s: list[float]
) -> Figure:
    """Runs for every ρ, p and duration, and their picture."""
    with ThreadPoolExecutor() as pool:
        # The longest first, so that no core waits at the end. The engine works outside the interpreter's lock.
        started = {key: pool.submit(cell.run, *key, base_rtt_s=base_rtt_s) for key in reversed(list(keys))}
        runs = {}
        for at, (rho, backlog, span) in enumerate(reversed(started), 1):
            context.progress(f"{name}: waiting for run {at} of {len(started)}, some minutes in all")
            runs[rho, backlog] = started[rho, backlog, span].result()
    samples = evolution.table(runs)
    optima = {backlog: cell.benchmark(backlog) for backlog in dict.fromkeys(p for _, p in runs)}
    best: pd.DataFrame = evolution.benchmarks(optima)
    context.results.keep(name, samples)
    context.results.keep(f"{name}-benchmark", best)
    return evolution.draw(samples, best)

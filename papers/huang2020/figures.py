"""The figures of huang2020."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.fluid import Trajectory
from windward.papers import Context, figure
from windward.plot.style import COLORS, FAINT

from .cell import Cell


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
    spans = dict(zip(updates["rho"], updates["duration_s"], strict=True))
    backlogs = [flows["backlog"], flows["backlog_sensitivity"]]
    with ThreadPoolExecutor() as pool:
        # The longest first, so that no core waits at the end. The engine works outside the interpreter's lock.
        started = {
            (rho, backlog): pool.submit(cell.run, rho, backlog, span)
            for rho, span in reversed(spans.items())
            for backlog in backlogs
        }
        runs: dict[tuple[float, float], Trajectory] = {}
        for at, (key, future) in enumerate(started.items(), 1):
            runs[key] = future.result()
            context.progress(f"figure 4: run {at} of {len(started)}")
    benchmark = cell.benchmark(backlogs[0])
    context.results.keep("figure-4", _table(runs))
    context.results.keep("figure-4-benchmark", pd.DataFrame({"flow": range(4), "rate": benchmark}))
    drawing = Figure(figsize=(10, 5.4))
    FigureCanvasAgg(drawing)
    rows = drawing.subplots(2, len(spans), sharex=True, sharey=True)
    for row, backlog in zip(rows, backlogs, strict=True):
        for axes, rho in zip(row, spans, strict=True):
            run = runs[rho, backlog]
            for flow in range(4):
                color = COLORS[flow]
                axes.axhline(benchmark[flow], color=color, linestyle=(0, (4, 2)), linewidth=0.9, zorder=1)
                # The sample at 0 has no place on a logarithmic axis.
                axes.plot(run.time_s[1:], run.rates[1:, flow], color=color, label=f"ftp{flow}")
            settled = run.settled_s(benchmark)
            if settled is not None:
                axes.plot(settled, 0, "o", color=FAINT, markersize=5, clip_on=False, zorder=4)
                axes.annotate(
                    f"{settled:.2g} s" if settled < 100 else f"{settled:.0f} s",
                    (settled, 0),
                    xytext=(0, 6),
                    textcoords="offset points",
                    ha="center" if settled < 50 else "right",
                    fontsize=8.5,
                    color=FAINT,
                )
            axes.set_title(f"ρ = {rho:g}, p = {backlog:g}")
    rows[0, 0].set_xscale("log")
    rows[0, 0].set_xlim(updates["period_s"], max(spans.values()))
    rows[0, 0].set_ylim(0, None)
    drawing.supylabel("rate (packets/s)", fontsize=10)
    drawing.supxlabel("time (s)", fontsize=10)
    drawing.legend(*rows[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=4)
    return drawing


def _table(runs: dict[tuple[float, float], Trajectory]) -> pd.DataFrame:
    """One row per run, sample and flow; samples thin out as the logarithm of time does."""
    tables = []
    for (rho, backlog), run in runs.items():
        last = len(run.time_s) - 1
        kept = np.unique(np.concatenate([[0], np.geomspace(1, last, 400).round()]).astype(int))
        samples, flows = len(kept), run.rates.shape[1]
        tables.append(
            pd.DataFrame(
                {
                    "rho": rho,
                    "backlog": backlog,
                    "time_s": np.repeat(run.time_s[kept], flows),
                    "flow": np.tile(np.arange(flows), samples),
                    "window": run.windows[kept].ravel(),
                    "rate": run.rates[kept].ravel(),
                    "queue_delay_s": run.delays_s[kept].ravel(),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)

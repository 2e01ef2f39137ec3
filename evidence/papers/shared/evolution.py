"""Rates over time for several rho and p, as Fig. 4 of huang2020 and Fig. 3 of wang2013 show them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from windward.show.plot.style import COLORS, FAINT
from windward.theory.fluid import Trajectory
from windward.theory.num import Array

#: Samples kept of a run; they thin out as the logarithm of time does.
SAMPLES = 400


def table(runs: Mapping[tuple[float, float], Trajectory]) -> pd.DataFrame:
    """One row per run (rho, p), sample and flow."""
    tables = []
    for (rho, backlog), run in runs.items():
        last, flows = len(run.time_s) - 1, run.rates.shape[1]
        wanted = np.geomspace(run.time_s[1], run.time_s[-1], SAMPLES)
        kept = np.unique([0, *np.searchsorted(run.time_s, wanted * (1 - 1e-9)), last])
        columns = {
            "rho": rho,
            "backlog": backlog,
            "time_s": np.repeat(run.time_s[kept], flows),
            "flow": np.tile(np.arange(flows), len(kept)),
            "window": run.windows[kept].ravel(),
            "rate": run.rates[kept].ravel(),
            "queue_delay_s": run.delays_s[kept].ravel(),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def join(first: Trajectory, second: Trajectory) -> Trajectory:
    """A run sampled finely for a while, and the same run sampled coarsely from there on."""
    after = second.time_s > first.time_s[-1]
    return Trajectory(
        time_s=np.concatenate([first.time_s, second.time_s[after]]),
        windows=np.concatenate([first.windows, second.windows[after]]),
        rates=np.concatenate([first.rates, second.rates[after]]),
        delays_s=np.concatenate([first.delays_s, second.delays_s[after]]),
        evaluations=second.evaluations,
    )


def benchmarks(rates: Mapping[float, Array]) -> pd.DataFrame:
    """The optimum by p: one row per p and flow."""
    tables = [
        pd.DataFrame({"backlog": backlog, "flow": range(len(best)), "rate": best}) for backlog, best in rates.items()
    ]
    return pd.concat(tables, ignore_index=True)


def draw(samples: pd.DataFrame, best: pd.DataFrame) -> Figure:
    """A panel for each rho (from left to right) and p (from top to bottom), over the logarithm of time.

    Dashed lines are the benchmark, dots mark from when on all rates are within 1 % of it.
    """
    rhos, backlogs = samples["rho"].unique(), samples["backlog"].unique()
    figure = Figure(figsize=(2.6 * len(rhos) + 0.4, 2.5 * len(backlogs) + 0.5))
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(backlogs), len(rhos), sharex=True, sharey=True, squeeze=False)
    top = 1.06 * max(samples["rate"].max(), best["rate"].max())
    for row, backlog in zip(panels, np.sort(backlogs), strict=True):
        benchmark = best.loc[best["backlog"] == backlog, "rate"].to_numpy()
        for axes, rho in zip(row, np.sort(rhos), strict=True):
            chosen = samples[(samples["rho"] == rho) & (samples["backlog"] == backlog)]
            rates = chosen.pivot(index="time_s", columns="flow", values="rate")
            _panel(axes, rates, benchmark, samples["time_s"].max())
            axes.set_title(f"ρ = {rho:g}, p = {backlog:g}")
            axes.set_ylim(0, top)
    panels[0, 0].set_xscale("log")
    panels[0, 0].set_xlim(samples.loc[samples["time_s"] > 0, "time_s"].min(), samples["time_s"].max())
    panels[0, 0].xaxis.set_major_formatter(FuncFormatter(lambda time, _: f"{time:g}"))
    figure.supylabel("rate (packets/s)", fontsize=10)
    figure.supxlabel("time (s)", fontsize=10)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=best["flow"].nunique())
    return figure


def _panel(axes: Axes, rates: pd.DataFrame, benchmark: Array, end: float) -> None:
    # The sample at 0 has no place on a logarithmic axis.
    after = rates.iloc[1:]
    for flow, best in enumerate(benchmark):
        axes.axhline(best, color=COLORS[flow], linestyle=(0, (4, 2)), linewidth=0.9, zorder=1)
        axes.plot(after.index, after[flow], color=COLORS[flow], label=f"ftp{flow}")
    far = np.abs(rates.to_numpy() / benchmark - 1).max(axis=1) > 0.01
    if not far[-1]:
        settled = float(rates.index[np.flatnonzero(far)[-1] + 1])
        axes.plot(settled, 0, "o", color=FAINT, markersize=5, clip_on=False, zorder=4)
        # Beside the dot, on the side where there is more room.
        is_early = settled < np.sqrt(after.index[0] * end)
        axes.annotate(
            f"{float(f'{settled:.2g}'):g} s",
            (settled, 0),
            xytext=(6 if is_early else -6, 7),
            textcoords="offset points",
            ha="left" if is_early else "right",
            fontsize=8.5,
            color=FAINT,
        )

"""Engines beside one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from windward.results.stats import mean_and_interval

if TYPE_CHECKING:
    from windward._answers.fluid import Fluid
    from windward._answers.optimum import Optimum
    from windward._answers.run import Run


def comparison(best: Optimum, equations: Fluid | None, run: Run | None, emulation: Run | None = None) -> pd.DataFrame:
    """One row per flow: its goodput by each engine.

    Columns `flow`, `law`, `optimum_bps`, `fluid_bps` (at the end; NaN without a fluid run), `packets_bps` and
    `packets_error_bps` (mean and half width of the 95 % confidence interval over seeds; NaN for one seed, both NaN
    without packets), `kernel_bps` (emulated between real kernels; NaN without), and `share`, packets over optimum.
    """

    def goodputs(run: Run | None) -> dict[Any, pd.Series[float]]:
        return {} if run is None else dict(list(run.flows.groupby("flow", sort=False)["goodput_bps"]))

    goodput, real = goodputs(run), goodputs(emulation)
    table = best.flows[["flow", "law"]].copy()
    table["optimum_bps"] = best.flows["goodput_bps"]
    table["fluid_bps"] = float("nan") if equations is None else equations.flows["goodput_bps"].to_numpy()
    packets = [mean_and_interval(goodput.get(flow, [])) for flow in table["flow"]]
    table["packets_bps"] = [mean for mean, _ in packets]
    table["packets_error_bps"] = [error for _, error in packets]
    table["kernel_bps"] = [mean_and_interval(real.get(flow, []))[0] for flow in table["flow"]]
    table["share"] = table["packets_bps"] / table["optimum_bps"]
    return table

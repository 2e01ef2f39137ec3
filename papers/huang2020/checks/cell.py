"""Claims 21 to 23: the Matlab part, the literal (9) on a fading cell (section V-A)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy as np

from windward.papers import Finding, claim
from windward.theory.fluid import Trajectory

from ..cell import Cell

#: How long each rho is followed, seconds; Fig. 4 follows rho = 1 three times as long.
DURATIONS = {0.0: 2.0, 0.25: 2.0, 0.5: 6.0, 1.0: 40.0}

#: Relative distance of the rates from the optimum at which they count as there.
THERE = 0.05


@cache
def runs() -> dict[float, Trajectory]:
    """The four runs of Fig. 4 with the primary p; the engine works outside the interpreter's lock."""
    cell = Cell.load()
    backlog = cell.settings["flows"]["backlog"]
    with ThreadPoolExecutor() as pool:
        started = {rho: pool.submit(cell.run, rho, backlog, span) for rho, span in reversed(DURATIONS.items())}
        return {rho: started[rho].result() for rho in DURATIONS}


@claim(21)
def all_rho_converge() -> Finding:
    cell = Cell.load()
    best = cell.case(cell.settings["flows"]["backlog"]).best().rates
    far = {rho: float(np.abs(run.rates[-1] / best - 1).max()) for rho, run in runs().items()}
    began = float(np.abs(runs()[1.0].rates[0] / best - 1).max())
    return Finding(
        ours="at the end "
        + ", ".join(f"ρ = {rho:g}: {value:.1%}" for rho, value in far.items())
        + f" off; at the start "
        f"{began:.0%}",
        holds=max(far.values()) < THERE and began > 0.5,
    )


@claim(22)
def smaller_rho_is_faster() -> Finding:
    cell = Cell.load()
    best = cell.case(cell.settings["flows"]["backlog"]).best().rates
    settled = [run.settled_s(best, THERE) or np.inf for run in runs().values()]
    return Finding(
        ours=", ".join(f"ρ = {rho:g}: {time:.3g} s" for rho, time in zip(DURATIONS, settled, strict=True)),
        holds=all(later >= 2 * sooner for sooner, later in pairwise(settled)) and bool(np.isfinite(settled).all()),
    )


@claim(23)
def rates_settle_at_the_benchmark() -> Finding:
    cell = Cell.load()
    backlog = cell.settings["flows"]["backlog"]
    best, benchmark = cell.case(backlog).best().rates, cell.benchmark(backlog)
    between = float(np.abs(benchmark / best - 1).max())
    ends = max(float(np.abs(run.rates[-1] / benchmark - 1).max()) for rho, run in runs().items() if rho < 1)
    return Finding(
        ours=f"{', '.join(f'{rate:.1f}' for rate in best)} packets/s; sub-gradient {between:.0e} off, runs {ends:.0e}",
        holds=between < 1e-3 and ends < 1e-3,
    )

"""Claim 19: the Matlab part (section IV-B)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from windward.papers import Finding, claim

from ..grid import Grid


@claim(19)
def all_rho_converge() -> Finding:
    grid = Grid.load()
    updates, backlog = grid.settings["updates"], grid.settings["flows"]["backlog"]
    best, benchmark = grid.case(backlog).best().rates, grid.benchmark(backlog)
    far, settled = [], []
    for rho, span in zip(updates["rho"], updates["duration_s"], strict=True):
        run = grid.run(rho, backlog, span, 0.02)
        far.append(float(np.abs(run.rates[-1] / benchmark - 1).max()))
        settled.append(run.settled_s(benchmark) or np.inf)
    between = float(np.abs(benchmark / best - 1).max())
    ends = ", ".join(
        f"ρ = {rho:g}: {off:.0e} off, within 1 % after {time:.3g} s"
        for rho, off, time in zip(updates["rho"], far, settled, strict=True)
    )
    return Finding(
        ours=f"{ends}; sub-gradient and interior method {between:.0e} apart",
        holds=max(far) < 1e-3 and between < 1e-6 and all(later > 2 * sooner for sooner, later in pairwise(settled)),
    )

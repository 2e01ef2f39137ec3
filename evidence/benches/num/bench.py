"""Times the best rates beside CVXPY with Clarabel and SciPy, and writes evidence/measured/benchmarks/optimum.md.

    python evidence/benches/num/bench.py

Proportional fairness on random networks of four links a flow, and F along a trajectory. Times are CPU seconds, of one
thread each; the peers take turns on the same problem; medians are shown. What only the Rust library can be asked, sizes
up to a million flows and other alphas, comes from `cargo bench -p windward-num -- --large`, which this runs.
"""

from __future__ import annotations

import os

# Idle threads of OpenBLAS spin, and would be counted to whom they do nothing for. Before NumPy reads it.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import math
import statistics
import subprocess
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

from windward.theory import num

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "optimum.md"
#: Flows, links, repeats.
SIZES = [(100, 50, 9), (1_000, 300, 5), (10_000, 2_000, 3)]
#: Seconds after which Clarabel is stopped.
PATIENCE_S = 120
#: Flows, links, steps that CVXPY is given.
TRAJECTORIES = [(4, 10, 300), (100, 50, 100)]

Array = NDArray[np.float64]
#: Rates and link prices.
Answer = tuple[Array, Array]


@dataclass
class Instance:
    """maximise weight · ln x subject to crosses x <= capacity."""

    routes: NDArray[np.int64]
    crosses: csr_array
    capacity: Array
    weight: Array

    @classmethod
    def random(cls, flows: int, links: int) -> Instance:
        """As evidence/benches/num/main.rs: capacities differ by a factor of ten, weights by four."""
        rng = np.random.default_rng(1)
        routes = np.array([rng.choice(links, 4, replace=False) for _ in range(flows)])
        entries = (np.ones(4 * flows), (routes.ravel(), np.repeat(np.arange(flows), 4)))
        capacity = 4 * flows / links * rng.uniform(0.2, 2.0, links)
        return cls(routes, csr_array(entries, shape=(links, flows)), capacity, rng.uniform(0.5, 2.0, flows))

    def residual(self, answer: Answer) -> float:
        """The largest of overload, error of the marginal utility and slackness, all relative."""
        rates, prices = answer
        spare = self.capacity - self.crosses @ rates
        overload = np.max(-spare / self.capacity)
        marginal = np.max(np.abs(1 - rates * (self.crosses.T @ prices) / self.weight))
        return float(max(overload, marginal, np.sum(prices * np.abs(spare)) / np.sum(self.weight)))


def windward(at: Instance) -> Answer:
    """The whole call from Python: the problem goes to the engine as text."""
    fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": float(weight)} for weight in at.weight]
    best = num.solve(num.wired(at.capacity, at.routes.tolist(), fair))
    return best.rates, best.prices


def clarabel(at: Instance) -> Answer:
    """CVXPY's own tolerances; its time to build the cone program counts, as a user waits for it."""
    x = cp.Variable(len(at.weight))
    fits = at.crosses @ x <= at.capacity
    problem = cp.Problem(cp.Maximize(at.weight @ cp.log(x)), [fits])
    problem.solve(solver=cp.CLARABEL, time_limit=PATIENCE_S)
    if problem.status != cp.OPTIMAL:
        raise TimeoutError(problem.status)
    return x.value, fits.dual_value


def scipy_dual(at: Instance, **options: float) -> Answer:
    """L-BFGS-B on the dual: min capacity · prices - weight · ln(prices of the routes)."""

    def dual(prices: Array) -> tuple[float, Array]:
        path = at.crosses.T @ prices
        return at.capacity @ prices - at.weight @ np.log(path), at.capacity - at.crosses @ (at.weight / path)

    start = np.full(len(at.capacity), np.sum(at.weight) / np.sum(at.capacity))
    # Prices of 0 along a whole route have no logarithm.
    bounds = [(1e-12 * start[0], None)] * len(start)
    limits = {"maxiter": 100_000, "maxfun": 100_000}
    prices = minimize(dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=limits | options).x
    return at.weight / (at.crosses.T @ prices), prices


PEERS: dict[str, Callable[[Instance], Answer]] = {
    "Windward, from Python": windward,
    "CVXPY + Clarabel": clarabel,
    "SciPy L-BFGS-B on the dual": scipy_dual,
    "the same, to its last digit": partial(scipy_dual, ftol=1e-16, gtol=1e-12),
}


def optima() -> list[str]:
    """Rows of the first table."""
    rows = []
    for flows, links, repeats in SIZES:
        at = Instance.random(flows, links)
        seconds: dict[str, list[float]] = {name: [] for name in PEERS}
        residual: dict[str, float] = {}
        for _ in range(repeats):
            for name, peer in PEERS.items():
                start = time.process_time()
                try:
                    answer = peer(at)
                except TimeoutError:
                    seconds[name].append(math.nan)
                    continue
                seconds[name].append(time.process_time() - start)
                residual[name] = at.residual(answer)
        ours = statistics.median(seconds["Windward, from Python"])
        for name in PEERS:
            median = statistics.median(seconds[name])
            took = f"{median * 1e3:.3g} ms" if median < 1 else f"{median:.3g} s"
            cells = (
                [took, f"{median / ours:.3g}", f"{residual[name]:.0e}"] if name in residual else ["stopped", "–", "–"]
            )
            rows.append(f"| {flows} × {links} | {name} | {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    return rows


def trajectory(flows: int, links: int, steps: int) -> float:
    """Steps a second of CVXPY along the fluid law of main.rs beside this file, compiled once, windows as parameters."""
    rng = np.random.default_rng(2)
    at = Instance.random(flows, links)
    base_rtt, target = rng.uniform(0.02, 0.2, flows), rng.uniform(5, 20, flows)
    window, x = cp.Parameter(flows, pos=True, value=np.ones(flows)), cp.Variable(flows)
    fits = at.crosses @ x <= at.capacity
    problem = cp.Problem(cp.Maximize(window @ cp.log(x) - base_rtt @ x), [fits])
    problem.solve(solver=cp.CLARABEL)
    start = time.process_time()
    for _ in range(steps):
        problem.solve(solver=cp.CLARABEL)
        ratio = base_rtt / (base_rtt + at.crosses.T @ fits.dual_value)
        window.value = window.value - 0.05 * ratio * (window.value - x.value * base_rtt - target)
    return steps / (time.process_time() - start)


def library() -> tuple[list[str], list[str]]:
    """The two tables of the Rust benchmark."""
    command = ["cargo", "bench", "--locked", "-p", "windward-num", "--bench", "num", "--", "--large"]
    said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line for line in said.splitlines() if line.startswith("|")]
    second = next(at for at, line in enumerate(lines) if line.startswith("| F along"))
    return lines[:second], lines[second:]


def main() -> None:
    """Measures and writes the page."""
    warnings.filterwarnings("ignore", message="Solution may be inaccurate")
    rows = optima()
    slow = [f"| {n} × {m} | {trajectory(n, m, steps):.0f} |" for n, m, steps in TRAJECTORIES]
    sizes, steps = library()
    runs = ", ".join(str(repeats) for *_, repeats in SIZES)
    page = PAGE_TEXT.format(
        cores=os.cpu_count(),
        runs=runs,
        rows="\n".join(rows),
        sizes="\n".join(sizes),
        steps="\n".join(steps),
        slow="\n".join(slow),
    )
    PAGE.write_text(page)


PAGE_TEXT = """\
# Speed of the optimum

<!-- Generated: make bench -->

Written by `python evidence/benches/num/bench.py`, a part of `make bench`, on a shared machine with {cores} cores: read
the ratios, not the seconds. Everything runs on one core. The model and its limits:
[num](../../../docs/reference/models/num.md).

## Beside CVXPY and SciPy

Proportional fairness, four links a flow, the same problem for all in one process; CPU time of a whole call, median of
{runs} runs. Windward's goes through Python and text; CVXPY's builds the cone program; tolerances are the
defaults but where the table says otherwise. The residual is the largest of overload, error of the marginal utility and
slackness, all relative, computed from rates and prices alike for all.

| flows × links | | CPU | ratio | residual |
|---|---|---|---|---|
{rows}

## The library

The solver alone, its certificate included: best of several runs (`cargo bench -p windward-num -- --large`).

{sizes}

## Windows to rates

F, re-solved at every step of the fluid law of QUIC-TCP:

{steps}

The same by CVXPY and Clarabel, compiled once with the windows as parameters:

| F along a trajectory | steps/s |
|---|---|
{slow}
"""


if __name__ == "__main__":
    main()

"""Which steps κ leave the total alone: the runs behind Fig. 7, and the bounds read off them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

from windward.theory.num import Array

from ..shared import packets
from .access_point import TOTALS_ONLY, Scheme, fast, quic_tcp, scenario, totals

#: κ of Fig. 7(a); FAST's module takes at most 4.
# fmt: off
STEPS = (.005, .007, .01, .02, .03, .05, 1.5, 2, 2.5, 3, 3.5, 4, 5)
# fmt: on
FAST_MOST = 4.0

#: κ of Fig. 7(a) in a short form: both ends, and those of which claims name the totals.
SHORT_STEPS = (0.005, 0.03, 1.5, 3, 4, 5)

#: Packets/s of the wire that all flows share.
WIRE = 3125.0

#: ρ of Fig. 7(b), and its κ as multiples of w^(2ρ-1): a step moves a window by κ w^(1-2ρ) of its distance from rest.
#: Dense where a bound lies: the lower one rises towards ρ = 0.
RHOS = (0.0, 0.25, 0.5, 0.55, 1.0)
# fmt: off
MULTIPLES = {
    0.0: (.1, .2, .4, .8, 1.5, 2.5, 3.25, 4, 5),
    0.25: (.02, .035, .07, .15, 1.5, 2.5, 3.25, 4, 5),
    0.55: (.006, .012, .02, .035, .07, 1.5, 2.5, 3.25, 4, 5),
    1.0: (.006, .012, .02, .035, .07, 1.5, 2.5, 3.25, 4, 5),
}
# fmt: on

#: w: 781 packets/s over a round trip of about a second.
WINDOW = 800.0

#: The share of the highest total from which on a step is good; and one that also lets slow starts pass.
GOOD, FAIR = 0.995, 0.975


#: Seeds of every step: bounds of single seeds differ by some per cent.
SEEDS = 1


def run(tell: Callable[[str], None], seeds: int | None = None, share: float = 1.0) -> pd.DataFrame:
    """Totals of all steps: one row for each law, ρ, κ and seed.

    Parameters
    ----------
    tell
        Takes a few words on how far it is.
    seeds
        Of each step. Default: SEEDS.
    share
        How much of the scenario's time a run takes. Below 1 fewer steps are run.
    """
    own, every = (STEPS, 1) if share == 1 else (SHORT_STEPS, 2)
    schemes: dict[tuple[str, float, float], Scheme] = {
        ("FAST", 0.5, kappa): fast(kappa) for kappa in own if kappa <= FAST_MOST
    }
    for rho in RHOS:
        steps = own if rho == 0.5 else [multiple * WINDOW ** (2 * rho - 1) for multiple in MULTIPLES[rho][::every]]
        schemes |= {("QUIC-TCP", rho, kappa): quic_tcp(rho, kappa) for kappa in steps}
    scenarios = {key: scenario(scheme, **TOTALS_ONLY) for key, scheme in schemes.items()}
    runs = packets.simulate(scenarios, tell, SEEDS if seeds is None else seeds, share)
    names = ["scheme", "rho", "kappa"]
    return totals(packets.flows(runs, tuple(names)), names)


@cache
def at_rest(law: str, rho: float, kappa: float) -> float:
    """Total by cwnd/avgRTT from 400 to 600 s, when the climb is over, in packets/s; of the first seed."""
    scheme = fast(kappa) if law == "FAST" else quic_tcp(rho, kappa)
    run = scenario(scheme, **TOTALS_ONLY, duration="600 s", warmup="400 s").simulate(seeds=1)
    return float(run.flows["mean_window_rate_pps"].sum())


def bounds(table: pd.DataFrame, metric: str, share: float) -> pd.DataFrame:
    """The least and the largest κ whose total is this share of the highest or more, for each law, ρ and seed.

    Between two κ the total is taken as linear in ln κ. Where all κ to one side are good the bound is NaN: it lies
    beyond what was run.
    """
    rows = []
    for (scheme, rho, seed), each in table.groupby(["scheme", "rho", "seed"], sort=False):
        curve = each.sort_values("kappa")
        kappas, values = np.log(curve["kappa"].to_numpy(float)), curve[metric].to_numpy(float)
        excess = values - share * values.max()
        low = _crossing(kappas, excess)
        high = -_crossing(-kappas[::-1], excess[::-1])
        rows.append({"scheme": scheme, "rho": rho, "seed": seed, "low": np.exp(low), "high": np.exp(high)})
    return pd.DataFrame(rows)


def _crossing(places: Array, excess: Array) -> float:
    """Place, from the best one down to the first, where the excess first falls below zero; NaN if it does not."""
    below = np.flatnonzero(excess[: int(excess.argmax())] < 0)
    if not len(below):
        return float("nan")
    at = int(below[-1])
    return float(np.interp(0.0, excess[at : at + 2], places[at : at + 2]))


def fit(table: pd.DataFrame, bound: str) -> tuple[float, float]:
    """Slope and intercept of the least-squares line log10 κ = aρ + b through a bound of QUIC-TCP."""
    means = table[table["scheme"] == "QUIC-TCP"].groupby("rho")[bound].mean().dropna()
    slope, intercept = np.polyfit(means.index.to_numpy(float), np.log10(means.to_numpy(float)), 1)
    return float(slope), float(intercept)

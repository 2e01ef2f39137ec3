"""Quantities that the checks read from the figures' runs."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from windward.papers import Results
from windward.results.stats import mean_and_interval

from .. import study

#: A flow is dead that gets less than this share of what the flows get on average: "does not survive".
DEAD = 0.05

MAIN = {"coding": "coded"}

#: [G] "Throughput" of all claims: payload of the packets that TCP is acknowledged, which are the innovative ones of a
#: coded flow. Goodput in order counts a block when it is decoded, and is given beside it where they differ.
RATE = "innovative_bps"


def rows(results: Results, number: str, **where: object) -> pd.DataFrame:
    """Flows of a figure's runs, coded unless said otherwise."""
    table = results.table(f"figure-{number}")
    for name, value in {**(MAIN if "coding" in table else {}), **where}.items():
        table = table[table[name] == value]
    return table


def by_flow(table: pd.DataFrame, metric: str = RATE) -> Mapping[str, pd.Series[float]]:
    """A metric of each flow by seed."""
    return {str(flow): each.set_index("seed")[metric] for flow, each in table.groupby("flow", sort=True)}


def kbps(values: pd.Series[float]) -> str:
    mean, error = mean_and_interval(values / 1e3)
    return f"{mean:.0f} ± {error:.0f}"


def flows(table: pd.DataFrame) -> str:
    return ", ".join(kbps(each) for each in by_flow(table).values())


def total(table: pd.DataFrame, metric: str = RATE) -> pd.Series[float]:
    """By seed, of all flows."""
    return table.groupby("seed")[metric].sum()


def fairness(table: pd.DataFrame) -> pd.Series[float]:
    return study.totals(table, [], RATE).set_index("seed")["jain"]


def deaths(table: pd.DataFrame) -> pd.Series[int]:
    """Number of dead flows of each seed."""
    means = table.groupby("seed")[RATE].transform("mean")
    return (table[RATE] < DEAD * means).astype(int).groupby(table["seed"]).sum()


def interval(values: pd.Series[float]) -> tuple[float, float]:
    """Ends of the 95 % confidence interval of the mean."""
    mean, error = mean_and_interval(values)
    return mean - error, mean + error


def is_above(first: pd.Series[float], second: pd.Series[float]) -> bool:
    """True if the 95 % confidence interval of first minus second, paired by seed, is above zero."""
    return interval(first - second)[0] > 0

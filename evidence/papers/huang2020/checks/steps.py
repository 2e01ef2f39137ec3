"""Claims 45 to 52: which steps κ leave the total alone, Fig. 7."""

from __future__ import annotations

import numpy as np
import pandas as pd

from windward.papers import Finding, Results, claim

from .. import reported
from ..steps import GOOD, WIRE, at_rest, bounds, fit
from .laws import shown

#: The share of the highest total below which it first begins to fall; the distance between two κ that were run
#: there, and as a share of them where they are multiples.
FIRST, GRID, STEP = 0.998, 0.5, 0.25

#: The metric that the paper's totals are taken to be of.
METRIC = "mean_window_rate_pps"


def bound(results: Results, scheme: str, rho: float, which: str, share: float = GOOD) -> pd.Series[float]:
    """A bound of κ, by seed."""
    table = bounds(results.table("figure-7"), METRIC, share)
    chosen = table[(table["scheme"] == scheme) & (table["rho"] == rho)]
    return chosen.set_index("seed")[which]


def total(results: Results, scheme: str, kappa: float, metric: str = METRIC) -> float:
    """Mean total at ρ = ½."""
    table = results.table("figure-7")
    chosen = (table["scheme"] == scheme) & (table["rho"] == 0.5) & np.isclose(table["kappa"], kappa)
    return float(table.loc[chosen, metric].mean())


def _at_rest(law: str, rho: float, good: float, low: float) -> tuple[str, bool]:
    """The totals at two κ once the climb is over, and whether the first takes nothing from it and the second does."""
    shares = [at_rest(law, rho, kappa) / WIRE for kappa in (good, low)]
    return (
        f"without the climb {shares[0]:.1%} of the wire at κ = {good:g}, {shares[1]:.0%} at {low:g}",
        shares[0] >= FIRST and shares[1] < 0.9,
    )


def _range(results: Results, scheme: str, rho: float) -> str:
    low, high = (bound(results, scheme, rho, which) for which in ("low", "high"))
    return f"{shown(low, 3)} to {shown(high, 2)}"


@claim(45)
def fast_bears_steps_up_to_two_and_a_half(results: Results) -> Finding:
    high = float(bound(results, "FAST", 0.5, "high").mean())
    first = float(bound(results, "FAST", 0.5, "high", FIRST).mean())
    lowest, is_lowest = _at_rest("FAST", 0.5, reported.FAST_STEPS[0], 0.005)
    by_goodput = total(results, "FAST", 4, "goodput_pps") / total(results, "FAST", 1.5, "goodput_pps") - 1
    by_window = total(results, "FAST", 4) / total(results, "FAST", 1.5) - 1
    return Finding(
        ours=f"99.5 % of the highest total by cwnd/avgRTT: κ = {_range(results, 'FAST', 0.5)}, 99.8 % up to "
        f"{first:.2f}; {lowest}. At κ = 4 {by_window:+.1%}, by goodput {by_goodput:+.2%}",
        holds=first - GRID <= reported.FAST_STEPS[1] <= high
        and high - first < GRID
        and by_window < -0.02
        and abs(by_goodput) < 0.002
        and is_lowest,
    )


@claim(46)
def quic_tcp_bears_longer_ones(results: Results) -> Finding:
    high = float(bound(results, "QUIC-TCP", 0.5, "high").mean())
    first = float(bound(results, "QUIC-TCP", 0.5, "high", FIRST).mean())
    lowest, is_lowest = _at_rest("QUIC-TCP", 0.5, reported.STEPS[0.5][0], 0.005)
    drops = {name: 1 - total(results, name, 4) / total(results, name, 1.5) for name in ("FAST", "QUIC-TCP")}
    return Finding(
        ours=f"κ = {_range(results, 'QUIC-TCP', 0.5)}, 99.8 % up to {first:.2f}; {lowest}; at κ = 4 QUIC-TCP "
        f"loses {drops['QUIC-TCP']:.1%}, FAST {drops['FAST']:.1%}",
        holds=first - GRID <= reported.STEPS[0.5][1] <= high
        and high > float(bound(results, "FAST", 0.5, "high").mean()) + GRID
        and drops["QUIC-TCP"] < drops["FAST"] / 2
        and is_lowest,
    )


@claim(47)
def the_factor_is_the_reason(results: Results) -> Finding:
    ratio = bound(results, "QUIC-TCP", 0.5, "high") / bound(results, "FAST", 0.5, "high")
    flows = results.table("figure-5-flows")
    quic = flows[flows["scheme"] == "QUIC-TCP"]
    factors = (quic["mean_rtt_s"] / quic["min_rtt_s"]).groupby(quic["flow"]).mean()
    printed = reported.STEPS[0.5][1] / reported.FAST_STEPS[1]
    return Finding(
        ours=f"QUIC-TCP bears {ratio.mean():.2f} times FAST's step, in the paper {printed:.2f}; d̄/d is "
        f"{factors.min():.2f} to {factors.max():.2f}",
        holds=abs(float(ratio.mean()) / float(factors.mean()) - 1) < 0.05
        and abs(float(ratio.mean()) / printed - 1) < 0.05,
    )


@claim(48)
def ranges_widen_with_rho(results: Results) -> Finding:
    table = bounds(results.table("figure-7"), METRIC, GOOD)
    low, high = fit(table, "low"), fit(table, "high")
    means = table[table["scheme"] == "QUIC-TCP"].groupby("rho")[["low", "high"]].mean()
    decades = pd.Series(np.log10(means["high"] / means["low"]), index=means.index)
    off = {
        name: float(np.abs(slope * means.index + intercept - np.log10(means[name])).max())
        for name, (slope, intercept) in (("low", low), ("high", high))
    }
    # The gain κ w^(1-2ρ) is what matters: log10 κ rises by 2 log10 w for ρ, with the windows of Fig. 5.
    windows = (
        results.table("figure-5-series").query("scheme == 'QUIC-TCP' and time_s > 0.75 * time_s.max()")["cwnd"].mean()
    )
    slope = 2 * float(np.log10(windows))
    return Finding(
        ours=f"lower bound log κ = {low[0]:.2f} ρ {low[1]:+.2f}, upper {high[0]:.2f} ρ {high[1]:+.2f}, off by "
        f"{off['low']:.2f} and {off['high']:.2f} at most; 2 log w = {slope:.2f}; decades "
        + ", ".join(f"{value:.2f}" for value in decades)
        + f" for ρ = {', '.join(f'{rho:g}' for rho in decades.index)}",
        holds=high[0] > low[0]
        and bool(decades.is_monotonic_increasing)
        and abs(float(decades.loc[1.0]) - 3) < 0.5
        and abs(high[0] / slope - 1) < 0.05
        and off["high"] < 0.1,
    )


@claim(49)
def a_little_above_a_half(results: Results) -> Finding:
    high = float(bound(results, "QUIC-TCP", 0.55, "high").mean())
    first = float(bound(results, "QUIC-TCP", 0.55, "high", FIRST).mean())
    lowest, is_lowest = _at_rest("QUIC-TCP", 0.55, reported.STEPS[0.55][0], 0.01)
    wider = (
        bounds(results.table("figure-7"), METRIC, GOOD)
        .query("scheme == 'QUIC-TCP'")
        .groupby("rho")[["low", "high"]]
        .mean()
    )
    widths = pd.Series(np.log10(wider["high"] / wider["low"]), index=wider.index)
    return Finding(
        ours=f"κ = {_range(results, 'QUIC-TCP', 0.55)}, 99.8 % up to {first:.2f}; {lowest}; decades "
        f"{widths.loc[0.55]:.2f}, at ρ = 1 {widths.loc[1.0]:.2f}",
        holds=first * (1 - STEP) <= reported.STEPS[0.55][1] <= high * (1 + STEP)
        and is_lowest
        # Not the best: ρ = 1 has the wider range.
        and widths.loc[0.55] < widths.loc[1.0],
    )


@claim(50)
def small_steps_below_a_half_and_large_ones_above(results: Results) -> Finding:
    table = bounds(results.table("figure-7"), METRIC, GOOD)
    means = table[table["scheme"] == "QUIC-TCP"].groupby("rho")[["low", "high"]].mean()
    below, above = means[means.index < 0.5], means[means.index > 0.6]
    return Finding(
        ours=f"at most {below['high'].max():.3g} for ρ ≤ {below.index.max():g}; at least {above['low'].min():.3g} for "
        f"ρ ≥ {above.index.min():g}",
        # No κ serves both sides.
        holds=below["high"].max() < above["low"].min() and bool((means.diff().dropna() > 0).all().all()),
    )

"""Claims 51 to 54: the module, the flows' times, and the scheduler's relatives (sections III-A and V-B)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Finding, claim

from ..access_point import BACKLOG, KAPPA, SCHEMES, Scheme, fast, quic_tcp, scenario

#: κ at which the module is stuck: it rounds κ p = 0.6 packets down to none.
TINY = 0.003


class LargestWeightedDelay:
    """M-LWDF in the form of Andrews et al. that takes queue lengths: argmax γ Q R, γ = 1 over what was delivered."""

    def choose(self, slot: ww.Slot) -> int | None:
        able = [at for at, station in enumerate(slot.stations) if station.backlog_packets and station.rate]

        def weight(at: int) -> float:
            station = slot.stations[at]
            return station.backlog_bits / station.average_rate * station.rate if station.average_rate else float("inf")

        return max(able, key=weight, default=None)


def as_specified(kappa: float) -> Scheme:
    """QUIC-TCP as (9) says: a step per round trip, spread over its ACKs, not rounded."""
    return Scheme(law=ww.QuicTcp(mode="paper", rho=0.5, kappa=kappa, backlog=BACKLOG))


def run(
    scheme: Scheme, scheduler: object = "queueing-delay", duration_s: float = 600, sample_interval: str | None = None
) -> ww.Run:
    """One seed, its first third not counted."""
    return scenario(
        scheme,
        scheduler,
        duration=f"{duration_s:g} s",
        warmup=f"{duration_s / 3:g} s",
        output=ww.Output(sample_interval=sample_interval),
    ).simulate(seeds=1)


def _total(found: ww.Run) -> float:
    return float(found.flows["goodput_pps"].sum())


def _windows(found: ww.Run) -> pd.DataFrame:
    """A column for each flow."""
    table: pd.DataFrame = found.flow_series.pivot(index="time_s", columns="flow", values="cwnd")
    return table


def _settled_s(found: ww.Run) -> float:
    """From when on all windows are within 5 % of where they end."""
    windows = _windows(found)
    far = (windows / windows[windows.index > 0.8 * found.duration_s].mean() - 1).abs().max(axis=1) > 0.05
    return float(windows.index[far.to_numpy()].max())


@claim(51)
def a_module_of_its_own_does_better() -> Finding:
    module, own = run(quic_tcp()), run(as_specified(KAPPA))
    stuck, moving = _total(run(quic_tcp(kappa=TINY))), _total(run(as_specified(TINY)))
    return Finding(
        ours=f"κ = 1.5: as (9) says there after {_settled_s(own):.0f} s, total {_total(own):.1f}; the module after "
        f"{_settled_s(module):.0f} s, {_total(module):.1f}. κ = {TINY:g}: {moving:.0f} and {stuck:.0f}",
        holds=abs(_total(own) / _total(module) - 1) < 1e-3
        and moving > 0.9 * _total(module)
        and stuck < 0.1 * _total(module),
    )


@claim(52)
def flows_begin_together() -> Finding:
    together = scenario(quic_tcp(), duration="600 s", warmup="200 s")
    apart = replace(together, flow=[replace(flow, start=f"{50 * at} s") for at, flow in enumerate(together.flow)])
    index, spread = {}, {}
    for name, each in (("together", together), ("50 s apart", apart)):
        found = each.simulate(seeds=1)
        index[name] = float(found.jain.mean())
        spread[name] = found.flows["goodput_pps"].max() / found.flows["goodput_pps"].min()
    return Finding(
        ours=", ".join(f"{name}: Jain {index[name]:.3f}, largest over least rate {spread[name]:.2f}" for name in index),
        holds=index["together"] > 0.997 and index["50 s apart"] < 0.97 and spread["50 s apart"] > 1.4,
    )


@claim(53)
def fast_but_for_the_factor() -> Finding:
    """Both modules go the same way until the first target, and end at the same windows."""
    ways = [_windows(run(scheme, duration_s=120, sample_interval="10 ms")) for scheme in (quic_tcp(), fast())]
    differ = (ways[0] - ways[1]).abs().max(axis=1) > 0
    first = float(ways[0].index[differ.to_numpy()].min())
    moved = float((ways[0].loc[:first].max() - ways[0].loc[:first].min()).max())
    ends = [way[way.index > 60].mean() for way in ways]
    off = float((ends[0] / ends[1] - 1).abs().max())
    return Finding(
        ours=f"windows equal to the last bit for {first:.1f} s, in which they grow by {moved:.0f} packets; their ends "
        f"within {off:.1%}",
        holds=first > 1 and moved > 2 and off < 0.05,
    )


@claim(54)
def the_scheduler_is_a_largest_weighted_delay_rule() -> Finding:
    ten, rule, head = (
        run(SCHEMES["QUIC-TCP"], scheduler, duration_s=100).flows["goodput_pps"].to_numpy()
        for scheduler in ("queueing-delay", LargestWeightedDelay, "m-lwdf")
    )
    off = float(np.abs(head / ten - 1).max())
    return Finding(
        ours=f"rates by (10) and by the rule written down apart: {'equal' if (ten == rule).all() else 'not equal'}; by "
        f"M-LWDF with the wait of the first packet {off:.1%} off",
        holds=bool((ten == rule).all()) and off < 0.1,
    )

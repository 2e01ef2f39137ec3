"""Fair shares of flows: what each should have of a network, and how far it falls short of that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windward import _engine
from windward._engines.optimum import pieces, solve
from windward.results.stats import mean_and_interval

#: Most times that a network changes whose optimum is computed.
_PIECES = 2000

#: A flow that gets nothing falls short as one that gets a millionth of what all get.
_LEAST_SHARE = 1e-6


@dataclass(frozen=True, kw_only=True)
class Fair:
    """Fair shares of a network without an attack."""

    #: By flow: the lesser of its rate in the proportionally fair optimum and of its mean goodput, in bits per second.
    shares: Mapping[str, float]
    #: Mean goodput of all flows.
    whole: float
    #: Goodput of each flow in the optimum; empty where there is none.
    best: Mapping[str, float]

    def shortfalls(self, goodputs: Mapping[str, float]) -> dict[str, float]:
        """Ratio of the fair share to the goodput of each flow, of what the network delivers to all of them."""
        delivered = math.fsum(goodputs.values())
        if not delivered > 0 or not self.whole > 0:
            return {}
        least = _LEAST_SHARE * delivered
        return {
            flow: self.shares[flow] * (delivered / self.whole) / max(rate, least)
            for flow, rate in goodputs.items()
            if flow in self.shares
        }

    def under(self, attacked: _engine.Scenario) -> Fair:
        """The fair shares of the network under an attack: what it takes from the optimum, no law can give."""
        best = best_shares(attacked)
        total, before = math.fsum(best.values()), math.fsum(self.best.values())
        if not total > 0 or not before > 0 or any(not self.best.get(flow, 0.0) > 0 for flow in self.shares):
            return self
        shares = {flow: share * min(best.get(flow, 0.0) / self.best[flow], 1.0) for flow, share in self.shares.items()}
        return Fair(shares=shares, whole=self.whole * min(total / before, 1.0), best=best)

    def shortfall(self, goodputs: Mapping[str, float]) -> float:
        """The largest of the ratios; NaN where nothing is delivered."""
        return max(self.shortfalls(goodputs).values(), default=math.nan)


def goodputs_of(flows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Goodput by flow, from rows of `flows`."""
    return {str(row["flow"]): float(row["goodput_bps"]) for row in flows}


def fair(scenario: _engine.Scenario, runs: Sequence[Mapping[str, float]]) -> Fair:
    """The fair shares of a network, from the goodputs of its runs.

    The optimum is scaled to what the runs deliver: headers, and what a law leaves idle, are no unfairness. A network
    without an optimum has the mean goodputs alone.
    """
    means = {flow: mean_and_interval([run.get(flow, 0.0) for run in runs])[0] for flow in (runs[0] if runs else {})}
    whole = math.fsum(means.values())
    best = best_shares(scenario)
    total = math.fsum(best.get(flow, 0.0) for flow in means)
    if total > 0 and all(flow in best for flow in means):
        means = {flow: min(mean, best[flow] * whole / total) for flow, mean in means.items()}
    return Fair(shares=means, whole=whole, best=best)


def best_shares(scenario: _engine.Scenario) -> dict[str, float]:
    """Mean goodput of each flow in the proportionally fair optimum of what is measured; empty if there is none."""
    try:
        found = pieces(scenario, "proportional", _PIECES)
        flows = solve(scenario, "proportional", time_s=0.0 if found else None).flows
    except _engine.NoAnswerError:
        return {}
    names = [str(flow) for flow in flows["flow"]]
    if not found:
        return dict(zip(names, map(float, flows["goodput_bps"]), strict=True))
    spans = [(piece.within(scenario.warmup_s, scenario.duration_s), piece.goodput_bps) for piece in found]
    length = math.fsum(span for span, _ in spans)
    # A piece without an optimum, such as an outage, delivers nothing.
    return {
        name: math.fsum(span * rates[at] for span, rates in spans if rates is not None) / length
        for at, name in enumerate(names)
    }

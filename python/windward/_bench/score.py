"""The score of a law on a set of networks, beside CUBIC on the same networks and seeds."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: Weight of the round-trip time beside goodput: a doubled delay costs what a goodput of 0.71 does.
WAIT_WEIGHT = 0.5

#: A network counts for no more than this, in either direction: e² times the goodput at the same round-trip time.
MOST = 2.0

#: The networks on which a law is worst, as a share of all.
WORST = 0.1

#: Draws of the bootstrap, and the quantiles of its interval.
_DRAWS = 1000
_QUANTILES = (0.025, 0.975)

#: Payload of a packet, in bits: a flow that gets nothing is taken to get one packet.
_SEGMENT = 11_584.0


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Figures of a run."""

    #: Goodput of each flow in bit/s, at least a packet in the measured time.
    goodputs: Mapping[str, float]
    #: 95th percentile of the round-trip times of each flow of the law, in seconds.
    rtts: Mapping[str, float]
    #: Lost share of the segments that flows of the law sent.
    loss: float


@dataclass(frozen=True, kw_only=True)
class Scored:
    """A law on a network, as means over seeds."""

    name: str
    family: str
    about: str
    #: Mean log ratio of the goodputs of all flows to those beside CUBIC.
    goodput: float
    #: Mean log ratio of the 95th percentiles of the round-trip times of the law's flows.
    rtt: float
    loss: float
    #: Regret of Σ log x, by flow; NaN for a network without an optimum.
    regret: float = math.nan
    #: Reason of a run that failed.
    failure: str = ""

    @property
    def score(self) -> float:
        """Score of the network: 0 for CUBIC."""
        if self.failure:
            return -MOST
        return max(-MOST, min(MOST, self.goodput - WAIT_WEIGHT * self.rtt))


def figures(flows: Mapping[str, Sequence[Any]], measured_s: float) -> Figures:
    """The figures of a run, of its table `flows`."""
    least = _SEGMENT / measured_s
    goodputs: dict[str, float] = {}
    rtts: dict[str, float] = {}
    sent = lost = 0.0
    for at, name in enumerate(flows["flow"]):
        goodputs[str(name)] = max(float(flows["goodput_bps"][at]), least)
        if str(name).startswith("own"):
            rtt = float(flows["rtt_p95_s"][at])
            # No sample after the warm-up: the flow stands still.
            rtts[str(name)] = measured_s if math.isnan(rtt) else rtt
            sent += float(flows["segments_sent"][at])
            lost += float(flows["segments_lost"][at])
    return Figures(goodputs=goodputs, rtts=rtts, loss=lost / sent if sent else 0.0)


def ratio(own: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Mean log ratio of the values of two runs."""
    return math.fsum(math.log(own[name] / other[name]) for name in own) / len(own)


def regret(found: Figures, best: Mapping[str, float]) -> float:
    """Mean over flows of log(x*/x); NaN without an optimum."""
    if not best or any(not best.get(name, 0.0) > 0 for name in found.goodputs):
        return math.nan
    return -ratio(found.goodputs, {name: best[name] for name in found.goodputs})


def mean(values: Sequence[float]) -> float:
    """The mean of the values that are numbers; NaN of none."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def combined(scores: Sequence[float]) -> float:
    """Mean score plus the mean of the worst tenth."""
    worst = sorted(scores)[: max(1, math.ceil(WORST * len(scores)))]
    return mean(scores) + mean(worst)


def interval(found: Sequence[Scored]) -> tuple[float, float]:
    """95 % interval of the combined score, over networks of the same families, by the bootstrap."""
    families: dict[str, list[float]] = {}
    for own in found:
        families.setdefault(own.family, []).append(own.score)
    if max(map(len, families.values())) == 1:
        # One network of each: they are drawn from all families.
        families = {"": [own.score for own in found]}
    draws = random.Random(1)  # noqa: S311
    means = sorted(
        combined([scores[int(draws.random() * len(scores))] for scores in families.values() for _ in scores])
        for _ in range(_DRAWS)
    )
    low, high = (means[round(share * (_DRAWS - 1))] for share in _QUANTILES)
    return low, high


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The answer about a law."""

    law: str
    set: str
    stage: int
    networks: Sequence[Scored]
    #: What a machine needs to repeat it: version, seed, digest of the set, build.
    head: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The answer as a searcher takes it."""
        scores = [own.score for own in self.networks]
        low, high = interval(self.networks)
        families = dict.fromkeys(own.family for own in self.networks)
        worst = sorted(self.networks, key=lambda own: own.score)
        return {
            **self.head,
            "law": self.law,
            "set": self.set,
            "stage": self.stage,
            "combined_score": combined(scores),
            "metrics": {
                "score": mean(scores),
                "worst_tenth": combined(scores) - mean(scores),
                "low": low,
                "high": high,
                "goodput_ratio": math.exp(mean([own.goodput for own in self.networks])),
                "rtt_ratio": math.exp(mean([own.rtt for own in self.networks])),
                "loss": mean([own.loss for own in self.networks]),
                "regret": mean([own.regret for own in self.networks]),
                "failures": sum(bool(own.failure) for own in self.networks),
                **{
                    f"score_{name}": mean([own.score for own in self.networks if own.family == name])
                    for name in families
                },
            },
            "artifacts": {
                "worst": "\n".join(said(own) for own in worst[:5]),
                "networks": [table(own) for own in self.networks],
            },
        }


def said(own: Scored) -> str:
    """A network and the law on it, as a line of text."""
    if own.failure:
        return f"{own.name} ({own.about}): {own.failure}"
    goodput, rtt = math.exp(own.goodput), math.exp(own.rtt)
    return (
        f"{own.name} ({own.about}): score {own.score:.2f}; {goodput:.2f} times CUBIC's goodput, {rtt:.2f} times its "
        f"95th percentile of the RTT, {100 * own.loss:.2f} % lost"
    )


def table(own: Scored) -> dict[str, Any]:
    """A network as a row."""
    number = None if math.isnan(own.regret) else own.regret
    return {
        "name": own.name,
        "about": own.about,
        "score": own.score,
        "goodput_ratio": math.exp(own.goodput),
        "rtt_ratio": math.exp(own.rtt),
        "loss": own.loss,
        "regret": number,
        "failure": own.failure,
    }

"""Limits that a law must keep, on networks of their own; they rank before every score.

A limit is a share of what is asked: below one it is broken, by as much as is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windward._evaluate.networks import Plain, bottleneck, flow

#: Share of the wire that is payload of full segments.
_PAYLOAD = 1448 / 1538

_RATE, _RTT = 20.0, 40.0

Flows = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit on a network."""

    name: str
    about: str
    #: The scenario, with the placeholder of the law.
    template: Plain
    #: The figure, of the table of flows, and the least that it may be.
    figure: Callable[[Flows], float]
    least: float

    def missing(self, value: float) -> float:
        """By how much a figure falls short, as a share; zero if it does not."""
        return 0.0 if value >= self.least else 1.0 if math.isnan(value) else 1.0 - value / self.least


def limits() -> list[Limit]:
    """All limits."""
    found = [
        Limit(
            name=f"cubic-{bdps:g}",
            about=f"beside CUBIC, {_RATE:g} Mbit/s, {_RTT:g} ms, {bdps:g} BDP: CUBIC's goodput over half of the link's",
            template=bottleneck(
                [flow(rate_mbit=_RATE), flow("cubic", name="cubic", rate_mbit=_RATE, start="1 s")],
                bdps=bdps,
                duration_s=40.0,
                warmup_s=10.0,
            ),
            figure=lambda flows: _goodputs(flows)["cubic"] / (_RATE * 1e6 * _PAYLOAD / 2),
            least=0.8,
        )
        for bdps in (0.5, 1, 2, 4)
    ]
    found += [
        Limit(
            name=f"jitter-{rate:g}",
            about=f"two flows, {rate:g} Mbit/s, up to 10 ms of jitter before one: the lesser goodput over the greater",
            template=_jittery(rate),
            figure=_ratio,
            least=0.5,
        )
        for rate in (1.0, 10.0, 100.0)
    ]
    found.append(
        Limit(
            name="fair",
            about=f"two flows, {_RATE:g} Mbit/s, the second 5 s later: Jain's index after 20 s",
            template=bottleneck(
                [flow(rate_mbit=_RATE), flow(name="own-1", rate_mbit=_RATE, start="5 s")],
                bdps=2,
                duration_s=40.0,
                warmup_s=25.0,
            ),
            figure=_jain,
            least=0.95,
        )
    )
    found.append(
        Limit(
            name="loss",
            about=f"four flows, {_RATE:g} Mbit/s, 0.5 BDP: the share of segments that is not lost",
            template=bottleneck(
                [flow(name=f"own-{at}", rate_mbit=_RATE) for at in range(4)], bdps=0.5, duration_s=20.0, warmup_s=5.0
            ),
            figure=_kept,
            least=0.95,
        )
    )
    found.append(
        Limit(
            name="outage",
            about=f"one flow, {_RATE:g} Mbit/s, {_RTT:g} ms, down for 1 s: goodput over the link's in 10 s from the "
            "tenth round trip after it",
            template=bottleneck(
                [flow(rate_mbit=_RATE)],
                bdps=2,
                duration_s=20.4,
                warmup_s=10.4,
                change=[
                    {"link": "core", "at": "9 s", "up": False},
                    {"link": "core", "at": "10 s", "up": True},
                ],
            ),
            figure=lambda flows: sum(_goodputs(flows).values()) / (_RATE * 1e6 * _PAYLOAD),
            least=0.7,
        )
    )
    return found


def _jittery(rate: float) -> Plain:
    plain = bottleneck(
        [flow(rate_mbit=rate) | {"from": "near"}, flow(name="own-1", rate_mbit=rate)],
        rate_mbit=rate,
        # Some packets at 1 Mbit/s, too.
        bdps=max(2.0, 40 * 12_000 / (rate * 1e3 * _RTT)),
        duration_s=30.0,
        warmup_s=10.0,
    )
    plain["node"].append({"name": "near"})
    access = {"name": "access", "from": "near", "to": "a", "rate": "1 Gbit/s", "delay": "1 ms"}
    plain["link"].append({**access, "jitter": {"model": "uniform", "max": "10 ms"}})
    return plain


def _goodputs(flows: Flows) -> dict[str, float]:
    return dict(zip(map(str, flows["flow"]), map(float, flows["goodput_bps"]), strict=True))


def _ratio(flows: Flows) -> float:
    own = _goodputs(flows).values()
    return min(own) / max(own) if max(own) > 0 else math.nan


def _jain(flows: Flows) -> float:
    own = list(_goodputs(flows).values())
    squares = math.fsum(value * value for value in own)
    return math.fsum(own) ** 2 / (len(own) * squares) if squares else math.nan


def _kept(flows: Flows) -> float:
    sent, lost = (math.fsum(map(float, flows[name])) for name in ("segments_sent", "segments_lost"))
    return 1.0 - lost / sent if sent else math.nan

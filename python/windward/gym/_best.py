"""Best rates of the flows of a scenario, from one change of the network to the next: what the regret compares with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windward import _engine

#: Most stretches of time whose optimum is computed.
MOST_PIECES = 500


@dataclass(frozen=True, kw_only=True)
class Best:
    """Best rates, and what the comparison is worth."""

    #: Beginning in seconds and rate of each flow in bit/s, 0 for one that does not send; no rates without an optimum.
    pieces: Sequence[tuple[float, list[float]]]
    #: True if no control can beat the certificate; false if that holds for means over many runs alone.
    is_exact: bool
    #: Reason for which there is none, or none in a part of the time.
    reason: str = ""


def best(scenario: _engine.Scenario) -> Best:
    """The proportionally fair rates of a scenario's flows, whenever they send."""
    flows = scenario.entities()["flows"]["flow"]
    spans = scenario.spans()
    starts, stops = list(spans["start_s"]), list(spans["stop_s"])
    plain = json.loads(scenario.to_json())
    end = scenario.duration_s
    times = sorted({0.0, *(time for time in (*scenario.changes_s(), *starts, *stops) if 0 < time < end)})
    exact = _is_exact(plain)
    if len(times) > MOST_PIECES:
        return Best(pieces=[], is_exact=exact, reason=f"the network changes {len(times)} times")
    counts = [int(entry.get("count", 1)) for entry in plain.get("flow", [])]
    if sum(counts) != len(flows):
        return Best(pieces=[], is_exact=exact, reason="some flows are parts of a transfer")
    pieces, reason, reduced = [], "", {}
    for time in times:
        active = tuple(start <= time < stop for start, stop in zip(starts, stops, strict=True))
        if not any(active):
            pieces.append((time, [0.0] * len(flows)))
            continue
        try:
            if active not in reduced:
                reduced[active] = scenario if all(active) else _without(plain, counts, active, scenario.name)
            rates = iter(reduced[active].optimum("proportional", None, None, time)["flows"]["goodput_bps"])
            pieces.append((time, [float(next(rates)) if is_active else 0.0 for is_active in active]))
        except (_engine.NoAnswerError, _engine.ScenarioError) as error:
            reason = reason or str(error).splitlines()[0]
            pieces.append((time, []))
    if not any(rates for _, rates in pieces):
        return Best(pieces=[], is_exact=exact, reason=reason)
    return Best(pieces=pieces, is_exact=exact, reason=reason)


def _without(plain: Mapping[str, Any], counts: Sequence[int], active: Sequence[bool], name: str) -> _engine.Scenario:
    """The scenario with the flows that are active."""
    flows, at = [], 0
    for entry, count in zip(plain["flow"], counts, strict=True):
        left = sum(active[at : at + count])
        at += count
        if left:
            flows.append({**entry, "count": left} if count > 1 else entry)
    return _engine.Scenario.from_json(json.dumps({**plain, "flow": flows}), name, Path())


#: Tables of a scenario in which chance decides what is delivered.
_RANDOM = ("cell", "wifi", "csma", "slotted", "region", "background", "app", "download")


def _is_exact(plain: Mapping[str, Any]) -> bool:
    """True if what links carry does not depend on chance."""
    return not any(plain.get(table) for table in _RANDOM) and all(
        link.get("loss") in (None, 0, 0.0) for link in plain.get("link", [])
    )

"""Networks of an evaluation, as scenarios of plain values; `LAW` stands for the law that is judged.

Every flow has a `host_jitter` of a packet's time at the bottleneck: without it equal packets lock in phase at drop-tail
queues, and a millisecond of round trip changes shares by a factor of up to six.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

#: Placeholder of the law that is judged.
LAW = "@law"

#: Laws that set a codepoint of ECN by themselves.
OWN_ECN = ("dctcp", "prague")

#: Options of a flow that are left out over QUIC, and those that it may have there.
_OF_HOSTS = ("host_jitter", "delayed_ack", "stack")
_OF_BOTH = {
    "name", "from", "to", "law", "count", "start", "start_step", "start_spread", "stop", "size", "write", "via",
    "return_via", "segment", "receive_window", "ecn",
}  # fmt: skip

Plain = dict[str, Any]

#: Bits of a full packet.
_PACKET = 12_000


def flow(law: Any = LAW, *, name: str = "own", rate_mbit: float = 20.0, **more: Any) -> Plain:
    """A flow over the bottleneck, with host jitter."""
    jitter_us = max(1, round(_PACKET / rate_mbit))
    return {"name": name, "from": "a", "to": "b", "law": law, "host_jitter": f"{jitter_us} us", **more}


def bdp_packets(rate_mbit: float, rtt_ms: float, times: float = 1.0) -> int:
    """Packets of a multiple of the bandwidth-delay product, at least two."""
    return max(2, round(times * rate_mbit * 1e3 * rtt_ms / _PACKET))


def bottleneck(
    flows: Sequence[Plain],
    *,
    rate_mbit: float = 20.0,
    rtt_ms: float = 40.0,
    bdps: float = 1.0,
    duration_s: float = 30.0,
    warmup_s: float = 5.0,
    link: Mapping[str, Any] | None = None,
    **more: Any,
) -> Plain:
    """One link from `a` to `b` with a buffer of so many bandwidth-delay products."""
    core = {
        "name": "core",
        "from": "a",
        "to": "b",
        "rate": f"{rate_mbit:g} Mbit/s",
        "delay": f"{rtt_ms / 2:g} ms",
        "buffer": f"{bdp_packets(rate_mbit, rtt_ms, bdps)} packets",
        **(link or {}),
    }
    return {
        "name": "evaluation",
        "duration": f"{duration_s:g} s",
        "warmup": f"{warmup_s:g} s",
        "node": [{"name": "a"}, {"name": "b"}],
        "link": [core],
        **({"flow": list(flows)} if flows else {}),
        **more,
    }


def windows(**spans: tuple[float, float]) -> Plain:
    """Windows of time with figures of their own."""
    return {"windows": [{"name": name, "from": f"{a:g} s", "to": f"{b:g} s"} for name, (a, b) in spans.items()]}


def over_quic(template: Mapping[str, Any], law_of: str | None = None) -> Mapping[str, Any]:
    """The network whose flows of the placeholder's are over QUIC, which has its hosts' jitter and ACKs of its own.

    They run the controller that the stack `law_of` has, if one is given.
    """
    transport = {"transport": "quic", **({"law_of": law_of} if law_of else {})}
    flows = [
        {**{key: value for key, value in own.items() if key not in _OF_HOSTS}, **transport}
        if own["law"] == LAW
        else own
        for own in template.get("flow", [])
    ]
    return {**template, "flow": flows} if flows else template


def fits_quic(template: Mapping[str, Any]) -> bool:
    """True if the placeholder is the law of flows alone, and these have no option that only TCP has."""
    own = [each for each in template.get("flow", []) if each["law"] == LAW]
    fits = all(set(each) - set(_OF_HOSTS) <= _OF_BOTH for each in own)
    return bool(own) and fits and json.dumps(LAW) not in json.dumps(template.get("app", []))


def with_law(template: Mapping[str, Any], law: Any) -> Plain:
    """The network with a law in the place of the placeholder."""
    found: Plain = json.loads(json.dumps(template).replace(json.dumps(LAW), json.dumps(law)))
    for app in found.get("app", []):
        # A call's law is within its video, beside what the network sets.
        if isinstance(app.get("video"), dict) and isinstance(own := app["video"].get("control"), dict):
            app["video"] = own | {key: value for key, value in app["video"].items() if key != "control"}
    if name_of(law) in OWN_ECN:
        # Their codepoint is part of the law: a classic one would change what they hear of marks.
        for own in found.get("flow", []):
            if own["law"] == law and own.get("ecn") == "classic":
                del own["ecn"]
    return found


def name_of(law: Any) -> str:
    """Name of a law as scenarios have it, of flows or of calls."""
    return str(law.get("name", law.get("control"))) if isinstance(law, Mapping) else str(law)

"""The conditions of the experiments of wang2016 section 6: links, background, senders.

The paper measured on Linux 2.6.31 behind dummynet and Linktropy. [G] What it does not state: buffers of one
bandwidth-delay product, random loss towards the receivers only, flows that begin within a second, and how long a run
takes.
"""

from __future__ import annotations

from typing import Any

import windward as ww
from windward import LawSpec

from .model import PACKET_BITS

#: What TCP carries of 1 bit/s: 1448 of 1500 bytes.
CARRIED = 1448 / 1500

#: Whether senders have SACK: not as section 6 has it, and with it.
RECOVERIES = {"NewReno": False, "SACK": True}

#: The laws of Figs. 3 to 9. FAST is the ns-2 module, on which the paper's is based (section 6); [G] it keeps 1100
#: packets, with which two flows share 1 Gbit/s, 200 ms as fast as Table 8 has it (claim 54).
LAWS: dict[str, LawSpec] = {
    "TCP-FIT": ww.TcpFit(),
    "Reno": ww.Reno(),
    "CUBIC": ww.Cubic(version="linux-2.6.31"),
    "FAST": ww.Fast(mode="ns2", alpha=1100),
    "Vegas": ww.Vegas(),
    "Westwood": ww.Westwood(),
    "Compound": ww.Compound(),
    "Hybla": ww.Hybla(),
    "TCP-FIT β = 5": ww.TcpFit(beta=5.0),
    "TCP-FIT β = 25": ww.TcpFit(beta=25.0),
}


def bdp(mbps: float, rtt_ms: float) -> float:
    """The bandwidth-delay product in packets."""
    return mbps * 1e3 * rtt_ms / PACKET_BITS


def link(
    mbps: float, rtt_ms: float, *, names: tuple[str, str] = ("a", "b"), buffer: float | None = None, **fields: Any
) -> ww.Link:
    """A link with half of the round trip each way, and a buffer of one bandwidth-delay product or so many packets."""
    there, back = names
    # Without this the way back would be as the way there.
    reverse = ww.Reverse(loss=0.0, jitter=ww.UniformJitter(max="0 s"))
    return ww.Link(
        from_=there,
        to=back,
        rate=f"{mbps:g} Mbit/s",
        delay=f"{rtt_ms / 2:g} ms",
        buffer=f"{max(20, round(bdp(mbps, rtt_ms) if buffer is None else buffer))} packets",
        reverse=reverse,
        **fields,
    )


def pulses(mbps: float, names: tuple[str, str] = ("a", "b")) -> list[ww.Background]:
    """Five sources each way: pulses of 10 ms at 2 % of the link, with exponential gaps of mean 0.1 s (section 6).

    A pulse is five datagrams, or of the largest as many as it takes.
    """
    pulse_bytes = 0.02 * mbps * 1e6 * 0.01 / 8
    pattern = ww.Pulses(rate=f"{0.02 * mbps:g} Mbit/s", length="10 ms", every="110 ms")
    there, back = names
    return [
        ww.Background(
            name=name, from_=left, to=right, count=5, pattern=pattern, packet=f"{min(1500, round(pulse_bytes / 5))} B"
        )
        for name, left, right in (("pulses-there", there, back), ("pulses-back", back, there))
    ]


def flow(name: str, law: str | LawSpec, **fields: Any) -> ww.Flow:
    """A sender as section 6 has it: without SACK and timestamps."""
    spec = LAWS[law] if isinstance(law, str) else law
    defaults = {"from_": "a", "to": "b", "sack": False, "timestamps": False, "start_spread": "1 s"}
    return ww.Flow(name=name, law=spec, **{**defaults, **fields})


def shared(
    laws: tuple[str | LawSpec, ...],
    mbps: float,
    rtt_ms: float,
    *,
    duration_s: float,
    warmup_s: float,
    has_pulses: bool = True,
    fields: dict[str, Any] | None = None,
    sample_s: float | None = None,
    **of_link: Any,
) -> ww.Scenario:
    """Flows of these laws, flow-1, flow-2, …, over one link with the background; `fields` are those of the flows."""
    return ww.Scenario(
        name="shared",
        duration=f"{duration_s:g} s",
        warmup=f"{warmup_s:g} s",
        output=ww.Output(internals=sample_s is not None, sample_interval=f"{sample_s or 1:g} s"),
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[link(mbps, rtt_ms, **of_link)],
        background=pulses(mbps) if has_pulses else [],
        flow=[flow(f"flow-{at}", law, **(fields or {})) for at, law in enumerate(laws, 1)],
    )

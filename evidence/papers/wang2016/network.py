"""The conditions of the experiments of wang2016 section 6: links, background, senders.

The paper measured on Linux 2.6.31 with its defaults, behind Linktropy up to 100 Mbit/s and dummynet above: `SENDER` and
`QUEUE_MS` are what both document. [G] What no text states: buffers of one bandwidth-delay product behind dummynet,
random loss towards the receivers only, flows that begin within a second, and how long a run takes.
"""

from __future__ import annotations

from typing import Any

import windward as ww
from windward.format import LawSpec

from .model import PACKET_BITS

#: What TCP carries of 1 bit/s: 1448 of 1500 bytes.
CARRIED = 1448 / 1500

#: Whether senders have SACK: not as section 6 has it, and with it [G], which Fig. 1's full link needs (claim 18).
RECOVERIES = {"NewReno": False, "SACK": True}

#: The defaults of Linux 2.6.31 where they differ from the RFCs' senders: its timers, quick ACKs and NewReno, which are
#: today's; an initial window of 3 (RFC 3390 at 1460 bytes); ACKs counted (Documentation/networking/ip-sysctl.txt of
#: that kernel, `tcp_abc` 0). With SACK, detection of losses by time stands for its FACK, which also finds
#: retransmissions that are lost again; compression of SACKs came with 4.18.
#: [G] Socket buffers are no limit: Fig. 3 shows windows of 10 000 packets, more than the 4 MiB of `tcp_wmem` let out.
SENDER: dict[str, Any] = {
    "stack": "linux",
    "initial_window": 3,
    "ack_counting": True,
    "receive_window": "1000000 packets",
}

#: The RFCs' sender, of a reading beside Table 9.
RFCS: dict[str, Any] = {"stack": "rfc", "initial_window": 10, "ack_counting": False}

#: Linktropy's queue by default (user's guide of the Mini2 and Mini-G, section 4.2.1).
QUEUE_MS = 250

#: dummynet's queue by default, in packets (ipfw(8), `queue`: 50 slots).
DUMMYNET = 50

#: Packets in the sending host's device queue, by default (Linux, `txqueuelen`).
DEVICE_QUEUE = 1000

#: The laws of Figs. 3 to 9. FAST is the ns-2 module, on which the paper's is based (section 6); [G] it keeps 1100
#: packets, with which a second flow comes up to the first at 1 Gbit/s, 200 ms when Table 8 has both alike (claim 54).
LAWS: dict[str, LawSpec] = {
    "TCP-FIT": ww.TcpFit(),
    "Reno": ww.Reno(),
    "CUBIC": ww.Cubic(version="linux-2.6.31", hystart=True),
    "FAST": ww.Fast(mode="ns2", alpha=1100),
    "Vegas": ww.Vegas(),
    "Westwood": ww.Westwood(),
    "Compound": ww.Compound(),
    "Hybla": ww.Hybla(),
    "TCP-FIT β = 5": ww.TcpFit(beta=5.0),
    "TCP-FIT β = 25": ww.TcpFit(beta=25.0),
    # [G] RTTmin as the least of the averages that section 6.3 names, with which N moves (claim 34): a sample is the
    # least of thousands.
    "TCP-FIT, mean base": ww.TcpFit(base="mean"),
    # [G] α at its greatest, with which Fig. 9(d) is fair (claim 41): section 5.5 does not say how RTTmax is smoothed.
    "TCP-FIT, α held": ww.TcpFit(adaptive=False),
    # [G] A clock of 4 ms (HZ = 250) that does not see shorter queueing delays.
    "TCP-FIT, 4 ms": ww.TcpFit(noise=0.004),
    "TCP-FIT β = 25, 4 ms": ww.TcpFit(beta=25.0, noise=0.004),
    # [G] Two flows' α within the device queue.
    "FAST, α = 200": ww.Fast(mode="ns2", alpha=200),
}


def bdp(mbps: float, rtt_ms: float) -> float:
    """The bandwidth-delay product in packets."""
    return mbps * 1e3 * rtt_ms / PACKET_BITS


def link(
    mbps: float, rtt_ms: float, *, names: tuple[str, str] = ("a", "b"), buffer: float | None = None, **fields: Any
) -> ww.Link:
    """A link with half of the round trip each way, and the queue of its emulator or so many packets."""
    there, back = names
    # Without this the way back would be as the way there.
    reverse = ww.format.Reverse(loss=0.0, jitter=ww.format.UniformJitter(max="0 s"))
    if buffer is None:
        buffer = bdp(mbps, QUEUE_MS if mbps <= 100 else rtt_ms)
    return ww.Link(
        from_=there,
        to=back,
        rate=f"{mbps:g} Mbit/s",
        delay=f"{rtt_ms / 2:g} ms",
        buffer=f"{max(20, round(buffer))} packets",
        reverse=reverse,
        **fields,
    )


def pulses(mbps: float, names: tuple[str, str] = ("a", "b")) -> list[ww.Background]:
    """Five sources each way: pulses of 10 ms at 2 % of the link, with exponential gaps of mean 0.1 s (section 6).

    A pulse is five datagrams, or of the largest as many as it takes.
    """
    pulse_bytes = 0.02 * mbps * 1e6 * 0.01 / 8
    pattern = ww.format.Pulses(rate=f"{0.02 * mbps:g} Mbit/s", length="10 ms", every="110 ms")
    there, back = names
    return [
        ww.Background(
            name=name, from_=left, to=right, count=5, pattern=pattern, packet=f"{min(1500, round(pulse_bytes / 5))} B"
        )
        for name, left, right in (("pulses-there", there, back), ("pulses-back", back, there))
    ]


def flow(name: str, law: str | LawSpec, **fields: Any) -> ww.Flow:
    """A sender as section 6 has it: Linux 2.6.31 without SACK and timestamps."""
    spec = LAWS[law] if isinstance(law, str) else law
    defaults = {"from_": "a", "to": "b", "sack": False, "timestamps": False, "start_spread": "1 s", **SENDER}
    chosen = {**defaults, **fields}
    return ww.Flow(name=name, law=spec, compress_sacks=False if chosen["sack"] else None, **chosen)


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
        stack="rfc",
        warmup=f"{warmup_s:g} s",
        output=ww.Output(internals=sample_s is not None, sample_interval=f"{sample_s or 1:g} s"),
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[link(mbps, rtt_ms, **of_link)],
        background=pulses(mbps) if has_pulses else [],
        flow=[flow(f"flow-{at}", law, **(fields or {})) for at, law in enumerate(laws, 1)],
    )

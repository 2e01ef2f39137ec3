"""For ns-3's Python: TCP as Windward has it."""

from __future__ import annotations

from typing import Any

from ns import ns

LAWS = {
    "newreno": "TcpNewReno",
    "linux-reno": "TcpLinuxReno",
    "cubic": "TcpCubic",
    "cubic-hystart": "TcpCubic",
    "veno": "TcpVeno",
    "hybla": "TcpHybla",
    "htcp": "TcpHtcp",
    "highspeed": "TcpHighSpeed",
    "scalable": "TcpScalable",
    "bic": "TcpBic",
    "westwood": "TcpWestwoodPlus",
    "vegas": "TcpVegas",
}


def set_defaults(defaults: dict[str, Any]) -> None:
    """Sets attributes of all that will be made."""
    for name, value in defaults.items():
        ns.Config.SetDefault(f"ns3::{name}", value)


def configure(law: str, segment: int, window: int) -> None:
    """Sets what every connection begins with; `window` is the most that may be in flight, in packets."""
    room = 2 * window * segment
    set_defaults(
        {
            "TcpL4Protocol::SocketType": ns.StringValue(f"ns3::{LAWS[law]}"),
            "TcpSocket::SegmentSize": ns.UintegerValue(segment),
            "TcpSocket::InitialCwnd": ns.UintegerValue(10),
            "TcpSocket::DelAckCount": ns.UintegerValue(2),
            "TcpSocket::DelAckTimeout": ns.StringValue("40ms"),
            "TcpSocket::SndBufSize": ns.UintegerValue(room),
            "TcpSocket::RcvBufSize": ns.UintegerValue(room),
            "TcpSocketBase::MinRto": ns.StringValue("200ms"),
            "TcpSocketBase::Sack": ns.BooleanValue(True),
            "TcpSocketBase::Timestamp": ns.BooleanValue(True),
            "TcpCubic::HyStart": ns.BooleanValue(law == "cubic-hystart"),
            # That of the paper and of Linux; ns-3's own is 50 ms.
            "TcpHybla::RRTT": ns.StringValue("25ms"),
        }
    )

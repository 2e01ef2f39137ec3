"""The paper's networks in packets: one bottleneck with random loss, and senders as ns-2 has them by default."""

from __future__ import annotations

from typing import Any

import windward as ww

#: The two ends.
NODES = [ww.Node(name="s"), ww.Node(name="r")]


def links(rate: str, delay: str, buffer: int, loss: float) -> list[ww.Link]:
    """A bottleneck with a buffer in packets, and a fast way back."""
    return [
        ww.Link(from_="s", to="r", duplex=False, rate=rate, delay=delay, buffer=f"{buffer} packets", loss=loss),
        ww.Link(from_="r", to="s", duplex=False, rate="100 Mbit/s", delay=delay),
    ]


def reno(*, packet: int = 1000, **more: Any) -> ww.Flow:
    """NewReno with packets of so many bytes, headers of 40 among them."""
    return ww.Flow(
        from_="s",
        to="r",
        law="reno",
        segment=f"{packet - 40} B",
        overhead="40 B",
        delayed_ack=False,
        sack=False,
        timestamps=False,
        **more,
    )

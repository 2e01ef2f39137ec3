"""The paper's networks in packets: one bottleneck with random loss, and senders as ns-2 has them by default."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import windward as ww

#: The two ends.
NODES = [ww.Node(name="s"), ww.Node(name="r")]


def links(rate: str, delay: str, buffer: int, loss: float, **more: Any) -> list[ww.Link]:
    """A bottleneck with a buffer in packets, which loses what it has transmitted, and a fast way back."""
    return [
        ww.Link(from_="s", to="r", duplex=False, rate=rate, delay=delay, buffer=f"{buffer} packets", loss=loss, **more),
        ww.Link(from_="r", to="s", duplex=False, rate="100 Mbit/s", delay=delay),
    ]


def lossy_before(rate: str, delay: str, buffer: int, loss: float) -> tuple[list[ww.Node], list[ww.Link]]:
    """Bottleneck whose losses come before the buffer, as with ns-2's `lossmodel`: lost packets are not transmitted."""
    nodes = [NODES[0], ww.Node(name="m"), NODES[1]]
    ahead, back = links(rate, delay, buffer, 0.0)
    air = ww.Link(from_="s", to="m", duplex=False, rate="1 Gbit/s", delay="1 us", loss=loss)
    return nodes, [air, replace(ahead, from_="m"), back]


def stepped(samples: tuple[float, ...], interval_s: float, flow: ww.Flow) -> ww.Scenario:
    """The link of 1 Mbit/s and 168 ms with a loss that steps, one value an interval.

    A cell of one station: a packet of 8000 bits a slot of 8 ms, lost with probability e^(-SNR), never repaired.
    """
    decibel = [f"{10 * math.log10(-math.log(loss)):.4f}" for loss in samples]
    return ww.Scenario(
        name="steps",
        duration=f"{len(samples) * interval_s} s",
        stack="rfc",
        output=ww.Output(sample_interval="1 s", internals=True),
        node=[ww.Node(name="s"), ww.Node(name="base"), ww.Node(name="r")],
        link=[
            ww.Link(from_="s", to="base", duplex=False, rate="100 Mbit/s", delay="1 ms"),
            ww.Link(from_="r", to="s", duplex=False, rate="100 Mbit/s", delay="80 ms"),
        ],
        cell=[
            ww.Cell(
                name="air",
                access_point="base",
                slot="8 ms",
                symbol_rate="1 Msymbol/s",
                amc=ww.format.ModesAmc(
                    packet="1000 B", modes=[ww.format.Mode(snr="-20 dB", efficiency=1.0, a=1.0, g=1.0)]
                ),
                fading=ww.format.TraceFading(interval=f"{interval_s} s", samples=[float(sample) for sample in decibel]),
                repair=ww.format.Repair(transmissions=1),
                buffer="50 packets",
                delay="75 ms",
                station=[ww.format.Station(node="r", snr="0 dB")],
            )
        ],
        flow=[flow],
    )


def reno(*, packet: int = 1000, under: ww.format.LawSpec | None = None, **more: Any) -> ww.Flow:
    """NewReno, or another law in its place, with packets of so many bytes, headers of 40 among them."""
    return ww.Flow(
        from_="s",
        to="r",
        law=under or ww.Reno(),
        segment=f"{packet - 40} B",
        overhead="40 B",
        delayed_ack=False,
        sack=False,
        timestamps=False,
        **more,
    )

"""Networks that several measurements between kernels use."""

from __future__ import annotations

from typing import Any, Literal

import windward as ww


def crowds(laws: dict[str, Any], loss: float, count: int, stack: Literal["rfc", "linux"] = "rfc") -> ww.Scenario:
    """So many flows of each law, each alone on 10 Mbit/s, 2 x 50 ms and random loss: as many repeats at once."""
    ends = {name: (f"{name}-server", f"{name}-client") for name in laws}
    return ww.Scenario(
        name="crowd",
        duration="60 s",
        warmup="10 s",
        node=[ww.Node(name=end, count=count) for pair in ends.values() for end in pair],
        link=[
            ww.Link(
                name=name,
                from_=server,
                to=client,
                rate="10 Mbit/s",
                delay="50 ms",
                buffer="83 packets",
                loss=loss,
                reverse=ww.format.Reverse(loss=0.0),
            )
            for name, (server, client) in ends.items()
        ],
        flow=[
            ww.Flow(name=name, from_=server, to=client, law=laws[name], stack=stack)
            for name, (server, client) in ends.items()
        ],
    )


def crowd(law: Any, loss: float, count: int, stack: Literal["rfc", "linux"] = "rfc") -> ww.Scenario:
    """Network of `crowds` with one law."""
    return crowds({"flow": law}, loss, count, stack)


def path(
    name: str, mbps: float, rtt_ms: float, packets: int, loss: float, reverse: ww.format.Reverse
) -> tuple[list[ww.Node], ww.Link]:
    """A link of this name with nothing else at its ends, NAME-a and NAME-b; losses are towards the latter."""
    left, right = f"{name}-a", f"{name}-b"
    link = ww.Link(
        name=name,
        from_=left,
        to=right,
        rate=f"{mbps} Mbit/s",
        delay=f"{rtt_ms / 2:g} ms",
        buffer=f"{packets} packets",
        loss=loss,
        reverse=reverse,
    )
    return [ww.Node(name=left), ww.Node(name=right)], link

"""Draws the pictures of the documentation: `make docs` runs it. The same code gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import windward as ww
from windward.plot import draw, save

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"

#: Each law as its page shows it, with the backlog of the delay laws small enough for the buffer.
LAWS: dict[str, ww.Reno | ww.Cubic | ww.Vegas | ww.Fast | ww.QuicTcp | ww.Compound] = {
    "reno": ww.Reno(),
    "cubic": ww.Cubic(),
    "vegas": ww.Vegas(),
    "fast": ww.Fast(alpha=20),
    "quic-tcp": ww.QuicTcp(backlog=20),
    "compound": ww.Compound(),
}


def alone(name: str) -> ww.Scenario:
    """Two flows of one law on 10 Mbit/s and 60 ms, with a buffer of one and a half bandwidth-delay products.

    The second starts at 20 s. Both know their base RTT, so that what is seen is the law and not its error.
    """
    return ww.Scenario(
        name=name,
        duration="60 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(name="bottleneck", from_="a", to="b", rate="10 Mbit/s", delay="30 ms", buffer="75 packets")],
        flow=[ww.Flow(name=name, from_="a", to="b", law=LAWS[name], count=2, start_step="20 s", known_base_rtt="path")],
    )


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    for name in LAWS:
        run = alone(name).simulate(seeds=1)
        save(draw(run, "windows"), PICTURES / f"{name}-windows.svg")
        save(draw(run, "queues"), PICTURES / f"{name}-queue.svg")
    run = ww.load(ROOT / "scenarios" / "headline.toml").simulate()
    save(draw(run, "rates"), PICTURES / "headline.svg")
    run = ww.load(ROOT / "scenarios" / "late-starter.toml").simulate(seeds=1)
    save(draw(run, "rates"), PICTURES / "late-starter.svg")


if __name__ == "__main__":
    main()

"""Lays Windward's queueing disciplines beside ns-3's and writes evidence/measured/validation/queues.md.

python evidence/benches/sim/validate_queues.py --ns3 .venv-ns3/bin/python
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import windward as ww

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3  # noqa: E402

PEER = Path(__file__).with_name("peer_ns3_queues.py")
PAGE = ROOT / "evidence" / "measured" / "validation" / "queues.md"
MBIT, DELAY_MS, PACKETS, SECONDS = 10, 10, 1000, 100
#: Of a packet, in seconds: ns-3's device holds one more than ours.
PACKET_S = 1500 * 8 / (MBIT * 1e6)
LOADS: list[tuple[str, tuple[float, ...] | int]] = [
    ("a stream of 11 Mbit/s", (11,)),
    ("a stream of 15 Mbit/s", (15,)),
    ("streams of 12 and 0.5 Mbit/s", (12, 0.5)),
    ("4 Reno flows", 4),
]
DISCIPLINES = {
    "red": ww.format.Red(),
    "codel": ww.format.Codel(),
    "fq-codel": ww.format.FqCodel(ecn=False),
    "pie": ww.format.Pie(),
}


def ours(queue: Any, load: tuple[float, ...] | int) -> dict[str, Any]:
    """Packets dropped, and mean delay from end to end of each stream, or of all flows together."""
    streams = load if isinstance(load, tuple) else ()
    flows = load if isinstance(load, int) else 1
    scenario = ww.Scenario(
        name="queues",
        duration=f"{SECONDS} s",
        stack="rfc",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[
            ww.Link(
                name="link",
                from_="a",
                to="b",
                rate=f"{MBIT} Mbit/s",
                delay=f"{DELAY_MS} ms",
                buffer=f"{PACKETS} packets",
                queue=queue,
                reverse=ww.format.Reverse(queue="drop-tail"),
            )
        ],
        # A scenario has a flow: beside streams one that sends nothing that counts.
        flow=[
            ww.Flow(
                from_="a",
                to="b",
                law={"name": "reno", "byte_counting": False},
                count=flows,
                start_step="70 ms",
                **({"size": "1 B"} if streams else {}),
            )
        ],
        background=[
            ww.Background(
                name=f"stream-{at}",
                from_="a",
                to="b",
                packet="1500 B",
                pattern=ww.format.Cbr(rate=f"{rate} Mbit/s"),
            )
            for at, rate in enumerate(streams)
        ],
    )
    run = scenario.simulate(seeds=1)
    link = run.links.set_index("link").loc["link"]
    if streams:
        delays = list(run.background["mean_delay_s"])
    else:
        delays = [float(link["mean_queue_delay_s"]) + PACKET_S + DELAY_MS / 1e3]
    offered = int(link["dropped"] + link["packets"])
    return {"dropped": int(link["dropped"]), "offered": offered, "delays_s": delays}


def page(rows: list[str]) -> str:
    """The page around a table's rows."""
    return f"""# Queueing disciplines beside ns-3

<!-- Generated: make validate WHAT=queues -->

A link of {MBIT} Mbit/s and {DELAY_MS} ms for {SECONDS} s in Windward and in ns-3 (the wheel from the Python package
index, driven by `evidence/benches/sim/peer_ns3_queues.py`), with the same parameters: RED from 5 to 15 packets, a
tenth, weight 0.002, gentle; CoDel and FQ-CoDel with 5 and 100 ms; PIE with 15 ms. Streams are evenly spaced datagrams
of 1500 bytes. The wait is that before the transmitter: the mean delay less propagation and transmission, and in ns-3
less one more packet, which its device holds between discipline and transmitter. One run each.

| discipline | load | dropped here | dropped in ns-3 | wait here, ms | wait in ns-3, ms |
|---|---|---|---|---|---|
{chr(10).join(rows)}

What a stream loses in the long run is what it brings too much, 1/11, 1/3 and 1/5, whatever the discipline: the wait
tells whether they are alike.

* **Streams** under RED and PIE, whose drops come from other random numbers, wait as long within 1.12 ms,
  less than a packet's transmission time. Beside a thick stream the thin one agrees within 1.8 ms.
  Under FQ-CoDel it waits for nothing on both
  sides.
* **CoDel** drops at other instants after the first few: ns-3 (as Linux) takes 1/√count by one Newton step in 16 bits,
  Windward computes it. At 15 Mbit/s the square root cannot follow, and our queue runs into its full buffer: CoDel then
  refuses at the tail, FQ-CoDel drops up to 64 packets at once.
* **Reno** is not the same on both sides: [ns-3 counts the end of a recovery twice](ns3.md#why-they-differ).
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", required=True, help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    rows = []
    for name, queue in DISCIPLINES.items():
        for what, load in LOADS:
            mine = ours(queue, load)
            kind = ("udp", ",".join(map(str, load))) if isinstance(load, tuple) else ("tcp", str(load))
            [theirs] = Ns3(python, PEER, name, MBIT, DELAY_MS, PACKETS, SECONDS, *kind).answers()
            # Of TCP the flows with data: as many as there are, and as many of ACKs behind them.
            delays = theirs["delays_s"][: len(mine["delays_s"])]
            if isinstance(load, int):
                pairs = sorted(zip(theirs["received"], theirs["delays_s"], strict=True), reverse=True)[:load]
                delays = [sum(count * delay for count, delay in pairs) / sum(count for count, _ in pairs)]
            waits = [
                " and ".join(f"{(delay - DELAY_MS / 1e3 - held * PACKET_S) * 1e3:.2f}" for delay in side)
                for side, held in ((mine["delays_s"], 1), (delays, 2))
            ]
            shares = [side["dropped"] / side["offered"] for side in (mine, theirs)]
            rows.append(f"| {name} | {what} | {shares[0]:.3%} | {shares[1]:.3%} | {waits[0]} | {waits[1]} |")
            print(rows[-1], flush=True)
    PAGE.write_text(page(rows), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

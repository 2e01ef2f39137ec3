"""Claim 57: source rates by message passing and MaxWeight by queue lengths, in packets (section II-A)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import windward as ww
from windward.papers import Finding, claim
from windward.theory.num import Array

from ..access_point import quic_tcp, scenario

#: V p in packets² a second: a queue of 400 packets along a route at 500 packets/s.
WEIGHT = 200_000.0
#: [G] Round trips of 50 ms, as in cell.toml: with the 0.88 s of access-point.toml the loop of rate, queue and message
#: is longer than a queue of 2000 packets lasts.
SHORTER = 50 / 880
#: [G] As in cell.toml: with it the air is the bottleneck, and the scheduler decides.
SYMBOL_RATE = "1 Msymbol/s"
#: Bytes of a message, and the time between messages: the step of section V-A.
MESSAGE, SLOT_MS = 32, 20
DURATION_S, WARMUP_S = 300, 100


def network(scheduler: str) -> ww.Scenario:
    """The access point with short round trips, behind a scheduler."""
    base = scenario(quic_tcp(), scheduler)
    cell = base.cell[0]
    assert isinstance(cell, ww.Cell)
    return replace(
        base,
        duration=f"{DURATION_S} s",
        warmup=f"{WARMUP_S} s",
        output=ww.Output(sample_interval="10 s"),
        cell=[replace(cell, symbol_rate=SYMBOL_RATE)],
        link=[replace(link, delay=f"{float(str(link.delay).split()[0]) * SHORTER:.3f} ms") for link in base.link],
    )


def told() -> ww.Scenario:
    """Sources with rates by the queue lengths of their routes, over the same network."""
    base = network("queue-length")
    pattern = ww.format.MessagePassing(weight=WEIGHT, slot=f"{SLOT_MS} ms", limit="10 Mbit/s", message=f"{MESSAGE} B")
    return replace(
        base,
        flow=[],
        background=[
            ww.Background(name=flow.name, from_=flow.from_, to=flow.to, pattern=pattern, packet="200 B")
            for flow in base.flow
        ],
    )


def off(rates: Array, best: Array) -> float:
    return float(np.abs(rates / best - 1).max())


@claim(57)
def told_queues_lead_to_the_optimum() -> Finding:
    base = network("queueing-delay")
    best = base.optimum("proportional").flows.set_index("flow")["rate_bps"].to_numpy() / (8 * 200)
    run, windows = told().simulate(seeds=1), base.simulate(seeds=1)
    names = [str(flow.name) for flow in base.flow]
    counted = run.background.set_index("source")
    is_message = counted.index.astype(str).str.contains("-messages-")
    rates = counted.loc[names, "received"].to_numpy(dtype=float) / (DURATION_S - WARMUP_S)
    beside = windows.flows.set_index("flow").loc[names, "goodput_pps"].to_numpy(dtype=float)
    messages = float(counted.loc[is_message, "sent"].sum()) / (DURATION_S - WARMUP_S)
    load = messages * MESSAGE / (rates.sum() * 200)
    return Finding(
        ours=f"{', '.join(f'{rate:.0f}' for rate in rates)} packets/s, within {off(rates, best):.1%} of the optimum "
        f"{', '.join(f'{rate:.0f}' for rate in best)}, with {messages:.0f} messages a second, {load:.1%} of the bytes "
        f"of the data; QUIC-TCP under (10), without messages, {', '.join(f'{rate:.0f}' for rate in beside)}, within "
        f"{off(beside, best):.1%}",
        holds=off(rates, best) < 0.07 and off(rates, beside) < 0.03 and 400 < messages < 600,
    )

"""Claims 32 to 34: nobody tells anybody anything, one line of a module, no part for the delay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Finding, claim

from ..mesh import FILE, SCHEDULERS, SCHEMES, scenario


@claim(32)
def no_messages() -> Finding:
    """Under fixed routes every frame is one that 802.11 has for a packet, and windows differ all the same."""
    run = scenario(
        SCHEMES["QUIC-TCP"], SCHEDULERS["proposed"], {"routing": "shortest"}, duration="30 s", seeds=1
    ).simulate()
    stations = run.wifi_stations[run.wifi_stations["attempts"] > 100]
    frames = {kind: int(stations[f"{kind}_frames"].sum()) for kind in ("rts", "cts", "data", "ack", "broadcast")}
    windows = stations["mean_cw"]
    return Finding(
        ours=", ".join(f"{count} {kind}" for kind, count in frames.items())
        + f"; mean windows of the stations from {windows.min():.1f} to {windows.max():.1f}",
        holds=frames["broadcast"] == 0 and min(frames["rts"], frames["ack"]) > 1000 and windows.min() < 31,
    )


@claim(33)
def fast_but_for_the_target() -> Finding:
    """Both modules go the same way over the mesh until the first target."""
    ways = []
    for name in ("QUIC-TCP", "FAST"):
        output = ww.Output(sample_interval="10 ms")
        run = scenario(SCHEMES[name], "dcf", duration="60 s", seeds=1, output=output).simulate()
        ways.append(run.flow_series.pivot(index="time_s", columns="flow", values="cwnd"))
    differ = ((ways[0] - ways[1]).abs().max(axis=1) > 0).to_numpy()
    first = float(ways[0].index[differ].min())
    before: pd.DataFrame = ways[0].loc[:first]
    moved = float((before.max() - before.min()).max())
    return Finding(
        ours=f"windows equal to the last bit for {first:.1f} s, in which they grow by {moved:.0f} packets",
        holds=first > 1 and moved > 2,
    )


@claim(34)
def delay_has_no_part() -> Finding:
    """The fluid model over the mesh, the wires of ftp2 and ftp3 ten times as long."""
    # p = 20: the queues of p = 200 make round trips of 4 s, in which windows close their gaps in thousands of seconds.
    law = ww.QuicTcp(rho=0.5, kappa=0.5, backlog=20)
    base = ww.load(FILE)
    ends = {}
    for delay in ("5 ms", "50 ms"):
        links = [replace(link, delay=delay) if link.from_ == "W5" else link for link in base.link]
        flows = [replace(flow, law=law) for flow in base.flow]
        far = replace(base, link=links, flow=flows, duration="4000 s", output=ww.Output(sample_interval="20 s"))
        run = far.fluid(loss_free=True)
        ends[delay] = run.flows["goodput_bps"].to_numpy()
    off = float(np.abs(ends["50 ms"] / ends["5 ms"] - 1).max())
    shares = ends["5 ms"] / ends["5 ms"].sum()
    return Finding(
        ours=f"rates with 50 ms and 5 ms within {off:.1e}; shares " + " ".join(f"{share:.3f}" for share in shares),
        holds=off < 1e-3,
    )

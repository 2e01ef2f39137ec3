"""The packet runs of section V, one row a seed: Fig. 7 over the loss, Figs. 8 and 9 over steps of the loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

import windward as ww

from ..shared import packets
from .network import NODES, links, lossy_before, reno, stepped

#: Losses of Fig. 7.
LOSSES = (0.02, 0.04, 0.06, 0.08)
#: RTT_min of the paper's link, in seconds.
RTT_MIN = 0.168
#: Seeds of Fig. 7, and seconds of a run.
SEEDS, DURATION_S = 4, 9000.0
#: Threshold γ, and bytes of a packet.
GAMMA, PACKET = 0.2, 1000

#: Losses of the thirds of Figs. 8 and 9, their length in seconds, and seeds.
STEPS, THIRD, STEP_SEEDS = (0.02, 0.06, 0.02), 3000, 32
#: Of each third: its last 2000 s, for a ramp takes up to 1000.
SETTLED = [(THIRD * (k + 1) - 2000, THIRD * (k + 1)) for k in range(len(STEPS))]

#: Least numbers of seeds of a short form, of Fig. 7 and of the steps: checks need a deviation.
LEAST_SEEDS, LEAST_STEP_SEEDS = 2, 3


@dataclass(frozen=True)
class Reading:
    """Choices that the text leaves open: how n is rounded, and whether a packet is lost before its transmission.

    And whether probes measure round trips (§IV-A), which the text also lets the connections do.
    """

    name: str
    rounding: Literal["floor", "nearest"] = "floor"
    is_lost_before: bool = False
    has_probes: bool = False


FLOOR = Reading("⌊n⌋")
NEAREST = Reading("n rounded", "nearest")
#: As ns-2's `lossmodel` puts the losses, before the queue.
BEFORE = Reading("n rounded, lost before the queue", "nearest", True)
PROBED = Reading("⌊n⌋, probes", has_probes=True)
PROBED_BEFORE = Reading("n rounded, lost before the queue, probes", "nearest", True, True)


def network(
    loss: float, duration: float, *, gamma: float = GAMMA, packet: int = PACKET, reading: Reading = FLOOR
) -> ww.Scenario:
    """The paper's link: 1 Mbit/s, 168 ms, a buffer of 50 kB; NewReno under E-MULTCP, `packet` in bytes."""
    path = ("1 Mbit/s", "80 ms", 50_000 // packet, loss)
    nodes, wires = lossy_before(*path) if reading.is_lost_before else (NODES, links(*path))
    controller = ww.format.Emultcp(
        tau="20 s", gamma=gamma, rounding=reading.rounding, max=16, probes=reading.has_probes
    )
    return ww.Scenario(
        name="section-5",
        duration=f"{duration} s",
        stack="rfc",
        warmup=f"{duration / 10} s",
        output=ww.Output(sample_interval="1 s", internals=True),
        node=nodes,
        link=wires,
        flow=[reno(packet=packet, connections=controller)],
    )


def cleared(duration: float) -> ww.Scenario:
    """The link whose first tenth has losses of 2 %, counted after a fifth."""
    lossy = network(LOSSES[0], duration)
    wires = [replace(lossy.link[0], name="lossy"), *lossy.link[1:]]
    change = [ww.Change(link="lossy", at=f"{duration / 10} s", loss=0)]
    return replace(lossy, warmup=f"{duration / 5} s", link=wires, change=change)


def streams(loss: float, duration: float, *, is_combined: bool) -> ww.Scenario:
    """The link under E-MULTFRC: TFRC connections side by side, or one at n times their rate (AIO-TFRC)."""
    controller = ww.format.Emultcp(tau="20 s", gamma=GAMMA, max=16, combined=is_combined)
    flow = ww.Flow(
        from_="s", to="r", law=ww.format.Tfrc(), segment=f"{PACKET - 40} B", overhead="40 B", connections=controller
    )
    return replace(network(loss, duration), name="streams", flow=[flow])


def shown(run: ww.Run, name: str) -> pd.DataFrame:
    """Values that the controllers show as `name` after the warm-up: seconds as rows, seeds as columns."""
    rows = run.internals[run.internals["name"] == name]
    table = rows.pivot(index="time_s", columns="seed", values="value")
    return table[table.index > run.warmup_s]


def counts(run: ww.Run, loss: float, packet: int) -> pd.DataFrame:
    """Throughput and loss as the link counts them, timeouts, mean RTT and n, for each seed; τ = 20 s."""
    of_seed = run.flows.groupby("seed")
    ahead = run.links[run.links["from"] == "s"]
    return pd.DataFrame(
        {
            "seed": [int(seed) for seed in run.seeds],
            # The share of the best, B(1 − p), whether or not what is lost has been transmitted.
            "throughput": of_seed["goodput_pps"].sum().to_numpy() * 8 * packet / (1e6 * (1 - loss)),
            "timeouts": (of_seed["timeouts"].sum() / of_seed["segments_sent"].sum()).to_numpy(),
            "lost": ahead["loss"].to_numpy(),
            "rtt": shown(run, "mean_rtt_s").mean().to_numpy(),
            "n": shown(run, "n").mean().to_numpy(),
            "open": shown(run, "open").max().to_numpy(),
        }
    )


def over_losses(tell: Callable[[str], None], seeds: int | None = None, share: float = 1.0) -> pd.DataFrame:
    """Fig. 7: a row for each reading, γ, packet, loss and seed; "cleared" is the run whose losses end.

    Parameters
    ----------
    tell
        Takes a few words on how far it is.
    seeds
        Of each run, at least `LEAST_SEEDS`. Default: `SEEDS`.
    share
        Share of `DURATION_S` that a run takes.
    """
    duration = DURATION_S * share
    keys = [(reading, GAMMA, PACKET, loss) for reading in (FLOOR, NEAREST, BEFORE) for loss in (0.0, *LOSSES)]
    keys += [(FLOOR, gamma, packet, loss) for gamma, packet in ((0.4, PACKET), (GAMMA, 500)) for loss in LOSSES]
    keys += [(reading, GAMMA, PACKET, loss) for reading in (PROBED, PROBED_BEFORE) for loss in LOSSES]
    scenarios = {
        (reading.name, gamma, packet, loss): network(loss, duration, gamma=gamma, packet=packet, reading=reading)
        for reading, gamma, packet, loss in keys
    }
    scenarios["cleared", GAMMA, PACKET, LOSSES[0]] = cleared(duration)
    rows = packets.take_each(
        scenarios, lambda key, run: counts(run, key[3], key[2]), tell, max(seeds or SEEDS, LEAST_SEEDS)
    )
    tables = [
        table.assign(reading=reading, gamma=gamma, packet=packet, loss=loss)
        for (reading, gamma, packet, loss), table in rows.items()
    ]
    return pd.concat(tables, ignore_index=True)


def run_steps(tau: float, seeds: int | None = None) -> ww.Run:
    """The experiment of Figs. 8 and 9 at this τ, with at least `LEAST_STEP_SEEDS`; ramps take all of its time."""
    flow = reno(connections=ww.format.Emultcp(tau=f"{tau} s", gamma=GAMMA, max=16))
    return stepped(STEPS, THIRD, flow).simulate(seeds=max(seeds or STEP_SEEDS, LEAST_STEP_SEEDS))


def ramps(run: ww.Run) -> pd.DataFrame:
    """Seconds until five connections are open at 6 %, until no more than two are at 2 %, and n around the first ramp.

    A row for each seed; `n_before` is n just before the step, `n_after` n at the end of the ramp.
    """
    n, count = shown(run, "n"), shown(run, "open")
    rows = []
    for seed in n.columns:
        opened = first(count[seed] >= 5, THIRD)
        closed = first(count[seed] <= 2, 2 * THIRD)
        ramp = {"up": opened - THIRD, "down": closed - 2 * THIRD}
        rows.append({"seed": seed, **ramp, "n_before": n[seed][THIRD], "n_after": n[seed][opened]})
    return pd.DataFrame(rows)


def first(is_there: pd.Series[bool], after_s: float) -> float:
    """The first second after `after_s` at which it is."""
    there = is_there[is_there & (is_there.index > after_s)]
    return float(there.index[0])


def thirds(run: ww.Run) -> pd.DataFrame:
    """Connections, round trip in seconds, throughput over B(1 − p), and the share lost on the air.

    A row for each third and seed.
    """
    goodput = run.flow_series.groupby(["time_s", "seed"])["goodput_bps"].sum().unstack() * 1000 / 960
    series = run.link_series.astype({"link": str})
    dropped = series[series["link"] == "base->r"].pivot(index="time_s", columns="seed", values="dropped")
    # What came to the air is what the wire before it carried.
    offered = series[series["link"] == "s->base"].pivot(index="time_s", columns="seed", values="rate_bps") / 8000
    lost = np.array([dropped.loc[end] - dropped.loc[begin] for begin, end in SETTLED])
    found = {
        "open": _means(shown(run, "open")),
        "rtt": _means(shown(run, "mean_rtt_s")),
        "throughput": _means(goodput) / (1e6 * (1 - np.array(STEPS)[:, None])),
        "loss": lost / (2000 * _means(offered)),
    }
    third, seed = np.indices(lost.shape)
    columns = {"third": third.ravel(), "seed": np.array(run.seeds)[seed.ravel()]}
    return pd.DataFrame(columns | {name: values.ravel() for name, values in found.items()})


def _means(series: pd.DataFrame) -> np.ndarray:
    """Means of each seed in each third: thirds as rows."""
    return np.array([series[(series.index > begin) & (series.index <= end)].mean() for begin, end in SETTLED])

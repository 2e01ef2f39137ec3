"""Claims 43 to 50: the choice of K, what coding does to TCP, how backlogs are told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Finding, Order, Results, claim

from ..networks import SEEDS, network
from .kept import by_flow, interval, is_above, kbps, rows, total


def at_k(results: Results, shape: str, k: str) -> pd.DataFrame:
    return rows(results, "K", shape=shape, k=k)


def trapped(results: Results, shape: str, k: str) -> pd.Series[float]:
    table = results.table("figure-K-trapped")
    return table[(table["shape"] == shape) & (table["k"] == k)].set_index("seed")["mean_trapped"]


@claim(43)
def small_k_traps_packets(results: Results) -> Finding:
    ks = ("0", "5", "20", "50")
    stuck = {k: trapped(results, "tree", k) for k in ks}
    rate = {k: by_flow(at_k(results, "tree", k))["flow2"] for k in ks}
    return Finding(
        ours="; ".join(f"K = {k}: {stuck[k].mean():.1f} trapped, flow 2 {kbps(rate[k])} kbit/s" for k in ks),
        holds=is_above(stuck["0"], stuck["50"]),
    )


@claim(53)
def small_k_costs_rate(results: Results) -> Finding:
    rate = {k: by_flow(at_k(results, "tree", k))["flow2"] for k in ("0", "50")}
    low, high = interval(1 - rate["0"] / rate["50"])
    return Finding(
        ours=f"flow 2 has {kbps(rate['0'])} kbit/s at K = 0, {kbps(rate['50'])} at 50: it loses {low:+.0%} to "
        f"{high:+.0%}",
        holds=True,
        scatter=Order(low=low, high=high),
    )


@claim(44)
def large_k_loses_the_gain(results: Results) -> Finding:
    ks = ("5", "20", "50", "100", "400")
    rate = {k: total(at_k(results, "diamond", k)) for k in ks}
    return Finding(
        ours="totals " + ", ".join(f"{kbps(rate[k])} at K = {k}" for k in ks) + " kbit/s",
        holds=not is_above(rate["50"], rate["400"]),
    )


@claim(45)
def the_shared_k_traps_few(results: Results) -> Finding:
    found = {shape: (trapped(results, shape, "shared"), trapped(results, shape, "0")) for shape in ("tree", "diamond")}
    return Finding(
        ours="; ".join(
            f"{shape}: {few.mean():.2f} packets, {many.mean():.2f} with K = 0" for shape, (few, many) in found.items()
        ),
        # Very few: less than one of a hundred packets of buffer.
        holds=all(is_above(many, few) and few.mean() < 1 for few, many in found.values()),
    )


@claim(46)
def coding_masks_loss_and_reordering() -> Finding:
    def pair(**fields: Any) -> tuple[list[ww.Run], list[float]]:
        """Plain and coded, and the deviation of their round trips over the mean."""
        runs = [
            network("diamond", "TCP-aware, loop-free", coding=coding, **fields).simulate(seeds=3)
            for coding in (False, True)
        ]
        late = [run.flow_series[run.flow_series["time_s"] > 10] for run in runs]
        trips = [series.groupby(["seed", "flow"], observed=True)["rtt_ms"] for series in late]
        return runs, [float((each.std() / each.mean()).mean()) for each in trips]

    free, swing = pair()
    # Without coding windows stay small and queues short: round trips compare at equal windows alone.
    held, jitter = pair(receive_window="20 packets")
    again, equal = (
        [float(run.flows["retransmits"].sum() / run.flows["segments_sent"].sum()) for run in runs]
        for runs in (free, held)
    )
    return Finding(
        ours=f"TCP sends {again[0]:.2%} of its segments again plain, {again[1]:.2%} coded; with windows of 20 packets "
        f"{equal[0]:.2%} and {equal[1]:.2%}. The deviation of its round trips is {jitter[0]:.2f} and {jitter[1]:.2f} "
        f"of their mean then, with free windows {swing[0]:.2f} and {swing[1]:.2f}",
        # Overflows at the source, which only free windows cause, are not masked.
        holds=equal[1] < 0.01 * equal[0] and again[1] < again[0] and jitter[1] < 0.5 * jitter[0],
    )


@claim(47)
def trapped_packets_time_out_even_coded(results: Results) -> Finding:
    often, each = {}, {}
    for k in ("0", "shared"):
        own = at_k(results, "tree", k)
        own = own[own["flow"] == "flow2"]
        own = own.set_index("seed")
        each[k] = 1e3 * own["timeouts"] / own["segments_sent"]
        often[k] = float(each[k].mean())
        often[f"least {k}"] = float(own["timeouts"].min())
    return Finding(
        ours=f"timeouts in 1000 segments of flow 2 in the tree, coded: {often['0']:.1f} with K = 0 "
        f"({trapped(results, 'tree', '0').mean():.1f} trapped), {often['shared']:.1f} with K = B/|S|; "
        f"at least {often['least 0']:.0f} in every seed",
        holds=is_above(each["0"], each["shared"]) and often["least 0"] >= 2,
    )


@claim(48)
def tcp_is_not_modified() -> Finding:
    # The layer's header, 8 B and a coefficient for each packet of a block, is given to the plain flow as overhead.
    block, runs = 16, []
    for coding, overhead in ((ww.format.RandomCoding(block=f"{block} packets"), 40), (None, 40 + 8 + block)):
        flow = ww.Flow(
            name="flow", from_="a", to="b", law=ww.Reno(byte_counting=False), delayed_ack=False, segment="960 B",
            overhead=f"{overhead} B", coding=coding,
        )  # fmt: skip
        link = ww.Link(
            from_="a",
            to="b",
            rate="2 Mbit/s",
            delay="20 ms",
            buffer="50 packets",
            reverse=ww.format.Reverse(rate="1 Gbit/s"),
        )
        scenario = ww.Scenario(
            name="wire",
            duration="60 s",
            stack="rfc",
            node=[ww.Node(name="a"), ww.Node(name="b")],
            link=[link],
            flow=[flow],
        )
        runs.append(scenario.simulate(seeds=1))
    coded, plain = (run.flow_series.set_index("time_s")["cwnd"].dropna() for run in runs)
    apart = float(np.abs(coded - plain).mean() / plain.mean())
    again = [int(run.flows["retransmits"].iloc[0]) for run in runs]
    return Finding(
        ours=f"over a wire with a full queue a coded flow's window is {apart:.1%} off a plain one's on average, "
        f"retransmissions {again[0]} and {again[1]}",
        holds=apart < 0.1 and min(again) > 0 and abs(again[0] - again[1]) <= 0.2 * again[1],
    )


@claim(49)
def backlogs_ride_on_data() -> Finding:
    # The tree with both flows on: A and C send data, of which every frame tells the queues of both flows.
    base = network("tree", coding=False)
    run = replace(base, output=ww.Output(air=ww.format.AirSpan(from_="20 s", length="20 s"))).simulate(seeds=1)
    # Packets that carry a segment; those of 40 B, which A sends now and then, have no room for 1000.
    frames = run.air[(run.air["kind"] == "data") & (run.air["bytes"] > 1000)]
    by_a = set(frames.loc[(frames["from"] == "A"), "bytes"])
    air = run.wifi_stations.set_index("node")
    counts = air[["data_frames", "broadcast_frames"]].astype(int)
    told = {node: tuple(counts.loc[node]) for node in ("A", "C")}
    # Beside 1000 B of packet 34 of the MAC, as in ns-2, and 2 for each of two flows.
    headers = {size - 1000 for size in by_a}
    return Finding(
        ours=f"data frames of A have {', '.join(map(str, sorted(headers)))} B beside the packet; A sent "
        f"{told['A'][0]} data frames and {told['A'][1]} reports of their own, C {told['C'][0]} and {told['C'][1]}",
        holds=headers == {34 + 2 * 2} and told["A"][1] < 0.02 * told["A"][0],
    )


@claim(50)
def ten_seeds_of_200_s(results: Results) -> Finding:
    counts = {
        number: (rows(results, number)["seed"].nunique(), len(rows(results, number)))
        for number in ("6", "7", "8", "10", "11", "12", "13")
    }
    sums = rows(results, "8", of="attempts", system="TCP-aware").groupby(["loss", "seed"])["goodput_bps"].sum()
    spread = sums.groupby("loss").std() / sums.groupby("loss").mean()
    width = 2.262 * spread / np.sqrt(SEEDS)
    return Finding(
        ours=f"{min(count for count, _ in counts.values())} seeds in every figure; the total of Fig. 8 varies by "
        f"{spread.min():.0%} to {spread.max():.0%} from seed to seed, its mean is known to {width.max():.0%} or better",
        holds=all(count == SEEDS for count, _ in counts.values()) and network("tree").duration == "200 s",
    )

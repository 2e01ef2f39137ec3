"""Claims 5 to 8 and 13: what the rule chooses from given queues.

Slots of a second: what comes in the first are the queues, what is sent in the second is the choice, and the run ends in
the third, of which nothing is counted yet.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Literal

import numpy as np

import windward as ww
from windward.papers import Finding, claim

from ..slotted import PLACES, at_once, network

FLOWS = (("A", "B"), ("A", "C"))
SEEDS = 200


def first_slot(queues: tuple[int, int], k: str | Literal[0], buffer: int = 10_000_000) -> ww.Run:
    """The star of Example 2 with so many packets of the two flows, over the seeds."""
    sources = [at_once(ends, packets) for ends, packets in zip(FLOWS, queues, strict=True)]
    chosen = network("star", k, buffer=buffer, slot="1 s", duration="2.5 s", background=sources)
    return chosen.simulate(seeds=SEEDS)


def served(run: ww.Run) -> tuple[int, int]:
    """In how many seeds each flow was served."""
    sent = run.shares.groupby("link")["packets"].sum()
    first, second = (int(sent.get(f"{a}->{b}", 0)) for a, b in FLOWS)
    return first, second


def is_even(counts: tuple[int, int]) -> bool:
    """Within five standard deviations of fair coins."""
    return bool(sum(counts) == SEEDS and abs(counts[0] - SEEDS / 2) < 5 * np.sqrt(SEEDS) / 2)


@claim(5)
def short_queues_have_equal_chances() -> Finding:
    counts, classical = served(first_slot((1, 3), "10 packets")), served(first_slot((1, 3), 0))
    return Finding(
        ours=f"queues of 1 and 3 with K = 10: served {counts[0]} and {counts[1]} times of {SEEDS}; with K = 0 "
        f"{classical[0]} and {classical[1]}",
        holds=is_even(counts) and classical == (0, SEEDS),
    )


@claim(6)
def a_queue_above_k_goes_first() -> Finding:
    counts = served(first_slot((7, 12), "10 packets"))
    return Finding(
        ours=f"queues of 7 and 12 with K = 10: served {counts[0]} and {counts[1]} times of {SEEDS}",
        holds=counts == (0, SEEDS),
    )


@claim(7)
def the_buffer_overflows_from_the_longer_queue() -> Finding:
    # 19 packets fit into 20, three more do not: two have to go.
    fits, over = first_slot((7, 12), "10 packets", buffer=20), first_slot((7, 15), "10 packets", buffer=20)
    dropped = over.backlogs.groupby("flow")["dropped"].sum() / SEEDS
    short, long = (float(dropped.get(f"{a}->{b}", 0)) for a, b in FLOWS)
    # Once the second flow has backed off the first is served: 7 against 3, both below K, and 7 against nothing.
    backed_off, alone = served(first_slot((7, 3), "10 packets")), served(first_slot((12, 7), "10 packets"))
    return Finding(
        ours=f"7 + 12 packets in a buffer of 20: {fits.backlogs['dropped'].sum()} dropped; 7 + 15: {short:.0f} of the "
        f"first flow and {long:.0f} of the second; with 7 and 3 left the first is served in {backed_off[0]} of {SEEDS}",
        holds=bool(fits.backlogs["dropped"].sum() == 0 and (short, long) == (0, 2))
        and is_even(backed_off)
        and alone == (SEEDS, 0),
    )


@claim(8)
def k_is_the_buffer_over_the_flows() -> Finding:
    # Two flows: K = 10 with 20 packets, K = 20 with 40. Queues of at most K count alike, one above goes first.
    below = {buffer: served(first_slot((1, buffer // 2 - 1), "shared", buffer)) for buffer in (20, 40)}
    above = {buffer: served(first_slot((1, buffer // 2 + 1), "shared", buffer)) for buffer in (20, 40)}
    return Finding(
        ours=f"queues of 1 and B/2 - 1 with B = 20, 40: the first is served {below[20][0]}, {below[40][0]} times of "
        f"{SEEDS}; of 1 and B/2 + 1 {above[20][0]}, {above[40][0]} times",
        holds=all(map(is_even, below.values())) and all(counts == (0, SEEDS) for counts in above.values()),
    )


@claim(13)
def inequality_7_holds_in_every_slot() -> Finding:
    rng = np.random.default_rng(7)
    flows = (("A", "D"), ("B", "D"), ("C", "A"))
    worst, count = np.inf, 0
    for shape, k in itertools.product(("diamond", "line"), (0, 3, 10, 30)):
        for state in range(12):
            queues = {ends: int(rng.integers(1, 5) if rng.random() < 0.5 else rng.integers(1, 40)) for ends in flows}
            margin, _ = _margin(shape, k, queues, seed=state)
            worst, count = min(worst, margin), count + 1
    # Where it gives most away: queues of 1 and K at one station, of which it serves either.
    lost = []
    for k, seed in itertools.product((10, 30), range(4)):
        margin, term = _margin("star", k, dict(zip(FLOWS, (1, k), strict=True)), seed)
        worst, count = min(worst, margin), count + 1
        lost.append(1 - margin / term)
    return Finding(
        ours=f"over {count} states the left side exceeds the right by at least {worst:.0f}; queues of 1 and K lose up "
        f"to {max(lost):.3f} of |L||S| K F_max",
        # The loss of one link, K - 1, over 4 links and 2 flows.
        holds=bool(worst >= 0 and abs(max(lost) - 29 / 240) < 1e-9),
    )


def _margin(shape: str, k: int, queue: Mapping[tuple[str, str], int], seed: int) -> tuple[float, int]:
    """Σ (U_i - U_j) f - max over f* of Σ (U_i - U_j) f* + |L||S| K F_max, of the engine's f; and that last term."""
    names = sorted(PLACES[shape])
    run = network(
        shape,
        f"{k} packets" if k else 0,
        slot="1 s",
        links="all",
        duration="2.5 s",
        background=[at_once(ends, packets) for ends, packets in queue.items()],
    ).simulate(seeds=[seed])
    links = [(a, b) for a, b in run.links[["from", "to"]].itertuples(index=False)]
    assert set(names) == {name for ends in links for name in ends}

    def slope(link: tuple[str, str], flow: tuple[str, str]) -> int:
        """U_i - U_j; packets wait at their sources only."""
        here, there = (queue[flow] if node == flow[0] else 0 for node in link)
        return 0 if link[0] == flow[1] else here - there

    sent = run.shares[run.shares["packets"] > 0]
    chosen = [
        (tuple(link.split("->")), tuple(flow.split("->")))
        for link, flow in zip(sent["link"], sent["flow"], strict=True)
    ]
    ours = sum(slope(link, flow) for link, flow in chosen)
    best = max(
        sum(max(0, *(slope(link, flow) for flow in queue)) for link in active)
        for size in range(3)
        for active in itertools.combinations(links, size)
        if len({node for link in active for node in link}) == 2 * size
    )
    term = len(links) * len(queue) * k
    return ours - best + term, term

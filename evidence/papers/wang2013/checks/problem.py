"""Claims 1 to 7: ideal CSMA, problem (2) and its classic solution (section II)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np

import windward as ww
from windward.papers import Finding, claim
from windward.theory import num
from windward.theory.num import Array

from ...shared.quic_tcp import Case
from ..graphs import at_rest, chain, product_form, random_case, random_region, sets
from ..messages import (
    DURATION_S,
    FLOWS,
    LINKS,
    SLOTS_MS,
    WARMUP_S,
    hops,
    messages,
    optimum,
    rates as line_rates,
    scenario,
    told_queues,
    used_links,
)

SEEDS = range(8)
#: Metres within which stations of claim 2 sense each other.
SENSE = 350


def coupling(case: Case) -> tuple[np.ndarray, num.Csma]:
    """The links of the air as indices, and their region."""
    (only,) = case.network.get("couplings", ())
    region = only["region"]
    assert region["kind"] == "csma"
    return np.asarray(only["links"], dtype=int), region


@claim(1)
def the_product_form_is_stationary() -> Finding:
    balance = solved = form = 0.0
    for seed in SEEDS:
        luck = np.random.default_rng(seed)
        region = random_region(luck, 6)
        # The engine's prices are not negative, and neither is ρ = b q.
        aggressiveness = luck.uniform(0, 4, 6)
        b = np.asarray(region["rates"])
        generator = chain(region, b * np.exp(aggressiveness))
        u = num.stationary(region, aggressiveness / b)
        form = max(form, float(np.abs(u - product_form(region, aggressiveness)).max()))
        flow = u[:, None] * generator
        balance = max(balance, float(np.abs(flow - flow.T).max() / np.abs(flow).max()))
        solved = max(solved, float(np.abs(at_rest(generator) - u).max()))
    return Finding(
        ours=f"8 graphs: the engine's distribution has detailed balance to {balance:.0e} and is (1) to {form:.0e}; the "
        f"chain's own {solved:.0e} off",
        holds=balance < 1e-12 and form < 1e-12 and solved < 1e-9,
    )


def _saturated(seed: int, links: int) -> tuple[ww.Scenario, float, list[tuple[int, int]]]:
    """Links of ideal CSMA at random places that always have packets; their aggressiveness and their conflicts."""
    luck = np.random.default_rng(10 + seed)
    at = luck.uniform(0, 700, (links, 2))
    # Links in conflict are those with ends in carrier-sense range of each other; a link is 1 m long.
    ends = {"s": at, "r": at + np.array([0.0, 1.0])}
    conflicts = [
        (a, b)
        for a, b in combinations(range(links), 2)
        if min(np.hypot(*(one[a] - other[b])) for one in ends.values() for other in ends.values()) < SENSE
    ]
    rates = luck.choice(["1 Mbit/s", "2 Mbit/s", "5.5 Mbit/s", "11 Mbit/s"], links)
    aggressiveness = float(luck.uniform(0.5, 2))
    air = ww.Wifi(
        name="air",
        standard="802.11b",
        access=ww.format.IdealAccess(aggressiveness=aggressiveness),
        reach=ww.format.WifiReach(receive="2 m", sense=f"{SENSE} m"),
        routing="shortest",
        station=[
            ww.format.WifiStation(
                node=f"{end}{link}", at=[f"{axis:.6f} m" for axis in places[link]], data_rate=str(rates[link])
            )
            for link in range(links)
            for end, places in ends.items()
        ],
    )
    scenario = ww.Scenario(
        name="ideal-csma",
        duration="200 s",
        stack="rfc",
        output=ww.Output(sample_interval="100 s"),
        node=[ww.Node(name=station.node) for station in air.station],
        wifi=[air],
        background=[
            ww.Background(
                name=f"d{link}",
                from_=f"s{link}",
                to=f"r{link}",
                pattern=ww.format.Cbr(rate="20 Mbit/s"),
                packet="1000 B",
            )
            for link in range(links)
        ],
    )
    return scenario, aggressiveness, conflicts


@claim(2)
def throughput_is_the_share_of_time() -> Finding:
    """Packets that arrive over each link of the engine's ideal CSMA, against b times the share of time of (1)."""
    worst, fewest, edges = 0.0, np.inf, []
    for seed in range(3):
        scenario, aggressiveness, conflicts = _saturated(seed, 4)
        run = scenario.simulate(seeds=1)
        received = run.background["received"].to_numpy()
        air = run.csma_links[run.csma_links["activations"] > 0]
        b = 1e6 / air["mean_holding_us"].to_numpy()
        region: num.Csma = {"kind": "csma", "rates": b, "conflicts": conflicts, "entropy": 1.0}
        rates = b * (product_form(region, np.full(len(b), aggressiveness)) @ sets(region))
        worst = max(worst, float(np.abs(received / 200 / rates - 1).max()))
        fewest = min(fewest, int(received.min()))
        edges.append(len(conflicts))
    return Finding(
        ours=f"3 networks of 4 links with {', '.join(map(str, edges))} conflicts: packets a second within {worst:.1%} "
        f"of b Σ u r, {fewest} or more of each link",
        holds=worst < 0.03,
    )


def _best(case: Case, entropy: float, scale: float) -> tuple[float, int, float]:
    """Sum of p ln x at the optimum with this weight of the entropy, the number of sets, and the violation of (7).

    That is what the air serves in the distribution of (7), of this weight, beyond its loads: in prices, of all p.
    """
    links, region = coupling(case)
    network: num.Network = {
        "links": case.network["links"],
        "couplings": [{"links": links, "region": {**region, "entropy": entropy}}],
        "routes": case.network["routes"],
    }
    fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": float(scale * p)} for p in case.backlog]
    best = num.solve({"network": network, "utilities": fair})
    off = np.nan
    if entropy > 0:
        b = np.asarray(region["rates"])
        served = b * (product_form(region, b * best.prices[links] / entropy) @ sets(region))
        over = best.prices[links] * (served - (case.incidence @ best.rates)[links])
        off = float(np.abs(over).max() / (scale * case.backlog.sum()))
    return float(scale * case.backlog @ np.log(best.rates)), len(sets(region)), off


@claim(3)
def entropy_costs_little() -> Finding:
    worst, least = 0.0, np.inf
    gaps, apart = [], 0.0
    for seed in SEEDS:
        case = random_case(seed)
        row = []
        for scale in (0.1, 1.0, 10.0, 100.0):
            (without, count, _), (with_it, _, off) = _best(case, 0.0, scale), _best(case, 1.0, scale)
            # The bound leaves room for another weight of the entropy; the distribution of (7) does not. Beyond
            # p = 10 its exponents are hundreds.
            apart = max(apart, off) if scale <= 1 else apart
            gap = without - with_it
            worst, least = max(worst, gap / np.log(count)), min(least, gap)
            row.append(gap / (scale * case.backlog.sum()))
        gaps.append(row)
    means = np.mean(gaps, axis=0)
    return Finding(
        ours=f"32 optima: the gap of Σ p ln x is {least:.0e} to {worst:.2f} times ln(I+1); relative to Σ p it falls "
        f"from {means[0]:.0e} at p = 0.1 … 1 to {means[-1]:.0e} at p = 100 … 1000; (7) with the entropy weighed once "
        f"serves the loads of the air to {apart:.0e}",
        holds=least > -1e-6 and 0.1 < worst < 1 and bool((np.diff(means) < 0).all()) and apart < 1e-8,
    )


def worst_kkt(case: Case, rates: Array, prices: Array, u: Array) -> float:
    """The largest relative violation of (3) to (7)."""
    links, region = coupling(case)
    b, states = np.asarray(region["rates"]), sets(region)
    capacity = np.array([link["wired"] if link != "wireless" else np.nan for link in case.network["links"]])
    capacity[links] = b * (u @ states)
    load = case.incidence @ rates
    return float(
        max(
            np.abs(case.incidence.T @ prices * rates / case.backlog - 1).max(),  # (3)
            np.abs(prices * (capacity - load)).max() / case.backlog.sum(),  # (4), (5)
            ((load - capacity) / capacity).max(),
            -prices.min() * capacity.max() / case.backlog.sum(),
            np.abs(product_form(region, b * prices[links]) - u).max(),  # (6), (7)
        )
    )


@claim(4)
def kkt_conditions() -> Finding:
    conic = ours = apart = 0.0
    for seed in SEEDS:
        case = random_case(seed)
        fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": float(p)} for p in case.backlog]
        reference = num.solve_reference({"network": case.network, "utilities": fair})
        best = case.best()
        conic = max(conic, worst_kkt(case, reference.rates, reference.prices, _mixture(reference)))
        ours = max(ours, worst_kkt(case, best.rates, best.prices, _mixture(best)))
        apart = max(apart, float(np.abs(reference.rates / best.rates - 1).max()))
    return Finding(
        ours=f"8 networks: Clarabel's optimum fulfils (3)-(7) to {conic:.0e}, the interior method's to {ours:.0e}; "
        f"their rates differ by {apart:.0e}",
        holds=conic < 1e-4 and ours < 1e-8 and apart < 1e-5,
    )


def _mixture(solution: num.Solution) -> Array:
    (mixture,) = solution.mixtures
    return np.asarray(mixture["probabilities"])


@claim(5)
def the_subgradient_iteration_converges() -> Finding:
    worst = 0.0
    for seed in SEEDS:
        case = random_case(seed)
        best = case.best()
        fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": float(p)} for p in case.backlog]
        scale = best.prices.max()
        for start in (0.01, 1.0, 100.0):
            found, _ = num.subgradient(
                {"network": case.network, "utilities": fair},
                first=0.02 * scale / best.link_rates.max(),
                iterations=200_000,
                price=start * scale,
            )
            worst = max(worst, float(np.abs(found.rates / best.rates - 1).max()))
    return Finding(
        ours=f"8 networks, prices from a hundredth to a hundred times the largest: x within {worst:.0e}",
        holds=worst < 1e-3,
    )


@claim(6)
def queues_are_the_iteration() -> Finding:
    """Queues Q with x = p/(ε Σ Q) and aggressiveness ε b Q, stepped here, against the library's iteration on prices."""
    worst = moved = 0.0
    for seed in SEEDS:
        case = random_case(seed)
        links, region = coupling(case)
        b, states = np.asarray(region["rates"]), sets(region)
        fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": float(p)} for p in case.backlog]
        epsilon, price = 1e-6, 0.05
        _, trace = num.subgradient(
            {"network": case.network, "utilities": fair}, first=epsilon, iterations=2000, price=price
        )
        capacity = np.array([link["wired"] if link != "wireless" else 0.0 for link in case.network["links"]])
        queue = np.full(len(capacity), price / epsilon)
        for row in trace:
            along = case.incidence.T @ queue
            rates = case.backlog / (epsilon * along)
            worst = max(worst, float(np.abs(rates / row - 1).max()))
            capacity[links] = b * (product_form(region, epsilon * b * queue[links]) @ states)
            queue = np.maximum(queue + case.incidence @ rates - capacity, 0)
        # What a source must be told: a packet more in the queue of the last hop of flow 0 changes its rate.
        far = case.network["routes"][0][-1]
        queue[far] += 0.01 * queue[far] + 1
        moved = max(moved, float(abs(case.backlog[0] / (epsilon * (case.incidence.T @ queue)[0]) / rates[0] - 1)))
    told = {slot: line("link-based", slot) for slot in SLOTS_MS}
    best = line_best("link-based")
    off = {slot: float(np.abs(line_rates(run) / best - 1).max()) for slot, run in told.items()}
    # A message of each hop but the first, in each slot.
    wanted = {slot: sum(hops(flow) - 1 for flow in FLOWS) * 1e3 / slot * (DURATION_S - WARMUP_S) for slot in SLOTS_MS}
    sent = {slot: int(messages(run)["sent"].sum()) for slot, run in told.items()}
    total = {slot: float(line_rates(run).sum()) for slot, run in told.items()}
    often, seldom, late = SLOTS_MS
    return Finding(
        ours=f"8 networks, 2000 steps: rates of both agree to {worst:.0e}; a queue hops away moves a source by "
        f"{moved:.1%}. In packets over a line of four stations: with messages each {seldom} ms "
        f"{', '.join(f'{rate:.0f}' for rate in line_rates(told[seldom]))} packets/s, within {off[seldom]:.1%} of the "
        f"optimum {', '.join(f'{rate:.0f}' for rate in best)}. Of its total messages each {often} ms take "
        f"{1 - total[often] / best.sum():.1%}, each {seldom} ms {1 - total[seldom] / best.sum():.1%}; each {late} ms "
        f"they come too late, {off[late]:.0%} off. QUIC-TCP over the same air has "
        f"{', '.join(f'{rate:.0f}' for rate in line_rates(line('QUIC-TCP')))}",
        holds=worst < 1e-9
        and moved > 1e-4
        and all(abs(sent[slot] / wanted[slot] - 1) < 0.01 for slot in SLOTS_MS)
        and off[seldom] < 0.07
        and 0.07 < 1 - total[often] / best.sum() < 0.12
        and off[late] > 0.15,
    )


@cache
def line(scheme: str, slot_ms: int = SLOTS_MS[0]) -> ww.Run:
    """A scheme of section II-C over the line, in packets."""
    return scenario(scheme, slot_ms).simulate(seeds=1)


@cache
def told_line(slot_ms: int) -> ww.Run:
    """Reference 10's scheme with its messages."""
    silent = scenario("node-based", slot_ms)
    return replace(silent, background=[*silent.background, *told_queues(slot_ms)]).simulate(seeds=1)


def line_best(scheme: str) -> Array:
    """Optimum of (2) with the rates at which the links of these runs carry packets alone."""
    return optimum(1e6 / used_links(line(scheme))["mean_holding_us"].to_numpy(dtype=float))


@claim(7)
def links_need_fewer_queues_than_nodes() -> Finding:
    """Queues of both formulations counted on random routes and in packets; neighbours receive each."""
    worst = 0.0
    ratios = []
    for seed in SEEDS:
        case = random_case(seed)
        air = case.incidence[coupling(case)[0]]
        per_flow = int(air.sum())  # node-based, [10]: at each link's transmitter a queue for every flow through it
        per_link = int((air.sum(axis=1) > 0).sum())  # link-based: one
        flows = air.sum(axis=1).mean()  # N
        worst = max(worst, abs(per_flow / per_link / flows - 1))
        ratios.append(per_flow / per_link)
    by_link, by_node = line("link-based"), line("node-based")
    # A queue at each station for each flow through it, of those that ever had a packet; a queue for each link.
    queues = int((by_node.backlogs["arrived"] > 0).sum())
    links = int((used_links(by_link)["activations"] > 0).sum())
    crossing = sum(map(hops, FLOWS)) / len(LINKS)
    rates = line_rates(by_node)
    off = float(np.abs(rates / line_best("node-based") - 1).max())
    # Messages in the same slot, and what they take of the total of the node-based scheme without any.
    often = SLOTS_MS[0]
    told = {"node": told_line(often), "link": line("link-based", often)}
    sent = {name: int(messages(run)["sent"].sum()) for name, run in told.items()}
    taken = {name: float(1 - line_rates(run).sum() / rates.sum()) for name, run in told.items()}
    return Finding(
        ours=f"8 networks: {min(ratios):.1f} to {max(ratios):.1f} times as many queues node by node, N to {worst:.0e}. "
        f"In packets over the line, where N = {crossing:g}, {queues} queues of stations for {links} of links; "
        f"{', '.join(f'{rate:.1f}' for rate in rates)} packets/s, within {off:.1%} of the optimum. With "
        f"a message of each queue each {often} ms {sent['node']} messages for {sent['link']}, which take "
        f"{taken['node']:.1%} and {taken['link']:.1%} of the total",
        holds=worst < 1e-12
        and max(ratios) > 1
        and queues == crossing * links
        and off < 0.05
        and abs(sent["node"] / sent["link"] / crossing - 1) < 0.01
        and abs(taken["node"] / taken["link"] / crossing - 1) < 0.25,
    )

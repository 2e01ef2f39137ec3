"""Claims 8 to 16: equilibrium, utilisation, stability, friendliness and fairness (sections 5.1 to 5.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.optimize import brentq

import windward as ww
from windward.papers import Finding, claim
from windward.theory.laws import Window
from windward.theory.num import Array

from ..model import PACKET_BITS, lossy, random_sessions, shared
from ..steps import PERIOD, Sender

CASES = 12


@dataclass(frozen=True)
class Network:
    """TCP-FIT sessions over a chain of links, each over an access link of its own with its delay and its losses."""

    scenario: ww.Scenario
    #: B of the links of the chain, packets a second.
    bandwidth: Array
    #: Links by sessions.
    routes: Array


def random_network(seed: int) -> Network:
    """Two to six sessions over one to three links."""
    rng = np.random.default_rng(seed)
    links, sessions = int(rng.integers(1, 4)), int(rng.integers(2, 7))
    bandwidth, routes = np.round(rng.uniform(500, 5000, links)), np.zeros((links, sessions))
    nodes = [ww.Node(name=f"x{at}") for at in range(links + 1)]
    wires = [
        ww.Link(
            from_=f"x{at}",
            to=f"x{at + 1}",
            rate=f"{b * PACKET_BITS:.0f} bit/s",
            delay="0.5 ms",
            buffer="unlimited",
        )
        for at, b in enumerate(bandwidth)
    ]
    flows = []
    for at in range(sessions):
        first = int(rng.integers(0, links))
        last = int(rng.integers(first, links))
        routes[first : last + 1, at] = 1
        nodes.append(ww.Node(name=f"s{at}"))
        wires.append(
            ww.Link(
                from_=f"s{at}",
                to=f"x{first}",
                rate="100 Gbit/s",
                delay=f"{rng.uniform(5, 100):.3f} ms",
                buffer="unlimited",
                loss=float(10 ** rng.uniform(-4, -2)),
            )
        )
        law = ww.TcpFit(alpha=float(rng.uniform(0.02, 0.1)))
        flows.append(ww.Flow(name=f"f{at}", from_=f"s{at}", to=f"x{last + 1}", law=law))
    output = ww.Output(sample_interval="150 s")
    scenario = ww.Scenario(
        name="chain", duration="3000 s", stack="rfc", output=output, node=nodes, link=wires, flow=flows
    )
    return Network(scenario, bandwidth, routes)


@cache
def ends() -> list[tuple[Array, Array, Array]]:
    """Routes, loads over B and queueing delays of sessions for each random network, at the end of the fluid engine."""
    found = []
    for seed in range(CASES):
        case = random_network(seed)
        flows = case.scenario.fluid().flows
        load = case.routes @ flows["rate_bps"].to_numpy() / PACKET_BITS / case.bandwidth
        found.append((case.routes, load, flows["queue_delay_ms"].to_numpy() / 1e3))
    return found


@claim(8)
def an_equilibrium_exists() -> Finding:
    excess = max(float((load - 1).max()) for _, load, _ in ends())
    # Sessions whose links are all idle have no queue: X(RT - B) = 0.
    idle = max(
        float(np.where((routes * (load > 1 - 1e-5)[:, None]).any(axis=0), 0, queues).max())
        for routes, load, queues in ends()
    )
    model_excess = model_idle = 0.0
    for seed in range(CASES):
        case = random_sessions(seed)
        queues = case.equilibrium()
        load = case.routes @ case.rates(queues) / case.bandwidth
        model_excess = max(model_excess, float((load - 1).max()))
        model_idle = max(model_idle, float((queues * (1 - load)).max()))
    return Finding(
        ours=f"{CASES} random networks at rest in the fluid engine: loads above B by at most {excess:.0e}, queues of "
        f"sessions without a full link {idle:.0e} s; of the paper's formulas on {CASES} others {model_excess:.0e} and "
        f"q (B - RT)/B {model_idle:.0e} s",
        holds=excess < 1e-5 and idle < 1e-6 and model_excess < 1e-6 and model_idle < 1e-8,
    )


@claim(9)
def some_link_is_full() -> Finding:
    full = sum(bool((load > 1 - 1e-5).any()) for _, load, _ in ends())
    waiting = sum(bool((routes * (load > 1 - 1e-5)[:, None]).any(axis=0).all()) for routes, load, _ in ends())
    # (31): two Renos over 100 Mbit/s, 100 ms and 1 % loss.
    flows = [ww.Flow(name=f"f{at}", from_="a", to="b", law="reno") for at in (1, 2)]
    reno = replace(lossy(100, loss=0.01), flow=flows).fluid().flows
    share = float(reno["rate_bps"].sum() / 100e6)
    return Finding(
        ours=f"in the fluid engine {full} of {CASES} networks have a full link, in {waiting} every session crosses "
        f"one; two Renos at 1 % loss use {share:.1%} of 100 Mbit/s",
        holds=full == waiting == CASES and share < 0.05 and float(reno["queue_delay_ms"].max()) < 1e-6,
    )


@claim(11)
def the_queue_stays_between_bounds() -> Finding:
    """(33) is the engine's rule (41) with β = α: each session's N is stepped by it, at the q that (34) gives."""
    least, most, fewest = 0.0, 0.0, np.inf
    updates, late = 1500, 1000
    for seed in range(CASES):
        rng = np.random.default_rng(seed)
        delay = np.round(rng.uniform(0.05, 0.2, 5), 9)
        alpha, loss = rng.uniform(0.05, 0.1, 5), 10 ** rng.uniform(-4, -2, 5)
        gain = np.sqrt(3 / (2 * loss)) / delay
        # Far from one Reno each, as the lemma has no floor of N.
        bandwidth = 8 * float(gain.sum())
        bounds = (alpha * gain).sum() / bandwidth * np.array([delay.min(), delay.max()])
        senders = [Sender(Window(ww.TcpFit(alpha=float(a), beta=float(a), period=PERIOD), initial=10)) for a in alpha]
        for sender, d in zip(senders, delay, strict=True):
            # What shows it a buffer, in slow start; the first ACK of congestion avoidance begins a period.
            sender.ack(3 * d)
            sender.ack(d)
            sender.window.on_loss(0.0)
            sender.now_s = 1.0
            sender.ack(d)
        for step in range(updates):
            n = np.array([sender.shown("n") for sender in senders])
            q = queue(n * gain, delay, bandwidth)
            if step > late:
                fewest = min(fewest, float(n.min()))
                least, most = max(least, bounds[0] / q - 1), max(most, q / bounds[1] - 1)
            for sender, d in zip(senders, delay, strict=True):
                sender.now_s += 2 * PERIOD
                sender.ack(d + q)
    return Finding(
        ours=f"{CASES} random links: after {late} periods q is below the lower bound by {max(least, 0):.0e} of it at "
        f"most, above the upper by {max(most, 0):.0e}; N at least {fewest:.1f}",
        holds=least < 1e-6 and most < 1e-6 and fewest > 1,
    )


def queue(u: Array, delay: Array, bandwidth: float) -> float:
    """q of (34), or 0."""

    def surplus(q: float) -> float:
        return float((delay * u / (delay + q)).sum() - bandwidth)

    return 0.0 if surplus(0) <= 0 else float(brentq(surplus, 0, 1e4, xtol=1e-15))


def radius(gain: float, u: Array, delay: Array, hat: Array, bandwidth: float) -> tuple[float, float]:
    """Spectral radius of u ← u + gain·(α̂ - u q/(D + q)) at u, by central differences; (33) has gain 1, (8) has 1/α.

    And the largest relative step that u takes, which is 0 at rest.
    """

    def after(u: Array) -> Array:
        q = queue(u, delay, bandwidth)
        return u + gain * (hat - u * q / (delay + q))

    steps = 1e-5 * np.diag(u)
    columns = [(after(u + step) - after(u - step)) / (2 * step.sum()) for step in steps]
    return float(np.abs(np.linalg.eigvals(np.array(columns).T)).max()), float(np.abs(after(u) / u - 1).max())


@claim(12)
def stable_with_the_slow_rule() -> Finding:
    slow, real, moved, lone = 0.0, np.inf, 0.0, 0.0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        delay, bandwidth, alpha = rng.uniform(0.01, 0.2, 5), 2000.0, rng.uniform(0.02, 0.1)
        hat = alpha / delay * np.sqrt(3 / (2 * 10 ** rng.uniform(-4, -2)))
        q = float((delay * hat).sum() / bandwidth)
        rest = hat * (delay + q) / q
        slow_radius, step = radius(1.0, rest, delay, hat, bandwidth)
        slow, moved = max(slow, slow_radius), max(moved, step)
        real = min(real, radius(1 / alpha, rest, delay, hat, bandwidth)[0])
        # A session alone has u q/(D + q) = u - B, so that its multiplier is 1 - gain.
        for gain in (1.0, 1 / alpha):
            alone, _ = radius(gain, hat[:1] + bandwidth, delay[:1], hat[:1], bandwidth)
            lone = max(lone, abs(alone - (gain - 1)) / gain)
    swings = []
    for late in (None, 0.5):
        series = lossy(20).fluid(feedback_delay_s=late).series.query("time_s > 150")["cwnd"]
        swings.append(float(series.max() / series.min() - 1))
    return Finding(
        ours=f"20 random links, at rest to {moved:.0e}: spectral radius of (36) at most {slow:.3f}; of the rule (8), "
        f"whose β = 1 is not the α of (33), at least {real:.1f}; of one session alone as 1 - gain, to {lone:.0e}. "
        f"Windows of the fluid engine alone on a lossy link: swing {swings[0]:.0e} if it sees its queue at once, "
        f"{swings[1]:.0%} if a period of 500 ms late",
        holds=slow < 1 - 1e-6 and real > 1 and moved < 1e-9 and lone < 1e-5 and swings[0] < 1e-5 and swings[1] > 0.2,
    )


#: 50 ms, and a packet's transmission.
DROPTAIL_D = 0.051


def droptail(alphas: list[float | None], buffer: int) -> tuple[Array, float]:
    """Rates at the fluid engine's rest of sessions over 1000 packets a second, 50 ms; None is a Reno. And q."""
    laws = [ww.Reno() if alpha is None else ww.TcpFit(alpha=alpha) for alpha in alphas]
    flows = (
        ww.Scenario(
            name="droptail",
            duration="1000 s",
            stack="rfc",
            output=ww.Output(sample_interval="50 s"),
            node=[ww.Node(name="a"), ww.Node(name="b")],
            link=[
                ww.Link(
                    from_="a", to="b", rate=f"{1000 * PACKET_BITS} bit/s", delay="25 ms", buffer=f"{buffer} packets"
                )
            ],
            flow=[ww.Flow(name=f"f{at}", from_="a", to="b", law=law) for at, law in enumerate(laws)],
        )
        .fluid()
        .flows
    )
    return flows["rate_bps"].to_numpy() / PACKET_BITS, float(flows["queue_delay_ms"].iloc[0]) / 1e3


@claim(13)
def friendly_if_alpha_is_small() -> Finding:
    below, above, shares = 0.0, 0.0, []
    for buffer in (5, 20):
        alone, q = droptail([None] * 6, buffer)
        # α ≤ q/(D + q) where the queue is full.
        share = q / (DROPTAIL_D + q)
        shares.append(share)
        for factor in (0.2, 0.99):
            beside, _ = droptail([None] * 3 + [factor * share] * 3, buffer)
            below = max(below, float(abs(beside[:3] / alone[:3] - 1).max()))
        beside, _ = droptail([None] * 3 + [2 * share] * 3, buffer)
        above = max(above, float((beside[:3] / alone[:3]).max()))
    return Finding(
        ours=f"four cases of α ≤ q/(D+q) = {', '.join(f'{share:.2f}' for share in shares)} in the fluid engine: a "
        f"Reno's rate changes by {below:.0e}; at twice that α it falls to {above:.2f} at most",
        holds=below < 1e-4 and above < 0.9,
    )


#: Mbit/s, round trip in ms, buffer in bandwidth-delay products, and loss.
CONDITIONS = (
    (20, 10, 1, 0),
    (20, 20, 1, 0),
    (20, 50, 1, 0),
    (20, 100, 1, 0),
    (5, 100, 1, 0),
    (50, 50, 1, 0),
    (20, 50, 0.25, 0),
    (20, 50, 4, 0),
    # Linktropy's default queue of 250 ms.
    (20, 50, 5, 0),
    (20, 50, 1, 1e-4),
    (20, 50, 1, 1e-3),
    (20, 50, 1, 1e-2),
)


@claim(14)
def the_choice_of_alpha_is_friendly() -> Finding:
    ratios, errors = [], []
    for mbps, rtt, buffer, loss in CONDITIONS:
        mixed = shared([ww.Reno(), ww.TcpFit()], rtt, loss, mbps=mbps, buffer=buffer).flows
        alone = shared([ww.Reno(), ww.Reno()], rtt, loss, mbps=mbps, buffer=buffer).flows["goodput_bps"]
        reno = mixed.loc[mixed["law"] == "reno", "goodput_bps"]
        ratios.append(float(reno.mean() / alone.mean()))
        # Of the three rates beside TCP-FIT; those of the six others are as wide.
        errors.append(float(alone.std(ddof=1) / alone.mean() * np.sqrt(1 / 3 + 1 / 6)))
    return Finding(
        ours="packets, 3 seeds: beside TCP-FIT Reno has, of what it has beside Reno, "
        + "; ".join(
            f"{r:.2f} ± {e:.2f} ({mbps} Mbit/s, {rtt} ms, {buffer:g} BDP, {loss:.0e})"
            for (mbps, rtt, buffer, loss), r, e in zip(CONDITIONS, ratios, errors, strict=True)
        ),
        # With a bandwidth-delay product of buffer; where losses leave a share unused, 15 says what Reno pays for it.
        holds=all(
            0.85 + 0.05 * (loss == 0) < r < 1.1
            for (_, _, buffer, loss), r in zip(CONDITIONS, ratios, strict=True)
            if buffer >= 1
        ),
    )


@claim(15)
def reno_loses_what_the_queue_costs() -> Finding:
    costs, found = [], []
    # Short buffers: T_Δ is large where TCP-FIT's drops come often.
    for mbps, rtt, loss, buffer in ((20, 100, 3e-4, 0.25), (20, 50, 1e-3, 0.25), (20, 50, 1e-3, 0.5)):
        mixed = shared([ww.Reno(), ww.TcpFit()], rtt, loss, mbps=mbps, buffer=buffer)
        alone = shared([ww.Reno()], rtt, loss, mbps=mbps, buffer=buffer).flows
        reno = mixed.flows[mixed.flows["law"] == "reno"]
        queued = mixed.links["mean_queue_delay_s"].iloc[0]
        # P + p: loss events of a packet, as the paper's PLR counts them.
        events = (reno["recoveries"] + reno["timeouts"]).sum() / reno["segments_sent"].sum()
        costs.append(1 - rtt * 1e-3 / (rtt * 1e-3 + queued) * np.sqrt(loss / events))
        found.append(1 - reno["goodput_bps"].mean() / alone["goodput_bps"].mean())
    worst = max(abs(cost - each) for cost, each in zip(costs, found, strict=True))
    return Finding(
        ours=f"packets, three lossy links: T_Δ should be {', '.join(f'{c:.1%}' for c in costs)} of Reno's rate by the "
        f"queues and losses measured, and is {', '.join(f'{f:.1%}' for f in found)}",
        holds=worst < 0.08 and min(costs) > 0.16 and min(found) > 0.08,
    )


@claim(16)
def fair_whatever_the_rtt() -> Finding:
    """The engine's sessions over a lossless bottleneck, each behind an access link that loses 0.1 %."""
    delays, loss = np.array([20.0, 70.0, 170.0]), 1e-3

    def rest(law: ww.format.LawSpec, count: int) -> tuple[Array, float, Array]:
        """Rates of one session of each delay, their queueing delay in seconds, and windows."""
        names = [f"{at}-{member}" for at in range(len(delays)) for member in range(count)]
        delay_of = dict(zip(names, np.repeat(delays, count), strict=True))
        flows = (
            ww.Scenario(
                name="rtts",
                duration="2000 s",
                stack="rfc",
                output=ww.Output(sample_interval="100 s"),
                node=[ww.Node(name="x"), ww.Node(name="y"), *(ww.Node(name=f"s{name}") for name in names)],
                link=[
                    ww.Link(from_="x", to="y", rate=f"{8333 * PACKET_BITS} bit/s", delay="1 ms", buffer="unlimited"),
                    *(
                        ww.Link(
                            from_=f"s{name}",
                            to="x",
                            rate="100 Gbit/s",
                            delay=f"{delay / 2 - 1} ms",
                            buffer="unlimited",
                            loss=loss,
                        )
                        for name, delay in delay_of.items()
                    ),
                ],
                flow=[ww.Flow(name=f"f{name}", from_=f"s{name}", to="y", law=law) for name in names],
            )
            .fluid()
            .flows
        )
        chosen = flows.iloc[::count]
        return (
            chosen["rate_bps"].to_numpy() / PACKET_BITS,
            float(flows["queue_delay_ms"].iloc[0]) / 1e3,
            chosen["cwnd"].to_numpy(),
        )

    rates, q, _ = rest(ww.TcpFit(), 1)
    trips = delays / 1e3 + q
    n = 0.1 * trips / q
    # The engine's equilibrium has N(3N+1)/2 for the sawtooth's 3N²/2: rates go as √(1 + 1/(3N)).
    known = np.sqrt(1 + 1 / (3 * n))
    spread = float(np.ptp(rates) / rates.mean())
    left = float(np.ptp(rates / known) / (rates / known).mean())
    reno, q_reno, _ = rest(ww.TcpFit(), 40)
    is_single = bool(0.1 * (0.17 + q_reno) / q_reno < 1)
    off = float(np.abs(reno / reno[0] * (delays / 1e3 + q_reno) / (delays[0] / 1e3 + q_reno) - 1).max())
    return Finding(
        ours=f"fluid engine: N = {', '.join(f'{v:.1f}' for v in n)} at 20, 70, 170 ms: rates differ by {spread:.1%}, "
        f"of which √(1 + 1/(3N)) leaves {left:.0e}; 40 of each have N = 1 and rates as 1/(D+q), to {off:.0e}",
        holds=spread < 0.1 and left < 1e-3 and n.min() > 1 and is_single and off < 1e-3,
    )

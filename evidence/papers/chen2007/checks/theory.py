"""Claims 1 to 14: TCP over wireless links, and the fluid model of the proposal (sections II and III)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.integrate import quad, solve_ivp

import windward as ww
from windward.papers import Finding, claim
from windward.theory import num
from windward.theory.num import Array

from ..model import SPEED, Case, marginal, random_case, single
from ..network import NODES, links

SEEDS = range(6)


def plain(case: Case) -> Case:
    """All users plain TCP."""
    return replace(case, speed=np.zeros(case.users))


@claim(1)
def tcp_over_wires() -> Finding:
    apart = idle = off = 0.0
    for seed in SEEDS:
        case = plain(random_case(seed, is_lossy=False))
        ends = [
            case.follow(np.full(case.users, x), np.ones(case.users), 2000, 2000, is_smooth=False).rates[-1]
            for x in (1.0, 300.0)
        ]
        x = ends[0]
        apart = max(apart, float(np.abs(ends[1] / x - 1).max()))
        loads = case.incidence @ x
        full = loads >= case.capacity * (1 - 1e-9)
        idle += (~(case.incidence[full] > 0).any(axis=0)).sum()
        fair: list[num.Utility] = [{"kind": "alpha_fair", "alpha": 2.0, "weight": float(w)} for w in 2 / case.rtt**2]
        best = num.solve(num.wired(np.where(full, loads, case.capacity), case.routes, fair)).rates
        off = max(off, float(np.abs(x / best - 1).max()))
    return Finding(
        ours=f"{len(SEEDS)} networks, two starts each: the same rest to {apart:.0e}; {idle:.0f} users without a full "
        f"link; "
        f"the rates are the 2-fair ones of the loads to {off:.0e}",
        holds=apart < 1e-5 and idle == 0 and off < 1e-4,
    )


@claim(2)
def tcp_over_wireless() -> Finding:
    over = 0.0
    single_less, gainers = True, 0
    for loss in (0.001, 0.02, 0.08):
        with_loss, without = (
            plain(single(e)).follow(np.array([20.0]), np.ones(1), 2000, 2000, is_smooth=False).rates[-1, 0]
            for e in (loss, 0.0)
        )
        single_less &= bool(with_loss < without)
    for seed in SEEDS:
        case = plain(random_case(seed))
        x, wired = (
            c.follow(np.full(case.users, 20.0), np.ones(case.users), 2000, 2000, is_smooth=False).rates[-1]
            for c in (case, replace(case, loss=np.zeros(case.users)))
        )
        over = max(over, float((x / (np.sqrt(2) / (case.rtt * np.sqrt(case.loss)))).max() - 1))
    # Two users share a link; one of them also crosses a lossy one.
    pair = plain(
        replace(
            random_case(0), routes=[[0], [0]], rtt=np.array([0.1, 0.1]), loss=np.array([0.0, 0.08]), speed=np.zeros(2)
        )
    )
    x, wired = (
        c.follow(np.full(2, 20.0), np.ones(2), 2000, 2000, is_smooth=False).rates[-1]
        for c in (pair, replace(pair, loss=np.zeros(2)))
    )
    gainers = int((x > wired).sum())
    return Finding(
        ours=f"above the bound of (8) by at most {max(over, 0):.0e}. One user: "
        f"{'always less' if single_less else 'not less'}. "
        f"Two users, one over a lossy link: {x[0]:.0f} and {x[1]:.0f} packets/s for {wired[0]:.0f} and {wired[1]:.0f}",
        holds=over < 1e-6 and single_less and gainers == 1 and x[1] < wired[1],
    )


@claim(3)
def when_the_link_is_not_full() -> Finding:
    # √2·S/(T·√ε) = C at ε = 2/(CT)² = 0.00454.
    limit = 2 / (125 * 0.168) ** 2
    fluid, packets = [], []
    factors = (0.1, 0.9, 1.1, 4.0, 16.0)
    for factor in factors:
        run = plain(single(factor * limit)).follow(np.array([20.0]), np.ones(1), 2000, 2000, is_smooth=False)
        fluid.append(min(run.rates[-1, 0] / 125, 1))
    for factor in (0.1, 4.0, 16.0):
        link = ww.Scenario(
            name="single",
            duration="2000 s",
            stack="rfc",
            warmup="100 s",
            node=NODES,
            link=links("1.04 Mbit/s", "80 ms", 50, factor * limit),
            flow=[ww.Flow(from_="s", to="r", law="reno", segment="1000 B", timestamps=False)],
        ).simulate(seeds=3)
        packets.append(float(link.links.loc[link.links["from"] == "s", "utilization"].mean()))
    theory = [min(1, 1 / np.sqrt(f)) for f in factors]
    padhye = [padhye_share(factor * limit) for factor in (4.0, 16.0)]
    return Finding(
        ours=f"at {', '.join(f'{f:g}' for f in factors)} of the limit the fluid uses "
        f"{', '.join(f'{u:.3f}' for u in fluid)} of C; packets at 0.1, 4, 16: "
        f"{', '.join(f'{u:.2f}' for u in packets)}, "
        f"by Padhye's formula {', '.join(f'{u:.2f}' for u in padhye)} at 4, 16",
        holds=bool(np.allclose(fluid, theory, rtol=1e-5))
        and packets[0] > 0.98
        and all(abs(u / p - 1) < 0.15 for u, p in zip(packets[1:], padhye, strict=True)),
    )


def padhye_share(loss: float) -> float:
    """Share of the paper's link that Padhye's approximation gives one Reno; a timeout is Linux's, RTT + 200 ms."""
    rtt = 0.168
    idle = (rtt + 0.2) * min(1, 3 * np.sqrt(3 * loss / 8)) * loss * (1 + 32 * loss**2)
    return float(min(1, 1 / (rtt * np.sqrt(2 * loss / 3) + idle) / 125))


@claim(4)
def n_rises_and_falls() -> Finding:
    signs = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = rng.uniform(1.5, 6, 1)
        for share, wanted in ((0.5, 1), (0.95, 1), (1.05, -1), (2.0, -1)):
            run = single(0.04).follow(np.array([125.0 * share]), n, 1e-3, 1e-3, is_smooth=False)
            signs.append(np.sign(run.connections[-1, 0] - n[0]) == wanted)
    return Finding(ours=f"{sum(signs)} of {len(signs)} starts: n rises below C and falls above", holds=all(signs))


@claim(5)
def the_smooth_form_tends_to_the_other() -> Finding:
    worst, steps, corner = [], [], []
    for beta in (1e2, 1e3, 1e4):
        case = single(0.02, beta=beta)
        loads = 125 * np.linspace(0.5, 2, 301)
        g = np.array([case.prices(np.array([y]))[0] for y in loads])
        worst.append(float(np.abs(g - np.maximum(1 - 125 / loads, 0)).max()) * beta / np.log(2))
        ends = case.indicator(np.array([case.prices(np.array([125 * s]))[0] for s in (0.97, 1.03)]))
        steps.append(float(max(ends[0], 1 - ends[1])))
        corner.append(float(case.indicator(case.prices(np.array([125.0])))[0]))
    return Finding(
        ours=f"|g - p| is at most {max(worst):.4f} ln2/β; f is off by {', '.join(f'{s:.0e}' for s in steps)} at 3 % "
        f"from C "
        f"for β = 1e2, 1e3, 1e4; at C it is {corner[0]:.4f} at every β",
        holds=abs(max(worst) - 1) < 1e-6
        and steps[0] > steps[1] > steps[2]
        and steps[2] < 1e-9
        and max(abs(c - 1 / 3) for c in corner) < 1e-9,
    )


@claim(6)
def the_boundary_layer() -> Finding:
    end, bend = 0.0, 0.0
    for seed in SEEDS:
        case = plain(random_case(seed))
        rng = np.random.default_rng(100 + seed)
        n = rng.uniform(1, 6, case.users)
        rest = case.manifold(n)
        for share in (0.2, 3.0):
            run = case.follow(share * rest, n, 100, 0.05)
            far = np.abs(run.rates / rest - 1).max(axis=1)
            end = max(end, float(far[-1]))
            # Exponential: once near, the logarithm falls at a constant speed, down to the tolerance of the steps.
            near = np.flatnonzero((far < 1e-3) & (far > 1e-6))
            speed = -np.diff(np.log(far[near]))
            half = len(speed) // 2
            bend = max(bend, abs(speed[:half].mean() / speed[half:].mean() - 1))
        again = rest * case.rtt * np.sqrt((case.loss + case.prices(rest)) / 2)
        end = max(end, float(np.abs(again / n - 1).max()))
    return Finding(
        ours=f"{len(SEEDS)} networks, two starts each: at (17) to {end:.0e}, the speed of log-distance constant to "
        f"{bend:.0%}; n is "
        "found again from x",
        holds=end < 1e-6 and bend < 0.3,
    )


@claim(7)
def theorem_one() -> Finding:
    apart = right = slope = 0.0
    printed = np.inf
    lower = True
    for seed in SEEDS:
        case = random_case(seed)
        x, n = case.rest()
        other = case.follow(np.full(case.users, 300.0), np.full(case.users, 8.0), 20_000, 20_000)
        apart = max(apart, float(np.abs(other.rates[-1] / x - 1).max()))
        price = case.prices(x)
        f = case.indicator(price)
        apart = max(apart, float(np.abs(n * np.sqrt(f) - 1).max()))
        root = np.sqrt(2) / (case.rtt * np.sqrt(f * (case.loss + price)))
        right = max(right, float(np.abs(root / x - 1).max()))
        printed = min(printed, float(np.abs(root / np.sqrt(f) / x - 1).max()))
        wanted = [marginal(*user, case.beta) for user in zip(x, case.rtt, case.loss, strict=True)]
        slope = max(slope, float(np.abs(wanted / price - 1).max()))
    # (19) of one network, all directions of ten: less on either side.
    case = random_case(1)
    x, _ = case.rest()
    rng = np.random.default_rng(1)
    for _ in range(10):
        step = rng.normal(0, 0.05, case.users) * x
        lower &= objective(case, x, x + step) < 0 and objective(case, x, x - step) < 0
    return Finding(
        ours=f"{len(SEEDS)} networks: one rest to {apart:.0e}; x* with f inside the root to {right:.0e}, as printed "
        f"off by at least "
        f"{printed:.0%}; U' = Σg to {slope:.0e}; (19) {'falls' if lower else 'does not fall'} on all sides",
        holds=apart < 1e-6 and right < 1e-6 and printed > 0.05 and slope < 1e-4 and lower,
    )


def objective(case: Case, start: Array, end: Array) -> float:
    """(19) at `end` less (19) at `start`."""
    gain = sum(
        quad(marginal, a, b, args=(t, e, case.beta), epsabs=1e-12)[0]
        for a, b, t, e in zip(start, end, case.rtt, case.loss, strict=True)
    )
    cost = 0.0
    for link, (a, b) in enumerate(zip(case.incidence @ start, case.incidence @ end, strict=True)):
        cost += quad(lambda y, c=case.capacity[link]: np.logaddexp(0, case.beta * (1 - c / y)) / case.beta, a, b)[0]
    return float(gain - cost)


@claim(8)
def bottlenecks_are_nearly_full() -> Finding:
    gaps, hand = [], 0.0
    for beta in (50.0, 500.0, 5e4):
        case = single(0.04, beta=beta)
        x, n = case.rest()
        f = case.indicator(case.prices(x))[0]
        gaps.append(abs(x[0] / 125 - 1))
        hand = max(hand, abs(f * n[0] ** 2 - 1))
    closed = 125 * 0.168 * np.sqrt(0.04) / np.sqrt(2)
    return Finding(
        ours=f"y is off C by {', '.join(f'{g:.1e}' for g in gaps)} at β = 50, 500, 50 000; f n*² = 1 to {hand:.0e}; "
        f"n* = {n[0]:.3f}, CT√ε/√2 = {closed:.3f}",
        holds=gaps[0] > gaps[1] > gaps[2] and gaps[2] < 1e-3 and hand < 1e-5 and abs(n[0] / closed - 1) < 1e-3,
    )


@claim(9)
def without_errors_it_is_tcp() -> Finding:
    connections, off = [], []
    for beta in (1e2, 1e3, 1e4):
        case = random_case(2, beta=beta, is_lossy=False)
        x, n = case.rest()
        tcp = plain(case).follow(np.full(case.users, 20.0), np.ones(case.users), 2000, 2000, is_smooth=False)
        connections.append(float(n.max() - 1))
        off.append(float(np.abs(x / tcp.rates[-1] - 1).max()))
    return Finding(
        ours=f"β = 1e2, 1e3, 1e4: n* - 1 = {', '.join(f'{c:.0e}' for c in connections)}, x* off x° by "
        f"{', '.join(f'{o:.0e}' for o in off)}",
        holds=connections[-1] < 1e-3 and off[-1] < 1e-3 and off[0] > off[2],
    )


@claim(10)
def the_reduced_system_is_stable() -> Finding:
    largest, off = -np.inf, 0.0
    for seed in range(12):
        case = random_case(seed)
        _, n = case.rest()
        columns = []
        for at in range(case.users):
            step = np.zeros(case.users)
            step[at] = 1e-5 * n[at]
            columns.append((case.drift(n + step) - case.drift(n - step)) / (2 * step[at]))
        values, vectors = np.linalg.eig(np.array(columns).T)
        slowest = int(values.real.argmax())
        largest = max(largest, float(values[slowest].real))
        # The engine's full system, from a little along that direction: what is left after four time constants.
        away = 1e-3 * vectors[:, slowest].real * n.min()
        span = 4 / abs(float(values[slowest].real))
        run = case.follow(case.manifold(n + away), n + away, span, span)
        left = float(np.linalg.norm(run.connections[-1] - n) / np.linalg.norm(away))
        off = max(off, abs(-np.log(left) / 4 - 1))
    return Finding(
        ours=f"12 networks: largest real part of an eigenvalue {largest:.4f} a second; the engine comes back along its "
        f"direction as fast, to {off:.1%}",
        # The speed is the engine's: eigenvalues of another sign or size are not.
        holds=largest < 0 and off < 0.05,
    )


@claim(11)
def from_anywhere() -> Finding:
    far, bend = 0.0, 0.0
    for seed in SEEDS:
        case = random_case(seed)
        x, n = case.rest()
        goal = np.concatenate([x, n])
        rng = np.random.default_rng(seed)
        for _ in range(3):
            start = rng.uniform(0.01, 3, case.users) * case.capacity.max(), rng.uniform(0.2, 15, case.users)
            run = case.follow(*start, 20_000, 5)
            gap = np.abs(np.hstack([run.rates, run.connections]) / goal - 1).max(axis=1)
            far = max(far, float(gap[-1]))
            near = np.flatnonzero((gap < 1e-3) & (gap > 1e-6))
            speed = -np.diff(np.log(gap[near]))
            half = len(speed) // 2
            bend = max(bend, abs(float(speed[:half].mean() / speed[half:].mean() - 1)))
    return Finding(
        ours=f"{3 * len(SEEDS)} runs from up to 3 C and 0.2 to 15 connections: at rest to {far:.0e}, the speed of "
        f"log-distance "
        f"constant to {bend:.0%}",
        holds=far < 1e-4 and bend < 0.3,
    )


@claim(12)
def speeds_are_free() -> Finding:
    same = right = 0.0
    printed = np.inf
    for seed in SEEDS:
        case = random_case(seed)
        x, _ = case.rest()
        slow = replace(case, speed=case.speed[::-1] * 0.5)
        end = slow.follow(np.full(case.users, 50.0), np.full(case.users, 2.0), 40_000, 40_000)
        same = max(same, float(np.abs(end.rates[-1] / x - 1).max()))
        # The first user plain TCP.
        mixed = replace(case, speed=np.where(np.arange(case.users) == 0, 0, case.speed))
        x, n = mixed.rest()
        price = float(mixed.prices(x)[0])
        t, e = mixed.rtt[0], mixed.loss[0]
        right = max(right, abs((2 / (t * x[0]) ** 2 - e) / price - 1))
        printed = min(printed, abs((-4 / (t**2 * x[0] ** 3) - e) / price - 1))
        same = max(same, float(np.abs(n[1:] * np.sqrt(mixed.indicator(mixed.prices(x))[1:]) - 1).max()))
    return Finding(
        ours=f"{len(SEEDS)} networks: the same rest at other speeds to {same:.0e}; a TCP user has U' = Σg with "
        f"U = -2S²/(T²x) - xΣε to {right:.0e}, with the printed U not even its sign",
        holds=same < 1e-5 and right < 1e-4 and printed > 1,
    )


@claim(13)
def only_what_others_leave() -> Finding:
    wide = single(0.001)
    x, n = wide.rest()
    tcp = plain(wide).follow(np.array([20.0]), np.ones(1), 2000, 2000).rates[-1, 0]
    two = Case(
        capacity=np.array([250.0]),
        routes=[[0], [0]],
        rtt=np.full(2, 0.168),
        loss=np.full(2, 0.02),
        speed=np.array([0.0, SPEED]),
        beta=1e5,
    )
    before = plain(two).follow(np.full(2, 20.0), np.ones(2), 2000, 2000).rates[-1]
    after, more = two.rest()
    return Finding(
        ours=f"where TCP fills the link: n = {n[0]:.4f}, x/TCP's = {x[0] / tcp:.5f}. Where two TCPs leave "
        f"{1 - before.sum() / 250:.0%}: n = {more[1]:.2f} takes {after[1] / before[1]:.1f} times, the TCP keeps "
        f"{after[0] / before[0]:.4f}",
        holds=abs(n[0] - 1) < 1e-3
        and abs(x[0] / tcp - 1) < 1e-3
        and abs(after[0] / before[0] - 1) < 5e-3
        and abs(after.sum() / 250 - 1) < 1e-3
        and more[1] > 2,
    )


@claim(14)
def another_fast_law() -> Finding:
    off = 0.0
    for seed in SEEDS[:4]:
        case = random_case(seed)
        x, n = case.rest()

        def slope(_: float, state: Array, case: Case = case) -> Array:
            """Rates go to the square-root law by a filter of 0.3 s, as TFRC's do; n as before."""
            rates, connections = np.split(state, 2)
            price = case.prices(rates)
            target = connections * np.sqrt(2) / (case.rtt * np.sqrt(case.loss + price))
            more = case.speed * (1 / connections - connections * case.indicator(price))
            return np.concatenate([(target - rates) / 0.3, more])

        start = np.concatenate([np.full(case.users, 30.0), np.full(case.users, 2.0)])
        end = solve_ivp(slope, (0, 20_000), start, "LSODA", rtol=1e-9, atol=1e-9).y[:, -1]
        off = max(off, float(np.abs(end / np.concatenate([x, n]) - 1).max()))
    return Finding(ours=f"4 networks: the same rates and connections to {off:.0e}", holds=off < 1e-4)

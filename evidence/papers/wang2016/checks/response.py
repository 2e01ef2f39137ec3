"""Claims 10, 17 and 20 to 24: throughput models, probing speeds and response times (Tables 4 to 6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad

import windward as ww
from windward.papers import Finding, claim
from windward.theory.laws import Window

from ..model import drawn, sawtooth
from ..steps import PERIOD, RTT, Sender, mean_rate

#: Compound's parameters: α', β', k.
COMPOUND = (0.125, 0.5, 0.75)

#: Bandwidth-delay products of Table 6, packets.
BDP = (1e3, 1e4, 1e5)
#: Linux's C of CUBIC.
C_CUBIC = 410 / 1024


#: A rate by D, q and P + p; η by the two round trips and P + p.
Formula = Callable[[float, float, float], float]


def cycle(growth: Callable[[float], float], left: float, top: float) -> tuple[float, float]:
    """Packets and round trips from left·top to top where dw is `growth(w)` per round trip."""
    packets = quad(lambda w: w / growth(w), left * top, top)[0]
    return packets, quad(lambda w: 1 / growth(w), left * top, top)[0]


def westwood(d: float, q: float, p: float) -> float:
    """Westwood's rate."""
    return float(np.sqrt((1 - p) / p / ((d + q) * (p * d + q))))


def compound() -> tuple[float, float]:
    """Λ corrected, and Λ as printed."""
    a, b, k = COMPOUND
    core = ((1 - (1 - b) ** (2 - k)) / (2 - k)) ** ((1 - k) / (2 - k)) / (1 - (1 - b) ** (1 - k))
    return (1 - k) * a ** (1 / (2 - k)) * core, core / a ** (1 / (2 - k))


def engine_rates(p: float, peak: float) -> dict[str, float]:
    """Packets a second of the engine's Reno, CUBIC (with the table's decrease of 0.2) and Compound, at 100 ms."""
    even = [1 / p] * 24
    # CUBIC nears its cycle only as the root of time: it begins at its peak and has to stay there.
    # Compound grows once a round trip, which ACKs of a part of it lengthen by that part: it takes more of them.
    laws: dict[str, tuple[ww.format.LawSpec, float, int]] = {
        "Reno": (ww.Reno(), 600, 400),
        "CUBIC": (ww.Cubic(beta=0.8, fast_convergence=False), peak, 400),
        "Compound": (ww.Compound(), 4000, 4000),
    }
    return {
        name: mean_rate(Sender.avoiding(law, start), even, 12, steps) / RTT
        for name, (law, start, steps) in laws.items()
    }


#: Λ of Compound, corrected and as printed.
LAMBDA, PRINTED = compound()

#: T(D, q, P + p) of each row but Westwood's, TCP-FIT's and Vegas', its bound T(D, P), and η.
MODELS: dict[str, tuple[Formula, Callable[[float, float], float], Formula]] = {
    "Reno": (lambda d, q, p: np.sqrt(1.5 / p) / (d + q), lambda d, p: np.sqrt(1.5 / p) / d, lambda x, y, p: y / x),
    "CUBIC": (
        lambda d, q, p: 1.17 * ((d + q) * p**3) ** -0.25,
        lambda d, p: 1.17 * (d * p**3) ** -0.25,
        lambda x, y, p: (y / x) ** 0.25,
    ),
    "Compound": (
        lambda d, q, p: LAMBDA / ((d + q) * p**0.8),
        lambda d, p: LAMBDA / (d * p**0.8),
        lambda x, y, p: y / x,
    ),
    "Veno": (
        lambda d, q, p: np.sqrt(1.8 / (0.4 * p)) / (d + q),
        lambda d, p: np.sqrt(1.8 / (0.4 * p)) / d,
        lambda x, y, p: y / x,
    ),
}


@dataclass
class Drawn:
    """Largest errors of the rows of Table 4 over random delays, queues and losses."""

    #: Relative excess of a rate over its bound, and distance from it without a queue.
    bounds: float = 0.0
    #: Relative error of η.
    fairness: float = 0.0
    #: That of Westwood's η with the brackets as printed.
    printed: float = 0.0
    #: The ratio of two rates of Compound stays below the square of the round trips' ratio.
    is_below_square: bool = True


def at_random_points(count: int) -> Drawn:
    """The rows at `count` random points."""
    rng = np.random.default_rng(10)
    found = Drawn()
    for _ in range(count):
        di, dj, q, p = *rng.uniform(0.01, 0.3, 2), rng.uniform(1e-3, 0.1), 10 ** rng.uniform(-5, -1)
        for rate, bound, eta in MODELS.values():
            found.bounds = max(found.bounds, rate(di, q, p) / bound(di, p) - 1, abs(rate(di, 0, p) / bound(di, p) - 1))
            found.fairness = max(found.fairness, abs(rate(di, q, p) / rate(dj, q, p) / eta(di + q, dj + q, p) - 1))
        near, far = sorted((di, dj))
        ratio = MODELS["Compound"][0](near, q, p) / MODELS["Compound"][0](far, q, p)
        found.is_below_square &= bool(ratio <= ((far + q) / (near + q)) ** 2)
        most = float(np.sqrt(1 - p) / (di * p))
        found.bounds = max(found.bounds, westwood(di, q, p) / most - 1, abs(westwood(di, 0, p) / most - 1))
        real = westwood(di, q, p) / westwood(dj, q, p)
        meant = float(np.sqrt((dj + q) * (p * dj + q) / ((di + q) * (p * di + q))))
        printed = float(np.sqrt(((dj + q) * (p * dj) + q) / ((di + q) * (p * di) + q)))
        found.fairness = max(found.fairness, abs(real / meant - 1))
        found.printed = max(found.printed, abs(real / printed - 1))
    return found


def cubic_peak(p: float, rtt: float) -> tuple[float, float]:
    """Peak W and mean window of CUBIC's cycle with δ = 0.2 and C = 0.4, between losses at equal distances.

    w = W - C·s³ for K = (δW/C)^(1/3) seconds before the loss, and 1/p = ∫ w/rtt dt = (mean share of W)·W·K/rtt.
    """
    share = 1 - 0.2 / 4
    peak = (rtt / p / share / (0.2 / 0.4) ** (1 / 3)) ** 0.75
    return peak, share * peak


def beside_cycles(p: float, rtt: float) -> dict[str, float]:
    """Rates of Table 4 beside the integrals of a cycle between losses at equal distances: relative errors."""
    a, b, k = COMPOUND
    top = (1 / p / cycle(lambda w: a * w**k, 1 - b, 1)[0]) ** (1 / (2 - k))
    packets, rounds = cycle(lambda w: a * w**k, 1 - b, top)
    cycles = {
        "Reno": drawn(1, 0.5, p, 2000, None) / rtt,
        "CUBIC": cubic_peak(p, rtt)[1] / rtt,
        "Compound": packets / (rounds * rtt),
    }
    off = {name: MODELS[name][0](rtt, 0, p) / rate - 1 for name, rate in cycles.items()}
    return off | {"Veno": sawtooth(1, 0.2, p, rtt) / (drawn(1, 0.2, p, 2000, None) / rtt) - 1}


def beside_engine(p: float, rtt: float) -> dict[str, float]:
    """The engine's own laws between such losses beside the rates of Table 4: relative errors."""
    rates = engine_rates(p, cubic_peak(p, rtt)[0])
    return {name: rate / MODELS[name][0](rtt, 0, p) - 1 for name, rate in rates.items()}


@claim(10)
def table_four() -> Finding:
    points = at_random_points(200)
    off = max(map(abs, beside_cycles(1e-5, 0.1).values()))
    stepped = beside_engine(1e-5, 0.1)
    # TCP-FIT and Vegas have no bound: T grows without end as q shrinks, and no D is in it.
    free = [max(1 / (0.1 + q), 0.1 / q) * np.sqrt(1.5 / 1e-3) for q in (1e-2, 1e-4, 1e-6)]
    return Finding(
        ours=f"200 points: bounds hold and are met without congestion to {points.bounds:.0e}, η to "
        f"{points.fairness:.0e} (Westwood's printed brackets: off by up to {points.printed:.0%}); four rates against "
        f"the integral of a cycle: {off:.1%}; the engine's laws between losses at equal distances: "
        f"{', '.join(f'{name} {share:+.1%}' for name, share in stepped.items())}; Λ is {LAMBDA:.3f}, as printed "
        f"{PRINTED:.1f}; TCP-FIT's rate for q = 10, 0.1, 0.001 ms: {', '.join(f'{f:.0f}' for f in free)} packets/s",
        holds=points.bounds < 1e-9
        and points.fairness < 1e-9
        and points.printed > 0.1
        and points.is_below_square
        and off < 0.01
        and all(abs(share) < 0.015 for share in stepped.values())
        and PRINTED / LAMBDA > 10
        and abs(free[2] / free[1] / 100 - 1) < 1e-6,
    )


def fit_time(packets: float, beta: float) -> float:
    """Seconds in whole round trips until the engine's window has grown from the least to so many packets."""
    sender = Sender.avoiding(ww.TcpFit(beta=beta, period=PERIOD), 4)
    while sender.cwnd < packets:
        sender.round_trip()
    return sender.now_s


@claim(17)
def probing_speeds() -> Finding:
    printed = shifted = 0.0
    sender = Sender.avoiding(ww.TcpFit(period=PERIOD), 4)
    sender.round_trip()
    for trip in range(200):
        before, t = sender.cwnd, trip * RTT
        sender.round_trip()
        # What the window gains in this round trip, a second: I' = N/RTT.
        speed = (sender.cwnd - before) / RTT
        # The period ends with the ACK at its end, which already grows by the new N.
        t += RTT
        printed = max(printed, abs(np.floor(t / PERIOD + 1e-6) / RTT - speed) / speed)
        shifted = max(shifted, abs((np.floor(t / PERIOD + 1e-6) + 1) / RTT - speed) / speed)
    # CUBIC after a loss at 1000 packets, in ACKs of a hundredth of a round trip: W = W_max + C(t - K)³.
    window = Window(ww.Cubic(c=C_CUBIC, beta=717 / 1024), initial=1000)
    window.on_loss(0.0)
    left, seen = window.cwnd, []
    for step in range(1, 1501):
        window.on_ack(step * RTT / 10, rtt_s=RTT, acked=window.cwnd / 10)
        seen.append(window.cwnd)
    k, c = np.cbrt((1000 - left) / C_CUBIC), C_CUBIC
    # From a round trip on until the last before the peak; speeds over one second.
    times = np.arange(1, 1501) * RTT / 10
    speeds = (np.array(seen)[100:] - np.array(seen)[:-100]) / (times[100:] - times[:-100])
    middle = (times[100:] + times[:-100]) / 2
    there = (middle > 1) & (np.abs(middle - k) > 2) & (middle < 14)
    # The mean of 3C(t - K)² over that second.
    wanted = 3 * c * ((middle - k) ** 2 + 1 / 12)
    cubic = float(np.abs(speeds[there] / wanted[there] - 1).max())
    # Slow start: a window doubles in a round trip, in ACKs of a thousandth of it.
    slow = Window(ww.Reno(), initial=1)
    before, trips = slow.cwnd, 5
    for step in range(trips * 100):
        slow.on_ack(step * RTT / 100, rtt_s=RTT, acked=slow.cwnd * (2 ** (1 / 100) - 1))
    right = np.log2(slow.cwnd / before) / trips - 1
    return Finding(
        ours=f"the engine's TCP-FIT: ⌊t/R⌋/RTT is off by {printed:.0%} of the speed in the first period, "
        f"(⌊t/R⌋+1)/RTT by {shifted:.0e}; its CUBIC over 1 s off 3C(t-K)² by at most {cubic:.1%}; its slow start "
        f"doubles in a round trip to {abs(right):.0e}",
        holds=printed == 1.0 and shifted < 1e-6 and cubic < 0.02 and abs(right) < 1e-9,
    )


def cells(times: list[float], paper: tuple[float, ...]) -> Finding:
    """A row of Table 6, to the digits printed."""
    return Finding(
        ours=", ".join(f"{time:.1f} s" for time in times),
        holds=all(abs(time - printed) < 0.051 for time, printed in zip(times, paper, strict=True)),
    )


@claim(20)
def table_six_default() -> Finding:
    betas = [5.0 ** (np.log10(packets) - 3) for packets in BDP]
    row = cells([fit_time(packets, beta) for packets, beta in zip(BDP, betas, strict=True)], (9.8, 14.3, 20.3))
    # The text's exponent lg BDP would be β = 125 for 1000 packets.
    literal = fit_time(1e3, 5.0 ** np.log10(1e3))
    return Finding(
        ours=f"{row.ours} with β = {', '.join(f'{b:.0f}' for b in betas)}; with 5^(lg BDP) as printed {literal:.1f} "
        "s for 1000 packets",
        holds=row.holds and literal < 5,
    )


@claim(21)
def table_six_beta_one() -> Finding:
    return cells([fit_time(packets, 1.0) for packets in BDP], (9.8, 31.4, 99.8))


@claim(22)
def table_six_reno() -> Finding:
    times = []
    for packets in BDP:
        sender = Sender.avoiding(ww.Reno(), 4)
        # Two packets are the least window, and two of the round trips.
        trips = 2
        while sender.cwnd < packets:
            sender.round_trip()
            trips += 1
        times.append(trips * RTT)
    return cells(times, (100, 1000, 10_000))


@claim(23)
def table_six_cubic() -> Finding:
    """Back at W after a loss there."""
    times = []
    for packets in BDP:
        sender = Sender(Window(ww.Cubic(c=C_CUBIC, beta=717 / 1024), initial=packets))
        sender.window.on_loss(0.0)
        while sender.cwnd < packets:
            sender.round_trip()
        times.append(sender.now_s)
    printed = (8.9, 19.3, 51.5)
    off = [time / value - 1 for time, value in zip(times, printed, strict=True)]
    return Finding(
        ours=f"{', '.join(f'{time:.1f} s' for time in times)}; the third is {off[2]:+.0%} of the print, "
        f"{times[2] / 41.5 - 1:+.1%} of 41.5 s",
        holds=abs(off[0]) < 0.025 and abs(off[1]) < 0.025 and abs(off[2]) > 0.15 and abs(times[2] / 41.5 - 1) < 0.025,
    )


@claim(24)
def table_six_slow_start() -> Finding:
    times = []
    for packets in BDP:
        sender, trips = Sender(Window(ww.Reno(), initial=1)), 0
        while sender.cwnd < packets:
            sender.round_trip()
            trips += 1
        times.append(trips * RTT)
    return cells(times, (1.0, 1.4, 1.7))

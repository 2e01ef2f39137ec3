"""Claims 10, 17 and 20 to 24: throughput models, probing speeds and response times (Tables 4 to 6)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import quad

from windward.papers import Finding, claim

from ..model import drawn, sawtooth

#: Compound's parameters: α', β', k.
COMPOUND = (0.125, 0.5, 0.75)

#: Bandwidth-delay products of Table 6, packets; the round trip of 100 ms and the period R of 500 ms, seconds.
BDP = (1e3, 1e4, 1e5)
RTT, PERIOD = 0.1, 0.5


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


@claim(10)
def table_four() -> Finding:
    rng = np.random.default_rng(10)
    bounds = fairness = 0.0
    broken = 0.0
    right, printed = compound()
    # T(D, q, P + p) of each row but TCP-FIT's and Vegas', its bound T(D, P), and η.
    models: dict[str, tuple[Formula, Callable[[float, float], float], Formula]] = {
        "Reno": (lambda d, q, p: np.sqrt(1.5 / p) / (d + q), lambda d, p: np.sqrt(1.5 / p) / d, lambda x, y, p: y / x),
        "CUBIC": (
            lambda d, q, p: 1.17 * ((d + q) * p**3) ** -0.25,
            lambda d, p: 1.17 * (d * p**3) ** -0.25,
            lambda x, y, p: (y / x) ** 0.25,
        ),
        "Compound": (
            lambda d, q, p: right / ((d + q) * p**0.8),
            lambda d, p: right / (d * p**0.8),
            lambda x, y, p: y / x,
        ),
        "Veno": (
            lambda d, q, p: np.sqrt(1.8 / (0.4 * p)) / (d + q),
            lambda d, p: np.sqrt(1.8 / (0.4 * p)) / d,
            lambda x, y, p: y / x,
        ),
    }
    squares = []
    for _ in range(200):
        di, dj, q, p = *rng.uniform(0.01, 0.3, 2), rng.uniform(1e-3, 0.1), 10 ** rng.uniform(-5, -1)
        for rate, bound, eta in models.values():
            bounds = max(bounds, rate(di, q, p) / bound(di, p) - 1, abs(rate(di, 0, p) / bound(di, p) - 1))
            fairness = max(fairness, abs(rate(di, q, p) / rate(dj, q, p) / eta(di + q, dj + q, p) - 1))
        near, far = sorted((di, dj))
        ratio = models["Compound"][0](near, q, p) / models["Compound"][0](far, q, p)
        squares.append(ratio <= ((far + q) / (near + q)) ** 2)
        bounds = max(bounds, westwood(di, q, p) / (np.sqrt(1 - p) / (di * p)) - 1)
        bounds = max(bounds, abs(westwood(di, 0, p) / (np.sqrt(1 - p) / (di * p)) - 1))
        real = westwood(di, q, p) / westwood(dj, q, p)
        fairness = max(fairness, abs(real / np.sqrt((dj + q) * (p * dj + q) / ((di + q) * (p * di + q))) - 1))
        broken = max(broken, abs(real / np.sqrt(((dj + q) * (p * dj) + q) / ((di + q) * (p * di) + q)) - 1))
    # What the rates are made of: cycles between losses at equal distances, at p = 1e-5 over 100 ms.
    p, rtt = 1e-5, 0.1
    a, b, k = COMPOUND
    top = (1 / p / cycle(lambda w: a * w**k, 1 - b, 1)[0]) ** (1 / (2 - k))
    packets, rounds = cycle(lambda w: a * w**k, 1 - b, top)
    direct = packets / (rounds * rtt)
    # CUBIC with δ = 0.2 and C = 0.4: w = W - C·s³ for K = (δW/C)^(1/3) seconds before the loss.
    mean = 1 - 0.2 / 4
    # 1/p = ∫ w/rtt dt = (mean·W)·K/rtt.
    peak = (rtt / p / mean / (0.2 / 0.4) ** (1 / 3)) ** 0.75
    cubic = mean * peak / rtt
    veno = drawn(1, 0.2, p, 2000, None) / rtt
    reno = drawn(1, 0.5, p, 2000, None) / rtt
    integrals = {
        "Reno": models["Reno"][0](rtt, 0, p) / reno - 1,
        "CUBIC": models["CUBIC"][0](rtt, 0, p) / cubic - 1,
        "Compound": models["Compound"][0](rtt, 0, p) / direct - 1,
        "Veno": sawtooth(1, 0.2, p, rtt) / veno - 1,
    }
    off = max(map(abs, integrals.values()))
    # TCP-FIT and Vegas have no bound: T grows without end as q shrinks, and no D is in it.
    free = [max(1 / (0.1 + q), 0.1 / q) * np.sqrt(1.5 / 1e-3) for q in (1e-2, 1e-4, 1e-6)]
    return Finding(
        ours=f"200 points: bounds hold and are met without congestion to {bounds:.0e}, η to {fairness:.0e} "
        f"(Westwood's printed "
        f"brackets: off by up to {broken:.0%}); four rates against the integral of a cycle: {off:.1%}; Λ is "
        f"{right:.3f}, as "
        f"printed {printed:.1f}; TCP-FIT's rate for q = 10, 0.1, 0.001 ms: {', '.join(f'{f:.0f}' for f in free)} "
        f"packets/s",
        holds=bounds < 1e-9
        and fairness < 1e-9
        and broken > 0.1
        and all(squares)
        and off < 0.01
        and printed / right > 10
        and abs(free[2] / free[1] / 100 - 1) < 1e-6,
    )


def fit_time(packets: float, beta: float) -> float:
    """Whole round trips until TCP-FIT's window, from nothing and with N = 1, has grown to so many packets; seconds."""
    window, n, rounds = 0.0, 1.0, 0
    while window < packets:
        window += n
        rounds += 1
        if rounds % round(PERIOD / RTT) == 0:
            n += beta
    return rounds * RTT


@claim(17)
def probing_speeds() -> Finding:
    printed = shifted = 0.0
    window, n = 0.0, 1.0
    for trip in range(200):
        t = trip * RTT
        # The window gains N packets in this round trip: N/RTT a second.
        speed = n / RTT
        printed = max(printed, abs(np.floor(t / PERIOD + 1e-9) / RTT - speed) / speed)
        shifted = max(shifted, abs((np.floor(t / PERIOD + 1e-9) + 1) / RTT - speed) / speed)
        window += n
        if (trip + 1) % round(PERIOD / RTT) == 0:
            n += 1
    h, c, k, t = 1e-5, 0.4, 3.0, 1.7
    cubic = (c * (t + h - k) ** 3 - c * (t - h - k) ** 3) / (2 * h) / (3 * c * (t - k) ** 2) - 1
    slow = (2 ** ((t + h) / RTT) - 2 ** ((t - h) / RTT)) / (2 * h)
    right = slow / (2 ** (t / RTT) * np.log(2) / RTT) - 1
    wrong = slow / (2 * t / RTT * np.log(2)) - 1
    return Finding(
        ours=f"TCP-FIT: ⌊t/R⌋/RTT is off by {printed:.0%} of the speed in the first period, (⌊t/R⌋+1)/RTT by "
        f"{shifted:.0e}; CUBIC by "
        f"{abs(cubic):.0e}; slow start 2^(t/RTT) ln2/RTT by {abs(right):.0e}, as our copy prints it by "
        f"{abs(wrong):.0e}",
        holds=printed == 1.0 and shifted < 1e-12 and abs(cubic) < 1e-6 and abs(right) < 1e-6 and abs(wrong) > 1,
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
        f"s for "
        "1000 packets",
        holds=row.holds and literal < 5,
    )


@claim(21)
def table_six_beta_one() -> Finding:
    return cells([fit_time(packets, 1.0) for packets in BDP], (9.8, 31.4, 99.8))


@claim(22)
def table_six_reno() -> Finding:
    return cells([packets * RTT for packets in BDP], (100, 1000, 10_000))


@claim(23)
def table_six_cubic() -> Finding:
    # CUBIC 2.3 of Linux 2.6.31: C = 410/1024, decrease 1 - 717/1024: back at W after K seconds.
    times = [float(np.cbrt((1 - 717 / 1024) * packets / (410 / 1024))) for packets in BDP]
    printed = (8.9, 19.3, 51.5)
    off = [time / value - 1 for time, value in zip(times, printed, strict=True)]
    return Finding(
        ours=f"{', '.join(f'{time:.1f} s' for time in times)}; the third is {off[2]:+.0%} of the print, "
        f"{times[2] / 41.5 - 1:+.1%} "
        "of 41.5 s",
        holds=abs(off[0]) < 0.025 and abs(off[1]) < 0.025 and abs(off[2]) > 0.15 and abs(times[2] / 41.5 - 1) < 0.025,
    )


@claim(24)
def table_six_slow_start() -> Finding:
    return cells([np.ceil(np.log2(packets)) * RTT for packets in BDP], (1.0, 1.4, 1.7))

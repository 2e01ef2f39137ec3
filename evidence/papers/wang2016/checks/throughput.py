"""Claims 1 to 7: the algorithm and the throughput model (sections 3 and 4)."""

from __future__ import annotations

import numpy as np

import windward as ww
from windward.papers import Finding, claim
from windward.theory.laws import Window

from ..model import PACKET_BITS, decrease, drawn, lossy, sawtooth, shared
from ..steps import PERIOD, Sender, mean_rate

#: Numbers of connections at which formulas are compared.
COUNTS = (1, 2, 5, 20)


@claim(1)
def one_connection_is_reno() -> Finding:
    # With a period longer than the run N stays 1.
    fit, reno = (shared([law], 100, 1e-3).flow_series["cwnd"] for law in (ww.TcpFit(period=1e6), ww.Reno()))
    other = shared([ww.TcpFit()], 100, 1e-3).flow_series["cwnd"]
    same = bool((fit.to_numpy() == reno.to_numpy()).all())
    return Finding(
        ours=f"{len(fit)} windows of packet runs over 0.1 % loss: {'equal' if same else 'different'} with N = 1; "
        f"with N free "
        f"the mean is {other.mean() / reno.mean():.1f} times Reno's",
        holds=same and decrease(1) == 0.5 and other.mean() > 1.5 * reno.mean(),
    )


@claim(2)
def multcp_is_about_n_renos() -> Finding:
    """Arithmetic: MulTCP's cycles, counted."""
    reno = drawn(1, 0.5, 1e-4, 20_000, None)
    ratios = [drawn(n, 1 / (2 * n), 1e-4, 20_000, None) / (n * reno) for n in COUNTS]
    closed = [np.sqrt((4 * n - 1) / (3 * n)) for n in COUNTS]
    return Finding(
        ours=f"{', '.join(f'{r:.3f}' for r in ratios)} times N Renos at N = {', '.join(map(str, COUNTS))}, in theory "
        f"√((4N-1)/(3N)) < {np.sqrt(4 / 3):.3f}",
        holds=bool(np.allclose(ratios, closed, rtol=1e-3)) and max(ratios) < np.sqrt(4 / 3) and ratios[0] < 1.001,
    )


@claim(3)
def the_decrease_has_a_plus() -> Finding:
    taken = []
    for n in COUNTS:
        sender = Sender.fit(n)
        before = sender.cwnd
        sender.window.on_loss(sender.now_s)
        taken.append(1 - sender.cwnd / before)
    law = max(abs(share / decrease(n) - 1) for n, share in zip(COUNTS, taken, strict=True))
    wanted = [n * sawtooth(1, 0.5, 1e-3) for n in COUNTS]
    right = max(abs(sawtooth(n, share, 1e-3) / w - 1) for n, share, w in zip(COUNTS, taken, wanted, strict=True))
    printed = [sawtooth(n, 2 / (3 * n - 1), 1e-3) / w for n, w in zip(COUNTS, wanted, strict=True)]
    return Finding(
        ours=f"a loss takes {', '.join(f'{share:.4f}' for share in taken)} of the engine's window at N = "
        f"{', '.join(map(str, COUNTS))}, 2/(3N+1) to {law:.0e}; (20) with these gives N times Reno to {right:.0e}, "
        f"with 3N-1 {', '.join(f'{p:.3f}' for p in printed)} of it",
        holds=law < 1e-9 and right < 1e-9 and max(printed) < 0.99 and 2 / (3 * 1 - 1) == 1.0,
    )


@claim(4)
def n_times_reno() -> Finding:
    """The engine's laws between the same losses: at equal distances, and at geometric ones."""
    # Windows begin near √(1.5/p) for each of N, and what is left of the start decays by (1 - b)² a loss.
    even = [1e4] * 160
    reno = mean_rate(Sender.avoiding(ww.Reno(), 250), even, 80)
    ratios = [mean_rate(Sender.fit(n, 250 * n), even, 80) / reno / n for n in COUNTS]
    luck = [float(d) for d in np.random.default_rng(4).geometric(1e-4, CHANCES)]
    single = Sender.avoiding(ww.Reno(), 250).rate(luck)
    chance, errors = [], []
    for n in COUNTS:
        many = Sender.fit(n, 250 * n).rate(luck)
        times = np.array([[d / rate for d, rate in zip(luck, rates, strict=True)] for rates in (many, single)])[:, 80:]
        chance.append(times[1].sum() / times[0].sum() / n)
        # Batches of 100 losses forget one another.
        batches = times[:, : len(times[0]) // 100 * 100].reshape(2, -1, 100).sum(axis=2)
        parts = batches[1] / batches[0] / n
        errors.append(float(parts.std(ddof=1) / np.sqrt(len(parts))))
    # Reno's rate under memoryless losses is 1.31/√p (Ott, Kemperman and Mathis 1996), that of small decreases √(1.5/p).
    limit = np.sqrt(1.5) / 1.31
    return Finding(
        ours=f"the engine's laws between losses at equal distances: {', '.join(f'{e:.3f}' for e in ratios)}; between "
        f"{CHANCES} at random: {', '.join(f'{c:.3f}' for c in chance)} at N = {', '.join(map(str, COUNTS))}, standard "
        f"error at most {max(errors):.3f}",
        holds=max(abs(e - 1) for e in ratios) < 0.01
        and abs(chance[0] - 1) < 1e-9
        and all(limit - 3 * error < c < 1 for c, error in zip(chance[1:], errors[1:], strict=True))
        and abs(chance[-1] - limit) < 3 * errors[-1] + 0.01,
    )


#: Losses at random distances of claim 4.
CHANCES = 4000


def at_queue(sender: Sender, base: float, queue: float, times: int) -> list[float]:
    """N after each of so many updates with this constant queueing delay."""
    seen = []
    for _ in range(times):
        sender.now_s += 2 * PERIOD
        sender.ack(base + queue)
        seen.append(sender.shown("n"))
    return seen


@claim(5)
def connections_at_rest() -> Finding:
    rng = np.random.default_rng(5)
    worst, slope = 0.0, 0.0
    for _ in range(50):
        # Whole nanoseconds, as the law's clock has them.
        base, queue = round(rng.uniform(0.01, 0.3), 9), round(10 ** rng.uniform(-3.5, -1), 9)
        alpha, start = rng.uniform(0.02, 0.1), int(rng.integers(1, 50))
        sender = Sender(Window(ww.TcpFit(alpha=alpha, period=PERIOD), initial=10))
        # A round trip of three times the least, in slow start, shows it a buffer: α is no less than its greatest.
        sender.ack(3 * base)
        sender.ack(base)
        sender.window.on_loss(0.0)
        at_queue(sender, base, 0.0, start)
        n = at_queue(sender, base, queue, 2000)
        rest = max(1.0, alpha * (base + queue) / queue)
        worst = max(worst, abs(n[-1] / rest - 1))
        # The gain of the rule, where it goes to its rest without being cut at 1.
        gaps = np.array(n) - rest
        far = np.flatnonzero((np.abs(gaps[:-1]) > 1e-4 * rest) & (np.array(n[1:]) > 1))
        if rest > 2 and len(far):
            slope = max(slope, float(np.abs(gaps[far + 1] / gaps[far] - (1 - 1 / rest)).max()))
    return Finding(
        ours=f"50 paths: the engine's N comes to (25) within {worst:.0e}; each update leaves 1 - 1/N of the distance, "
        f"to {slope:.0e}",
        holds=worst < 1e-6 and slope < 1e-6,
    )


@claim(6)
def queue_at_rest() -> Finding:
    ratios, errors = [], []
    for mbps in (10, 20, 100):
        run = shared([ww.TcpFit()], 100, 1e-3, mbps=mbps)
        late = run.internals[(run.internals["name"] == "n") & (run.internals["time_s"] > 75)]
        n = late.groupby("seed")["value"].mean()
        window = run.flow_series.query("time_s > 75").groupby("seed")["cwnd"].mean()
        each = run.links.groupby("seed")["mean_backlog"].first() / (0.1 * window / n)
        ratios.append(float(each.mean()))
        errors.append(float(each.std(ddof=1) / np.sqrt(len(each))))
    # In the fluid engine the same law rests: Q = q·x packets, and N where (3) is at rest at this window.
    flow = lossy(20).fluid().flows.iloc[0]
    window, p = flow["cwnd"], 1e-3
    n = (np.sqrt(1 + 24 * window**2 * p / (1 - p)) - 1) / 6
    fluid = flow["queue_delay_ms"] / 1e3 * flow["rate_bps"] / PACKET_BITS / (0.1 * window / n)
    return Finding(
        ours=f"fluid: E[Q] is {fluid:.4f} times α E[w]/E[N], N = {n:.1f}. Packets over 0.1 % loss at 10, 20, 100 "
        f"Mbit/s: {', '.join(f'{r:.2f} ± {e:.2f}' for r, e in zip(ratios, errors, strict=True))} times",
        holds=abs(fluid - 1) < 1e-3
        # Too much on slow links, and as printed on the paper's own.
        and all(ratio - 1 > 5 * error for ratio, error in zip(ratios[:2], errors[:2], strict=True))
        and 4 > ratios[0] > ratios[1] > ratios[2]
        and abs(ratios[2] - 1) < 3 * errors[2],
    )


@claim(7)
def the_first_order_is_right() -> Finding:
    """Arithmetic."""
    worst = []
    for n in (1, 5, 50):
        b = decrease(n)
        # (16) - (17), over 1/√PLR: falls as √PLR, so a hundredth for 1e-4 of the loss.
        half = b / (2 * (2 - b))
        gap = [
            (half + np.sqrt(half**2 + 2 * b / (loss * n * (2 - b))) - np.sqrt(2 * b / (loss * n * (2 - b))))
            * np.sqrt(loss)
            for loss in (1e-2, 1e-6)
        ]
        worst.append(abs(gap[1] / gap[0]))
    return Finding(
        ours=f"(16) - (17) over 1/√PLR falls to {max(worst):.4f} of itself from PLR = 1e-2 to 1e-6",
        holds=max(worst) < 0.0101,
    )

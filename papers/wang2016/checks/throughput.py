"""Claims 1 to 7: the algorithm and the throughput model (sections 3 and 4)."""

from __future__ import annotations

import numpy as np

import windward as ww
from windward.papers import Finding, claim

from ..model import decrease, drawn, sawtooth, shared

#: Numbers of connections at which formulas are compared.
COUNTS = (1, 2, 5, 20)


def rule(n: float, rtt: float, base_rtt: float, alpha: float, beta: float = 1.0) -> float:
    """N after one update (8), (41)."""
    return max(1.0, n + beta - beta * (rtt - base_rtt) / (alpha * rtt) * n)


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
    wanted = [n * sawtooth(1, 0.5, 1e-3) for n in COUNTS]
    right = max(abs(sawtooth(n, decrease(n), 1e-3) / w - 1) for n, w in zip(COUNTS, wanted, strict=True))
    printed = [sawtooth(n, 2 / (3 * n - 1), 1e-3) / w for n, w in zip(COUNTS, wanted, strict=True)]
    return Finding(
        ours=f"(20) gives N times Reno to {right:.0e} with 3N+1; with 3N-1 {', '.join(f'{p:.3f}' for p in printed)} "
        f"of it "
        f"at N = {', '.join(map(str, COUNTS))}",
        holds=right < 1e-12 and max(printed) < 0.99 and 2 / (3 * 1 - 1) == 1.0,
    )


@claim(4)
def n_times_reno() -> Finding:
    even = [drawn(n, decrease(n), 1e-4, 20_000, None) / drawn(1, 0.5, 1e-4, 20_000, None) / n for n in COUNTS]
    chance = [
        np.mean([drawn(n, decrease(n), 1e-4, 20_000, s) / drawn(1, 0.5, 1e-4, 20_000, s) / n for s in range(5)])
        for n in COUNTS
    ]
    # Reno's rate under memoryless losses is 1.31/√p (Ott, Kemperman and Mathis 1996), a small decrease's √(a/(bp)).
    limit = np.sqrt(1.5) / 1.31
    return Finding(
        ours=f"losses at equal distances: {', '.join(f'{e:.3f}' for e in even)}; by chance: "
        f"{', '.join(f'{c:.3f}' for c in chance)} at N = {', '.join(map(str, COUNTS))}",
        holds=max(abs(e - 1) for e in even) < 1e-3 and all(limit - 0.01 < c < 1.01 for c in chance),
    )


@claim(5)
def connections_at_rest() -> Finding:
    rng = np.random.default_rng(5)
    worst, slope = 0.0, 0.0
    for _ in range(50):
        base, queue, alpha = rng.uniform(0.01, 0.3), 10 ** rng.uniform(-4, -1), rng.uniform(0.02, 0.1)
        rtt, n = base + queue, rng.uniform(1, 50)
        rest = max(1.0, alpha * rtt / queue)
        for _ in range(10_000):
            n = rule(n, rtt, base, alpha)
        worst = max(worst, abs(n / rest - 1))
        if rest > 2:
            gap = rule(rest + 0.1, rtt, base, alpha) - rest
            slope = max(slope, abs(gap / 0.1 - (1 - 1 / rest)))
    return Finding(
        ours=f"50 paths: (8) comes to (25) within {worst:.0e}; each update leaves 1 - 1/N of the distance, to "
        f"{slope:.0e}",
        holds=worst < 1e-9 and slope < 1e-9,
    )


@claim(6)
def queue_at_rest() -> Finding:
    rng = np.random.default_rng(6)
    worst = 0.0
    for _ in range(50):
        rtt, alpha, window = rng.uniform(0.05, 0.3), rng.uniform(0.02, 0.1), rng.uniform(10, 1e4)
        queue = rtt * alpha * rng.uniform(0.01, 1)
        n = alpha * rtt / queue
        worst = max(worst, abs(queue * window / rtt / (alpha * window / n) - 1))
    ratios = []
    for mbps in (10, 20, 50):
        run = shared([ww.TcpFit()], 100, 1e-3, mbps=mbps)
        n = run.internals.query("name == 'n' and time_s > 75")["value"].mean()
        window = run.flow_series.query("time_s > 75")["cwnd"].mean()
        ratios.append(run.links["mean_backlog"].iloc[0] / (0.1 * window / n))
    return Finding(
        ours=f"50 fixed points of (8): to {worst:.0e}. Packets over 0.1 % loss at 10, 20, 50 Mbit/s: mean queue "
        f"{', '.join(f'{r:.2f}' for r in ratios)} times α E[w]/E[N]",
        holds=worst < 1e-12 and all(1 < r < 4 for r in ratios),
    )


@claim(7)
def the_first_order_is_right() -> Finding:
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
        worst.append(gap[1] / gap[0])
    return Finding(
        ours=f"(16) - (17) over 1/√PLR falls to {max(worst):.4f} of itself from PLR = 1e-2 to 1e-6",
        holds=max(worst) < 0.0101,
    )

"""The claims of huang2020 as checks."""

from __future__ import annotations

import numpy as np

from windward import num
from windward.papers import Finding, claim


@claim(8)
def path_delays_are_unique() -> Finding:
    base_rtt, windows = np.array([0.1, 0.2]), np.array([30.0, 50.0])
    utilities: list[num.Utility] = [
        {"kind": "window", "window": w, "base_rtt": d} for w, d in zip(windows, base_rtt, strict=True)
    ]
    found = num.solve(num.wired([100.0, 100.0], [[0, 1], [0, 1]], utilities))
    # Any split of the delay among the two full links answers (11)-(17): rates follow from its sum alone.
    splits = [(share * found.path_prices[0], (1 - share) * found.path_prices[0]) for share in (0.0, 0.3, 1.0)]
    worst = max(float(np.abs((windows / (base_rtt + first + second)).sum() / 100.0 - 1.0)) for first, second in splits)
    spread = float(np.ptp(found.path_prices) / found.path_prices[0])
    return Finding(
        ours=f"three splits of one delay are solutions to {worst:.0e}; path delays differ by {spread:.0e}",
        holds=worst < 1e-9 and spread < 1e-9 and found.path_prices[0] > 0,
    )

"""Makes scenarios/recordings/train.trace: a link that swings, and stops in a tunnel.

    python tools/make_recordings.py

Nobody's measurement, but of the shape of one: the logarithm of the rate goes its random way around that of 3 Mbit/s
within seconds, between 0.5 and 9 Mbit/s, and for a second nothing passes. The same code gives the same bytes.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

FILE = Path(__file__).parents[1] / "scenarios" / "recordings" / "train.trace"

DURATION_MS, STEP_MS = 30_000, 100
MEAN_BPS, LEAST_BPS, MOST_BPS = 3e6, 0.5e6, 9e6
#: The walk forgets a factor e in two seconds; its spread is a factor e to both sides.
MEMORY_MS, SPREAD = 2_000, 1.0
TUNNEL_MS = range(12_000, 13_000)

#: What one line of mahimahi's format lets out.
LINE_BITS = 1500 * 8


def lines() -> list[int]:
    """The instants of opportunities, in milliseconds, in order."""
    generator = random.Random(1)
    keep = math.exp(-STEP_MS / MEMORY_MS)
    walk, saved, instants = 0.0, 0.0, []
    for now in range(0, DURATION_MS, STEP_MS):
        walk = keep * walk + math.sqrt(1 - keep**2) * SPREAD * generator.gauss(0, 1)
        rate = 0.0 if now in TUNNEL_MS else min(MOST_BPS, max(LEAST_BPS, MEAN_BPS * math.exp(walk)))
        for millisecond in range(now + 1, now + STEP_MS + 1):
            saved += rate / 1000
            instants += [millisecond] * int(saved // LINE_BITS)
            saved %= LINE_BITS
    # The last line is the length of the recording.
    return instants if instants[-1] == DURATION_MS else [*instants, DURATION_MS]


def text() -> str:
    """The file."""
    return "".join(f"{instant}\n" for instant in lines())


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text(), encoding="ascii")

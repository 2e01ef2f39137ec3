"""Arguments that scenarios and bare networks share."""

from __future__ import annotations

import math
from typing import Literal

#: How late flows see their paths: seconds, or a round trip of each.
Delay = float | Literal["rtt"]


def engine_delay(delay_s: Delay | None, period_s: float | None) -> float | None:
    """The delay as the engine takes it: 0 stands for a round trip."""
    if delay_s is None:
        return None
    if period_s is not None:
        raise ValueError("a feedback delay and a period are mutually exclusive")
    if isinstance(delay_s, str):
        if delay_s != "rtt":
            raise ValueError(f'the feedback delay is "{delay_s}"; expected a number of seconds or "rtt"')
        return 0.0
    above_zero("feedback delay", delay_s)
    return float(delay_s)


def above_zero(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"the {name} is {value:g}; it must be above 0")

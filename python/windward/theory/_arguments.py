"""Arguments that scenarios and bare networks share."""

from __future__ import annotations

import math
from typing import Literal

#: How late flows see their paths: seconds, or a round trip of each.
Delay = float | Literal["rtt"]

#: Most discrete updates of a run: ten minutes of a small network.
_MOST_UPDATES = 1e9


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


def check_period(name: str, period_s: float, duration_s: float) -> None:
    """Refuses a period that is not positive, or so short that the updates do not end.

    Raises
    ------
    ValueError
        For such a period.
    """
    above_zero(name, period_s)
    if duration_s > period_s * _MOST_UPDATES:
        raise ValueError(
            f"the {name} is {period_s:g}: {duration_s / period_s:.0e} updates in {duration_s:g} s; "
            f"at most {_MOST_UPDATES:.0e} are allowed"
        )


def above_zero(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"the {name} is {value:g}; it must be above 0")

"""The series of a run's flows, as other tools' files want them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from windward.results._shapes import Packets


def flow_tables(run: Packets, seed: int) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """The totals of the flows, by name, and the samples of each, with the instants in seconds as index.

    Raises
    ------
    ValueError
        If the run has no flows.
    """
    totals = run.table("flows", seed).to_pandas().set_index("flow")
    if totals.empty:
        raise ValueError("there is nothing to export: the run has no TCP flows")
    series = run.table("flow_series", seed).to_pandas()
    groups = series.groupby("flow", sort=False, observed=True)
    samples = {str(flow): rows.set_index("time_s") for flow, rows in groups}
    return totals, {str(flow): samples[str(flow)] for flow in totals.index}


def steps(instants: Any) -> Any:
    """Length of each sample, in seconds since the previous one."""
    return np.diff(np.asarray(instants, float), prepend=0.0)


def known(value: float) -> float | None:
    """A number that JSON can hold."""
    return float(value) if math.isfinite(value) else None

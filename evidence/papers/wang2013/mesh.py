"""The ns-2 part, mesh.toml, with the laws and schedulers that the paper compares over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import windward as ww
from windward.results.stats import jain

FILE = Path(__file__).parent / "mesh.toml"

#: p of the delay laws, and κ.
BACKLOG = 200
KAPPA = 1.5


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A law as the paper runs it."""

    law: Any
    #: Fields of the flows: what else the sender of that name has in ns-2.
    tcp: Mapping[str, Any] = field(default_factory=dict)


#: In the order of Fig. 4. [G] As in huang2020: ns-2's Reno has no SACK.
SCHEMES = {
    "QUIC-TCP": Scheme(law=ww.QuicTcp(mode="ns2", rho=0.5, kappa=KAPPA, backlog=BACKLOG)),
    "FAST": Scheme(law=ww.Fast(mode="ns2", gamma=KAPPA, alpha=BACKLOG)),
    "Vegas": Scheme(law=ww.Vegas(alpha=200, beta=203)),
    "Reno": Scheme(law=ww.Reno(byte_counting=False), tcp={"sack": False}),
}

#: Names as in Fig. 5.
SCHEDULERS: dict[str, Any] = {
    "proposed": ww.format.QueueingDelayAccess(rounding="random"),
    "original": "dcf",
    "queue length": ww.format.QueueLengthAccess(rounding="random"),
}


#: Seeds of the twelve pairs of Fig. 5. Four of them are level within the intervals of five seeds.
SEEDS = 20

#: Scales β of the transmission aggressiveness. (18) has none: β = 1 is the rule as printed, and it is that of all
#: claims; the others show what hangs on it.
SCALES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)

#: Time of the runs at other scales, in seconds.
SCALED_S = 300


def scaled(rule: str, scale: float) -> Any:
    """A scheduler whose aggressiveness is so many times that of (18), or of the queue length."""
    access = ww.format.QueueingDelayAccess if rule == "proposed" else ww.format.QueueLengthAccess
    return access(rounding="random", scale=scale)


def scenario(scheme: Scheme, access: Any = None, wifi: Mapping[str, Any] | None = None, **fields: Any) -> ww.Scenario:
    """The scenario with this law and scheduler; `wifi` are fields of the wireless network, `fields` of the file."""
    base = ww.load(FILE)
    network = replace(base.wifi[0], **(wifi or {}))
    return replace(
        base,
        wifi=[network if access is None else replace(network, access=access)],
        flow=[replace(flow, law=scheme.law, **scheme.tcp) for flow in base.flow],
        **fields,
    )


def totals(flows: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Totals that Figs. 4 and 5 show, one row for each run and seed; `names` are the columns that identify a run."""
    by_seed = flows.groupby([*names, "seed"], sort=False)
    summed = by_seed[["goodput_pps", "mean_window_rate_pps"]].sum()
    utility = by_seed["goodput_pps"].apply(lambda rates: BACKLOG * float(np.log(rates).sum()))
    return summed.assign(jain=by_seed["goodput_pps"].apply(jain), utility=utility).reset_index()

"""The packet scenario, access-point.toml, with the laws and schedulers that the paper compares over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import windward as ww
from windward.results.stats import jain

FILE = Path(__file__).parent / "access-point.toml"

#: p, the packets that a flow is to keep in queues, and κ of the runs of Figs. 5 and 6.
BACKLOG = 200
KAPPA = 1.5

#: Mean SNR of UE0 to UE3, dB, as in the scenario.
SNR_DB = (12, 19, 13, 16)


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A way of controlling windows, as the paper runs it."""

    law: Any
    #: Fields of the flows: what else the sender of that name has in ns-2.
    tcp: Mapping[str, Any] = field(default_factory=dict)


def quic_tcp(rho: float = 0.5, kappa: float = KAPPA) -> Scheme:
    """QUIC-TCP as the paper's module makes its steps."""
    return Scheme(law=ww.QuicTcp(mode="ns2", rho=rho, kappa=kappa, backlog=BACKLOG))


def fast(kappa: float = KAPPA) -> Scheme:
    """FAST as its ns-2 module makes them."""
    return Scheme(law=ww.Fast(mode="ns2", gamma=kappa, alpha=BACKLOG))


#: In the order of Fig. 6. [G] CUBIC is the file of Linux 2.6.22 that ns-2.35 compiles, without timestamps, the default
#: there. ns-2's Reno has no SACK; the modules of FAST, CUBIC and Compound have, and Vegas's timers find losses as
#: early.
SCHEMES = {
    "QUIC-TCP": quic_tcp(),
    "FAST": fast(),
    "CUBIC": Scheme(law=ww.Cubic(version="linux-2.6.22", timestamps=False)),
    "Compound": Scheme(law=ww.Compound()),
    "Vegas": Scheme(law=ww.Vegas(alpha=200, beta=203)),
    "Reno": Scheme(law=ww.Reno(byte_counting=False), tcp={"sack": False}),
}

#: The paper's (10) first. Its round robin gives each slot to the next station, whether something waits there or not.
SCHEDULERS: dict[str, Any] = {
    "queueing delay (10)": "queueing-delay",
    "round robin": ww.format.RoundRobinScheduler(oblivious=True),
    "max-SNR": "max-snr",
    "queue length": "queue-length",
}


#: Fields of a scenario of which only totals are wanted.
TOTALS_ONLY: dict[str, Any] = {"output": ww.Output(sample_interval="100 s")}


def scenario(scheme: Scheme, scheduler: Any = "queueing-delay", **fields: Any) -> ww.Scenario:
    """The scenario with this scheme and scheduler, and these fields of its own."""
    base = ww.load(FILE)
    return replace(
        base,
        cell=[replace(base.cell[0], scheduler=scheduler)],
        flow=[replace(flow, law=scheme.law, **scheme.tcp) for flow in base.flow],
        **fields,
    )


def totals(flows: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Totals that the paper's figures show, one row for each run and seed.

    Parameters
    ----------
    flows
        The flows of many runs.
    names
        The columns that identify a run.
    """
    by_seed = flows.groupby([*names, "seed"], sort=False)
    summed = by_seed[["goodput_pps", "mean_window_rate_pps"]].sum()
    utility = by_seed["goodput_pps"].apply(lambda rates: BACKLOG * float(np.log(rates).sum()))
    return summed.assign(jain=by_seed["goodput_pps"].apply(jain), utility=utility).reset_index()

"""Many runs of the ns-2 part, as one table of flows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

import windward as ww
from windward.papers import Context
from windward.results.stats import jain

from ..shared import packets

#: What is kept of a flow.
_KEPT = ["seed", "flow", "goodput_bps", "mean_rtt_s", "timeouts", "retransmits", "segments_sent"]

#: Payload of a TCP packet of 1000 B.
SEGMENT = 960

#: Payload of a datagram of 1000 B, as a share of it.
_PAYLOAD = 972 / 1000


def simulate(cases: Mapping[Any, ww.Scenario], context: Context, what: str) -> dict[Any, ww.Run]:
    """Runs each case with the context's seeds; cases of one seed, the draws of the grid, with theirs."""

    def tell(text: str) -> None:
        context.progress(f"{what}: {text}")

    several = {key: scenario for key, scenario in cases.items() if isinstance(scenario.seeds, int)}
    single = {key: scenario for key, scenario in cases.items() if key not in several}
    done = packets.simulate(several, tell, context.seeds, context.share)
    done |= packets.simulate(single, tell, share=context.share)
    return {key: done[key] for key in cases}


def rates(runs: Mapping[Any, ww.Run], names: tuple[str, ...]) -> pd.DataFrame:
    """Goodput of every flow and of every source of datagrams, by seed; parts of the keys are in the columns `names`.

    Beside the goodput, which a block reaches when it is decoded, `innovative_bps`: packets received that were not
    combinations of earlier ones, which is what the coding layer acknowledges to TCP.
    """
    tables = []
    for key, run in runs.items():
        rows = [run.flows[_KEPT].merge(silence(run).astype({"flow": str}), on=["seed", "flow"], how="left")]
        rows[0] = rows[0].assign(innovative_bps=innovative(run, rows[0]))
        if not run.background.empty:
            sources = run.background.rename(columns={"source": "flow"})
            received = _PAYLOAD * sources["received_bps"]
            rows.append(
                sources.assign(goodput_bps=received, innovative_bps=received)[
                    ["seed", "flow", "goodput_bps", "innovative_bps"]
                ]
            )
        table = pd.concat(rows, ignore_index=True)
        parts: dict[str, Any] = dict(zip(names, key, strict=True))
        tables.append(table.assign(**parts))
    return pd.concat(tables, ignore_index=True)


def innovative(run: ww.Run, flows: pd.DataFrame) -> pd.Series[float]:
    """Innovative payload received a second, for each row of the flows; their goodput where they are not coded."""
    if run.coding.empty:
        return flows["goodput_bps"]
    counts = run.coding.astype({"flow": str}).set_index(["seed", "flow"])["innovative"]
    keys = pd.MultiIndex.from_frame(flows[["seed", "flow"]].astype({"flow": str}))
    rate = 8 * SEGMENT * counts.reindex(keys).to_numpy() / (run.duration_s - run.warmup_s)
    return pd.Series(rate, index=flows.index).fillna(flows["goodput_bps"])


def silence(run: ww.Run) -> pd.DataFrame:
    """For every flow and seed the share of spans of 5 s, from 10 s on, in which nothing arrived."""
    series = run.flow_series[run.flow_series["time_s"] > 10]
    span = (series["time_s"] // 5).rename("span")
    arrived = series.groupby(["seed", "flow", span], observed=True)["goodput_bps"].mean()
    return (arrived <= 0).groupby(["seed", "flow"], observed=True).mean().rename("silent").reset_index()


def totals(table: pd.DataFrame, names: list[str], metric: str = "goodput_bps") -> pd.DataFrame:
    """Total and Jain's index of each run and seed, in columns `total_bps` and `jain`."""
    groups = table.groupby([*names, "seed"], sort=False)[metric]
    # All flows dead are equal: 0/0 is no fairness.
    return pd.DataFrame({"total_bps": groups.sum(), "jain": groups.apply(jain)}).reset_index()

"""Flent's data file, version 4: https://flent.org/data-format.html."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from windward.results.stats import jain
from windward.show.tools._samples import flow_tables, known

if TYPE_CHECKING:
    from pathlib import Path

    from windward.results._shapes import Packets

#: Simulated time begins here.
_EPOCH = "1970-01-01T00:00:00.000000Z"


def write(run: Packets, seed: int, path: Path) -> bytes:
    """The run as one of Flent's test `tcp_nup`: its series are the flows, and in place of ping their mean RTT.

    Raises
    ------
    ValueError
        If the name does not end in .flent.gz, by which Flent knows its files, or the run has no flows.
    """
    if not path.name.endswith(".flent.gz"):
        raise ValueError(f"{path}: Flent reads files that end in .flent.gz; give the file this ending")
    totals, samples = flow_tables(run, seed)
    names = {flow: f"TCP upload::{at}" for at, flow in enumerate(samples, 1)}
    goodput = pd.DataFrame({flow: rows["goodput_bps"] / 1e6 for flow, rows in samples.items()})
    rtt = pd.DataFrame({flow: rows["srtt_ms"] for flow, rows in samples.items()})
    instants = [float(time) for time in goodput.index]
    results: dict[str, Any] = {name: _values(goodput[flow]) for flow, name in names.items()}
    results["TCP upload sum"] = _values(goodput.sum(axis=1))
    results["TCP upload avg"] = _values(goodput.mean(axis=1))
    results["TCP upload fairness"] = [known(jain(row)) for row in goodput.to_numpy()]
    results["Ping (ms) ICMP"] = _values(rtt.mean(axis=1))
    raw: dict[str, Any] = {name: _raw(samples[flow]) for flow, name in names.items()}
    pings = zip(instants, results["Ping (ms) ICMP"], strict=True)
    raw["Ping (ms) ICMP"] = [{"t": time, "val": value} for time, value in pings if value is not None]
    series: dict[str, Any] = {name: {"UNITS": "Mbits/s"} for name in results}
    series["Ping (ms) ICMP"] = {"UNITS": "ms"}
    series["TCP upload fairness"] = {"UNITS": "Idx"}
    for flow, name in names.items():
        series[name] |= {
            "CONG_CONTROL": str(totals.loc[flow, "law"]),
            "MEAN_VALUE": float(goodput[flow].mean()),
            "WINDWARD_FLOW": flow,
        }
    step = float(np.median(np.diff(instants))) if len(instants) > 1 else run.duration_s
    content = {
        "version": 4,
        "x_values": instants,
        "results": results,
        "raw_values": raw,
        "metadata": {
            "NAME": "tcp_nup",
            "TITLE": f"{run.name}, seed {seed}",
            "NOTE": f"windward {run.engine}: {run.title or run.name}; the ping is the flows' mean smoothed RTT",
            "TIME": _EPOCH,
            "T0": _EPOCH,
            "DATA_FILENAME": path.name,
            "HOST": str(totals["to"].iloc[0]),
            "HOSTS": list(dict.fromkeys(map(str, totals["to"]))),
            "LOCAL_HOST": str(totals["from"].iloc[0]),
            "LENGTH": run.duration_s,
            "TOTAL_LENGTH": run.duration_s,
            "STEP_SIZE": step,
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {"upload_streams": str(len(names))},
            "FLENT_VERSION": f"windward {run.versions['windward']}",
            "SERIES_META": series,
        },
    }
    # No time of writing: the same run is the same file.
    return gzip.compress(json.dumps(content, allow_nan=False).encode(), mtime=0)


def _values(column: pd.Series[float]) -> list[float | None]:
    return [known(value) for value in column]


def _raw(rows: pd.DataFrame) -> list[dict[str, float]]:
    """Flent's series of a netperf stream: rate in Mbit/s, TCP's window in packets and smoothed RTT in ms."""
    found = []
    columns = (rows.index, rows["goodput_bps"], rows["cwnd"], rows["srtt_ms"])
    for time, rate, cwnd, rtt in zip(*columns, strict=True):
        values = {"t": float(time), "val": known(rate / 1e6), "tcp_cwnd": known(cwnd), "tcp_rtt": known(rtt)}
        found.append({key: value for key, value in values.items() if value is not None})
    return found

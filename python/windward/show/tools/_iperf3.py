"""Output of `iperf3 --json`, with all flows as parallel streams of one client."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from windward.show.tools._samples import flow_tables, steps

if TYPE_CHECKING:
    import pandas as pd

    from windward.results._shapes import Packets

#: As iperf3 reports by default, in seconds.
_INTERVAL = 1.0

#: A full segment in bytes, of flows that delivered nothing to tell it by.
_SEGMENT = 1448

#: Ports and sockets, counted from here.
_PORT, _FIRST_PORT, _FIRST_SOCKET = 5201, 40000, 5


def write(run: Packets, seed: int) -> bytes:
    """The run as iperf3's client tells one with a stream for each flow, in intervals of a second.

    Raises
    ------
    ValueError
        If the run has no flows.
    """
    totals, samples = flow_tables(run, seed)
    segments = {flow: _segment(totals.loc[flow]) for flow in samples}
    sockets = {flow: _FIRST_SOCKET + 2 * at for at, flow in enumerate(samples)}
    laws = list(dict.fromkeys(map(str, totals["law"])))
    edges = np.append(np.arange(0.0, run.duration_s - 1e-9, _INTERVAL), run.duration_s)
    streams = {flow: _intervals(rows, segments[flow], sockets[flow], edges) for flow, rows in samples.items()}
    intervals = []
    for at in range(len(edges) - 1):
        parts = [stream[at] for stream in streams.values()]
        intervals.append({"streams": parts, "sum": _sum(parts)})
    ends = [
        _end(stream, samples[flow], segments[flow], run.duration_s, str(totals.loc[flow, "law"]))
        for flow, stream in streams.items()
    ]
    law = laws[0] if len(laws) == 1 else ",".join(laws)
    content = {
        "start": {
            "connected": [
                {
                    "socket": sockets[flow],
                    "local_host": str(totals.loc[flow, "from"]),
                    "local_port": _FIRST_PORT + at,
                    "remote_host": str(totals.loc[flow, "to"]),
                    "remote_port": _PORT,
                    "flow": flow,
                }
                for at, flow in enumerate(samples)
            ],
            "version": f"windward {run.versions['windward']}",
            "system_info": f"windward {run.engine} {run.name}, seed {seed}",
            "timestamp": {"time": "Thu, 01 Jan 1970 00:00:00 GMT", "timesecs": 0},
            "connecting_to": {"host": str(totals["to"].iloc[0]), "port": _PORT},
            "tcp_mss_default": next(iter(segments.values())),
            "test_start": {
                "protocol": "TCP",
                "num_streams": len(samples),
                "blksize": 131072,
                "omit": 0,
                "duration": run.duration_s,
                "bytes": 0,
                "blocks": 0,
                "reverse": 0,
            },
        },
        "intervals": intervals,
        "end": {
            "streams": ends,
            "sum_sent": _sum([end["sender"] for end in ends]),
            "sum_received": _sum([end["receiver"] for end in ends]) | {"sender": True},
            "sender_tcp_congestion": law,
            "receiver_tcp_congestion": law,
        },
    }
    return (json.dumps(content, indent=1, allow_nan=False) + "\n").encode()


def _segment(flow: Any) -> int:
    packets = float(flow["goodput_pps"])
    return round(float(flow["goodput_bps"]) / 8 / packets) if packets > 0 else _SEGMENT


def _intervals(rows: pd.DataFrame, segment: int, socket: int, edges: Any) -> list[dict[str, Any]]:
    """One stream. Its bytes are what arrived; window and RTT are those at each interval's end."""
    instants = rows.index.to_numpy(float)
    delivered = np.append(0.0, np.cumsum(rows["goodput_bps"].to_numpy(float) * steps(instants) / 8))
    # The series counts them from the beginning.
    resent = np.append(0, rows["retransmits"].to_numpy(int))
    found = []
    for start, end in pairwise(edges):
        first, last = np.searchsorted(instants, [start + 1e-9, end + 1e-9])
        count = round(delivered[last]) - round(delivered[first])
        part = {
            "socket": socket,
            "start": float(start),
            "end": float(end),
            "seconds": float(end - start),
            "bytes": count,
            "bits_per_second": 8 * count / float(end - start),
            "retransmits": int(resent[last] - resent[first]),
            "snd_cwnd": _last(rows["cwnd"].iloc[:last], segment),
            "rtt": _last(rows["srtt_ms"].iloc[:last], 1000),
            "omitted": False,
            "sender": True,
        }
        found.append(part)
    return found


def _last(column: pd.Series[float], unit: float) -> int:
    known = column.dropna()
    return round(float(known.iloc[-1]) * unit) if len(known) else 0


def _sum(parts: list[dict[str, Any]]) -> dict[str, Any]:
    first = parts[0]
    total = {key: first[key] for key in ("start", "end", "seconds")}
    total["bytes"] = sum(part["bytes"] for part in parts)
    total["bits_per_second"] = sum(part["bits_per_second"] for part in parts)
    if "retransmits" in first:
        total["retransmits"] = sum(part["retransmits"] for part in parts)
    if "omitted" in first:
        total["omitted"] = False
    return total | {"sender": first["sender"]}


def _end(stream: list[dict[str, Any]], rows: pd.DataFrame, segment: int, duration_s: float, law: str) -> dict[str, Any]:
    """The last report. The sender has sent what arrived and what was in flight at the end."""
    received = sum(part["bytes"] for part in stream)
    sent = received + _last(rows["flight"], segment)
    rtts = (rows["srtt_ms"].dropna() * 1000).round()
    whole = {"socket": stream[0]["socket"], "start": 0, "end": duration_s, "seconds": duration_s}
    sender = whole | {
        "bytes": sent,
        "bits_per_second": 8 * sent / duration_s,
        "retransmits": sum(part["retransmits"] for part in stream),
        "max_snd_cwnd": round(float(rows["cwnd"].max()) * segment) if rows["cwnd"].notna().any() else 0,
        "max_rtt": int(rtts.max()) if len(rtts) else 0,
        "min_rtt": int(rtts.min()) if len(rtts) else 0,
        "mean_rtt": round(float(rtts.mean())) if len(rtts) else 0,
        "sender": True,
        "congestion": law,
    }
    receiver = whole | {"bytes": received, "bits_per_second": 8 * received / duration_s, "sender": True}
    return {"sender": sender, "receiver": receiver}

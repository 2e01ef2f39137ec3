"""Figures of a run by its tables: what the measures of an evaluation compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from windward.results.stats import jain

#: Rows of the tables of one run, by the table's name.
Rows = Mapping[str, Sequence[Mapping[str, Any]]]

#: A figure of a run; NaN where nothing was measured.
Value = Callable[[Rows], float]


def flows(rows: Rows, group: str) -> list[Mapping[str, Any]]:
    """Rows of the flows of a group, or of all flows."""
    return [row for row in rows.get("flows", []) if row["group"] == group]


def mean(values: Iterable[float]) -> float:
    known = [float(value) for value in values]
    return math.fsum(known) / len(known) if known else math.nan


def goodput(group: str = "own") -> Value:
    """Goodput of a group of flows together, in bit/s."""
    return lambda rows: math.fsum(row["goodput_bps"] for row in flows(rows, group)) if flows(rows, group) else math.nan


def jain_of(*groups: str) -> Value:
    """Jain's index of the goodputs of the flows of some groups."""
    return lambda rows: jain([row["goodput_bps"] for group in groups for row in flows(rows, group)])


def lost(group: str = "own") -> Value:
    """Lost segments of a group of flows as a share of the sent ones."""

    def value(rows: Rows) -> float:
        sent = sum(row["segments_sent"] for row in flows(rows, group))
        return sum(row["segments_lost"] for row in flows(rows, group)) / sent if sent else math.nan

    return value


def lost_segments(group: str = "own") -> Value:
    """Number of lost segments of a group of flows."""
    return lambda rows: float(sum(row["segments_lost"] for row in flows(rows, group)))


def round_trip(group: str = "own") -> Value:
    """Mean round trip of a group of flows, in seconds."""
    return lambda rows: mean(row["mean_rtt_s"] for row in flows(rows, group))


def sent_per_minute(measured_s: float, group: str = "own") -> Value:
    """Segments that a group of flows sends in a minute."""
    return lambda rows: (
        60 * sum(row["segments_sent"] for row in flows(rows, group)) / measured_s if flows(rows, group) else math.nan
    )


def repeated(group: str = "own") -> Value:
    """Retransmissions of a group of flows as a share of the sent segments."""

    def value(rows: Rows) -> float:
        sent = sum(row["segments_sent"] for row in flows(rows, group))
        return sum(row["retransmits"] for row in flows(rows, group)) / sent if sent else math.nan

    return value


def completion(group: str, unfinished_s: float) -> Value:
    """Mean completion time of a group of flows with a size; those that do not end count as `unfinished_s`."""
    return lambda rows: mean(
        unfinished_s if math.isnan(row["completion_s"]) else row["completion_s"] for row in flows(rows, group)
    )


def last_completion(group: str, unfinished_s: float) -> Value:
    """Longest completion time of a group of flows with a size."""
    return lambda rows: max(
        (unfinished_s if math.isnan(row["completion_s"]) else row["completion_s"] for row in flows(rows, group)),
        default=math.nan,
    )


def wait(link: str = "core") -> Value:
    """Mean wait in a link's queue, in seconds."""
    return _of("links", "link", link, "mean_queue_delay_s")


def of_run(column: str) -> Value:
    """A figure of the run over all flows and applications."""
    return lambda rows: float(rows["runs"][0].get(column, math.nan)) if rows.get("runs") else math.nan


def window_goodput(window: str, group: str = "own") -> Value:
    """Goodput of a flow within a window of time, in bit/s."""

    def value(rows: Rows) -> float:
        found = [r["goodput_bps"] for r in rows.get("flow_windows", []) if r["window"] == window and r["flow"] == group]
        return math.fsum(found) if found else math.nan

    return value


def window_lost(window: str, link: str = "core") -> Value:
    """Lost packets of a link within a window of time, as a share of the offered ones."""

    def value(rows: Rows) -> float:
        found = [r for r in rows.get("link_windows", []) if r["window"] == window and r["link"] == link]
        offered = sum(r["packets"] + r["lost"] for r in found)
        return sum(r["lost"] for r in found) / offered if offered else math.nan

    return value


def breaker_share(packet_bits: int = 12_000) -> Value:
    """Rate of a flow as a share of that at which RFC 8083 §4.3 ends it: ten times s/(Tr·√(2p/3)).

    With the flow's own loss and round trip; 0 without losses.
    """

    def value(rows: Rows) -> float:
        found = flows(rows, "own")
        if not found:
            return math.nan
        row = found[0]
        if row["segments_lost"] == 0:
            return 0.0
        share, rtt_s = row["segments_lost"] / row["segments_sent"], float(row["mean_rtt_s"])
        limit = 10 * packet_bits / (rtt_s * math.sqrt(2 * share / 3))
        # What is lost on the way is sent, too.
        return float(row["goodput_bps"] / (1 - share) / limit)

    return value


def _of(table: str, key: str, name: str, column: str) -> Value:
    def value(rows: Rows) -> float:
        found = [row[column] for row in rows.get(table, []) if row[key] == name]
        return float(found[0]) if found else math.nan

    return value

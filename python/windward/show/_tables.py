"""Tables of what `optimum` and `fluid` answer, and of engines beside one another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from windward.results.stats import mean_and_interval
from windward.show.digest._numbers import number, percent, quantity
from windward.show.digest._table import Digest, without_empty

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from windward.results._shapes import BestRates, Windows

#: Maximum number of flows and links with a row in the terminal.
_ROWS = 20

#: So many ends of pieces have a row in the terminal; of more only the files tell.
_MANY_RESTS = 40

#: Paths and sets of links with less than this share are left to the files.
_SEEN = 5e-4


def fluid_digest(fluid: Windows) -> Digest:
    """The end of a fluid run as a table."""
    rows = [
        [
            row["flow"],
            row["law"],
            quantity(row["cwnd"]),
            quantity(row["goodput_bps"], "bit/s"),
            quantity(row["queue_delay_ms"] / 1e3, "s"),
        ]
        for row in fluid.rows("flows")
    ]
    settled = (
        "rates have not settled" if fluid.settled_s is None else f"rates settle within 1 % after {fluid.settled_s:g} s"
    )
    return Digest(
        title="Fluid", columns=["flow", "law", "window", "goodput", "queueing delay"], words=2, rows=rows, note=settled
    )


def rests_digest(fluid: Windows) -> list[Digest]:
    """Final states of the pieces of a fluid run, between changes of the network."""
    rests = fluid.rows("rests") if "rests" in fluid.tables else []
    if len({row["from_s"] for row in rests}) < 2 or len(rests) > _MANY_RESTS:
        return []
    rows = [
        [
            row["flow"],
            f"{row['from_s']:g} to {row['until_s']:g} s",
            quantity(row["cwnd"]),
            quantity(row["goodput_bps"], "bit/s"),
            quantity(row["queue_delay_ms"] / 1e3, "s"),
            quantity(row["optimum_bps"], "bit/s"),
        ]
        for row in sorted(rests, key=lambda row: (row["flow"], row["from_s"]))
    ]
    columns = ["flow", "time", "window", "goodput", "queueing delay", "optimum"]
    return [without_empty(Digest(title="Ends of the pieces between changes", columns=columns, words=2, rows=rows))]


def optimum_digests(best: BestRates) -> list[Digest]:
    """The tables of an optimum."""
    all_flows, all_links = best.rows("flows"), best.rows("links")
    flows = [
        [
            row["flow"],
            row["law"],
            quantity(row["rate_bps"], "bit/s"),
            quantity(row["goodput_bps"], "bit/s"),
            number(row["path_price"]),
        ]
        for row in all_flows[:_ROWS]
    ]
    is_free = best.routing == "free"
    least = 1e-9 * max((row["price"] for row in all_links), default=0.0)
    used = [row for row in all_links if row["price"] > least]
    if is_free:
        # Links that nobody takes have a price too: what they would have to be worth.
        least = _SEEN * max((row["load_bps"] for row in used), default=0.0)
        used = [row for row in used if row["load_bps"] > least]
    links = [
        [row["link"], quantity(row["capacity_bps"], "bit/s"), quantity(row["load_bps"], "bit/s"), number(row["price"])]
        for row in used[:_ROWS]
    ]
    idle = len(all_links) - len(links)
    cheap = "not used, or at price 0 or close to it" if is_free else "at price 0 or close to it"
    price = "price of its cheapest path" if is_free else "price of its route"
    of_flows = Digest(
        title="Flows",
        columns=["flow", "law", "rate", "goodput", price],
        words=2,
        rows=flows,
        note=_more(len(all_flows) - len(flows), "flow"),
    )
    return [
        *([of_flows] if flows else []),
        *_apps(best),
        *_paths(best),
        *_schedule(best),
        Digest(
            title="Bottlenecks",
            columns=["link", "capacity", "load", "price"],
            words=1,
            rows=links,
            note=_more(idle, "link").replace("more", "other") + (f" {cheap}" if idle else ""),
        ),
    ]


def _apps(best: BestRates) -> list[Digest]:
    """Applications as loads."""
    apps = best.rows("apps") if "apps" in best.tables else []
    if not apps:
        return []
    rows = [
        [
            row["app"],
            f"{row['requests_per_s']:.3g}/s",
            quantity(row["response_bps"], "bit/s"),
            row["bottleneck"] or "shared medium",
            percent(row["load"]),
            *(
                ("unstable", "–")
                if math.isinf(row["completion_s"])
                else (quantity(row["completion_s"], "s"), number(row["slowdown"]))
            ),
        ]
        for row in apps[:_ROWS]
    ]
    columns = ["app", "requests", "responses", "bottleneck", "load", "mean time", "slowdown"]
    notes = [_more(len(apps) - len(rows), "application")]
    if best.load_multiple is not None:
        notes.append(f"without the flows {best.load_multiple:.3g} times the load of the open loops fits")
    notes.append("times are those of processor sharing: without slow start, handshakes and losses")
    note = " · ".join(note for note in notes if note)
    return [Digest(title="Applications", columns=columns, words=1, rows=rows, note=note)]


def _paths(best: BestRates) -> list[Digest]:
    """With free routing: which ways the flows take."""
    if "paths" not in best.tables:
        return []
    seen = [row for row in best.rows("paths") if row["share"] >= _SEEN]
    rows = [
        [row["flow"], row["path"], quantity(row["rate_bps"], "bit/s"), percent(row["share"])] for row in seen[:_ROWS]
    ]
    columns = ["flow", "path", "rate", "share of the flow"]
    return [Digest(title="Paths", columns=columns, words=2, rows=rows, note=_more(len(seen) - len(rows), "path"))]


def _schedule(best: BestRates) -> list[Digest]:
    """With free routing: which links are active together."""
    schedule = best.rows("schedule") if "schedule" in best.tables else []
    if not schedule:
        return []
    seen = [row for row in schedule if row["share"] >= _SEEN]
    rows = [[row["links"] or "none", percent(row["share"])] for row in seen[:_ROWS]]
    columns = ["links active together", "share of time"]
    return [Digest(title="Schedule", columns=columns, words=1, rows=rows, note=_more(len(seen) - len(rows), "set"))]


def certificate(best: BestRates) -> str:
    """The residuals in one line."""
    return ", ".join(f"{name} {value:.0e}" for name, value in best.certificate.items())


def compare_digest(compared: Sequence[Mapping[str, Any]]) -> Digest:
    """The comparison as a table; of many flows a row for each group."""
    shown, note = folded(compared)
    rows = [
        [
            row["flow"],
            row["law"],
            quantity(row["optimum_bps"], "bit/s"),
            quantity(row["fluid_bps"], "bit/s"),
            quantity(row["ideal_bps"], "bit/s"),
            quantity(row["packets_bps"], "bit/s", row["packets_error_bps"]),
            quantity(row["kernel_bps"], "bit/s"),
            percent(row["share"]),
        ]
        for row in shown
    ]
    columns = [
        "group" if note else "flow",
        "law",
        "optimum",
        "fluid",
        "ideal CSMA",
        "packets",
        "kernel",
        "packets/optimum",
    ]
    return without_empty(Digest(title="Engines", columns=columns, words=2, rows=rows, note=note))


def compare_app_digest(compared: Sequence[Mapping[str, Any]]) -> Digest:
    """The applications of a comparison as a table."""
    rows = [
        [
            row["app"],
            row["law"],
            "unstable" if math.isinf(row["sharing_mean_s"]) else quantity(row["sharing_mean_s"], "s"),
            quantity(row["packets_mean_s"], "s"),
            quantity(row["kernel_mean_s"], "s"),
            quantity(row["packets_p50_s"], "s"),
            quantity(row["kernel_p50_s"], "s"),
            percent(row["kernel_share"]),
        ]
        for row in compared[:_ROWS]
    ]
    columns = [
        "application",
        "law",
        "processor sharing",
        "packets, mean",
        "kernel, mean",
        "packets, p50",
        "kernel, p50",
        "kernel/packets",
    ]
    note = _more(len(compared) - _ROWS, "application")
    return without_empty(Digest(title="Completion times", columns=columns, words=2, rows=rows, note=note))


def folded(compared: Sequence[Mapping[str, Any]]) -> tuple[Sequence[Mapping[str, Any]], str]:
    """Rows of a comparison that there is room for, of many flows the means of each group, and what is to be said."""
    if len(compared) <= _ROWS:
        return compared, ""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in compared:
        groups.setdefault((row["group"], row["law"]), []).append(row)
    rows = []
    for (group, law), members in groups.items():
        means = {
            name: mean_and_interval(row[name] for row in members)[0]
            for name in ("optimum_bps", "fluid_bps", "ideal_bps", "packets_bps", "kernel_bps")
        }
        is_whole = all(math.isfinite(row["share"]) for row in members)
        share = means["packets_bps"] / means["optimum_bps"] if is_whole and means["optimum_bps"] else math.nan
        flow = f"{group}, {len(members)} flows" if len(members) > 1 else members[0]["flow"]
        rows.append({"flow": flow, "group": group, "law": law, **means, "packets_error_bps": math.nan, "share": share})
    left_out = _more(len(rows) - _ROWS, "group")
    return rows[:_ROWS], "of each group the mean of its flows" + (f"; {left_out}" if left_out else "")


def _more(count: int, noun: str) -> str:
    return f"{count} more {noun}{'s' if count > 1 else ''}" if count > 0 else ""

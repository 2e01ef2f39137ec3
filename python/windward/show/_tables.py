"""Tables of what `optimum` and `fluid` answer, and of engines beside one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windward.show._digest import Digest, percent, quantity, without_empty

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from windward.results._shapes import BestRates, Windows

#: At most so many flows and links have a row in the terminal.
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
    """Where the pieces of a fluid run end, where the network changes."""
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
            f"{row['path_price']:.4g}",
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
        [row["link"], quantity(row["capacity_bps"], "bit/s"), quantity(row["load_bps"], "bit/s"), f"{row['price']:.4g}"]
        for row in used[:_ROWS]
    ]
    idle = len(all_links) - len(links)
    cheap = "not used, or at price 0 or close to it" if is_free else "at price 0 or close to it"
    return [
        Digest(
            title="Flows",
            columns=[
                "flow",
                "law",
                "rate",
                "goodput",
                "price of its cheapest path" if is_free else "price of its route",
            ],
            words=2,
            rows=flows,
            note=_more(len(all_flows) - len(flows), "flow"),
        ),
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
    """The comparison as a table."""
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
        for row in compared[:_ROWS]
    ]
    columns = ["flow", "law", "optimum", "fluid", "ideal CSMA", "packets", "kernel", "packets/optimum"]
    note = _more(len(compared) - len(rows), "flow")
    return without_empty(Digest(title="Engines", columns=columns, words=2, rows=rows, note=note))


def _more(count: int, noun: str) -> str:
    return f"{count} more {noun}{'s' if count > 1 else ''}" if count > 0 else ""

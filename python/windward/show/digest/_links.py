"""Tables of links, and of the radio below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windward.results.stats import busy_links
from windward.show.digest._air import MANY_STATIONS
from windward.show.digest._numbers import events, interval, mean, percents, quantity, shares
from windward.show.digest._table import Digest, kept, left_out, marked, without_empty

if TYPE_CHECKING:
    from windward.results._tables import Totals

#: Most links with a row each, the busiest.
MANY_LINKS = 12


def of_links(links: Totals) -> Digest:
    busiest = set(busy_links(links, MANY_LINKS))
    rows = [
        [
            name,
            quantity(links.attribute("rate_bps")[at], "bit/s"),
            percents(links.values("utilization", at)),
            percents(links.values("loss", at)),
            marked(links, at, lambda table, at: table["packets"][at]),
            interval(links.values("mean_backlog", at)),
            quantity(mean(links.values("max_backlog", at))),
            interval(links.values("mean_queue_delay_s", at), "s"),
            interval(kept(links, "queue_delay_p95_s", at), "s"),
        ]
        for at, name in enumerate(links.names)
        if name in busiest
    ]
    columns = ["link", "rate", "utilization", "loss", "marked", "mean queue", "longest queue", "mean wait"]
    columns.append("p95 wait")
    note = left_out(len(links.names) - len(rows), "idle link")
    return without_empty(Digest(title="Links", columns=columns, words=1, rows=rows, note=note))


def of_radio(links: Totals) -> Digest:
    """Resource blocks, link adaptation and delays of the links of LTE and NR cells."""
    used = [at for at in range(len(links.names)) if any(links.values("blocks", at))]
    rows = [
        [
            links.names[at],
            percents(links.values("prb_share", at)),
            interval(links.values("mean_cqi", at)),
            interval(links.values("mean_mcs", at)),
            percents(links.values("bler", at)),
            interval(links.values("mean_radio_delay_s", at), "s"),
            interval(links.values("radio_delay_p99_s", at), "s"),
            interval(links.values("mean_grant_wait_s", at), "s")
            if any(links.values("scheduling_requests", at))
            else "–",
        ]
        for at in used[:MANY_LINKS]
    ]
    note = left_out(len(used) - len(rows), "more link")
    columns = ["link", "resource blocks", "CQI", "MCS", "blocks failed", "radio delay", "99 %", "wait for a grant"]
    return without_empty(Digest(title="Radio links", columns=columns, words=1, rows=rows, note=note))


def of_mobility(links: Totals) -> Digest:
    """Handovers and failures of the stations of LTE and NR cells."""
    moved = [
        at for at in range(len(links.names)) if any(links.values("handovers", at)) or any(links.values("failures", at))
    ]
    rows = [
        [
            links.names[at],
            events("handovers", links.values("handovers", at)),
            events("failures", links.values("failures", at)),
            interval(links.values("interrupted_s", at), "s"),
            events("forwarded", links.values("forwarded", at)),
        ]
        for at in moved[:MANY_STATIONS]
    ]
    note = left_out(len(moved) - len(rows), "more station")
    columns = ["link", "handovers", "link failures", "time without a site", "packets forwarded"]
    return Digest(title="Handovers", columns=columns, words=1, rows=rows, note=note)


def of_aggregation(links: Totals) -> Digest:
    """Airtime, rates and aggregates of the links of 802.11n, ac and ax."""
    rows = [
        [
            name,
            percents(links.values("airtime", at)),
            interval(links.values("mean_rate_bps", at), "bit/s"),
            interval(links.values("mean_ampdu", at)),
            interval(links.values("mean_ppdu_s", at), "s"),
            percents(shares((table["mpdu_failures"][at], table["mpdus"][at]) for table in links.tables)),
            events("given_up", links.values("given_up", at)),
        ]
        for at, name in enumerate(links.names)
        if any(table["mpdus"][at] for table in links.tables)
    ][:MANY_LINKS]
    columns = ["link", "airtime", "mean PHY rate", "MPDUs per PPDU", "PPDU", "MPDUs lost", "given up"]
    return without_empty(Digest(title="Aggregation", columns=columns, words=1, rows=rows))

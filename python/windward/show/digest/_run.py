"""Digest of a run as tables of text, for the terminal and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windward.results._applications import APPLICATIONS
from windward.results.stats import busy_links, overall
from windward.show.digest._air import of_air_queues, of_air_rates, of_stations, of_wifi
from windward.show.digest._apps import of_application
from windward.show.digest._flows import MANY_FLOWS, of_backlogs, of_coding, of_flows, of_groups, of_ways, packets_sent
from windward.show.digest._links import of_aggregation, of_links, of_mobility, of_radio
from windward.show.digest._numbers import fraction, interval, percents, shares
from windward.show.digest._table import Digest

if TYPE_CHECKING:
    from windward.results._shapes import Packets
    from windward.results._tables import Totals


def headline(run: Packets) -> list[tuple[str, str]]:
    """The few numbers that sum a run up, with their names."""
    facts = []
    flows, links = run.draws("flows"), run.draws("links")
    if flows.names:
        goodputs, fairness = overall(flows, run.duration_s - run.warmup_s)
        facts.append(("goodput of all flows", interval(goodputs, "bit/s")))
        # One flow shares with no other.
        if len(flows.names) > 1:
            facts.append(("Jain's index", fraction(fairness)))
    if busiest := busy_links(links, 1):
        facts.append(_busiest(run, links, busiest[0]))
    if flows.names:
        pairs = zip(flows.tables, packets_sent(run, flows), strict=True)
        counts = [(sum(table["segments_lost"]), sum(sent)) for table, sent in pairs]
        facts.append(("lost segments", percents(shares(counts))))
    return facts


def _busiest(run: Packets, links: Totals, name: str) -> tuple[str, str]:
    """Load of the busiest link; of LTE and NR, of the cell that its stations share."""
    radio = run.draws("ran_links")
    # Stations that have places may be served by several sites, each with resource blocks of its own.
    if name in radio.names and not run.draws("ran_mobility").names:
        senders = dict(zip(links.names, links.attribute("from"), strict=True))
        here = [at for at, link in enumerate(radio.names) if senders.get(link) == senders[name]]
        of_seeds = zip(*(radio.values("prb_share", at) for at in here), strict=True)
        return f"resource blocks of {senders[name]} in use", percents([sum(shares_) for shares_ in of_seeds])
    return f"utilization of {name}", percents(links.values("utilization", links.names.index(name)))


def digests(run: Packets) -> list[Digest]:
    """The tables of flows, applications, links, stations, their queues by flow, and background sources, if any."""
    flows = run.draws("flows")
    tables = [
        of_groups(flows, packets_sent(run, flows), run.draws("groups"))
        if len(flows.names) > MANY_FLOWS
        else of_flows(flows),
        *(of_application(one, run.draws(one.table)) for one in APPLICATIONS if one.table != "background"),
        of_links(run.draws("links")),
        of_stations(run.draws("stations")),
        of_radio(run.draws("ran_links")),
        of_mobility(run.draws("ran_mobility")),
        of_wifi(run.draws("wifi_stations")),
        of_aggregation(run.draws("edca_links")),
        of_air_queues(run),
        of_air_rates(run),
        of_backlogs(run),
        of_ways(run),
        of_coding(run),
        *(of_application(one, run.draws(one.table)) for one in APPLICATIONS if one.table == "background"),
    ]
    return [table for table in tables if table.rows]


def seeds(run: Packets) -> str:
    """Which seeds stand behind the numbers."""
    count = len(run.seeds)
    if not run.is_complete:
        return f"interrupted: {count} of {len(run.seeds_asked)} seeds finished"
    if run.is_one_run:
        return f"all {count} seeds are the same run: nothing in the scenario is random"
    if count > 1:
        return f"mean ± 95 % confidence interval over {count} seeds"
    return f"seed {run.seeds[0]}"

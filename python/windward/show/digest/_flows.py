"""Tables of flows and of what they do to a network's nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from windward.results._tables import sent_by_flow
from windward.show.digest._numbers import events, interval, mean, number, percent, percents, quantity, shares
from windward.show.digest._table import Digest, by_name, kept, largest, left_out, marked, without_empty

if TYPE_CHECKING:
    from windward.results._shapes import Packets
    from windward.results._tables import Totals

#: Most flows with a row each; above, their groups have.
MANY_FLOWS = 20


def of_flows(flows: Totals) -> Digest:
    rows = [
        [
            name,
            flows.attribute("law")[at],
            interval(flows.values("goodput_bps", at), "bit/s"),
            percents(flows.values("loss", at)),
            interval(flows.values("mean_rtt_s", at), "s"),
            interval(flows.values("mean_cwnd", at)),
            events("timeouts", flows.values("timeouts", at)),
            interval(flows.values("completion_s", at), "s"),
            _unfinished(flows, [at]),
            marked(flows, at, lambda table, at: table["segments_sent"][at]),
            interval(kept(flows, "rtt_p95_s", at), "s"),
        ]
        for at, name in enumerate(flows.names)
    ]
    columns = ["flow", "law", "goodput", "loss", "mean RTT", "mean window", "timeouts"]
    columns += ["completed after", "not completed", "marked", "p95 RTT"]
    note = "not completed: share of the seeds" if len(flows.tables) > 1 and _has_unfinished(flows) else ""
    return without_empty(Digest(title="Flows", columns=columns, words=2, rows=rows, note=note))


def packets_sent(run: Packets, flows: Totals) -> list[list[int]]:
    """Packets that each flow sent, by seed."""
    coding = run.totals("coding").tables
    return [sent_by_flow(table, layers) for table, layers in zip(flows.tables, coding, strict=False)]


def of_groups(flows: Totals, sent_by_seed: Sequence[Sequence[int]], groups_of: Totals) -> Digest:
    names = {name: at for at, name in enumerate(groups_of.names)}
    groups: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(zip(flows.attribute("group"), flows.attribute("law"), strict=True)):
        groups.setdefault(key, []).append(at)

    def by_seed(metric: str, members: list[int]) -> list[list[float]]:
        return [[table[metric][at] for at in members] for table in flows.tables]

    rows = []
    for (group, law), members in groups.items():
        each = [mean(flows.values("goodput_bps", at)) for at in members]
        lost = map(sum, by_seed("segments_lost", members))
        sent = [sum(each[at] for at in members) for each in sent_by_seed]
        rows.append(
            [
                group,
                law,
                number(len(members), f"{len(members)}"),
                interval(map(mean, by_seed("goodput_bps", members)), "bit/s"),
                quantity(min(each), "bit/s"),
                quantity(max(each), "bit/s"),
                percents(shares(zip(lost, sent, strict=True))),
                interval(map(mean, by_seed("mean_rtt_s", members)), "s"),
                events("timeouts", map(sum, by_seed("timeouts", members))),
                interval(map(mean, by_seed("completion_s", members)), "s"),
                _unfinished(flows, members),
                interval(kept(groups_of, "completion_p95_s", names.get(group)), "s"),
                interval(kept(groups_of, "rtt_p95_s", names.get(group)), "s"),
            ]
        )
    columns = ["group", "law", "flows", "mean goodput", "least", "most", "loss", "mean RTT", "timeouts"]
    columns += ["completed after", "not completed", "p95 completion", "p95 RTT"]
    note = (
        "completed after: mean of those that did; not completed: share of the flows" if _has_unfinished(flows) else ""
    )
    return without_empty(Digest(title="Flows by group", columns=columns, words=2, rows=rows, note=note))


def _has_unfinished(flows: Totals) -> bool:
    """Returns true if a transfer had not ended; runs of older versions do not record it."""
    return any(any(table.get("unfinished", ())) for table in flows.tables)


def _unfinished(flows: Totals, members: Sequence[int]) -> str:
    """The share of transfers that were not complete at the end of the run; nothing where all were."""
    if not _has_unfinished(flows):
        return "–"
    counts = [table["unfinished"][at] for table in flows.tables for at in members]
    return percent(sum(counts) / len(counts))


def of_backlogs(run: Packets) -> Digest:
    """Queues of stations that forward by backlog, the longest."""
    metrics = ("mean_backlog", "mean_trapped", "max_backlog", "last_backlog", "dropped")
    queues = by_name(run, "backlogs", ("node", "flow", "class"), metrics)
    shown = largest(queues, [mean(values["mean_backlog"]) for values in queues.values()])
    rows = [
        [node, f"{flow}, ACKs" if kind == "acks" else flow, *(interval(values[metric]) for metric in metrics)]
        for (node, flow, kind), values in shown.items()
    ]
    rest = left_out(len(queues) - len(rows), "shorter queue")
    note = "trapped: in queues that have sent nothing for 1 s" + (f"; {rest}" if rest else "")
    columns = ["station", "flow", "mean queue", "trapped", "longest queue", "left at the end", "dropped"]
    return Digest(title="Queues by flow", columns=columns, words=2, rows=rows, note=note)


def of_ways(run: Packets) -> Digest:
    """Which links the packets of each flow take, where stations forward by backlog."""
    flows, sources, links = run.draws("flows"), run.draws("background"), run.draws("links")
    ends = {
        name: to for totals in (flows, sources) for name, to in zip(totals.names, totals.attribute("to"), strict=True)
    }
    heads = dict(zip(links.names, links.attribute("to"), strict=True))
    packets = by_name(run, "shares", ("flow", "class", "link"), ("packets",))
    sent = {(flow, link): sum(v["packets"]) for (flow, kind, link), v in packets.items() if kind != "acks"}
    arrived: dict[str, float] = {}
    for (flow, link), count in sent.items():
        arrived[flow] = arrived.get(flow, 0.0) + count * (heads[link] == ends[flow])
    shown = largest(sent, [count / arrived[flow] if arrived[flow] else 0.0 for (flow, _), count in sent.items()])
    rows = [
        [flow, link, percent(sent[flow, link] / arrived[flow] if arrived[flow] else math.nan)]
        for flow in ends
        for of, link in shown
        if of == flow
    ]
    rest = left_out(len(sent) - len(rows), "link", "with smaller shares")
    note = "100 % is what arrives at the destination" + (f"; {rest}" if rest else "")
    return Digest(title="Ways of the flows", columns=["flow", "link", "share"], words=2, rows=rows, note=note)


def of_coding(run: Packets) -> Digest:
    """Counters of the coding layers of flows."""
    metrics = ("combinations", "repairs", "unmasked", "received", "innovative", "requests")
    layers = by_name(run, "coding", ("flow",), metrics)
    rows = [
        [
            flow,
            interval(values["combinations"]),
            percents(shares(zip(values["repairs"], values["combinations"], strict=True))),
            interval(values["unmasked"]),
            percents(shares(zip(values["innovative"], values["received"], strict=True))),
            interval(values["requests"]),
        ]
        for (flow,), values in layers.items()
    ]
    note = "dropped: by a full queue at the source, which TCP is shown"
    columns = ["flow", "combinations", "repairs", "dropped", "innovative", "requests"]
    return Digest(title="Network coding", columns=columns, words=1, rows=rows, note=note)

"""Digest of a run as tables of text, for the terminal and the report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from windward.results._tables import Named, sent_by_flow
from windward.results.stats import busy_links, mean_and_interval, overall

if TYPE_CHECKING:
    from windward.results._shapes import Packets
    from windward.results._tables import Columns, Totals

#: Up to so many flows have a row each; above, their groups have.
MANY_FLOWS = 20

#: Up to so many links have a row each, the busiest.
MANY_LINKS = 12

#: Up to so many stations have a row each.
MANY_STATIONS = 20


#: Up to so many queues and ways have a row each, the longest and the most taken.
MANY_QUEUES = 20

Row = TypeVar("Row")
Value = TypeVar("Value")


class Amount(str):
    """A number as a table shows it, with what it is: other programs' tables are made of that."""

    #: In `unit`, which has no prefix where tables choose one.
    value: float
    #: Half-width of its 95 % confidence interval; NaN without one.
    error: float
    unit: str

    def __new__(cls, text: str, value: float, unit: str = "", error: float = math.nan) -> Self:
        """A number of this text."""
        amount = super().__new__(cls, text)
        amount.value, amount.unit, amount.error = value, unit, error
        return amount


@dataclass(frozen=True, kw_only=True)
class Digest:
    """A table: the first `words` columns hold text, the others numbers, which are `Amount`s or "–"."""

    title: str
    columns: Sequence[str]
    words: int
    rows: Sequence[Sequence[str]]
    note: str = ""


def left_out(count: int, noun: str, which: str = "") -> str:
    """A note on `count` rows that a table does not have: those that are `which`; empty if it has all."""
    return f"{count} {noun}{'s' if count > 1 else ''}{f' {which}' if which else ''} left out" if count > 0 else ""


def headline(run: Packets) -> list[tuple[str, str]]:
    """The few numbers that sum a run up, with their names."""
    facts = []
    flows, links = run.draws("flows"), run.draws("links")
    if flows.names:
        goodputs, fairness = overall(flows, run.duration_s - run.warmup_s)
        facts.append(("goodput of all flows", _interval(goodputs, "bit/s")))
        # One flow shares with nobody.
        if len(flows.names) > 1:
            facts.append(("Jain's index", _fraction(fairness)))
    if busiest := busy_links(links, 1):
        utilization = links.values("utilization", links.names.index(busiest[0]))
        facts.append((f"utilization of {busiest[0]}", _percent(utilization)))
    if flows.names:
        pairs = zip(flows.tables, _sent(run, flows), strict=True)
        counts = [(sum(table["segments_lost"]), sum(sent)) for table, sent in pairs]
        facts.append(("lost segments", _percent(_shares(counts))))
    return facts


def digests(run: Packets) -> list[Digest]:
    """The tables of flows, applications, links, stations, their queues by flow, and background sources, if any."""
    flows = run.draws("flows")
    tables = [
        _groups(flows, _sent(run, flows), run.draws("groups")) if len(flows.names) > MANY_FLOWS else _flows(flows),
        _apps(run.draws("apps")),
        _pages(run.draws("pages")),
        _videos(run.draws("videos")),
        _links(run.draws("links")),
        _stations(run.draws("stations")),
        _radio(run.draws("ran_links")),
        _mobility(run.draws("ran_mobility")),
        _wifi(run.draws("wifi_stations")),
        _aggregation(run.draws("edca_links")),
        _air_queues(run),
        _air_rates(run),
        _backlogs(run),
        _ways(run),
        _coding(run),
        _background(run.draws("background")),
        _calls(run.draws("calls")),
        _call_videos(run.draws("call_videos")),
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


def _flows(flows: Totals) -> Digest:
    rows = [
        [
            name,
            flows.attribute("law")[at],
            _interval(flows.values("goodput_bps", at), "bit/s"),
            _percent(flows.values("loss", at)),
            _interval(flows.values("mean_rtt_s", at), "s"),
            _interval(flows.values("mean_cwnd", at)),
            _interval(flows.values("timeouts", at)),
            _interval(flows.values("completion_s", at), "s"),
            _unfinished(flows, [at]),
            _marked(flows, at, lambda table, at: table["segments_sent"][at]),
            _interval(_kept(flows, "rtt_p95_s", at), "s"),
        ]
        for at, name in enumerate(flows.names)
    ]
    columns = ["flow", "law", "goodput", "loss", "mean RTT", "mean window", "timeouts"]
    columns += ["completed after", "not completed", "marked", "p95 RTT"]
    note = "not completed: share of the seeds" if len(flows.tables) > 1 and _has_unfinished(flows) else ""
    return without_empty(Digest(title="Flows", columns=columns, words=2, rows=rows, note=note))


def _apps(apps: Totals) -> Digest:
    """Completion times and slowdowns of requests."""

    def unfinished(at: int) -> str:
        if not any(any(table["unfinished"]) for table in apps.tables):
            return "–"
        return _percent(_shares((table["unfinished"][at], table["requests"][at]) for table in apps.tables))

    def late(at: int) -> str:
        if not any(any(table["late"]) for table in apps.tables):
            return "–"
        return _percent(_shares((table["late"][at], table["requests"][at]) for table in apps.tables))

    rows = [
        [
            name,
            apps.attribute("law")[at],
            _interval(apps.values("requests", at)),
            _percent(apps.values("load", at)),
            *(_interval(apps.values(f"completion_{part}_s", at), "s") for part in ("mean", "p50", "p95", "p99")),
            _interval(apps.values("slowdown_p50", at)),
            _interval(apps.values("slowdown_p99", at)),
            unfinished(at),
            late(at),
        ]
        for at, name in enumerate(apps.names[:MANY_FLOWS])
    ]
    note = left_out(len(apps.names) - len(rows), "more application")
    columns = ["application", "law", "requests", "load", "mean completion", "p50", "p95", "p99"]
    columns += ["p50 slowdown", "p99 slowdown", "not finished", "late"]
    return without_empty(Digest(title="Requests", columns=columns, words=2, rows=rows, note=note))


def _pages(pages: Totals) -> Digest:
    """Load times of pages."""

    def unfinished(at: int) -> str:
        if not any(any(table["unfinished"]) for table in pages.tables):
            return "–"
        return _percent(_shares((table["unfinished"][at], table["visits"][at]) for table in pages.tables))

    rows = [
        [
            name,
            _interval(pages.values("visits", at)),
            _interval(pages.values("first_byte_p50_s", at), "s"),
            _interval(pages.values("paint_p50_s", at), "s"),
            *(_interval(pages.values(f"load_{part}_s", at), "s") for part in ("p50", "p95", "p99")),
            _interval(pages.values("connections", at)),
            unfinished(at),
        ]
        for at, name in enumerate(pages.names[:MANY_FLOWS])
    ]
    note = left_out(len(pages.names) - len(rows), "more page")
    columns = ["page", "visits", "p50 first byte", "p50 picture", "p50 load", "p95", "p99", "connections"]
    columns.append("not complete")
    return without_empty(Digest(title="Pages", columns=columns, words=1, rows=rows, note=note))


def _videos(videos: Totals) -> Digest:
    """Starts, stalls and bit rates of videos."""

    def if_any(metric: str, at: int, unit: str = "") -> str:
        if not any(any(table[metric]) for table in videos.tables):
            return "–"
        return _interval(videos.values(metric, at), unit)

    rows = [
        [
            name,
            _interval(videos.values("chunks", at)),
            _interval(videos.values("startup_s", at), "s"),
            if_any("stalls", at),
            if_any("stalled_s", at, "s"),
            _interval(videos.values("mean_bitrate_bps", at), "bit/s"),
            _interval(videos.values("switches", at)),
            _percent(videos.values("top_share", at)),
            _interval(videos.values("mean_qoe", at)),
        ]
        for at, name in enumerate(videos.names[:MANY_FLOWS])
    ]
    note = left_out(len(videos.names) - len(rows), "more video")
    columns = ["video", "chunks", "start-up", "stalls", "stalled", "mean bit rate", "switches", "at the top"]
    columns.append("QoE per chunk")
    return without_empty(Digest(title="Videos", columns=columns, words=1, rows=rows, note=note))


def _sent(run: Packets, flows: Totals) -> list[list[int]]:
    """Packets that each flow sent, by seed."""
    coding = run.totals("coding").tables
    return [sent_by_flow(table, layers) for table, layers in zip(flows.tables, coding, strict=False)]


def _kept(totals: Totals, metric: str, at: int | None) -> list[float]:
    """Values by seed; none of what older versions did not measure."""
    return totals.values(metric, at) if at is not None and totals.has(metric) else []


def _groups(flows: Totals, sent_by_seed: Sequence[Sequence[int]], groups_of: Totals) -> Digest:
    names = {name: at for at, name in enumerate(groups_of.names)}
    groups: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(zip(flows.attribute("group"), flows.attribute("law"), strict=True)):
        groups.setdefault(key, []).append(at)

    def by_seed(metric: str, members: list[int]) -> list[list[float]]:
        return [[table[metric][at] for at in members] for table in flows.tables]

    rows = []
    for (group, law), members in groups.items():
        each = [_mean(flows.values("goodput_bps", at)) for at in members]
        lost = map(sum, by_seed("segments_lost", members))
        sent = [sum(each[at] for at in members) for each in sent_by_seed]
        rows.append(
            [
                group,
                law,
                number(len(members), f"{len(members)}"),
                _interval(map(_mean, by_seed("goodput_bps", members)), "bit/s"),
                quantity(min(each), "bit/s"),
                quantity(max(each), "bit/s"),
                _percent(_shares(zip(lost, sent, strict=True))),
                _interval(map(_mean, by_seed("mean_rtt_s", members)), "s"),
                _interval(map(sum, by_seed("timeouts", members))),
                _interval(map(_mean, by_seed("completion_s", members)), "s"),
                _unfinished(flows, members),
                _interval(_kept(groups_of, "completion_p95_s", names.get(group)), "s"),
                _interval(_kept(groups_of, "rtt_p95_s", names.get(group)), "s"),
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


def _links(links: Totals) -> Digest:
    busiest = set(busy_links(links, MANY_LINKS))
    rows = [
        [
            name,
            quantity(links.attribute("rate_bps")[at], "bit/s"),
            _percent(links.values("utilization", at)),
            _percent(links.values("loss", at)),
            _marked(links, at, lambda table, at: table["packets"][at]),
            _interval(links.values("mean_backlog", at)),
            _interval(links.values("max_backlog", at)),
            _interval(links.values("mean_queue_delay_s", at), "s"),
            _interval(_kept(links, "queue_delay_p95_s", at), "s"),
        ]
        for at, name in enumerate(links.names)
        if name in busiest
    ]
    columns = ["link", "rate", "utilization", "loss", "marked", "mean queue", "longest queue", "mean wait"]
    columns.append("p95 wait")
    note = left_out(len(links.names) - len(rows), "idle link")
    return without_empty(Digest(title="Links", columns=columns, words=1, rows=rows, note=note))


def _marked(totals: Totals, at: int, count: Callable[[Columns, int], float]) -> str:
    """The share of packets that queues marked; nothing where no queue marks."""
    if not any(any(table.get("marked", ())) for table in totals.tables):
        return "–"
    return _percent(_shares((table["marked"][at], count(table, at)) for table in totals.tables))


def _stations(stations: Totals) -> Digest:
    """Rates that the channel of cells offered each station, and those that a scheduler gave it."""
    is_repaired = any(any(table["errors"]) for table in stations.tables)
    rows = [
        [
            name,
            _percent(stations.values("airtime", at)),
            _interval(map(decibels, stations.values("mean_snr", at)), "dB"),
            _interval(stations.values("offered_bps", at), "bit/s"),
            _interval(stations.values("served_bps", at), "bit/s"),
            _interval(stations.values("errors", at)) if is_repaired else "–",
        ]
        for at, name in enumerate(stations.names[:MANY_STATIONS])
    ]
    note = left_out(len(stations.names) - len(rows), "more station")
    columns = ["station", "airtime", "mean SNR", "rate offered", "rate when served", "transmissions failed"]
    return without_empty(Digest(title="Stations", columns=columns, words=1, rows=rows, note=note))


def _radio(links: Totals) -> Digest:
    """Resource blocks, link adaptation and delays of the links of LTE and NR cells."""
    used = [at for at in range(len(links.names)) if any(links.values("blocks", at))]
    rows = [
        [
            links.names[at],
            _percent(links.values("prb_share", at)),
            _interval(links.values("mean_cqi", at)),
            _interval(links.values("mean_mcs", at)),
            _percent(links.values("bler", at)),
            _interval(links.values("mean_radio_delay_s", at), "s"),
            _interval(links.values("radio_delay_p99_s", at), "s"),
            _interval(links.values("mean_grant_wait_s", at), "s")
            if any(links.values("scheduling_requests", at))
            else "–",
        ]
        for at in used[:MANY_LINKS]
    ]
    note = left_out(len(used) - len(rows), "more link")
    columns = ["link", "resource blocks", "CQI", "MCS", "blocks failed", "radio delay", "99 %", "wait for a grant"]
    return without_empty(Digest(title="Radio links", columns=columns, words=1, rows=rows, note=note))


def _mobility(links: Totals) -> Digest:
    """Handovers and failures of the stations of LTE and NR cells."""
    moved = [
        at for at in range(len(links.names)) if any(links.values("handovers", at)) or any(links.values("failures", at))
    ]
    rows = [
        [
            links.names[at],
            _interval(links.values("handovers", at)),
            _interval(links.values("failures", at)),
            _interval(links.values("interrupted_s", at), "s"),
            _interval(links.values("forwarded", at)),
        ]
        for at in moved[:MANY_STATIONS]
    ]
    note = left_out(len(moved) - len(rows), "more station")
    columns = ["link", "handovers", "link failures", "time without a site", "packets forwarded"]
    return Digest(title="Handovers", columns=columns, words=1, rows=rows, note=note)


def _wifi(stations: Totals) -> Digest:
    """Counters of the stations of wireless networks."""

    def failed(at: int) -> list[float]:
        pairs = zip(stations.values("failures", at), stations.values("attempts", at), strict=True)
        return [failures / attempts if attempts else math.nan for failures, attempts in pairs]

    active = [at for at in range(len(stations.names)) if any(stations.values("sending", at))]
    rows = [
        [
            stations.names[at],
            _percent(stations.values("sending", at)),
            _percent(stations.values("sensing", at)),
            _interval(stations.values("attempts", at)),
            _percent(failed(at)),
            _interval(stations.values("mean_cw", at)),
            _interval(stations.values("mean_queue", at)),
        ]
        for at in active[:MANY_STATIONS]
    ]
    note = left_out(len(stations.names) - len(rows), "more station")
    columns = ["station", "sending", "sensing", "attempts", "failed", "mean CW", "mean queue"]
    return Digest(title="Stations", columns=columns, words=1, rows=rows, note=note)


def _aggregation(links: Totals) -> Digest:
    """Airtime, rates and aggregates of the links of 802.11n, ac and ax."""
    rows = [
        [
            name,
            _percent(links.values("airtime", at)),
            _interval(links.values("mean_rate_bps", at), "bit/s"),
            _interval(links.values("mean_ampdu", at)),
            _interval(links.values("mean_ppdu_s", at), "s"),
            _percent(_shares((table["mpdu_failures"][at], table["mpdus"][at]) for table in links.tables)),
            _interval(links.values("given_up", at)),
        ]
        for at, name in enumerate(links.names)
        if any(table["mpdus"][at] for table in links.tables)
    ][:MANY_LINKS]
    columns = ["link", "airtime", "rate", "MPDUs per PPDU", "PPDU", "MPDUs lost", "given up"]
    return without_empty(Digest(title="Aggregation", columns=columns, words=1, rows=rows))


def _air_queues(run: Packets) -> Digest:
    """Queues of the stations of 802.11n, ac and ax by receiver and access category, the most used."""
    counts, spans = ("sent", "dropped", "marked", "longest_queue"), ("mean_wait_s", "wait_p95_s", "wait_p99_s")
    latency = ("delay_p50_s", "delay_p95_s")
    queues = _by_name(run, "wifi_queues", ("link", "category"), (*counts, *spans, *latency))
    shown = _largest(queues, [sum(values["sent"]) for values in queues.values()])
    rows = [
        [
            link,
            category,
            *(_interval(values[metric]) if any(values[metric]) else "–" for metric in counts),
            *(_interval(values[metric], "s") for metric in (*spans, *latency)),
        ]
        for (link, category), values in shown.items()
    ]
    rest = left_out(len(queues) - len(rows), "less used queue")
    note = "wait: up to the first transmission; latency: up to delivery in order" + (f"; {rest}" if rest else "")
    columns = ["link", "category", "packets", "dropped", "marked", "longest queue", "mean wait", "p95 wait", "p99 wait"]
    columns += ["median latency", "p95 latency"]
    return without_empty(Digest(title="Wi-Fi queues", columns=columns, words=2, rows=rows, note=note))


def _air_rates(run: Packets) -> Digest:
    """Rates that the links of 802.11n, ac and ax used, those with the most MPDUs."""
    keys = ("link", "format", "width_hz", "streams", "mcs")
    metrics = ("mpdus", "successes", "share", "airtime")
    rates = _by_name(run, "wifi_rates", (*keys, "rate_bps"), metrics)
    shown = _largest(rates, [sum(values["mpdus"]) for values in rates.values()])
    rows = [
        [
            link,
            f"{kind.upper()} {float(width) / 1e6:g} MHz, {streams} × MCS {mcs}",
            quantity(float(rate), "bit/s"),
            _percent(values["share"]),
            _interval(values["mpdus"]),
            _percent(_shares(zip(values["successes"], values["mpdus"], strict=True))),
            _percent(values["airtime"]),
        ]
        for (link, kind, width, streams, mcs, rate), values in shown.items()
    ]
    note = left_out(len(rates) - len(rows), "less used rate")
    columns = ["link", "mode", "rate", "share of MPDUs", "MPDUs", "acknowledged", "airtime"]
    return Digest(title="Wi-Fi rates", columns=columns, words=2, rows=rows, note=note)


def _backlogs(run: Packets) -> Digest:
    """Queues of stations that forward by backlog, the longest."""
    metrics = ("mean_backlog", "mean_trapped", "max_backlog", "last_backlog", "dropped")
    queues = _by_name(run, "backlogs", ("node", "flow", "class"), metrics)
    shown = _largest(queues, [_mean(values["mean_backlog"]) for values in queues.values()])
    rows = [
        [node, f"{flow}, ACKs" if kind == "acks" else flow, *(_interval(values[metric]) for metric in metrics)]
        for (node, flow, kind), values in shown.items()
    ]
    rest = left_out(len(queues) - len(rows), "shorter queue")
    note = "trapped: in queues that have sent nothing for 1 s" + (f"; {rest}" if rest else "")
    columns = ["station", "flow", "mean queue", "trapped", "longest queue", "left at the end", "dropped"]
    return Digest(title="Queues by flow", columns=columns, words=2, rows=rows, note=note)


def _ways(run: Packets) -> Digest:
    """Which links the packets of each flow take, where stations forward by backlog."""
    flows, sources, links = run.draws("flows"), run.draws("background"), run.draws("links")
    ends = {
        name: to for totals in (flows, sources) for name, to in zip(totals.names, totals.attribute("to"), strict=True)
    }
    heads = dict(zip(links.names, links.attribute("to"), strict=True))
    packets = _by_name(run, "shares", ("flow", "class", "link"), ("packets",))
    sent = {(flow, link): sum(v["packets"]) for (flow, kind, link), v in packets.items() if kind != "acks"}
    arrived: dict[str, float] = {}
    for (flow, link), count in sent.items():
        arrived[flow] = arrived.get(flow, 0.0) + count * (heads[link] == ends[flow])
    shown = _largest(sent, [count / arrived[flow] if arrived[flow] else 0.0 for (flow, _), count in sent.items()])
    rows = [
        [flow, link, percent(sent[flow, link] / arrived[flow] if arrived[flow] else math.nan)]
        for flow in ends
        for of, link in shown
        if of == flow
    ]
    rest = left_out(len(sent) - len(rows), "link", "with smaller shares")
    note = "100 % is what arrives at the destination" + (f"; {rest}" if rest else "")
    return Digest(title="Ways of the flows", columns=["flow", "link", "share"], words=2, rows=rows, note=note)


def _coding(run: Packets) -> Digest:
    """Counters of the coding layers of flows."""
    metrics = ("combinations", "repairs", "unmasked", "received", "innovative", "requests")
    layers = _by_name(run, "coding", ("flow",), metrics)
    rows = [
        [
            flow,
            _interval(values["combinations"]),
            _percent(_shares(zip(values["repairs"], values["combinations"], strict=True))),
            _interval(values["unmasked"]),
            _percent(_shares(zip(values["innovative"], values["received"], strict=True))),
            _interval(values["requests"]),
        ]
        for (flow,), values in layers.items()
    ]
    note = "dropped: by a full queue at the source, which TCP is shown"
    columns = ["flow", "combinations", "repairs", "dropped", "innovative", "requests"]
    return Digest(title="Network coding", columns=columns, words=1, rows=rows, note=note)


def _by_name(
    run: Packets, kind: str, names: Sequence[str], metrics: Sequence[str]
) -> dict[tuple[str, ...], dict[str, list[float]]]:
    """Values by seed of what has a row only in seeds in which it was used: 0 in the others."""
    found: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for at, table in enumerate(run.totals(kind).tables):
        columns = [_plain(table[name]) for name in (*names, *metrics)]
        for row in zip(*columns, strict=True):
            values = found.setdefault(row[: len(names)], {metric: [0.0] * len(run.seeds) for metric in metrics})
            for metric, value in zip(metrics, row[len(names) :], strict=True):
                values[metric][at] = float(value)
    return found


def _plain(column: Any) -> Iterable[Any]:
    """The values of a column, names where it has indices of them."""
    return [column.names[at] for at in column.indices] if isinstance(column, Named) else column


def _largest(rows: Mapping[Row, Value], sizes: Sequence[float]) -> dict[Row, Value]:
    """The rows of the largest sizes, at most `MANY_QUEUES`, in their order."""
    by_size = sorted(zip(rows, sizes, strict=True), key=lambda pair: -pair[1])[:MANY_QUEUES]
    chosen = {row for row, _ in by_size}
    return {row: value for row, value in rows.items() if row in chosen}


def decibels(ratio: float) -> float:
    """A ratio of powers in decibels."""
    return 10 * math.log10(ratio) if ratio > 0 else math.nan


def _background(sources: Totals) -> Digest:
    rows = [
        [
            name,
            _interval(sources.values("received_bps", at), "bit/s"),
            _percent(sources.values("loss", at)),
            _interval(sources.values("mean_delay_s", at), "s"),
            *(_interval(_kept(sources, f"delay_{part}_s", at), "s") for part in ("p50", "p95", "p99", "p999")),
            _late(sources, at),
            _interval(_kept(sources, "longest_gap_s", at), "s"),
        ]
        for at, name in enumerate(sources.names[:MANY_FLOWS])
    ]
    note = left_out(len(sources.names) - len(rows), "more source")
    columns = ["source", "received", "loss", "mean delay", "p50 delay", "p95", "p99", "p99.9"]
    columns += ["later than 100 ms", "longest gap"]
    return without_empty(Digest(title="Datagrams", columns=columns, words=1, rows=rows, note=note))


def _calls(calls: Totals) -> Digest:
    """Speech quality of the directions of calls."""
    rows = [
        [
            name,
            _interval(calls.values("delay_s", at), "s"),
            _percent(calls.values("lost", at)),
            _percent(calls.values("late", at)),
            _interval(calls.values("rating", at)),
            _interval(calls.values("mos", at)),
        ]
        for at, name in enumerate(calls.names[:MANY_FLOWS])
    ]
    note = left_out(len(calls.names) - len(rows), "more direction")
    columns = ["call", "mouth to ear", "lost", "too late", "R", "MOS"]
    return without_empty(Digest(title="Calls", columns=columns, words=1, rows=rows, note=note))


def _call_videos(videos: Totals) -> Digest:
    """Rates, delays and freezes of the video of calls."""
    rows = [
        [
            name,
            _interval(videos.values("target_bps", at), "bit/s"),
            _interval(videos.values("received_bps", at), "bit/s"),
            _percent(videos.values("loss", at)),
            *(_interval(videos.values(f"frame_delay_{part}_s", at), "s") for part in ("p50", "p95")),
            _percent(videos.values("missed", at)),
            _interval(videos.values("freezes", at)),
            _interval(videos.values("frozen_s", at), "s"),
        ]
        for at, name in enumerate(videos.names[:MANY_FLOWS])
    ]
    note = left_out(len(videos.names) - len(rows), "more direction")
    columns = ["video of a call", "target", "received", "loss", "p50 frame", "p95", "missed", "freezes", "frozen"]
    return without_empty(Digest(title="Video of calls", columns=columns, words=1, rows=rows, note=note))


def _late(sources: Totals, at: int) -> str:
    """The share of datagrams later than 100 ms; nothing where none are."""
    if not any(share > 0 for table in sources.tables for share in table.get("late_100ms", ())):
        return "–"
    return _percent(_kept(sources, "late_100ms", at))


def without_empty(table: Digest) -> Digest:
    """The table without columns in which nothing was measured."""
    kept = [at for at in range(len(table.columns)) if at < table.words or any(row[at] != "–" for row in table.rows)]
    return Digest(
        title=table.title,
        columns=[table.columns[at] for at in kept],
        words=table.words,
        rows=[[row[at] for at in kept] for row in table.rows],
        note=table.note,
    )


_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))


#: Units that tables give a prefix.
_PREFIXED = ("bit/s", "s")


def quantity(value: float, unit: str = "", error: float = math.nan) -> str:
    """A value with its error, and with a fitting prefix of bit/s and s; "–" for what was not measured.

    The error has two digits and the value as many decimals as it; without an error the value has three digits.
    """
    if math.isnan(value):
        return "–"
    scale, prefix = 1.0, ""
    if unit in _PREFIXED and value:
        scale, prefix = prefix_of(abs(value))
    is_exact = math.isnan(error) or error < 1e-9 * abs(value) or error == 0
    error = math.nan if is_exact else error
    text = with_error(value / scale, error / scale)
    return Amount(f"{text} {prefix}{unit}".rstrip(), value, unit, error)


def prefix_of(size: float) -> tuple[float, str]:
    """The prefix that fits an amount of this size, and what it stands for."""
    return next((pair for pair in _PREFIXES if size >= pair[0]), _PREFIXES[-1])


def column_scale(cells: Iterable[str]) -> tuple[float, str]:
    """Divisor that gives a column one unit, and that unit; the largest number chooses."""
    amounts = [cell for cell in cells if isinstance(cell, Amount)]
    unit = next((cell.unit for cell in amounts if cell.unit), "")
    most = max((abs(cell.value) for cell in amounts if math.isfinite(cell.value)), default=0.0)
    if unit not in _PREFIXED or not most:
        return 1.0, unit
    scale, prefix = prefix_of(most)
    return scale, f"{prefix}{unit}"


def with_error(value: float, error: float = math.nan, most: int = 3) -> str:
    """A number with three digits, or with as many decimals as two digits of its error take; at most `most` of them."""
    if math.isnan(error):
        return f"{value:.{_decimals(value, 3, most)}f}"
    decimals = _decimals(error, 2, most)
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def number(value: float, text: str = "") -> str:
    """A number without a unit, as `text` or with four digits."""
    return Amount(text or f"{value:.4g}", value)


def _decimals(value: float, digits: int, most: int) -> int:
    """Decimals with which so many digits of a value are shown; at most `most`."""
    return 0 if value == 0 else max(0, min(most, digits - 1 - math.floor(math.log10(abs(value)))))


def _mean(values: Iterable[float]) -> float:
    return mean_and_interval(values)[0]


def _shares(counts: Iterable[tuple[float, float]]) -> list[float]:
    return [part / whole if whole else math.nan for part, whole in counts]


def _interval(values: Iterable[float], unit: str = "") -> str:
    mean, error = mean_and_interval(values)
    return quantity(mean, unit, error)


def _percent(values: Iterable[float]) -> str:
    mean, error = mean_and_interval(100 * value for value in values)
    return quantity(mean, "%", error)


def percent(share: float) -> str:
    """A share in per cent, with one decimal."""
    return "–" if math.isnan(share) else Amount(f"{100 * share:.1f} %", 100 * share, "%")


def _fraction(values: Iterable[float]) -> str:
    mean, error = mean_and_interval(values)
    text = f"{mean:.3f}" + ("" if math.isnan(error) else f" ± {error:.3f}")
    return "–" if math.isnan(mean) else Amount(text, mean, "", error)

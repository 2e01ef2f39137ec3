"""Tables of stations and of their queues."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from windward.show.digest._numbers import decibels, events, interval, percents, quantity, shares
from windward.show.digest._table import Digest, by_name, largest, left_out, without_empty

if TYPE_CHECKING:
    from windward.results._shapes import Packets
    from windward.results._tables import Totals

#: Most stations with a row each.
MANY_STATIONS = 20


def of_stations(stations: Totals) -> Digest:
    """Rates that the channel of cells offered each station, and those that a scheduler gave it."""
    is_repaired = any(any(table["errors"]) for table in stations.tables)
    rows = [
        [
            name,
            percents(stations.values("airtime", at)),
            interval(map(decibels, stations.values("mean_snr", at)), "dB"),
            interval(stations.values("offered_bps", at), "bit/s"),
            interval(stations.values("served_bps", at), "bit/s"),
            events("errors", stations.values("errors", at)) if is_repaired else "–",
        ]
        for at, name in enumerate(stations.names[:MANY_STATIONS])
    ]
    note = left_out(len(stations.names) - len(rows), "more station")
    columns = ["station", "airtime", "mean SNR", "rate offered", "rate when served", "transmissions failed"]
    return without_empty(Digest(title="Stations", columns=columns, words=1, rows=rows, note=note))


def of_wifi(stations: Totals) -> Digest:
    """Counters of the stations of wireless networks."""

    def failed(at: int) -> list[float]:
        pairs = zip(stations.values("failures", at), stations.values("attempts", at), strict=True)
        return [failures / attempts if attempts else math.nan for failures, attempts in pairs]

    active = [at for at in range(len(stations.names)) if any(stations.values("sending", at))]
    rows = [
        [
            stations.names[at],
            percents(stations.values("sending", at)),
            percents(stations.values("sensing", at)),
            interval(stations.values("attempts", at)),
            percents(failed(at)),
            interval(stations.values("mean_cw", at)),
            interval(stations.values("mean_queue", at)),
        ]
        for at in active[:MANY_STATIONS]
    ]
    note = left_out(len(stations.names) - len(rows), "more station")
    columns = ["station", "sending", "sensing", "attempts", "failed", "mean CW", "mean queue"]
    return Digest(title="Stations", columns=columns, words=1, rows=rows, note=note)


def of_air_queues(run: Packets) -> Digest:
    """Queues of the stations of 802.11n, ac and ax by receiver and access category, the most used."""
    counts, spans = ("sent", "dropped", "marked", "longest_queue"), ("mean_wait_s", "wait_p95_s", "wait_p99_s")
    latency = ("delay_p50_s", "delay_p95_s")
    queues = by_name(run, "wifi_queues", ("link", "category"), (*counts, *spans, *latency))
    shown = largest(queues, [sum(values["sent"]) for values in queues.values()])
    rows = [
        [
            link,
            category,
            *(interval(values[metric]) if any(values[metric]) else "–" for metric in counts),
            *(interval(values[metric], "s") for metric in (*spans, *latency)),
        ]
        for (link, category), values in shown.items()
    ]
    rest = left_out(len(queues) - len(rows), "less used queue")
    note = "wait: up to the first transmission; latency: up to delivery in order" + (f"; {rest}" if rest else "")
    columns = ["link", "category", "packets", "dropped", "marked", "longest queue", "mean wait", "p95 wait", "p99 wait"]
    columns += ["median latency", "p95 latency"]
    return without_empty(Digest(title="Wi-Fi queues", columns=columns, words=2, rows=rows, note=note))


def of_air_rates(run: Packets) -> Digest:
    """Rates that the links of 802.11n, ac and ax used, those with the most MPDUs."""
    keys = ("link", "format", "width_hz", "streams", "mcs")
    metrics = ("mpdus", "successes", "share", "airtime")
    rates = by_name(run, "wifi_rates", (*keys, "rate_bps"), metrics)
    shown = largest(rates, [sum(values["mpdus"]) for values in rates.values()])
    rows = [
        [
            link,
            f"{kind.upper()} {float(width) / 1e6:g} MHz, {streams} × MCS {mcs}",
            quantity(float(rate), "bit/s"),
            percents(values["share"]),
            interval(values["mpdus"]),
            percents(shares(zip(values["successes"], values["mpdus"], strict=True))),
            percents(values["airtime"]),
        ]
        for (link, kind, width, streams, mcs, rate), values in shown.items()
    ]
    note = left_out(len(rates) - len(rows), "less used rate")
    columns = ["link", "mode", "PHY rate", "share of MPDUs", "MPDUs", "acknowledged", "airtime"]
    return Digest(title="Wi-Fi rates", columns=columns, words=2, rows=rows, note=note)

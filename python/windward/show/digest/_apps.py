"""Tables of applications, calls and background sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windward.show.digest._flows import MANY_FLOWS
from windward.show.digest._numbers import events, interval, percents, shares
from windward.show.digest._table import Digest, kept, left_out, without_empty

if TYPE_CHECKING:
    from windward.results._tables import Totals


def of_apps(apps: Totals) -> Digest:
    """Completion times and slowdowns of requests."""

    def unfinished(at: int) -> str:
        if not any(any(table["unfinished"]) for table in apps.tables):
            return "–"
        return percents(shares((table["unfinished"][at], table["requests"][at]) for table in apps.tables))

    def late(at: int) -> str:
        if not any(any(table["late"]) for table in apps.tables):
            return "–"
        return percents(shares((table["late"][at], table["requests"][at]) for table in apps.tables))

    rows = [
        [
            name,
            apps.attribute("law")[at],
            interval(apps.values("requests", at)),
            percents(apps.values("load", at)),
            *(interval(apps.values(f"completion_{part}_s", at), "s") for part in ("mean", "p50", "p95", "p99")),
            interval(apps.values("slowdown_p50", at)),
            interval(apps.values("slowdown_p99", at)),
            unfinished(at),
            late(at),
        ]
        for at, name in enumerate(apps.names[:MANY_FLOWS])
    ]
    note = left_out(len(apps.names) - len(rows), "more application")
    columns = ["application", "law", "requests", "load", "mean completion", "p50", "p95", "p99"]
    columns += ["p50 slowdown", "p99 slowdown", "not finished", "late"]
    return without_empty(Digest(title="Requests", columns=columns, words=2, rows=rows, note=note))


def of_pages(pages: Totals) -> Digest:
    """Load times of pages."""

    def unfinished(at: int) -> str:
        if not any(any(table["unfinished"]) for table in pages.tables):
            return "–"
        return percents(shares((table["unfinished"][at], table["visits"][at]) for table in pages.tables))

    rows = [
        [
            name,
            interval(pages.values("visits", at)),
            interval(pages.values("first_byte_p50_s", at), "s"),
            interval(pages.values("paint_p50_s", at), "s"),
            *(interval(pages.values(f"load_{part}_s", at), "s") for part in ("p50", "p95", "p99")),
            interval(pages.values("connections", at)),
            unfinished(at),
        ]
        for at, name in enumerate(pages.names[:MANY_FLOWS])
    ]
    note = left_out(len(pages.names) - len(rows), "more page")
    columns = ["page", "visits", "p50 first byte", "p50 picture", "p50 load", "p95", "p99", "connections"]
    columns.append("not complete")
    return without_empty(Digest(title="Pages", columns=columns, words=1, rows=rows, note=note))


def of_videos(videos: Totals) -> Digest:
    """Starts, stalls and bit rates of videos."""

    def if_any(metric: str, at: int, unit: str = "") -> str:
        if not any(any(table[metric]) for table in videos.tables):
            return "–"
        return interval(videos.values(metric, at), unit)

    rows = [
        [
            name,
            interval(videos.values("chunks", at)),
            interval(videos.values("startup_s", at), "s"),
            if_any("stalls", at),
            if_any("stalled_s", at, "s"),
            interval(videos.values("mean_bitrate_bps", at), "bit/s"),
            interval(videos.values("switches", at)),
            percents(videos.values("top_share", at)),
            interval(videos.values("mean_qoe", at)),
        ]
        for at, name in enumerate(videos.names[:MANY_FLOWS])
    ]
    note = left_out(len(videos.names) - len(rows), "more video")
    columns = ["video", "chunks", "start-up", "stalls", "stalled", "mean bit rate", "switches", "at the top"]
    columns.append("QoE per chunk")
    return without_empty(Digest(title="Videos", columns=columns, words=1, rows=rows, note=note))


def of_background(sources: Totals) -> Digest:
    rows = [
        [
            name,
            interval(sources.values("received_bps", at), "bit/s"),
            percents(sources.values("loss", at)),
            interval(sources.values("mean_delay_s", at), "s"),
            *(interval(kept(sources, f"delay_{part}_s", at), "s") for part in ("p50", "p95", "p99", "p999")),
            _late(sources, at),
            interval(kept(sources, "longest_gap_s", at), "s"),
        ]
        for at, name in enumerate(sources.names[:MANY_FLOWS])
    ]
    note = left_out(len(sources.names) - len(rows), "more source")
    columns = ["source", "received", "loss", "mean delay", "p50 delay", "p95", "p99", "p99.9"]
    columns += ["later than 100 ms", "longest gap"]
    return without_empty(Digest(title="Datagrams", columns=columns, words=1, rows=rows, note=note))


def of_games(games: Totals) -> Digest:
    """Round trips of games."""
    rows = [
        [
            name.removesuffix(":down"),
            interval(games.values("round_trips", at)),
            interval(games.values("mean_rtt_s", at), "s"),
            *(interval(games.values(f"rtt_{part}_s", at), "s") for part in ("p50", "p95", "p99", "p999")),
        ]
        for at, name in enumerate(games.names[:MANY_FLOWS])
    ]
    note = left_out(len(games.names) - len(rows), "more game")
    columns = ["game", "round trips", "mean RTT", "p50 RTT", "p95", "p99", "p99.9"]
    return without_empty(Digest(title="Games", columns=columns, words=1, rows=rows, note=note))


def of_calls(calls: Totals) -> Digest:
    """Speech quality of the directions of calls."""
    rows = [
        [
            name,
            interval(calls.values("delay_s", at), "s"),
            percents(calls.values("lost", at)),
            percents(calls.values("late", at)),
            interval(calls.values("rating", at)),
            interval(calls.values("mos", at)),
        ]
        for at, name in enumerate(calls.names[:MANY_FLOWS])
    ]
    note = left_out(len(calls.names) - len(rows), "more direction")
    columns = ["call", "mouth to ear", "lost", "too late", "R", "MOS"]
    return without_empty(Digest(title="Calls", columns=columns, words=1, rows=rows, note=note))


def of_call_videos(videos: Totals) -> Digest:
    """Rates, delays and freezes of the video of calls."""
    rows = [
        [
            name,
            interval(videos.values("target_bps", at), "bit/s"),
            interval(videos.values("received_bps", at), "bit/s"),
            percents(videos.values("loss", at)),
            *(interval(videos.values(f"frame_delay_{part}_s", at), "s") for part in ("p50", "p95")),
            percents(videos.values("missed", at)),
            events("freezes", videos.values("freezes", at)),
            interval(videos.values("frozen_s", at), "s"),
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
    return percents(kept(sources, "late_100ms", at))

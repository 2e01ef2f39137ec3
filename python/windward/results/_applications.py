"""Applications and other sources, declared once: tables of text, figures of sweeps, figures of runs.

One more application is one more entry of `APPLICATIONS`. Its columns are those of its table, which the engine declares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

#: The percentiles of round trips, waits and completion times.
PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A column of the table of text."""

    title: str
    column: str
    unit: str = ""
    #: A mean with its interval, the same where older versions may not have measured it, a share in per cent, a number
    #: of rare events, or a property of the scenario.
    how: Literal["mean", "kept", "share", "events", "property"] = "mean"
    #: The column whose share it is; empty: it is a share already.
    of: str = ""
    #: Whether a dash stands for it where no row of any seed has one.
    if_any: bool = False
    #: Whether the explorer shows it too.
    is_told: bool = True


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of a sweep: a column over all rows of the table."""

    name: str
    label: str
    #: Its column in `runs`, and the column of the table.
    runs: str
    column: str
    #: How the rows become one: a mean leaves out what was not measured.
    how: Literal["largest", "least", "mean", "sum", "share"] = "largest"
    #: Of a share, the column that it is divided by.
    of: str = ""
    unit: str = ""
    least: float = 0.0
    most: float = math.inf
    is_large: bool = False


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """A figure of a run: the share of the values `x` that are at most so large, a line for each `by`."""

    name: str
    title: str
    table: str
    x: str
    label: str
    #: Said where there is nothing to draw.
    empty: str
    #: Said of the rows: their number, or the number of those without a value.
    rows: str = ""
    without: str = ""
    by: str = "app"
    one: str = "application"


@dataclass(frozen=True, kw_only=True)
class Application:
    """A table of applications, with a row for each."""

    table: str
    #: Heads of the table of text, and of its first column.
    title: str
    one: str
    columns: Sequence[Shown]
    #: End of the names that is not shown.
    suffix: str = ""
    #: What else a row is.
    more: str = ""
    figures: Sequence[Figure] = ()
    #: Kinds of applications that the figures are of.
    kinds: Sequence[str] = ()
    distributions: Sequence[Distribution] = ()
    #: Names of figures of a run that `show.plot` draws by functions of their own.
    drawn: Sequence[str] = ()


def percentiles(column: str, first: str, *, last: bool = True, untold: Sequence[str] = ("p99",)) -> list[Shown]:
    """Columns of the median, whose title is given, and of the further percentiles."""
    parts = {"p50": first, "p95": "p95", **({"p99": "p99"} if last else {})}
    return [
        Shown(title=title, column=f"{column}_{part}_s", unit="s", is_told=part not in untold)
        for part, title in parts.items()
    ]


def figures_of(name: str, column: str, label: str) -> list[Figure]:
    """Figures of the largest percentiles of a column: `load`, and `load_p50_s` to `load_p99_s`."""
    return [
        Figure(
            name=f"{name}-p{percent}",
            label=label.format(f"p{percent}"),
            runs=f"{name.replace('-', '_')}_p{percent}_s",
            column=f"{column}_p{percent}_s",
            unit="s",
        )
        for percent in PERCENTILES
    ]


#: In the order of the tables of text.
APPLICATIONS: Sequence[Application] = (
    Application(
        table="apps",
        title="Requests",
        one="application",
        columns=[
            Shown(title="law", column="law", how="property", is_told=False),
            Shown(title="requests", column="requests"),
            Shown(title="load", column="load", how="share", is_told=False),
            Shown(title="mean completion", column="completion_mean_s", unit="s", is_told=False),
            *percentiles("completion", "p50", untold=()),
            Shown(title="p50 slowdown", column="slowdown_p50", is_told=False),
            Shown(title="p99 slowdown", column="slowdown_p99", is_told=False),
            Shown(title="not finished", column="unfinished", how="share", of="requests", if_any=True),
            Shown(title="late", column="late", how="share", of="requests", if_any=True),
        ],
        figures=figures_of("request", "completion", "longest {} of requests"),
        kinds=("requests", "session", "page", "video"),
        distributions=[
            Distribution(
                name="completion",
                title="Completion times of requests",
                table="requests",
                x="completion_s",
                label="completion time (s)",
                empty="the scenario has no application with requests",
                without="not finished",
            )
        ],
    ),
    Application(
        table="pages",
        title="Pages",
        one="page",
        columns=[
            Shown(title="visits", column="visits", is_told=False),
            Shown(title="p50 first byte", column="first_byte_p50_s", unit="s"),
            Shown(title="p50 picture", column="paint_p50_s", unit="s"),
            *percentiles("load", "p50 load"),
            Shown(title="connections", column="connections", is_told=False),
            Shown(title="not complete", column="unfinished", how="share", of="visits", if_any=True),
        ],
        figures=[
            *figures_of("load", "load", "longest {} of page loads"),
            Figure(
                name="paint",
                label="longest p50 to a page's picture",
                runs="paint_p50_s",
                column="paint_p50_s",
                unit="s",
            ),
        ],
        kinds=("page",),
        distributions=[
            Distribution(
                name="loads",
                title="Load times of pages",
                table="visits",
                x="load_s",
                label="load time (s)",
                empty="the scenario has no page",
                rows="visits",
                one="page",
            )
        ],
        drawn=("waterfall",),
    ),
    Application(
        table="videos",
        title="Videos",
        one="video",
        columns=[
            Shown(title="chunks", column="chunks", is_told=False),
            Shown(title="start-up", column="startup_s", unit="s"),
            Shown(title="stalls", column="stalls", how="events", if_any=True),
            Shown(title="stalled", column="stalled_s", unit="s", if_any=True),
            Shown(title="mean bit rate", column="mean_bitrate_bps", unit="bit/s"),
            Shown(title="switches", column="switches", is_told=False),
            Shown(title="at the top", column="top_share", how="share", is_told=False),
            Shown(title="QoE per chunk", column="mean_qoe"),
        ],
        figures=[
            Figure(name="startup", label="longest start of a video", runs="startup_s", column="startup_s", unit="s"),
            Figure(
                name="stalled",
                label="largest share stalled",
                runs="stall_share",
                column="stall_share",
                unit="%",
                most=1.0,
            ),
            Figure(
                name="bitrate",
                label="mean bit rate of videos",
                runs="bitrate_bps",
                column="mean_bitrate_bps",
                how="mean",
                unit="bit/s",
                is_large=True,
            ),
            Figure(
                name="qoe",
                label="QoE per chunk",
                runs="qoe",
                column="mean_qoe",
                how="mean",
                least=-math.inf,
                is_large=True,
            ),
        ],
        kinds=("video",),
        drawn=("video",),
    ),
    Application(
        table="calls",
        title="Calls",
        one="call",
        more="direction",
        columns=[
            Shown(title="mouth to ear", column="delay_s", unit="s"),
            Shown(title="lost", column="lost", how="share"),
            Shown(title="too late", column="late", how="share"),
            Shown(title="R", column="rating", is_told=False),
            Shown(title="MOS", column="mos"),
        ],
        figures=[
            Figure(
                name="mos",
                label="least MOS of calls",
                runs="mos",
                column="mos",
                how="least",
                least=1.0,
                most=4.5,
                is_large=True,
            )
        ],
        kinds=("call",),
    ),
    Application(
        table="call_videos",
        title="Video of calls",
        one="video of a call",
        more="direction",
        columns=[
            Shown(title="target", column="target_bps", unit="bit/s", is_told=False),
            Shown(title="received", column="received_bps", unit="bit/s"),
            Shown(title="loss", column="loss", how="share"),
            *percentiles("frame_delay", "p50 frame", last=False, untold=("p50",)),
            Shown(title="missed", column="missed", how="share"),
            Shown(title="freezes", column="freezes", how="events"),
            Shown(title="frozen", column="frozen_s", unit="s", is_told=False),
        ],
        figures=[
            Figure(
                name="call-rate",
                label="mean rate of calls' video",
                runs="call_rate_bps",
                column="received_bps",
                how="mean",
                unit="bit/s",
                is_large=True,
            ),
            Figure(
                name="frame-p95",
                label="longest p95 delay of calls' frames",
                runs="frame_p95_s",
                column="frame_delay_p95_s",
                unit="s",
            ),
            Figure(
                name="missed",
                label="largest share of missed frames",
                runs="missed",
                column="missed",
                unit="%",
                most=1.0,
            ),
        ],
        kinds=("call",),
        drawn=("call",),
    ),
    Application(
        table="games",
        title="Games",
        one="game",
        suffix=":down",
        columns=[
            Shown(title="round trips", column="round_trips", is_told=False),
            Shown(title="mean RTT", column="mean_rtt_s", unit="s"),
            *percentiles("rtt", "p50 RTT", untold=()),
            Shown(title="p99.9", column="rtt_p999_s", unit="s", is_told=False),
        ],
        figures=figures_of("game-rtt", "rtt", "longest {} of games' round trips"),
        kinds=("game",),
    ),
    Application(
        table="background",
        title="Datagrams",
        one="source",
        columns=[
            Shown(title="received", column="received_bps", unit="bit/s"),
            Shown(title="loss", column="loss", how="share"),
            Shown(title="mean delay", column="mean_delay_s", unit="s"),
            Shown(title="p50 delay", column="delay_p50_s", unit="s", how="kept", is_told=False),
            Shown(title="p95", column="delay_p95_s", unit="s", how="kept"),
            Shown(title="p99", column="delay_p99_s", unit="s", how="kept", is_told=False),
            Shown(title="p99.9", column="delay_p999_s", unit="s", how="kept", is_told=False),
            Shown(title="later than 100 ms", column="late_100ms", how="share", if_any=True, is_told=False),
            Shown(title="longest gap", column="longest_gap_s", unit="s", how="kept", is_told=False),
        ],
        figures=[
            *figures_of("datagram", "delay", "longest {} delay of datagrams"),
            Figure(
                name="received",
                label="datagrams received",
                runs="received_bps",
                column="received_bps",
                how="sum",
                unit="bit/s",
                is_large=True,
            ),
            Figure(
                name="datagram-loss",
                label="lost datagrams",
                runs="datagram_loss",
                column="lost",
                how="share",
                of="sent",
                unit="%",
                most=1.0,
            ),
        ],
        kinds=("call", "game", "ping", "background"),
        drawn=("datagrams",),
    ),
)

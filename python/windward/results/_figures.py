"""Measures of each run of a sweep, over all its flows: the columns of its `runs`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windward.results._tables import Columns, sent_by_flow
from windward.results.stats import jain, percentile, total_goodput


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A figure of a run."""

    #: Its column in `runs`.
    column: str
    label: str
    #: "bit/s", "s", "%", "packets", or nothing.
    unit: str = ""
    #: The same of a single flow, and of a link: the column there; none where there is no such thing.
    flow: str = ""
    link: str = ""
    #: The least and the largest that it can be; shares are between 0 and 1.
    least: float = 0.0
    most: float = math.inf
    #: What it is measured of, such as the kinds of applications; empty: flows and links.
    of: tuple[str, ...] = ()
    #: Whether simulations measure it; otherwise other engines alone do.
    is_of_packets: bool = True
    #: Whether more of it is better; of all others less is.
    is_large: bool = False


#: The percentiles of round trips, waits and completion times.
PERCENTILES = (50, 95, 99)

#: What requests and datagrams are of.
_REQUESTS = ("requests", "session", "page", "video")
_DATAGRAMS = ("call", "game", "ping", "background")

#: By the names that people choose them by.
FIGURES: Mapping[str, Measured] = {
    "goodput": Measured(column="goodput_bps", label="goodput", unit="bit/s", flow="goodput_bps", is_large=True),
    "fairness": Measured(column="jain", label="Jain's index", most=1.0, is_large=True),
    "loss": Measured(column="loss", label="lost segments", unit="%", flow="loss", link="loss", most=1.0),
    "rtt": Measured(column="mean_rtt_s", label="mean RTT", unit="s", flow="mean_rtt_s"),
    **{
        f"rtt-p{percent}": Measured(
            column=f"rtt_p{percent}_s", label=f"p{percent} of the RTT", unit="s", flow=f"rtt_p{percent}_s"
        )
        for percent in PERCENTILES
    },
    "window": Measured(column="mean_cwnd", label="mean window", unit="packets", flow="mean_cwnd"),
    "timeouts": Measured(column="timeouts", label="timeouts", flow="timeouts"),
    "utilization": Measured(
        column="utilization", label="utilization", unit="%", link="utilization", most=1.0, is_large=True
    ),
    "wait": Measured(column="wait_s", label="longest mean wait", unit="s", link="mean_queue_delay_s"),
    **{
        f"wait-p{percent}": Measured(
            column=f"wait_p{percent}_s", label=f"longest p{percent} wait", unit="s", link=f"queue_delay_p{percent}_s"
        )
        for percent in PERCENTILES
    },
    "completion": Measured(column="completion_s", label="completed after", unit="s", flow="completion_s"),
    **{
        f"completion-p{percent}": Measured(
            column=f"completion_p{percent}_s", label=f"p{percent} of completion times", unit="s"
        )
        for percent in PERCENTILES
    },
    **{
        f"request-p{percent}": Measured(
            column=f"request_p{percent}_s", label=f"longest p{percent} of requests", unit="s", of=_REQUESTS
        )
        for percent in PERCENTILES
    },
    **{
        f"datagram-p{percent}": Measured(
            column=f"datagram_p{percent}_s", label=f"longest p{percent} delay of datagrams", unit="s", of=_DATAGRAMS
        )
        for percent in PERCENTILES
    },
    "received": Measured(column="received_bps", label="datagrams received", unit="bit/s", is_large=True, of=_DATAGRAMS),
    "datagram-loss": Measured(column="datagram_loss", label="lost datagrams", unit="%", most=1.0, of=_DATAGRAMS),
    **{
        f"load-p{percent}": Measured(
            column=f"load_p{percent}_s", label=f"longest p{percent} of page loads", unit="s", of=("page",)
        )
        for percent in PERCENTILES
    },
    "paint": Measured(column="paint_p50_s", label="longest p50 to a page's picture", unit="s", of=("page",)),
    "mos": Measured(column="mos", label="least MOS of calls", least=1.0, most=4.5, is_large=True, of=("call",)),
    "call-rate": Measured(
        column="call_rate_bps", label="mean rate of calls' video", unit="bit/s", is_large=True, of=("call",)
    ),
    "frame-p95": Measured(column="frame_p95_s", label="longest p95 delay of calls' frames", unit="s", of=("call",)),
    "missed": Measured(column="missed", label="largest share of missed frames", unit="%", most=1.0, of=("call",)),
    **{
        f"game-rtt-p{percent}": Measured(
            column=f"game_rtt_p{percent}_s", label=f"longest p{percent} of games' round trips", unit="s", of=("game",)
        )
        for percent in PERCENTILES
    },
    "startup": Measured(column="startup_s", label="longest start of a video", unit="s", of=("video",)),
    "stalled": Measured(column="stall_share", label="largest share stalled", unit="%", most=1.0, of=("video",)),
    "bitrate": Measured(
        column="bitrate_bps", label="mean bit rate of videos", unit="bit/s", is_large=True, of=("video",)
    ),
    "qoe": Measured(column="qoe", label="QoE per chunk", least=-math.inf, is_large=True, of=("video",)),
    "unfinished": Measured(column="unfinished", label="transfers not completed", flow="unfinished"),
    "delay": Measured(column="queue_delay_s", label="longest queueing delay", unit="s", is_of_packets=False),
    "settled": Measured(column="settled_s", label="settled after", unit="s", is_of_packets=False),
    "value": Measured(column="value", label="value of the objective", least=-math.inf, is_of_packets=False),
    "residual": Measured(column="residual", label="largest residual", is_of_packets=False),
}


#: Objectives of a search that are no figure of a run, with their formulas.
FORMULAS: Mapping[str, str] = {
    "power": "ln(goodput in bit/s) − ½ ln(mean RTT in s)",
    "ratio": "largest goodput of a flow over the smallest, at most 10⁶",
}


def is_large(name: str) -> bool:
    """Returns true if more of a figure, or of a formula, is better."""
    return FIGURES[name].is_large if name in FIGURES else name == "power"


def packets(tables: Mapping[str, Columns], counts: Mapping[str, int], measured_s: float) -> dict[str, list[float]]:
    """Measures of a simulation or an emulation: totals and means over the flows, the busiest link, and applications.

    `completion_s` is that of the last transfer: NaN where not all have completed, whose number is `unfinished`.
    """
    flows, links, apps = tables["flows"], tables["links"], tables["apps"]
    sources, videos, pages = tables["background"], tables["videos"], tables["pages"]
    calls = tables["call_videos"]
    datagrams = sum(sources["sent"])
    sent, lost = sum(sent_by_flow(flows, tables["coding"])), sum(flows["segments_lost"])
    unfinished = sum(flows["unfinished"])
    completions = sorted(_known(flows["completion_s"]))
    return _row(
        # Without flows nothing was measured: it is not 0.
        goodput_bps=total_goodput(flows, measured_s) if len(flows["goodput_bps"]) else math.nan,
        jain=jain(flows["goodput_bps"]),
        loss=lost / sent if sent else math.nan,
        mean_rtt_s=_mean(flows["mean_rtt_s"]),
        **{f"rtt_p{percent}_s": _mean(flows[f"rtt_p{percent}_s"]) for percent in PERCENTILES},
        mean_cwnd=_mean(flows["mean_cwnd"]),
        timeouts=sum(flows["timeouts"]),
        completion_s=math.nan if unfinished else _most(flows["completion_s"]),
        **{f"completion_p{percent}_s": percentile(completions, percent) for percent in PERCENTILES},
        unfinished=unfinished,
        utilization=_most(links["utilization"]),
        wait_s=_most(links["mean_queue_delay_s"]),
        **{f"wait_p{percent}_s": _most(links[f"queue_delay_p{percent}_s"]) for percent in PERCENTILES},
        **{f"request_p{percent}_s": _most(apps[f"completion_p{percent}_s"]) for percent in PERCENTILES},
        **{f"datagram_p{percent}_s": _most(sources[f"delay_p{percent}_s"]) for percent in PERCENTILES},
        received_bps=math.fsum(sources["received_bps"]) if len(sources["sent"]) else math.nan,
        datagram_loss=sum(sources["lost"]) / datagrams if datagrams else math.nan,
        **{f"load_p{percent}_s": _most(pages[f"load_p{percent}_s"]) for percent in PERCENTILES},
        paint_p50_s=_most(pages["paint_p50_s"]),
        mos=min(_known(tables["calls"]["mos"]), default=math.nan),
        **{f"game_rtt_p{percent}_s": _most(tables["games"][f"rtt_p{percent}_s"]) for percent in PERCENTILES},
        call_rate_bps=_mean(calls["received_bps"]),
        frame_p95_s=_most(calls["frame_delay_p95_s"]),
        missed=_most(calls["missed"]),
        startup_s=_most(videos["startup_s"]),
        stall_share=_most(videos["stall_share"]),
        bitrate_bps=_mean(videos["mean_bitrate_bps"]),
        qoe=_mean(videos["mean_qoe"]),
        **counts,
    )


def fluid(flows: Columns, settled_s: float | None) -> dict[str, list[float]]:
    """Measures of a fluid run: the final windows."""
    return _row(
        goodput_bps=math.fsum(flows["goodput_bps"]),
        jain=jain(flows["goodput_bps"]),
        queue_delay_s=_most(flows["queue_delay_ms"]) / 1e3,
        settled_s=math.nan if settled_s is None else settled_s,
    )


def optimum(flows: Columns, value: float, certificate: Mapping[str, float], iterations: int) -> dict[str, list[float]]:
    """Measures of an optimum: the rates, and the quality of the certificate."""
    return _row(
        goodput_bps=math.fsum(flows["goodput_bps"]),
        jain=jain(flows["goodput_bps"]),
        value=value,
        residual=max(certificate.values()),
        iterations=iterations,
    )


def _row(**figures: Any) -> dict[str, list[float]]:
    return {name: [float(value)] for name, value in figures.items()}


def _known(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def _mean(values: Sequence[float]) -> float:
    known = _known(values)
    return math.fsum(known) / len(known) if known else math.nan


def _most(values: Sequence[float]) -> float:
    return max(_known(values), default=math.nan)

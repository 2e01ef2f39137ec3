"""Measures of each run of a sweep, over all its flows: the columns of its `runs`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windward.results._applications import APPLICATIONS, PERCENTILES as PERCENTILES, Figure
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
        figure.name: Measured(
            column=figure.runs,
            label=figure.label,
            unit=figure.unit,
            least=figure.least,
            most=figure.most,
            of=tuple(application.kinds),
            is_large=figure.is_large,
        )
        for application in APPLICATIONS
        for figure in application.figures
    },
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
    flows, links = tables["flows"], tables["links"]
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
        **{
            figure.runs: _of_rows(figure, tables[application.table])
            for application in APPLICATIONS
            for figure in application.figures
        },
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


def _of_rows(figure: Figure, rows: Columns) -> float:
    """A figure of applications over all of their rows; NaN without any."""
    values = rows[figure.column]
    match figure.how:
        case "largest":
            return _most(values)
        case "least":
            return min(_known(values), default=math.nan)
        case "mean":
            return _mean(values)
        case "sum":
            return math.fsum(values) if len(values) else math.nan
        case "share":
            whole = sum(rows[figure.of])
            return sum(values) / whole if whole else math.nan


def _row(**figures: Any) -> dict[str, list[float]]:
    return {name: [float(value)] for name, value in figures.items()}


def _known(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def _mean(values: Sequence[float]) -> float:
    known = _known(values)
    return math.fsum(known) / len(known) if known else math.nan


def _most(values: Sequence[float]) -> float:
    return max(_known(values), default=math.nan)

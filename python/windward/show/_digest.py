"""What a run comes to, as tables of text: the terminal and the report show the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from windward.results.stats import mean_and_interval

if TYPE_CHECKING:
    from windward._answers.run import Run

#: Up to so many flows have a row each; above, their groups have.
MANY_FLOWS = 20

#: Up to so many links have a row each, the busiest.
MANY_LINKS = 12

#: Up to so many stations have a row each.
MANY_STATIONS = 20

#: Links that are less busy than this share of the busiest are idle: those that carry ACKs, mostly.
IDLE = 0.05


@dataclass(frozen=True, kw_only=True)
class Digest:
    """A table: the first `words` columns hold text, the others numbers."""

    title: str
    columns: Sequence[str]
    words: int
    rows: Sequence[Sequence[str]]
    note: str = ""


def headline(run: Run) -> list[tuple[str, str]]:
    """The few numbers that sum a run up, with their names."""
    facts = []
    if not run.flows.empty:
        total = run.flows.groupby("seed")["goodput_bps"].sum()
        facts += [("goodput of all flows", _interval(total, "bit/s")), ("Jain's index", _fraction(run.jain))]
    if not run.links.empty:
        name, busiest = max(run.links.groupby("link", sort=False), key=lambda item: item[1]["utilization"].mean())
        facts.append((f"utilization of {name}", _percent(busiest["utilization"])))
    if not run.flows.empty:
        counts = run.flows.groupby("seed")[["segments_lost", "segments_sent"]].sum()
        facts.append(("lost segments", _percent(counts["segments_lost"] / counts["segments_sent"])))
    return facts


def digests(run: Run) -> list[Digest]:
    """The tables of flows, links, stations and background sources, those that there are."""
    flows = _groups(run) if _count(run.flows, "flow") > MANY_FLOWS else _flows(run)
    tables = [flows, _links(run), _stations(run), _background(run)]
    return [table for table in tables if table.rows]


def seeds(run: Run) -> str:
    """Which seeds stand behind the numbers."""
    count = len(run.seeds)
    if not run.is_complete:
        return f"interrupted: {count} of {len(run.seeds_asked)} seeds finished"
    return "mean ± 95 % confidence interval over " + f"{count} seeds" if count > 1 else f"seed {run.seeds[0]}"


def _flows(run: Run) -> Digest:
    rows = []
    for name, flow in run.flows.groupby("flow", sort=False):
        rows.append(
            [
                str(name),
                str(flow["law"].iloc[0]),
                _interval(flow["goodput_bps"], "bit/s"),
                _percent(flow["loss"]),
                _interval(flow["mean_rtt_s"], "s"),
                _interval(flow["mean_cwnd"]),
                _interval(flow["timeouts"]),
                _interval(flow["completion_s"], "s"),
            ]
        )
    columns = ["flow", "law", "goodput", "loss", "mean RTT", "mean window", "timeouts", "completed after"]
    return without_empty(Digest(title="Flows", columns=columns, words=2, rows=rows))


def _groups(run: Run) -> Digest:
    rows = []
    for (group, law), flows in run.flows.groupby(["group", "law"], sort=False):
        each = flows.groupby("flow", sort=False)["goodput_bps"].mean()
        by_seed = flows.groupby("seed")
        rows.append(
            [
                str(group),
                str(law),
                str(len(each)),
                _interval(by_seed["goodput_bps"].mean(), "bit/s"),
                quantity(each.min(), "bit/s"),
                quantity(each.max(), "bit/s"),
                _percent(by_seed["segments_lost"].sum() / by_seed["segments_sent"].sum()),
                _interval(by_seed["mean_rtt_s"].mean(), "s"),
                _interval(by_seed["timeouts"].sum()),
            ]
        )
    columns = ["group", "law", "flows", "mean goodput", "least", "most", "loss", "mean RTT", "timeouts"]
    return Digest(title="Flows by group", columns=columns, words=2, rows=rows)


def _links(run: Run) -> Digest:
    busiest = busy_links(run, MANY_LINKS)
    rows = []
    for name, link in run.links[run.links["link"].isin(busiest)].groupby("link", sort=False):
        rows.append(
            [
                str(name),
                quantity(float(link["rate_bps"].iloc[0]), "bit/s"),
                _percent(link["utilization"]),
                _percent(link["loss"]),
                _interval(link["mean_backlog"]),
                _interval(link["max_backlog"]),
                _interval(link["mean_queue_delay_s"], "s"),
            ]
        )
    left_out = _count(run.links, "link") - len(rows)
    columns = ["link", "rate", "utilization", "loss", "mean queue", "longest queue", "mean wait"]
    note = f"{left_out} idle link{'s' if left_out > 1 else ''} left out" if left_out else ""
    return Digest(title="Links", columns=columns, words=1, rows=rows, note=note)


def busy_links(run: Run, most: int) -> list[str]:
    """The links that carry something worth a row, at most so many."""
    utilization = run.links.groupby("link", sort=False)["utilization"].mean()
    return list(utilization[utilization >= IDLE * utilization.max()].nlargest(most).index)


def _stations(run: Run) -> Digest:
    """What the air of cells offered each station, and what a scheduler made of it."""
    stations = run.stations
    is_repaired = bool(stations["errors"].any())
    rows = []
    for name, station in stations.groupby("link", sort=False):
        rows.append(
            [
                str(name),
                _percent(station["airtime"]),
                f"{_interval(decibels(station['mean_snr']))} dB",
                _interval(station["offered_bps"], "bit/s"),
                _interval(station["served_bps"], "bit/s"),
                _interval(station["errors"]) if is_repaired else "–",
            ]
        )
    left_out = len(rows) - MANY_STATIONS
    note = f"{left_out} more station{'s' if left_out > 1 else ''} left out" if left_out > 0 else ""
    columns = ["station", "airtime", "mean SNR", "rate offered", "rate when served", "transmissions failed"]
    return without_empty(Digest(title="Stations", columns=columns, words=1, rows=rows[:MANY_STATIONS], note=note))


def decibels(ratio: pd.Series[float]) -> pd.Series[float]:
    """A ratio of powers in decibels."""
    return ratio.map(lambda value: 10 * math.log10(value) if value > 0 else math.nan)


def _background(run: Run) -> Digest:
    rows = []
    for name, source in run.background.groupby("source", sort=False):
        rows.append(
            [
                str(name),
                _interval(source["received_bps"], "bit/s"),
                _percent(source["loss"]),
                _interval(source["mean_delay_s"], "s"),
            ]
        )
    note = f"{len(rows) - MANY_FLOWS} more sources left out" if len(rows) > MANY_FLOWS else ""
    columns = ["source", "received", "loss", "mean delay"]
    return Digest(title="Background", columns=columns, words=1, rows=rows[:MANY_FLOWS], note=note)


def _count(frame: pd.DataFrame, entity: str) -> int:
    return int(frame[entity].nunique())


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


def quantity(value: float, unit: str = "", error: float = math.nan) -> str:
    """A value with a fitting prefix and its error; "–" for what was not measured.

    The error has two digits and the value as many decimals as it; without an error the value has three digits.
    """
    if math.isnan(value):
        return "–"
    scale, prefix = 1.0, ""
    if unit and value:
        scale, prefix = next((pair for pair in _PREFIXES if abs(value) >= pair[0]), _PREFIXES[-1])
    value, error = value / scale, error / scale
    is_exact = math.isnan(error) or error < 1e-9 * abs(value) or error == 0
    decimals = _decimals(value, 3) if is_exact else _decimals(error, 2)
    text = f"{value:.{decimals}f}"
    if not math.isnan(error) and not is_exact:
        text += f" ± {error:.{decimals}f}"
    return f"{text} {prefix}{unit}".rstrip()


def _decimals(value: float, digits: int) -> int:
    """Decimals with which so many digits of a value are shown; at most three."""
    return 0 if value == 0 else max(0, min(3, digits - 1 - math.floor(math.log10(abs(value)))))


def _interval(values: pd.Series[float], unit: str = "") -> str:
    mean, error = mean_and_interval(values)
    return quantity(mean, unit, error)


def _percent(values: pd.Series[float]) -> str:
    mean, error = mean_and_interval(values * 100)
    return "–" if math.isnan(mean) else f"{quantity(mean, '', error)} %"


def percent(share: float) -> str:
    """A share in per cent, with one decimal."""
    return "–" if math.isnan(share) else f"{100 * share:.1f} %"


def _fraction(values: pd.Series[float]) -> str:
    mean, error = mean_and_interval(values)
    return "–" if math.isnan(mean) else f"{mean:.3f}" + ("" if math.isnan(error) else f" ± {error:.3f}")

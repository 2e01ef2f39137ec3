"""Claims 43 to 82: the cells of Tables 8 and 9 (section 6.6)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from windward.papers import Finding, Scatter, claim
from windward.papers.judge import MissingResultError, Results

from ..reported import FILLING, RTTS_MS, SHARING
from ..responses import FOUR_MS


def spread(seconds: np.ndarray, digit: float) -> tuple[float, float]:
    """Range that holds 95 % of single runs: log-normal, widened by half a printed digit on each side."""
    logs = np.log(seconds)
    middle, reach = float(logs.mean()), 0.0
    if len(logs) > 1:
        reach = float(stats.t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) * np.sqrt(1 + 1 / len(logs)))
    return float(np.exp(middle - reach)) - digit / 2, float(np.exp(middle + reach)) + digit / 2


def clock(seconds: float) -> str:
    """Seconds, or minutes where they are many."""
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def cell(
    number: int, table: str, law: str, rtt_ms: int, printed: float, beside: tuple[float, ...]
) -> Callable[[Results], Finding]:
    """The check of one cell; a range that holds the print of a cell beside it in the row tells nothing."""

    @claim(number)
    def check(results: Results) -> Finding:
        rows = results.table(table)
        rows = rows[(rows["law_name"] == law) & (rows["rtt_ms"] == rtt_ms)]
        ours = rows[rows["recovery"] == "NewReno"]
        if ours.empty:
            raise MissingResultError("not run in a short form")
        # One that was not there by the end took at least so long.
        seconds = ours["seconds"].fillna(ours["limit_s"]).to_numpy()
        late = int(ours["seconds"].isna().sum())
        # Minutes are printed with a digit.
        low, high = spread(np.maximum(seconds, rtt_ms / 1e3), 0.1 if printed < 60 else 6.0)
        scatter = Scatter(low=low, high=high, printed=printed, others=beside)
        with_sack = rows[rows["recovery"] == "SACK"]
        other = "" if with_sack.empty else f"; with SACK {said(with_sack['seconds'].iloc[0])}"
        if (table, law) == ("table-9", "TCP-FIT β = 5"):
            other += four_ms(results, rtt_ms)
        cut = f" ({late} not there when the run ended)" if late else ""
        return Finding(
            ours=f"{', '.join(clock(each) for each in sorted(seconds))}{cut}; runs like these lie between {clock(low)} "
            f"and {clock(high)}{other}",
            holds=True,
            scatter=scatter,
        )

    return check


def four_ms(results: Results, rtt_ms: int) -> str:
    """Last row of Table 9 with β = 25 and Linux 2.6.31's sender, as text; empty if it was not run."""
    rows = results.table("table-9")
    rows = rows[(rows["law_name"] == FOUR_MS) & (rows["rtt_ms"] == rtt_ms)]
    if rows.empty:
        return ""
    seconds = rows["seconds"].fillna(rows["limit_s"])
    return f"; with β = 25, ACKs counted and a clock that does not see 4 ms {', '.join(map(clock, sorted(seconds)))}"


def said(seconds: float) -> str:
    """Seconds of one run, or that it was not there."""
    return "not there when the run ended" if np.isnan(seconds) else clock(seconds)


# In the order of the ledger: the rows of Table 8, then those of Table 9.
for at, (table, law, row, place) in enumerate(
    (name, law, row, place)
    for name, rows in (("table-8", SHARING), ("table-9", FILLING))
    for law, row in rows.items()
    for place in range(len(RTTS_MS))
):
    beside = tuple(row[other] for other in (place - 1, place + 1) if 0 <= other < len(row))
    vars()[f"cell_{43 + at}"] = cell(43 + at, table, law, RTTS_MS[place], row[place], beside)

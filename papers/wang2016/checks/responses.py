"""Claims 43 to 82: the cells of Tables 8 and 9 (section 6.6)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from windward.papers import Finding, claim
from windward.papers.judge import MissingResultError, Results

from ..reported import FILLING, RTTS_MS, SHARING

#: The cells that come out as printed; the ledger says so of the same ones.
REPRODUCED = {53, 54, 68, 74, 77, 78}

#: A range of single runs that is wider than this factor says nothing of a printed time.
WIDEST = 5.0


def spread(seconds: np.ndarray, digit: float) -> tuple[float, float]:
    """Where 95 % of single runs like these lie: normal in the logarithm, and half a printed digit more each way."""
    logs = np.log(seconds)
    middle, reach = float(logs.mean()), 0.0
    if len(logs) > 1:
        reach = float(stats.t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) * np.sqrt(1 + 1 / len(logs)))
    return float(np.exp(middle - reach)) - digit / 2, float(np.exp(middle + reach)) + digit / 2


def clock(seconds: float) -> str:
    """Seconds, or minutes where they are many."""
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def cell(number: int, table: str, law: str, rtt_ms: int, printed: float) -> Callable[[Results], Finding]:
    """The check of one cell."""

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
        is_there = low <= printed <= high < WIDEST * low
        with_sack = rows[rows["recovery"] == "SACK"]
        other = "" if with_sack.empty else f"; with SACK {said(with_sack['seconds'].iloc[0])}"
        cut = f" ({late} not there when the run ended)" if late else ""
        return Finding(
            ours=f"{', '.join(clock(each) for each in sorted(seconds))}{cut}; runs like these lie between {clock(low)} "
            f"and {clock(high)}{other}",
            holds=is_there == (number in REPRODUCED),
        )

    return check


def said(seconds: float) -> str:
    """Seconds of one run, or that it was not there."""
    return "not there when the run ended" if np.isnan(seconds) else clock(seconds)


# In the order of the ledger: the rows of Table 8, then those of Table 9.
for at, (table, law, rtt_ms, printed) in enumerate(
    (name, law, rtt_ms, printed)
    for name, rows in (("table-8", SHARING), ("table-9", FILLING))
    for law, cells in rows.items()
    for rtt_ms, printed in zip(RTTS_MS, cells, strict=True)
):
    vars()[f"cell_{43 + at}"] = cell(43 + at, table, law, rtt_ms, printed)

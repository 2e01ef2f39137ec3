"""Claims 43 to 82: the cells of Tables 8 and 9 (section 6.6)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import optimize, stats

from windward.papers import Bound, Finding, Scatter, claim
from windward.papers.judge import MissingResultError, Results

from ..reported import FILLING, RTTS_MS, SHARING
from ..responses import FOUR_MS, PER_PACKET


def spread(seconds: np.ndarray, limits: np.ndarray, digit: float) -> tuple[float, float]:
    """Range of single runs, widened by half a printed digit on each side.

    Of 19 runs and more their extremes: one more lies below, or above, in one of 20 cases at most. Of fewer the range
    that holds 95 % of them if they are log-normal.

    NaN is a run that was cut off at its limit. It took longer, so that the range then has no upper end; the most
    likely mean and deviation count the probability that a run takes longer than its limit.
    """
    is_cut = np.isnan(seconds)
    if len(seconds) >= 19:
        high = float("inf") if is_cut.any() else float(seconds.max()) + digit / 2
        return max(0.0, float(np.nanmin(seconds)) - digit / 2), high
    logs = np.log(np.where(is_cut, limits, seconds))
    there = logs[~is_cut]
    middle, reach = float(there.mean()), 0.0
    if len(logs) > 1:
        deviation = float(there.std(ddof=1))
        if is_cut.any():

            def surprise(guess: np.ndarray) -> float:
                each = (logs - guess[0]) / np.exp(guess[1])
                return -float(np.where(is_cut, stats.norm.logsf(each), stats.norm.logpdf(each) - guess[1]).sum())

            start = np.array([logs.mean(), np.log(max(float(logs.std()), 1e-3))])
            middle, log_deviation = optimize.minimize(surprise, start, method="Nelder-Mead").x
            # As unbiased as that of runs none of which is cut off.
            deviation = float(np.exp(log_deviation)) * np.sqrt(len(logs) / (len(logs) - 1))
        reach = float(stats.t.ppf(0.975, len(there) - 1)) * deviation * np.sqrt(1 + 1 / len(logs))
    high = float("inf") if is_cut.any() else float(np.exp(middle + reach)) + digit / 2
    return max(0.0, float(np.exp(middle - reach)) - digit / 2), high


def clock(seconds: float) -> str:
    """Seconds, or minutes where they are many."""
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def listed(rows: pd.DataFrame) -> str:
    """The seconds of runs, the shortest first; of one that was cut off, the bound."""
    order = rows.assign(least=rows["seconds"].fillna(rows["limit_s"])).sort_values("least")
    return ", ".join(
        f"more than {clock(limit)}" if np.isnan(seconds) else clock(seconds)
        for seconds, limit in zip(order["seconds"], order["limit_s"], strict=True)
    )


def cell(number: int, table: str, law: str, rtt_ms: int, row: tuple[float, ...]) -> Callable[[Results], Finding]:
    """The check of one cell; a range that holds another print of the row as well tells nothing."""
    printed = row[RTTS_MS.index(rtt_ms)]
    others = tuple(other for other in row if other != printed)

    @claim(number)
    def check(results: Results) -> Finding:
        rows = results.table(table)
        rows = rows[(rows["law_name"] == law) & (rows["rtt_ms"] == rtt_ms)]
        ours = rows[rows["recovery"] == "NewReno"]
        if ours.empty:
            raise MissingResultError("not run in a short form")
        # None is shorter than a round trip.
        seconds = ours["seconds"].clip(lower=rtt_ms / 1e3).to_numpy()
        limits = ours["limit_s"].to_numpy()
        scatter: Scatter | Bound
        if 2 * np.isnan(seconds).sum() >= len(seconds):
            least = float(np.where(np.isnan(seconds), limits, seconds).min())
            scatter = Bound(least=least, runs=len(seconds), printed=printed)
            said = "most were cut off, so that there is no range"
        else:
            # Minutes are printed with a digit.
            low, high = spread(seconds, limits, 0.1 if printed < 60 else 6.0)
            scatter = Scatter(low=low, high=high, printed=printed, others=others)
            said = f"runs like these lie between {clock(low)} and {clock(high)}"
            if np.isinf(high):
                said = f"runs like these lie above {clock(low)}; those that were cut off leave no upper end"
        with_sack = rows[rows["recovery"] == "SACK"]
        other = "" if with_sack.empty else f"; with SACK {listed(with_sack)}"
        if (table, law) == ("table-9", "TCP-FIT β = 5"):
            other += beside(results, FOUR_MS, rtt_ms, "with β = 25 and a clock that does not see 4 ms")
        if (table, law) == ("table-9", "Reno"):
            other += beside(results, PER_PACKET, rtt_ms, "with packets counted, not ACKs, by the RFCs' sender")
        return Finding(ours=f"{listed(ours)}; {said}{other}", holds=True, scatter=scatter)

    return check


def beside(results: Results, law: str, rtt_ms: int, name: str) -> str:
    """A reading of Table 9 that stands beside its row, as text; empty if it was not run."""
    rows = results.table("table-9")
    rows = rows[(rows["law_name"] == law) & (rows["rtt_ms"] == rtt_ms)]
    return "" if rows.empty else f"; {name} {listed(rows)}"


# In the order of the ledger: the rows of Table 8, then those of Table 9.
for at, (table, law, row, place) in enumerate(
    (name, law, row, place)
    for name, rows in (("table-8", SHARING), ("table-9", FILLING))
    for law, row in rows.items()
    for place in range(len(RTTS_MS))
):
    vars()[f"cell_{43 + at}"] = cell(43 + at, table, law, RTTS_MS[place], row)

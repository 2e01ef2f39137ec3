"""Tables 8 and 9: how long a flow takes to its fair share of 1 Gbit/s, and to all of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Context

from ..shared import packets
from .network import LAWS, RECOVERIES, RFCS, SENDER, bdp, flow, link, pulses
from .reported import FILLING, RTTS_MS, SHARING

MBPS = 1000

#: Seeds without SACK, by the most simulated seconds that a cell takes. 19 runs that were all cut off leave a shorter
#: print out (`Bound`). Readings beside have no more than 5.
SEEDS = {600: 20, 10_000: 2}
FEW_SEEDS = 5

#: [G] Shares are fair once the smaller window has this share of the larger one, at once and in means of these round
#: trips that follow ...
ROUND_TRIPS, FAIR = 50, 0.8
#: ... and a link is filled once the window has this share of its bandwidth-delay product.
FULL = 0.95

#: The laws of the tables, and three that they may mean: β = 25, the same with a clock that does not see 4 ms, and a
#: Reno that counts packets, not ACKs, by the RFCs' sender.
PER_PACKET = "Reno, per packet"
FOUR_MS = "TCP-FIT β = 25, 4 ms"
CHOICES = {name: LAWS[name] for name in SHARING} | {
    "TCP-FIT β = 25": LAWS["TCP-FIT β = 25"],
    FOUR_MS: LAWS[FOUR_MS],
    PER_PACKET: LAWS["Reno"],
}

#: The laws of a short form.
SHORT = ("FAST", "TCP-FIT")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell of a table, as a run."""

    law: str
    rtt_ms: int
    #: Whether 99 flows stop (Table 9), or one begins (Table 8).
    do_stop: bool
    recovery: str

    @property
    def printed_s(self) -> float | None:
        """Value printed in the paper; None for our own laws."""
        row = (FILLING if self.do_stop else SHARING).get(self.law)
        return row and row[RTTS_MS.index(self.rtt_ms)]

    @property
    def is_rfc(self) -> bool:
        """True for a row by the RFCs' sender, a reading beside."""
        return self.law == PER_PACKET

    @property
    def seeds(self) -> int:
        """Number of runs; one with SACK."""
        if RECOVERIES[self.recovery]:
            return 1
        seeds = next(seeds for longest_s, seeds in SEEDS.items() if self.duration_s <= longest_s)
        return seeds if self.printed_s is not None else min(seeds, FEW_SEEDS)

    @property
    def climb_s(self) -> float:
        """Time in which a packet a round trip adds up to a bandwidth-delay product."""
        return bdp(MBPS, self.rtt_ms) * self.rtt_ms / 1e3

    @property
    def change_s(self) -> float:
        """Time of the change; for Table 8, late enough for the first flow to fill the link."""
        if self.do_stop:
            return 40.0
        if self.law == "Reno":
            return 30 + 1.1 * self.climb_s
        return 60.0

    @property
    def limit_s(self) -> float:
        """Longest response that a run waits for, in seconds."""
        if self.law.startswith("Reno"):
            if not self.do_stop:
                return self.climb_s
            # Delayed ACKs take 1.6 to 1.9 times the climb where ACKs are counted.
            return (1.5 if self.law == PER_PACKET else 2.4) * self.climb_s
        if not self.do_stop:
            return 30.0
        if self.law == "TCP-FIT β = 5":
            return 40.0
        # Longer than TCP-FIT takes where ACKs are counted.
        return 30 + 0.6 * self.rtt_ms

    @property
    def duration_s(self) -> float:
        """Length of the run; shares need a while to be seen to last."""
        lasts_s = 0.0 if self.do_stop else ROUND_TRIPS * self.rtt_ms / 1e3
        return self.change_s + self.limit_s + lasts_s + 1

    @property
    def sample_s(self) -> float:
        """Sampling interval of windows: a round trip, for a hundred flows at least a thousandth of the limit."""
        round_trip = self.rtt_ms / 1e3
        return max(round_trip, 0.1, round(self.limit_s / 1000, 1)) if self.do_stop else round_trip

    def scenario(self) -> ww.Scenario:
        """The run. Windows are sampled once a round trip, those of a hundred flows less often."""
        common = {"sack": RECOVERIES[self.recovery], **(RFCS if self.is_rfc else SENDER)}
        law = CHOICES[self.law]
        if self.do_stop:
            leaving = {"count": 99, "stop": f"{self.change_s:g} s"}
            flows = [flow("stays", law, **common), flow("leaves", law, **leaving, **common)]
        else:
            # What the response is counted from is no part of the spread.
            second = flow("second", law, start=f"{self.change_s:g} s", start_spread="0 s", **common)
            flows = [flow("first", law, **common), second]
        return ww.Scenario(
            name="response",
            duration=f"{self.duration_s:g} s",
            seeds=self.seeds,
            stack="rfc",
            output=ww.Output(sample_interval=f"{self.sample_s:g} s"),
            node=[ww.Node(name="a"), ww.Node(name="b")],
            link=[link(MBPS, self.rtt_ms)],
            background=pulses(MBPS),
            flow=flows,
        )

    def seconds(self, series: pd.DataFrame) -> float:
        """Response time in one seed; NaN if it exceeds the limit."""
        windows = series.pivot(index="time_s", columns="flow", values="cwnd")
        if self.do_stop:
            is_there = windows["stays"] >= FULL * bdp(MBPS, self.rtt_ms)
        else:
            # Means of the round trips that follow. Alone they would be fair before a burst that passes the fair share.
            means = windows[::-1].rolling(ROUND_TRIPS, min_periods=ROUND_TRIPS).mean()[::-1]
            is_there = is_fair(windows) & is_fair(means)
        is_after = (windows.index > self.change_s) & (windows.index <= self.change_s + self.limit_s)
        times = windows.index[is_there & is_after]
        return float(times[0] - self.change_s) if len(times) else float("nan")


def is_fair(windows: pd.DataFrame) -> pd.Series[bool]:
    """True where neither flow's window is far above the other's."""
    ratio = windows["second"] / windows["first"]
    return (ratio >= FAIR) & (ratio <= 1 / FAIR)


def rows(cell: Cell, run: ww.Run) -> list[dict[str, object]]:
    """The seconds of a cell, a row for each seed."""
    wanted = run.flow_series[run.flow_series["flow"].isin(["stays", "first", "second"])]
    return [
        {
            "law_name": cell.law,
            "rtt_ms": cell.rtt_ms,
            "recovery": cell.recovery,
            "seed": int(str(seed)),
            "seconds": cell.seconds(series.assign(flow=series["flow"].astype(str))),
            "limit_s": cell.limit_s,
            "printed_s": np.nan if cell.printed_s is None else cell.printed_s,
        }
        for seed, series in wanted.groupby("seed")
    ]


def study(context: Context, *, do_stop: bool) -> pd.DataFrame:
    """The seconds of every cell and seed; in a short form those of `SHORT` at 20 ms without SACK."""
    is_short = context.share != 1
    name = "table 9" if do_stop else "table 8"
    tables: list[dict[str, object]] = []
    for recovery in RECOVERIES:
        cells = [
            Cell(law=law, rtt_ms=rtt, do_stop=do_stop, recovery=recovery)
            for law in CHOICES
            for rtt in RTTS_MS
            # Table 9 alone, and not at 200 ms, shows what counting changes.
            if not (law == PER_PACKET and (not do_stop or rtt == RTTS_MS[-1] or recovery == "SACK"))
            # Reno takes hours of simulated time at 200 ms.
            if not (law == "Reno" and rtt == RTTS_MS[-1] and recovery == "SACK")
            # For the last row of Table 9 alone.
            if not (law == FOUR_MS and (not do_stop or recovery == "SACK"))
        ]
        if is_short:
            cells = [
                cell for cell in cells if cell.law in SHORT and cell.rtt_ms == RTTS_MS[0] and recovery == "NewReno"
            ]
        # The longest first, so that no core waits for them at the end.
        cells.sort(key=lambda cell: -cell.duration_s * cell.seeds)
        taken = packets.take_each(
            {cell: cell.scenario() for cell in cells},
            rows,
            lambda text: context.progress(f"{name}: {text}"),
            context.seeds,
            kept=None if is_short else context.results.folder / "responses",
        )
        tables += [row for each in taken.values() for row in each]
    return pd.DataFrame(tables)

"""Tables 8 and 9: how long a flow takes to its fair share of 1 Gbit/s, and to all of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Context

from ..shared import packets
from .network import LAWS, RECOVERIES, RFCS, SENDER, WITHOUT_HYSTART, bdp, flow, link, pulses
from .reported import FILLING, RTTS_MS, SHARING

MBPS = 1000

#: Seeds without SACK, and with.
SEEDS = {"NewReno": 5, "SACK": 1}

#: [G] A share is fair once windows averaged over so many round trips are as near as this ...
ROUND_TRIPS, FAIR = 50, 0.8
#: ... and a link is filled once the window is so much of its bandwidth-delay product.
FULL = 0.95

#: The laws of the tables, and three that they may mean: β = 25, the same with Linux 2.6.31's sender and a clock that
#: does not see 4 ms, and a Reno that counts ACKs, not packets.
PER_ACK = "Reno, per ACK"
FOUR_MS = "TCP-FIT β = 25, 4 ms"
CHOICES = {name: LAWS[name] for name in SHARING} | {
    "CUBIC": WITHOUT_HYSTART,
    "TCP-FIT β = 25": LAWS["TCP-FIT β = 25"],
    FOUR_MS: LAWS[FOUR_MS],
    PER_ACK: ww.Reno(byte_counting=False),
}

#: Rows of Table 9, and of Table 8, by the sender of section 6; the others are by the RFCs' sender. Reno's runs last for
#: hours of simulated time.
SENDER_ROWS = {True: ("CUBIC", "FAST", "TCP-FIT", "TCP-FIT β = 5"), False: ("CUBIC", "TCP-FIT", "TCP-FIT β = 5")}

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
    def is_linux(self) -> bool:
        """True for a row by the sender of section 6."""
        return self.law in SENDER_ROWS[self.do_stop]

    @property
    def change_s(self) -> float:
        """Time of the change; for Table 8, late enough for the first flow to fill the link."""
        if self.do_stop:
            return 40.0
        if self.law.startswith("Reno"):
            return 30 + 1.1 * bdp(MBPS, self.rtt_ms) * self.rtt_ms / 1e3
        return 60.0 if self.is_linux else 120.0

    @property
    def limit_s(self) -> float:
        """Longest response that a run waits for, in seconds."""
        if self.is_linux:
            if not self.do_stop:
                return 30.0
            # With β = 1 longer than the law takes where ACKs are counted, with more a quarter of that.
            return 40.0 if "β" in self.law else 150.0
        if not self.law.startswith("Reno"):
            return 100.0 if self.do_stop else 80.0
        printed = (FILLING if self.do_stop else SHARING)["Reno"][RTTS_MS.index(self.rtt_ms)]
        return (2.4 if self.law == PER_ACK else 1.5) * max(printed, 30)

    @property
    def sample_s(self) -> float:
        """Sampling interval of windows: a round trip, for a hundred flows at least a thousandth of the limit."""
        round_trip = self.rtt_ms / 1e3
        return max(round_trip, 0.1, round(self.limit_s / 1000, 1)) if self.do_stop else round_trip

    def scenario(self) -> ww.Scenario:
        """The run. Windows are sampled once a round trip, those of a hundred flows less often."""
        common = {"sack": RECOVERIES[self.recovery], **(SENDER if self.is_linux or self.law == FOUR_MS else RFCS)}
        law = LAWS["CUBIC"] if self.is_linux and self.law == "CUBIC" else CHOICES[self.law]
        if self.do_stop:
            leaving = {"count": 99, "stop": f"{self.change_s:g} s"}
            flows = [flow("stays", law, **common), flow("leaves", law, **leaving, **common)]
        else:
            flows = [flow("first", law, **common), flow("second", law, start=f"{self.change_s:g} s", **common)]
        return ww.Scenario(
            name="response",
            duration=f"{self.change_s + self.limit_s + 1:g} s",
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
            # Means of the round trips that follow.
            means = windows[::-1].rolling(ROUND_TRIPS, min_periods=ROUND_TRIPS).mean()[::-1]
            is_there = means["second"] >= FAIR * means["first"]
        times = windows.index[is_there & (windows.index > self.change_s)]
        return float(times[0] - self.change_s) if len(times) else float("nan")


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
    for recovery, seeds in SEEDS.items():
        cells = [
            Cell(law=law, rtt_ms=rtt, do_stop=do_stop, recovery=recovery)
            for law in CHOICES
            for rtt in RTTS_MS
            # One that counts ACKs takes twice as long: Table 9 alone, and not at 200 ms, shows what that changes.
            if not (law == PER_ACK and (not do_stop or rtt == RTTS_MS[-1] or recovery == "SACK"))
            # For the last row of Table 9 alone.
            if not (law == FOUR_MS and (not do_stop or recovery == "SACK"))
        ]
        if is_short:
            cells = [
                cell for cell in cells if cell.law in SHORT and cell.rtt_ms == RTTS_MS[0] and recovery == "NewReno"
            ]
        # The longest first, so that no core waits for them at the end.
        cells.sort(key=lambda cell: -cell.change_s - cell.limit_s)
        taken = packets.take_each(
            {cell: cell.scenario() for cell in cells},
            rows,
            lambda text: context.progress(f"{name}: {text}"),
            context.seeds or seeds,
            kept=None if is_short else context.results.folder / "responses",
        )
        tables += [row for each in taken.values() for row in each]
    return pd.DataFrame(tables)

"""Lays the Reno of wang2016's Tables 8 and 9, and laws of its Figs. 6 and 9, beside ns-2's.

python evidence/benches/sim/validate_wang2016.py; needs ns-2 (`apt install ns2`).

Writes evidence/measured/validation/wang2016-ns2.md; what was run is kept in results/wang2016-ns2, so that it goes on
where it was interrupted.
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

import windward as ww

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from papers.wang2016.figures.figure_9 import APART_S, DELAYS_MS  # noqa: E402
from papers.wang2016.network import RFCS, bdp, flow, link, pulses  # noqa: E402
from papers.wang2016.reported import FILLING, RTTS_MS, SHARING  # noqa: E402
from papers.wang2016.responses import FAIR, FULL, MBPS, ROUND_TRIPS  # noqa: E402

PEER = Path(__file__).with_name("peer_ns2_responses.tcl")
CHAIN = Path(__file__).with_name("peer_ns2_chain.tcl")
PAGE = ROOT / "evidence" / "measured" / "validation" / "wang2016-ns2.md"
KEPT = ROOT / "results" / "wang2016-ns2"

SEEDS = range(1, 11)

#: A tenth of the paper's link, with which a tenth of its flows have the windows that they have there.
SCALE = 10
RTT_MS = 20.0
WINDOW = bdp(MBPS / SCALE, RTT_MS)
#: How many times that rate shows what the scale does.
LARGER = 4

#: Buffers in bandwidth-delay products: dummynet's 50 packets at 20 ms, and two more.
BUFFERS = {"0.03": 0.03, "0.25": 0.25, "1": 1.0}

#: How losses are repaired: the sender in ns-2, and whether ours is the same. `steady` restarts the timer on every
#: partial ACK (RFC 6582 §4), as Linux does; ours, as RFC 6582 advises, on the first alone.
RECOVERIES = {"NewReno": ("newreno", False), "NewReno, steady": ("steady", None), "SACK": ("sack", True)}

#: What both have: ns-2's packets, the first window of Linux 2.6.31.
COMMON = {**RFCS, "segment": "1460 B", "overhead": "40 B", "initial_window": 3, "start_spread": "0 s"}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A Reno of Table 8 or 9 with what the paper leaves open."""

    #: Whether flows stop (Table 9), or one begins (Table 8).
    do_stop: bool
    recovery: str
    buffer: str
    is_delayed: bool
    #: How many times the rate, and so the window, is that of a tenth.
    times: int = field(default=1)

    @property
    def mbps(self) -> float:
        return MBPS / SCALE * self.times

    @property
    def window(self) -> float:
        return bdp(self.mbps, RTT_MS)

    @property
    def buffer_packets(self) -> int:
        return max(2, round(BUFFERS[self.buffer] * self.window))

    @property
    def unit_s(self) -> float:
        """A packet a round trip up to the bandwidth-delay product."""
        return self.window * RTT_MS / 1e3

    @property
    def change_s(self) -> float:
        """The first flow must have had the time to fill the link, or ten of them."""
        return 15.0 if self.do_stop else 15.0 + (2.2 if self.is_delayed else 1.1) * self.unit_s

    @property
    def limit_s(self) -> float:
        return (2.5 if self.do_stop else 4.0 if self.times == 1 else 2.0) * self.unit_s

    @property
    def flows(self) -> int:
        """That leave: a tenth of the paper's, each with the window that it has there."""
        return 100 // SCALE * self.times - 1

    def scenario(self) -> ww.Scenario:
        # It counts ACKs, as ns-2 and Linux 2.6.31 do.
        law = ww.Reno(byte_counting=False)
        fields = {
            **COMMON,
            "sack": RECOVERIES[self.recovery][1],
            "delayed_ack": "40 ms" if self.is_delayed else False,
        }
        at = f"{self.change_s:g} s"
        if self.do_stop:
            leaving = {**fields, "count": self.flows, "stop": at, "start_spread": "1 s"}
            flows = [flow("stays", law, **fields), flow("leaves", law, **leaving)]
        else:
            flows = [flow("first", law, **fields), flow("second", law, start=at, **fields)]
        return ww.Scenario(
            name="reading",
            duration=f"{self.change_s + self.limit_s:g} s",
            stack="rfc",
            output=ww.Output(sample_interval=f"{RTT_MS:g} ms"),
            node=[ww.Node(name="a"), ww.Node(name="b")],
            link=[link(self.mbps, RTT_MS, buffer=self.buffer_packets)],
            background=pulses(self.mbps),
            flow=flows,
        )

    def here(self) -> list[float]:
        """Seconds in Windward, by seed; NaN for longer than the limit."""
        series = self.scenario().simulate(seeds=SEEDS, threads=1).flow_series
        series = series.assign(flow=series["flow"].astype(str))
        series = series[series["flow"].isin(["stays", "first", "second"])]
        return [self.seconds(of_seed) for _, of_seed in series.groupby("seed")]

    def ns2(self) -> list[float]:
        """Seconds in ns-2, by seed; NaN for longer than the limit."""
        found = []
        for seed in SEEDS:
            words = [
                *("fill" if self.do_stop else "share", RECOVERIES[self.recovery][0], seed, self.mbps, RTT_MS),
                *(self.buffer_packets, int(self.is_delayed), self.flows),
                *(self.change_s, self.change_s + self.limit_s, RTT_MS / 1e3),
            ]
            done = subprocess.run(["ns", PEER, *map(str, words)], capture_output=True, text=True, check=True)
            names = ["time_s", *(["stays"] if self.do_stop else ["first", "second"])]
            windows = pd.read_csv(StringIO(done.stdout), sep=" ", names=names)
            found.append(self.seconds(windows.melt("time_s", var_name="flow", value_name="cwnd")))
        return found

    def seconds(self, series: pd.DataFrame) -> float:
        """From the change on, as Tables 8 and 9 are judged in `evidence/papers/wang2016/responses.py`."""
        windows = series.pivot(index="time_s", columns="flow", values="cwnd")
        if self.do_stop:
            is_there = windows["stays"] >= FULL * self.window
        else:
            means = windows[::-1].rolling(ROUND_TRIPS, min_periods=ROUND_TRIPS).mean()[::-1]
            is_there = means["second"] >= FAIR * means["first"]
        times = windows.index[is_there & (windows.index > self.change_s)]
        return float(times[0] - self.change_s) if len(times) else float("nan")

    @property
    def name(self) -> str:
        """Name of its file."""
        parts = ["table-9" if self.do_stop else "table-8", RECOVERIES[self.recovery][0], self.buffer, str(self.times)]
        return "-".join([*parts, "delayed" if self.is_delayed else "each"])


#: Fig. 9's three flows and Fig. 6's two: 100 Mbit/s, means from CHAIN_WARMUP_S to CHAIN_END_S.
CHAIN_MBPS, CHAIN_SEEDS, CHAIN_WARMUP_S, CHAIN_END_S = 100, range(1, 4), 60, 260

#: A law as ns-2 has it, and ours: ns-2's own, and Linux 2.6.22's, which have SACK there.
PEERS: dict[str, tuple[ww.format.LawSpec, bool]] = {
    "newreno": (ww.Reno(byte_counting=False), False),
    "sack": (ww.Reno(byte_counting=False), True),
    "vegas": (ww.Vegas(alpha=1, beta=3), False),
    "linux-vegas": (ww.Vegas(), True),
    "linux-cubic": (ww.Cubic(version="linux-2.6.22"), True),
}


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Flows over a chain of links to its end: those of Fig. 9, or of Fig. 6, whose chain is one link."""

    #: In ns-2's names.
    laws: tuple[str, ...]
    delays_ms: tuple[float, ...]
    buffer: int

    @property
    def flows(self) -> list[tuple[str, int, float]]:
        """The law, the link where it enters, and when: Flow 1 over the last link first."""
        hops = range(len(self.delays_ms))
        if len(hops) == 1:
            return [(law, 0, 0.0) for law in self.laws]
        return [(law, hop, APART_S * at) for at, (law, hop) in enumerate(zip(self.laws, reversed(hops), strict=True))]

    def ns2(self) -> list[list[float]]:
        """Mbit/s of each flow, by seed."""
        found = []
        for seed in CHAIN_SEEDS:
            words = [seed, CHAIN_MBPS, self.buffer, ",".join(f"{delay:g}" for delay in self.delays_ms)]
            words += [CHAIN_WARMUP_S, CHAIN_END_S, *(f"{law}:{hop}:{start:g}" for law, hop, start in self.flows)]
            done = subprocess.run(["ns", CHAIN, *map(str, words)], capture_output=True, text=True, check=True)
            last = next(line for line in done.stdout.splitlines() if line.startswith("acknowledged"))
            found.append([int(word) * 1460 * 8e-6 / (CHAIN_END_S - CHAIN_WARMUP_S) for word in last.split()[1:]])
        return found

    def here(self) -> list[list[float]]:
        """Goodput of each flow in Windward in Mbit/s, by seed."""
        names = "abcdef"[: len(self.delays_ms) + 1]
        scenario = ww.Scenario(
            name="chain",
            duration=f"{CHAIN_END_S} s",
            stack="rfc",
            warmup=f"{CHAIN_WARMUP_S} s",
            node=[ww.Node(name=name) for name in names],
            link=[
                link(CHAIN_MBPS, 2 * delay, names=(one, other), buffer=self.buffer)
                for (one, other), delay in zip(itertools.pairwise(names), self.delays_ms, strict=True)
            ],
            background=pulses(CHAIN_MBPS, (names[-2], names[-1]))[:1],
            flow=[
                flow(
                    f"flow-{at}",
                    PEERS[law][0],
                    from_=names[hop],
                    to=names[-1],
                    start=f"{start:g} s",
                    **{**COMMON, "start_spread": "1 s", "sack": PEERS[law][1]},
                )
                for at, (law, hop, start) in enumerate(self.flows, 1)
            ],
        )
        found = scenario.simulate(seeds=CHAIN_SEEDS, threads=1).flows.sort_values(["seed", "flow"])
        return [list(of_seed["goodput_bps"] / 1e6) for _, of_seed in found.groupby("seed")]

    @property
    def name(self) -> str:
        """Name of its file."""
        return "-".join(["chain", *self.laws, *(f"{delay:g}" for delay in self.delays_ms), str(self.buffer)])


def threes() -> Iterator[Chain]:
    """Fig. 9, with buffers of the shortest and the longest path."""
    delays = DELAYS_MS["results"]
    for law in ("newreno", "vegas", "linux-vegas"):
        for rtt_ms in (2 * delays[-1], 2 * sum(delays)):
            yield Chain(laws=(law,) * 3, delays_ms=delays, buffer=round(bdp(CHAIN_MBPS, rtt_ms)))


def pairs() -> Iterator[Chain]:
    """Fig. 6: beside a Reno."""
    for laws in (("sack", "linux-cubic"), ("newreno", "linux-cubic"), ("newreno", "linux-vegas")):
        for rtt_ms in (10.0, 100.0):
            yield Chain(laws=laws, delays_ms=(rtt_ms / 2,), buffer=round(bdp(CHAIN_MBPS, rtt_ms)))


def chain_table(chains: Iterator[Chain], first: Callable[[Chain], list[str]], head: str) -> str:
    """Rows of Mbit/s in ns-2 and here."""
    lines = [f"| {head} | ns-2 | here |", "|" + "---|" * (head.count("|") + 3)]
    for chain in chains:
        found = taken(chain)
        cells = [*first(chain), *(rates(found[side]) for side in ("ns2", "here"))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def rates(found: list[list[float]]) -> str:
    """Mean rate of each flow over the seeds, as text."""
    return ", ".join(f"{statistics.fmean(each):.1f}" for each in zip(*found, strict=True))


def readings(*, do_stop: bool) -> Iterator[Reading]:
    """All of a table. Nothing is lost where others leave: there recoveries are alike."""
    chosen = ("NewReno",) if do_stop else RECOVERIES
    for recovery, buffer, is_delayed in itertools.product(chosen, BUFFERS, (False, True)):
        yield Reading(do_stop=do_stop, recovery=recovery, buffer=buffer, is_delayed=is_delayed)
    for buffer in ("0.25",) if do_stop else ("0.03", "0.25"):
        yield Reading(do_stop=do_stop, recovery="NewReno", buffer=buffer, is_delayed=False, times=LARGER)


def taken(case: Reading | Chain) -> dict[str, Any]:
    """Results of a case in ns-2 and in Windward by seed; runs the case unless its results are kept."""
    file = KEPT / f"{case.name}.json"
    if not file.exists():
        found: dict[str, Any] = {"ns2": case.ns2()}
        if isinstance(case, Chain) or RECOVERIES[case.recovery][1] is not None:
            found["here"] = case.here()
        print(case.name, found, flush=True)
        file.write_text(json.dumps(found), encoding="utf-8")
    return json.loads(file.read_text(encoding="utf-8"))


def said(seconds: list[float], reading: Reading) -> str:
    """The median and the ends of the seeds, over W round trips; one that was not there is longer than the run."""
    known = sorted(each / reading.unit_s for each in seconds if not math.isnan(each))
    late = len(seconds) - len(known)
    over = f"> {reading.limit_s / reading.unit_s:.1f}"
    every = [*(f"{each:.2f}" for each in known), *[over] * late]
    middle = f"{statistics.median(known):.2f}" if not late else every[len(every) // 2]
    return f"{middle} ({every[0]} to {every[-1]})"


def table(*, do_stop: bool) -> str:
    lines = ["| recovery | buffer | ACKs | W | ns-2 | here |", "|---|---|---|---|---|---|"]
    for reading in readings(do_stop=do_stop):
        found = taken(reading)
        cells = [
            reading.recovery,
            reading.buffer,
            "delayed" if reading.is_delayed else "each",
            f"{reading.window:.0f}",
            *(said(found[side], reading) if side in found else "" for side in ("ns2", "here")),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def printed(seconds: tuple[float, ...]) -> str:
    """The paper's times over W round trips."""
    return ", ".join(f"{each / (bdp(MBPS, rtt) * rtt / 1e3):.2f}" for rtt, each in zip(RTTS_MS, seconds, strict=True))


def page() -> str:
    """The page."""
    return f"""# wang2016's response times and fair shares compared with ns-2

<!-- Generated: make validate WHAT=wang2016-ns2 -->

[wang2016](../papers/wang2016.md) measured on Linux 2.6.31 behind dummynet and Linktropy, not with ns-2. It turned SACK
off. It does not state the sizes of buffers, the delayed ACKs, and the criterion of a fair share. Here ns-2.35 and the
simulator run the same networks with the same amount of background traffic, under several readings of the paper. The
binary is `ns2` of Debian and Ubuntu, driven by `evidence/benches/sim/peer_ns2_responses.tcl` and `peer_ns2_chain.tcl`.
In the tables the background has packets of 1500 bytes in ns-2 and of 500 here. TCP-FIT and FAST are not in ns-2.

Reno's times in Tables 8 and 9 are proportional to W round trips, where W is the bandwidth-delay product in packets, and
are given in that unit here. The printed times at 20, 50, 100 and 200 ms are {printed(SHARING["Reno"])} (Table 8)
and {printed(FILLING["Reno"])} (Table 9).

* **Link:** {MBPS / SCALE:g} Mbit/s and {RTT_MS:g} ms, so that W = {WINDOW:.0f}, a tenth of the paper's. Rows with
  {LARGER} times that show the effect of the scale.
* **Growth:** Reno counts ACKs, not packets, as ns-2 and that Linux do.
* **Timer:** *steady* restarts the timer on every partial ACK (RFC 6582 §4), as Linux does. The simulator restarts it on
  the first only.
* **Buffers:** in W. 0.03 is dummynet's default of 50 packets at 1 Gbit/s and 20 ms.
* **Values:** the median of {len(SEEDS)} seeds, and their minimum and maximum. > marks runs that ended before.

**Table 8**, two flows to their fair share: from the start of the second until its windows, in means over
{ROUND_TRIPS} round trips, are {FAIR:.0%} of the first's or more. The ledger asks for windows that are alike, now
and in these means.

{table(do_stop=False)}

**Table 9**, one flow to all of the link after {100 // SCALE - 1} others (99 in the paper) have stopped: until its
window is {FULL:.0%} of W.

{table(do_stop=True)}

**Fig. 9**, Mbit/s of Flows 1, 2 and 3 with 20, 70 and 170 ms over links of {CHAIN_MBPS} Mbit/s, which begin {APART_S} s
apart. Counted from {CHAIN_WARMUP_S} s to {CHAIN_END_S} s; means of {len(CHAIN_SEEDS)} seeds, delayed ACKs. *newreno*
and *vegas* are ns-2's own, the latter with a band of 1 to 3 packets; *linux-vegas* is Linux 2.6.22's, of 2 to
4, with SACK.

{chain_table(threes(), lambda chain: [chain.laws[0], str(chain.buffer)], "law | buffer, packets")}

**Fig. 6**, Mbit/s of a Reno and of the law beside it over {CHAIN_MBPS} Mbit/s with a buffer of one bandwidth-delay
product. CUBIC and Vegas are Linux 2.6.22's with SACK, the Reno is ns-2's with SACK (*sack*) or without.

{chain_table(pairs(), lambda chain: [*chain.laws, f"{2 * chain.delays_ms[0]:g} ms"], "Reno | beside it | round trip")}
"""


def main() -> None:
    if not shutil.which("ns"):
        raise SystemExit("ns-2 is missing: apt install ns2")
    KEPT.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

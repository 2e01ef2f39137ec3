"""Compares huang2020's Fig. 5 with ns-2's own senders: the slotted cell in both simulators, with the same channels.

python evidence/benches/sim/validate_huang2020.py; needs ns-2 (`apt install ns2`).

Writes evidence/measured/validation/huang2020-ns2.md. What was run is kept in results/huang2020-ns2, so that an
interrupted run continues; --kept writes the page from it and runs nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

import windward as ww
from windward.results.stats import jain

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from papers.huang2020 import reported  # noqa: E402
from papers.huang2020.access_point import SCHEMES, TOTALS_ONLY, Scheme, scenario  # noqa: E402
from papers.huang2020.checks.laws import is_near, spread  # noqa: E402

PEER = Path(__file__).with_name("peer_ns2_cell.tcl")
PAGE = ROOT / "evidence" / "measured" / "validation" / "huang2020-ns2.md"
KEPT = ROOT / "results" / "huang2020-ns2"

SEEDS = range(1, 11)
SECONDS, SLOT_S, SAMPLE_S, BUFFER = 2000, 0.01, 10, 2000
#: Runs of ns-2 at once.
THREADS = 2


def channel(seed: int) -> Path:
    """File of the bits per slot that the channels of this seed carry in Windward, a line a slot."""
    file = KEPT / f"channel-{seed}.txt"
    if not file.exists():
        lines: list[str] = []

        class Recorder:
            """A scheduler that serves no user and keeps the rates that the channels offer."""

            def choose(self, slot: ww.Slot) -> int | None:
                lines.append(" ".join(str(round(station.rate * SLOT_S)) for station in slot.stations))

        scenario(SCHEMES["Reno"], Recorder, duration=f"{SECONDS} s", **TOTALS_ONLY).simulate(seeds=[seed], threads=1)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def constant(bits: int) -> Path:
    """File of channels that carry `bits` in every slot."""
    file = KEPT / f"constant-{bits}.txt"
    if not file.exists():
        file.write_text(f"{bits} {bits} {bits} {bits}\n" * round(SECONDS / SLOT_S), encoding="utf-8")
    return file


def wires() -> list[str]:
    """The wires of access-point.toml, as the peer takes them."""
    links = [link for link in scenario(SCHEMES["Reno"]).link if link.name != "uplink"]
    return [f"{link.from_}:{link.to}:{link.rate.split()[0]}:{link.delay.split()[0]}" for link in links]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A law of Fig. 5 with a sender of ns-2, and the same here."""

    law: str
    #: In the page's words.
    reading: str
    #: As the peer names it.
    sender: str
    #: None where nothing here is the same.
    scheme: Scheme | None = None

    def ns2(self, seed: int, *, file: Path | None = None, seconds: float = SECONDS, flows: str = "0,1,2,3") -> Any:
        """Rate in packets/s and timeouts of each flow, and packets of the first acknowledged by a time."""
        words = [self.sender, seed, seconds, SAMPLE_S, BUFFER, file or channel(seed), flows]
        done = subprocess.run(["ns", PEER, *map(str, words), *wires()], capture_output=True, text=True, check=True)
        lines = [line.split() for line in done.stdout.splitlines()]
        # Senders of Linux print lines of their own.
        rows = [[int(word) for word in line[2:]] for line in lines if line[0] == "flow"]
        samples = [[float(word) for word in line[1:3]] for line in lines if line[0] == "at"]
        return {
            "rates": [row[0] / seconds for row in rows],
            "timeouts": [row[1] for row in rows],
            "acknowledged": samples,
        }

    def here(self) -> Any:
        """Figures of Windward's runs, a dictionary for each seed."""
        assert self.scheme is not None
        run = scenario(self.scheme, duration=f"{SECONDS} s", **TOTALS_ONLY)
        flows = run.simulate(seeds=SEEDS, threads=1).flows.sort_values(["seed", "flow"])
        return [
            {
                "rates": list(of_seed["goodput_pps"]),
                "timeouts": [int(each) for each in of_seed["timeouts"]],
            }
            for _, of_seed in flows.groupby("seed")
        ]


def without_sack(scheme: Scheme) -> Scheme:
    """The scheme with cumulative ACKs only."""
    return replace(scheme, tcp={**scheme.tcp, "sack": False})


#: The first reading of each law is the one that the paper most likely has.
CASES = (
    Case(law="Compound", reading="Linux 2.6.22, SACK", sender="linux-compound", scheme=SCHEMES["Compound"]),
    Case(
        law="Compound",
        reading="Linux 2.6.22, no SACK",
        sender="linux-compound-plain",
        scheme=without_sack(SCHEMES["Compound"]),
    ),
    Case(law="CUBIC", reading="Linux 2.6.22, SACK", sender="linux-cubic", scheme=SCHEMES["CUBIC"]),
    Case(law="Vegas", reading="γ = 1", sender="vegas", scheme=SCHEMES["Vegas"]),
    Case(law="Reno", reading="Reno", sender="reno"),
    Case(law="Reno", reading="NewReno", sender="newreno", scheme=SCHEMES["Reno"]),
)

#: The first check: one flow over a channel that always carries as much, at both ends of the modes; SNR and bits a slot.
STEADY = ((6, 20_000), (19, 80_000))
STEADY_S, STEADY_WARMUP_S = 600, 200
STEADY_SENDERS = (
    Case(law="Reno", reading="SACK", sender="sack", scheme=Scheme(law=ww.Reno(byte_counting=False))),
    Case(law="Reno", reading="NewReno", sender="newreno", scheme=SCHEMES["Reno"]),
)


def steady(case: Case, snr_db: int, bits: int) -> Any:
    """Packets a second of one flow in both simulators after the warmup, and the timeouts of the whole run."""
    assert case.scheme is not None
    base = scenario(case.scheme, duration=f"{STEADY_S} s", output=ww.Output(sample_interval=f"{STEADY_WARMUP_S} s"))
    cell = base.cell[0]
    stations = [replace(station, snr=f"{snr_db} dB") for station in cell.station]
    run = replace(base, cell=[replace(cell, fading="constant", station=stations)], flow=[base.flow[0]]).simulate(
        seeds=[1], threads=1
    )
    series = run.flow_series.set_index("time_s")["goodput_bps"]
    later = series[series.index > STEADY_WARMUP_S + 1e-6].mean() / (8 * 160)
    ns2 = case.ns2(1, file=constant(bits), seconds=STEADY_S, flows="0")
    done = dict(ns2["acknowledged"])
    theirs = (ns2["rates"][0] * STEADY_S - done[STEADY_WARMUP_S]) / (STEADY_S - STEADY_WARMUP_S)
    return {"ns2": theirs, "here": later, "timeouts": [ns2["timeouts"][0], int(run.flows["timeouts"].iloc[0])]}


def kept(name: str, make: Callable[[], Any], *, only: bool) -> Any:
    """A result by its name; makes it unless it is kept. None where it is not and `only` kept ones are wanted."""
    file = KEPT / f"{name}.json"
    if not file.exists():
        if only:
            return None
        file.write_text(json.dumps(make()), encoding="utf-8")
        print(name, file.read_text(encoding="utf-8"), flush=True)
    return json.loads(file.read_text(encoding="utf-8"))


def ns2(case: Case, seed: int, *, only: bool) -> Any:
    """A case of this seed in ns-2, as `kept`."""
    return kept(f"{case.sender}-ns2-{seed}", partial(case.ns2, seed), only=only)


@dataclass(frozen=True)
class Seeds:
    """A case in one simulator: a row for each seed, a column for each flow."""

    rates: pd.DataFrame
    timeouts: pd.DataFrame

    @classmethod
    def of(cls, found: list[Any]) -> Seeds:
        return cls(*(pd.DataFrame([one[key] for one in found]) for key in ("rates", "timeouts")))

    @property
    def totals(self) -> pd.Series[float]:
        return self.rates.sum(axis=1)

    @property
    def indices(self) -> pd.Series[float]:
        return self.rates.apply(jain, axis=1)

    @property
    def least(self) -> pd.Series[float]:
        return self.rates.min(axis=1) / self.rates.mean(axis=1)


def with_spread(values: pd.Series[float], printed: float, digits: int) -> str:
    """The mean, what one run more may differ by, and whether the printed number is within that."""
    is_inside = "in" if is_near(values, printed) else "out"
    return f"{values.mean():.{digits}f} ± {spread(values):.{digits}f}, {is_inside}"


def row(first: list[str], seeds: Seeds, paper: tuple[float, ...]) -> str:
    """A row of the table of laws."""
    cells = [
        *first,
        str(len(seeds.rates)),
        ", ".join(f"{rate:.0f}" for rate in seeds.rates.mean()),
        with_spread(seeds.totals, sum(paper), 0),
        with_spread(seeds.indices, jain(paper), 3),
        f"{seeds.indices.min():.3f}",
        with_spread(seeds.least, min(paper) / statistics.fmean(paper), 2),
        ", ".join(f"{count:.1f}" for count in seeds.timeouts.mean()),
    ]
    return f"| {' | '.join(cells)} |"


def table(*, only: bool) -> str:
    """Every law in the paper, in ns-2 and here."""
    lines = [
        "| law | sender | in | seeds | ftp0 to ftp3, packets/s | total | Jain's index | lowest index | least share | "
        "timeouts a flow |",
        "|" + "---|" * 10,
    ]
    for at, case in enumerate(CASES):
        paper = reported.RATES[case.law]
        if not at or CASES[at - 1].law != case.law:
            share = min(paper) / statistics.fmean(paper)
            printed = ", ".join(f"{rate:.0f}" for rate in paper)
            lines.append(
                f"| {case.law} | the paper |  | 1 | {printed} | {sum(paper):.0f} | {jain(paper):.3f} |  | "
                f"{share:.2f} |  |"
            )
        ran = [ns2(case, seed, only=only) for seed in SEEDS]
        if found := [one for one in ran if one is not None]:
            lines.append(row([case.law, case.reading, "ns-2"], Seeds.of(found), paper))
        if case.scheme is not None and (here := kept(f"{case.sender}-here", case.here, only=only)):
            lines.append(row([case.law, case.reading, "Windward"], Seeds.of(here), paper))
    return "\n".join(lines)


def steady_table(*, only: bool) -> str:
    """The constant channel."""
    lines = [
        "| Reno | channel, packets/s | ns-2 | Windward | ratio | timeouts in ns-2, Windward |",
        "|" + "---|" * 6,
    ]
    for case in STEADY_SENDERS:
        for snr_db, bits in STEADY:
            found = kept(f"steady-{case.sender}-{bits}", partial(steady, case, snr_db, bits), only=only)
            if found is not None:
                lines.append(
                    f"| {case.reading} | {bits / SLOT_S / 1600:.0f} | {found['ns2']:.1f} | {found['here']:.1f} | "
                    f"{found['here'] / found['ns2']:.3f} | {', '.join(map(str, found['timeouts']))} |"
                )
    return "\n".join(lines)


def page(*, only: bool) -> str:
    """The page."""
    return f"""# huang2020's access point with the senders of ns-2

<!-- Generated: make validate WHAT=huang2020-ns2 -->

[huang2020](../papers/huang2020.md) compares its law in ns-2 with Reno, Vegas, CUBIC and Compound (Fig. 5). Here the
senders of ns-2.35 run over the network of [`access-point.toml`](../../papers/huang2020/access-point.toml) for
{SECONDS} s under scheduler (10). The binary is `ns2` of Debian and Ubuntu, driven by
`evidence/benches/sim/peer_ns2_cell.tcl`.

* **Channels:** the draws of each seed are Windward's, written to a file that ns-2 replays slot by slot. Both simulators
  have the same channels.
* **Cell:** a stock link of ns-2 cannot be stopped for a slot. Each station has a blocked queue. A Tcl process applies
  rule (10) every 10 ms and releases the packets that fit into the slot. Bits that are left over begin the next packet.
* **Senders:** ns-2's defaults: a clock of 10 ms, a minimum RTO of 0.2 s, 3 s before the first sample, an initial window
  of 2, an ACK for each packet, no timestamps. `window_` is 100 000. All flows start at 0 s.
* **Packets:** 200 bytes in all. ns-2 sends Vegas's without headers: its segments have 200 bytes, the others' 160.
* **CUBIC and Compound** are `Agent/TCP/Linux` of Linux 2.6.22, **Vegas** is `Agent/TCP/Vegas` with 200 and 203,
  **Reno** is `Agent/TCP/Reno` or `Agent/TCP/Newreno`.

**One flow over a constant channel**, packets/s from {STEADY_WARMUP_S} to {STEADY_S} s. Behind the faster channel the
wire of 3125 packets/s is the bottleneck.

{steady_table(only=only)}

**The four laws**, means over seeds. ± is the 95 % prediction interval of one run, t·s·(1 + 1/n)^½. *in* and *out* say
whether the printed number is within it. The share of the least flow is relative to the mean of the four.

{table(only=only)}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", action="store_true", help="write the page from what is kept; run nothing")
    only = parser.parse_args().kept
    if not only and shutil.which("ns") is None:
        print("skipped: ns-2 is missing (apt install ns2)", file=sys.stderr)
        return
    KEPT.mkdir(parents=True, exist_ok=True)
    if not only:
        for seed in SEEDS:
            channel(seed)
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda job: ns2(job[1], job[0], only=False), itertools.product(SEEDS, CASES)))
    PAGE.write_text(page(only=only), encoding="utf-8")


if __name__ == "__main__":
    main()

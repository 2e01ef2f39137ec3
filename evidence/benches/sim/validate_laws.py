"""Lays the laws that ns-3 has beside its own, alone and in a network; writes evidence/measured/validation/ns3-laws.md.

python evidence/benches/sim/validate_laws.py --ns3 .venv-ns3/bin/python

What ns-3 said is kept in results/ns3-laws, and not asked again.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ns3_more_laws as imitations
import told
from validate import lossy

import windward as ww

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3, ns3_version  # noqa: E402

HERE = Path(__file__).parent
PAGE = ROOT / "evidence" / "measured" / "validation" / "ns3-laws.md"
KEPT = ROOT / "results" / "ns3-laws"
SEEDS, SECONDS = 4, 200
#: Student's factor of a 95 % confidence interval with SEEDS − 1 = 3 degrees of freedom.
STUDENT = 3.182
LOSSES = (0.003, 0.01)
#: By how much the imitation may be off: about twice the half width of a confidence interval.
EXPLAINED = 0.05
#: Packets that a law alone sends, and how many of them it has to find its way.
PACKETS, SETTLING = 20_000, 2_000


@dataclass(frozen=True, kw_only=True)
class Case:
    """A law, and how it is told apart."""

    name: str
    imitation: type[imitations.PerAck]
    #: Alone: our law and ns-3's attributes.
    law: Any
    attributes: dict[str, str] = field(default_factory=dict)
    #: The share of packets lost, the share of a window that a loss leaves, and the first window.
    loss: float
    left: float
    initial: float = 10
    #: The same attributes of the imitation.
    imitated: dict[str, Any] = field(default_factory=dict)
    #: Whether attributes make ns-3's the published law.
    is_comparable: bool = True

    @property
    def tolerance(self) -> float:
        """Packets by which the mean windows may differ, for whole packets' sake."""
        return 0.5 + 0.5 / (1 - self.left)


CASES = [
    Case(
        name="scalable",
        imitation=imitations.Scalable,
        law=ww.Scalable(),
        attributes={"AIFactor": "100"},
        imitated={"FACTOR": 100},
        loss=0.003,
        left=0.875,
    ),
    Case(name="westwood", imitation=imitations.Westwood, law=ww.Westwood(), loss=0.0005, left=0.5),
    Case(name="highspeed", imitation=imitations.HighSpeed, law=ww.Highspeed(), loss=0.001, left=0.59),
    Case(name="vegas", imitation=imitations.Vegas, law=ww.Vegas(), loss=0, left=0.5, initial=4),
    Case(name="veno", imitation=imitations.Veno, law=ww.Veno(), loss=0.005, left=0.8),
    Case(
        name="bic",
        imitation=imitations.Bic,
        law=ww.Bic(fast_convergence=False),
        attributes={"SmoothPart": "20", "FastConvergence": "false"},
        imitated={"SMOOTH": 20, "FAST_CONVERGENCE": False},
        loss=0.001,
        left=0.8,
    ),
    Case(
        name="hybla",
        imitation=imitations.Hybla,
        law=ww.Hybla(),
        attributes={"RRTT": "25ms"},
        imitated={"RHO": 4.0},
        loss=0.01,
        left=0.5,
    ),
    Case(name="htcp", imitation=imitations.Htcp, law=ww.Htcp(), loss=0.002, left=0.8, is_comparable=False),
]


def alone(python: str) -> list[str]:
    """Rows of the laws told the same."""
    rides = []
    for case in CASES:
        # The first loss ends slow start.
        lost = told.losses(case.loss) | {0 if case.name == "vegas" else 150}
        rides.append(told.ride(told.window(case.law, case.initial), lost, PACKETS))
    given = [told.told(c.name, c.attributes, c.initial, events) for c, events in zip(CASES, rides, strict=True)]
    answers = [answer["cwnd"] for answer in Ns3(python, HERE / "peer_laws.py", given=given).answers()]
    rows = []
    for case, events, theirs in zip(CASES, rides, answers, strict=True):
        mine = told.replay(told.window(case.law, case.initial), events)
        without_socket = type("Alone", (case.imitation,), {"INFLATION": 1.0, "MISSING": 0} | case.imitated)
        copied = told.replay(told.Imitation(without_socket, case.initial), events)
        apart = [a - b for a, b in zip(mine, theirs, strict=True)][SETTLING:]
        copied_apart = [a - b for a, b in zip(copied, theirs, strict=True)][SETTLING:]
        settings = ", ".join(f"`{name}` {value}" for name, value in case.attributes.items()) or "–"
        mean, verdict = statistics.fmean(apart), "–"
        if case.is_comparable:
            verdict = f"{case.tolerance:.1f}: {'inside' if abs(mean) <= case.tolerance else '**outside**'}"
        rows.append(
            f"| {case.name} | {settings} | {case.loss:.2%} | {statistics.fmean(mine[SETTLING:]):.2f} | "
            f"{statistics.fmean(theirs[SETTLING:]):.2f} | {mean:+.2f} | {verdict} | {max(map(abs, apart)):.2f} | "
            f"{max(map(abs, copied_apart)):.2f} |"
        )
        print(rows[-1], flush=True)
    return rows


def goodputs(law: Any, loss: float) -> list[float]:
    """One flow in Windward, seed by seed, in Mbit/s, with an ACK for every segment."""
    return lossy(law, loss, seconds=SECONDS, seeds=SEEDS, delayed_ack=False)


def ns3_goodputs(python: str, law: str, loss: float) -> list[float]:
    """Goodput of the same flow in ns-3, in Mbit/s, for each seed."""
    kept = KEPT / f"{law}-{loss}.json"
    if not kept.exists():
        every = "TcpSocket::DelAckCount=1"
        [said] = Ns3(python, HERE / "peer_ns3.py", "lossy", law, loss, SECONDS, SEEDS, every).answers()
        KEPT.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(said["goodput_mbit"]))
    return [float(value) for value in json.loads(kept.read_text())]


def interval(values: list[float]) -> str:
    """Mean and half width of the confidence interval."""
    half = STUDENT * statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.fmean(values):.2f} ± {half:.2f}"


def networked(python: str) -> tuple[list[str], str]:
    """Rows of the laws in TCP, and where the imitation is further from ns-3 than it may."""
    rows, outside = [], []
    for case in CASES:
        for loss in LOSSES:
            theirs = ns3_goodputs(python, case.name, loss)
            mine, copied = goodputs(case.name, loss), goodputs(case.imitation, loss)
            ratio, explained = (statistics.fmean(v) / statistics.fmean(theirs) for v in (mine, copied))
            rows.append(
                f"| {case.name} | {loss:.1%} | {interval(mine)} | {interval(theirs)} | **{ratio:.2f}** | "
                f"{interval(copied)} | {explained:.2f} |"
            )
            print(rows[-1], flush=True)
            if abs(explained - 1) > EXPLAINED:
                outside.append(f"{case.name} at {loss:.1%} is outside, {explained:.2f}")
    return rows, ", ".join(outside) or "all are inside"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", required=True, help="a Python in which ns-3 is installed")
    python = parser.parse_args().ns3
    told_rows, (network_rows, outside) = alone(python), networked(python)
    PAGE.write_text(
        TEXT.format(
            version=ns3_version(python),
            packets=PACKETS - SETTLING,
            settling=SETTLING,
            seconds=SECONDS,
            seeds=SEEDS,
            alone="\n".join(told_rows),
            network="\n".join(network_rows),
            outside=outside,
        )
    )
    print(PAGE.relative_to(ROOT))


TEXT = """# More control laws in ns-3 and in Windward

<!-- Generated: make validate WHAT=ns3 -->

The laws that ns-3 {version} has beside its own, first alone, then in TCP. The kernel at hand has none of them as a
module, so ns-3 is the only other implementation here; the response functions are validated against closed forms on
[the laws' pages](../../../docs/reference/laws/README.md).

## Alone

Each law gets the same input: a path of 10 Mbit/s and 100 ms, an ACK for every packet, losses of the same
packets. Each loss is one event that is repaired at once.
The events are those that Windward's law brings about; ns-3's law object is told them
one by one, without a socket (`evidence/benches/sim/peer_laws.py`). Windows in packets, means over {packets} events
after
{settling} to settle; in the last two columns the greatest differences at any event.

| law | ns-3's attributes | loss | Windward | ns-3 | difference | tolerance | greatest | imitation |
|---|---|---|---|---|---|---|---|---|
{alone}

The tolerance covers whole packets. ns-3 counts in them, which moves a window by up to half a packet on
average. It truncates at each loss, half a packet again, of which the share g remains at the next loss: ½ +
½/(1 − g). At single events more is possible: at a row of HighSpeed's table, and where BIC's growth steps, one of
the two is a packet, and so a while, ahead. Vegas is without losses, on its way from 3 packets to rest.

The attributes make ns-3's law the published one. Its `AIFactor` is 50, twice Kelly's growth from 50 packets on. Its
`SmoothPart` is 5, where Linux takes 20 round trips to pass BIC's old maximum. Its `FastConvergence` makes W_max β·W,
where the paper and Linux make it W·(1 + β)/2. With them every law agrees but H-TCP.

TcpHtcp adds α **bytes** for each ACK to Reno's growth, α/1448 packets, where the paper adds α/W packets. A loss leaves
RTTmin/RTTmax since the last, without the paper's bound of 0.8, wherever the throughput has risen (its quotient of
integers is 0 below the double), else half. No attribute mends that. `evidence/benches/sim/ns3_more_laws.py` has a law
that does the same, as it has for every other; how near these imitations come is the last column.

## In TCP

The first network of [Beside ns-3](ns3.md), one flow over 10 Mbit/s and 100 ms with random loss, for {seconds} s, with
an ACK for every segment. Goodput in Mbit/s, means over {seeds} seeds with their 95 % confidence intervals. ns-3 has its
own attributes here, but `RRTT` 25 ms. The imitation is ns-3's law in Windward's simulator, with what its socket does.

| law | loss | Windward | ns-3 | ratio | imitation | ratio |
|---|---|---|---|---|---|---|
{network}

The imitation must agree within 5 %: {outside}. Means of 4 seeds are themselves uncertain by up to 9 %.

## Why they differ

What ns-3's socket does around a loss changes every law. A trace of `CongestionWindow` shows it, its source says why.

* **A fast recovery sends half as much again.** `TcpPrrRecovery` adds a segment for each duplicate ACK to what SACK has
  counted already. After a loss at 22 packets TcpScalable wants 17, and cwnd climbs to 28 while it repairs, 0.7 packets
  an ACK, 2·17/20 − 1; RFC 6937 lets it fall to 17. Its product of bytes has 32 bits: from some 40 packets on it
  overflows, and the excess is gone.
* **Its end is counted twice**, and what is reduced is **two packets less than the window**, as
  [there](ns3.md#why-they-differ).
* A law never gets a sample of the round-trip time but the smoothed one, and `minRtt` is the least of those.

And each law for itself:

* **hybla**: ρ is computed when the smoothed round-trip time is the least ever. That was the SYN's, which is
  shorter than any segment's, and no law was called then. So ρ stays 1.
  With `RRTT` 25, 50 or 1000 ms the goodput is the same to the
  byte. Alone, told the same, TcpHybla has ρ = 4, as ours.
* **htcp**: α in bytes, and β without a bound, as above. At these losses the two nearly cancel.
* **bic**: `SmoothPart` and `FastConvergence`, as above; its share is of cwnd, not of what is in flight.
* **westwood**: the segments of a recovery are counted as duplicates come, and again at its end. The estimate
  rises above the rate, and a loss *raises* the window to it; Grieco and Mascolo set the window to the estimate only
  where it is larger than that.
* **vegas**: a loss takes one packet, or goes back to an old ssthresh, where ns-2 and the authors take a quarter.
* **veno**: half its growth never comes: it forgets at each ACK how many samples it has, and with fewer than three
  grows as Reno. Here no queue calls for it; the rest is the socket.
* **highspeed, scalable**: nothing but the socket, and `AIFactor` from 50 packets on.
"""


if __name__ == "__main__":
    main()

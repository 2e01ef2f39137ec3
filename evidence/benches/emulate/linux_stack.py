"""Flows with Linux's loss detection beside Linux's own, under random loss, to measured/validation/linux-stack.md.

python evidence/benches/emulate/linux_stack.py; as root, on a machine that does nothing else: half an hour in real time.
What was interrupted goes on where it was: runs are kept in results/linux-stack.
"""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd
from networks import crowds
from page import table
from repeat import in_time

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "linux-stack.md"
#: Runs are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "linux-stack"


class Case(NamedTuple):
    """A loss, how many flows of each law stand side by side in one emulation, and how often it is emulated."""

    loss: float
    count: int
    seeds: int

    @property
    def percent(self) -> str:
        """The loss as the page has it."""
        return f"{100 * self.loss:g} %"


CASES = (Case(0.0, 1, 1), Case(0.001, 5, 12), Case(0.01, 12, 12), Case(0.03, 20, 5))
#: Flows side by side and seeds of a simulation.
CROWD, SEEDS = 20, 20
#: A run is repeated when 1 % of its packets were later than this: a hundredth of a round trip.
LATE_S = 0.001
#: Tolerance.
WITHIN = 0.03

#: Linux's, and what simulations take for them: the first is its equal, the others are what it is not.
LAWS: dict[str, ww.format.LawSpec] = {"Reno": ww.Reno(), "CUBIC": ww.Cubic(version="linux", hystart=True)}
FORMS: dict[str, tuple[tuple[str, ww.format.LawSpec, Literal["rfc", "linux"]], ...]] = {
    "Reno": (("Linux's stack", ww.Reno(), "linux"), ("RFC 6675", ww.Reno(), "rfc")),
    "CUBIC": (
        ("Linux's stack and law", LAWS["CUBIC"], "linux"),
        ("Linux's stack, RFC 9438", ww.Cubic(version="rfc9438", hystart=True), "linux"),
        ("RFC 6675, RFC 9438", ww.Cubic(hystart=True), "rfc"),
    ),
}


class Mean(NamedTuple):
    """Goodput over flows in Mbit/s with the half width of its 95 % interval."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.3f}" + (f" ± {self.error:.3f}" if self.error >= 0.0005 else "")

    def over(self, other: Mean) -> Mean:
        """The ratio, with the errors of both."""
        ratio = self.value / other.value
        relative = ((self.error / self.value) ** 2 + (other.error / other.value) ** 2) ** 0.5
        return Mean(ratio, ratio * relative)


class Row(NamedTuple):
    """A law at a loss, in Linux and in one form of the simulator."""

    law: str
    case: Case
    form: str
    real: Mean
    simulated: Mean

    @property
    def ratio(self) -> Mean:
        """Linux over simulated."""
        return self.real.over(self.simulated)

    def line(self) -> list[str]:
        """As the page has it."""
        ratio = f"**{self.ratio}**" if self.form == FORMS[self.law][0][0] else str(self.ratio)
        return [self.law, self.case.percent, str(self.real), self.form, str(self.simulated), ratio]


def goodput(flows: pd.DataFrame) -> Mean:
    """Mean goodput of all flows in a table, in Mbit/s, with its 95 % confidence interval."""
    value, error = mean_and_interval(flows["goodput_bps"] / 1e6)
    return Mean(value, error if len(flows) > 1 else 0.0)


def emulated(case: Case) -> tuple[dict[str, Mean], list[pd.DataFrame]]:
    """Linux's goodput by law, and the emulations' own accounts of their timing."""
    scenario = crowds(LAWS, case.loss, case.count, "linux")
    runs = []
    for seed in range(1, case.seeds + 1):
        print(f"{case.loss:.1%} seed {seed}/{case.seeds}  {time.strftime('%H:%M:%S')}", flush=True)
        place = KEPT / f"{100 * case.loss:g}" / str(seed)
        runs.append(in_time(scenario.emulate, place, late_s=LATE_S, seed=seed, even_if_slow=True))
    flows = pd.concat([run.flows for run in runs])
    by_law = {name: goodput(flows[flows["flow"].str.startswith(name)]) for name in LAWS}
    return by_law, [run.timing for run in runs]


def rows(case: Case, real: dict[str, Mean]) -> list[Row]:
    """The lines of the page for one loss."""
    found = []
    for law, forms in FORMS.items():
        for form, own, stack in forms:
            flows = crowds({law: own}, case.loss, CROWD, stack).simulate(seeds=SEEDS).flows
            found.append(Row(law, case, form, real[law], goodput(flows)))
            print(found[-1], flush=True)
    return found


def verdict(found: list[Row]) -> str:
    """Number of cases within tolerance for the first form of each law, and the cases outside."""
    firsts = [row for row in found if row.form == FORMS[row.law][0][0]]
    off = [row for row in firsts if abs(row.ratio.value - 1) > WITHIN]
    held = f"within {100 * WITHIN:g} % of Linux's in {len(firsts) - len(off)} of {len(firsts)} cases"
    return held + "".join(f"; {row.law} at {row.case.percent} has {row.ratio}" for row in off)


def page(found: list[Row], timing: pd.DataFrame) -> str:
    """The page."""
    # Stable: laws one below the other, each in the order of the losses.
    found = sorted(found, key=lambda row: list(LAWS).index(row.law))
    flows = ", ".join(f"{case.count * case.seeds} at {case.percent}" for case in CASES)
    late = int((timing["late_p99_s"] > LATE_S).sum())
    columns = ["law", "loss", "Linux", "simulated with", "goodput", "Linux over simulated"]
    return f"""# Losses by time, beside Linux

<!-- Generated: make validate WHAT=linux-stack -->

One flow on a link of its own, 10 Mbit/s, 2 × 50 ms, a buffer of 83 packets, independent random loss of data; 60 s of
which 50 count. Goodput in Mbit/s, means over flows with 95 % confidence intervals. Linux {platform.release()} between
namespaces (`windward emulate`): flows of each law, {flows}. Simulated: {CROWD * SEEDS} flows each. Linux's stack is
[`stack = "linux"`](../../../docs/reference/models/loss-detection.md), Linux's law
[`version = "linux"`](../../../docs/reference/laws/cubic.md#as-linux-has-it) with HyStart.

With Linux's stack and law, the lines in bold, goodput is {verdict(found)}.

{table(columns, [row.line() for row in found])}

What the other lines show. RFC 6675 waits for the retransmission timer where a repetition is lost; so at 3 % it is
behind. CUBIC by RFC 9438 uses real numbers, and its Reno-friendly window grows by a packet per round trip
once it has passed its old maximum. Linux has RFC 8312's, in truncated whole packets. At each reduction it
forgets the segments acknowledged towards the next increase. Both cost more the smaller the window is.

Reno's window is a real number here and whole packets in Linux. There it grows by one when W packets are acknowledged,
here after W + ½, the integral of W over that packet; after a loss Linux's begins up to half a packet lower. Both
together, imitated, make 1.3 % at 1 % loss and 2.7 % at 3 %.

In {late} of {len(timing)} emulations 1 % of the packets were more than {1e3 * LATE_S:g} ms late.
"""


def main() -> None:
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    measured = [(case, *emulated(case)) for case in CASES]
    found = [row for case, real, _ in measured for row in rows(case, real)]
    timing = pd.concat([each for *_, timings in measured for each in timings])
    PAGE.write_text(page(found, timing), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

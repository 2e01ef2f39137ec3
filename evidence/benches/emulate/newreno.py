"""Flows without SACK beside Linux's own, after losses and an overflow, to measured/validation/newreno-linux.md.

python evidence/benches/emulate/newreno.py; as root, on a machine that does nothing else: a quarter of an hour in real
time. What was interrupted goes on where it was: runs are kept in results/newreno.
"""

from __future__ import annotations

import os
import platform
import time
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd
from linux_stack import LATE_S, Case, Mean, goodput
from networks import crowd
from page import table
from repeat import in_time

import windward as ww

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "newreno-linux.md"
#: Runs are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "newreno"

Recovery = Literal["linux", "rfc6582"]

CASES = (Case(0.0, 4, 1), Case(0.001, 20, 5), Case(0.01, 20, 4), Case(0.03, 20, 3))
#: Flows side by side and seeds of a simulation.
CROWD, SEEDS = 20, 20
#: Receive buffer of both sides.
BUFFER = "500 packets"
#: What the simulator takes for Linux, and what it is not.
FORMS: dict[Recovery, str] = {"linux": '`newreno = "linux"`', "rfc6582": "RFC 6582"}
#: The overflow at the start: drawn seconds, and seconds per line.
OVERFLOW_S, STEP_S = 32, 2


class Row(NamedTuple):
    """A loss, in Linux and in one form of the simulator."""

    case: Case
    form: Recovery
    real: Mean
    simulated: Mean

    def line(self) -> list[str]:
        """As the page has it."""
        ratio = self.real.over(self.simulated)
        said = f"**{ratio}**" if self.form == "linux" else str(ratio)
        return [self.case.percent, str(self.real), FORMS[self.form], str(self.simulated), said]


def network(case: Case, count: int, form: Recovery) -> ww.Scenario:
    """Renos without SACK, each alone on its link."""
    scenario = crowd(ww.Reno(), case.loss, count, "linux")
    flows = [replace(flow, sack=False, newreno=form, receive_window=BUFFER) for flow in scenario.flow]
    return replace(scenario, flow=flows)


def emulated(case: Case) -> list[ww.Run]:
    """Linux's runs."""
    runs = []
    for seed in range(1, case.seeds + 1):
        print(f"{case.loss:.1%} seed {seed}/{case.seeds}  {time.strftime('%H:%M:%S')}", flush=True)
        place = KEPT / f"{100 * case.loss:g}" / str(seed)
        in_time(network(case, case.count, "linux").emulate, place, late_s=LATE_S, seed=seed, even_if_slow=True)
        # Not what it returns, whose series are in a folder that is gone.
        runs.append(ww.open(place))
    return runs


def rows(case: Case, runs: list[ww.Run]) -> list[Row]:
    """The lines of the page for one loss."""
    real = goodput(pd.concat([run.flows for run in runs]))
    found = []
    for form in FORMS:
        simulated = goodput(network(case, CROWD, form).simulate(seeds=SEEDS).flows)
        found.append(Row(case, form, real, simulated))
        print(found[-1], flush=True)
    return found


def flight(run: ww.Run) -> dict[float, float]:
    """Segments in flight of the first flow, as the sender counts them, by time."""
    series = run.flow_series
    first = series[series["flow"] == series["flow"].iloc[0]]
    return dict(zip(first["time_s"].round(3), first["flight"], strict=True))


def overflow(run: ww.Run) -> str:
    """Segments in flight after slow start's overflow, in Linux and in the simulator, as a table."""
    case = CASES[0]
    ours = {form: flight(network(case, 1, form).simulate(seeds=1)) for form in FORMS}
    columns = ["s", "Linux", *FORMS.values()]
    real = flight(run)
    times = [float(at) for at in range(STEP_S, OVERFLOW_S + 1, STEP_S)]
    lines = [[f"{at:g}", f"{real[at]:.0f}", *(f"{ours[form][at]:.0f}" for form in FORMS)] for at in times]
    return table(columns, lines)


def page(found: list[Row], first: ww.Run, timing: pd.DataFrame) -> str:
    """The page."""
    flows = ", ".join(f"{case.count * case.seeds} at {case.percent}" for case in CASES)
    late = int((timing["late_p99_s"] > LATE_S).sum())
    columns = ["loss", "Linux", "simulated with", "goodput", "Linux over simulated"]
    return f"""# Losses without SACK, beside Linux

<!-- Generated: make validate WHAT=newreno -->

One Reno flow without SACK on a link of its own: 10 Mbit/s, 2 × 50 ms, a buffer of 83 packets, independent random loss
of data. The receive window is {BUFFER}. The last 50 of 60 s count. Goodput in Mbit/s, means over flows with 95 %
confidence intervals. Linux {platform.release()} between namespaces (`windward emulate`): flows, {flows}. Simulated:
{CROWD * SEEDS} flows each, with [`stack = "linux"`](../../../docs/reference/models/loss-detection.md#without-sack).

{table(columns, [row.line() for row in found])}

Without loss it is slow start that loses, some 170 packets at once: Linux repairs one a round trip and sends hardly
anything else meanwhile. What its sender counts as in flight, without loss, beside the simulator's:

{overflow(first)}

In {late} of {len(timing)} emulations 1 % of the packets were more than {1e3 * LATE_S:g} ms late.
"""


def main() -> None:
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    measured = [(case, emulated(case)) for case in CASES]
    found = [row for case, runs in measured for row in rows(case, runs)]
    timing = pd.concat([run.timing for _, runs in measured for run in runs])
    PAGE.write_text(page(found, measured[0][1][0], timing), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

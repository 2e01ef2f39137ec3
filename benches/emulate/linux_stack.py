"""Flows with Linux's loss detection beside Linux's own, under random loss, to docs/measured/validation/linux-stack.md.

python benches/emulate/linux_stack.py; as root, on a machine that does nothing else: half an hour in real time. What was
interrupted goes on where it was: runs are kept in results/linux-stack.
"""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd
from networks import crowds
from page import table
from repeat import in_time

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "measured" / "validation" / "linux-stack.md"
#: Runs are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "linux-stack"


class Case(NamedTuple):
    """A loss, how many flows of each law stand side by side in one emulation, and how often it is emulated."""

    loss: float
    count: int
    seeds: int


CASES = (Case(0.0, 1, 1), Case(0.001, 5, 12), Case(0.01, 12, 12), Case(0.03, 20, 5))
#: Flows side by side and seeds of a simulation.
CROWD, SEEDS = 20, 20
#: A run is repeated when 1 % of its packets were later than this: a hundredth of a round trip.
LATE_S = 0.001
#: What is asked for.
WITHIN = 0.03

#: What Linux's are, and what else a simulation may take for them.
LAWS = {"Reno": ww.Reno(), "CUBIC": ww.Cubic(version="linux", hystart=True)}
FORMS: dict[str, tuple[tuple[str, Any, Literal["rfc", "linux"]], ...]] = {
    "Reno": (("Linux's stack", ww.Reno(), "linux"), ("RFC 6675", ww.Reno(), "rfc")),
    "CUBIC": (
        ("Linux's stack and law", LAWS["CUBIC"], "linux"),
        ("Linux's stack, RFC 9438", ww.Cubic(hystart=True), "linux"),
        ("RFC 6675, RFC 9438", ww.Cubic(hystart=True), "rfc"),
    ),
}


class Mean(NamedTuple):
    """Goodput over flows in Mbit/s with the half width of its 95 % interval."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.3f}" + (f" ± {self.error:.3f}" if self.error > 0 else "")

    def over(self, other: Mean) -> Mean:
        """The ratio, with the errors of both."""
        ratio = self.value / other.value
        relative = ((self.error / self.value) ** 2 + (other.error / other.value) ** 2) ** 0.5
        return Mean(ratio, ratio * relative)


def goodput(flows: pd.DataFrame) -> Mean:
    """Of all flows in a table."""
    value, error = mean_and_interval(flows["goodput_bps"] / 1e6)
    return Mean(value, error if len(flows) > 1 and error > 1e-9 * value else 0.0)


def emulated(case: Case) -> tuple[dict[str, Mean], list[pd.DataFrame]]:
    """Linux's goodput by law, and the emulations' own accounts of their timing."""
    scenario = crowds(LAWS, case.loss, case.count, "linux")
    runs = []
    for seed in range(1, case.seeds + 1):
        print(f"{case.loss:.1%} seed {seed}/{case.seeds}  {time.strftime('%H:%M:%S')}", flush=True)
        place = KEPT / f"{100 * case.loss:g}" / str(seed)
        runs.append(in_time(scenario.emulate, place, late_s=LATE_S, seed=seed, force=True))
    flows = pd.concat([run.flows for run in runs])
    by_law = {name: goodput(flows[flows["flow"].str.startswith(name)]) for name in LAWS}
    return by_law, [run.timing for run in runs]


def rows(case: Case, real: dict[str, Mean]) -> list[list[str]]:
    """The lines of the page for one loss."""
    lines = []
    for law, forms in FORMS.items():
        for at, (form, own, stack) in enumerate(forms):
            flows = crowds({law: own}, case.loss, CROWD, stack).simulate(seeds=SEEDS).flows
            simulated = goodput(flows)
            ratio = real[law].over(simulated)
            line = [law, f"{100 * case.loss:g} %", str(real[law]), form, str(simulated), str(ratio)]
            if at == 0:
                line = [f"**{cell}**" if cell is line[-1] else cell for cell in line]
            print(*line, sep=" | ", flush=True)
            lines.append(line)
    return lines


def main() -> None:
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    measured = [(case, *emulated(case)) for case in CASES]
    lines = [line for case, real, _ in measured for line in rows(case, real)]
    lines.sort(key=lambda line: [law for law in LAWS].index(line[0]))
    timing = pd.concat([each for *_, timings in measured for each in timings])
    print(table(["law", "loss", "Linux", "simulated with", "goodput", "ratio"], lines), platform.release(), timing)


if __name__ == "__main__":
    main()

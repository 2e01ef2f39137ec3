"""Runs the cases of BBR's draft on the kernel's own BBR, between namespaces, and writes its section of stacks.md.

python evidence/benches/evaluate/kernel_bbr.py [--seeds 3]; as root, on a machine that does nothing else. Runs are kept
in results/evaluations/kernel-bbr.json, so that what was interrupted goes on. The section is written when each network
has enough runs that were in time.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from write import KEPT, KERNELS_HEADING, SIGNS, STACKS_PAGE

from windward import _engine
from windward._evaluate.bbr_draft import CASES, measures
from windward._evaluate.kernels import tables
from windward._evaluate.measure import Measure
from windward._evaluate.networks import with_law
from windward._evaluate.verdict import evaluated, verdicts
from windward.results._files import replace_text
from windward.show import _evaluate as words

CLOSING = "<!-- the kernel's BBR ends -->"
FILE = KEPT / "kernel-bbr.json"

#: Times that a run which was not in time is repeated.
TIMES = 2

#: Measures whose figure a mode, an estimate or the network shows.
VISIBLE = (
    "A.1/estimate", "A.2/startup", "A.3/length", "A.3/next", "A.4/length", "A.7/stays", "A.10/length", "A.10/next",
    "A.11/skips", "A.12/estimate", "A.13/goodput", "A.14/goodput", "A.14/window", "A.15/estimate", "A.17/goodput",
    "A.17/loss", "A.19/timeouts", "A.20/next", "A.22/estimate",
)  # fmt: skip


def run(text: str, own: Sequence[Measure], seeds: int, kept: dict[str, Any]) -> None:
    """Adds the figures of a network's measures; runs that were in time are kept."""
    found = kept.setdefault(text, {"values": [], "problem": ""})
    for seed in range(1, TIMES * seeds + 1):
        if found["problem"] or len(found["values"]) >= seeds:
            return
        try:
            (rows,), problems = tables(json.loads(text), [seed], Path(), series=["internals"])
        except (_engine.EmulationError, _engine.KernelError, _engine.ScenarioError) as error:
            found["problem"] = str(error).splitlines()[0]
            print(found["problem"], flush=True)
            return
        figures = {each.name: each.value(rows) for each in own}
        print(figures, problems, flush=True)
        if not problems:
            found["values"].append({name: None if math.isnan(value) else value for name, value in figures.items()})
            replace_text(FILE, json.dumps(kept))


def main() -> int:
    """Writes the section; 1 if too few runs were in time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    networks: dict[str, list[Measure]] = {}
    for own in measures():
        networks.setdefault(json.dumps(with_law(own.template, "bbr")), []).append(own)
    tested, problems, is_short = [], {}, False
    for text, each in networks.items():
        if any(own.name in VISIBLE for own in each):
            run(text, each, seeds, kept)
            is_short |= not kept[text]["problem"] and len(kept[text]["values"]) < seeds
        ran = kept.get(text, {"values": [], "problem": ""})
        for own in each:
            known = [figures[own.name] for figures in ran["values"]] if own.name in VISIBLE else []
            tested.append(evaluated(own, [math.nan if value is None else value for value in known] or [math.nan], {}))
            problems[own.name] = ran["problem"]
    if is_short:
        print(f"a network has fewer than {seeds} runs in time; the same command goes on, and then writes its section")
        return 1
    order = [own.name for own in measures()]
    tested.sort(key=lambda own: order.index(own.measure.name))
    titles = {case.key: case.title for case in CASES}
    page = STACKS_PAGE.read_text(encoding="utf-8")
    table = [
        line.strip("| ").split(" | ")
        for line in page.partition(KERNELS_HEADING)[0].splitlines()
        if line.startswith("| ")
    ]
    simulated = {(cells[0], cells[1]): cells for cells in table}
    column = simulated["case", "figure"].index("`bbr` over TCP")
    lines = ["| case | figure | kernel's BBR | `bbr` over TCP, simulated | allowed |", "|---|---|---|---|---|"]
    for own, verdict in zip(tested, verdicts(tested), strict=True):
        case, problem = own.measure, problems[own.measure.name]
        figure = words.amount(own.mean, case.unit, own.interval)
        sign = "≥" if case.is_large else "≤"
        cell = f"{SIGNS[verdict]} {figure}" if own.seeds else "not visible"
        cell = "not run" if problem else cell
        head = f"{case.section} {titles[case.section]}, {case.network}"
        allowed = f"{sign} {words.amount(own.allowed, case.unit)}"
        lines.append(f"| {head} | {case.figure} | {cell} | {simulated[head, case.figure][column]} | {allowed} |")
    said = "; ".join(sorted({problem for problem in problems.values() if problem}))
    left_out = f" Not run:\n{said}." if said else ""
    text = f"""\
{KERNELS_HEADING}

Linux {platform.release()}, between network namespaces: `make validate WHAT=kernel-bbr`, {seeds} runs
each that were in time. The kernel shows BBR's estimates and gains (`TCP_CC_INFO`), and the gains tell its mode. It is
version 1, as `bbr` is. Not visible: the phases of PROBE_BW and the bounds of the flight.{left_out}

{chr(10).join(lines)}

{CLOSING}"""
    before, _, rest = page.partition(KERNELS_HEADING)
    after = rest.partition(CLOSING)[2]
    replace_text(STACKS_PAGE, before.rstrip("\n") + "\n\n" + text + (after or "\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

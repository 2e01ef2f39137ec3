"""Compares the engines for WebAssembly with the native ones: `make validate WHAT=playground` runs it.

Every scenario of `scenarios/` is simulated, solved and followed by both, with seed 1; those over QUIC are refused. The
tables of packets must be equal to the byte; rates of the optimum and of the fluid model within 1e-12, relatively.

A run of more than 4 GB in one flow, one source and one transfer does the same for counters that 32 bits do not hold.
Writes evidence/measured/validation/playground.md.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from windward import _engine
from windward._engines.simulate import count_threads
from windward._format.own import finders

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "site" / "playground"
MODULE = ROOT / "target" / "wasm32-unknown-unknown" / "wasm" / "windward_wasm.wasm"
PAGE = ROOT / "evidence" / "measured" / "validation" / "playground.md"

#: Largest relative difference of rates.
CLOSE = 1e-12

#: What the module says of flows and applications that a browser does not have.
OVER_QUIC = "is over QUIC, which does not run in a browser"

#: Scenarios of the comparison of speed, and how often each runs.
TIMED, ROUNDS = ("headline", "flat", "lte", "dumbbell", "gigabit"), 5

#: More than 2³² bytes in a flow, in a source and in one transfer.
BIG = """
name = "big"
duration = "1.2 s"
node = [{ name = "a" }, { name = "b" }, { name = "c" }, { name = "d" }, { name = "e" }, { name = "f" }]
link = [
  { from = "a", to = "b", rate = "40 Gbit/s", delay = "100 us", buffer = "2000 packets" },
  { from = "c", to = "d", rate = "40 Gbit/s", delay = "100 us", buffer = "2000 packets" },
  { from = "e", to = "f", rate = "40 Gbit/s", delay = "100 us", buffer = "2000 packets" },
]
flow = [{ from = "a", to = "b", law = "cubic", segment = "8960 B" }]

[[background]]
name = "stream"
from = "c"
to = "d"
pattern = { kind = "cbr", rate = "39 Gbit/s" }
packet = "9000 B"

[[app]]
kind = "requests"
name = "copy"
from = "f"
to = "e"
law = "cubic"
response = "4.5 GB"
arrivals = { kind = "closed", users = 1, think = "1 ms" }
"""


class Module:
    """The engines in Node."""

    def __init__(self, path: Path) -> None:
        command = ["node", str(Path(__file__).with_name("ask.mjs")), str(SOURCES), str(path)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **question: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


def recordings(text: str, folder: Path) -> dict[str, str]:
    """The files that a scenario names."""
    names = dict.fromkeys(re.findall(r'"([^"\n]+\.[a-z]+)"', text))
    return {name: (folder / name).read_text(encoding="utf-8") for name in names if (folder / name).is_file()}


def simulated(scenario: _engine.Scenario, folder: Path) -> tuple[dict[str, Any], float]:
    """Hashes of the columns of a native run, and its CPU time in seconds."""
    before = time.process_time()
    job = _engine.Job(scenario, seeds=[1], threads=count_threads(1), **finders({}, folder))
    job.start()
    outputs: list[Any] = []
    while not job.is_done:
        outputs += job.wait(1.0)
    spent = time.process_time() - before
    tables = {
        kind: {name: hashlib.sha256(_bytes(column)).hexdigest() for name, column in table.items()}
        for kind, table in outputs[0].items()
        if isinstance(table, dict)
    }
    return tables | {"events": outputs[0]["events"]}, spent


def _bytes(column: Any) -> bytes:
    return bytes(column if isinstance(column, list) else memoryview(column))


def compare_packets(
    scenario: _engine.Scenario, question: dict[str, Any], folder: Path, module: Module
) -> tuple[int, list[str], float, float]:
    """Columns compared, differences, and both CPU times."""
    native, spent = simulated(scenario, folder)
    own = module.ask(do="simulate", seed=1, **question)
    if own.get("error") or own.get("panic"):
        return 0, [f"{own.get('error') or own.get('panic')}"], spent, own["cpu_s"]
    wrong, count = [], 0
    if own["events"] != native.pop("events"):
        wrong.append("number of events")
    if own["tables"].keys() != native.keys():
        wrong.append("names of the tables")
    for kind, table in native.items():
        for name, column in table.items():
            count += 1
            if own["tables"].get(kind, {}).get(name) != column:
                wrong.append(f"{kind}.{name}")
    return count, wrong, spent, own["cpu_s"]


def compare_rates(
    scenario: _engine.Scenario, question: dict[str, Any], module: Module
) -> tuple[float | None, list[str]]:
    """Largest relative difference of optimum and fluid, None where neither answers, and what is wrong."""
    worst: float | None = None
    wrong: list[str] = []
    for do in ("optimum", "fluid"):
        own = module.ask(do=do, whole=True, **question)
        try:
            native = scenario.optimum("proportional")["flows"] if do == "optimum" else scenario.fluid()["series"]
        except ValueError as error:
            if (own.get("error") or "").splitlines()[:1] != str(error).splitlines()[:1]:
                wrong.append(f"{do}: {own.get('error') or own.get('panic')} beside {error}")
            continue
        if own.get("error") or own.get("panic"):
            wrong.append(f"{do}: {own.get('error') or own.get('panic')}")
            continue
        table = own["tables"]["flows" if do == "optimum" else "flow_series"]
        for name in ("rate_bps", "goodput_bps") if do == "optimum" else ("cwnd", "goodput_bps", "queue_delay_ms"):
            mine = np.frombuffer(base64.b64decode(table[name]))
            other = np.asarray(native[name], dtype=float)
            size = np.maximum(np.abs(other), np.abs(other).max(initial=0.0) * 1e-9)
            apart = (
                float(np.max(np.abs(mine - other) / np.where(size > 0, size, 1.0), initial=0.0))
                if len(mine) == len(other)
                else float("inf")
            )
            worst = max(worst or 0.0, apart)
            if not apart <= CLOSE:
                wrong.append(f"{do} {name}: {apart:.1e} apart")
    return worst, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", type=Path, default=MODULE)
    parser.add_argument("--only", default="", help="scenarios whose path contains this text; writes no page")
    chosen = parser.parse_args()
    module = Module(chosen.module)
    size = len(gzip.compress(chosen.module.read_bytes(), 9, mtime=0))
    rows, faults, columns, worst = [], [], 0, 0.0
    cases = [
        (str(path.relative_to(ROOT / "scenarios")), path.read_text(encoding="utf-8"), path.parent)
        for path in sorted((ROOT / "scenarios").rglob("*.toml"))
    ]
    for name, text, folder in [*cases, ("more than 4 GB", BIG, ROOT)]:
        if chosen.only not in name:
            continue
        scenario = _engine.Scenario.from_toml(text, name, folder)
        if scenario.python_classes:
            rows.append((name, 0, "a law in Python: refused", ""))
            continue
        question = {"scenario": text, "files": recordings(text, folder), "format": "toml"}
        count, wrong, spent, other = (
            (0, [], 0.0, 0.0) if scenario.has_region else compare_packets(scenario, question, folder, module)
        )
        # What a browser refuses, it refuses by its name.
        is_over_quic = any(word in text for word in ('transport = "quic"', 'protocol = "h3"'))
        refused = ["over QUIC: refused"] if is_over_quic and wrong and all(OVER_QUIC in it for it in wrong) else []
        wrong = [] if refused else wrong
        apart, more = compare_rates(scenario, question, module)
        columns, worst = columns + count, max(worst, apart or 0.0)
        faults += [f"{name}: {fault}" for fault in [*wrong, *more]]
        said = "a region has no packets" if scenario.has_region else "; ".join(refused or wrong) or "equal"
        rows.append((name, count, said, "neither answers" if apart is None else f"{apart:.1g}"))
        print(
            f"{name}: {count} columns, {rows[-1][2]}; rates: {rows[-1][3]}; {spent:.2f} s and {other:.2f} s",
            flush=True,
        )
    ratios = speed(module) if not chosen.only else {}
    for name, ratio in ratios.items():
        print(f"{name}: {ratio:.2f} of the native speed")
    if faults:
        sys.exit("\n".join(faults))
    if not chosen.only:
        write(rows, columns, worst, size, chosen.module.stat().st_size, ratios)


def speed(module: Module) -> dict[str, float]:
    """Native CPU time over that of WebAssembly, medians of alternating rounds."""
    found = {}
    for name in TIMED:
        path = ROOT / "scenarios" / f"{name}.toml"
        text = path.read_text(encoding="utf-8")
        scenario = _engine.Scenario.from_toml(text, name, path.parent)
        pairs = [
            (simulated(scenario, path.parent)[1], module.ask(do="simulate", seed=1, scenario=text)["cpu_s"])
            for _ in range(ROUNDS)
        ]
        found[name] = statistics.median(one for one, _ in pairs) / statistics.median(other for _, other in pairs)
    return found


def write(
    rows: list[tuple[str, int, str, str]], columns: int, worst: float, size: int, whole: int, ratios: dict[str, float]
) -> None:
    lines = [
        "# Playground: the engines for WebAssembly against the native ones",
        "",
        "<!-- Generated: make validate WHAT=playground -->",
        "",
        "*Written by `make validate WHAT=playground`: Node, seed 1, every file of `scenarios/`.*",
        "",
        f"{columns} columns of the packet simulator's tables are equal to the byte. Rates of optimum and fluid "
        f"model differ by at most {worst:.1g}, relatively (at most {CLOSE:g} is allowed).",
        f"The module has {whole / 1e6:.1f} MB, compressed {size / 1e6:.2f} MB.",
        "",
        "| scenario | columns | packets | optimum and fluid, largest relative difference |",
        "|---|--:|---|--:|",
        *(f"| `{name}` | {count or '–'} | {said} | {apart or '–'} |" for name, count, said, apart in rows),
        "",
        "Speed, the native engine's CPU time over the module's, medians of alternating runs on one machine:",
        "",
        "| scenario | of native speed |",
        "|---|--:|",
        *(f"| `{name}` | {ratio:.2f} |" for name, ratio in ratios.items()),
        "",
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()

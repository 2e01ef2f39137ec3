"""Measures what sweeps cost beside their engine, and writes evidence/measured/benchmarks/sweep.md.

    python evidence/benches/sweep/bench.py

CPU time, not time on the clock: the machine may have other work.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "sweep.md"
LOSSY = ROOT / "scenarios" / "lossy.toml"
POINTS, SEEDS = 1000, 10
MANY = 50_000
LEAST, MOST = 0.005, 0.02
FIELD = f"link.path.loss={LEAST}..{MOST} log {POINTS}"

#: The engine by itself: the same points, every tenth of them, without their results.
ALONE = """
import json, sys, time
from pathlib import Path
from windward import _engine
from windward._format.parse import parse
from windward._format.vary import change, read_field
field, seeds, every = read_field(sys.argv[2]), list(range(1, int(sys.argv[3]) + 1)), 10
plain = json.loads(parse(Path(sys.argv[1])).to_json())
nothing = lambda name, parameters: None
cpu = 0.0
for value in field.values[::every]:
    text = json.dumps(change(plain, {field.path: value}))
    scenario = _engine.Scenario.from_json(text, "point", Path())
    began = time.process_time()
    job = _engine.Job(scenario, seeds=seeds, threads=2, law=nothing, scheduler=nothing, rule=nothing)
    job.start()
    while min(job.simulated_s()) < scenario.duration_s:
        time.sleep(0.005)
    job.cancel()
    cpu += time.process_time() - began
print(cpu * every)
"""

PAGE_TEXT = """\
# Speed of sweeps

<!-- Generated: python evidence/benches/sweep/bench.py -->

`scenarios/lossy.toml` (one flow, 600 s) at {points} loss rates with {seeds} seeds each, {runs} runs:

```
windward sweep scenarios/lossy.toml --set '{field}' --seeds {seeds}
```

| | CPU time | of the engine's |
|---|---|---|
| the engine by itself | {engine:.0f} s, {each:.1f} ms a run | 1 |
| the sweep: start, runs, dataset, table | {sweep:.0f} s | {ratio:.2f} |
| the same command again, which finds all done | {again:.1f} s | {share:.2f} |

Memory at its peak: {memory:.0f} MiB. With {many} points (`--engine optimum`, {many_cpu:.0f} s of CPU):
{many_memory:.0f} MiB. It does not grow with the points: finished runs are in the dataset, at most a part of it is in
memory.

Measured on a virtual machine with {cores} cores that others share: CPU times of all threads, user and system. The
engine by itself simulates every tenth point, and its time is taken ten times; none of its results are read. Starting
and printing the table is {start:.1f} s of the sweep's time.
"""


def main() -> None:
    """Runs all and writes the page."""
    with tempfile.TemporaryDirectory() as folder:
        engine = float(
            subprocess.run(
                [sys.executable, "-c", ALONE, str(LOSSY), FIELD, str(SEEDS)], check=True, capture_output=True, text=True
            ).stdout
        )
        command = ["sweep", str(LOSSY), "--set", FIELD, "--seeds", str(SEEDS), "--output", f"{folder}/lossy"]
        sweep, memory = cost(command)
        again, _ = cost(command)
        rates = f"link.path.rate=1..1000 Mbit/s log {MANY}"
        many = ["sweep", str(LOSSY), "--set", rates, "--engine", "optimum", "--output", f"{folder}/many"]
        many_cpu, many_memory = cost(many)
        start, _ = cost(["show", f"{folder}/lossy"])
    text = PAGE_TEXT.format(
        points=POINTS,
        seeds=SEEDS,
        runs=POINTS * SEEDS,
        field=FIELD,
        engine=engine,
        each=1e3 * engine / POINTS / SEEDS,
        sweep=sweep,
        ratio=sweep / engine,
        again=again,
        share=again / engine,
        memory=memory,
        many=MANY,
        many_cpu=many_cpu,
        many_memory=many_memory,
        start=start,
        cores=os.cpu_count(),
    )
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE.relative_to(ROOT))


def cost(arguments: list[str]) -> tuple[float, float]:
    """CPU seconds of a command, and its peak of memory in MiB."""
    process = subprocess.Popen([sys.executable, "-m", "windward", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"windward {' '.join(arguments)} failed")
    scale = 1 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale / 2**20


if __name__ == "__main__":
    main()

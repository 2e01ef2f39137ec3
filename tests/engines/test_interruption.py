"""Results of finished seeds can be read after any interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import environment

import windward as ww


def finished(folder: Path) -> int:
    """Number of seeds in the summary; seeds finish in any order, and their folders appear just before."""
    summary = folder / "summary.json"
    return len(json.loads(summary.read_text())["finished"]) if summary.exists() else 0


def stop(scenario_file: Path, how: signal.Signals, *options: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Simulates far more seeds than there is time for, and stops when two of them have been written."""
    folder = scenario_file.parent / "out"
    command = ["-m", "windward", "simulate", scenario_file, "--output", folder, "--seeds", "100000", *options]
    process = subprocess.Popen(
        [sys.executable, *map(str, command)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and finished(folder) < 2:
        time.sleep(0.01)
    os.kill(process.pid, how)
    out, err = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, out, err), folder


def test_ctrl_c(scenario_file: Path) -> None:
    result, folder = stop(scenario_file, signal.SIGINT)
    assert result.returncode == 130
    assert result.stdout == ""
    run = ww.open(folder)
    expected = f"error: interrupted: {len(run.seeds)} of 100000 seeds finished; saved in {folder}\n"
    assert result.stderr.endswith(expected)
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["complete"] is False
    assert not run.is_complete
    assert len(run.seeds) >= 2
    assert len(run.flows) == 3 * len(run.seeds)
    assert len(run.flow_series) > 0
    # Nothing of the seeds that had not finished is left.
    assert {path.name for path in folder.iterdir()} == {
        "summary.json",
        "scenario.toml",
        *(f"seed-{seed}" for seed in run.seeds),
    }


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_kill(scenario_file: Path) -> None:
    result, folder = stop(scenario_file, signal.SIGKILL, "--pcap")
    assert result.returncode == -signal.SIGKILL
    run = ww.open(folder)
    assert len(run.seeds) >= 2
    assert len(run.flows) == 3 * len(run.seeds)
    # The next run may replace it, and clears away what the killed one had begun.
    ww.load(scenario_file).simulate(output=folder, seeds=[1], replace=True)
    assert {path.name for path in folder.iterdir()} == {"summary.json", "scenario.toml", "seed-1"}


#: Laws that never return: one hears an exception, one catches it, one sleeps.
ENDLESS_LAWS = """
import time


class Loops:
    def __init__(self, cwnd):
        self.cwnd = cwnd

    def on_congestion(self, event): ...

    def on_ack(self, ack):
        open("begun", "w").close()
        while True:
            pass


class Sleeps(Loops):
    def on_ack(self, ack):
        open("begun", "w").close()
        time.sleep(1000)
"""


@pytest.mark.parametrize("law", ["Loops", "Sleeps"])
def test_ctrl_c_ends_a_law_that_never_returns(scenario_file: Path, law: str) -> None:
    (scenario_file.parent / "endless.py").write_text(ENDLESS_LAWS)
    text = scenario_file.read_text().replace('law = "reno"', f'law = {{ name = "python", class = "endless.py:{law}" }}')
    scenario_file.write_text(text)
    process = subprocess.Popen(
        [sys.executable, "-m", "windward", "simulate", scenario_file.name, "-o", "out"],
        cwd=scenario_file.parent,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while process.poll() is None and not (scenario_file.parent / "begun").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        # A second or two on a quiet machine; without an end to the law it never ends.
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert said.endswith("error: interrupted: 0 of 3 seeds finished; nothing was saved\n")
    assert not (scenario_file.parent / "out").exists()


def test_interrupt_from_python(scenario_file: Path) -> None:
    def interrupt(progress: ww.Progress) -> None:
        assert 0 <= progress.fraction <= 1
        if progress.finished >= 2:
            raise KeyboardInterrupt

    with pytest.raises(ww.RunInterrupted, match="of 100000 seeds finished") as stopped:
        ww.load(scenario_file).simulate(seeds=100_000, progress=interrupt)
    run = stopped.value.run
    assert run is not None
    assert len(run.seeds) >= 2
    assert not run.is_complete
    assert len(run.flows) == 3 * len(run.seeds)


#: A fluid run of hours, and what runs it: it says when it is under way, and how long it took to hear a Ctrl-C.
ENDLESS = """
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "1 ms"
[[flow]]
from = "a"
to = "b"
law = "reno"
"""
FOLLOW = """
import sys, time
import windward as ww

def tell(now):
    assert 0 <= now.fraction < 1
    print("under way", flush=True)

try:
    {call}
except ww.RunInterrupted as stop:
    print(stop, flush=True)
    sys.exit(130)
"""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("ww.load(sys.argv[1]).fluid(feedback_delay_s='rtt', progress=tell)", "interrupted: "),
        (
            "ww.load(sys.argv[1]).sweep({'link.*.delay': ['1 ms', '2 ms']}, engine='fluid', progress=tell)",
            "interrupted: 0 of 2 runs finished",
        ),
    ],
)
def test_ctrl_c_ends_the_equations(tmp_path: Path, call: str, said: str) -> None:
    file = tmp_path / "endless.toml"
    # Over a day in steps of milliseconds.
    file.write_text('name = "endless"\nduration = "100000 s"\n[output]\nsample_interval = "10 s"\n' + ENDLESS)
    process = subprocess.Popen(
        [sys.executable, "-c", FOLLOW.format(call=call), str(file)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "under way\n"
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    # 0.2 s on a quiet machine, and what Python takes to end.
    assert time.monotonic() - began < 5
    assert process.returncode == 130
    assert out.splitlines()[-1].startswith(said), out


def test_equations_interrupted_from_python(tmp_path: Path) -> None:
    file = tmp_path / "endless.toml"
    file.write_text('name = "endless"\nduration = "100000 s"\n[output]\nsample_interval = "10 s"\n' + ENDLESS)
    told: list[float] = []

    def interrupt(progress: ww.Progress) -> None:
        told.append(progress.fraction)
        if len(told) > 2:
            raise KeyboardInterrupt

    with pytest.raises(ww.RunInterrupted, match="of 100000 s integrated") as stopped:
        ww.load(file).fluid(feedback_delay_s="rtt", progress=interrupt)
    assert stopped.value.run is None
    assert told == sorted(told)

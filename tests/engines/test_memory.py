"""Memory of a run is estimated before it starts, and refused beyond what is available."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import windward as ww
from windward._engines import memory

OVERLOAD = """\
name = "overload"
duration = "{duration}"
node = [{{ name = "a" }}, {{ name = "b" }}]
link = [{{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms" }}]
[[app]]
kind = "requests"
from = "a"
to = "b"
law = "cubic"
arrivals = {{ kind = "periodic", every = "{every}" }}
response = "10 kB"
"""


def overload(tmp_path: Path, duration: str, every: str) -> Path:
    """A file of a client whose requests are more than its link carries."""
    path = tmp_path / "overload.toml"
    path.write_text(OVERLOAD.format(duration=duration, every=every), encoding="utf-8")
    return path


def test_a_run_beyond_the_machine_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of 10 million requests alone are 3 GB, and 28 232 connections some 0.11 GB."""
    scenario = ww.load(overload(tmp_path, "10 s", "1 us"))
    monkeypatch.setattr(memory, "available", lambda: 2.5e9)
    with pytest.raises(
        ValueError, match=r"the run takes some 3\.\d+ GB of memory, and 2\.5 GB are available"
    ) as refusal:
        scenario.simulate()
    assert "10000000 requests 3 GB" in str(refusal.value)
    assert "hint: lower `rate` or `load` of the arrivals" in str(refusal.value)
    with pytest.raises(ValueError, match="2 runs at once take"):
        scenario.simulate(seeds=2, threads=2)


def test_several_runs_may_fit_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = ww.load(overload(tmp_path, "10 s", "1 us"))
    monkeypatch.setattr(memory, "available", lambda: 7e9)
    with pytest.raises(ValueError, match=r"4 runs at once take.*\n.*threads=2"):
        scenario.simulate(seeds=4, threads=4)


def test_the_command_refuses_with_2_under_a_limit(tmp_path: Path) -> None:
    """Ten million requests under `ulimit -v`: one line that says what takes the memory, and exit code 2."""
    path = overload(tmp_path, "10 s", "1 us")
    command = f"ulimit -v 2500000; exec {sys.executable} -m windward simulate {path} -o {tmp_path / 'r'}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "10000000 requests 3 GB" in done.stderr
    assert "Traceback" not in done.stderr


def test_much_memory_is_said(tmp_path: Path) -> None:
    few = ww.load(overload(tmp_path, "1 s", "100 us"))
    assert memory.note(few._compile().engine, 1) is None
    many = ww.load(overload(tmp_path, "10 s", "1 us"))
    assert "10000000 requests 3 GB" in (memory.note(many._compile().engine, 1) or "")


def test_requests_under_overload_take_what_is_estimated(tmp_path: Path) -> None:
    """40 000 requests at once on a link that carries 1250 a second: at most the estimate of 12 and 113 MB, and half.

    Each of them had a connection of its own: 6.9 kB.
    """
    path = overload(tmp_path, "1 s", "25 us")
    code = (
        "import re, windward as ww\n"
        f"scenario = ww.load({str(path)!r})\n"
        # Not ru_maxrss, which begins with that of the process that started this one.
        "peak = lambda: 1024 * int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
        "before = peak()\n"
        "run = scenario.simulate()\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    estimate, _ = memory.estimate(ww.load(path)._compile().engine)
    assert 0.3 * estimate < float(done.stdout) < 1.5 * estimate

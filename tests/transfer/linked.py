"""Programs behind `windward link`, for the tests. Skips, with the reason, where no namespace can be made."""

import json
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import environment, in_time


def impossible() -> str | None:
    """Why no link can be emulated here."""
    if sys.platform != "linux":
        return "links are emulated on Linux only"
    probe = subprocess.run(
        [sys.executable, "-m", "windward", "link", "--rate", "1mbit", "--", "true"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return None if probe.returncode == 0 else probe.stderr.strip().replace("\n", "; ")


REASON = impossible()
needs_links = pytest.mark.skipif(REASON is not None, reason=str(REASON))


def behind(command: list[str], *options: str, folder: Path) -> tuple[str, dict[str, Any]]:
    """Runs a command behind a link: what it printed, and the link's report."""
    report = folder / "report.json"
    words = [sys.executable, "-m", "windward", "link", *options, "--report", str(report), "--", *command]
    run = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout, json.loads(report.read_text())


def behind_in_time(command: list[str], *options: str, folder: Path) -> tuple[str, dict[str, Any]]:
    """Runs a command behind a link, again if the link was late: what it printed, and the link's report."""
    run = partial(behind, command, *options, folder=folder)
    return in_time(run, lambda result: result[1]["quality"]["problem"])


def python(script: Path, *arguments: str) -> str:
    return shlex.join([sys.executable, str(script), *arguments])

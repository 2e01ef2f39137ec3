"""Emulations that are repeated where the machine was busy."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import windward as ww

#: How often a run is repeated at most.
TRIES = 3


def in_time(emulate: Callable[..., ww.Run], folder: Path, *, late_s: float, seed: int = 1, **options: Any) -> ww.Run:
    """The run that `folder` has, or one emulated now and kept there: the best of at most `TRIES`.

    Parameters
    ----------
    emulate
        `Scenario.emulate` of the network.
    folder
        Where the run is kept.
    late_s
        A run is repeated when 1 % of its packets were later than this, in seconds, or any was missed.
    seed, options
        For `emulate`.
    """
    if folder.exists():
        return cast("ww.Run", ww.open(folder))

    def lateness(run: ww.Run) -> float:
        timing = run.timing.iloc[0]
        return float("inf") if timing["missed"] + timing["overflowed"] > 0 else float(timing["late_p99_s"])

    best: ww.Run | None = None
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory() as place:
            run = emulate(seeds=[seed], output=Path(place) / "run", **options)
            print(f"  {folder}: {run.problems or 'in time'}", flush=True)
            if best is None or lateness(run) < lateness(best):
                best = run
                # Whole, or not there.
                half = folder.with_name(f".{folder.name}")
                shutil.rmtree(half, ignore_errors=True)
                shutil.copytree(Path(place) / "run", half)
                shutil.rmtree(folder, ignore_errors=True)
                half.rename(folder)
        if lateness(best) <= late_s:
            break
    # Tables that a run reads on demand are in its folder.
    return cast("ww.Run", ww.open(folder))

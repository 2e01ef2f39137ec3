"""Opens the folder of any engine's result."""

from __future__ import annotations

from pathlib import Path

from windward._answers.compare import Comparison
from windward._answers.fluid import Fluid
from windward._answers.optimum import Optimum
from windward._answers.run import Run, open  # noqa: A004
from windward._answers.sweep import Sweep
from windward.errors import ResultError
from windward.results._folder import read_summary

#: Whatever an engine answers.
Result = Run | Fluid | Optimum | Sweep | Comparison


def open_result(path: Path) -> Result:
    """Opens the folder of any engine's result.

    Raises
    ------
    windward.ResultError
        If it holds none that this version reads, or no finished seed.
    """
    kinds: dict[str, type[Fluid | Optimum | Comparison]] = {kind.engine: kind for kind in (Fluid, Optimum, Comparison)}
    engine = read_summary(path)["engine"]
    if engine == Sweep.engine:
        return Sweep.open(path)
    if engine in kinds:
        return kinds[engine].open(path)
    run = open(path)
    if not run.seeds:
        raise ResultError(f"{path} contains no finished seed: the run was interrupted too early")
    return run

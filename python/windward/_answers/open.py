"""Opens the folder of any engine's result."""

from __future__ import annotations

from pathlib import Path

from windward._answers.fluid import Fluid
from windward._answers.optimum import Optimum
from windward._answers.run import Run
from windward._answers.sweep import Sweep
from windward.errors import ResultError
from windward.results._folder import read_scenario, read_summary, read_table

#: Whatever an engine answers.
Result = Run | Fluid | Optimum | Sweep


def open_result(path: Path) -> Result:
    """Opens the folder of any engine's result.

    Raises
    ------
    windward.ResultError
        If it holds none that this version reads, or no finished seed.
    """
    kinds: dict[str, type[Fluid | Optimum]] = {kind.engine: kind for kind in (Fluid, Optimum)}
    engine = read_summary(path)["engine"]
    if engine == Sweep.engine:
        return Sweep.open(path)
    if engine in kinds:
        return kinds[engine].open(path)
    run = open(path)
    if not run.seeds:
        raise ResultError(f"{path} contains no finished seed: the run was interrupted too early")
    return run


def open(path: str | Path) -> Run:  # noqa: A001
    """Opens the folder of a simulation or an emulation, whole or interrupted.

    Raises
    ------
    windward.ResultError
        If the folder holds no Windward result, one of another engine, or one of a format that this version does not
        read.
    """
    path = Path(path)
    summary = read_summary(path, "simulate", "emulate")
    return Run(about=summary, scenario=read_scenario(path), load=lambda kind, seed: read_table(path, kind, seed))

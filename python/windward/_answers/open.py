"""Opens the folder of any engine's result."""

from __future__ import annotations

from pathlib import Path

from windward._answers.attack import Attack
from windward._answers.compare import Comparison
from windward._answers.evaluation import Evaluation
from windward._answers.fluid import Fluid
from windward._answers.optimum import Optimum
from windward._answers.run import Run, open as open_run
from windward._answers.sweep import Sweep
from windward._answers.tuning import Tuning
from windward.errors import ResultError
from windward.results._folder import read_summary

#: The answer of any engine.
Result = Run | Fluid | Optimum | Sweep | Comparison | Tuning | Attack | Evaluation


def open(path: str | Path) -> Result:  # noqa: A001
    """Opens the folder of a result, of any engine, whole or interrupted.

    Parameters
    ----------
    path
        The folder that an engine, `save` or a command wrote.

    Returns
    -------
    Run, Fluid, Optimum, Sweep, Comparison, Tuning, Attack or Evaluation
        `Run` for a simulation or an emulation. The others have an `open` of their own, which refuses the results of
        other engines: `windward.Sweep.open`.

    Raises
    ------
    windward.ResultError
        If the folder holds no result that this version reads, or an interrupted comparison.

    Examples
    --------
    >>> import windward as ww
    >>> scenario = ww.load("scenarios/dumbbell.toml")
    >>> scenario.optimum().save("kept")
    >>> ww.open("kept").utility
    'proportional'
    """
    path = Path(path)
    engine = read_summary(path)["engine"]
    others: dict[str, type[Fluid | Optimum | Comparison | Sweep | Tuning | Attack | Evaluation]] = {
        kind.engine: kind for kind in (Fluid, Optimum, Comparison, Sweep, Tuning, Attack, Evaluation)
    }
    return others[engine].open(path) if engine in others else open_run(path)


def open_finished(path: Path) -> Result:
    """Opens the folder of a result that has something to show.

    Raises
    ------
    windward.ResultError
        As `open`, and for a run without a finished seed.
    """
    result = open(path)
    if isinstance(result, Run) and not result.seeds:
        raise ResultError(f"{path} contains no finished seed: the run was interrupted too early")
    return result

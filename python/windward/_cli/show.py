"""The commands that show results again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windward._cli.options import Folder

if TYPE_CHECKING:
    from windward._answers.open import Result


def show(run: Folder) -> None:
    """Print the tables of a run again."""
    from windward.show import _terminal as terminal

    terminal.show(_open(run))


def plot(
    run: Folder,
    what: Annotated[
        str | None,
        typer.Option(
            "--what",
            "-w",
            help="windows, rates, rtt, queues, delays, links, fairness, internals, goodput, utilization or loss; of an "
            "optimum rates, links or prices; of a fluid run windows, rates, delays or lyapunov. Default: the first.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="SVG, PDF or PNG, by its ending. Default: WHAT.svg."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed whose series are drawn. Default: the first.")
    ] = None,
) -> None:
    """Draw a figure of a run."""
    from windward._answers.run import Run
    from windward.show.plot import save

    result = _open(run)
    if isinstance(result, Run):
        chosen = what or "windows"
        figure = result.plot(chosen, seed=seed)
    elif seed is not None:
        raise ValueError(f"{run} has no seeds: nothing in it is left to chance")
    else:
        chosen = what or result.default_figure
        figure = result.plot(chosen)
    target = output or Path(f"{chosen}.svg")
    save(figure, target)
    print(target)


def report(
    run: Folder,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: report.html in the run's folder.")
    ] = None,
) -> None:
    """Write a self-contained HTML page about a run."""
    from windward.results import _folder as folder

    print(_open(run).report(output or run / folder.REPORT))


def _open(path: Path) -> Result:
    from windward._answers.open import open_result

    return open_result(path)

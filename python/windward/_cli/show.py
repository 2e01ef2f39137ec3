"""The commands that show results again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windward._cli.options import Folder

if TYPE_CHECKING:
    from windward.results._shapes import Result


def show(folder: Folder) -> None:
    """Print the tables of a result."""
    from windward._answers.open import open_result
    from windward.show import _terminal

    _terminal.show(open_result(folder))


def plot(
    folder: Folder,
    what: Annotated[
        str | None,
        typer.Option(
            "--what",
            "-w",
            help="Figure: of a run windows, rates, rtt, queues, delays, links, fairness, internals, goodput, "
            "utilization, loss, stations of a cell, map, airtime, air, backlogs, trapped, shares, blocks, or steps, a "
            "page with a slider; of an optimum rates, links, prices or paths; of a fluid run windows, rates, delays or "
            "lyapunov. Default: the first.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="SVG, PDF or PNG file; HTML for steps. Default: WHAT.svg."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed to draw. Default: the first.")] = None,
) -> None:
    """Draw a figure of a result."""
    from windward._answers.open import open_result
    from windward.show.plot import draw, names, save

    result = open_result(folder)
    if what == "steps":
        print(_steps(result, output or Path("steps.html"), seed))
        return
    chosen = what or names(result)[0]
    target = output or Path(f"{chosen}.svg")
    save(draw(result, chosen, seed=seed), target)
    print(target)


def _steps(result: Result, target: Path, seed: int | None) -> Path:
    from windward._answers.run import Run

    if not isinstance(result, Run):
        raise ValueError(f"a result of `{result.engine}` has no steps: it has no packets")
    if target.suffix != ".html":
        raise ValueError(f"{target}: steps are written as .html; give the file this ending")
    return result.steps(target, seed=seed)


def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Result folders.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: report.html in the result folder.")
    ] = None,
) -> None:
    """Write a self-contained HTML report of each result."""
    from windward._answers.open import open_result
    from windward.results import _folder

    if output and len(folders) > 1:
        raise ValueError(f"--output {output}: one file for {len(folders)} results; give one folder, or leave it out")
    for folder in folders:
        print(open_result(folder).report(output or folder / _folder.REPORT))

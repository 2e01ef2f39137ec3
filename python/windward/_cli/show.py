"""The commands that show results again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windward._cli.options import Folder


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
            "utilization, loss or stations; of an optimum rates, links, prices or paths; of a fluid run windows, "
            "rates, delays or lyapunov. Default: the first.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="SVG, PDF or PNG file. Default: WHAT.svg."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed to draw. Default: the first.")] = None,
) -> None:
    """Draw a figure of a result."""
    from windward._answers.open import open_result
    from windward.show.plot import draw, names, save

    result = open_result(folder)
    chosen = what or names(result)[0]
    target = output or Path(f"{chosen}.svg")
    save(draw(result, chosen, seed=seed), target)
    print(target)


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

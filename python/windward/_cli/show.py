"""The commands that show results again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windward._cli.options import Columns, Folder, parse_columns

if TYPE_CHECKING:
    from windward._answers.sweep import Sweep
    from windward.results._shapes import Result
    from windward.show.plot.style import Styled


def show(
    folder: Folder,
    as_: Annotated[
        str | None,
        typer.Option("--as", metavar="FORMAT", help="csv, markdown or latex: the tables for other programs."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="NAME", help="This table alone, such as flows or links. Default: all."),
    ] = None,
    columns: Columns = None,
) -> None:
    """Print the tables of a result."""
    from windward._answers.open import open_finished
    from windward.show import _export, _page, _terminal

    result = open_finished(folder)
    chosen = parse_columns(columns)
    if as_ is not None:
        print(_export.write(_page.tables(result, table=table, columns=chosen), as_), end="")
    elif table is not None:
        _terminal.show_tables(_page.tables(result, is_whole=False, table=table, columns=chosen))
    else:
        _terminal.show(result, columns=chosen)


def plot(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Result folders; several share one figure.")],
    what: Annotated[
        str | None,
        typer.Option(
            "--what",
            "-w",
            help="Figure; {figures}. Default: the first that has something to draw.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="SVG, PDF or PNG file; HTML for steps. Default: WHAT.svg."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seed to draw. Default: the mean over all with its 95 % confidence interval."),
    ] = None,
    for_: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="COLUMN",
            help="In the width and the fonts of a paper: ieee, ieee-wide, acm or acm-wide. Prints the caption.",
        ),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD", help="Of a sweep: the field along the axis; twice, a heat map. Default: the first."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="Of a sweep: a line for each value of this field, or flow, group, law, link."
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE", help="Of a sweep: the value of a field that is not drawn. Default: its first."
        ),
    ] = None,
) -> None:
    """Draw a figure of one result or several."""
    from windward._answers.open import open_finished
    from windward._answers.sweep import Sweep
    from windward.show.plot import draw, draw_sweep, draw_together

    results = [open_finished(folder) for folder in folders]
    if len(results) > 1:
        for folder, result in zip(folders, results, strict=True):
            if isinstance(result, Sweep):
                raise ValueError(f"{folder} is a sweep; one figure shows several runs, or one sweep")
        if over or by or at:
            raise ValueError("--over, --by and --at are for sweeps")
        figure = draw_together(_by_label(folders, results), what, seed=seed, for_=for_)
        _write(figure, output or Path(f"{what or 'rates'}.svg"))
        return
    folder, result = folders[0], results[0]
    if isinstance(result, Sweep):
        if seed is not None:
            raise ValueError(f"--seed {seed}: a figure of a sweep is a mean over its seeds")
        chosen = what or _first(result)
        figure = draw_sweep(result, chosen, over=over, by=by, at=_at(at or []), for_=for_)
        _write(figure, output or Path(f"{chosen}.svg"))
        return
    if over or by or at:
        raise ValueError(f"--over, --by and --at are for sweeps; {folder} is a result of `{result.engine}`")
    if what == "steps":
        if for_:
            raise ValueError(f"--for {for_}: steps are a page, not a figure")
        print(_steps(result, output or Path("steps.html"), seed))
        return
    figure = draw(result, what, seed=seed, for_=for_)
    _write(figure, output or Path(f"{figure.what}.svg"))


def _first(sweep: Sweep) -> str:
    """The first figure of which something was measured: without flows there is no goodput."""
    from windward.results._figures import FIGURES
    from windward.show._sweep import IMPORTANT

    known = (name for name in IMPORTANT if name in sweep.figures)
    return next((name for name in known if sweep.runs[FIGURES[name].column].notna().any()), "goodput")


def _by_label(folders: Sequence[Path], results: Sequence[Result]) -> dict[str, Result]:
    """Results by the names of their scenarios, with engines or of their folders where those do not tell them apart."""
    for names in (
        [result.name for result in results],
        [f"{result.name}, {result.engine}" for result in results],
        [folder.resolve().name for folder in folders],
        [str(folder) for folder in folders],
    ):
        if len(set(names)) == len(names):
            return dict(zip(names, results, strict=True))
    raise ValueError("the same folder twice in one figure")


def _write(figure: Styled, target: Path) -> None:
    from windward.show.plot import save

    save(figure, target)
    print(target)
    if figure.column is not None:
        print(f"caption: {figure.caption}")


def _at(texts: list[str]) -> dict[str, object]:
    """Values of fields as they are written."""
    values: dict[str, object] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--at {text}: give a field and its value, such as link.air.loss=0.1%")
        values[path.strip()] = value.strip()
    return values


def _steps(result: Result, target: Path, seed: int | None) -> Path:
    from windward._answers.run import Run

    if not isinstance(result, Run):
        raise ValueError(f"a result of `{result.engine}` has no steps: it has no packets")
    if target.suffix.lower() != ".html":
        raise ValueError(f"{target}: steps are written as .html; give the file this ending")
    return result.steps(target, seed=seed)


def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Result folders.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: report.html in the result folder.")
    ] = None,
    playground: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Playground that the button Change this opens, also a file:// address. Default: WINDWARD_PLAYGROUND.",
        ),
    ] = None,
) -> None:
    """Write a self-contained HTML report of each result."""
    import os

    from windward._answers.open import open_finished
    from windward.results._place import REPORT
    from windward.show.page._playground import VARIABLE

    if playground is not None:
        os.environ[VARIABLE] = playground

    if output and len(folders) > 1:
        raise ValueError(f"--output {output}: one file for {len(folders)} results; give one folder, or leave it out")
    for folder in folders:
        print(open_finished(folder).report(output or folder / REPORT))


def export(
    folder: Folder,
    as_: Annotated[str, typer.Option("--as", metavar="FORMAT", help="csv, flent, iperf3 or mahimahi.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file; of flent, NAME.flent.gz.")],
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed to export. Default: the first; with csv all seeds.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With csv: the table, such as flow_series, link_series or internals. Default: the flows' series.",
        ),
    ] = None,
    link: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of mahimahi: the link whose log it is. Default: the busiest.")
    ] = None,
) -> None:
    """Write a result's series as CSV, or a run's as a file of Flent, iperf3 or mahimahi."""
    from windward._answers.open import open_finished
    from windward.show.plot import seed_of
    from windward.show.tools import export

    result = open_finished(folder)
    if seed is not None:
        seed_of(result, seed)
    export(result, output, as_, seed=seed, link=link, table=table)
    print(output)

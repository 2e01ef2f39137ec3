"""The command that runs a scenario many times."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windward import _console
from windward._cli.options import (
    Columns,
    File,
    NoPython,
    On,
    Quiet,
    Seeds,
    Threads,
    Utility,
    parse_columns,
    parse_seeds,
    tell_notes,
)
from windward._cli.places import remark
from windward._cli.words import complain, tell
from windward._engine import RunInterrupted
from windward._format.parse import parse


def sweep(
    file: File,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUES",
            help="Values of a field: link.air.loss=0,0.1%,1%, 'flow.*.law=reno,cubic', "
            "'link.air.rate=10..100 Mbit/s step 10', '… count 5', '… log 5'. Repeatable: all combinations.",
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Points one by one: CSV with a column for each field, or TOML."),
    ] = None,
    latin: Annotated[
        int | None,
        typer.Option(metavar="N", help="Take N samples of a Latin hypercube over the fields, not all combinations."),
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="simulate, fluid, optimum or emulate.")] = "simulate",
    utility: Utility = "proportional",
    seeds: Seeds = None,
    threads: Threads = None,
    on: On = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME-sweep."),
    ] = None,
    columns: Columns = None,
    no_python: NoPython = False,
    quiet: Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the points as JSON instead of tables.")] = False,
) -> None:
    """Run a scenario with many values of its fields.

    The results are one Parquet dataset in a folder. Interrupted, the same command goes on with the rest. Exits with 1
    if some runs failed; they are kept with the reason.
    """
    from windward._engines.sweep import Asked, sweep as run
    from windward._format.design import Design, read_points
    from windward._format.vary import read_field
    from windward.show import _terminal

    fields = tuple(read_field(text) for text in set_ or [])
    if of_law := next((own.path for own in fields if own.path.startswith("law.")), None):
        raise ValueError(
            f"{of_law}: a sweep takes it of a flow, or of all\nhint: flow.*.{of_law}, or flow.NAME.{of_law}"
        )
    scenario = parse(file)
    tell_notes(scenario)
    asked = Asked(
        scenario=scenario,
        design=Design(fields=fields, table=None if points is None else read_points(points), samples=latin),
        engine=engine,
        utility=utility,
        seeds=parse_seeds(seeds),
        folder=file.parent,
        allows_python=not no_python,
    )
    target = output or Path("results") / f"{asked.scenario.name}-sweep"
    try:
        with _terminal.progress("sweeping", "swept", is_quiet=quiet, noun="runs") as progress:
            result = run(asked, output=target, is_numbered=output is None, threads=threads, on=on, progress=progress)
    except RunInterrupted as stop:
        kept = f"saved in {stop.run.path}; the same command goes on" if stop.run is not None else "nothing was saved"
        complain(f"{stop}; {kept}")
        raise typer.Exit(130) from None
    if result.path != target:
        remark(f"{target} holds another result; this one is in {result.path}")
    if as_json:
        means = {name: result.means(name) for name in result.figures}
        rows = result.runs[["point", *result.fields]].drop_duplicates("point").to_dict("records")
        for name, frame in means.items():
            for row, mean, error in zip(rows, frame["mean"], frame["ci95"], strict=True):
                row[name] = {"mean": _number(mean), "ci95": _number(error)}
        _console.print_json(rows, indent=2)
    elif not quiet:
        _terminal.show(result, columns=parse_columns(columns))
        tell(result.path)
    if len(result.failures):
        raise typer.Exit(1)


def _number(value: float) -> float | None:
    return None if value != value else value

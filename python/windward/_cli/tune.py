"""The command that tunes a law on a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windward._cli.options import MOST_RUNS, File, NoPython, On, Quiet, Seeds, Threads, parse_file, parse_seeds
from windward._cli.searching import AsJson, Budget, SearchSeed, parse_budget, tell_found
from windward._cli.words import complain
from windward._engine import RunInterrupted


def tune(
    file: File,
    objective: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="Figures to make large or small, with bounds on others: 'goodput, p95 wait <= 50 ms'. The figures are "
            "those of `sweep`, and power, ln(goodput) less half of ln(mean RTT). Two figures give a front.",
        ),
    ] = "power",
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Flow or group whose law is tuned and whose figures count. Default: all flows."
        ),
    ] = None,
    law: Annotated[
        str | None, typer.Option(metavar="NAME", help="Law that the flows get. Default: the one that they have.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=RANGE",
            help="A field and where to search it: 'law.backlog=1..1000 log', 'link.air.buffer=10..500 packets log', "
            "law.hystart=true,false. law.X is a parameter of the flows' law. Repeatable. Default: all parameters of "
            "the law that are numbers, at most 1000 times off their defaults; of a formula its constants, at most 10 "
            "times off their values.",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(metavar="N", min=1, max=MOST_RUNS, help="Number of trials.")] = 200,
    budget: Budget = None,
    attack: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_RUNS,
            help="Trials of an attack on the present and on the best values, with the patterns of a Wi-Fi link. "
            "Default: none.",
        ),
    ] = 0,
    seeds: Seeds = None,
    seed: SearchSeed = 1,
    threads: Threads = None,
    on: On = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME-tune."),
    ] = None,
    no_python: NoPython = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find the best values of a law's parameters, or of other fields.

    The best values and the present ones are compared on fresh seeds, on this network and on networks near it.
    Interrupted, the same command goes on with the rest.
    """
    from windward._search.tune import TuneRequest, tune as run
    from windward.show import _terminal

    asked = TuneRequest(
        scenario=parse_file(file, no_python=no_python),
        objective=objective,
        flow=flow,
        law=law,
        fields=set_ or [],
        seeds=parse_seeds(seeds),
        trials=trials,
        budget_s=parse_budget(budget),
        seed=seed,
        attack=attack,
        folder=file.parent,
    )
    target = output or Path("results") / f"{asked.scenario.name}-tune"
    try:
        with _terminal.progress("tuning", "tuned", is_quiet=quiet, noun="runs") as progress:
            result = run(asked, output=target, is_numbered=output is None, threads=threads, on=on, progress=progress)
    except RunInterrupted as stop:
        complain(f"{stop}; the same command goes on")
        raise typer.Exit(130) from None
    tell_found(result, target, as_json=as_json, quiet=quiet)

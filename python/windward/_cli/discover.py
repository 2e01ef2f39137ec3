"""The command that searches a law among formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windward import _console
from windward._cli.options import MOST_RUNS, Quiet, Threads
from windward._cli.searching import AsJson, Budget, SearchSeed, parse_budget
from windward._cli.words import complain, tell
from windward._engine import RunInterrupted


def discover(
    family: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="contract: ten coefficients of a law that moves towards a target window, by CMA-ES; tree: any formula "
            "of up to 12 nodes for the target, by genetic programming.",
        ),
    ] = "contract",
    trials: Annotated[int, typer.Option(metavar="N", min=1, max=MOST_RUNS, help="Number of candidates.")] = 400,
    budget: Budget = None,
    attack: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_RUNS,
            help="Trials of an attack on the best law after each epoch; what it finds joins the training set. "
            "Default: none.",
        ),
    ] = 0,
    held_out: Annotated[
        int | None,
        typer.Option(
            "--held-out",
            metavar="N",
            help="Seed of the held-out set, on which the law is compared with known ones. A folder opens one, once.",
        ),
    ] = None,
    seed: SearchSeed = 1,
    threads: Threads = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/discover-FAMILY."),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Search a congestion control law among formulas.

    Laws race on the training set of `bench`; those that break a limit rank last. The limits: leave CUBIC
    its share, share fairly, with jitter too, lose little, recover from an outage. Interrupted, the same command goes
    on.
    """
    from windward._discover.entry import run
    from windward._discover.search import DiscoverRequest
    from windward._discover.show import lines
    from windward.show import _terminal

    asked = DiscoverRequest(
        family=family,
        count=trials,
        seed=seed,
        budget_s=parse_budget(budget),
        attack=attack,
        held_out=held_out,
        threads=threads,
    )
    target = output or Path("results") / f"discover-{family}"
    try:
        with _terminal.progress("searching", "searched", is_quiet=quiet or as_json, noun="candidates") as progress:
            found = run(asked, target, is_numbered=output is None, progress=progress)
    except RunInterrupted as stop:
        complain(f"{stop}; the same command goes on")
        raise typer.Exit(130) from None
    if as_json:
        _console.print_json(found, indent=2)
    elif not quiet:
        for line in lines(found):
            _console.say(line)
        tell(Path(found["folder"]))

"""Common parts of the commands that search: options, and printing of what was found."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windward import _console
from windward._cli.options import MOST_SEED
from windward._cli.places import remark
from windward._cli.words import complain, tell
from windward._engine import quantity
from windward.errors import OptionError

if TYPE_CHECKING:
    from windward._answers.attack import Attack
    from windward._answers.tuning import Tuning

Budget = Annotated[
    str | None, typer.Option(metavar="TIME", help="Begin no generation of trials after this time, such as '2 min'.")
]
SearchSeed = Annotated[int, typer.Option(metavar="N", min=0, max=MOST_SEED, help="Seed of the search.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print what was found as JSON instead of tables.")]


def parse_budget(text: str | None) -> float:
    """Seconds of a time as scenarios write it; without one, no limit."""
    return math.inf if text is None else parse_time("budget", text)


def parse_time(option: str, text: str) -> float:
    """Seconds of a time that an option gives.

    Raises
    ------
    OptionError
        For what is no time above zero.
    """
    found = quantity(text)
    if found is None or found[1] != "s" or not found[0] > 0:
        raise OptionError((option, text, "no time; write it as in '2 min' or '90 s'"))
    return found[0]


def tell_found(result: Tuning | Attack, target: Path, *, as_json: bool, quiet: bool) -> None:
    """Prints what a search found, and where it is if that is not the folder that was meant."""
    from windward.show import _terminal

    if result.path != target:
        remark(f"{target} holds another result; this one is in {result.path}")
    if as_json:
        _console.print_json(dict(result.summary), indent=2)
    elif not quiet:
        _terminal.show(result)
        tell(result.path)
    trials = result.trials
    if trials.finished and len(failures := trials.failures) == trials.finished:
        complain(f"every run failed; the first: {failures.iloc[0]['reason']}")
        raise typer.Exit(1)

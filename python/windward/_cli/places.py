"""Folders of the results that commands save, and the handling of older results."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windward._console import visible

if TYPE_CHECKING:
    from windward.results._place import Older, Place

Replace = Annotated[
    bool,
    typer.Option(
        "--replace",
        help="Replace an older result in the folder when the new one is complete. Default: ask on a terminal if "
        "--output names the folder, otherwise use the next free folder: NAME-2, NAME-3, …",
    ),
]


@contextmanager
def place(output: Path | None, default: Path, *, replace: bool) -> Iterator[Place]:
    """The folder of a command, taken for this run: that of --output or the default.

    Raises
    ------
    windward.ResultError
        If it is in use, cannot be written, or holds something that is not to be replaced.
    """
    with _claim(output or default, "replace" if replace else "number" if output is None else "refuse") as taken:
        if taken.passed_over:
            remark(f"{taken.passed_over}; this run goes to {taken.path}")
        yield taken


def remark(text: str) -> None:
    """Says on standard error, even to --quiet, what must not go unnoticed."""
    print(text, file=sys.stderr, flush=True)


def where(taken: Place) -> str:
    """Message about the folder of an interrupted run."""
    kept = f"; {taken.replaces} keeps the older result" if taken.replaces is not None else ""
    return f"saved in {taken.path}{kept}"


def _claim(path: Path, older: Older) -> Place:
    from windward.results._place import HoldsResultError, claim

    try:
        return claim(path, older)
    except HoldsResultError as error:
        if sys.stdin.isatty() and sys.stderr.isatty():
            if typer.confirm(f"{visible(error.holds)}; replace it?", err=True):
                return claim(path, "replace")
            raise typer.Exit(2) from None
        return claim(path, "number")

"""The commands `claims` and `reproduce`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windward import _console

if TYPE_CHECKING:
    from windward.papers import Judgement, Paper

Key = Annotated[str, typer.Argument(metavar="KEY", help="Paper: the name of its folder in evidence/papers/.")]

#: Columns of the table, with their shares of its width.
_COLUMNS = {"claim": 26, "where": 10, "how checked": 26, "paper": 16, "ours": 22, "tolerance": 15}


def claims(
    key: Annotated[
        str | None,
        typer.Argument(metavar="[KEY]", help="Paper: the name of its folder in evidence/papers/. Default: all."),
    ] = None,
    ids: Annotated[
        list[int] | None, typer.Option("--id", metavar="N", help="Check only this claim. Repeatable.")
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Check claims about packet runs with the results that `reproduce` saved in DIR."
        ),
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the claims to FILE as JSON.")
    ] = None,
) -> None:
    """Check the claims of the papers.

    Prints each claim beside what was found. Exit code 1 if one fails.
    """
    from windward import papers
    from windward.papers.judge import Results, judge_all

    if ids and key is None:
        raise ValueError("--id needs KEY, the paper of the claim")
    if results is not None and not results.is_dir():
        raise ValueError(f"{results} is not a folder; `windward reproduce` writes one")
    kept = None if results is None else Results(results)
    found: dict[str, list[Judgement]] = {}
    for name in [key] if key else papers.known():
        paper = papers.load(name)
        wanted = len(ids or paper.claims)
        found[name] = []
        with _notice() as tell:
            for at, judgement in enumerate(judge_all(paper, ids, kept), 1):
                found[name].append(judgement)
                tell(f"{name}: checked {at} of {wanted}")
        _show(paper, found[name])
    if as_json is not None:
        from windward.results._files import replace_text

        rows = {name: [judgement.to_dict() for judgement in judgements] for name, judgements in found.items()}
        replace_text(as_json, json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    _exit(found)


def reproduce(
    key: Key,
    number: Annotated[
        str | None, typer.Option("--figure", metavar="N", help="Draw only this figure. Default: all.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Default: results/papers/KEY.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Seeds of packet runs. Default: the paper's own.")
    ] = None,
) -> None:
    """Reproduce the figures of a paper and check its claims.

    Writes the figures as SVG and PDF, their data as Parquet and CSV, and one HTML page.
    With --figure, only that figure.
    """
    from windward import papers
    from windward.papers.judge import Results, judge_all
    from windward.papers.page import write

    paper = papers.load(key)
    target = output or Path("results") / "papers" / key
    with _notice() as tell:
        drawn = papers.reproduce(paper, target, only=number, seeds=seeds, progress=tell)
        if number is None:
            judgements = list(judge_all(paper, results=Results(target)))
    for one in drawn:
        print(one.svg)
    if number is None:
        _show(paper, judgements)
        print(f"\n{write(paper, judgements, drawn, target / 'index.html')}")
        _exit({key: judgements})


def _exit(found: dict[str, list[Judgement]]) -> None:
    if any(judgement.holds is False for judgements in found.values() for judgement in judgements):
        raise typer.Exit(1)


def _show(paper: Paper, judgements: list[Judgement]) -> None:
    """The ledger as a table, each claim with its note."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from windward.papers.judge import summary

    def text(words: str, style: str = "") -> Text:
        return Text(_console.visible(words), style=style)

    width = None if sys.stdout.isatty() else 120
    out = Console(file=_console.plain(sys.stdout), highlight=False, width=width)
    out.print(text(f"{paper.key}: {paper.title}", "bold"))
    out.print(text(paper.reference, "dim"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0), header_style="bold", show_edge=False, expand=True)
    table.add_column("id", justify="right", no_wrap=True)
    for column, ratio in _COLUMNS.items():
        table.add_column(column, ratio=ratio, overflow="fold")
    table.add_column("verdict", min_width=len("reproducible"))
    for one in judgements:
        claim, outcome = one.claim, text(one.outcome, "bold red" if one.holds is False else "")
        cells = (str(claim.id), claim.claim, claim.where, claim.how, claim.paper, one.ours, claim.tolerance)
        table.add_row(*map(text, cells), outcome)
    out.print(table)
    for one in judgements:
        if one.claim.note:
            out.print(text(f"{one.claim.id}. {one.claim.note}", "dim"))
    out.print(text(f"\n{summary(judgements)}; {paper.coverage}", "bold"))


@contextmanager
def _notice() -> Iterator[Callable[[str], None]]:
    """One line on a terminal's standard error that says what is being done; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return

    try:
        yield _console.live
    finally:
        _console.live("")

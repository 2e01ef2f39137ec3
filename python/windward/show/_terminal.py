"""What the command line writes to the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from windward.show._digest import Digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from windward._answers.open import Result
    from windward.results import _shapes

#: Away from a terminal, progress is a line of text every so many seconds.
_QUIET_S = 10.0

#: Tables keep their shape where there is no terminal to fit.
_WIDTH = 120

#: Blanks between columns.
_GAP = 2


def console() -> Console:
    """Standard output; plain text, and wide, where it is no terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)


def show(result: Result) -> None:
    """Prints a result: its question, its tables, the few numbers that sum it up or prove it."""
    from windward._answers.optimum import Optimum
    from windward._answers.run import Run
    from windward.show._page import describe
    from windward.show._tables import certificate

    out, page = console(), describe(result)
    out.print(Text(page.title, style="bold"))
    out.print(Text(f"{page.span} · {page.how}", style="dim"))
    show_tables(page.tables)
    if isinstance(result, Optimum):
        out.print(Text(f"\ncertificate  {certificate(result)}"), soft_wrap=True)
    if isinstance(result, Run):
        out.print()
        width = max((len(name) for name, _ in page.facts), default=0)
        for name, value in page.facts:
            out.print(Text(f"{name:<{width}}  ", style="dim").append(value, style="not dim bold"))


def show_tables(tables: Iterable[Digest]) -> None:
    """Prints tables, each after an empty line."""
    out = console()
    for digest in tables:
        out.print()
        fitting, left_out = _fit(digest, out.width)
        out.print(_table(fitting))
        for note in (digest.note, f"no room for: {', '.join(left_out)}" if left_out else ""):
            if note:
                out.print(Text(note, style="dim"))


def _fit(digest: Digest, width: int) -> tuple[Digest, Sequence[str]]:
    """The columns, most important first, that fit into the width, and the names of those that do not."""
    count = len(digest.columns)
    widths = [max(len(row[at]) for row in (digest.columns, *digest.rows)) for at in range(count)]
    while count > digest.words + 1 and sum(widths[:count]) + _GAP * count > width:
        count -= 1
    fitting = replace(digest, columns=digest.columns[:count], rows=[row[:count] for row in digest.rows])
    return fitting, digest.columns[count:]


def _table(digest: Digest) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold", show_edge=False)
    for at, column in enumerate(digest.columns):
        table.add_column(column, justify="left" if at < digest.words else "right", no_wrap=True)
    for row in digest.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


@contextmanager
def progress(*, is_quiet: bool, verb: str = "simulat") -> Iterator[Callable[[_shapes.Progress], None] | None]:
    """What tells of progress on standard error: a bar on a terminal, a line now and then elsewhere."""
    if is_quiet:
        yield None
    elif sys.stderr.isatty():
        columns = (
            TextColumn(f"{verb}ing"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[seeds]}", style="dim"),
            TimeRemainingColumn(compact=True),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=1.0, seeds="")

            def update(now: _shapes.Progress) -> None:
                bar.update(task, completed=now.fraction, seeds=f"{now.finished} of {now.seeds} seeds")

            yield update
    else:
        yield _lines(verb)


def _lines(verb: str) -> Callable[[_shapes.Progress], None]:
    began = told = time.monotonic()

    def update(now: _shapes.Progress) -> None:
        nonlocal told
        clock = time.monotonic()
        if clock - told >= _QUIET_S and now.fraction > 0:
            told = clock
            left = (clock - began) * (1 - now.fraction) / now.fraction
            print(
                f"{now.fraction:4.0%} {verb}ed, {now.finished} of {now.seeds} seeds finished, {left:.0f} s left",
                file=sys.stderr,
                flush=True,
            )

    return update

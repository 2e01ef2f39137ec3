"""Output of the command line on the terminal."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from windward import _console
from windward._console import Styled
from windward.show._page import describe, tables
from windward.show.digest._table import Digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from windward.results import _shapes
    from windward.results._shapes import Result

#: Away from a terminal, progress is a line of text every so many seconds.
_QUIET_S = 10.0

#: Before this share is done, its time says nothing of the rest: a run's first seconds, in which flows start, are slow.
_TELLING = 0.02

#: Blanks between columns.
_GAP = 2


def show(result: Result, *, columns: Sequence[str] | None = None) -> None:
    """Prints a result: its question, its tables with these columns, the few numbers that sum it up or prove it."""
    page = describe(result)
    chosen = page.tables if columns is None else tables(result, is_whole=False, columns=columns)
    say(page.title, "bold")
    say(page.subtitle, "dim")
    show_tables(chosen)
    if page.footer:
        print()
    width = max((_console.width(name) for name, _ in page.footer), default=0)
    for name, value in page.footer:
        _console.say(Styled(f"{_padded(name, width)}  ", "dim"), Styled(value, "bold"))


def show_tables(digests: Iterable[Digest]) -> None:
    """Prints tables, each after an empty line."""
    # A file or another program takes all columns.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for digest in digests:
        print()
        fitting, left_out = _fit(digest, width)
        for line in _lines(fitting):
            _console.say(line)
        for note in (digest.note, f"no room for: {', '.join(left_out)}" if left_out else ""):
            if note:
                say(note, "dim")


def say(text: str, style: str) -> None:
    """Prints a line, bold or dim."""
    _console.say(Styled(text, style))


def _fit(digest: Digest, width: int) -> tuple[Digest, Sequence[str]]:
    """The columns, most important first, that fit into the width, and the names of those that do not."""
    count = len(digest.columns)
    widths = _widths(digest)
    while count > digest.words + 1 and sum(widths[:count]) + _GAP * count > width:
        count -= 1
    fitting = replace(digest, columns=digest.columns[:count], rows=[row[:count] for row in digest.rows])
    return fitting, digest.columns[count:]


def _lines(digest: Digest) -> list[str | Styled]:
    """The table as text: words to the left, numbers to the right."""
    widths = _widths(digest)

    def line(row: Sequence[str]) -> str:
        cells = (
            _padded(cell, width, is_number=at >= digest.words)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return (" " * _GAP).join(cells).rstrip()

    return [Styled(line(digest.columns), "bold"), *map(line, digest.rows)]


def _widths(digest: Digest) -> list[int]:
    rows = [digest.columns, *digest.rows]
    return [max(_console.width(row[at]) for row in rows) for at in range(len(digest.columns))]


def _padded(cell: str, width: int, *, is_number: bool = False) -> str:
    blanks = " " * (width - _console.width(cell))
    return blanks + cell if is_number else cell + blanks


@contextmanager
def progress(
    doing: str, done: str, *, is_quiet: bool, noun: str | None = "seeds"
) -> Iterator[Callable[[_shapes.Progress], None] | None]:
    """Shows progress on standard error: a bar on a terminal, otherwise an occasional line.

    `noun` is what is counted; None where there is one of it.
    """
    if is_quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn(doing),
            BarColumn(),
            TextColumn("{task.fields[share]:>3.0f} %"),
            TextColumn("{task.fields[seeds]}", style="dim"),
            TimeRemainingColumn(compact=True),
        )
        with Progress(*columns, console=Console(file=_console.plain(sys.stderr)), transient=True) as bar:
            task = bar.add_task("", total=1.0, seeds="", share=0.0)

            def update(now: _shapes.Progress) -> None:
                # What an earlier sweep had done took none of this one's time.
                bar.update(
                    task,
                    total=1 - now.resumed,
                    completed=now.fraction - now.resumed,
                    share=100 * now.fraction,
                    seeds=_count(now, noun),
                )

            yield update
    else:
        yield _told(done, noun)


def _count(now: _shapes.Progress, noun: str | None) -> str:
    return "" if noun is None else f"{now.finished} of {now.seeds} {noun}"


def _told(done: str, noun: str | None) -> Callable[[_shapes.Progress], None]:
    began = told = time.monotonic()

    def update(now: _shapes.Progress) -> None:
        nonlocal told
        clock = time.monotonic()
        if clock - told >= _QUIET_S and now.fraction > now.resumed:
            told = clock
            parts = [f"{now.fraction:4.0%} {done}"]
            if noun is not None:
                parts.append(f"{_count(now, noun)} finished")
            share = now.fraction - now.resumed
            if share >= _TELLING * (1 - now.resumed):
                parts.append(_left((clock - began) * (1 - now.fraction) / share))
            print(", ".join(parts), file=sys.stderr, flush=True)

    return update


def _left(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s left"
    return f"{minutes} min left" if minutes < 120 else f"{minutes / 60:.0f} h left"

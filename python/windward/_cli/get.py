"""The command line's `get`: downloads.

It needs nothing but the engine: it starts without waiting for numpy.
"""

from __future__ import annotations

import inspect
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from windward import _console, _engine, transfer
from windward._cli import secrets, words
from windward._cli.declared import arguments, declares
from windward.errors import TransferError
from windward.transfer._run import NEEDED

#: The exit codes, for `--help`; docs/guides/get.md says more.
_CODES = (
    "Exit codes: 0 success; 2 invalid options; 3 no connection; 4 refused by the server; 5 stalled; 6 TLS; "
    "7 the file kept changing; 8 checksum mismatch; 9 disk full; 10 a local file exists or cannot be written; "
    "11 the server violates HTTP; 12 connection lost; 130 interrupted. Of several URLs, the first failure's."
)


@declares("get")
def get(
    urls: Annotated[list[str], typer.Argument(metavar="URL…", help="http:// or https:// URLs, downloaded in turn.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print events and samples as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    **given: Any,
) -> None:
    """Download files over parallel connections.

    The number of connections adapts to the path; what a host needed is remembered for 15 minutes. The same command
    resumes an interrupted download. With --output - the file goes to standard output once it is whole.
    """
    secrets.hide()
    if not hasattr(_engine, "transfer_get"):
        words.complain(NEEDED)
        raise typer.Exit(2)
    output, directory = given["output"], given["directory"]
    is_piped = output is not None and str(output) == "-"
    if is_piped and (directory is not None or given["resume"]):
        raise ValueError("--output - writes to standard output; it does not go with --dir or --continue")
    if output is not None and len(urls) > 1:
        raise ValueError("--output takes a single URL; use --dir for several")
    if given["checksum"] is not None and len(urls) > 1:
        raise ValueError("--checksum takes a single URL")
    options = arguments("get", given)
    code = 0
    for url in urls:
        told = sys.stderr if is_piped else sys.stdout
        view = _Json(told) if as_json else _Line(told, is_quiet=quiet)
        folder = tempfile.TemporaryDirectory(prefix="windward-") if is_piped else None
        if folder:
            options |= {"output": "standard output", "directory": folder.name}
        try:
            report = transfer.get(url, **options, observe=view.event)
            if folder:
                _pour(Path(report["path"]))
        except KeyboardInterrupt:
            view.clear()
            can_resume = view.can_resume and not is_piped
            words.complain(
                "interrupted" + ("; run the same command to resume" if can_resume else "; nothing can be resumed")
            )
            raise typer.Exit(130) from None
        except TransferError as error:
            view.clear()
            message = words.behind(words.options(str(error)))
            words.complain(f"{_engine.transfer_masked(url)}: {message}")
            view.fail(message, error.code)
            code = code or error.code
        else:
            view.clear()
            view.end(report | {"path": "-"} if folder else report)
        finally:
            if folder:
                folder.cleanup()
    raise typer.Exit(code)


get.__doc__ = f"{inspect.cleandoc(get.__doc__ or '')}\n\n{_CODES}"


def _pour(path: Path) -> None:
    """Writes a file to standard output."""
    sys.stdout.flush()
    with path.open("rb") as file:
        out = _console.plain(sys.stdout).buffer
        shutil.copyfileobj(file, out)
    out.flush()


class _Json:
    """Every event as a line of JSON."""

    def __init__(self, told: TextIO) -> None:
        self.told = told
        #: Whether the server gives parts, so that what has arrived counts for a later run; so it is until it is known.
        self.can_resume = True

    def event(self, event: dict[str, Any]) -> None:
        if event["event"] == "begin":
            self.can_resume = event["has_ranges"]
        elif event["event"] == "notice":
            event = event | {"text": words.options(event["text"])}
        _console.print_json(event, file=self.told)

    def clear(self) -> None:
        pass

    def end(self, report: dict[str, Any]) -> None:
        _console.print_json({"event": "end", **report}, file=self.told)

    def fail(self, message: str, code: int) -> None:
        _console.print_json({"event": "error", "text": message, "code": code}, file=self.told)


class _Line:
    """A progress line on the terminal, and a line when the download is finished."""

    def __init__(self, told: TextIO, *, is_quiet: bool) -> None:
        self.told = told
        self.can_resume = True
        self.is_quiet = is_quiet
        self.is_live = not is_quiet and sys.stderr.isatty()
        self.name = ""

    def event(self, event: dict[str, Any]) -> None:
        if event["event"] == "begin":
            self.name = Path(event["path"]).name
            self.can_resume = event["has_ranges"]
            if event["there_bytes"] and not self.is_quiet:
                self.clear()
                print(
                    f"{self.name}: {words.size(event['there_bytes'])} already downloaded",
                    file=sys.stderr,
                )
        elif event["event"] == "notice" and not self.is_quiet:
            self.clear()
            print(f"note: {words.options(event['text'])}", file=sys.stderr)
        elif event["event"] == "sample" and self.is_live:
            _console.live(progress(self.name, event))

    def clear(self) -> None:
        if self.is_live:
            _console.live("")

    def end(self, report: dict[str, Any]) -> None:
        if not self.is_quiet:
            print(summary(report), file=self.told)

    def fail(self, message: str, code: int) -> None:
        """Standard error has the message already."""


def progress(name: str, sample: dict[str, Any]) -> str:
    """The line of a download in progress."""
    length, there = sample["length_bytes"], sample["received_bytes"]
    parts = [name]
    if length:
        parts.append(f"{100 * there // length} % of {words.size(length)}")
    else:
        parts.append(words.size(there))
    parts.append(words.rate(sample["rate_bps"]))
    if sample["remaining_s"] is not None:
        parts.append(f"{words.time(sample['remaining_s'])} left")
    return "  ".join([*parts, *words.path(sample)])


def summary(report: dict[str, Any]) -> str:
    """The line of a finished download."""
    path = report["path"]
    arrived = report["length_bytes"] - report["there_bytes"]
    if arrived == 0 and report["length_bytes"]:
        return f"{path}: {words.size(report['length_bytes'])}, already complete"
    series = report["series"]
    text = f"{path}: {words.size(arrived)} in {words.time(report['duration_s'])}, {words.rate(report['rate_bps'])}"
    if series["connections_max"] > 1:
        text += f", {series['connections_mean']:.1f} connections on average, at most {series['connections_max']}"
    if report["is_checked"]:
        text += ", checksum OK"
    if report["single"]:
        text += f"\none connection: {report['single']}"
    if not report["has_known_end"]:
        text += "\nnote: length unknown: truncation cannot be detected"
    return text

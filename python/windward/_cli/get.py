"""The command line's `get`: downloads.

It needs nothing but the engine: it starts without waiting for numpy.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from windward import _console, _engine, transfer
from windward._cli import secrets, words
from windward.errors import TransferError

#: The exit codes, for `--help`; docs/guides/get.md says more.
_CODES = (
    "Exit codes: 0 success; 2 invalid options; 3 no connection; 4 refused by the server; 5 stalled; 6 TLS; "
    "7 the file kept changing; 8 checksum mismatch; 9 disk full; 10 a local file exists or cannot be written; "
    "11 the server violates HTTP; 12 connection lost; 130 interrupted. Of several URLs, the first failure's."
)

#: Groups of options in `--help`.
_CONNECTIONS, _SERVER = "Number of connections", "Server"

#: Suffixes of --limit-rate, as curl and aria2 read them.
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def get(
    urls: Annotated[list[str], typer.Argument(metavar="URL…", help="http:// or https:// URLs, downloaded in turn.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Name of the file; - is standard output. Default: the server's name for it.",
        ),
    ] = None,
    directory: Annotated[
        Path | None, typer.Option("--dir", "-d", metavar="DIR", help="Folder of the file; created if missing.")
    ] = None,
    most: Annotated[
        int,
        typer.Option(
            "--max-connections",
            "-x",
            metavar="MAX",
            min=1,
            max=64,
            help="Maximum number of connections.",
            rich_help_panel=_CONNECTIONS,
        ),
    ] = 64,
    fixed: Annotated[
        int | None,
        typer.Option(
            "--connections",
            "-n",
            metavar="N",
            min=1,
            max=64,
            help="Use a fixed number of connections.",
            rich_help_panel=_CONNECTIONS,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--continue",
            "-c",
            help="Skip if FILE exists with the server's length. "
            "(An interrupted download always resumes from FILE.part.)",
        ),
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            "-f",
            help="Replace an existing FILE, and a FILE.part of another file or with another checksum.",
        ),
    ] = False,
    checksum: Annotated[
        str | None, typer.Option(metavar="sha-256=HEX", help="Expected checksum of the file (or sha-512=HEX).")
    ] = None,
    max_tries: Annotated[
        int,
        typer.Option(
            "--max-tries",
            "-m",
            metavar="N",
            min=1,
            help="Give up after N consecutive failures.",
            rich_help_panel=_SERVER,
        ),
    ] = 5,
    retry_wait: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="Wait before the first retry, in seconds; doubled for each further one.",
            rich_help_panel=_SERVER,
        ),
    ] = 1.0,
    connect_timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Connect timeout, in seconds.", rich_help_panel=_SERVER)
    ] = 10.0,
    stall_timeout: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="Stall timeout of a connection, in seconds.", rich_help_panel=_SERVER),
    ] = 15.0,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            "-H",
            metavar="NAME: VALUE",
            help="Additional header field. Repeatable.",
            rich_help_panel=_SERVER,
        ),
    ] = None,
    limit_rate: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help="Maximum total rate in bytes per second, such as 500K or 2M.", rich_help_panel=_SERVER
        ),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option(
            metavar="PEM",
            help="Trust these certificates instead of the system's; a server's own will do.",
            rich_help_panel=_SERVER,
        ),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option(
            "--insecure",
            help="Send passwords and tokens over plain http to other machines. Certificates are verified in any case.",
            rich_help_panel=_SERVER,
        ),
    ] = False,
    law: Annotated[
        str,
        typer.Option(
            metavar="LAW",
            help="Law that adapts the number of connections: emultcp-fast, or emultcp as published.",
            rich_help_panel=_CONNECTIONS,
        ),
    ] = "emultcp-fast",
    tau: Annotated[
        float | None, typer.Option(help="Time scale of the law, in seconds.", rich_help_panel=_CONNECTIONS)
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Increase parameter of the law.", rich_help_panel=_CONNECTIONS)
    ] = None,
    beta: Annotated[
        float | None, typer.Option(help="Decrease parameter of the law.", rich_help_panel=_CONNECTIONS)
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            help="Queueing delay that counts as congestion, as a fraction of the RTT.", rich_help_panel=_CONNECTIONS
        ),
    ] = None,
    window: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Time after which a longer path is known as such. Default: never.",
            rich_help_panel=_CONNECTIONS,
        ),
    ] = None,
    bound: Annotated[
        bool,
        typer.Option(
            help="Bound the sum of the receive windows once several connections make a queue.",
            rich_help_panel=_CONNECTIONS,
        ),
    ] = True,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget",
            help="Forget how many connections the host needed in the last 15 minutes, and start with one.",
            rich_help_panel=_CONNECTIONS,
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print events and samples as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Download files over parallel connections.

    The number of connections adapts to the path; what a host needed is remembered for 15 minutes. The same command
    resumes an interrupted download. With --output - the file goes to standard output once it is whole.
    """
    secrets.hide()
    is_piped = output is not None and str(output) == "-"
    if is_piped and (directory is not None or resume):
        raise ValueError("--output - writes to standard output; it does not go with --dir or --continue")
    if output is not None and len(urls) > 1:
        raise ValueError("--output takes a single URL; use --dir for several")
    if checksum is not None and len(urls) > 1:
        raise ValueError("--checksum takes a single URL")
    code = 0
    for url in urls:
        told = sys.stderr if is_piped else sys.stdout
        view = _Json(told) if as_json else _Line(told, is_quiet=quiet)
        folder = tempfile.TemporaryDirectory(prefix="windward-") if is_piped else None
        try:
            report = transfer.get(
                url,
                output="standard output" if folder else output,
                directory=folder.name if folder else directory,
                max_connections=most,
                connections=fixed,
                resume=resume,
                force=force,
                checksum=checksum,
                max_tries=max_tries,
                retry_wait_s=retry_wait,
                connect_timeout_s=connect_timeout,
                stall_timeout_s=stall_timeout,
                headers=header or [],
                limit_rate=None if limit_rate is None else _bytes(limit_rate),
                ca=ca,
                insecure=insecure,
                law=law,
                tau=tau,
                alpha=alpha,
                beta=beta,
                gamma=gamma,
                window_s=window,
                bound=bound,
                forget=forget,
                observe=view.event,
            )
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
            message = words.options(str(error))
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


get.__doc__ = f"{get.__doc__}\n{_CODES}"


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


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]?)", text.strip().lower())
    if match is None or (value := int(float(match[1]) * _UNITS[match[2]])) < 1:
        raise ValueError(f"--limit-rate {text}: give bytes per second, such as 500K or 2M")
    return value

"""The command line's `serve` and `send`. They need nothing but the engine, like `get`."""

from __future__ import annotations

import os
import secrets as randomness
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from windward import _console, transfer
from windward._cli import secrets, words
from windward._cli.declared import arguments, declares
from windward.errors import TransferError

#: Characters of a token from which on nobody asks for a better one: 128 bits, six in each.
_STRONG = 22

#: Network device of both ends of a `windward link`, and the request for its address (netdevice(7)).
_LINK_DEVICE, _SIOCGIFADDR = "windward0", 0x8915

Token = Annotated[
    str | None,
    typer.Option(
        envvar="WINDWARD_TOKEN",
        show_envvar=True,
        metavar="TOKEN",
        help="Bearer token of the server (at least 8 characters; better 22 random ones).",
    ),
]


def serve(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder. Names that begin with a dot are hidden.")
    ],
    bind: Annotated[
        str,
        typer.Option(
            "--bind",
            "-b",
            metavar="ADDRESS",
            help="IP address to listen on; non-loopback addresses require --cert and --token.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="Port to listen on; 0 picks a free port.")
    ] = 8765,
    upload: Annotated[
        bool,
        typer.Option(
            "--upload",
            help="Accept files uploaded by `windward send FILE HOST:PORT`. An existing file stays unless the sender "
            "gives --replace.",
        ),
    ] = False,
    probes: Annotated[
        bool,
        typer.Option(
            "--probes",
            help="Return the UDP probes of `windward get --probes` at the same port, to clients with a connection.",
        ),
    ] = False,
    cert: Annotated[Path | None, typer.Option(metavar="PEM", help="TLS certificate.")] = None,
    key: Annotated[Path | None, typer.Option(metavar="PEM", help="Private key of the certificate.")] = None,
    token: Token = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the URL and every response as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Serve a folder over HTTP.

    With byte ranges and checksums (FILE.b3, FILE.sha256); files can be uploaded if --upload is given. Listens on the
    loopback interface, port 8765, unless --bind and --port are given; other addresses require TLS and a token. Ctrl-C
    stops it.

    Exit codes: 0 stopped by Ctrl-C or SIGTERM; 2 invalid options; 3 cannot listen on the address; 10 the folder or the
    certificate cannot be read.
    """

    def ready(url: str) -> None:
        if as_json:
            _console.print_json({"event": "ready", "url": url})
        elif not quiet:
            print(f"serving {directory} at {url}; Ctrl-C stops it", flush=True)
            if (across := _far_address()) is not None and bind in (across, "127.0.0.1", "0.0.0.0"):  # noqa: S104
                scheme, _, rest = url.partition("://")
                print(f"across the link: {scheme}://{across}:{rest.rpartition(':')[2]}", flush=True)
            _hint()
            if token is not None and len(token) < _STRONG:
                print(f"hint: a token of 128 bits cannot be guessed: {randomness.token_urlsafe(16)}", flush=True)

    def tell(event: dict[str, Any]) -> None:
        if as_json:
            _console.print_json({"event": "answer", **event})
        elif not quiet:
            parts: tuple[object, ...] = (
                event["peer"],
                event["status"],
                words.size(event["sent_bytes"]),
                event["request"],
            )
            if event["reason"]:
                parts = (*parts, event["reason"].replace("\n", "; "))
            print(*parts, sep="  ", flush=True)

    secrets.hide()
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        transfer.serve(
            directory,
            bind=bind,
            port=port,
            upload=upload,
            probes=probes,
            cert=cert,
            key=key,
            token=token,
            ready=ready,
            observe=tell,
        )
    except KeyboardInterrupt:
        return
    except TransferError as error:
        words.complain(words.options(str(error)))
        raise typer.Exit(error.code) from None


@declares("send")
def send(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to upload.")],
    host: Annotated[
        str,
        typer.Argument(
            metavar="HOST",
            help="HOST, HOST:PORT, or https://HOST:PORT/FOLDER/. Default port: 8765, that of `serve` without --port.",
        ),
    ],
    *,
    token: Token = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print events and samples as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    **given: Any,
) -> None:
    """Upload a file to `windward serve --upload`.

    The number of connections adapts to the path; what a host needed is remembered for 15 minutes. Every piece is
    verified. The same command resumes an interrupted upload.

    Exit codes: 0 success; 2 invalid options; 3 no connection; 4 refused by the server; 5 stalled; 6 TLS; 7 the file
    changed; 9 the server's disk is full; 10 the file cannot be read; 11 the server violates HTTP;
    12 connection lost; 130 interrupted.
    """
    secrets.hide()
    is_live = not quiet and not as_json and sys.stderr.isatty()

    def tell(event: dict[str, Any]) -> None:
        if as_json:
            _console.print_json(event)
        elif is_live:
            _console.live(progress(event))

    def end(message: str, code: int) -> NoReturn:
        if is_live:
            _console.live("")
        words.complain(message)
        if as_json:
            _console.print_json({"event": "error", "text": message, "code": code})
        raise typer.Exit(code)

    signal.signal(signal.SIGTERM, _interrupt)
    try:
        report = transfer.send(file, host, token=token, **arguments("send", given), observe=tell)
    except KeyboardInterrupt:
        end("interrupted; run the same command to resume", 130)
    except TransferError as error:
        message = words.behind(words.options(str(error)))
        if error.code == 3:
            message += "\nhint: start `windward serve DIR --upload` there; its --port is 8765, or the one of HOST:PORT"
        end(message, error.code)
    if is_live:
        _console.live("")
    if as_json:
        _console.print_json({"event": "end", **report})
    elif not quiet:
        print(summary(report))


def progress(event: dict[str, Any]) -> str:
    """The line of an upload in progress."""
    length = event["length_bytes"]
    if event["event"] == "hashing":
        return f"reading  {100 * event['read_bytes'] // max(length, 1)} % of {words.size(length)}"
    parts = [f"{100 * event['there_bytes'] // max(length, 1)} % of {words.size(length)}", words.rate(event["rate_bps"])]
    if event["rate_bps"] > 0:
        parts.append(f"{words.time((length - event['there_bytes']) * 8 / event['rate_bps'])} left")
    return "  ".join([*parts, *words.path(event)])


def summary(report: dict[str, Any]) -> str:
    """The line of a finished upload."""
    sent = report["length_bytes"] - report["there_bytes"]
    where = f"{report['url']}: uploaded, blake3 {report['blake3']}"
    if sent == 0 and report["length_bytes"]:
        return f"{where}\n{words.size(report['length_bytes'])}, already complete"
    text = f"{where}\n{words.size(sent)} in {words.time(report['duration_s'])}, {words.rate(report['rate_bps'])}"
    return f"{text}, at most {report['connections_max']} connections" if report["connections_max"] > 1 else text


def _far_address() -> str | None:
    """The address that the near end of a `windward link` reaches this one by, if this is a far end."""
    try:
        import fcntl
    except ImportError:
        return None

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            answer = fcntl.ioctl(any_socket, _SIOCGIFADDR, struct.pack("256s", _LINK_DEVICE.encode()))
        except OSError:
            return None
    address = socket.inet_ntoa(answer[20:24])
    # Nothing at the far end asks for the near end, which knows its address.
    return None if address == os.environ.get("WINDWARD_CLIENT") else address


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _hint() -> None:
    """Says so if TCP timestamps are off: without them a client cannot measure the queue on its connections."""
    try:
        is_off = Path("/proc/sys/net/ipv4/tcp_timestamps").read_text(encoding="ascii").strip() == "0"
    except OSError:
        return
    if is_off:
        print("hint: sysctl net.ipv4.tcp_timestamps=1 lets `windward get` measure the queueing delay", flush=True)

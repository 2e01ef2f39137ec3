"""The command line's `serve` and `send`: a folder for others, and files into it.

They need nothing but the engine, like `get`.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from windward import _engine
from windward._cli import words
from windward._engine import TransferError

Token = Annotated[
    str | None,
    typer.Option(envvar="WINDWARD_TOKEN", metavar="TOKEN", help="What a client must bring; 8 characters or more."),
]


def serve(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder. Names that begin with a dot stay hidden.")
    ],
    bind: Annotated[
        str,
        typer.Option("--bind", "-b", metavar="ADDRESS", help="IP address to listen on; others need --cert, --token."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="0: any that is free.")] = 8765,
    upload: Annotated[bool, typer.Option("--upload", help="Let `windward send` put files into the folder.")] = False,
    cert: Annotated[Path | None, typer.Option(metavar="PEM", help="Certificate, for TLS.")] = None,
    key: Annotated[Path | None, typer.Option(metavar="PEM", help="Its private key.")] = None,
    token: Token = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address and every answer as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write nothing but errors.")] = False,
) -> None:
    """Serve a folder: byte ranges, checksums (FILE.b3, FILE.sha256), and files that `windward send` brings.

    On this machine alone, unless --bind says otherwise; then with TLS and a token. Ctrl-C ends it.

    Exit codes: 0 ended by Ctrl-C or SIGTERM; 2 impossible options; 3 the address cannot be listened on; 10 the folder
    or the certificate cannot be read.
    """
    options = {
        "root": str(directory),
        "address": f"[{bind}]:{port}" if ":" in bind else f"{bind}:{port}",
        "certificate": None if cert is None else str(cert),
        "key": None if key is None else str(key),
        "token": token,
        "is_writable": upload,
    }

    def ready(address: str) -> None:
        url = f"{'https' if cert else 'http'}://{address}/"
        if as_json:
            print(json.dumps({"event": "ready", "url": url}), flush=True)
        elif not quiet:
            print(f"serving {directory} at {url}; Ctrl-C ends it", flush=True)
            _hint()

    def tell(text: str) -> None:
        event = json.loads(text)
        if as_json:
            print(json.dumps({"event": "answer", **event}), flush=True)
        elif not quiet:
            parts = (event["peer"], event["status"], words.size(event["sent_bytes"]), words.visible(event["request"]))
            print(*parts, sep="  ", flush=True)

    if not hasattr(_engine, "transfer_serve"):
        words.complain("a folder is served on Linux only: names are resolved beneath it by openat2")
        raise typer.Exit(2)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        _engine.transfer_serve(json.dumps(options), ready, tell)
    except KeyboardInterrupt:
        return
    except TransferError as error:
        message, code = error.args
        words.complain(message)
        raise typer.Exit(code) from None


def send(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file.")],
    host: Annotated[str, typer.Argument(metavar="HOST", help="HOST, HOST:PORT, or https://HOST:PORT/FOLDER/.")],
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Its name there. Default: its own.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace another file of this name.")] = False,
    token: Token = None,
    most: Annotated[
        int, typer.Option("--max-connections", "-x", metavar="MAX", min=1, max=64, help="Most connections.")
    ] = 32,
    fixed: Annotated[
        int | None,
        typer.Option("--connections", "-n", metavar="N", min=1, max=64, help="So many connections, whatever happens."),
    ] = None,
    max_tries: Annotated[
        int, typer.Option("--max-tries", "-m", metavar="N", min=1, help="Tries in vain, in a row.")
    ] = 5,
    connect_timeout: Annotated[float, typer.Option(metavar="SECONDS", help="For a connection to open.")] = 10.0,
    stall_timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="A connection silent for so long is given up.")
    ] = 30.0,
    ca: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Trust these certificates instead of the system's.")
    ] = None,
    law: Annotated[
        str, typer.Option(metavar="LAW", help="Of the number of connections: emultcp-fast, or emultcp as published.")
    ] = "emultcp-fast",
    as_json: Annotated[bool, typer.Option("--json", help="Print events and samples as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write nothing but errors.")] = False,
) -> None:
    """Send a file to `windward serve --upload`: over as many connections as the path needs, every piece verified.

    The same command goes on where an interrupted one ended.

    Exit codes: 0 all there; 2 impossible options; 3 no connection; 4 refused by the server; 5 stalled; 6 TLS; 7 the
    file was written to; 9 the server's disk is full; 10 the file cannot be read; 11 the server breaks HTTP;
    12 connection lost; 130 interrupted.
    """
    options = {
        "name": name,
        "token": token,
        "ca": None if ca is None else str(ca),
        "replaces": replace,
        "law": law,
        "max_connections": most,
        "connections": fixed,
        "max_tries": max_tries,
        "connect_timeout": connect_timeout,
        "stall_timeout": stall_timeout,
    }
    is_live = not quiet and not as_json and sys.stderr.isatty()

    def tell(text: str) -> None:
        if as_json:
            print(text, flush=True)
        elif is_live:
            line = progress(json.loads(text))[: shutil.get_terminal_size().columns - 1]
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def end(message: str, code: int) -> NoReturn:
        if is_live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        words.complain(message)
        if as_json:
            print(json.dumps({"event": "error", "text": message, "code": code}), flush=True)
        raise typer.Exit(code)

    signal.signal(signal.SIGTERM, _interrupt)
    try:
        report = json.loads(_engine.transfer_send(str(file), host, json.dumps(options), tell))
    except KeyboardInterrupt:
        end("interrupted; the same command goes on with what is there", 130)
    except TransferError as error:
        end(*error.args)
    if is_live:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if as_json:
        print(json.dumps({"event": "end", **report}), flush=True)
    elif not quiet:
        print(summary(report))


def progress(event: dict[str, Any]) -> str:
    """The line of an upload that goes on."""
    length = event["length_bytes"]
    if event["event"] == "hashing":
        return f"reading  {100 * event['read_bytes'] // max(length, 1)} % of {words.size(length)}"
    parts = [f"{100 * event['there_bytes'] // max(length, 1)} % of {words.size(length)}", words.rate(event["rate_bps"])]
    if event["rate_bps"] > 0:
        parts.append(f"{words.time((length - event['there_bytes']) * 8 / event['rate_bps'])} left")
    return "  ".join([*parts, *words.path(event)])


def summary(report: dict[str, Any]) -> str:
    """The line of an upload that is done."""
    sent = report["length_bytes"] - report["there_bytes"]
    where = f"{words.visible(report['url'])}: blake3 {report['blake3']}"
    if sent == 0 and report["length_bytes"]:
        return f"{where}\n{words.size(report['length_bytes'])}, all there already"
    text = f"{where}\n{words.size(sent)} in {words.time(report['duration_s'])}, {words.rate(report['rate_bps'])}"
    return f"{text}, at most {report['connections_max']} connections" if report["connections_max"] > 1 else text


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _hint() -> None:
    """Says so if this machine's kernel leaves timestamps out: then a client cannot see the queue on its connections."""
    try:
        is_off = Path("/proc/sys/net/ipv4/tcp_timestamps").read_text(encoding="ascii").strip() == "0"
    except OSError:
        return
    if is_off:
        print("hint: sysctl net.ipv4.tcp_timestamps=1 lets `windward get` see the queue on its connections", flush=True)

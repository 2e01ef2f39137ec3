"""`windward link` with ports of this machine, or with orders while it runs."""

from __future__ import annotations

import os
import re
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import typer

from windward import testing
from windward._cli import words
from windward._cli.ctl import folder, place
from windward._engine import EmulationError
from windward.errors import OptionError


def run(command: list[str], publish: list[str], name: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """The report of a link that leads to ports, or takes orders; of its command, if there is one, the exit code.

    Raises
    ------
    OptionError
        For a port or a name that cannot be had.
    """
    ports = [_port(text) for text in publish]
    path = None if name is None else _place(name)
    with testing.link(**options) as link:
        for text, (host, at, port) in zip(publish, ports, strict=True):
            try:
                address = link.connect(port, at=at, host=host)
            except EmulationError as error:
                raise OptionError(("publish", text, str(error))) from None
            if not command:
                print(f"{address} leads across the link to port {port}")
        if path is not None:
            link.listen(path)
        variables = {} if path is None else {"WINDWARD_LINK": str(path)}
        code = _command(link, command, variables) if command else _wait(link)
    return {"code": code} | link.report()


def _port(text: str) -> tuple[str, int, int]:
    """Host, own port (0: any free one), and port of the server."""
    match = re.fullmatch(r"(?:([0-9.]+):)?([0-9]{1,5}):([0-9]{1,5})", text)
    numbers = [int(match[2]), int(match[3])] if match else []
    if match is None or max(numbers) >= 1 << 16 or numbers[1] == 0:
        raise OptionError(("publish", text, "expected [HOST:]PORT:PORT, such as 8080:80"))
    return match[1] or "127.0.0.1", numbers[0], numbers[1]


def _place(name: str) -> Path:
    """Socket on which a link of this name takes orders, free for it."""
    import socket

    path = place(name)
    folder().mkdir(mode=0o700, exist_ok=True)
    if path.exists():
        with socket.socket(socket.AF_UNIX) as other:
            try:
                other.connect(str(path))
            except OSError:
                # Of a link that was killed.
                path.unlink(missing_ok=True)
            else:
                raise OptionError(("name", name, "another link of this name runs"))
    return path


def _command(link: testing.Link, command: list[str], variables: dict[str, str]) -> int:
    # Ctrl-C reaches the command through the terminal: it says when it ends.
    before = signal.signal(signal.SIGINT, _ignore)
    try:
        code = link.run(command, capture_output=False, env=os.environ | variables).returncode
    except OSError as error:
        if error.filename is None or os.fspath(error.filename) != command[0]:
            raise
        raise typer.Exit(words.cannot_start(command[0], error)) from None
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Not SIG_IGN, which the link would inherit."""


def _wait(link: testing.Link) -> int:
    """Until a signal, or the end of the link's process."""
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: over.set())
    print(f"{link!r} runs; end it by Ctrl-C", flush=True)
    while not over.wait(0.2):
        link.check()
    return 0

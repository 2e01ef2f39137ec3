"""Uploads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windward import _engine
from windward.errors import TransferError
from windward.transfer._get import as_events


def send(
    file: str | Path,
    host: str,
    *,
    name: str | None = None,
    replace: bool = False,
    token: str | None = None,
    max_connections: int = 64,
    connections: int | None = None,
    max_tries: int = 5,
    connect_timeout_s: float = 10.0,
    stall_timeout_s: float = 30.0,
    ca: str | Path | None = None,
    insecure: bool = False,
    law: str = "emultcp-fast",
    window_s: float | None = None,
    forget: bool = False,
    observe: Callable[[dict[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """Uploads a file to `windward serve --upload`; every piece is verified.

    The same call resumes an interrupted upload.

    Parameters
    ----------
    file
        The file.
    host
        "HOST", "HOST:PORT", or "https://HOST:PORT/FOLDER/". Default port: 8765, as that of `windward serve`.
    name
        Name on the server. Default: the file's own, byte by byte.
    replace
        Replace another file of this name that was uploaded before.
    token
        Bearer token of the server.
    max_connections
        Maximum number of connections, 1 to 64.
    connections
        A fixed number of connections instead.
    max_tries
        Give up after so many consecutive failures.
    connect_timeout_s
        Timeout for opening a connection, in seconds.
    stall_timeout_s
        A connection without progress for so many seconds is closed.
    ca
        PEM file of certificates to trust instead of the system's; a server's own will do.
    insecure
        Send the token over plain http to another machine, too. Certificates are verified in any case.
    law
        The law that adapts the number of connections: "emultcp-fast", or "emultcp" as published.
    window_s
        Time over which the least round trip is taken, so that a path that becomes longer is known as such after it.
        Default: the whole upload.
    forget
        Forget how many connections the host was found to need in the last 15 minutes, and start with one.
    observe
        Called with every event, a dict with its kind as "event": "hashing", "sample".

    Returns
    -------
    dict
        `url`, `blake3`, `length_bytes`, `there_bytes` (already present), `duration_s`, `rate_bps`, `connections_max`.

    Raises
    ------
    windward.TransferError
        If the file was not uploaded; its `code` is the command's exit code.
    ValueError
        For an invalid option.
    """
    options = {
        "name": name,
        "token": token,
        "ca": None if ca is None else str(ca),
        "replaces": replace,
        "law": law,
        "window": window_s,
        "max_connections": max_connections,
        "connections": connections,
        "max_tries": max_tries,
        "connect_timeout": connect_timeout_s,
        "stall_timeout": stall_timeout_s,
        "is_insecure": insecure,
        "is_forgetful": forget,
    }
    if name is not None and not _is_text(name):
        raise ValueError("the name on the server must be UTF-8")
    try:
        text = _engine.transfer_send(str(file), host, json.dumps(options), as_events(observe))
    except _engine.TransferError as error:
        raise TransferError.of(error) from None
    report: dict[str, Any] = json.loads(text)
    return report


def _is_text(name: str) -> bool:
    """Returns true if a name is valid UTF-8; other names of the system carry surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True

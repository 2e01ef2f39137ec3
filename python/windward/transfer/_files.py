"""Downloads and uploads.

Generated from the engine's options by tools/generate_transfer.py: change the options' declaration, not this file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from windward.transfer._run import download, upload


def get(
    url: str,
    *,
    output: str | Path | None = None,
    directory: str | Path | None = None,
    max_connections: int = 64,
    connections: int | None = None,
    resume: bool = False,
    replace: bool = False,
    checksum: str | None = None,
    max_tries: int = 5,
    retry_wait_s: float = 1.0,
    connect_timeout_s: float = 10.0,
    stall_timeout_s: float = 15.0,
    headers: Sequence[str] = (),
    limit_rate: int | None = None,
    ca: str | Path | None = None,
    insecure: bool = False,
    law: str = "emultcp-fast",
    bound: bool = True,
    probes: bool = False,
    forget: bool = False,
    observe: Callable[[dict[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """Downloads a file over as many connections as the path needs.

    An interrupted download leaves FILE.part, from which the same call resumes. An answer that may not be of the same
    file, such as a log-in page, does not take its place.

    Parameters
    ----------
    url
        http:// or https:// address.
    output
        Name of the file. Default: the server's name for it.
    directory
        Folder of the file; created if missing.
    max_connections
        Maximum number of connections, 1 to 64.
    connections
        Use a fixed number of connections, 1 to 64.
    resume
        Skip the download if the file exists with the server's length. An interrupted download resumes in any case.
    replace
        Replace an existing file, and a partial download of another file or with another checksum.
    checksum
        Expected checksum of the file: sha-256=HEX or sha-512=HEX.
    max_tries
        Give up after this many consecutive failures.
    retry_wait_s
        Wait before the first retry, in seconds; doubled for each further one.
    connect_timeout_s
        Timeout for opening a connection, in seconds.
    stall_timeout_s
        Time without data after which a connection is closed, in seconds.
    headers
        Additional header fields, NAME: VALUE.
    limit_rate
        Maximum total rate in bytes per second.
    ca
        PEM file of certificates to trust instead of the system's; a server's own will do.
    insecure
        Send passwords and tokens over plain http to other machines, too. Certificates are verified in any case.
    law
        Law that adapts the number of connections: emultcp-fast, or emultcp as published; with parameters of the law as
        in 'emultcp(tau=5, gamma=0.2)': tau (s), alpha, beta, gamma, min_rtt_window (s).
    bound
        Bound the sum of the receive windows once several connections make a queue, which shortens the queue
        (emultcp-fast on Linux).
    probes
        Measure the round trip by UDP probes of 32 bytes at the rate of the data packets, at most 1000 a second, which
        `windward serve --probes` returns. Default: by the connections, because other servers return none.
    forget
        Forget how many connections the host needed in the last 15 minutes, and start with one.
    observe
        Called with every event, a dict with its kind as "event": "begin", "notice", "sample".

    Returns
    -------
    dict
        `path`, `length_bytes`, `there_bytes` (already present), `duration_s`, `rate_bps`, `series` (statistics of the
        connections), `retries`, `has_known_length`, `has_known_end`, `single`, `is_checked`. `has_known_end` is true if
        truncation would have been noticed. `single` is the reason for a single connection, or None.

    Raises
    ------
    windward.TransferError
        If the file was not downloaded; its `code` is the command's exit code.
    ValueError
        For an invalid option.
    """
    given = {
        "output": output,
        "directory": directory,
        "max_connections": max_connections,
        "connections": connections,
        "resume": resume,
        "replace": replace,
        "checksum": checksum,
        "max_tries": max_tries,
        "retry_wait_s": retry_wait_s,
        "connect_timeout_s": connect_timeout_s,
        "stall_timeout_s": stall_timeout_s,
        "headers": headers,
        "limit_rate": limit_rate,
        "ca": ca,
        "insecure": insecure,
        "law": law,
        "bound": bound,
        "probes": probes,
        "forget": forget,
    }
    return download(url, given, observe)


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
        Name of the file on the server. Default: the file's own.
    replace
        Replace another file of this name that was uploaded before.
    token
        Bearer token of the server.
    max_connections
        Maximum number of connections, 1 to 64.
    connections
        Use a fixed number of connections, 1 to 64.
    max_tries
        Give up after this many consecutive failures.
    connect_timeout_s
        Timeout for opening a connection, in seconds.
    stall_timeout_s
        Time without progress after which a connection is closed, in seconds.
    ca
        PEM file of certificates to trust instead of the system's; a server's own will do.
    insecure
        Send the token over plain http to another machine, too. Certificates are verified in any case.
    law
        Law that adapts the number of connections: emultcp-fast, or emultcp as published; with parameters of the law as
        in 'emultcp(tau=5, gamma=0.2)': tau (s), alpha, beta, gamma, min_rtt_window (s).
    forget
        Forget how many connections the host needed in the last 15 minutes, and start with one.
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
    given = {
        "name": name,
        "replace": replace,
        "token": token,
        "max_connections": max_connections,
        "connections": connections,
        "max_tries": max_tries,
        "connect_timeout_s": connect_timeout_s,
        "stall_timeout_s": stall_timeout_s,
        "ca": ca,
        "insecure": insecure,
        "law": law,
        "forget": forget,
    }
    return upload(file, host, given, observe)

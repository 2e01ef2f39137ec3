"""Downloads."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from windward import _engine
from windward.errors import TransferError


def get(
    url: str,
    *,
    output: str | Path | None = None,
    directory: str | Path | None = None,
    max_connections: int = 64,
    connections: int | None = None,
    resume: bool = False,
    force: bool = False,
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
    tau: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    window_s: float | None = None,
    bound: bool = True,
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
        A fixed number of connections instead.
    resume
        Skip the download if the file exists with the server's length.
    force
        Replace an existing file, and a partial download of another file or with another checksum.
    checksum
        "sha-256=HEX" or "sha-512=HEX", which the file must have.
    max_tries
        Give up after so many consecutive failures.
    retry_wait_s
        Seconds before the first retry; doubled for each further one.
    connect_timeout_s
        Timeout for opening a connection, in seconds.
    stall_timeout_s
        A connection that receives nothing for so many seconds is closed.
    headers
        Additional header fields, "NAME: VALUE".
    limit_rate
        Maximum total rate in bytes a second.
    ca
        PEM file of certificates to trust instead of the system's; a server's own will do.
    insecure
        Send passwords and tokens over plain http to other machines, too. Certificates are verified in any case.
    law
        The law that adapts the number of connections: "emultcp-fast", or "emultcp" as published.
    tau, alpha, beta, gamma
        The law's time scale in seconds, increase, decrease, and the queueing delay that counts as congestion, as a
        fraction of the RTT. Default: the law's own.
    window_s
        Time over which the least round trip is taken, so that a path that becomes longer is known as such after it.
        Default: the whole download.
    bound
        Bound the sum of the receive windows once several connections make a queue, so that the queue is shorter
        (emultcp-fast on Linux).
    forget
        Forget how many connections the host was found to need in the last 15 minutes, and start with one.
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
    options = {
        "output": None if output is None else str(output),
        "directory": str(directory or ""),
        "law": law,
        "tau": tau,
        "alpha": alpha,
        "beta": beta,
        "gamma": gamma,
        "window": window_s,
        "bound": bound,
        "max_connections": max_connections,
        "connections": connections,
        "is_continued": resume,
        "is_forced": force,
        "checksum": checksum,
        "max_tries": max_tries,
        "retry_wait": retry_wait_s,
        "connect_timeout": connect_timeout_s,
        "stall_timeout": stall_timeout_s,
        "headers": list(headers),
        "limit_rate": limit_rate,
        "ca": None if ca is None else str(ca),
        "is_insecure": insecure,
        "is_forgetful": forget,
    }
    try:
        report: dict[str, Any] = json.loads(_engine.transfer_get(url, json.dumps(options), as_events(observe)))
    except _engine.TransferError as error:
        raise TransferError.of(error) from None
    return report


def as_events(observe: Callable[[dict[str, Any]], object] | None) -> Callable[[str], object]:
    """Converts the engine's events from JSON into dicts."""
    return (lambda _: None) if observe is None else lambda text: observe(json.loads(text))

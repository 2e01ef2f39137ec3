"""A folder for others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windward import _engine
from windward.errors import TransferError
from windward.transfer._run import as_events


def serve(
    directory: str | Path,
    *,
    bind: str = "127.0.0.1",
    port: int = 8765,
    upload: bool = False,
    probes: bool = False,
    cert: str | Path | None = None,
    key: str | Path | None = None,
    token: str | None = None,
    ready: Callable[[str], object] | None = None,
    observe: Callable[[dict[str, Any]], object] | None = None,
) -> None:
    """Serves a folder over HTTP until a callback or a signal raises: byte ranges, checksums, uploads.

    Parameters
    ----------
    directory
        The folder. Names that begin with a dot are hidden.
    bind
        IP address to listen on; addresses other than loopback require `cert` and `token`.
    port
        0 picks a free port.
    upload
        Accept files uploaded by `windward send`.
    probes
        Return the UDP probes of `windward get --probes` at the same port, to addresses that have a connection.
    cert, key
        PEM files of the certificate and its private key, for TLS.
    token
        Bearer token required of clients, at least 8 characters; `secrets.token_urlsafe(16)` makes one of 128 bits.
    ready
        Called once with the server's URL.
    observe
        Called with every answered request: `peer`, `status`, `sent_bytes`, `request`, `reason` (of a refusal, or None).

    Raises
    ------
    windward.TransferError
        If the address cannot be listened on, the folder or the certificate cannot be read, or off Linux.
    ValueError
        For an invalid option.
    """
    if not hasattr(_engine, "transfer_serve"):
        raise TransferError("serving needs Linux: names are resolved beneath the folder by openat2", 2)
    options = {
        "root": str(directory),
        "address": f"[{bind}]:{port}" if ":" in bind else f"{bind}:{port}",
        "certificate": None if cert is None else str(cert),
        "key": None if key is None else str(key),
        "token": token,
        "is_writable": upload,
        "returns_probes": probes,
    }

    def listening(address: str) -> None:
        if ready is not None:
            ready(f"{'https' if cert else 'http'}://{address}/")

    try:
        _engine.transfer_serve(json.dumps(options), listening, as_events(observe))
    except _engine.TransferError as error:
        raise TransferError.of(error) from None

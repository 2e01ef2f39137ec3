"""Calls of the engine: options as JSON, events and reports as dicts, its errors as ours."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from windward import _engine
from windward.errors import TransferError


def download(
    url: str, options: Mapping[str, Any], observe: Callable[[dict[str, Any]], object] | None
) -> dict[str, Any]:
    """Downloads a file; the options are `windward.transfer.get`'s."""
    _need("transfer_get")
    return _run(lambda: _engine.transfer_get(url, _json(options), as_events(observe)))


def upload(
    file: str | Path, host: str, options: Mapping[str, Any], observe: Callable[[dict[str, Any]], object] | None
) -> dict[str, Any]:
    """Uploads a file; the options are `windward.transfer.send`'s."""
    if not _is_text(options["name"] or ""):
        raise ValueError("the name on the server must be UTF-8")
    _need("transfer_send")
    return _run(lambda: _engine.transfer_send(str(file), host, _json(options), as_events(observe)))


#: Message where the engine transfers nothing.
NEEDED = (
    "transfers need Linux or macOS\nhint: run windward in WSL 2"
    if sys.platform == "win32"
    else "transfers are not compiled yet: `make run` leaves them out\nhint: make .venv/engine"
)


def _need(name: str) -> None:
    """Raises TransferError where the engine has no such function: on Windows, and after `make run` alone."""
    if not hasattr(_engine, name):
        raise TransferError(NEEDED, 2)


def _run(call: Callable[[], str]) -> dict[str, Any]:
    try:
        report: dict[str, Any] = json.loads(call())
    except _engine.TransferError as error:
        raise TransferError.of(error) from None
    return report


def _json(options: Mapping[str, Any]) -> str:
    return json.dumps(dict(options), default=_plain)


def _plain(value: Any) -> Any:
    """Paths as text, sequences as lists."""
    return os.fspath(value) if isinstance(value, os.PathLike) else list(value)


def as_events(observe: Callable[[dict[str, Any]], object] | None) -> Callable[[str], object]:
    """Callback for the engine that passes its JSON events to `observe` as dicts."""
    return (lambda _: None) if observe is None else lambda text: observe(json.loads(text))


def _is_text(name: str) -> bool:
    """True if a name is valid UTF-8; other names of the system carry surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True

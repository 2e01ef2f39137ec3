"""Addresses of the playground, which opens a scenario in a browser."""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Mapping
from importlib import metadata

#: The variable that names the playground's address, before the package's own metadata.
VARIABLE = "WINDWARD_PLAYGROUND"

#: The entry of `[project.urls]` that names it.
ENTRY = "Playground"


def fragment(text: str, files: Mapping[str, str] | None = None) -> str:
    """The part of an address that holds a scenario and the recordings that it names: `#s=` and compressed JSON.

    Examples
    --------
    >>> fragment('name = "a"')
    '#s=q1YqUbJSykvMTVWwVVBKVIpRqgUA'
    """
    state = {"t": text, **({"f": dict(files)} if files else {})}
    pack = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = pack.compress(json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode()) + pack.flush()
    return "#s=" + base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def address() -> str | None:
    """The playground's address, from the environment or from the package's metadata; None if neither names one."""
    if given := os.environ.get(VARIABLE):
        return given
    try:
        entries = metadata.metadata("windward").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    pairs = (entry.partition(", ") for entry in entries)
    return next((url for name, _, url in pairs if name == ENTRY), None)

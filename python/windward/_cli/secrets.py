"""Secrets of the command line, which other users read in the list of processes."""

from __future__ import annotations

import re
from pathlib import Path

#: Options whose value is a secret.
_OPTIONS = (b"--token",)

#: Options whose value is a header field, of which only the name is none.
_HEADERS = (b"--header", b"-H")

#: A password in an address, or a user that stands alone and may be a token.
_USERINFO = re.compile(rb"^(?:[a-z][a-z0-9+.-]*://)?(?:[^/?#@:]*:)?([^/?#]*)@", re.IGNORECASE)


def hide() -> None:
    """Writes over the secrets in this process's arguments, as Linux shows them to other users.

    The interpreter and the command line have copies of their own. What can be read before this is for milliseconds.
    """
    try:
        # The name of the program stands in brackets and may hold blanks.
        numbers = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        start, end = int(numbers[45]), int(numbers[46])
        if start >= end:
            return
        with Path("/proc/self/mem").open("r+b", buffering=0) as memory:
            memory.seek(start)
            arguments = memory.read(end - start)
            if (hidden := masked(arguments)) != arguments:
                memory.seek(start)
                memory.write(hidden)
    except (OSError, ValueError, IndexError, OverflowError):
        # Other systems, and hardened ones, have no such place.
        return


def masked(arguments: bytes) -> bytes:
    """Arguments, each ended by a zero, with stars for secrets: as long as before."""
    shown = []
    before = b""
    for word in arguments.split(b"\0"):
        option, equals, value = word.partition(b"=")
        if before in _OPTIONS:
            shown.append(b"*" * len(word))
        elif before in _HEADERS:
            shown.append(_field(word))
        elif equals and option in _OPTIONS:
            shown.append(option + equals + b"*" * len(value))
        elif equals and option in _HEADERS:
            shown.append(option + equals + _field(value))
        elif word.startswith(b"-H"):
            shown.append(b"-H" + _field(word[2:]))
        else:
            shown.append(_USERINFO.sub(_stars, word))
        before = word
    return b"\0".join(shown)


def _field(text: bytes) -> bytes:
    name, colon, value = text.partition(b":")
    return name + colon + b"*" * len(value)


def _stars(found: re.Match[bytes]) -> bytes:
    first, last = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:first] + b"*" * (last - first) + found[0][last:]

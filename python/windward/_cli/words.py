"""Amounts as a terminal shows them; nothing here takes long to import."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def size(count: float) -> str:
    """Bytes."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def rate(bits: float) -> str:
    """Bits a second."""
    for unit in ("bit/s", "kbit/s", "Mbit/s"):
        if bits < 1000:
            return f"{bits:.1f} {unit}"
        bits /= 1000
    return f"{bits:.2f} Gbit/s"


def time(seconds: float) -> str:
    """Seconds, from a minute on as on a clock."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def path(sample: Mapping[str, Any]) -> list[str]:
    """Number of connections, and their measurements of the path."""
    parts = [f"n {sample['connections']}"]
    if sample["rtt_s"] is not None:
        parts.append(f"RTT {1000 * sample['rtt_s']:.0f} ms")
    if sample["queue_s"] is not None:
        parts.append(f"queue {1000 * sample['queue_s']:.0f} ms")
    return parts


#: Options of commands without declared ones.
_OTHERS = {"port": "--port"}


#: A failure to reach the loopback of the machine, or of the network namespace.
_LOOPBACK = re.compile(r"cannot connect to (127\.|\[::1\]|localhost[:.])")


def behind(message: str) -> str:
    """The message of a failed connection, with a hint where a command behind a link has asked for its own loopback."""
    server = os.environ.get("WINDWARD_SERVER")
    if server and _LOOPBACK.search(message):
        return f"{message}\nhint: behind `windward link` the loopback of the other end is {server}"
    return message


def options(message: str) -> str:
    """The message of a function, with its arguments written as the options of a command."""
    from windward.transfer import _schema

    flags = _OTHERS | _schema.flags()
    return re.sub(r"`(\w+)`", lambda found: flags.get(found[1], found[0]), message)


def complain(message: str) -> None:
    """Says on standard error what went wrong."""
    print(f"error: {message}", file=sys.stderr)


def tell(output: Path | None) -> None:
    """Says where results are saved, if they are."""
    from windward.show import _terminal

    if output is not None:
        print()
        _terminal.say(f"results in {output}", "dim")


def cannot_start(command: str, error: OSError) -> int:
    """Says that a command cannot be started; returns the exit code that shells have for it."""
    is_missing = isinstance(error, FileNotFoundError)
    complain(f"{command}: {'command not found' if is_missing else error.strerror}")
    return 127 if is_missing else 126

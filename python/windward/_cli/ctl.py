"""`windward link ctl`: orders for a link that runs. Nothing here takes long to import."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

_USAGE = """Usage: windward link ctl NAME ORDER

Tell a link of `windward link --name NAME` what to do. It acts within 5 ms.

Orders
  down [TIME]            take the link down, for TIME (3s, 500ms) or until `up`
  up                     take the link up
  change KEY=VALUE …     change {keys}; DOWN,UP for each direction
  report                 print totals so far, as JSON
"""


def _usage() -> str:
    # Only the help needs it: an order does not wait for it.
    from windward.transfer._describe import CHANGEABLE

    return _USAGE.format(keys=" or ".join((", ".join(CHANGEABLE[:-1]), CHANGEABLE[-1])))


#: Seconds of an answer.
_PATIENCE_S = 10.0


def folder() -> Path:
    """Folder of the sockets on which links take orders, for this user alone."""
    return Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp") / f"windward-link-{os.getuid()}"  # noqa: S108


def place(name: str) -> Path:
    """The socket of a link.

    Raises
    ------
    OptionError
        For a name with characters that names do not have.
    """
    if not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or len(name) > 64:
        from windward.errors import OptionError

        raise OptionError(("name", name, "expected letters, digits, dots, hyphens and underscores"))
    return folder() / name


def main(words: list[str]) -> int:
    """Gives an order; returns the exit code."""
    if len(words) < 2 or words[0] in ("-h", "--help"):
        is_asked = bool(words) and words[0] in ("-h", "--help")
        print(_usage(), end="", file=sys.stdout if is_asked else sys.stderr)
        return 0 if is_asked else 2
    name, what, *values = words
    try:
        answer = ask(place(name), _order(what, values))
    except FileNotFoundError:
        return _complain(f"no link `{name}`: start one by `windward link --name {name} …`")
    except ConnectionRefusedError:
        return _complain(f"the link `{name}` has ended")
    except (ValueError, OSError) as error:
        return _complain(str(error))
    if (why := answer.get("error")) is not None:
        return _complain(str(why))
    if what == "report":
        print(json.dumps(answer, indent=2))
    return 0


def ask(path: Path, order: dict[str, Any]) -> dict[str, Any]:
    """The answer of the link at a socket."""
    with socket.socket(socket.AF_UNIX) as talk:
        talk.settimeout(_PATIENCE_S)
        talk.connect(str(path))
        talk.sendall(json.dumps(order).encode() + b"\n")
        data = b""
        while not data.endswith(b"\n"):
            if not (part := talk.recv(1 << 16)):
                raise ConnectionRefusedError
            data += part
    answer: dict[str, Any] = json.loads(data)
    return answer


def _order(what: str, values: list[str]) -> dict[str, Any]:
    if what in ("up", "report") and not values:
        return {"do": what}
    if what == "down" and len(values) <= 1:
        return {"do": "down", "seconds": _seconds(values[0]) if values else None}
    if what == "change" and values:
        from windward.errors import OptionError
        from windward.transfer._describe import tables_of

        pairs = [value.partition("=") for value in values]
        if wrong := [name for name, equals, value in pairs if not equals or not value]:
            raise ValueError(f"`{wrong[0]}`: expected KEY=VALUE, such as loss=2%")
        try:
            return {"do": "change", "change": tables_of({name: value for name, _, value in pairs})}
        except OptionError as error:
            raise ValueError(error.text("{}={}")) from None
    raise ValueError(f"`{' '.join([what, *values])}`: expected down [TIME], up, change KEY=VALUE …, or report")


def _seconds(text: str) -> float:
    for unit, length in (("ms", 1e-3), ("us", 1e-6), ("min", 60.0), ("s", 1.0)):
        if text.endswith(unit):
            try:
                seconds = float(text.removesuffix(unit)) * length
            except ValueError:
                break
            if seconds > 0:
                return seconds
    raise ValueError(f"`{text}`: expected a time, such as 3s or 500ms")


def _complain(why: str) -> int:
    print(f"error: {why}", file=sys.stderr)
    return 2

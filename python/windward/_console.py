"""The terminal: all that the command line prints goes through the writers that `install` puts in place.

What is printed has text of other people in it: titles and names of scenarios, whatever lies in a result folder, what a
server answers, the messages of errors. A terminal obeys control characters in it, so the writers show them as U+FFFD;
what an encoding lacks is shown in ASCII. Bold text and lines of progress are written by the functions here.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import shutil
import sys
import unicodedata
from typing import Any, NamedTuple, TextIO

#: Control characters but for tab and line feed, a return that ends no line, and what turns the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)")

#: What stands for signs that an encoding lacks.
_LIKENESS = str.maketrans(
    {
        "…": "...",
        "·": "-",
        "×": "x",
        "–": "-",
        "—": "-",
        "−": "-",
        "→": "->",
        "≥": ">=",
        "≤": "<=",
        "µ": "u",
        "\ufffd": "?",
    }
)

#: The name of what writes likenesses, as `codecs` knows it.
_ERRORS = "windward"

_STYLES = {"bold": 1, "dim": 2}


class Styled(NamedTuple):
    """A text that a terminal shows bold or dim."""

    text: str
    style: str


class Writer:
    """A stream of text that shows control characters instead of obeying them.

    It has no `buffer`: bytes do not reach the terminal by another way.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Writes a text; returns its length."""
        self.stream.write(visible(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Writes texts one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "detach", "stream"):
            raise AttributeError(name)
        return getattr(self.stream, name)


def install() -> None:
    """Puts writers in place of standard output and standard error; closed ones lead to nowhere.

    A descriptor that is closed is opened on the null device: otherwise it would be that of the next file, which then
    received what is meant for the terminal.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if getattr(sys, name) is None:
            stream = open(descriptor, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
    codecs.register_error(_ERRORS, _like)
    for name in ("stdout", "stderr"):
        stream = plain(getattr(sys, name))
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_ERRORS)
        setattr(sys, name, Writer(stream))


def abandon() -> None:
    """Leads standard output to nowhere, with what of it was not written."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def plain(stream: Any) -> Any:
    """The stream behind a writer, for control sequences of our own around texts that are `visible`."""
    return stream.stream if isinstance(stream, Writer) else stream


def visible(text: str) -> str:
    """A text with U+FFFD in place of control characters."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def width(text: str) -> int:
    """Columns of a text on a terminal: two for Chinese, Japanese and Korean characters, none for combining ones."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def say(*parts: str | Styled) -> None:
    """Prints a line of parts, bold or dim where there is a terminal."""
    is_plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    for part in parts:
        if isinstance(part, str) or is_plain:
            sys.stdout.write(part if isinstance(part, str) else part.text)
        else:
            plain(sys.stdout).write(f"\x1b[{_STYLES[part.style]}m{visible(part.text)}\x1b[0m")
    sys.stdout.write("\n")


def live(line: str) -> None:
    """Puts a line in place of the last one on standard error's terminal; an empty one erases it."""
    room = shutil.get_terminal_size().columns - 1
    out = plain(sys.stderr)
    out.write(f"\r\x1b[K{visible(line.replace(chr(10), ' '))[:room]}")
    out.flush()


def print_json(value: Any, indent: int | None = None, file: TextIO | None = None) -> None:
    """Prints JSON that is whole in every encoding."""
    out = file or sys.stdout
    print(json.dumps(value, indent=indent, ensure_ascii=not _has_unicode(out)), file=out, flush=True)


def print_json_text(text: str) -> None:
    """Prints a text that is JSON, as it is where the encoding has all of it."""
    if _has_unicode(sys.stdout):
        sys.stdout.write(text)
    else:
        print_json(json.loads(text), indent=2)


def _has_unicode(out: TextIO) -> bool:
    return (getattr(out, "encoding", None) or "").lower().startswith("utf")


def _like(error: UnicodeError) -> tuple[str, int]:
    """Replacement for characters that an encoding lacks, and the position after them."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end].translate(_LIKENESS)
    return "".join(map(_ascii, lacking)), error.end


def _ascii(character: str) -> str:
    code = ord(character)
    # A byte of a name that is not UTF-8.
    return (
        f"\\x{code - 0xDC00:02x}"
        if 0xDC80 <= code <= 0xDCFF
        else character.encode("ascii", "backslashreplace").decode()
    )

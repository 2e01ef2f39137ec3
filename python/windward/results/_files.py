"""Files that appear whole: written under a name that cannot be foreseen, then renamed."""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from windward._engine import read_text
from windward.results._portable import OWN, copy_mode

#: How the names of what is being written begin.
STAGING = ".windward-"

#: Most bytes of a summary that is read.
_MOST = 256_000_000

#: What begins a list of rows, in a JSON file with one line for each key and each row; raw line ends are in no string.
_ROWS = b'": [\n    {"'

#: Bytes in which the rows begin, otherwise all is read.
_HEAD = 1_000_000

#: Places whose entries are the machine's: written through, never replaced.
_DEVICES = ("/dev/", "/proc/")


def fresh(folder: Path, ending: str = "") -> Path:
    """A name in a folder that nothing has and that cannot be foreseen."""
    return folder / f"{STAGING}{secrets.token_hex(8)}{ending}"


def replace_text(path: Path, text: str) -> None:
    """Writes a text file in UTF-8, as `replace_bytes` does.

    Raises
    ------
    OSError
        If it cannot be written; its file name is that of `path`.
    """
    replace_bytes(path, text.encode())


def replace_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes a text file in UTF-8 from its parts, as `replace_bytes` does.

    Raises
    ------
    OSError
        If it cannot be written; its file name is that of `path`.
    """
    try:
        _replace(path, (line.encode() for line in lines))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def replace_bytes(path: Path, data: bytes) -> None:
    """Writes a file so that a reader sees the old one or the new one, never a part; a full disk leaves the old one.

    A symbolic link is replaced and not followed. Devices and FIFOs are written as they are.

    Raises
    ------
    OSError
        If it cannot be written; its file name is that of `path`.
    """
    try:
        _replace(path, [data])
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def create_bytes(path: Path, data: bytes) -> None:
    """Writes a file that is not there yet; a full disk leaves none.

    Raises
    ------
    OSError
        If it cannot be written: FileExistsError if it is there. Its file name is that of `path`.
    """
    file = path.open("xb")
    try:
        with file:
            file.write(data)
    except BaseException as error:
        with suppress(OSError):
            path.unlink()
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def read_json(path: Path) -> Any:
    """Reads a JSON file of bounded size.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is not JSON, no regular file, or too large.
    """
    return json.loads(read_text(path, _MOST))


def read_head(path: Path) -> Any:
    """Reads the keys before the first list of rows of a JSON file: those of 50 000 links take 200 MB and a second.

    A file of another form, or one whose end is missing, is read whole.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is not JSON, no regular file, or too large.
    """
    if path.is_file():
        with path.open("rb") as file:
            head, found, _ = file.read(_HEAD).partition(_ROWS)
            if found:
                file.seek(-3, os.SEEK_END)
                head, comma, _ = head.rpartition(b",\n")
                if comma and file.read() == b"\n}\n":
                    with suppress(ValueError):
                        return json.loads(head + b"}")
    return read_json(path)


def _replace(path: Path, parts: Iterable[bytes]) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        mode = None
    if str(path).startswith(_DEVICES) or (mode is not None and not _is_replaced(mode)):
        path.write_bytes(b"".join(parts))
        return
    staged = fresh(path.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OWN
    file = os.fdopen(os.open(staged, flags, 0o666), "wb")
    try:
        with file:
            if mode is not None and stat.S_ISREG(mode):
                copy_mode(file.fileno(), stat.S_IMODE(mode))
            file.writelines(parts)
        staged.replace(path)
    except BaseException:
        with suppress(OSError):
            staged.unlink()
        raise


def _is_replaced(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)

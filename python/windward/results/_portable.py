"""Locks and reads of files where Python lacks them: Windows has no `fcntl`, `os.pread` or `os.sync`."""

from __future__ import annotations

import errno
import os

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment, unused-ignore]

#: Flags of a file that a link must not lead elsewhere and no child inherits; Windows has neither.
OWN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

#: The byte that Windows locks: far behind what the file holds, as nobody else can read it then.
_FAR = 1 << 30


def lock(file: int) -> None:
    """Locks an open file for this process, until the file is closed.

    Raises
    ------
    BlockingIOError
        If another process holds it.
    OSError
        If the file system has no locks.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt

    os.lseek(file, _FAR, os.SEEK_SET)
    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except PermissionError as error:
        raise BlockingIOError(errno.EAGAIN, "locked by another process") from error
    finally:
        os.lseek(file, 0, os.SEEK_SET)


def head(file: int, most: int) -> bytes:
    """Reads the first bytes of an open file; what is written next goes behind them."""
    os.lseek(file, 0, os.SEEK_SET)
    return os.read(file, most)


def write_through() -> None:
    """Writes to the disk what the system holds back; does nothing on Windows."""
    if hasattr(os, "sync"):
        os.sync()


def copy_mode(file: int, mode: int) -> None:
    """Gives an open file the permissions of the one that it replaces; does nothing on Windows."""
    if hasattr(os, "fchmod"):
        os.fchmod(file, mode)

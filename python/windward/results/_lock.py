"""One writer for a folder at a time."""

from __future__ import annotations

import errno
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from windward.errors import ResultError
from windward.results._files import STAGING
from windward.results._portable import OWN, head, lock

#: The file that is locked. It is there while somebody writes, and after a writer that was killed.
LOCK = f"{STAGING}lock"

#: How often a folder that goes while it is being locked is made again.
_TRIES = 100

#: What a writer may have noted: a folder that it has staged in, itself or in a folder of an engine's answer.
_STAGED = re.compile(rf"(?:[a-z]+/)?{re.escape(STAGING)}[0-9a-f]{{16}}")

#: A folder beside, of the same name with a number.
_BESIDE = re.compile(r"\.\./[^/]+-\d+")

#: File systems without locks say one of these; there everybody writes.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS)


class InUseError(ResultError):
    """A folder that another run writes to."""


class Lock:
    """Holds a folder, which is made if there is none; the kernel lets go of it when this process ends.

    What a writer that was killed had staged is known by what it noted in the file, and removed.

    Raises
    ------
    InUseError
        If another run writes to the folder.
    OSError
        If it cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: What goes again if nothing is written: the folder, and those above it that are made with it.
        self._made = [folder, *(above for above in folder.parents if not above.exists())]
        for _ in range(_TRIES):
            folder.mkdir(parents=True, exist_ok=True)
            # Whoever lets go removes the file, and the folder if nothing is in it.
            with suppress(FileNotFoundError):
                self._file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | OWN, 0o666)
                try:
                    if self._take():
                        break
                except BaseException:
                    os.close(self._file)
                    raise
                os.close(self._file)
        else:
            raise OSError(errno.EAGAIN, "it is made and removed again and again", str(folder))
        #: Folders beside this one in which a writer that was killed made what was to replace the result here.
        self.left_beside: list[Path] = []
        self._clear()

    def note(self, staged: Path) -> None:
        """Notes a folder in which something is staged."""
        os.write(self._file, f"{staged.relative_to(self.folder)}\n".encode())

    def note_beside(self, other: Path) -> None:
        """Notes a folder beside this one, in which a new result is made."""
        os.write(self._file, f"../{other.name}\n".encode())

    def release(self) -> None:
        """Lets others write; removes the folder if nothing is in it, and what was made with it."""
        with suppress(OSError):
            (self.folder / LOCK).unlink()
        os.close(self._file)
        # Windows removes no open file. Another process may hold it by now; then it stays.
        with suppress(OSError):
            if os.name == "nt":
                (self.folder / LOCK).unlink()
        with suppress(OSError):
            for folder in self._made:
                folder.rmdir()

    def _take(self) -> bool:
        """Returns true if this process holds the lock of the file that exists now."""
        try:
            lock(self._file)
        except BlockingIOError:
            raise InUseError(
                f"{self.folder} is in use: another run writes its results there\n"
                "hint: wait until it has ended, or choose another folder"
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        return os.path.samestat(os.fstat(self._file), (self.folder / LOCK).lstat())

    def _clear(self) -> None:
        """Removes what a killed writer had staged."""
        with suppress(OSError, ValueError):
            for name in head(self._file, 1 << 16).decode("utf-8").splitlines():
                staged = self.folder / name
                if _BESIDE.fullmatch(name):
                    self.left_beside.append(self.folder.with_name(name.removeprefix("../")))
                elif _STAGED.fullmatch(name) and not staged.parent.is_symlink() and not staged.is_symlink():
                    shutil.rmtree(staged, ignore_errors=True)
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)

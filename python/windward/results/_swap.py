"""Replacement of a result by another: a journal lets the next command finish what a signal or a loss of power ended.

The journal lies in the older result's folder from before the first move until after the last. It names the folder of
the new result, the one that takes the old files, and the files of both. Each file of the new result is in exactly one
of two places, so that the moves can begin again wherever they stopped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from windward.errors import ResultError
from windward.results._files import STAGING, create_bytes, fresh, read_json
from windward.results._lock import InUseError, Lock
from windward.results._portable import write_through

#: The file that says which replacement is under way.
JOURNAL = f"{STAGING}replace"
_BEGUN = f"{JOURNAL}-begun"

#: Names that a journal may hold: files of a result, and those of an answer in a comparison.
_FILE = re.compile(r"(?:[a-z]+/)?(?:seed-\d+|[a-z_]+\.(?:parquet|json|toml|html))")
_ASIDE = re.compile(rf"{re.escape(STAGING)}[0-9a-f]{{16}}")

#: How long a reader waits for a replacement that another process is making, in seconds.
_PATIENCE = 10.0


class _Plan(NamedTuple):
    newer: str
    aside: str
    out: list[str]
    into: list[str]


def swap(older: Path, newer: Path, out: Sequence[str], into: Sequence[str]) -> None:
    """Puts the files `into` of `newer` in the place of the files `out` of `older`, which goes.

    Parameters
    ----------
    older, newer
        Folders. The caller holds the locks of both; `newer` is beside `older`.
    out, into
        Names of files in these folders, those that make it a result last.

    Raises
    ------
    OSError
        If the journal cannot be written; both results are whole then. After that the next command goes on.
    """
    plan = _Plan(newer.name, fresh(older).name, list(out), list(into))
    # After a loss of power, a journal that is there must find the new result's data there too.
    write_through()
    create_bytes(older / _BEGUN, json.dumps(plan._asdict()).encode())
    (older / _BEGUN).replace(older / JOURNAL)
    _move(older, newer, plan)


def finish(path: Path) -> None:
    """Finishes a replacement that was interrupted, in a folder or in that of its comparison.

    Raises
    ------
    ResultError
        If that cannot be.
    """
    for folder in (path, path.parent):
        until = time.monotonic() + _PATIENCE
        while os.path.lexists(folder / JOURNAL):
            try:
                lock = Lock(folder)
                try:
                    resume(folder)
                finally:
                    lock.release()
            except InUseError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)
            except OSError as error:
                raise ResultError(
                    f"{folder} holds a replacement that was interrupted and cannot be finished: {error.strerror}\n"
                    "hint: open it once where its folder can be written"
                ) from error


def resume(older: Path) -> None:
    """Finishes an interrupted replacement in a folder whose lock the caller holds.

    Raises
    ------
    OSError
        If a file cannot be moved.
    ResultError
        If the journal is not one of ours.
    """
    journal = older / JOURNAL
    (older / _BEGUN).unlink(missing_ok=True)
    if not os.path.lexists(journal):
        return
    try:
        plan = _Plan(**read_json(journal))
        names = [PurePosixPath(name) for name in (plan.newer, plan.aside)]
        valid = (
            all(len(name.parts) == 1 and name.name == str(name) for name in names)
            and _ASIDE.fullmatch(plan.aside)
            and all(_FILE.fullmatch(name) for name in (*plan.out, *plan.into))
        )
    except (ValueError, TypeError):
        valid = False
    if not valid:
        raise ResultError(f"{journal} is not a journal of a replacement\nhint: delete it")
    newer = older.with_name(plan.newer)
    _move(older, newer, plan)
    # The lock of the process that has ended is all that is left there.
    with suppress(ResultError, OSError):
        Lock(newer).release()


def _move(older: Path, newer: Path, plan: _Plan) -> None:
    aside = older / plan.aside
    aside.mkdir(mode=0o700, exist_ok=True)
    into = set(plan.into)
    # Without its summary no folder is a result: at no time does one say what is in the other.
    for name in reversed(plan.out):
        # A name of both is the new one's as soon as the new folder has it no more.
        is_old = name not in into or os.path.lexists(newer / name)
        if is_old and os.path.lexists(older / name):
            (aside / name).parent.mkdir(exist_ok=True)
            discard(aside / name)
            (older / name).rename(aside / name)
    for name in plan.into:
        if os.path.lexists(newer / name):
            (older / name).parent.mkdir(exist_ok=True)
            shutil.move(newer / name, older / name)
    for folder in {(older / name).parent for name in plan.out} | {(newer / name).parent for name in plan.into}:
        with suppress(OSError):
            if folder not in (older, newer):
                folder.rmdir()
    shutil.rmtree(aside, ignore_errors=True)
    (older / JOURNAL).unlink()


def discard(path: Path) -> None:
    """Removes a file or a folder, if there is one; of a symbolic link the link alone."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()

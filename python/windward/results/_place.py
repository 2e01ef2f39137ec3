"""Place of a result: one run writes at a time, and an older result is kept until the new one is complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Literal, Self

from windward.errors import ResultError
from windward.results._files import STAGING, fresh, read_head
from windward.results._interrupts import held_back
from windward.results._lock import InUseError, Lock
from windward.results._swap import discard, resume, swap

SUMMARY = "summary.json"
SCENARIO = "scenario.toml"
REPORT = "report.html"

#: What becomes of an older result in the folder: the new one is refused, goes to the next free number, or takes its
#: place when it is whole.
Older = Literal["refuse", "number", "replace"]

#: The tables of results without seeds.
_TABLES = ("flows", "links", "paths", "flow_links", "schedule", "flow_series", "rests", "lyapunov")

#: What grows run by run and is gone on with, in words.
_GROWING = {"sweep": "a sweep", "tune": "a tuning", "attack": "an attack", "evaluate": "an evaluation"}

#: The folders of a comparison.
_ANSWERS = ("optimum", "fluid", "ideal", "simulate", "emulate")


class HoldsResultError(ResultError):
    """A folder that holds an older result."""

    def __init__(self, path: Path, engine: str) -> None:
        #: What it holds, in a few words.
        self.holds = f"{path} holds a result of `{engine}`"
        super().__init__(f"{self.holds}; it is not overwritten\nhint: choose another folder, or replace=True")


class Place:
    """A folder that one run writes to. As a context it is let go at the end.

    Attributes
    ----------
    path
        Where the result is: the folder that was asked for, or the next free number. A run that is to take the place of
        an older result is written beside it; its path is the older one's from `settle` on.
    passed_over
        Why it is not the folder that was asked for, if it has another number.
    """

    def __init__(
        self, path: Path, lock: Lock | None = None, *, passed_over: str = "", instead: Lock | None = None
    ) -> None:
        self.path = path
        self.passed_over = passed_over
        self._lock = lock
        self._instead = instead

    @property
    def replaces(self) -> Path | None:
        """The folder whose older result this one is to replace, as long as it has not."""
        return None if self._instead is None else self._instead.folder

    def inside(self, name: str) -> Place:
        """A folder in this one: for an answer of a comparison."""
        return Place(self.path / name, self._lock)

    def stage(self) -> Path:
        """Makes a folder that nobody else knows of, on the same file system."""
        staged = fresh(self.path)
        if self._lock is not None:
            self._lock.note(staged)
        staged.mkdir(mode=0o700, parents=False)
        return staged

    def settle(self) -> None:
        """The result is whole: takes the place of the older one, if it is to.

        Raises
        ------
        ResultError
            If that cannot be; both results are whole then.
        """
        if self._instead is None:
            return
        older = self._instead.folder
        try:
            with held_back():
                _swap(older, self.path)
        except OSError as error:
            raise ResultError(
                f"{older} cannot be replaced: {error.strerror}; the new result is in {self.path}"
            ) from error
        if self._lock is not None:
            self._lock.release()
        self.path, self._lock, self._instead = older, self._instead, None

    def close(self) -> None:
        """Lets others write to the folder; removes it if nothing is in it."""
        for lock in (self._lock, self._instead):
            if lock is not None:
                lock.release()
        self._lock = self._instead = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def claim(path: str | Path, older: Older = "refuse") -> Place:
    """Takes a folder for a result.

    Raises
    ------
    InUseError
        If another run writes to it.
    HoldsResultError
        If it holds an older result, which is to be kept.
    ResultError
        If it holds anything else, or cannot be written.
    """
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise ResultError(f"{path} is a file; results need a folder")
    try:
        return _claim(path, older)
    except OSError as error:
        raise ResultError(f"{path} cannot be written: {error.strerror}") from error


def _claim(path: Path, older: Older) -> Place:
    try:
        lock = Lock(path)
    except InUseError:
        if older != "number":
            raise
        return _next(path, f"{path} is in use")
    try:
        resume(path)
        _clear(path, lock)
        engine = holds(path)
        if engine is None:
            return Place(path, lock)
        if engine in _GROWING and older != "number":
            raise ResultError(
                f"{path} holds {_GROWING[engine]}; it is not overwritten\nhint: choose another folder, or delete it"
            )
        if older == "refuse":
            raise HoldsResultError(path, engine)
        beside = _next(path, f"{path} holds an older result")
    except BaseException:
        lock.release()
        raise
    if older == "replace":
        lock.note_beside(beside.path)
        return Place(beside.path, beside._lock, instead=lock)
    lock.release()
    return beside


def _clear(path: Path, lock: Lock) -> None:
    """Removes what a run that was killed before it was whole had written beside a folder, to replace its result."""
    for beside in lock.left_beside:
        with suppress(ResultError, OSError):
            other = Lock(beside)
            try:
                if is_result(beside) and _read(beside).get("complete") is False:
                    for name in _written(beside):
                        discard(beside / name)
            finally:
                other.release()


def _next(path: Path, why: str) -> Place:
    """The first of NAME-2, NAME-3, … that is free; why the folder itself is not."""
    for other in numbers(path):
        with suppress(ResultError, FileExistsError, NotADirectoryError):
            lock = Lock(other)
            try:
                if holds(other) is None:
                    return Place(other, lock, passed_over=why)
            except BaseException:
                lock.release()
                raise
            lock.release()
    raise AssertionError("numbers do not end")


def numbers(path: Path) -> Iterator[Path]:
    """NAME-2, NAME-3, …, beside a folder."""
    # `.` and `..` have names too.
    name = path.name or Path(os.path.realpath(path)).name
    folder = path.parent if path.name not in ("", "..") else Path(os.path.realpath(path)).parent
    return (folder / f"{name}-{number}" for number in count(2))


def holds(path: Path) -> str | None:
    """The engine whose result a folder holds; None for an empty one.

    Raises
    ------
    ResultError
        If it holds something else.
    """
    there = sorted(file.name for file in path.iterdir() if not file.name.startswith(STAGING))
    if not there:
        return None
    if _is_begun_comparison(path):
        return "compare"
    if not is_result(path):
        raise ResultError(
            f"{path} contains `{there[0]}` and is not a Windward result; it is not overwritten\n"
            "hint: choose another folder, or delete its contents"
        )
    return str(_read(path).get("engine"))


def _is_begun_comparison(path: Path) -> bool:
    """Returns true if a folder has only answers of engines: earlier versions wrote a comparison's summary last."""
    there = [file.name for file in path.iterdir() if not file.name.startswith(STAGING)]
    return bool(there) and all(name in _ANSWERS and is_result(path / name) for name in there)


def is_result(path: Path) -> bool:
    """Returns true if the folder holds a Windward result of any format."""
    try:
        return "windward" in _read(path)
    except (OSError, ValueError, TypeError):
        return False


def _read(path: Path) -> dict[str, Any]:
    read = read_head(path / SUMMARY)
    if not isinstance(read, dict):
        raise ValueError(f"{path / SUMMARY} is no summary")
    return read


def _written(folder: Path) -> list[str]:
    """Files that a result has written into its folder, by name; the summary last."""
    summary = _read(folder) if is_result(folder) else {}
    engine = summary.get("engine")
    if not summary and folder.is_dir() and _is_begun_comparison(folder):
        engine = "compare"
    names = []
    if engine in ("simulate", "emulate"):
        names = [f"seed-{int(seed)}" for seed in summary["seeds"]]
    elif engine in ("optimum", "fluid"):
        names = [f"{table}.parquet" for table in _TABLES]
    elif engine == "compare":
        names = [f"{answer}/{name}" for answer in _ANSWERS for name in _written(folder / answer)]
    return [name for name in (*names, REPORT, SCENARIO, SUMMARY) if os.path.lexists(folder / name)]


def _swap(older: Path, newer: Path) -> None:
    """Puts what a result has written in the place of what an older one has; what others have written stays."""
    out, into = _written(older), _written(newer)
    if foreign := sorted(name for name in set(into) - set(out) if os.path.lexists(older / name)):
        raise ResultError(
            f"{older / foreign[0]} is not of the older result and in the way of the new one, which is in {newer}"
        )
    swap(older, newer, out, into)


@contextmanager
def claimed(output: str | Path | None, *, replace: bool) -> Iterator[Place | None]:
    """The folder for a result, taken for one run; None where results stay in memory."""
    if output is None:
        yield None
        return
    with claim(output, "replace" if replace else "refuse") as place:
        yield place

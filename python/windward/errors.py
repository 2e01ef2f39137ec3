"""Errors beyond those that the engine raises itself."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from windward import _engine

__all__ = ["OptionError", "ResultError", "TransferError", "nearest"]


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint, for the end of a message, at the known word that is spelled most like this one; empty without any."""
    near = difflib.get_close_matches(word, known, n=1)
    return f"\nhint: did you mean `{near[0]}`?" if near else ""


class ResultError(Exception):
    """A result folder cannot be written or read; the message says which and why.

    Examples
    --------
    >>> import windward as ww
    >>> ww.open("nowhere")
    Traceback (most recent call last):
    windward.errors.ResultError: nowhere does not exist
    """


class OptionError(ValueError):
    """Arguments of a function, or options of the command line, are invalid; the message says which and why."""

    def __init__(self, *faults: tuple[str, str, str]) -> None:
        #: Of each fault the argument, its value, and the problem.
        self.faults = faults
        super().__init__(*faults)

    def __str__(self) -> str:
        return self.text("{} {}")

    def text(self, form: str, joint: str = "_") -> str:
        """The message; `form` says how an argument and its value are written, `joint` what joins words of its name."""
        return "\n".join(
            f"{form.format(name.replace('_', joint), value)}: {problem}" for name, value, problem in self.faults
        )


class TransferError(RuntimeError):
    """A file was not transferred; the message says why.

    Examples
    --------
    >>> import windward as ww
    >>> try:
    ...     ww.transfer.get("http://127.0.0.1:9/file", max_tries=1)
    ... except ww.TransferError as error:
    ...     print(str(error).partition(":9")[0])
    cannot connect to 127.0.0.1
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        #: The kind of failure, as the exit code of the command.
        self.code = code

    @classmethod
    def of(cls, error: _engine.TransferError) -> TransferError:
        """The error that the engine raised, with its message and its code apart."""
        return cls(*error.args)

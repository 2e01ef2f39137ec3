"""Errors beyond those that the engine raises itself."""

from __future__ import annotations

from windward import _engine


class ResultError(Exception):
    """A result folder cannot be written or read; the message says which and why."""


class TransferError(RuntimeError):
    """A file was not transferred; the message says why."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        #: The kind of failure, as the exit code of the command.
        self.code = code

    @classmethod
    def of(cls, error: _engine.TransferError) -> TransferError:
        """The error that the engine raised, with its message and its code apart."""
        return cls(*error.args)

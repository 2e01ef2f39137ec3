"""Ctrl-C before a command hears it: while modules are imported, and when its work is done."""

from __future__ import annotations

import os
import signal
from types import FrameType

#: Exit code of a command that was interrupted.
_INTERRUPTED = 130

#: Files of the functions that import modules.
_IMPORTS = "<frozen importlib."

#: Seconds after which a Ctrl-C that meets an import is delivered again.
_AGAIN_S = 0.02


def end_quietly() -> None:
    """Ends the process at a Ctrl-C, without a word: there is nothing to be saved."""
    _handle(_end)


def wait_for_imports() -> None:
    """Raises KeyboardInterrupt at a Ctrl-C; one that meets an import waits for its end.

    Modules in C take an exception in their import for a fault of their own, and say so.
    """
    _handle(_interrupt)


def _handle(handler: signal._HANDLER) -> None:
    # Where Ctrl-C is ignored it stays so.
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_DFL, _end, _interrupt):
        signal.signal(signal.SIGINT, handler)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    at = frame
    while at is not None and not at.f_code.co_filename.startswith(_IMPORTS):
        at = at.f_back
    if at is None:
        signal.default_int_handler(number, frame)
    import threading

    threading.Timer(_AGAIN_S, _again).start()


def _again() -> None:
    if os.name == "nt":
        # There os.kill ends the process.
        signal.raise_signal(signal.SIGINT)
    else:
        os.kill(os.getpid(), signal.SIGINT)

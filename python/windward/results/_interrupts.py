"""Timing of Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def held_back() -> Iterator[None]:
    """Lets what is inside finish before a Ctrl-C takes effect; a second Ctrl-C does not wait."""
    before = signal.getsignal(signal.SIGINT)
    # Signals are the main thread's; one that is ignored stays so.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    held: list[Any] = []

    def hold(number: int, frame: Any) -> None:
        held.append(frame)
        if len(held) > 1:
            before(number, frame)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if len(held) == 1:
        before(signal.SIGINT, held[0])

"""The process of a link, and the lines of JSON that are its orders."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from windward import _engine
from windward._engine import EmulationError

#: What the process runs: the compiled engine alone, which takes a tenth of the time that `import windward` does.
_START = """
import _imp, os, sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
path = sys.argv[1]
spec = ModuleSpec("windward._engine", ExtensionFileLoader("windward._engine", path), origin=path)
engine = _imp.create_dynamic(spec)
_imp.exec_dynamic(engine)
engine.serve_link(int(sys.argv[2]))
os._exit(0)
"""

#: Longest wait for an answer; a link is made within a second.
_PATIENCE_S = 60.0

#: Longest wait for the end of the process.
_END_S = 10.0


class Conversation:
    """A socket to the process of a link: an order, then its answer."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        self._rest = b""
        self._lock = threading.Lock()

    def send(self, order: dict[str, Any], files: Sequence[int] = ()) -> None:
        line = json.dumps(order).encode() + b"\n"
        if files:
            sent = socket.send_fds(self.stream, [line], list(files))
            line = line[sent:]
        self.stream.sendall(line)

    def receive(self, timeout: float | None = _PATIENCE_S, most_files: int = 0) -> tuple[dict[str, Any], list[int]]:
        """The next answer, and the descriptors beside it.

        Raises
        ------
        EmulationError
            If the process says that it could not, or has ended.
        TimeoutError
            After so many seconds.
        """
        self.stream.settimeout(timeout)
        files: list[int] = []
        while b"\n" not in self._rest:
            try:
                data, more, _, _ = socket.recv_fds(self.stream, 1 << 16, most_files)
            except ConnectionResetError:
                data, more = b"", []
            files += more
            if not data:
                raise EmulationError("the process of the link has ended")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer, files

    def ask(self, order: dict[str, Any], files: Sequence[int] = ()) -> dict[str, Any]:
        """The answer to an order.

        Raises
        ------
        EmulationError
            If the link cannot.
        """
        with self._lock:
            try:
                self.send(order, files)
            except OSError:
                raise EmulationError("the process of the link has ended") from None
            answer, _ = self.receive()
        if (why := answer.get("error")) is not None:
            raise EmulationError(why)
        return answer

    def close(self) -> None:
        self.stream.close()


class LinkProcess(Conversation):
    """The process of one link. It ends with the last of its sockets, and with the process that started it."""

    def __init__(self, description: dict[str, Any]) -> None:
        near, far = socket.socketpair()
        with far:
            words = [sys.executable, "-I", "-S", "-c", _START, _engine.__file__, str(far.fileno())]
            try:
                self._process = subprocess.Popen(  # noqa: S603
                    words, pass_fds=(far.fileno(),), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
                )
            except BaseException:
                near.close()
                raise
        super().__init__(near)
        self._owner = os.getpid()
        try:
            self.about = self.ask(description)
        except BaseException:
            self.end()
            raise

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    def check(self) -> None:
        """Returns if it runs.

        Raises
        ------
        EmulationError
            If it has ended.
        """
        if self._process.poll() is not None:
            raise EmulationError("the process of the link has ended")

    def attach(self) -> Conversation:
        """Another conversation with it, for what takes its time."""
        near, far = socket.socketpair()
        with far:
            try:
                self.ask({"do": "attach"}, [far.fileno()])
            except BaseException:
                near.close()
                raise
        return Conversation(near)

    def namespaces(self) -> list[int]:
        """Descriptors of its namespaces, for `_engine.enter_link`."""
        talk = self.attach()
        try:
            talk.send({"do": "enter"})
            answer, files = talk.receive(most_files=8)
        finally:
            talk.close()
        if (why := answer.get("error")) is not None:
            raise EmulationError(why)
        return files

    def end(self) -> None:
        """Ends it, unless this is a fork of its owner. Waits until nothing of it is left."""
        self.close()
        if os.getpid() != self._owner:
            return
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

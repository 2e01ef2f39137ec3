"""Programs and functions at the near end of a link, whose sockets are behind it."""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

from windward import _engine
from windward.testing._process import Conversation

#: Exit code of a fork that could not go behind the link.
_STAYED = 120


def run(
    talk: Conversation,
    command: Sequence[str],
    *,
    input_data: bytes | None,
    streams: tuple[int | None, int | None, int | None],
    timeout: float | None,
    folder: str | None,
    environment: Mapping[str, str] | None,
) -> tuple[int, bytes, bytes]:
    """Runs a command at the near end; returns its exit code and what it wrote to the streams that are `None`.

    Raises
    ------
    FileNotFoundError
        If there is no such command; other errors of the system likewise.
    subprocess.TimeoutExpired
        After so many seconds; the command has been killed.
    """
    with contextlib.ExitStack() as ours:
        inside: list[int] = []
        # Each is closed once: its number may be another's by then.
        theirs: list[int] = []
        ours.callback(_close, theirs)
        reads: list[IO[bytes]] = []
        feed: IO[bytes] | None = None
        for number, stream in enumerate(streams):
            if stream is not None:
                inside.append(stream)
                continue
            reader, writer = os.pipe()
            near, far = (writer, reader) if number == 0 else (reader, writer)
            file = ours.enter_context(
                os.fdopen(near, "wb" if number == 0 else "rb", buffering=0 if number == 0 else -1)
            )
            inside.append(far)
            theirs.append(far)
            if number == 0:
                feed = file
            else:
                reads.append(file)
        order: dict[str, Any] = {
            "do": "run",
            "argv": [os.fspath(word) for word in command],
            "cwd": folder or str(Path.cwd()),
        }
        order["env"] = dict(os.environ if environment is None else environment)
        talk.send(order, inside)
        answer, _ = talk.receive()
        if (why := answer.get("error")) is not None:
            if (code := answer.get("errno")) is not None:
                raise OSError(code, os.strerror(code), os.fspath(command[0]))
            raise _engine.EmulationError(why)
        # The copies here would keep the pipes open.
        _close(theirs)
        outputs = [bytearray() for _ in reads]
        threads = [
            threading.Thread(target=_collect, args=pair, daemon=True) for pair in zip(reads, outputs, strict=True)
        ]
        if feed is not None:
            threads.append(threading.Thread(target=_feed, args=(feed, input_data or b""), daemon=True))
        for thread in threads:
            thread.start()
        try:
            answer, _ = talk.receive(timeout)
        except TimeoutError:
            # It is killed where no process waits for it.
            talk.close()
            for thread in threads:
                thread.join()
            raise subprocess.TimeoutExpired(command, timeout or 0.0, *(bytes(output) for output in outputs)) from None
        for thread in threads:
            thread.join()
    found = iter(outputs)
    texts = [bytes(next(found)) if stream is None else b"" for stream in streams[1:]]
    return answer["code"], texts[0], texts[1]


def begin(talk: Conversation, command: Sequence[str]) -> None:
    """Starts a command at the near end, which runs until the conversation ends. Returns with its first line of output.

    Raises
    ------
    EmulationError
        If the command ends without a line.
    """
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as output, Path(os.devnull).open("rb") as nothing:
        try:
            order = {"do": "run", "argv": list(command), "cwd": str(Path.cwd()), "env": dict(os.environ)}
            talk.send(order, [nothing.fileno(), writer, writer])
            answer, _ = talk.receive()
        finally:
            os.close(writer)
        if (why := answer.get("error")) is not None:
            raise _engine.EmulationError(why)
        said = output.readline()
        if said != b"ready\n":
            last = (said + output.read()).decode(errors="replace").strip().rpartition("\n")[2]
            raise _engine.EmulationError(last or f"{command[0]} ended")


def _close(numbers: list[int]) -> None:
    while numbers:
        os.close(numbers.pop())


def _collect(file: IO[bytes], output: bytearray) -> None:
    while data := file.read1() if hasattr(file, "read1") else file.read(1 << 16):
        output += data


def _feed(file: IO[bytes], data: bytes) -> None:
    # A program need not read all of its input.
    with contextlib.suppress(BrokenPipeError):
        file.write(data)
    file.close()


def call(
    namespaces: Sequence[int],
    variables: Mapping[str, str],
    function: Callable[..., Any],
    values: tuple[Any, ...],
    timeout: float | None,
) -> Any:
    """The result of a function in a fork of this process behind the link, whose sockets begin at its near end.

    Raises
    ------
    TimeoutError
        After so many seconds; the fork has been killed.
    RuntimeError
        If the fork ended without a result.
    """
    reader, writer = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with warnings.catch_warnings():
        # The fork uses none of the threads' locks before it calls the function; the guide says what that one may do.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reader)
        _be_child(namespaces, variables, writer, function, values)
    os.close(writer)
    try:
        data = _read(reader, timeout)
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
        raise TimeoutError(f"the function did not return within {timeout} s") from None
    finally:
        os.close(reader)
        _, status = os.waitpid(child, 0)
    if not data:
        code = os.waitstatus_to_exitcode(status)
        raise RuntimeError(f"the process behind the link ended without a result (exit code {code})")
    # It comes from a fork of this process.
    is_error, value = pickle.loads(data)  # noqa: S301
    if is_error:
        raise value
    return value


def _read(reader: int, timeout: float | None) -> bytes:
    end = None if timeout is None else time.monotonic() + timeout
    data = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(reader, selectors.EVENT_READ)
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not selector.select(left):
                raise TimeoutError
            part = os.read(reader, 1 << 16)
            if not part:
                return bytes(data)
            data += part


def _be_child(
    namespaces: Sequence[int],
    variables: Mapping[str, str],
    writer: int,
    function: Callable[..., Any],
    values: tuple[Any, ...],
) -> NoReturn:
    """The life of the fork, and of its own fork: the first goes behind the link, the second is a process there."""
    try:
        _engine.enter_link(*namespaces)
        second = os.fork()
        if second:
            _, status = os.waitpid(second, 0)
            os._exit(max(0, os.waitstatus_to_exitcode(status)) & 0xFF)
        os.environ.update(variables)
        try:
            result = pickle.dumps((False, function(*values)))
        except BaseException as error:
            result = _pickled(error)
        with os.fdopen(writer, "wb") as file:
            file.write(result)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(_STAYED)


def _pickled(error: BaseException) -> bytes:
    with contextlib.suppress(Exception):
        data = pickle.dumps((True, error))
        pickle.loads(data)  # noqa: S301
        return data
    return pickle.dumps((True, RuntimeError("".join(traceback.format_exception(error)))))

"""Runs the command line as `python -m windward` does, and programs, each in a fork of one process that has its modules.

Importing what draws and reads tables takes a second of a core, which hundreds of commands would spend each. A fork
gets the arguments, the folder, the environment and the streams of its command. It ends as an interpreter ends, but
leaves its memory to the kernel: to free each object, it would have to copy the pages that it shares.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

#: What the commands import.
MODULES = (
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "pandas",
    "pyarrow.parquet",
    "rich.console",
    "rich.table",
    "typer",
    "windward._cli.describe",
    "windward._cli.engines",
    "windward._cli.get",
    "windward._cli.main",
    "windward._cli.show",
    "windward._cli.sweep",
    "windward._evaluate.entry",
    "windward._search.attack",
    "windward._search.tune",
    "windward.show",
    "windward.show.page",
    "windward.show.plot",
)

#: Longest request, in bytes: arguments and an environment.
LONGEST = 1 << 20


class Commands:
    """One process that forks for each command; a context."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment

    def __enter__(self) -> Commands:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (self._socket, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LONGEST)
        with theirs:
            # Threads of a library would not be there in forks.
            single = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
            command = [sys.executable, "-W", "ignore", __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command, env=self._environment | single, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.wait(60)

    def run(
        self,
        arguments: list[str],
        folder: Path,
        environment: dict[str, str],
        *,
        is_program: bool = False,
        seeds: int | None = None,
        patience: int = 600,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end; or a program, a file with its arguments, as `python -W error` does.

        A program that asks for more seeds has `seeds` of them. After `patience`, in seconds, SIGALRM ends it.
        """
        asked = json.dumps(
            {
                "arguments": arguments,
                "folder": str(folder),
                "environment": environment,
                "is_program": is_program,
                "seeds": seeds,
                "patience": patience,
            }
        )
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            socket.send_fds(self._socket, [asked.encode()], [output.fileno(), errors.fileno()])
            ended = int(self._socket.recv(64))
            words = arguments if is_program else ["windward", *arguments]
            return subprocess.CompletedProcess(words, ended, _written(output), _written(errors))


def _written(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


def serve(connection: socket.socket) -> dict[str, object]:
    """Answers requests with exit codes until the other end closes; in each fork it returns the command's request."""
    while True:
        asked, streams, _, _ = socket.recv_fds(connection, LONGEST, 2)
        if not asked:
            os._exit(0)
        if (child := os.fork()) == 0:
            connection.close()
            for stream, of_ours in zip(streams, (1, 2), strict=True):
                os.dup2(stream, of_ours)
                os.close(stream)
            request: dict[str, object] = json.loads(asked)
            return request
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def fewer_seeds(most: int) -> None:
    """Lets scenarios take at most this number of the seeds that they are asked for."""
    import windward as ww

    def fewer(method: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object, **asked: object) -> object:
            if isinstance(seeds := asked.get("seeds"), int):
                asked["seeds"] = min(seeds, most)
            return method(*arguments, **asked)

        return run

    for name in ("simulate", "sweep"):
        setattr(ww.Scenario, name, fewer(getattr(ww.Scenario, name)))


def draw() -> None:
    """Draws a figure, so that fonts and what draws their letters are there."""
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], [1, 2], label="label")
    axes.set_xlabel("time (s)")
    axes.legend()
    for ending in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=ending)


def main() -> None:
    """Serves the socket that the first argument numbers."""
    sys.path.pop(0)
    for module in MODULES:
        __import__(module)
    draw()
    import gc

    gc.freeze()
    request = serve(socket.socket(fileno=int(sys.argv[1])))
    signal.alarm(int(str(request["patience"])))
    os.chdir(str(request["folder"]))
    environment = dict(request["environment"])  # type: ignore[call-overload]
    os.environ.clear()
    os.environ.update(environment)
    arguments: list[str] = request["arguments"]  # type: ignore[assignment]
    # As the interpreter opens them.
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
    if request["is_program"]:
        warnings.resetwarnings()
        warnings.simplefilter("error")
        if request["seeds"] is not None:
            fewer_seeds(int(str(request["seeds"])))
        sys.argv = arguments
        sys.path.insert(0, str(Path(arguments[0]).parent))
    else:
        sys.argv = ["windward", *arguments]
        sys.path.insert(0, str(request["folder"]))
    try:
        if request["is_program"]:
            runpy.run_path(arguments[0], run_name="__main__")
        else:
            runpy.run_module("windward", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if not (end.code is None or isinstance(end.code, int)):
            raise
        code = end.code or 0
    else:
        code = 0
    # As the interpreter does, up to its modules.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    main()

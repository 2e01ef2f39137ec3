"""Runs a command while no other of this kind runs in the same clone.

    python tools/alone.py COMMAND ...

A second one waits, and says so. The folder itself is locked, so that nothing is left when a process is killed.
WINDWARD_ALONE tells the command, and what it starts, that the clone is theirs.
"""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType


def main() -> int:
    """Runs it; its exit code."""
    if os.environ.get("WINDWARD_ALONE") == str(Path.cwd()):
        # make did not know it, and would wait for itself.
        print("make cannot work in a folder with a `$` in its name: rename the folder.", file=sys.stderr)
        return 2
    folder = os.open(".", os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another `make` runs in this folder: waiting until it ends.", file=sys.stderr, flush=True)
        fcntl.flock(folder, fcntl.LOCK_EX)
    # Files that make keeps open for its own processes stay open; the lock is not inherited.
    environment = os.environ | {"WINDWARD_ALONE": str(Path.cwd())}
    with subprocess.Popen(sys.argv[1:], close_fds=False, env=environment) as process:

        def pass_on(number: int, _: FrameType | None) -> None:
            # The terminal sends Ctrl-C to all.
            if number != signal.SIGINT:
                process.send_signal(number)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, pass_on)
        code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())

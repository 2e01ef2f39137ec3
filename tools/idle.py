"""Runs a command that takes only the processors' spare time, and prints what it wrote when it has ended.

    python tools/idle.py COMMAND ...

By Linux's SCHED_IDLE where there is one, else by the lowest priority. Tests of real time can run beside it: a thread
of theirs that wakes up has its processor at once.
"""

import os
import signal
import subprocess
import sys
import tempfile

#: Variables that name make's open files, which its commands do not have.
OF_MAKE = ("MAKEFLAGS", "MFLAGS")


def give_way() -> None:
    """Makes this process yield to every other."""
    os.nice(19)
    if hasattr(os, "SCHED_IDLE"):
        # Some containers forbid it.
        try:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        except OSError as why:
            print(f"The lowest priority, not SCHED_IDLE: {why.strerror}.", file=sys.stderr)


def main() -> int:
    """Runs it; its exit code."""
    give_way()
    # The terminal sends Ctrl-C to all: the command ends, and then this.
    signal.signal(signal.SIGINT, lambda *_: None)
    with tempfile.TemporaryFile() as output:
        own = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
        command = subprocess.run(sys.argv[1:], stdout=output, stderr=subprocess.STDOUT, env=own, check=False)
        output.seek(0)
        sys.stdout.flush()
        while block := output.read(1 << 16):
            sys.stdout.buffer.write(block)
    code = command.returncode
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())

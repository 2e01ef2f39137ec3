"""Runs the Rust tests that need real kernels, one after the other, where this machine has what they need.

What is left out goes to the file that WINDWARD_SKIPPED names, one line each.
"""

import os
import subprocess
import sys
from pathlib import Path

from windward import KernelError, _engine
from windward._engines.emulate import why_not


def why_no_laws() -> str | None:
    """Why no law can be loaded into this machine's kernel; None where one can."""
    if not hasattr(_engine, "kernel_support"):
        return "kernel laws need Linux"
    try:
        _engine.kernel_support()
    except KernelError as why:
        return str(why).splitlines()[0]
    return None


def main() -> None:
    """Runs what can be run; ends with cargo's exit code."""
    possible, left_out = [], []
    places = {"kernel": "crates/kernel/tests/it/kernel.rs", "emulate": "crates/emulate/tests/emulate.rs"}
    for test, why in (("kernel", why_no_laws()), ("emulate", why_not())):
        if why:
            left_out.append(f"{places[test]}: {why}")
        else:
            possible += ["--test", test]
    if left_out and (path := os.environ.get("WINDWARD_SKIPPED")):
        with Path(path).open("a") as file:
            file.writelines(f"{line}\n" for line in left_out)
    print(*left_out, sep="\n")
    if possible:
        # The whole workspace, so that everything has the features that it was built with before.
        command = [
            "cargo",
            "test",
            "--release",
            "--config",
            "tools/checked.toml",
            "--workspace",
            "--locked",
            "--quiet",
            *possible,
            "--",
            "--ignored",
            "--test-threads",
            "1",
        ]
        sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()

"""Starts what is measured: examples of the engine, and ns-3, which lives in a Python environment of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def example(name: str) -> str:
    """Builds an example of `crates/sim`, and returns its path."""
    build = ["cargo", "build", "--release", "--locked", "--message-format=json"]
    built = subprocess.run(
        [*build, "-p", "windward-sim", "--example", name], capture_output=True, text=True, cwd=ROOT, check=True
    )
    artifacts = (json.loads(line) for line in built.stdout.splitlines())
    return next(a["executable"] for a in artifacts if a.get("executable") and a["target"]["name"] == name)


def why_no_ns3(python: str | None) -> str:
    """Why ns-3 cannot be run; empty where it can."""
    if not python or not Path(python).exists():
        return "there is no Python environment for it"
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('ns') is None)"
    return "it is not installed" if subprocess.run([python, "-c", code], check=False).returncode else ""


def ns3_version(python: str) -> str:
    """The wheel's version."""
    code = "import importlib.metadata as m; print(m.version('ns3'))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


class Ns3:
    """A script that ns-3's Python runs; `given` is what it reads, as JSON."""

    def __init__(self, python: str, script: Path, *arguments: object, given: Any = None) -> None:
        self.script = script
        command = [python, str(script), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin
        json.dump(given, self.process.stdin)
        self.process.stdin.close()

    def answers(self) -> Iterator[Any]:
        """JSON values that the process prints, one per line; skips the other output of its bindings."""
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(("{", "[{")):
                yield json.loads(line)
        if status := self.process.wait():
            raise SystemExit(f"{self.script.name} ended with status {status}")

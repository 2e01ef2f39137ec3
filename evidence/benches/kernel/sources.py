"""Compiles files of Linux's source for user space, outside this repository, with a driver and a shim of our own."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]


def version(kernel: Path) -> str:
    """Version of a tree of the kernel's sources."""
    lines = (kernel / "Makefile").read_text().splitlines()[:8]
    said = dict(re.findall(r"^(\w+) = (\S+)$", "\n".join(lines), flags=re.MULTILINE))
    return ".".join(said[key] for key in ("VERSION", "PATCHLEVEL", "SUBLEVEL"))


def compile_driver(here: Path, sources: dict[str, str], folder: Path) -> str:
    """Compiles `driver.c` and `shim.h` of a folder around sources of the kernel, by name; returns the program's path.

    Other headers that the sources include are empty.
    """
    for name, text in sources.items():
        (folder / "sources" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "sources" / name).write_text(text)
        for header in re.findall(r'#include [<"]([^>"]+)[>"]', text):
            if header not in sources:
                (folder / "standins" / header).parent.mkdir(parents=True, exist_ok=True)
                (folder / "standins" / header).touch()
    program = str(folder / "kernel")
    paths = ["-I", folder / "standins", "-I", folder / "sources", "-include", here / "shim.h"]
    # The kernel counts on wrapping integers.
    command = [os.environ.get("CC", "cc"), "-O2", "-fwrapv", "-w", *map(str, paths), str(here / "driver.c")]
    subprocess.run([*command, "-o", program], check=True)
    return program


def histories(program: str, first: int, count: int, steps: int, *more: str) -> list[str]:
    """Histories that a program prints, one a line; with "verbose" as more, one line a step."""
    words = [program, str(first), str(count), str(steps), *more]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def cut(text: str, start: str, end: str) -> str:
    """A part of a text, from `start` to before `end`."""
    at = text.index(start)
    return text[at : text.index(end, at)]


def compare(lines: list[str], folder: Path, crate: str, test: str, variable: str) -> None:
    """Lets a test of `crate` compare histories with ours: it reads them from the file that `variable` names."""
    file = folder / "histories"
    file.write_text("\n".join(lines) + "\n")
    command = ["cargo", "test", "--quiet", "--locked", "-p", crate, "--lib", "--", "--ignored", "--nocapture"]
    environment = {**os.environ, variable: str(file)}
    run = subprocess.run([*command, test], env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode or f"compared {len(lines)} histories" not in run.stdout:
        raise SystemExit(run.stdout + run.stderr)


def write(page: Path, template: Path, texts: dict[str, str]) -> None:
    """Writes a page from its template, with `texts` in the place of their keys."""
    text = template.read_text()
    for key, value in texts.items():
        text = text.replace(f"@{key}@", value)
    page.write_text(text)
    print(page.relative_to(ROOT))

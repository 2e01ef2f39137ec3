"""Compares random histories of Minstrel-HT with Linux's own code and writes docs/measured/validation/minstrel.md.

python benches/wifi/minstrel/validate.py --kernel LINUX [--histories 100000]. The kernel's two files are copied into a
temporary folder and compiled there with `shim.h` and `driver.c`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from benches.start import example  # noqa: E402

HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "measured" / "validation" / "minstrel.md"
VECTORS = ROOT / "crates" / "sim" / "tests" / "it" / "minstrel"
FILES = ("rc80211_minstrel_ht.c", "rc80211_minstrel_ht.h")
REPORTS = 200
#: Histories of one call of each program.
BATCH = 5000


def version(kernel: Path) -> str:
    """Version of a tree of the kernel's sources."""
    lines = (kernel / "Makefile").read_text().splitlines()[:8]
    said = dict(re.findall(r"^(\w+) = (\S+)$", "\n".join(lines), flags=re.MULTILINE))
    return ".".join(said[key] for key in ("VERSION", "PATCHLEVEL", "SUBLEVEL"))


def compile_kernel(kernel: Path, folder: Path) -> str:
    """Compiles the driver around the kernel's files; returns its path."""
    sources, standins = folder / "sources", folder / "standins"
    sources.mkdir()
    for name in FILES:
        text = (kernel / "net" / "mac80211" / name).read_text()
        (sources / name).write_text(text)
        for header in re.findall(r'#include [<"]([^>"]+)[>"]', text):
            if header not in FILES:
                (standins / header).parent.mkdir(parents=True, exist_ok=True)
                (standins / header).touch()
    program = folder / "kernel"
    compiler = os.environ.get("CC", "cc")
    # The kernel counts on wrapping integers.
    command = [compiler, "-O2", "-fwrapv", "-w", "-include", HERE / "shim.h", "-I", standins, "-I", sources]
    subprocess.run([*map(str, command), str(HERE / "driver.c"), "-o", str(program)], check=True)
    return str(program)


def histories(program: str, first: int, count: int, reports: int = REPORTS, *more: str) -> list[str]:
    """Histories that a program prints."""
    words = [program, str(first), str(count), str(reports), *more]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def explain(kernel: str, ours: str, seed: int) -> str:
    """The first report of a history in which the two differ."""
    both = zip(
        histories(kernel, seed, 1, REPORTS, "verbose"), histories(ours, seed, 1, REPORTS, "verbose"), strict=True
    )
    theirs, own = next((a, b) for a, b in both if a != b)
    return f"Linux    {theirs}\nWindward {own}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel", type=Path, required=True, help="folder of Linux's source")
    parser.add_argument("--histories", type=int, default=100_000)
    parser.add_argument("--vectors", action="store_true", help="write the vectors of the regression test too")
    options = parser.parse_args()
    ours = example("minstrel")
    with tempfile.TemporaryDirectory() as folder:
        kernel = compile_kernel(options.kernel, Path(folder))
        if options.vectors:
            (VECTORS / "vectors.txt").write_text("\n".join(histories(kernel, 1, 200)) + "\n")
            (VECTORS / "numbers.txt").write_text("\n".join(histories(kernel, 1, 3, 40, "verbose")) + "\n")
        start = time.monotonic()
        for first in range(1, options.histories + 1, BATCH):
            count = min(BATCH, options.histories + 1 - first)
            theirs, own = histories(kernel, first, count), histories(ours, first, count)
            if len(theirs) != count or len(own) != count:
                raise SystemExit(f"{len(theirs)} and {len(own)} histories of {count}")
            for at, (a, b) in enumerate(zip(theirs, own, strict=True)):
                if a != b:
                    raise SystemExit(f"history {first + at} differs:\n{explain(kernel, ours, first + at)}")
        print(f"{options.histories} histories in {time.monotonic() - start:.0f} s")
        shown = [line.split() for line in histories(kernel, 1, 1000, REPORTS, "verbose")]
    probes = sum(words[14] == "1" for words in shown) / len(shown)
    page = (HERE / "minstrel.md.in").read_text()
    texts = {
        "linux": version(options.kernel),
        "histories": f"{options.histories:,}".replace(",", " "),
        "reports": str(REPORTS),
        "all": f"{options.histories * REPORTS:,}".replace(",", " "),
        "probes": f"{100 * probes:.0f} %",
        "numbers": f"{sum(len(words) - 2 for words in shown) / len(shown):.0f}",
    }
    for key, text in texts.items():
        page = page.replace(f"@{key}@", text)
    PAGE.write_text(page)
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    if shutil.which(os.environ.get("CC", "cc")) is None:
        raise SystemExit("a C compiler is missing: set CC")
    main()

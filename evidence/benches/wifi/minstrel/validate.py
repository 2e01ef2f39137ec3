"""Compares random histories of Minstrel-HT with Linux's own code and writes evidence/measured/validation/minstrel.md.

python evidence/benches/wifi/minstrel/validate.py --kernel LINUX [--histories 100000].
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[4]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.kernel.sources import compile_driver, histories, version, write  # noqa: E402
from benches.start import example  # noqa: E402

HERE = Path(__file__).parent
PAGE = ROOT / "evidence" / "measured" / "validation" / "minstrel.md"
VECTORS = ROOT / "crates" / "sim" / "tests" / "it" / "minstrel"
REPORTS = 200
#: Histories of one call of each program.
BATCH = 5000


def explain(kernel: str, ours: str, seed: int) -> str:
    """The first report of a history in which the two differ."""
    theirs, own = (histories(program, seed, 1, REPORTS, "verbose") for program in (kernel, ours))
    first, second = next((a, b) for a, b in zip(theirs, own, strict=True) if a != b)
    return f"Linux    {first}\nWindward {second}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel", type=Path, required=True, help="folder of Linux's source")
    parser.add_argument("--histories", type=int, default=100_000)
    parser.add_argument("--vectors", action="store_true", help="write the vectors of the regression test too")
    options = parser.parse_args()
    ours = example("minstrel")
    names = ("rc80211_minstrel_ht.c", "rc80211_minstrel_ht.h")
    sources = {name: (options.kernel / "net" / "mac80211" / name).read_text() for name in names}
    with tempfile.TemporaryDirectory() as folder:
        kernel = compile_driver(HERE, sources, Path(folder))
        if options.vectors:
            (VECTORS / "vectors.txt").write_text("\n".join(histories(kernel, 1, 200, REPORTS)) + "\n")
            (VECTORS / "numbers.txt").write_text("\n".join(histories(kernel, 1, 3, 40, "verbose")) + "\n")
        start = time.monotonic()
        for first in range(1, options.histories + 1, BATCH):
            count = min(BATCH, options.histories + 1 - first)
            theirs, own = (histories(program, first, count, REPORTS) for program in (kernel, ours))
            if len(theirs) != count or len(own) != count:
                raise SystemExit(f"{len(theirs)} and {len(own)} histories of {count}")
            for at, (a, b) in enumerate(zip(theirs, own, strict=True)):
                if a != b:
                    raise SystemExit(f"history {first + at} differs:\n{explain(kernel, ours, first + at)}")
        print(f"{options.histories} histories in {time.monotonic() - start:.0f} s")
        shown = [line.split() for line in histories(kernel, 1, 1000, REPORTS, "verbose")]
    probes = sum(words[14] == "1" for words in shown) / len(shown)
    texts = {
        "linux": version(options.kernel),
        "histories": f"{options.histories:,}".replace(",", " "),
        "reports": str(REPORTS),
        "all": f"{options.histories * REPORTS:,}".replace(",", " "),
        "probes": f"{100 * probes:.0f} %",
        "numbers": f"{sum(len(words) - 2 for words in shown) / len(shown):.0f}",
    }
    write(PAGE, HERE / "minstrel.md.in", texts)


if __name__ == "__main__":
    main()

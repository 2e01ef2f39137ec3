"""Compares random histories of CAKE with Linux's own code, writes evidence/measured/validation/cake.md.

python evidence/benches/sim/cake/validate.py --kernel LINUX [--histories 5000].
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[4]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.kernel.sources import compare, compile_driver, cut, histories, version, write  # noqa: E402

HERE = Path(__file__).parent
PAGE = ROOT / "evidence" / "measured" / "validation" / "cake.md"
VECTORS = ROOT / "crates" / "elements" / "src" / "queue" / "cake" / "tests" / "linux.txt"
STEPS = 200
#: What compares, and the variable that names the file of histories.
TEST = ("windward-elements", "queue::cake::tests::linux::many_histories_are_those_of_linux", "WINDWARD_CAKE_HISTORIES")
#: Signs of the driver.
DROPPED, TAKEN = "2130706433", "2130706434"


def sources(kernel: Path) -> dict[str, str]:
    """The parts of the kernel's file that queue, schedule, shape and drop."""
    text = (kernel / "net" / "sched" / "sch_cake.c").read_text()
    first = [
        cut(text, "#define CAKE_SET_WAYS", "static bool cake_update_flowkeys("),
        cut(text, "static bool cake_dsrc(", "static struct iphdr *cake_get_iphdr("),
        cut(text, "static u64 cake_ewma(", "static unsigned int cake_drop("),
    ]
    rest = [
        cut(text, "static u8 cake_handle_diffserv(", "static void cake_reset("),
        cut(text, "static void cake_set_rate(", "static int cake_change("),
        cut(text, "static int cake_init(", "static int cake_dump("),
    ]
    drop = cut(text, "static unsigned int cake_drop(", "static u8 cake_handle_diffserv(")
    return {
        "first.h": "\n".join(first),
        "drop.h": drop.replace("cake_drop(", "cake_drop_one(", 1),
        "rest.h": "\n".join(rest),
    }


def count(lines: list[str]) -> Counter[str]:
    """Numbers of packets dropped, taken and marked in verbose histories."""
    counts: Counter[str] = Counter()
    for line in lines:
        words = line.split()
        # The seed stands before the first step.
        at = 1 if len(words) > 1 and words[1] in (DROPPED, TAKEN) and words[0] not in (DROPPED, TAKEN) else 0
        while len(words) > at and words[at] in (DROPPED, TAKEN):
            if words[at] == DROPPED:
                counts["dropped"] += 1
                at += 2
            else:
                counts["taken"] += 1
                counts["marked"] += int(words[at + 2])
                at += 3
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel", type=Path, required=True, help="folder of Linux's source")
    parser.add_argument("--histories", type=int, default=5_000)
    parser.add_argument("--vectors", action="store_true", help="write the vectors of the regression test too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        driver = compile_driver(HERE, sources(options.kernel), Path(folder))
        if options.vectors:
            VECTORS.write_text("\n".join(histories(driver, 1, 60, STEPS)) + "\n")
        lines = histories(driver, 1, options.histories, STEPS)
        compare(lines, Path(folder), *TEST)
        counts = count(histories(driver, 1, 500, STEPS, "verbose"))
    steps = sum(len(line.split()) - 1 for line in lines)
    packets = counts["taken"] + counts["dropped"]
    texts = {
        "linux": version(options.kernel),
        "histories": f"{options.histories:,}".replace(",", " "),
        "all": f"{steps:,}".replace(",", " "),
        "dropped": f"{100 * counts['dropped'] / packets:.0f} %",
        "marked": f"{100 * counts['marked'] / packets:.1f} %",
    }
    write(PAGE, HERE / "cake.md.in", texts)


if __name__ == "__main__":
    main()

"""Compares random histories of the Wi-Fi queues with Linux's own code, writes measured/validation/wifi-queues.md.

python evidence/benches/wifi/txq/validate.py --kernel LINUX [--histories 20000].
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
PAGE = ROOT / "evidence" / "measured" / "validation" / "wifi-queues.md"
VECTORS = ROOT / "crates" / "radio" / "src" / "wifi" / "txq" / "tests" / "linux.txt"
STEPS = 200
#: What compares, and the variable that names the file of histories.
TEST = ("windward-radio", "wifi::txq::tests::linux::many_histories_are_those_of_linux", "WINDWARD_TXQ_HISTORIES")
#: Signs of the driver, and how many numbers follow each.
DROPPED, TAKEN = 1001, 1002


def sources(kernel: Path) -> dict[str, str]:
    """The kernel's headers, and its functions around transmit queues."""
    mac = kernel / "net" / "mac80211"
    tx, sta = (mac / "tx.c").read_text(), (mac / "sta_info.c").read_text()
    end = "\n}\n"
    functions = [
        cut((mac / "ieee80211_i.h").read_text(), "static inline bool\nieee80211_sta_keep_active(", end) + end,
        cut(sta, "void ieee80211_sta_register_airtime(", end) + end,
        cut(sta, "void ieee80211_sta_update_pending_airtime(", end) + end,
        cut(tx, "static u32 codel_skb_len_func(", "static void ieee80211_txq_enqueue("),
        cut(tx, "static inline s32 ieee80211_sta_deficit(", "bool ieee80211_txq_may_transmit("),
        cut(tx, "void ieee80211_txq_schedule_start(", "EXPORT_SYMBOL(ieee80211_txq_schedule_start);"),
    ]
    airtime = cut((mac / "airtime.c").read_text(), "#define AVG_PKT_SIZE", "static u32\nieee80211_calc_legacy_rate")
    headers = ("net/fq.h", "net/fq_impl.h", "net/codel.h", "net/codel_impl.h")
    texts = {name: (kernel / "include" / name).read_text() for name in headers}
    return {**texts, "mac80211.h": "\n".join(functions), "airtime.h": airtime}


def count(lines: list[str]) -> Counter[str]:
    """Numbers of packets dropped, taken and marked in verbose histories."""
    counts: Counter[str] = Counter()
    for line in lines:
        numbers = [int(word) for word in line.partition(":")[2].split()]
        while numbers[0] in (DROPPED, TAKEN):
            if numbers[0] == DROPPED:
                counts["dropped"] += 1
                del numbers[:2]
            else:
                counts["taken"] += 1
                counts["marked"] += numbers[3]
                del numbers[:4]
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel", type=Path, required=True, help="folder of Linux's source")
    parser.add_argument("--histories", type=int, default=20_000)
    parser.add_argument("--vectors", action="store_true", help="write the vectors of the regression test too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        driver = compile_driver(HERE, sources(options.kernel), Path(folder))
        if options.vectors:
            VECTORS.write_text("\n".join(histories(driver, 1, 100, STEPS)) + "\n")
        compare(histories(driver, 1, options.histories, STEPS), Path(folder), *TEST)
        counts = count(histories(driver, 1, 1000, STEPS, "verbose"))
    all_packets = counts["taken"] + counts["dropped"]
    texts = {
        "linux": version(options.kernel),
        "histories": f"{options.histories:,}".replace(",", " "),
        "steps": str(STEPS),
        "all": f"{options.histories * STEPS:,}".replace(",", " "),
        "dropped": f"{100 * counts['dropped'] / all_packets:.0f} %",
        "marked": f"{100 * counts['marked'] / all_packets:.0f} %",
    }
    write(PAGE, HERE / "wifi-queues.md.in", texts)


if __name__ == "__main__":
    main()

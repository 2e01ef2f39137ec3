"""Times the coding of blocks beside other libraries, and writes evidence/measured/benchmarks/coding.md.

    python evidence/benches/coding/bench.py

The contenders run in one process of Rust (evidence/benches/coding/peers), which fetches and builds them; ISA-L takes
part where it is installed (Debian: apt install libisal2).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "coding.md"
PEERS = Path(__file__).parent / "peers"
#: Whom ratios are to.
MEASURE = {"encode": "ISA-L, its tables prepared", "decode": "rlnc-simdx"}

PAGE_TEXT = """\
# Speed of network coding

<!-- Generated: make bench -->

Blocks of k packets of 1000 bytes over GF(2⁸): *encode* makes k random combinations, *decode* takes k and gives the
packets back, rank checks included. MB of packets made for each second of CPU; in brackets, beside {measures}.
Written by `make bench` on a shared virtual machine with {cores} cores: read the ratios. All take turns in one process,
{rounds} rounds; medians.

## Encode

{encode}

## Decode

{decode}

`windward` uses the first of its kernels that the machine has; the others are forced. What each library makes is checked
before it is timed: ISA-L's combinations are ours, byte for byte. ISA-L has no decoder that eliminates as packets come.
rlnc-simdx computes modulo 0x11B. `rlnc` draws its coefficients itself, as rlnc-simdx does when it encodes. `gf256`
multiplies its elements one by one.
"""


def main() -> None:
    """Runs the race and writes the page."""
    command = ["cargo", "run", "--release", "--quiet", "--locked"]
    command += ["--manifest-path", str(PEERS / "Cargo.toml"), "--target-dir", str(ROOT / "target" / "coding")]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    tables = {what: table([result for result in results if result["what"] == what], what) for what in MEASURE}
    measures = f"{MEASURE['encode']}, and {MEASURE['decode']} for decoding"
    PAGE.write_text(PAGE_TEXT.format(measures=measures, cores=os.cpu_count(), rounds=31, **tables), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


def table(results: list[dict[str, object]], what: str) -> str:
    """A row for each contender, a column for each k."""
    rates = {(str(result["who"]), int(str(result["packets"]))): float(str(result["mb_s"])) for result in results}
    names = list(dict.fromkeys(name for name, _ in rates))
    sizes = sorted({packets for _, packets in rates})
    lines = ["| | " + " | ".join(f"k = {size}" for size in sizes) + " |", "|---|" + "---|" * len(sizes)]
    for name in names:
        cells = [cell(rates[name, size], rates.get((MEASURE[what], size))) for size in sizes]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(rate: float, measure: float | None) -> str:
    """A rate, and how often it is the measure's."""
    return f"{rate:.0f}" + (f" ({rate / measure:.2f})" if measure else "")


if __name__ == "__main__":
    main()

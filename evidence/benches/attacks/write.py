"""Runs every case with and without its attack, and every search with a known answer: evidence/measured/attacks.md.

`--kernels N` runs each find N times between kernels, in real time and as root.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cases import CASES, Case
from oracles import ORACLES, Oracle

import windward as ww
from windward.results.stats import mean_and_interval

PAGE = Path(__file__).parents[3] / "evidence" / "measured" / "attacks.md"
SEEDS = 5


def amount(values: list[float]) -> str:
    """Mean over the seeds with its 95 % confidence interval; seeds that are one run have none."""
    mean, error = mean_and_interval(values)
    return f"{mean:.3g}" if not error > 1e-6 * abs(mean) else f"{mean:.3g} ± {error:.2g}"


def row(case: Case) -> str:
    """A line of the table."""
    attacked = case.attacked()
    with_attack, without = (case.measure(one.simulate(seeds=SEEDS)) for one in (attacked, case.clean(attacked)))
    expected = f"{case.expected:.3g} ({case.source})" if case.expected is not None else "–"
    print(case.law, case.file, amount(without), amount(with_attack), expected, file=sys.stderr)
    cells = [
        f"[{case.law}](../../docs/reference/laws/{case.law}.md)",
        f"{case.attack} (`{case.file}.toml`)",
        case.figure,
        amount(without),
        amount(with_attack),
        expected,
    ]
    return f"| {' | '.join(cells)} |"


def found(oracle: Oracle, output: Path, kernels: int) -> str:
    """A line of the table of searches."""
    before = time.process_time()
    attack = oracle.attack(output, confirm=kernels if oracle.is_found else 0)
    seconds = time.process_time() - before
    about = attack.summary
    wrong = oracle.wrong(attack)
    print(oracle.name, wrong or "as known", file=sys.stderr)
    cells = [
        oracle.name,
        about["says"],
        ", ".join(f"`{own}`" for own in oracle.within),
        strength(about, about["found"]["value"] if attack.is_found else about["closest"]),
        ("found" if attack.is_found else "not found") + ("" if wrong is None else f", **{wrong}**"),
        str(about["trials"]),
        f"{seconds:.0f}",
        between_kernels(about),
    ]
    return f"| {' | '.join(cells)} |"


def strength(about: dict[str, Any], value: float) -> str:
    """The figure of a search, with its unit."""
    if about["unit"] == "bit/s":
        return f"{value / 1e6:.3g} Mbit/s"
    return f"{1e3 * value:.3g} ms" if about["unit"] == "s" else f"{value:.3g}"


def between_kernels(about: dict[str, Any]) -> str:
    """The verdict of the kernels on a find."""
    kernels = (about["found"] or {}).get("kernels")
    if kernels is None:
        return "–"
    if "skipped" in kernels:
        return "not tried"
    values = ", ".join(strength(about, value) for value in kernels["values"])
    verdict = "confirmed" if kernels["is_confirmed"] else "other rates" if kernels["held"] else "simulator only"
    return f"{verdict} ({values}){'; timing not trustworthy' if kernels['problems'] else ''}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=0)
    kernels = parser.parse_args().kernels
    template = (Path(__file__).parent / "attacks.md.in").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        searches = [found(own, Path(folder) / str(at), kernels) for at, own in enumerate(ORACLES)]
    page = template.replace("@rows@", "\n".join(map(row, CASES))).replace("@version@", ww.__version__)
    page = page.replace("@searches@", "\n".join(searches)).replace("@kernels@", str(kernels))
    PAGE.write_text(page.replace("@seeds@", str(SEEDS)), encoding="utf-8")


if __name__ == "__main__":
    main()

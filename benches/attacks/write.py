"""Runs every case with and without its attack: docs/measured/attacks.md."""

from __future__ import annotations

import sys
from pathlib import Path

from cases import CASES, Case

import windward as ww
from windward.results.stats import mean_and_interval

PAGE = Path(__file__).parents[2] / "docs" / "measured" / "attacks.md"
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
        f"[{case.law}](../reference/laws/{case.law}.md)",
        f"{case.attack} (`{case.file}.toml`)",
        case.figure,
        amount(without),
        amount(with_attack),
        expected,
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    template = (Path(__file__).parent / "attacks.md.in").read_text(encoding="utf-8")
    page = template.replace("@rows@", "\n".join(map(row, CASES))).replace("@version@", ww.__version__)
    PAGE.write_text(page.replace("@seeds@", str(SEEDS)), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Pages of measurements: Markdown, what a person wrote into them, and the rows of finished runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from windward.results._files import replace_text


def interval(mean: float, error: float, unit: str = "") -> str:
    """Mean and half width; a run without randomness has none."""
    number = f"{mean:.3g}" if error < 1e-9 * mean else f"{mean:.3g} ± {error:.2g}"
    return f"{number} {unit}".rstrip()


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def between(page: Path, opening: str, closing: str) -> str:
    """Text of a page between two marks, marks included: a new run leaves it as it is."""
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    return opening + old.partition(opening)[2].partition(closing)[0] + closing


def rows_of_seeds(kept: Path, seeds: int, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """A row for each seed: those kept in a file, or those made now, which are kept."""
    if not kept.exists() or len(pd.read_csv(kept)) < seeds:
        kept.parent.mkdir(parents=True, exist_ok=True)
        replace_text(kept, make().to_csv())
        print(kept.stem, flush=True)
    return pd.read_csv(kept).head(seeds)

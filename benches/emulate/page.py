"""Markdown of the pages of measurements: intervals and tables."""

from __future__ import annotations


def interval(mean: float, error: float, unit: str = "") -> str:
    """Mean and half width; a run without randomness has none."""
    number = f"{mean:.3g}" if error < 1e-9 * mean else f"{mean:.3g} ± {error:.2g}"
    return f"{number} {unit}".rstrip()


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

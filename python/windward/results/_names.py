"""Names as figures have room for them. They are data: whatever they hold, they are drawn as they are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

#: What stands for a character that cannot be drawn.
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def drawable(text: str, keep: str = "") -> str:
    """The text without control characters, which neither fonts nor SVG have; those of `keep` stay."""
    return "".join(
        _UNKNOWN if unicodedata.category(char) in ("Cc", "Cs", "Cn", "Co") and char not in keep else char
        for char in text
    )


def shorten(names: Iterable[str], most: int = 36) -> list[str]:
    """The names with at most so many characters: long ones lose their middle, and still differ."""
    shown: list[str] = []
    counts: dict[str, int] = {}
    for name in map(drawable, map(str, names)):
        head = 2 * most // 3
        short = name if len(name) <= most else f"{name[:head]}…{name[head + 1 - most :]}"
        count = counts[short] = counts.get(short, 0) + 1
        shown.append(short if count == 1 else f"{short} ({count})")
    return shown


def one(name: str, most: int = 36) -> str:
    """A single name."""
    return shorten([name], most)[0]

"""The text of an emulated medium: "FIRST,KEY=VALUE,…"."""

from __future__ import annotations

from collections.abc import Sequence

from windward.errors import nearest


def first_and_values(text: str, keys: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The first word, and the values by their keys, which may be written with underscores.

    Raises
    ------
    ValueError
        For an unknown key, one without a value and one given twice.
    """
    first, *parts = (part.strip() for part in text.split(","))
    values: dict[str, str] = {}
    for part in parts:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        key = name.replace("_", "-")
        if key not in keys:
            raise ValueError(f"there is no `{name}`; known: {', '.join(keys)}{nearest(key, keys)}")
        if not equals or not value:
            raise ValueError(f"`{part}`: expected {key}=VALUE")
        if key in values:
            raise ValueError(f"`{key}` is given twice")
        values[key] = value
    return first, values


def written(values: dict[str, str]) -> dict[str, str]:
    """The text of each value, by the key of the scenario."""
    return {key.replace("-", "_"): f"{key}={value}" for key, value in values.items()}


def count(key: str, text: str) -> int:
    """A whole number.

    Raises
    ------
    ValueError
        For other text.
    """
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{key}={text}: expected a whole number")
    return int(text)

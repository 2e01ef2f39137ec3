"""Scenarios as short files: what is written, without defaults."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from typing import Any

from windward._format.vary import split

#: Longer lines of a file are divided.
_WIDTH = 110


def to_toml(written: Mapping[str, Any]) -> str:
    """A scenario of plain values as TOML: one line for each value, and for each entry of a list of tables."""
    lines = []
    for key, value in written.items():
        if isinstance(value, list) and value and all(isinstance(own, Mapping) for own in value):
            entries = [_value(own) for own in value]
            one = f"{_key(key)} = [{', '.join(entries)}]"
            lines += [one] if len(one) <= _WIDTH else [f"{_key(key)} = [", *(f"  {own}," for own in entries), "]"]
        else:
            lines.append(f"{_key(key)} = {_value(value)}")
    return "\n".join(lines) + "\n"


def without(written: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The scenario without a field, named by its path through names or numbers."""
    *inner, last = split(path)
    found: dict[str, Any] = copy.deepcopy(dict(written))
    table: Any = found
    for part in inner:
        if isinstance(table, list):
            named = [own for own in table if own.get("name") == part]
            table = named[0] if named else table[int(part)]
        else:
            table = table[part]
    table.pop(last, None)
    return found


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(own)}" for key, own in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    # A string of JSON is one of TOML, but for what stands outside of the basic plane.
    return json.dumps(value, ensure_ascii=False)

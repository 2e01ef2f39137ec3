"""Fields that are whole numbers, by the schema of the format: a range of one has no value between two of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from windward import _engine

#: Unit of amounts that may be packets, and another that such a field takes beside it where packets come whole.
_PACKETS, _BYTES = "packets", "kB"


@cache
def is_whole(parts: tuple[str, ...], unit: str) -> bool:
    """Returns true if a field takes whole numbers alone.

    Parameters
    ----------
    parts
        The field's path in its parts; which entry of a list it is of does not matter.
    unit
        Unit in which its values are written. Of buffers and windows, packets come whole.
    """
    schema = _engine.schema()
    found = list(_forms(schema, schema))
    for part in parts:
        inner = [form.get("items", form.get("properties", {}).get(part)) for form in found]
        found = [form for each in inner if isinstance(each, Mapping) for form in _forms(each, schema)]
    if unit == _PACKETS:
        patterns = [str(form["pattern"]) for form in found if "pattern" in form]
        return any(_PACKETS in pattern and _BYTES in pattern for pattern in patterns)
    kinds = {kind for form in found for kind in _kinds(form)}
    return not unit and "integer" in kinds and "number" not in kinds


def _forms(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The forms that a value may have, each of its own."""
    if "$ref" in node:
        yield from _forms(schema["$defs"][str(node["$ref"]).rpartition("/")[2]], schema)
    alternatives: Sequence[Mapping[str, Any]] = [*node.get("anyOf", []), *node.get("oneOf", [])]
    for form in alternatives:
        yield from _forms(form, schema)
    if "$ref" not in node and not alternatives:
        yield node


def _kinds(form: Mapping[str, Any]) -> list[str]:
    kind = form.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)

"""The fields of a scenario as what a page shows sliders, choices and boxes for: made from the format's schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from windward import _engine

#: What a scenario has lists of, in the order in which a page shows them.
_LISTS = ("link", "cell", "wifi", "region", "flow", "app", "background")

#: What is shown of the scenario itself.
_OWN = ("duration", "warmup")

#: Properties of no experiment: names and ways.
_UNSHOWN = {"name", "from", "to", "via", "return_via", "class", "title", "cite", "seeds", "output", "kind"}

_QUANTITY = re.compile(r"\(([^()|\\\s]+(?:\|[^()|\\\s]+)*)\)\\s\*")

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]


def groups(scenario: Mapping[str, Any], written: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields in groups: the scenario's own, then those of each link, each flow, ….

    Parameters
    ----------
    scenario
        The scenario as resolved, defaults written out.
    written
        The same as its author wrote it: these fields are shown first.
    """
    schema = _engine.schema()
    properties = schema["properties"]
    own = [
        field
        for name in _OWN
        if name in scenario
        for field in _fields(properties[name], scenario[name], (name,), name, is_written=True)
    ]
    found = [{"title": "Run", "kind": "run", "fields": own}]
    for kind in _LISTS:
        entries, theirs = scenario.get(kind, []), written.get(kind, [])
        for at, entry in enumerate(entries):
            other = theirs[at] if at < len(theirs) else {}
            title = str(entry.get("name") or f"{entry.get('from', '')}->{entry.get('to', '')}".strip("->") or kind)
            # A list may have tables of several kinds, as applications and cells are.
            items = [*_variants(_resolved(properties[kind])["items"])]
            chosen = _variant(items, entry, "kind" if "kind" in entry and len(items) > 1 else None)
            fields = [*_of_table(chosen, entry, (kind, at), other)]
            if fields:
                found.append({"title": title, "kind": kind, "fields": fields})
    return found


def _of_table(schema: Schema, table: Mapping[str, Any], path: Path, written: Any) -> Iterator[dict[str, Any]]:
    """The fields of a table, those of the tables in it too."""
    schema = _resolved(schema)
    for name, value in table.items():
        # Tables with names of one's own, such as a formula's constants, have one schema for all.
        inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
        if name in _UNSHOWN or not isinstance(inner, Mapping):
            continue
        is_written = isinstance(written, Mapping) and name in written
        of = written[name] if is_written else {}
        for field in _fields(inner, value, (*path, name), name, is_written=is_written, written=of):
            # A rule's buffer is not the player's.
            is_inner = len(field["path"]) > len(path) + 1 and field["name"] in table
            yield field | ({"name": f"{name} {field['name']}"} if is_inner else {})


def _fields(
    schema: Schema, value: Any, path: Path, name: str, *, is_written: bool, written: Any = None
) -> Iterator[dict[str, Any]]:
    """The fields of one entry: itself, or what is in it."""
    about = {"path": list(path), "name": name, "about": _about(schema), "isWritten": is_written}
    variants = [*_variants(schema)]
    if isinstance(value, Mapping):
        tag = next((key for key in ("name", "kind") if isinstance(value.get(key), str)), None)
        variant = _variant(variants, value, tag)
        if tag is not None:
            choices = list(dict.fromkeys(_tags(variants, tag)))
            if value[tag] in choices and len(choices) > 1:
                # A choice of another kind takes that kind's own defaults.
                yield about | {"type": "choice", "value": value[tag], "choices": choices, "isTable": tag}
        rest = {key: inner for key, inner in value.items() if key != tag}
        of = written if isinstance(written, Mapping) else {}
        for field in _of_table(variant, rest, path, of):
            # A law's numbers are what one plays with, whoever wrote them.
            field["isWritten"] = field["isWritten"] or ("law" in path and field["type"] in ("number", "integer"))
            yield field | {"name": f"{name} {field['name']}" if tag is None else field["name"]}
    elif isinstance(value, bool):
        yield about | {"type": "switch", "value": value}
    elif isinstance(value, int | float):
        yield about | _number(variants, value)
    elif isinstance(value, str):
        known = [choice for variant in variants for choice in variant.get("enum", [variant.get("const")])]
        choices = [choice for choice in known if choice is not None]
        if value in choices:
            tagged = [*_tags(variants, "name"), *_tags(variants, "kind")]
            yield about | {"type": "choice", "value": value, "choices": list(dict.fromkeys([*choices, *tagged]))}
        elif (quantity := _quantity(variants, value)) is not None:
            yield about | quantity


def _number(variants: Sequence[Schema], value: float) -> dict[str, Any]:
    bounds = [variant for variant in variants if _types(variant) & {"number", "integer"}]
    low = next((variant["minimum"] for variant in bounds if "minimum" in variant), None)
    high = next((variant["maximum"] for variant in bounds if "maximum" in variant), None)
    is_whole = any("integer" in _types(variant) for variant in bounds)
    above = next((variant["exclusiveMinimum"] for variant in bounds if "exclusiveMinimum" in variant), None)
    # A probability beside which per cent are allowed.
    has_percent = any("%" in variant.get("pattern", "") for variant in variants)
    if has_percent:
        return {"type": "share", "value": float(value), "low": 0.0, "high": 1.0}
    return {
        "type": "integer" if is_whole and isinstance(value, int) else "number",
        "value": value,
        "low": low if low is not None else above,
        "high": high,
    }


def _types(variant: Schema) -> set[str]:
    types = variant.get("type", [])
    return {types} if isinstance(types, str) else set(types)


def _quantity(variants: Sequence[Schema], value: str) -> dict[str, Any] | None:
    """A number with a unit: its worth, and what each of the units is worth."""
    read = _engine.quantity(value)
    for variant in variants:
        found = _QUANTITY.search(variant.get("pattern", ""))
        if found is None:
            continue
        units = {unit: worth for unit in found[1].split("|") if (worth := _worth(unit)) is not None}
        if read is None:
            return {"type": "text", "value": value, "units": list(units)} if units else None
        unit = re.sub(r"^[\s\d.eE+_-]+", "", value).strip()
        if unit not in units:
            continue
        kind = _engine.quantity(f"1 {unit}")
        # Packets, bytes and time are worth nothing in one another.
        family = {name: worth for name, worth in units.items() if kind and _base(name) == kind[1]}
        return {"type": "quantity", "value": value, "worth": read[0], "unit": unit, "units": family}
    return None


@cache
def _worth(unit: str) -> float | None:
    one = _engine.quantity(f"1 {unit}")
    return None if one is None else one[0]


@cache
def _base(unit: str) -> str | None:
    one = _engine.quantity(f"1 {unit}")
    return None if one is None else one[1]


@cache
def _definitions() -> Mapping[str, Schema]:
    definitions: Mapping[str, Schema] = _engine.schema()["$defs"]
    return definitions


def _resolved(schema: Schema) -> Schema:
    while "$ref" in schema:
        schema = _definitions()[schema["$ref"].rpartition("/")[2]]
    return schema


def _about(schema: Schema) -> str:
    """Documentation of a field in the format."""
    own = schema.get("description") or _resolved(schema).get("description", "")
    return " ".join(str(own).split())


def _variants(schema: Schema) -> Iterator[Schema]:
    """Possible types of a value, including nested alternatives."""
    schema = _resolved(schema)
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if not inner:
        yield schema
    for one in inner:
        yield from _variants(one)


def _tags(variants: Sequence[Schema], tag: str) -> Iterator[str]:
    """The names of the kinds that a table may be of."""
    for variant in variants:
        const = variant.get("properties", {}).get(tag, {}).get("const")
        # What is written in Python has no place on a page.
        if const is not None and const != "python":
            yield const


def _variant(variants: Sequence[Schema], value: Mapping[str, Any], tag: str | None) -> Schema:
    """The kind of table that a value is."""
    tables = [variant for variant in variants if "properties" in variant]
    if tag is not None:
        for variant in tables:
            if variant["properties"].get(tag, {}).get("const") == value[tag]:
                return variant
    # A table with names of one's own has no properties.
    free = next((variant for variant in variants if isinstance(variant.get("additionalProperties"), Mapping)), {})
    return next(
        (variant for variant in tables if set(value) <= set(variant["properties"])), tables[0] if tables else free
    )

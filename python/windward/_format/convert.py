"""Dataclasses to the plain values of a scenario file, and back."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

Fields = dict[str, Any]

#: Types of most values. Recorded rates are lists of tens of thousands of numbers.
_SIMPLE = frozenset({str, int, float, bool})


def to_plain(value: Any, name_class: Callable[[Any], str]) -> Any:
    """A dataclass as a dict without absent fields; `name_class` names what is a Python object: laws, schedulers."""
    if is_dataclass(value) and not isinstance(value, type):
        plain = dict([value.TAG]) if hasattr(value, "TAG") else {}
        for field in fields(value):
            item = getattr(value, field.name)
            if field.metadata.get("rest"):
                plain.update(item)
            elif item is not None and not field.metadata.get("local"):
                plain[_key(field)] = to_plain(item, name_class)
                if field.name == "scheduler" and callable(item):
                    plain[_key(field)] = {"kind": "python", "class": name_class(item)}
                if field.name == "class_" and callable(item):
                    plain[_key(field)] = name_class(item)
        return plain
    if isinstance(value, str | int | float | bool | Mapping):
        return value
    if isinstance(value, Sequence):
        return [item if type(item) in _SIMPLE else to_plain(item, name_class) for item in value]
    if callable(value):
        return {"name": "python", "class": name_class(value)}
    # What is no value of a scenario is refused by the reader, which says where it stands.
    return repr(value)


def from_plain(kind: Any, value: Any) -> Any:
    """The value of type `kind` that a scenario file, already checked, says."""
    if get_origin(kind) in (Union, types.UnionType):
        if isinstance(value, dict):
            return from_plain(next(member for member in get_args(kind) if _fits(member, value)), value)
        sequence = next((member for member in get_args(kind) if get_origin(member) is Sequence), None)
        return from_plain(sequence, value) if sequence and isinstance(value, list) else value
    if get_origin(kind) is Sequence:
        return tuple(from_plain(get_args(kind)[0], item) for item in value)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        rest = dict(value)
        if hasattr(kind, "TAG"):
            rest.pop(kind.TAG[0])
        given = {}
        for field in fields(kind):
            if field.metadata.get("rest"):
                given[field.name] = rest
            elif _key(field) in rest:
                given[field.name] = from_plain(hints[field.name], rest.pop(_key(field)))
        return kind(**given)
    return value


def _key(field: Field[Any]) -> str:
    key: str = field.metadata.get("key", field.name)
    return key


def _fits(kind: Any, value: Fields) -> bool:
    """Returns true if a table is of this dataclass, by its tag or by a required field."""
    if not is_dataclass(kind):
        return get_origin(kind) in (Union, types.UnionType) and any(_fits(member, value) for member in get_args(kind))
    if hasattr(kind, "TAG"):
        key, word = kind.TAG
        return bool(value.get(key) == word)
    return set(value) <= {_key(field) for field in fields(kind)}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)

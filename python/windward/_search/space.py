"""The fields that a search may change, and the values that it may give them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from windward import _engine
from windward._format.vary import Field, Range, change, label, name_of, quoted, read, read_field, read_values, worth
from windward.errors import OptionError, nearest

#: Ranges of a law's parameters begin and end at most so far from the default: the schema's own may span 12 decades.
_REACH = 1000.0

#: A range that spans more than this is searched on a logarithmic scale.
_SPAN = 100.0

#: Fields of receivers that cheat, with their values for honest ones: whole numbers, or none at all.
RECEIVERS: Mapping[str, int | None] = {"ack_division": 1, "optimistic_acks": None}

#: Share of the range of a field without a value at rest on which it has one.
_GIVEN = 0.9

#: A formula's constant is searched within this factor of its value.
_NEAR = 10.0

#: How a field of the tuned law begins.
LAW = "law."

#: Name of laws written in Python, whose parameters no schema knows.
OWN = "python"


def find(law: str, option: str = "law", text: str | None = None) -> dict[str, Any]:
    """The schema of a law, which an option gives by itself or within a text.

    Raises
    ------
    OptionError
        For a law that does not exist.
    """
    laws = [own for own in _engine.schema()["$defs"]["LawSpec"]["oneOf"] if "properties" in own]
    known = {own["properties"]["name"]["const"]: own for own in laws}
    if law not in known and all(name.strip() in known for name in law.split(",")):
        hint = f"\nhint: to search among several, vary the field: flow.*.law={law}" if text is None else ""
        raise OptionError((option, law if text is None else text, f"one law is expected{hint}"))
    if law not in known:
        said = f"unknown law `{law}`; laws: {', '.join(known)}{nearest(law, known)}"
        raise OptionError((option, law if text is None else text, said))
    found: dict[str, Any] = known[law]
    return found


def parameters(law: str) -> list[Field]:
    """All parameters of a law that are numbers, with the ranges of its schema, at most 1000 times off the default.

    Raises
    ------
    OptionError
        For a law without numbers, and for one that does not exist.
    """
    if law == OWN:
        said = "a law in Python says nothing of its parameters; choose some, as in 'law.step=0.1..1'"
        raise OptionError(("set", "law.*", said))
    fields = []
    for name, about in find(law)["properties"].items():
        if about.get("type") not in ("number", "integer") or "default" not in about:
            continue
        default, least, most = float(about["default"]), float(about["minimum"]), float(about["maximum"])
        if default > 0:
            least, most = max(least, default / _REACH), min(most, default * _REACH)
        is_log = least > 0 and most / least > _SPAN
        is_whole = about["type"] == "integer"
        spread = Range(start=least, stop=most, unit="", is_log=is_log, is_whole=is_whole)
        fields.append(Field(path=LAW + name, values=(), range=spread))
    if not fields:
        raise OptionError(("law", law, "the law has no parameters that are numbers; choose fields to be varied"))
    return fields


def constants(plain: Mapping[str, Any], flows: Sequence[str]) -> list[Field]:
    """The constants of the flows' formula that are not zero, each from a tenth to ten times its value."""
    own: Mapping[str, Any] = next((each["law"] for each in plain.get("flow", []) if name_of(each) in flows), {})
    fields = []
    for name, now in own.get("constants", {}).items():
        if now:
            least, most = sorted((float(now) / _NEAR, float(now) * _NEAR))
            spread = Range(start=least, stop=most, unit="", is_log=least > 0, is_whole=False)
            fields.append(Field(path=f"{LAW}constants.{name}", values=(), range=spread))
    return fields


def chosen(text: str, laws: Iterable[str]) -> Field:
    """A field and its values or its range, as a sweep takes them; `law.X` within what the laws allow.

    Raises
    ------
    ValueError
        For a field that cannot be varied, and for a range that takes single steps.
    """
    field = read_field(text)
    if is_single(field):
        what = "one value is given" if field.range is None else "the range has one value"
        raise ValueError(f"{text}: {what}; there is nothing to search")
    if field.range is not None and field.path.startswith(LAW):
        for law in laws:
            if law == OWN:
                continue
            about = find(law)["properties"].get(field.path.removeprefix(LAW), {})
            least, most = about.get("minimum", -math.inf), about.get("maximum", math.inf)
            ends = sorted((field.range.start, field.range.stop))
            if not field.range.unit and (ends[0] < least or ends[1] > most):
                raise ValueError(
                    f"{text}: `{field.path.removeprefix(LAW)}` of {law} is allowed from {least} to {most:g}"
                )
    return field


def spread(path: str, values: str, option: str, text: str) -> Field:
    """The range of a field, from within the text of an option.

    Raises
    ------
    OptionError
        For a range that cannot be.
    """
    try:
        return read_values(path, values)
    except ValueError as error:
        raise OptionError((option, text, str(error).removeprefix(f"{path}={values}: "))) from None


def is_single(field: Field) -> bool:
    """Returns true if all values of a field, as a scenario writes them, are one."""
    values = field.values if field.range is None else [field.range.at(at) for at in (0.0, 1.0)]
    return len({label(each) for each in values}) < 2


def value(field: Field, share: float) -> Any:
    """The value of a field at a share of the way through its range, or the choice that lies there."""
    if field.range is None:
        return field.values[min(int(share * len(field.values)), len(field.values) - 1)]
    if is_optional(field):
        if share > _GIVEN:
            return None
        share /= _GIVEN
    return field.range.at(share)


def share_of(field: Field, value: Any) -> float:
    """The share of the way at which a value lies, moved to the nearest end if it lies outside; 0.5 if unknown."""
    if value is None and is_optional(field):
        return 1.0
    if field.range is None:
        labels = [label(each) for each in field.values]
        return (labels.index(label(value)) + 0.5) / len(labels) if label(value) in labels else 0.5
    number, *_ = worth(value)
    one, *_ = worth(f"1 {field.range.unit}" if field.range.unit else 1)
    if number is None or not one:
        return 0.5
    share = min(max(field.range.share(number / one), 0.0), 1.0)
    return share * _GIVEN if is_optional(field) else share


def ends(field: Field) -> list[Any]:
    """The values at both ends of a field's range, and in its middle."""
    return [value(field, at * (_GIVEN if is_optional(field) else 1.0)) for at in (0.0, 0.5, 1.0)]


def is_optional(field: Field) -> bool:
    """Returns true for a field that is left out at rest, and takes values from the strongest to the weakest."""
    key = _key(field)
    return key in RECEIVERS and RECEIVERS[key] is None


def _key(field: Field) -> str:
    return field.path.rpartition(".")[2]


def places(field: Field, flows: Sequence[str]) -> list[str]:
    """The paths of a scenario that a field stands for: `law.X` is a parameter of each tuned flow's law."""
    if not field.path.startswith(LAW):
        return [field.path]
    return of_flows(flows, field.path)


def of_flows(flows: Sequence[str], path: str) -> list[str]:
    """The paths of a field of each flow."""
    return [f"flow.{quoted(name)}.{path}" for name in flows]


def changed(
    plain: Mapping[str, Any], fields: Sequence[Field], values: Sequence[Any], flows: Sequence[str]
) -> dict[str, Any]:
    """The scenario with these values."""
    changes = {path: own for field, own in zip(fields, values, strict=True) for path in places(field, flows)}
    return change(plain, changes)


def current(plain: Mapping[str, Any], field: Field, flows: Sequence[str]) -> Any:
    """The value that a field has now; None where it has none, or several."""
    found = [each for path in places(field, flows) for each in read(plain, path)]
    return found[0] if found and all(label(each) == label(found[0]) for each in found) else None

"""Bounds of an attack: the fields and patterns that it may choose, and the scenario in which they do nothing yet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windward import _engine
from windward._format.vary import Field, change, label, read, read_values, split, worth
from windward._search import space
from windward._search.generators import is_pattern, read_generators
from windward._search.objective import QUIET
from windward._search.patterns import Event, Patterns
from windward._search.presets import bounds_like
from windward._search.request import AttackRequest
from windward._search.shrink import Variable
from windward.errors import OptionError

#: Delays and rates that are given with a plus change so long after the start.
_AFTER = "2 s"

#: Examples of the range of a step, by the unit of the field.
_STEPS = {"s": "0..20 ms", "bit/s": "0..5 Mbit/s", "B": "0..50 kB", "packets": "0..50 packets"}


@dataclass(kw_only=True)
class Allowed:
    """Bounds of an attack: fields, and patterns of events."""

    #: The scenario with changes that do nothing yet, as resolved and as written.
    plain: dict[str, Any]
    written: dict[str, Any]
    variables: list[Variable]
    patterns: Patterns | None


def allowed_by(asked: AttackRequest, quiet_s: float) -> Allowed:
    """The bounds as fields and patterns.

    Raises
    ------
    OptionError
        For bounds that name nothing, or allow nothing.
    """
    plain: dict[str, Any] = json.loads(asked.scenario.to_json())
    written: dict[str, Any] = json.loads(json.dumps(asked.written))
    within = list(asked.within)
    if asked.like is not None:
        within += bounds_like(asked.like, plain)
    end_s = asked.scenario.duration_s - quiet_s
    generators = [own for text in within if is_pattern(text) for own in read_generators(plain, text)]
    if quiet_s:
        plain, written = (_with_window(side, end_s, asked.scenario.duration_s) for side in (plain, written))
    if quiet_s and (cheats := next((own for own in generators if own.flow), None)) is not None:
        raise OptionError(("within", cheats.text, "a receiver cheats until the end: nothing is at rest before"))
    found: list[Variable] = []
    steps: dict[str, int] = {}
    for text in within:
        if not is_pattern(text):
            plain, written, more = _fields(plain, written, text, steps, asked.folder)
            found += more
            _refuse_twice([own.name for own in found])
            for bound in more:
                # The ends are tried for the whole range, before any run.
                for end in space.ends(bound.field):
                    _refuse(change(plain, {bound.field.path: end}), text, label(end), asked.folder)
                if space.is_single(bound.field):
                    raise OptionError(("within", text, "the range has one value; there is nothing to search"))
    _refuse_twice([f"receiver.{own.flow}.{own.key}" for own in generators if own.flow])
    patterns = None
    if generators:
        patterns = Patterns(generators=tuple(generators), end_ms=1e3 * end_s, is_quiet=quiet_s > 0)
        for at, own in enumerate(generators):
            if own.flow:
                for value in (own.range.start, own.range.stop):
                    event = Event(of=at, at_ms=0.0, on_ms=0.0, off_ms=0.0, value=value)
                    _refuse(patterns.applied(plain, [event]), own.text, patterns.describe(event), asked.folder)
    return Allowed(plain=plain, written=written, variables=found, patterns=patterns)


def _with_window(side: dict[str, Any], begin_s: float, end_s: float) -> dict[str, Any]:
    window = {"name": QUIET, "from": f"{begin_s:.12g} s", "to": f"{end_s:.12g} s"}
    output = dict(side.get("output", {}))
    others = [own for own in output.get("windows", []) if own.get("name") != QUIET]
    return {**side, "output": {**output, "windows": [*others, window]}}


def _refuse_twice(variables: Sequence[str]) -> None:
    """Refuses bounds of which two hold for one field."""
    for at, name in enumerate(variables):
        if name in variables[:at]:
            raise OptionError(("within", name, "given twice"))


def _refuse(plain: Mapping[str, Any], text: str, value: str, folder: Path) -> None:
    """Refuses a bound whose end no scenario can have."""
    try:
        _engine.Scenario.from_json(json.dumps(plain, ensure_ascii=False), "the bound", folder)
    except ValueError as error:
        raise OptionError(("within", text, f"{value}: {str(error).removeprefix('the bound: ')}")) from None


def _fields(
    plain: dict[str, Any], written: dict[str, Any], text: str, steps: dict[str, int], folder: Path
) -> tuple[dict[str, Any], dict[str, Any], list[Variable]]:
    """The fields that a bound names, and both scenarios with what is needed to vary them.

    `steps` has the number of each link's change whose fields step.
    """
    found: list[Variable] = []
    path, equals, values = text.partition("=")
    if not equals:
        raise OptionError(("within", text, "give a field and its range, as in 'link.air.delay=+0..20 ms'"))
    is_step = values.strip().startswith("+")
    parts = split(path.strip())
    if parts[0] == "traffic" or (parts[0] == "link" and parts[2:] == ["up"]):
        example = "pattern 1..20 Mbit/s" if parts[0] == "traffic" else "pattern 10..200 ms"
        raise OptionError(("within", text, f"such a bound is a pattern, as in '{path.strip()}={example}'"))
    for own in _expanded(plain, path.strip()):
        present = next(iter(read(plain, own)), None)
        spread = space.spread(own, values.strip().lstrip("+"), "within", text)
        is_added = False
        if spread.range is None:
            raise OptionError(("within", text, "a range is needed, as in 0..20 ms"))
        if is_step:
            plain, written, variable = _step(plain, written, own, present, spread, steps, text)
            found.append(variable)
            continue
        # Jitter is written as its maximum.
        if own.endswith(".jitter"):
            if present is not None and present.get("model") != "uniform":
                raise OptionError(("within", text, f"`{own}` is not uniform; give the bounds of one of its fields"))
            is_added = present is None
            if is_added:
                plain, written = (change(side, {own: {"model": "uniform", "max": "0 ms"}}) for side in (plain, written))
            own, present = f"{own}.max", "0 ms" if present is None else present["max"]
            spread = replace(spread, path=own)
        if present is None and own.startswith("flow.") and split(own)[-1] in space.RECEIVERS:
            # A receiver that is honest: one ACK in the place of one, or no other.
            found.append(Variable(field=spread, neutral=space.RECEIVERS[split(own)[-1]], name=own))
            continue
        if present is None:
            # The reason why the scenario cannot have the field comes first, such as its spelling.
            least = space.value(spread, 0.0)
            _refuse(change(plain, {own: least}), text, label(least), folder)
            raise OptionError(("within", text, f"`{own}` has no value now; write one in the scenario"))
        found.append(Variable(field=spread, neutral=present, name=own, is_added=is_added))
    return plain, written, found


def _expanded(plain: Mapping[str, Any], path: str) -> list[str]:
    """A path with `*`, by numbers: every entry is attacked by itself."""
    parts = split(path)
    if "*" not in parts:
        return [path]
    at = parts.index("*")
    entries = plain.get(parts[0])
    if at != 1 or not isinstance(entries, list) or not entries:
        raise OptionError(("within", path, "`*` stands for the entries of a list, as in link.*.delay"))
    # Flows and links have names, or numbers.
    return [".".join([parts[0], str(own.get("name", number)), *parts[2:]]) for number, own in enumerate(entries)]


def _step(
    plain: dict[str, Any],
    written: dict[str, Any],
    path: str,
    present: Any,
    spread: Field,
    steps: dict[str, int],
    text: str,
) -> tuple[dict[str, Any], dict[str, Any], Variable]:
    """A field of a link that steps from its present value by the range, after a while and for ever, as `_fields`."""
    parts = split(path)
    value, unit, _, _ = worth(present)
    worths = [worth(spread.range.at(at)) for at in (0.0, 1.0)] if spread.range else []
    ends = [end for end, *_ in worths]
    link = next((own for own in plain.get("link", []) if own.get("name") == parts[1]), None)
    if parts[0] != "link" or len(parts) != 3 or link is None or value is None or None in ends:
        raise OptionError(("within", text, "a step, written with +, is one of a field of a link with a name"))
    if unit and any(of != unit for end, of, *_ in worths if end or of):
        said = f"the range of a step needs a unit of `{parts[2]}`, as in +{_STEPS.get(unit, f'0..1 {unit}')}"
        raise OptionError(("within", text, said))
    if not unit and any(of for _, of, *_ in worths):
        raise OptionError(("within", text, f"`{parts[2]}` has no unit; write the range as in +0..2 %"))
    # A link has one change at a time: all its steps are in one table.
    at = steps.setdefault(parts[1], len(plain.get("change", [])))
    plain, written = (_with_change(side, at, parts[1], {parts[2]: present}) for side in (plain, written))
    low, high = (amount(value + float(end or 0), unit) for end in ends)
    stepped = read_values(f"change.{at}.{parts[2]}", f"{low}..{high}")
    return plain, written, Variable(field=stepped, neutral=present, name=f"{path} after {_AFTER}")


def _with_change(side: dict[str, Any], at: int, link: str, values: dict[str, Any]) -> dict[str, Any]:
    changes = list(side.get("change", []))
    if at == len(changes):
        changes.append({"link": link, "at": _AFTER})
    changes[at] = {**changes[at], **values}
    return {**side, "change": changes}


def amount(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value * 1e3:.12g} ms"
    return f"{value / 1e3:.12g} kbit/s" if unit == "bit/s" else f"{value:.12g} {unit}".rstrip()

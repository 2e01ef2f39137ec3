"""Makes a find small: what is not needed goes, what is stays small and round, and what each line is needed for."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windward._format.vary import Field, label, worth
from windward._search import space
from windward._search.patterns import Event, Patterns

#: Bisections between a value and the one that does nothing.
_HALVINGS = 8

#: Largest ratio of a rounded distance from rest to the one that was found.
_ROUNDED = 1.1

#: Entries of a file that a network can be without.
_ENTRIES = ("change", "background", "flow", "link", "node")

#: Keys whose meaning is that of the question, or that every file has.
_FIXED = ("name", "title", "duration", "warmup", "seeds", "output", "law", "cite")


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A field that the attack may change."""

    field: Field
    #: The value that does nothing.
    neutral: Any
    #: As the person who asked would call it.
    name: str
    #: Whether the field was put into the scenario to be varied.
    is_added: bool = False


#: Judges values of the fields, with the events last if there are any.
Holds = Callable[[Sequence[Any]], bool]


def shrink(
    values: Sequence[Any],
    variables: Sequence[Variable],
    patterns: Patterns | None,
    holds: Holds,
    *,
    is_weakened: bool = True,
) -> list[Any]:
    """Values and events that do as little as possible: at rest if not needed, otherwise small and round.

    Without `is_weakened`, those that are needed stay as they are.
    """
    values = list(values)
    if patterns is not None:
        values = _with_few_events(values, holds)
    for at, own in enumerate(variables):
        without = [*values[:at], own.neutral, *values[at + 1 :]]
        if label(values[at]) != label(own.neutral) and holds(without):
            values = without
    if patterns is not None:
        # Without a field, an event may be needed no more.
        values = _with_few_events(values, holds)
    if not is_weakened:
        return values
    if patterns is not None:
        values = _with_plain_events(values, patterns, holds)
    for at, own in enumerate(variables):
        values = _nearer(values, at, own, holds)
    return values


def _with_few_events(values: list[Any], holds: Holds) -> list[Any]:
    """Values without the events that are not needed, one by one until each is."""
    events: list[Event] = list(values[-1])
    at = 0
    while at < len(events):
        without = [*events[:at], *events[at + 1 :]]
        if holds([*values[:-1], without]):
            events, at = without, 0
        else:
            at += 1
    return [*values[:-1], events]


def _with_plain_events(values: list[Any], patterns: Patterns, holds: Holds) -> list[Any]:
    """Events that happen once rather than again and again, for ever rather than for a while, by round numbers."""

    def try_event(values: list[Any], at: int, event: Event) -> list[Any]:
        tried = [*values[:-1], [*values[-1][:at], event, *values[-1][at + 1 :]]]
        return tried if tried != values and holds(tried) else values

    for at in range(len(values[-1])):
        own = patterns.generators[values[-1][at].of]
        if own.key != "up" and own.link and not patterns.is_quiet:
            values = try_event(values, at, replace(values[-1][at], on_ms=0.0, off_ms=0.0))
        if values[-1][at].off_ms:
            values = try_event(values, at, replace(values[-1][at], off_ms=0.0))
        values = _weaker(values, at, patterns, try_event)
        for key in ("at_ms", "on_ms", "off_ms"):
            for near in _round_times(getattr(values[-1][at], key), own.every_ms, is_span=key != "at_ms"):
                tried = try_event(values, at, replace(values[-1][at], **{key: near}))
                if tried is not values:
                    values = tried
                    break
    return values


def _weaker(
    values: list[Any],
    at: int,
    patterns: Patterns,
    try_event: Callable[[list[Any], int, Event], list[Any]],
) -> list[Any]:
    """An event as weak as it may be: nearer to rest, or a shorter outage, in few digits."""
    event: Event = values[-1][at]
    own = patterns.generators[event.of]
    is_outage = own.key == "up"
    key = "on_ms" if is_outage else "value"
    rest = 0.0 if is_outage else own.rest
    if not is_outage and not own.range.start <= rest <= own.range.stop:
        # The range excludes rest: the weakest event is at its nearer end.
        rest = own.range.start if rest < own.range.start else own.range.stop
    there = float(getattr(event, key))
    for _ in range(_HALVINGS):
        middle = (rest + there) / 2
        middle = max(round(middle), 1.0) if is_outage else own.rounded(middle)
        if middle in (rest, there):
            break
        tried = try_event(values, at, replace(values[-1][at], **{key: middle}))
        if tried is not values:
            values, there = tried, middle
        else:
            rest = middle
    for digits in (1, 2, 3):
        step = math.copysign(10 ** (math.floor(math.log10(abs(there) or 1)) - digits + 1), there - own.rest)
        # Rounding may go too far towards rest: the next value of as many digits is tried as well.
        for near in (float(f"{there:.{digits}g}"), float(f"{float(f'{there:.{digits}g}') + step:.12g}")):
            limits = (1.0, 1e3 * own.range.stop) if is_outage else (own.range.start, own.range.stop)
            is_near = abs(near - rest) <= _ROUNDED * abs(there - rest)
            if is_near and limits[0] <= near <= limits[1]:
                tried = try_event(values, at, replace(values[-1][at], **{key: near}))
                if tried is not values:
                    return tried
    return values


def _round_times(value: float, least: float, *, is_span: bool) -> Iterator[float]:
    """Times near one, the roundest first."""
    if not value:
        return
    for unit in (10_000, 5000, 1000, 500, 100, 50, 10):
        near = round(value / unit) * unit
        if near > 0 and near != value and abs(near - value) <= 0.3 * value and (not is_span or near >= least):
            yield float(near)


def _nearer(values: list[Any], at: int, own: Variable, holds: Holds) -> list[Any]:
    """A value as near to rest as it may be, in few digits."""
    if label(values[at]) == label(own.neutral):
        return values
    rest, there = space.share_of(own.field, own.neutral), space.share_of(own.field, values[at])
    for _ in range(_HALVINGS):
        middle = (rest + there) / 2
        nearer = [*values[:at], space.value(own.field, middle), *values[at + 1 :]]
        if holds(nearer):
            values, there = nearer, middle
        else:
            rest = middle
    for rounded in _rounded(values[at], own):
        tried = [*values[:at], rounded, *values[at + 1 :]]
        if holds(tried):
            return tried
    return values


def _rounded(value: Any, own: Variable) -> Iterator[Any]:
    """Values of few digits near one, the fewest first; then those that are a little farther from rest."""
    found, _, unit, scale = worth(value)
    first, _, last = space.ends(own.field)
    # A field that is left out at rest does least at the end of its range.
    rest, *_ = worth(last if own.neutral is None else own.neutral)
    ends = [worth(each)[0] for each in (first, last)]
    if found is None or rest is None or None in ends or found == rest:
        return
    least, most = sorted(float(end or 0) for end in ends)
    for digits in (1, 2, 3, 4, 5):
        near = float(f"{found / scale:.{digits}g}")
        step = math.copysign(10 ** (math.floor(math.log10(abs(near) or 1)) - digits + 1), found - rest)
        for rounded in (near, near + step):
            rounded = float(f"{rounded:.12g}")
            # A number of few digits must not make much more of it.
            is_near = abs(rounded * scale - rest) <= _ROUNDED * abs(found - rest)
            if is_near and least <= rounded * scale <= most * (1 + 1e-9):
                yield f"{rounded:g} {unit}".rstrip() if unit else rounded


#: Place of a value or an entry in a scenario of plain values.
Place = tuple[str | int, ...]


def entries(written: Mapping[str, Any]) -> Iterator[Place]:
    """Entries of lists that a network may be without: changes first, nodes last."""
    for key in _ENTRIES:
        own = written.get(key, [])
        if isinstance(own, list):
            yield from ((key, at) for at in range(len(own)))


def keys(written: Any, place: Place = ()) -> Iterator[Place]:
    """Keys of the tables of a scenario, inner ones before those that hold them."""
    if isinstance(written, Mapping):
        for key, value in written.items():
            if key not in _FIXED:
                yield from keys(value, (*place, key))
                if place:
                    yield (*place, key)
    elif isinstance(written, list):
        for at, value in enumerate(written):
            if isinstance(value, Mapping):
                yield from keys(value, (*place, at))


def without(written: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """The scenario without a key or an entry."""
    found: dict[str, Any] = copy.deepcopy(dict(written))
    table: Any = found
    for part in place[:-1]:
        table = table[part]
    del table[place[-1]]
    if not table and len(place) > 1:
        # Neither an empty table nor an empty list says anything.
        return without(found, place[:-1])
    return found


def fewer_lines(
    written: Mapping[str, Any],
    resolved: Callable[[Mapping[str, Any]], str | None],
    holds: Callable[[Mapping[str, Any]], bool],
    least_flows: int,
) -> dict[str, Any]:
    """A file without the entries that are not needed, and without keys that say what they would be without them.

    Parameters
    ----------
    resolved
        A scenario with its defaults; None for one that cannot be.
    holds
        Whether the question holds on a scenario.
    least_flows
        Least number of entries of flows that are kept.
    """
    found = dict(written)
    is_changed = True
    while is_changed:
        is_changed = False
        for place in list(entries(found)):
            tried = without(found, place)
            if len(tried.get("flow", [])) < least_flows:
                continue
            if resolved(tried) is not None and holds(tried):
                found, is_changed = tried, True
                break
    now = resolved(found)
    for place in list(keys(found)):
        if _is_there(found, place) and resolved(tried := without(found, place)) == now:
            found = tried
    return found


def fewer_members(written: Mapping[str, Any], holds: Callable[[Mapping[int, int]], bool]) -> dict[int, int]:
    """Sizes of groups of nodes, each with the least that the question needs: two, or a half, a quarter and so on."""
    found: dict[int, int] = {}
    for size in sorted({int(node["count"]) for node in written.get("node", []) if (node.get("count") or 0) > 2}):
        fewer = {max(size >> halvings, 2) for halvings in range(1, size.bit_length())}
        for count in sorted(fewer):
            if holds({**found, size: count}):
                found[size] = count
                break
    return found


def with_members(written: Mapping[str, Any], sizes: Mapping[int, int]) -> dict[str, Any]:
    """The scenario with groups of nodes of other sizes, by their present ones."""
    nodes = [
        {**node, "count": sizes[node["count"]]} if node.get("count") in sizes else node
        for node in written.get("node", [])
    ]
    return {**written, "node": nodes} if sizes else dict(written)


def _is_there(written: Any, place: Place) -> bool:
    try:
        for part in place:
            written = written[part]
    except (KeyError, IndexError):
        return False
    return True


def named(written: Mapping[str, Any], place: Place) -> str:
    """A place as a path that people read: `link.core.buffer`, `flow.B`, `change.1`."""
    parts: list[str] = []
    table: Any = written
    for part in place:
        table = table[part]
        if isinstance(part, int):
            own = table if isinstance(table, Mapping) else {}
            parts.append(str(own.get("name", part + 1)))
        else:
            parts.append(part)
    return ".".join(parts)


def text_of(written: Mapping[str, Any], place: Place) -> str:
    """Content of a place, in short."""
    table: Any = written
    for part in place:
        table = table[part]
    return label(table) if not isinstance(table, list) else json.dumps(table, ensure_ascii=False)

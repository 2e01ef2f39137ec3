"""Patterns: events that change links or send pulses of traffic in the course of a run, and receivers that cheat."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from windward._format.vary import Range, name_of, quoted, split, worth
from windward._search import space
from windward._search.genetic import Layout
from windward._search.samplers import Vector
from windward.errors import OptionError, nearest

#: Events at most, and the numbers of each: whether, of which bound, when, for how long, how often, how strong.
SLOTS, WIDTH = 6, 6

#: No event is shorter, nor the time between two of them.
_LEAST_MS = 20.0

#: From these shares on, an event lasts to the end, and happens once.
_FOR_EVER, _ONCE = 0.9, 0.6

#: Fields of a link that may change in a pattern, with the unit of their values.
_KEYS = {"delay": "s", "rate": "bit/s", "loss": "", "jitter": "s", "up": "s"}

#: Examples of a pattern's range, by the unit of the values.
_SPREADS = {"s": "+0..40 ms", "bit/s": "1..20 Mbit/s", "": "0..5 %"}

_PATTERN = re.compile(r"pattern\b\s*(\+?)\s*([^,]*)((?:,[^,]*)*)")
_OPTION = re.compile(r"(every|bucket|factor|load)\s+(.+)")


@dataclass(frozen=True, kw_only=True)
class Generator:
    """A bound that allows events."""

    text: str
    #: A link by its name, the ends of a source of traffic, or a flow whose receiver cheats, by its name and number.
    link: str = ""
    ends: tuple[str, str] = ("", "")
    flow: str = ""
    number: int = 0
    key: str
    #: Value at rest, as the scenario writes it.
    neutral: Any
    #: Range of the values, or of the lengths of outages.
    range: Range
    #: Least time between two changes.
    every_ms: float = _LEAST_MS
    #: Depth and rate of the token bucket: a value varies by no more than the range at once, and by so much per second
    #: in the long run. 0: no limit.
    bucket: float = 0.0
    #: Largest ratio of a value to the one at rest, and the other way round. 0: no limit.
    factor: float = 0.0
    #: Most traffic in the mean over the run, in bits per second. 0: no limit.
    load: float = 0.0

    @property
    def rest(self) -> float:
        """Value at rest, in its base unit; the weakest one of a field that is left out at rest."""
        if self.flow and self.neutral is None:
            return self.range.stop
        found = worth(self.neutral)[0]
        return 0.0 if found is None else found

    @property
    def strongest(self) -> float:
        """The value of the range that is farthest from rest."""
        return self.range.start if self.flow and self.neutral is None else self.range.stop

    @property
    def path(self) -> str:
        """The field that events change."""
        own = self.flow or self.link or "->".join(self.ends)
        kind = "flow" if self.flow else "link" if self.link else "traffic"
        return f"{kind}.{own}.{self.key}"

    def rounded(self, value: float) -> float:
        """A value in three digits; whole where the field is."""
        return float(round(value)) if self.flow and self.neutral is not None else _three(value)

    def share(self, value: float) -> float:
        """The share of the way through the range at which a value lies."""
        if self.range.is_log:
            return math.log(value / self.range.start) / math.log(self.range.stop / self.range.start)
        return (value - self.range.start) / (self.range.stop - self.range.start)

    def limited(self, value: float) -> float:
        """A value within the ratio to the one at rest that is allowed."""
        if not self.factor or not self.rest:
            return value
        return min(max(value, self.rest / self.factor), self.rest * self.factor)


@dataclass(frozen=True, kw_only=True)
class Event:
    """A value that a field has for a while, once or again and again."""

    #: Index of its bound.
    of: int
    at_ms: float
    #: 0: to the end of the run.
    on_ms: float
    #: Time at rest between two of them; 0: once.
    off_ms: float
    #: In the base unit of the field.
    value: float

    def spans(self, end_ms: float) -> Iterable[tuple[float, float]]:
        """Beginning and end of each, until a time."""
        at = self.at_ms
        while at < end_ms:
            until = at + self.on_ms if self.on_ms else end_ms
            yield at, min(until, end_ms)
            if not self.on_ms or not self.off_ms:
                return
            at = until + self.off_ms


def is_pattern(text: str) -> bool:
    """Returns true if a bound, as written, allows events."""
    path, equals, values = text.partition("=")
    return bool(equals) and (values.strip().startswith("pattern") or _is_receiver(path))


def _is_receiver(path: str) -> bool:
    return path.strip().partition(".")[0] == "receiver"


def read_generators(plain: Mapping[str, Any], text: str) -> list[Generator]:
    """Reads a bound such as `link.air.delay=pattern +0..40 ms, bucket 100 ms`.

    Raises
    ------
    OptionError
        For one that names nothing, or allows nothing.
    """
    path, _, values = text.partition("=")
    if _is_receiver(path):
        return _receivers(plain, path.strip(), values.strip(), text)
    found = _PATTERN.fullmatch(values.strip())
    if found is None:
        raise OptionError(("within", text, "write a pattern as in 'link.air.delay=pattern +0..40 ms'"))
    plus, spread, options = found.groups()
    parts = split(path.strip())
    if parts[0] == "traffic":
        return [_traffic(plain, parts, spread, options, text)]
    if parts[0] != "link" or len(parts) != 3 or parts[2] not in _KEYS:
        expected = f"a pattern is one of a link's {', '.join(_KEYS)}, or of traffic.FROM->TO"
        raise OptionError(("within", text, expected))
    links = [(name, own) for own in plain.get("link", []) for name in _names(plain, own, parts[1])]
    if not links:
        names = ", ".join(name_of(own) for own in plain.get("link", []))
        raise OptionError(("within", text, f"there is no link `{parts[1]}`; links: {names or 'none'}"))
    return [_of_link(plain, name, own, parts[2], bool(plus), spread, options, text) for name, own in links]


def _names(plain: Mapping[str, Any], link: Mapping[str, Any], asked: str) -> list[str]:
    """The name that is asked for if it is that of this link, or of a member of its group."""
    if asked == "*":
        return [name_of(link)]
    if asked in (link.get("name"), f"{link['from']}->{link['to']}"):
        return [asked]
    source, _, sink = asked.partition("->")
    counts = {str(own["name"]): int(own.get("count") or 0) for own in plain.get("node", [])}
    ends = ((source, str(link["from"])), (sink, str(link["to"])))
    is_member = all(
        end == node or end in (f"{node}-{number}" for number in range(1, counts.get(node, 0) + 1)) for end, node in ends
    )
    return [asked] if is_member else []


def _of_link(
    plain: Mapping[str, Any],
    name: str,
    link: Mapping[str, Any],
    key: str,
    is_step: bool,
    spread: str,
    options: str,
    text: str,
) -> Generator:
    present = link.get(key, {"loss": 0, "jitter": "0 ms", "up": True}.get(key))
    if any(own.get("link") == name for own in plain.get("change", [])):
        raise OptionError(("within", text, f"link `{name}` changes already"))
    if key == "jitter" and isinstance(present, Mapping):
        present = present.get("max")
    at_rest, unit, *_ = worth(present)
    if key == "up":
        at_rest, unit = 0.0, "s"
    if at_rest is None or (unit != _KEYS[key] and at_rest != 0):
        raise OptionError(("within", text, f"the {key} of link `{name}` is no single value"))
    found = _spread(f"link.{name}.{key}", spread, _KEYS[key], text)
    ends = [worth(found.at(share)) for share in (0.0, 1.0)]
    if any(end is None or (base != _KEYS[key] and end) for end, base, *_ in ends):
        said = f"the range is not one of `{key}`; write it as in {_SPREADS[_KEYS[key]]}"
        raise OptionError(("within", text, said))
    low, high = (float(end or 0) + (at_rest if is_step else 0.0) for end, *_ in ends)
    if low < 0 or high <= low or (key == "loss" and high > 1):
        allowed = f"`{key}` lies between 0 and 1" if key == "loss" else f"`{key}` is not below zero"
        said = f"the range allows nothing that the link can have: {allowed}, and the range rises"
        raise OptionError(("within", text, said))
    spans = replace(found, start=low, stop=high, unit="")
    return _with(Generator(text=text, link=name, key=key, neutral=present, range=spans), options, text)


def _spread(path: str, spread: str, unit: str, text: str) -> Range:
    """The range of a pattern, in any unit."""
    found = space.spread(path, spread.strip(), "within", text) if spread.strip() else None
    if found is None or found.range is None:
        said = f"a pattern needs a range, then its options after commas, as in 'pattern {_SPREADS[unit]}, every 1 s'"
        raise OptionError(("within", text, said))
    return found.range


def _traffic(plain: Mapping[str, Any], parts: Sequence[str], spread: str, options: str, text: str) -> Generator:
    nodes = {str(own["name"]) for own in plain.get("node", [])}
    source, arrow, sink = parts[1].partition("->") if len(parts) == 2 else ("", "", "")
    if not arrow or source not in nodes or sink not in nodes:
        said = f"traffic goes between two nodes, as in 'traffic.a->b=…'; nodes: {', '.join(sorted(nodes))}"
        raise OptionError(("within", text, said))
    found = _spread("traffic", spread, "bit/s", text)
    ends = [worth(found.at(share)) for share in (0.0, 1.0)]
    if any(end is None or base != "bit/s" for end, base, *_ in ends):
        raise OptionError(("within", text, "traffic has a rate, as in 1..20 Mbit/s"))
    low, high = (float(end or 0) for end, *_ in ends)
    if not 0 < low < high:
        raise OptionError(("within", text, "the range of a rate begins above zero and rises"))
    spans = replace(found, start=low, stop=high, unit="")
    return _with(Generator(text=text, ends=(source, sink), key="rate", neutral="0 bit/s", range=spans), options, text)


def _receivers(plain: Mapping[str, Any], path: str, values: str, text: str) -> list[Generator]:
    """The ways in which receivers may cheat, each of each flow by itself."""
    flows = plain.get("flow", [])
    asked = split(path)[1:]
    names = [name_of(flow) for flow in flows]
    if len(asked) != 1 or asked[0] not in (*names, "*") or not flows:
        example = quoted((names or ["A"])[0])
        said = f"a receiver is one of a flow, as in receiver.{example}; flows: {', '.join(names) or 'none'}"
        raise OptionError(("within", text, said + nearest(".".join(asked), names)))
    ways = _CHEATS if values == "cheats" else [way.strip() for way in values.split(",")]
    keys = [way.partition(" ")[0] for way in ways]
    if repeated := next((key for at, key in enumerate(keys) if key in keys[:at]), None):
        raise OptionError(("within", text, f"`{repeated}` is given twice"))
    found = []
    for number, flow in enumerate(flows):
        if asked[0] not in (names[number], "*"):
            continue
        if any(flow.get(key) is not None for key in space.RECEIVERS):
            raise OptionError(("within", text, f"the receiver of flow `{names[number]}` cheats already"))
        for way in ways:
            key, spread = _way(way, text)
            own = Generator(
                text=text, flow=names[number], number=number, key=key, neutral=space.RECEIVERS[key], range=spread
            )
            found.append(own)
    return found


def _way(way: str, text: str) -> tuple[str, Range]:
    """A way to cheat, with the range of its strength in base units."""
    key, _, spread = way.partition(" ")
    if key not in space.RECEIVERS or not spread.strip():
        said = f"a receiver `cheats`, or by ways with their ranges: {', '.join(_CHEATS)}"
        raise OptionError(("within", text, said))
    found = space.spread(key, spread.strip(), "within", text).range
    if found is None:
        raise OptionError(("within", text, f"`{key}` needs a range, as in {', '.join(_CHEATS)}"))
    ends = [worth(found.at(share)) for share in (0.0, 1.0)]
    expected = "" if space.RECEIVERS[key] is not None else "s"
    low, high = (float(end or 0) for end, *_ in ends)
    least = float(space.RECEIVERS[key] or 0)
    is_known = all(end is not None and (unit == expected or not end) for end, unit, *_ in ends)
    is_whole = bool(expected) or (low == round(low) and high == round(high))
    if not is_known or not is_whole or not least <= low < high:
        what = f"whole numbers from {least:g}" if not expected else "times from 0"
        raise OptionError(("within", text, f"the range of `{key}` is one of {what}, and rises"))
    return key, replace(found, start=low, stop=high, unit="")


def _with(generator: Generator, options: str, text: str) -> Generator:
    """The bound with its options: what makes a pattern natural."""
    for option in filter(None, (part.strip() for part in options.split(","))):
        found = _OPTION.fullmatch(option)
        name, amount = found.groups() if found else (option, "")
        value, unit, *_ = worth(float(amount) if re.fullmatch(r"[\d.]+", amount) else amount)
        expected = {"every": "s", **_options_of(generator)}.get(name)
        if expected is None or value is None or unit != expected or not value > 0 or (name == "factor" and value <= 1):
            others = "bucket AMOUNT (per second), factor NUMBER" if generator.link else "load RATE"
            said = f"`{option}` is no option of such a pattern: every TIME, {others}"
            raise OptionError(("within", text, said))
        if name == "every":
            generator = replace(generator, every_ms=max(1e3 * value, _LEAST_MS))
        elif name == "bucket":
            generator = replace(generator, bucket=value)
        elif name == "load":
            generator = replace(generator, load=value)
        else:
            generator = replace(generator, factor=value)
    return generator


def _options_of(generator: Generator) -> dict[str, str]:
    """Options beside `every`, with their units."""
    return {"bucket": _KEYS[generator.key], "factor": ""} if generator.link else {"load": "bit/s"}


@dataclass(frozen=True, kw_only=True)
class Patterns:
    """All bounds that allow events, and the time within which these happen."""

    generators: Sequence[Generator]
    #: Events happen before it.
    end_ms: float
    #: Whether everything is at rest from then on.
    is_quiet: bool

    def layout(self, numbers: int) -> Layout:
        """Layout of the genomes."""
        return Layout(numbers=numbers, slots=SLOTS, width=WIDTH)

    def events(self, genes: Vector) -> list[Event]:
        """The events of the slots of a genome."""
        found = []
        for slot in genes.reshape(-1, WIDTH):
            if slot[0] >= 0.5:
                found.append(self._event([float(share) for share in slot[1:]]))
        return found

    def _event(self, shares: Sequence[float]) -> Event:
        which, when, on, off, strength = shares
        at = min(int(which * len(self.generators)), len(self.generators) - 1)
        own = self.generators[at]
        least = own.every_ms
        value = own.rounded(float(own.range.at(strength)))
        if own.flow:
            # A receiver cheats all the time.
            return Event(of=at, at_ms=0.0, on_ms=0.0, off_ms=0.0, value=value)
        long = round(_log(least, self.end_ms, on / _FOR_EVER)) if on < _FOR_EVER else 0
        apart = round(_log(least, self.end_ms, off / _ONCE)) if off < _ONCE and long else 0
        if own.key == "up":
            long, value = max(round(1e3 * value), 1), 0.0
            apart = round(_log(least, self.end_ms, off / _ONCE)) if off < _ONCE else 0
        return Event(of=at, at_ms=round(when * (self.end_ms - 1)), on_ms=long, off_ms=apart, value=value)

    def genes(self, events: Sequence[Event]) -> Vector:
        """Slots that mean these events, as nearly as slots can."""
        found = np.zeros((SLOTS, WIDTH))
        for slot, event in zip(found, events, strict=False):
            own = self.generators[event.of]
            least = own.every_ms
            # A share of the whole would mean for ever, and once.
            on = min(_share(least, self.end_ms, event.on_ms), 0.9999) * _FOR_EVER if event.on_ms else 1.0
            off = min(_share(least, self.end_ms, event.off_ms), 0.9999) * _ONCE if event.off_ms else 1.0
            strength = own.share(1e-3 * event.on_ms if own.key == "up" else event.value)
            slot[:] = [1.0, (event.of + 0.5) / len(self.generators), event.at_ms / self.end_ms, on, off, strength]
        return np.clip(found, 0.0, 1.0).ravel()

    def templates(self) -> list[list[Event]]:
        """Events of known attacks, of each bound: steps, bursts, dips, pulses at the pace of timeouts."""
        found: list[list[Event]] = []
        for at, own in enumerate(self.generators):
            values = [own.strongest]
            if own.flow:
                found.append(
                    [self._event([(at + 0.5) / len(self.generators), 0.0, 0.0, 0.0, own.share(own.strongest)])]
                )
                continue
            if own.key == "rate" and own.link:
                values = [own.range.start, own.range.stop]
            for value in values:
                for start, on, off in _TEMPLATES:
                    on, off = (max(span, own.every_ms) if span else 0.0 for span in (on, off))
                    if own.key == "up":
                        on, value = 1e3 * own.range.stop, 0.0
                    event = Event(of=at, at_ms=start, on_ms=on, off_ms=off, value=_three(value))
                    if start < self.end_ms and event not in [own[0] for own in found]:
                        found.append([event])
        return [*found, *self._worse_paths()]

    def _worse_paths(self) -> Iterable[list[Event]]:
        """Links that get worse in every way for ever: a longer route, with loss and jitter."""
        start = _TEMPLATES[0][0]
        for link in dict.fromkeys(own.link for own in self.generators if own.link):
            events = [
                Event(of=at, at_ms=start, on_ms=0.0, off_ms=0.0, value=_three(own.range.stop))
                for at, own in enumerate(self.generators)
                if own.link == link and own.key in _WORSE
            ]
            if 1 < len(events) <= SLOTS and start < self.end_ms:
                yield events

    def applied(self, plain: Mapping[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        """The scenario with these events."""
        found: dict[str, Any] = dict(plain)
        by_link: dict[str, list[Event]] = {}
        sources: list[dict[str, Any]] = []
        cheats: dict[int, dict[str, Any]] = {}
        for event in events:
            own = self.generators[event.of]
            if own.flow:
                # One way at a time: the last one counts.
                cheats[own.number] = self._value(own, event.value)
            elif own.link:
                by_link.setdefault(own.link, []).append(event)
            else:
                sources.append(self._source(own, event, len(sources) + 1))
        changes = [change for link, own in by_link.items() if (change := self._change(link, own)) is not None]
        if changes:
            found["change"] = [*plain.get("change", []), *changes]
        if sources:
            found["background"] = [*plain.get("background", []), *sources]
        if cheats:
            found["flow"] = [{**flow, **cheats.get(number, {})} for number, flow in enumerate(plain["flow"])]
        return found

    def neutral(self, events: Sequence[Event]) -> dict[str, Any]:
        """The fields of flows that these events change, by their paths, with their values at rest."""
        changed = [self.generators[event.of] for event in events]
        return {space.of_flows([own.flow], own.key)[0]: own.neutral for own in changed if own.flow}

    def _source(self, own: Generator, event: Event, number: int) -> dict[str, Any]:
        rate = f"{self._affordable(own, event) / 1e6:.12g} Mbit/s"
        found: dict[str, Any] = {"name": f"pulses-{number}", "from": own.ends[0], "to": own.ends[1]}
        if event.off_ms:
            # The first pulse follows a pause.
            pattern = {
                "kind": "on-off",
                "rate": rate,
                "on": _ms(event.on_ms),
                "off": _ms(event.off_ms),
                "on_spread": "fixed",
                "off_spread": "fixed",
            }
            start, stop = max(event.at_ms - event.off_ms, 0.0), self.end_ms if self.is_quiet else 0.0
        else:
            pattern = {"kind": "cbr", "rate": rate}
            start, stop = event.at_ms, min(event.at_ms + event.on_ms, self.end_ms) if event.on_ms else 0.0
            if not stop and self.is_quiet:
                stop = self.end_ms
        found |= {"pattern": pattern, "start": _ms(start)}
        return found | ({"stop": _ms(stop)} if stop else {})

    def _affordable(self, own: Generator, event: Event) -> float:
        """Rate of traffic within the mean load that is allowed."""
        if not own.load:
            return event.value
        if event.on_ms and event.off_ms:
            share = event.on_ms / (event.on_ms + event.off_ms)
        elif event.on_ms:
            share = min(event.on_ms / self.end_ms, 1.0)
        else:
            share = 1.0 - event.at_ms / self.end_ms
        return _three(min(event.value, own.load / max(share, 1e-9)))

    def _change(self, link: str, events: Sequence[Event]) -> dict[str, Any] | None:
        """A table of changes of a link."""
        if len(events) == 1:
            event = events[0]
            own = self.generators[event.of]
            if event.off_ms and event.on_ms:
                value = self._near_rest(own, event)
                steps = [
                    {"at": _ms(event.at_ms), **self._value(own, value)},
                    {"at": _ms(event.at_ms + event.on_ms), **self._rest(own)},
                ]
                change: dict[str, Any] = {"link": link, "every": _ms(event.on_ms + event.off_ms), "steps": steps}
                if self.is_quiet:
                    # The last repetition ends before the quiet time.
                    change["until"] = _ms(max(self.end_ms - event.on_ms, 0.0))
                if steps_end(event) < self.end_ms:
                    return change
        steps = self._flat(events)
        if not steps:
            return None
        if len(steps) == 1:
            return {"link": link, **steps[0]}
        return {"link": link, "steps": steps}

    def _near_rest(self, own: Generator, event: Event) -> float:
        """Value of a repeated event that its token bucket can pay for."""
        value = own.limited(event.value)
        if not own.bucket or own.key == "up":
            return value
        # There and back in each period.
        most = own.bucket * (event.on_ms + event.off_ms) / 2e3
        return own.rest + min(max(value - own.rest, -most), most)

    def _flat(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        """Steps of several events of a link one by one; of events of a field at one time the last one counts."""
        times: dict[float, dict[str, Any]] = {}
        for at, own in enumerate(self.generators):
            mine = [event for event in events if event.of == at]
            if not mine:
                continue
            edges: set[float] = set()
            spans = [(event, list(event.spans(self.end_ms))) for event in mine]
            for _, pairs in spans:
                edges.update(edge for pair in pairs for edge in pair)
            value, tokens, before = own.rest, own.range.stop - own.range.start, -math.inf
            for edge in sorted(edges):
                if edge >= self.end_ms and not self.is_quiet:
                    continue
                aim, is_on = own.rest, False
                for event, pairs in spans:
                    if any(start <= edge < end for start, end in pairs):
                        aim, is_on = own.limited(event.value), True
                if own.key == "up":
                    times.setdefault(edge, {})["up"] = not is_on
                    continue
                if own.bucket and before > -math.inf:
                    tokens = min(tokens + own.bucket * (edge - before) / 1e3, own.range.stop - own.range.start)
                if own.bucket and is_on:
                    aim = value + min(max(aim - value, -tokens), tokens)
                if aim == value:
                    continue
                tokens, before, value = tokens - abs(aim - value), edge, aim
                times.setdefault(edge, {}).update(self._value(own, aim) if is_on else self._rest(own))
        return [{"at": _ms(edge), **times[edge]} for edge in sorted(times)]

    def _value(self, own: Generator, value: float) -> dict[str, Any]:
        return {own.key: written(own, value)}

    def _rest(self, own: Generator) -> dict[str, Any]:
        if own.key == "up":
            return {"up": True}
        if own.key == "jitter":
            return {"jitter": {"model": "uniform", "max": own.neutral}}
        return {own.key: own.neutral}

    def describe(self, event: Event) -> str:
        """An event in words."""
        own = self.generators[event.of]
        if own.flow:
            return f"{own.flow} {own.key} {plain_value(own, event.value)}"
        what = own.link or "->".join(own.ends)
        there = event.value if own.link else self._affordable(own, event)
        value = "down" if own.key == "up" else f"{own.key} {plain_value(own, there)}"
        long = f" for {_ms(event.on_ms)}" if event.on_ms else ""
        often = f", again after {_ms(event.off_ms)}" if event.off_ms else ""
        return f"{what} {value} from {_ms(event.at_ms)}{long}{often}"

    def cell(self, events: Sequence[Event]) -> str:
        """Events as a short text, for a column."""
        return "; ".join(self.describe(event) for event in events)


def steps_end(event: Event) -> float:
    """End of the first time that an event happens."""
    return event.at_ms + event.on_ms


def written(own: Generator, value: float) -> Any:
    """A value as a scenario has it."""
    if own.key == "up":
        return False
    text = plain_value(own, value)
    if own.flow and own.neutral is not None:
        return round(value)
    return {"model": "uniform", "max": text} if own.key == "jitter" else text


def plain_value(own: Generator, value: float) -> Any:
    """A value with a unit that people read."""
    if own.flow and own.neutral is not None:
        return f"{round(value)}"
    if own.key in ("delay", "jitter", "optimistic_acks"):
        return f"{_three(1e3 * value):.12g} ms"
    if own.key == "rate":
        return f"{_three(value / 1e6):.12g} Mbit/s"
    return f"{_three(100 * value):.12g} %"


#: Ways of a receiver that `cheats`: up to 20 ACKs in the place of one, or ACKs up to 100 ms after the departure.
_CHEATS = ("ack_division 2..20", "optimistic_acks 0..100 ms")

#: Fields of a link that make it worse the larger they are.
_WORSE = ("delay", "jitter", "loss")

#: Start, length and pause of known attacks, in ms; 0: for ever, and once.
_TEMPLATES = (
    # A route that gets longer (QUIC-TCP, FAST).
    (2000.0, 0.0, 0.0),
    # A path that is fast now and then (BBR), and dips that renew a base of 10 s (Copa).
    (2000.0, 4700.0, 300.0),
    (2000.0, 3800.0, 200.0),
    # Pulses at the pace of timeouts of 1 s and 200 ms (the shrew).
    (1000.0, 100.0, 900.0),
    (1000.0, 100.0, 400.0),
    (1000.0, 100.0, 100.0),
    # A single burst, and one at the beginning.
    (5000.0, 200.0, 0.0),
    (100.0, 200.0, 0.0),
    # Slots.
    (1000.0, 500.0, 500.0),
)


def _log(least: float, most: float, share: float) -> float:
    return float(least * (max(most, least) / least) ** min(max(share, 0.0), 1.0))


def _share(least: float, most: float, value: float) -> float:
    return math.log(max(value, least) / least) / math.log(max(most, 2 * least) / least)


def _three(value: float) -> float:
    return float(f"{value:.3g}")


def _ms(value: float) -> str:
    return f"{value / 1e3:.12g} s" if value % 100 == 0 else f"{value:.12g} ms"

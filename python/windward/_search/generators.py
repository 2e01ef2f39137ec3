"""Generators of events: bounds that allow patterns, and how they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windward._format.vary import Range, name_of, quoted, split, worth
from windward._search import space
from windward.errors import OptionError, nearest

#: No event is shorter, nor the time between two of them.
LEAST_MS = 20.0

#: Fields of a link that may change in a pattern, with the unit of their values.
_KEYS = {"delay": "s", "rate": "bit/s", "loss": "", "jitter": "s", "up": "s"}

#: Examples of a pattern's range, by the unit of the values.
_SPREADS = {"s": "+0..40 ms", "bit/s": "1..20 Mbit/s", "": "0..5 %"}

_PATTERN = re.compile(r"pattern\b\s*(\+?)\s*([^,]*)((?:,[^,]*)*)")
_OPTION = re.compile(r"(every|bucket|factor|load)\s+(.+)")

#: Ways of a receiver that `cheats`: up to 20 ACKs in the place of one, or ACKs up to 100 ms after the departure.
_CHEATS = ("ack_division 2..20", "optimistic_acks 0..100 ms")


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
    every_ms: float = LEAST_MS
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
        return float(round(value)) if self.flow and self.neutral is not None else three(value)

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
    # A scenario refuses two changes of a link at one time.
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
            generator = replace(generator, every_ms=max(1e3 * value, LEAST_MS))
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
        return f"{three(1e3 * value):.12g} ms"
    if own.key == "rate":
        return f"{three(value / 1e6):.12g} Mbit/s"
    return f"{three(100 * value):.12g} %"


def three(value: float) -> float:
    return float(f"{value:.3g}")

"""Values for fields of a scenario: which fields a path means, how values are written, what they are worth."""

from __future__ import annotations

import copy
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windward._engine import quantity
from windward._format.counts import is_whole
from windward.errors import nearest

#: A field's path in its parts: `link.air.loss`; names with a dot stand in quotes.
_PART = re.compile(r'"([^"]*)"|([^."]+)')

#: What a scenario has lists of.
_LISTS = ("node", "link", "flow", "app", "background", "region", "cell", "wifi", "change")

#: Fields that are no property of the network.
_FIXED = {
    "seeds": "seeds are chosen apart",
    "name": "a sweep has one name",
    "title": "a sweep has one title",
    "law": "each flow has its law, as in flow.*.law=reno,cubic",
}

_NUMBER = r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"

#: `1..10 Mbit/s`, with `step 1`, `count 4` or `log 4`.
_RANGE = re.compile(
    rf"({_NUMBER})\s*([^\d\s.][^\s]*?)?\s*\.\.\s*({_NUMBER})\s*((?!(?:step|count|log)\b)[^\d\s.][^\s]*)?(?:\s+(step|count|log)(?:\s+({_NUMBER}))?)?"
)

#: Most values that a range may mean.
_MOST = 1_000_000

#: Whole numbers are below this, either way: files of scenarios and of results have no larger ones.
_WHOLE = 1 << 63


@dataclass(frozen=True, kw_only=True)
class Range:
    """All values between two ends, of which a Latin hypercube takes some."""

    start: float
    stop: float
    unit: str
    is_log: bool
    #: Whether the field takes whole numbers alone.
    is_whole: bool = False

    def at(self, share: float) -> Any:
        """The value at a share of the way, 0 to 1; each whole number has an equal part of the way."""
        start, stop = self._ends
        value = start * (stop / start) ** share if self.is_log else start + (stop - start) * share
        if self.is_whole:
            value = min(max(math.floor(value + 0.5), self.start), self.stop)
        return _written(value, self.unit, is_whole=self.is_whole)

    def share(self, value: float) -> float:
        """The share of the way at which a value in the range's unit lies, outside of 0 to 1 if it is beyond an end."""
        start, stop = self._ends
        if self.is_log:
            return math.log(value / start) / math.log(stop / start) if value > 0 else 0.0
        return (value - start) / (stop - start)

    @property
    def _ends(self) -> tuple[float, float]:
        return (self.start - 0.5, self.stop + 0.5) if self.is_whole else (self.start, self.stop)


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field of the scenario, or several by `*`, and what it is to be in turn."""

    path: str
    values: Sequence[Any]
    #: In place of the values, for a Latin hypercube.
    range: Range | None = None

    def check(self) -> None:
        """Refuses fields that no sweep varies.

        Raises
        ------
        ValueError
            Which, and why.
        """
        parts = split(self.path)
        if len(parts) == 1 and parts[0] in _FIXED:
            raise ValueError(f"{self.path}: not a field to be varied: {_FIXED[parts[0]]}")
        if not self.values and self.range is None:
            raise ValueError(f"{self.path}: no values given; at least one is needed, as in {self.path}=1,2,3")
        for value in self.values:
            if not _is_value(value):
                raise ValueError(
                    f"{self.path}: {_short(value)} is not a value of a scenario; allowed: text, finite numbers, "
                    "whole ones of 64 bits, true, false, lists and tables of these\nhint: write it in quotes"
                )


def read_field(text: str) -> Field:
    """Reads `PATH=VALUES`.

    Raises
    ------
    ValueError
        Where it is written otherwise.
    """
    path, equals, values = text.partition("=")
    path = path.strip()
    if not equals or not path:
        raise ValueError(f"{text}: give a field and its values, such as link.air.loss=0,0.1%,1%")
    return read_values(path, values)


def read_values(path: str, text: str) -> Field:
    """The values of a field as text: a list with commas, of values and ranges.

    Raises
    ------
    ValueError
        For a range that cannot be.
    """
    values: list[Any] = []
    parts = tuple(split(path))
    for part in _split_list(text):
        found = _RANGE.fullmatch(part)
        if found is None:
            values.append(read_value(part))
            continue
        try:
            between = _range(found, parts)
        except ValueError as error:
            raise ValueError(f"{path}={part}: {error}") from None
        if isinstance(between, Range):
            if len(_split_list(text)) > 1:
                raise ValueError(f"{path}={text}: a range without step, count or log stands alone")
            field = Field(path=path, values=(), range=between)
            field.check()
            return field
        values += between
    field = Field(path=path, values=tuple(values))
    field.check()
    return field


def read_value(text: str) -> Any:
    """A value as TOML writes it; what is no TOML is a text: `reno`, `0.1%`, `10 Mbit/s`."""
    text = text.strip()
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    # ValueError: numbers of thousands of digits too.
    except (ValueError, KeyError, RecursionError):
        return text
    return value if _is_value(value) else text


def _is_value(value: Any) -> bool:
    """Returns true if a scenario can hold the value: no dates, no NaN."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_value(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_value, value))
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) or (isinstance(value, int) and -_WHOLE <= value < _WHOLE)


def _short(value: Any) -> str:
    # The text of a number of thousands of digits is refused by Python itself.
    text = "the whole number" if isinstance(value, int) else str(value)
    return f"`{text[:40]}…`" if len(text) > 40 else f"`{text}`"


def _range(found: re.Match[str], parts: tuple[str, ...]) -> Range | list[Any]:
    first, unit, last, end_unit, how, amount = found.groups()
    if unit and unit != end_unit:
        raise ValueError(f"both ends of a range need one unit, not `{unit}` and `{end_unit or ''}`")
    unit = end_unit or ""
    is_log = how == "log"
    start, stop = (float(end.replace("_", "")) for end in (first, last))
    if not math.isfinite(stop - start) or not math.isfinite(float(amount or 0)):
        raise ValueError("the ends and the number of a range are finite")
    if stop < start:
        raise ValueError(f"the range falls\nhint: a range rises, as in {_turned(found)}")
    if is_log and not (start > 0 and stop > 0):
        raise ValueError("a logarithmic range begins and ends above zero")
    is_count = is_whole(parts, unit)
    if is_count:
        start, stop = math.ceil(start), math.floor(stop)
        if stop < start:
            raise ValueError("the field is a whole number, and there is none in the range")
    if how is None or (is_log and amount is None):
        return Range(start=start, stop=stop, unit=unit, is_log=is_log, is_whole=is_count)
    if amount is None:
        raise ValueError(f"{how} needs a number, as in 1..10 {how} 3")
    size = float(amount)
    if how == "step":
        if size <= 0:
            raise ValueError(f"the step of a range is above zero, not {amount}")
        count = math.floor((stop - start) / size * (1 + 1e-12) + 1e-9) + 1
        are_whole = is_count or (
            not unit and size == int(size) and all(re.fullmatch(r"[+-]?[\d_]+", end) for end in (first, last))
        )
        shares: Iterator[float] = (start + at * size for at in range(min(count, _MOST + 1)))
    else:
        if size != int(size) or size < 2:
            raise ValueError(f"the number of values in a range is a whole number from 2, not {amount}")
        count = int(size)
        whole = Range(start=start, stop=stop, unit="", is_log=is_log)
        shares = (float(whole.at(at / (count - 1))) for at in range(min(count, _MOST + 1)))
        are_whole = is_count
    if count > _MOST:
        raise ValueError(f"the range has {count} values; at most {_MOST} are allowed")
    if is_count:
        # More values than there are whole numbers mean each once.
        shares = iter(dict.fromkeys(math.floor(value + 0.5) for value in shares))
    return [_written(value, unit, is_whole=are_whole) for value in shares]


def _turned(found: re.Match[str]) -> str:
    """The range as it was written, with its ends in the other order."""
    text, (first, last) = found[0], (found.span(1), found.span(3))
    return text[: first[0]] + found[3] + text[first[1] : last[0]] + found[1] + text[last[1] :]


def _written(value: float, unit: str, *, is_whole: bool) -> Any:
    """A number as a scenario has it, without the last digits' rounding."""
    value = round(value) if is_whole else float(f"{value:.12g}")
    return f"{value:.12g} {unit}" if unit else value


def _split_list(text: str) -> list[str]:
    """The parts between commas that stand in no quotes and no brackets."""
    parts, depth, quote, part = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        else:
            depth += (char in "[{") - (char in "]}")
        if char == "," and depth == 0 and not quote:
            parts.append(part)
            part = ""
        else:
            part += char
    return [part.strip() for part in (*parts, part) if part.strip()]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Measure of a field's values, as a column."""

    #: "integer", "number" or "text".
    kind: str
    #: The unit that they were written in, and how much of the column's it is: "ms" and 0.001.
    unit: str = ""
    scale: float = 1.0


def measure(values: Sequence[Any]) -> Measure:
    """Numbers in one base unit where all values are some; texts otherwise."""
    worths = [worth(value) for value in values]
    units = {unit for number, unit, _, _ in worths if number is None or number != 0 or unit}
    if any(number is None for number, *_ in worths) or len(units) > 1:
        return Measure(kind="text")
    if all(isinstance(value, int) for value in values):
        return Measure(kind="integer")
    written = {(unit, scale) for number, _, unit, scale in worths if number}
    unit, scale = written.pop() if len(written) == 1 else (next(iter(units), ""), 1.0)
    return Measure(kind="number", unit=unit, scale=scale)


def worth(value: Any) -> tuple[float | None, str, str, float]:
    """A value in its base unit, that unit, the unit it was written in and its scale; None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None, "", "", 1.0
    if not isinstance(value, str):
        return float(value), "", "", 1.0
    text = value.strip()
    if text.endswith("%"):
        try:
            return float(f"{float(text[:-1]) / 100:.15g}"), "", "%", 0.01
        except ValueError:
            return None, "", "", 1.0
    found = quantity(text)
    if found is None:
        return None, "", "", 1.0
    unit = re.sub(rf"^\s*{_NUMBER}\s*", "", text)
    one = quantity(f"1 {unit}")
    return found[0], found[1], unit, one[0] if one else 1.0


def label(value: Any) -> str:
    """A value as a short text."""
    if isinstance(value, Mapping):
        rest = {key: item for key, item in value.items() if key not in ("name", "kind")}
        name = value.get("name", value.get("kind"))
        inside = ", ".join(f"{key}={label(item)}" for key, item in rest.items())
        return str(name) + (f"({inside})" if inside else "") if name else f"({inside})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value)


def split(path: str) -> list[str]:
    """The parts of a path.

    Raises
    ------
    ValueError
        Where it has an empty part.
    """
    parts = [quoted or plain for quoted, plain in _PART.findall(path)]
    if not parts or path != ".".join(f'"{part}"' if f'"{part}"' in path else part for part in parts):
        raise ValueError(f"{path}: not the path of a field; paths are written like link.air.loss or flow.*.law")
    return parts


def change(plain: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario, as plain values, with other values in some fields.

    Raises
    ------
    ValueError
        Where a path leads nowhere: what was given, and what there is.
    """
    changed: dict[str, Any] = copy.deepcopy(dict(plain))
    for path, value in changes.items():
        *inner, last = split(path)
        for table in _tables(changed, inner, path):
            if isinstance(table, dict):
                table[last] = copy.deepcopy(value)
            elif last.isdigit() and int(last) < len(table) and not isinstance(table[int(last)], dict):
                # A coordinate of a position.
                table[int(last)] = copy.deepcopy(value)
            else:
                raise ValueError(f"{path}: names a whole {inner[-1] if inner else ''}, not a field of it")
    return changed


def read(plain: Mapping[str, Any], path: str) -> list[Any]:
    """The values that the fields of a path have, of those that are written.

    Raises
    ------
    ValueError
        Where the path leads nowhere.
    """
    *inner, last = split(path)
    tables = _tables(copy.deepcopy(dict(plain)), inner, path)
    return [table[last] for table in tables if isinstance(table, dict) and last in table]


def _tables(plain: dict[str, Any], parts: Sequence[str], path: str) -> list[Any]:
    """Tables that the parts of a path lead to."""
    found: list[Any] = [plain]
    for at, part in enumerate(parts):
        reached: list[Any] = []
        for table in found:
            if isinstance(table, list):
                reached += _named(table, part, parts[at - 1], path)
            elif isinstance(table.get(part), dict | list):
                reached.append(table[part])
            elif part == "law" and isinstance(table.get(part), str):
                table[part] = {"name": table[part]}
                reached.append(table[part])
            elif part in table:
                place = ".".join(parts[: at + 1])
                raise ValueError(
                    f"{path}: `{place}` is {json.dumps(table[part], ensure_ascii=False)}, not a table\n"
                    f"hint: give it whole, as in '{place}={{ … }}'"
                )
            elif at == 0 and part in _LISTS:
                raise ValueError(f"{path}: the scenario has no `{part}`")
            else:
                reached.append(table.setdefault(part, {}))
        found = reached
    return found


def _named(entries: list[Any], part: str, kind: str, path: str) -> list[Any]:
    """The entries of a list that a part of a path means: by name, by number from 0 where there is none, or all."""
    tables = [entry for entry in entries if isinstance(entry, dict)]
    if part == "*" and tables:
        return tables
    names: dict[str, list[Any]] = {}
    for number, entry in enumerate(tables):
        names.setdefault(name_of(entry) or str(number), []).append(entry)
    if len(names.get(part, [])) > 1:
        numbers = [str(number) for number, entry in enumerate(tables) if name_of(entry) == part]
        raise ValueError(f"{path}: several {kind} tables are of `{part}`; give a number: {', '.join(numbers)}")
    if part in names:
        return names[part]
    if part.isdigit() and int(part) < len(tables):
        return [tables[int(part)]]
    if not tables:
        raise ValueError(
            f"{path}: `{kind}` is a list of values; give it whole, as in {path.partition(f'.{part}')[0]}=[…]"
        )
    hint = nearest(part, names)
    raise ValueError(f"{path}: there is no {kind} `{part}`; there are: {', '.join(names)}, and * for all{hint}")


def name_of(entry: Mapping[str, Any]) -> str:
    """Name of an entry: its own or its ends, for a change the changed part, for a station its node; empty without."""
    if own := next((entry[key] for key in ("name", "link", "station", "node") if key in entry), None):
        return str(own)
    return f"{entry['from']}->{entry['to']}" if "from" in entry and "to" in entry else ""


def quoted(name: str) -> str:
    """A name as a part of a path."""
    return f'"{name}"' if "." in name else name

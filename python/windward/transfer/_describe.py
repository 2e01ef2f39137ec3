"""An emulated link as tables of a scenario: its options in the words of the command line, or a profile."""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from windward import _engine
from windward._engine import EmulationError
from windward.errors import OptionError
from windward.transfer import _cell, _profile, _wifi

#: Rates as tc(8) writes them, in any case: bits without a slash, and bytes that look like bits.
_TC_RATE = re.compile(r"\s*([+-]?[0-9.]+(?:e[+-]?[0-9]+)?)\s*([kmgt]i?|)(bit|bps)\s*", re.IGNORECASE)
_PREFIXES = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 1 << 10,
    "mi": 1 << 20,
    "gi": 1 << 30,
    "ti": 1 << 40,
}

#: A number of more digits is no rate in any unit.
_MOST_DIGITS = 18

#: Name of the links' description in messages; its places become those of options.
_ORIGIN = "link"

#: What is between the access point and the command.
_Radio = _wifi.Wifi | _cell.Cell

#: A rate where none is given, to check the rest.
_ANY_RATE = "1 Mbit/s"
#: The rate behind an access point where none is given: none that limits.
_NO_LIMIT = "100 Gbit/s"

#: What may change while the command runs, and the directions' names.
CHANGEABLE = ("rate", "delay", "loss", "buffer", "jitter", "reorder", "trace")
_DOWN, _UP = "down", "up"


@dataclass(frozen=True)
class Description:
    """A link that can be emulated."""

    #: Tables of a scenario; the links of the two directions are named "down" and "up".
    network: dict[str, Any]
    #: The network, read.
    links: _engine.Links
    #: Folder of the recordings that it names.
    folder: Path = field(default_factory=Path)
    #: True if the last hop is on the air, with a wire behind it.
    has_radio: bool = False
    #: The options that were given, as texts.
    given: dict[str, str] = field(default_factory=dict)

    def change(self, values: dict[str, str]) -> list[dict[str, Any]]:
        """A change as tables, checked against this link.

        Raises
        ------
        OptionError
            For a change that the link cannot take.
        """
        tables = tables_of(values)
        network = {key: value for key, value in self.network.items() if key != "change"} | {"change": tables}
        try:
            _engine.Links.from_json(json.dumps(network), _ORIGIN, self.folder)
        except _engine.ScenarioError as error:
            faults = dict.fromkeys(_fault_of_change(problem, values) for problem in error.problems)
            raise OptionError(*faults) from None
        return tables


def describe(
    *,
    profile: str | Path | None = None,
    rate: str | None = None,
    delay: str | None = None,
    loss: str | None = None,
    buffer: str | None = None,
    queue: str | None = None,
    jitter: str | None = None,
    reorder: str | None = None,
    trace: str | Path | None = None,
    wifi: str | None = None,
    cell: str | None = None,
    changes: Sequence[str] = (),
    seed: int = 1,
    is_wired: bool = False,
) -> Description:
    """A link of these options, as `windward.transfer.link` has them; `None` stands for an option that is not given.

    With `is_wired` there is a wire that can be changed, also where Wi-Fi or a cell needs none.

    Raises
    ------
    windward.EmulationError
        Where links cannot be emulated.
    OptionError
        For an invalid option; a ValueError.
    """
    if not hasattr(_engine, "emulate_link"):
        raise EmulationError("links are emulated on Linux only")
    if not 0 <= seed < 1 << 63:
        raise OptionError(("seed", str(seed), "is out of range; allowed: 0 to 2^63 - 1"))
    options = {"rate": rate, "delay": delay, "loss": loss, "buffer": buffer, "queue": queue, "jitter": jitter}
    options |= {"reorder": reorder, "trace": None if trace is None else str(trace)}
    given = {name: value for name, value in options.items() if value is not None}
    if "rate" in given and "trace" in given:
        raise ValueError("rate and trace: give one of them, not both")
    if wifi is not None and cell is not None:
        raise ValueError("wifi and cell: give one of them, not both")
    if profile is not None:
        for name, value in (("wifi", wifi), ("cell", cell)):
            if value is not None:
                raise OptionError((name, value, "a profile has its own network; give one of them, not both"))
        return _of_profile(str(profile), given, changes)
    written = given | {name: text for name, text in (("wifi", wifi), ("cell", cell)) if text is not None}
    given = _USUAL | given
    has_radio = wifi is not None or cell is not None
    has_rate = "rate" in given or "trace" in given
    # What else is wrong is told before what is missing.
    network = _network(given if has_rate else {"rate": _NO_LIMIT if has_radio else _ANY_RATE} | given)
    network["change"] = [step for change in changes for step in _change(change)]
    if wifi is not None:
        links = _with_wifi(network, given, changes, wifi, is_wired)
    elif cell is not None:
        links = _with_cell(network, given, changes, cell, is_wired)
    else:
        links = _read(network, given, changes)
        if not has_rate:
            raise ValueError("a link needs a rate, such as 10mbit, a trace, Wi-Fi, a cell, or a profile")
    return Description(network, links, has_radio=has_radio, given=written)


def _of_profile(name: str, given: dict[str, str], changes: Sequence[str]) -> Description:
    """A profile, with options in place of what its first link has."""
    network, folder = _profile.load(name)
    down, up = _directions(given)
    wires = network.get("link", [])
    if given and not wires:
        raise OptionError(("profile", name, f"has no [[link]] that `{next(iter(given))}` could set"))
    if wires:
        wires[0] |= down
        wires[0]["reverse"] = wires[0].get("reverse", {}) | up
    network["change"] = [*network.get("change", []), *(step for change in changes for step in _change(change))]
    try:
        links = _engine.Links.from_json(json.dumps(network), f"profile {name}", folder)
    except _engine.ScenarioError as error:
        faults = [
            (problem.path, problem.message + (f"\nhint: {problem.hint}" if problem.hint else ""))
            for problem in error.problems
        ]
        raise OptionError(*(("profile", name, f"{path}: {message}") for path, message in faults)) from None
    has_radio = bool(network.get("wifi") or network.get("cell"))
    return Description(network, links, folder, has_radio, given)


def _read(
    network: dict[str, Any], given: dict[str, str], changes: Sequence[str], air: _Radio | None = None
) -> _engine.Links:
    try:
        return _engine.Links.from_json(json.dumps(network), _ORIGIN, Path())
    except _engine.ScenarioError as error:
        raise _by_option(error, given, changes, air) from None


def _with_wifi(
    network: dict[str, Any], given: dict[str, str], changes: Sequence[str], text: str, is_wired: bool
) -> _engine.Links:
    """The links of a wire, if it is more than none, and of the Wi-Fi at its end."""
    try:
        air = _wifi.read(text)
    except ValueError as error:
        raise OptionError(("wifi", text, str(error))) from None
    given = given | {"wifi": text}
    refused = "that of Wi-Fi is set by `queue=` in `wifi`"
    nodes = _wire(network, given, changes, (_wifi.ACCESS_POINT, refused), is_wired)
    network |= {"node": nodes + [{"name": other} for other in air.others], "wifi": [air.at(air.metres)]}
    if not _reaches(network) and "distance" in air.given:
        # Whole metres, by halves.
        far = bisect.bisect_left(range(1, _FARTHEST), True, key=lambda m: not _reaches(network | {"wifi": [air.at(m)]}))
        if air.metres > far:
            raise OptionError(("wifi", text, air.too_far(far)))
    links = _read(network, given, changes, air)
    if not air.others:
        return links
    # The last port of Wi-Fi has the rate of the stations' data.
    background = air.background(links.rates_bps[-1] or 0)
    return _read(network | {"background": background}, given, changes, air)


def _with_cell(
    network: dict[str, Any], given: dict[str, str], changes: Sequence[str], text: str, is_wired: bool
) -> _engine.Links:
    """The links of a wire, if it is more than none, and of the cell at its end."""
    try:
        air = _cell.read(text)
    except ValueError as error:
        raise OptionError(("cell", text, str(error))) from None
    given = given | {"cell": text}
    refused = "those of a cell are set by `buffer=` and `queue=` in `cell`"
    nodes = _wire(network, given, changes, (_cell.ACCESS_POINT, refused), is_wired)
    network |= {"node": nodes + [{"name": other} for other in air.others], "cell": [air.table]}
    links = _read(network, given, changes, air)
    if not air.others:
        return links
    # A station alone would have the rate of the last downlink.
    background = air.background(links.rates_bps[-2] or 0)
    return _read(network | {"background": background}, given, changes, air)


def _wire(
    network: dict[str, Any],
    given: dict[str, str],
    changes: Sequence[str],
    end: tuple[str, str],
    is_wired: bool,
) -> list[dict[str, str]]:
    """The nodes of a wire to an access point, which is left out where it does nothing, but for `is_wired`.

    `end` is the name of the access point, and says who has a queue.
    """
    access_point, queue = end
    # Faults of the wire are told even where it is left out.
    _read(network, given, changes)
    is_limited = "rate" in given or "trace" in given
    for name, usual in _QUEUE.items():
        if given[name] != usual and not is_limited:
            raise OptionError((name, given[name], f"a wire without a rate has no queue; {queue}"))
    is_wired = is_wired or bool(changes) or any(given.get(name, usual) != usual for name, usual in _NO_WIRE.items())
    point = {"name": access_point}
    if is_wired:
        network["link"][0]["to"] = access_point
        return [*network["node"], point]
    # The servers are at the access point.
    network["link"] = []
    return [point, *network["node"][1:]]


def _reaches(network: dict[str, Any]) -> bool:
    """False if stations are out of reach."""
    try:
        _engine.Links.from_json(json.dumps(network), _ORIGIN, Path())
    except _engine.ScenarioError as error:
        return not any(problem.path.startswith(("node", "wifi[0].station")) for problem in error.problems)
    return True


#: A number with a comma in the place of the decimal point, or a value of each direction of which one lacks its unit.
_DECIMAL_COMMA = re.compile(r"\d+,\d+\s*[A-Za-z%].*")

#: Metres from which no station reaches its access point.
_FARTHEST = 1000

#: The parameters of a wire that is none, and those of a queue that none has asked for.
_NO_WIRE = {"rate": None, "trace": None, "delay": "0 ms", "loss": "0", "jitter": None, "reorder": None}
_QUEUE = {"buffer": "1000", "queue": "drop-tail"}

#: The values of options that are not given.
_USUAL = {"delay": "0 ms", "loss": "0"} | _QUEUE


def _by_option(
    error: _engine.ScenarioError, given: dict[str, str], changes: Sequence[str], air: _Radio | None = None
) -> ValueError:
    """Faults of a link, by its arguments, each once."""
    faults: dict[tuple[str, str, str], None] = {}
    for problem in error.problems:
        table, _, rest = problem.path.partition(".")
        text = problem.message + (f"\nhint: {problem.hint}" if problem.hint else "")
        if air is not None and table in ("wifi[0]", "cell[0]"):
            name = table.removesuffix("[0]")
            faults[name, given[name], air.fault(problem.path, text)] = None
        elif table.startswith("change["):
            # One table for each direction.
            change = changes[int(table.removeprefix("change[").removesuffix("]")) // 2]
            faults["change", repr(change), text] = None
        else:
            key = rest.removeprefix("reverse.").partition(".")[0].partition("[")[0]
            key = "trace" if key == "rate" and "trace" in given else key
            faults[key, given.get(key, ""), text] = None
    return OptionError(*faults)


def _fault_of_change(problem: _engine.Problem, values: dict[str, str]) -> tuple[str, str, str]:
    key = problem.path.partition(".")[2].partition(".")[0].partition("[")[0]
    key = "trace" if key == "rate" and "trace" in values else key
    text = problem.message + (f"\nhint: {problem.hint}" if problem.hint else "")
    return key, values.get(key, ""), text


def _network(given: dict[str, str]) -> dict[str, Any]:
    """One link: towards the client, and away from it."""
    down, up = _directions(given)
    fields: dict[str, Any] = {"name": _DOWN, "from": "server", "to": "client", **down, "reverse": up | {"name": _UP}}
    return {"node": [{"name": "server"}, {"name": "client"}], "link": [fields]}


def tables_of(values: dict[str, str]) -> list[dict[str, Any]]:
    """A change of both directions, from now on, in the words of options.

    Raises
    ------
    OptionError
        For a name that cannot change, or a value that cannot be read.
    """
    for name in values:
        if name not in CHANGEABLE:
            raise OptionError((name, values[name], f"cannot change; names: {', '.join(CHANGEABLE)}"))
    down, up = _directions(values)
    return [{"link": _DOWN, "at": "0 s", **down}, {"link": _UP, "at": "0 s", **up}]


def _directions(given: dict[str, str], change: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values of both directions, of the link or of a `change` of it."""
    down, up = {}, {}
    for name, value in given.items():
        try:
            parts = [part.strip() for part in value.split(",")]
            if len(parts) == 2 and _DECIMAL_COMMA.fullmatch(value):
                whole, rest = parts
                raise ValueError(
                    f"`{value}` has two readings: write {whole}.{rest} for a decimal fraction, or both directions "
                    f"with their unit, DOWN,UP"
                )
            if len(parts) > 2:
                raise ValueError("expected one value, or two, DOWN,UP")
            values = [_value(name, part) for part in parts]
        except ValueError as error:
            if change is None:
                raise OptionError((name, value, str(error))) from None
            raise OptionError(("change", repr(change), f"{name}={value}: {error}")) from None
        key = "rate" if name == "trace" else name
        down[key], up[key] = values[0], values[-1]
    return down, up


def _change(text: str) -> list[dict[str, Any]]:
    """Changes at one time: a table for each direction."""
    time, *words = text.split()
    expected = 'expected TIME NAME=VALUE …, such as "30s rate=2mbit delay=80ms", or TIME down, TIME up'
    given, is_up = {}, None
    for word in words:
        name, _, value = word.partition("=")
        if word in ("up", "down"):
            is_up = word == "up"
        elif name in CHANGEABLE and value and name not in given:
            given[name] = value
        else:
            names = ", ".join(CHANGEABLE)
            raise OptionError(("change", repr(text), f"`{word}`: {expected}; names: {names}"))
    if not words:
        raise OptionError(("change", repr(text), expected))
    down, up = _directions(given, text)
    both = {"at": time} if is_up is None else {"at": time, "up": is_up}
    return [{"link": _DOWN, **both, **down}, {"link": _UP, **both, **up}]


def _value(name: str, text: str) -> Any:
    # A `Bps` with its large letter is bytes to everybody.
    if name == "rate" and (match := _TC_RATE.fullmatch(text)) and match[3] != "Bps":
        return _rate(text.strip(), *match.groups())
    if name == "buffer" and text.isdigit():
        return f"{text} packets"
    if name == "queue":
        return _parameters("discipline", text)
    if name == "loss" and ":" in text:
        return _parameters("model", text)
    if name == "jitter":
        return {"model": "uniform", "max": text}
    if name == "reorder":
        return _reorder(text)
    if name == "trace":
        return {"trace": str(Path(text).resolve())}
    if name in ("delay", "buffer") and text == "0":
        return "0 s" if name == "delay" else "0 packets"
    return _share(text) if name == "loss" else text


def _rate(text: str, number: str, prefix: str, unit: str) -> str:
    """A rate of tc(8), by its parts, as a scenario has it.

    Raises
    ------
    ValueError
        For `bps`, which are bytes for tc and bits for others.
    """
    try:
        count = Decimal(number)
    except InvalidOperation:
        raise ValueError(f"`{number}` is not a number") from None
    if count < 0:
        raise ValueError(f"`{text}` is negative; a rate must be above zero")
    if count.adjusted() > _MOST_DIGITS:
        raise ValueError(f"`{text}` is too large for a rate")
    prefix = prefix.lower()
    if unit.lower() == "bps":
        bits, of_bytes = f"{count.normalize():f}{prefix}bit", f"{(8 * count).normalize():f}{prefix}bit"
        raise ValueError(
            f"`{text}` has two readings: write {bits} for bits, or {of_bytes} for the bytes that tc(8) means"
        )
    return f"{count * _PREFIXES[prefix]:f} bit/s"


def _share(text: str) -> float | str:
    return float(text) if text.replace(".", "", 1).isdigit() else text


def _reorder(text: str) -> dict[str, Any]:
    """SHARE:TIME, or 0."""
    share, colon, delay = (part.strip() for part in text.partition(":"))
    if not colon and _share(share) == 0:
        # Nobody waits for it.
        delay = "1 ms"
    elif not delay:
        raise ValueError("expected SHARE:TIME, such as 1%:8ms, or 0")
    return {"share": _share(share), "delay": delay}


def _parameters(kind: str, text: str) -> dict[str, Any]:
    """A discipline or a model of loss, with parameters behind colons, as a table of a scenario."""
    first, *parameters = text.split(":")
    table: dict[str, Any] = {kind: first.strip()}
    for parameter in parameters:
        name, equals, value = parameter.partition("=")
        if not equals:
            raise ValueError(f"expected NAME=VALUE behind a colon, not `{parameter}`")
        value = value.strip()
        try:
            table[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            table[name.strip()] = value
    return table

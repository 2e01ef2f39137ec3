"""Keys of a scenario that change nothing: each optional key is set to several values, and the results are compared.

python tests/scenario/dead_keys.py [BASE ...] prints the keys of these networks that no value changes, and the values.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Container, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import windward as ww
from windward import _engine
from windward._engines import fluid
from windward._format.own import finders

FOLDER = Path(__file__).parents[2] / "scenarios"
SCHEMA: dict[str, Any] = _engine.schema()
DEFINITIONS: dict[str, Any] = SCHEMA["$defs"]

#: Values by the unit that a pattern allows.
BY_UNIT = (
    ("packets|packet", ["3 packets", "12 packets", "60 packets"]),
    ("bit/s|Gbit/s", ["500 kbit/s", "2 Mbit/s"]),
    ("B|GB", ["600 B", "3 kB", "40 kB"]),
    ("Hz|GHz", ["5 Hz", "5 GHz", "20 MHz", "40 MHz"]),
    ("s|ms", ["1.6 us", "200 us", "4 ms", "70 ms", "1.1 s"]),
    ("m/s|km/h", ["0.5 m/s", "40 km/h"]),
    ("m|km", ["3 m", "35 m", "300 m"]),
    ("dBm", ["-70 dBm", "16 dBm", "40 dBm"]),
    ("dB", ["0.5 dB", "3 dB", "12 dB"]),
)

#: Small networks in which most keys of their tables act.
BASES = {
    "link": """
        duration = "4 s"
        node = [{ name = "a" }, { name = "b" }, { name = "c" }]
        link = [
          { from = "a", to = "b", rate = "4 Mbit/s", delay = "15 ms", buffer = "20 packets", loss = 0.01 },
          { from = "a", to = "c", rate = "4 Mbit/s", delay = "15 ms" },
          { from = "c", to = "b", rate = "4 Mbit/s", delay = "15 ms" },
        ]
        flow = [{ name = "f", from = "a", to = "b", law = "cubic" }]
        change = [{ link = "a->b", at = "2 s", rate = "2 Mbit/s", delay = "20 ms" }]
        background = [{ name = "u", from = "a", to = "b", pattern = { kind = "poisson", rate = "300 kbit/s" } }]
    """,
    "flow": """
        duration = "4 s"
        node = [{ name = "a" }, { name = "b" }, { name = "c" }]
        link = [
          { from = "a", to = "b", rate = "4 Mbit/s", delay = "15 ms", buffer = "20 packets", loss = 0.01, QUEUE, BACK },
          { from = "a", to = "c", rate = "4 Mbit/s", delay = "15 ms" },
          { from = "c", to = "b", rate = "4 Mbit/s", delay = "15 ms" },
        ]
        flow = [{ name = "f", from = "a", to = "b", law = "cubic" }]
        change = [{ link = "a->b", at = "2 s", up = false }, { link = "a->b", at = "2.5 s", up = true }]
        background = [{ name = "u", from = "a", to = "b", pattern = { kind = "poisson", rate = "300 kbit/s" } }]
    """,
    "app": """
        duration = "4 s"
        node = [{ name = "a" }, { name = "b" }]
        link = [{ from = "a", to = "b", rate = "4 Mbit/s", delay = "15 ms", buffer = "20 packets", loss = 0.01, RED }]
        stack = "linux"
        [[app]]
        kind = "requests"
        name = "r"
        from = "a"
        to = "b"
        law = "cubic"
        arrivals = { kind = "poisson", rate = 5 }
        response = "60 kB"
        connections = 2
        tcp = { sack = true }
    """,
    "page": """
        duration = "6 s"
        node = [{ name = "a" }, { name = "b" }]
        link = [{ from = "a", to = "b", rate = "4 Mbit/s", delay = "15 ms", buffer = "20 packets", loss = 0.01, RED }]
        [[app]]
        kind = "page"
        name = "p"
        from = "a"
        to = "b"
        law = "cubic"
        reading = "50 ms"
        reading_spread = "fixed"
        tcp = { sack = true }
        objects = [
          { name = "page", size = "8 kB" },
          { name = "style", size = "9 kB", blocking = true },
          { name = "other", size = "12 kB" },
          { name = "third", size = "5 kB", origin = "https://x" },
        ]
    """,
    "wifi": """
        duration = "4 s"
        node = [{ name = "s" }, { name = "w", count = 3 }]
        link = [{ from = "s", to = "w-1", rate = "100 Mbit/s", delay = "5 ms" }]
        flow = [
          { name = "f", from = "s", to = "w-2", law = "cubic" },
          { name = "g", from = "w-3", to = "w-1", law = "reno" },
        ]
        [[wifi]]
        name = "net"
        standard = "802.11g"
        station = [
          { node = "w-1", at = ["0 m", "0 m"] },
          { node = "w-2", at = ["90 m", "0 m"] },
          { node = "w-3", at = ["190 m", "5 m"] },
        ]
        reach = { receive = "120 m", sense = "150 m" }
        loss = [{ from = "w-1", to = "w-2", probability = 0.3 }]
    """,
    "ac": """
        duration = "3 s"
        node = [{ name = "s" }, { name = "w", count = 3 }]
        link = [{ from = "s", to = "w-1", rate = "400 Mbit/s", delay = "5 ms" }]
        flow = [
          { name = "f", from = "s", to = "w-2", law = "cubic" },
          { name = "g", from = "w-3", to = "s", law = "reno" },
          { name = "h", from = "s", to = "w-3", law = "reno" },
        ]
        background = [
          { name = "v", from = "s", to = "w-3", dscp = "EF", packet = "200 B", CBR },
          { name = "v-video", from = "s", to = "w-3", dscp = "AF41", CBR },
          { name = "v-bulk", from = "s", to = "w-3", dscp = "CS1", CBR },
          { name = "u", from = "w-3", to = "s", dscp = "EF", packet = "200 B", CBR },
          { name = "u-video", from = "w-3", to = "s", dscp = "AF41", CBR },
          { name = "u-bulk", from = "w-3", to = "s", dscp = "CS1", CBR },
        ]
        [[wifi]]
        name = "net"
        standard = "802.11n"
        access_point = "w-1"
        station = [
          { node = "w-1", at = ["0 m", "0 m"] },
          { node = "w-2", at = ["20 m", "0 m"] },
          { node = "w-3", at = ["45 m", "5 m"] },
        ]
        loss = [{ from = "w-1", to = "w-2", probability = 0.2 }]
    """,
    "cell": """
        duration = "4 s"
        node = [{ name = "s" }, { name = "m" }, { name = "p", count = 3 }]
        link = [
          { from = "s", to = "m", rate = "1 Gbit/s", delay = "5 ms" },
          { from = "p", to = "m", rate = "1 Gbit/s", delay = "2 ms", duplex = false },
        ]
        flow = [{ name = "f", from = "s", to = "p", law = "cubic" }]
        [[cell]]
        name = "c"
        access_point = "m"
        slot = "2 ms"
        symbol_rate = "1 Msymbol/s"
        amc = { kind = "ctc" }
        buffer = "60 packets"
        station = [
          { node = "p-1", snr = "12 dB", fading = { model = "jakes", doppler = "5 Hz" } },
          { node = "p-2", snr = "16 dB", fading = { model = "jakes", doppler = "20 Hz" } },
          { node = "p-3", snr = "20 dB", fading = { model = "jakes", doppler = "20 Hz" } },
        ]
    """,
    "lte": """
        duration = "3 s"
        node = [{ name = "s" }, { name = "m" }, { name = "p", count = 3 }]
        link = [{ from = "s", to = "m", rate = "1 Gbit/s", delay = "5 ms" }]
        flow = [
          { name = "f", from = "s", to = "p", law = "cubic" },
          { name = "g", from = "p-1", to = "s", law = "reno" },
        ]
        [[cell]]
        name = "c"
        access_point = "m"
        technology = "lte"
        preset = "lte-10mhz"
        station = [
          { node = "p-1", snr = "8 dB", speed = "3 km/h" },
          { node = "p-2", snr = "12 dB", speed = "30 km/h" },
          { node = "p-3", snr = "2 dB", speed = "3 km/h" },
        ]
    """,
    "places": """
        duration = "5 s"
        node = [{ name = "s" }, { name = "m" }, { name = "p", count = 2 }]
        link = [{ from = "s", to = "m", rate = "1 Gbit/s", delay = "5 ms" }]
        flow = [{ name = "f", from = "s", to = "p", law = "cubic" }]
        [[cell]]
        name = "c"
        access_point = "m"
        technology = "nr"
        preset = "n78-20mhz"
        site = [{ name = "x", at = ["0 m", "0 m"] }, { name = "y", at = ["400 m", "0 m"] }]
        [[cell.station]]
        node = "p-1"
        at = ["150 m", "20 m"]
        speed = "3 km/h"
        [[cell.station]]
        node = "p-2"
        at = ["100 m", "5 m"]
        [cell.station.motion]
        kind = "waypoints"
        points = [{ time = "0 s", at = ["100 m", "5 m"] }, { time = "3 s", at = ["395 m", "5 m"] }]
    """,
    "background": """
        duration = "4 s"
        node = [{ name = "a" }, { name = "b" }]
        link = [{ from = "a", to = "b", rate = "2 Mbit/s", delay = "15 ms", buffer = "20 packets", QUEUE }]
        flow = [{ name = "f", from = "a", to = "b", law = "cubic" }]
        background = [{ name = "u", from = "a", to = "b", pattern = { kind = "poisson", rate = "300 kbit/s" } }]
    """,
}


def _modes(place: str, *values: str) -> list[str]:
    """A mode for each value of a field."""
    return [f"{place}={value}" for value in values]


#: Abbreviations in the networks.
WORDS = {
    "QUEUE": 'queue = { discipline = "codel", ecn = true }',
    "BACK": "reverse = { loss = 0.005 }",
    "RED": 'queue = { discipline = "red", ecn = true }',
    "CBR": 'pattern = { kind = "cbr", rate = "2 Mbit/s" }',
}

#: Tables that are swept in each network.
SWEPT = {
    "link": ("", "link", "change"),
    "flow": ("flow",),
    "app": ("app",),
    "page": ("app",),
    "wifi": ("wifi", "wifi.station"),
    "ac": ("wifi", "wifi.station"),
    "cell": ("cell", "cell.station"),
    "lte": ("cell", "cell.station"),
    "places": ("cell", "cell.station"),
    "background": ("background",),
}

#: Modes of the networks.
MODES = {
    "link": _modes(
        "link.0.queue",
        '{ discipline = "codel" }',
        '{ discipline = "pie" }',
        '{ discipline = "policer", rate = "2 Mbit/s" }',
    ),
    "page": _modes("app.0.protocol", '"http/1.1"'),
    "flow": [
        *_modes(
            "flow.0.law", *(f'"{law}"' for law in ("reno", "bbr", "bbr3", "copa", "vegas", "prague", "dctcp", "tfrc"))
        ),
        *_modes("flow.0.stack", '"rfc"'),
        *_modes("flow.0.sack", "false"),
        *_modes("flow.0.write", '{ rate = "2 Mbit/s", every = "20 ms" }'),
        *_modes("flow.0.coding", '{ kind = "random" }'),
        *_modes("flow.0.connections", '"emultcp-fast"'),
        *_modes("flow.0.size", '"300 kB"'),
        *_modes("link.0.queue", '"fq-codel"', '{ discipline = "red", ecn = true }', '"dualpi2"', '"pie"'),
    ],
    "wifi": [
        *_modes("wifi.0.standard", '"802.11b"', '"802.11a"', '"bianchi"'),
        *_modes("wifi.0.mode", '"ns2"'),
        *_modes("wifi.0.access", '"queueing-delay"', '"queue-length"', '"ideal"'),
        *_modes("wifi.0.routing", '"dsdv"', '"aodv"', '"backpressure"'),
        *_modes("wifi.0.rts_threshold", '"100 B"'),
        *_modes("wifi.0.noise", '{ power = "-90 dBm" }'),
    ],
    "ac": [
        *_modes("wifi.0.standard", '"802.11ac"', '"802.11ax"'),
        *_modes("wifi.0.ampdu", "{ mpdus = 1 }"),
        *_modes("wifi.0.rate_control", '"minstrel-ht"', '{ kind = "fixed", mcs = 3 }'),
        *_modes("wifi.0.profile", '"linux-ath9k"', '"linux-mt76"'),
        *_modes("wifi.0.txq", '{ queue = "fifo" }', '{ queue = "shared-fq-codel" }', '{ hardware = "firmware" }'),
    ],
    "cell": [
        *_modes(
            "cell.0.scheduler",
            *(
                f'"{kind}"'
                for kind in (
                    "queueing-delay",
                    "queue-length",
                    "max-snr",
                    "round-robin",
                    "proportional-fair",
                    "m-lwdf",
                    "exp-rule",
                )
            ),
        ),
        *_modes("cell.0.service", '"carry"', '"fluid"'),
    ],
    "lte": [
        *_modes(
            "cell.0.scheduler",
            *(
                f'"{kind}"'
                for kind in ("queueing-delay", "queue-length", "max-snr", "round-robin", "m-lwdf", "exp-rule")
            ),
        ),
        *_modes("cell.0.adaptation", "{ outer_loop = false }"),
        *_modes("cell.0.rlc", '{ mode = "um" }'),
        *_modes("cell.0.drx", '"phone"'),
        *_modes("cell.0.harq", "{ transmissions = 1 }"),
    ],
}


class Probe(NamedTuple):
    """A key, and values of the field at the top of its table that differ in it alone."""

    key: str
    values: list[Any]
    #: The field without the key.
    without: Any = None


def resolved(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The definition that a node refers to."""
    while "$ref" in node:
        node = DEFINITIONS[node["$ref"].rpartition("/")[2]]
    return node


def variants(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Alternatives of a node, without null."""
    node = resolved(node)
    for key in ("anyOf", "oneOf"):
        if key in node:
            return [each for other in node[key] for each in variants(other)]
    return [] if node.get("type") == "null" else [node]


def scalars(node: Mapping[str, Any]) -> list[Any]:
    """Values of a node that is no table."""
    if "const" in node:
        return [node["const"]]
    if "enum" in node:
        return list(node["enum"])
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "boolean" in kinds:
        return [False, True]
    if "integer" in kinds:
        least, most = node.get("minimum", 0), node.get("maximum", 1000)
        return [value for value in (1, 2, 5, 30) if least <= value <= most]
    if "number" in kinds:
        least, most = node.get("minimum", 0), node.get("maximum", 1000)
        default = node.get("default")
        own = [default / 2, default * 2] if isinstance(default, int | float) else []
        return [value for value in (*own, 0.02, 0.3, 3.0) if least <= value <= most]
    if "string" in kinds and (pattern := node.get("pattern")):
        words = re.findall(r"\|([a-z-]{4,})\b", pattern.partition(r"\s*|")[1] + pattern.partition(r"\s*|")[2])
        found = [value for units, values in BY_UNIT if units in pattern for value in values[: 9 if not words else 3]]
        return [value for value in found if re.search(pattern, value)] + [
            word for word in words if word not in ("packets", "packet", "pkts")
        ]
    return []


def least(node: Mapping[str, Any]) -> dict[str, Any] | None:
    """The table with its required keys alone; None where they are not known."""
    found = {}
    for key in node.get("required", []):
        choices = [value for each in variants(node["properties"][key]) for value in scalars(each)]
        if not choices:
            return None
        found[key] = choices[0]
    return found


def probes(key: str, node: Mapping[str, Any], here: Any) -> Iterator[Probe]:
    """Keys in and below a field that is `here` in the network."""
    values: list[Any] = []
    names: set[Any] = set()
    for each in variants(node):
        if "properties" not in each:
            found = scalars({"default": node.get("default"), **each})
            names |= {value for value in found if isinstance(value, str)}
            values += [value for value in found if value not in values]
            continue
        tag = next((name for name, value in each["properties"].items() if "const" in value), None)
        kind = each["properties"][tag]["const"] if tag else None
        is_here = isinstance(here, dict) and (tag is None or here.get(tag) == kind)
        base = copy.deepcopy(here) if is_here else least(each)
        if base is None:
            continue
        # A table with nothing but its kind is the same as its name.
        if tag is not None and not (kind in names and len(base) == 1):
            values.append(base)
        if tag is not None and not is_here:
            # Parameters of a model that the network does not have.
            continue
        for name, inner in each["properties"].items():
            if name == tag:
                continue
            label = f"{key}.{name}" if tag is None else f"{key}({kind}).{name}"
            for probe in probes(label, inner, base.get(name)):
                yield Probe(probe.key, [{**base, name: value} for value in probe.values], base)
    if values:
        yield Probe(key, values)


def tables(network: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], Mapping[str, Any], Mapping[str, Any]]]:
    """Tables of a network: place, definition and content."""
    yield (), SCHEMA, network
    for name in ("link", "cell", "wifi", "flow", "app", "background", "change"):
        for at, content in enumerate(network.get(name, [])[:1]):
            # The alternative that has all keys of the table.
            fitting = [
                each
                for each in variants(SCHEMA["properties"][name]["items"])
                if {*content} <= {*each["properties"]}
                and all(
                    content.get(key) == value["const"] for key, value in each["properties"].items() if "const" in value
                )
            ]
            yield (name, at), fitting[0], content
            inner = fitting[0]["properties"].get("station")
            if inner is not None and content.get("station"):
                yield (
                    (name, at, "station", len(content["station"]) - 1),
                    resolved(inner["items"]),
                    content["station"][-1],
                )


#: Lists of tables, which are swept on their own.
LISTS = ("node", "link", "cell", "wifi", "region", "change", "flow", "app", "background", "station")


def keys(network: Mapping[str, Any], swept: tuple[str, ...]) -> Iterator[tuple[str, list[Any], tuple[Any, ...]]]:
    """Keys of a network: name, values of the field, and its place."""
    for place, definition, content in tables(network):
        where = ".".join(str(part) for part in place if isinstance(part, str))
        if where not in swept:
            continue
        for name, node in definition["properties"].items():
            if name in LISTS:
                continue
            for probe in probes(f"{where}.{name}".lstrip("."), node, content.get(name)):
                yield probe.key, probe.values, (*place, name)


def changed(network: Mapping[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The network with another value of a field."""
    found = copy.deepcopy(dict(network))
    table: Any = found
    for part in place[:-1]:
        table = table[part]
    table[place[-1]] = value
    return found


def hashed(found: Any, of: Any) -> None:
    """Adds a table of a run."""
    if isinstance(of, dict):
        for name, column in of.items():
            found.update(name.encode())
            hashed(found, column)
    else:
        found.update(of if isinstance(of, memoryview) else repr(of).encode())


def digest(network: Mapping[str, Any]) -> str | None:
    """Digest of all tables of a run; None if the network is refused."""
    try:
        scenario = _engine.Scenario.from_json(json.dumps(network), "network", FOLDER)
    except ww.ScenarioError:
        return None
    found = hashlib.sha256()
    job = _engine.Job(scenario, seeds=[1], threads=1, **finders({}, FOLDER))
    job.start()
    while not job.is_done:
        for result in job.wait(1.0):
            # Events are no results.
            hashed(found, {name: each for name, each in result.items() if name not in ("events", "packet_hops")})
    return found.hexdigest()


def fluid_digest(network: Mapping[str, Any]) -> str | None:
    """Digest of a fluid run; None if the network is refused, or a note says which key is ignored."""
    try:
        scenario = _engine.Scenario.from_json(json.dumps(network), "network", FOLDER)
        answer = fluid.run(scenario)
    except (ww.ScenarioError, ValueError):
        return None
    is_noted = answer.notes or scenario.notes
    return None if is_noted else repr((answer.flows.to_dict("list"), answer.rests.to_dict("list")))


class Dead(NamedTuple):
    """A key that no value changes, with the values that are accepted."""

    key: str
    values: list[Any]


def shortened(network: Mapping[str, Any], share: float) -> dict[str, Any]:
    """The network with this share of its duration, changes as much sooner."""

    def less(time: str) -> str:
        return f"{float(time.removesuffix(' s')) * share:g} s"

    found = {**network, "duration": less(network["duration"])}
    if "change" in network:
        found["change"] = [{**change, "at": less(change["at"])} for change in network["change"]]
    return found


def dead(
    network: Mapping[str, Any],
    swept: tuple[str, ...],
    digest: Callable[[Mapping[str, Any]], str | None] = digest,
    shares: tuple[float, ...] = (0.1, 1.0),
    settled: Container[str] = (),
) -> tuple[list[Dead], int]:
    """Keys of which several values are accepted and none changes a byte, and the number of keys with a value.

    Most keys act in a tenth of the run already: only the others are asked about the whole run, and of those the keys
    that are not `settled`.
    """
    # Raises the error of a network that is refused.
    _engine.Scenario.from_json(json.dumps(network), "network", FOLDER)
    known: dict[str, str | None] = {}

    def look(other: Mapping[str, Any]) -> str | None:
        text = json.dumps(other, sort_keys=True)
        if text not in known:
            known[text] = digest(other)
        return known[text]

    def asked(values: list[Any], place: tuple[Any, ...], share: float) -> tuple[list[Any], int]:
        """The values accepted up to the first that changes something, and the number of different results."""
        accepted, seen = [], set()
        for value in values:
            result = look(changed(shortened(network, share), place, value))
            if result is not None:
                accepted.append(value)
                seen.add(result)
            if len(seen) > 1:
                break
        return accepted, len(seen)

    found, count = [], 0
    for key, values, place in keys(network, swept):
        for share in shares:
            accepted, different = asked(values, place, share)
            if different > 1 or key in settled:
                break
        count += bool(accepted)
        if len(accepted) > 1 and different == 1:
            found.append(Dead(key, accepted))
    return found, count


def networks() -> dict[str, dict[str, Any]]:
    """The networks, and those with one mode changed, as `wifi/mode=ns2`."""
    found = {}
    for name, text in BASES.items():
        for word, meant in WORDS.items():
            text = text.replace(word, meant)
        base = {"name": "network"} | tomllib.loads(text)
        found[name] = base
        for mode in MODES.get(name, ()):
            mode_text, _, value = mode.partition("=")
            *place, last = [int(part) if part.isdigit() else part for part in mode_text.split(".")]
            found[f"{name}/{mode}"] = changed(base, (*place, last), tomllib.loads(f"x = {value}")["x"])
    return found


def main() -> None:
    """Prints the dead keys of the networks that are given, or of all."""
    chosen = networks()
    for name in sys.argv[1:] or chosen:
        try:
            found, count = dead(chosen[name], SWEPT[name.partition("/")[0]])
        except ww.ScenarioError as error:
            print(f"{name}: {error}")
            continue
        print(f"{name}: {count} keys")
        for each in found:
            print(f"    {each.key}: {str(each.values)[:150]}", flush=True)


if __name__ == "__main__":
    main()

"""Writes the dataclasses of python/windward/format.py, and the names of those of every day in __init__.pyi.

They follow from the JSON Schema.

Run it after a change of the format: `python tools/generate_model.py`. With `--check` it only says whether the files are
up to date (exit code 1 if not).
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from tools.tried_examples import refused

from windward import _engine

PACKAGE = Path(__file__).parent.parent / "python" / "windward"
TARGET = PACKAGE / "format.py"
#: The list of the names of `windward` itself; those of every day are a block of it.
NAMES = PACKAGE / "__init__.pyi"
#: Unions whose members are of every day, beside the tables that a file has at its root.
EVERYDAY = ("AnyCell", "App", "LawSpec")
ROOT = "ScenarioFields"
#: What the names of a tagged union's members end in, where the word alone would not say what it is.
SUFFIX = {
    "RateControl": "RateControl",
    "LossModel": "Loss",
    "Jitter": "Jitter",
    "Amc": "Amc",
    "Fading": "Fading",
    "Scheduler": "Scheduler",
    "Drx": "Drx",
    "Region": "Region",
    "Layout": "Layout",
    "Motion": "Motion",
    "Access": "Access",
    "Routing": "Routing",
    "PathLoss": "PathLoss",
    "Coding": "Coding",
    "Arrivals": "Arrivals",
    "Sizes": "Size",
    "Rule": "Rule",
}

#: Required fields in the examples: by attribute, or by class and attribute where that differs.
EXAMPLE = {
    "access_point": '"mast"',
    "amc": '"shannon"',
    "at": '["0 m", "0 m"]',
    "bad_to_good": "0.3",
    "bytes": '"20 kB"',
    "capacity": '["10 Mbit/s", "20 Mbit/s"]',
    "class_": '"my_law.py:MyLaw"',
    "columns": "3",
    "conflicts": '[["up", "down"]]',
    "cv": "2.0",
    "delay": '"20 ms"',
    "deviation": '"2 ms"',
    "doppler": '"10 Hz"',
    "dscp": '"AF41"',
    "duration": '"60 s"',
    "efficiency": "2.0",
    "every": '"5 s"',
    "exponent": "2.0",
    "from_": '"server"',
    "good_to_bad": "0.01",
    "height": '"50 m"',
    "inactivity": '"200 ms"',
    "interval": '"10 ms"',
    "law": '"cubic"',
    "length": '"1 s"',
    "limit": '"20 packets"',
    "links": '["up", "down"]',
    "long": '"320 ms"',
    "matrix": "[[1.0, 0.2], [0.2, 1.0]]",
    "max": '"5 ms"',
    "min": '"1 kB"',
    "mcs": "9",
    "mean": '"2 ms"',
    "most": '"10 Mbit/s"',
    "name": '"home"',
    "node": '"phone"',
    "off": '"1 s"',
    "on": '"1 s"',
    "pareto": "1.5",
    "qi": "7",
    "power": '"-90 dBm"',
    "preset": '"n78-40mhz"',
    "probability": "0.01",
    "rate": '"2 Mbit/s"',
    "points": '"sizes.csv"',
    "rates": '["6 Mbit/s", "12 Mbit/s"]',
    "response": '"20 kB"',
    "objects": '"page.json"',
    "rule": '"bola"',
    "samples": "[12.0, 3.5, 18.0]",
    "share": "0.01",
    "shape": "1.2",
    "size": '"20 kB"',
    "slot": '"1 ms"',
    "snr": '"20 dB"',
    "spacing": '"20 m"',
    "symbol_rate": '"5 MBd"',
    "technology": '"nr"',
    "think": '"1 s"',
    "time": '"10 s"',
    "times": '"arrivals.csv"',
    "to": '"client"',
    "trace": '"drive.trace"',
    "transmissions": "4",
    "users": "10",
    "weights": "[1.0, 1.0]",
    "width": '"100 m"',
    ("AirSpan", "from_"): '"10 s"',
    ("Backlog", "limit"): '"10 Mbit/s"',
    ("MessagePassing", "limit"): '"10 Mbit/s"',
    ("ChangeStep", "at"): '"10 s"',
    ("CyclesDrx", "on"): '"10 ms"',
    ("Leo", "capacity"): '"20 Mbit/s"',
    ("Node", "name"): '"laptop"',
    ("Window", "from_"): '"10 s"',
    ("Window", "to"): '"30 s"',
    ("ExponentialSize", "mean"): '"20 kB"',
    ("LognormalSize", "mean"): '"20 kB"',
    ("ParetoSize", "max"): '"10 MB"',
    ("PythonScheduler", "class_"): '"my_scheduler.py:MyScheduler"',
    "weight": "20_000.0",
}

#: Optional fields without which a scenario refuses an object in an example.
NEEDED = {
    "Link": {"rate": '"10 Mbit/s"'},
    "Wifi": {"station": "[home, phone]"},
    "Requests": {"arrivals": "ww.format.PoissonArrivals(rate=2.0)"},
    "Session": {"size": '"1 MB"'},
    "Read": {"rate": '"5 Mbit/s"'},
    "Write": {"rate": '"5 Mbit/s"'},
}

HEADER = '''"""The fields of a scenario as dataclasses.

Generated from the scenario format's schema by tools/generate_model.py: change the format, not this file. Times, rates
and sizes are strings with units ("100 ms", "10 Mbit/s", "125 kB"); `None` means that a field is absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

'''

#: Stations of a Wi-Fi in the examples, and the fields of one whose options the older standards do not have.
STATIONS = [
    f'{name} = ww.format.WifiStation(node="{name}", at=["{metres} m", "0 m"])'
    for name, metres in (("home", 0), ("phone", 5))
]
NEWER = {"standard": '"802.11n"', "access_point": '"home"'}

#: Length of a line of an example, beyond which it does not help.
LONGEST = 100

#: Where a docstring's example will be.
MARK = "<example>"

Schema = dict[str, Any]


class Generator:
    """Turns the definitions of a schema into Python source, each after those that it needs."""

    def __init__(self, schema: Schema) -> None:
        self.definitions: dict[str, Schema] = schema["$defs"]
        self.root = schema
        self.sources: dict[str, str] = {}
        self.types: dict[str, str] = {}
        #: The members of each union.
        self.unions: dict[str, list[str]] = {}
        #: The fields of each dataclass: their types, and whether they are required.
        self.fields: dict[str, dict[str, tuple[str, bool]]] = {}

    def source(self) -> str:
        self.dataclass(ROOT, self.root)
        written = [
            text.replace(f"    {MARK}\n", self.example(name) if name in self.fields else "")
            for name, text in self.sources.items()
        ]
        return f"{HEADER}__all__ = {sorted([*self.fields, 'LawSpec'])}\n\n" + "\n\n".join(written)

    def example(self, name: str) -> str:
        """The example of a dataclass: an object of it, and another that holds it."""
        if name == ROOT:
            return ""
        holders = [
            (other, attribute, kind)
            for other, fields in self.fields.items()
            for attribute, (kind, _) in fields.items()
            if other != ROOT and name in self.members(kind)
        ]
        # The table of a scenario that has it, if one has: a link rather than its reverse.
        tables = self.members(" ".join(kind for kind, _ in self.fields[ROOT].values()))
        other, attribute, kind = min(holders, key=lambda each: each[0] not in tables, default=("", _snake(name), ""))
        for newer in ({}, NEWER) if "Wifi" in (name, other) else ({},):
            lines = ["import windward as ww", f"{attribute} = {self.call(name, **(newer if name == 'Wifi' else {}))}"]
            if other:
                held = f"[{attribute}]" if kind.startswith("Sequence[") else attribute
                given = newer if other == "Wifi" else {}
                line = f"{_snake(other)} = {self.call(other, **{attribute: held}, **given)}"
                lines += [line] if len(line) <= LONGEST else []
            if any("[home, phone]" in line for line in lines):
                lines[1:1] = STATIONS
            if not refused("\n".join(lines)):
                code = "\n".join(f">>> {line}" for line in lines)
                return "\n" + textwrap.indent(f"Examples\n--------\n{code}\n", "    ")
        # An example that no scenario takes would mislead.
        return ""

    def call(self, name: str, **given: str) -> str:
        """Makes an object with all that it requires."""
        needed = NEEDED.get(name, {})
        arguments = {
            attribute: needed.get(attribute) or self.value(name, attribute, kind)
            for attribute, (kind, is_required) in self.fields[name].items()
            if (is_required or attribute in needed) and attribute not in given
        }
        place = "ww" if name in self.everyday() else "ww.format"
        return (
            f"{place}.{name}({', '.join(f'{attribute}={value}' for attribute, value in (arguments | given).items())})"
        )

    def value(self, name: str, attribute: str, kind: str) -> str:
        value = EXAMPLE.get((name, attribute)) or EXAMPLE.get(attribute)
        held = re.fullmatch(r"Sequence\[(\w+)\]", kind)
        if held is not None and held[1] in self.fields:
            return f"[{self.call(held[1])}]"
        tables = [member for member in self.unions.get(kind, ()) if member in self.fields]
        if tables and (value is None or "str" not in self.unions[kind]):
            return self.call(tables[0])
        if value is None:
            raise SystemExit(f"{name}.{attribute} is required: EXAMPLE in {Path(__file__).name} needs a value of it")
        return value

    def members(self, kind: str) -> set[str]:
        """The names in a type, and those of the unions in it."""
        found = set(re.findall(r"\w+", kind))
        for union in found & set(self.unions):
            found |= self.members(_union(self.unions[union]))
        return found

    def everyday(self) -> list[str]:
        """Tables at the root of a file, applications and laws: the names that `windward` itself has."""
        direct = {held for kind, _ in self.fields[ROOT].values() for held in re.findall(r"\w+", kind)}
        unions = {member for union in EVERYDAY for member in self.unions[union]}
        return sorted((direct | unions) & set(self.fields), key=str.lower)

    def public(self) -> str:
        """The import that gives `windward` those of every day."""
        return "from .format import (\n" + "".join(f"    {name} as {name},\n" for name in self.everyday()) + ")\n"

    def reference(self, reference: str) -> str:
        """The Python type of a definition, which is written first."""
        name = reference.removeprefix("#/$defs/")
        if name not in self.types:
            definition = self.definitions[name]
            if "properties" in definition:
                self.types[name] = self.dataclass(name, definition)
            else:
                self.types[name] = name
                members = [self.member(name, schema) for schema in definition.get("oneOf") or definition["anyOf"]]
                comment = _comment(definition["description"])
                self.sources[name] = f"{comment}{name} = {_union(members)}\n"
                self.unions[name] = members
        return self.types[name]

    def member(self, union: str, schema: Schema) -> str:
        """The Python type of a member of a union."""
        if "properties" not in schema:
            return self.type(schema)
        tag = next((value["const"] for value in schema["properties"].values() if "const" in value), None)
        word = tag if tag is not None else next(iter(schema["properties"]))
        return self.dataclass(_camel(word) + SUFFIX.get(union, "Law" if word == "python" else ""), schema)

    def type(self, schema: Schema) -> str:
        """The Python type of any schema."""
        if "$ref" in schema:
            return self.reference(schema["$ref"])
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return "str"
        if "anyOf" in schema:
            return _union([self.member("", member) for member in schema["anyOf"]])
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return _union([self.plain(kind, schema) for kind in kinds])

    def plain(self, kind: str, schema: Schema) -> str:
        if kind == "array":
            return f"Sequence[{self.type(schema['items'])}]"
        if kind == "object":
            return "Mapping[str, Any]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kind]

    def dataclass(self, name: str, schema: Schema) -> str:
        """Writes a dataclass and returns its name."""
        fields, attributes, tag = [], [], ""
        types: dict[str, tuple[str, bool]] = {}
        for key, value in schema["properties"].items():
            if "const" in value:
                tag = f"    TAG: ClassVar[tuple[str, str]] = ({key!r}, {value['const']!r})\n\n"
                continue
            attribute = f"{key}_" if keyword.iskeyword(key) else key
            kind = self.type(value)
            if (name, key) == ("Flow", "law"):
                kind += " | Callable[[float], Any]"
            if (name, key) in (("Cell", "scheduler"), ("RanCell", "scheduler")):
                kind += " | Callable[[], Any]"
            default = self.default(key, value, schema)
            # A default that the host chooses.
            if default.endswith("= None") and "None" not in kind:
                kind += " | None"
            fields.append(f"    {attribute}: {kind}{default}\n")
            attributes.append((attribute, value.get("description", "")))
            types[attribute] = (kind, key in schema.get("required", ()))
        if schema.get("additionalProperties", True):
            fields.append("    parameters: Mapping[str, Any] = field(default_factory=dict, metadata={'rest': True})\n")
            attributes.append(("parameters", "Arguments of its constructor, after the initial window."))
        body = tag.replace("'", '"') + "".join(fields).replace("'", '"')
        self.fields[name] = types
        self.sources[name] = (
            f"@dataclass(frozen=True, kw_only=True)\nclass {name}:\n{_docstring(schema, attributes)}\n{body}"
        )
        return name

    def default(self, key: str, value: Schema, schema: Schema) -> str:
        """Default after a field's type."""
        metadata = f"metadata={{'key': {key!r}}}" if keyword.iskeyword(key) else ""
        if key in schema.get("required", ()):
            return f" = field({metadata})" if metadata else ""
        default = value.get("default")
        if isinstance(default, dict) and "anyOf" in value:
            # A kind with what it is by default: its word.
            return f" = {next(iter(default.values()))!r}"
        if isinstance(default, dict) and "$ref" in value:
            return f" = {self.reference(value['$ref'])}()"
        if value.get("type") == "array":
            return f" = {tuple(default or ())!r}"
        if value.get("type") == "object":
            return " = field(default_factory=dict)"
        return f" = field(default={default!r}, {metadata})" if metadata else f" = {default!r}"


def _camel(word: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[-_]", word))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _union(members: list[str]) -> str:
    return " | ".join(dict.fromkeys(members))


def _comment(text: str) -> str:
    return "".join(f"#: {line}\n" for line in textwrap.wrap(" ".join(text.split()), 116))


def _docstring(schema: Schema, attributes: list[tuple[str, str]]) -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in schema["description"].split("\n\n")]
    first, *rest = re.split(r"(?<=[.]) (?=[A-Z])", paragraphs[0], maxsplit=1)
    text = "\n\n".join(_fill(part, 4) for part in [first, *rest, *paragraphs[1:]]).strip()
    if not attributes:
        return f'    """{text}\n    {MARK}\n    """\n'
    lines = [f'    """{text}', "", "    Attributes", "    ----------"]
    for name, description in attributes:
        lines += [f"    {name}", _fill(" ".join(description.split()), 8)]
    return "\n".join([*lines, f"    {MARK}", '    """', ""])


def _fill(text: str, indent: int) -> str:
    return textwrap.fill(text, 118, initial_indent=" " * indent, subsequent_indent=" " * indent)


def main() -> int:
    generator = Generator(_engine.schema())
    files = {
        TARGET: _format(generator.source(), TARGET),
        NAMES: re.sub(
            r"^from \.format import \(\n.*?^\)\n",
            generator.public(),
            NAMES.read_text(encoding="utf-8"),
            flags=re.DOTALL | re.MULTILINE,
        ),
    }
    if "--check" in sys.argv[1:]:
        return 0 if all(path.exists() and path.read_text() == text for path, text in files.items()) else 1
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return 0


def _format(source: str, path: Path) -> str:
    """Formatted as the rest of the package is, examples too."""
    examples = ["--config", "format.docstring-code-format=true"]
    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", *examples, "--stdin-filename", str(path), "-"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


if __name__ == "__main__":
    raise SystemExit(main())

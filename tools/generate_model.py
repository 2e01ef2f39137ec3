"""Writes the dataclasses of python/windward/_format/fields.py, and their names in __init__.pyi, from the JSON Schema.

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

from windward import _engine

PACKAGE = Path(__file__).parent.parent / "python" / "windward"
TARGET = PACKAGE / "_format" / "fields.py"
#: The list of the public names; those of the fields are a block of it.
NAMES = PACKAGE / "__init__.pyi"
#: What is public of the fields beside the dataclasses.
UNIONS = ("LawSpec",)
ROOT = "ScenarioFields"
#: What the names of a tagged union's members end in, where the word alone would not say what it is.
SUFFIX = {
    "LossModel": "Loss",
    "Jitter": "Jitter",
    "Amc": "Amc",
    "Fading": "Fading",
    "Scheduler": "Scheduler",
    "Region": "Region",
    "Layout": "Layout",
    "Motion": "Motion",
    "Access": "Access",
    "Routing": "Routing",
    "PathLoss": "PathLoss",
    "Coding": "Coding",
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

Schema = dict[str, Any]


class Generator:
    """Turns the definitions of a schema into Python source, each after those that it needs."""

    def __init__(self, schema: Schema) -> None:
        self.definitions: dict[str, Schema] = schema["$defs"]
        self.root = schema
        self.sources: dict[str, str] = {}
        self.types: dict[str, str] = {}

    def source(self) -> str:
        self.dataclass(ROOT, self.root)
        return HEADER + "\n\n".join(self.sources.values())

    def public(self) -> str:
        """The import that makes the dataclasses public."""
        classes = [name for name, source in self.sources.items() if source.startswith("@") and name != ROOT]
        names = sorted([*classes, *UNIONS], key=str.lower)
        return "from ._format.fields import (\n" + "".join(f"    {name} as {name},\n" for name in names) + ")\n"

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
        for key, value in schema["properties"].items():
            if "const" in value:
                tag = f"    TAG: ClassVar[tuple[str, str]] = ({key!r}, {value['const']!r})\n\n"
                continue
            attribute = f"{key}_" if keyword.iskeyword(key) else key
            kind = self.type(value)
            if (name, key) == ("Flow", "law"):
                kind += " | Callable[[float], Any]"
            if (name, key) == ("Cell", "scheduler"):
                kind += " | Callable[[], Any]"
            fields.append(f"    {attribute}: {kind}{self.default(key, value, schema)}\n")
            attributes.append((attribute, value.get("description", "")))
        if schema.get("additionalProperties", True):
            fields.append("    parameters: Mapping[str, Any] = field(default_factory=dict, metadata={'rest': True})\n")
            attributes.append(("parameters", "Arguments of its constructor, after the initial window."))
        body = tag.replace("'", '"') + "".join(fields).replace("'", '"')
        self.sources[name] = (
            f"@dataclass(frozen=True, kw_only=True)\nclass {name}:\n{_docstring(schema, attributes)}\n{body}"
        )
        return name

    def default(self, key: str, value: Schema, schema: Schema) -> str:
        """What stands after a field's type."""
        metadata = f"metadata={{'key': {key!r}}}" if keyword.iskeyword(key) else ""
        if key in schema.get("required", ()):
            return f" = field({metadata})" if metadata else ""
        default = value.get("default")
        if isinstance(default, dict) and "anyOf" in value:
            # A kind with what it is by default: its word.
            return f" = {next(iter(default.values()))!r}"
        if isinstance(default, dict):
            return f" = {self.reference(value['$ref'])}()"
        if value.get("type") == "array":
            return " = ()"
        if value.get("type") == "object":
            return " = field(default_factory=dict)"
        return f" = field(default={default!r}, {metadata})" if metadata else f" = {default!r}"


def _camel(word: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[-_]", word))


def _union(members: list[str]) -> str:
    return " | ".join(dict.fromkeys(members))


def _comment(text: str) -> str:
    return "".join(f"#: {line}\n" for line in textwrap.wrap(" ".join(text.split()), 116))


def _docstring(schema: Schema, attributes: list[tuple[str, str]]) -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in schema["description"].split("\n\n")]
    first, *rest = re.split(r"(?<=[.]) (?=[A-Z])", paragraphs[0], maxsplit=1)
    text = "\n\n".join(_fill(part, 4) for part in [first, *rest, *paragraphs[1:]]).strip()
    if not attributes:
        return f'    """{text}"""\n' if "\n" not in text else f'    """{text}\n    """\n'
    lines = [f'    """{text}', "", "    Attributes", "    ----------"]
    for name, description in attributes:
        lines += [f"    {name}", _fill(" ".join(description.split()), 8)]
    return "\n".join([*lines, '    """', ""])


def _fill(text: str, indent: int) -> str:
    return textwrap.fill(text, 118, initial_indent=" " * indent, subsequent_indent=" " * indent)


def main() -> int:
    generator = Generator(_engine.schema())
    files = {
        TARGET: _format(generator.source(), TARGET),
        NAMES: re.sub(
            r"^from \._format\.fields import \(\n.*?^\)\n",
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
    """Formatted as the rest of the package is."""
    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(path), "-"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


if __name__ == "__main__":
    raise SystemExit(main())

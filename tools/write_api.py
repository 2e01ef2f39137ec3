"""Writes docs/reference/api.md from the signatures and docstrings of the package: `make docs` runs it.

With `--check` it only says whether the page is up to date (exit code 1 if not).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "windward"
PAGE = ROOT / "docs" / "reference" / "api.md"

#: Headings of the names of `windward` itself, and their order. What is in no list is under the last heading.
SECTIONS = {
    "Scenarios and results": (
        "Scenario",
        "load",
        "open",
        "Run",
        "Sweep",
        "Tuning",
        "Attack",
        "evaluate",
        "Evaluation",
        "bench",
        "discover",
        "Fluid",
        "Optimum",
        "Comparison",
        "Progress",
    ),
    "Laws, schedulers and forwarding rules in Python": (
        *("Law", "Ack", "Congestion"),
        *("CellScheduler", "Slot", "Candidate", "ForwardingRule", "Pair"),
    ),
    "Errors": (
        *("ScenarioError", "NoAnswerError", "ResultError", "RunInterrupted", "LawError"),
        *("EmulationError", "KernelError", "TransferError"),
    ),
}
#: Modules, in their order, and their headings.
MODULES = {
    "num": "Optimal rates of any network",
    "fluid": "Fluid model of any network",
    "laws": "Laws stepped by hand",
    "wifi": "802.11n, ac and ax in closed form",
    "coding": "Network coding",
    "transfer": "Downloads, uploads, servers and emulated links",
    "testing": "Emulated links in tests",
    "kernel": "Laws in the Linux kernel",
    "gym": "Environments for reinforcement learning",
    "papers": "Claims and figures of papers",
}

HEAD = """# Python API reference

<!-- Generated: tools/write_api.py -->

Every public name of the Python package `windward`, with its signature and an example. `import windward as ww` makes
all of them available. The [guide](../start/guide.md) and the [notebook](../start/notebook.ipynb) introduce them;
`help(ww.Scenario)` prints the same in Python.

Columns of tables carry their units in their names: `_s` seconds, `_ms` milliseconds, `_bps` bits per second, `_pps`
full segments per second.

"""

TABLES = """Dataclasses for the tables of [scenario files](scenario.md), whose fields are documented there. Arguments
have the keys' names, except `from_` and `class_` for `from` and `class`. Times, rates and sizes are strings with
units. All are in `ww.format`; tables of a file's root, applications and laws are in `ww` too. `ww.format.LawSpec` is
the union of the control laws.

| class | description |
| --- | --- |"""

#: Methods for the engines and the pages about results, not for users.
HIDDEN = ("begin", "note", "save_in", "rows", "totals", "draws", "chunks", "of", "within")

#: Bases whose members are documented with each class that has them, and their files.
BASES = {base: PACKAGE / "_answers" / f"{base.lower()}.py" for base in ("About", "Kept", "Searched")}

#: Sections of a docstring that become lists.
LISTS = ("Parameters", "Returns", "Raises", "Attributes")

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Source:
    """A module's text and what it defines or imports."""

    path: Path
    text: str
    tree: ast.Module

    @classmethod
    def read(cls, path: Path) -> Source:
        text = path.read_text(encoding="utf-8")
        return cls(path, text, ast.parse(text))

    def definition(self, name: str) -> Definition | None:
        for node in self.tree.body:
            if isinstance(node, Definition) and node.name == name:
                return node
        return None

    def public(self) -> list[str]:
        """The classes and functions of a module for its users, in its order."""
        own = [node.name for node in self.tree.body if isinstance(node, Definition) and not node.name.startswith("_")]
        return [name for name in own if name != "as_json"]

    def imports(self) -> Iterator[tuple[str, Path, str]]:
        """The names that a stub makes public: each with the file that it comes from, and its name there."""
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom):
                parts = (node.module or "").split(".")
                here = self.path.parent if node.level else PACKAGE.parent
                for alias in node.names:
                    if alias.asname is not None:
                        yield alias.asname, _file(here.joinpath(*filter(None, parts)), alias.name), alias.name


def _file(place: Path, name: str) -> Path:
    """The file that defines a name: a module of its own, or one of a module's."""
    candidates = [place / f"{name}.py", place / name / "__init__.py"] if place.is_dir() else []
    candidates += [place.with_suffix(".pyi"), place.with_suffix(".py"), place / "__init__.pyi", place / "__init__.py"]
    return next(path for path in candidates if path.is_file())


def page() -> str:
    stub = Source.read(PACKAGE / "__init__.pyi")
    found = {name: (path, original) for name, path, original in stub.imports()}
    fields = PACKAGE / "format.py"
    out = [HEAD]
    for title, names in SECTIONS.items():
        out.append(f"## {title}\n")
        out += [_entry(f"ww.{name}", Source.read(found[name][0]), found[name][1]) for name in names]
    out.append("## Tables of scenario files: `ww.format`\n")
    out.append(TABLES)
    source = Source.read(fields)
    tables = [name for name in source.public() if name != "ScenarioFields"]
    for name in sorted(tables, key=lambda name: (name not in found, name.lower())):
        node = source.definition(name)
        assert node is not None
        shown = f"ww.{name}" if name in found else f"ww.format.{name}"
        out.append(f"| `{shown}` | {_summary(node).replace('|', chr(92) + '|')} |")
    out.append("")
    for module, title in MODULES.items():
        path = found[module][0]
        source = Source.read(path)
        out.append(f"## {title}: `ww.{module}`\n")
        out.append(_text(ast.get_docstring(Source.read(path.with_suffix(".py")).tree) or ""))
        out += [_entry(f"ww.{module}.{name}", *where) for name, where in _members(source)]
    known = {name for names in SECTIONS.values() for name in names} | set(MODULES) | {"__version__", "Result", "format"}
    left = [name for name, (path, _) in found.items() if path != fields and name not in known]
    if left:
        raise SystemExit(f"SECTIONS of {Path(__file__).name} lacks {', '.join(left)}")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


def _members(source: Source) -> list[tuple[str, tuple[Source, str]]]:
    """Public members of a module: those that it defines, otherwise those that it imports."""
    exported: list[str] | None = next(
        (
            ast.literal_eval(node.value)
            for node in source.tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ),
        None,
    )
    members = {name: (source, name) for name in source.public()}
    stub = source.path.parent / "__init__.pyi"
    for node in source.tree.body if exported else ():
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("windward."):
            assert node.module is not None
            path = _file(PACKAGE.parent.joinpath(*node.module.split(".")), "")
            members |= {
                alias.name: (Source.read(path), alias.name) for alias in node.names if alias.name in (exported or [])
            }
    if source.path.name.startswith("__init__"):
        reader = Source.read(stub) if stub.is_file() else source
        for name, path, original in reader.imports():
            if Source.read(path).definition(original) is not None:
                members[name] = (Source.read(path), original)
    return sorted(members.items(), key=lambda item: isinstance(item[1][0].definition(item[1][1]), ast.ClassDef))


def _entry(shown: str, source: Source, name: str) -> str:
    """A class or a function: its signature, what its docstring says, and its methods."""
    node = source.definition(name)
    if node is None:
        raise SystemExit(f"{source.path} does not define {name}")
    if isinstance(node, ast.FunctionDef):
        return f"### `{shown}`\n\n{_signature(shown, node)}\n{_text(ast.get_docstring(node) or '')}"
    out = [f"### `{shown}`\n", _constructor(shown, node), _text(ast.get_docstring(node) or "")]
    holders = [(source, node), *_inherited(node)]
    attributes = [line for where, each in holders for line in (*_fields(each, where), *_properties(each))]
    if attributes:
        out.append("**Attributes**\n")
        out += [f"* `{attribute}`: {text}" if text else f"* `{attribute}`" for attribute, text in attributes]
        out.append("")
    for method in (method for _, each in holders for method in each.body):
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_") and not _is_property(method):
            if method.name in HIDDEN or not ast.get_docstring(method):
                continue
            out.append(f"#### `{shown}.{method.name}`\n\n{_signature(f'{shown}.{method.name}', method)}")
            out.append(_text(ast.get_docstring(method) or ""))
    return "\n".join(out)


def _constructor(shown: str, node: ast.ClassDef) -> str:
    """Constructor of a class whose objects users create."""
    made = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name in ("__init__", "__new__")), None)
    if made is None or any(argument.arg in ("about", "is_kept") for argument in made.args.kwonlyargs):
        return ""
    return _signature(shown, made, returns=False)


def _is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(each) in ("property", "cached_property") for each in node.decorator_list)


def _properties(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and _is_property(method) and not method.name.startswith("_"):
            text = ast.get_docstring(method)
            if text and method.name not in HIDDEN and method.returns is not None:
                yield f"{method.name}: {ast.unparse(method.returns)}", " ".join(_prose(text).split())


def _fields(node: ast.ClassDef, source: Source) -> Iterator[tuple[str, str]]:
    """Attributes, with the comment `#:` above each."""
    lines = source.text.splitlines()
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            above: list[str] = []
            at = statement.lineno - 2
            while lines[at].lstrip().startswith("#: "):
                above.insert(0, lines[at].strip().removeprefix("#: "))
                at -= 1
            kind = ast.unparse(statement.annotation)
            if not statement.target.id.startswith("_") and (above or not kind.startswith("ClassVar")):
                yield f"{statement.target.id}: {kind}", " ".join(above)


def _inherited(node: ast.ClassDef) -> list[tuple[Source, ast.ClassDef]]:
    """The documented bases of a class, and theirs."""
    found = []
    for base in map(ast.unparse, node.bases):
        if base in BASES:
            source = Source.read(BASES[base])
            definition = source.definition(base)
            if isinstance(definition, ast.ClassDef):
                found += [(source, definition), *_inherited(definition)]
    return found


def _signature(shown: str, node: ast.FunctionDef, *, returns: bool = True) -> str:
    """The signature as a block of code, one argument a line where it is long."""
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    arguments = re.sub(r"(, )?/$", "", arguments)
    answer = f" -> {ast.unparse(node.returns)}" if returns and node.returns is not None else ""
    line = f"{shown}({arguments}){answer}"
    if len(line) > 100:
        copy = ast.parse(f"def f({arguments}): ...").body[0]
        assert isinstance(copy, ast.FunctionDef)
        given = copy.args
        parts = [*_each(given.posonlyargs + given.args, given.defaults)]
        if given.kwonlyargs:
            parts.append("*")
            parts += _each(given.kwonlyargs, given.kw_defaults)
        body = "".join(f"    {part},\n" for part in parts)
        line = f"{shown}(\n{body}){answer}"
    return f"```python\n{line}\n```\n"


def _each(arguments: Sequence[ast.arg], defaults: Sequence[ast.expr | None]) -> Iterator[str]:
    padded = [None] * (len(arguments) - len(defaults)) + [*defaults]
    for argument, default in zip(arguments, padded, strict=True):
        text = ast.unparse(argument)
        yield text if default is None else f"{text} = {ast.unparse(default)}"


def _summary(node: Definition) -> str:
    return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())


def _prose(text: str) -> str:
    """A docstring without its sections."""
    return re.split(r"\n\n?[A-Z]\w+\n-{4,}\n", "\n" + text)[0].strip()


def _text(text: str) -> str:
    """A docstring as Markdown: prose, lists for its sections, examples as code."""
    first, *sections = re.split(r"(?m)^([A-Z]\w+)\n-{4,}\n", text)
    out = [_paragraphs(first)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        out.append(f"**{title}**\n")
        out.append(_list(body) if title in LISTS else _paragraphs(body))
    return "\n".join(out).rstrip() + "\n"


def _paragraphs(text: str) -> str:
    """Prose as it is; lines of an interpreter, and lines set off by blanks, as blocks of code."""
    out = []
    for block in re.split(r"\n\n+", text.strip()):
        if ">>>" in block:
            before, sign, code = block.partition(">>>")
            out.append((before.strip() + "\n\n" if before.strip() else "") + f"```pycon\n{sign}{code}\n```")
        elif out and out[-1].startswith("```pycon") and block.startswith(("...", "    ")):
            out[-1] = out[-1].removesuffix("\n```") + f"\n\n{block}\n```"
        elif block.startswith("    "):
            out.append(f"```\n{block}\n```")
        else:
            out.append(block)
    return "\n\n".join(out) + "\n"


def _list(body: str) -> str:
    """Items of a section of a docstring: names, and what is below them."""
    out = []
    for item in re.findall(r"(?m)^(\S.*)\n((?:[ ]{4}.*\n?|\n)*)", body.strip() + "\n"):
        name, text = item
        out.append(f"* `{name.strip()}`: {' '.join(text.split())}")
    return "\n".join(out) + "\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

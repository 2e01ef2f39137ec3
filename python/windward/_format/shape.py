"""Python classes that a scenario names: found and looked at without running them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path

from windward._engine import MAX_SCENARIO, Scenario, ScenarioError, read_text
from windward.errors import nearest

#: Methods of each kind with their numbers of arguments, and what its constructor is given before the scenario's own.
_METHODS = {
    "law": {"on_ack": 1, "on_congestion": 1},
    "scheduler": {"choose": 1},
    "rule": {"rank": 1},
}
_GIVEN = {"law": ("cwnd",), "scheduler": (), "rule": ()}

#: With these a module may name what its text does not tell.
_DYNAMIC = ("exec", "globals", "vars", "setattr", "__getattr__")

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def check_classes(scenario: Scenario, origin: Path) -> None:
    """Refuses a scenario whose classes cannot be what it uses them as, as far as their text tells.

    What comes from elsewhere (a base class, a decorator, an import, a compiled module) is taken to be right.

    Raises
    ------
    windward.ScenarioError
        Which class, and what is wrong with it.
    """
    for kind, spec, arguments in scenario.python_parts:
        try:
            problem = _problem(kind, spec, arguments, origin.parent)
        except (OSError, ValueError) as error:
            problem = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        if problem:
            raise ScenarioError(f"{origin}: {kind} `{spec}`: {problem}")


def _problem(kind: str, spec: str, arguments: Sequence[str], folder: Path) -> str | None:
    source, _, name = spec.rpartition(":")
    path = folder / source if source.endswith(".py") else _module(source)
    if path is None:
        return f"there is no module `{source}`"
    if not path.exists():
        return f"there is no file {path}"
    if path.suffix != ".py":
        return None
    try:
        tree = ast.parse(read_text(path, MAX_SCENARIO), str(path))
    except SyntaxError as error:
        return f"{path}:{error.lineno}: {error.msg}"
    known = _bindings(tree.body)
    if name not in known:
        if None in known or any(isinstance(node, ast.Name) and node.id in _DYNAMIC for node in ast.walk(tree)):
            return None
        return f"{path} has no class `{name}`{nearest(name, [each for each in known if each])}"
    found = known[name]
    return _shape(kind, found, arguments) if isinstance(found, ast.ClassDef) else None


def _module(name: str) -> Path | None:
    """The file of a module, found without importing its packages."""
    places: Sequence[str] | None = None
    for part in name.split("."):
        found = PathFinder.find_spec(part, places)
        if found is None:
            return Path(name) if name in sys.builtin_module_names else None
        places = list(found.submodule_search_locations or [])
    return Path(found.origin) if found is not None and found.origin is not None else Path(name)


def _bindings(body: Sequence[ast.stmt]) -> dict[str | None, ast.stmt]:
    """Top-level names of a module; None for a name that is only known at run time."""
    known: dict[str | None, ast.stmt] = {}
    for node in body:
        if isinstance(node, ast.ClassDef | _Function):
            known[node.name] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                known[None if alias.name == "*" else (alias.asname or alias.name).partition(".")[0]] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                known |= {each.id: node for each in ast.walk(target) if isinstance(each, ast.Name)}
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for part in ("body", "orelse", "finalbody"):
                known |= _bindings(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                known |= _bindings(handler.body)
        elif not isinstance(node, ast.Expr | ast.Pass | ast.Delete | ast.Assert):
            known[None] = node
    return known


def _shape(kind: str, found: ast.ClassDef, arguments: Sequence[str]) -> str | None:
    """First fault of a class: a missing method, or one with wrong arguments."""
    own = {node.name: node for node in found.body if isinstance(node, _Function)}
    is_whole = not found.decorator_list and not found.keywords and all(map(_is_root, found.bases))
    named = own.keys() | _bindings(found.body).keys()
    for method, count in _METHODS[kind].items():
        if method in own:
            if not _takes(own[method], 1 + count):
                return f"`{found.name}.{method}` must take {count} argument besides self"
        elif is_whole and method not in named and "__getattr__" not in named:
            return f"`{found.name}` has no method `{method}`"
    if not is_whole or "__new__" in own:
        return None
    if kind == "law" and "cwnd" not in named and not _sets_cwnd(found):
        return f"`{found.name}` has no attribute `cwnd`"
    if "__init__" not in own:
        asked = (*_GIVEN[kind], *arguments)
        return f"`{found.name}` has no __init__; it is given {', '.join(asked)}" if asked else None
    takes = own["__init__"].args
    names = [each.arg for each in (*takes.posonlyargs, *takes.args)]
    if not _takes(own["__init__"], 1 + len(_GIVEN[kind]), keywords=arguments):
        taken = ", ".join([*names, *(each.arg for each in takes.kwonlyargs)])
        given = ", ".join(("self", *_GIVEN[kind], *arguments))
        return f"`{found.name}.__init__` takes ({taken}); it is given ({given})"
    return None


def _sets_cwnd(found: ast.ClassDef) -> bool:
    """Returns true if a method stores an attribute `cwnd`, or attributes by name."""
    for node in ast.walk(found):
        if isinstance(node, ast.Attribute) and (
            node.attr == "__dict__" or (node.attr, type(node.ctx)) == ("cwnd", ast.Store)
        ):
            return True
        if isinstance(node, ast.Name) and node.id == "setattr":
            return True
    return "__getattr__" in {node.name for node in found.body if isinstance(node, _Function)}


def _is_root(base: ast.expr) -> bool:
    """Returns true if a base class adds nothing."""
    return isinstance(base, ast.Name) and base.id == "object"


def _takes(function: _Function, count: int, keywords: Sequence[str] = ()) -> bool:
    """Returns true if a function accepts this many positional arguments and these keywords."""
    if function.decorator_list:
        return True
    takes = function.args
    places = [each.arg for each in (*takes.posonlyargs, *takes.args)]
    if count > len(places) and takes.vararg is None:
        return False
    by_name = {each.arg for each in (*takes.args, *takes.kwonlyargs)} - set(places[:count])
    if takes.kwarg is None and not set(keywords) <= by_name:
        return False
    needed = places[count : len(places) - len(takes.defaults)]
    needed += [each.arg for each, value in zip(takes.kwonlyargs, takes.kw_defaults, strict=True) if value is None]
    return set(needed) <= set(keywords)

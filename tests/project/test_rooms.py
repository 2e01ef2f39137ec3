"""The rooms of the Python package: each imports only rooms below it, at the top of a file or within a function."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import REPOSITORY, loaded

PACKAGE = REPOSITORY / "python" / "windward"

#: From the lowest floor up. `format` has the classes of scenarios, `_format` reads them; what runs them is above.
FLOORS = (
    "_engine",
    "errors",
    "_console",
    "coding",
    "format",
    "_format",
    "theory",
    "results",
    "show.plot",
    "show",
    "_answers",
    "_engines",
    "_search",
    "_evaluate",
    "_bench",
    "_discover",
    "scenario",
    "gym",
    "_explore",
    "transfer",
    "testing",
    "papers",
    "_cli",
    "__main__",
)

FILES = sorted(path for path in PACKAGE.rglob("*.py*") if path.suffix in (".py", ".pyi"))


def module(path: Path) -> str:
    """A file's name as a module within the package; empty for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module(path) for path in FILES}


def floor(name: str) -> int:
    """The floor of a module's room."""
    rooms = [at for at, room in enumerate(FLOORS) if name == room or name.startswith(f"{room}.")]
    assert rooms, f"windward.{name} is in no room: list it in FLOORS"
    return min(rooms)


def imports(path: Path) -> Iterator[str]:
    """The package's modules that a file imports, wherever in it: late, and for type checkers alone."""
    own = module(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                inside = own if path.stem == "__init__" else own.rpartition(".")[0]
                base = ".".join(filter(None, ("windward", inside, base)))
            names = [f"{base}.{alias.name}" for alias in node.names]
        for name in names:
            if name != "windward" and not name.startswith("windward."):
                continue
            inside = name.removeprefix("windward").removeprefix(".")
            # `from windward.results.stats import jain` names a module and something in it.
            yield inside if inside in MODULES else inside.rpartition(".")[0]


#: The names of the package are listed in it, whatever floor they are of.
LISTS = {"__init__.py", "__init__.pyi"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_only_rooms_below(path: Path) -> None:
    own = module(path)
    if own == "":
        assert path.name in LISTS
        return
    for other in imports(path):
        # The command line is above the package: it may take a room from it by name.
        assert other, f"{path.name} imports from the package itself, which is above it"
        assert floor(other) <= floor(own), f"windward.{own} imports windward.{other}, which is above it"


def test_modules_import_one_another_in_no_circle() -> None:
    arrows = {name: set() for name in MODULES}
    for path in FILES:
        # A package that lists the modules in it is above them.
        arrows[module(path)] |= {other for other in imports(path) if other not in ("", module(path))}
    while leaves := {name for name, others in arrows.items() if not others & arrows.keys()}:
        arrows = {name: others for name, others in arrows.items() if name not in leaves}
    assert not arrows, f"a circle among {sorted(arrows)}"


def test_import_waits_for_nothing(tmp_path: Path) -> None:
    assert loaded("import windward, windward._cli.main", tmp_path) == set()


@pytest.mark.parametrize("arguments", [["--help"], ["get", "--help"], ["simulate", "--help"], ["--version"]])
def test_help_waits_for_nothing(arguments: list[str], tmp_path: Path) -> None:
    code = f"import sys; sys.argv = ['windward', *{arguments!r}]\nfrom windward._cli.main import main\n"
    assert loaded(code + "try: main()\nexcept SystemExit: pass", tmp_path) == set()


@pytest.mark.parametrize("seeds", ["1", "3"])
def test_simulate_waits_for_no_frames(scenario_file: Path, seeds: str) -> None:
    code = f"import sys; sys.argv = ['windward', 'simulate', 'small.toml', '--seeds', '{seeds}']\n"
    code += "from windward._cli.main import main\ntry: main()\nexcept SystemExit: pass"
    assert loaded(code, scenario_file.parent) == set()
    assert (scenario_file.parent / "results" / "small" / "seed-1" / "flow_series.parquet").exists()


def said_in_errors(path: Path) -> Iterator[str]:
    """The texts of the errors that a file raises."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise):
            yield from (
                part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and type(part.value) is str
            )


@pytest.mark.parametrize("path", FILES, ids=module)
def test_errors_of_the_library_have_no_words_of_the_command_line(path: Path) -> None:
    """`_cli` writes arguments as options: see `windward.errors.OptionError`."""
    if not module(path).startswith("_cli"):
        assert [text for text in said_in_errors(path) if re.search(r"(?<![-\w])--[a-z]", text)] == []

"""The Python API as people look for it: `help`, an example of every public class, `open`, the page of the reference."""

import ast
import doctest
import inspect
import pydoc
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import REPOSITORY

import windward as ww
from windward import _engine

sys.path.insert(0, str(REPOSITORY / "tools"))
import tried_examples

PACKAGE = REPOSITORY / "python" / "windward"

#: The compiled classes: their docstrings for type checkers, which have examples.
STUB = {
    node.name: ast.get_docstring(node) or ""
    for node in ast.parse((PACKAGE / "_engine.pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
}


def public() -> dict[str, type]:
    """Every public class by the name that users write, but for those of the papers and types of dictionaries."""
    modules = {
        "": ww,
        "coding.": ww.coding,
        "fluid.": ww.fluid,
        "format.": ww.format,
        "laws.": ww.laws,
        "num.": ww.num,
    }
    return {
        f"{prefix}{name}": value
        for prefix, module in modules.items()
        for name, value in inspect.getmembers(module, inspect.isclass)
        if not name.startswith("_") and not issubclass(value, dict) and is_of(value, module)
    }


def is_of(value: type, module: ModuleType) -> bool:
    """A class that a module has for its users, not for its own work."""
    return module is ww or value.__module__ == module.__name__


CLASSES = public()


def test_help_fits_a_screen_and_leads_on() -> None:
    """The most useful part comes first, on 24 lines of 80 columns; the rest are names that pydoc lists itself."""
    lines = pydoc.plain(pydoc.render_doc(ww)).splitlines()
    named = lines.index("PACKAGE CONTENTS")
    assert named <= 24
    assert max(map(len, lines[:named])) <= 82
    assert len(lines) <= 60
    for name in ("Scenario", "Run", "open", "Law", "Link"):
        assert any(f"help(ww.{name})" in line for line in lines)
        assert inspect.getdoc(getattr(ww, name))


def test_all_names_are_listed() -> None:
    names = dir(ww)
    assert {"load", "open", "Scenario", "Cubic", "num", "transfer", "coding"} <= set(names)
    assert all(hasattr(ww, name) for name in names)


def test_names_of_every_day_are_at_the_top() -> None:
    """Tables of a file's root, applications and laws; what they hold is in `ww.format`, with them."""
    everyday = {name for name in dir(ww) if getattr(getattr(ww, name), "__module__", "") == ww.format.__name__}
    assert {"Node", "Link", "Flow", "Wifi", "RanCell", "Page", "Call", "Reno", "QuicTcp"} <= everyday
    assert not {"Reverse", "Codel", "WifiStation", "BernoulliLoss"} & everyday
    assert all(getattr(ww, name) is getattr(ww.format, name) for name in everyday)
    assert len(dir(ww)) < 100


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_the_example_of_a_class_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenarios").symlink_to(REPOSITORY / "scenarios")
    kind = CLASSES[name]
    text = STUB[kind.__name__] if getattr(_engine, kind.__name__, None) is kind else inspect.getdoc(kind) or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    if kind.__module__ == ww.format.__name__:
        # Where no scenario takes what is generated, there is none.
        code = "".join(one.source for one in example.examples)
        assert not code or tried_examples.refused(code) == ""
        return
    assert example.examples
    assert not any(doctest.SKIP in one.options for one in example.examples)
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.failures == 0


def test_the_examples_of_functions_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenarios").symlink_to(REPOSITORY / "scenarios")
    functions = (ww.open, ww.load, ww.num.wired, ww.coding, ww.num, ww.laws)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for function in functions:
        runner.run(parser.get_doctest(inspect.getdoc(function) or "", vars(ww.num).copy(), repr(function), None, 0))
    assert runner.summarize().attempted > 20
    assert runner.failures == 0


def test_types_and_help_say_the_same() -> None:
    """The docstrings for type checkers begin as those of the compiled classes."""
    differ = []
    for name, text in STUB.items():
        compiled = inspect.getdoc(getattr(_engine, name)) or ""
        if not " ".join(compiled.split()).startswith(text.partition("\n")[0].rstrip(".")):
            differ.append(name)
    assert differ == []


def test_open_opens_every_engines_result(tmp_path: Path) -> None:
    scenario = ww.load(REPOSITORY / "scenarios" / "quic-one-bottleneck.toml")
    scenario.simulate(seeds=[3], output=tmp_path / "run")
    scenario.simulate(seeds=2, output=tmp_path / "seeds")
    scenario.sweep({"duration": ["70 s", "80 s"]}, seeds=1, output=tmp_path / "sweep")
    scenario.fluid().save(tmp_path / "fluid")
    scenario.optimum().save(tmp_path / "optimum")
    scenario.compare(seeds=1, emulate=False, output=tmp_path / "compare")
    opened = {path.name: ww.open(path) for path in tmp_path.iterdir()}
    assert {name: type(result) for name, result in opened.items()} == {
        "run": ww.Run,
        "seeds": ww.Run,
        "sweep": ww.Sweep,
        "fluid": ww.Fluid,
        "optimum": ww.Optimum,
        "compare": ww.Comparison,
    }
    assert opened["run"].seeds == (3,)
    assert opened["seeds"].seeds == (1, 2)
    assert all(result.name == "quic-one-bottleneck" for result in opened.values())
    # As a text, too; and what a comparison holds can be opened alone.
    assert isinstance(ww.open(str(tmp_path / "fluid")), ww.Fluid)
    assert isinstance(ww.open(tmp_path / "compare" / "simulate"), ww.Run)
    with pytest.raises(ww.ResultError, match=r"a result of `fluid`, not of `sweep`\nhint: windward.open opens"):
        ww.Sweep.open(tmp_path / "fluid")
    with pytest.raises(ww.ResultError, match="does not exist"):
        ww.open(tmp_path / "nowhere")


def test_open_opens_an_emulations_result(tmp_path: Path) -> None:
    """An emulation's folder is a run's, with another engine in its summary."""
    scenario = ww.load(REPOSITORY / "scenarios" / "quic-one-bottleneck.toml")
    scenario.simulate(seeds=1, output=tmp_path / "run")
    summary = tmp_path / "run" / "summary.json"
    summary.write_text(summary.read_text().replace('"engine": "simulate"', '"engine": "emulate"'))
    opened = ww.open(tmp_path / "run")
    assert isinstance(opened, ww.Run)
    assert opened.engine == "emulate"


def test_the_page_has_every_public_name() -> None:
    page = (REPOSITORY / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    modules = {"num", "fluid", "laws", "wifi", "coding", "transfer", "kernel", "papers"}
    missing = [
        name for name in dir(ww) if f"`ww.{name}`" not in page and name not in {"__version__", "Result", "LawSpec"}
    ]
    assert missing == []
    assert all(f": `ww.{module}`" in page for module in modules)


#: First words that hide the subject, as in tests/project/test_words.py.
RELATIVE = re.compile(r"(What|Whether|Who|Whom|Whose|How|Where|When|Whatever|The same)\b")


def test_descriptions_begin_with_a_noun_or_a_verb() -> None:
    page = (REPOSITORY / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    found = []
    for entry in re.split(r"(?m)^### ", page)[1:]:
        name = entry.partition("\n")[0].strip("`")
        summary = re.sub(r"```.*?```", "", entry, flags=re.DOTALL).partition("\n")[2].strip().partition("\n")[0]
        items = [item for item in re.findall(r"(?m)^\* `[^`]+`: (.*)", entry) if RELATIVE.match(item)]
        summaries = re.findall(r"(?m)^#### .*\n\n```python\n(?:.*\n)*?```\n\n(.*)", entry)
        found += [f"{name}: {text}" for text in [summary, *items, *summaries] if RELATIVE.match(text)]
    assert found == []


def test_public_modules_list_their_names() -> None:
    """`__all__` has every function and class, and no name that the module lacks."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if any(part.startswith("_") and part != "__init__" for part in parts):
            continue
        body = ast.parse(path.read_text(encoding="utf-8")).body
        lists = [
            ast.literal_eval(line.value)
            for line in body
            if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "__all__"
        ]
        made = {line.name for line in body if isinstance(line, ast.FunctionDef | ast.ClassDef)}
        made = {name for name in made if not name.startswith("_")}
        bound = {name.id for line in body for name in ast.walk(line) if isinstance(name, ast.Name)}
        bound |= {name.asname or name.name for line in body if isinstance(line, ast.ImportFrom) for name in line.names}
        listed = set(*lists)
        if not (made <= listed <= made | bound):
            found[str(path.relative_to(PACKAGE))] = sorted(made - listed | listed - made - bound)
    assert found == {}

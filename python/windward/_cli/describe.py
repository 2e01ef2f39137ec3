"""The commands that describe scenarios, laws and the scenario format."""

from __future__ import annotations

import json
import sys

from windward import _console, _engine
from windward._cli.options import File, tell_notes
from windward._format.parse import parse


def check(file: File) -> None:
    """Check a scenario file.

    Python classes that it names are looked for and read, but not run.
    """
    from windward._format.shape import check_classes

    scenario = parse(file)
    tell_notes(scenario)
    check_classes(scenario, file)
    try:
        scenario.check_stacks()
    except ValueError as error:
        raise _engine.ScenarioError(f"{file}: {error}") from None
    entities = scenario.entities()
    # Most scenarios have no applications.
    told = [part for part in _PARTS if part[0] != "apps" or entities["apps"]["app"]]
    parts = [_count(len(entities[kind][name]), noun) for kind, name, noun in told]
    seeds = _count(len(scenario.seeds), "seed")
    print(f"{file} OK: {', '.join(parts)}, {scenario.duration_s:g} s, {seeds}")


_PARTS = (
    ("flows", "flow", "flow"),
    ("links", "link", "one-way link"),
    ("apps", "app", "application"),
    ("background", "source", "background source"),
)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def schema() -> None:
    """Print the JSON Schema of scenario files."""
    _console.print_json(_engine.schema(), indent=2)


def laws() -> None:
    """List the control laws and their parameters."""
    from rich.console import Console
    from rich.table import Table

    descriptions = {}
    for law in _engine.schema()["$defs"]["LawSpec"]["oneOf"]:
        descriptions[law["properties"]["name"]["const"]] = law["description"]
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold", show_edge=False)
    for column in ("law", "parameters and defaults", "description"):
        table.add_column(column)
    for law in _engine.laws():
        parameters = ", ".join(f"{name} = {json.dumps(value)}" for name, value in law["parameters"].items())
        table.add_row(law["name"], parameters, descriptions[law["name"]])
    table.add_row("python", 'class = "FILE.py:CLASS"', "A law written in Python.")
    out = _console.plain(sys.stdout)
    Console(file=out, highlight=False, width=None if sys.stdout.isatty() else 120).print(table)


def cite(file: File) -> None:
    """Print BibTeX entries for a scenario.

    Those of its laws, and of the papers that it comes from.
    """
    from windward.papers.cite import bibtex

    entries, unknown = bibtex(parse(file))
    print("\n\n".join(entries))
    for key in unknown:
        print(f"note: the scenario cites `{key}`, which Windward does not know", file=sys.stderr)

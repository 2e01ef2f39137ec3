"""The commands that say what there is: scenarios, the schema, laws, whom to cite."""

from __future__ import annotations

import json
import sys

from windward._cli.options import File
from windward._format.parse import parse


def check(file: File) -> None:
    """Check a scenario file, and say what it holds."""
    scenario = parse(file)
    entities = scenario.entities()
    parts = [_count(len(entities[kind][name]), noun) for kind, name, noun in _PARTS]
    seeds = _count(len(scenario.seeds), "seed")
    print(f"{file} is right: {', '.join(parts)}, {scenario.duration_s:g} s, {seeds}")


_PARTS = (
    ("flows", "flow", "flow"),
    ("links", "link", "one-way link"),
    ("background", "source", "background source"),
)


def schema() -> None:
    """Print the JSON Schema of scenario files."""
    from windward import _engine

    print(json.dumps(_engine.schema(), indent=2, ensure_ascii=False))


def laws() -> None:
    """List the control laws with their parameters."""
    from rich.table import Table

    from windward import _engine
    from windward.show import _terminal as terminal

    descriptions = {}
    for law in _engine.schema()["$defs"]["LawSpec"]["oneOf"]:
        descriptions[law["properties"]["name"]["const"]] = law["description"]
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold", show_edge=False)
    for column in ("law", "parameters and defaults", "what it does"):
        table.add_column(column)
    for law in _engine.laws():
        parameters = ", ".join(f"{name} = {json.dumps(value)}" for name, value in law["parameters"].items())
        table.add_row(law["name"], parameters, descriptions[law["name"]])
    table.add_row("python", 'class = "FILE.py:CLASS"', "A law of your own.")
    terminal.console().print(table)


def cite(file: File) -> None:
    """Print BibTeX for a scenario: its laws and the papers it comes from."""
    from windward.papers.cite import bibtex

    entries, unknown = bibtex(parse(file))
    print("\n\n".join(entries))
    for key in unknown:
        print(f"note: the scenario cites `{key}`, of which Windward has no entry", file=sys.stderr)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")

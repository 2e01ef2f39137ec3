"""Commands that are imported when they are called, and their help: plain text, under headings.

Neither waits for rich: `windward --help` answers at once.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup


class Entry(NamedTuple):
    """A command in the list of commands."""

    #: The heading under which it stands.
    panel: str
    #: `module:function` in this package; a module's `app` is a group of commands.
    place: str
    #: The first line of its help.
    summary: str


class PlainCommand(TyperCommand):
    """A command whose options stand under the headings that they name as `rich_help_panel`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Pieces of the usage line: `FILE` for a required argument, for which Typer 0.28 writes `{FILE}`."""
        return [re.sub(r"^\{(.*)\}$", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes arguments, then options by heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if text := getattr(parameter, "help", None):
                setattr(parameter, "help", _filled(text))  # noqa: B010
            record = parameter.get_help_record(ctx)
            if record is not None:
                is_argument = parameter.param_type_name == "argument"
                panel = getattr(parameter, "rich_help_panel", None)
                sections.setdefault(panel or ("Arguments" if is_argument else "Options"), []).append(record)
        for title in sorted(sections, key=["Arguments", "Options"].__contains__, reverse=True):
            with formatter.section(title):
                formatter.write_dl(sections[title])


#: Lists in help texts that other modules have: they are imported when the help is shown.
_LISTS = {"{figures}": "windward.show.plot:listed"}


def _filled(text: str) -> str:
    for mark, place in _LISTS.items():
        if mark in text:
            module, _, attribute = place.partition(":")
            text = text.replace(mark, getattr(importlib.import_module(module), attribute)())
    return text


def application(function: Callable[..., None], name: str) -> Any:
    """A function as a command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, cls=PlainCommand, context_settings={"help_option_names": ["-h", "--help"]})(function)
    return typer.main.get_command(app)


def group(entries: Mapping[str, Entry]) -> type[TyperGroup]:
    """A group of these commands; each is imported when it is called."""

    class Commands(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(entries)

        def get_command(self, ctx: Any, name: str) -> Any:
            if name not in entries:
                if not name.startswith("-") and not ctx.resilient_parsing:
                    ctx.fail(_unknown(name, list(entries)))
                return None
            module, _, attribute = entries[name].place.partition(":")
            found: Any = getattr(importlib.import_module(f"windward._cli.{module}"), attribute)
            return typer.main.get_command(found) if isinstance(found, typer.Typer) else application(found, name)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            for panel in dict.fromkeys(entry.panel for entry in entries.values()):
                with formatter.section(panel):
                    lines = [(name, entry.summary) for name, entry in entries.items() if entry.panel == panel]
                    formatter.write_dl(lines)

    return Commands


def _unknown(name: str, commands: Sequence[str]) -> str:
    """Message about an unknown command."""
    text = f"no command `{name}`"
    near = difflib.get_close_matches(name.lower(), commands, n=1)
    if near:
        return f"{text}; did you mean `{near[0]}`?"
    if name.endswith((".toml", ".json")):
        return f"{text}; to simulate a file, write `windward simulate {name}`"
    return text

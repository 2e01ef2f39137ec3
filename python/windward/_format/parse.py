"""Scenario files, read and checked; without what a run needs, so that `windward check` answers at once."""

from __future__ import annotations

from pathlib import Path

from windward import _engine


def parse(path: Path) -> _engine.Scenario:
    """The scenario of a file: TOML, or JSON if its name ends in .json.

    Raises
    ------
    OSError
        If the file cannot be read.
    windward.ScenarioError
        If something in it is wrong: line and column, what was given, what is allowed.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _engine.ScenarioError(f"{path}: not a text file: byte {error.start} is not UTF-8") from error
    read = _engine.Scenario.from_json if path.suffix == ".json" else _engine.Scenario.from_toml
    return read(text, str(path), path.parent)

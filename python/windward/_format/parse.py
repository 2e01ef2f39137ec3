"""Scenario files, read and checked; without what a run needs, so that `windward check` answers at once."""

from __future__ import annotations

import os
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
    text = read(path)
    origin = os.fsencode(path).decode("utf-8", "backslashreplace")
    if is_json(path):
        return _engine.Scenario.from_json(text, origin, path.parent)
    return _engine.Scenario.from_toml(text, origin, path.parent)


def is_json(path: Path) -> bool:
    """Returns true if the name of a file ends in .json, in any case."""
    return path.suffix.lower() == ".json"


def read(path: Path) -> str:
    """The text of a scenario file.

    Raises
    ------
    OSError
        If the file cannot be read.
    windward.ScenarioError
        If it is no regular file, too large, or not UTF-8.
    """
    try:
        return _engine.read_text(path, _engine.MAX_SCENARIO)
    except ValueError as error:
        raise _engine.ScenarioError(str(error)) from None

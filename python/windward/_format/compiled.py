"""Scenarios that have been checked, with the Python objects in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windward import _engine
from windward._format.convert import to_plain
from windward.format import ScenarioFields


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """A scenario that has been checked."""

    engine: _engine.Scenario
    #: The laws and schedulers in it that are Python objects, by the name that stands for each.
    laws: Mapping[str, Callable[..., Any]]


def compiled(scenario: ScenarioFields, folder: Path) -> Compiled:
    """Has a scenario checked. Python objects in it go by a name each."""
    laws: dict[str, Callable[..., Any]] = {}
    text = json.dumps(to_plain(scenario, namer(laws)))
    handle = _engine.Scenario.from_json(text, f"scenario `{scenario.name}`", folder)
    return Compiled(engine=handle, laws=laws)


def namer(laws: dict[str, Callable[..., Any]]) -> Callable[[Any], str]:
    """Names Python objects, and registers them among the laws."""

    def name_class(law: Callable[..., Any]) -> str:
        kind = law if hasattr(law, "__qualname__") else type(law)
        base = name = f"{kind.__module__}:{kind.__qualname__.rpartition('.')[2]}"
        count = 1
        while laws.setdefault(name, law) is not law:
            count += 1
            name = f"{base}-{count}"
        return name

    return name_class

"""The options of `get` and `send`, as the engine declares them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from windward import _engine

#: The commands whose options are declared.
COMMANDS = ("get", "send")


@dataclass(frozen=True)
class Option:
    """An option of a function and its command: the fields of the engine's `Declared`."""

    name: str
    doc: str
    kind: str
    is_optional: bool
    is_repeated: bool
    default: Any
    long: str | None
    short: str | None
    value: str | None
    group: str | None
    least: int | None
    most: int | None
    is_size: bool
    can_negate: bool

    @property
    def flag(self) -> str:
        """The long form on the command line."""
        return self.long or f"--{self.name.removesuffix('_s').replace('_', '-')}"

    @property
    def range(self) -> str:
        """The two ends of the values that are allowed, as the end of a sentence."""
        return "" if self.most is None else f", {self.least} to {self.most}"


@cache
def options(command: str) -> tuple[Option, ...]:
    """The options of a command, in the order of their declaration; none where the engine cannot transfer files."""
    if not hasattr(_engine, "transfer_options"):
        return ()
    return tuple(Option(**fields) for fields in json.loads(_engine.transfer_options(command)))


def flags() -> dict[str, str]:
    """Command-line flag of each option, by the name of its parameter."""
    return {option.name: option.flag for command in COMMANDS for option in options(command)}

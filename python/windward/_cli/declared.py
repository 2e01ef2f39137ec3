"""Options of a command as the engine declares them: nothing of them is written here."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from windward.transfer._schema import Option, options

#: Suffixes of a number of bytes, as curl and aria2 read them.
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

_TYPES: dict[str, Any] = {"bool": bool, "int": int, "float": float, "str": str, "path": Path}


def declares(command: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Puts a command's declared options in the place of its `**given`; one that it names itself stays as it is."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function, eval_str=True)
        parameters: list[inspect.Parameter] = []
        shown: list[inspect.Parameter] = []
        for parameter in own.parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                declared = [_parameter(option) for option in options(command) if option.name not in own.parameters]
                parameters += declared
            elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                shown.append(parameter)
            else:
                parameters.append(parameter)
        # The options of the command alone come last.
        signature = inspect.Signature(parameters + shown)
        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__annotations__ = {name: given.annotation for name, given in signature.parameters.items()}
        return function

    return decorate


def _parameter(option: Option) -> inspect.Parameter:
    """An option as a parameter that the command line reads."""
    kind = str if option.is_size else _TYPES[option.kind]
    default = option.default
    if option.is_repeated:
        kind, default = list[kind], None  # type: ignore[valid-type]
    flags = [] if option.can_negate else [option.flag]
    about = typer.Option(
        *flags,
        *([option.short] if option.short else []),
        metavar=option.value,
        min=option.least,
        max=option.most,
        help=_help(option),
        rich_help_panel=option.group,
    )
    is_absent = default is None
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind | None if is_absent else kind, about],
    )


def _help(option: Option) -> str:
    text = option.doc
    if option.is_repeated:
        text += " Repeatable."
    if option.is_size:
        text += " Suffixes: K, M, G."
    return text


def arguments(command: str, given: dict[str, Any]) -> dict[str, Any]:
    """Values given on the command line, converted to the function's arguments."""
    taken = dict(given)
    for option in options(command):
        value = taken.get(option.name)
        if option.is_size and value is not None:
            taken[option.name] = _bytes(option.flag, value)
        elif option.is_repeated:
            taken[option.name] = value or []
    return taken


def _bytes(flag: str, text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]?)", text.strip().lower())
    if match is None or (value := int(float(match[1]) * _UNITS[match[2]])) < 1:
        raise ValueError(f"{flag} {text}: give bytes per second, such as 500K or 2M")
    return value

"""`windward init`: the scenario files that come with the package."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from windward.results._files import create_bytes

#: Scenario files, and the recordings that they name.
READY = Path(__file__).parents[1] / "_scenarios"


def names() -> list[str]:
    """The scenarios that come with the package."""
    return sorted(path.stem for path in READY.glob("*.toml"))


def init(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Scenario to copy; `--list` names them.")] = "dumbbell",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write. Default: NAME.toml.")
    ] = None,
    is_list: Annotated[bool, typer.Option("--list", help="List the scenarios and exit.")] = False,
) -> None:
    """Write a scenario file to start from."""
    if is_list:
        width = max(map(len, names()))
        for each in names():
            title = tomllib.loads((READY / f"{each}.toml").read_text(encoding="utf-8"))["title"]
            print(f"{each:{width}}  {title}")
        return
    if name not in names():
        raise ValueError(f"there is no scenario `{name}`\nhint: {', '.join(names())}")
    file = output or Path(f"{name}.toml")
    text = (READY / f"{name}.toml").read_text(encoding="utf-8")
    _write(file, text.encode())
    for recording in _recordings(text):
        _write(file.parent / recording, (READY / recording).read_bytes())
    named = shlex.quote(str(file))
    # A capacity region has no packets.
    verbs = ("optimum", "fluid") if "region" in tomllib.loads(text) else ("simulate",)
    print("next: " + ", ".join(f"windward {verb} {named}" for verb in ("check", *verbs)))


def _recordings(text: str) -> list[str]:
    """Files beside the scenarios that a scenario names, such as traces and pages."""
    return [name for name in dict.fromkeys(re.findall(r'"([^"\n]+\.\w+)"', text)) if (READY / name).is_file()]


def _write(file: Path, content: bytes) -> None:
    """Writes a file that is not there yet; one that is, and is the same, stays."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        create_bytes(file, content)
    except FileExistsError:
        if not file.is_file() or file.read_bytes() != content:
            raise ValueError(f"{file} exists and is not overwritten\nhint: name another file with --output") from None
        print(f"{file} is there already")
    else:
        print(f"{file} written")

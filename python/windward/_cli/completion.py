"""Completion in shells: the file names of scenarios and folders, and the script for zsh."""

from __future__ import annotations

import os
from collections.abc import Sequence

#: The last line of the library's script for zsh, and a version that also completes when zsh loads the script from
#: `fpath`: it then runs it for the first TAB of a shell, which would complete nothing.
_REGISTERS = "compdef %(complete_func)s %(prog_name)s"
_COMPLETES = f"""\
if [ "$funcstack[1]" = "_%(prog_name)s" ]; then
  %(complete_func)s "$@"
else
  {_REGISTERS}
fi"""


def scenario_files(incomplete: str) -> list[str]:
    """Completions of a scenario file: those of a folder, and its folders."""
    return _entries(incomplete, (".toml", ".json"), "-g '*.(toml|json)'")


def folders(incomplete: str) -> list[str]:
    """Completions of a folder."""
    return _entries(incomplete, (), "-/")


def wifi(incomplete: str) -> list[str]:
    """Completions of a Wi-Fi: its standard, then the keys not yet given."""
    from windward.transfer._wifi import KEYS, STANDARDS

    return _word_and_keys(incomplete, STANDARDS, KEYS)


def cell(incomplete: str) -> list[str]:
    """Completions of a cell: its carrier, then the keys not yet given."""
    from windward.transfer._cell import KEYS, PRESETS

    return _word_and_keys(incomplete, PRESETS, KEYS)


def _word_and_keys(incomplete: str, words: Sequence[str], keys: Sequence[str]) -> list[str]:
    before, comma, start = incomplete.rpartition(",")
    if not comma:
        return [f"{word}," for word in words if word.startswith(start)]
    given = {part.partition("=")[0] for part in before.split(",")}
    return [f"{before},{key}=" for key in keys if key not in given and key.startswith(start)]


def mend_zsh() -> None:
    """Makes the script that is shown and installed for zsh complete at the first TAB."""
    from typer import _completion_shared

    scripts: dict[str, str] = getattr(_completion_shared, "_completion_scripts", {})
    if _COMPLETES not in scripts.get("zsh", _COMPLETES):
        scripts["zsh"] = scripts["zsh"].replace(_REGISTERS, _COMPLETES)


def _entries(incomplete: str, endings: tuple[str, ...], for_zsh: str) -> list[str]:
    shell = os.environ.get("_WINDWARD_COMPLETE")
    # bash completes file names itself where it is given none, and without a space after a folder.
    if shell == "complete_bash":
        return []
    # zsh evaluates the output. It quotes names itself, and adds no space after a folder.
    if shell == "complete_zsh":
        print(f"_files {for_zsh}")
        raise SystemExit(0)
    head, slash, start = incomplete.rpartition("/")
    try:
        entries = sorted(os.scandir(f"{head}{slash}" or "."), key=lambda entry: entry.name)
    except OSError:
        return []
    names = [f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries]
    return [
        f"{head}{slash}{name}"
        for name in names
        if name.startswith(start) and name.endswith(("/", *endings)) and (start or not name.startswith("."))
    ]

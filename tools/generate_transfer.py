"""Writes python/windward/transfer/_files.py, the functions `get` and `send`, from the engine's declared options.

Run it after a change of an option: `python tools/generate_transfer.py`. With `--check` it only says whether the file is
up to date (exit code 1 if not).
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

from windward.transfer._schema import Option, options

TARGET = Path(__file__).parent.parent / "python" / "windward" / "transfer" / "_files.py"

HEAD = '''\
"""Downloads and uploads.

Generated from the engine's options by tools/generate_transfer.py: change the options' declaration, not this file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from windward.transfer._run import download, upload
'''

#: Types of arguments.
TYPES = {"bool": "bool", "int": "int", "float": "float", "str": "str", "path": "str | Path"}


class Function(NamedTuple):
    """A function, but for its options."""

    #: Positional arguments: name, type, meaning.
    arguments: tuple[tuple[str, str, str], ...]
    summary: str
    events: str
    returns: str
    raises: str
    #: The call that it makes.
    call: str


FUNCTIONS = {
    "get": Function(
        (("url", "str", "http:// or https:// address."),),
        """\
Downloads a file over as many connections as the path needs.

An interrupted download leaves FILE.part, from which the same call resumes. An answer that may not be of the same file,
such as a log-in page, does not take its place.""",
        '"begin", "notice", "sample"',
        "`path`, `length_bytes`, `there_bytes` (already present), `duration_s`, `rate_bps`, `series` (statistics of "
        "the connections), `retries`, `has_known_length`, `has_known_end`, `single`, `is_checked`. `has_known_end` is "
        "true if truncation would have been noticed. `single` is the reason for a single connection, or None.",
        "If the file was not downloaded; its `code` is the command's exit code.",
        "download(url, given, observe)",
    ),
    "send": Function(
        (
            ("file", "str | Path", "The file."),
            (
                "host",
                "str",
                '"HOST", "HOST:PORT", or "https://HOST:PORT/FOLDER/". Default port: 8765, as that of `windward serve`.',
            ),
        ),
        """\
Uploads a file to `windward serve --upload`; every piece is verified.

The same call resumes an interrupted upload.""",
        '"hashing", "sample"',
        "`url`, `blake3`, `length_bytes`, `there_bytes` (already present), `duration_s`, `rate_bps`, "
        "`connections_max`.",
        "If the file was not uploaded; its `code` is the command's exit code.",
        "upload(file, host, given, observe)",
    ),
}


def text() -> str:
    """The module."""
    return HEAD + "".join(_function(name, about) for name, about in FUNCTIONS.items())


def _function(name: str, about: Function) -> str:
    declared = options(name)
    first = "".join(f"    {argument}: {kind},\n" for argument, kind, _ in about.arguments)
    typed = "".join(f"    {option.name}: {_type(option)} = {_default(option)},\n" for option in declared)
    given = "".join(f'        "{option.name}": {option.name},\n' for option in declared)
    observe = "    observe: Callable[[dict[str, Any]], object] | None = None,\n"
    sections = [
        "\n\n".join(_fill(paragraph, 115) for paragraph in about.summary.split("\n\n")),
        _section("Parameters", [(argument, doc) for argument, _, doc in about.arguments] + _options(declared, about)),
        _section("Returns", [("dict", about.returns)]),
        _section("Raises", [("windward.TransferError", about.raises), ("ValueError", "For an invalid option.")]),
    ]
    doc = textwrap.indent("\n\n".join(sections), "    ")
    return (
        f"\n\ndef {name}(\n{first}    *,\n{typed}{observe}) -> dict[str, Any]:\n"
        f'    """{doc.strip()}\n    """\n    given = {{\n{given}    }}\n    return {about.call}\n'
    )


def _options(declared: tuple[Option, ...], about: Function) -> list[tuple[str, str]]:
    observe = f'Called with every event, a dict with its kind as "event": {about.events}.'
    return [(option.name, _doc(option)) for option in declared] + [("observe", observe)]


def _doc(option: Option) -> str:
    first, dot, rest = option.doc.partition(".")
    return f"{first}{option.range}{dot}{rest}"


def _section(title: str, entries: list[tuple[str, str]]) -> str:
    lines = "\n".join(f"{name}\n{textwrap.indent(_fill(doc, 112), '    ')}" for name, doc in entries)
    return f"{title}\n{'-' * len(title)}\n{lines}"


def _fill(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def _type(option: Option) -> str:
    kind = TYPES[option.kind]
    if option.is_repeated:
        return f"Sequence[{kind}]"
    return f"{kind} | None" if option.is_optional else kind


def _default(option: Option) -> str:
    if option.is_repeated:
        return "()"
    return f'"{option.default}"' if isinstance(option.default, str) else repr(option.default)


def main() -> int:
    is_stale = not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text()
    if is_stale and "--check" in sys.argv:
        print(f"not up to date: {TARGET.name}; run tools/generate_transfer.py", file=sys.stderr)
        return 1
    if is_stale:
        TARGET.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

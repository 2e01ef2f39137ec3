"""Wraps comments that are wider than 120 columns: `python tools/wrap_comments.py FILE...`.

Whole-line comments of Rust, C, shell, Makefile and TOML. A paragraph with a line that is too wide is filled again,
items of lists with a hanging indent; tables, code and headings stay as they are. rustfmt does this on its nightly
channel only. Without files: all of the repository.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
WIDTH = 120

#: A line that is shorter ends a paragraph.
SHORT = 80

#: What begins a comment that fills its line, by the ending of the file's name.
SIGNS = {
    ".rs": r"//[/!]?",
    ".c": r"//|\*(?!/)",
    ".h": r"//|\*(?!/)",
    ".sh": r"#",
    ".toml": r"#:?",
    ".py": r"#:?",
    ".pyi": r"#:?",
    "": r"#",
}

#: A line that is no prose: table, fence, heading, rule, code set off by blanks, address alone.
_FIXED = re.compile(r"\||```|#|={3}|-{3}|<|\s{4}|\[[^\]]+\]:|https?://\S+$")
_ITEM = re.compile(r"(?:[*-]|\d+\.) ")


def sign_of(path: Path) -> str | None:
    """The pattern of the sign; None for files without such comments."""
    if path.suffix == "" and path.name != "Makefile" and path.parent.name != ".ci":
        return None
    return SIGNS.get(path.suffix)


def comment(line: str, sign: str) -> tuple[str, str] | None:
    """Indent and sign of a line that is all comment, and its text."""
    found = re.match(rf"(\s*(?:{sign})(?!\S))(?: (.*))?$", line)
    return (found[1], found[2] or "") if found else None


def too_wide(path: Path) -> Iterator[int]:
    """The numbers of the lines with comments that are too wide, unless they cannot be wrapped."""
    sign = sign_of(path)
    if sign is None:
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        parts = comment(line, sign) if len(line) > WIDTH else None
        if parts is not None and " " in parts[1].strip() and not _FIXED.match(parts[1]):
            yield number


def wrapped(text: str, sign: str) -> str:
    """The text with its comments wrapped."""
    out: list[str] = []
    paragraph: list[tuple[str, str]] = []
    is_code = False

    def close() -> None:
        out.extend(_filled(paragraph))
        paragraph.clear()

    for line in text.split("\n"):
        parts = comment(line, sign)
        if parts is None or is_code or not parts[1] or _FIXED.match(parts[1]):
            close()
            out.append(line)
            if parts is not None and parts[1].startswith("```"):
                is_code = not is_code
            if parts is None:
                is_code = False
            continue
        if _ITEM.match(parts[1]) or (paragraph and paragraph[-1][0] != parts[0]):
            close()
        paragraph.append(parts)
        if len(line) < SHORT:
            close()
    close()
    return "\n".join(out)


def _filled(paragraph: Sequence[tuple[str, str]]) -> list[str]:
    lines = [f"{head} {text}" for head, text in paragraph]
    if all(len(line) <= WIDTH for line in lines):
        return lines
    head = paragraph[0][0]
    item = _ITEM.match(paragraph[0][1])
    hanging = " " * (len(item[0]) if item else 0)
    text = " ".join(text.strip() for _, text in paragraph)
    end = " */" if text.endswith(" */") else ""
    lines = textwrap.wrap(
        text.removesuffix(end),
        WIDTH - len(end),
        initial_indent=f"{head} ",
        subsequent_indent=f"{head} {hanging}",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [*lines[:-1], lines[-1] + end]


def files() -> list[Path]:
    """The files of the repository that have comments."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file() and sign_of(path) is not None]


def main(names: Sequence[str]) -> None:
    for path in [Path(name) for name in names] or files():
        sign = sign_of(path)
        if sign is not None and any(too_wide(path)):
            text = path.read_text(encoding="utf-8")
            path.write_text(wrapped(text, sign), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

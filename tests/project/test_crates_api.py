"""The public interface of the crates that others depend on, as a list: a change of it is seen in a diff.

python tests/project/test_crates_api.py writes the list again. A line that goes or changes is a breaking change, and
needs a new minor version before 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
LISTS = Path(__file__).parent / "crates"
CRATES = ("network", "quic")

_EXPORT = re.compile(r"^pub use (\w+)::(?:\{([^}]*)\}|(\w+));$", re.MULTILINE)
_MODULE = re.compile(r"^pub mod (\w+);$", re.MULTILINE)
_ITEM = re.compile(r"^pub (?:(?:const|unsafe|async) )*(fn|struct|enum|trait|const|static|type) (\w+)")
_IMPL = re.compile(r"^impl(?:<.*?>)? (?:(.+) for )?(\w+)(?:<.*?>)?(?: where.*)? \{$")


def blocks(text: str) -> Iterator[list[str]]:
    """Items of a file with their lines, without comments, attributes and tests."""
    text = re.sub(r"^#\[cfg\(test\)\]\nmod .*", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in text.splitlines() if not re.match(r"\s*(//|#!?\[)", line)]
    block: list[str] = []
    for line in lines:
        block.append(line)
        if re.match(r"[})].*$|\S.*[;}]$", line):
            yield [own for own in block if own.strip()]
            block = []


def head(lines: list[str]) -> str:
    """A signature in one line."""
    found: list[str] = []
    for line in lines:
        found.append(line.strip())
        if line.rstrip().endswith(("{", ";")):
            break
    text = " ".join(found).rstrip(" {;").removesuffix(" where")
    text = re.sub(r"\( ", "(", re.sub(r",? \)", ")", text))
    return re.sub(r" \{.*\}?$", "", text)


def members(block: list[str]) -> Iterator[str]:
    """Public fields, variants and functions inside an item, in one line each."""
    kind = _ITEM.match(block[0])
    for at, line in enumerate(block[1:], 1):
        if not re.match(r"    \S", line) or line.startswith("    }"):
            continue
        if kind and kind[1] == "enum":
            if variant := re.match(r"    ([A-Z]\w*(?:\(.*\))?)(?: \{|,)$", line):
                yield variant[1]
        elif kind and kind[1] == "trait":
            yield head(block[at:])
        elif line.startswith("    pub ") and not line.startswith("    pub("):
            own = line.strip().rstrip(",") if kind else head(block[at:])
            yield own


def listed(crate: str) -> list[str]:
    """The public interface of a crate."""
    source = REPOSITORY / "crates" / crate / "src"
    root = (source / "lib.rs").read_text(encoding="utf-8")
    wanted: dict[str, set[str] | None] = {"lib": None, **dict.fromkeys(_MODULE.findall(root))}
    found = [match[0] for match in re.finditer(r"^pub use windward_.*;$", root, re.MULTILINE)]
    for module, several, one in _EXPORT.findall(root):
        if (source / f"{module}.rs").exists():
            names = {name.strip() for name in (several or one).split(",") if name.strip()}
            wanted[module] = (wanted.get(module) or set()) | names
    for module, names in wanted.items():
        prefix = "" if names is not None or module == "lib" else f"{module}::"
        text = (source / f"{module}.rs").read_text(encoding="utf-8")
        own = list(blocks(text))
        public = {match[2] for block in own if (match := _ITEM.match(block[0]))}
        chosen = public if names is None else names
        for block in own:
            if (match := _ITEM.match(block[0])) and match[2] in chosen:
                found.append(f"{prefix}{head(block)}")
                found += [f"{prefix}{match[2]}: {each}" for each in members(block)]
            elif (match := _IMPL.match(block[0])) and match[2] in chosen:
                if match[1]:
                    found.append(f"{prefix}{match[2]}: {match[1]}")
                else:
                    found += [f"{prefix}{match[2]}: {each}" for each in members(block)]
    return sorted(set(found))


@pytest.mark.parametrize("crate", CRATES)
def test_the_public_interface_is_the_listed_one(crate: str):
    kept = (LISTS / f"{crate}.txt").read_text(encoding="utf-8").splitlines()
    assert listed(crate) == kept, "python tests/project/test_crates_api.py writes it again"


def test_items_and_members_are_listed_and_others_are_not():
    found = listed("quic")
    assert "Laws: pub fn named(name: &str) -> Result<Self, Unfit>" in found
    assert "Unfit: InitialWindow(f64)" in found
    # Of the controller, a factory alone is public.
    assert not [line for line in found if "Controlled" in line or "Watched" in line]


if __name__ == "__main__":
    LISTS.mkdir(exist_ok=True)
    for crate in CRATES:
        (LISTS / f"{crate}.txt").write_text("\n".join(listed(crate)) + "\n", encoding="utf-8")

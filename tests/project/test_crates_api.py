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
_CHILD = re.compile(r'^(?:#\[path = "(.*)"\]\n)?(?:pub(?:\(crate\))? )?mod (\w+);$', re.MULTILINE)
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
    root = source / "lib.rs"
    # An implementation may lie in any file.
    impls = [block for file in sorted(source.rglob("*.rs")) for block in blocks(file.read_text(encoding="utf-8"))]
    found = re.findall(r"^pub use windward_.*;$", root.read_text(encoding="utf-8"), re.MULTILINE)
    return sorted({*found, *interface(root, None, "", [block for block in impls if _IMPL.match(block[0])])})


def interface(file: Path, chosen: set[str] | None, prefix: str, impls: list[list[str]]) -> Iterator[str]:
    """The items of a module's file that are public, or chosen by name; those of its public modules, and re-exports."""
    text = file.read_text(encoding="utf-8")
    own = [(match, block) for block in blocks(text) if (match := _ITEM.match(block[0]))]
    names = {match[2] for match, _ in own if chosen is None or match[2] in chosen}
    for match, block in own:
        if match[2] in names:
            yield f"{prefix}{head(block)}"
            yield from (f"{prefix}{match[2]}: {each}" for each in members(block))
    for block in impls:
        if (match := _IMPL.match(block[0])) and match[2] in names:
            yield from (f"{prefix}{match[2]}: {each}" for each in ([match[1]] if match[1] else members(block)))
    children = {name: file_of(file, path, name) for path, name in _CHILD.findall(text)}
    for module, several, one in _EXPORT.findall(text):
        exported = {name.strip() for name in (several or one).split(",") if name.strip()}
        if module in children:
            wanted = exported if chosen is None else exported & chosen
            yield from interface(children[module], wanted, prefix, impls)
    for module in _MODULE.findall(text):
        if chosen is None or module in chosen:
            yield from interface(children[module], None, f"{prefix}{module}::", impls)


def file_of(parent: Path, path: str, name: str) -> Path:
    """The file of a module that another declares, at a path of its own if it has one."""
    if path:
        return parent.parent / path
    folder = parent.parent if parent.stem in ("lib", "mod") else parent.with_suffix("")
    return next(own for own in (folder / f"{name}.rs", folder / name / "mod.rs") if own.exists())


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

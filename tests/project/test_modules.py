"""Modules of a Rust crate use each other in no circle, and its rooms only rooms below, as far as their paths tell.

A room is a module directly below the crate, or directly below a folder that `FLOORS` names.
A path that begins with `crate`, `self`, `super` or a child module is an arrow from the file that has it to the file
that defines what it names; re-exports are followed. Not seen: what macros make, methods of types that came by another
way, and glob imports of items (`use super::*` occurs only in tests, which do not count).
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import REPOSITORY

Module = tuple[str, ...]

MANIFESTS = [*sorted(REPOSITORY.glob("crates/*/Cargo.toml")), REPOSITORY / "fuzz" / "Cargo.toml"]


def circles(source: Path) -> list[list[str]]:
    """The circles among the modules of the crate whose `src` folder is given, each as a sorted list."""
    texts = {_module(source, file): _code(file.read_text()) for file in sorted(source.rglob("*.rs"))}
    arrows = {module: _arrows(module, texts) for module in texts}
    names = {module: "::".join(("crate", *module)) for module in texts}
    return sorted(sorted(names[module] for module in circle) for circle in _components(arrows))


def _module(source: Path, file: Path) -> Module:
    parts = file.relative_to(source).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("lib", "mod", "main") else parts


def _code(text: str) -> str:
    """The code without comments, strings and tests, which stand last in a file."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text, flags=re.DOTALL)
    return re.sub(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", "", text, flags=re.DOTALL)


def _uses(text: str) -> Iterator[tuple[bool, list[str], str]]:
    """The imports of a text: whether others may import them from here, the path, and the name it gets."""
    for visible, tree in re.findall(r"^\s*(pub(?:\([^)]*\))? )?use ([^;]+);", text, flags=re.MULTILINE):
        for path in _paths(re.sub(r"\s+", " ", tree)):
            path, _, alias = path.partition(" as ")
            parts = [part.strip() for part in path.split("::")]
            if parts[-1] == "self":
                parts.pop()
            if parts[-1] != "*":
                yield bool(visible), parts, alias.strip() or parts[-1]


def _paths(tree: str) -> Iterator[str]:
    """`a::{b, c::{d, e}}` as a::b, a::c::d, a::c::e."""
    head, brace, rest = tree.partition("{")
    if not brace:
        yield tree.strip()
        return
    depth, item = 0, ""
    for char in rest[: rest.rindex("}")] + ",":
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            if item.strip():
                yield from (head.strip() + path for path in _paths(item.strip()))
            item = ""
        else:
            item += char


def _arrows(module: Module, texts: dict[Module, str]) -> set[Module]:
    text = texts[module]
    body = re.sub(r"^\s*(pub(?:\([^)]*\))? )?(use [^;]+|mod \w+);", "", text, flags=re.MULTILINE)
    # A re-export alone uses nothing.
    named = [path for visible, path, name in _uses(text) if not visible or re.search(rf"\b{name}\b", body)]
    named += [path.split("::") for path in re.findall(r"\b(?:\$?crate|super|self)(?:::\w+)+", body)]
    children = [other[-1] for other in texts if other[:-1] == module and other]
    if children:
        named += [path.split("::") for path in re.findall(rf"(?<!::)\b(?:{'|'.join(children)})(?:::\w+)+", body)]
    return {target for path in named if (target := _resolve(module, path, texts)) is not None} - {module}


def _resolve(module: Module, path: list[str], texts: dict[Module, str], depth: int = 0) -> Module | None:
    """The module whose file defines what `path` names, seen from `module`; `None` for another crate's."""
    first, rest = path[0], path[1:]
    match first:
        case "crate" | "$crate":
            at: Module = ()
        case "self":
            at = module
        case "super":
            at = module[:-1]
            while rest and rest[0] == "super":
                at, rest = at[:-1], rest[1:]
        case _ if (*module, first) in texts:
            at = (*module, first)
        case _:
            return None
    for position, name in enumerate(rest):
        if (*at, name) in texts:
            at = (*at, name)
            continue
        for _, target, alias in _uses(texts[at]):
            if alias == name and depth < 8:
                found = _resolve(at, [*target, *rest[position + 1 :]], texts, depth + 1)
                return found if found is not None else at
        return at
    return at


def _components(arrows: dict[Module, set[Module]]) -> list[set[Module]]:
    """Strongly connected components of more than one module: those that reach each other."""
    reach: dict[Module, set[Module]] = {}
    for start in arrows:
        seen: set[Module] = set()
        todo = list(arrows[start])
        while todo:
            module = todo.pop()
            if module not in seen:
                seen.add(module)
                todo += arrows[module]
        reach[start] = seen
    circles = {frozenset({a, *(b for b in reach[a] if a in reach[b])}) for a in arrows if a in reach[a]}
    return [set(circle) for circle in circles]


#: The rooms of each crate, and of some folders, from the lowest floor up. Rooms on one floor do not use each other, and
#: `*` stands for all that are not named.
FLOORS = {
    "coding": ("draw error field packets", "block kernel", "decoder encoder recoder"),
    "conformance": ("assertion bytes notes reader script settings", "parse play", "judge", "page"),
    "elements": ("csv ecn engine status", "packet size", "backpressure coding node", "queue", "link"),
    "emulate": ("remedy", "error frames ip sys tcp", "quality", "wire", "hosts link"),
    "fluid": ("airtime alike delayed dormand_prince download early", "model", "integrate", "emultcp"),
    "kernel": ("error flow sys", "btf laws stay", "registry relocate", "program", "load"),
    "laws": (
        "interface utility",
        "external shared",
        "reins window",
        "fluid",
        "backlog bbr classic registry",
        "*",
        "prague",
    ),
    "models": ("early load tables", "capacity", "optimum", "fluid routing"),
    "network": ("clock",),
    "num": (
        "dense error utility",
        "region stop",
        "network",
        "program",
        "answer",
        "certificate scale",
        "solution",
        "solve",
        "fluid_map routing",
    ),
    "py": (
        "error",
        "answer captures coding interrupt json table waiting wifi_mode",
        "array kernel law output rule scenario scheduler transfer",
        "emulate fluid makers num send serve",
        "episodes job network optimum",
        "by_hand sweep",
    ),
    "quic": ("debugged host uploaded", "controller", "stack", "noq quinn", "ends"),
    "quic/stack": ("null stock", "pair", "stream", "exchange", "ends upload"),
    "radio": ("air choose", "hooks interface", "cell wifi", "forward", "csma ran slotted"),
    "run": ("fuse pool stack", "job", "capture", "emulations episode simulations"),
    "scenario": (
        "error names path python suggest",
        "unit_hint",
        "format",
        "problems",
        "check read",
        "controller scenario",
        "links memory reference",
    ),
    "sim": (
        "applications output",
        "topology",
        "network port",
        "ends",
        "makers net",
        "tcp",
        "quic tfrc",
        "endpoint",
        "apps",
        "record",
        "world",
        "fabric run stepped",
    ),
    "elements/link": (
        "tidy trace",
        "delays flight opportunities",
        "config replay",
        "clock impair room",
        "wire",
        "queried",
        "changing queued",
    ),
    "radio/wifi": ("access category ppdu protocol radio tables", "minstrel txq", "config", "dcf edca"),
    "radio/wifi/dcf": (
        "waiting",
        "managed",
        "station times",
        "mac",
        "air contend discipline exchange messages report routing",
    ),
    "radio/wifi/radio": ("air phy propagation reception", "errors motion"),
    "elements/queue": ("key", "discipline", "arena front tail", "line", "*", "cake fq_codel"),
    "sim/tcp": (
        "averages chronograph headers outbox ranges reader stream timer writer",
        "right_sizing",
        "receive_window",
        "coding receiver sender",
        "inbox",
        "end",
        "connection duplex socket",
        "paced",
    ),
    "sim/tcp/sender": (
        "cwnd_validation ecn pacing prr rtt scoreboard turn",
        "delivery_rate phase",
        "tcb",
        "law",
        "loss",
        "info transmit",
    ),
    "tables": ("histogram schema", "data", "chunked parquet", "frame", "declare"),
    "traffic": ("emodel page rtp video",),
    "transfer": (
        "common local tree",
        "tls upload",
        "http",
        "error serve",
        "options seconds",
        "law",
        "get",
        "fuzz send",
    ),
    "units": ("mix radio time", "amount control", "text"),
    "wasm": ("answer", "describe watch", "fluid optimum simulate", "ask", "module"),
}

CRATES = sorted(path.parent.name for path in REPOSITORY.glob("crates/*/Cargo.toml"))


def misplaced(source: Path, folder: tuple[str, ...], floors: tuple[str, ...]) -> list[str]:
    """Violations of the floors: arrows that do not go down, and rooms that are missing or listed without reason."""
    floor = {room: at for at, rooms in enumerate(floors) for room in rooms.split()}
    texts = {_module(source, file): _code(file.read_text()) for file in sorted(source.rglob("*.rs"))}
    tests = {
        (*module, name)
        for module, text in texts.items()
        for name in re.findall(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))? )?mod (\w+);", text)
    }
    depth = len(folder)
    inside = {module for module in texts if module[:depth] == folder and len(module) > depth}
    inside = {module for module in inside if not any(module[: len(test)] == test for test in tests)}
    rooms = {module[depth] for module in inside}
    if "*" in floor:
        others = floor.pop("*")
        floor = dict.fromkeys(rooms, others) | floor
    found = [f"no floor for {room}" for room in rooms - floor.keys()]
    found += [f"no room {room}" for room in floor.keys() - rooms]
    for module in inside:
        for target in _arrows(module, texts) & inside:
            own, other = module[depth], target[depth]
            if own != other and own in floor and other in floor and floor[own] <= floor[other]:
                found.append(f"{'::'.join(module)} uses {'::'.join(target)}")
    return sorted(found)


@pytest.mark.parametrize("crate", CRATES)
def test_modules_of_a_crate_form_no_circle(crate: str) -> None:
    assert circles(REPOSITORY / "crates" / crate / "src") == []


def test_each_crate_has_floors() -> None:
    assert sorted(place for place in FLOORS if "/" not in place) == CRATES


@pytest.mark.parametrize("place", FLOORS)
def test_rooms_use_only_rooms_below(place: str) -> None:
    crate, *folder = place.split("/")
    assert misplaced(REPOSITORY / "crates" / crate / "src", tuple(folder), FLOORS[place]) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for file, text in {
        "lib.rs": "mod a;\nmod b;\npub use b::Kept;\n",
        "a.rs": "// crate::b is only named here\nuse crate::b::{self, Kept};\nfn one() { b::two(); }\n",
        "b/mod.rs": "mod c;\npub(crate) use c::Kept;\npub fn two() {}\n",
        "b/c.rs": "pub struct Kept(super::super::a::Held);\n",
    }.items():
        (tmp_path / file).write_text(text)
    assert circles(tmp_path) == [["crate::a", "crate::b::c"]]
    (tmp_path / "b" / "c.rs").write_text("pub struct Kept;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n")
    assert circles(tmp_path) == []


def test_an_arrow_that_does_not_go_down_is_found(tmp_path: Path) -> None:
    (tmp_path / "high").mkdir()
    (tmp_path / "low").mkdir()
    for file, text in {
        "lib.rs": "mod high;\nmod low;\nmod side;\npub use high::Top;\n",
        "high/mod.rs": "use crate::low::Low;\npub struct Top(Low);\n",
        "low/mod.rs": "mod deep;\n#[cfg(test)]\nmod tests;\npub struct Low;\n",
        "low/deep.rs": "",
        "low/tests.rs": "use crate::high::Top;\nfn test(_: Top) {}\n",
        "side.rs": "",
    }.items():
        (tmp_path / file).write_text(text)
    floors = ("low side", "high")
    assert misplaced(tmp_path, (), floors) == []
    # Up through a re-export, sideways, and a list that is not the crate's.
    (tmp_path / "low" / "deep.rs").write_text("fn one(_: crate::Top) { crate::side::two() }\n")
    assert misplaced(tmp_path, (), floors) == ["low::deep uses high", "low::deep uses side"]
    assert misplaced(tmp_path, (), ("side", "low")) == ["no floor for high"]
    assert misplaced(tmp_path, (), ("*", "high")) == ["low::deep uses high", "low::deep uses side"]
    assert misplaced(tmp_path, (), ("side", "*", "high")) == ["low::deep uses high"]
    assert misplaced(tmp_path, ("low",), ("deep",)) == []
    assert misplaced(tmp_path, ("low",), ("deep other",)) == ["no room other"]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.parent.name)
def test_rustdoc_runs_the_examples_that_there_are(manifest: Path) -> None:
    """Looking for them takes seconds in each crate: those without any say `doctest = false`."""
    lib = tomllib.loads(manifest.read_text(encoding="utf-8")).get("lib", {})
    has_examples = any(
        kind not in ("text", "ignore")
        for file in manifest.parent.rglob("src/**/*.rs")
        # Every other fence closes a block.
        for kind in re.findall(r"^\s*//[/!] ```(\w*)", file.read_text(encoding="utf-8"), re.MULTILINE)[::2]
    )
    assert (lib.get("doctest", True) and "cdylib" not in lib.get("crate-type", [])) == has_examples

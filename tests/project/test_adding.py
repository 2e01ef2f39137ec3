"""The files that `docs/develop/adding.md` lists: its worked examples are followed through the code."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli

import windward as ww
from windward import papers

ADDING = REPOSITORY / "docs" / "develop" / "adding.md"

#: Written by tools, accepted after a look, or named by other sections; and pages of measurements, which follow.
NOT_BY_HAND = re.compile(
    r"docs/reference/(scenario|api|laws/README)\.md|python/README\.md|python/windward/(__init__\.pyi|format\.py)"
    r"|python/windward/_answers/frames\.py"
    r"|evidence/measured/papers/.*|.*/snapshots/.*|.*tests?/.*|.*/tests\.rs|.*/examples/.*"
)


def sections() -> dict[str, str]:
    """The text of the page's sections by their titles."""
    parts = re.split(r"^## (.+)$", ADDING.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def listed(title: str) -> set[str]:
    """The paths that a section lists, of files and of folders."""
    return {path.rstrip("/") for path in re.findall(r"`([\w./-]+(?:/[\w./-]*|\.md))`", sections()[title])}


def matches(path: str, one: str) -> bool:
    """A listed path is the file, a folder of it, or has the new part's name."""
    pattern = re.escape(one).replace("NAME", r"\w+").replace("KEY", r"\w+")
    return re.fullmatch(pattern + ("" if Path(one).suffix else r"(/.*)?"), path.rstrip("/")) is not None


@dataclass(frozen=True)
class Example:
    """Something that is there already, added as its section says."""

    name: str
    #: Whole words that are it in the code.
    words: str
    #: Folders and files that an addition may touch.
    under: list[str]
    #: Files that have the words for another reason.
    others: list[str] = field(default_factory=list)
    #: Listed files that need an edit only for other additions of the kind.
    spared: list[str] = field(default_factory=list)

    def files(self) -> list[str]:
        """The files by hand that have the words."""
        word = re.compile(rf"\b({self.words})\b")
        found = []
        for top in map(REPOSITORY.joinpath, self.under):
            for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
                name = str(path.relative_to(REPOSITORY))
                if path.suffix in (".rs", ".py", ".h", ".c", ".md", ".toml", ".bib") and not NOT_BY_HAND.fullmatch(
                    name
                ):
                    text = path.read_text(encoding="utf-8")
                    if word.search(text) or self.name in path.relative_to(REPOSITORY).parts:
                        found.append(name)
        return [name for name in found if name not in self.others]


EXAMPLES = {
    "A control law": Example(
        "veno",
        "veno|Veno",
        ["crates", "docs/guides/kernel.md", "docs/reference/laws"],
        # `defaults.h` has what most laws do alike.
        spared=["crates/kernel/bpf/defaults.h", "crates/laws/src/scalable.rs"],
    ),
    "A queue discipline": Example(
        "pie",
        "pie|Pie|PIE|PieConfig",
        ["crates", "python", "docs/reference/models"],
        # Users of it.
        others=[
            *(f"python/windward/_evaluate/{name}.py" for name in ("sections", "special")),
            "python/windward/_bench/networks.py",
            "python/windward/_profiles/cable.toml",
        ],
    ),
    "A link impairment": Example(
        "reorder",
        "reorder|Reorder",
        [
            "crates/elements/src",
            "crates/sim/src",
            "crates/scenario/src",
            "python/windward",
            "docs/concepts",
            "docs/reference/limits.md",
        ],
        others=[
            "crates/scenario/src/format/change.rs",
            "crates/radio/src/wifi/edca/session.rs",
            *(f"python/windward/_evaluate/{name}.py" for name in ("bbr_draft", "cubic_rfc", "special")),
        ],
    ),
    "A medium": Example(
        "csma",
        r"MediumConfig::Csma|CsmaConfig|Csma|csma",
        [
            "crates/radio/src",
            "crates/sim/src",
            "crates/scenario/src/check/wifi",
            "crates/models/src/capacity.rs",
            "crates/emulate/src/hosts/plan.rs",
            "crates/py/src/scenario.rs",
            "docs/reference/models/wifi.md",
        ],
        spared=["crates/sim/src/net/mod.rs"],
    ),
    "An application": Example(
        "video",
        r"App::Video|VideoStats|ChunkLog|VideoConfig|Video\(|pub mod video|table=\"videos\"|startup_s|def video"
        r"|sixty_s",
        [
            "crates/scenario/src",
            "crates/sim/src",
            "crates/models/src",
            "crates/traffic/src",
            "python/windward/_answers",
            "python/windward/_explore",
            "python/windward/results",
            "python/windward/show",
            "docs/concepts",
        ],
        # The video of calls.
        others=["crates/scenario/src/format/app/call.rs", "crates/scenario/src/format/wifi/stations.rs"],
        # Of datagrams and of figures like others.
        spared=[
            "crates/sim/src/network/source.rs",
            "crates/sim/src/apps/source.rs",
            "crates/sim/src/apps/game.rs",
            "crates/sim/src/apps/datagrams.rs",
            "crates/scenario/src/format/source.rs",
            "crates/scenario/src/check/source.rs",
            "docs/concepts/README.md",
        ],
    ),
    "A column or a table of results": Example(
        "mean_window_rate_pps",
        "mean_window_rate_pps",
        ["crates", "python/windward"],
        # Of whole tables.
        spared=["crates/sim/src/output/run.rs", "crates/models/src/tables.rs"],
    ),
    "A command": Example(
        "explore",
        "explore",
        ["python/windward/_cli", "docs/guides/explore.md", "docs/README.md"],
    ),
    "A paper": Example(
        "wang2013",
        "wang2013",
        ["evidence/papers/wang2013", "python/windward/papers"],
        # Modules that the checks and the figures of this paper share.
        others=[f"evidence/papers/wang2013/{name}.py" for name in ("graphs", "grid", "mesh", "reported")],
    ),
}


@pytest.mark.parametrize("title", EXAMPLES)
def test_the_lists_are_those_of_the_examples(title: str) -> None:
    example = EXAMPLES[title]
    files = example.files()
    assert len(files) > 2
    missing = [path for path in files if not any(matches(path, one) for one in listed(title))]
    assert missing == [], f"`{example.name}` is in these, and `{title}` does not list them"
    # CHANGELOG.md groups what is added.
    known = {one for one in listed(title) if (REPOSITORY / one).is_file() and not NOT_BY_HAND.fullmatch(one)}
    known -= {"CHANGELOG.md", *example.spared}
    covered = [*files, *(name for name in example.others)]
    idle = sorted(one for one in known if any(one.startswith(top) for top in example.under) and one not in covered)
    assert idle == [], f"`{title}` lists these, and nothing of `{example.name}` is in them"


def test_an_application_is_in_few_files() -> None:
    """As many as the page says, beside the room of what it decides."""
    files = [path for path in EXAMPLES["An application"].files() if not path.startswith("crates/traffic/src/video/")]
    rust = [path for path in files if path.endswith(".rs")]
    assert (len(rust), len(files) - len(rust)) == (9, 2), files
    assert "| application over connections | 9 of Rust, 3 of them its own" in ADDING.read_text(encoding="utf-8")


def test_an_impairment_is_in_few_files() -> None:
    """As many as the page says; reordering is random, and has parameters of its own and a column of steps."""
    files = [path for path in EXAMPLES["A link impairment"].files() if not path.startswith("docs/")]
    rust = [path for path in files if path.endswith(".rs")]
    assert (len(rust), len(files) - len(rust)) == (12, 4), files
    row = "| link impairment | 6 of Rust (12 if it is random, with parameters of its own and a column of steps), 4 of"
    assert row in ADDING.read_text(encoding="utf-8")


def test_faults_of_the_lists_are_found() -> None:
    law = EXAMPLES["A control law"]
    assert "crates/laws/src/veno.rs" in law.files()
    assert "crates/laws/src/westwood.rs" not in law.files()
    assert matches("crates/laws/src/veno.rs", "crates/laws/src/NAME.rs")
    assert matches("crates/scenario/src/check/link.rs", "crates/scenario/src/check")
    assert not matches("crates/scenario/src/check.rs", "crates/scenario/src/check")


WIRE = """\
name = "example"
duration = "3 s"
warmup = "1 s"
seeds = 1
node = [{{ name = "a" }}, {{ name = "b" }}]

[[link]]
from = "a"
to = "b"
rate = "5 Mbit/s"
delay = "10 ms"
buffer = "400 packets"
{link}

[[flow]]
from = "a"
to = "b"
law = "{law}"
"""
AIR = """\
name = "example"
duration = "3 s"
warmup = "1 s"
seeds = 1
node = [{{ name = "a" }}, {{ name = "b" }}]

[[wifi]]
name = "air"
standard = "802.11b"
access = "{access}"
station = [{{ node = "a", at = ["0 m", "0 m"] }}, {{ node = "b", at = ["100 m", "0 m"] }}]

[[flow]]
from = "a"
to = "b"
law = "reno"
"""
#: For each example that a scenario can have: a scenario with it, and one without.
RUNS = {
    "veno": (WIRE.format(link="loss = 0.01", law="veno"), WIRE.format(link="loss = 0.01", law="vegas")),
    "pie": (WIRE.format(link='queue = "pie"', law="reno"), WIRE.format(link="", law="reno")),
    "reorder": (
        WIRE.format(link='reorder = { share = 0.2, delay = "30 ms" }', law="reno"),
        WIRE.format(link="", law="reno"),
    ),
    "csma": (AIR.format(access="ideal"), AIR.format(access="dcf")),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_examples_run(tmp_path: Path, name: str) -> None:
    """Each changes what a flow gets."""
    rates = []
    for text in RUNS[name]:
        path = tmp_path / "scenario.toml"
        path.write_text(text)
        rates.append(float(ww.load(path).simulate().flows["goodput_bps"].sum()))
    assert min(rates) > 0
    assert rates[0] != rates[1]


def test_the_example_of_a_command_runs(cli: Cli) -> None:
    assert "windward explore [OPTIONS]" in cli("explore", "--help").stdout


def test_the_example_of_a_paper_is_whole() -> None:
    folder = REPOSITORY / "evidence" / "papers" / "wang2013"
    assert "wang2013" in papers.known()
    assert {"claims.toml", "README.md", "checks", "figures"} <= {path.name for path in folder.iterdir()}
    bibliography = (REPOSITORY / "python" / "windward" / "papers" / "papers.bib").read_text(encoding="utf-8")
    assert re.search(r"^@\w+\{wang2013,", bibliography, re.MULTILINE)


#: How a name of the page is defined in Rust or Python.
DEFINED = r"(?:macro_rules! |trait |struct |enum |fn |const |static |type |class |def ){0}\b|^{0}(?::.*)? = "


def test_names_of_the_code_exist() -> None:
    """Macros, traits, functions and constants that the page names."""
    text = re.sub(r"```.*?```", "", ADDING.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = set(re.findall(r"`(\w+)!`", text)) | set(re.findall(r"`impl (\w+)", text))
    names |= set(re.findall(r"`([A-Z]\w+)`", text)) - {"NAME", "KEY"}
    names |= {"offer", "take", "report", "draws", "into_tables"} & set(re.findall(r"`(\w+)`", text))
    assert len(names) > 15
    tops = [*REPOSITORY.glob("crates/*/src"), REPOSITORY / "python" / "windward", REPOSITORY / "tests" / "project"]
    code = "\n".join(
        path.read_text(encoding="utf-8") for top in tops for suffix in ("rs", "py") for path in top.rglob(f"*.{suffix}")
    )
    assert [name for name in sorted(names) if not re.search(DEFINED.format(name), code, re.MULTILINE)] == []


def test_the_files_to_add_something_exist() -> None:
    """Paths of the page but for those that hold the new part's name."""
    paths = set(re.findall(r"`([\w./-]+/[\w./-]*)`", ADDING.read_text(encoding="utf-8")))
    known = {path for path in paths if "NAME" not in path and "KEY" not in path}
    assert len(known) > 30
    assert [path for path in sorted(known) if not (REPOSITORY / path).exists()] == []


def commits() -> list[tuple[str, str]]:
    """The commits that are named, each with the title of its section."""
    found = []
    for title, text in sections().items():
        for line in re.findall(r"Commits?: [^.]*", text):
            found += [(title, commit) for commit in re.findall(r"`([0-9a-f]{7,})`", line)]
    return found


@pytest.mark.parametrize(("title", "commit"), commits())
def test_the_lists_are_those_of_commits(title: str, commit: str) -> None:
    git = ["git", "-C", str(REPOSITORY), "show", "--name-only", "--diff-filter=M", "--format=", commit]
    shown = subprocess.run(git, capture_output=True, text=True)
    if shown.returncode:
        pytest.skip("the clone has no history")
    changed = [
        path for path in shown.stdout.split() if (REPOSITORY / path).exists() and not NOT_BY_HAND.fullmatch(path)
    ]
    missing = [path for path in changed if not any(matches(path, one) for one in listed(title))]
    assert missing == [], f"{commit} changed these, and `{title}` does not list them"


def test_commits_are_named() -> None:
    """A section names its commit until its files move; another test checks the paths of all sections."""
    assert {title for title, _ in commits()} >= {"A command"}


def test_code_of_the_page_is_the_files() -> None:
    """WINDWARD_SNAPSHOTS=update copies it from the files again."""

    def copy(block: re.Match[str]) -> str:
        code = (REPOSITORY / block[1]).read_text(encoding="utf-8")
        found = re.search(rf"^{re.escape(block[2])}.*?^}}\n", code, flags=re.DOTALL | re.MULTILINE)
        assert found, f"{block[1]} has no `{block[2]}`"
        return f"<!-- {block[1]}: {block[2]} -->\n\n```rust\n{found[0]}```\n"

    said = ADDING.read_text(encoding="utf-8")
    copied = re.sub(r"<!-- (\S+): (.+?) -->\n\n```rust\n.*?```\n", copy, said, flags=re.DOTALL)
    assert "```rust" in copied
    if os.environ.get("WINDWARD_SNAPSHOTS") == "update":
        ADDING.write_text(copied, encoding="utf-8")
    assert copied == ADDING.read_text(encoding="utf-8")

"""The documentation holds together: links lead somewhere, nothing is missing, and the guide prints what it says."""

import doctest
import json
import os
import re
import runpy
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli
from typer import _click as click
from typer.main import get_command

from windward import _engine
from windward._cli.main import app

sys.path.insert(0, str(REPOSITORY / "evidence" / "benches" / "attacks"))

from cases import CASES

PAGES = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md"), *REPOSITORY.glob("crates/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file) if file else page
        assert path.exists(), f"{page.name} links to {target}"
        if anchor:
            anchors = set(re.findall(r'<a (?:id|name)="([^"]+)"', path.read_text()))
            headings = re.findall(r"^#+ (.+)$", path.read_text(), flags=re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
            assert anchor in slugs | anchors, f"{page.name} links to {target}"


def options(command: click.Command) -> set[str]:
    """The options of a command and of its own commands."""
    own = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return own.union(*(options(each) for each in getattr(command, "commands", {}).values()), {"--help", "-h"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_commands_have_the_options_that_a_page_gives_them(page: Path) -> None:
    group = get_command(app)
    context = click.Context(group)
    # In code alone: a fenced block, or a command between backticks.
    text = page.read_text()
    fenced = re.findall(r"```\w*\n(.*?)```", text, flags=re.DOTALL)
    lines = re.sub(r"\\\n\s*", " ", "\n".join(fenced)).splitlines()
    lines += re.findall(r"`(windward [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for verb, rest in re.findall(
        r"(?:^|\$ |`|sudo |&& )windward (\w[\w-]*)( .*)?$", "\n".join(lines), flags=re.MULTILINE
    ):
        command = group.get_command(context, verb)
        assert command is not None, f"{page.name}: windward {verb}"
        # Not what the command is given to run, a comment, or what is between quotes.
        own = re.sub(r"'[^']*'|\"[^\"]*\"| --( .*|$)| # .*| \|.*", "", rest)
        for option in re.findall(r" (--?[a-z][\w-]*)", own):
            assert option in options(command), f"{page.name}: windward {verb} {option}"


def test_the_server_of_the_guide_is_that_of_the_example() -> None:
    page = (REPOSITORY / "docs" / "guides" / "quic.md").read_text()
    (shown,) = re.findall(r"```rust\n(/// Server at .*?)```", page, flags=re.DOTALL)
    assert shown in (REPOSITORY / "examples" / "quinn" / "src" / "server.rs").read_text()
    # The three lines above it are its own.
    (lines,) = re.findall(r"```rust\n(let mut transport.*?)```", page, flags=re.DOTALL)
    assert [line.split("(")[-1] for line in lines.splitlines()] == [
        line.split("(")[-1] for line in re.findall(r"(?m)^.*transport.*$", shown)
    ]


def test_the_index_leads_to_every_page() -> None:
    reached, left = set(), [REPOSITORY / "docs" / "README.md"]
    while left:
        page = left.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        targets = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text())
        left += [(page.parent / target).resolve() for target in targets if "://" not in target]
    assert set(REPOSITORY.glob("docs/**/*.md")) <= reached


def test_every_crate_has_its_line() -> None:
    said = re.findall(r"^\| `(\w+)` \|", (REPOSITORY / "crates" / "README.md").read_text(), flags=re.MULTILINE)
    crates = {path.parent.name for path in REPOSITORY.glob("crates/*/Cargo.toml")}
    assert set(said) == crates
    assert len(said) == len(crates)


def test_crates_use_only_crates_above_them() -> None:
    order = re.findall(r"^\| `(\w+)` \|", (REPOSITORY / "crates" / "README.md").read_text(), flags=re.MULTILINE)
    for name in order:
        manifest = tomllib.loads((REPOSITORY / "crates" / name / "Cargo.toml").read_text())
        used = [
            key.removeprefix("windward-") for key in manifest.get("dependencies", {}) if key.startswith("windward-")
        ]
        assert all(order.index(other) < order.index(name) for other in used), f"{name} uses {used}"


#: The headings of a law's page, in their order. A page may have others between them.
LAW_PARTS = ["Idea", "Equations", "When to use", "Parameters", "In packets", "Validation", "Limits", "Source"]
LAW_PAGES = [*(law["name"] for law in _engine.laws()), "emultcp"]


def parts(page: str) -> tuple[str, dict[str, str]]:
    """The text before the first heading of the second level, and that below each of them."""
    opening, *rest = re.split(r"^## ", page.partition("\n")[2], flags=re.MULTILINE)
    texts = dict(part.split("\n", 1) for part in rest)
    assert len(texts) == len(rest), "a heading appears twice"
    return opening.strip(), {heading: text.strip() for heading, text in texts.items()}


def sentences(text: str) -> list[str]:
    """The sentences of prose: a point ends one if a capital or code follows."""
    return re.split(r"(?<=[.?!])\s+(?=[A-Z`])", text.strip())


@pytest.mark.parametrize("law", LAW_PAGES)
def test_every_law_has_its_page(law: str) -> None:
    page = (REPOSITORY / "docs" / "reference" / "laws" / f"{law}.md").read_text()
    opening, found = parts(page)
    assert [heading for heading in found if heading in LAW_PARTS] == LAW_PARTS
    assert opening.startswith((f"`{law}` is ", "E-MULTCP "))
    assert len(sentences(opening)) == 2
    assert 1 <= len(sentences(found["Idea"])) <= 3
    assert "README.md#symbols" in found["Equations"]
    # In which cases to use it, and in which not.
    assert re.match(r"Use `[\w-]+` ", found["When to use"])
    assert "Do not" in found["When to use"]
    assert re.search(r"^\| (`|parameter)", found["Parameters"], flags=re.MULTILINE) or "It has no parameters" in page
    # TCP-FIT's picture would be Reno's to the bit: its page says so.
    assert "pictures/" in found["In packets"] or law == "tcp-fit"
    assert found["Validation"].startswith("Independent reference: ")
    # Its evaluation, which `make evaluations` writes; several connections are no law of one.
    assert ("Evaluation" in found) == (law != "emultcp")
    if "Evaluation" in found:
        assert found["Evaluation"].startswith("<!-- Generated: make evaluations -->")
        assert "../../../evidence/measured/evaluations.md" in found["Evaluation"]
    # A network on which it fails has its figure, and is among the attacks.
    for worst in re.findall(r"^\* \*\*Worst found:\*\* (.+)$", found["Limits"], flags=re.MULTILINE):
        assert re.search(r"\d|nothing", worst)
        assert worst.endswith("([attacks](../../../evidence/measured/attacks.md)).")
        assert law in {case.law for case in CASES}
    (code,) = re.findall(r"Code:\s+`(.+?)`", found["Source"])
    assert (REPOSITORY / code).exists()


MODELS = sorted((REPOSITORY / "docs" / "reference" / "models").glob("*.md"))


@pytest.mark.parametrize("page", MODELS, ids=lambda page: page.stem)
def test_every_model_has_its_parts(page: Path) -> None:
    """Each page says what it models and where the code is, and leads to the fields of scenarios."""
    opening, found = parts(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    headings = list(found)
    assert headings.index("Validation") < headings.index("Limits")
    prose = opening.split("\n\n")[0]
    assert len(sentences(prose)) >= 2
    (code,) = re.findall(r"[Cc]ode:\s+(?:crate `windward-(\w+)`|`(crates/.+?)`)", prose)
    assert (REPOSITORY / (code[1] or f"crates/{code[0]}")).exists()
    assert "scenario.md" in opening or page.stem in ("num", "fluid")


def test_the_table_of_laws_is_the_engines() -> None:
    page = (REPOSITORY / "docs" / "reference" / "laws" / "README.md").read_text()
    rows = re.findall(r"^\| \[`[\w-]+`\]\([\w-]+\.md\) \|.*$", page, flags=re.MULTILINE)
    in_kernel = dict(_engine.kernel_laws()) if hasattr(_engine, "kernel_laws") else None
    for row, law in zip(rows, _engine.laws(), strict=True):
        name, recovery, marks = (
            law["name"],
            ("host", "law")[law["drives_recovery"]],
            ("events", "counted")[law["counts_marks"]],
        )
        known = f"| [`{name}`]({name}.md) | {law['summary']} | {law['price'] or '–'} | {recovery} | {marks} |"
        assert row.startswith(known), "make docs writes it again"
        if in_kernel is not None:
            assert row.endswith("| yes |" if name in in_kernel else "| – |")


@pytest.mark.parametrize("law", _engine.laws(), ids=lambda law: law["name"])
def test_every_parameter_stands_on_its_laws_page(law: dict[str, object]) -> None:
    page = (REPOSITORY / "docs" / "reference" / "laws" / f"{law['name']}.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| `?([^|`]+)`? \|", page, flags=re.MULTILINE)
    assert {name: json.loads(default) for name, default in rows} == law["parameters"]


GUIDE = REPOSITORY / "docs" / "start" / "guide.md"
SWEEPS = REPOSITORY / "docs" / "guides" / "sweeps.md"
TUNE = REPOSITORY / "docs" / "guides" / "tune.md"
ATTACK = REPOSITORY / "docs" / "guides" / "attack.md"
FEELS = REPOSITORY / "docs" / "guides" / "feels.md"
CELLS = REPOSITORY / "docs" / "guides" / "cells.md"
TEACHING = REPOSITORY / "docs" / "guides" / "teaching.md"
NS3 = REPOSITORY / "docs" / "guides" / "ns3.md"
#: A line of progress, which commands print where they take longer than on a quiet machine.
PROGRESS = re.compile(r"^ *\d+% .*\bleft$")


@pytest.fixture
def guide_folder(tmp_path: Path) -> Path:
    """The files that the guide tells its reader to write."""
    guide = GUIDE.read_text()
    scenario, channel = re.findall(r"```toml\n(.*?)```", guide, flags=re.DOTALL)
    (tmp_path / "cafe.toml").write_text(scenario)
    (tmp_path / "channel.toml").write_text(channel)
    (tmp_path / "scenarios").symlink_to(REPOSITORY / "scenarios")
    (tmp_path / "wrong.toml").write_text(scenario.replace("rate = ", "rte = "))
    law = next(code for code in re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL) if "class Gentle" in code)
    (tmp_path / "my_law.py").write_text(law)
    inline = re.search(r'`(law = \{ name = "python".*?\})`', guide)
    assert inline
    (tmp_path / "gentle.toml").write_text(scenario.replace('law = "cubic"', inline[1]))
    (page,) = re.findall(r"```toml\n(.*?)```", FEELS.read_text(), flags=re.DOTALL)
    (tmp_path / "page.toml").write_text(page)
    shutil.copy(REPOSITORY / "tests" / "scenario" / "recordings" / "chromium.har", tmp_path / "page.har")
    for example in re.findall(r"```toml\n(.*?)```", NS3.read_text(), flags=re.DOTALL):
        (tmp_path / f"{tomllib.loads(example)['name']}.toml").write_text(example)
    return tmp_path


@pytest.mark.parametrize("page", [GUIDE, SWEEPS, TUNE, ATTACK, FEELS, CELLS, TEACHING, NS3], ids=lambda page: page.stem)
def test_the_guide_prints_what_it_says(cli: Cli, guide_folder: Path, page: Path) -> None:
    """WINDWARD_SNAPSHOTS=update writes what is printed into the guide."""

    def run(block: re.Match[str]) -> str:
        lines = ["```"]
        for command in re.findall(r"^\$ windward (.*)$", block[1], flags=re.MULTILINE):
            result = cli(*shlex.split(command))
            output = (result.stdout + result.stderr).splitlines()
            lines += [f"$ windward {command}", *(line for line in output if not PROGRESS.search(line))]
        return "\n".join([*(line.rstrip() for line in lines), "```\n"])

    said = page.read_text()
    printed = re.sub(r"^```\n(\$ windward .*?)^```\n", run, said, flags=re.DOTALL | re.MULTILINE)
    if os.environ.get("WINDWARD_SNAPSHOTS") == "update":
        page.write_text(printed)
    assert printed == page.read_text()
    drawn = {
        GUIDE: ("rates.svg", "results/cafe/report.html"),
        SWEEPS: ("lossy-cafe.svg", "heat.svg"),
        FEELS: ("laws.svg", "waterfall.svg"),
        ATTACK: ("results/attacked/find/scenario.toml",),
        TUNE: ("tuned.svg", "results/tuned/tuned.toml"),
        CELLS: ("schedulers.svg", "sites.svg"),
        TEACHING: ("sawtooth.svg",),
        NS3: ("results/lena/summary.json",),
    }
    assert all((guide_folder / name).exists() for name in drawn[page])


def test_the_guides_python_prints_what_it_says(guide_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(guide_folder)
    code = "".join(re.findall(r"```pycon\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL))
    guide = doctest.DocTestParser().get_doctest(code, {}, "guide", str(GUIDE), 0)
    runner = doctest.DocTestRunner()
    runner.run(guide)
    assert runner.summarize().attempted >= 6
    assert runner.failures == 0


def test_the_readmes_python_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    page = REPOSITORY / "README.md"
    code = "".join(re.findall(r"```pycon\n(.*?)```", page.read_text(), flags=re.DOTALL))
    readme = doctest.DocTestParser().get_doctest(code, {}, "readme", str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(readme)
    assert runner.summarize().attempted == 4
    assert runner.failures == 0


def test_the_picture_of_the_crates_is_true() -> None:
    picture = REPOSITORY / "docs" / "pictures" / "crates.svg"
    code = runpy.run_path(str(REPOSITORY / "tools" / "draw_crates.py"))
    assert picture.read_text(encoding="utf-8") == code["draw"](code["imports"]()), "tools/draw_crates.py draws it again"

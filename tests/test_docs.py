"""The documentation holds together: links lead somewhere, every crate and law has its line."""

import re
import tomllib
from pathlib import Path

import pytest
from conftest import REPOSITORY

import windward as ww
from windward import _engine

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


@pytest.mark.parametrize("law", [law["name"] for law in _engine.laws()])
def test_every_law_has_its_page(law: str) -> None:
    page = (REPOSITORY / "docs" / "laws" / f"{law}.md").read_text()
    for part in ("**Equations.**", "**When to use.**", "## Validation", "**Limits.**"):
        assert part in page
    assert f"]({law}.md)" in (REPOSITORY / "docs" / "laws" / "README.md").read_text()


def test_the_guide_shows_a_scenario_that_runs(tmp_path: Path) -> None:
    guide = (REPOSITORY / "docs" / "guide.md").read_text()
    (tmp_path / "cafe.toml").write_text(re.findall(r"```toml\n(.*?)```", guide, flags=re.DOTALL)[0])
    law = next(code for code in re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL) if "class Gentle" in code)
    (tmp_path / "my_law.py").write_text(law)
    inline = re.search(r'`(law = \{ name = "python".*?\})`', guide)
    assert inline
    text = (tmp_path / "cafe.toml").read_text().replace('law = "cubic"', inline[1])
    (tmp_path / "gentle.toml").write_text(text.replace('"60 s"', '"12 s"'))
    run = ww.load(tmp_path / "gentle.toml").simulate(seeds=1)
    assert run.flows["law"].tolist() == ["Gentle", "quic-tcp"]

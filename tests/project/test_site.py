"""The site's sources: every page has a place in the navigation, and no link leads out of the site."""

import base64
import json
import re
import sys
import zlib
from pathlib import Path

import pytest
from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))

import build_site


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site.stage(tmp_path_factory.mktemp("site") / "target")


def test_every_page_has_one_place_in_the_navigation(staged: Path) -> None:
    said = re.findall(r"(?:^|: |- )([\w/.-]+\.md)$", staged.read_text(encoding="utf-8"), flags=re.MULTILINE)
    pages = {
        path.relative_to(REPOSITORY / left)
        for room, left in build_site.ROOMS.items()
        for path in REPOSITORY.glob(f"{room}/**/*.md")
    }
    wanted = {re.sub(r"README\.md$", "index.md", str(page)) for page in pages if str(page) != "README.md"}
    assert wanted <= set(said)
    assert len(said) == len(set(said))


def test_links_lead_to_what_is_staged(staged: Path) -> None:
    pages = staged.parent / "pages"
    for page in pages.rglob("*.md"):
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            assert "://" in target or (page.parent / target).resolve().is_relative_to(pages), f"{page}: {target}"
            # `make playground` compiles it.
            is_there = (page.parent / target).exists() or target.endswith(build_site.PLAYED)
            assert "://" in target or is_there, f"{page}: {target}"


def test_every_scenario_opens_in_the_playground(staged: Path) -> None:
    for page in (staged.parent / "pages" / "scenarios").glob("*.md"):
        if page.stem == "index" or not (REPOSITORY / "scenarios" / f"{page.stem}.toml").is_file():
            continue
        found = re.search(
            r"\[Open in the playground\]\(\.\./playground\.html#s=([\w-]+)\)", page.read_text(encoding="utf-8")
        )
        assert found, page
        packed = base64.urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4))
        state = json.loads(zlib.decompress(packed, -zlib.MAX_WBITS))
        assert state["t"] == (REPOSITORY / "scenarios" / f"{page.stem}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("typed", "set_"),
    [
        ("W^(1−2ρ)·(W − p)", "W<sup>1−2ρ</sup>·(W − p)"),
        ("Σ_{s∈S(l)} x_s ≤ c_l", "Σ<sub>s∈S(l)</sub> x<sub>s</sub> ≤ c<sub>l</sub>"),
        ("p x^{1−α}/(1−α)", "p x<sup>1−α</sup>/(1−α)"),
        ("`W^(1−2ρ)` and `x_s`", "`W^(1−2ρ)` and `x_s`"),
        ("`mean_window` of [a_b](c_d.md)", "`mean_window` of [a<sub>b</sub>](c_d.md)"),
        ("goodput_bps is a column", "goodput_bps is a column"),
    ],
)
def test_exponents_and_indices_are_set(typed: str, set_: str) -> None:
    assert build_site._set(typed) == set_

"""Installed package: locked dependencies, supported Pythons, the description, and the notices in the wheel."""

import email.message
import re
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import REPOSITORY
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.version import Version

from windward._cli.init import READY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
LOCKS = sorted((REPOSITORY / "requirements").glob("*.txt"))


def wanted(lock: str) -> list[Requirement]:
    """Packages that pyproject.toml requires in a file of requirements/."""
    names = {"run": [], "least": ["tests"]}.get(lock, [lock])
    found = list(PROJECT["project"]["dependencies"]) if lock in ("run", "least", "tests", "checks") else []
    while names:
        for entry in PROJECT["dependency-groups"][names.pop()]:
            if isinstance(entry, dict):
                names.append(entry["include-group"])
            else:
                found.append(entry)
    return [Requirement(text) for text in found]


def pins(file: Path) -> list[tuple[Requirement, list[str]]]:
    """The packages of a lock, each with its hashes."""
    entries = re.split(r"\n(?=\S)", file.read_text(encoding="utf-8").strip())
    found = []
    for entry in entries:
        first, *hashes = entry.replace("\\\n", "").split("--hash=")
        found.append((Requirement(first), [one.strip() for one in hashes]))
    return found


def test_every_group_is_locked() -> None:
    assert {file.stem for file in LOCKS} == {"run", "least", *PROJECT["dependency-groups"]}


@pytest.mark.parametrize("file", LOCKS, ids=lambda file: file.stem)
def test_a_lock_has_what_is_asked_for_with_hashes_and_names_no_index(file: Path) -> None:
    """`make lock` writes it again."""
    text = file.read_text(encoding="utf-8")
    assert "://" not in text
    assert "-index" not in text
    locked = pins(file)
    for package, hashes in locked:
        assert [one.operator for one in package.specifier] == ["=="], package
        assert hashes, package
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), package
    for python in PYTHONS:
        here = default_environment() | {"python_version": python, "python_full_version": f"{python}.0"}

        def counts(requirement: Requirement, here: dict[str, str] = here) -> bool:
            return requirement.marker is None or requirement.marker.evaluate(here)

        for requirement in filter(counts, wanted(file.stem)):
            name = re.sub(r"[-_.]+", "-", requirement.name).lower()
            versions = [
                next(iter(package.specifier)).version
                for package, _ in locked
                if package.name == name and counts(package)
            ]
            assert len(versions) == 1, f"{requirement} on Python {python}: {versions}"
            assert requirement.specifier.contains(versions[0]), f"{requirement} on Python {python}: {versions}"


@pytest.mark.parametrize("python", PYTHONS)
def test_least_versions_are_the_bounds(python: str) -> None:
    here = default_environment() | {"python_version": python, "python_full_version": f"{python}.0"}
    bounds: dict[str, Version] = {}
    for requirement in wanted("run"):
        if requirement.marker is None or requirement.marker.evaluate(here):
            (least,) = (Version(one.version) for one in requirement.specifier if one.operator == ">=")
            name = requirement.name.lower().replace("_", "-")
            bounds[name] = max(least, bounds.get(name, least))
    locked = {
        package.name: Version(next(iter(package.specifier)).version)
        for package, _ in pins(REPOSITORY / "requirements" / "least.txt")
        if package.marker is None or package.marker.evaluate(here)
    }
    assert {name: locked[name] for name in bounds} == bounds


def test_what_builds_the_package_is_what_make_builds_with() -> None:
    groups = PROJECT["dependency-groups"]
    asked = {Requirement(text).name: Requirement(text).specifier for text in PROJECT["build-system"]["requires"]}
    own = {Requirement(text).name: Requirement(text).specifier for text in [*groups["build"], *groups["zig"]]}
    assert asked == own


def test_the_notices_are_of_the_crates_in_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "tools")
    import notices

    page = notices.PAGE.read_text(encoding="utf-8")
    assert notices.listed(page) == notices.shipped(), "python tools/notices.py writes them again"
    named = {name for line in re.findall(r"^Licence of (.+)$", page, flags=re.MULTILINE) for name in line.split(", ")}
    assert named == {name for name, _ in notices.shipped()}
    assert notices.PAGE.name in PROJECT["project"]["license-files"]


def test_the_description_reads_away_from_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "tools")
    import describe

    page = (REPOSITORY / PROJECT["project"]["readme"]).read_text(encoding="utf-8")
    assert page == describe.package_description(), "python tools/describe.py writes it again"
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    linked = describe.description(readme, "https://git.example/windward/")
    assert linked.count("![") == readme.count("![") > 0
    for text in (page, linked):
        assert [target for target in re.findall(r"\]\(([^)]*)\)", text) if "://" not in target] == []
        # Every scenario that it names is written by `windward init`.
        named = re.findall(r"(?<![\w/])([\w-]+)\.toml", text)
        assert {"headline", "mesh"} <= set(named) <= {path.stem for path in READY.glob("*.toml")}
    assert "![" in linked
    assert "make run" not in page


def test_pythons_of_this_machine_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "tools")
    import pythons

    assert [pythons.said(version) for version in pythons.supported()] == PYTHONS
    # One of pyenv's, one that is not released, one that is too old.
    for name, answer in (("3.14.99", "3 14 99"), ("3.13.0rc1", ""), ("3.9.18", "3 9 18")):
        program = tmp_path / "versions" / name / "bin" / "python3"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{f'echo {answer} {program}' if answer else ''}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    found = pythons.pythons()
    assert found[3, 14] == tmp_path / "versions" / "3.14.99" / "bin" / "python3"
    assert sys.version_info[:2] in found
    assert (3, 9) not in found


def test_the_address_of_the_project_is_the_same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyproject.toml names it, and CITATION.cff repeats it. As long as there is none, the check of a wheel says so."""
    address = PROJECT["project"].get("urls", {}).get("Repository")
    cited = re.search(r"^repository-code: (\S+)$", (REPOSITORY / "CITATION.cff").read_text(), flags=re.MULTILINE)
    assert (cited and cited[1]) == address
    monkeypatch.syspath_prepend(REPOSITORY)
    from tools import check_wheel

    metadata = email.message.Message()
    (told,) = check_wheel.missing(metadata)
    assert "[project.urls] Repository" in told
    metadata["Project-URL"] = "Homepage, https://windward.example"
    assert check_wheel.missing(metadata) == [told]
    metadata["Project-URL"] = "Repository, https://git.example/windward"
    assert check_wheel.missing(metadata) == []

"""The list of comparisons: what it names is there, and every page says how to write it again."""

import re
import shlex
import sys

import pytest
from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))

import validate

MEASURED = REPOSITORY / "evidence" / "measured"
ALL = validate.validations()


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_a_validation_names_files_and_pages_that_exist(one: validate.Validation):
    for command in one.run:
        for word in shlex.split(command):
            assert not re.fullmatch(r"(evidence|tests)/\S+", word) or (REPOSITORY / word).exists(), word
    for page in one.pages:
        assert f"make validate WHAT={one.name}" in (MEASURED / page).read_text(), page


def test_benches_name_files_and_tests_of_crates_that_exist():
    crates = REPOSITORY / "crates"
    for bench in sorted((REPOSITORY / "evidence" / "benches").rglob("*.py")):
        text = bench.read_text(encoding="utf-8")
        for words in re.findall(r'ROOT / "crates"((?: / "[^"]+")+)', text):
            path = crates.joinpath(*re.findall(r'"([^"]+)"', words))
            assert path.exists(), f"{bench}: {path}"
        for crate, modules, test in re.findall(r'"windward-(\w+)", "([\w:]+)::(\w+)"', text):
            path = crates.joinpath(crate, "src", *modules.split("::")).with_suffix(".rs")
            assert f"fn {test}(" in path.read_text(encoding="utf-8"), f"{bench}: {test}"


def test_every_page_that_names_a_validation_is_in_the_list():
    listed = {page: one.name for one in ALL for page in one.pages}
    for path in sorted(MEASURED.rglob("*.md")):
        if found := re.search(r"<!-- Generated: make validate WHAT=(\S+)", path.read_text()):
            assert listed.get(str(path.relative_to(MEASURED))) == found[1], path


def test_a_name_that_is_not_in_the_list_gets_a_hint():
    with pytest.raises(ValueError, match="there is no validation qeues: did you mean queues\\?"):
        validate.asked(["qeues"])


def test_variables_choose(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CELLS", "10-20-*-alone 30-*")
    (one,) = validate.asked(["bbr"])
    assert list(one.commands())[-1][1:] == ["evidence/benches/emulate/bbr.py", "--only", "10-20-*-alone", "30-*"]
    monkeypatch.delenv("CELLS")
    assert list(one.commands())[-1][1:] == ["evidence/benches/emulate/bbr.py"]


def test_what_is_missing_is_said_before_anything_is_built(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("KERNEL", raising=False)
    (one,) = validate.asked(["cake"])
    assert "KERNEL is missing: git clone" in validate.lacks(one)
    assert "make validate WHAT=cake KERNEL=..." in validate.lacks(one)


def test_what_make_test_leaves_out_is_a_validation_and_a_job():
    (one,) = validate.asked(["long"])
    rust, *python = one.commands()
    assert [command[command.index("-m") + 1] for command in python] == ["long and not realtime", "long and realtime"]
    # Rust's long tests are the simulator's ignored ones.
    assert rust[-4:] == ["--test", "it", "--", "--ignored"]
    reasons = re.findall(
        r"#\[ignore = \"(.*)\"]",
        "".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "crates" / "sim").rglob("*.rs")),
    )
    assert set(reasons) == {"a long test: make validate WHAT=long"}
    left = re.findall(r'-m "([^"]*realtime[^"]*)"', (REPOSITORY / "Makefile").read_text())
    assert sorted(left) == ["not realtime and not long", "realtime and not long"]
    assert "make validate WHAT=long" in (REPOSITORY / ".github" / "workflows" / "ci.yml").read_text()


def test_jobs_name_validations_that_need_nobody():
    text = "".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / ".github" / "workflows").glob("*.yml"))
    names = " ".join(re.findall(r'make validate[^"\n]*\n?[^"\n]*WHAT="([^"]+)"', text)).split()
    assert names
    for one in validate.asked(names):
        assert not one.root, one.name
        assert not one.needs, one.name
        assert not re.search("real time", one.takes), one.name

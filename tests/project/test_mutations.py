"""The faults that `make mutations` plants are still to be found in the code, and on its page."""

import shutil
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import REPOSITORY

from windward import papers
from windward.papers import ledger


def test_each_fault_can_be_planted_and_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "evidence" / "faults")
    import mutate

    faults = mutate.faults()
    assert len({fault.name for fault in faults}) == len(faults) >= 30
    page = mutate.PAGE.read_text()
    assert [fault.name for fault in faults if f"| {fault.what} |" not in page] == []
    assert "**nothing**" not in page


def test_the_page_keeps_what_was_not_planted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "evidence" / "faults")
    import mutate

    before = mutate.PAGE.read_text()
    assert mutate.page({}, before) == before
    first = mutate.faults()[0]
    after = mutate.page({first.name: mutate.Outcome(where="", tests=[])}, before)
    assert [line for line in after.splitlines() if line not in before.splitlines()] == [
        f"{len(mutate.faults()) - 1} of {len(mutate.faults())} faults were seen.",
        mutate.row(first, mutate.Outcome(where="", tests=[])),
    ]


def test_each_fault_of_a_claim_can_be_planted_and_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "evidence" / "faults")
    import mutate_claims

    faults = mutate_claims.faults()
    assert len({fault.name for fault in faults}) == len(faults)
    counts = Counter(fault.paper for fault in faults)
    assert set(counts) == set(papers.known())
    assert min(counts.values()) >= 10
    page = mutate_claims.PAGE.read_text()
    assert mutate_claims.page({}, page) == page
    assert f"{len(faults)} of {len(faults)} faults turned their claim red." in page


def test_every_claim_that_holds_has_a_fault_or_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "evidence" / "faults")
    import mutate_claims

    planted, reasons = {fault.name for fault in mutate_claims.faults()}, mutate_claims.without()
    ledgers = [papers.load(key) for key in papers.known()]
    claims = [(f"{paper.key}-{claim.id}", claim) for paper in ledgers for claim in paper.claims.values()]
    hold = {name for name, claim in claims if claim.verdict in {"reproduced", "corrected", "emulated", ledger.FITTED}}
    assert hold <= planted | set(reasons)
    assert not planted & set(reasons)
    assert set(reasons) <= hold
    assert all(reasons.values())


def test_a_planted_fault_turns_its_claim_red_and_is_taken_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "evidence" / "faults")
    import mutate_claims

    copy = tmp_path / "papers"
    shutil.copytree(REPOSITORY / "evidence" / "papers", copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(ledger, "root", lambda: copy)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (fault,) = [fault for fault in mutate_claims.faults() if fault.name == "wang2016-3"]
    before = (copy / fault.file).read_text()
    assert mutate_claims.plant(fault, copy).holds is False
    assert (copy / fault.file).read_text() == before
    assert mutate_claims.plant(replace(fault, new=fault.old), copy).holds is True

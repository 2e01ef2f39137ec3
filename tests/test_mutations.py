"""The faults that `make mutations` plants are still to be found in the code, and on its page."""

import pytest
from conftest import REPOSITORY


def test_each_fault_can_be_planted_and_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "tools")
    import mutate

    faults = mutate.faults()
    assert len({fault.name for fault in faults}) == len(faults) >= 30
    page = mutate.PAGE.read_text()
    assert [fault.name for fault in faults if f"| {fault.what} |" not in page] == []
    assert "**nothing**" not in page


def test_the_page_keeps_what_was_not_planted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "tools")
    import mutate

    before = mutate.PAGE.read_text()
    assert mutate.page({}, before) == before
    first = mutate.faults()[0]
    after = mutate.page({first.name: mutate.Outcome(where="", tests=[])}, before)
    assert [line for line in after.splitlines() if line not in before.splitlines()] == [
        f"{len(mutate.faults()) - 1} of {len(mutate.faults())} faults were seen.",
        mutate.row(first, mutate.Outcome(where="", tests=[])),
    ]

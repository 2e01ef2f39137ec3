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

"""Known answers: the short ones of `make validate-attacks`, found again from their bounds alone."""

import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "benches" / "attacks"))

from oracles import ORACLES, Oracle


@pytest.mark.parametrize("oracle", [own for own in ORACLES if own.is_short], ids=lambda own: own.name.partition(":")[0])
def test_a_known_answer_is_found(oracle: Oracle, tmp_path: Path) -> None:
    attack = oracle.attack(tmp_path / "t")
    assert oracle.wrong(attack) is None
    assert attack.summary["found"]["holds"]

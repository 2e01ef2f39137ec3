"""Known answers, found again from their bounds alone.

Two of the short ones of `make validate WHAT=attacks`, a field with a closed form and pulses of traffic; `make
validate-searches` runs all of these.
"""

import os
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "evidence" / "benches" / "attacks"))

from oracles import ORACLES, Oracle

SHORT = [own for own in ORACLES if own.is_short]
CHOSEN = SHORT if os.environ.get("WINDWARD_SEARCHES") == "all" else [SHORT[0], SHORT[3]]


@pytest.mark.parametrize("oracle", CHOSEN, ids=lambda own: own.name.partition(":")[0])
def test_a_known_answer_is_found(oracle: Oracle, tmp_path: Path) -> None:
    attack = oracle.attack(tmp_path / "t")
    assert oracle.wrong(attack) is None
    assert attack.summary["found"]["holds"]

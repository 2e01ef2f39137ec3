"""Laws with a fault each: an attack finds every one, and none in the law without a fault.

Two of ten, one over events and one over a field, which takes long; `make validate WHAT=searches` runs all.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from planted import PLANTED, Aimd, Planted, network

IS_WHOLE = os.environ.get("WINDWARD_SEARCHES") == "all"


@pytest.mark.parametrize(
    "planted",
    PLANTED if IS_WHOLE else [PLANTED[3], pytest.param(PLANTED[7], marks=pytest.mark.long)],
    ids=lambda planted: planted.law.__name__,
)
def test_a_planted_fault_is_found(planted: Planted, tmp_path: Path) -> None:
    attack = network(planted).attack(
        planted.until,
        within=planted.within,
        reference="reno",
        seeds=1,
        fresh=10,
        trials=planted.trials,
        output=tmp_path / "t",
    )
    assert attack.is_found, attack.summary["closest"]
    # It replays, and without what the attack does the law does well.
    assert attack.summary["found"]["holds"]
    assert attack.rows("changes")


@pytest.mark.parametrize(
    "planted", [PLANTED[2], PLANTED[6]][: None if IS_WHOLE else 1], ids=lambda planted: planted.until
)
def test_the_law_without_a_fault_is_not_blamed(planted: Planted, tmp_path: Path) -> None:
    attack = network(replace(planted, law=Aimd)).attack(
        planted.until, within=planted.within, reference="reno", seeds=1, trials=30, output=tmp_path / "t"
    )
    assert not attack.is_found

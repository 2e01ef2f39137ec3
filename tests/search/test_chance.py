"""Claims of searches against chance; `make validate WHAT=searches` has a hundred of these."""

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import REPOSITORY

from windward._search.fresh import Share, count

sys.path.insert(0, str(REPOSITORY / "evidence" / "benches" / "attacks"))

from chance import find, held, on_noise


@pytest.mark.parametrize("seed", [3, 5])
def test_a_search_on_noise_claims_nothing(seed: int, tmp_path: Path) -> None:
    attack = on_noise(tmp_path, seed)
    # Trials of these seeds hold on both seeds of the search, by a tenth: this was a find.
    assert attack.summary["scattered"] > 0
    assert not attack.is_found


def test_a_find_holds_on_the_share_that_it_prints(tmp_path: Path) -> None:
    attack = find(tmp_path, random.Random(1), 1)
    assert attack.is_found
    share = attack.summary["found"]["share"]
    assert share["of"] == len(attack.summary["found"]["fresh"]) == 20
    assert share["held"] >= 16
    # 40 seeds scatter by two deviations, at most 0.16, on either side: of a share of 0.95 all 40 hold in 13 % of cases.
    assert share["low"] - 0.16 <= held(attack, 40) <= share["high"] + 0.16
    assert attack.summary["found"]["clean_share"]["high"] < share["low"]


def judged(holds: Sequence[bool], *, are_alike: bool = False) -> tuple[Share, int]:
    """The share of seeds on which something holds, by seed, and the number of seeds that were judged."""
    asked: list[int] = []

    def judge(seeds: Sequence[int]) -> list[tuple[bool, object]]:
        asked.extend(seeds)
        return [(holds[seed], None if are_alike else seed) for seed in seeds]

    return count(range(len(holds)), judge), len(asked)


def test_seeds_are_judged_until_it_is_clear() -> None:
    # All of the first eight of twenty hold: enough. None of three: the interval of 0 of 3 ends at 71 %.
    assert judged([True] * 20) == (Share(held=8, of=8), 8)
    assert judged([False] * 20) == (Share(held=0, of=3), 3)
    # One of the first does not: all are judged.
    assert judged([False] + [True] * 19) == (Share(held=19, of=20), 20)
    # Four of five, wherever the others are: the interval of 2 of the first 3 ends at 99 %.
    assert judged(([False] + [True] * 4) * 4) == (Share(held=16, of=20), 20)
    assert judged(([False] + [True] * 4) * 4)[0].is_enough()
    assert not judged(([True] * 3 + [False]) * 5)[0].is_enough()
    # Two equal runs are all runs.
    assert judged([True] * 20, are_alike=True) == (Share(held=2, of=2, is_one_run=True), 2)


def test_shares_are_above_others_beyond_chance() -> None:
    twenty = [Share(held=held, of=20) for held in range(21)]
    # Clopper and Pearson: 16 of 20 from 56 %, 5 up to 49 %, 7 up to 59 %; 20 from 83 %, 13 up to 85 %.
    assert twenty[16].is_above(twenty[5])
    assert not twenty[16].is_above(twenty[7])
    assert twenty[20].is_above(twenty[12])
    assert not twenty[20].is_above(twenty[13])

"""The networks of docs/measured/attacks.md: the law fails with the attack, as a formula says, and not without it."""

import sys

import pytest
from conftest import REPOSITORY

from windward.results.stats import mean_and_interval

sys.path.insert(0, str(REPOSITORY / "benches" / "attacks"))

from cases import CASES, Case

#: Laws whose runs differ widely from seed to seed.
SCATTERED = ("bbr3",)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.law}-{case.file}-{case.attack[:24]}")
def test_the_law_fails_with_the_attack_alone(case: Case) -> None:
    attacked = case.attacked()
    found, _ = mean_and_interval(case.measure(attacked.simulate(seeds=5)))
    (clean,) = case.measure(case.clean(attacked).simulate(seeds=1))
    if case.expected is not None:
        # Whole packets: 8 % of the ratio, 0.08 of a share.
        assert found == pytest.approx(case.expected, rel=0.08, abs=0.08)
    if "Mbit/s" in case.figure:
        assert case.law in SCATTERED or found < 0.6 * clean
    elif ":" in case.figure:
        assert clean == pytest.approx(1, abs=0.12)
        assert case.law in SCATTERED or found > 2
    else:
        assert clean > 0.95

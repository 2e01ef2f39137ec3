"""Random wireless networks: none panics, and each conserves its datagrams to the last one."""

import runpy

import pytest
from conftest import REPOSITORY

BENCH = runpy.run_path(str(REPOSITORY / "evidence" / "benches" / "wifi" / "random_networks.py"))


@pytest.mark.parametrize("first", range(1, 101, 20))
def test_random_networks_conserve_their_datagrams(first: int) -> None:
    """All standards from b to ax and cells of LTE and NR: categories, profiles, motion, handovers and applications.

    `make validate WHAT=wireless` has a thousand fresh ones. The engine that mixed up the numbers of sessions panicked
    on one in five.
    """
    found = {number: BENCH["problem"](number) for number in range(first, first + 20)}
    assert {number: fault for number, fault in found.items() if fault is not None} == {}


def test_all_kinds_are_drawn() -> None:
    scenarios = [BENCH["scenario_of"](number)[1].scenario for number in range(1, 101)]
    drawn = [own for scenario in scenarios for own in scenario.get("wifi", [])]
    assert {wifi["standard"] for wifi in drawn} == {f"802.11{letters}" for letters in ("a", "b", "g", "n", "ac", "ax")}
    assert {wifi.get("profile") for wifi in drawn} == {None, "linux-ath9k", "linux-mt76", "ns3"}
    cells = [own for scenario in scenarios for own in scenario.get("cell", [])]
    assert {cell["technology"] for cell in cells} == {"lte", "nr"}
    assert {"site" in cell for cell in cells} == {True, False}

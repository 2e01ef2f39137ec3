"""The networks of the page on attacks: the law fails with the attack, as a formula says, and not without it."""

import sys
from dataclasses import replace

import pytest
from conftest import REPOSITORY

import windward as ww
from windward.results.stats import mean_and_interval

sys.path.insert(0, str(REPOSITORY / "evidence" / "benches" / "attacks"))

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


@pytest.mark.parametrize("law", [ww.QuicTcp(backlog=10), ww.Fast(alpha=10)], ids=["quic-tcp", "fast"])
def test_a_base_from_the_handshake_lessens_the_unfairness_of_start_times(law: object) -> None:
    # Starts are spread over a round trip. At 200 ms the SYN passes a short queue, and the first data a long one. Once A
    # is at rest, SYNs meet a queue too.
    scenario = ww.load(REPOSITORY / "evidence" / "benches" / "attacks" / "starts.toml")
    for start, base, least, most in [
        ("200 ms", None, 2.8, 4.5),
        ("200 ms", "handshake", 1.0, 1.8),
        ("5 s", "handshake", 1.5, 2.0),
    ]:
        first, second = (replace(flow, law=law, known_base_rtt=base) for flow in scenario.flow)
        run = replace(scenario, flow=[first, replace(second, start=start)]).simulate(seeds=[11, 12])
        table = run.flows.pivot_table(index="seed", columns="flow", values="goodput_bps")
        ratios = table["B"] / table["A"]
        assert ratios.between(least, most).all(), (start, base, ratios)

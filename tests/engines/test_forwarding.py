"""Forwarding by backlog from Python: tables, and rules of one's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import REPOSITORY

import windward as ww

DIAMOND = REPOSITORY / "evidence" / "papers" / "seferoglu2014" / "diamond.toml"


class TcpAware:
    """The paper's (2), as the engine has it."""

    def rank(self, pair: ww.Pair) -> float:
        return (max(pair.threshold, pair.own) - pair.theirs) * pair.success


class ToDestinations:
    """Sends nothing but to where a flow ends."""

    def rank(self, pair: ww.Pair) -> float | None:
        return 1.0 if pair.is_destination else None


class Wrong:
    """Ranks by a word."""

    def rank(self, pair: ww.Pair) -> str:
        return "first"


def diamond(rule: object = None) -> ww.Scenario:
    scenario = ww.load(DIAMOND)
    air = replace(scenario.wifi[0], routing=ww.format.BackpressureRouting(class_=rule))  # type: ignore[arg-type]
    return replace(scenario, duration="20 s", wifi=(air,))


def test_a_rule_in_python_is_the_rule_in_rust() -> None:
    ours, own = diamond().simulate(seeds=[2]), diamond(TcpAware).simulate(seeds=[2])
    for flow in range(2):
        # Ties between links are drawn in another order: the same in the mean.
        a, b = (run.flows["goodput_bps"].iloc[flow] for run in (ours, own))
        assert b == pytest.approx(a, rel=0.4)


def test_a_rule_decides_where_packets_go() -> None:
    run = diamond(ToDestinations).simulate(seeds=[2])
    goodput = run.flows.set_index("flow")["goodput_bps"]
    assert goodput["flow1"] > 3e5
    assert goodput["flow2"] == 0
    shares = run.shares
    data = shares[shares["class"] == "data"]
    assert set(data["link"]) == {"A->B"}


def test_a_rule_that_fails_ends_the_run() -> None:
    with pytest.raises(ww.LawError, match="rank failed"):
        diamond(Wrong).simulate(seeds=[1])


@pytest.mark.parametrize(
    ("rank", "message"),
    [
        ("first", "rank is of type str: a rule answers with a number"),
        (10**400, "rank is beyond the range of a float: a rank is a number, or None for zero"),
    ],
)
def test_a_rank_that_is_no_number_is_refused(rank: object, message: str) -> None:
    class Odd:
        def rank(self, pair: ww.Pair) -> object:
            return rank

    with pytest.raises(ww.LawError, match=message):
        diamond(Odd).simulate(seeds=[1])


def test_a_rule_is_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(
        "class Mine:\n    def __init__(self, k):\n        self.k = k\n\n"
        "    def rank(self, pair):\n        return max(self.k, pair.own) - pair.theirs\n"
    )
    text = DIAMOND.read_text().replace('k = "shared"', 'class = "rules.py:Mine", arguments = { k = 50 }')
    (tmp_path / "mine.toml").write_text(text.replace('duration = "200 s"', 'duration = "10 s"'))
    run = ww.load(tmp_path / "mine.toml").simulate()
    assert (run.flows["goodput_bps"] > 1e4).all()


def test_queues_stand_in_tables(tmp_path: Path) -> None:
    run = diamond().simulate(seeds=[1, 2], output=tmp_path / "run")
    queues = run.backlogs
    assert {"seed", "node", "flow", "class", "mean_backlog", "last_backlog"} <= set(queues)
    assert set(queues["flow"]) == {"flow1", "flow2"}
    assert {"A", "B", "C", "D"} >= set(queues["node"])
    again = ww.open(tmp_path / "run")
    assert isinstance(again, ww.Run)
    assert len(again.backlogs) == len(queues)
    assert len(run.backlog_series) > 100

"""A scenario is checked once, whatever is asked of it."""

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL

import windward as ww
from windward import _engine
from windward._cli.main import main


class Counting:
    """The engine's scenarios, counted as they are made."""

    def __init__(self) -> None:
        self.count = 0

    def from_toml(self, *arguments: Any) -> _engine.Scenario:
        self.count += 1
        return SCENARIO.from_toml(*arguments)

    def from_json(self, *arguments: Any) -> _engine.Scenario:
        self.count += 1
        return SCENARIO.from_json(*arguments)


SCENARIO = _engine.Scenario


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting()
    monkeypatch.setattr(_engine, "Scenario", counting)
    return counting


def test_compare_parses_and_compiles_once(
    compiles: Counting, scenario_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["windward", "compare", str(scenario_file), "--seeds", "1", "--no-emulate"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "cubic-1" in capsys.readouterr().out
    assert compiles.count == 1


def test_every_verb_uses_what_load_has_read(compiles: Counting, scenario_file: Path) -> None:
    scenario = ww.load(scenario_file)
    scenario.simulate(seeds=1)
    scenario.optimum()
    scenario.fluid()
    scenario.to_toml()
    assert scenario.compare(seeds=1, emulate=False).packets is not None
    assert compiles.count == 1


def test_objects_are_checked_when_they_are_made(compiles: Counting, scenario_file: Path) -> None:
    scenario = ww.load(scenario_file)
    longer = dataclasses.replace(scenario, duration="6 s")
    assert compiles.count == 2
    assert 'duration = "6 s"' in longer.to_toml()
    assert 'duration = "5 s"' in scenario.to_toml()
    with pytest.raises(ww.ScenarioError):
        dataclasses.replace(scenario, duration="0 s")


def test_a_pickled_scenario_is_checked_again_on_demand(compiles: Counting, scenario_file: Path) -> None:
    scenario = ww.load(scenario_file)
    copy = pickle.loads(pickle.dumps(scenario))
    assert copy == scenario
    assert compiles.count == 1
    assert copy.to_toml() == scenario.to_toml()
    copy.optimum()
    assert compiles.count == 2


def test_it_is_no_part_of_what_a_scenario_says(scenario_file: Path) -> None:
    scenario = ww.load(scenario_file)
    assert "_compiled" not in repr(scenario)
    assert scenario == ww.load(scenario_file)
    assert SMALL.splitlines()[0] in scenario.to_toml()

"""The schema says what the reader does."""

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import REPOSITORY

from windward import ScenarioError, _engine

SCHEMA = _engine.schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SCENARIOS = sorted(REPOSITORY.glob("scenarios/**/*.toml"))

RIGHT: dict[str, Any] = {
    "name": "n",
    "duration": "1 s",
    "node": [{"name": "a"}, {"name": "b"}],
    "link": [{"from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms"}],
    "flow": [{"from": "a", "to": "b", "law": {"name": "quic-tcp", "rho": 0.5}}],
}

WRONG: list[tuple[str, Any]] = [
    ("duration", "1"),
    ("duration", "1 meter"),
    ("duration", 1),
    ("seeds", [1, 1]),
    ("durration", "1 s"),
    ("node[0].count", 0),
    ("node[0].name", "a b"),
    ("link[0].rate", "1 Mbit"),
    ("link[0].loss", 1.5),
    ("link[0].loss", {"model": "gilbert"}),
    ("link[0].jitter", {"model": "uniform", "mean": "1 ms"}),
    ("link[0].buffer", "100 potatoes"),
    ("flow[0].law", "cubik"),
    ("flow[0].law", {"name": "quic-tcp", "rhoo": 0.5}),
    ("flow[0].initial_window", 10_001),
    ("flow[0].delayed_ack", True),
]


def test_it_is_a_json_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_ready_scenarios_and_what_they_are_written_out_as_keep_to_it(path: Path) -> None:
    text = path.read_text()
    for toml in (text, _engine.Scenario.from_toml(text, str(path), path.parent).to_toml()):
        VALIDATOR.validate(tomllib.loads(toml))


@pytest.mark.parametrize(("place", "value"), WRONG, ids=lambda part: str(part))
def test_it_refuses_what_the_reader_refuses_by_form(place: str, value: object) -> None:
    VALIDATOR.validate(RIGHT)
    changed = copy.deepcopy(RIGHT)
    table, _, key = place.rpartition("[0].")
    (changed[table][0] if table else changed)[key] = value
    assert not VALIDATOR.is_valid(changed)
    with pytest.raises(ScenarioError) as refused:
        _engine.Scenario.from_json(json.dumps(changed), "n", Path())
    assert str(refused.value).startswith(f"n: {place}")

"""The playground's own figures, tables and fields, which JavaScript makes, against those of `windward explore`.

The engine's numbers are the native ones here: that its module for browsers gives the same bytes is what
`make validate-playground` compares.
"""

import json
import math
import random
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, SMALL

from windward import _engine
from windward._engines.simulate import count_threads
from windward._explore.fields import groups
from windward._explore.session import Asked, Session, Turn
from windward._format.own import finders
from windward._format.parse import parse
from windward.results._schema import TOTALS
from windward.results.stats import t_quantile

SOURCES = REPOSITORY / "site" / "playground"
SCENARIOS = sorted((REPOSITORY / "scenarios").rglob("*.toml"))
FIGURES = ("windows", "rates", "queues", "delays", "rtt", "fairness")

node = shutil.which("node")
pytestmark = pytest.mark.skipif(node is None, reason="node is not installed: it runs the playground's scripts")


def asked(tmp_path: Path, *questions: dict[str, Any]) -> list[Any]:
    """Answers of the page's scripts."""
    given = tmp_path / "asked.json"
    given.write_text(json.dumps(plain(questions)))
    command = [str(node), str(REPOSITORY / "tests" / "explore" / "playground.mjs"), str(SOURCES), str(given)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


def plain(value: Any) -> Any:
    """Values as JSON has them: NaN is null, infinity a text."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, float):
        return None if math.isnan(value) else value if math.isfinite(value) else "Infinity"
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def quantities(schema: dict[str, Any], scenario: Any) -> dict[str, Any]:
    """Every text of a scenario, and every unit of the format, as quantities."""
    units = {
        unit
        for found in re.findall(r"\(([^()|\\\s]+(?:\|[^()|\\\s]+)*)\)\\\\s", json.dumps(schema, ensure_ascii=False))
        for unit in found.split("|")
    }
    texts = set(re.findall(r'"((?:[^"\\]|\\.)*)"', json.dumps(scenario, ensure_ascii=False)))
    return {text: _engine.quantity(text) for text in {f"1 {unit}" for unit in units} | texts}


def test_the_fields_are_those_of_explore(tmp_path: Path) -> None:
    schema = _engine.schema()
    questions, expected = [], []
    for path in SCENARIOS:
        scenario, written = json.loads(parse(path).to_json()), tomllib.loads(path.read_text(encoding="utf-8"))
        known = quantities(schema, scenario)
        questions.append(
            {"do": "groups", "schema": schema, "quantities": known, "scenario": scenario, "written": written}
        )
        expected.append(json.loads(json.dumps(groups(scenario, written))))
    for path, own, other in zip(SCENARIOS, asked(tmp_path, *questions), expected, strict=True):
        assert own == other, path.stem


def native(path: Path, seeds: int) -> dict[str, Any]:
    """Answers of the engines about a scenario, in the form of the module."""
    scenario = parse(path)
    outputs: dict[int, Any] = {}
    job = _engine.Job(scenario, seeds=range(1, seeds + 1), threads=count_threads(None), **finders({}, path.parent))
    job.start()
    while not job.is_done:
        for output in job.wait(0.1):
            tables = {name: table for name, table in output.items() if isinstance(table, dict)}
            outputs[output["seed"]] = {"totals": [name for name in TOTALS if name in tables], "tables": tables}
    spans = scenario.spans()
    about = {
        "toml": scenario.to_toml(),
        "duration_s": scenario.duration_s,
        "warmup_s": scenario.warmup_s,
        "entities": scenario.entities(),
        "spans": spans | {"stop_s": [None if math.isinf(stop) else stop for stop in spans["stop_s"]]},
    }
    left_out: dict[str, str] = {}
    best = fluid = None
    try:
        best = scenario.optimum("proportional")["flows"]
    except _engine.NoAnswerError as error:
        left_out["optimum"] = str(error).splitlines()[0]
    try:
        found = scenario.fluid()
        # The module has the times once for all flows.
        series = found["series"] | {"time_s": found["series"]["time_s"][:: len(found["flow"])]}
        tables = {"flow_series": series, "rests": found["rests"]}
        fluid = {name: found[name] for name in ("flow", "law", "settled_s")} | {"tables": tables}
    except _engine.NoAnswerError as error:
        left_out["fluid"] = str(error).splitlines()[0]
    return {
        "do": "answer",
        "about": about,
        "outputs": outputs,
        "best": best,
        "fluid": fluid,
        "pieces": [],
        "figures": FIGURES,
        "leftOut": left_out,
    }


def explored(path: Path, seeds: int) -> dict[str, Any]:
    """The last answer of `windward explore`."""
    scenario = parse(path)
    session = Session(scenario, tomllib.loads(path.read_text(encoding="utf-8")), path.parent)
    told: list[dict[str, Any]] = []
    question = Asked(
        scenario=json.loads(scenario.to_json()),
        seeds=seeds,
        figures=FIGURES,
        utility="proportional",
        turn=Turn("page", 1),
    )
    session.answer(question, lambda answer: told.append(dict(answer)))
    session.close()
    answer: dict[str, Any] = json.loads(json.dumps(told[-1]))
    return answer


def alike(own: Any, other: Any) -> bool:
    """Equal, numbers to the last digit of a figure: sums over seeds and instants have another order in numpy."""
    if isinstance(other, dict):
        return own.keys() == other.keys() and all(alike(own[key], other[key]) for key in other)
    if isinstance(other, list):
        return len(own) == len(other) and all(map(alike, own, other))
    if isinstance(other, int | float) and not isinstance(other, bool) and isinstance(own, int | float):
        return abs(own - other) <= max(1e-9 * abs(other), 1 if isinstance(other, int) and abs(other) > 999 else 0)
    return bool(own == other)


WEB = (
    '{ kind = "requests", name = "web", from = "a", to = "b", law = "cubic", response = "9 kB", '
    'arrivals = { kind = "poisson", load = 0.1 } }'
)

HOME = """
name = "home"
duration = "3 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "b", to = "a", rate = "5 Mbit/s", delay = "10 ms", loss = 0.01 }]
flow = [
  { from = "b", to = "a", law = "cubic", size = "200 kB", name = "photo" },
  { from = "b", to = "a", law = "reno", start = "1 s" },
]
app = [
  { kind = "page", from = "a", to = "b", reading = "500 ms" },
  { kind = "video", name = "film", from = "a", to = "b" },
  { kind = "call", name = "call", from = "a", to = "b" },
  { kind = "game", name = "game", from = "a", to = "b" },
  WEB
]
background = [{ from = "a", to = "b", pattern = { kind = "poisson", rate = "100 kbit/s" }, name = "ping" }]
""".replace("WEB", WEB)

CROWD = """
name = "crowd"
duration = "2 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "20 Mbit/s", delay = "10 ms", loss = 0.002 }]
flow = [{ from = "a", to = "b", law = "cubic", count = 24 }]
"""


@pytest.mark.parametrize(
    ("name", "text", "seeds"), [("small", SMALL, 1), ("small", SMALL, 5), ("home", HOME, 2), ("crowd", CROWD, 1)]
)
def test_figures_and_tables_are_those_of_explore(tmp_path: Path, name: str, text: str, seeds: int) -> None:
    path = tmp_path / f"{name}.toml"
    path.write_text(text.replace("internals = true", ""))
    other = explored(path, seeds)
    (own,) = asked(tmp_path, native(path, seeds))
    assert own["engines"] == other["engines"]
    assert own["tables"] == other["tables"]
    assert own["frames"] == other["frames"]
    assert own["scale"] == pytest.approx(other["scale"], rel=1e-12)
    for mine, theirs in zip(own["charts"], other["charts"], strict=True):
        note = mine.pop("note")
        assert f">{note}<" in "".join(own["frames"]).replace("&#x27;", "'")
        assert alike(mine, theirs), mine["key"]


def test_numbers_are_written_as_python_writes_them(tmp_path: Path) -> None:
    draw = random.Random(1)
    values = [(0.5, 0), (2.5, 0), (0.125, 2), (0.0625, 3), (1e-5, 2), (123456.0, 2), (0.0, 1), (99.95, 1)]
    values += [(draw.uniform(-1, 1) * 10 ** draw.randint(-6, 9), draw.randint(0, 3)) for _ in range(200)]
    (own,) = asked(tmp_path, {"do": "numbers", "values": values})
    assert own == [[f"{value:.{digits}f}", f"{value:.{digits + 1}g}"] for value, digits in values]


def test_intervals_are_student_s(tmp_path: Path) -> None:
    (own,) = asked(tmp_path, {"do": "quantiles", "counts": list(range(1, 30))})
    assert own == pytest.approx([t_quantile(count) for count in range(1, 30)], rel=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dura|", {"duration"}),
        ("[[flow]]\nla|", {"law"}),
        ('[[flow]]\nlaw = "cu|', {"cubic"}),
        ('flow = [{ from = "a", law = "veg|', {"vegas"}),
        ("[[link]]\njitter = { mo|", {"model"}),
        ("# dura|", None),
    ],
)
def test_what_may_be_written_is_offered(tmp_path: Path, text: str, words: set[str] | None) -> None:
    caret = text.index("|")
    (found,) = asked(
        tmp_path, {"do": "completions", "schema": _engine.schema(), "text": text.replace("|", ""), "caret": caret}
    )
    assert found is words if words is None else words <= {word["word"] for word in found["words"]}

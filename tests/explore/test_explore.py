"""Server of `windward explore`: fields of the page, parts of a scenario, access control, and the end of a run."""

import http.client
import itertools
import json
import threading
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, SMALL

import windward as ww
from windward._engine import Scenario
from windward._explore.fields import groups
from windward._explore.parts import split
from windward._explore.server import Server
from windward._explore.session import Asked, Session, Superseded, Turn
from windward._format.parse import parse

SCENARIOS = sorted((REPOSITORY / "scenarios").rglob("*.toml"))
HEADLINE = REPOSITORY / "scenarios" / "headline.toml"


#: Counts the questions of a page.
COUNT = itertools.count()


def asked(scenario: dict[str, Any], seeds: int = 1, *figures: str, turn: Turn | None = None) -> Asked:
    """The next question of a page, or that of a turn."""
    return Asked(
        scenario=scenario,
        seeds=seeds,
        figures=figures or ("windows",),
        utility="proportional",
        turn=turn or Turn("page", next(COUNT)),
    )


def answers(session: Session, question: Asked) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    session.answer(question, lambda answer: told.append(dict(answer)))
    return told


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace("internals = true", ""))
    session = Session(parse(path), tomllib.loads(path.read_text()), tmp_path)
    yield session
    session.close()


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_field_can_be_moved(path: Path) -> None:
    """Each field on the page has its value in the scenario under its path, also a choice that is written as a table."""
    scenario = json.loads(parse(path).to_json())
    fields = [field for group in groups(scenario, tomllib.loads(path.read_text())) for field in group["fields"]]
    assert fields
    for field in fields:
        value: Any = scenario
        for part in field["path"]:
            value = value[part]
        assert field["type"] in ("quantity", "share", "number", "integer", "choice", "switch", "text")
        if field["type"] == "quantity":
            assert field["unit"] in field["units"]
            assert field["worth"] >= 0
        if field["type"] == "choice":
            assert field["value"] in field["choices"]
            assert (value[field["isTable"]] if "isTable" in field else value) == field["value"]
        else:
            assert value == field["value"]
    named = {(field["path"][0], field["name"]) for field in fields}
    assert ("duration", "duration") in named


def test_applications_and_cells_have_fields() -> None:
    found = {}
    for name in ("household", "phones"):
        path = REPOSITORY / "scenarios" / f"{name}.toml"
        scenario = json.loads(parse(path).to_json())
        for group in groups(scenario, tomllib.loads(path.read_text(encoding="utf-8"))):
            found[group["kind"], group["title"]] = {field["name"]: field for field in group["fields"]}
    page, film = found["app", "page"], found["app", "film"]
    assert page["dns"]["value"] == "20 ms"
    assert page["protocol"]["choices"] == ["h2", "h3", "http/1.1"]
    assert film["rule"]["choices"][:2] == ["throughput", "buffer"]
    # The buffer of the rule, and that of the player.
    assert (film["rule buffer"]["value"], film["buffer"]["value"]) == ("25 s", "60 s")
    assert found["app", "call"]["playout"]["value"] == "60 ms"
    assert found["cell", "n78"]["layers"]["value"] == 1


def test_constants_of_a_formula_can_be_moved() -> None:
    file = REPOSITORY / "scenarios" / "formula.toml"
    compiled = Scenario.from_toml(file.read_text(encoding="utf-8"), "formula", file.parent)
    plain = json.loads(compiled.to_json())
    found = next(group for group in groups(plain, plain) if group["title"] == "own")
    moved = {field["name"]: field for field in found["fields"] if "constants" in field["path"]}
    assert {name: field["value"] for name, field in moved.items()} == {"constants kappa": 0.5, "constants p": 20.0}
    assert all(field["type"] == "number" and field["isWritten"] for field in moved.values())


def test_applications_are_told(tmp_path: Path) -> None:
    text = """
name = "home"
duration = "3 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "b", to = "a", rate = "5 Mbit/s", delay = "10 ms" }]
app = [
  { kind = "page", from = "a", to = "b", reading = "500 ms" },
  { kind = "video", name = "film", from = "a", to = "b" },
  { kind = "call", name = "call", from = "a", to = "b" },
  { kind = "game", name = "game", from = "a", to = "b" },
]
"""
    path = tmp_path / "home.toml"
    path.write_text(text)
    session = Session(parse(path), tomllib.loads(text), tmp_path)
    tables = str(answers(session, asked(json.loads(parse(path).to_json())))[-1]["tables"])
    session.close()
    for column in ("p50 load", "QoE per chunk", "MOS", "mean RTT"):
        assert column in tables, column


def test_the_fields_of_the_headline() -> None:
    scenario = json.loads(parse(HEADLINE).to_json())
    found = groups(scenario, tomllib.loads(HEADLINE.read_text()))
    assert [group["title"] for group in found][:4] == ["Run", "wire", "air", "reno"]
    air = {field["name"]: field for field in found[2]["fields"]}
    assert air["rate"]["units"]["Mbit/s"] == 1e6
    assert (air["loss"]["type"], air["loss"]["value"], air["reverse loss"]["value"]) == ("share", 0.001, 0)
    fast = {field["name"]: field for field in found[6]["fields"]}
    assert "cubic" in fast["law"]["choices"]
    assert fast["alpha"] == fast["alpha"] | {"type": "number", "value": 10, "isWritten": True}
    assert (fast["count"]["type"], fast["sack"]["type"]) == ("integer", "switch")
    assert fast["alpha"]["about"]


def test_parts_do_what_the_whole_does() -> None:
    """Six networks that never meet: each flow and link the same to the last bit, alone or together."""
    scenario = json.loads(parse(HEADLINE).to_json())
    scenario |= {"duration": "24 s", "warmup": "21 s"}
    whole = Scenario.from_json(json.dumps(scenario), "whole", HEADLINE.parent)
    parts = split(json.loads(whole.to_json()), whole)
    assert [list(part.flows) for part in parts] == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
    session = Session(whole, {}, HEADLINE.parent)
    try:
        told = answers(session, asked(scenario, 2, "windows", "queues"))
        kept = [json.loads(json.dumps(chart)) for chart in told[-1]["charts"]]
    finally:
        session.close()
    # The same figures, drawn from a run of the whole.
    from windward._engines.simulate import simulate
    from windward.show.page._figures import of_packets

    run = simulate(whole, folder=HEADLINE.parent, seeds=2)
    for chart, other in zip(kept, of_packets(run, ("windows", "queues")), strict=True):
        own = json.loads(json.dumps(other.data()))
        packets = [[line for line in shown["lines"] if line["look"] == "line"] for shown in chart["panels"]]
        assert packets == [shown["lines"] for shown in own["panels"]]
        assert chart["x"] == own["x"]


@pytest.mark.parametrize("name", ["mesh", "lossy", "emultcp"])
def test_what_meets_is_one_part(name: str) -> None:
    path = REPOSITORY / "scenarios" / f"{name}.toml"
    whole = parse(path)
    (part,) = split(json.loads(whole.to_json()), whole)
    assert json.loads(part.text) == json.loads(whole.to_json())


def test_a_change_changes_the_curves_and_the_optimum(session: Session) -> None:
    scenario = session.opening()["scenario"]
    first = answers(session, asked(scenario, 1, "rates"))[-1]
    scenario["link"][0]["rate"] = "9 Mbit/s"
    second = answers(session, asked(scenario, 1, "rates"))[-1]
    best = [answer["charts"][0]["panels"][0]["levels"][0]["value"] for answer in (first, second)]
    # The background's 64 kbit/s taken away: (9 - 0.064)/(5 - 0.064).
    assert best[1] / best[0] == pytest.approx(8.936 / 4.936, rel=1e-3)
    assert first["charts"][0]["panels"][0]["lines"] != second["charts"][0]["panels"][0]["lines"]
    again = answers(session, asked(scenario, 1, "rates"))[-1]
    assert again["charts"] == second["charts"]
    assert again["done"]


def test_what_cannot_be_is_said(session: Session) -> None:
    scenario = session.opening()["scenario"]
    scenario["link"][0]["rate"] = "fast"
    with pytest.raises(ww.ScenarioError, match="rate"):
        answers(session, asked(scenario))
    scenario = session.opening()["scenario"]
    scenario["flow"][0]["law"] = {"name": "python", "class": "os:system"}
    with pytest.raises(ww.ScenarioError, match="cannot choose Python code"):
        answers(session, asked(scenario))


def test_a_long_run_shows_what_it_has_and_ends_with_the_next_question(session: Session) -> None:
    """Hours of simulated time: shown in part, and gone soon after another question."""
    scenario = session.opening()["scenario"]
    long = scenario | {"duration": "2000 h", "output": {"sample_interval": "100 s"}}
    told: list[dict[str, Any]] = []
    shown, ended = threading.Event(), threading.Event()

    def emit(answer: Any) -> None:
        told.append(dict(answer))
        if answer.get("until"):
            shown.set()

    def ask() -> None:
        with pytest.raises(Superseded):
            session.answer(asked(long), emit)
        ended.set()

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    assert shown.wait(60)
    part = next(answer for answer in told if answer.get("until"))
    assert not part["done"]
    assert 0 < part["until"] < 2000 * 3600
    assert part["charts"][0]["key"] == "windows"
    assert answers(session, asked(scenario))[-1]["done"]
    assert ended.wait(60)
    thread.join()
    assert session._running == {}


def test_a_question_that_arrives_late_does_not_end_a_newer_one(session: Session) -> None:
    """Requests of a page are read by threads, on a busy machine not in the order in which they were sent."""
    scenario = session.opening()["scenario"]
    long = scenario | {"duration": "2000 h", "output": {"sample_interval": "100 s"}}
    shown = threading.Event()
    ended: list[type[BaseException]] = []

    def ask() -> None:
        try:
            session.answer(asked(long, turn=Turn("one", 8)), lambda answer: answer.get("until") and shown.set())
        except Superseded as error:
            ended.append(type(error))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    assert shown.wait(60)
    with pytest.raises(Superseded):
        session.answer(asked(scenario, turn=Turn("one", 7)), lambda _: None)
    # Nor does what another page asks.
    assert answers(session, asked(scenario, turn=Turn("other", 1)))[-1]["done"]
    assert not ended
    assert answers(session, asked(scenario, turn=Turn("one", 9)))[-1]["done"]
    thread.join(60)
    assert ended == [Superseded]


@pytest.fixture
def server(session: Session) -> Iterator[Server]:
    server = Server(session, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def request(
    server: Server, method: str, path: str, body: Any = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """A request as somebody might make it; underscores in names of headers are hyphens."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    given = {"Content-Type": "application/json"} if body is not None else {}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, None if body is None else json.dumps(body), given)
    answer = connection.getresponse()
    found = answer.status, dict(answer.headers), answer.read()
    connection.close()
    return found


def test_the_page_is_served_to_who_knows_its_address(server: Server) -> None:
    status, headers, body = request(server, "GET", f"/{server.token}/")
    assert status == 200
    assert b"Do Reno and CUBIC share a link?" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert body.count(b"<script") == body.count(f'nonce="{nonce}"'.encode())
    # Another page has another.
    assert nonce not in request(server, "GET", f"/{server.token}/")[1]["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"


def test_questions_are_answered_line_by_line(server: Server, session: Session) -> None:
    own = f"http://127.0.0.1:{server.server_port}"
    question = {"scenario": session.opening()["scenario"], "figures": ["windows", "rates"], "seeds": 2}
    status, headers, body = request(server, "POST", f"/{server.token}/run", question, Origin=own)
    assert (status, headers["Content-Type"]) == (200, "application/x-ndjson")
    lines = [json.loads(line) for line in body.splitlines()]
    assert set(lines[0]) == {"scenario", "groups"}
    assert lines[-1]["done"]
    assert [chart["key"] for chart in lines[-1]["charts"]] == ["windows", "rates"]
    question["scenario"]["duration"] = "long"
    _, _, body = request(server, "POST", f"/{server.token}/run", question, Origin=own)
    assert "duration" in json.loads(body)["error"]


def test_a_setting_is_saved_as_a_scenario(server: Server, session: Session, tmp_path: Path) -> None:
    scenario = session.opening()["scenario"]
    scenario["link"][0]["rate"] = "7 Mbit/s"
    own = f"http://127.0.0.1:{server.server_port}"
    status, _, body = request(server, "POST", f"/{server.token}/file", {"scenario": scenario}, Origin=own)
    assert status == 200
    (tmp_path / "saved.toml").write_bytes(body)
    assert ww.load(tmp_path / "saved.toml").link[0].rate == "7 Mbit/s"


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {}, 403),
        ("GET", "/wrong/", {}, 403),
        ("GET", "/{token}x/", {}, 403),
        ("GET", "/%C3%A9/", {}, 403),
        ("GET", "/{token}/else", {}, 404),
        # A name of somebody's own that leads to this machine.
        ("GET", "/{token}/", {"Host": "evil.example:{port}"}, 421),
        ("GET", "/{token}/", {"Host": "127.0.0.1"}, 421),
        ("GET", "/{token}/", {"Origin": "https://evil.example"}, 403),
        ("GET", "/{token}/", {"Origin": "null"}, 403),
        ("GET", "/{token}/", {"Sec_Fetch_Site": "cross-site"}, 403),
        ("POST", "/{token}/run", {}, 403),
        ("POST", "/{token}/run", {"Origin": "http://127.0.0.1:1"}, 403),
        ("POST", "/{token}/run", {"Origin": "{own}", "Sec_Fetch_Site": "same-site"}, 403),
        ("POST", "/wrong/run", {"Origin": "{own}"}, 403),
        # What a form of another page could send.
        ("POST", "/{token}/run", {"Origin": "{own}", "Content_Type": "text/plain"}, 415),
        ("POST", "/{token}/run", {"Origin": "{own}"}, 400),
        ("POST", "/{token}/else", {"Origin": "{own}"}, 404),
        ("DELETE", "/{token}/", {}, 501),
    ],
)
def test_nobody_else_is_answered(server: Server, method: str, path: str, headers: dict[str, str], status: int) -> None:
    own = f"http://127.0.0.1:{server.server_port}"
    given = {name: value.format(own=own, port=server.server_port) for name, value in headers.items()}
    found, _, body = request(server, method, path.format(token=server.token), {} if method == "POST" else None, **given)
    assert found == status
    assert server.token.encode() not in body


def test_a_question_that_is_too_long_is_not_read(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.putrequest("POST", f"/{server.token}/run")
    connection.putheader("Origin", f"http://127.0.0.1:{server.server_port}")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(1 << 40))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize("length", ["9" * 5000, "0" * 4999 + "1"])
def test_a_length_of_thousands_of_digits_is_refused(
    server: Server, capfd: pytest.CaptureFixture[str], length: str
) -> None:
    own = {"Origin": f"http://127.0.0.1:{server.server_port}", "Content-Length": length}
    status, _, _ = request(server, "POST", f"/{server.token}/run", {}, **own)
    assert status == 413
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ('"seeds": Infinity', "seeds: a whole number from 1 to 20 is expected, not `Infinity`"),
        ('"seeds": NaN', "seeds: a whole number"),
        ('"seeds": 1e400', "seeds: a whole number"),
        ('"seeds": 1.5', "seeds: a whole number from 1 to 20 is expected, not `1.5`"),
        ('"seeds": true', "seeds: a whole number"),
        ('"seeds": null', "seeds: a whole number"),
        ('"number": -Infinity', "number: a whole number from 0"),
        ('"scale": 1' + "0" * 400, "scale: a rate from 0 to 1e+20 bit/s is expected, not `1000"),
        ('"scale": NaN', "scale: a rate"),
        ('"figures": 5', "figures: a list is expected, not `5`"),
        ('"figures": "rates"', 'figures: a list is expected, not `"rates"`'),
        ('"utility": "' + "x" * 1000 + '"', "utility: a text of at most 64 characters is expected"),
        ('"utility": "\\ud800"', "half a surrogate pair"),
        ('"page": []', "page: a text"),
        ('"more": ' + "[" * 100_000, "nested too deeply"),
        ('"more": ' + "9" * 5000, "Exceeds the limit"),
        ('"scenario": 5', "no scenario"),
    ],
)
@pytest.mark.parametrize("path", ["run", "file"])
def test_a_question_of_wrong_values_is_refused(
    server: Server, capfd: pytest.CaptureFixture[str], path: str, changed: str, said: str
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    own = {"Origin": f"http://127.0.0.1:{server.server_port}", "Content-Type": "application/json"}
    connection.request("POST", f"/{server.token}/{path}", '{"scenario": {}, ' + changed + "}", own)
    answer = connection.getresponse()
    assert (answer.status, said in answer.read().decode()) == (400, True)
    connection.close()
    assert "Traceback" not in capfd.readouterr().err


def test_a_browser_that_leaves_ends_nothing(server: Server, session: Session) -> None:
    own = f"http://127.0.0.1:{server.server_port}"
    question = {"scenario": session.opening()["scenario"], "figures": ["windows"]}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    headers = {"Origin": own, "Content-Type": "application/json"}
    connection.request("POST", f"/{server.token}/run", json.dumps(question), headers)
    connection.close()
    time.sleep(0.05)
    assert request(server, "GET", f"/{server.token}/")[0] == 200


def test_a_fault_of_the_program_is_said_and_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(question: Asked, emit: Any) -> None:
        raise KeyError("of the program")

    monkeypatch.setattr(server.session, "answer", fails)
    question = {"scenario": server.session.opening()["scenario"]}
    own = {"Origin": f"http://127.0.0.1:{server.server_port}"}
    status, _, body = request(server, "POST", f"/{server.token}/run", question, **own)
    assert (status, json.loads(body)) == (200, {"error": "KeyError: 'of the program'; the terminal says more"})
    assert "Traceback" in capfd.readouterr().err

    def breaks(body: bytes) -> Asked:
        raise LookupError("elsewhere")

    monkeypatch.setattr("windward._explore.session.read", breaks)
    with pytest.raises(http.client.HTTPException):
        request(server, "POST", f"/{server.token}/run", question, **own)
    assert "LookupError: elsewhere" in capfd.readouterr().err

"""Progress of commands, and answers before the last engine has ended."""

import pytest

import windward as ww
from windward import _engine
from windward._answers.compare import Comparison
from windward._engines import compare
from windward.results._shapes import Progress
from windward.show import _terminal

NETWORK = """
name = "small"
duration = "2 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms" }]
flow = [{ name = "one", from = "a", to = "b", law = "reno" }]
"""


def test_the_first_instants_of_a_run_say_nothing_of_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 10.0, 20.0, 1000.0])
    monkeypatch.setattr("windward.show._terminal.time.monotonic", lambda: next(clock))
    with _terminal.progress("running", "run", is_quiet=False) as progress:
        assert progress is not None
        for fraction in (0.001, 0.05, 0.1):
            progress(Progress(seeds=4, finished=0, fraction=fraction))
    assert capsys.readouterr().err.splitlines() == [
        "  0% run, 0 of 4 seeds finished",
        # 20 s for a twentieth.
        "  5% run, 0 of 4 seeds finished, 6 min left",
        " 10% run, 0 of 4 seeds finished, 2 h left",
    ]


def test_answers_are_there_before_the_emulation_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    seen: list[Comparison] = []

    def emulate(*_: object, **__: object) -> None:
        assert len(seen) == 1
        raise ww.EmulationError("not here")

    monkeypatch.setattr(compare, "_why_no_emulation", lambda *_: None)
    monkeypatch.setattr(compare, "emulate", emulate)
    folder = tmp_path_factory.mktemp("laws")
    found = compare.compare(_engine.Scenario.from_toml(NETWORK, "scenario", folder), folder=folder, early=seen.append)
    assert seen[0].packets is not None
    assert seen[0].rows[0]["packets_bps"] == found.rows[0]["packets_bps"] > 0
    assert found.left_out == {"kernel": "not here"}

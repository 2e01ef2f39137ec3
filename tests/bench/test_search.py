"""The evaluator and the plain searcher of examples/search."""

import random
import runpy
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

import windward as ww
from windward._evaluate.request import read_law
from windward.errors import OptionError

FOLDER = REPOSITORY / "examples" / "search"


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "evaluator", raising=False)


def test_the_evaluator_scores_the_candidate_and_tells_what_is_wrong(tmp_path: Path, on_path: None) -> None:
    evaluator = runpy.run_path(str(FOLDER / "evaluator.py"))
    found = evaluator["evaluate_stage1"](str(FOLDER / "candidate.py"))
    law = runpy.run_path(str(FOLDER / "candidate.py"))["LAW"]
    assert found["combined_score"] == ww.bench(ww.Formula(**law), stage=1)["combined_score"]
    assert '"network"' in found["artifacts"]["worst"] or "wired" in found["artifacts"]["worst"]
    wrong = tmp_path / "wrong.py"
    for text, expected in (
        ("LAW = {'step': 'acked / wnd'}", "column 9: unknown name `wnd`"),
        ("LAW = {'steps': '1'}", "unexpected keyword argument 'steps'"),
        ("LAW = ", "SyntaxError"),
    ):
        wrong.write_text(text)
        answer = evaluator["evaluate_stage1"](str(wrong))
        assert answer["combined_score"] == -4.0
        assert expected in answer["artifacts"]["error"]


def test_most_changes_of_the_searcher_are_laws(on_path: None) -> None:
    """A searcher that proposes nonsense would spend its time on refusals."""
    climb = runpy.run_path(str(FOLDER / "climb.py"), run_name="climb")
    law = runpy.run_path(str(FOLDER / "candidate.py"))["LAW"]
    draw = random.Random(1)
    for _ in range(200):
        changed = climb["changed"](law, draw)
        read_law("formula," + ",".join(f"{key}={value}" for key, value in changed.items()))
        # A walk through the changes, kept short.
        law = changed if len(str(changed)) < 400 else law


def test_a_law_of_the_command_line_may_have_commas_in_brackets() -> None:
    law, _ = read_law("formula,step=min(acked, max(1, 2)) / w,loss=0.7 * w,exit=20")
    assert law == {"name": "formula", "step": "min(acked, max(1, 2)) / w", "loss": "0.7 * w", "exit": 20}
    with pytest.raises(OptionError, match="column 9: unknown name `wnd`"):
        read_law("formula,step=acked / wnd")
    with pytest.raises(OptionError, match="column 9: unknown name `wnd`"):
        ww.bench(ww.Formula(step="acked / wnd"), stage=1)

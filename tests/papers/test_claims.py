"""The claims of the papers: each is a test of its own; the machinery refuses what does not hold together."""

import doctest
import importlib
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from conftest import REPOSITORY, Cli, environment

from windward import _engine, papers
from windward.papers import ledger
from windward.papers.judge import Results, judge
from windward.papers.page import _cell, index, markdown, write

PAPERS = [papers.load(key) for key in papers.known()]
CLAIMS = [(paper, claim) for paper in PAPERS for claim in paper.claims.values() if claim.is_checked and not claim.runs]
#: Claims whose check takes seconds, by paper.
LONG = {
    "chen2007": {11, 12, *range(40, 52), 57},
    "huang2020": {18, 21, 22, 51},
    "seferoglu2014": {4, 7, 8},
    "wang2013": {5, 15},
    "wang2016": {14},
}
REHEARSED = [paper for paper in PAPERS if any(claim.runs for claim in paper.claims.values())]

LEDGER = """\
paper = "smith2001"
title = "On sums"
doi = "10.0/0"

[[claim]]
id = 1
claim = "One and one are two."
where = "§1"
how = "By adding."
paper = "2"
tolerance = "none"
why = "integers"
verdict = "reproduced"
"""

CHECKS = """\
from windward.papers import Finding, claim

@claim(1)
def sums() -> Finding:
    return Finding(ours=str(1 + 1), holds=1 + 1 == 2)
"""


def rows(paper: papers.Paper) -> dict[int, tuple[list[str], str]]:
    """Cells and verdict of each claim on the paper's page; the fifth cell is ours."""
    page = (REPOSITORY / "evidence" / "measured" / "papers" / f"{paper.key}.md").read_text()
    found = re.findall(r"^\| (\d+) \| (.*) \| \*\*(.*)\*\* \|$", page, flags=re.MULTILINE)
    return {int(number): (cells.split(" | "), verdict) for number, cells, verdict in found}


def places(paper: papers.Paper) -> str:
    """The table "paper and product" as the page must have it."""
    text = markdown(paper, [], [], "")
    return text[text.index("## Paper and product") :]


def say_the_same(found: str, printed: str) -> bool:
    """True if two findings differ by rounding alone: by a unit of the last digit, or in residuals below 1e-5.

    >>> say_the_same("1.31 to 4e-16", "1.30 to -2e-13"), say_the_same("1.33", "1.30"), say_the_same("N = 3", "M = 3")
    (True, False, False)
    """
    # With its sign, which residuals have by chance.
    number = r"-?\d+(?:\.(\d+))?(?:e([+-]?\d+))?"
    if re.sub(number, "#", found) != re.sub(number, "#", printed):
        return False
    for ours, theirs in zip(re.finditer(number, found), re.finditer(number, printed), strict=True):
        unit = max(10.0 ** (int(each[2] or 0) - len(each[1] or "")) for each in (ours, theirs))
        values = float(ours[0]), float(theirs[0])
        if abs(values[0] - values[1]) > 1.01 * unit and max(map(abs, values)) > 1e-5:
            return False
    return True


@pytest.mark.parametrize(
    ("paper", "claim"),
    [
        pytest.param(
            *(paper, claim),
            id=f"{paper.key}-{claim.id}",
            marks=pytest.mark.long if claim.id in LONG.get(paper.key, ()) else (),
        )
        for paper, claim in CLAIMS
    ],
)
def test_the_claim_holds_as_the_page_says(paper: papers.Paper, claim: papers.Claim) -> None:
    judgement = judge(paper, claim)
    assert judgement.holds, f"{claim.claim}\nfound: {judgement.ours}"
    printed = rows(paper)[claim.id][0][4]
    assert say_the_same(_cell(judgement.ours), printed), f"the page has: {printed}\nfound: {_cell(judgement.ours)}"


@pytest.mark.parametrize(
    "paper",
    # Only the shortest rehearsal is in `make test`.
    [
        pytest.param(paper, id=paper.key, marks=() if paper.key == "chen2007" else pytest.mark.long)
        for paper in REHEARSED
    ],
)
def test_simulations_say_in_short_what_they_said(paper: papers.Paper, tmp_path: Path) -> None:
    """One seed, a tenth of the time: seeds repeat, so every finding must be as it was when the page was made.

    Where this fails the page is stale: `make reproduce`, then this with WINDWARD_SNAPSHOTS=update. Marked is what needs
    many seeds or a long time to hold.
    """
    results = papers.rehearse(paper, tmp_path)
    judged = [judge(paper, claim, results) for claim in paper.claims.values() if claim.runs]
    text = "".join(f"{one.claim.id}{'' if one.holds else ' (not so soon)'}: {one.ours}\n" for one in judged)
    path = REPOSITORY / "tests" / "snapshots" / f"claims-{paper.key}.txt"
    if os.environ.get("WINDWARD_SNAPSHOTS") == "update":
        path.write_text(text)
    for found, kept in zip(text.splitlines(), path.read_text().splitlines(), strict=True):
        assert say_the_same(found, kept), f"was: {kept}\nis: {found}"


def test_a_row_of_table_four_of_chen2007_in_short() -> None:
    """One seed and a third of the time, within the tolerances of claims 42, 45 and 47, whose runs take a minute."""
    tables = importlib.import_module("windward_papers.chen2007.checks.tables")
    mixed, alone, ours = (tables.dumbbell(count, 0.02, 0.2, seeds=1, duration_s=1500) for count in (8, 0, 16))
    emultcp, tcp, used, tcp_alone = tables.TABLE_4[0.02, 0.2]
    assert tables.mean(mixed.emultcp) == pytest.approx(emultcp, rel=0.04)
    assert tables.mean(mixed.tcp) == pytest.approx(tcp, rel=0.07)
    assert mixed.utilisation == pytest.approx(used / 100, rel=0.025)
    assert tables.mean(alone.tcp) == pytest.approx(tcp_alone, rel=0.04)
    assert tables.steers_by(0.2, mixed)
    assert mixed.utilisation > 1.5 * alone.utilisation
    assert ours.utilisation > 0.92


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_the_page_of_the_paper_is_of_this_ledger(paper: papers.Paper) -> None:
    """`tools/reproduce_papers.py KEY --kept` writes it again without drawing the figures anew."""
    printed = rows(paper)
    assert {number: verdict for number, (_, verdict) in printed.items()} == {
        claim.id: claim.verdict for claim in paper.claims.values()
    }
    for claim in paper.claims.values():
        assert printed[claim.id][0][:4] == list(map(_cell, (claim.claim, claim.where, claim.how, claim.paper)))
    page = (REPOSITORY / "evidence" / "measured" / "papers" / f"{paper.key}.md").read_text()
    assert paper.coverage in page
    notes = [f"* {claim.id}: {claim.note}" for claim in paper.claims.values() if claim.note]
    assert page.split("### Notes\n\n")[1].split("\n\n## ")[0].splitlines() == notes
    assert places(paper) in page
    for name, sentence in paper.opening.items():
        assert f"* **{ledger.OPENING[name]}:** {sentence}\n" in page
    for number, draw in paper.figures.items():
        assert f" {draw.figure_caption}\n" in page
        assert (REPOSITORY / "docs" / "pictures" / f"{paper.key}-figure-{number}.svg").exists()


def cited(sentences: str) -> list[int]:
    """Claims in parentheses.

    >>> cited("It holds (1, 3 to 5), and no more (section 6)."), cited("It does not (7).")
    ([1, 3, 4, 5], [7])
    """
    numbers: list[int] = []
    for group in re.findall(r"\((\d+(?: to \d+)?(?:, \d+(?: to \d+)?)*)\)", sentences):
        for part in group.split(", "):
            first, _, last = part.partition(" to ")
            numbers += range(int(first), int(last or first) + 1)
    return numbers


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_a_page_opens_with_what_its_claims_say(paper: papers.Paper) -> None:
    """The sentence on what holds cites claims that hold, the one on what does not cites others."""
    hold = {"reproduced", "corrected", "emulated"}
    verdicts = {name: {n: paper.claims[n].verdict for n in cited(paper.opening[name])} for name in ("holds", "fails")}
    assert all(verdicts.values())
    assert {n: verdict for n, verdict in verdicts["holds"].items() if verdict not in hold} == {}
    assert {n: verdict for n, verdict in verdicts["fails"].items() if verdict in hold} == {}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_everything_in_a_paper_has_its_place(paper: papers.Paper) -> None:
    """Files and symbols are there; what is missing has its line among the limits."""
    assert len(paper.places) >= 10
    limits = (REPOSITORY / "docs" / "reference" / "limits.md").read_text().split("## Methods of the papers")[1]
    for place in paper.places:
        assert place.at or f"* **{place.limit}" in limits, place.paper
        for name in place.at:
            path, _, symbol = name.partition(":")
            # Loading has found the claims.
            is_there = name.startswith("claim ") or (REPOSITORY / path).exists()
            assert is_there, name
            assert not symbol or symbol in (REPOSITORY / path).read_text(), name


def test_laws_that_are_only_named_are_missing() -> None:
    limits = (REPOSITORY / "docs" / "reference" / "limits.md").read_text()
    sentence = limits.split("* **Laws that the papers only name**")[1].split("\n* ")[0]
    named = set(re.findall(r"[a-z0-9]+", sentence.lower().replace("-", "")))
    assert {"ictcp", "sprout", "verus"} <= named
    assert {law["name"].replace("-", "") for law in _engine.laws()} & named == set()


def test_places_are_held(paper: Path) -> None:
    file = paper / "places.toml"
    entry = '[[place]]\npaper = "§1"\nhere = "sums"\n'
    for rest, why in (
        ("", "either `at` or `limit`"),
        ('at = ["claim 1"]\nlimit = "Sums"\n', "either `at` or `limit`"),
        ('at = ["claim 2"]\n', "there is no claim 2"),
    ):
        file.write_text(entry + rest)
        assert why in refused(paper, LEDGER)
    for cell in ('"§1"', '"sums"'):
        file.write_text(entry.replace(cell, '""') + 'at = ["claim 1"]\n')
        assert "needs paper, here" in refused(paper, LEDGER)
    file.write_text(entry + 'at = ["claim 1", "papers/smith2001/checks.py:sums"]\n')
    (place,) = papers.load("smith2001").places
    assert place.at == ("claim 1", "papers/smith2001/checks.py:sums")


def test_runs_of_wang2016_name_their_sender() -> None:
    claims = papers.load("wang2016").claims

    def names_it(claim: ledger.Claim) -> bool:
        other = re.search("[Aa]s claim (\\d+)", claim.how)
        return " sender" in claim.how or (other is not None and names_it(claims[int(other[1])]))

    simulated = [claim for claim in claims.values() if claim.runs or re.search("Packets?\\b|in packets", claim.how)]
    assert len(simulated) > sum(bool(claim.runs) for claim in simulated) > 70
    assert [claim.id for claim in simulated if not names_it(claim)] == []


def test_the_list_of_papers_is_complete() -> None:
    assert (REPOSITORY / "evidence" / "measured" / "papers" / "README.md").read_text() == index(PAPERS)


def test_examples_of_the_docstrings() -> None:
    for module, examples in ((ledger, 1), (sys.modules[judge.__module__], 7), (sys.modules[__name__], 2)):
        assert doctest.testmod(module).failed == 0
        assert doctest.testmod(module).attempted == examples


def test_there_are_papers() -> None:
    assert {path.parent.name for path in REPOSITORY.glob("evidence/papers/*/claims.toml")} == {
        paper.key for paper in PAPERS
    }
    assert CLAIMS
    checked = {(paper.key, claim.id) for paper, claim in CLAIMS}
    assert {(key, number) for key, numbers in LONG.items() for number in numbers} <= checked


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a small paper, which is the only one there is."""
    folder = tmp_path / "papers" / "smith2001"
    folder.mkdir(parents=True)
    (folder / "claims.toml").write_text(LEDGER)
    (folder / "checks.py").write_text(CHECKS)
    monkeypatch.setattr(ledger, "root", lambda: folder.parent)
    # The checks are written again within a second: byte code of the last ones would be taken for theirs.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return folder


def refused(paper: Path, claims: str, checks: str = CHECKS) -> str:
    """Error message about such a ledger."""
    (paper / "claims.toml").write_text(claims)
    (paper / "checks.py").write_text(checks)
    with pytest.raises(papers.PaperError) as error:
        papers.load("smith2001")
    return str(error.value)


def test_a_claim_is_judged_by_its_check(paper: Path) -> None:
    loaded = papers.load("smith2001")
    judgement = judge(loaded, loaded.claims[1])
    assert (judgement.ours, judgement.outcome) == ("2", "reproduced")


def test_what_a_check_raises_is_a_failure(paper: Path) -> None:
    (paper / "checks.py").write_text(CHECKS.replace("1 + 1 == 2", "1 / 0 == 2"))
    loaded = papers.load("smith2001")
    judgement = judge(loaded, loaded.claims[1])
    assert (judgement.ours, judgement.outcome) == ("ZeroDivisionError: division by zero", "FAILED")


def test_ledgers_hold_together(paper: Path) -> None:
    assert "no check for claim 1" in refused(paper, LEDGER, "")
    assert "no claim for the checks of claim 2" in refused(
        paper, LEDGER, CHECKS + CHECKS.replace("(1)", "(2)").replace("sums", "again")
    )
    assert "two functions for 1: sums, again" in refused(paper, LEDGER, CHECKS + CHECKS.replace("sums", "again"))
    assert "claim number 1, which has no id: id missing" in refused(paper, LEDGER.replace("id = 1\n", ""))
    assert "claim 1: where missing or empty" in refused(paper, LEDGER.replace("§1", ""))
    assert "claim 1: unknown wheer" in refused(paper, LEDGER.replace("where", "wheer"))
    assert 'the verdict "right" is none of' in refused(paper, LEDGER.replace("reproduced", "right"))
    assert '"differs" needs a note' in refused(paper, LEDGER.replace("reproduced", "differs"))
    assert "claim 1 neither there nor open" in refused(
        paper, LEDGER.replace("id = 1", "id = 2"), CHECKS.replace("(1)", "(2)")
    )
    assert "the ids must rise" in refused(paper, LEDGER + LEDGER[LEDGER.index("[[") :])
    assert "unknown year" in refused(paper, "year = 2001\n" + LEDGER)
    assert "opening needs one sentence each for promises, holds, fails, why, decides" in refused(
        paper, LEDGER.replace("\n[[", '\n[opening]\npromises = "Sums."\n\n[[')
    )


UNDECIDED = LEDGER.replace('"reproduced"', '"undecided"\nnote = "It scatters."')
SCATTERED = """\
from windward.papers import Finding, Scatter, claim

@claim(1)
def sums() -> Finding:
    return Finding(ours="1 to 5", holds=True, scatter=Scatter(low=1, high=5, printed=2, others=(4,)))
"""


def outcome(paper: Path, claims: str, checks: str) -> tuple[str, str]:
    """Finding and outcome of the only claim."""
    (paper / "claims.toml").write_text(claims)
    (paper / "checks.py").write_text(checks)
    loaded = papers.load("smith2001")
    judgement = judge(loaded, loaded.claims[1])
    return judgement.ours, judgement.outcome


def test_undecided_is_what_the_range_of_single_runs_says(paper: Path) -> None:
    assert outcome(paper, UNDECIDED, SCATTERED) == ("1 to 5", "undecided")
    # Without a range, and with one that leaves the print out or tells it from the other result.
    assert outcome(paper, UNDECIDED, CHECKS) == ("2 (undecided needs the range of the runs)", "FAILED")
    missed = SCATTERED.replace("printed=2", "printed=6")
    assert outcome(paper, UNDECIDED, missed) == ("1 to 5 (the range of the runs says differs)", "FAILED")
    narrow = SCATTERED.replace("others=(4,)", "others=(6,)")
    assert outcome(paper, UNDECIDED, narrow) == ("1 to 5 (the range of the runs says reproduced)", "FAILED")
    # Nor does a ledger call reproduced, or different, what the range leaves open.
    for verdict in ("reproduced", "differs"):
        ours, found = outcome(paper, UNDECIDED.replace('"undecided"', f'"{verdict}"'), SCATTERED)
        assert (ours, found) == ("1 to 5 (the range of the runs says undecided)", "FAILED")
    # A range needs another result that it could be mistaken for.
    assert outcome(paper, UNDECIDED, SCATTERED.replace("(4,)", "()"))[1] == "FAILED"
    assert outcome(paper, UNDECIDED, SCATTERED.replace("high=5", "high=0"))[1] == "FAILED"


def test_runs_that_were_cut_off_are_bounds(paper: Path) -> None:
    """Five of five cut off at 90 s are no range, and confirm nothing; nor does a range without an upper end."""
    cut = SCATTERED.replace("import Finding, Scatter", "import Bound, Finding").replace(
        "Scatter(low=1, high=5, printed=2, others=(4,))", "Bound(least=90, runs=5, printed=60)"
    )
    assert outcome(paper, UNDECIDED, cut)[1] == "undecided"
    for verdict in ("reproduced", "differs"):
        assert outcome(paper, UNDECIDED.replace('"undecided"', f'"{verdict}"'), cut)[1] == "FAILED"
    # One more run would lie below twenty with a probability of 1/20.
    many = UNDECIDED.replace('"undecided"', '"differs"')
    assert outcome(paper, many, cut.replace("runs=5", "runs=19"))[1] == "differs"
    open_above = SCATTERED.replace("high=5", 'high=float("inf")').replace("others=(4,)", "others=(0.5,)")
    assert outcome(paper, UNDECIDED, open_above)[1] == "undecided"
    assert outcome(paper, many, open_above.replace("printed=2", "printed=0.7"))[1] == "differs"
    # A range over the whole row tells no cell from another.
    wide = SCATTERED.replace("printed=2, others=(4,)", "printed=0.9, others=(2, 4)")
    assert outcome(paper, UNDECIDED, wide)[1] == "undecided"


def test_a_range_counts_runs_that_were_cut_off() -> None:
    """The censored mean of log-normal runs is above that of the runs cut at their limit."""
    spread = checks_of("wang2016", "responses").spread
    n = float("nan")
    whole, cut = (spread(np.array(runs), np.full(5, 20.0), 0.1) for runs in ([8, 8, 9, 9, 10], [15, 16, 17, 18, n]))
    assert 6.5 < whole[0] < 8 < 10 < whole[1] < 12
    assert cut[1] == math.inf
    assert 10 < cut[0] < 15
    # Many runs need no distribution.
    many = spread(np.array([1.6] * 19 + [5.3]), np.full(20, 20.0), 0.1)
    assert np.allclose(many, (1.55, 5.35))
    assert np.allclose(spread(np.array([1.6] * 19 + [n]), np.full(20, 20.0), 0.1), (1.55, math.inf))
    # Nothing takes less than no time.
    assert spread(np.array([0.1, 1.0, 5.0]), np.full(3, 20.0), 0.1)[0] == 0


def checks_of(key: str, name: str) -> ModuleType:
    """A module of a paper's checks."""
    return importlib.import_module(f"windward_papers.{key}.checks.{name}")


def test_fitted_names_the_file_of_its_guess(paper: Path) -> None:
    fitted = LEDGER.replace('"reproduced"', '"fitted"\nnote = "One was fitted."')
    named = fitted + 'guess = "network.py"\n'
    assert '"fitted" and `guess`' in refused(paper, fitted)
    assert '"fitted" and `guess`' in refused(paper, LEDGER + 'guess = "network.py"\n')
    assert "network.py has no guess [G]" in refused(paper, named)
    (paper / "network.py").write_text("#: [G] One, with which sums come out (claim 2).\nONE = 1\n")
    assert "fitted to (claim 1)" in refused(paper, named)
    (paper / "network.py").write_text("#: [G] One, with which sums come out (claim 1).\nONE = 1\n")
    assert outcome(paper, named, CHECKS) == ("2", "fitted")
    # It holds as a reproduced claim does, or it fails.
    assert outcome(paper, named, CHECKS.replace("1 + 1 == 2", "1 + 1 == 3"))[1] == "FAILED"
    assert outcome(paper, named, SCATTERED)[1] == "FAILED"
    assert outcome(paper, named, SCATTERED.replace("others=(4,)", "others=(6,)"))[1] == "fitted"


def test_a_note_gives_the_result_of_an_experiment_of_seconds(paper: Path) -> None:
    named = LEDGER.replace('"reproduced"', '"differs"\nnote = "Forty seeds would decide."')
    assert "gives its result, or `untried` says why: not here, longer than a minute" in refused(paper, named)
    assert "or `untried` says why" in refused(paper, named + 'untried = "seconds"\n')
    # Nor is there a reason where nothing is named.
    assert "or `untried` says why" in refused(paper, LEDGER + 'untried = "not here"\n')
    assert outcome(paper, named + 'untried = "longer than a minute"\n', CHECKS)[1] == "differs"


def test_what_cannot_be_done_here_needs_a_reason_and_no_check(paper: Path) -> None:
    verdict = LEDGER.replace('"reproduced"', '"not reproducible here"')
    assert "needs a note" in refused(paper, verdict, "")
    (paper / "claims.toml").write_text(verdict + 'note = "It takes a 1970s mainframe."\n')
    loaded = papers.load("smith2001")
    assert judge(loaded, loaded.claims[1]).outcome == "not reproducible here"


def test_claims_about_runs_are_judged_from_what_was_kept(paper: Path, tmp_path: Path) -> None:
    import pandas as pd

    (paper / "claims.toml").write_text(LEDGER + 'runs = "simulation"\n')
    (paper / "checks.py").write_text(
        "from windward.papers import Finding, Results, claim\n\n"
        "@claim(1)\n"
        "def rates(results: Results) -> Finding:\n"
        '    total = results.table("rates")["rate"].sum()\n'
        "    return Finding(ours=str(total), holds=total == 5)\n"
    )
    loaded = papers.load("smith2001")
    results = Results(tmp_path / "results")
    assert judge(loaded, loaded.claims[1]).outcome == "not run"
    assert judge(loaded, loaded.claims[1], results).outcome == "not run"
    results.keep("rates", pd.DataFrame({"rate": [2, 3]}))
    assert judge(loaded, loaded.claims[1], results).outcome == "reproduced"


FIGURES = """\
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure

from .numbers import RATES

@figure("1", title="Sums", caption="One and one.")
def sums(context: Context) -> Figure:
    context.results.keep("rates", pd.DataFrame({"rate": RATES}))
    drawing = Figure()
    FigureCanvasAgg(drawing)
    drawing.subplots().plot(RATES)
    return drawing
"""


def test_figures_are_drawn_with_their_numbers(paper: Path, tmp_path: Path) -> None:
    (paper / "figures.py").write_text(FIGURES)
    (paper / "numbers.py").write_text("RATES = [2, 3]\n")
    loaded = papers.load("smith2001")
    (drawn,) = papers.reproduce(loaded, tmp_path / "out")
    assert drawn.svg.read_text().startswith("<?xml")
    assert drawn.pdf.read_bytes().startswith(b"%PDF")
    assert (tmp_path / "out" / "rates.csv").read_text() == "rate\n2\n3\n"
    assert papers.kept(loaded, tmp_path / "out") == [drawn]
    with pytest.raises(papers.PaperError, match="smith2001 has no figure 2 here; figures: 1"):
        papers.reproduce(loaded, tmp_path / "out", only="2")


def test_the_page_holds_ledger_and_figures(paper: Path, tmp_path: Path) -> None:
    (paper / "figures.py").write_text(FIGURES)
    (paper / "numbers.py").write_text("RATES = [2, 3]\n")
    (paper / "checks.py").write_text(CHECKS.replace("1 + 1 == 2", "1 + 1 == 3"))
    loaded = papers.load("smith2001")
    drawn = papers.reproduce(loaded, tmp_path)
    page = write(loaded, [judge(loaded, loaded.claims[1])], drawn, tmp_path / "index.html").read_text()
    assert 'aria-label="Figure 1: Sums"' in page
    assert '<td class="long warning">FAILED' in page
    assert "<script src" not in page
    # Nothing is loaded from elsewhere; names of XML are no loads.
    assert not re.findall(r"""(?:src|href)="https?:""", page)


def test_reproducing_says_what_failed(tmp_path: Path) -> None:
    """In a checkout of its own, where the only claim is wrong."""
    folder = tmp_path / "papers" / "smith2001"
    folder.mkdir(parents=True)
    (folder / "claims.toml").write_text(LEDGER)
    (folder / "checks.py").write_text(CHECKS.replace("1 + 1 == 2", "1 + 1 == 3"))
    script = (
        "import sys; from pathlib import Path; from windward.papers import ledger; "
        "ledger.root = lambda: Path('papers').resolve(); from windward._cli.main import main; "
        "sys.argv = ['windward', *sys.argv[1:]]; main()"
    )
    for command in (["claims", "smith2001"], ["reproduce", "smith2001"]):
        run = subprocess.run(
            [sys.executable, "-c", script, *command], cwd=tmp_path, env=environment(), capture_output=True, text=True
        )
        assert (run.returncode, run.stderr) == (1, "")
        assert "1 FAILED" in run.stdout
    assert "FAILED" in (tmp_path / "results" / "papers" / "smith2001" / "index.html").read_text()


def test_the_command(cli: Cli) -> None:
    shown = cli("claims", "huang2020", "--id", "8", "--json", "ledger.json")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "1 reproduced" in shown.stdout
    assert cli("claims", "huang2020", "--id", "99").returncode == 2
    unknown = cli("claims", "huang2021")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "there is no paper `huang2021`; papers: " in unknown.stderr


def test_the_command_as_json(cli: Cli, tmp_path: Path) -> None:
    cli("claims", "huang2020", "--id", "8", "--json", "ledger.json")
    (row,) = json.loads((tmp_path / "ledger.json").read_text())["huang2020"]
    assert (row["id"], row["outcome"]) == (8, "reproduced")

"""`tune`: what it finds, that nothing but its seed decides which trials there are, and what it refuses."""

import dataclasses
import filecmp
import json
import math
import random
from pathlib import Path

import pytest
from conftest import Cli

import windward as ww
from windward._search.explained import explained
from windward._search.fresh import fresh_seeds
from windward._search.objective import read_objective

#: Two QUIC-TCP downloads over a lossy path: 15 ms a run.
LOSSY = """\
name = "lossy12"
duration = "20 s"
warmup = "5 s"
seeds = 2
node = [{ name = "a" }, { name = "z" }]
link = [{ name = "path", from = "a", to = "z", rate = "12 Mbit/s", delay = "20 ms", buffer = "200 packets" }]
flow = [{ name = "download", from = "a", to = "z", law = "quic-tcp", count = 2 }]
""".replace('packets" }', 'packets", loss = "0.3 %" }')

#: The same for a quarter of the time, where the subject is the search and not what it finds.
SHORT = LOSSY.replace('"20 s"\nwarmup = "5 s"', '"5 s"\nwarmup = "1 s"')

BACKLOG = "law.backlog=1..1000 log"


@pytest.fixture
def lossy(tmp_path: Path) -> ww.Scenario:
    (tmp_path / "lossy12.toml").write_text(LOSSY, encoding="utf-8")
    return ww.load(tmp_path / "lossy12.toml")


@pytest.fixture
def short(tmp_path: Path) -> ww.Scenario:
    (tmp_path / "lossy12.toml").write_text(SHORT, encoding="utf-8")
    return ww.load(tmp_path / "lossy12.toml")


def test_the_backlog_that_keeps_the_queue_short_is_found(lossy: ww.Scenario, tmp_path: Path):
    # An independent search found backlog 4.0, kappa 1.67: 11.12 Mbit/s at 47.7 ms, for 11.29 Mbit/s at 175.2 ms. Its
    # flows were of the RFCs' stack; those of Linux have 11.55 Mbit/s at 180 ms.
    lossy = dataclasses.replace(lossy, stack="rfc")
    tuning = lossy.tune("power", fields=[BACKLOG, "law.kappa=0.05..2 log"], seeds=3, trials=60, output=tmp_path / "t")
    assert 2 < float(tuning.best["law.backlog"]) < 8
    here = tuning.rows("comparisons")[0]
    figures = {row["figure"]: row for row in here["figures"]}
    assert figures["rtt"]["best"]["mean"] < 0.052 < 0.16 < figures["rtt"]["now"]["mean"]
    assert figures["goodput"]["best"]["mean"] > 0.97 * figures["goodput"]["now"]["mean"]
    change = figures["power"]["difference"]
    assert change["mean"] - change["ci95"] > 0.5
    # The file to go on with has these values.
    tuned = ww.load(tuning.scenario_file).simulate(seeds=1)
    assert tuned.flows["mean_rtt_s"].mean() < 0.052


def test_bounds_are_kept(lossy: ww.Scenario, tmp_path: Path):
    tuning = lossy.tune("goodput, p95 wait <= 50 ms", fields=[BACKLOG], trials=40, output=tmp_path / "t")
    judged = {row["trial"]: row for row in tuning.rows("judged")}
    best = judged[tuning.summary["best"]]
    assert best["violation"] == 0
    assert best["goals"][0] == max(row["goals"][0] for row in judged.values() if row["violation"] == 0)
    assert tuning.rows("comparisons")[0]["broken"]["now"] == ["wait-p95 ≤ 50 ms"]


def test_two_objectives_give_a_front(lossy: ww.Scenario, tmp_path: Path):
    tuning = lossy.tune("goodput, rtt", fields=[BACKLOG], trials=50, output=tmp_path / "t")
    goals = [row["goals"] for row in tuning.rows("front")]
    assert len(goals) > 3
    # None betters another in both: more goodput costs time.
    assert goals == sorted(goals)
    assert [rtt for _, rtt in goals] == sorted(rtt for _, rtt in goals)


def same(first: Path, second: Path) -> bool:
    names = [path.relative_to(first) for path in sorted(first.rglob("*")) if path.is_file()]
    _, different, missing = filecmp.cmpfiles(first, second, [str(name) for name in names], shallow=False)
    return not different and not missing


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> ww.Tuning:
    """A search by one thread that is not interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "lossy12.toml").write_text(SHORT, encoding="utf-8")
    return ww.load(folder / "lossy12.toml").tune(
        "power", fields=[BACKLOG], trials=24, threads=1, output=folder / "whole"
    )


def test_threads_do_not_matter(short: ww.Scenario, whole: ww.Tuning, tmp_path: Path):
    short.tune("power", fields=[BACKLOG], trials=24, threads=3, output=tmp_path / "other")
    assert same(whole.path, tmp_path / "other")


@pytest.mark.parametrize("at", [1, 17, 40])
def test_an_interrupted_search_goes_on(short: ww.Scenario, whole: ww.Tuning, tmp_path: Path, at: int):
    def stop(progress: ww.Progress) -> None:
        if progress.finished >= at:
            raise KeyboardInterrupt

    with pytest.raises(ww.RunInterrupted):
        short.tune("power", fields=[BACKLOG], trials=24, output=tmp_path / "stopped", progress=stop)
    went_on = short.tune("power", fields=[BACKLOG], trials=24, output=tmp_path / "stopped")
    assert went_on.summary == whole.summary
    assert same(whole.path, tmp_path / "stopped")


def test_a_finished_search_is_not_run_again(short: ww.Scenario, tmp_path: Path):
    first = short.tune("power", fields=[BACKLOG], trials=12, output=tmp_path / "t")
    seen: list[ww.Progress] = []
    again = short.tune("power", fields=[BACKLOG], trials=12, output=tmp_path / "t", progress=seen.append)
    assert first.summary == again.summary
    assert all(progress.resumed == 1 for progress in seen)
    with pytest.raises(ww.ResultError, match="other points"):
        short.tune("goodput", fields=[BACKLOG], trials=12, output=tmp_path / "t")


def test_more_trials_go_on_with_a_finished_search(short: ww.Scenario, whole: ww.Tuning, tmp_path: Path):
    short.tune("power", fields=[BACKLOG], trials=12, output=tmp_path / "t")
    seen: list[ww.Progress] = []
    more = short.tune("power", fields=[BACKLOG], trials=24, output=tmp_path / "t", progress=seen.append)
    assert seen[0].resumed == 0.5
    assert more.summary == whole.summary
    assert same(whole.path, tmp_path / "t")
    with pytest.raises(ww.ResultError, match="has run 24 points already; ask for as many, or more"):
        short.tune("power", fields=[BACKLOG], trials=12, output=tmp_path / "t")


def test_a_field_without_effect_explains_nothing():
    # η² of ten trials in five bins is (5 − 1)/(10 − 1) = 44 % in the mean for a field without effect; ε² is 0.
    chance = random.Random(1)
    shares = [(at + 0.5) / 20 for at in range(20)]
    told = [explained(shares, [chance.gauss(0, 1) for _ in shares]) for _ in range(200)]
    assert sum(not math.isnan(share) for share in told) <= 0.1 * 200
    # Two steps of equal size in two halves: all of the variance. By hand: η² = 1, so ε² = 1 − 0·19/15.
    assert explained(shares, [float(share > 0.6) for share in shares]) == 1
    # η² = 1 − 5·4·0.25/(5·4·0.25 + 20·2) = 8/9 for bins at 0, 1, 2, 3, 4 with ±0.5 in each; ε² = 1 − (1/9)·19/15.
    steps = [int(share * 5) + (0.5 if at % 2 else -0.5) for at, share in enumerate(shares)]
    assert explained(shares, steps) == pytest.approx(1 - 19 / 135)


def test_fresh_seeds_are_none_of_the_search():
    assert fresh_seeds([1, 2, 3], 3) == [1_000_001, 1_000_002, 1_000_003]
    assert fresh_seeds([1_000_002], 3) == [1_000_001, 1_000_003, 1_000_004]
    assert not set(fresh_seeds([], 20)) & set(fresh_seeds([], 20, batch=1))


def test_counts_are_whole_numbers(short: ww.Scenario, tmp_path: Path):
    tuning = short.tune(
        "goodput", fields=["flow.download.initial_window=1..10"], trials=12, seeds=1, output=tmp_path / "t"
    )
    windows = tuning.trials.runs["flow.download.initial_window"]
    assert windows.dtype == int
    assert set(windows) <= set(range(1, 11))


def test_a_law_in_a_file_is_tuned(cli: Cli, tmp_path: Path):
    (tmp_path / "law.py").write_text(
        "class Fixed:\n"
        "    def __init__(self, cwnd, window=10.0):\n"
        "        self.cwnd = window\n"
        "    def on_ack(self, ack):\n"
        "        pass\n"
        "    def on_congestion(self, event):\n"
        "        pass\n",
        encoding="utf-8",
    )
    law = 'law = { name = "python", class = "law.py:Fixed", window = 5.0 }'
    text = LOSSY.replace('law = "quic-tcp", count = 2', law).replace('"20 s"', '"3 s"').replace('"5 s"', '"1 s"')
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    asked = ("tune", "s.toml", "--set", "law.window=2..30", "--objective", "goodput", "--trials", "10", "--seeds", "1")
    refused = cli(*asked, "--no-python")
    assert refused.returncode == 2
    assert "--no-python refuses: class = `law.py:Fixed`" in refused.stderr
    done = cli(*asked, "-o", "t")
    assert done.returncode == 0, done.stderr
    # 40 ms hold 40 packets of 12 Mbit/s: the largest window is the best.
    assert float(ww.Tuning.open(tmp_path / "t").best["law.window"]) > 25
    # The scenario with the best values runs where it is.
    assert cli("simulate", "t/tuned.toml", "--seeds", "1").returncode == 0
    without = cli("tune", "s.toml", "--trials", "4")
    assert "a law in Python says nothing of its parameters" in without.stderr


def test_figures_are_those_of_the_flow(tmp_path: Path):
    text = SHORT.replace("count = 2 }", 'count = 1 }, { name = "other", from = "a", to = "z", law = "cubic" }')
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    scenario = ww.load(tmp_path / "s.toml")
    tuning = scenario.tune("goodput", flow="download", fields=[BACKLOG], trials=12, output=tmp_path / "t")
    flows = tuning.trials.flows
    mine = flows[(flows["group"] == "download") & (flows["point"] == tuning.summary["best"])]
    best = {row["trial"]: row for row in tuning.rows("judged")}[tuning.summary["best"]]
    assert best["goals"][0] == pytest.approx(mine["goodput_bps"].mean(), rel=1e-12)


def test_the_law_may_be_another_and_its_numbers_are_the_fields(short: ww.Scenario, tmp_path: Path):
    tuning = short.tune("goodput", law="vegas", trials=8, seeds=1, output=tmp_path / "t")
    assert list(tuning.best) == ["law.alpha", "law.beta", "law.gamma"]
    assert tuning.parameters["now"].tolist() == ["2", "4", "1"]
    assert 'name = "vegas"' in tuning.scenario_file.read_text(encoding="utf-8")


def test_queues_and_links_are_fields_too(lossy: ww.Scenario, tmp_path: Path):
    tuning = lossy.tune(
        "rtt", fields=["link.path.buffer=5..200 packets log"], trials=30, seeds=1, output=tmp_path / "t"
    )
    # The shortest buffer has the shortest round trip.
    assert tuning.best["link.path.buffer"] == "5 packets"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no figures to optimise"),
        ("goodput, rtt, loss", "3 figures to optimise"),
        ("goodputt", "did you mean `goodput`"),
        ("goodput, wait <= 5 Mbit/s", "write it as in 50 ms"),
        ("goodput, wait <= much", "no limit"),
        ("goodput, power <= 3", "no unit to bound it in"),
        ("goodput, goodput", "given twice"),
        ("goodput, mos >= 9", "`9` is beyond what `mos` can be: 1 to 4.5"),
        ("goodput, loss <= 200 %", "`200 %` is beyond what `loss` can be: 0% to 100%"),
    ],
)
def test_objectives_that_cannot_be_are_refused(text: str, said: str):
    with pytest.raises(ValueError, match=said):
        read_objective(text)


def test_objectives_are_read_as_people_write_them():
    objective = read_objective("goodput, p95 wait ≤ 50 ms, loss < 1%, wait p99 <= 100 ms")
    assert [goal.name for goal in objective.goals] == ["goodput"]
    assert [(bound.name, bound.limit) for bound in objective.bounds] == [
        ("wait-p95", 0.05),
        ("loss", 0.01),
        ("wait-p99", 0.1),
    ]
    judged = objective.judge([{"goodput": 1.0, "wait-p95": 0.1, "loss": 0.0, "wait-p99": 0.1}])
    assert judged.violation == pytest.approx(1.0)
    assert math.isinf(objective.judge([{"goodput": 1.0}]).violation)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--law", "quick-tcp"], "--law quick-tcp: unknown law"),
        (["--law", "reno"], "no parameters that are numbers"),
        (
            ["--law", "reno,vegas"],
            "--law reno,vegas: one law is expected\nhint: to search among several, vary the field",
        ),
        (["--set", "law=reno,vegas"], "law: not a field to be varied: each flow has its law, as in flow.*.law="),
        (["--flow", "upload"], "flows: download"),
        (["--flow", "download,download"], "one flow or group is expected\nhint: without a name"),
        (["--set", "law.backlog=5..1"], "law.backlog=5..1: the range falls\nhint: a range rises, as in 1..5"),
        (["--set", "law.backlog=5..5"], "the range has one value"),
        (["--set", "law.backlog=-5..5"], "allowed from 0.001"),
        (["--set", "link.path.loss=2..3"], "link[0].loss"),
        (["--set", "link.air.rate=1..2 Mbit/s"], "there is no link `air`"),
        (["--set", BACKLOG, "--set", "law.backlog=1..2"], "given twice"),
        (["--budget", "soon"], "--budget soon: no time"),
        (["--objective", "speed"], "--objective speed: unknown figure"),
        (["--objective", "mos"], "`mos` is a figure of call, and the scenario has none"),
        (["--objective", "goodput, request-p95 <= 1 s"], "`request-p95` is a figure of requests or session"),
        (["--objective", "value"], "`value` is a figure of other engines"),
        (["--set", "law.backlog=5"], "one value is given"),
        (["--set", "law.backlog=1,2,x"], '"x" is not a number'),
        (["--set", "law.backlogg=1..2"], "unknown parameter `backlogg`"),
        (["--set", "flow.download.start=0..1 Mbit/s"], "`Mbit/s` is not a unit of duration"),
    ],
)
def test_what_cannot_be_searched_is_refused_before_any_run(cli: Cli, tmp_path: Path, arguments, said):
    (tmp_path / "lossy12.toml").write_text(LOSSY, encoding="utf-8")
    refused = cli("tune", "lossy12.toml", "--trials", "2", *arguments)
    assert refused.returncode == 2, refused.stdout
    assert said in refused.stderr
    assert not (tmp_path / "results").exists()


def test_the_command_prints_draws_and_reports(cli: Cli, tmp_path: Path):
    (tmp_path / "lossy12.toml").write_text(SHORT, encoding="utf-8")
    done = cli("tune", "lossy12.toml", "--set", BACKLOG, "--trials", "20", "--seeds", "1")
    assert done.returncode == 0, done.stderr
    assert "power with the best values" in done.stdout
    assert "windward kernel set quic_tcp backlog=" in done.stdout
    shown = cli("show", "results/lossy12-tune")
    assert shown.stdout in done.stdout
    assert cli("plot", "results/lossy12-tune", "-o", "t.svg").returncode == 0
    assert cli("report", "results/lossy12-tune").returncode == 0
    assert "Landscape" in (tmp_path / "results/lossy12-tune/report.html").read_text(encoding="utf-8")
    as_json = cli("tune", "lossy12.toml", "--set", BACKLOG, "--trials", "20", "--seeds", "1", "--json")
    assert json.loads(as_json.stdout)["engine"] == "tune"
    # A simulation does not take its place.
    assert cli("simulate", "lossy12.toml", "-o", "results/lossy12-tune").returncode == 2


def test_the_best_values_are_attacked_beside_the_present_ones(short: ww.Scenario, cli: Cli, tmp_path: Path):
    done = cli(
        "tune", "lossy12.toml", "--set", BACKLOG, "--trials", "10", "--attack", "24", "--seeds", "1", "-o", "tuned"
    )
    assert done.returncode == 0, done.stderr
    tuning = ww.Tuning.open(tmp_path / "tuned")
    attacked = tuning.summary["attacked"]
    # Both flows share the link that is attacked: whatever happens to it happens to both.
    for side in ("now", "best"):
        assert attacked[side]["trials"] >= 24
        assert not attacked[side]["is_found"]
        assert 1 <= attacked[side]["value"] < 3
    assert "attacked as wifi" in done.stdout
    assert ww.Attack.open(tmp_path / "tuned" / "attack-best").summary["until"] == "unfair:3"


def test_a_search_of_which_no_run_finishes_says_why(cli: Cli, tmp_path: Path):
    law = "class Mine:\n    def __init__(self, cwnd, cut):\n        raise ValueError('no such cut')\n"
    (tmp_path / "laws.py").write_text(law)
    mine = 'law = { name = "python", class = "laws.py:Mine", cut = 0.5 }'
    text = LOSSY.replace('law = "quic-tcp", count = 2', mine).replace('"20 s"', '"3 s"').replace('"5 s"', '"1 s"')
    (tmp_path / "s.toml").write_text(text)
    why = "error: every run failed; the first: laws.py:Mine: the constructor failed: ValueError: no such cut"
    for verb in (("tune", "--set", "law.cut=0.3..0.9"), ("attack", "--until", "slows:50%")):
        told = cli(verb[0], "s.toml", *verb[1:], "--trials", "10", "--seeds", "1", "-q", "-o", verb[0])
        assert (told.returncode, told.stdout) == (1, "")
        assert why in told.stderr


def test_the_constants_of_a_formula_are_tuned_by_default(short: ww.Scenario, tmp_path: Path):
    law = ww.Formula(
        step="acked * clamp(kappa * (p - w * (1 - share)) / w, -0.5, 1)", constants={"kappa": 0.5, "p": 20}
    )
    flows = [dataclasses.replace(flow, law=law) for flow in short.flow]
    own = dataclasses.replace(short, flow=flows)
    tuning = own.tune("power", seeds=1, trials=12, output=tmp_path / "t")
    ranges = {row["field"]: (row["least"], row["most"]) for row in tuning.rows("parameters")}
    assert ranges == {"law.constants.kappa": ("0.05", "5"), "law.constants.p": ("2", "200")}
    text = tuning.scenario_file.read_text(encoding="utf-8")
    assert f"p = {float(tuning.best['law.constants.p']):g}"[:6] in text

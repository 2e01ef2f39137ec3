"""`attack`: what it finds and shrinks, what it must not find, that its seed alone decides, and what it refuses."""

import dataclasses
import filecmp
import re
import tomllib
from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli

import windward as ww
from windward._search.questions import read_question
from windward.theory.laws import ratio_under_delay

#: Two QUIC-TCP flows over paths of their own to a link of 1000 packets/s.
PAIR = """\
name = "pair"
duration = "24 s"
warmup = "12 s"
node = [{ name = "a" }, { name = "b" }, { name = "m" }, { name = "z" }]
link = [
  { name = "accA", from = "a", to = "m", rate = "1 Gbit/s", delay = "5 ms" },
  { name = "accB", from = "b", to = "m", rate = "1 Gbit/s", delay = "5 ms" },
  { name = "core", from = "m", to = "z", rate = "12 Mbit/s", delay = "20 ms", buffer = "1000 packets" },
]
flow = [
  { name = "A", from = "a", to = "z", law = { name = "quic-tcp", backlog = 20 }, known_base_rtt = "path" },
  { name = "B", from = "b", to = "z", law = { name = "quic-tcp", backlog = 20 }, known_base_rtt = "path" },
]
"""

STEP = "link.accA.delay=+0..100 ms"


@pytest.fixture
def pair(tmp_path: Path) -> ww.Scenario:
    (tmp_path / "pair.toml").write_text(PAIR, encoding="utf-8")
    return ww.load(tmp_path / "pair.toml")


@pytest.mark.parametrize("ratio", [2, 3])
def test_the_least_step_that_starves_is_that_of_the_formula(pair: ww.Scenario, tmp_path: Path, ratio: float):
    # The law judges by the path's own delay: a step Δ of one path gives r = (a + √(a² + 4))/2, a = Δ·1000/20. Nothing
    # is random: one seed is all seeds.
    attack = pair.attack(
        f"starves:{ratio}", within=[STEP, "flow.*.start=0..1 s"], seeds=1, trials=60, reference=None,
        output=tmp_path / "t",
    )  # fmt: skip
    assert attack.is_found
    (change,) = attack.rows("changes")
    step = float(change["attack"].removesuffix(" ms")) - 5
    # The find holds with a tenth to spare, and has two digits.
    least, spared = (20 * (r - 1 / r) for r in (ratio, 1.1 * ratio))
    assert 0.9 * least < step < 1.15 * spared
    found = attack.summary["found"]["value"]
    assert found == pytest.approx(ratio_under_delay(step / 1e3, 1000, 20), rel=0.08)
    # Left out, nothing is left of it.
    assert change["without"] < 1.2


def test_a_link_has_one_change_for_all_its_steps(pair: ww.Scenario, tmp_path: Path):
    bounds = [STEP, "link.accA.rate=+0..100 Mbit/s"]
    attack = pair.attack("starves:2", within=bounds, seeds=1, trials=40, reference=None, output=tmp_path / "t")
    assert attack.is_found
    written = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))
    # The rate does nothing for it, and is gone.
    assert [sorted(own) for own in written["change"]] == [["at", "delay", "link"]]


def test_the_find_is_short_and_runs_to_the_same_figures(pair: ww.Scenario, cli: Cli, tmp_path: Path):
    done = cli(
        "attack", "pair.toml", "--until", "starves:3", "--within", STEP, "--within", "link.accB.loss=0..1 %",
        "--reference", "none", "--confirm", "0", "--seeds", "2", "--fresh", "10",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "results" / "pair-attack"
    attack = ww.Attack.open(folder)
    # A change, its seeds and its title more.
    assert attack.scenario_file.read_text(encoding="utf-8").count("\n") <= len(PAIR.splitlines()) + 3
    written = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))
    assert len(written["change"]) == 1
    # The loss does nothing for it, and is gone.
    assert "loss" not in written["link"][1] or written["link"][1]["loss"] in (0, "0 %")
    run = ww.load(attack.scenario_file).simulate()
    assert run.flows.equals(attack.run.flows)
    table = run.flows.pivot_table(index="seed", columns="flow", values="goodput_bps")
    ratios = (table.max(axis=1) / table.min(axis=1)).tolist()
    assert ratios == attack.summary["found"]["values"]
    assert cli("show", "results/pair-attack").stdout in done.stdout
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "What each part is needed for" in page
    assert "Flow A, which has the least" in page
    assert cli("check", attack.scenario_file).returncode == 0


def test_a_law_is_not_blamed_for_what_every_law_suffers(tmp_path: Path):
    text = PAIR.replace('rate = "12 Mbit/s"', 'rate = "12 Mbit/s", loss = "0 %"')
    (tmp_path / "pair.toml").write_text(text, encoding="utf-8")
    # Without capacity nobody has goodput: QUIC-TCP loses no more of it than CUBIC.
    attack = ww.load(tmp_path / "pair.toml").attack(
        "idles:20%", within=["link.core.loss=0..60 %"], trials=20, output=tmp_path / "t"
    )
    assert not attack.is_found
    assert attack.summary["shared"] > 0


def test_cubics_do_not_starve_each_other_under_jitter(tmp_path: Path):
    text = PAIR.replace('{ name = "quic-tcp", backlog = 20 }, known_base_rtt = "path"', '"cubic"')
    (tmp_path / "pair.toml").write_text(text.replace("1000 packets", "50 packets"), encoding="utf-8")
    within = ["link.accA.jitter=0..50 ms", "link.accB.jitter=0..50 ms"]
    attack = ww.load(tmp_path / "pair.toml").attack(
        "starves:10", within=within, seeds=1, trials=40, reference=None, output=tmp_path / "t"
    )
    assert not attack.is_found
    assert attack.summary["closest"] < 10


def test_a_route_that_grows_takes_the_gain_of_tcp_fit(tmp_path: Path):
    text = (REPOSITORY / "evidence" / "benches" / "attacks" / "jitter.toml").read_text(encoding="utf-8")
    (tmp_path / "s.toml").write_text(
        text.replace(', jitter = { model = "uniform", max = "5 ms" }', ""), encoding="utf-8"
    )
    scenario = dataclasses.replace(ww.load(tmp_path / "s.toml"), duration="30 s")
    attack = scenario.attack(
        "idles:30%", within=["link.core.delay=+0..50 ms"], seeds=1, trials=20, fresh=10, output=tmp_path / "t"
    )
    assert attack.is_found
    # N is at most 1 where the error of the base is α·RTT, at most 10 ms of 100 ms.
    step = float(attack.rows("changes")[0]["attack"].removesuffix(" ms")) - 49
    assert 3 < step < 20


def test_threads_and_interruptions_do_not_matter(pair: ww.Scenario, tmp_path: Path):
    short = dataclasses.replace(pair, duration="12 s", warmup="6 s")
    # Random loss, so that seeds differ.
    link = [dataclasses.replace(own, loss="0.1 %" if own.name == "core" else 0) for own in short.link]
    short = dataclasses.replace(short, link=link)

    def stop(progress: ww.Progress) -> None:
        if progress.finished >= 10:
            raise KeyboardInterrupt

    asked = {"within": [STEP], "seeds": 2, "trials": 24, "fresh": 10}
    whole = short.attack("starves:2", threads=1, output=tmp_path / "whole", **asked)
    assert whole.is_found
    with pytest.raises(ww.RunInterrupted):
        short.attack("starves:2", progress=stop, threads=3, output=tmp_path / "other", **asked)
    other = short.attack("starves:2", threads=3, output=tmp_path / "other", **asked)
    assert other.summary == whole.summary
    assert filecmp.cmp(whole.scenario_file, other.scenario_file, shallow=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--until", "kills", "--within", STEP], "--until kills: unknown question"),
        (["--until", "bloats:3", "--within", STEP], "no limit for `bloats`"),
        (["--until", "starves:1", "--within", STEP], "no limit for `starves`"),
        (["--until", "bloats:1ms", "--within", STEP], "it holds already"),
        (["--within", "link.nowhere.loss=0..1 %"], "there is no link `nowhere`"),
        (["--within", "link.accA.delay=+5 ms"], "a range is needed"),
        (["--within", "flow.A.start=+0..1 s"], "a step, written with +, is one of a field of a link"),
        (["--within", "link.accA"], "give a field and its range"),
        (["--until", "starves:1e400", "--within", STEP], "`1e400` is no limit for `starves`"),
        (["--until", "starve", "--within", STEP], "did you mean `starves`"),
        (["--until", "differs:quick-tcp", "--within", STEP], "--until differs:quick-tcp: unknown law `quick-tcp`"),
        (["--until", "bloats:0.1ms", "--within", STEP], "longest p95 wait 40"),
        (["--until", "stalls", "--quiet-end", "1 h", "--within", STEP], "--quiet-end 3600 s"),
        (["--within", "link.accA.delay=+0..20 Mbit/s"], "needs a unit of `delay`, as in +0..20 ms"),
        (["--within", "link.accA.delay=+0..20"], "needs a unit of `delay`, as in +0..20 ms"),
        (["--within", "link.accA.rate=+0..20 %"], "needs a unit of `rate`, as in +0..5 Mbit/s"),
        (["--within", "link.accA.delay=+5..5 ms"], "the range has one value"),
        (["--within", "link.accA.delay=1..1 ms"], "the range has one value"),
        (["--within", "link.accA.dely=0..1 ms"], "did you mean `delay`"),
        (["--within", "link.accA.up=0..1"], "such a bound is a pattern, as in 'link.accA.up=pattern"),
        (["--within", STEP, "--within", STEP], "given twice"),
        (
            ["--within", "link.core.loss=2%..1%"],
            "link.core.loss=2%..1%: the range falls\nhint: a range rises, as in 1%..",
        ),
        (["--within", "link.accA.delay=+20..0 ms"], "the range falls\nhint: a range rises, as in 0..20 ms"),
        (
            ["--within", "link.accA.delay=pattern +20..0 ms, every 1 s"],
            "--within link.accA.delay=pattern +20..0 ms, ever",
        ),
        (["--within", "traffic.a->z=pattern 20..1 Mbit/s"], "the range falls\nhint: a range rises, as in 1..20 Mbit/s"),
        (["--until", "differs:reno,vegas", "--within", STEP], "--until differs:reno,vegas: one law is expected"),
    ],
)
def test_what_cannot_be_asked_is_refused(pair: ww.Scenario, cli: Cli, tmp_path: Path, arguments, said):
    refused = cli("attack", "pair.toml", "--trials", "2", *arguments)
    assert refused.returncode == 2, refused.stdout
    assert said in refused.stderr
    assert not (tmp_path / "results").exists()


def test_a_law_in_a_file_is_attacked_and_its_find_runs_by_itself(cli: Cli, tmp_path: Path):
    (tmp_path / "law.py").write_text(
        "class Cut:\n"
        "    def __init__(self, cwnd):\n"
        "        self.cwnd = cwnd\n"
        "    def on_ack(self, ack):\n"
        "        self.cwnd = min(self.cwnd + 0.1, 20.0)\n"
        "    def on_congestion(self, event):\n"
        "        self.cwnd = 1.0\n",
        encoding="utf-8",
    )
    (tmp_path / "s.toml").write_text(
        'name = "s"\nduration = "4 s"\nnode = [{ name = "a" }, { name = "b" }]\n'
        'link = [{ name = "l", from = "a", to = "b", rate = "5 Mbit/s", delay = "10 ms", loss = 0.0 }]\n'
        'flow = [{ name = "f", from = "a", to = "b", law = { name = "python", class = "law.py:Cut" } }]\n',
        encoding="utf-8",
    )
    asked = ("attack", "s.toml", "--until", "slows:60%", "--within", "link.l.loss=0..2 %", "--trials", "12")
    assert cli(*asked, "--no-python").returncode == 2
    # Reno halves its window where this law begins again.
    done = cli(*asked, "--reference", "none", "--fresh", "10", "--confirm", "0", "--seeds", "2", "-o", "t")
    assert done.returncode == 0, done.stderr
    assert re.search(r"holds on +\d+ of 10 fresh seeds; of all seeds \d+ to 100 %", done.stdout)
    assert cli("simulate", "t/find/scenario.toml", "--seeds", "1").returncode == 0
    refused = cli(*asked, "--fresh", "5")
    assert refused.returncode == 2


def test_one_flow_starves_nobody(cli: Cli, tmp_path: Path):
    text = (REPOSITORY / "evidence" / "benches" / "attacks" / "dips.toml").read_text(encoding="utf-8")
    (tmp_path / "dips.toml").write_text(text, encoding="utf-8")
    refused = cli("attack", "dips.toml", "--until", "starves", "--within", "link.core.loss=0..1 %")
    assert refused.returncode == 2
    assert "the question compares flows, and the scenario has 1" in refused.stderr


def test_a_single_flow_is_asked_whether_it_slows(cli: Cli, tmp_path: Path):
    """The first task of docs/start/tasks.md, `windward attack FILE`, with a law alone on a link."""
    (tmp_path / "own.toml").write_text(
        """
name = "own"
duration = "2 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms", buffer = "50 packets" }]
flow = [{ name = "f", from = "a", to = "b", law = "reno" }]
""",
        encoding="utf-8",
    )
    done = cli("attack", "own.toml", "--trials", "2", "--seeds", "1", "--confirm", "0", "--reference", "none")
    assert done.returncode in {0, 3}, done.stderr
    assert "slows: the flows have at most 50% of their goodput" in done.stdout


def test_nothing_found_has_its_own_exit_code(pair: ww.Scenario, cli: Cli):
    done = cli(
        "attack", "pair.toml", "--until", "starves:100", "--within", "link.accA.delay=+0..5 ms", "--trials", "12"
    )
    assert done.returncode == 3
    assert "not found" in done.stdout


def test_questions_are_read():
    assert read_question("bloats:250 ms").limit == 0.25
    assert read_question("idles:30%").limit == pytest.approx(0.3)
    assert read_question("starves").limit == 10

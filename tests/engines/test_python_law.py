"""Laws written in Python."""

import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from conftest import REPOSITORY, SMALL, Cli

import windward as ww
from windward._cli.describe import check

RENO = '''
class Reno:
    """crates/laws/src/reno.rs, line for line."""

    def __init__(self, cwnd, limit=float("inf")):
        self.cwnd = cwnd
        self.limit = limit
        self.ssthresh = float("inf")

    def on_ack(self, ack):
        if ack.app_limited or ack.recovering:
            return
        room = self.ssthresh - self.cwnd
        if room > 0:
            self.cwnd += min(ack.acked, max(room, 2.0), self.limit)
        else:
            self.cwnd += ack.acked / self.cwnd

    def on_congestion(self, event):
        self.ssthresh = max(event.flight / 2, 2.0)
        self.cwnd = 1.0 if event.kind == "timeout" else self.ssthresh

    def observe(self):
        return {"ssthresh": self.ssthresh}
'''


class Base:
    """A law that never moves."""

    def __init__(self, cwnd: float) -> None:
        self.cwnd = cwnd

    def on_ack(self, ack: ww.Ack) -> None: ...

    def on_congestion(self, event: ww.Congestion) -> None: ...


def test_reno_in_python_is_reno(scenario_file: Path) -> None:
    (scenario_file.parent / "mine.py").write_text(RENO)
    ours = ww.load(scenario_file).simulate(seeds=2)
    scenario_file.write_text(SMALL.replace('law = "reno"', 'law = { name = "python", class = "mine.py:Reno" }'))
    theirs = ww.load(scenario_file).simulate(seeds=2)
    assert ours.flows["timeouts"].sum() + ours.flows["recoveries"].sum() > 0
    pd.testing.assert_frame_equal(ours.flow_series, theirs.flow_series)
    pd.testing.assert_frame_equal(ours.internals, theirs.internals)
    assert list(theirs.flows["law"]) == ["Reno", "cubic", "cubic"] * 2


def test_parameters_come_from_the_file(scenario_file: Path) -> None:
    (scenario_file.parent / "mine.py").write_text(RENO)
    law = 'law = { name = "python", class = "mine.py:Reno", limit = 1.0 }'
    scenario_file.write_text(SMALL.replace('law = "reno"', law))
    slow = ww.load(scenario_file).simulate(seeds=1)
    scenario_file.write_text(SMALL.replace('law = "reno"', law.replace("1.0", "2.0")))
    quick = ww.load(scenario_file).simulate(seeds=1)
    assert not slow.flow_series["cwnd"].equals(quick.flow_series["cwnd"])


def test_a_class_is_a_law(link: Callable[..., ww.Scenario]) -> None:
    seen: list[ww.Ack] = []

    class Mine(Base):
        def on_ack(self, ack: ww.Ack) -> None:
            seen.append(ack)

    run = link(ww.Flow(from_="a", to="b", law=Mine, initial_window=4)).simulate()
    assert set(run.flow_series["cwnd"].dropna()) == {4.0}
    times = [ack.now for ack in seen]
    assert times == sorted(times)
    assert 0.02 <= seen[0].base_rtt < 0.04
    assert all(ack.acked > 0 and ack.flight >= 0 for ack in seen)
    with pytest.raises(AttributeError):
        seen[0].now = 0.0  # type: ignore[misc]


def test_cwnd_may_be_a_method_or_a_property(link: Callable[..., ww.Scenario]) -> None:
    class Method:
        def __init__(self, cwnd: float) -> None:
            self.window = cwnd

        def cwnd(self) -> float:
            return self.window

        def on_ack(self, ack: ww.Ack) -> None: ...

        def on_congestion(self, event: ww.Congestion) -> None: ...

    class Property(Method):
        cwnd = property(lambda self: self.window)  # type: ignore[assignment]

    frames = [link(ww.Flow(from_="a", to="b", law=law)).simulate().flow_series for law in (Base, Method, Property)]
    pd.testing.assert_frame_equal(frames[0], frames[1])
    pd.testing.assert_frame_equal(frames[0], frames[2])


def test_a_pacing_rate_is_kept(link: Callable[..., ww.Scenario]) -> None:
    class Paced(Base):
        pacing_rate = 100.0

    run = link(ww.Flow(from_="a", to="b", law=Paced, pacing=True), duration="10 s", warmup="1 s").simulate()
    # 100 segments a second over 9 s, one more or less.
    assert abs(int(run.flows["segments_sent"].iloc[0]) - 900) <= 1


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_ends_the_run_with_its_traceback(link: Callable[..., ww.Scenario], threads: int) -> None:
    class Breaks(Base):
        def on_ack(self, ack: ww.Ack) -> None:
            if ack.now > 0.5:
                raise LookupError("no such window")

    with pytest.raises(ww.LawError, match=r"Breaks: on_ack failed at 0\.5\d+ s: .*no such window") as failed:
        link(ww.Flow(from_="a", to="b", law=Breaks)).simulate(seeds=4, threads=threads)
    cause = failed.value.__cause__
    assert isinstance(cause, LookupError)
    assert cause.__traceback__ is not None
    assert cause.__traceback__.tb_frame.f_code.co_name == "on_ack"


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (float("nan"), "cwnd is NaN: a window is a number of packets from 0 to 4294967295"),
        (float("inf"), "cwnd is inf: a window is a number of packets from 0"),
        (-1.0, "cwnd is -1.0: a window is a number of packets from 0"),
        (10**400, "cwnd is beyond the range of a float: a window is a number of packets from 0 to 4294967295"),
        (-(10**400), "cwnd is beyond the range of a float: a window is"),
        (Fraction(10**400), "cwnd is beyond the range of a float: a window is"),
        (1j, "cwnd is of type complex: a law answers with a number"),
        (1e300, "cwnd is 1e300: a window is a number of packets from 0"),
        ("10", "cwnd is of type str: a law answers with a number"),
        (None, "cwnd is None"),
    ],
)
def test_impossible_windows_are_refused(link: Callable[..., ww.Scenario], window: object, message: str) -> None:
    class Wrong(Base):
        def on_ack(self, ack: ww.Ack) -> None:
            self.cwnd = window  # type: ignore[assignment]

    with pytest.raises(ww.LawError, match=message):
        link(ww.Flow(from_="a", to="b", law=Wrong)).simulate()


@pytest.mark.parametrize("rate", [0.0, 1e-300, 1e300, 10**400])
def test_impossible_rates_are_refused(link: Callable[..., ww.Scenario], rate: float) -> None:
    class Paced(Base):
        pacing_rate = rate

    with pytest.raises(ww.LawError, match="a rate is a number of packets a second from 1e-9 to 1e9, or None"):
        link(ww.Flow(from_="a", to="b", law=Paced)).simulate()


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        ({"x": 10**400}, "observe failed: LawError: x is beyond the range of a float: observe answers with a dict"),
        ({"x": "y"}, "observe failed: LawError: x is of type str"),
        ({1: 2}, "observe failed: LawError: type int: observe answers with a dict of numbers by their names"),
        ([1], "observe failed: LawError: type list: observe answers with a dict of numbers by their names"),
    ],
)
def test_impossible_internals_are_refused(scenario_file: Path, shown: object, message: str) -> None:
    (scenario_file.parent / "mine.py").write_text(RENO.replace('{"ssthresh": self.ssthresh}', repr(shown)))
    scenario_file.write_text(SMALL.replace('law = "reno"', 'law = { name = "python", class = "mine.py:Reno" }'))
    with pytest.raises(ww.LawError, match=message):
        ww.load(scenario_file).simulate(seeds=1)


def test_a_law_that_fails_leaves_the_seeds_that_had_finished(cli: Cli, scenario_file: Path) -> None:
    (scenario_file.parent / "mine.py").write_text(
        "count = 0\n\nclass Third:\n    def __init__(self, cwnd):\n        global count\n        count += 1\n"
        "        self.cwnd = cwnd if count < 3 else 1e300\n\n    def on_ack(self, ack): ...\n"
        "    def on_congestion(self, event): ...\n"
    )
    scenario_file.write_text(SMALL.replace('law = "reno"', 'law = { name = "python", class = "mine.py:Third" }'))
    done = cli("simulate", "small.toml", "-o", "out")
    assert done.returncode == 2
    assert "the seeds that had finished are saved in out\n" in done.stderr
    assert done.stderr.splitlines()[-1].startswith(
        "error: mine.py:Third: the constructor failed: LawError: cwnd is 1e300"
    )
    assert ww.open(scenario_file.parent / "out").seeds == (1, 2)


def test_what_is_no_law_is_refused(link: Callable[..., ww.Scenario]) -> None:
    class Nothing:
        def __init__(self, cwnd: float) -> None: ...

    with pytest.raises(ww.LawError, match="Nothing has no `on_ack`"):
        link(ww.Flow(from_="a", to="b", law=Nothing)).simulate()


@pytest.mark.parametrize("engine", ["run", "sweep"])
def test_the_law_s_thread_keeps_its_state(link: Callable[..., ww.Scenario], engine: str) -> None:
    """Calls of one run share Python's state of their thread: a new one for each costs as much as a short law."""

    class Counts:
        def __init__(self, cwnd: float) -> None:
            self.cwnd = 4.0
            self.own = threading.local()
            self.own.calls = 0

        def on_ack(self, ack: ww.Ack) -> None:
            self.own.calls += 1

        def on_congestion(self, event: ww.Congestion) -> None:
            self.own.calls += 1

    scenario = link(ww.Flow(from_="a", to="b", law=Counts))
    answer = scenario.simulate(seeds=2) if engine == "run" else scenario.sweep({"link.a->b.loss": [0, 0.01]}, seeds=2)
    if isinstance(answer, ww.Sweep):
        assert answer.failures.empty
    assert (answer.flows["goodput_bps"] > 0).all()


def test_the_command_line_shows_the_law_s_own_traceback(cli: Cli, scenario_file: Path) -> None:
    (scenario_file.parent / "mine.py").write_text(RENO.replace("self.limit)", "self.limt)"))
    scenario_file.write_text(SMALL.replace('law = "reno"', 'law = { name = "python", class = "mine.py:Reno" }'))
    result = cli("simulate", scenario_file.name)
    assert result.returncode == 2
    assert "self.cwnd += min(ack.acked, max(room, 2.0), self.limt)" in result.stderr
    assert "panicked" not in result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith("error: mine.py:Reno: on_ack failed at 0.")
    assert last.endswith("AttributeError: 'Reno' object has no attribute 'limt'")
    assert not (scenario_file.parent / "results" / "small").exists()


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ("nowhere.py:Law", "there is no file .*nowhere.py"),
        ("mine.py:Rneo", "mine.py has no class `Rneo`"),
        ("windward_laws_of_nobody:Law", "windward_laws_of_nobody cannot be imported"),
        ("broken.py:Law", "broken.py cannot be imported: SyntaxError"),
    ],
)
def test_laws_that_cannot_be_found(scenario_file: Path, law: str, message: str) -> None:
    (scenario_file.parent / "mine.py").write_text(RENO)
    (scenario_file.parent / "broken.py").write_text("class Law(")
    scenario_file.write_text(SMALL.replace('law = "reno"', f'law = {{ name = "python", class = "{law}" }}'))
    with pytest.raises(ww.ScenarioError, match=message):
        ww.load(scenario_file).simulate()


#: A law by its shape.
SHAPED = """
class Law:
    def __init__(self, cwnd, step=1.0):
        self.cwnd = cwnd
    def on_ack(self, ack):
        pass
    def on_congestion(self, event):
        pass
"""


@pytest.mark.parametrize(
    ("law", "text", "problem"),
    [
        ('class = "mine.py:Law"', SHAPED, None),
        ('class = "mine.py:Law", step = 2.0', SHAPED, None),
        ('class = "nowhere.py:Law"', SHAPED, "there is no file nowhere.py"),
        ('class = "no_module_of_anybody.laws:Law"', SHAPED, "there is no module `no_module_of_anybody.laws`"),
        ('class = "windward._format.own:Nothing"', SHAPED, "has no class `Nothing`"),
        ('class = "windward._format.own:Law"', SHAPED, None),
        ('class = "math:sqrt"', SHAPED, None),
        ('class = "mine.py:Lew"', SHAPED, "mine.py has no class `Lew`\nhint: did you mean `Law`?"),
        ('class = "mine.py:Law"', "class Law(", "mine.py:1: '(' was never closed"),
        ('class = "mine.py:Law"', SHAPED.replace("on_ack", "onack"), "`Law` has no method `on_ack`"),
        ('class = "mine.py:Law"', SHAPED.replace("self.cwnd", "self.window"), "`Law` has no attribute `cwnd`"),
        (
            'class = "mine.py:Law"',
            SHAPED.replace("self, ack", "self"),
            "`Law.on_ack` must take 1 argument besides self",
        ),
        ('class = "mine.py:Law", stop = 2.0', SHAPED, "takes (self, cwnd, step); it is given (self, cwnd, stop)"),
        ('class = "mine.py:Law"', SHAPED.replace("step=1.0", "step"), "it is given (self, cwnd)"),
        ('class = "mine.py:Law", stop = 2.0', SHAPED.replace("step=1.0", "**rest"), None),
        # What comes from elsewhere is not known before it runs.
        ('class = "mine.py:Law"', "from other import Law\n", None),
        ('class = "mine.py:Law"', "from other import *\n", None),
        ('class = "mine.py:Law"', "import other\nclass Law(other.Law): pass\n", None),
        ('class = "mine.py:Law"', "globals()['Law'] = None\n", None),
        ('class = "mine.py:Law"', "try:\n    from fast import Law\nexcept ImportError:\n    Law = None\n", None),
    ],
)
def test_check_looks_at_a_class_and_runs_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    law: str,
    text: str,
    problem: str | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(f"{text}\nopen('trace', 'w').close()\n")
    Path("own.toml").write_text(SMALL.replace('law = "reno"', f'law = {{ name = "python", {law} }}'))
    if problem is None:
        check(Path("own.toml"))
        assert "own.toml OK" in capsys.readouterr().out
    else:
        with pytest.raises(ww.ScenarioError) as refused:
            check(Path("own.toml"))
        assert str(refused.value).startswith("own.toml: law `")
        assert problem in str(refused.value)
    assert not Path("trace").exists()


def test_check_looks_at_schedulers_and_rules(tmp_path: Path) -> None:
    text = (REPOSITORY / "evidence/papers/seferoglu2014/diamond.toml").read_text()
    text = text.replace('k = "shared"', 'class = "rules.py:Mine", arguments = { bonus = 3.0 }')
    (tmp_path / "own.toml").write_text(text)
    (tmp_path / "rules.py").write_text(
        "class Mine:\n    def __init__(self, bonus): ...\n    def rank(self, pair): ...\n"
    )
    check(tmp_path / "own.toml")
    (tmp_path / "rules.py").write_text("class Mine:\n    def rank(self, pair): ...\n")
    with pytest.raises(ww.ScenarioError, match=r"rule `rules\.py:Mine`: `Mine` has no __init__; it is given bonus"):
        check(tmp_path / "own.toml")


@pytest.mark.parametrize("command", ["simulate", "emulate", "fluid", "compare"])
def test_no_python_runs_none(cli: Cli, tmp_path: Path, command: str) -> None:
    """The file that the scenario names would leave a trace; `check` runs none of it either."""
    (tmp_path / "trap.py").write_text("open('trace', 'w').close()\n" + SHAPED)
    (tmp_path / "trap.toml").write_text(
        """
name = "trap"
duration = "1 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "5 Mbit/s", delay = "20 ms" }]
flow = [{ from = "a", to = "b", law = { name = "python", class = "trap.py:Law" } }]
"""
    )
    refused = cli(command, "trap.toml", "--no-python")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "trap.toml: running it runs Python code, which --no-python refuses: class = `trap.py:Law`\n"
    )
    assert cli("check", "trap.toml").returncode == 0
    assert not (tmp_path / "trace").exists()
    if command == "simulate":
        cli(command, "trap.toml")
        assert (tmp_path / "trace").exists()
        (tmp_path / "sure.toml").write_text(
            (tmp_path / "trap.toml").read_text().replace("""{ name = "python", class = "trap.py:Law" }""", '"reno"')
        )
        assert cli(command, "sure.toml", "--no-python").returncode == 0

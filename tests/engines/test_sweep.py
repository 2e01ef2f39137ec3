"""Sweeps: what is run, what is kept whatever stops them, what goes on, and what is refused."""

import csv
import filecmp
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pytest
from conftest import Cli, environment

import windward as ww
from windward._engines.collect import choose
from windward._format.design import Design, read_points
from windward._format.vary import change, measure, read_field
from windward.results import _sweep
from windward.results._interrupts import held_back

#: Two flows on a short link: a run takes a millisecond.
SHORT = """\
name = "short"
duration = "2 s"
warmup = "500 ms"
seeds = 2

[[node]]
name = "a"

[[node]]
name = "b"

[[link]]
name = "air"
from = "a"
to = "b"
rate = "2 Mbit/s"
delay = "10 ms"
buffer = "20 packets"
loss = "1 %"
reverse = { loss = 0 }

[[flow]]
name = "one"
from = "a"
to = "b"
law = "reno"

[[flow]]
name = "two"
from = "a"
to = "b"
law = "cubic"
"""

GRID = {"link.air.loss": ["0.1 %", "1 %", "2 %"], "flow.two.law": ["cubic", "vegas"]}


@pytest.fixture
def short(tmp_path: Path) -> ww.Scenario:
    path = tmp_path / "short.toml"
    path.write_text(SHORT)
    return ww.load(path)


def alike(left: Path, right: Path) -> bool:
    """True if two folders hold the same files, byte for byte, except for locks."""
    names = [
        sorted(str(path.relative_to(top)) for path in top.rglob("*") if path.is_file() and "lock" not in path.name)
        for top in (left, right)
    ]
    return names[0] == names[1] and filecmp.cmpfiles(left, right, names[0], shallow=False)[0] == names[0]


def test_every_point_is_the_scenario_with_its_values(short: ww.Scenario, tmp_path: Path) -> None:
    sweep = short.sweep(GRID, output=tmp_path / "out")
    assert len(sweep.runs) == 3 * 2 * 2
    assert sweep.is_complete
    assert sweep.fields == ("link.air.loss", "flow.two.law")
    (tmp_path / "one.toml").write_text(SHORT.replace('"1 %"', '"2 %"').replace('"cubic"', '"vegas"'))
    alone = ww.load(tmp_path / "one.toml").simulate().flows
    rows = sweep.flows[(sweep.flows["link.air.loss"] == 0.02) & (sweep.flows["flow.two.law"] == "vegas")]
    for column in ("goodput_bps", "segments_lost", "mean_rtt_s"):
        np.testing.assert_array_equal(rows[column].to_numpy(), alone[column].to_numpy())
    run = sweep.runs[sweep.runs["point"] == 5].iloc[0]
    assert run["goodput_bps"] == alone[alone["seed"] == 1]["goodput_bps"].sum()
    means = sweep.means("goodput", by="flow")
    assert means[means["point"] == 5]["mean"].tolist() == pytest.approx(
        alone.groupby("flow", sort=False, observed=True)["goodput_bps"].mean().tolist()
    )


def test_threads_change_nothing(short: ww.Scenario, tmp_path: Path) -> None:
    short.sweep(GRID, output=tmp_path / "one", threads=1)
    short.sweep(GRID, output=tmp_path / "three", threads=3)
    assert alike(tmp_path / "one", tmp_path / "three")


def test_a_sweep_that_is_not_kept_can_be_read(short: ww.Scenario) -> None:
    sweep = short.sweep({"link.air.delay": "5..15 ms step 5"}, seeds=1)
    assert sweep.runs["link.air.delay"].tolist() == [0.005, 0.01, 0.015]
    folder = sweep.path
    del sweep
    assert not folder.exists()


@pytest.mark.parametrize("engine", ["fluid", "optimum"])
def test_engines_without_seeds(short: ww.Scenario, engine: str) -> None:
    sweep = short.sweep({"link.air.rate": ["1 Mbit/s", "2 Mbit/s", "4 Mbit/s"]}, engine=engine)
    goodputs = sweep.runs["goodput_bps"].tolist()
    assert "seed" not in sweep.runs.columns
    assert goodputs == sorted(goodputs)
    alone = short.optimum() if engine == "optimum" else short.fluid()
    assert goodputs[1] == pytest.approx(alone.flows["goodput_bps"].sum(), rel=1e-12)
    with pytest.raises(ValueError, match="has no seeds"):
        short.sweep({"link.air.rate": ["1 Mbit/s"]}, engine=engine, seeds=3)


def test_laws_of_ones_own(short: ww.Scenario, tmp_path: Path) -> None:
    class Fixed:
        def __init__(self, cwnd: float) -> None:
            self.cwnd = 4.0

        def on_ack(self, ack: ww.Ack) -> None: ...
        def on_congestion(self, event: ww.Congestion) -> None: ...

    class Broken(Fixed):
        def on_ack(self, ack: ww.Ack) -> None:
            raise ArithmeticError("on purpose")

    sweep = short.sweep({"flow.one.law": [Fixed, Broken, ww.Reno()], "link.air.loss": [0]}, seeds=1)
    assert sweep.runs["reason"].map(bool).tolist() == [False, True, False]
    assert "on purpose" in sweep.failures["reason"].iloc[0]
    assert np.isnan(sweep.runs["goodput_bps"][1])
    assert sweep.flows["point"].unique().tolist() == [0, 2]


# What stops a sweep.

MANY = ["--set", "link.air.loss=0.001..0.02 count 300", "--seeds", "2", "--output", "out", "--quiet"]


def lines(folder: Path) -> int:
    return sum(text.count(b"\n") for text in (file.read_bytes() for file in folder.glob("journal/*.jsonl")))


def start(tmp_path: Path, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    (tmp_path / "short.toml").write_text(SHORT)
    return subprocess.Popen(
        [sys.executable, "-m", "windward", "sweep", "short.toml", *MANY],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweep that the others are interrupted in."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "short.toml").write_text(SHORT)
    ww.load(folder / "short.toml").sweep({"link.air.loss": "0.001..0.02 count 300"}, seeds=2, output=folder / "out")
    return folder / "out"


def goes_on(tmp_path: Path, whole: Path) -> None:
    """Resumes the sweep: only missing runs are simulated, and the result equals an uninterrupted one."""
    kept = {(line["point"], line["seed"]) for line in map(json.loads, _journal(tmp_path / "out"))}
    fresh = []

    def progress(now: ww.Progress) -> None:
        assert now.resumed == len(kept) / 600
        fresh.append(now.finished - len(kept))

    sweep = ww.load(tmp_path / "short.toml").sweep(
        {"link.air.loss": "0.001..0.02 count 300"}, seeds=2, output=tmp_path / "out", progress=progress
    )
    assert fresh[-1] == 600 - len(kept)
    assert len(sweep.runs) == 600
    assert not sweep.runs.duplicated(["point", "seed"]).any()
    assert alike(tmp_path / "out", whole)


def _journal(folder: Path) -> list[str]:
    texts = [file.read_text() for file in sorted(folder.glob("journal/*.jsonl"))]
    return [line for text in texts for line in text.splitlines(keepends=True) if line.endswith("\n")]


def test_ctrl_c_in_a_law_in_python_is_no_result(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "laws.py").write_text(
        "from pathlib import Path\n"
        "class Slow:\n"
        "    def __init__(self, cwnd):\n"
        "        self.cwnd = cwnd\n"
        "    def on_ack(self, ack):\n"
        "        Path('began').touch()\n"
        "        while not Path('quick').exists():\n"
        "            pass\n"
        "    def on_congestion(self, event):\n"
        "        pass\n",
        encoding="utf-8",
    )
    (tmp_path / "s.toml").write_text(
        'name = "s"\nduration = "0.2 s"\nnode = [{ name = "a" }, { name = "b" }]\n'
        'link = [{ name = "l", from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]\n'
        'flow = [{ from = "a", to = "b", law = { name = "python", class = "laws.py:Slow" } }]\n',
        encoding="utf-8",
    )
    asked = ("sweep", "s.toml", "--set", "link.l.loss=0.1%,0.2%", "-o", "o", "-q")
    with subprocess.Popen([sys.executable, "-m", "windward", *asked], cwd=tmp_path) as process:
        end = time.monotonic() + 60
        while not (tmp_path / "began").exists() and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    # The runs that it stopped have not ended: the same command runs them.
    (tmp_path / "quick").touch()
    assert cli(*asked).returncode == 0
    assert not len(ww.Sweep.open(tmp_path / "o").failures)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
def test_what_was_finished_is_kept(tmp_path: Path, whole: Path, how: signal.Signals) -> None:
    process = start(tmp_path)
    while process.poll() is None and lines(tmp_path / "out") < 20:
        time.sleep(0.002)
    os.kill(process.pid, how)
    _, said = process.communicate()
    kept = lines(tmp_path / "out")
    assert 20 <= kept < 600
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert said == f"error: interrupted: {kept} of 600 runs finished; saved in out; the same command goes on\n"
    sweep = ww.Sweep.open(tmp_path / "out")
    assert not sweep.is_complete
    assert len(sweep.runs) == sweep.finished == kept
    goes_on(tmp_path, whole)


def test_ctrl_c_while_a_run_is_written(tmp_path: Path, short: ww.Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    write = _sweep._write_all

    def press(file: IO[bytes], line: bytes) -> None:
        write(file, line)
        if not pressed:
            pressed.append(line)
            signal.raise_signal(signal.SIGINT)

    pressed: list[bytes] = []
    monkeypatch.setattr(_sweep, "_write_all", press)
    with pytest.raises(ww.RunInterrupted) as stopped:
        short.sweep({"link.air.loss": "0.001..0.02 count 300"}, seeds=2, output=tmp_path / "out")
    # All that had finished by then, and the one that was being written.
    kept = lines(tmp_path / "out")
    assert 1 <= kept < 600
    assert str(stopped.value) == f"interrupted: {kept} of 600 runs finished"


def test_a_second_ctrl_c_does_not_wait() -> None:
    reached = []

    def work() -> None:
        with held_back():
            for step in ("first", "second"):
                signal.raise_signal(signal.SIGINT)
                reached.append(step)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["first"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_full_disk(tmp_path: Path, whole: Path) -> None:
    # A file that may not grow is refused in the middle of a line, as on a disk that is full.
    process = start(tmp_path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)))
    _, said = process.communicate()
    assert process.returncode == 2
    assert "out cannot be written: File too large\nhint: what has finished is kept" in said
    assert lines(tmp_path / "out") > 10
    goes_on(tmp_path, whole)


def test_a_torn_part_is_written_again(tmp_path: Path, whole: Path, short: ww.Scenario) -> None:
    shutil.copytree(whole, tmp_path / "out")
    # As if killed between the tables of a part: the runs, which are renamed last, are not there.
    (tmp_path / "out" / "runs" / "part-000000.parquet").unlink()
    (tmp_path / "out" / "flows" / ".windward-part-000000.parquet").write_bytes(b"half")
    short.sweep({"link.air.loss": "0.001..0.02 count 300"}, seeds=2, output=tmp_path / "out")
    assert alike(tmp_path / "out", whole)


def test_nothing_finished_nothing_kept(short: ww.Scenario, tmp_path: Path) -> None:
    def interrupt(progress: ww.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(ww.RunInterrupted, match="interrupted: 0 of 1 runs finished") as stopped:
        short.sweep({"duration": ["1000000 s"]}, seeds=1, output=tmp_path / "out", progress=interrupt)
    assert stopped.value.run is None
    assert not (tmp_path / "out").exists()


def test_only_one_writes(tmp_path: Path) -> None:
    process = start(tmp_path)
    try:
        while process.poll() is None and lines(tmp_path / "out") < 1:
            time.sleep(0.002)
        with pytest.raises(ww.ResultError, match="is in use: another run writes its results there"):
            ww.load(tmp_path / "short.toml").sweep(
                {"link.air.loss": "0.001..0.02 count 300"}, seeds=2, output=tmp_path / "out"
            )
    finally:
        process.kill()
        process.communicate()


# What is refused.


def test_points_are_never_mixed(short: ww.Scenario, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    short.sweep(GRID, output=folder)
    for other, said in (
        (lambda: short.sweep({**GRID, "link.air.loss": [0]}, output=folder), "other points"),
        (lambda: short.sweep(GRID, output=folder, seeds=3), "other seeds"),
        (lambda: short.sweep(GRID, output=folder, engine="fluid"), "was run by `simulate`, this sweep by `fluid`"),
    ):
        with pytest.raises(ww.ResultError, match=f"{said}.*not mixed with these\nhint: choose another folder"):
            other()
    (tmp_path / "short.toml").write_text(SHORT.replace("10 ms", "11 ms"))
    with pytest.raises(ww.ResultError, match="another scenario"):
        ww.load(tmp_path / "short.toml").sweep(GRID, output=folder)
    summary = json.loads((folder / "summary.json").read_text())
    for key, said in (("windward", "version 0.0.1 of Windward"), ("build", "another build of Windward")):
        changed = {**summary, "identity": {**summary["identity"], key: "0.0.1"}}
        (folder / "summary.json").write_text(json.dumps(changed))
        with pytest.raises(ww.ResultError, match=said):
            short.sweep(GRID, output=folder)


def test_other_results_are_left_alone(short: ww.Scenario, tmp_path: Path) -> None:
    short.sweep(GRID, output=tmp_path / "sweep")
    short.simulate(output=tmp_path / "run")
    with pytest.raises(ww.ResultError, match="holds a sweep; it is not overwritten"):
        short.simulate(output=tmp_path / "sweep")
    with pytest.raises(ww.ResultError, match="holds a result of `simulate`, no sweep"):
        short.sweep(GRID, output=tmp_path / "run")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    with pytest.raises(ww.ResultError, match=r"contains `letter\.txt` and is not a Windward result"):
        short.sweep(GRID, output=tmp_path / "mine")


def test_entries_without_a_name_of_their_own_are_reached() -> None:
    station = [{"node": "near", "at": ["0 m", "0 m"]}, {"node": "far", "at": ["90 m", "0 m"]}]
    points = [{"time": "0 s", "at": ["0 m", "0 m"]}, {"time": "9 s", "at": ["5 m", "0 m"]}]
    walker = {"node": "walker", "motion": {"kind": "waypoints", "points": points}}
    plain = {
        "wifi": [{"name": "air", "station": [*station, walker], "loss": [{"from": "near", "to": "far"}]}],
        "cell": [{"name": "lte", "station": [{"node": "phone", "snr": "10 dB"}]}],
        "region": [{"name": "r", "limit": [{"weights": [1, 2], "most": "1 Mbit/s"}]}],
        "change": [{"link": "l", "at": "1 s"}, {"link": "l", "at": "2 s"}, {"station": "far", "at": "1 s"}],
    }

    def changed(path: str, value: object) -> dict[str, Any]:
        return change(plain, {path: value})

    assert changed("wifi.air.station.far.at", ["-9 m", "1 m"])["wifi"][0]["station"][1]["at"] == ["-9 m", "1 m"]
    assert changed("wifi.air.station.far.at.0", "7 m")["wifi"][0]["station"][1]["at"] == ["7 m", "0 m"]
    assert changed("wifi.air.station.*.buffer", "1 packets")["wifi"][0]["station"][2]["buffer"] == "1 packets"
    moved = changed("wifi.air.station.walker.motion.points.1.time", "3 s")["wifi"][0]["station"][2]
    assert [point["time"] for point in moved["motion"]["points"]] == ["0 s", "3 s"]
    assert changed("wifi.air.loss.near->far.probability", 0.5)["wifi"][0]["loss"][0]["probability"] == 0.5
    assert changed("cell.lte.station.phone.snr", "3 dB")["cell"][0]["station"][0]["snr"] == "3 dB"
    assert changed("region.r.limit.0.weights.1", 5)["region"][0]["limit"][0]["weights"] == [1, 5]
    assert [each["at"] for each in changed("change.1.at", "3 s")["change"]] == ["1 s", "3 s", "1 s"]
    assert [each["at"] for each in changed("change.far.at", "3 s")["change"]] == ["1 s", "2 s", "3 s"]
    for path, said in {
        "wifi.air.station.fra.at": "there are: near, far, walker, and * for all\nhint: did you mean `far`",
        "wifi.air.station.walker.motion.points.x.time": "there is no points `x`; there are: 0, 1, and * for all",
        "change.l.at": "several change tables are of `l`; give a number: 0, 1",
        "wifi.air.station.far.at.x": "names a whole at, not a field of it",
        "wifi.air.station.far.at.2": "names a whole at, not a field of it",
        "wifi.air.station.far": "names a whole station, not a field of it",
    }.items():
        with pytest.raises(ValueError, match=re.escape(said)):
            changed(path, 1)


def test_a_station_is_swept_by_name(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(
        """
name = "w"
duration = "1 s"
node = [{ name = "near" }, { name = "far" }]
[[wifi]]
name = "air"
station = [{ node = "near", at = ["0 m", "0 m"] }, { node = "far", at = ["90 m", "0 m"] }]
[[flow]]
from = "near"
to = "far"
law = "reno"
"""
    )
    places = 'wifi.air.station.far.at=["10 m","0 m"],["-90 m","0 m"]'
    run = cli("sweep", "w.toml", "--set", places, "-o", "o", "--json")
    assert run.returncode in (0, 1), run.stderr
    near = json.loads(run.stdout)[0]
    assert near["wifi.air.station.far.at"] == '["10 m", "0 m"]'
    assert near["goodput"]["mean"] > 1e5
    run = cli("sweep", "w.toml", "--set", "wifi.air.station.far.at.0=10..90 m step 40", "-o", "p", "--json")
    assert run.returncode == 0, run.stderr
    assert [row["wifi.air.station.far.at.0"] for row in json.loads(run.stdout)] == [10, 50, 90]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["link.air.loss"], "give a field and its values, such as link.air.loss=0,0.1%,1%"),
        (["link.air.loss="], "no values given"),
        (["link..loss=1"], "not the path of a field"),
        (["link.ayr.loss=0"], "there is no link `ayr`; there are: air, and \\* for all\nhint: did you mean `air`"),
        (["link.air.los=0"], "link.air.los=0: link\\[0\\].los: unknown key `los`(.|\n)*did you mean `loss`"),
        (["flow.*.law=reno,cubik"], "flow.\\*.law=cubik: flow\\[0\\].law.name: unknown law `cubik`(.|\n)*`cubic`"),
        (["cell.x.slot=1 ms"], "the scenario has no `cell`"),
        (["link.air=1"], "names a whole link, not a field of it"),
        (["duration.x=1"], '`duration` is "2 s", not a table\nhint: give it whole'),
        (["seeds=1,2"], "not a field to be varied: seeds are chosen apart"),
        (["link.air.loss=0", "link.air.loss=1"], "given twice; give all its values at once"),
        (["link.air.delay=1..10 ms"], "does not say which values\nhint: add `step 1`"),
        (["link.air.delay=1 s..10 ms step 1"], "both ends of a range need one unit, not `s` and `ms`"),
        (["link.air.delay=0..10 ms log 3"], "begins and ends above zero"),
        (["link.air.delay=1..10 ms step -1"], "the step of a range is above zero, not -1"),
        (["link.air.delay=10..1 ms step 1"], "10..1 ms step 1: the range falls\nhint: a range rises, as in 1..10 ms"),
        (["link.air.loss=2%..1% count 3"], "the range falls\nhint: a range rises, as in 1%..2% count 3"),
        (["link.air.rate=1e3..1 Mbit/s log 3"], "the range falls\nhint: a range rises, as in 1..1e3 Mbit/s log 3"),
        (["link.air.delay=1 ms, 5 ms..-5 ms"], "the range falls\nhint: a range rises, as in -5 ms..5 ms"),
        (["law=reno,cubic"], r"law: not a field to be varied: each flow has its law, as in flow.\*.law=reno,cubic"),
        (["link.air.delay=1..10 ms count 2.5"], "whole number from 2, not 2.5"),
        (["link.air.delay=0..1 s step 0.0000001"], "has 10000001 values; at most 1000000"),
    ],
)
def test_mistakes_are_told(short: ww.Scenario, texts: list[str], said: str) -> None:
    from windward._engines.sweep import Asked, sweep

    with pytest.raises(ValueError, match=said):
        sweep(Asked(scenario=short._compile().engine, design=Design(fields=tuple(map(read_field, texts)))))


def test_mistakes_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(SHORT)
    result = cli("sweep", "short.toml", "--set", "flow.*.law=reno,cubik")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("flow.*.law=cubik: flow[0].law.name: unknown law `cubik`; laws: reno,")
    assert not (tmp_path / "results").exists()


def test_engines_are_checked(short: ww.Scenario) -> None:
    with pytest.raises(ValueError, match=r"unknown engine `fluids`.*\nhint: did you mean `fluid`"):
        short.sweep(GRID, engine="fluids")
    with pytest.raises(ValueError, match="on slurm: not a place to run; allowed: ray, ray://HOST:PORT"):
        short.sweep(GRID, on="slurm")
    with pytest.raises(ValueError, match="utility `max-min`: `simulate` has none"):
        short.sweep(GRID, utility="max-min")


# Values and points.


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x=0,0.1%,1%", [0, "0.1%", "1%"]),
        ("x=10..30 step 10", [10, 20, 30]),
        ("x=0..1 step 0.25", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("x=10..40 Mbit/s step 15", ["10 Mbit/s", "25 Mbit/s", "40 Mbit/s"]),
        ("x=1 ms..3 ms count 3, 10 ms", ["1 ms", "2 ms", "3 ms", "10 ms"]),
        ("x=1..1000 ms log 4", ["1 ms", "10 ms", "100 ms", "1000 ms"]),
        ("x=-3..3 dB count 3", ["-3 dB", "0 dB", "3 dB"]),
        ('x=reno,{ name = "quic-tcp", backlog = 20 }', ["reno", {"name": "quic-tcp", "backlog": 20}]),
        ("x=true,false", [True, False]),
        ("x=[1, 2],3", [[1, 2], 3]),
        ('x="a,b",c', ["a,b", "c"]),
    ],
)
def test_values_are_read(text: str, values: list[object]) -> None:
    assert list(read_field(text).values) == values


@pytest.mark.parametrize(
    ("values", "kind", "unit", "scale"),
    [
        ([1, 2], "integer", "", 1),
        ([0, "0.1%", "1 %"], "number", "%", 0.01),
        (["1 ms", "20 ms"], "number", "ms", 0.001),
        (["1 s", "20 ms"], "number", "s", 1),
        (["10 packets", "100 ms"], "text", "", 1),
        (["10 packets", "unlimited"], "text", "", 1),
        (["reno", "cubic"], "text", "", 1),
        ([True, False], "text", "", 1),
    ],
)
def test_columns_are_in_base_units(values: list[object], kind: str, unit: str, scale: float) -> None:
    found = measure(values)
    assert (found.kind, found.unit, found.scale) == (kind, unit, scale)


def test_paths() -> None:
    plain = {
        "flow": [{"from": "a", "to": "b", "law": "reno"}, {"name": "x.y", "law": {"name": "cubic"}}],
        "link": [{"name": "l"}],
    }
    changed = change(plain, {"flow.*.law": "vegas", "link.l.reverse.loss": 0.1, 'flow."x.y".count': 2})
    assert [flow["law"] for flow in changed["flow"]] == ["vegas", "vegas"]
    assert changed["link"][0]["reverse"] == {"loss": 0.1}
    assert changed["flow"][1]["count"] == 2
    assert change(plain, {"flow.a->b.law.beta": 1})["flow"][0]["law"] == {"name": "reno", "beta": 1}
    assert plain["flow"][0]["law"] == "reno"


def test_a_latin_hypercube_has_each_part_of_each_range_once() -> None:
    design = Design(fields=(read_field("a=0..10 ms"), read_field("b=1..1000 log"), read_field("c=x,y")), samples=20)
    a, b, c = zip(*(design.values(point) for point in range(len(design))), strict=True)
    assert sorted(int(float(text.removesuffix(" ms")) * 2) for text in a) == list(range(20))
    assert sorted(int(20 * np.log10(value) / 3) for value in b) == list(range(20))
    assert (c.count("x"), c.count("y")) == (10, 10)
    # Fields are not in step with one another.
    assert abs(np.corrcoef([float(text.removesuffix(" ms")) for text in a], np.log(b))[0, 1]) < 0.6


def test_points_from_files(short: ww.Scenario, tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text('link.air.loss,flow.two.law\n0.1%,vegas\n1 %,"{name = ""fast"", alpha = 9}"\n')
    (tmp_path / "points.toml").write_text(
        '[[point]]\n"link.air.loss" = "0.1%"\n"flow.two.law" = "vegas"\n'
        '[[point]]\n"link.air.loss" = "1 %"\n"flow.two.law" = { name = "fast", alpha = 9 }\n'
    )
    tables = [read_points(tmp_path / f"points.{end}") for end in ("csv", "toml")]
    assert tables[0] == tables[1]
    sweep = short.sweep(points=tmp_path / "points.csv", seeds=1)
    assert sweep.runs["flow.two.law"].tolist() == ["vegas", "fast(alpha=9)"]
    crossed = short.sweep({"link.air.delay": ["5 ms", "9 ms"]}, points=tmp_path / "points.toml", seeds=1)
    assert crossed.runs["link.air.delay"].tolist() == [0.005, 0.009, 0.005, 0.009]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.csv", "", "p.csv:1: the first line names the fields"),
        ("p.csv", "a,b\n1\n", "p.csv:2: 1 values for 2 fields"),
        ("p.csv", "a\n", "there are no points in it"),
        ("p.csv", "seeds\n1\n", "seeds: not a field to be varied"),
        ("p.toml", "x = ", "p.toml: "),
        ("p.toml", "x = 1", "nothing but \\[\\[point\\]\\] tables"),
        ("p.toml", '[[point]]\n"a.b" = 1\n[[point]]\n"a.c" = 1\n', "point 2: `a.b` is not in every point"),
        ("p.toml", "[[point]]\nlink.air.loss = 1\n", 'write the path in quotes: "link.air"'),
        ("p.txt", "", "points are read from .csv or .toml"),
    ],
)
def test_files_of_points_are_checked(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=said):
        read_points(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.toml", '[[point]]\n"link.air.loss" = 1979-05-27\n', "`1979-05-27` is not a value of a scenario"),
        ("p.toml", '[[point]]\n"link.air.loss" = [{ a = 12:00:00 }]\n', "is not a value of a scenario"),
        ("p.toml", '[[point]]\n"link.air.loss" = nan\n', "`nan` is not a value"),
        ("p.toml", f'[[point]]\n"link.air.loss" = 1{"0" * 400}\n', "is not a value of a scenario"),
        ("p.toml", f'[[point]]\n"link.air.loss" = {"[" * 100_000}\n', "p.toml: "),
        ("p.csv", f"link.air.loss\n{'x' * 200_000}\n", "p.csv:2: no line of a CSV file: field larger"),
        ("p.csv", f"link.air.loss\n{'1' * 5000}\n", None),
        ("p.csv", f"link.air.loss\n{'[' * 100_000}\n", None),
        ("p.csv", "link.air.loss\n1979-05-27\n", None),
    ],
    ids=range(9),
)
def test_odd_cells_are_refused_in_words(
    short: ww.Scenario, tmp_path: Path, name: str, text: str, said: str | None
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=said):
        short.sweep(points=tmp_path / name, output=tmp_path / "out")


@pytest.mark.parametrize("values", ["0..1e400 step 1", "1..2 count 1e400", "0..1e400 count 3", "-1e308..1e308 count 3"])
def test_ranges_are_finite(values: str) -> None:
    with pytest.raises(ValueError, match="finite"):
        read_field(f"link.air.loss={values}")


def test_the_number_of_points_is_bounded() -> None:
    fields = tuple(read_field(f"link.{name}.loss=0..1 count 3000") for name in "abc")
    with pytest.raises(ValueError, match="27000000000 points; at most 1000000 are allowed\nhint: give fewer values"):
        Design(fields=fields)
    with pytest.raises(ValueError, match="300000000 points; at most 1000000"):
        Design(fields=(read_field("link.a.loss=0..1"),), samples=300_000_000)
    with pytest.raises(ValueError, match="at most 1000000"):
        choose(10**12, [1])


def test_a_sweep_whose_runs_all_fail(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(SHORT)
    fails = 'flow.one.law={ name = "python", class = "nowhere.py:Law" }'
    done = cli("sweep", "short.toml", "--set", fails, "--seeds", "1", "-o", "out")
    assert (done.returncode, done.stderr) == (1, "")
    assert "there is no file nowhere.py" in done.stdout
    assert "1 of 1 runs" in cli("show", "out").stdout
    as_json = cli("sweep", "short.toml", "--set", fails, "--seeds", "1", "-o", "out", "--json")
    assert json.loads(as_json.stdout)[0]["point"] == 0
    assert cli("report", "out").returncode == 0
    refused = cli("plot", "out")
    assert (refused.returncode, refused.stderr) == (2, "error: there is nothing to show: all 1 runs in out failed\n")


def test_parts_whose_runs_all_failed_are_no_hindrance(
    short: ww.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windward.results._sweep._POINTS", 1)
    # Only the first point is tried beforehand; the second cannot be.
    delays = ["10 ms", "-1 ms", "20 ms"]
    sweep = short.sweep(points=[{"link.air.delay": delay} for delay in delays], seeds=1, output=tmp_path / "out")
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 3
    assert len(sweep.failures) == 1
    assert "goodput" in sweep.figures
    means = sweep.means("goodput")["mean"]
    assert means.isna().tolist() == [False, True, False]


def test_a_failed_point_does_not_end_the_others(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(SHORT)
    (tmp_path / "points.csv").write_text("link.air.delay\n10 ms\n-1 ms\n20 ms\n")
    result = cli("sweep", "short.toml", "--points", "points.csv", "--seeds", "1", "--output", "out")
    assert result.returncode == 1
    assert "1 of 3 runs" in result.stdout
    sweep = ww.Sweep.open(tmp_path / "out")
    assert sweep.is_complete
    assert sweep.runs["reason"].str.contains("negative").tolist() == [False, True, False]
    assert sweep.failures["point"].tolist() == [1]


# Who reads it.


def test_other_programs_open_it(short: ww.Scenario, tmp_path: Path) -> None:
    sweep = short.sweep(GRID, output=tmp_path / "out")
    expected = sweep.flows.groupby("flow.two.law")["goodput_bps"].mean()
    read = pd.read_parquet(tmp_path / "out" / "flows").groupby("flow.two.law")["goodput_bps"].mean()
    pd.testing.assert_series_equal(read, expected)
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.read_parquet(tmp_path / "out" / "flows")
    assert frame["goodput_bps"].to_list() == sweep.flows["goodput_bps"].tolist()
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    rows = duckdb.sql(f"""select "flow.two.law", avg(goodput_bps) from '{tmp_path}/out/flows/*.parquet' group by 1""")
    assert dict(rows.fetchall()) == pytest.approx(expected.to_dict())


def test_a_sweep_is_shown_and_drawn(cli: Cli, short: ww.Scenario, tmp_path: Path) -> None:
    short.sweep(GRID, output=tmp_path / "out")
    shown = cli("show", "out").stdout.splitlines()
    assert shown[1] == "`simulate` at 6 points × 2 seeds · mean ± 95 % confidence interval over the seeds"
    assert shown[3].split()[:3] == ["link.air.loss", "flow.two.law", "goodput"]
    assert len([line for line in shown if line.startswith(("0.1 %", "1 %", "2 %"))]) == 6
    assert cli("plot", "out", "--output", "goodput.svg").stdout == "goodput.svg\n"
    refused = cli("plot", "out", "--over", "link.air.los")
    assert refused.returncode == 2
    assert "the sweep does not vary `link.air.los`; fields: link.air.loss, flow.two.law\nhint" in refused.stderr


def test_figures(short: ww.Scenario) -> None:
    sweep = short.sweep({**GRID, "link.air.delay": ["5 ms", "20 ms"]})
    (axes,) = sweep.plot("goodput").axes
    assert [line.get_label() for line in axes.get_lines()] == ["cubic", "vegas"]
    assert axes.get_xlabel() == "link.air.loss (%)"
    means = sweep.means("goodput")
    drawn = means[(means["flow.two.law"] == "cubic") & (means["link.air.delay"] == 0.005)]
    np.testing.assert_allclose(axes.get_lines()[0].get_ydata(), drawn["mean"] / 1e6)
    # The band is the interval.
    top = axes.collections[0].get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx((drawn["mean"] + drawn["ci95"]).max() / 1e6)
    heat = sweep.plot("rtt", over=["link.air.delay", "link.air.loss"])
    assert heat.axes[1].get_ylabel() == "mean RTT (ms)"
    assert heat.axes[0].collections[0].get_array().shape == (3, 2)
    flows = sweep.plot("loss", over="link.air.delay", by="flow").axes[0]
    assert [line.get_label() for line in flows.get_lines()] == ["one", "two"]
    with pytest.raises(ValueError, match="unknown figure `goodputs`; figures: goodput, fairness"):
        sweep.plot("goodputs")
    with pytest.raises(ValueError, match="unknown figure `fairness` by flow"):
        sweep.plot("fairness", by="flow")
    with pytest.raises(ValueError, match="is along the axis already"):
        sweep.plot(over="link.air.loss", by="link.air.loss")
    samples = short.sweep({"link.air.delay": "5..20 ms", "link.air.loss": "0..1 %"}, latin=6, seeds=1)
    assert samples.plot().axes[0].get_xlabel() == "link.air.delay (ms)"
    assert len(samples.plot(over=["link.air.delay", "link.air.loss"]).axes) == 2


def test_a_value_is_meant_as_tables_print_it(cli: Cli, short: ww.Scenario, tmp_path: Path) -> None:
    values = {"link.air.loss": ["0.123456789 %", "1 %"], "link.air.delay": ["7.777778 ms", "20 ms"]}
    sweep = short.sweep(values, output=tmp_path / "out", seeds=1)
    head, *rows = csv.reader(io.StringIO(cli("show", "out", "--as", "csv", "--table", "points").stdout))
    assert head[:2] == ["link.air.loss (%)", "link.air.delay (ms)"]
    assert rows[0][:2] == ["0.123456789", "7.777778"]
    printed = next(line for line in cli("show", "out").stdout.splitlines() if line.startswith("0.12"))
    loss, delay = re.split(r"  +", printed)[:2]
    assert (loss, delay) == ("0.123457 %", "7.77778 ms")
    expected = sweep.means("goodput")["mean"].iloc[0] / 1e6
    for meant in (delay, "7.777778 ms", "7.777778", 7.777778e-3):
        (axes,) = sweep.plot("goodput", over="link.air.loss", at={"link.air.delay": meant}).axes
        assert axes.get_lines()[0].get_ydata()[0] == pytest.approx(expected)
    drawn = cli("plot", "out", "--over", "link.air.delay", "--at", f"link.air.loss={loss}")
    assert (drawn.returncode, drawn.stdout) == (0, "goodput.svg\n")
    refused = cli("plot", "out", "--over", "link.air.delay", "--at", "link.air.loss=2 %")
    assert refused.returncode == 2
    assert "link.air.loss: no point has 2 % there; values: 0.123457 %, 1 %" in refused.stderr

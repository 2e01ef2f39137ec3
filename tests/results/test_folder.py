"""Result folders: one run at a time, and nothing of an older result is lost before the new one is whole."""

import ast
import json
import math
import os
import pty
import re
import resource
import shutil
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, Cli, environment

import windward as ww
from windward.results import _files
from windward.results._folder import ResultFolder, to_json
from windward.results._lock import LOCK, InUseError
from windward.results._place import claim
from windward.results._summary import Rows
from windward.results._swap import JOURNAL
from windward.results._tables import Totals

QUICK = """\
name = "quick"
title = "Über den Fluß"
duration = "200 ms"
seeds = 2
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "5 Mbit/s", delay = "10 ms", buffer = "20 packets", loss = "1 %" }]
flow = [{ name = "f", from = "a", to = "b", law = "reno" }]
"""


class Fails:
    """A law that ends the first run in which it is made."""

    cwnd = 10.0

    def __init__(self, cwnd: float) -> None:
        raise ZeroDivisionError

    def on_ack(self, ack: ww.Ack) -> None: ...
    def on_congestion(self, event: ww.Congestion) -> None: ...


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    path = tmp_path / "quick.toml"
    path.write_text(QUICK, encoding="utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("verb", ["simulate", "optimum", "fluid", "compare"])
def test_an_older_result_stays_and_is_replaced_when_asked_for(cli: Cli, quick: Path, verb: str) -> None:
    """Into a relative folder, as people do."""
    options = ["--no-emulate"] if verb == "compare" else []
    kept = quick.parent / "kept"
    assert cli(verb, quick.name, "-o", "kept", *options).returncode == 0
    before = contents(kept)
    assert "summary.json" in before
    again = cli(verb, quick.name, "-o", "kept", *options)
    assert again.returncode == 0
    assert again.stderr == "kept holds an older result; this run goes to kept-2\n"
    assert contents(kept) == before == contents(quick.parent / "kept-2")
    (kept / "notes.txt").write_text("mine", encoding="utf-8")
    assert cli("report", "kept").returncode == 0
    done = cli(verb, quick.name, "-o", "kept", *options, "--replace")
    assert (done.returncode, done.stderr) == (0, "")
    assert contents(kept) == before | {"notes.txt": b"mine"}
    assert names(quick.parent) == ["kept", "kept-2", "quick.toml"]


def test_results_of_runs_without_a_folder_are_numbered(cli: Cli, quick: Path) -> None:
    assert cli("simulate", quick.name, "-q").stderr == ""
    first = contents(quick.parent / "results" / "quick")
    for number in (2, 3):
        said = cli("simulate", quick.name, "--seeds", "1")
        where = f"results/quick-{number}"
        assert said.stderr == f"results/quick holds an older result; this run goes to {where}\n"
        assert said.stdout.endswith(f"results in {where}\n")
    assert contents(quick.parent / "results" / "quick") == first
    assert ww.open(quick.parent / "results" / "quick-3").seeds == (1,)
    assert cli("simulate", quick.name, "-q", "--seeds", "1", "--replace").returncode == 0
    assert names(quick.parent / "results") == ["quick", "quick-2", "quick-3"]
    assert ww.open(quick.parent / "results" / "quick").seeds == (1,)


@pytest.mark.parametrize(("answer", "code", "seeds"), [("y", 0, (1,)), ("n", 2, (1, 2))])
def test_a_terminal_is_asked(quick: Path, answer: str, code: int, seeds: tuple[int, ...]) -> None:
    out = quick.parent / "out"
    ww.load(quick).simulate(output=out)
    terminal, other = pty.openpty()
    command = [sys.executable, "-m", "windward", "simulate", quick.name, "-q", "--seeds", "1", "-o", "out"]
    run = subprocess.Popen(command, cwd=quick.parent, env=environment(), stdin=other, stderr=other)
    os.close(other)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(terminal, 1000)
    assert b"out holds a result of `simulate`; replace it?" in said
    os.write(terminal, f"{answer}\n".encode())
    assert run.wait(60) == code
    os.close(terminal)
    assert ww.open(out).seeds == seeds
    assert names(quick.parent) == ["out", "quick.toml"]


def test_one_run_at_a_time(cli: Cli, quick: Path) -> None:
    with claim(quick.parent / "out"), claim(quick.parent / "results" / "quick"):
        refused = cli("simulate", quick.name, "-q", "-o", "out")
        assert (refused.returncode, refused.stderr) == (
            2,
            "error: out is in use: another run writes its results there\n"
            "hint: wait until it has ended, or choose another folder\n",
        )
        assert cli("sweep", quick.name, "--set", "link.a->b.loss=0", "-o", "out").returncode == 2
        with pytest.raises(InUseError):
            ww.load(quick).simulate(output=quick.parent / "out", replace=True)
        said = cli("simulate", quick.name, "-q")
        assert (said.returncode, said.stderr) == (0, "results/quick is in use; this run goes to results/quick-2\n")
        assert ww.open(quick.parent / "results" / "quick-2").is_complete
    assert names(quick.parent) == ["quick.toml", "results"]
    assert cli("simulate", quick.name, "-q", "-o", "out").returncode == 0
    assert names(quick.parent / "out") == ["scenario.toml", "seed-1", "seed-2", "summary.json"]


def test_runs_at_once_into_one_folder(quick: Path) -> None:
    """One of them has it; of the others one that comes meanwhile is refused, one that comes later is numbered."""
    command = [sys.executable, "-m", "windward", "simulate", quick.name, "-q", "--seeds", "50", "-o", "out"]
    runs = [
        subprocess.Popen(command, cwd=quick.parent, env=environment(), stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    ended = [(run.communicate()[1], run.returncode) for run in runs]
    done = [said for said, code in ended if code == 0]
    assert done.count("") == 1
    assert all(said == "" or said.startswith("out holds an older result; this run goes to out-") for said in done)
    assert all(code in (0, 2) and (code == 0 or "out is in use" in said) for said, code in ended)
    results = [path for path in quick.parent.iterdir() if path.is_dir()]
    assert len(results) == len(done)
    assert all(ww.open(path).is_complete and len(ww.open(path).seeds) == 50 for path in results)


def test_an_older_result_stays_where_the_new_one_fails(quick: Path) -> None:
    scenario, out = ww.load(quick), quick.parent / "out"
    scenario.simulate(output=out)
    before = contents(out)
    failing = ww.Scenario(
        name="failing",
        duration="1 s",
        node=scenario.node,
        link=scenario.link,
        flow=[ww.Flow(from_="a", to="b", law=Fails)],
    )
    for replace in (False, True):
        with pytest.raises((ww.LawError, ww.ResultError)):
            failing.simulate(output=out, replace=replace)
        assert contents(out) == before
    assert names(quick.parent) == ["out", "quick.toml"]


def test_an_interrupted_run_leaves_the_result_that_it_was_to_replace(quick: Path) -> None:
    scenario, out = ww.load(quick), quick.parent / "out"
    scenario.simulate(output=out)
    before = contents(out)

    def interrupt(progress: ww.Progress) -> None:
        if progress.finished >= 2:
            raise KeyboardInterrupt

    with pytest.raises(ww.RunInterrupted):
        scenario.simulate(seeds=100_000, output=out, replace=True, progress=interrupt)
    assert contents(out) == before
    run = ww.open(quick.parent / "out-2")
    assert len(run.seeds) >= 2
    assert not run.is_complete


def test_what_others_have_written_is_in_the_way_and_stays(quick: Path) -> None:
    scenario, out = ww.load(quick), quick.parent / "out"
    scenario.simulate(output=out, seeds=[1])
    (out / "seed-2").mkdir()
    (out / "seed-2" / "thesis.tex").touch()
    with pytest.raises(ww.ResultError, match="seed-2 is not of the older result"):
        scenario.simulate(output=out, replace=True)
    assert ww.open(out).seeds == (1,)
    assert ww.open(quick.parent / "out-2").seeds == (1, 2)
    assert (out / "seed-2" / "thesis.tex").exists()


def test_nothing_is_removed_that_no_run_has_noted(quick: Path) -> None:
    """Only staging folders that a killed run noted in its lock are removed; others that look alike stay."""
    out, elsewhere = quick.parent / "out", quick.parent / "elsewhere"
    staged, foreign, link = (out / f".windward-{digit * 16}" for digit in "123")
    for folder in (staged, foreign, elsewhere):
        folder.mkdir(parents=True)
        (folder / "file").touch()
    link.symlink_to(elsewhere)
    noted = [staged.name, link.name, "../elsewhere", "seed-1"]
    (out / LOCK).write_text("\n".join(noted) + "\n", encoding="ascii")
    ww.load(quick).simulate(output=out)
    assert not staged.exists()
    assert (foreign / "file").exists()
    assert (elsewhere / "file").exists()
    assert link.is_symlink()
    assert not (out / LOCK).exists()


def test_a_lock_is_not_written_through_a_link(quick: Path) -> None:
    out = quick.parent / "out"
    out.mkdir()
    (out / LOCK).symlink_to(quick.parent / "victim")
    with pytest.raises(ww.ResultError, match="cannot be written"):
        ww.load(quick).simulate(output=out)
    assert not (quick.parent / "victim").exists()


def test_the_seeds_of_a_run_are_those_in_its_folder(quick: Path) -> None:
    """The summary of a run that was killed may be older than its last seeds."""
    out = quick.parent / "out"
    ww.load(quick).simulate(output=out, seeds=3)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    (out / "summary.json").write_text(json.dumps(summary | {"complete": False, "finished": [1]}), encoding="utf-8")
    (out / "seed-2").rename(out / ".windward-0123456789abcdef")
    run = ww.open(out)
    assert (run.seeds, run.is_complete) == ((1, 3), False)
    assert len(run.flows) == 2


def test_the_summary_is_not_written_after_each_of_many_seeds(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a tenth of the time at most, so that the time of many seeds is linear."""
    took_s, count = 0.01, 0
    write = ResultFolder.write_summary

    def slow(folder: ResultFolder, summary: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        time.sleep(took_s)
        write(folder, summary)

    monkeypatch.setattr(ResultFolder, "write_summary", slow)
    began = time.monotonic()
    ww.load(quick).simulate(output=quick.parent / "out", seeds=60)
    assert 2 <= count <= (time.monotonic() - began) / (10 * took_s) + 3
    assert ww.open(quick.parent / "out").seeds == tuple(range(1, 61))


def test_a_comparison_that_was_interrupted_says_what_is_there(cli: Cli, quick: Path) -> None:
    out = quick.parent / "out"
    ww.load(quick).compare(emulate=False, output=out)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    (out / "summary.json").write_text(json.dumps(summary | {"complete": False}), encoding="utf-8")
    said = cli("show", "out")
    assert (said.returncode, said.stderr) == (
        2,
        "error: out holds a comparison that was interrupted\n"
        "hint: answers of engines are in out/optimum, out/fluid, out/simulate\n",
    )
    assert cli("compare", quick.name, "--no-emulate", "-o", "out", "--replace").returncode == 0
    assert cli("show", "out").returncode == 0


def test_sweeps_that_differ_get_folders_of_their_own(cli: Cli, quick: Path) -> None:
    one, two = (["sweep", quick.name, "-q", "--set", f"link.a->b.loss={loss}"] for loss in ("0", "0,1%"))
    assert cli(*one).returncode == cli(*two).returncode == 0
    said = cli(*two)
    assert (said.returncode, said.stderr) == (
        0,
        "results/quick-sweep holds another result; this one is in results/quick-sweep-2\n",
    )
    assert names(quick.parent / "results") == ["quick-sweep", "quick-sweep-2"]
    assert ww.Sweep.open(quick.parent / "results" / "quick-sweep-2").points == 2


@pytest.mark.parametrize("what", [["report", "out", "-o", "old.html"], ["plot", "out", "-o", "old.svg"]])
def test_a_full_disk_leaves_the_old_file(cli: Cli, quick: Path, what: list[str]) -> None:
    assert cli("simulate", quick.name, "-q", "-o", "out").returncode == 0
    old = quick.parent / what[-1]
    old.write_text("the old, whole page", encoding="utf-8")

    def full() -> None:
        # Writing beyond a size fails as writing to a full disk does.
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    command = [sys.executable, "-m", "windward", *what]
    environ = environment() | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=quick.parent, env=environ, capture_output=True, text=True, check=False, preexec_fn=full
    )
    assert done.returncode == 2
    assert old.name in done.stderr
    assert "Traceback" not in done.stderr
    assert old.read_text(encoding="utf-8") == "the old, whole page"
    assert names(quick.parent) == sorted(["out", "quick.toml", old.name])


def test_a_search_on_a_full_disk_leaves_no_folder(quick: Path) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    quick.write_text(
        quick.read_text(encoding="utf-8").replace('duration = "200 ms"', 'duration = "3 s"'), encoding="utf-8"
    )
    what = ["attack", quick.name, "--until", "slows:1%", "--within", "link.a->b.loss=0..4 %", "--trials", "2"]
    environ = environment() | {"PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "windward", *what, "-q", "-o", "found"]
    done = subprocess.run(
        command, cwd=quick.parent, env=environ, capture_output=True, text=True, check=False, preexec_fn=full
    )
    assert (done.returncode, done.stderr) == (2, "error: found cannot be written: File too large\n")
    assert names(quick.parent) == ["quick.toml"]


@pytest.mark.parametrize("more", [[], ["--pcap"]])
def test_a_disk_that_is_full_from_the_start_is_said_in_words(quick: Path, more: list[str]) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    command = [sys.executable, "-m", "windward", "simulate", quick.name, "-q", "-o", "out", *more]
    environ = environment() | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=quick.parent, env=environ, capture_output=True, text=True, check=False, preexec_fn=full
    )
    assert done.returncode == 2
    assert re.fullmatch(r"error: out\S*( cannot be written)?: File too large\n", done.stderr)
    assert names(quick.parent) == ["quick.toml"]


def test_a_file_is_replaced_with_its_mode_and_not_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine", encoding="utf-8")
    (tmp_path / "page").symlink_to("victim")
    _files.replace_text(tmp_path / "page", "ü")
    assert (tmp_path / "page").read_bytes() == "ü".encode()
    assert (tmp_path / "victim").read_text(encoding="utf-8") == "mine"
    (tmp_path / "victim").chmod(0o640)
    _files.replace_text(tmp_path / "victim", "new")
    assert (tmp_path / "victim").stat().st_mode & 0o777 == 0o640
    with pytest.raises(IsADirectoryError) as refused:
        _files.replace_text(tmp_path, "")
    assert refused.value.filename == str(tmp_path)
    _files.replace_text(Path(os.devnull), "nothing")
    assert names(tmp_path) == ["page", "victim"]


def test_files_are_utf8_whatever_the_locale(quick: Path) -> None:
    environ = environment() | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "windward", "simulate", quick.name, "-q", "-o", "out"]
    done = subprocess.run(command, cwd=quick.parent, env=environ, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    run = ww.open(quick.parent / "out")
    assert (run.title, run.seeds) == ("Über den Fluß", (1, 2))
    assert 'title = "Über den Fluß"' in run.scenario


@pytest.mark.parametrize(
    "path", sorted((REPOSITORY / "python").rglob("*.py")), ids=lambda path: str(path.relative_to(REPOSITORY / "python"))
)
def test_every_text_file_is_opened_with_its_encoding(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or any(key.arg == "encoding" for key in node.keywords):
            continue
        *receiver, called = ast.unparse(node.func).split(".")
        # The engine's function of this name reads UTF-8 alone.
        assert receiver in ([], ["_engine"]) or called not in ("read_text", "write_text"), f"line {node.lineno}"
        # Descriptors, pages in a browser and results are opened by others.
        if called == "open" and receiver[-1:] != ["os"] and receiver[-1:] != ["webbrowser"]:
            modes = [each.value for each in node.args if isinstance(each, ast.Constant)]
            is_result = (
                path.name == "open.py" or bool(receiver and receiver[-1][0].isupper()) or "kinds" in str(receiver)
            )
            assert is_result or any("b" in str(mode) for mode in modes), f"line {node.lineno}"


def _swap_until(older: Path, newer: Path, moves: int) -> bool:
    """Replaces a result in a child that is killed before a move; returns true if it was."""
    child = os.fork()
    if child == 0:
        left = moves

        def counted(move: Callable[..., object]) -> Callable[..., object]:
            def wrapped(*arguments: object, **options: object) -> object:
                nonlocal left
                left -= 1
                if left < 0:
                    os._exit(9)
                return move(*arguments, **options)

            return wrapped

        for name in ("rename", "replace", "unlink", "rmdir"):
            setattr(os, name, counted(getattr(os, name)))
        with claim(older, "replace") as place:
            for file in newer.iterdir():
                shutil.copytree(file, place.path / file.name) if file.is_dir() else shutil.copy(file, place.path)
            place.settle()
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


@pytest.mark.parametrize("reader", ["open", "replace"])
def test_a_replacement_that_is_killed_is_finished_by_the_next_command(
    quick: Path, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any number of moves the folder has the old result or the new one, and takes a newer."""
    monkeypatch.setattr(os, "sync", lambda: None)
    scenario, old, new = ww.load(quick), quick.parent / "old", quick.parent / "new"
    scenario.simulate(output=old, seeds=[1])
    (old / "notes.txt").write_text("mine", encoding="utf-8")
    scenario.simulate(output=new, seeds=[1, 2])
    either = [contents(old), contents(new) | {"notes.txt": b"mine"}]
    for moves in range(100):
        out = quick.parent / "out"
        shutil.copytree(old, out)
        was_killed = _swap_until(out, new, moves)
        is_begun = not was_killed or (out / JOURNAL).exists()
        if reader == "open":
            ww.open(out)
            there = {name: data for name, data in contents(out).items() if not name.startswith(".windward-")}
            assert there == either[1] or (there == either[0] and not is_begun)
        scenario.simulate(output=out, seeds=[5], replace=True)
        assert ww.open(out).seeds == (5,)
        assert names(out) == ["notes.txt", "scenario.toml", "seed-5", "summary.json"]
        for folder in (out, quick.parent / "out-2"):
            shutil.rmtree(folder, ignore_errors=True)
        if not was_killed:
            return
    raise AssertionError("it never ended")


def test_what_a_killed_run_made_to_replace_another_goes(quick: Path) -> None:
    scenario, out, beside = ww.load(quick), quick.parent / "out", quick.parent / "out-2"
    scenario.simulate(output=out)
    shutil.copytree(out, beside)
    summary = (beside / "summary.json").read_text(encoding="utf-8")
    for complete, left in (("true", ["out", "out-2", "quick.toml"]), ("false", ["out", "quick.toml"])):
        (beside / "summary.json").write_text(
            summary.replace('"complete": true', f'"complete": {complete}'), encoding="utf-8"
        )
        (out / LOCK).write_text("../out-2\n", encoding="ascii")
        scenario.simulate(output=out, seeds=[1], replace=True)
        assert names(quick.parent) == left


@pytest.mark.parametrize("seeds", [1, 2])
def test_rows_of_a_summary_are_the_encoder_s_text(seeds: int) -> None:
    """That of one seed is made column by column: names with quotes, numbers that are missing or without end."""
    table = {
        "link": ['a"b', "ä->b", "c"],
        "rate_bps": [1e9, 2.5e6, 1 / 3],
        "packets": array("Q", [0, 2**63, 7]),
        "utilization": array("d", [math.nan, math.inf, 1e-300]),
    }
    rows = Rows(Totals(kind="links", tables=[table] * seeds))
    expected = json.JSONEncoder(allow_nan=False, ensure_ascii=False)
    assert list(rows.texts()) == [expected.encode(row) for row in rows]


def test_an_older_result_is_known_by_the_head_of_its_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a large one are not parsed: they take 200 MB. A summary that is cut off is no result's."""
    head = {"windward": "0.1.0", "engine": "simulate", "name": "many", "seeds": [1, 2]}
    rows = [{"flow": f'"a": [\n    {{"{at}'} for at in range(3)]
    file = tmp_path / "summary.json"
    file.write_text(to_json(head | {"flows": rows, "links": rows}), encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(_files, "read_json", lambda path: pytest.fail(f"{path} is parsed"))
        assert _files.read_head(file) == head
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole[:-2], encoding="utf-8")
    with pytest.raises(json.JSONDecodeError):
        _files.read_head(file)
    for other in (json.dumps(head | {"flows": rows}), json.dumps(head | {"flows": rows}, indent=2), to_json(head)):
        file.write_text(other, encoding="utf-8")
        assert _files.read_head(file) == json.loads(other)
    file.write_text(to_json({"flows": rows} | head), encoding="utf-8")
    assert _files.read_head(file) == head | {"flows": rows}

"""Other systems than Linux: each command answers there, or says in one line that it needs Linux."""

import json
import re
import subprocess
import sys
from pathlib import Path

from conftest import REPOSITORY, environment

from windward._cli.main import COMMANDS

#: Names of Python's modules that only Linux has.
LINUX_ONLY = {
    "os": ["sched_getaffinity", "sched_setaffinity", "pidfd_open", "eventfd", "memfd_create", "setns", "unshare"],
    "select": ["epoll"],
    "socket": ["AF_NETLINK", "AF_PACKET", "SO_BINDTODEVICE", "SO_MARK"],
    "resource": ["prlimit"],
    "signal": ["SIGRTMIN", "SIGRTMAX"],
}

SMALL = """\
name = "small"
duration = "1 s"
seeds = 2
node = [{ name = "a" }, { name = "b" }]
link = [{ name = "l", from = "a", to = "b", rate = "5 Mbit/s", delay = "10 ms", buffer = "50 packets", loss = 0.001 }]
flow = [{ name = "f", from = "a", to = "b", law = "quic-tcp" }]
"""

#: A line for each command: its arguments, and its exit codes there.
RUNS: dict[str, tuple[list[str], tuple[int, ...]]] = {
    "simulate": (["s.toml", "-o", "run"], (0,)),
    "emulate": (["s.toml"], (2,)),
    "fluid": (["s.toml"], (0,)),
    "optimum": (["s.toml"], (0,)),
    "compare": (["s.toml"], (0,)),
    "sweep": (["s.toml", "--set", "link.l.loss=0,0.01", "-o", "swept"], (0,)),
    "tune": (["s.toml", "--set", "law.backlog=1..100 log", "--trials", "10", "-o", "tuned"], (0,)),
    "attack": (
        ["s.toml", "--until", "slows:60%", "--within", "link.l.loss=0..50 %", "--reference", "none", "-o", "attacked"],
        (0,),
    ),
    "explore": (["--help"], (0,)),
    "link": (["--rate", "1mbit", "--", "true"], (2,)),
    "show": (["run"], (0,)),
    "plot": (["run", "-o", "t.svg"], (0,)),
    "report": (["run"], (0,)),
    "export": (["run", "--as", "iperf3", "-o", "t.json"], (0,)),
    "get": (["http://127.0.0.1:9/nothing"], tuple(range(1, 13))),
    "serve": (["."], (2,)),
    "send": (["s.toml", "http://127.0.0.1:9/"], tuple(range(1, 13))),
    "kernel": (["list"], (2,)),
    "claims": (["--help"], (0,)),
    "reproduce": (["--help"], (0,)),
    "init": (["dumbbell"], (0,)),
    "check": (["s.toml"], (0,)),
    "laws": ([], (0,)),
    "cite": (["s.toml"], (0, 2)),
    "schema": ([], (0,)),
}

#: Runs the commands one after the other, without what only Linux has.
DRIVER = """\
import contextlib, importlib, io, json, sys, traceback
names, engine, runs = json.load(open("asked.json"))
for module, own in names.items():
    module = importlib.import_module(module)
    for name in own:
        if hasattr(module, name):
            delattr(module, name)
from windward import _engine
for name in engine:
    delattr(_engine, name)
from windward._cli.main import main
answers = {}
for command, (arguments, _) in runs.items():
    sys.argv = ["windward", command, *arguments]
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        try:
            main()
            code = 0
        except SystemExit as error:
            code = error.code or 0
        except BaseException:
            code = -1
            traceback.print_exc(file=said)
    answers[command] = [code, said.getvalue()]
json.dump(answers, open("answers.json", "w"))
"""


def linux_only_of_the_engine() -> list[str]:
    """The names that the engine has on Linux alone."""
    text = (REPOSITORY / "crates" / "py" / "src" / "lib.rs").read_text(encoding="utf-8")
    (block,) = re.findall(r'#\[cfg\(target_os = "linux"\)\]\n    \{\n(.*?)\n    \}', text, flags=re.DOTALL)
    return re.findall(r"(?:pyfunction!\(|add_class::<)\w+::(\w+)", block)


def test_every_command_answers_without_linux(tmp_path: Path) -> None:
    assert set(RUNS) == set(COMMANDS)
    names = linux_only_of_the_engine()
    assert {"EmulationJob", "kernel_laws", "transfer_serve"} <= set(names)
    (tmp_path / "s.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "asked.json").write_text(json.dumps([LINUX_ONLY, names, RUNS]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads((tmp_path / "answers.json").read_text(encoding="utf-8"))
    for command, (code, said) in answers.items():
        assert code in RUNS[command][1], (command, code, said)
        assert "Traceback" not in said, (command, said)
        if RUNS[command][1] == (2,):
            assert "Linux" in said, (command, said)

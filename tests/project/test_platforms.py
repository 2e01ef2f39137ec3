"""Other systems than Linux: each command answers there, or says in one line that it needs Linux."""

import fcntl
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY, environment

from windward._cli.main import COMMANDS
from windward.results import _portable
from windward.results._lock import InUseError, Lock

#: Names of Python's modules that only Linux has.
LINUX_ONLY: dict[str, list[str]] = {
    "os": ["sched_getaffinity", "sched_setaffinity", "pidfd_open", "eventfd", "memfd_create", "setns", "unshare"],
    "select": ["epoll"],
    "socket": ["AF_NETLINK", "AF_PACKET", "SO_BINDTODEVICE", "SO_MARK"],
    "resource": ["prlimit"],
    "signal": ["SIGRTMIN", "SIGRTMAX"],
}

#: Names that macOS has too, but not Windows.
UNIX_ONLY: dict[str, list[str]] = {
    "os": [
        *LINUX_ONLY["os"],
        *("O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "O_NONBLOCK", "pread", "pwrite", "fchmod", "chown", "sync"),
        *("geteuid", "getuid", "getpgid", "setsid", "killpg", "fork", "mkfifo", "statvfs", "getloadavg"),
    ],
    "signal": [*LINUX_ONLY["signal"], "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGALRM", "SIGUSR1", "SIGCHLD", "SIGTSTP"],
    "socket": [*LINUX_ONLY["socket"], "AF_UNIX"],
    "select": [*LINUX_ONLY["select"], "poll"],
}

#: Modules that Windows has not.
UNIX_MODULES = ["fcntl", "termios", "resource", "pwd", "grp", "pty", "tty", "syslog", "readline", "curses"]

#: What stands for its own module of locks here.
MSVCRT = """\
import errno, fcntl, os
LK_NBLCK = 2
def locking(file, mode, bytes_, *, _lock=fcntl.lockf, _flags=fcntl.LOCK_EX | fcntl.LOCK_NB):
    assert mode == LK_NBLCK and bytes_ == 1
    try:
        _lock(file, _flags, 1, os.lseek(file, 0, os.SEEK_CUR))
    except OSError as error:
        raise PermissionError(errno.EACCES, "Permission denied") from error
"""

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
    "evaluate": (["reno", "--only", "7", "--seeds", "3", "--no-smallest", "-o", "judged"], (0, 3)),
    "bench": (["reno", "--stage", "1"], (0,)),
    "discover": (["--help"], (0,)),
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
names, hidden, engine, runs = json.load(open("asked.json"))
if hidden:
    # Python's own modules take a module `msvcrt` for Windows: they come first.
    import ctypes, multiprocessing, shutil, socketserver, subprocess, tempfile
    sys.path.insert(0, "hidden")
    shutil._use_fd_functions = False
    for module in hidden:
        sys.modules[module] = None
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


def of_the_engine(condition: str) -> list[str]:
    """The names that the engine has under a condition alone."""
    text = (REPOSITORY / "crates" / "py" / "src" / "lib.rs").read_text(encoding="utf-8")
    # Transfers are a feature, which the package has.
    either = rf'(?:{condition}|all\({condition}, feature = "transfer"\))'
    found = re.findall(rf"#\[cfg\({either}\)\]\n    (\{{\n.*?\n    \}}|module\.[^\n]*)", text, flags=re.DOTALL)
    return re.findall(r"(?:pyfunction!\(|add_class::<)\w+::(\w+)", "\n".join(found))


@pytest.mark.parametrize(("missing", "hidden"), [(LINUX_ONLY, []), (UNIX_ONLY, UNIX_MODULES)], ids=["mac", "windows"])
def test_every_command_answers_without_linux(tmp_path: Path, missing: dict[str, list[str]], hidden: list[str]) -> None:
    assert set(RUNS) == set(COMMANDS)
    names = of_the_engine('target_os = "linux"') + (of_the_engine("unix") if hidden else [])
    assert {"EmulationJob", "kernel_laws", "transfer_serve"} <= set(names)
    assert ("transfer_get" in names) == bool(hidden)
    (tmp_path / "s.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "asked.json").write_text(json.dumps([missing, hidden, names, RUNS]), encoding="utf-8")
    if hidden:
        (tmp_path / "hidden").mkdir()
        (tmp_path / "hidden" / "msvcrt.py").write_text("LK_NBLCK = 2\nlocking = lambda *_: None\n", encoding="utf-8")
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


def test_a_folder_is_locked_without_fcntl_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows locks a byte; another process is refused it, and gets it when the first has let go."""
    (tmp_path / "msvcrt.py").write_text(MSVCRT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_portable, "fcntl", None)
    folder = tmp_path / "result"
    mine = Lock(folder)
    mine.note(folder / ".windward-0123456789abcdef")
    other = (
        "import sys; from pathlib import Path; from windward.results import _portable; _portable.fcntl = None\n"
        "from windward.results._lock import Lock\n"
        "sys.path.insert(0, sys.argv[2]); Lock(Path(sys.argv[1])).release()\n"
    )
    command = [sys.executable, "-c", other, str(folder), str(tmp_path)]
    refused = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60)
    assert "InUseError" in refused.stderr, refused.stderr
    mine.release()
    granted = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60)
    assert granted.returncode == 0, granted.stderr
    assert not folder.exists()


def test_locks_of_files_are_those_of_the_kernel_here(tmp_path: Path) -> None:
    with (tmp_path / ".windward-lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(InUseError, match="is in use"):
            Lock(tmp_path)

"""Fixtures and helpers: a small scenario, the command line as a user runs it, and retries on a busy machine."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from commands import Commands
from web import LENGTH, Site, noise

import windward as ww

REPOSITORY = Path(__file__).parent.parent

SMALL = """\
name = "small"
title = "Do Reno and CUBIC share a link?"
cite = ["huang2020"]
duration = "5 s"
warmup = "1 s"
seeds = 3
stack = "rfc"
[output]
internals = true

[[node]]
name = "a"

[[node]]
name = "b"

[[link]]
from = "a"
to = "b"
rate = "5 Mbit/s"
delay = "10 ms"
buffer = "20 packets"
loss = "0.2 %"
reverse = { loss = 0 }

[[flow]]
name = "reno"
from = "a"
to = "b"
law = "reno"

[[flow]]
name = "cubic"
from = "a"
to = "b"
law = "cubic"
count = 2
start_spread = "500 ms"

[[background]]
name = "voice"
from = "a"
to = "b"
pattern = { kind = "cbr", rate = "64 kbit/s" }
packet = "200 B"
"""

#: This Python as a word of a shell: the clone may lie in a folder with spaces in its name.
PYTHON = shlex.quote(sys.executable)

Cli = Callable[..., subprocess.CompletedProcess[str]]
Get = Callable[..., subprocess.CompletedProcess[str]]

#: Patience of downloads that fits a test: what is waited for there never comes.
HASTY = ("--retry-wait", "0.01", "--stall-timeout", "1")


Result = TypeVar("Result")

# A shell that runs the tests in the background lets them ignore Ctrl-C, and every process that they start with them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than processors: many tests wait for a server or a timer."""
    return (os.cpu_count() or 1) + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Adds what was skipped, and why, to the list that `make test` prints at its end."""
    if (path := os.environ.get("WINDWARD_SKIPPED")) is None:
        return
    with Path(path).open("a") as file:
        for report in terminalreporter.stats.get("skipped", []):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            file.write(f"{report.nodeid}: {reason.removeprefix('Skipped: ')}\n")


#: What the commands print, as it was accepted.
SNAPSHOTS = REPOSITORY / "tests" / "snapshots"


def matches(name: str, result: subprocess.CompletedProcess[str]) -> None:
    """Holds exit code, output and errors against the committed text."""
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    text = f"exit code {result.returncode}\n--- stdout\n" + "\n".join(lines) + f"\n--- stderr\n{result.stderr}"
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("WINDWARD_SNAPSHOTS") == "update":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


#: What takes long to import, and what else a command that prints numbers does not need.
HEAVY = {"matplotlib", "numpy", "pandas", "pyarrow", "rich", "scipy"}


def loaded(code: str, folder: Path) -> set[str]:
    """The heavy modules that a program has imported at its end."""
    code = f"{code}\nimport sys\nprint('LOADED', *sorted({HEAVY!r} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split()[1:])


def in_time(run: Callable[[], Result], problem: Callable[[Result], object]) -> Result:
    """The first of at most five runs that the machine kept in time: what is asserted of it is not its load's doing.

    Parameters
    ----------
    run
        Runs something that depends on the clock.
    problem
        What disturbed a run, by its own account; nothing that is true where nothing did.
    """
    problems = []
    for _ in range(5):
        result = run()
        if not (why := problem(result)):
            return result
        problems.append(str(why))
        print(f"once more: {why}")
    pytest.skip(f"the machine was too busy in {len(problems)} runs: {problems[0]}")


def environment() -> dict[str, str]:
    """No terminal, no colours, one width: the same output everywhere."""
    kept = {key: value for key, value in os.environ.items() if key not in {"FORCE_COLOR", "PYTHONWARNINGS"}}
    return kept | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120", "PYTHONUTF8": "1"}


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    """The small scenario as a file in a folder of its own."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    """Server of command lines, started with the first."""
    with Commands(environment()) as commands:
        yield commands


@pytest.fixture
def cli(tmp_path: Path, commands: Commands) -> Cli:
    """Runs the command line in the test's folder."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return commands.run([*map(str, arguments)], tmp_path, environment())

    return run


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """No proxies, nobody's passwords, a cache of its own."""
    kept = {key: value for key, value in environment().items() if not key.lower().endswith("_proxy")}
    return kept | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "NETRC": str(tmp_path / "netrc")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder for downloaded files; nothing may appear beside it."""
    path = tmp_path / "here"
    path.mkdir()
    return path


@pytest.fixture
def get(folder: Path, surroundings: dict[str, str], commands: Commands) -> Get:
    """Runs `windward get` there; in an interpreter of its own if `before` prepares it, or variables that it reads."""

    def run(
        *arguments: str | Path, before: Callable[[], None] | None = None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        words = ["get", *HASTY, *map(str, arguments)]
        if before is None and not any(name.startswith("PYTHON") for name in more):
            return commands.run(words, folder, surroundings | more, patience=120)
        return subprocess.run(
            [sys.executable, "-m", "windward", *words],
            cwd=folder,
            env=surroundings | more,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            preexec_fn=before,
        )

    return run


@pytest.fixture
def site() -> Site:
    """A file of several leases."""
    return Site(noise(LENGTH))


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> ww.Run:
    """The small scenario, simulated into a folder and opened from there."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(SMALL)
    ww.load(folder / "small.toml").simulate(output=folder / "results")
    return ww.open(folder / "results")


@pytest.fixture
def link() -> Callable[..., ww.Scenario]:
    """Makes a scenario of one lossy link with the flows given."""

    def make(*flows: ww.Flow, **fields: object) -> ww.Scenario:
        settings: dict[str, object] = {"name": "link", "duration": "5 s", "folder": Path()}
        return ww.Scenario(
            node=[ww.Node(name="a"), ww.Node(name="b")],
            link=[
                ww.Link(from_="a", to="b", rate="5 Mbit/s", delay="10 ms", buffer="20 packets", loss=0.002),
            ],
            flow=flows,
            **(settings | fields),
        )

    return make

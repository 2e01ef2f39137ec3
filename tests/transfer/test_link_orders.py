"""`windward link` with ports of this machine, and orders while it runs: for tests in any language."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Cli, environment
from linked import needs_links
from servers import datagrams, web
from test_link_objects import ask, fetch

from windward.testing import Address
from windward.transfer._describe import CHANGEABLE


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def published(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A link until the end of the block, and the environment of those that give it orders."""
    variables = environment() | {"XDG_RUNTIME_DIR": str(folder)}
    words = [sys.executable, "-m", "windward", "link", *options]
    with subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as link:
        assert link.stdout is not None
        try:
            said = [link.stdout.readline() for _ in range(options.count("--publish") + 1)]
            assert "runs; end it by Ctrl-C" in said[-1]
            assert all("leads across the link to port" in line for line in said[:-1])
            yield link, variables
        finally:
            link.send_signal(signal.SIGINT)
            link.wait(timeout=20)


def order(variables: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "windward", "link", "ctl", *words]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=20)


def test_the_help_of_orders_names_all_that_can_change() -> None:
    text = order(environment(), "--help").stdout
    assert f"change {', '.join(CHANGEABLE[:-1])} or {CHANGEABLE[-1]};" in text
    assert "trace" in CHANGEABLE


@needs_links
def test_a_published_port_leads_across_the_link(tmp_path: Path) -> None:
    """Orders by the command, and by a program of any language that writes a line of JSON."""
    with web() as site, datagrams() as echo:
        to_site, to_echo = free_port(), free_port()
        ports = ["--publish", f"{to_site}:{site}", "--publish", f"127.0.0.1:{to_echo}:{echo}"]
        options = [*ports, "--name", "t1", "--rate", "50mbit", "--report", str(tmp_path / "report.json")]
        with published(tmp_path, *options) as (link, variables):
            assert len(fetch(Address("127.0.0.1", to_site), 10_000)) == 10_000
            address = Address("127.0.0.1", to_echo)
            assert ask(address, b"hello") == b"hello"
            changed = order(variables, "t1", "change", "delay=100ms,0", "loss=0")
            assert (changed.stdout, changed.stderr, changed.returncode) == ("", "", 0)
            began = time.monotonic()
            ask(address, b"slow")
            assert time.monotonic() - began >= 0.1
            assert order(variables, "t1", "down", "400ms").returncode == 0
            ask(address, b"waits")
            report = json.loads(order(variables, "t1", "report").stdout)
            assert report["quality"]["packets"] > 10
            with socket.socket(socket.AF_UNIX) as talk:
                talk.connect(str(tmp_path / f"windward-link-{os.getuid()}" / "t1"))
                for sent, expected in [
                    ('{"do": "change", "delay": "0 ms", "up": {"loss": 0.5}}', {}),
                    ('{"do": "down", "seconds": 0.01}', {}),
                    ('{"do": "fly"}', None),
                    ("nonsense", None),
                    ('{"do": "change", "rate": "no"}', None),
                ]:
                    talk.sendall(sent.encode() + b"\n")
                    answer = json.loads(talk.recv(10_000))
                    assert answer == expected if expected is not None else "error" in answer
            for words, said in [
                (["t1", "down", "soon"], "expected a time"),
                (["t1", "change", "rate"], "expected KEY=VALUE"),
                (["t1", "change", "colour=red"], "cannot change"),
                (["t2", "up"], "no link `t2`"),
            ]:
                refused = order(variables, *words)
                assert (refused.returncode, said in refused.stderr) == (2, True), refused.stderr
            again = subprocess.run(
                [sys.executable, "-m", "windward", "link", "--name", "t1", "--rate", "1mbit"],
                env=variables,
                capture_output=True,
                text=True,
                timeout=20,
            )
            assert (again.returncode, "another link of this name runs" in again.stderr) == (2, True)
        assert link.returncode == 0
        assert json.loads((tmp_path / "report.json").read_text())["down"]["packets"] > 10
        assert list((tmp_path / f"windward-link-{os.getuid()}").iterdir()) == []


@needs_links
def test_a_command_behind_a_link_with_a_name_gives_it_orders(cli: Cli, tmp_path: Path) -> None:
    """By the socket in its environment; its output and exit code are its own."""
    script = "import json, os, socket, sys\n"
    script += "talk = socket.socket(socket.AF_UNIX); talk.connect(os.environ['WINDWARD_LINK'])\n"
    script += 'talk.sendall(b\'{"do": "report"}\\n\'); print(sorted(json.loads(talk.recv(100000)))); sys.exit(7)'
    run = cli("link", "--rate", "1mbit", "--name", "t3", "--", sys.executable, "-c", script)
    assert (run.stdout, run.returncode) == ("['down', 'quality', 'seconds', 'up']\n", 7), run.stderr
    run = cli("link", "--rate", "1mbit", "--name", "t3", "--", "no-such-program")
    assert (run.stderr, run.returncode) == ("error: no-such-program: command not found\n", 127)


def test_profiles_are_listed_with_their_source(cli: Cli) -> None:
    run = cli("link", "--list-profiles")
    assert run.returncode == 0
    for name in ("slow-4g", "lte", "train"):
        assert f"\n{name}\n" in f"\n{run.stdout}"
    assert run.stdout.count("    Source: ") == run.stdout.count("\n") // 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--publish", "80"], "--publish 80: expected [HOST:]PORT:PORT"),
        (["--publish", "80:0"], "--publish 80:0: expected [HOST:]PORT:PORT"),
        (["--name", "a/b"], "--name a/b: expected letters"),
        ([], "give a command after --"),
        (["--profile", "nowhere"], "give a command after --"),
    ],
)
def test_what_cannot_be_is_said(cli: Cli, options: list[str], said: str) -> None:
    run = cli("link", "--rate", "1mbit", *options)
    assert (run.returncode, said in run.stderr) == (2, True), run.stderr


@needs_links
def test_a_profile_in_front_of_a_command(cli: Cli, tmp_path: Path) -> None:
    """Profiles of the package, and a scenario file of one's own."""
    run = cli("link", "--profile", "slow-4g", "--delay", "1ms", "--", "sh", "-c", "echo $WINDWARD_SERVER")
    assert (run.stdout, run.stderr) == ("100.64.0.1\n", "")
    (tmp_path / "own.toml").write_text(
        'node = [{ name = "a" }, { name = "b" }]\n'
        'link = [{ name = "x", from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]\n'
        'change = [{ link = "x-reverse", every = "5 s",'
        ' steps = [{ at = "1 s", up = false }, { at = "2 s", up = true }] }]\n'
    )
    assert cli("link", "--profile", tmp_path / "own.toml", "--", "true").returncode == 0
    (tmp_path / "bad.toml").write_text((tmp_path / "own.toml").read_text().replace("1 Mbit/s", "fast"))
    run = cli("link", "--profile", tmp_path / "bad.toml", "--", "true")
    assert run.returncode == 2
    assert "link[0].rate" in run.stderr

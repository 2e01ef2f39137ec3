"""The command line's `kernel`, in the real kernel where this runs as root; the laws themselves: crates/kernel/tests."""

import ctypes
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli, environment

from windward import KernelError, _engine

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


@pytest.fixture
def name() -> Iterator[str]:
    """A name for a law, that no other run has; skips where no law can be loaded."""
    if not hasattr(_engine, "kernel_support"):
        pytest.skip("kernel laws need Linux")
    try:
        _engine.kernel_support()
    except KernelError as why:
        pytest.skip(str(why).splitlines()[0])
    own = f"wwp_{os.getpid()}"
    yield own
    if is_available(own):
        _engine.kernel_unload(own, even_if_used=True)


def is_available(name: str) -> bool:
    return name in AVAILABLE.read_text().split()


def wait_until(name: str, *, is_there: bool) -> None:
    """Waits, at most half a minute, for what another process does."""
    for _ in range(600):
        if is_available(name) == is_there:
            return
        time.sleep(0.05)
    pytest.fail(f"{name} is {'not there' if is_there else 'still there'}")


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "windward", "kernel", "load", *arguments]
    return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_page_has_every_law(name: str) -> None:
    page = (REPOSITORY / "docs" / "guides" / "kernel.md").read_text()
    rows = re.findall(r"^\| \[`([\w-]+)`\]\([^)]+\) \| `(\w+)` \| ([^|]+) \|", page, flags=re.MULTILINE)
    said = {law: (kernel, dict(pair.split("=") for pair in settings.split())) for law, kernel, settings in rows}
    assert said == {
        law: (law.replace("-", "_"), {parameter: f"{value:g}" for parameter, value in parameters.items()})
        for law, parameters in _engine.kernel_laws()
    }


def test_load_set_list_unload(cli: Cli, name: str) -> None:
    loading = start("quic-tcp", "backlog=20", "--as", name)
    wait_until(name, is_there=True)
    assert cli("kernel", "set", name, "backlog=40", "rho=0.25").returncode == 0
    entries = json.loads(cli("kernel", "list", "--json").stdout)
    assert [entry for entry in entries if entry["name"] == name] == [
        {
            "name": name,
            "law": "quic-tcp",
            "parameters": {"rho": 0.25, "kappa": 0.5, "backlog": 40.0},
            "connections": 0,
            "stays": False,
        }
    ]
    row = next(line.split() for line in cli("kernel", "list").stdout.splitlines() if line.startswith(name))
    assert row == [name, "quic-tcp", "rho=0.25", "kappa=0.5", "backlog=40", "0", "with", "its", "command"]
    assert cli("kernel", "unload", name).returncode == 0
    output, errors = loading.communicate(timeout=30)
    assert (loading.returncode, errors) == (0, "")
    assert output == f"quic-tcp is loaded as {name}\nCtrl-C unloads it\n{name} was unloaded by another command\n"
    assert not is_available(name)


@pytest.mark.parametrize(("ending", "code"), [("SIGINT", 0), ("SIGTERM", -15), ("SIGKILL", -9)])
def test_nothing_stays_when_the_command_ends(name: str, ending: str, code: int) -> None:
    loading = start("fast", "--as", name)
    wait_until(name, is_there=True)
    # The law is there before the command has said so, and waits for its end.
    assert loading.stdout is not None
    while "Ctrl-C" not in loading.stdout.readline():
        assert loading.poll() is None
    loading.send_signal(getattr(signal, ending))
    loading.communicate(timeout=30)
    assert loading.returncode == code
    wait_until(name, is_there=False)


def test_a_law_that_stays_is_found_and_removed(cli: Cli, name: str) -> None:
    result = cli("kernel", "load", "compound", "gamma=10", "--as", name, "--stay")
    assert (result.returncode, result.stderr) == (0, "")
    assert is_available(name)
    assert f"unload {name}" in result.stdout
    taken = cli("kernel", "load", "fast", "--as", name)
    assert taken.returncode == 2
    assert taken.stderr == (
        f"error: the kernel already has a law named {name}, loaded by Windward\n"
        f"  hint: `windward kernel set {name}` changes its parameters, `unload {name}` unloads it\n"
    )
    assert f"unloaded {name}" in cli("kernel", "clean").stdout
    assert not is_available(name)
    assert cli("kernel", "unload", name).stderr.startswith(f"error: no Windward law is loaded as {name}\n")


def test_the_default_of_new_connections_is_not_unloaded(cli: Cli, name: str) -> None:
    """Unloaded, it would go on driving new connections; the message names the command that sets another."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare(1) is not installed: the machine's own default stays as it is")
    assert cli("kernel", "load", "westwood", "--as", name, "--stay").returncode == 0
    script = f'echo {name} > /proc/sys/net/ipv4/tcp_congestion_control && exec "$@"'
    for command in (["unload", name], ["unload", "--even-if-used", name], ["clean"]):
        words = ["unshare", "--net", "sh", "-c", script, "-", sys.executable, "-m", "windward", "kernel", *command]
        refused = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith(f"error: {name} is the default of new connections")
        assert "sysctl -w net.ipv4.tcp_congestion_control=" in refused.stderr
        assert is_available(name)
    assert cli("kernel", "unload", name).returncode == 0
    assert not is_available(name)


def test_parameters_are_listed_as_they_were_given(cli: Cli, name: str) -> None:
    with loaded_for(name, "tcp-fit", [("alpha", 0.1), ("beta", 0.3)]):
        row = next(line.split() for line in cli("kernel", "list").stdout.splitlines() if line.startswith(name))
        assert row[2:6] == ["alpha=0.1", "beta=0.3", "period=0.5", "noise=0"]


@contextmanager
def loaded_for(name: str, law: str, parameters: list[tuple[str, float]]) -> Iterator[None]:
    loaded = _engine.kernel_load(law, parameters, name, stay=False)
    try:
        yield
    finally:
        del loaded


def enter_namespace() -> None:
    """Gives this thread a network namespace without a name, its loopback up; it goes with the thread."""
    assert ctypes.CDLL(None).unshare(0x4000_0000) == 0  # CLONE_NEWNET
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh22x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP


@pytest.fixture
def namespace() -> Iterator[ThreadPoolExecutor]:
    """One thread in a network namespace of its own."""
    with ThreadPoolExecutor(1, initializer=enter_namespace) as thread:
        yield thread


def test_connections_are_shown(cli: Cli, name: str, namespace: ThreadPoolExecutor) -> None:
    loaded = _engine.kernel_load("vegas", [], name, stay=False)

    def connect() -> None:
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            socket.create_connection(listener.getsockname()) as sender,
            listener.accept()[0] as receiver,
        ):
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, loaded.name.encode())
            # A law shows its state once a millisecond at most, in which a fast machine makes hundreds of exchanges.
            until = time.monotonic() + 0.1
            while time.monotonic() < until:
                sender.sendall(bytes(10_000))
                left = 10_000
                while left:
                    left -= len(receiver.recv(left))
            flows = json.loads(cli("kernel", "show", name, "--json").stdout)
            local = f"127.0.0.1:{sender.getsockname()[1]}"
            (flow,) = [flow for flow in flows if flow["local"] == local]
            assert flow["remote"] == f"127.0.0.1:{receiver.getsockname()[1]}"
            assert flow["cwnd"] >= 2
            assert flow["diff"] >= 0
            assert 0 < flow["base_rtt_s"] < 1
            shown = cli("kernel", "show", name).stdout
            assert local in shown
            assert "diff (packets)" in shown
            busy = cli("kernel", "unload", name)
            assert busy.returncode == 2
            assert busy.stderr.startswith(f"error: {name} is in use by ")

    namespace.submit(connect).result()
    assert cli("kernel", "unload", name).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["load", "quick-tcp"], "unknown kernel law quick-tcp"),
        (["load", "quic-tcp", "rho=2"], "quic-tcp: rho: 2 is not between 0 and 1"),
        (["load", "quic-tcp", "rho"], "rho: expected PARAMETER=VALUE, such as backlog=20"),
        (["load", "quic-tcp", "--as", "a-b"], '"a-b" is not a valid name of a law'),
        (["set", "quic_tcp"], "no parameters given; expected PARAMETER=VALUE, such as backlog=20"),
    ],
)
def test_wrong_arguments_are_named(cli: Cli, arguments: list[str], message: str) -> None:
    if not hasattr(_engine, "kernel_support"):
        pytest.skip("kernel laws need Linux")
    result = cli("kernel", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {message}")


@pytest.mark.parametrize(
    "call", ["load('vegas', [], None, False)", "list()", "show('vegas')", "unload('vegas', False)", "clean()"]
)
def test_it_needs_root(call: str, name: str) -> None:
    # `name` skips where this is not root already, which is given up here, once Python has read its files.
    code = (
        "import os; from windward import KernelError, _engine\n"
        "os.setresuid(65534, 65534, 65534)\n"
        f"try: _engine.kernel_{call}\n"
        "except KernelError as error: print(error)\n"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert result.stdout == "loading laws into the kernel needs root\n  hint: run it with sudo\n"
    assert not is_available(name)

"""Programs behind `windward link` as processes: what they reach, how they end, and what is left behind."""

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nobody
import pytest
from conftest import PYTHON, Cli, environment
from linked import needs_links


@needs_links
def test_the_program_is_left_alone(cli: Cli, tmp_path: Path) -> None:
    """Its output, its exit code, its own death."""
    run = cli("link", "--rate", "1mbit", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (run.stdout, run.stderr, run.returncode) == ("out\n", "err\n", 7)
    assert cli("link", "--rate", "1mbit", "--", "sh", "-c", "kill -9 $$").returncode == 128 + signal.SIGKILL
    missing = cli("link", "--rate", "1mbit", "--", "no-such-program")
    assert missing.returncode == 127
    assert missing.stderr == "error: no-such-program: command not found\n"


#: Reads all that a TCP server sends, and sends a datagram to a UDP server that answers.
VISITOR = """
import os, socket, sys
tcp, udp = map(int, sys.argv[1:])
try:
    s = socket.create_connection((os.environ["WINDWARD_SERVER"], tcp), timeout=3)
    data = b"".join(iter(lambda: s.recv(1 << 16), b""))
    d = socket.socket(type=socket.SOCK_DGRAM)
    d.settimeout(3)
    d.sendto(b"hello", (os.environ["WINDWARD_SERVER"], udp))
    print(len(data), sum(data), d.recv(100))
except OSError as error:
    print(type(error).__name__)
"""


@needs_links
def test_the_machine_is_reached_through_the_link(cli: Cli, tmp_path: Path) -> None:
    """Its loopback stands behind the link, by TCP and by UDP; with --isolate it does not."""
    (tmp_path / "visitor.py").write_text(VISITOR)
    payload = bytes(range(256)) * 800
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(type=socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = tcp.accept()
        connection.sendall(payload)
        connection.close()
        data, sender = udp.recvfrom(100)
        udp.sendto(data.upper(), sender)

    ports = [str(server.getsockname()[1]) for server in (tcp, udp)]
    command = ["--", sys.executable, tmp_path / "visitor.py", *ports]
    with tcp, udp, ThreadPoolExecutor(1) as pool:
        served = pool.submit(serve)
        report = tmp_path / "report.json"
        run = cli("link", "--rate", "10mbit", "--delay", "10ms", "--report", report, *command)
        assert run.stdout == f"{len(payload)} {sum(payload)} b'HELLO'\n"
        served.result(timeout=10)
        # What came across the link is what was sent, with its headers.
        assert len(payload) < json.loads(report.read_text())["down"]["bytes"] < 1.1 * len(payload)
        assert cli("link", "--rate", "10mbit", "--isolate", *command).stdout == "ConnectionRefusedError\n"


@needs_links
def test_names_are_asked_for_through_the_link(tmp_path: Path) -> None:
    """A resolver on the machine's loopback, as systemd-resolved is, in a namespace of mounts that says so."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root may pretend to have such a resolver, with unshare(1)")
    (tmp_path / "resolv.conf").write_text("search example.org\nnameserver 127.0.0.77\n")
    ask = "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(3); "
    ask += "s.sendto(b'who', ('100.64.0.1', 53)); print(s.recv(9))"
    script = f"mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && "
    script += f"{PYTHON} -m windward link --rate 10mbit -- sh -c 'cat /etc/resolv.conf; exec \"$@\"' - "
    script += f'{PYTHON} -c "{ask}" && cat /etc/resolv.conf'
    with socket.socket(type=socket.SOCK_DGRAM) as resolver, ThreadPoolExecutor(1) as pool:
        try:
            resolver.bind(("127.0.0.77", 53))
        except OSError as error:
            pytest.skip(f"port 53 cannot be had: {error}")
        resolver.settimeout(20)

        def answer() -> None:
            data, sender = resolver.recvfrom(100)
            resolver.sendto(data[::-1], sender)

        answered = pool.submit(answer)
        words = ["unshare", "--mount", "sh", "-c", script]
        run = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=60)
        answered.result()
    inside = "search example.org\nnameserver 100.64.0.1\n"
    assert (run.stdout, run.stderr) == (f"{inside}b'ohw'\nsearch example.org\nnameserver 127.0.0.77\n", "")


@needs_links
def test_a_command_that_cannot_be_started_ends_as_in_a_shell(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program\n")
    run = cli("link", "--rate", "10mbit", "--", "no-such-command-anywhere")
    assert (run.returncode, run.stderr) == (127, "error: no-such-command-anywhere: command not found\n")
    run = cli("link", "--rate", "10mbit", "--", str(tmp_path / "plain"))
    assert (run.returncode, run.stderr) == (126, f"error: {tmp_path / 'plain'}: Permission denied\n")
    run = cli("link", "--rate", "10mbit", "--", "sh", "-c", "exit 7")
    assert run.returncode == 7


def processes(marker: str) -> list[int]:
    """Processes whose command line has a word of this test's own."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in command.split(b"\0"):
                found.append(int(folder.name))
    return found


def wait_for(count: int, marker: str) -> None:
    for _ in range(600):
        if len(processes(marker)) == count:
            return
        time.sleep(0.05)
    pytest.fail(f"{processes(marker)} are there, not {count}")


@needs_links
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_behind(how: signal.Signals) -> None:
    """Any end of the link also ends its command and its servers, and removes namespaces and devices."""
    marker = f"30{os.getpid()}.{how}"
    words = [sys.executable, "-m", "windward", "link", "--rate", "1mbit", "--server", f"exec sleep {marker}", "--"]
    process = subprocess.Popen([*words, "sleep", marker], env=environment(), start_new_session=True)
    # The link itself, whose command line has the marker too, the init of its processes, its server and its command.
    wait_for(4, marker)
    process.send_signal(how)
    code = process.wait(timeout=30)
    wait_for(0, marker)
    assert code == (-how if how == signal.SIGKILL else 128 + how)


@needs_links
def test_ctrl_c_of_a_terminal_ends_it() -> None:
    """It reaches every process in the group: the command once, through the terminal."""
    marker = f"31{os.getpid()}"
    words = [sys.executable, "-m", "windward", "link", "--rate", "1mbit", "--", "sleep", marker]
    process = subprocess.Popen(words, env=environment(), start_new_session=True)
    wait_for(3, marker)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=30) == 128 + signal.SIGINT
    wait_for(0, marker)


#: A server and a command that start a daemon each, in a session of its own, and children in the background.
STRAYS = "setsid sleep {marker} >/dev/null 2>&1 & sleep {marker} & "


@needs_links
@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("user", ["root", "nobody"])
def test_daemons_end_too(is_killed: bool, user: str) -> None:
    """At the end of the command as by SIGKILL to the link itself; also in a user namespace."""
    marker = f"32{os.getpid()}.{int(is_killed)}{len(user)}"
    python, before, variables = sys.executable, [], environment()
    if user == "nobody":
        if (why := nobody.missing()) is not None:
            pytest.skip(why)
        python, before, variables = nobody.python_of_nobody() or "", nobody.NOBODY, nobody.environment_of_nobody()
    strays = STRAYS.format(marker=marker)
    server = f"{strays} exec sleep {marker}"
    end = f"exec sleep {marker}" if is_killed else "read wait"
    words = [*before, python, "-m", "windward", "link", "--rate", "1mbit", "--server", server, "--"]
    with subprocess.Popen(
        [*words, "sh", "-c", f"{strays} {end}"],
        env=variables,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        # Two strays at each end, the server, and where it waits to be killed the command.
        count = 6 if is_killed else 5
        for _ in range(600):
            if process.poll() is not None or len(processes(marker)) == count:
                break
            time.sleep(0.05)
        if process.poll() is not None:
            pytest.skip(process.communicate()[1].strip().replace("\n", "; "))
        assert len(processes(marker)) == count
        if is_killed:
            process.kill()
        process.communicate("\n", timeout=30)
    wait_for(0, marker)


@needs_links
def test_process_numbers_are_the_links_own(cli: Cli) -> None:
    """/proc shows them, where it may be mounted; whoever is left by its parent is buried."""
    script = "(sh -c 'exit 3' & ); sleep 0.2; ps -o stat= -e | grep -c Z; test -d /proc/$$ && cat /proc/1/comm"
    run = cli("link", "--rate", "1mbit", "--", "sh", "-c", script)
    zombies, *init = run.stdout.split()
    assert zombies == "0"
    assert init in ([], ["windward-init"]) or os.geteuid() != 0


@needs_links
def test_a_link_in_a_link_has_other_addresses(cli: Cli) -> None:
    """Both servers answer, each by its own address."""
    answer = "import socket; socket.create_server(('', {})).accept()[0].sendall(b'{}')"
    ask = "import socket, sys; print(socket.create_connection((sys.argv[1], int(sys.argv[2]))).recv(9).decode())"
    outer, inner = (f'exec {PYTHON} -c "{answer.format(*server)}"' for server in ((9001, "outer"), (9002, "inner")))
    inside = f'{PYTHON} -c "{ask}" $OUTER 9001 && {PYTHON} -c "{ask}" $WINDWARD_SERVER 9002'
    link = [sys.executable, "-m", "windward", "link", "--rate", "10mbit"]
    nested = ["sh", "-c", 'OUTER=$WINDWARD_SERVER exec "$@"', "-", *link, "--server", inner, "--", "sh", "-c", inside]
    run = cli(*link[3:], "--server", outer, "--", *nested)
    assert (run.stdout, run.returncode) == ("outer\ninner\n", 0), run.stderr


@needs_links
def test_without_root() -> None:
    """Runs the link in a user namespace, as the user nobody."""
    if (why := nobody.missing()) is not None:
        pytest.skip(why)
    words = [*nobody.NOBODY, nobody.python_of_nobody() or "", "-m", "windward", "link", "--rate", "1mbit"]
    words += ["--delay", "20ms", "--", "sh", "-c", "echo $WINDWARD_SERVER $(id -u)"]
    run = subprocess.run(words, env=nobody.environment_of_nobody(), capture_output=True, text=True)
    assert (run.stderr, run.returncode, run.stdout) == ("", 0, "100.64.0.1 0\n")


@needs_links
def test_a_device_for_root_alone_is_said_with_its_remedy() -> None:
    """/dev/net/tun at 0600, as some machines have it."""
    if (why := nobody.missing()) is not None:
        pytest.skip(why)
    closed = [word.replace("666", "600") for word in nobody.NOBODY]
    words = [*closed, nobody.python_of_nobody() or "", "-m", "windward", "link", "--rate", "1mbit", "--", "true"]
    run = subprocess.run(words, env=nobody.environment_of_nobody(), capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr == (
        "error: creating a TUN device: Permission denied (os error 13)\nhint: sudo chmod 666 /dev/net/tun\n"
    )


@needs_links
@pytest.mark.parametrize("law", ["reno", "cubic"])
def test_the_far_end_has_the_law_that_it_was_given(cli: Cli, law: str) -> None:
    """The server has the chosen law for any default of the machine, also where only root may choose it."""
    listen = "import socket; s = socket.create_server(('', 9000)); c, _ = s.accept(); c.sendall("
    listen += "c.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(bytes(1)))"
    visit = "import socket; print(socket.create_connection(('100.64.0.1', 9000)).recv(16).decode())"
    server = f'exec {PYTHON} -c "{listen}"'
    for isolation in ((), ("--isolate",)):
        options = ("--rate", "10mbit", "--congestion", law, *isolation, "--server", server)
        assert cli("link", *options, "--", sys.executable, "-c", visit).stdout == f"{law}\n"
    refused = cli("link", "--rate", "1mbit", "--congestion", "nolaw", "--", "true")
    assert refused.returncode == 2
    assert "choosing the server's congestion control" in refused.stderr


@needs_links
def test_a_closed_port_is_refused_as_a_closed_port_is(cli: Cli, tmp_path: Path) -> None:
    """Before a server listens, after it has ended, and not while it does."""
    script = """
import os, socket, subprocess, sys, time
where = (os.environ["WINDWARD_SERVER"], int(sys.argv[1]))
def ask():
    try:
        with socket.create_connection(where, timeout=3) as s:
            return s.recv(9).decode()
    except ConnectionResetError:
        return "reset"
    except ConnectionRefusedError:
        return "refused"
for _ in range(30):
    print(ask(), flush=True)
    if not sys.stdin.readline():
        break
"""
    (tmp_path / "ask.py").write_text(script)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    command = [sys.executable, "-m", "windward", "link", "--rate", "1mbit", "--", sys.executable]
    run = subprocess.Popen(
        [*command, str(tmp_path / "ask.py"), str(port)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdin is not None
    assert run.stdout is not None
    said = []

    said.append(run.stdout.readline().strip())
    server = socket.create_server(("127.0.0.1", port))
    for _ in range(2):
        run.stdin.write("\n")
        run.stdin.flush()
        connection, _ = server.accept()
        connection.sendall(b"hello")
        said.append(run.stdout.readline().strip())
        connection.close()
    server.close()
    # A connection is accepted across the link until one has met the closed port, and that is known here.
    for _ in range(25):
        run.stdin.write("\n")
        run.stdin.flush()
        said.append(run.stdout.readline().strip())
        if said[-2:] == ["refused", "refused"]:
            break
        time.sleep(0.1)
    run.stdin.close()
    assert run.wait(20) == 0
    run.stdout.close()
    assert said[:4] == ["refused", "hello", "hello", "reset"]
    assert said[-2:] == ["refused", "refused"]
    assert set(said[4:-2]) <= {"reset"}


@needs_links
@pytest.mark.parametrize("is_behind", [True, False])
def test_files_are_served_across_a_link(tmp_path: Path, is_behind: bool) -> None:
    """`serve` without options, on this machine and at the other end of the link: `get` and `send` reach it."""
    folder, windward = tmp_path / "files", f"{PYTHON} -m windward"
    folder.mkdir()
    (folder / "data").write_bytes(bytes(range(256)) * 400)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    serve = f"{windward} serve {folder} --upload -p {port}"
    there = f"http://$WINDWARD_SERVER:{port}"
    script = f"{windward} get -q {there}/data -o copy && mv copy other && {windward} send -q other {there}/"
    link = [sys.executable, "-m", "windward", "link", "--rate", "50mbit", "--delay", "5ms"]
    server = None
    if is_behind:
        link += ["--server", serve]
    else:
        server = subprocess.Popen(
            [*shlex.split(serve), "--json"], env=environment(), stdout=subprocess.PIPE, text=True, cwd=tmp_path
        )
        assert server.stdout is not None
        assert "ready" in server.stdout.readline()
    try:
        run = subprocess.run(
            [*link, "--", "sh", "-c", script],
            env=environment(),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        if server is not None:
            server.kill()
            server.wait()
            server.stdout.close()
    assert run.returncode == 0, run.stderr
    assert (folder / "other").read_bytes() == (folder / "data").read_bytes() == (tmp_path / "other").read_bytes()


@needs_links
@pytest.mark.parametrize("script", ["sleep 30", "sleep 30; true", "(sleep 30; true); true"])
def test_an_interrupt_reaches_the_children_of_a_shell(tmp_path: Path, script: str) -> None:
    """Sent to `link` alone, as `kill -INT` does: a shell goes on until its child has ended."""
    ready = tmp_path / "ready"
    command = [sys.executable, "-m", "windward", "link", "--rate", "1mbit", "--", "sh", "-c"]
    run = subprocess.Popen([*command, f"touch {ready}; {script}"], env=environment(), start_new_session=True)
    until = time.monotonic() + 30
    while not ready.exists() and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    assert run.wait(10) == 128 + signal.SIGINT


@needs_links
def test_serve_at_the_far_end_says_its_address_across_the_link(tmp_path: Path) -> None:
    """The loopback address that it listens on does not answer at the near end."""
    (tmp_path / "a file").write_text("hello")
    serve = f"{PYTHON} -m windward serve . --port 0 > '{tmp_path}/far' 2>&1"
    near = f"""
until grep -q "across the link" far; do sleep 0.05; done
{PYTHON} -c "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())" \\
    "$(sed -n 's/across the link: //p' far)a%20file"
timeout 2 {PYTHON} -m windward serve . --port 0 > near
"""
    words = [sys.executable, "-m", "windward", "link", "--rate", "10mbit", "--server", serve, "--", "sh", "-c", near]
    run = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60)
    assert run.stdout == "hello\n", run.stderr
    assert "across the link" not in (tmp_path / "near").read_text()

"""`windward serve` and `windward send` as people and their other tools meet them."""

import hashlib
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from conftest import environment
from web import noise

#: More pieces than connections, and a last one that is short.
CONTENT = noise(5_000_000)

Send = Callable[..., subprocess.CompletedProcess[str]]


class Served:
    """`windward serve` of a folder, in a process of its own."""

    def __init__(self, folder: Path, *options: str, before: Callable[[], None] | None = None) -> None:
        command = [sys.executable, "-m", "windward", "serve", str(folder), "--port", "0", "--json", *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment(), preexec_fn=before
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        assert first, "the server ended before it was ready"
        self.url: str = json.loads(first)["url"]
        self.address = self.url.removeprefix("http://").rstrip("/")

    def end(self, number: int = signal.SIGINT) -> list[dict[str, Any]]:
        """Ends it by a signal; what it has answered."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=20)
        return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "file.bin").write_bytes(CONTENT)
    return folder


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    server = Served(folder, "--upload")
    yield server
    server.end()


@pytest.fixture
def send(tmp_path: Path) -> Send:
    """Runs `windward send` on a file with CONTENT, the memory of hosts being the test's own."""
    file = tmp_path / "to send"
    file.write_bytes(CONTENT)

    def run(host: str, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "windward", "send", str(file), host, *options]
        own = environment() | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        return subprocess.run(command, capture_output=True, text=True, env=own, timeout=60, check=False)

    return run


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_good_order(folder: Path, number: int) -> None:
    server = Served(folder)
    server.end(number)
    assert server.process.returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        ["curl", "--silent", "--show-error", "--output", "got"],
        ["aria2c", "--quiet", "-x4", "-s4", "-k1M", "--out=got"],
        ["wget", "--quiet", "--output-document=got"],
    ],
    ids=lambda command: command[0],
)
def test_others_download_from_it(served: Served, tmp_path: Path, command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    subprocess.run([*command, f"{served.url}file.bin"], cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "got").read_bytes() == CONTENT


def test_curl_goes_on_where_it_was(served: Served, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    (tmp_path / "got").write_bytes(CONTENT[:1_234_567])
    command = ["curl", "--silent", "--continue-at", "-", "--output", "got", f"{served.url}file.bin"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "got").read_bytes() == CONTENT
    assert [(event["status"], event["sent_bytes"]) for event in served.end()] == [(206, len(CONTENT) - 1_234_567)]


def test_get_downloads_over_several_connections(served: Served, tmp_path: Path) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    command = [sys.executable, "-m", "windward", "get", f"{served.url}file.bin", "-n", "4", "-d", str(tmp_path / "d")]
    command += ["--checksum", f"sha-256={digest}"]
    subprocess.run(command, env=environment(), check=True, timeout=60, capture_output=True)
    assert (tmp_path / "d" / "file.bin").read_bytes() == CONTENT
    # As the real tool does it.
    sums = subprocess.run(
        [sys.executable, "-m", "windward", "get", f"{served.url}file.bin.sha256", "-d", str(tmp_path / "d"), "-q"],
        env=environment(),
        timeout=60,
        check=True,
    )
    assert sums.returncode == 0
    subprocess.run(["sha256sum", "--check", "--quiet", "file.bin.sha256"], cwd=tmp_path / "d", check=True)


def test_probes_return_where_the_server_has_them(folder: Path, tmp_path: Path) -> None:
    """chen2007 §IV-A: round trips by datagrams; without answers the download takes those of its connections."""
    for at, options in enumerate([("--probes",), ()]):
        server = Served(folder, *options)
        command = [sys.executable, "-m", "windward", "get", "--json", "--probes", "--limit-rate", "1M", "--forget"]
        own = environment() | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        target = str(tmp_path / f"got-{at}")
        result = subprocess.run(
            [*command, "-o", target, f"{server.url}file.bin"], capture_output=True, env=own, timeout=60, check=False
        )
        server.end()
        assert result.returncode == 0, result.stderr
        assert Path(target).read_bytes() == CONTENT
        events = [json.loads(line) for line in result.stdout.splitlines()]
        notices = [event["text"] for event in events if event["event"] == "notice"]
        assert any("no probes" in text for text in notices) == (not options), notices
        seen = [event["rtt_s"] for event in events if event["event"] == "sample" and event["rtt_s"] is not None]
        assert not options or (len(seen) > 4 and all(0 < rtt < 0.5 for rtt in seen)), events


def test_a_file_is_sent_and_found_again(served: Served, folder: Path, send: Send) -> None:
    first = send(served.address, "--name", "new", "-n", "3", "--json")
    assert first.returncode == 0, first.stderr
    end = json.loads(first.stdout.splitlines()[-1])
    assert (end["event"], end["length_bytes"], end["there_bytes"]) == ("end", len(CONTENT), 0)
    assert (folder / "new").read_bytes() == CONTENT
    again = send(served.address, "--name", "new")
    assert (again.returncode, "already complete" in again.stdout) == (0, True)
    assert sorted(path.name for path in folder.iterdir()) == ["file.bin", "new"]


def test_what_the_server_answers_is_said(served: Served, folder: Path, send: Send) -> None:
    (folder / "file.bin").write_bytes(b"other")
    taken = send(served.address, "--name", "file.bin")
    assert (taken.returncode, taken.stdout) == (4, "")
    assert "409: another file of this name exists" in taken.stderr
    assert "--replace" in taken.stderr
    assert send(served.address, "--name", "file.bin", "--replace").returncode == 0
    assert (folder / "file.bin").read_bytes() == CONTENT


def test_a_senders_pings_are_answered_and_not_told(folder: Path) -> None:
    server = Served(folder, "--upload", "--token", "open sesame")
    connection = HTTPConnection(server.address, timeout=20)
    statuses = []
    token = {"Authorization": "Bearer open sesame"}
    for target, fields in (("/new?upload=0", {}), ("/new?upload=0", token), ("/new", token)):
        connection.request("HEAD", target, headers=fields)
        with connection.getresponse() as response:
            statuses.append(response.status)
    connection.close()
    assert statuses == [401, 204, 404]
    # Told after the answer: read before the server is ended.
    assert server.process.stdout is not None
    told = [json.loads(server.process.stdout.readline()) for _ in range(2)]
    assert [(event["request"], event["status"]) for event in told] == [("HEAD /new?upload=0", 401), ("HEAD /new", 404)]
    assert server.end() == []


@pytest.mark.parametrize(("options", "pings"), [((), True), (("-n", "2"), False)])
def test_a_sender_that_looks_for_a_queue_pings(
    served: Served, folder: Path, send: Send, options: tuple[str, ...], pings: bool
) -> None:
    heads: set[bytes] = set()
    with closing(slow_way(served.address, heads)) as listener:
        sent = send(f"127.0.0.1:{listener.getsockname()[1]}", "--name", "new", *options)
    assert sent.returncode == 0, sent.stderr
    assert (folder / "new").read_bytes() == CONTENT
    assert ({b"POST", b"PUT"} <= heads, b"HEAD" in heads) == (True, pings)


def slow_way(address: str, heads: set[bytes]) -> socket.socket:
    """A way to the server that takes a second or two for CONTENT, and notes the methods with which blocks begin."""
    host, port = address.split(":")
    listener = socket.create_server(("127.0.0.1", 0))

    def forward(near: socket.socket, far: socket.socket, wait_s: float) -> None:
        with suppress(OSError):
            while block := near.recv(1 << 15):
                heads.add(block.split(b" ")[0])
                time.sleep(wait_s)
                far.sendall(block)
            far.shutdown(socket.SHUT_WR)

    def connect(near: socket.socket) -> None:
        with near, socket.create_connection((host, int(port))) as far:
            back = threading.Thread(target=forward, args=(far, near, 0.0))
            back.start()
            forward(near, far, 0.01)
            back.join()

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=connect, args=(listener.accept()[0],)).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener


def test_a_servers_full_disk_is_found_before_the_start(folder: Path, send: Send) -> None:
    limit = len(CONTENT) - 1
    server = Served(folder, "--upload", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    refused = send(server.address, "--name", "new")
    assert (refused.returncode, refused.stdout) == (9, "")
    assert "507: the disk is full" in refused.stderr
    assert [event["status"] for event in server.end()] == [507]
    assert [path.name for path in folder.iterdir()] == ["file.bin"]


def test_an_upload_survives_both_ends(folder: Path, send: Send, tmp_path: Path) -> None:
    """The sender is killed, then the server; what has arrived is not sent again."""
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(1_000_000_000)
    server = Served(folder, "--upload")
    command = [sys.executable, "-m", "windward", "send", str(big), server.address, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as sender:
        assert sender.stdout is not None
        for line in sender.stdout:
            event = json.loads(line)
            if event["event"] == "sample" and event["there_bytes"] > 0:
                break
            assert event["event"] in ("hashing", "sample"), "it was over before it could be killed"
        sender.kill()
    server.process.kill()
    server.end()
    assert not (folder / "big").exists()
    server = Served(folder, "--upload")
    again = subprocess.run(
        [sys.executable, "-m", "windward", "send", str(big), server.address, "--json"],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
        check=True,
    )
    server.end()
    end = json.loads(again.stdout.splitlines()[-1])
    assert end["there_bytes"] >= event["there_bytes"]
    assert (folder / "big").stat().st_size == 1_000_000_000
    assert list(folder.glob(".*")) == []


def test_nobody_is_there(send: Send) -> None:
    refused = send("127.0.0.1:1", "-m", "1")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "cannot connect" in refused.stderr
    assert "--port" in refused.stderr


def test_a_refusal_is_explained_at_both_ends(folder: Path) -> None:
    server = Served(folder)
    connection = HTTPConnection(server.address, timeout=20)
    connection.request("GET", "/", headers={"Host": "evil.example"})
    with connection.getresponse() as response:
        said = response.read().decode()
    connection.close()
    (event,) = server.end()
    assert (response.status, event["status"], event["reason"]) == (421, 421, said.rstrip("\n"))
    assert "evil.example" in said
    assert "--token" in said


def test_a_port_that_is_taken(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        command = [sys.executable, "-m", "windward", "serve", str(folder), "--port", str(other.getsockname()[1])]
        refused = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=20, check=False)
    assert (refused.returncode, "--port" in refused.stderr) == (3, True)


def test_a_name_that_is_not_utf8_is_kept(served: Served, folder: Path, tmp_path: Path) -> None:
    for name, content in ((b"lat\xe8", "one"), (b"lat\xe9", "two")):
        path = os.fsencode(tmp_path) + b"/" + name
        Path(os.fsdecode(path)).write_text(content)
        command = [sys.executable.encode(), b"-m", b"windward", b"send", b"--replace", path, served.address.encode()]
        subprocess.run(command, env=environment(), timeout=60, check=True, capture_output=True)
        assert (folder / os.fsdecode(name)).read_text() == content


def test_a_token_goes_by_tls(send: Send) -> None:
    refused = send("192.0.2.1", "--token", "open sesame", "-m", "1", "--connect-timeout", "0.1")
    assert (refused.returncode, "--insecure" in refused.stderr) == (2, True)


def test_ctrl_c_ends_a_sender_that_cannot_reach_the_server(tmp_path: Path) -> None:
    """A socket whose queue is full answers no SYN."""
    (tmp_path / "file").write_text("x")
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        with socket.create_connection(listener.getsockname()):
            command = [sys.executable, "-m", "windward", "send", "--json", str(tmp_path / "file"), address]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as sender:
                assert sender.stdout is not None
                assert json.loads(sender.stdout.readline())["event"] == "hashing"
                time.sleep(0.3)
                begun = time.monotonic()
                sender.send_signal(signal.SIGINT)
                sender.communicate(timeout=20)
            assert sender.returncode == 130
            assert time.monotonic() - begun < 5


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1, signed by itself, and its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test"
    command += " -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE"
    path = tmp_path / "certificate.pem"
    subprocess.run(
        [*command.split(), "-keyout", str(path), "-out", str(tmp_path / "chain.pem")], check=True, capture_output=True
    )
    with path.open("a", encoding="ascii") as file:
        file.write((tmp_path / "chain.pem").read_text(encoding="ascii"))
    return path


def test_others_are_let_in_by_tls_and_token(folder: Path, send: Send, certificate: Path) -> None:
    wide = ["--bind", "0.0.0.0", "--upload", "--cert", str(certificate), "--key", str(certificate)]
    refused = subprocess.run(
        [sys.executable, "-m", "windward", "serve", str(folder), *wide],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=20,
        check=False,
    )
    assert (refused.returncode, "--cert, --key and --token are required" in refused.stderr) == (2, True)
    server = Served(folder, *wide, "--token", "open sesame")
    address = f"https://127.0.0.1:{server.url.rstrip('/').rsplit(':')[-1]}"
    trust = ("--ca", str(certificate), "--name", "new", "-m", "1")
    assert send(address, *trust).returncode == 4
    assert send(address, *trust, "--token", "open sesamf").returncode == 4
    assert send(address, "--name", "new", "--token", "open sesame", "-m", "1").returncode == 6
    assert send(address, *trust, "--token", "open sesame").returncode == 0
    server.end()
    assert (folder / "new").read_bytes() == CONTENT


def test_it_starts_at_once() -> None:
    """The commands load none of what simulations need."""
    code = "import sys, windward._cli.serve; print(sorted({'numpy', 'pandas', 'matplotlib'} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert loaded.stdout.strip() == "[]"

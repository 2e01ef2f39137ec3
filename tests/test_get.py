"""`windward get`: whatever the server does, the file is right or it is not there."""

import json
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import environment
from web import MODIFIED, HangUpError, Request, Server, Site, noise

from windward import _engine

#: Enough for several leases, which begin at 256 KiB.
LENGTH = 3_000_000

#: Patience that fits a test: what is waited for here never comes.
HASTY = ("--retry-wait", "0.01", "--stall-timeout", "1")

Get = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """No proxies, nobody's passwords, a cache of its own."""
    kept = {key: value for key, value in environment().items() if not key.lower().endswith("_proxy")}
    return kept | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "NETRC": str(tmp_path / "netrc")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the files go; nothing may appear beside it."""
    path = tmp_path / "here"
    path.mkdir()
    return path


@pytest.fixture
def get(folder: Path, surroundings: dict[str, str]) -> Get:
    def run(
        *arguments: str | Path, before: Callable[[], None] | None = None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "windward", "get", *HASTY, *map(str, arguments)],
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
    return Site(noise(LENGTH))


def overlap(parts: list[tuple[int, int]]) -> int:
    """Bytes that were sent more than once."""
    count, end = 0, 0
    for first, last in sorted(parts):
        count += max(0, min(last, end) - first)
        end = max(end, last)
    return count


def nothing_but(folder: Path, *names: str) -> bool:
    return sorted(path.name for path in folder.iterdir()) == sorted(names)


# What works


def test_each_byte_is_asked_for_once(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as server:
        result = get(server.url, "-n", "1", "--checksum", site.checksum)
    assert (result.returncode, result.stderr) == (0, "")
    assert "checksum right" in result.stdout
    assert (folder / "file.bin").read_bytes() == site.content
    assert nothing_but(folder, "file.bin")
    assert server.peak == 1
    assert overlap([part for request in server.gets if (part := request.range)]) == 0
    # All but the first, which learns the validator, insist on it.
    assert [request.fields.get("if-range") for request in server.gets].count('"1"') == len(server.gets) - 1
    assert all(request.fields["accept-encoding"] == "identity" for request in server.requests)


def test_several_connections_bring_one_file(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as server:
        assert get(server.url, "-n", "4", "--limit-rate", "6M").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert server.peak == 4
    # Only the end game asks for bytes twice: what one connection has asked for last, another one takes over.
    assert overlap(server.parts) < LENGTH / 4


@pytest.mark.parametrize("length", [0, 1, 65536, 262144, 262145])
def test_any_length(get: Get, folder: Path, length: int) -> None:
    site = Site(noise(length))
    with Server(site) as server:
        assert get(server.url).returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content


def test_several_files_in_turn(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if "missing" in request.target:
            request.reply(404)
        else:
            site(request)

    with Server(behave) as server:
        base = server.url.removesuffix("file.bin")
        result = get(f"{base}missing", f"{base}a", f"{base}b%20c?x=/d", "-d", "there")
    assert result.returncode == 4
    assert "404" in result.stderr
    assert all((folder / "there" / name).read_bytes() == site.content for name in ("a", "b c"))


def test_the_series_is_json(get: Get, site: Site) -> None:
    with Server(site) as server:
        result = get(server.url, "--json", "--limit-rate", "3M")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert (events[0]["event"], events[-1]["event"]) == ("begin", "end")
    assert events[0]["length_bytes"] == events[-1]["length_bytes"] == LENGTH
    samples = [event for event in events if event["event"] == "sample"]
    received = [sample["received_bytes"] for sample in samples]
    assert len(samples) > 1
    assert received == sorted(received)
    assert {"time_s", "rate_bps", "connections", "wanted", "rtt_s", "rtt_min_s", "queue_s"} <= samples[0].keys()


def test_without_a_terminal_there_is_no_progress(get: Get, site: Site) -> None:
    with Server(site) as server:
        assert get(server.url, "-q").stdout == ""
        result = get(server.url, "--force")
    assert result.stdout.startswith("file.bin: 3.0 MB in ")
    assert result.stderr == ""


def test_hosts_are_remembered(get: Get, site: Site, tmp_path: Path) -> None:
    with Server(site) as server:
        get(server.url)
    memory = json.loads((tmp_path / "cache" / "windward" / "connections.json").read_text())
    assert list(memory) == [f"127.0.0.1:{server.port}"]
    assert memory[f"127.0.0.1:{server.port}"]["connections"] >= 1


def test_it_starts_without_numpy() -> None:
    code = "import sys, windward.cli; print(*sorted({'numpy', 'pandas', 'matplotlib', 'rich'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


# Which version is it?


def test_a_file_that_changes_is_begun_anew(get: Get, folder: Path) -> None:
    old, new = Site(noise(LENGTH, 1), '"old"'), Site(noise(LENGTH, 2), '"new"')
    with Server(lambda request: (old if request.number <= 4 else new)(request)) as server:
        result = get(server.url, "-n", "3")
    assert result.returncode == 0
    assert "changed on the server" in result.stderr
    assert (folder / "file.bin").read_bytes() == new.content


def test_parts_of_another_version_are_never_mixed_in(get: Get, folder: Path) -> None:
    """The server ignores If-Range and gives parts of whatever it has."""
    sites = [Site(noise(LENGTH, seed), f'"{seed}"') for seed in range(2)]

    def behave(request: Request) -> None:
        request.fields.pop("if-range", None)
        sites[request.number % 2](request)

    with Server(behave) as server:
        result = get(server.url, "-n", "3")
    assert result.returncode == 7
    assert "-n 1" in result.stderr
    assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")


def test_another_length_is_another_version(get: Get, folder: Path) -> None:
    old, new = Site(noise(LENGTH)), Site(noise(LENGTH + 1))
    with Server(lambda request: (old if request.number <= 2 else new)(request)) as server:
        assert get(server.url).returncode == 11
    assert not (folder / "file.bin").exists()


def test_a_file_that_changed_between_runs_is_begun_anew(get: Get, folder: Path) -> None:
    old, new = Site(noise(LENGTH, 1), '"old"'), Site(noise(LENGTH, 2), '"new"')
    with Server(broken_after(old, 4)) as server:
        assert get(server.url, "--max-tries", "1", "-n", "1").returncode == 12
        assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")
        server.behave = new
        result = get(server.url)
    assert result.returncode == 0
    assert "another version" in result.stderr
    assert (folder / "file.bin").read_bytes() == new.content


@pytest.mark.parametrize("fields", [{"etag": 'W/"1"'}, {"etag": None}, {"etag": "1"}])
def test_without_a_strong_validator_one_connection_brings_it_all(
    get: Get, folder: Path, fields: dict[str, str | None]
) -> None:
    site = Site(noise(LENGTH), **fields)
    with Server(site) as server:
        assert get(server.url, "-n", "4").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert [request.range for request in server.gets] == [(0, 262144), None]


def test_a_checksum_stands_for_a_validator(get: Get, folder: Path) -> None:
    site = Site(noise(LENGTH), etag=None)
    with Server(site) as server:
        assert get(server.url, "-n", "4", "--checksum", site.checksum).returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert server.peak == 4


def test_a_date_is_a_validator_once_it_is_old(get: Get, folder: Path) -> None:
    old = Site(noise(LENGTH), etag=None, modified=MODIFIED)
    with Server(old) as server:
        assert get(server.url, "-n", "3").returncode == 0
    assert server.gets[-1].fields["if-range"] == MODIFIED
    assert (folder / "file.bin").read_bytes() == old.content
    # RFC 9110 §8.8.2.2: within a second of `Date` the file may change once more unnoticed.
    fresh = Site(noise(LENGTH), etag=None, modified="Thu, 01 Jan 2026 00:00:10 GMT")
    with Server(fresh) as server:
        assert get(server.url, "-n", "3", "-f").returncode == 0
    assert [request.range for request in server.gets] == [(0, 262144), None]


def test_a_network_that_answers_if_range_with_the_whole(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if "if-range" in request.fields:
            request.fields["if-range"] = "never"
        site(request)

    with Server(behave) as server:
        assert get(server.url, "-n", "4", "--limit-rate", "6M").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert server.peak == 4


def test_a_wrong_checksum(get: Get, folder: Path, site: Site) -> None:
    wrong = "sha-256=" + 64 * "0"
    with Server(site) as server:
        assert get(server.url, "--checksum", wrong).returncode == 8
        assert not (folder / "file.bin").exists()
        # Nothing of it counts for the next try.
        before = len(server.parts)
        assert get(server.url, "--checksum", wrong).returncode == 8
    assert len(server.parts) > before + 1
    assert sum(last - first for first, last in server.parts) == 2 * LENGTH


# Interruptions


def broken_after(site: Site, count: int) -> Callable[[Request], None]:
    """Answers so many requests, and hangs up on all others."""

    def behave(request: Request) -> None:
        if request.number > count:
            raise HangUpError
        site(request)

    return behave


def blocked_after(site: Site, count: int, reached: threading.Event) -> Callable[[Request], None]:
    """Answers so many requests, and tells that it leaves all others without an answer."""

    def behave(request: Request) -> None:
        if request.number > count:
            reached.set()
            request.peer.recv(1)
            raise HangUpError
        site(request)

    return behave


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_download_goes_on(
    get: Get, folder: Path, site: Site, surroundings: dict[str, str], how: signal.Signals
) -> None:
    reached = threading.Event()
    with Server(blocked_after(site, 6, reached)) as server:
        command = [sys.executable, "-m", "windward", "get", server.url, "-n", "1"]
        with subprocess.Popen(command, cwd=folder, env=surroundings, stderr=subprocess.PIPE, text=True) as process:
            assert reached.wait(60)
            wait_for(lambda: (folder / "file.bin.part.windward").read_text().count("\n") >= 7)
            process.send_signal(how)
            _, said = process.communicate(timeout=60)
        assert process.returncode == (130 if how == signal.SIGINT else -how)
        assert ("goes on" in said) == (how == signal.SIGINT)
        assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")
        before = len(server.requests)
        server.behave = site
        result = get(server.url)
    assert result.returncode == 0
    assert "were there already" in result.stderr
    assert (folder / "file.bin").read_bytes() == site.content
    # The first request of a run learns the version; nothing else comes twice.
    again = [part for request in server.requests[before + 1 :] for part in request.parts]
    first = [part for request in server.requests[:before] for part in request.parts]
    assert overlap([*first, *again]) == 0
    assert sum(last - first for first, last in [*first, *again]) == LENGTH


def wait_for(condition: Callable[[], bool]) -> None:
    """Until it holds; a minute is far more than it takes."""
    ended = threading.Event()
    for _ in range(6000):
        if condition():
            return
        ended.wait(0.01)
    pytest.fail("it never came true")


@pytest.mark.parametrize("damage", ["a byte", "the end", "the journal"])
def test_what_an_earlier_run_left_counts_only_if_it_is_sound(get: Get, folder: Path, site: Site, damage: str) -> None:
    """What a power failure leaves: data that never reached the disk, a torn journal."""
    with Server(broken_after(site, 5)) as server:
        assert get(server.url, "--max-tries", "1", "-n", "1").returncode == 12
        part, journal = folder / "file.bin.part", folder / "file.bin.part.windward"
        content = bytearray(part.read_bytes())
        if damage == "a byte":
            content[300_000] ^= 1
            part.write_bytes(content)
        elif damage == "the end":
            part.write_bytes(content[:300_000])
        else:
            journal.write_bytes(journal.read_bytes()[:-10])
        server.behave = site
        result = get(server.url)
    assert result.returncode == 0
    assert "were there already" in result.stderr
    assert (folder / "file.bin").read_bytes() == site.content


def test_two_downloads_of_one_file(get: Get, folder: Path, site: Site, surroundings: dict[str, str]) -> None:
    reached = threading.Event()
    with Server(blocked_after(site, 4, reached)) as server:
        command = [sys.executable, "-m", "windward", "get", server.url, "-n", "1", "-q"]
        with subprocess.Popen(command, cwd=folder, env=surroundings) as process:
            assert reached.wait(60)
            server.behave = site
            result = get(server.url)
            process.kill()
    assert result.returncode == 10
    assert "another download" in result.stderr


# Connections that fail


def test_resets_cost_only_what_is_missing(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        site.answer(request, most=100_000 if request.number % 3 == 0 else None)

    with Server(behave) as server:
        result = get(server.url, "-n", "1")
    assert (result.returncode, result.stderr) == (0, "")
    assert (folder / "file.bin").read_bytes() == site.content
    assert overlap(server.parts) == 0


def test_connections_that_are_cut_without_an_answer(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if request.number % 2 == 0:
            request.reset()
        site(request)

    with Server(behave) as server:
        assert get(server.url, "-n", "4").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content


def test_a_server_that_closes_after_each_answer(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        closing = Site(site.content, extra=(("Connection", "close"),))
        closing(request)
        raise HangUpError

    with Server(behave) as server:
        result = get(server.url, "-n", "2")
    assert (result.returncode, result.stderr) == (0, "")
    assert (folder / "file.bin").read_bytes() == site.content


def test_a_server_that_muddles_requests_sent_ahead(get: Get, folder: Path, site: Site) -> None:
    answered: dict[int, int] = {}

    def behave(request: Request) -> None:
        answered[request.connection] = answered.get(request.connection, 0) + 1
        if answered[request.connection] > 1 and request.is_followed(0.1):
            request.send(b"nonsense\r\n\r\n")
            raise HangUpError
        site(request)

    with Server(behave) as server:
        assert get(server.url, "-n", "1").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert server.connections > 1


def test_a_stalled_connection_gives_its_part_to_others(get: Get, folder: Path, site: Site) -> None:
    release = threading.Event()

    def behave(request: Request) -> None:
        if request.number == 3:
            first, last = request.range or (0, 0)
            request.head(
                206,
                ("Content-Length", last - first),
                ("Content-Range", f"bytes {first}-{last - 1}/{LENGTH}"),
                ("ETag", site.etag),
            )
            request.send(site.content[first : first + 1000])
            request.parts.append((first, first + 1000))
            release.wait(60)
            raise HangUpError
        site(request)

    with Server(behave) as server:
        result = get(server.url, "-n", "3")
        release.set()
    assert result.returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content


def test_a_server_that_falls_silent(get: Get, folder: Path, site: Site) -> None:
    with Server(blocked_after(site, 3, threading.Event())) as server:
        result = get(server.url, "--max-tries", "2")
    assert result.returncode == 5
    assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")


def test_a_head_that_drips_in(get: Get) -> None:
    def behave(request: Request) -> None:
        for byte in b"HTTP/1.1 206 Partial Content\r\n" * 1000:
            request.send(bytes([byte]))
            threading.Event().wait(0.05)

    with Server(behave) as server:
        assert get(server.url, "--max-tries", "1").returncode == 5


def test_nobody_listens(get: Get) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    result = get(f"http://127.0.0.1:{port}/x")
    assert result.returncode == 3
    assert f"127.0.0.1:{port}" in result.stderr


# Servers that have no parts, or give none


def whole(content: bytes, *fields: tuple[str, object]) -> Callable[[Request], None]:
    return lambda request: request.reply(200, *fields, body=content)


def test_a_server_without_ranges(get: Get, folder: Path, site: Site) -> None:
    with Server(whole(site.content)) as server:
        result = get(server.url, "-n", "4")
    assert (result.returncode, result.stderr) == (0, "")
    assert (folder / "file.bin").read_bytes() == site.content
    assert len(server.requests) == 1


def test_a_file_cut_short_is_no_file(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        request.head(200, ("Content-Length", LENGTH))
        request.send(site.content[:-1])
        raise HangUpError

    with Server(behave) as server:
        result = get(server.url, "--max-tries", "3")
    assert result.returncode == 12
    assert len(server.requests) == 3
    assert not (folder / "file.bin").exists()


@pytest.mark.parametrize("is_whole", [True, False])
def test_chunks_have_an_end(get: Get, folder: Path, site: Site, is_whole: bool) -> None:
    def behave(request: Request) -> None:
        request.head(200, ("Transfer-Encoding", "chunked"))
        for at in range(0, LENGTH, 100_000):
            piece = site.content[at : at + 100_000]
            request.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        if is_whole:
            request.send(b"0\r\n\r\n")
        raise HangUpError

    with Server(behave) as server:
        result = get(server.url, "--max-tries", "1")
    assert result.returncode == (0 if is_whole else 12)
    assert (folder / "file.bin").exists() == is_whole
    assert not is_whole or (folder / "file.bin").read_bytes() == site.content


def test_an_unknown_length_is_said(get: Get, folder: Path) -> None:
    def behave(request: Request) -> None:
        request.head(200)
        request.send(b"hello")
        raise HangUpError

    with Server(behave) as server:
        result = get(server.url)
    assert (folder / "file.bin").read_bytes() == b"hello"
    assert "did not say how long" in result.stdout


def test_a_server_that_stops_giving_parts(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if request.number > 3:
            request.fields.pop("range", None)
        site(request)

    with Server(behave) as server:
        result = get(server.url, "--max-tries", "2")
    assert result.returncode == 4
    assert not (folder / "file.bin").exists()


@pytest.mark.parametrize("first", [1, 3])
def test_encoded_parts_are_refused(get: Get, folder: Path, site: Site, first: int) -> None:
    encoded = Site(site.content, extra=(("Content-Encoding", "gzip"),))
    with Server(lambda request: (encoded if request.number >= first else site)(request)) as server:
        result = get(server.url)
    assert result.returncode == 4
    assert "gzip" in result.stderr
    assert not (folder / "file.bin").exists()


# Servers that have enough


@pytest.mark.parametrize("status", [429, 503])
def test_a_limit_on_connections_is_found(get: Get, folder: Path, status: int) -> None:
    site = Site(noise(4 * LENGTH))
    serving: set[int] = set()
    lock = threading.Lock()

    def behave(request: Request) -> None:
        with lock:
            is_welcome = request.connection in serving or len(serving) < 2
            if is_welcome:
                serving.add(request.connection)
        if not is_welcome:
            request.reply(status)
            raise HangUpError
        site(request)

    with Server(behave) as server:
        result = get(server.url, "-n", "8", "--limit-rate", "12M")
    assert result.returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    # Those that were on their way when the first was refused, and no more.
    assert len(server.gets) - len(server.parts) <= 6


def test_a_busy_server_is_asked_as_often_as_allowed(get: Get) -> None:
    with Server(lambda request: request.reply(503)) as server:
        result = get(server.url, "--max-tries", "3")
    assert result.returncode == 4
    assert len(server.requests) == 3
    assert result.stderr.count("trying again") == 2


def test_retry_after_is_obeyed(get: Get, folder: Path, site: Site) -> None:
    with Server(lambda request: request.reply(429, ("Retry-After", "86400"))) as server:
        assert get(server.url).returncode == 4
    assert len(server.requests) == 1

    def behave(request: Request) -> None:
        if request.number <= 2:
            request.reply(503, ("Retry-After", "1"))
        else:
            site(request)

    with Server(behave) as server:
        result = get(server.url)
    assert result.stderr.count("trying again in 1 s") == 2
    assert (folder / "file.bin").read_bytes() == site.content


@pytest.mark.parametrize(("status", "code"), [(401, 4), (403, 4), (404, 4), (410, 4), (418, 4), (204, 11)])
def test_refusals_are_final(get: Get, folder: Path, status: int, code: int) -> None:
    with Server(lambda request: request.reply(status)) as server:
        result = get(server.url)
    assert result.returncode == code
    assert str(status) in result.stderr
    assert len(server.requests) == 1
    assert nothing_but(folder)


# Local files


def test_a_target_that_is_there(get: Get, folder: Path, site: Site) -> None:
    target = folder / "file.bin"
    target.write_bytes(b"mine")
    with Server(site) as server:
        assert get(server.url).returncode == 10
        assert get(server.url, "-o", "file.bin").returncode == 10
        assert get(server.url, "-c").returncode == 10
        assert target.read_bytes() == b"mine"
        assert get(server.url, "--force").returncode == 0
        assert target.read_bytes() == site.content
        before = len(server.requests)
        assert "all there already" in get(server.url, "-c", "--checksum", site.checksum).stdout
        assert len(server.requests) == before + 1
        assert get(server.url, "-c", "--checksum", "sha-256=" + 64 * "0").returncode == 8
    assert target.read_bytes() == site.content


def test_a_part_of_another_program(get: Get, folder: Path, site: Site) -> None:
    (folder / "file.bin.part").write_bytes(b"theirs")
    with Server(site) as server:
        assert get(server.url).returncode == 10
    assert (folder / "file.bin.part").read_bytes() == b"theirs"
    assert nothing_but(folder, "file.bin.part")


def test_links_are_not_followed(get: Get, folder: Path, tmp_path: Path, site: Site) -> None:
    (tmp_path / "precious").write_bytes(b"precious")
    (folder / "file.bin.part.windward").symlink_to(tmp_path / "precious")
    with Server(site) as server:
        assert get(server.url).returncode == 10
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_a_full_disk_is_found_before_the_start(get: Get, folder: Path, site: Site) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    with Server(site) as server:
        result = get(server.url, before=limit)
    assert result.returncode == 9
    assert len(server.requests) == 1
    assert nothing_but(folder)


def test_a_disk_that_fills_up(site: Site, folder: Path, surroundings: dict[str, str]) -> None:
    """On a file system of its own, of 2 MB, and a server that does not say how long the file is."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-Urm", "true"], check=False).returncode:
        pytest.skip("a file system of our own needs user namespaces")

    def behave(request: Request) -> None:
        request.head(200)
        request.send(site.content)
        raise HangUpError

    with Server(behave) as server:
        script = f"mount -t tmpfs -o size=2m none . && cd . && cd $PWD && {sys.executable} -m windward get {server.url}"
        command = ["unshare", "-Urm", "sh", "-c", f"{script}; code=$?; ls; exit $code"]
        result = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    assert result.returncode == 9, result.stderr
    assert result.stdout.split() == ["file.bin.part", "file.bin.part.windward"]


def test_a_folder_that_cannot_be_written(get: Get, folder: Path, site: Site) -> None:
    (folder / "there").write_text("a file")
    with Server(site) as server:
        assert get(server.url, "-d", "there").returncode == 10


@pytest.mark.parametrize(
    "arguments",
    [
        ("ftp://127.0.0.1/x",),
        ("http://",),
        ("http://127.0.0.1/x", "--checksum", "md5=00"),
        ("http://127.0.0.1/x", "--header", "Range: bytes=0-1"),
        ("http://127.0.0.1/x", "--header", "no colon"),
        ("http://127.0.0.1/x", "--header", "A: b\r\nC: d"),
        ("http://127.0.0.1/x", "--limit-rate", "fast"),
        ("http://127.0.0.1/x", "--stall-timeout", "0"),
        ("http://127.0.0.1/x", "--law", "reno"),
        ("http://127.0.0.1/x", "--beta", "2"),
        ("http://127.0.0.1/x", "http://127.0.0.1/y", "-o", "z"),
    ],
)
def test_what_cannot_be_asked(get: Get, folder: Path, arguments: tuple[str, ...]) -> None:
    result = get(*arguments)
    assert result.returncode == 2
    assert "error" in result.stderr.lower()
    assert nothing_but(folder)


# Hostile servers


def part(content: bytes, value: str, length: int | None = None) -> Callable[[Request], None]:
    """A 206 of this `Content-Range`."""

    def behave(request: Request) -> None:
        request.head(
            206,
            ("Content-Length", len(content) if length is None else length),
            ("Content-Range", value),
            ("ETag", '"1"'),
        )
        request.send(content)

    return behave


HOSTILE = {
    "another range": (part(b"abc", "bytes 5-7/10"), 11),
    "more than asked": (part(noise(500_000), "bytes 0-499999/600000"), 11),
    "another length": (part(b"abc", "bytes 0-2/10", length=2), 11),
    "no length": (part(b"abc", "bytes 0-2/*"), 11),
    "a range of nothing": (part(b"abc", "bytes 0-2"), 11),
    "a file beyond any disk": (part(b"abc", "bytes 0-2/9223372036854775807"), 9),
    "a length beyond any number": (part(b"abc", "bytes 0-2/99999999999999999999"), 11),
    "a flood of fields": (lambda request: request.reply(200, *(("A", "b") for _ in range(200))), 11),
    "a long head": (lambda request: request.reply(200, ("A", "b" * 100_000)), 11),
    "two lengths": (lambda request: request.reply(200, ("Content-Length", 7), body=b"abc"), 11),
    "no HTTP": (lambda request: request.send(b"SSH-2.0-OpenSSH_9.2\r\n" * 9000), 11),
    "a loop of redirects": (lambda request: request.reply(302, ("Location", request.target)), 4),
    "a way out of the web": (lambda request: request.reply(302, ("Location", "file:///etc/passwd")), 4),
    "a redirect to nowhere": (lambda request: request.reply(302), 4),
    "endless patience": (lambda request: request.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 5000), 11),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_servers(get: Get, folder: Path, what: str) -> None:
    behave, code = HOSTILE[what]
    with Server(behave) as server:
        result = get(server.url)
    assert result.returncode == code, result.stderr
    assert nothing_but(folder)
    assert len(server.requests) <= 11


@pytest.mark.parametrize("what", ["another range", "another length", "no length", "more"])
def test_servers_that_turn_hostile(get: Get, folder: Path, site: Site, what: str) -> None:
    def behave(request: Request) -> None:
        first, last = request.range or (0, 0)
        if request.number <= 2:
            site(request)
            return
        if what == "another range":
            first, last = first + 1, last + 1
        whole = {"another length": str(LENGTH + 1), "no length": "*"}.get(what, str(LENGTH))
        fields = [("Content-Range", f"bytes {first}-{last - 1}/{whole}"), ("ETag", site.etag)]
        if what == "more":
            request.head(206, ("Transfer-Encoding", "chunked"), *fields)
            while True:
                request.send(b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n")
        request.head(206, ("Content-Length", last - first), *fields)
        request.send(b"x" * (last - first))

    with Server(behave) as server:
        assert get(server.url, "-n", "1").returncode == 11
    assert not (folder / "file.bin").exists()


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="../../evil"', "evil"),
        ('attachment; filename="/etc/evil"', "evil"),
        ("attachment; filename*=UTF-8''..%2F..%2Fevil%1b%5B2J", "evil[2J"),
        ('attachment; filename=".bashrc"', "_bashrc"),
        ('attachment; filename=".."', "file.bin"),
    ],
)
def test_names_stay_in_the_folder(get: Get, folder: Path, tmp_path: Path, disposition: str, name: str) -> None:
    site = Site(noise(1000), extra=(("Content-Disposition", disposition),))
    with Server(site) as server:
        assert get(server.url).returncode == 0
    assert nothing_but(folder, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "here"]


def test_terminals_are_not_commanded(get: Get) -> None:
    site = Site(noise(LENGTH), etag='"\x9b2J"')
    other = Site(noise(LENGTH), etag='"\x9b3J"')
    with Server(lambda request: (site, other)[request.number % 2](request)) as server:
        result = get(server.url, "-n", "2")
    assert result.returncode == 7
    assert all(character.isprintable() or character == "\n" for character in result.stdout + result.stderr)


# Redirects, secrets, ways


def test_redirects_lead_to_the_file(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as there:

        def behave(request: Request) -> None:
            request.reply(302, ("Location", f"http://localhost:{there.port}/signed?key=1"))

        with Server(behave) as here:
            assert (
                get(here.url, "-n", "3", "-H", "Authorization: Bearer secret", "-H", "User-Agent: me").returncode == 0
            )
    assert (folder / "file.bin").read_bytes() == site.content
    assert len(here.requests) == 1
    assert here.requests[0].fields["authorization"] == "Bearer secret"
    assert all("authorization" not in request.fields for request in there.requests)
    assert all(request.fields["user-agent"] == "me" for request in there.requests)


def test_signed_addresses_that_expire_are_asked_for_again(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if request.target == "/file.bin":
            request.reply(307, ("Location", f"/signed?until={request.number + 4}"))
        elif request.number > int(request.target.partition("=")[2]):
            request.reply(403)
        else:
            site(request)

    with Server(behave) as server:
        assert get(server.url, "-n", "1").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content


def test_passwords_come_from_netrc(get: Get, tmp_path: Path, site: Site) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ann password p1\n")
    with Server(site) as server:
        assert get(server.url).returncode == 0
        assert get(server.url.replace("127.", "bob:p2@127."), "-f").returncode == 0
    sent = {request.fields["authorization"] for request in server.requests}
    assert sent == {"Basic YW5uOnAx", "Basic Ym9iOnAy"}


def test_a_proxy_is_gone_through(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as proxy:
        address = f"http://u:p@127.0.0.1:{proxy.port}"
        assert get("http://files.example/a/file.bin?b", "-n", "2", http_proxy=address).returncode == 0
        assert {request.target for request in proxy.requests} == {"http://files.example:80/a/file.bin?b"}
        assert {request.fields["proxy-authorization"] for request in proxy.requests} == {"Basic dTpw"}
        with Server(site) as server:
            assert get(server.url, "-f", http_proxy=address, no_proxy="127.0.0.1").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content


def test_ipv6(get: Get, folder: Path, site: Site) -> None:
    try:
        server = Server(site, host="::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server:
        assert get(server.url, "-n", "2").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content


def test_the_engine_tells_what_it_was_given() -> None:
    with pytest.raises(ValueError, match="max_tries"):
        _engine.transfer_get("http://127.0.0.1/", '{"max_tries": "many"}', print)

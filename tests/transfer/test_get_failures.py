"""`windward get`: whatever fails, the file is right or it is not there, and nothing comes twice."""

import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from conftest import Get
from web import (
    LENGTH,
    HangUpError,
    Request,
    Server,
    Site,
    blocked_after,
    broken_after,
    noise,
    nothing_but,
    overlap,
    wait_for,
)


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
        assert ("to resume" in said) == (how == signal.SIGINT)
        assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")
        before = len(server.requests)
        server.behave = site
        result = get(server.url)
    assert result.returncode == 0
    assert "already downloaded" in result.stderr
    assert (folder / "file.bin").read_bytes() == site.content
    # The first request of a run learns the version; nothing else comes twice.
    again = [part for request in server.requests[before + 1 :] for part in request.parts]
    first = [part for request in server.requests[:before] for part in request.parts]
    assert overlap([*first, *again]) == 0
    assert sum(last - first for first, last in [*first, *again]) == LENGTH


@pytest.mark.parametrize("damage", ["a byte", "the end", "the journal"])
def test_what_an_earlier_run_left_counts_only_if_it_is_sound(get: Get, folder: Path, site: Site, damage: str) -> None:
    """Damage by a power failure: data that never reached the disk, a torn journal."""
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
    assert "already downloaded" in result.stderr
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


def whole(content: bytes, *fields: tuple[str, object]) -> Callable[[Request], None]:
    return lambda request: request.reply(200, *fields, body=content)


def test_a_server_without_ranges(get: Get, folder: Path, site: Site) -> None:
    with Server(whole(site.content)) as server:
        result = get(server.url, "-n", "4")
    assert (result.returncode, result.stderr) == (0, "")
    assert "the server does not support ranges" in result.stdout
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
    # The end is told by the last chunk.
    assert "truncation" not in result.stdout + result.stderr
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
    assert "length unknown" in result.stdout


def test_a_server_that_stops_giving_parts(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if request.number > 3:
            request.fields.pop("range", None)
        site(request)

    with Server(behave) as server:
        result = get(server.url, "--max-tries", "2")
    assert result.returncode == 4
    assert not (folder / "file.bin").exists()


def test_encoded_parts_of_a_plain_file_are_refused(get: Get, folder: Path, site: Site) -> None:
    encoded = Site(site.content, extra=(("Content-Encoding", "gzip"),))
    with Server(lambda request: (encoded if request.number >= 3 else site)(request)) as server:
        result = get(server.url)
    assert result.returncode == 4
    assert "gzip" in result.stderr
    assert not (folder / "file.bin").exists()


@pytest.mark.parametrize("status", [429, 503])
def test_a_limit_on_connections_is_found(get: Get, folder: Path, status: int) -> None:
    site = Site(noise(4 * LENGTH))
    serving: set[int] = set()
    refused: list[Request] = []
    lock = threading.Lock()

    def behave(request: Request) -> None:
        with lock:
            is_welcome = request.connection in serving or len(serving) < 2
            if is_welcome:
                serving.add(request.connection)
        if not is_welcome:
            refused.append(request)
            request.reply(status)
            raise HangUpError
        site(request)

    with Server(behave) as server:
        result = get(server.url, "-n", "8", "--limit-rate", "12M", "--max-tries", "1")
    assert result.returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    # Those that were on their way when the first was refused, and no more.
    assert 0 < len(refused) <= 6


def test_a_refusal_before_the_first_bytes_ends_nothing(get: Get, folder: Path, site: Site) -> None:
    """The first connection was answered; that its bytes are slower than another's refusal says nothing."""
    refused = threading.Event()

    class Late(Site):
        def give(self, request: Request, first: int, end: int) -> None:
            assert refused.wait(10)
            time.sleep(0.1)
            super().give(request, first, end)

    late = Late(site.content)

    def behave(request: Request) -> None:
        if request.connection == 1:
            (site if refused.is_set() else late)(request)
            return
        request.reply(503)
        refused.set()
        raise HangUpError

    with Server(behave) as server:
        result = get(server.url, "-n", "4", "--max-tries", "1")
    assert result.returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content


def test_a_busy_server_is_asked_as_often_as_allowed(get: Get) -> None:
    with Server(lambda request: request.reply(503)) as server:
        result = get(server.url, "--max-tries", "3")
    assert result.returncode == 4
    assert len(server.requests) == 3
    assert result.stderr.count("retrying") == 2


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
    assert result.stderr.count("retrying in 1 s") == 2
    assert (folder / "file.bin").read_bytes() == site.content


@pytest.mark.parametrize(
    ("status", "code", "count"), [(401, 4, 1), (403, 4, 2), (404, 4, 1), (410, 4, 1), (418, 4, 2), (204, 11, 2)]
)
def test_refusals_are_final(get: Get, folder: Path, status: int, code: int, count: int) -> None:
    """One that may be about the range is asked about once more, without one."""
    with Server(lambda request: request.reply(status)) as server:
        result = get(server.url)
    assert result.returncode == code
    assert str(status) in result.stderr
    assert len(server.requests) == count
    assert nothing_but(folder)


# All of it at once


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens(get: Get, folder: Path, seed: int) -> None:
    """A server that fails at random, and changes its file: in the end one version of it is there, or nothing."""
    generator = random.Random(seed)
    old, new = Site(noise(LENGTH, seed), '"old"'), Site(noise(LENGTH, seed + 100), '"new"')
    current = old
    faults = ["cut", "reset", "busy", "whole", "garbage", "shifted", "drop", "other", "moved"]
    share = generator.choice([0.02, 0.1, 0.3])

    def behave(request: Request) -> None:
        fault = generator.choice(faults) if generator.random() < share else None
        if fault in {"cut", "reset"}:
            try:
                current.answer(request, most=generator.randrange(300_000))
            except HangUpError:
                if fault == "reset":
                    request.reset()
                raise
        elif fault == "busy":
            request.reply(generator.choice([429, 500, 503]))
        elif fault == "whole":
            request.fields.pop("range", None)
            current(request)
        elif fault == "garbage":
            request.send(generator.randbytes(100))
            raise HangUpError
        elif fault == "shifted" and request.range:
            first, last = request.range
            request.fields["range"] = f"bytes={first + 1}-{last}"
            current(request)
        elif fault == "drop":
            raise HangUpError
        elif fault == "other":
            request.fields.pop("if-range", None)
            (new if current is old else old)(request)
        elif fault == "moved":
            request.reply(302, ("Location", f"/elsewhere-{request.number}"))
        else:
            current(request)

    with Server(behave) as server:
        for attempt in range(40):
            if attempt == 5:
                current = new
            # What keeps failing is fetched in the end.
            if attempt == 20:
                faults = ["drop"]
            result = get(server.url, "-q", "-n", str(generator.randint(1, 6)), "--max-tries", "3")
            target = folder / "file.bin"
            assert (result.returncode == 0) == target.exists(), result.stderr
            if result.returncode == 0:
                break
            assert {path.name for path in folder.iterdir()} <= {"file.bin.part", "file.bin.part.windward"}
        assert target.read_bytes() in {old.content, new.content}


def test_a_link_that_stands_still_is_waited_for(folder: Path, site: Site, surroundings: dict[str, str]) -> None:
    """A socket whose queue is full answers no SYN, as a link that is gone does not; then it is there again."""
    server = Server(site, backlog=0)
    options = ["--connect-timeout", "0.3", "--retry-wait", "0.3", "--max-tries", "30"]
    command = [sys.executable, "-m", "windward", "get", server.url, "--json", *options]
    popen = partial(subprocess.Popen, cwd=folder, env=surroundings, stdout=subprocess.PIPE, text=True)
    with socket.create_connection(("127.0.0.1", server.port)), popen(command) as process:
        assert process.stdout is not None
        assert any("timed out; retrying" in line for line in process.stdout)
        with server:
            for _ in process.stdout:
                pass
    assert process.returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content

"""`windward get`: answers that are not what was asked for; a part survives them, and the file is had all the same."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Get
from web import LENGTH, HangUpError, Request, Server, Site, broken_after, noise, nothing_but

TYPE = ("Content-Type", "application/octet-stream")
HTML = ("Content-Type", "text/html; charset=utf-8")
PAGE = b"<html>please pay</html>"

Behave = Callable[[Request], None]


@pytest.fixture
def site() -> Site:
    return Site(noise(LENGTH), extra=(TYPE,))


def reply(status: int, *fields: tuple[str, object], body: bytes = b"") -> Behave:
    return lambda request: request.reply(status, *fields, body=body)


def chunked(request: Request) -> None:
    request.head(200, HTML, ("Transfer-Encoding", "chunked"))
    request.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(PAGE), PAGE))


def until_close(request: Request) -> None:
    request.send(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE)
    request.hang_up()


def cut(request: Request) -> None:
    request.head(200, ("Content-Length", LENGTH))
    request.send(noise(1000))
    request.hang_up()


def redirected(to: Behave) -> Behave:
    """Everything leads to a log-in page."""

    def behave(request: Request) -> None:
        if request.target == "/login":
            to(request)
        else:
            request.reply(302, ("Location", "/login"))

    return behave


#: What a hotel, a proxy or a server in trouble gives instead of the file.
PORTALS: dict[str, Behave] = {
    "a page": reply(200, HTML, body=PAGE),
    "a page without a type": reply(200, body=PAGE),
    "a page in chunks": chunked,
    "a page of HTTP/1.0": until_close,
    "a page with an ETag": reply(200, HTML, ("ETag", '"page"'), body=PAGE),
    "a redirect to a page": redirected(reply(200, HTML, body=PAGE)),
    "a redirect to a page in parts": redirected(Site(PAGE, '"page"', extra=(HTML,))),
    "a long page in parts": Site(noise(2 * LENGTH), '"page"', extra=(HTML,)),
    "an error as JSON, in parts": Site(noise(2 * LENGTH), '"x"', extra=(("Content-Type", "application/json"),)),
    "an empty file": reply(200, TYPE),
    "an empty file with an ETag": reply(200, TYPE, ("ETag", '"empty"')),
    "less than has arrived, in parts": Site(noise(100_000), '"short"', extra=(TYPE,)),
    "a file without a version": reply(200, TYPE, body=noise(LENGTH, 5)),
    "parts without a version": Site(noise(LENGTH, 5), None, extra=(TYPE,)),
    "another version, whole": reply(200, TYPE, ("ETag", '"new"'), body=noise(LENGTH, 5)),
    "a body that breaks off": cut,
}


def begun(get: Get, server: Server, folder: Path, site: Site) -> dict[str, bytes]:
    """Leaves a part of the site's file; what is in the folder then."""
    server.behave = broken_after(site, 5)
    assert get(server.url, "--max-tries", "1", "-n", "1").returncode == 12
    assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("what", PORTALS)
def test_a_part_survives_what_cannot_be_the_file(get: Get, folder: Path, site: Site, what: str) -> None:
    with Server(site) as server:
        before = begun(get, server, folder, site)
        server.behave = PORTALS[what]
        refused = get(server.url, "--max-tries", "1")
        assert (refused.returncode, "--replace" in refused.stderr) == (4, True), refused.stderr
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        server.behave = site
        result = get(server.url)
    assert (result.returncode, "already downloaded" in result.stderr) == (0, True)
    assert (folder / "file.bin").read_bytes() == site.content


@pytest.mark.parametrize("what", ["a page", "a page with an ETag", "another version, whole"])
def test_a_part_survives_what_comes_in_the_middle(get: Get, folder: Path, site: Site, what: str) -> None:
    with Server(lambda request: (site if request.number <= 5 else PORTALS[what])(request)) as server:
        assert get(server.url, "--max-tries", "2", "-n", "1").returncode == 4
        server.behave = site
        result = get(server.url)
    assert (result.returncode, "already downloaded" in result.stderr) == (0, True)
    assert (folder / "file.bin").read_bytes() == site.content


def test_whoever_insists_gets_what_there_is(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as server:
        before = begun(get, server, folder, site)
        server.behave = cut
        broken = get(server.url, "--replace", "--max-tries", "1")
        assert (broken.returncode, "another version" in broken.stderr) == (12, True)
        # Until it is whole the part stays.
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        server.behave = PORTALS["a page"]
        result = get(server.url, "--replace")
    assert (result.returncode, "another version" in result.stderr) == (0, True)
    assert (folder / "file.bin").read_bytes() == PAGE
    assert nothing_but(folder, "file.bin")


def test_a_server_that_gives_no_parts_any_more(get: Get, folder: Path, site: Site) -> None:
    """The version is unchanged: existing data is not lost, whether or not the whole file arrives."""

    def whole(request: Request) -> None:
        request.fields.pop("range", None)
        site(request)

    def half(request: Request) -> None:
        request.fields.pop("range", None)
        site.answer(request, most=100_000)

    with Server(site) as server:
        begun(get, server, folder, site)
        server.behave = half
        assert get(server.url, "--max-tries", "1").returncode == 12
        server.behave = broken_after(site, 0)
        assert get(server.url, "--max-tries", "1").returncode == 12
        server.behave = whole
        result = get(server.url)
    assert (result.returncode, "does not support ranges any more" in result.stderr) == (0, True)
    assert (folder / "file.bin").read_bytes() == site.content
    assert nothing_but(folder, "file.bin")


def odd(site: Site, what: str) -> Behave:
    """A server that gives the whole as it should, and answers requests for ranges with `what`."""

    def part(request: Request, value: str, first: int, end: int, cut: int = 0) -> None:
        request.head(206, ("Content-Range", value), ("Content-Length", end - first - cut), *site.fields())
        request.send(site.content[first : end - cut])

    def behave(request: Request) -> None:
        if request.range is None:
            site(request)
            return
        first, end = request.range[0], min(request.range[1], LENGTH)
        if what.isdigit():
            request.reply(int(what))
        elif what == "whole":
            part(request, f"bytes 0-{LENGTH - 1}/{LENGTH}", 0, LENGTH)
        elif what == "star":
            part(request, f"bytes {first}-{end - 1}/*", first, end)
        elif what == "caps":
            part(request, f"Bytes {first}-{end - 1}/{LENGTH}", first, end)
        elif what == "equals":
            part(request, f"bytes={first}-{end - 1}/{LENGTH}", first, end)
        elif what == "echo":
            part(request, "bytes 0-262143/1569", 0, 1569)
        elif what == "short":
            part(request, f"bytes {first}-{end - 1}/{LENGTH}", first, end, cut=1)
        elif what == "nothing":
            request.head(206, ("Content-Length", end - first))
            request.send(site.content[first:end])
        else:
            request.head(206, ("Content-Type", "multipart/byteranges; boundary=x"), ("Content-Length", 8))
            request.send(b"--x--\r\n\r")

    return behave


ODD = ["400", "403", "405", "406", "412", "416", "500", "501", "505", "204"]
ODD += ["whole", "star", "caps", "equals", "echo", "short", "nothing", "several"]


@pytest.mark.parametrize(
    ("what", "is_begun"),
    [*((what, False) for what in ODD), *((what, True) for what in ("403", "whole", "star", "caps"))],
)
def test_a_server_that_cannot_do_ranges(get: Get, folder: Path, site: Site, what: str, is_begun: bool) -> None:
    with Server(site) as server:
        if is_begun:
            begun(get, server, folder, site)
        before = len(server.requests)
        server.behave = odd(site, what)
        result = get(server.url, "--max-tries", "1")
    assert result.returncode == 0, result.stderr
    assert (folder / "file.bin").read_bytes() == site.content
    assert nothing_but(folder, "file.bin")
    # One request more than from a server that ignores ranges; whoever is understood after all is asked for parts.
    assert what == "caps" or len(server.requests) - before <= 2


def test_a_redirect_that_refuses_ranges_leads_on(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if request.target != "/file.bin":
            site(request)
        elif request.range:
            request.reply(400)
        else:
            request.reply(302, ("Location", "/there"))

    with Server(behave) as server:
        assert get(server.url, "-n", "2").returncode == 0
    assert [request.range for request in server.requests[:3]] == [(0, 262144), None, (0, 262144)]
    assert (folder / "file.bin").read_bytes() == site.content


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "br, gzip", "none", "", "identity"])
def test_encoded_files_are_saved_as_they_are(get: Get, folder: Path, coding: str) -> None:
    site = Site(noise(LENGTH), extra=(("Content-Encoding", coding),))
    with Server(site) as server:
        result = get(server.url, "-n", "3")
        packed = get(server.url.replace("file.bin", "file.tar.gz"))
    assert result.returncode == 0, result.stderr
    assert ("Content-Encoding" in result.stderr) == ("gzip" in coding)
    assert (packed.returncode, packed.stderr) == (0, "")
    assert (folder / "file.bin").read_bytes() == (folder / "file.tar.gz").read_bytes() == site.content


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\nContent-Length : 5\n\nhello",
        b"HTTP/1.1  200\r\nA: b\r\n c\r\nContent-Length:\r\n 5\r\n\r\nhello",
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ],
)
def test_heads_of_old_servers(get: Get, folder: Path, head: bytes) -> None:
    with Server(lambda request: request.send(head)) as server:
        result = get(server.url)
    assert (result.returncode, result.stderr) == (0, "")
    assert (folder / "file.bin").read_bytes() == b"hello"


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\rx\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\n Content-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ],
)
def test_heads_that_may_mean_two_things(get: Get, folder: Path, head: bytes) -> None:
    with Server(lambda request: request.send(head)) as server:
        assert get(server.url).returncode == 11
    assert nothing_but(folder)


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        (b'attachment; filename="caf\xe9.txt"', "caf\u00e9.txt"),
        (b'attachment; filename="caf\xc3\xa9.txt"', "caf\u00e9.txt"),
        (b"attachment; filename*=iso-8859-1''caf%E9.txt", "caf\u00e9.txt"),
        (b"attachment; filename*=UTF-8''bad%E9.txt; filename=good.txt", "good.txt"),
    ],
)
def test_names_in_latin_1(get: Get, folder: Path, disposition: bytes, name: str) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Disposition: " + disposition + b"\r\n\r\nx"
    with Server(lambda request: request.send(head)) as server:
        assert get(server.url).returncode == 0
    assert nothing_but(folder, name)


def test_an_address_in_latin_1_stays_as_it_is(get: Get, folder: Path) -> None:
    def behave(request: Request) -> None:
        if request.target == "/file.bin":
            request.send(b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9.bin?\xff\r\nContent-Length: 0\r\n\r\n")
        else:
            request.reply(200, body=b"x")

    with Server(behave) as server:
        assert get(server.url).returncode == 0
    assert server.requests[1].target == "/caf%E9.bin?%FF"


def test_the_longest_name(get: Get, folder: Path, site: Site) -> None:
    name = "n" * 251 + ".bin"
    with Server(broken_after(site, 5)) as server:
        assert get(server.url, "-o", name, "--max-tries", "1", "-n", "1").returncode == 12
        server.behave = site
        result = get(server.url, "-o", name)
    assert (result.returncode, "already downloaded" in result.stderr) == (0, True)
    assert (folder / name).read_bytes() == site.content
    assert nothing_but(folder, name)


def test_standard_output(folder: Path, surroundings: dict[str, str], site: Site) -> None:
    def pipe(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "windward", "get", *arguments]
        return subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, check=False, timeout=60)

    with Server(site) as server:
        result = pipe("-o", "-", "-n", "2", server.url)
        assert (result.returncode, result.stdout) == (0, site.content)
        assert result.stderr.startswith(b"-: 3.0 MB in ")
        told = pipe("-o", "-", "--json", server.url)
        assert (told.returncode, told.stdout) == (0, site.content)
        assert b'"event": "end"' in told.stderr
        assert pipe("-o", "-", "-d", "there", server.url).returncode == 2
        server.behave = reply(404)
        assert pipe("-o", "-", server.url).stdout == b""

        def broken(request: Request) -> None:
            request.head(200, ("Content-Length", LENGTH))
            request.send(site.content[:1000])
            raise HangUpError

        # Nothing of what is not whole.
        server.behave = broken
        result = pipe("-o", "-", "-m", "1", server.url)
        assert (result.returncode, result.stdout) == (12, b"")
    assert nothing_but(folder)


def test_a_limit_opens_what_it_needs(get: Get, folder: Path, surroundings: dict[str, str], tmp_path: Path) -> None:
    """On a clean path that is one connection, whatever the host was found to want before."""
    site = Site(noise(1_500_000))
    with Server(site) as server:
        host = server.url.split("/")[2]
        cache = tmp_path / "cache" / "windward" / "connections.json"
        cache.parent.mkdir(parents=True)
        cache.write_text(f'{{"{host}": {{"connections": 19, "at": {2**40}}}}}')
        assert get(server.url, "--limit-rate", "1M").returncode == 0
        assert server.peak <= 2
        assert host in cache.read_text()
        assert get(server.url, "--replace", "--forget").returncode == 0
        assert host not in cache.read_text()
    assert (folder / "file.bin").read_bytes() == site.content

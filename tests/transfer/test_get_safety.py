"""`windward get`: local files, hostile servers, and whom secrets are told."""

import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import PYTHON, Get
from web import LENGTH, HangUpError, Request, Server, Site, blocked_after, noise, nothing_but

from windward import _engine
from windward._cli import secrets


def test_a_target_that_is_there(get: Get, folder: Path, site: Site) -> None:
    target = folder / "file.bin"
    target.write_bytes(b"mine")
    with Server(site) as server:
        assert get(server.url).returncode == 10
        assert get(server.url, "-o", "file.bin").returncode == 10
        assert get(server.url, "-c").returncode == 10
        assert target.read_bytes() == b"mine"
        assert get(server.url, "--replace").returncode == 0
        assert target.read_bytes() == site.content
        before = len(server.requests)
        assert "already complete" in get(server.url, "-c", "--checksum", site.checksum).stdout
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


@pytest.mark.parametrize("most", [1_000_000, 0])
def test_a_full_disk_is_found_before_the_start(get: Get, folder: Path, site: Site, most: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

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
        script = f"mount -t tmpfs -o size=2m none . && cd . && cd $PWD && {PYTHON} -m windward get {server.url}"
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
        ("http://127.0.0.1/x", "--law", "emultcp(beta=2)"),
        ("http://127.0.0.1/x", "http://127.0.0.1/y", "-o", "z"),
        ("http://127.0.0.1/x", "http://127.0.0.1/y", "--checksum", "sha-256=" + 64 * "0"),
    ],
)
def test_what_cannot_be_asked(get: Get, folder: Path, arguments: tuple[str, ...]) -> None:
    result = get(*arguments)
    assert result.returncode == 2
    assert "error" in result.stderr.lower()
    assert nothing_but(folder)


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
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here"]


def test_terminals_are_not_commanded(get: Get) -> None:
    site = Site(noise(LENGTH), etag='"\x9b2J"')
    other = Site(noise(LENGTH), etag='"\x9b3J"')
    with Server(lambda request: (site, other)[request.number % 2](request)) as server:
        result = get(server.url, "-n", "2")
    assert result.returncode == 7
    assert all(character.isprintable() or character == "\n" for character in result.stdout + result.stderr)


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


def test_cookies_of_redirects_are_sent_on(get: Get, folder: Path, site: Site) -> None:
    """A portal that sets a cookie and asks for the same address again, on all connections."""

    def behave(request: Request) -> None:
        if "license=yes" in request.fields.get("cookie", ""):
            site(request)
        else:
            request.reply(302, ("Location", request.target), ("Set-Cookie", "license=yes; Path=/; HttpOnly"))

    with Server(behave) as server:
        assert get(server.url, "-n", "3", "-H", "Cookie: mine=1").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    first, *others = server.requests
    assert first.fields["cookie"] == "mine=1"
    assert {request.fields["cookie"] for request in others} == {"mine=1; license=yes"}


def test_cookies_stay_with_the_host_that_set_them(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as there:

        def behave(request: Request) -> None:
            cookie = ("Set-Cookie", "session=secret; Path=/")
            request.reply(302, ("Location", f"http://localhost:{there.port}/file.bin"), cookie)

        with Server(behave) as here:
            assert get(here.url, "-n", "2").returncode == 0
    assert all("cookie" not in request.fields for request in there.requests)


def link_local() -> tuple[str, str] | None:
    """An address of this machine that needs its interface, and the interface."""
    try:
        lines = Path("/proc/net/if_inet6").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for digits, _, _, scope, _, name in map(str.split, lines):
        if scope == "20":
            return ":".join(digits[at : at + 4] for at in range(0, 32, 4)), name
    return None


@pytest.mark.skipif(link_local() is None, reason="no IPv6 address of a link")
def test_addresses_of_a_link_have_a_zone(get: Get, folder: Path, site: Site) -> None:
    found = link_local()
    assert found is not None
    host, name = found
    with Server(site, host=f"{host}%{name}") as server:
        for zone in (f"%{name}", f"%25{name}"):
            result = get(f"http://[{host}{zone}]:{server.port}/file.bin", "--replace", "-n", "2")
            assert result.returncode == 0, result.stderr
            assert (folder / "file.bin").read_bytes() == site.content
        without = get(f"http://[{host}]:{server.port}/other.bin")
    assert without.returncode == 3
    assert "needs the interface, as in [fe80::1%eth0]" in without.stderr
    # RFC 6874: a zone is of this machine alone.
    assert all("%" not in request.fields["host"] for request in server.requests)


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
        assert get(server.url.replace("127.", "bob:p2@127."), "--replace").returncode == 0
    sent = {request.fields["authorization"] for request in server.requests}
    assert sent == {"Basic YW5uOnAx", "Basic Ym9iOnAy"}


def test_passwords_of_netrc_stay_with_the_server(get: Get, tmp_path: Path, site: Site) -> None:
    (tmp_path / "netrc").write_text('machine 127.0.0.1 login ann password "p 1"\ndefault login any password p2\n')
    with Server(site) as there:
        for away in (there.url, there.url.replace("127.0.0.1", "localhost")):
            with Server(lambda request, to=away: request.reply(302, ("Location", to))) as here:
                assert get(here.url, "--replace").returncode == 0
            assert here.requests[0].fields["authorization"] == "Basic YW5uOnAgMQ=="
    assert all("authorization" not in request.fields for request in there.requests)
    with Server(site) as server:
        # To another address of the same server it is not lost.
        server.behave = lambda request: (
            site(request) if request.target == "/there" else request.reply(302, ("Location", "/there"))
        )
        assert get(server.url.replace("127.", "bob:p3@127."), "--replace").returncode == 0
    assert {request.fields["authorization"] for request in server.requests} == {"Basic Ym9iOnAz"}


def test_the_user_of_the_address_picks_the_password(get: Get, tmp_path: Path, site: Site) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login u password p\nmachine 127.0.0.1 login v password q\n")
    with Server(site) as server:
        assert get(server.url.replace("127.", "v@127.")).returncode == 0
    assert {request.fields["authorization"] for request in server.requests} == {"Basic djpx"}


@pytest.mark.parametrize("how", [(), ("--json",), ("--quiet",)])
def test_passwords_are_not_printed(get: Get, folder: Path, site: Site, how: tuple[str, ...]) -> None:
    def behave(request: Request) -> None:
        if request.target == "/moved":
            request.reply(302, ("Location", "ftp://u:SECRET@127.0.0.1/"))
        else:
            request.reply(404)

    with Server(behave) as server:
        base = server.url.replace("127.", "user:SECRET@127.")
        addresses = [base, base.replace("file.bin", "moved"), base.replace("user", "")]
    # Nobody listens there any more; no port, no scheme, no host.
    addresses += [base, "http://user:SECRET@127.0.0.1:x/", "ftp://user:SECRET@127.0.0.1/", "http://user:SECRET@"]
    addresses += ["http://user:SEC/RET@127.0.0.1/", "http://SECRET@127.0.0.1:1/", "user:SECRET@127.0.0.1:1/x"]
    for address in addresses:
        result = get(address, *how, "--max-tries", "1")
        assert result.returncode != 0
        assert "SEC" not in result.stdout + result.stderr, address
    header = get("http://127.0.0.1:1/", "-H", "Authorization: SECRET\a", *how)
    assert (header.returncode, "SECRET" in header.stderr) == (2, False)
    proxy = get("https://127.0.0.1/", *how, https_proxy="socks5://u:SECRET@127.0.0.1:1")
    assert (proxy.returncode, "SECRET" in proxy.stderr) == (3, False)


def test_secrets_are_not_shown_in_the_list_of_processes(folder: Path, surroundings: dict[str, str], site: Site) -> None:
    reached = threading.Event()
    with Server(blocked_after(site, 0, reached)) as server:
        address = server.url.replace("127.", "user:SECRET@127.")
        command = [sys.executable, "-m", "windward", "get", address, "-H", "X-Token: SECRET", "-q"]
        with subprocess.Popen(command, cwd=folder, env=surroundings) as process:
            assert reached.wait(60)
            shown = Path(f"/proc/{process.pid}/cmdline").read_bytes()
            process.kill()
    assert b"SECRET" not in shown
    assert b"user:******@127.0.0.1" in shown


def test_arguments_without_their_secrets() -> None:
    words = b"send\0--token\0open sesame\0--token=x\0-H\0A: b\0-HC:d\0--header=E: f\0http://u:p@h/x@y\0file\0"
    shown = b"send\0--token\0***********\0--token=*\0-H\0A:**\0-HC:*\0--header=E:**\0http://u:*@h/x@y\0file\0"
    assert secrets.masked(words) == shown


def test_passwords_are_not_shown_to_the_network(get: Get, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine 192.0.2.1 login ann password p1\n")
    hasty = ("--connect-timeout", "0.1", "--max-tries", "1")
    for arguments in (("http://u:p@192.0.2.1/",), ("http://192.0.2.1/", "-H", "Authorization: Bearer x")):
        refused = get(*arguments, *hasty)
        assert (refused.returncode, "--insecure" in refused.stderr) == (2, True)
        assert get(*arguments, *hasty, "--insecure").returncode == 3
    # A password that the user has not asked for is left out, and that is said.
    withheld = get("http://192.0.2.1/", *hasty)
    assert (withheld.returncode, "--insecure" in withheld.stderr) == (3, True)
    assert nothing_but(folder)


@pytest.mark.parametrize(
    ("except_", "is_direct"),
    [("127.0.0.0/8", True), ("127.0.0.1/32", True), ("localhost.", True), ("10.0.0.0/8", False)],
)
def test_exceptions_from_the_proxy(get: Get, site: Site, except_: str, is_direct: bool) -> None:
    with Server(site) as proxy, Server(site) as server:
        url = server.url.replace("127.0.0.1", "localhost") if "localhost" in except_ else server.url
        assert get(url, http_proxy=f"http://127.0.0.1:{proxy.port}", no_proxy=except_).returncode == 0
        assert (bool(server.requests), bool(proxy.requests)) == (is_direct, not is_direct)


def test_a_proxy_is_gone_through(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as proxy:
        address = f"http://u:p@127.0.0.1:{proxy.port}"
        assert get("http://files.example/a/file.bin?b", "--limit-rate", "4M", http_proxy=address).returncode == 0
        # The way to a proxy is not the way to the server: there the RTT is that of HEAD requests.
        assert any(request.method == "HEAD" for request in proxy.requests)
        assert {request.target for request in proxy.requests} == {"http://files.example:80/a/file.bin?b"}
        assert {request.fields["proxy-authorization"] for request in proxy.requests} == {"Basic dTpw"}
        with Server(site) as server:
            assert get(server.url, "--replace", http_proxy=address, no_proxy="127.0.0.1").returncode == 0
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

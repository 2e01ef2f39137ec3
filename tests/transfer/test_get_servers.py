"""`windward get` from servers that we did not write, beside curl and aria2c, and over TLS."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Get
from web import LENGTH, HangUpError, Request, Server, Site, noise, nothing_but, wait_for

#: A file's length that ends within a lease, and a name that must be quoted.
NAME = "a file.bin"
QUOTED = "a%20file.bin"


@pytest.fixture
def content() -> bytes:
    return noise(LENGTH, 7)


@pytest.fixture
def root(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "root"
    path.mkdir()
    (path / NAME).write_bytes(content)
    return path


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def nginx(root: Path, port: int) -> list[str]:
    temporary = "".join(
        f"{kind}_temp_path {root.parent}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = root.parent / "nginx.conf"
    configuration.write_text(
        f"{user} daemon off; pid {root.parent}/nginx.pid; error_log stderr; worker_processes 1; events {{ }}\n"
        f"http {{ access_log off; {temporary} server {{ listen 127.0.0.1:{port}; root {root}; }} }}\n"
    )
    return ["nginx", "-e", "stderr", "-p", str(root.parent), "-c", str(configuration)]


def lighttpd(root: Path, port: int) -> list[str]:
    """Without the memory of a second in which it promises the length of a file that was replaced, and breaks off."""
    configuration = root.parent / "lighttpd.conf"
    configuration.write_text(
        f'server.document-root = "{root}"\nserver.port = {port}\nserver.bind = "127.0.0.1"\n'
        f'server.upload-dirs = ( "{root.parent}" )\nserver.stat-cache-engine = "disable"\n'
    )
    return ["lighttpd", "-D", "-f", str(configuration)]


def caddy(root: Path, port: int) -> list[str]:
    return ["caddy", "file-server", "--root", str(root), "--listen", f"127.0.0.1:{port}"]


def python(root: Path, port: int) -> list[str]:
    return [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(root)]


@pytest.fixture(params=[nginx, lighttpd, caddy, python], ids=lambda server: server.__name__)
def address(request: pytest.FixtureRequest, root: Path) -> Iterator[str]:
    """Address of the file on a server."""
    make: Callable[[Path, int], list[str]] = request.param
    port = free_port()
    command = make(root, port)
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    surroundings = os.environ | {"HOME": str(root.parent), "XDG_DATA_HOME": str(root.parent)}
    log = root.parent / "log"
    with log.open("w") as output:
        process = subprocess.Popen(command, env=surroundings, stdout=output, stderr=output)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                pytest.fail(f"{command[0]} does not start: {log.read_text()}")
            threading.Event().wait(0.05)
        yield f"http://127.0.0.1:{port}/{QUOTED}"
    finally:
        # Asked, not killed: nginx must end its workers.
        process.terminate()
        process.wait(60)


def test_the_file_arrives(get: Get, folder: Path, address: str, content: bytes) -> None:
    for arguments in (("-n", "1"), ("-n", "4"), ()):
        result = get(address, "--replace", *arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert (folder / NAME).read_bytes() == content
    assert nothing_but(folder, NAME)


@pytest.mark.parametrize(
    "command",
    [["curl", "-sfo", NAME], ["aria2c", "-q", "-x4", "-s4", "-k1M", "--auto-file-renaming=false", "-o", NAME]],
    ids=lambda command: command[0],
)
def test_it_brings_what_others_bring(
    get: Get, folder: Path, address: str, command: list[str], surroundings: dict[str, str]
) -> None:
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    theirs = folder / "theirs"
    theirs.mkdir()
    subprocess.run([*command, address], cwd=theirs, env=surroundings, check=True, timeout=60)
    assert get(address, "-n", "4").returncode == 0
    assert (folder / NAME).read_bytes() == (theirs / NAME).read_bytes()


def test_a_file_that_another_one_replaces(
    get: Get, folder: Path, root: Path, address: str, content: bytes, surroundings: dict[str, str]
) -> None:
    """Parts of the old version are discarded if the server supports ranges; otherwise they did not count."""
    command = [sys.executable, "-m", "windward", "get", "-q", "--limit-rate", "200K", address]
    with subprocess.Popen(command, cwd=folder, env=surroundings) as process:
        wait_for(lambda: any(path.read_bytes().strip(b"\0") for path in folder.glob("*.part")))
        process.kill()
    (root / NAME).write_bytes(content[:-1])
    assert get(address, "-n", "3").returncode == 0
    assert (folder / NAME).read_bytes() == content[:-1]


# TLS


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, and a certificate that it gave to 127.0.0.1."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ours", "-days", "2")
    openssl("req", *key, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=server")
    (folder / "names").write_text("subjectAltName = IP:127.0.0.1\n")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    openssl("x509", "-req", "-in", "request.pem", "-out", "server.pem", *signed)
    return folder


@pytest.fixture
def tls(certificates: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.pem", certificates / "key.pem")
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


def test_tls_is_verified(get: Get, folder: Path, site: Site, certificates: Path, tls: ssl.SSLContext) -> None:
    with Server(site, tls=tls) as server:
        assert get(server.url).returncode == 6
        assert not server.requests
        assert nothing_but(folder)
        result = get(server.url, "--ca", certificates / "ca.pem", "-n", "3")
        assert (result.returncode, result.stderr) == (0, "")
        assert (folder / "file.bin").read_bytes() == site.content
        # The right authority, and a name that it did not vouch for.
        other = server.url.replace("127.0.0.1", "localhost")
        assert get(other, "--ca", certificates / "ca.pem", "--replace").returncode == 6
        # What is no certificate is no authority.
        assert get(server.url, "--ca", certificates / "key.pem", "--replace").returncode == 6


@pytest.fixture(scope="session")
def self_signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate that `openssl req -x509` makes of itself, which is an authority, and another one like it."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("self-signed")
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    )
    for name in ("own", "other"):
        files = ["-keyout", f"{name}.key", "-out", f"{name}.pem"]
        subprocess.run([*command.split(), *files], cwd=folder, check=True, capture_output=True)
    return folder


def test_a_certificate_that_signs_itself_is_trusted_if_it_is_given(
    get: Get, folder: Path, site: Site, self_signed: Path
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed / "own.pem", self_signed / "own.key")
    with Server(site, tls=context) as server:
        result = get(server.url, "--ca", self_signed / "own.pem", "-n", "2")
        assert (result.returncode, result.stderr) == (0, "")
        assert (folder / "file.bin").read_bytes() == site.content
        # Another one of the same name, another name, and nobody's word for it.
        other = get(server.url, "--ca", self_signed / "other.pem", "--replace")
        named = get(server.url.replace("127.0.0.1", "localhost"), "--ca", self_signed / "own.pem", "--replace")
        assert (other.returncode, named.returncode, get(server.url, "--replace").returncode) == (6, 6, 6)


def test_a_file_without_a_length_is_whole_in_tls(
    get: Get, folder: Path, certificates: Path, tls: ssl.SSLContext
) -> None:
    """Its end is told by TLS, so nothing is said of one that might be cut."""

    def behave(request: Request) -> None:
        request.head(200)
        request.send(b"all of it")
        assert isinstance(request.peer, ssl.SSLSocket)
        request.peer.unwrap()
        raise HangUpError

    with Server(behave, tls=tls) as server:
        result = get(server.url, "--ca", certificates / "ca.pem", "--max-tries", "1")
    assert (result.returncode, "truncation" in result.stdout) == (0, False)
    assert (folder / "file.bin").read_bytes() == b"all of it"


def test_a_file_cut_short_without_length_is_seen_in_tls(
    get: Get, folder: Path, certificates: Path, tls: ssl.SSLContext
) -> None:
    """An attacker who cuts the TCP connection cannot forge the end of the TLS one."""

    def behave(request: Request) -> None:
        request.head(200)
        request.send(b"only the beginning")
        request.reset()

    with Server(behave, tls=tls) as server:
        assert get(server.url, "--ca", certificates / "ca.pem", "--max-tries", "1").returncode == 12
    assert not (folder / "file.bin").exists()


def test_a_new_version_does_not_wait_for_a_handshake(
    get: Get, folder: Path, certificates: Path, tls: ssl.SSLContext
) -> None:
    """A connection of the download of the old version is still about to open when the new one begins."""
    old, new = Site(noise(LENGTH, 1), '"old"'), Site(noise(LENGTH, 2), '"new"')
    with Server(lambda request: (old if request.number <= 3 else new)(request), tls=tls, silent=2) as server:
        result = get(server.url, "--ca", certificates / "ca.pem", "-n", "3", "--limit-rate", "6M")
    assert result.returncode == 0, result.stderr
    assert (folder / "file.bin").read_bytes() == new.content


def test_from_tls_nobody_leads_away(get: Get, site: Site, certificates: Path, tls: ssl.SSLContext) -> None:
    plain = Server(site)
    with plain, Server(lambda request: request.reply(302, ("Location", plain.url)), tls=tls) as server:
        result = get(server.url, "--ca", certificates / "ca.pem")
    assert result.returncode == 4
    assert "from https" in result.stderr
    assert not plain.requests


def test_tunnels_through_a_proxy(get: Get, folder: Path, site: Site, certificates: Path, tls: ssl.SSLContext) -> None:
    with Server(site, tls=tls) as server:

        def behave(request: Request) -> None:
            assert request.method == "CONNECT"
            if request.fields.get("proxy-authorization") != "Basic dTpw":
                request.reply(407)
                return
            request.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with socket.create_connection(("127.0.0.1", server.port)) as beyond:
                back = threading.Thread(target=pump, args=(beyond, request.peer), daemon=True)
                back.start()
                pump(request.peer, beyond)
                back.join()

        with Server(behave) as proxy:
            address = f"127.0.0.1:{proxy.port}"
            trusted = ("--ca", certificates / "ca.pem")
            refused = get(server.url, *trusted, https_proxy=f"http://{address}")
            assert refused.returncode == 3
            assert "407" in refused.stderr
            assert get(server.url, *trusted, "-n", "2", https_proxy=f"http://u:p@{address}").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert {request.target for request in proxy.requests} == {f"127.0.0.1:{server.port}"}
    # The proxy's password is the proxy's only.
    assert all("proxy-authorization" not in request.fields for request in server.requests)


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Carries bytes until either side ends."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass

"""A web server on loopback that can misbehave in any way a test wants."""

from __future__ import annotations

import contextlib
import hashlib
import random
import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

#: A server that is asked more than this is being hammered; it stops answering.
MOST_REQUESTS = 3000

#: Enough for several leases, which begin at 256 KiB.
LENGTH = 3_000_000

DATE = "Thu, 01 Jan 2026 00:00:10 GMT"
MODIFIED = "Thu, 01 Jan 2026 00:00:00 GMT"


def noise(length: int, seed: int = 0) -> bytes:
    """Bytes of which no two stretches are alike."""
    return random.Random(seed).randbytes(length)


class HangUpError(Exception):
    """The server closes the connection."""


@dataclass
class Request:
    """A request, and the means to answer it."""

    method: str
    target: str
    fields: dict[str, str]
    peer: socket.socket
    connection: int
    number: int
    #: What came with it: the beginning of further requests.
    held: bytes = b""
    sent: int = 0
    #: Bytes of the file that were sent in answer: first, and after the last.
    parts: list[tuple[int, int]] = field(default_factory=list)

    @property
    def range(self) -> tuple[int, int] | None:
        """First byte asked for, and the byte after the last."""
        if "range" not in self.fields:
            return None
        first, _, last = self.fields["range"].removeprefix("bytes=").partition("-")
        return int(first), int(last) + 1

    def send(self, data: bytes) -> None:
        self.peer.sendall(data)
        self.sent += len(data)

    def head(self, status: int, *fields: tuple[str, object]) -> None:
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"Date: {DATE}"]
        lines += [f"{name}: {value}" for name, value in fields]
        self.send("\r\n".join([*lines, "", ""]).encode("latin-1"))

    def reply(self, status: int, *fields: tuple[str, object], body: bytes = b"") -> None:
        self.head(status, ("Content-Length", len(body)), *fields)
        if self.method != "HEAD":
            self.send(body)

    def is_followed(self, patience: float) -> bool:
        """True if a further request comes before the answer to this one."""
        return bool(self.held) or bool(select.select([self.peer], [], [], patience)[0])

    def reset(self) -> None:
        """Ends the connection with RST."""
        self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise HangUpError

    def hang_up(self) -> None:
        """Ends the connection after the client has: closed with requests unread it is reset, and bytes are lost."""
        self.peer.shutdown(socket.SHUT_WR)
        self.peer.settimeout(10)
        with contextlib.suppress(OSError):
            while self.peer.recv(65536):
                pass
        raise HangUpError


Behaviour = Callable[[Request], None]


@dataclass
class Site:
    """A file, served as RFC 9110 wants."""

    content: bytes
    etag: str | None = '"1"'
    modified: str | None = None
    extra: tuple[tuple[str, object], ...] = ()

    def __call__(self, request: Request) -> None:
        self.answer(request)

    def answer(self, request: Request, most: int | None = None) -> None:
        """Answers; of the body only the first `most` bytes, and then hangs up."""
        asked = request.range
        condition = request.fields.get("if-range")
        if asked is None or (condition is not None and condition not in {self.etag, self.modified}):
            request.head(200, ("Content-Length", len(self.content)), ("Accept-Ranges", "bytes"), *self.fields())
            first, last = 0, len(self.content)
        elif asked[0] >= len(self.content):
            request.reply(416, ("Content-Range", f"bytes */{len(self.content)}"))
            return
        else:
            first, last = asked[0], min(asked[1], len(self.content))
            value = f"bytes {first}-{last - 1}/{len(self.content)}"
            request.head(206, ("Content-Length", last - first), ("Content-Range", value), *self.fields())
        if request.method == "HEAD":
            return
        end = last if most is None else min(last, first + most)
        self.give(request, first, end)
        if end < last:
            request.hang_up()

    def give(self, request: Request, first: int, end: int) -> None:
        """Sends bytes of the file."""
        request.send(self.content[first:end])
        request.parts.append((first, end))

    def fields(self) -> list[tuple[str, object]]:
        tags: list[tuple[str, object]] = [] if self.etag is None else [("ETag", self.etag)]
        return [*tags, *([("Last-Modified", self.modified)] if self.modified else []), *self.extra]

    @property
    def checksum(self) -> str:
        return f"sha-256={hashlib.sha256(self.content).hexdigest()}"


class Server:
    """Answers every request with `behave`, each connection in a thread of its own."""

    def __init__(
        self,
        behave: Behaviour,
        *,
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
        silent: int | None = None,
        backlog: int = 64,
    ) -> None:
        self.behave = behave
        self.requests: list[Request] = []
        self.tls = tls
        #: The number of a connection on which nothing is ever said.
        self.silent = silent
        self.connections = self.open = self.peak = 0
        self.lock = threading.Lock()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # An IPv6 address of a link has its zone in the fourth place.
        address = socket.getaddrinfo(host, 0, family, socket.SOCK_STREAM)[0][4]
        self.listener = socket.create_server(address, family=family, backlog=backlog)
        self.port = self.listener.getsockname()[1]
        name = f"[{host}]" if ":" in host else host
        self.url = f"{'https' if tls else 'http'}://{name}:{self.port}/file.bin"

    def __enter__(self) -> Server:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()

    @property
    def gets(self) -> list[Request]:
        return [request for request in self.requests if request.method == "GET"]

    @property
    def parts(self) -> list[tuple[int, int]]:
        """The bytes of the file that were sent, in order of their place."""
        return sorted(part for request in self.gets for part in request.parts)

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        peer.settimeout(60)
        with self.lock:
            self.connections += 1
            connection = self.connections
            self.open += 1
            self.peak = max(self.peak, self.open)
        try:
            if connection == self.silent:
                while peer.recv(4096):
                    pass
                return
            if self.tls:
                peer = self.tls.wrap_socket(peer, server_side=True)
            with peer:
                self._converse(peer, connection)
        except (OSError, HangUpError):
            pass
        finally:
            peer.close()
            with self.lock:
                self.open -= 1

    def _converse(self, peer: socket.socket, connection: int) -> None:
        held = b""
        while True:
            while b"\r\n\r\n" not in held:
                data = peer.recv(65536)
                if not data:
                    return
                held += data
            head, _, held = held.partition(b"\r\n\r\n")
            line, *rest = head.decode("latin-1").split("\r\n")
            method, target, _ = line.split(" ")
            fields = {name.lower(): value.strip() for name, _, value in (item.partition(":") for item in rest)}
            with self.lock:
                request = Request(method, target, fields, peer, connection, len(self.requests) + 1, held)
                self.requests.append(request)
                if request.number > MOST_REQUESTS:
                    return
            self.behave(request)
            if "close" in fields.get("connection", ""):
                return


def overlap(parts: list[tuple[int, int]]) -> int:
    """Bytes that were sent more than once."""
    count, end = 0, 0
    for first, last in sorted(parts):
        count += max(0, min(last, end) - first)
        end = max(end, last)
    return count


def nothing_but(folder: Path, *names: str) -> bool:
    return sorted(path.name for path in folder.iterdir()) == sorted(names)


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
            while request.peer.recv(4096):
                pass
            raise HangUpError
        site(request)

    return behave


def wait_for(condition: Callable[[], bool]) -> None:
    """Until it holds; a minute is far more than it takes."""
    ended = threading.Event()
    for _ in range(6000):
        if condition():
            return
        ended.wait(0.01)
    raise AssertionError("it never came true")

"""Servers of a test's own process, on free ports of the loopback."""

import contextlib
import functools
import hashlib
import http.server
import socket
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def datagrams() -> Iterator[int]:
    """Answers each datagram with itself; its port."""
    with socket.socket(type=socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.1)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                with contextlib.suppress(TimeoutError):
                    data, sender = server.recvfrom(2000)
                    server.sendto(data, sender)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            thread.join()


class _Bytes(http.server.BaseHTTPRequestHandler):
    """/N is N bytes, of a pattern that no shift leaves as it is."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self) -> None:
        body = content(int(self.path.strip("/")))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@functools.cache
def content(length: int) -> bytes:
    """Bytes of which no part is like another."""
    blocks = (hashlib.sha256(str(number).encode()).digest() for number in range(length // 32 + 1))
    return b"".join(blocks)[:length]


@contextlib.contextmanager
def web() -> Iterator[int]:
    """A web server; its port."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Bytes) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()

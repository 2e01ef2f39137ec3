"""Claim 60: parts of a file that come out of order over several connections."""

from __future__ import annotations

import hashlib
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from windward import transfer
from windward.papers import Finding, claim

#: Bytes of the file, and of the pieces in which a connection gets what it asked for.
LENGTH, PIECE = 3_000_000, 64_000
#: Every other connection is slower by so many seconds a piece.
WAIT_S = 0.02


class Ranges(BaseHTTPRequestHandler):
    """Serves a file by ranges, in pieces; every other connection is slow."""

    protocol_version = "HTTP/1.1"
    file = np.random.default_rng(1).bytes(LENGTH)
    #: Where in the file each piece began, in the order in which they left.
    left: list[int]
    connections: int

    def setup(self) -> None:
        super().setup()
        Ranges.connections += 1
        self.wait_s = WAIT_S * (Ranges.connections % 2)

    def do_HEAD(self) -> None:
        self._begin(200, LENGTH)

    def do_GET(self) -> None:
        first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        begin, end = int(first), min(int(last or LENGTH - 1), LENGTH - 1) + 1
        self._begin(206, end - begin, ("Content-Range", f"bytes {begin}-{end - 1}/{LENGTH}"))
        for at in range(begin, end, PIECE):
            self.wfile.write(self.file[at : min(at + PIECE, end)])
            self.left.append(at)
            time.sleep(self.wait_s)

    def _begin(self, status: int, length: int, *more: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Accept-Ranges", "bytes"), ("ETag", '"60"'), ("Content-Length", str(length)), *more):
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@claim(60)
def parts_out_of_order_are_put_in_order() -> Finding:
    Ranges.left, Ranges.connections = [], 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    server.daemon_threads = True
    # A client that has all it wants hangs up.
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "file"
        transfer.get(f"http://127.0.0.1:{server.server_port}/file", output=target, connections=4)
        is_whole = hashlib.sha256(target.read_bytes()).digest() == hashlib.sha256(Ranges.file).digest()
    server.shutdown()
    server.server_close()
    backwards = sum(after < before for before, after in zip(Ranges.left, Ranges.left[1:], strict=False))
    return Finding(
        ours="the file is whole, though parts of it came out of order" if is_whole and backwards else "not in order",
        holds=is_whole and backwards > 0,
    )

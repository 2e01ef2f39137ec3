"""Serves one page to one person on this machine.

Python's own server: a page, one question at a time whose answer is streamed, and nothing that a framework would add.
What it refuses is what a browser could be talked into by other pages: every request names this server in its `Host`
(so no other name leads here, RFC 9110 section 7.2), comes from no other origin (`Origin`, RFC 6454 section 7;
`Sec-Fetch-Site`), and has the token that is in the page's address, which is compared in constant time.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from windward import _engine
from windward._explore import session as asking
from windward._explore.page import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from windward._explore.session import Session

#: Where it listens: nobody else's machine reaches it.
HOST = "127.0.0.1"

#: The largest question, in bytes: a scenario of thousands of flows.
_LARGEST = 4 << 20

#: A length of more digits is larger, leading zeros or not.
_DIGITS = 20

#: The page runs its own script alone, asks this server alone, and stands in no other page.
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Server(ThreadingHTTPServer):
    """The page of a session, under an address that nobody else knows."""

    daemon_threads = True

    def __init__(self, session: Session, port: int) -> None:
        super().__init__((HOST, port), Handler)
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}

    @property
    def address(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves in the middle of an answer is no error; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answers a request."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "windward"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        """The page."""
        if (path := self._path()) is None:
            return
        if path != "":
            self._refuse(HTTPStatus.NOT_FOUND, "nothing is here")
            return
        nonce = secrets.token_urlsafe(16)
        body = page(self.server.session, nonce).encode()
        self._head(HTTPStatus.OK, "text/html; charset=utf-8", len(body), nonce)
        self.wfile.write(body)

    def do_POST(self) -> None:
        """`run`: what the engines answer, a line of JSON whenever there is news; `file`: the scenario as TOML."""
        if (path := self._path()) is None or (body := self._body()) is None:
            return
        if path not in ("run", "file"):
            self._refuse(HTTPStatus.NOT_FOUND, "nothing is here")
            return
        try:
            asked = asking.read(body)
        except ValueError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        if path == "file":
            self._file(asked)
        else:
            self._run(asked)

    def _run(self, asked: asking.Asked) -> None:
        self._head(HTTPStatus.OK, "application/x-ndjson", None)
        try:
            self.server.session.answer(asked, self._line)
        except asking.Superseded:
            pass
        except (_engine.ScenarioError, _engine.LawError, ValueError) as error:
            self._line({"error": str(error)})
        except (ConnectionError, TimeoutError):
            raise
        except Exception as error:
            # A fault of the program: the page says so, the terminal shows where.
            traceback.print_exc()
            self._line({"error": f"{type(error).__name__}: {error}; the terminal says more"})
        self.wfile.write(b"0\r\n\r\n")

    def _line(self, answer: Mapping[str, Any]) -> None:
        """A line of the answer, as a chunk (RFC 9112 section 7.1)."""
        line = json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        self.wfile.flush()

    def _file(self, asked: asking.Asked) -> None:
        try:
            body = self.server.session.to_toml(asked.scenario).encode()
        except _engine.ScenarioError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        self._head(HTTPStatus.OK, "application/toml; charset=utf-8", len(body))
        self.wfile.write(body)

    def _path(self) -> str | None:
        """Requested part of the session; None, after a refusal, for a client without the token."""
        origin = self.headers.get("Origin")
        own = {f"http://{host}" for host in self.server.hosts}
        is_own = origin in own if origin is not None else self.command == "GET"
        if self.headers.get("Host", "") not in self.server.hosts:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "this server has another name")
        elif not is_own or self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            self._refuse(HTTPStatus.FORBIDDEN, "other pages have no business here")
        else:
            token, _, path = self.path.removeprefix("/").partition("?")[0].partition("/")
            if hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self.server.token.encode()):
                return path
            self._refuse(HTTPStatus.FORBIDDEN, "open the address that `windward explore` printed")
        return None

    def _body(self) -> bytes | None:
        """The question; None, and refused, for what is none."""
        length = self.headers.get("Content-Length", "")
        if not self.headers.get("Content-Type", "").startswith("application/json"):
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "questions are JSON")
        elif not length.isdecimal():
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "how long is it?")
        elif len(length) > _DIGITS or int(length) > _LARGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {_LARGEST} bytes")
        else:
            return self.rfile.read(int(length))
        return None

    def _head(self, status: HTTPStatus, kind: str, length: int | None, nonce: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _POLICY.format(nonce=nonce))
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        body = f"{why}\n".encode()
        # What was sent with the request stays unread.
        self.close_connection = True
        self._head(status, "text/plain; charset=utf-8", len(body))
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing is told of requests: addresses hold the token."""

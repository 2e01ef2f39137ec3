"""Measures what a setting of a tool does to a browser's requests: a line of JSON.

    python evidence/benches/links/measure.py PEER SETTING BROWSER [TOXIPROXY]

A server on loopback, Chromium as its client, and the tool between them. `in_tests.py` runs this for every tool.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.server
import json
import random
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any, NamedTuple

#: RFC 6455 §1.3.
WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

#: A page's view of the network: new and kept connections, a WebSocket beside a download, an upload.
SCRIPT = """
async ({ bytes, upload, echoes }) => {
  const timed = async (path, options) => {
    const began = performance.now();
    const answer = await fetch(path, { cache: "no-store", ...options });
    const body = new Uint8Array(await answer.arrayBuffer());
    return { ms: performance.now() - began, body };
  };
  const some = async (n, path) => {
    const times = [];
    for (let at = 0; at < n; at++) times.push((await timed(path)).ms);
    return times;
  };
  const fresh = await some(7, "/close/10");
  await timed("/keep/10");
  const kept = await some(7, "/keep/10");
  const socket = new WebSocket(`ws://${location.host}/echo`);
  await new Promise((resolve) => (socket.onopen = resolve));
  const open = new Map();
  const echo = (key) =>
    new Promise((resolve) => {
      open.set(key, { began: performance.now(), resolve });
      socket.send(key);
    });
  socket.onmessage = ({ data }) => {
    const { began, resolve } = open.get(data);
    resolve(performance.now() - began);
  };
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  await echo("first");
  const waits = [];
  for (let at = 0; at < echoes; at++) {
    waits.push(echo(`${at}`));
    await pause(20);
  }
  const quiet = await Promise.all(waits);
  let busy = true;
  const load = timed(`/keep/${bytes}`).finally(() => (busy = false));
  const beside = [];
  while (busy) {
    beside.push(await echo(`beside ${beside.length}`));
    await pause(20);
  }
  const { ms, body } = await load;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  const up = await timed("/upload", { method: "POST", body: new Uint8Array(upload) });
  return { fresh, kept, quiet, beside, down: ms, up: up.ms, digest: [...digest] };
}
"""

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-proxy-server"]


class Setting(NamedTuple):
    """Orders to each tool: options of `windward.testing.link`, of netem, of Chromium, toxics of toxiproxy."""

    link: dict[str, str]
    netem: str
    chromium: dict[str, float]
    toxics: list[dict[str, Any]]
    #: Bytes of the download and of the upload, and number of echoes.
    bytes: int = 100_000
    upload: int = 100_000
    echoes: int = 20


def toxic(kind: str, **attributes: int) -> dict[str, Any]:
    """A toxic as toxiproxy's API takes it; its stream is `downstream` unless one is named."""
    return {"type": kind, "attributes": attributes}


#: The throughputs of Chromium are in bytes a second, those of toxiproxy in kilobytes a second.
SETTINGS = {
    "100 ms": Setting(
        {"rate": "100mbit", "delay": "100ms"}, "delay 100ms", {"latency": 100}, [toxic("latency", latency=100)]
    ),
    "1 Mbit/s": Setting(
        {"rate": "1mbit"},
        "rate 1mbit",
        {"downloadThroughput": 125_000, "uploadThroughput": 125_000},
        [toxic("bandwidth", rate=125)],
        bytes=250_000,
    ),
    "30 ms of jitter": Setting(
        {"rate": "100mbit", "delay": "60ms", "jitter": "30ms"},
        "delay 60ms 30ms",
        {"latency": 60},
        [toxic("latency", latency=60, jitter=30)],
        echoes=100,
    ),
    "1 % loss": Setting(
        {"delay": "20ms", "rate": "8mbit", "loss": "1%"},
        "delay 20ms rate 8mbit loss 1%",
        {"latency": 20, "downloadThroughput": 1_000_000, "uploadThroughput": 1_000_000, "packetLoss": 1},
        [toxic("latency", latency=20), toxic("bandwidth", rate=1000), toxic("packet_loss", loss=1)],
        bytes=4_000_000,
    ),
}


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers of given sizes, over a connection that closes or stays, an upload, and a WebSocket's echoes."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing: the requests are the measurement."""

    def setup(self) -> None:
        """Sends small answers at once."""
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:
        """A page, bytes or a WebSocket."""
        if self.path == "/echo":
            self.echo()
            return
        kind, _, length = self.path[1:].partition("/")
        body = content(int(length)) if length else b"<!doctype html><link rel=icon href=data:,>"
        self.reply(body, closes=kind != "keep")

    def do_POST(self) -> None:
        """An upload."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply(b"", closes=True)

    def reply(self, body: bytes, *, closes: bool) -> None:
        """An answer in one write."""
        kind = "text/html" if self.path == "/" else "application/octet-stream"
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        head += "Connection: close\r\n\r\n" if closes else "\r\n"
        self.wfile.write(head.encode() + body)
        self.close_connection = closes

    def echo(self) -> None:
        """Echoes of a WebSocket's short messages (RFC 6455 §5)."""
        key = self.headers["Sec-WebSocket-Key"] + WEBSOCKET_GUID
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        self.wfile.write(f"{head}Sec-WebSocket-Accept: {accept}\r\n\r\n".encode())
        self.close_connection = True
        while len(first := self.rfile.read(2)) == 2 and first[0] & 0xF == 1:
            length = first[1] & 0x7F
            mask = self.rfile.read(4)
            data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.rfile.read(length)))
            self.wfile.write(bytes([0x81, length]) + data)


def content(length: int) -> bytes:
    """Bytes that cannot be compressed, the same each time."""
    return random.Random(length).randbytes(length)


class Between(NamedTuple):
    """A tool in place: the port that the browser asks, the options of the browser, and the report of the tool."""

    port: int
    throttle: dict[str, float] | None = None
    #: Of a link: packets sent, packets lost and the reason why it is not to be trusted.
    link: Any = None
    #: Settings that the tool refuses, with its reason.
    refused: str = ""


@contextlib.contextmanager
def between(peer: str, setting: Setting, port: int, toxiproxy: str) -> Iterator[Between]:
    """A tool between the browser and a port. `netem` is on loopback already, in the namespace that this runs in."""
    if peer == "toxiproxy":
        with toxics(toxiproxy, setting, port) as found:
            yield found
    elif peer == "windward":
        from windward.testing import link

        with link(**setting.link, seed=1) as one:  # type: ignore[arg-type]
            yield Between(one.connect(port).port, link=one)
    else:
        yield Between(port, throttle=setting.chromium if peer == "chromium" else None)


@contextlib.contextmanager
def toxics(program: str, setting: Setting, port: int) -> Iterator[Between]:
    """A toxiproxy in front of a port, set as its documentation does it."""
    ports = [free_port(), free_port()]
    api = f"http://127.0.0.1:{ports[0]}"
    with subprocess.Popen([program, "-port", str(ports[0])], stdout=subprocess.DEVNULL) as server:
        try:
            proxy = {"name": "test", "listen": f"127.0.0.1:{ports[1]}", "upstream": f"127.0.0.1:{port}"}
            post(f"{api}/proxies", proxy)
            refused = [why for each in setting.toxics if (why := post(f"{api}/proxies/test/toxics", each))]
            yield Between(ports[1], refused="; ".join(refused))
        finally:
            server.terminate()


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
        return port


def post(address: str, value: dict[str, Any]) -> str:
    """Sends JSON once the port answers; returns the reason of a refusal."""
    request = urllib.request.Request(address, json.dumps(value).encode(), {"Content-Type": "application/json"})
    for _ in range(50):
        try:
            with urllib.request.urlopen(request, timeout=10):
                return ""
        except urllib.error.HTTPError as error:
            return str(json.loads(error.read())["error"])
        except urllib.error.URLError:
            time.sleep(0.1)
    raise RuntimeError(f"nothing listens at {address}")


def visit(browser: str, setting: Setting, there: Between) -> dict[str, Any]:
    """Measurement of the page in the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        one = started.chromium.launch(executable_path=browser, headless=True, args=FLAGS)
        page = one.new_page()
        page.goto(f"http://127.0.0.1:{there.port}/", timeout=60_000)
        if there.throttle is not None:
            session = page.context.new_cdp_session(page)
            session.send("Network.enable")
            none = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
            session.send("Network.emulateNetworkConditions", none | there.throttle)
        sizes = {"bytes": setting.bytes, "upload": setting.upload, "echoes": setting.echoes}
        found: dict[str, Any] = page.evaluate(SCRIPT, sizes)
        one.close()
    return found


def figures(setting: Setting, found: dict[str, Any]) -> dict[str, Any]:
    """Medians and percentiles in milliseconds, rates in Mbit/s."""
    cuts = statistics.quantiles(found["quiet"], n=20)
    return {
        "fresh": statistics.median(found["fresh"]),
        "kept": statistics.median(found["kept"]),
        "echo": statistics.median(found["quiet"]),
        "echo_least": cuts[0],
        "echo_most": cuts[-1],
        "beside": max(found["beside"]),
        "down": setting.bytes * 8e-3 / found["down"],
        "up": setting.upload * 8e-3 / found["up"],
        "equal": bytes(found["digest"]) == hashlib.sha256(content(setting.bytes)).digest(),
    }


def main() -> None:
    """Prints the figures."""
    peer, name, browser, *rest = sys.argv[1:]
    setting = SETTINGS[name]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with between(peer, setting, server.server_address[1], *(rest or [""])) as there:
            answer = figures(setting, visit(browser, setting, there)) | {"refused": there.refused}
            if there.link is not None:
                report = there.link.report()
                answer["packets"] = sum(report[way]["packets"] for way in ("down", "up"))
                answer["lost"], answer["problem"] = there.link.lost, there.link.problem
        server.shutdown()
    print(json.dumps(answer))


if __name__ == "__main__":
    main()

"""A server of this process behind a train: it must deliver every byte, through an outage too."""

import http.server
import threading
import urllib.request

import pytest

PAGE = bytes(range(256)) * 400


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)


@pytest.fixture
def port():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_page_behind_a_train(windward_link, port):
    with windward_link(port, profile="train", seed=1) as link:
        assert urllib.request.urlopen(link.address.url, timeout=30).read() == PAGE
        link.down(1)
        assert urllib.request.urlopen(link.address.url, timeout=30).read() == PAGE

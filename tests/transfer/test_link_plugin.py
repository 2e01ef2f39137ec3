"""pytest's plugin: the fixture, the mark, options, reports, and what a late link does."""

import json
import socket
import struct
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from conftest import environment
from linked import needs_links

HEAD = """
import socket, threading, pytest

@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            try:
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.sendall(b"hello")
            except OSError:
                pass
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()

def greet(address):
    with socket.create_connection(address, timeout=10) as client:
        return client.recv(10)
"""

#: A link whose report says that it was late.
LATE = """
@pytest.fixture
def late(windward_link, port, monkeypatch):
    link = windward_link(port, rate="10mbit")
    report = link.report
    def slow():
        found = report()
        return found | {"quality": found["quality"] | {"problem": "2.0 % of the packets left more than 1 ms late"}}
    monkeypatch.setattr(link, "report", slow)
    return link
"""


def pytest_of(folder: Path, body: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(HEAD + textwrap.dedent(body))
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", "--strict-markers", *options]
    return subprocess.run(
        [*words, "--rootdir", str(folder), str(folder)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )


@needs_links
def test_links_in_tests(tmp_path: Path) -> None:
    """The fixture, the mark, a default profile; each test has links of its own, which end with it."""
    body = """
    seen = []

    def test_plain(windward_link, port):
        with windward_link(port, rate="10mbit", delay="5ms") as link:
            assert greet(link.address) == b"hello"
            link.down(0.1)
            assert greet(link.address) == b"hello"
        assert link.report()["down"]["packets"] > 4

    @pytest.mark.windward(profile="slow-4g", delay="1ms", seed=5)
    def test_marked(windward_link, port):
        link = windward_link(port, loss="1%")
        seen.append(link)
        assert repr(link) == "link(profile='slow-4g', delay='1ms', loss='1%', seed=5)"
        assert greet(link.address) == b"hello"

    def test_default(windward_link, port):
        assert seen[0].report()["seconds"] > 0
        link = windward_link(port)
        assert (link.profile, link.seed) == ("cable", 9)
        assert windward_link(rate="1mbit").profile is None
    """
    run = pytest_of(
        tmp_path, body, "--link-profile", "cable", "--link-seed", "9", "--junitxml", str(tmp_path / "j.xml")
    )
    assert run.returncode == 0, run.stdout
    assert "3 passed" in run.stdout
    cases = ElementTree.parse(tmp_path / "j.xml").iter("testcase")
    properties = {
        case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")} for case in cases
    }
    assert properties["test_marked"]["windward-seed"] == "5"
    assert properties["test_marked"]["windward-problem"] == ""
    assert properties["test_default"]["windward-1-link"] == "link(profile='cable', seed=9)"


@needs_links
def test_a_failed_test_keeps_what_runs_it_again(tmp_path: Path) -> None:
    body = """
    def test_bad(windward_link, port):
        link = windward_link(port, rate="10mbit", loss="30%")
        greet(link.address)
        assert False
    """
    run = pytest_of(
        tmp_path, body, "--link-artifacts", str(tmp_path / "kept"), "--link-seed", "random", "--link-late", "ignore"
    )
    assert run.returncode == 1
    assert "windward link" in run.stdout
    assert "to the client:" in run.stdout
    kept, packets = sorted((tmp_path / "kept").iterdir())
    assert (kept.suffix, packets.suffix) == (".json", ".pcap")
    about = json.loads(kept.read_text())
    assert about["test"] == "test_it.py::test_bad"
    assert about["links"][0]["link"] == f"link(rate='10mbit', loss='30%', seed={about['links'][0]['seed']})"
    assert about["links"][0]["report"]["down"]["packets"] > 0
    assert about["links"][0]["pcap"] == packets.name
    # A pcap file in nanoseconds, packets from their IP header on; the first is a SYN (RFC 9293 §3.1) to the far end.
    data = packets.read_bytes()
    assert struct.unpack("=IHH12xI", data[:24]) == (0xA1B23C4D, 2, 4, 101)
    packet = data[40:]
    assert (packet[0], packet[9], socket.inet_ntoa(packet[16:20]), packet[33]) == (0x45, 6, "100.64.0.1", 0x02)


@needs_links
def test_each_link_of_a_failed_test_has_its_packets(tmp_path: Path) -> None:
    body = """
    @pytest.mark.parametrize("fails", [True, False])
    def test_two(windward_link, port, fails):
        for rate in ("10mbit", "20mbit"):
            greet(windward_link(port, rate=rate).address)
        assert not fails
    """
    run = pytest_of(tmp_path, body, "--link-artifacts", str(tmp_path / "kept"), "--link-late", "ignore")
    assert "1 failed, 1 passed" in run.stdout, run.stdout
    names = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert len([name for name in names if name.endswith(".pcap")]) == 2
    assert all("True" in name for name in names)


@needs_links
def test_a_late_link_skips_or_fails(tmp_path: Path) -> None:
    """A test on a late link neither passes nor fails, unless it is told to."""
    body = (
        LATE
        + """
def test_passes(late):
    assert greet(late.address) == b"hello"

def test_fails(late):
    assert greet(late.address) == b"bye"
"""
    )
    run = pytest_of(tmp_path, body, "-rs")
    assert "2 skipped" in run.stdout, run.stdout
    assert "the link was late, so this test says nothing: 2.0 % of the packets" in run.stdout
    assert "it failed" in run.stdout
    run = pytest_of(tmp_path, body, "--link-late", "fail")
    assert "2 failed" in run.stdout
    run = pytest_of(tmp_path, body, "--link-late", "ignore")
    assert "1 failed, 1 passed" in run.stdout


def test_where_there_are_no_links_a_test_is_skipped_with_the_reason(tmp_path: Path) -> None:
    body = """
    import windward.testing
    from windward import EmulationError

    @pytest.fixture(autouse=True)
    def refused(monkeypatch):
        def link(**_):
            raise EmulationError("creating a user namespace: Permission denied; hint: sudo sysctl -w x=0")
        monkeypatch.setattr(windward.testing, "link", link)

    def test_it(windward_link):
        windward_link(80, rate="1mbit")
    """
    run = pytest_of(tmp_path, body, "-rs")
    assert "1 skipped" in run.stdout, run.stdout
    assert "sudo sysctl -w x=0" in run.stdout
    run = pytest_of(tmp_path, body, "--link-unavailable", "fail")
    assert "1 failed" in run.stdout


@needs_links
def test_workers_have_links_beside_each_other(tmp_path: Path) -> None:
    """xdist: four tests on two workers are right or skipped."""
    pytest.importorskip("xdist")
    body = """
    @pytest.mark.parametrize("number", range(4))
    def test_it(windward_link, port, number):
        link = windward_link(port, rate="5mbit", delay="5ms")
        assert greet(link.address) == b"hello"
    """
    run = pytest_of(tmp_path, body, "-n2")
    assert run.returncode == 0, run.stdout
    assert "failed" not in run.stdout


def test_a_run_without_links_pays_nothing(tmp_path: Path) -> None:
    """The plugin imports nothing of Windward, and nothing that pytest has not imported."""
    body = """
    import sys

    def test_it():
        heavy = ("windward", "numpy", "pandas", "lazy_loader")
        assert not [name for name in sys.modules if name.split(".")[0] in heavy]
    """
    run = pytest_of(tmp_path, body)
    assert "1 passed" in run.stdout, run.stdout
    code = "import pytest, _pytest.config, json, sys; before = set(sys.modules); import pytest_windward; "
    code += "print(sorted(set(sys.modules) - before))"
    added = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert added == "['pytest_windward']\n"

"""Figures that a link in a test is held to: times, rates, losses and memory. What fails judges its own lateness."""

import contextlib
import os
import re
import socket
import statistics
import sys
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import PYTHON, in_time
from linked import needs_links
from servers import content, datagrams, web

from windward.testing import Address, Link, link

pytestmark = [needs_links, pytest.mark.realtime]


class Timed(NamedTuple):
    """Seconds of something, and what disturbed the link meanwhile."""

    seconds: float
    problem: str | None


def waited(*processes: int) -> float:
    """Seconds for which the threads of processes have waited for a processor, by the kernel's count."""
    seconds = 0.0
    for process in processes:
        for file in Path(f"/proc/{process}/task").glob("*/schedstat"):
            # A thread may end meanwhile.
            with contextlib.suppress(OSError, IndexError):
                seconds += int(file.read_text().split()[1]) / 1e9
    return seconds


class Judge:
    """Disturbance of a figure: a late link, or threads here or in the link that wait longer than `most` in all."""

    def __init__(self, one: Link, most: float = 0.002) -> None:
        self._link, self._most = one, most
        self._processes = (os.getpid(), one._process.pid)
        self._before = waited(*self._processes)

    def problem(self) -> str | None:
        if (late := waited(*self._processes) - self._before) > self._most:
            return f"threads waited {1e3 * late:.1f} ms for a processor"
        return self._link.problem


def quick(run: Callable[[], Timed], most: float) -> float:
    """Seconds of the first run that took less than `most`, or that nothing disturbed.

    What disturbs a run makes it slower: a time below the bound is right all the same.
    """
    return in_time(run, lambda timed: timed.seconds >= most and timed.problem).seconds


def fetched(one: Link, port: int, length: int, most: float = 0.002) -> Timed:
    address, expected = one.connect(port), content(length)
    judge, began = Judge(one, most), time.monotonic()
    with urllib.request.urlopen(f"{address.url}/{length}", timeout=30) as answer:
        data = answer.read()
        took, problem = time.monotonic() - began, judge.problem()
    assert data == expected
    return Timed(took, problem)


def test_ten_bytes_take_two_round_trips() -> None:
    """Handshake, then question and answer: 200 ms at 50 ms one way. What is more is the relay's and the server's.

    The median of seven connections.
    """

    def run() -> Timed:
        with web() as port, link(rate="100mbit", delay="50ms") as one:
            found = sorted((fetched(one, port, 10) for _ in range(7)), key=lambda timed: timed.seconds)
            return Timed(found[3].seconds, next((timed.problem for timed in found if timed.problem), None))

    assert 0.2 <= quick(run, 0.205) < 0.205


def test_a_megabyte_takes_its_rate_and_slow_start() -> None:
    """1 MB at 8 Mbit/s with 52 of 1500 bytes of headers: 1.036 s, two round trips of 40 ms, and slow start.

    Slow start sends 10, 20, 40 segments of 1.5 ms a round of 40 ms: idle for 25 and 10 ms, then never again.
    """

    def run() -> Timed:
        with web() as port, link(rate="8mbit", delay="20ms") as one:
            return fetched(one, port, 1_000_000, most=0.01)

    expected = 1e6 * 8 * 1500 / 1448 / 8e6 + 0.08 + 0.035
    most = expected + 0.06
    assert expected - 0.04 < quick(run, most) < most


def asked(address: Address) -> float:
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        began = time.monotonic()
        client.sendto(b"x", address)
        client.recv(10)
        return time.monotonic() - began


def test_changes_act_within_five_milliseconds() -> None:
    """From the call to the link: a datagram that follows a change of 60 ms has it; one after its end does not."""

    def run() -> Timed:
        with datagrams() as port, link(rate="1gbit") as one:
            address, took = one.connect(port), []
            asked(address)
            judge = Judge(one, most=0.005)
            for _ in range(5):
                began = time.monotonic()
                one.change(delay="60ms,0")
                took.append(time.monotonic() - began)
                assert asked(address) >= 0.06
                began = time.monotonic()
                one.change(delay="0ms")
                took.append(time.monotonic() - began)
                assert asked(address) < 0.06
                began = time.monotonic()
                one.down(0.05)
                took.append(time.monotonic() - began)
                asked(address)
                assert 0.05 <= time.monotonic() - began < 0.1
            return Timed(statistics.median(took), judge.problem())

    assert quick(run, 0.005) < 0.005


def start(_: int) -> Timed:
    before, began = waited(os.getpid()), time.monotonic()
    with link(rate="10mbit") as one:
        took = time.monotonic() - began
        late = waited(os.getpid(), one._process.pid) - before
        return Timed(took, None if late < 0.005 else f"threads waited {1e3 * late:.1f} ms for a processor")


def test_a_link_starts_within_a_third_of_a_second() -> None:
    assert quick(lambda: start(0), 0.3) < 0.3


def test_a_link_has_little_memory_of_its_own() -> None:
    """Pages that no other process shares: 15 MB."""
    with link(rate="10mbit") as one:
        text = Path(f"/proc/{one._process.pid}/smaps_rollup").read_text()
    private = sum(int(kilobytes) for kilobytes in re.findall(r"Private_\w+:\s+(\d+) kB", text))
    assert private < 15_000


def test_retransmissions_are_those_of_the_losses(tmp_path: Path) -> None:
    """1 % of 20 000 packets: the real sender's retransmissions, by its own count, within four deviations of 200."""
    sent = 20_000 * 1448

    def run() -> tuple[int, int, str | None]:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        serve = (
            "import socket, struct, sys\n"
            f"s = socket.create_server(('', {port}))\nc, _ = s.accept()\nc.sendall(bytes({sent}))\n"
            "c.shutdown(socket.SHUT_WR)\nc.recv(1)\n"
            "info = c.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)\n"
            # struct tcp_info: retransmissions of all at 100, segments of data sent at 156.
            "print(*struct.unpack_from('I', info, 100), *struct.unpack_from('I', info, 156), flush=True)\n"
        )
        options = {"rate": "200mbit", "delay": "2ms", "loss": "1%,0", "seed": 4}
        (tmp_path / "serve.py").write_text(serve)
        counts = tmp_path / "counts"
        command = f"exec {PYTHON} {tmp_path / 'serve.py'} > {counts}"
        with link(**options, servers=[command], congestion="cubic") as one:
            client = "import os, socket, sys\nc = socket.create_connection((os.environ['WINDWARD_SERVER'], "
            client += f"{port}))\nn = 0\nwhile b := c.recv(1 << 20): n += len(b)\nc.sendall(b'x')\nprint(n)"
            done = one.run([sys.executable, "-c", client], timeout=60, check=True)
            assert int(done.stdout) == sent
            while not (text := counts.read_text()).endswith("\n"):
                time.sleep(0.01)
            retransmits, segments = map(int, text.split())
            lost = one.report()["down"]["lost"]
            # The sender's own host does not tell it of a loss: it finds out by SACK.
            assert retransmits >= lost > 0
            return retransmits, segments, one.problem

    retransmits, segments, _ = in_time(run, lambda found: found[2])
    # A retransmission is lost as well, now and then; four deviations of a binomial count.
    expected = 0.01 * segments
    assert abs(retransmits - expected) < 4 * expected**0.5 + 0.02 * expected


def test_order_is_kept_under_jitter() -> None:
    """60 ms ± 30 ms: netem sends such datagrams in another order, a queue does not."""
    with datagrams() as port, link(rate="100mbit", delay="30ms", jitter="60ms", seed=2) as one:
        address, came = one.connect(port), []
        with socket.socket(type=socket.SOCK_DGRAM) as client:
            client.settimeout(1)
            for number in range(200):
                client.sendto(number.to_bytes(2), address)
                time.sleep(0.001)
            with contextlib.suppress(TimeoutError):
                while len(came) < 200:
                    came.append(int.from_bytes(client.recv(10)))
    assert came == sorted(came)
    assert len(came) == 200


def test_four_links_at_once_are_right_or_late() -> None:
    """Never in time with a wrong figure: 2 Mbit/s carry 250 kB in 1.04 s or more."""

    def run(port: int) -> Timed:
        with link(rate="2mbit", delay="10ms") as one:
            return fetched(one, port, 250_000)

    with web() as port, ThreadPoolExecutor(4) as pool:
        for timed in pool.map(run, [port] * 4):
            assert timed.seconds >= 1.03
            assert timed.problem is not None or timed.seconds < 1.4


def test_half_a_gigabit_goes_through() -> None:
    """By TCP through the relays, in bytes of the link's own count; skipped where too few processors carry less."""
    with web() as port, link(rate="1gbit", buffer="2000") as one:
        address = one.connect(port)

        def run() -> Timed:
            with urllib.request.urlopen(f"{address.url}/{50_000_000}", timeout=60) as answer:
                answer.read(1)
                judge = Judge(one, most=0.02)
                began, before = time.monotonic(), one.report()["down"]["bytes"]
                while answer.read(1 << 20):
                    pass
                took = time.monotonic() - began
            carried = one.report()["down"]["bytes"] - before
            return Timed(carried * 8 / took, judge.problem())

        assert in_time(run, lambda timed: timed.seconds <= 500e6 and timed.problem).seconds > 500e6

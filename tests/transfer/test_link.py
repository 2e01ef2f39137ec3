"""`windward link`: one link in front of real programs. Skips, with the reason, where no namespace can be made."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from conftest import Cli
from linked import behind, behind_in_time, needs_links, python

import windward as ww

#: Answers datagrams, and counts those that come to the client.
ECHO = """
import socket
s = socket.socket(type=socket.SOCK_DGRAM)
s.bind(("", 9000))
while True:
    data, sender = s.recvfrom(2000)
    s.sendto(data, sender)
"""
#: Prints round trips.
PINGS = """
import os, socket, time
s = socket.socket(type=socket.SOCK_DGRAM)
s.settimeout(2)
s.connect((os.environ["WINDWARD_SERVER"], 9000))
for _ in range(60):
    begin = time.perf_counter()
    s.send(b"x" * 72)
    s.recv(2000)
    print(time.perf_counter() - begin)
    time.sleep(0.01)
"""
SOWER = """
import socket, time
s = socket.socket(type=socket.SOCK_DGRAM)
s.bind(("", 9000))
_, client = s.recvfrom(9)
for n in range(4000):
    s.sendto(b"x" * 100, client)
    if n % 20 == 0:
        time.sleep(0.002)
time.sleep(30)
"""
REAPER = """
import os, socket
s = socket.socket(type=socket.SOCK_DGRAM)
s.settimeout(3)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
s.sendto(b"go", (os.environ["WINDWARD_SERVER"], 9000))
count = 0
try:
    while True:
        s.recv(2000)
        count += 1
except TimeoutError:
    print(count)
"""
#: Sends as fast as it may, and says how much came in a second after the first three.
SOURCE = """
import socket, sys
s = socket.create_server(("", 9000))
c, _ = s.accept()
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
while True:
    c.sendall(bytes(1 << 16))
"""
SINK = """
import os, socket, time
s = socket.create_connection((os.environ["WINDWARD_SERVER"], 9000))
begin, marks, count = time.perf_counter(), [], 0
while len(marks) < 2:
    count += len(s.recv(1 << 16))
    if time.perf_counter() - begin > (2, 6)[len(marks)]:
        marks.append((time.perf_counter(), count))
(t0, c0), (t1, c1) = marks
print((c1 - c0) * 8 / (t1 - t0))
"""
#: Datagrams of three codepoints, on three ports, 1000 bytes with their headers. No more than 10 ms are caught up: a
#: burst would be an overload.
STREAMS = """
import socket, struct, time
ends = [socket.socket(type=socket.SOCK_DGRAM) for _ in range(3)]
for at, (end, codepoint) in enumerate(zip(ends, (0, 2, 1))):
    end.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, codepoint)
    end.bind(("", 9000 + at))
for end in ends:
    end.connect(end.recvfrom(9)[1])
due = time.monotonic()
for n in range(1500):
    due = max(due + 1 / 600, time.monotonic() - 0.01)
    time.sleep(max(0, due - time.monotonic()))
    for end in ends[:1] + ends[1:2] * (n % 2) + ends[2:] * (n % 3 > 0):
        end.send(struct.pack("d", time.monotonic()).ljust(972))
time.sleep(30)
"""
#: Counts them, and takes the mean of their delays.
CODEPOINTS = """
import collections, json, os, select, socket, struct, time
ends = [socket.socket(type=socket.SOCK_DGRAM) for _ in range(3)]
seen, waits = [collections.Counter() for _ in ends], [[] for _ in ends]
time.sleep(0.5)
for at, end in enumerate(ends):
    end.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
    end.sendto(b"go", (os.environ["WINDWARD_SERVER"], 9000 + at))
while ready := select.select(ends, [], [], 1)[0]:
    for end in ready:
        data, control, _, _ = end.recvmsg(2000, 100)
        at = ends.index(end)
        seen[at][control[0][2][0] & 3] += 1
        waits[at].append(time.monotonic() - struct.unpack_from("d", data)[0])
print(json.dumps([[counts, sum(times) / len(times)] for counts, times in zip(seen, waits)]))
"""


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The little programs as files."""
    programs = {"echo": ECHO, "pings": PINGS, "sower": SOWER, "reaper": REAPER, "source": SOURCE, "sink": SINK}
    programs |= {"streams": STREAMS, "codepoints": CODEPOINTS}
    for name, text in programs.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


@needs_links
def test_no_packet_has_no_mean_delay(tmp_path: Path) -> None:
    _, report = behind(["true"], "--rate", "1mbit", folder=tmp_path)
    assert (report["down"]["packets"], report["down"]["mean_queue_delay_s"]) == (0, None)


@needs_links
@pytest.mark.realtime
def test_a_round_trip_takes_twice_the_delay(scripts: Path) -> None:
    """Beside a link without delay: the least of 60 round trips, as the link's own report vouches for all of them.

    100 bytes take 0.8 ms at 1 Mbit/s, both ways. How soon a program wakes up is the machine's affair: on a busy one the
    median is some milliseconds off, the least round trip 0.2 ms; half a millisecond is allowed.
    """

    def least(delay: str) -> float:
        options = ("--rate", "1mbit", "--delay", delay, "--server", python(scripts / "echo.py"))
        out, report = behind_in_time([sys.executable, str(scripts / "pings.py")], *options, folder=scripts)
        assert report["quality"]["packets"] == 120
        return min(map(float, out.split()))

    near, far = least("0ms"), least("20ms")
    assert near >= 0.0016
    assert far >= 0.0416
    assert far - near == pytest.approx(0.04, abs=0.0005)


@needs_links
@pytest.mark.realtime
def test_a_link_changes_on_the_way(scripts: Path) -> None:
    """10 ms each way, 40 from 1.5 s on, a pause at 1.6 s: none of 60 round trips is lost, and the last are long."""
    changes = ("--change", "1500ms delay=40ms", "--change", "1600ms down", "--change", "1700ms up")
    options = ("--rate", "1mbit", "--delay", "10ms", *changes, "--server", python(scripts / "echo.py"))
    out, report = behind_in_time([sys.executable, str(scripts / "pings.py")], *options, folder=scripts)
    trips = [float(line) for line in out.split()]
    assert len(trips) == 60
    assert report["down"]["lost"] == report["up"]["lost"] == 0
    assert 0.0216 <= min(trips) < 0.08
    assert min(trips[-5:]) >= 0.0816


@needs_links
@pytest.mark.realtime
def test_packets_are_late_until_a_change_says_otherwise(scripts: Path) -> None:
    """5 ms each way, and 20 more for all that comes back; from a second on no more. 100 bytes take 0.8 ms each way."""
    options = ("--rate", "1mbit", "--delay", "5ms", "--reorder", "100%:20ms,0", "--change", "1s reorder=0")
    command = [sys.executable, str(scripts / "pings.py")]
    out, _ = behind_in_time(command, *options, "--server", python(scripts / "echo.py"), folder=scripts)
    trips = [float(line) for line in out.split()]
    assert len(trips) == 60
    assert trips[0] >= 0.0316
    assert 0.0116 <= min(trips[-5:]) < 0.0316


@needs_links
@pytest.mark.realtime
def test_a_dual_queue_tells_datagrams_apart(scripts: Path) -> None:
    """2.5 s of 4.8 Mbit/s Not-ECT, 2.4 ECT(0) and 3.2 ECT(1) over 10: the first is dropped, never marked; the last is
    not dropped, arrives as it was sent or marked, and does not wait behind the others.
    """
    options = ("--rate", "10mbit", "--queue", "dualpi2", "--server", python(scripts / "streams.py"))
    out, report = behind_in_time([sys.executable, str(scripts / "codepoints.py")], *options, folder=scripts)
    (plain, plain_s), (capable, capable_s), (scalable, scalable_s) = json.loads(out)
    assert {*plain} == {"0"}
    assert {*capable} <= {"2", "3"}
    assert {*scalable} == {"1", "3"}
    assert sum(scalable.values()) == 1000
    assert report["down"]["marked"] == capable.get("3", 0) + scalable["3"]
    assert report["down"]["dropped"] == 3250 - sum(sum(counts.values()) for counts in (plain, capable, scalable)) > 0
    assert 2 * scalable_s < min(plain_s, capable_s)


@needs_links
@pytest.mark.realtime
def test_as_many_are_lost_as_chance_says(scripts: Path) -> None:
    """4000 at 10 %: 400 ± 19, five deviations to either side; and the report tells what the program saw."""
    options = ("--rate", "100mbit", "--loss", "10%,0", "--server", python(scripts / "sower.py"))
    out, report = behind_in_time([sys.executable, str(scripts / "reaper.py")], *options, folder=scripts)
    lost = 4000 - int(out)
    assert abs(lost - 400) < 5 * (4000 * 0.1 * 0.9) ** 0.5
    assert report["down"]["lost"] + report["down"]["dropped"] == lost
    assert report["down"]["packets"] == 4000
    assert report["up"] | {"lost": 0} == report["up"]


@needs_links
@pytest.mark.realtime
@pytest.mark.parametrize(("rate", "buffer", "law"), [(1, 20, "cubic"), (10, 83, "reno"), (100, 300, "cubic")])
def test_tcp_gets_what_the_link_carries(scripts: Path, rate: int, buffer: int, law: str) -> None:
    """1448 of 1500 bytes are data: within 2 %."""
    source = python(scripts / "source.py", law)
    options = ("--rate", f"{rate}mbit", "--delay", "10ms", "--buffer", str(buffer), "--server", source)
    out, _ = behind_in_time([sys.executable, str(scripts / "sink.py")], *options, folder=scripts)
    ceiling = rate * 1e6 * 1448 / 1500
    assert float(out) == pytest.approx(ceiling, rel=0.02)


@needs_links
@pytest.mark.realtime
@pytest.mark.parametrize("tool", ["iperf3", "ping"])
def test_the_tools_of_every_day(scripts: Path, tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    if tool == "ping":
        least = []
        for delay in ("0ms", "25ms"):
            link = ("--rate", "10mbit", "--delay", delay, "--buffer", "100")
            out, _ = behind_in_time(["sh", "-c", "ping -n -c 40 -i 0.02 $WINDWARD_SERVER"], *link, folder=scripts)
            times = [float(line.split("time=")[1].split()[0]) for line in out.splitlines() if "time=" in line]
            assert len(times) == 40
            least.append(min(times))
        # 84 bytes take 0.067 ms at 10 Mbit/s, both ways.
        assert least[0] >= 0.13
        assert least[1] - least[0] == pytest.approx(50, abs=0.5)
    else:
        link = ("--rate", "10mbit", "--delay", "25ms", "--buffer", "100")
        command = "iperf3 -c $WINDWARD_SERVER -R -J -O 2 -t 4 -C cubic"
        out, _ = behind_in_time(["sh", "-c", command], *link, "--server", "iperf3 -s -1", folder=scripts)
        assert json.loads(out)["end"]["sum_received"]["bits_per_second"] == pytest.approx(10e6 * 1448 / 1500, rel=0.02)


@needs_links
@pytest.mark.realtime
def test_a_recording_of_mahimahi(scripts: Path) -> None:
    """One packet of 1500 bytes every 4 ms: 3 Mbit/s."""
    (scripts / "steady").write_text("4\n")
    options = ("--trace", str(scripts / "steady"), "--delay", "5ms", "--buffer", "40")
    sink = [sys.executable, str(scripts / "sink.py")]
    out, _ = behind_in_time(sink, *options, "--server", python(scripts / "source.py", "cubic"), folder=scripts)
    assert float(out) == pytest.approx(3e6 * 1448 / 1500, rel=0.02)


@needs_links
def test_a_cell_reports_the_air(cli: Cli, tmp_path: Path) -> None:
    """A program's datagram asks for a grant, and crosses air and wire."""
    report = tmp_path / "report.json"
    send = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(bytes(72), ('100.64.0.1', 9))"
    words = ("--cell", "n78-40mhz,snr=18dB,users=2", "--delay", "1ms", "--report", report)
    assert cli("link", *words, "--", sys.executable, "-c", f"{send}; import time; time.sleep(0.2)").returncode == 0
    found = json.loads(report.read_text())
    assert found["up"]["packets"] == found["wire"]["up"]["packets"] == 1


@needs_links
def test_wifi_reports_the_air(cli: Cli, tmp_path: Path) -> None:
    """A program's datagram crosses wire and air; the report has both."""
    report = tmp_path / "report.json"
    send = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(bytes(72), ('100.64.0.1', 9))"
    words = ("--wifi", "802.11ac,snr=25dB", "--delay", "1ms", "--report", report)
    assert cli("link", *words, "--", sys.executable, "-c", f"{send}; import time; time.sleep(0.2)").returncode == 0
    found = json.loads(report.read_text())
    assert found["up"]["packets"] == found["wire"]["up"]["packets"] == 1
    assert (found["up"]["mpdus"], found["up"]["mean_ampdu"]) == (1, 1)


@needs_links
@pytest.mark.realtime
def test_wifi_carries_what_it_carries_in_the_simulator(scripts: Path) -> None:
    """MCS 1 of 802.11n and 10 ms each way: the goodput of a download within 5 %."""
    air = ww.Wifi(
        name="wifi",
        standard="802.11n",
        streams=1,
        rate_control=ww.format.FixedRateControl(mcs=1),
        access_point="AP",
        station=[
            ww.format.WifiStation(node="AP", at=("0 m", "0 m")),
            ww.format.WifiStation(node="client", at=("5 m", "0 m")),
        ],
    )
    law = ww.Cubic(version="linux", hystart=True)
    scenario = ww.Scenario(
        name="air",
        duration="6 s",
        warmup="2 s",
        node=[ww.Node(name=name) for name in ("server", "AP", "client")],
        link=[ww.Link(name="wire", from_="server", to="AP", rate="100 Gbit/s", delay="10 ms")],
        wifi=[air],
        flow=[ww.Flow(name="flow", from_="server", to="client", law=law, stack="linux")],
    )
    expected = float(scenario.simulate(seeds=3).flows["goodput_bps"].mean())
    options = ("--wifi", "802.11n,streams=1,mcs=1", "--delay", "10ms")
    sink = [sys.executable, str(scripts / "sink.py")]
    out, _ = behind_in_time(sink, *options, "--server", python(scripts / "source.py", "cubic"), folder=scripts)
    assert float(out) == pytest.approx(expected, rel=0.05)

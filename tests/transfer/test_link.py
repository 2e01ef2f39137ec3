"""`windward link`: one link in front of real programs. Skips, with the reason, where no namespace can be made."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, environment, in_time

import windward as ww
from windward import transfer

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
#: Datagrams of three codepoints, on three ports, 1000 bytes with their headers.
STREAMS = """
import socket, struct, time
ends = [socket.socket(type=socket.SOCK_DGRAM) for _ in range(3)]
for at, (end, codepoint) in enumerate(zip(ends, (0, 2, 1))):
    end.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, codepoint)
    end.bind(("", 9000 + at))
for end in ends:
    end.connect(end.recvfrom(9)[1])
begin = time.monotonic()
for n in range(1500):
    time.sleep(max(0, begin + n / 600 - time.monotonic()))
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


#: What an emulation of nothing returns.
NOTHING: dict[str, Any] = {"down": [{}], "up": [{}], "quality": {}}


def impossible() -> str | None:
    """Why no link can be emulated here."""
    if sys.platform != "linux":
        return "links are emulated on Linux only"
    probe = subprocess.run(
        [sys.executable, "-m", "windward", "link", "--rate", "1mbit", "--", "true"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return None if probe.returncode == 0 else probe.stderr.strip().replace("\n", "; ")


REASON = impossible()
needs_links = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The little programs as files."""
    programs = {"echo": ECHO, "pings": PINGS, "sower": SOWER, "reaper": REAPER, "source": SOURCE, "sink": SINK}
    programs |= {"streams": STREAMS, "codepoints": CODEPOINTS}
    for name, text in programs.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def behind(command: list[str], *options: str, folder: Path) -> tuple[str, dict[str, Any]]:
    """Runs a command behind a link: what it printed, and the link's report."""
    report = folder / "report.json"
    words = [sys.executable, "-m", "windward", "link", *options, "--report", str(report), "--", *command]
    run = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout, json.loads(report.read_text())


def behind_in_time(command: list[str], *options: str, folder: Path) -> tuple[str, dict[str, Any]]:
    """Runs a command behind a link, again if the link was late: what it printed, and the link's report."""
    run = partial(behind, command, *options, folder=folder)
    return in_time(run, lambda result: result[1]["quality"]["problem"])


def python(script: Path, *arguments: str) -> str:
    return " ".join([sys.executable, str(script), *arguments])


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
def test_the_program_is_left_alone(cli: Cli, tmp_path: Path) -> None:
    """Its output, its exit code, its own death."""
    run = cli("link", "--rate", "1mbit", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (run.stdout, run.stderr, run.returncode) == ("out\n", "err\n", 7)
    assert cli("link", "--rate", "1mbit", "--", "sh", "-c", "kill -9 $$").returncode == 128 + signal.SIGKILL
    missing = cli("link", "--rate", "1mbit", "--", "no-such-program")
    assert missing.returncode == 127
    assert missing.stderr == "error: no-such-program: command not found\n"


@needs_links
@pytest.mark.realtime
def test_a_recording_of_mahimahi(scripts: Path) -> None:
    """One packet of 1500 bytes every 4 ms: 3 Mbit/s."""
    (scripts / "steady").write_text("4\n")
    options = ("--trace", str(scripts / "steady"), "--delay", "5ms", "--buffer", "40")
    sink = [sys.executable, str(scripts / "sink.py")]
    out, _ = behind_in_time(sink, *options, "--server", python(scripts / "source.py", "cubic"), folder=scripts)
    assert float(out) == pytest.approx(3e6 * 1448 / 1500, rel=0.02)


#: Reads all that a TCP server sends, and sends a datagram to a UDP server that answers.
VISITOR = """
import os, socket, sys
tcp, udp = map(int, sys.argv[1:])
try:
    s = socket.create_connection((os.environ["WINDWARD_SERVER"], tcp), timeout=3)
    data = b"".join(iter(lambda: s.recv(1 << 16), b""))
    d = socket.socket(type=socket.SOCK_DGRAM)
    d.settimeout(3)
    d.sendto(b"hello", (os.environ["WINDWARD_SERVER"], udp))
    print(len(data), sum(data), d.recv(100))
except OSError as error:
    print(type(error).__name__)
"""


@needs_links
def test_the_machine_is_reached_through_the_link(cli: Cli, tmp_path: Path) -> None:
    """Its loopback stands behind the link, by TCP and by UDP; with --isolate it does not."""
    (tmp_path / "visitor.py").write_text(VISITOR)
    payload = bytes(range(256)) * 800
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(type=socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = tcp.accept()
        connection.sendall(payload)
        connection.close()
        data, sender = udp.recvfrom(100)
        udp.sendto(data.upper(), sender)

    ports = [str(server.getsockname()[1]) for server in (tcp, udp)]
    command = ["--", sys.executable, tmp_path / "visitor.py", *ports]
    with tcp, udp, ThreadPoolExecutor(1) as pool:
        served = pool.submit(serve)
        report = tmp_path / "report.json"
        run = cli("link", "--rate", "10mbit", "--delay", "10ms", "--report", report, *command)
        assert run.stdout == f"{len(payload)} {sum(payload)} b'HELLO'\n"
        served.result(timeout=10)
        # What came across the link is what was sent, with its headers.
        assert len(payload) < json.loads(report.read_text())["down"]["bytes"] < 1.1 * len(payload)
        assert cli("link", "--rate", "10mbit", "--isolate", *command).stdout == "ConnectionRefusedError\n"


@needs_links
def test_names_are_asked_for_through_the_link(tmp_path: Path) -> None:
    """A resolver on the machine's loopback, as systemd-resolved is, in a namespace of mounts that says so."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root may pretend to have such a resolver, with unshare(1)")
    (tmp_path / "resolv.conf").write_text("search example.org\nnameserver 127.0.0.77\n")
    ask = "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(3); "
    ask += "s.sendto(b'who', ('100.64.0.1', 53)); print(s.recv(9))"
    script = f"mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && "
    script += f"{sys.executable} -m windward link --rate 10mbit -- sh -c 'cat /etc/resolv.conf; exec \"$@\"' - "
    script += f'{sys.executable} -c "{ask}" && cat /etc/resolv.conf'
    with socket.socket(type=socket.SOCK_DGRAM) as resolver, ThreadPoolExecutor(1) as pool:
        try:
            resolver.bind(("127.0.0.77", 53))
        except OSError as error:
            pytest.skip(f"port 53 cannot be had: {error}")
        resolver.settimeout(20)

        def answer() -> None:
            data, sender = resolver.recvfrom(100)
            resolver.sendto(data[::-1], sender)

        answered = pool.submit(answer)
        words = ["unshare", "--mount", "sh", "-c", script]
        run = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=60)
        answered.result()
    inside = "search example.org\nnameserver 100.64.0.1\n"
    assert (run.stdout, run.stderr) == (f"{inside}b'ohw'\nsearch example.org\nnameserver 127.0.0.77\n", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "a link needs a rate, such as 10mbit, a trace, Wi-Fi, or a cell"),
        (("--rate", "10mbit", "--trace", "x"), "rate and trace: give one of them, not both"),
        (("--delay", "5 parsec"), "--delay 5 parsec: `parsec` is not a unit of duration"),
        (("--loss", "7"), "--loss 7: 7 is not a probability"),
        (("--buffer", "1 elephant"), "--buffer 1 elephant: `1 elephant` is not a buffer size"),
        (("--rate", "10mbip"), "error: --rate 10mbip: `mbip` is not a unit of rate"),
        (("--rate", "10mbit,10mbip"), "error: --rate 10mbit,10mbip: `mbip` is not a unit of rate"),
        (
            ("--rate", "10mbps"),
            "--rate 10mbps: `10mbps` has two readings: write 10mbit for bits, or 80mbit for the bytes",
        ),
        (("--rate", "1mbit,800kbps"), "800kbps: `800kbps` has two readings: write 800kbit for bits, or 6400kbit"),
        (("--rate", "10Mbps"), "write 10mbit for bits, or 80mbit for the bytes that tc(8) means"),
        (("--rate", "10MBPS"), "`10MBPS` has two readings: write 10mbit for bits, or 80mbit for the bytes"),
        (("--rate", "10 Kibps"), "`10 Kibps` has two readings: write 10kibit for bits, or 80kibit"),
        (("--rate", "1.5gbps"), "write 1.5gbit for bits, or 12gbit for the bytes"),
        (
            ("--rate", "1mbit", "--change", "1s rate=8bps"),
            "--change '1s rate=8bps': rate=8bps: `8bps` has two readings",
        ),
        (("--rate", "10Mb/s"), "hint: did you mean `Mbit/s`?"),
        (("--rate", "-5mbit"), "--rate -5mbit: `-5mbit` is negative; a rate must be above zero"),
        (("--rate", "1e400mbit"), "`1e400mbit` is too large for a rate"),
        (("--rate", "10MBps"), "hint: did you mean `MB/s`?"),
        (("--rate", "1mbit", "--loss", "200%"), "is not a probability"),
        (("--rate", "1mbit,2mbit,3mbit"), "one value, or two"),
        (("--trace", "nowhere"), "error: --trace nowhere: cannot read"),
        (("--rate", "1mbit", "--delay", "5"), "--delay 5: `5` has no unit"),
        (("--rate", "1mbit", "--reorder", "1%"), "--reorder 1%: expected SHARE:TIME, such as 1%:8ms, or 0"),
        (("--rate", "1mbit", "--reorder", "2:8ms"), "--reorder 2:8ms: 2 is not a probability"),
        (("--rate", "1mbit", "--reorder", "1%:8"), "--reorder 1%:8: `8` has no unit"),
        (("--rate", "1mbit", "--change", "1s reorder=1%"), "--change '1s reorder=1%': reorder=1%: expected SHARE:TIME"),
        (("--rate", "1mbit", "--change", "1s reorder=7:8ms"), "--change '1s reorder=7:8ms': 7 is not a probability"),
        (("--wifi", "802.11be"), "--wifi 802.11be: 802.11be is not modelled; 802.11ax is the nearest standard"),
        (("--wifi", "802.11n,width=80MHz"), "width=80MHz: 802.11n has no channels of 80 MHz; the widest has 40 MHz"),
        (("--wifi", "802.11n,width=80MHz"), "hint: width=40MHz"),
        (("--wifi", "802.11ac", "--change", "1s rate=8bps"), "--change '1s rate=8bps'"),
    ],
)
def test_refused(cli: Cli, options: tuple[str, ...], message: str) -> None:
    if sys.platform != "linux":
        pytest.skip("links are emulated on Linux only")
    run = cli("link", *options, "--", "true")
    assert run.returncode == 2
    assert run.stdout == ""
    assert message in run.stderr
    assert "link[0]" not in run.stderr
    assert "wifi[0]" not in run.stderr
    assert run.stderr.count(message) == 1


@pytest.mark.parametrize(
    ("wifi", "message"),
    [
        ("ac", "`ac`: expected a standard first: 802.11n, 802.11ac, 802.11ax\nhint: did you mean `802.11ac`?"),
        ("802.11ac,widht=80MHz", "there is no `widht`; known: width, band"),
        ("802.11ac,widht=80MHz", "hint: did you mean `width`?"),
        ("802.11ac,width", "`width`: expected width=VALUE"),
        ("802.11ac,mcs=1,mcs=2", "`mcs` is given twice"),
        ("802.11ac,width=80", "width=80: `80` has no unit"),
        ("802.11ac,width=30MHz", 'channels of 30 MHz do not exist\nhint: allowed: "20 MHz", "40 MHz"'),
        ("802.11ac,band=2.4GHz", "band=2.4GHz: 802.11ac has no channels at 2.4 GHz"),
        ("802.11ac,guard-interval=3ns", "guard-interval=3ns: 802.11ac has no guard interval of 3 ns"),
        ("802.11ac,width=20MHz,streams=1,mcs=9", "1 spatial stream\nhint: mcs=8"),
        ("802.11ac,mcs=10", "mcs=10: 802.11ac has no MCS 10; allowed: 0 to 9"),
        ("802.11ac,mcs=ten", "mcs=ten: expected a whole number"),
        ("802.11ac,streams=9", "streams=9: 9 spatial streams are too many; allowed: 1 to 4"),
        ("802.11ac,mcs=7,rate-control=ideal", "mcs and rate-control: give one of them, not both"),
        ("802.11ac,rate-control=best", "rate-control=best: unknown value `best`"),
        ("802.11ac,snr=25", "snr=25: expected a value with its unit, such as snr=25dB"),
        ("802.11ac,snr=90dB", "snr=90dB: out of range; allowed: 0 dB to 70 dB"),
        ("802.11ac,snr=25dB,distance=5m", "snr and distance: give one of them, not both"),
        ("802.11ac,distance=0m", "distance=0m: must be above 0 m"),
        # From 5 m, where -40.8 dBm arrive, to -82 dBm: 5 m times ten to the power 41.2/35.
        ("802.11ac,distance=500m", "distance=500m: the station does not reach the access point; allowed: up to 75 m"),
        ("802.11ac,stations=101", "stations=101: too many; allowed: 0 to 100"),
        ("802.11ac,queue=fast", "queue=fast: unknown value `fast`"),
        ("802.11ac,queue=fifo,airtime-fairness=true", "airtime-fairness=true: `airtime_fairness` needs queues"),
    ],
)
def test_wifi_is_refused(monkeypatch: pytest.MonkeyPatch, wifi: str, message: str) -> None:
    monkeypatch.setattr("windward._engine.emulate_link", lambda *_: NOTHING, raising=False)
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        transfer.link(["true"], wifi=wifi)
    assert "wifi[0]" not in str(refused.value)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("n78-50mhz", "`n78-50mhz`: expected a carrier first: lte-10mhz"),
        ("n78-40mh", "hint: did you mean `n78-40mhz`?"),
        ("n78-40mhz,srn=3dB", "there is no `srn`; known: snr, uplink-snr"),
        ("n78-40mhz,snr", "`snr`: expected snr=VALUE"),
        ("n78-40mhz,snr=1dB,snr=2dB", "`snr` is given twice"),
        ("n78-40mhz,snr=18", "snr=18: `18` has no unit"),
        ("n78-40mhz,users=0", "users=0: out of range; allowed: 1 to 32"),
        ("n78-40mhz,users=two", "users=two: expected a whole number"),
        ("lte-10mhz,layers=4", "layers=4: 4 layers; allowed: 1 or 2 with LTE"),
        ("n78-40mhz,rlc=tm", "rlc=tm: unknown value `tm`"),
        ("n78-40mhz,sr-period=3ms", "sr-period=3ms: 3 ms is not a multiple of the pattern of slots, 2.5 ms"),
    ],
)
def test_a_cell_is_refused(monkeypatch: pytest.MonkeyPatch, cell: str, message: str) -> None:
    monkeypatch.setattr("windward._engine.emulate_link", lambda *_: NOTHING, raising=False)
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        transfer.link(["true"], cell=cell)
    assert "cell[0]" not in str(refused.value)


def test_one_radio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windward._engine.emulate_link", lambda *_: NOTHING, raising=False)
    with pytest.raises(ValueError, match="wifi and cell: give one of them, not both"):
        transfer.link(["true"], cell="n78-40mhz", wifi="802.11ac")


def test_a_cell_has_the_rates_of_its_carrier(monkeypatch: pytest.MonkeyPatch) -> None:
    """88.8 and 31.2 elements a block and slot, 51 blocks, MCS 27 (7.40625 bits), 1500 of 1509 bytes; a wire first."""
    seen: list[list[float]] = []

    def run(links: Any, *_: object) -> dict[str, Any]:
        seen.append(list(links.rates_bps))
        return NOTHING

    monkeypatch.setattr("windward._engine.emulate_link", run, raising=False)
    transfer.link(["true"], cell="n78-20mhz,snr=40dB,users=2")
    transfer.link(["true"], cell="n78-20mhz,snr=40dB", delay="20ms")
    down, up = (elements * 51 / 0.5e-3 * 7.40625 * 1500 / 1509 for elements in (88.8, 31.2))
    assert seen[0] == pytest.approx([down, up] * 2, rel=1e-6)
    assert seen[1] == pytest.approx([100e9, 100e9, down, up], rel=1e-6)


@needs_links
def test_a_cell_reports_the_air(cli: Cli, tmp_path: Path) -> None:
    """A program's datagram asks for a grant, and crosses air and wire."""
    report = tmp_path / "report.json"
    send = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(bytes(72), ('100.64.0.1', 9))"
    words = ("--cell", "n78-40mhz,snr=18dB,users=2", "--delay", "1ms", "--report", report)
    assert cli("link", *words, "--", sys.executable, "-c", f"{send}; import time; time.sleep(0.2)").returncode == 0
    found = json.loads(report.read_text())
    assert found["up"]["packets"] == found["wire"]["up"]["packets"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"buffer": "9"}, "buffer 9: a wire without a rate has no queue; that of Wi-Fi is set by `queue=`"),
        ({"delay": "5 parsec"}, "delay 5 parsec: `parsec` is not a unit of duration"),
    ],
)
def test_the_wire_behind_wifi_is_refused(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str], message: str
) -> None:
    monkeypatch.setattr("windward._engine.emulate_link", lambda *_: NOTHING, raising=False)
    with pytest.raises(ValueError, match=re.escape(message)):
        transfer.link(["true"], wifi="802.11ac", **options)


@pytest.mark.parametrize(
    ("rate", "bits"),
    [
        ("10mbit", 10e6),
        ("10 Mbit", 10e6),
        ("800kbit", 8e5),
        ("800kB/s", 6.4e6),
        ("1Tbit", 1e12),
        ("2kibit", 2048),
        ("1.5gibit", 1.5 * 2**30),
        ("10bit", 10),
        ("2.5 Mbit/s", 2.5e6),
    ],
)
def test_rates_are_those_of_scenarios_and_of_tc(monkeypatch: pytest.MonkeyPatch, rate: str, bits: float) -> None:
    seen = []

    def run(links: Any, *_: object) -> dict[str, Any]:
        seen.append(links.rates_bps)
        return NOTHING

    monkeypatch.setattr("windward._engine.emulate_link", run, raising=False)
    transfer.link(["true"], rate=rate)
    assert list(seen[0]) == [bits, bits]


@pytest.mark.parametrize(
    ("wifi", "options", "bits"),
    [
        # 1560 bits in 3.6 µs; at 40 MHz 720; HE: 980 bits of 13.6 µs.
        ("802.11ac,streams=1,mcs=9", {}, [433_333_333] * 2),
        ("802.11ac,streams=1,mcs=9,width=40MHz", {}, [200_000_000] * 2),
        ("802.11ax,streams=1,mcs=1,guard-interval=800ns", {}, [72_058_823] * 2),
        # 1 % of MPDUs are lost at 24.7 dB with MCS 8, at 26.1 dB with MCS 9, at 1.5 dB with MCS 0.
        ("802.11ac,streams=1,snr=25dB", {}, [390_000_000] * 2),
        ("802.11ac,streams=1,snr=0dB", {}, [32_500_000] * 2),
        # The wire comes first; every station has a link in each direction.
        ("802.11ac,streams=1,mcs=9", {"rate": "50mbit,10mbit"}, [50e6, 10e6] + [433_333_333] * 2),
        ("802.11ac,streams=1,mcs=9", {"delay": "20ms"}, [100e9] * 2 + [433_333_333] * 2),
        ("802.11ac,streams=1,mcs=9,stations=3", {}, [433_333_333] * 8),
    ],
)
def test_wifi_has_the_rates_of_its_standard(
    monkeypatch: pytest.MonkeyPatch, wifi: str, options: dict[str, str], bits: list[float]
) -> None:
    seen: list[list[float]] = []

    def run(links: Any, *_: object) -> dict[str, Any]:
        seen.append(list(links.rates_bps))
        return NOTHING

    monkeypatch.setattr("windward._engine.emulate_link", run, raising=False)
    transfer.link(["true"], wifi=wifi, **options)
    assert seen == [bits]


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
        rate_control=ww.FixedRateControl(mcs=1),
        access_point="AP",
        station=[ww.WifiStation(node="AP", at=("0 m", "0 m")), ww.WifiStation(node="client", at=("5 m", "0 m"))],
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


def test_a_library_has_no_words_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windward._engine.emulate_link", lambda *_: NOTHING, raising=False)
    of_link = ({}, {"rate": "1mbit", "trace": "x"}, {"rate": "10mbps"}, {"rate": "1mbit", "delay": "5"})
    of_wifi = ({"wifi": "ac"}, {"wifi": "802.11ac,width=30MHz"}, {"wifi": "802.11ac", "queue": "fq-codel"})
    for arguments in (*of_link, *of_wifi):
        with pytest.raises(ValueError, match=r"rate|delay|wifi") as refused:
            transfer.link(["true"], **arguments)
        assert "--" not in str(refused.value)


@needs_links
def test_a_command_that_cannot_be_started_ends_as_in_a_shell(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program\n")
    run = cli("link", "--rate", "10mbit", "--", "no-such-command-anywhere")
    assert (run.returncode, run.stderr) == (127, "error: no-such-command-anywhere: command not found\n")
    run = cli("link", "--rate", "10mbit", "--", str(tmp_path / "plain"))
    assert (run.returncode, run.stderr) == (126, f"error: {tmp_path / 'plain'}: Permission denied\n")
    run = cli("link", "--rate", "10mbit", "--", "sh", "-c", "exit 7")
    assert run.returncode == 7


def processes(marker: str) -> list[int]:
    """Processes whose command line has a word of this test's own."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in command.split(b"\0"):
                found.append(int(folder.name))
    return found


def wait_for(count: int, marker: str) -> None:
    for _ in range(600):
        if len(processes(marker)) == count:
            return
        time.sleep(0.05)
    pytest.fail(f"{processes(marker)} are there, not {count}")


@needs_links
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_behind(how: signal.Signals) -> None:
    """Any end of the link also ends its command and its servers, and removes namespaces and devices."""
    marker = f"30{os.getpid()}.{how}"
    words = [sys.executable, "-m", "windward", "link", "--rate", "1mbit", "--server", f"exec sleep {marker}", "--"]
    process = subprocess.Popen([*words, "sleep", marker], env=environment(), start_new_session=True)
    # The link itself, whose command line has the marker too, the init of its processes, its server and its command.
    wait_for(4, marker)
    process.send_signal(how)
    code = process.wait(timeout=30)
    wait_for(0, marker)
    assert code == (-how if how == signal.SIGKILL else 128 + how)


@needs_links
def test_ctrl_c_of_a_terminal_ends_it() -> None:
    """It reaches every process in the group: the command once, through the terminal."""
    marker = f"31{os.getpid()}"
    words = [sys.executable, "-m", "windward", "link", "--rate", "1mbit", "--", "sleep", marker]
    process = subprocess.Popen(words, env=environment(), start_new_session=True)
    wait_for(3, marker)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=30) == 128 + signal.SIGINT
    wait_for(0, marker)


#: A server and a command that start a daemon each, in a session of its own, and children in the background.
STRAYS = "setsid sleep {marker} >/dev/null 2>&1 & sleep {marker} & "


@needs_links
@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("user", ["root", "nobody"])
def test_daemons_end_too(is_killed: bool, user: str) -> None:
    """At the end of the command as by SIGKILL to the link itself; also in a user namespace."""
    marker = f"32{os.getpid()}.{int(is_killed)}{len(user)}"
    python, before = sys.executable, []
    if user == "nobody":
        if os.geteuid() != 0 or shutil.which("setpriv") is None or (python := interpreter_of_nobody() or "") == "":
            pytest.skip("only root can be somebody without rights, with setpriv(1) and a Python for all")
        before = NOBODY
    strays = STRAYS.format(marker=marker)
    server = f"{strays} exec sleep {marker}"
    end = f"exec sleep {marker}" if is_killed else "read wait"
    words = [*before, python, "-m", "windward", "link", "--rate", "1mbit", "--server", server, "--"]
    with subprocess.Popen(
        [*words, "sh", "-c", f"{strays} {end}"],
        env=with_package(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        # Two strays at each end, the server, and where it waits to be killed the command.
        count = 6 if is_killed else 5
        for _ in range(600):
            if process.poll() is not None or len(processes(marker)) == count:
                break
            time.sleep(0.05)
        if process.poll() is not None:
            pytest.skip(process.communicate()[1].strip().replace("\n", "; "))
        assert len(processes(marker)) == count
        if is_killed:
            process.kill()
        process.communicate("\n", timeout=30)
    wait_for(0, marker)


@needs_links
def test_process_numbers_are_the_links_own(cli: Cli) -> None:
    """/proc shows them, where it may be mounted; whoever is left by its parent is buried."""
    script = "(sh -c 'exit 3' & ); sleep 0.2; ps -o stat= -e | grep -c Z; test -d /proc/$$ && cat /proc/1/comm"
    run = cli("link", "--rate", "1mbit", "--", "sh", "-c", script)
    zombies, *init = run.stdout.split()
    assert zombies == "0"
    assert init in ([], ["windward-init"]) or os.geteuid() != 0


@needs_links
def test_a_link_in_a_link_has_other_addresses(cli: Cli) -> None:
    """Both servers answer, each by its own address."""
    answer = "import socket; socket.create_server(('', {})).accept()[0].sendall(b'{}')"
    ask = "import socket, sys; print(socket.create_connection((sys.argv[1], int(sys.argv[2]))).recv(9).decode())"
    python = sys.executable
    outer, inner = (f'exec {python} -c "{answer.format(*server)}"' for server in ((9001, "outer"), (9002, "inner")))
    inside = f'{python} -c "{ask}" $OUTER 9001 && {python} -c "{ask}" $WINDWARD_SERVER 9002'
    link = [python, "-m", "windward", "link", "--rate", "10mbit"]
    nested = ["sh", "-c", 'OUTER=$WINDWARD_SERVER exec "$@"', "-", *link, "--server", inner, "--", "sh", "-c", inside]
    run = cli(*link[3:], "--server", outer, "--", *nested)
    assert (run.stdout, run.returncode) == ("outer\ninner\n", 0), run.stderr


NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all"]
NOBODY += ["--bounding-set=-all"]


def interpreter_of_nobody() -> str | None:
    """A Python that a user without rights may run, and that knows this package."""
    for python in (sys.executable, "/usr/bin/python3"):
        words = [*NOBODY, python, "-c", "import sys; import windward; sys.exit(sys.version_info < (3, 11))"]
        if subprocess.run(words, env=with_package(), capture_output=True, check=False).returncode == 0:
            return python
    return None


def with_package() -> dict[str, str]:
    return environment() | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@needs_links
def test_without_root() -> None:
    """Runs the link in a user namespace, as the user nobody."""
    if os.geteuid() != 0:
        pytest.skip("every other test is that already")
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed")
    python = interpreter_of_nobody()
    if python is None:
        pytest.skip("no Python here that nobody may run")
    words = [*NOBODY, python, "-m", "windward", "link", "--rate", "1mbit", "--delay", "20ms"]
    words += ["--", "sh", "-c", "echo $WINDWARD_SERVER $(id -u)"]
    run = subprocess.run(words, env=with_package(), capture_output=True, text=True)
    if run.returncode == 2 and "user namespace" in run.stderr:
        pytest.skip(run.stderr.strip().replace("\n", "; "))
    assert (run.stderr, run.returncode, run.stdout) == ("", 0, "100.64.0.1 0\n")


@needs_links
@pytest.mark.parametrize("law", ["reno", "cubic"])
def test_the_far_end_has_the_law_that_it_was_given(cli: Cli, law: str) -> None:
    """The server has the chosen law for any default of the machine, also where only root may choose it."""
    listen = "import socket; s = socket.create_server(('', 9000)); c, _ = s.accept(); c.sendall("
    listen += "c.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(bytes(1)))"
    visit = "import socket; print(socket.create_connection(('100.64.0.1', 9000)).recv(16).decode())"
    server = f'exec {sys.executable} -c "{listen}"'
    for isolation in ((), ("--isolate",)):
        options = ("--rate", "10mbit", "--congestion", law, *isolation, "--server", server)
        assert cli("link", *options, "--", sys.executable, "-c", visit).stdout == f"{law}\n"
    refused = cli("link", "--rate", "1mbit", "--congestion", "nolaw", "--", "true")
    assert refused.returncode == 2
    assert "choosing the server's congestion control" in refused.stderr

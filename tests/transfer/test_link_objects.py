"""`windward.testing.link`: links from a test's own process to servers in it."""

import contextlib
import gc
import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import nobody
import pytest
from conftest import environment
from linked import needs_links
from servers import content, datagrams, web

from windward import EmulationError
from windward.testing import Address, link, profiles

pytestmark = needs_links


def ask(address: Address, data: bytes, timeout: float = 10.0) -> bytes:
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        client.settimeout(timeout)
        client.sendto(data, address)
        return client.recv(2000)


def fetch(address: Address, length: int) -> bytes:
    with urllib.request.urlopen(f"{address.url}/{length}", timeout=30) as answer:
        return answer.read()


def test_tcp_and_udp_go_over_the_link() -> None:
    with web() as site, datagrams() as echo, link(rate="20mbit", delay="10ms") as one:
        assert fetch(one.connect(site), 300_000) == content(300_000)
        began = time.monotonic()
        assert ask(one.connect(echo), b"hello") == b"hello"
        assert time.monotonic() - began >= 0.02
        down = one.report()["down"]["bytes"]
        assert 300_000 < down < 330_000
        assert one.address.port != site
    assert one.report()["down"]["bytes"] >= down
    assert one.report()["seconds"] > 0.02


def test_bytes_are_those_that_were_sent_under_heavy_loss() -> None:
    """SHA-256 of 500 kB at 10 % loss: a proxy that deletes parts of the stream fails this."""
    with web() as site, link(rate="20mbit", delay="5ms", loss="10%,2%", seed=3) as bad:
        got = fetch(bad.connect(site), 500_000)
    assert hashlib.sha256(got).digest() == hashlib.sha256(content(500_000)).digest()
    assert bad.lost > 20


def lost_datagrams(seed: int, loss: str = "20%,0") -> list[int]:
    """Numbers of the answers that were lost, of datagrams sent one by one."""
    with datagrams() as echo, link(rate="100mbit", loss=loss, seed=seed) as bad:
        address, came = bad.connect(echo), set()
        with socket.socket(type=socket.SOCK_DGRAM) as client:
            client.settimeout(0.5)
            for number in range(60):
                client.sendto(number.to_bytes(2), address)
                # One at a time, so that the order is the same in every run.
                end = time.monotonic() + 0.06
                while time.monotonic() < end:
                    client.settimeout(max(0.001, end - time.monotonic()))
                    with contextlib.suppress(TimeoutError):
                        came.add(int.from_bytes(client.recv(10)))
                        break
    return [number for number in range(60) if number not in came]


def test_a_seed_loses_the_same_packets() -> None:
    first, again, other = lost_datagrams(5), lost_datagrams(5), lost_datagrams(6)
    assert first == again
    assert first != other
    # 12 of 60 ± 3.1: five deviations.
    assert 0 < len(first) < 28


def test_losses_come_in_bursts() -> None:
    """A bad state that loses all and lasts four packets on average; 20 % of the time."""
    lost = lost_datagrams(2, "gilbert-elliott:good_to_bad=6.25%:bad_to_good=25%,0")
    runs = sum(number - 1 not in lost for number in lost)
    assert len(lost) / runs > 1.5


def test_a_change_is_now() -> None:
    with datagrams() as echo, link(rate="100mbit") as changing:
        address = changing.connect(echo)
        ask(address, b"first")
        changing.change(delay="100ms,0ms")
        began = time.monotonic()
        ask(address, b"slow")
        assert 0.1 <= time.monotonic() - began < 1
        changing.change(delay="0ms", loss="100%,0")
        with pytest.raises(TimeoutError):
            ask(address, b"lost", 0.2)
        changing.change(loss=0)
        assert ask(address, b"back") == b"back"
        assert changing.lost == 1
        with pytest.raises(ValueError, match="rate nonsense"):
            changing.change(rate="nonsense")
        with pytest.raises(ValueError, match="has two readings"):
            changing.change(rate="10mbps")


def test_an_outage_ends_by_itself_or_by_order() -> None:
    with datagrams() as echo, link(rate="100mbit") as one:
        address = one.connect(echo)
        began = time.monotonic()
        one.down(0.4)
        ask(address, b"waits")
        assert 0.35 < time.monotonic() - began < 2
        one.down()
        with pytest.raises(TimeoutError):
            ask(address, b"too long", 0.3)
        one.up()
        assert ask(address, b"up")


def test_a_cell_and_wifi_have_a_wire_that_changes() -> None:
    for radio in ({"cell": "lte-20mhz,snr=15dB"}, {"wifi": "802.11ac,snr=25dB"}):
        with datagrams() as echo, link(**radio) as one:
            address = one.connect(echo)
            ask(address, b"first")
            one.change(delay="80ms,0ms")
            began = time.monotonic()
            ask(address, b"slow")
            assert time.monotonic() - began >= 0.08
            report = one.report()
            assert report["wire"]["down"]["packets"] == report["down"]["packets"] == 2


def test_a_program_inside_has_real_sockets() -> None:
    """A port that nothing listens at is refused, the MTU is 1500, and the exit code is the program's."""
    refused = "import os, socket, sys\ntry: socket.create_connection((os.environ['WINDWARD_SERVER'], {}), 3)\n"
    refused += "except ConnectionRefusedError: sys.exit(7)"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with link(rate="10mbit", delay="5ms") as one:
        assert one.run([sys.executable, "-c", refused.format(port)]).returncode == 7
        assert "windward0" in one.run(["cat", "/proc/net/dev"]).stdout
        done = one.run(["sh", "-c", "cat; echo $WINDWARD_SERVER >&2; kill -9 $$"], input="in")
        assert (done.stdout, done.stderr, done.returncode) == ("in", f"{one.server}\n", -signal.SIGKILL)
        assert one.run(["cat"], input=b"x" * 300_000, text=False).stdout == b"x" * 300_000
        with pytest.raises(FileNotFoundError, match="no-such-program"):
            one.run(["no-such-program"])
        with pytest.raises(subprocess.CalledProcessError):
            one.run(["false"], check=True)
        with pytest.raises(subprocess.TimeoutExpired):
            one.run(["sleep", "30"], timeout=0.2)
        assert one.run(["pwd"], cwd="/").stdout == "/\n"
        assert one.run(["sh", "-c", "echo $A"], env={"A": "b", "PATH": os.environ["PATH"]}).stdout == "b\n"


def visit(port: int) -> tuple[bytes, int]:
    """Half-closes a connection, and reads the answer."""
    with socket.create_connection((os.environ["WINDWARD_SERVER"], port), timeout=5) as client:
        client.sendall(b"question")
        client.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: client.recv(100), b""))
        return answer, client.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)


def fail() -> None:
    raise KeyError("inside")


def vanish() -> None:
    os._exit(9)


def test_a_function_inside_has_real_sockets() -> None:
    """A half-closed connection, the segments of the link's MTU, and exceptions that cross."""
    with socket.create_server(("127.0.0.1", 0)) as server, link(rate="10mbit", delay="5ms") as one:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                data = b"".join(iter(lambda: connection.recv(100), b""))
                connection.sendall(data[::-1])

        thread = threading.Thread(target=serve)
        thread.start()
        answer, segment = one.call(visit, server.getsockname()[1])
        thread.join()
        assert answer == b"noitseuq"
        # 1500 less 20 of IP, 20 of TCP, 12 of timestamps.
        assert segment == 1448
        with pytest.raises(KeyError, match="inside"):
            one.call(fail)
        with pytest.raises(RuntimeError, match="exit code 9"):
            one.call(vanish)
        with pytest.raises(TimeoutError, match=r"0\.2 s"):
            one.call(time.sleep, 30, timeout=0.2)
        assert one.call(os.getpid) < os.getpid(), "its processes have numbers of their own"


def test_a_refused_connection_is_accepted_and_reset() -> None:
    """Which is what a connection that ends at the relay can say."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        link(rate="10mbit") as one,
        socket.create_connection(one.connect(port), timeout=5) as client,
        pytest.raises(ConnectionResetError),
    ):
        client.recv(1)


def processes_of(link_process: int) -> set[int]:
    """A process and its descendants."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = {link_process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def wait_until_gone(processes: set[int]) -> None:
    for _ in range(200):
        if not any(Path(f"/proc/{process}").exists() for process in processes):
            return
        time.sleep(0.05)
    pytest.fail(f"of {processes} some are left")


#: A test process with a link, a program behind it and a daemon, which says who they are and waits.
STAYS = """
import sys, threading, time
from windward.testing import link
one = link(rate="10mbit")
address = one.connect(9)
threading.Thread(target=one.run, args=(["sh", "-c", "setsid sleep 300 & exec sleep 300"],), daemon=True).start()
time.sleep(0.3)
print(one._process.pid, address.port, flush=True)
time.sleep(300)
"""


@pytest.mark.parametrize("user", ["root", "nobody"])
def test_a_killed_test_process_leaves_nothing(user: str) -> None:
    """Also in a user namespace of nobody's."""
    python, before, variables = sys.executable, [], environment()
    if user == "nobody":
        if (why := nobody.missing()) is not None:
            pytest.skip(why)
        python, before, variables = nobody.python_of_nobody() or "", nobody.NOBODY, nobody.environment_of_nobody()
    with subprocess.Popen([*before, python, "-c", STAYS], env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid, port = map(int, process.stdout.readline().split())
        own = processes_of(pid)
        assert len(own) == 4, "the link, its init, the program and its daemon"
        process.kill()
        process.wait()
        wait_until_gone(own)
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_many_links_leave_nothing() -> None:
    """Neither processes nor descriptors; a link that is forgotten ends too."""
    with link(rate="10mbit"):
        pass
    before, own = open_files(), processes_of(os.getpid())
    for number in range(6):
        one = link(rate="10mbit")
        one.connect(9)
        if number % 2:
            one.close()
        del one
    gc.collect()
    assert open_files() == before
    assert processes_of(os.getpid()) <= own


def test_links_beside_each_other_do_not_meet() -> None:
    """Same addresses, other networks: the delays are each link's own."""
    with datagrams() as echo, contextlib.ExitStack() as links:
        addresses = [
            links.enter_context(link(rate="100mbit", delay=f"{delay}ms,0ms")).connect(echo) for delay in (0, 60, 120)
        ]
        times = []
        for address in addresses:
            began = time.monotonic()
            ask(address, b"x")
            times.append(time.monotonic() - began)
    assert times[0] < times[1] < times[2]
    assert times[1] >= 0.06
    assert times[2] >= 0.12


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(ValueError, match="a link needs a rate"):
        link()
    with pytest.raises(ValueError, match=r"(?s)profile trains: no such profile.*did you mean `train`"):
        link(profile="trains")
    with pytest.raises(ValueError, match="delay soon"):
        link(rate="1mbit", delay="soon")
    with pytest.raises(ValueError, match="a profile has its own network"):
        link(profile="lte", cell="lte-20mhz")
    with pytest.raises(EmulationError, match="congestion control"):
        link(rate="1mbit", congestion="nolaw")
    with link(rate="1mbit") as one:
        with pytest.raises(ValueError, match="leads nowhere yet"):
            _ = one.address
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with contextlib.suppress(EmulationError):
                one.connect(9, at=port)
                pytest.fail("the port is taken")
    with pytest.raises(EmulationError, match="has ended"):
        one.connect(9)


def test_the_end_of_its_process_is_said() -> None:
    one = link(rate="1mbit")
    os.kill(one._process.pid, signal.SIGKILL)
    with pytest.raises(EmulationError, match="has ended"):
        one.report()
    one.close()
    assert one.problem == "the process of the link has ended"
    assert not one.in_time


@pytest.mark.parametrize("profile", [about["name"] for about in profiles()])
def test_profiles_carry_packets(profile: str) -> None:
    with datagrams() as echo, link(profile=profile, seed=2) as one:
        address = one.connect(echo)
        for _ in range(5):
            # A datagram may be lost.
            with contextlib.suppress(TimeoutError):
                assert ask(address, b"hello", 3) == b"hello"
                return
    pytest.fail("five of five datagrams were lost")


def test_options_stand_on_top_of_a_profile() -> None:
    with datagrams() as echo, link(profile="slow-4g", delay="0ms", loss="100%,0") as one:
        with pytest.raises(TimeoutError):
            ask(one.connect(echo), b"lost", 0.5)
        one.change(loss=0)
        began = time.monotonic()
        ask(one.connect(echo), b"quick")
        assert time.monotonic() - began < 0.15
    assert repr(one) == "link(profile='slow-4g', delay='0ms', loss='100%,0', seed=1)"


def test_profiles_have_a_source() -> None:
    assert {"slow-4g", "lte", "nr", "wifi-cafe", "dsl", "cable", "leo", "geo", "train"} <= {
        about["name"] for about in profiles()
    }
    assert all(about["title"] and len(about["source"]) > 20 for about in profiles())


def test_a_link_is_an_object_without_numpy() -> None:
    """Setup that a test waits for before its first link."""
    code = (
        "from windward.testing import link; import sys; print(sorted({'numpy', 'pandas', 'typer'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_without_root() -> None:
    """As the user nobody, in a user namespace: across the link, inside by a program and by a function."""
    if (why := nobody.missing()) is not None:
        pytest.skip(why)
    code = """
import os, socket
from windward.testing import link
def who():
    with socket.create_connection((os.environ["WINDWARD_SERVER"], port), timeout=5) as client:
        return client.recv(10), os.getuid()
with socket.create_server(("127.0.0.1", 0)) as server, link(rate="10mbit", delay="1ms") as one:
    port = server.getsockname()[1]
    import threading
    def serve():
        for _ in range(2):
            connection, _ = server.accept()
            connection.sendall(b"hello")
            connection.close()
    threading.Thread(target=serve).start()
    print(one.call(who))
    print(socket.create_connection(one.connect(port), timeout=5).recv(10))
    print(one.run(["sh", "-c", "id -u; ls /sys/class/net >/dev/null; echo $WINDWARD_CLIENT"]).stdout.split())
"""
    words = [*nobody.NOBODY, nobody.python_of_nobody() or "", "-c", code]
    run = subprocess.run(words, env=nobody.environment_of_nobody(), capture_output=True, text=True, timeout=60)
    assert (run.stderr, run.stdout) == ("", "(b'hello', 0)\nb'hello'\n['0', '100.64.0.2']\n")


def test_a_link_is_used_by_threads() -> None:
    """Reports while programs run inside."""
    with link(rate="10mbit") as one:
        thread = threading.Thread(target=one.run, args=(["sleep", "0.5"],))
        thread.start()
        began = time.monotonic()
        assert one.report()["quality"]["problem"] is None
        assert time.monotonic() - began < 0.4
        thread.join()

"""DualPI2 between kernels beside its equations. Writes evidence/measured/validation/dual-queue.md.

python evidence/benches/emulate/dual_queue.py; two minutes in real time.

Datagrams of two kinds leave a kernel evenly, Not-ECT and ECT(1), a little more than the link carries. Classic ones are
dropped until the rest has room, p_C = 1 - (C - r_L)/r_C; RFC 9332 couples the other queue's marks to it, p_L = k·√p_C.
"""

from __future__ import annotations

import json
import platform
import socket
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from page import table

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "dual-queue.md"
WINDWARD = Path(sys.executable).with_name("windward")

#: Mbit/s of the link, of the Not-ECT datagrams and of the ECT(1) ones.
CASES = ((10.0, 7.0, 3.6), (10.0, 9.0, 1.5), (20.0, 12.0, 8.4), (20.0, 18.5, 2.0))
DELAY_MS = 5.0
SIZE = 1500
#: Seconds, and those of them that do not count.
SECONDS, WARMUP = 20, 5
#: Of RFC 9332's k, and the target of the classic queue in milliseconds.
COUPLING, TARGET_MS = 2.0, 15.0
#: Bytes of IPv4 and UDP headers.
HEADERS = 28
PORT = 9000
#: The ECN field (RFC 3168 §5).
NOT_ECT, ECT_1, CE = 0, 1, 3


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Loss, marks and queueing delay of one kind of datagrams."""

    lost: float
    marked: float
    #: Mean wait in the queue, in milliseconds.
    wait_ms: float


def send(seconds: float, rates: list[float]) -> None:
    """The server: even streams of datagrams, the first Not-ECT, the second ECT(1), to each client."""
    ends = []
    for at, codepoint in enumerate((NOT_ECT, ECT_1)):
        end = socket.socket(type=socket.SOCK_DGRAM)
        end.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, codepoint)
        end.bind(("", PORT + at))
        ends.append(end)
    for end in ends:
        end.connect(end.recvfrom(9)[1])
    gaps = [round(SIZE * 8e3 / rate) for rate in rates]
    begin = time.monotonic_ns()
    # Not both at once.
    due = [begin, begin + gaps[1] // 3]
    count = [0, 0]
    while min(due) < begin + seconds * 1e9:
        at = due.index(min(due))
        if (left := due[at] - time.monotonic_ns()) > 100_000:
            time.sleep((left - 60_000) / 1e9)
        while (now := time.monotonic_ns()) < due[at]:
            pass
        ends[at].send(struct.pack("<Iq", count[at], now).ljust(SIZE - HEADERS, b"\0"))
        count[at] += 1
        due[at] += gaps[at]
    time.sleep(10)


def receive(server: str) -> None:
    """The client: prints number, time of sending, delay and ECN field of each datagram, as JSON."""
    ends = []
    for at in range(2):
        end = socket.socket(type=socket.SOCK_DGRAM)
        end.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        end.setblocking(False)
        end.sendto(b"go", (server, PORT + at))
        ends.append(end)
    seen: list[list[tuple[int, int, int, int]]] = [[], []]
    last = time.monotonic_ns()
    while time.monotonic_ns() - last < 2e9:
        for end, rows in zip(ends, seen, strict=True):
            try:
                data, control, _, _ = end.recvmsg(2000, 100)
            except BlockingIOError:
                continue
            last = time.monotonic_ns()
            number, sent = struct.unpack_from("<Iq", data)
            rows.append((number, sent, last - sent, control[0][2][0] & CE))
        time.sleep(20e-6)
    print(json.dumps(seen))


def between_kernels(rate: float, rates: list[float]) -> list[Seen]:
    """Both kinds through `windward link`."""
    script = Path(__file__).resolve()
    server = f"{sys.executable} {script} send {SECONDS} {' '.join(map(str, rates))}"
    words = [WINDWARD, "link", "--rate", f"{rate}mbit", "--delay", f"{DELAY_MS}ms", "--queue", "dualpi2"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        # The server needs a moment.
        client = f"sleep 1; {sys.executable} {script} receive $WINDWARD_SERVER"
        command = [*map(str, words), "--server", server, "--report", str(report), "--", "sh", "-c", client]
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        if problem := json.loads(report.read_text())["quality"]["problem"]:
            print(f"  not trustworthy: {problem}", flush=True)
    found: list[Seen] = []
    seen = json.loads(run.stdout)
    begin = min(rows[0][1] for rows in seen)
    for rows in seen:
        kept = [row for row in rows if row[1] - begin >= WARMUP * 1e9]
        sent = kept[-1][0] - kept[0][0] + 1
        delay_ms = sum(row[2] for row in kept) / len(kept) / 1e6
        marked = sum(row[3] == CE for row in kept) / len(kept)
        found.append(Seen(lost=1 - len(kept) / sent, marked=marked, wait_ms=delay_ms - least_ms(rate)))
    return found


def least_ms(rate: float) -> float:
    """Delay of a datagram that does not wait."""
    return DELAY_MS + SIZE * 8e-3 / rate


def main() -> None:
    rows = []
    for rate, classic, scalable in CASES:
        dropped = 1 - (rate - scalable) / classic
        wait_ms = TARGET_MS + SIZE * 8e-3 / (rate - scalable) / 2
        expected = [f"{100 * dropped:.2f}", f"{100 * COUPLING * dropped**0.5:.1f}", f"{wait_ms:.1f}", "–"]
        first, second = between_kernels(rate, [classic, scalable])
        assert first.marked == second.lost == 0, (first, second)
        seen = [
            f"{100 * first.lost:.2f}",
            f"{100 * second.marked:.1f}",
            f"{first.wait_ms:.1f}",
            f"{second.wait_ms:.2f}",
        ]
        pairs = [" / ".join(pair) for pair in zip(expected, seen, strict=True)]
        rows.append([f"{rate:g}", f"{classic:g}", f"{scalable:g}", *pairs])
        print(rows[-1], flush=True)
    streams = ["link", "Not-ECT", "ECT(1)", "dropped (%)", "marked (%)", "classic wait (ms)", "scalable wait (ms)"]
    PAGE.write_text(
        f"""# DualPI2 between kernels

Made by `make validate WHAT=dual-queue`; do not edit. Linux {platform.release()}.

`windward link --queue dualpi2` beside RFC 9332. Linux gives its TCP no ECT(1) that could be asked for: scalable traffic
here is datagrams of a program, with ECT(1) in `IP_TOS`. They do not answer marks.

{SIZE} bytes each, sent evenly, Not-ECT and ECT(1), together more than the link carries, {DELAY_MS:g} ms away;
{SECONDS - WARMUP} s of {SECONDS} count. Each cell: by the equations / between kernels. Classic datagrams are dropped
until the rest has room, p_C = 1 − (C − r_L)/r_C; the scalable queue's marks are coupled to that, p_L = k·√p_C with
k = {COUPLING:g} (RFC 9332 §2.1). The age of the first classic packet is steered to {TARGET_MS:g} ms; when it leaves it
is older by half of the time between two of them. No classic datagram was marked, and no scalable one dropped. Rates
in Mbit/s.

{table(streams, rows)}

Waits between kernels include how late programs wake up on a machine with two cores that did other things too.
""",
        encoding="utf-8",
    )
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["send", seconds, *rates]:
            send(float(seconds), [float(rate) for rate in rates])
        case ["receive", server]:
            receive(server)
        case _:
            main()

"""Downloads over a lossy link: `windward get` beside curl and aria2, one after the other, over `windward link`.

    python evidence/benches/transfer/bench.py --write evidence/measured/benchmarks/downloads.md

The link is a droptail queue of one bandwidth-delay product; loss is random, towards the receiver, behind the queue. The
server is an unmodified nginx at the link's other end, whose congestion control the link chooses. The rate is the file's
length over the time from the start of the program to its end. What was measured is kept in --journal, and not measured
again. Needs nginx, curl, aria2c and what `windward link` needs; takes an hour.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

from behind import behind, measured, parser, rival, say

from windward import __version__

RATE_BPS = 10_000_000
#: Where `windward link` puts its servers, and the ports of ours.
SERVER, WEB, FLOW = "100.64.0.1", 8080, 8081
#: Runs of a case at most, and of what is measured over the loopback.
TRIES, RUNS = 3, 9
#: Runs of ours without a rival, whose number of connections depends on chance.
REPEATS = 3
#: What two TCPs get of a link depends on where in its sawtooth the first is when the second comes: means over these.
LEADS = (5.0, 6.5, 8.0)
#: The programs, and the command that brings a URL into the current folder.
WINDWARD = [sys.executable, "-m", "windward", "get", "-q", "-f"]
ARIA2 = ["aria2c", "-q", "-k1M", "--allow-overwrite=true", "--file-allocation=none"]
PROGRAMS = {
    "windward get": WINDWARD,
    "windward get --law emultcp": [*WINDWARD, "--law", "emultcp"],
    "curl": ["curl", "-sfO"],
    **{f"aria2c -x{n}": [*ARIA2, f"-x{n}", f"-s{n}"] for n in (1, 4, 8, 16)},
}
#: MB for programs of one connection, or nearly one, which are slow where packets are lost.
SLOW = {"windward get --law emultcp": 10, "curl": 3, "aria2c -x1": 3, "aria2c -x4": 10}


@dataclass(frozen=True)
class Case:
    """Parameters of one measurement."""

    program: str
    law: str = "cubic"
    loss: str = "0"
    rtt_ms: int = 100
    #: Seconds that a competing flow of CUBIC has the link to itself before; without any if 0.
    lead_s: float = 0
    #: Of ours without a rival, which run it is.
    repeat: int = 0

    @property
    def size(self) -> int:
        """MB."""
        if self.lead_s:
            return 30
        return SLOW.get(self.program, 50) if self.loss != "0" and self.law == "cubic" else 50


@dataclass(frozen=True)
class Outcome:
    """Result of one measurement; rates in Mbit/s."""

    goodput: float
    rival: float
    queue_ms: float
    is_realtime: bool


CASES = [
    *(Case(program, loss=loss) for loss in ("0", "1%", "2%", "4%") for program in PROGRAMS),
    *(Case(program, lead_s=lead) for program in PROGRAMS for lead in LEADS),
    *(Case(program, "bbr", loss) for loss in ("0", "4%") for program in ("windward get", "curl")),
    *(Case(program, "bbr", lead_s=lead) for program in ("windward get", "curl") for lead in LEADS),
    *(Case("windward get", loss=loss, rtt_ms=20) for loss in ("0", "1%")),
]


def runs(case: Case) -> list[Case]:
    """A case as often as it is measured."""
    count = REPEATS if case.program == "windward get" and not case.lead_s else 1
    return [replace(case, repeat=repeat) for repeat in range(count)]


def attempt(case: Case) -> Outcome:
    """Runs a program behind a link."""
    buffer = RATE_BPS * case.rtt_ms // 8000
    options = [
        *("--rate", f"{RATE_BPS // 1_000_000}mbit", "--delay", f"{case.rtt_ms // 2}ms"),
        *("--buffer", f"{buffer}B", "--loss", f"{case.loss},0"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        run = [case.program, str(case.size), str(case.lead_s)]
        found = behind(
            Path(folder), __file__, options, run, congestion=case.law, megabytes=case.size, seed=case.repeat + 1
        )
        return Outcome(**found)


def serve(folder: Path) -> None:
    """The link's other end: nginx, whose congestion control is the host's, and an endless CUBIC flow."""
    listener = socket.create_server((SERVER, FLOW))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    threading.Thread(target=flow, args=(listener,), daemon=True).start()
    subprocess.run(["nginx", "-c", str(configure(folder, f"{SERVER}:{WEB}"))], check=True)


def configure(folder: Path, address: str) -> Path:
    """A configuration of nginx that gives the files."""
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.geteuid() == 0 else ""
    path = folder / "nginx.conf"
    path.write_text(
        f"daemon off; {user} pid {folder}/nginx.pid; error_log stderr; events {{ }}\n"
        f"http {{ access_log off; sendfile on; {temporary} server {{ listen {address}; root {folder}/files; }} }}\n"
    )
    return path


def flow(listener: socket.socket) -> None:
    """Sends until the receiver closes."""
    block = bytes(1 << 16)
    while True:
        peer, _ = listener.accept()
        try:
            while True:
                peer.sendall(block)
        except OSError:
            peer.close()


def run(program: str, megabytes: int, outcome: Path, lead_s: float) -> None:
    """The near side of the link: the program, timed, and what a rival receives meanwhile."""
    heard = rival((SERVER, FLOW), lead_s)
    before, begun = heard(), time.monotonic()
    subprocess.run([*PROGRAMS[program], f"http://{SERVER}:{WEB}/file"], check=True)
    seconds, brought = time.monotonic() - begun, heard() - before
    outcome.write_text(json.dumps({"goodput": megabytes * 8 / seconds, "rival": brought * 8e-6 / seconds}))


@dataclass(frozen=True)
class Cost:
    """Elapsed time, CPU time and memory of one run of a program."""

    seconds: float
    cpu_s: float
    memory_mb: float


def cost(command: list[str], place: Path) -> Cost:
    """Runs a command in a folder."""
    surroundings = os.environ | {"XDG_CACHE_HOME": str(place)}
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=place, stderr=subprocess.DEVNULL, env=surroundings)
    memory_kb = 0
    while True:
        # Not of `wait4`, which counts what this process had when it forked.
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                memory_kb = max(memory_kb, int(line.split()[1]))
        ended, _, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            return Cost(time.monotonic() - begun, usage.ru_utime + usage.ru_stime, memory_kb / 1024)
        time.sleep(0.005)


def costs(folder: Path) -> str:
    """Start-up time, CPU load, memory and rate of `windward get` over the loopback, as rows of a table."""
    (folder / "files").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    start = min(cost([*WINDWARD, f"http://127.0.0.1:{port}/x"], folder).seconds for _ in range(RUNS))
    for size in (50, 1000):
        with (folder / "files" / f"{size}M").open("wb") as file:
            file.truncate(size * 1_000_000)
    nginx = subprocess.Popen(["nginx", "-c", str(configure(folder, f"127.0.0.1:{port}"))])
    try:
        time.sleep(1)
        url = f"http://127.0.0.1:{port}/"
        paced = cost([*WINDWARD, "-n", "16", "--limit-rate", f"{12_500_000 / 1024:.0f}K", f"{url}50M"], folder)
        ours = [cost([*WINDWARD, "-n", "1", f"{url}1000M"], folder) for _ in range(RUNS)]
        theirs = [cost([*PROGRAMS["curl"], f"{url}1000M"], folder) for _ in range(RUNS)]
    finally:
        nginx.terminate()
        nginx.wait()
    fast, peer = (min(cost.seconds for cost in costs) for costs in (ours, theirs))
    memory = max(cost.memory_mb for cost in (paced, *ours))
    return f"""\
| from the command to the first packet | {1000 * start:.0f} ms, best of {RUNS} |
| processor at 100 Mbit/s, 16 connections, 50 MB | {100 * paced.cpu_s / paced.seconds:.1f} % of a core, with its start |
| most memory, 50 MB or 1 GB | {memory:.0f} MB |
| 1 GB, one connection, from start to end | {8 / fast:.1f} Gbit/s, curl {8 / peer:.1f}; best of {RUNS} |"""


def page(outcomes: dict[Case, Outcome], costs: str) -> str:
    """The page."""

    def cell(case: Case) -> str:
        found = [outcomes[run] for run in runs(case)]
        mark = "" if all(outcome.is_realtime for outcome in found) else " †"
        goodput, queue = (statistics.mean(each) for each in zip(*((o.goodput, o.queue_ms) for o in found), strict=True))
        return f"{goodput:.2f} ({queue:.0f}){mark}"

    def rival(program: str, law: str = "cubic") -> str:
        shared = [outcomes[Case(program, law, lead_s=lead)] for lead in LEADS]
        ours, theirs = (outcome.goodput for outcome in shared), (outcome.rival for outcome in shared)
        return f"{statistics.mean(ours):.1f} / {statistics.mean(theirs):.1f}"

    lossy = ("0", "1%", "2%", "4%")
    rows = [
        f"| `{program}` | {' | '.join(cell(Case(program, loss=loss)) for loss in lossy)} | {rival(program)} |"
        for program in PROGRAMS
    ]
    bbr = [
        f"| `{program}` | {cell(Case(program, 'bbr'))} | {cell(Case(program, 'bbr', '4%'))} | {rival(program, 'bbr')} |"
        for program in ("windward get", "curl")
    ]
    short = " and ".join(cell(Case("windward get", loss=loss, rtt_ms=20)) for loss in ("0", "1%"))
    is_late = not all(outcome.is_realtime for outcome in outcomes.values())
    marked = "\n† The machine was too busy to keep the link's time.\n" if is_late else ""
    programs = f"{version('curl')} and {version('aria2c')}, from {version('nginx')}"
    machine = f"Linux {platform.release()}, {os.cpu_count()} cores"
    return f"""\
# Downloads over a lossy link, measured

`windward get` {__version__} beside {programs}; {machine}. By
`python evidence/benches/transfer/bench.py --write evidence/measured/benchmarks/downloads.md`, which says how; figures
of `windward get` alone are means of {REPEATS} runs, those of shared links of {len(LEADS)}, others of one run.

Link: 10 Mbit/s, RTT 100 ms, a droptail queue of one bandwidth-delay product (125 kB), random loss behind it. The tables
have the goodput in Mbit/s of a file of 50 MB (of 3 or 10 MB where a program is slow), from the program's start to its
end. The link's mean queueing delay in ms is in brackets. The last column has a file of 30 MB without loss: the rates of
the download and of a CUBIC flow that started before it, means over {len(LEADS)} head starts.

Without loss one connection has a queue of 70 ms or of 10, as CUBIC's slow start overshoots or leaves early (HyStart).

**Server with CUBIC**

| | 0 % | 1 % | 2 % | 4 % | download / rival, 0 % |
|---|---|---|---|---|---|
{chr(10).join(rows)}

**Server with BBR**, which fills a lossy link by one connection

| | 0 % | 4 % | download / rival, 0 % |
|---|---|---|---|
{chr(10).join(bbr)}

**RTT 20 ms**, loss 0 and 1 %, CUBIC: {short}.
{marked}
**What it costs**, over the loopback

| | |
|---|---|
{costs}
"""


def version(program: str) -> str:
    """A program and its version."""
    option = "-v" if program == "nginx" else "--version"
    result = subprocess.run([program, option], capture_output=True, text=True, check=True)
    words = (result.stdout + result.stderr).replace("version", " ").replace(":", " ").replace("/", " ").split()
    return f"{program} {next(word for word in words if word[0].isdigit())}"


def main() -> None:
    """The command line; `serve` and `run` are for the two ends of the link."""
    if sys.argv[1:2] == ["serve"]:
        return serve(Path(sys.argv[2]))
    if sys.argv[1:2] == ["run"]:
        return run(sys.argv[3], int(sys.argv[4]), Path(sys.argv[2]), float(sys.argv[5]))
    arguments = parser(__doc__, "results/downloads.jsonl").parse_args()
    missing = [program for program in ("nginx", "curl", "aria2c") if not shutil.which(program)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        return None
    tasks = [run for case in CASES for run in runs(case)]
    outcomes = measured(tasks, (Case, Outcome), attempt, arguments.journal, arguments.at_once, TRIES)
    with tempfile.TemporaryDirectory() as folder:
        return say(page(outcomes, costs(Path(folder))), arguments.write)


if __name__ == "__main__":
    main()

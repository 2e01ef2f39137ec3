"""`windward send` over a lossy link, by its law and with fixed numbers of connections, through `windward link`.

    python evidence/benches/transfer/sends.py --write evidence/measured/benchmarks/uploads.md

The link is that of bench.py: 10 Mbit/s and 100 ms, a drop-tail queue of one bandwidth-delay product, random loss behind
it, of the file's packets alone or both ways. Senders have CUBIC, or BBR. Needs root and what `windward link`
needs.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from behind import measured, parser, say
from bench import RATE_BPS, SERVER, TRIES

from windward import __version__

RTT_MS, TOKEN = 100, "a-token-of-the-bench"
#: Runs of the law, whose number of connections depends on chance.
REPEATS = 3
SENDS = {"windward send": [], "-n 1": ["-n1"], "-n 16": ["-n16"]}
LOSSES = ("0", "1%", "2%", "4%")
#: What is lost, and the senders' law.
CASES = [("of the file's packets", "cubic"), ("both ways", "cubic"), ("of the file's packets", "bbr")]
WAYS = {"of the file's packets": "0,{}", "both ways": "{},{}"}


@dataclass(frozen=True)
class Task:
    """An upload."""

    program: str
    loss: str
    way: str
    law: str
    repeat: int

    @property
    def size(self) -> int:
        """MB: one connection is slow where packets are lost."""
        return 3 if self.program == "-n 1" and self.loss != "0" and self.law == "cubic" else 30


@dataclass(frozen=True)
class Outcome:
    """Result of one upload."""

    goodput_mbps: float
    queue_ms: float
    connections: int
    is_realtime: bool


#: Laws that a namespace of the link may choose for itself.
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


@contextmanager
def allowed() -> Iterator[None]:
    """CUBIC may be chosen behind the link; afterwards what could be before. Needs root."""
    before = ALLOWED.read_text()
    ALLOWED.write_text(" ".join({*before.split(), *(law for _, law in CASES)}))
    try:
        yield
    finally:
        ALLOWED.write_text(before)


@contextmanager
def server(folder: Path) -> Iterator[int]:
    """`windward serve` on the loopback, which the link's other end leads to; its port."""
    command = [sys.executable, "-m", "windward", "serve", str(folder), "--upload", "--token", TOKEN, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if "http://127.0.0.1:" in line:
                yield int(line.split("http://127.0.0.1:")[1].split("/")[0])
                return
        raise RuntimeError("windward serve did not begin")
    finally:
        process.terminate()
        process.wait()


def attempt(task: Task) -> Outcome:
    """One upload, without a memory of former ones."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        taken, file, report, said = folder / "taken", folder / "file", folder / "report.json", folder / "said"
        taken.mkdir()
        file.write_bytes(os.urandom(task.size * 1_000_000))
        with server(taken) as port, said.open("w") as out:
            send = [
                *(
                    sys.executable,
                    "-m",
                    "windward",
                    "send",
                    str(file),
                    f"{SERVER}:{port}",
                    "--token",
                    TOKEN,
                    "--insecure",
                ),
                *("--json", *SENDS[task.program]),
            ]
            loss = WAYS[task.way].format(task.loss, task.loss)
            # The near side's namespace is the link's own.
            near = f"echo {task.law} > /proc/sys/net/ipv4/tcp_congestion_control && exec {shlex.join(send)}"
            link = [
                *(sys.executable, "-m", "windward", "link", "--rate", f"{RATE_BPS // 1_000_000}mbit"),
                *("--delay", f"{RTT_MS // 2}ms", "--buffer", f"{RATE_BPS * RTT_MS // 8000}B"),
                *("--loss", loss, "--seed", str(task.repeat + 1), "--report", str(report), "--", "sh", "-c", near),
            ]
            begun = time.monotonic()
            subprocess.run(link, check=True, stdout=out, env=os.environ | {"XDG_CACHE_HOME": str(folder)})
            seconds = time.monotonic() - begun
        found = json.loads(report.read_text())
        most = max(json.loads(line).get("connections", 0) for line in said.read_text().splitlines() if line[:1] == "{")
        return Outcome(
            task.size * 8 / seconds,
            found["up"]["mean_queue_delay_s"] * 1000,
            most,
            found["quality"]["problem"] is None,
        )


def page(found: dict[Task, Outcome]) -> str:
    """The page."""

    def cell(program: str, loss: str, way: str, law: str) -> str:
        case = (program, loss, way, law)
        runs = [run for task, run in found.items() if (task.program, task.loss, task.way, task.law) == case]
        if not runs:
            return ""
        mark = "" if all(run.is_realtime for run in runs) else " †"
        goodput, queue = statistics.mean(r.goodput_mbps for r in runs), statistics.mean(r.queue_ms for r in runs)
        return f"{goodput:.2f} ({queue:.0f}, {max(r.connections for r in runs)}){mark}"

    tables = []
    for way, law in CASES:
        losses = sorted({task.loss for task in found if (task.way, task.law) == (way, law)})
        rows = [
            f"| `{program}` | {' | '.join(cell(program, loss, way, law) for loss in losses)} |" for program in SENDS
        ]
        heads = " | ".join(loss.replace("%", " %") if loss != "0" else "0 %" for loss in losses)
        tables.append(
            f"**{law.upper()}, loss {way}**\n\n| | {heads} |\n|---|{'---|' * len(losses)}\n" + "\n".join(rows)
        )
    is_late = not all(outcome.is_realtime for outcome in found.values())
    marked = "\n† The machine was too busy to keep the link's time.\n" if is_late else ""
    return f"""\
# Uploads over a lossy link, measured

`windward send` {__version__} to `windward serve --upload`; Linux {platform.release()}. By

    python evidence/benches/transfer/sends.py --write evidence/measured/benchmarks/uploads.md

which says how; figures of the law are means of {REPEATS} runs, others of one run. Link: 10 Mbit/s, RTT 100 ms, a
drop-tail queue of one bandwidth-delay product (125 kB), random loss behind it. The tables have the goodput in Mbit/s of
a file of 30 MB (of 3 MB over one connection where packets are lost), from the program's start to its end. Reading the
file and setting up the link (a third of a second) are included. In brackets: the link's mean queueing delay in ms, and
the maximum number of connections.

{(chr(10) * 2).join(tables)}
{marked}"""


def main() -> None:
    """The command line."""
    arguments = parser(__doc__, "results/uploads.jsonl").parse_args()
    tasks = [
        Task(program, loss, way, law, repeat)
        for way, law in CASES
        for loss in (("0", "4%") if law == "bbr" else LOSSES)
        for program in SENDS
        for repeat in range(REPEATS if program == "windward send" else 1)
        # Without loss both ways are one.
        if loss != "0" or way == "of the file's packets"
    ]
    with allowed():
        found = measured(tasks, (Task, Outcome), attempt, arguments.journal, arguments.at_once, TRIES)
    say(page(found), arguments.write)


if __name__ == "__main__":
    main()

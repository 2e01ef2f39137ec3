"""Holds the emulator to iperf3, ping and the simulator, and writes evidence/measured/validation/emulation.md.

python evidence/benches/emulate/validate.py [--seeds 5]; as root, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from defaults import CLOSE, OPEN
from networks import crowd
from page import between, interval, table

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "emulation.md"
WINDWARD = Path(sys.executable).with_name("windward")

#: Mbit/s of the links, and packets that wait in them: a tenth of a second at the first two.
RATES = ((1, 20), (10, 83), (100, 834))
LAWS = ("reno", "cubic", "bbr")
DELAY_MS = 20
#: Of a packet of 1500 bytes, data.
SHARE = 1448 / 1500
SECONDS = 15
#: Flows side by side under random loss.
CROWD, LOSS = 20, 0.01


def behind(command: str, *options: str) -> tuple[str, dict[str, Any]]:
    """Runs a shell command behind a link; what it printed, and the link's report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        words = [WINDWARD, "link", *options, "--report", report, "--", "sh", "-c", command]
        run = subprocess.run([*map(str, words)], capture_output=True, text=True, check=True, timeout=300)
        return run.stdout, json.loads(report.read_text())


def goodput(rate: int, buffer: int, law: str) -> list[str]:
    """iperf3 through a link: Mbit/s of data towards the command, without the first 5 s."""
    link = ("--rate", f"{rate}mbit", "--delay", f"{DELAY_MS}ms", "--buffer", str(buffer))
    iperf = f"iperf3 -c $WINDWARD_SERVER -R -J -O 5 -t {SECONDS} -C {law}"
    out, report = behind(iperf, *link, "--server", "iperf3 -s -1")
    measured = json.loads(out)["end"]["sum_received"]["bits_per_second"] / 1e6
    quality = report["quality"]
    late = f"{quality['late_p99_s'] * 1e6:.0f} µs"
    return [f"{rate} Mbit/s", law, f"{measured:.3f}", f"{rate * SHARE:.3f}", f"{measured / rate / SHARE:.3f}", late]


def delay(milliseconds: int) -> list[str]:
    """Median of 200 pings through a link of 1 Gbit/s."""
    ping = "ping -n -q -c 200 -i 0.01 $WINDWARD_SERVER > /dev/null; ping -n -c 200 -i 0.01 $WINDWARD_SERVER"
    out, _ = behind(ping, "--rate", "1gbit", "--delay", f"{milliseconds}ms")
    times = pd.Series([float(time) for time in re.findall(r"time=([0-9.]+)", out)])
    extra = times - 2 * milliseconds
    return [f"2 × {milliseconds} ms", f"{times.median():.3f} ms", *(f"{extra.quantile(q):.3f}" for q in (0.5, 0.99))]


def loss(percent: int) -> list[str]:
    """20 000 datagrams towards the command."""
    count = 20_000
    receive = (
        "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(1)\n"
        "n = 0; s.sendto(b'go', ('$S', 9000))\n"
        "try:\n  while True: n += s.recv(100) == b'x'\nexcept TimeoutError: print(n)"
    ).replace("$S", "100.64.0.1")
    send = (
        "import socket, time; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(('', 9000)); a = s.recvfrom(9)[1]\n"
        f"for n in range({count}):\n  s.sendto(b'x', a)\n  if n % 20 == 0: time.sleep(0.001)\ntime.sleep(9)"
    )
    server = f'{sys.executable} -c "{send}"'
    out, _ = behind(
        f'{sys.executable} -c "{receive}"', "--rate", "100mbit", "--loss", f"{percent}%,0", "--server", server
    )
    lost = count - int(out)
    expected, deviation = count * percent / 100, (count * percent / 100 * (1 - percent / 100)) ** 0.5
    return [f"{percent} %", str(lost), f"{expected:.0f} ± {deviation:.0f}", f"{(lost - expected) / deviation:+.1f} σ"]


def beside(simulated: ww.Run, emulated: ww.Run) -> list[list[str]]:
    """Goodput and RTT of every flow both ways."""
    rows = []
    for name, ours in simulated.flows.groupby("flow", sort=False):
        theirs = emulated.flows[emulated.flows["flow"] == name]
        cells = [str(name)]
        for column, scale, unit in (("goodput_bps", 1e-6, "Mbit/s"), ("mean_rtt_s", 1e3, "ms")):
            (mine, mine_error), (real, real_error) = (mean_and_interval(f[column] * scale) for f in (ours, theirs))
            cells += [interval(mine, mine_error, unit), interval(real, real_error, unit)]
            if column == "goodput_bps":
                cells.append(f"**{real / mine:.3f}**")
        rows.append(cells)
    return rows


def lossy(name: str, law: Any, linux: Any) -> list[str]:
    """Goodput under random loss: the law simulated, the same as Linux computes it, the kernel."""
    runs = [
        crowd(law, LOSS, CROWD).simulate(seeds=6),
        crowd(linux, LOSS, CROWD).simulate(seeds=6) if linux else None,
        crowd(law, LOSS, CROWD).emulate(seeds=2),
    ]
    means = [mean_and_interval(run.flows["goodput_bps"] / 1e6) if run else None for run in runs]
    ours, imitated, real = means
    assert ours is not None
    assert real is not None
    cells = [interval(*mean, "Mbit/s") if mean else "–" for mean in means]
    explained = f"{real[0] / imitated[0]:.3f}" if imitated else "–"
    return [name, cells[0], cells[2], f"**{real[0] / ours[0]:.3f}**", cells[1], explained]


def backlog(run: ww.Run, law: str) -> list[str]:
    """Packets in the queue of the two flows of a law, and Jain's index of their rates."""
    station = {"quic-tcp": "air-1", "fast": "air-2"}[law]
    queue, _ = mean_and_interval(run.links[run.links["link"] == station]["mean_backlog"])
    flows = run.flows[run.flows["law"] == law].groupby("flow")["goodput_bps"].mean()
    return [law, run.engine, f"{queue:.1f}", f"{flows.min() / 1e6:.2f}, {flows.max() / 1e6:.2f}"]


def told(title: str, rows: list[list[str]]) -> list[list[str]]:
    print(title, *map(str, rows), sep="\n  ", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="repeats of each emulation of a minute and more")
    seeds = parser.parse_args().seeds
    missing = [tool for tool in ("iperf3", "ping") if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing:
        raise SystemExit(f"needs root, iperf3 and ping; missing: {', '.join(missing) or 'root'}")
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    laws = [law for law in LAWS if law in available]
    rates = told("goodput", [goodput(rate, buffer, law) for rate, buffer in RATES for law in laws])
    delays = told("delay", [delay(milliseconds) for milliseconds in (1, 10, 50)])
    losses = told("loss", [loss(percent) for percent in (1, 10)])
    kernels = ww.load(ROOT / "scenarios" / "kernels.toml")
    simulated, emulated = kernels.simulate(seeds=20), kernels.emulate(seeds=seeds)
    flows = told("kernels", beside(simulated, emulated))
    backlogs = told("backlogs", [backlog(run, law) for law in ("quic-tcp", "fast") for run in (simulated, emulated)])
    crowds = told(
        "loss",
        [
            lossy("reno", ww.Reno(), None),
            lossy("cubic", ww.Cubic(hystart=True), ww.Cubic(version="linux", hystart=True)),
        ],
    )
    cell = ww.load(ROOT / "evidence" / "papers" / "huang2020" / "access-point-short.toml")
    stations = told("cell", beside(cell.simulate(seeds=seeds), real_cell := cell.emulate(seeds=seeds)))
    timing = pd.concat([emulated.timing, real_cell.timing])
    late = {what: timing[f"late_{what}_s"].max() * 1e3 for what in ("p50", "p99", "max")}
    trust = [*emulated.problems, *real_cell.problems] or ["every run was in time"]
    both = ["simulated", "kernel", "ratio", "RTT simulated", "RTT kernel"]
    PAGE.write_text(
        f"""# Emulation beside iperf3, ping and the simulator

<!-- Generated: make validate WHAT=emulation -->

Linux {platform.release()}, {os.cpu_count()} processors. How the emulator works, and what it cannot do:
[emulation](../../../docs/guides/emulation.md).

## Links

Goodput of iperf3 towards the command in Mbit/s, {DELAY_MS} ms each way, {SECONDS} s after 5 s that do not count. The
most that TCP can carry is 1448 of 1500 bytes.

{table(["link", "law", "goodput", "most", "ratio", "lateness p99"], rates)}

Round trips of 200 pings on 1 Gbit/s.

{table(["delay", "median", "beyond, median (ms)", "beyond, 99 % (ms)"], delays)}

20 000 datagrams.

{table(["loss", "lost", "expected", "off by"], losses)}

## The simulator's flows and the kernel's

`scenarios/kernels.toml`: 60 s of which 50 count; 20 seeds simulated, {seeds} emulated; 95 % confidence intervals.

{table(["flow", *both], flows)}

Two flows with base round trips of 20 and 60 ms and a backlog of 10 packets each: 20 in the queue, and equal rates, says
the theory.

{table(["law", "engine", "packets in the queue", "least and greatest rate (Mbit/s)"], backlogs)}

Remaining differences: the kernel's minimum RTT includes the handshake, whose packets take 1.1 ms less than
a segment to transmit at 10 Mbit/s. Its flows therefore keep about half a packet less in the queue. Its
windows are whole packets. The
mean RTT is that of the smoothed estimate at each sample there, of every sample here.

Under random loss a minute says little; {CROWD} flows of the same kind side by side, 10 Mbit/s, 2 × 50 ms, 1 % loss, six
seeds simulated and two emulated:

{table(["law", "simulated", "kernel", "ratio", 'simulated with `version = "linux"`', "ratio"], crowds)}

Linux computes CUBIC in whole packets, which it cuts, and by RFC 8312; Windward's law is RFC 9438 in real numbers. At a
window of twelve packets that is most of the difference: `version = "linux"` is Linux's arithmetic, the last columns. In
what is left, and for Reno, Linux gains a little by detecting lost retransmissions by time (RACK-TLP). The
simulator's `stack = "rfc"` waits for the timer; `stack = "linux"` is [laid beside Linux](linux-stack.md) too.

{between(PAGE, OPEN, CLOSE)}
## The cell of huang2020

`evidence/papers/huang2020/access-point-short.toml`: four namespaces as stations, QUIC-TCP in the kernel, the
queueing-delay scheduler over the same fading channels seed by seed; 90 s of which 60 count, {seeds} seeds.

{table(["flow", *both], stations)}

## Timing

Lateness of packets in the emulations above, the worst of all seeds: median {late["p50"]:.4f} ms, 99 %
{late["p99"]:.3f} ms, greatest {late["max"]:.1f} ms. By seed: {"; ".join(trust)}.
""",
        encoding="utf-8",
    )
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

"""Capacity of the emulator: iperf3 over links of rising rate, and the lateness of packets.

python evidence/benches/emulate/bench.py; writes evidence/measured/benchmarks/emulation.md. Needs iperf3. Measures
mahimahi's mm-link for comparison where it is installed.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "emulation.md"
WINDWARD = Path(sys.executable).with_name("windward")
#: Mbit/s of the links.
RATES = (10, 100, 500, 1000, 2000, 5000)
DELAY_MS = 5
SECONDS = 8
IPERF = f"iperf3 -R -J -O 2 -t {SECONDS} -C cubic"


def buffer(rate: int) -> int:
    """A product of bandwidth and delay in packets, and 50 for the bursts of hosts."""
    return 50 + int(rate * 1e6 * 2 * DELAY_MS / 1000 / 12000)


def received(text: str) -> float:
    """Throughput at iperf3's receiver, in Mbit/s."""
    return float(json.loads(text)["end"]["sum_received"]["bits_per_second"] / 1e6)


def windward(rate: int) -> tuple[float, dict[str, Any]]:
    """Goodput through a link of ours in Mbit/s, and the link's report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        link = ["--rate", f"{rate}mbit", "--delay", f"{DELAY_MS}ms", "--buffer", str(buffer(rate))]
        words = [WINDWARD, "link", *link, "--server", "iperf3 -s -1", "--report", report, "--", "sh", "-c"]
        run = subprocess.run(
            [*map(str, words), f"{IPERF} -c $WINDWARD_SERVER"], capture_output=True, text=True, check=True, timeout=120
        )
        return received(run.stdout), json.loads(report.read_text())


def mahimahi(rate: int) -> float:
    """Goodput in Mbit/s through mm-delay and mm-link; each line of a trace is a delivery of 1500 bytes."""
    user = os.environ.get("SUDO_USER") or "nobody"
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        Path(folder).chmod(0o755)
        trace.write_text("".join(f"{1 + n * 12 // rate}\n" for n in range(rate * 1000 // 12)))
        queue = f"--uplink-queue=droptail --downlink-queue=droptail --downlink-queue-args=packets={buffer(rate)}"
        link = f"mm-delay {DELAY_MS} mm-link {trace} {trace} {queue} --uplink-queue-args=packets={buffer(rate)}"
        server = subprocess.Popen(["iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
        try:
            command = f"{link} -- sh -c '{IPERF} -c $MAHIMAHI_BASE'"
            run = subprocess.run(
                ["su", user, "-s", "/bin/sh", "-c", command], capture_output=True, text=True, timeout=120
            )
            return received(run.stdout)
        finally:
            server.kill()


def main() -> None:
    if shutil.which("iperf3") is None:
        print("emulator: left out: iperf3 is not installed")
        return
    has_mahimahi = shutil.which("mm-link") is not None
    if not has_mahimahi:
        print("mahimahi: left out: mm-link is not installed")
    rows = []
    for rate in RATES:
        goodput, report = windward(rate)
        quality = report["quality"]
        cells = [
            f"{rate} Mbit/s",
            f"{goodput:.1f}",
            f"{goodput / rate / 1448 * 1500:.3f}",
            f"{quality['packets'] / report['seconds'] / 1000:.1f}",
            f"{quality['late_p99_s'] * 1e3:.3f}",
            f"{quality['late_max_s'] * 1e3:.1f}",
            f"{quality['cpu_per_packet_s'] * 1e6:.1f}",
            f"{mahimahi(rate):.1f}" if has_mahimahi else "–",
        ]
        rows.append(f"| {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    peer = "" if has_mahimahi else "\nmahimahi was not measured: its mm-link is not installed here.\n"
    PAGE.write_text(
        f"""# What the emulator holds

<!-- Generated: make bench -->

iperf3 with CUBIC through `windward link`, {DELAY_MS} ms each way, a buffer of a bandwidth-delay product and 50 packets;
{SECONDS} s after 2 s that do not count. Linux {platform.release()}, {os.cpu_count()} processors, which emulator, sender
and receiver share. A result is trusted up to 1 % of packets that leave more than 1 ms late.

| link | goodput (Mbit/s) | of the most | thousand packets a second | lateness 99 % (ms) | greatest (ms) | \
CPU per packet (µs) | mahimahi |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
{peer}
CPU includes what the emulator spins to be in time: up to 30 µs before each packet that it waits for, so a quiet link
costs most for each of its packets. Packets are counted both ways, ACKs too.
""",
        encoding="utf-8",
    )
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()

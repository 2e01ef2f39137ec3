"""`windward get` over a link that loses packets: it sees the link, and opens as many connections as that takes."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest
from conftest import environment, in_time
from test_link import needs_links
from web import noise

#: 6 MB, served at the link's far end; the address is told when it can be used.
SERVE = """
import os, pathlib, subprocess, sys, threading
from web import Server, Site, noise
site = Site(noise(6_000_000))
def behave(request):
    if request.method == "HEAD":
        pathlib.Path("pinged").touch()
    site(request)
subprocess.run(["sysctl", "-qw", "net.ipv4.tcp_timestamps=" + sys.argv[1]], check=True)
with Server(behave, host="100.64.0.1") as server:
    with open("url.new", "w") as file:
        file.write(server.url)
    os.rename("url.new", "url")
    threading.Event().wait()
"""
FETCH = 'until [ -e url ]; do sleep 0.05; done; XDG_CACHE_HOME=cache exec "$0" -m windward get --json "$(cat url)"'


@needs_links
@pytest.mark.realtime
@pytest.mark.parametrize("timestamps", ["1", "0"], ids=["with timestamps", "without"])
def test_a_lossy_link_gets_several_connections(tmp_path: Path, timestamps: str) -> None:
    """One Reno connection would get about 1.2/√0.02 packets in a round trip of 40 ms, an eighth of the link."""
    server = f"PYTHONPATH={Path(__file__).parent} exec {sys.executable} serve.py {timestamps}"
    link = ["--rate", "20mbit", "--delay", "20ms", "--loss", "2%,0", "--congestion", "reno", "--server", server]
    command = [sys.executable, "-m", "windward", "link", *link, "--report", "report.json"]
    command += ["--", "sh", "-c", FETCH, sys.executable]

    def fetch() -> tuple[Path, str]:
        folder = Path(mkdtemp(dir=tmp_path))
        (folder / "serve.py").write_text(SERVE)
        result = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        return folder, result.stdout

    def disturbance(result: tuple[Path, str]) -> object:
        return json.loads((result[0] / "report.json").read_text())["quality"]["problem"]

    folder, printed = in_time(fetch, disturbance)
    assert (folder / "file.bin").read_bytes() == noise(6_000_000)
    events = [json.loads(line) for line in printed.splitlines()]
    samples = [event for event in events if event["event"] == "sample"]
    rtts = [sample["rtt_s"] for sample in samples if sample["rtt_s"] is not None]
    # The kernel knows the RTT by timestamps alone.
    assert (folder / "pinged").exists() == (timestamps == "0")
    # Nothing is faster than light; what is slower by half is more than the kernel's error and a late answer.
    assert rtts
    assert 0.039 < min(rtts) < 0.06
    assert 0.039 < samples[-1]["rtt_min_s"] < 0.06
    assert events[-1]["series"]["connections_max"] > 1

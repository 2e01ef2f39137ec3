"""`windward get` over a link that loses packets: it sees the link, and opens as many connections as that takes."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from conftest import PYTHON, REPOSITORY, environment, in_time
from linked import needs_links
from web import noise

#: So many bytes, served at the link's far end; the address is told when it can be used.
SERVE = """
import os, pathlib, subprocess, sys, threading
from web import Server, Site, noise
site = Site(noise(int(sys.argv[2])))
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
FETCH = 'until [ -e url ]; do sleep 0.05; done; XDG_CACHE_HOME=cache exec "$0" -m windward get --json "$@" "$(cat url)"'


def fetch(
    tmp_path: Path, link: tuple[str, ...], size: int, *options: str, timestamps: str = "1"
) -> tuple[Path, list[dict[str, Any]]]:
    """Downloads `size` bytes through a link from a server with Reno; returns the folder and what was told."""
    server = f"PYTHONPATH='{REPOSITORY / 'tests'}' exec {PYTHON} serve.py {timestamps} {size}"
    command = [sys.executable, "-m", "windward", "link", *link, "--congestion", "reno", "--server", server]
    command += ["--report", "report.json", "--", "sh", "-c", FETCH, sys.executable, *options]

    def attempt() -> tuple[Path, str]:
        folder = Path(mkdtemp(dir=tmp_path))
        (folder / "serve.py").write_text(SERVE)
        result = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        return folder, result.stdout

    folder, printed = in_time(attempt, lambda result: report(result[0])["quality"]["problem"])
    assert (folder / "file.bin").read_bytes() == noise(size)
    return folder, [json.loads(line) for line in printed.splitlines()]


def report(folder: Path) -> dict[str, Any]:
    """Report that the link writes."""
    return dict(json.loads((folder / "report.json").read_text()))


@needs_links
@pytest.mark.realtime
@pytest.mark.parametrize("timestamps", ["1", "0"], ids=["with timestamps", "without"])
def test_a_lossy_link_gets_several_connections(tmp_path: Path, timestamps: str) -> None:
    """One Reno connection would get about 1.2/√0.02 packets in a round trip of 40 ms, an eighth of the link."""
    link = ("--rate", "20mbit", "--delay", "20ms", "--loss", "2%,0")
    folder, events = fetch(tmp_path, link, 6_000_000, timestamps=timestamps)
    samples = [event for event in events if event["event"] == "sample"]
    rtts = [sample["rtt_s"] for sample in samples if sample["rtt_s"] is not None]
    # The kernel knows the RTT by timestamps alone.
    assert (folder / "pinged").exists() == (timestamps == "0")
    # Nothing is faster than light; what is slower by half is more than the kernel's error and a late answer.
    assert rtts
    assert 0.039 < min(rtts) < 0.06
    assert 0.039 < samples[-1]["rtt_min_s"] < 0.06
    assert events[-1]["series"]["connections_max"] > 1


@needs_links
@pytest.mark.realtime
def test_bounded_windows_make_a_shorter_queue(tmp_path: Path) -> None:
    """Without a bound n hunts for a queue of a seventh of the round trip, 14 ms; with one it is 1.5 ms and 1.3 packets.

    A quarter of the time is the start, which has the same queue.
    """
    link = ("--rate", "10mbit", "--delay", "50ms", "--loss", "2%,0", "--buffer", "125000B")
    runs = [fetch(tmp_path, link, 25_000_000, option)[0] for option in ("--bound", "--no-bound")]
    bounded, free = (report(folder)["down"] for folder in runs)
    assert bounded["mean_queue_delay_s"] < 0.7 * free["mean_queue_delay_s"]
    assert bounded["utilization"] > 0.9 * free["utilization"]


@needs_links
@pytest.mark.realtime
def test_probes_cross_the_link(tmp_path: Path) -> None:
    """chen2007 §IV-A between two network namespaces: the far end's own server returns them over its loopback.

    A download of seven seconds: without answers it would say so after three.
    """
    server = f"exec {PYTHON} -m windward serve --probes --json there > url"
    get = '"$0" -m windward get --json --forget --probes -o got http://100.64.0.1:8765/file.bin'
    command = [sys.executable, "-m", "windward", "link", "--rate", "4mbit", "--delay", "40ms"]
    command += ["--report", "report.json", "--server", server, "--"]
    command += ["sh", "-c", f"until [ -s url ]; do sleep 0.05; done; XDG_CACHE_HOME=cache exec {get}", sys.executable]
    content = noise(3_500_000)

    def attempt() -> tuple[Path, str]:
        folder = Path(mkdtemp(dir=tmp_path))
        (folder / "there").mkdir()
        (folder / "there" / "file.bin").write_bytes(content)
        result = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        return folder, result.stdout

    folder, printed = in_time(attempt, lambda result: report(result[0])["quality"]["problem"])
    assert (folder / "got").read_bytes() == content
    events = [json.loads(line) for line in printed.splitlines()]
    assert [event["text"] for event in events if event["event"] == "notice"] == []
    samples = [event for event in events if event["event"] == "sample"]
    assert len([sample for sample in samples if sample["rtt_s"] is not None]) > 10
    assert 0.079 < samples[-1]["rtt_min_s"] < 0.1

"""Captures, read by Wireshark's own dissectors."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import windward as ww


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_reads_captures_without_complaint(scenario_file: Path, tmp_path: Path) -> None:
    run = ww.load(scenario_file).simulate(seeds=[2], output=tmp_path / "out", pcap=True)
    capture = tmp_path / "out" / "seed-2" / "capture.pcapng"
    fields = ["frame.number", "tcp.stream", "tcp.flags.syn", "tcp.len", "_ws.malformed", "tcp.checksum.status"]
    command = ["tshark", "-r", str(capture), "-o", "tcp.check_checksum:TRUE", "-T", "json"]
    command += [part for field in fields for part in ("-e", field)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    packets = [packet["_source"]["layers"] for packet in json.loads(result.stdout)]
    assert not any("_ws.malformed" in packet for packet in packets)
    # 0 is wrong, 1 right; 2 cannot be told, where the payload is not in the capture.
    assert {packet["tcp.checksum.status"][0] for packet in packets if "tcp.checksum.status" in packet} <= {"1", "2"}
    streams = {packet["tcp.stream"][0] for packet in packets if "tcp.stream" in packet}
    assert len(streams) == 3
    # Each data segment is seen once: as many as were sent, before the warm-up too.
    data = sum(1 for packet in packets if int(packet.get("tcp.len", ["0"])[0]) > 0)
    assert data >= run.flows["segments_sent"].sum()


def test_a_capture_that_cannot_be_written_is_an_error(scenario_file: Path) -> None:
    from windward import _engine
    from windward._format.parse import parse

    job = _engine.Job(
        parse(scenario_file),
        seeds=[1],
        threads=1,
        law=lambda name, parameters: object(),
        scheduler=lambda *_: object(),
        rule=lambda *_: object(),
    )
    job.start(str(scenario_file.parent / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"seed-1\.pcapng"):
        job.wait(60.0)

"""`windward get`: what a download does, and which version of a file it brings."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Get
from web import (
    LENGTH,
    MODIFIED,
    Request,
    Server,
    Site,
    broken_after,
    noise,
    nothing_but,
    overlap,
)

from windward._cli.get import progress


def test_each_byte_is_asked_for_once(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as server:
        result = get(server.url, "-n", "1", "--checksum", site.checksum)
    assert (result.returncode, result.stderr) == (0, "")
    assert "checksum OK" in result.stdout
    assert (folder / "file.bin").read_bytes() == site.content
    assert nothing_but(folder, "file.bin")
    assert server.peak == 1
    assert overlap([part for request in server.gets if (part := request.range)]) == 0
    # All but the first, which learns the validator, insist on it.
    assert [request.fields.get("if-range") for request in server.gets].count('"1"') == len(server.gets) - 1
    assert all(request.fields["accept-encoding"] == "identity" for request in server.requests)


def test_several_connections_bring_one_file(get: Get, folder: Path, site: Site) -> None:
    with Server(site) as server:
        assert get(server.url, "-n", "4", "--limit-rate", "6M").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert server.peak == 4
    # Only the end game asks for bytes twice: what one connection has asked for last, another one takes over.
    assert overlap(server.parts) < LENGTH / 4


@pytest.mark.parametrize("length", [0, 1, 65536, 262144, 262145])
def test_any_length(get: Get, folder: Path, length: int) -> None:
    site = Site(noise(length))
    with Server(site) as server:
        assert get(server.url).returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content


def test_several_files_in_turn(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if "missing" in request.target:
            request.reply(404)
        else:
            site(request)

    with Server(behave) as server:
        base = server.url.removesuffix("file.bin")
        result = get(f"{base}missing", f"{base}a", f"{base}b%20c?x=/d", "-d", "there")
    assert result.returncode == 4
    assert "404" in result.stderr
    assert all((folder / "there" / name).read_bytes() == site.content for name in ("a", "b c"))


def test_the_series_is_json(get: Get, site: Site) -> None:
    with Server(site) as server:
        result = get(server.url, "--json", "--limit-rate", "3M")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert (events[0]["event"], events[-1]["event"]) == ("begin", "end")
    assert events[0]["length_bytes"] == events[-1]["length_bytes"] == LENGTH
    samples = [event for event in events if event["event"] == "sample"]
    received = [sample["received_bytes"] for sample in samples]
    assert len(samples) > 1
    assert received == sorted(received)
    assert {"time_s", "rate_bps", "connections", "wanted", "rtt_s", "rtt_min_s", "queue_s"} <= samples[0].keys()


def test_without_a_terminal_there_is_no_progress(get: Get, site: Site) -> None:
    with Server(site) as server:
        assert get(server.url, "-q").stdout == ""
        result = get(server.url, "--replace")
    assert result.stdout.startswith("file.bin: 3.0 MB in ")
    assert result.stderr == ""


def test_a_terminal_shows_how_it_goes(folder: Path, surroundings: dict[str, str], site: Site) -> None:
    ours, theirs = pty.openpty()
    with Server(site) as server:
        command = [sys.executable, "-m", "windward", "get", "--limit-rate", "4M", "-n", "2", server.url]
        result = subprocess.run(
            command, cwd=folder, env=surroundings, stdout=subprocess.PIPE, stderr=theirs, text=True, check=True
        )
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    *lines, last = shown.split("\r\x1b[K")
    # The line is written over, and gone in the end.
    assert last == ""
    assert re.fullmatch(r"file\.bin  \d+ % of 3\.0 MB  [\d.]+ Mbit/s  [\d.]+ s left  n 2.*", lines[1])
    assert result.stdout.startswith("file.bin: 3.0 MB in ")


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        (
            {
                "length_bytes": 5_000_000,
                "received_bytes": 4_999_999,
                "rate_bps": 12e6,
                "remaining_s": 75.4,
                "connections": 7,
            }
            | {"rtt_s": 0.1042, "queue_s": 0.0034},
            "x  99 % of 5.0 MB  12.0 Mbit/s  1:15 left  n 7  RTT 104 ms  queue 3 ms",
        ),
        (
            {"length_bytes": None, "received_bytes": 1500, "rate_bps": 2.5e9, "remaining_s": None, "connections": 1}
            | {"rtt_s": None, "queue_s": None},
            "x  1.5 kB  2.50 Gbit/s  n 1",
        ),
    ],
)
def test_the_line_says_what_is_known(sample: dict[str, float | None], line: str) -> None:
    assert progress("x", sample) == line


def test_it_starts_without_what_simulations_need() -> None:
    code = (
        "import sys, windward._cli.get; "
        "print(*sorted({'numpy', 'pandas', 'matplotlib', 'rich', 'windward.format'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


def test_a_file_that_changes_is_begun_anew(get: Get, folder: Path) -> None:
    old, new = Site(noise(LENGTH, 1), '"old"'), Site(noise(LENGTH, 2), '"new"')
    with Server(lambda request: (old if request.number <= 4 else new)(request)) as server:
        result = get(server.url, "-n", "3")
    assert result.returncode == 0
    assert "changed on the server" in result.stderr
    assert (folder / "file.bin").read_bytes() == new.content


def test_parts_of_another_version_are_never_mixed_in(get: Get, folder: Path) -> None:
    """The server ignores If-Range and gives parts of whatever it has."""
    sites = [Site(noise(LENGTH, seed), f'"{seed}"') for seed in range(2)]

    def behave(request: Request) -> None:
        request.fields.pop("if-range", None)
        sites[request.number % 2](request)

    with Server(behave) as server:
        result = get(server.url, "-n", "3")
    assert result.returncode == 7
    assert "-n 1" in result.stderr
    assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")


def test_another_length_is_another_version(get: Get, folder: Path) -> None:
    old, new = Site(noise(LENGTH)), Site(noise(LENGTH + 1))
    with Server(lambda request: (old if request.number <= 2 else new)(request)) as server:
        assert get(server.url).returncode == 11
    assert not (folder / "file.bin").exists()


def test_a_file_that_changed_between_runs_is_begun_anew(get: Get, folder: Path) -> None:
    old, new = Site(noise(LENGTH, 1), '"old"'), Site(noise(LENGTH, 2), '"new"')
    with Server(broken_after(old, 4)) as server:
        assert get(server.url, "--max-tries", "1", "-n", "1").returncode == 12
        assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")
        server.behave = new
        result = get(server.url)
    assert result.returncode == 0
    assert "another version" in result.stderr
    assert (folder / "file.bin").read_bytes() == new.content


@pytest.mark.parametrize("fields", [{"etag": 'W/"1"'}, {"etag": None}, {"etag": "1"}])
def test_without_a_strong_validator_one_connection_brings_it_all(
    get: Get, folder: Path, fields: dict[str, str | None]
) -> None:
    site = Site(noise(LENGTH), **fields)
    with Server(site) as server:
        assert get(server.url, "-n", "4").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert [request.range for request in server.gets] == [(0, 262144), None]


def test_a_checksum_stands_for_a_validator(get: Get, folder: Path) -> None:
    site = Site(noise(LENGTH), etag=None)
    with Server(site) as server:
        assert get(server.url, "-n", "4", "--limit-rate", "6M", "--checksum", site.checksum).returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert server.peak == 4


def test_a_date_is_a_validator_once_it_is_old(get: Get, folder: Path) -> None:
    old = Site(noise(LENGTH), etag=None, modified=MODIFIED)
    with Server(old) as server:
        assert get(server.url, "-n", "3").returncode == 0
    assert server.gets[-1].fields["if-range"] == MODIFIED
    assert (folder / "file.bin").read_bytes() == old.content
    # RFC 9110 §8.8.2.2: within a second of `Date` the file may change once more unnoticed.
    fresh = Site(noise(LENGTH), etag=None, modified="Thu, 01 Jan 2026 00:00:10 GMT")
    with Server(fresh) as server:
        assert get(server.url, "-n", "3", "--replace").returncode == 0
    assert [request.range for request in server.gets] == [(0, 262144), None]


def test_a_network_that_answers_if_range_with_the_whole(get: Get, folder: Path, site: Site) -> None:
    def behave(request: Request) -> None:
        if "if-range" in request.fields:
            request.fields["if-range"] = "never"
        site(request)

    with Server(behave) as server:
        assert get(server.url, "-n", "4", "--limit-rate", "6M").returncode == 0
    assert (folder / "file.bin").read_bytes() == site.content
    assert server.peak == 4


def test_a_wrong_checksum(get: Get, folder: Path, site: Site) -> None:
    wrong = "sha-256=" + 64 * "0"
    with Server(site) as server:
        first = get(server.url, "--checksum", wrong)
        assert (first.returncode, "--replace" in first.stderr) == (8, True)
        assert nothing_but(folder, "file.bin.part", "file.bin.part.windward")
        # It is asked whether the file is another now, and nothing comes twice.
        assert get(server.url, "--checksum", wrong).returncode == 8
        assert sum(last - first for first, last in server.parts) <= LENGTH + 1
        # All of it anew.
        assert get(server.url, "--checksum", wrong, "--replace").returncode == 8
        assert sum(last - first for first, last in server.parts) >= 2 * LENGTH
        before = len(server.requests)
        right = get(server.url, "--checksum", site.checksum)
        assert (right.returncode, "already complete" in right.stdout) == (0, True)
        assert len(server.requests) == before
    assert (folder / "file.bin").read_bytes() == site.content
    assert nothing_but(folder, "file.bin")


def test_a_checksum_is_tried_again_without_ranges(get: Get, folder: Path, site: Site) -> None:
    with Server(lambda request: request.reply(200, body=site.content)) as server:
        assert get(server.url, "--checksum", "sha-256=" + 64 * "0").returncode == 8
        assert get(server.url, "--checksum", site.checksum).returncode == 0
    assert len(server.requests) == 1
    assert (folder / "file.bin").read_bytes() == site.content

"""Files that a scenario or a command names: byte order marks, quotes, and what has no end."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SMALL, Cli

import windward as ww
from windward._format.design import read_points

MARK = b"\xef\xbb\xbf"

STEPS = SMALL + '\n[[change]]\nlink = "a->b"\nsteps = "steps.csv"\n'
TRACED = SMALL.replace('rate = "5 Mbit/s"', 'rate = { trace = "down.trace" }')
CELL = """
name = "walk"
duration = "1 s"
node = [{ name = "ap" }, { name = "phone" }]

[[cell]]
name = "cell"
access_point = "ap"
slot = "10 ms"
symbol_rate = "1 MBd"
amc = "ctc"
fading = { model = "trace", samples = "walk.csv" }
station = [{ node = "phone", snr = "0 dB" }]

[[background]]
from = "ap"
to = "phone"
pattern = { kind = "cbr", rate = "8 Mbit/s" }
"""

#: A scenario, the file that it names, and what is in it.
NAMED = {
    "steps": (STEPS, "steps.csv", "time_s,rate_bps\n1,2000000\n"),
    "trace": (TRACED, "down.trace", "1\n5\n9\n"),
    "samples": (CELL, "walk.csv", "time_s,snr_db\n0,10\n0.1,12\n"),
}


@pytest.mark.parametrize("kind", NAMED)
def test_a_byte_order_mark_is_no_content(tmp_path: Path, kind: str) -> None:
    scenario, name, content = NAMED[kind]
    (tmp_path / "s.toml").write_text(scenario)
    (tmp_path / name).write_text(content)
    plain = ww.load(tmp_path / "s.toml")
    (tmp_path / name).write_bytes(MARK + content.replace("\n", "\r\n").encode())
    (tmp_path / "s.toml").write_bytes(MARK + scenario.encode())
    assert ww.load(tmp_path / "s.toml") == plain
    (tmp_path / "s.json").write_bytes(MARK + json.dumps(json.loads(plain._compile().engine.to_json())).encode())
    assert ww.load(tmp_path / "s.json") == plain


@pytest.mark.parametrize("kind", ["steps", "samples"])
def test_cells_may_stand_in_quotes(tmp_path: Path, kind: str) -> None:
    scenario, name, content = NAMED[kind]
    (tmp_path / "s.toml").write_text(scenario)
    (tmp_path / name).write_text(content)
    plain = ww.load(tmp_path / "s.toml")
    quoted = "\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in content.split())
    (tmp_path / name).write_text(quoted)
    assert ww.load(tmp_path / "s.toml") == plain


def test_points_have_marks_and_quotes_too(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes(MARK + b'"link.air.loss","flow.*.law"\r\n"1%","reno"\r\n"2%", "cubic"\r\n')
    (tmp_path / "p.toml").write_bytes(
        MARK + b'[[point]]\n"link.air.loss" = "1%"\n"flow.*.law" = "reno"\n'
        b'[[point]]\n"link.air.loss" = "2%"\n"flow.*.law" = "cubic"\n'
    )
    assert read_points(tmp_path / "p.csv") == read_points(tmp_path / "p.toml")
    (tmp_path / "p.csv").write_text("link.air.loss\n" + "x" * 200_000)
    with pytest.raises(ValueError, match=r"p\.csv:2: no line of a CSV file: field larger than field limit"):
        read_points(tmp_path / "p.csv")


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (endless, "not a regular file; devices and pipes are not read"),
        (os.mkfifo, "not a regular file; devices and pipes are not read"),
        (sparse, "1099511.6 MB; at most"),
        (Path.mkdir, "is a directory"),
    ],
)
def test_what_has_no_end_is_refused_at_once(tmp_path: Path, make: Callable[[Path], None], problem: str) -> None:
    def refusal(run: Callable[[], object]) -> str:
        with pytest.raises((ValueError, ww.ResultError)) as refused:
            run()
        return str(refused.value)

    # A reader of a named pipe would wait for ever, and of /dev/zero until all memory is gone.
    alarm = threading.Timer(30, os._exit, [3])
    alarm.start()
    for kind, (scenario, name, _) in NAMED.items():
        folder = tmp_path / kind
        folder.mkdir()
        (folder / "s.toml").write_text(scenario)
        make(folder / name)
        assert f"cannot read `{name}`: {problem}" in refusal(lambda folder=folder: ww.load(folder / "s.toml"))
    for name in ("s.toml", "s.json"):
        make(tmp_path / name)
        assert problem in refusal(lambda name=name: ww.load(tmp_path / name))
    for name in ("p.toml", "p.csv"):
        make(tmp_path / name)
        assert problem in refusal(lambda name=name: read_points(tmp_path / name))
    (tmp_path / "result").mkdir()
    make(tmp_path / "result" / "summary.json")
    assert "is not a Windward result" in refusal(lambda: ww.open(tmp_path / "result"))
    alarm.cancel()


def test_the_command_line_says_so(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    for name in ("pipe.toml", "/dev/zero"):
        for command in ("check", "simulate"):
            run = cli(command, name)
            assert (run.returncode, run.stdout) == (2, "")
            assert run.stderr == f"{name}: not a regular file; devices and pipes are not read\n"
    os.mkfifo(tmp_path / "ca.pem")
    run = cli("serve", ".", "--port", "0", "--cert", "ca.pem", "--key", "ca.pem", "--token", "correct horse")
    assert run.returncode == 10
    assert "not a regular file" in run.stderr
    run = cli("send", "pipe.toml", "127.0.0.1:1")
    assert run.returncode == 10
    assert "not a regular file" in run.stderr


def test_coordinates_may_be_negative(tmp_path: Path) -> None:
    text = """
name = "n"
duration = "1 s"
node = [{ name = "a" }, { name = "b" }, { name = "c", count = 3 }]
[[wifi]]
name = "air"
routing = "aodv"
station = [
  { node = "a", at = ["-50 m", "0 m"] },
  { node = "b", at = ["50 m", "-1.5 km"], motion = WAY },
  { node = "c", layout = { kind = "grid", columns = 2, spacing = "10 m", origin = ["-20 m", "-30 m"] } },
]
[[flow]]
from = "c-1"
to = "c-2"
law = "reno"
"""
    text = text.replace("WAY", '{ kind = "waypoints", points = [{ time = "500 ms", at = ["-1 m", "-2 m"] }] }')
    (tmp_path / "n.toml").write_text(text)
    scenario = ww.load(tmp_path / "n.toml")
    assert scenario.wifi[0].station[0].at == ("-50 m", "0 m")
    stations = scenario.simulate().wifi_stations.set_index("node")
    assert list(stations["x_m"])[:1] == [-50.0]
    assert stations.loc["c-1", ["x_m", "y_m"]].tolist() == [-20.0, -30.0]
    # A length is not a coordinate.
    (tmp_path / "n.toml").write_text(text.replace('spacing = "10 m"', 'spacing = "-10 m"'))
    with pytest.raises(ww.ScenarioError, match="the distance must be above zero"):
        ww.load(tmp_path / "n.toml")


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("10 Mb/s", "did you mean `Mbit/s`?"),
        ("10 MBps", "did you mean `MB/s`?"),
        ("10 MiB/s", "1 MiB/s is 8388608 bit/s"),
        ("10 Megabit/s", "did you mean `Mbit/s`?"),
        ("10 Tbit/s", "1 Tbit/s is 1000 Gbit/s"),
        ("10 mbps", "`mbps` may be bits or bytes: write `Mbit/s` or `MB/s`"),
        ("10 Mbit/min", None),
    ],
)
def test_hints_keep_the_quantity(tmp_path: Path, value: str, hint: str | None) -> None:
    (tmp_path / "s.toml").write_text(SMALL.replace("5 Mbit/s", value))
    with pytest.raises(ww.ScenarioError) as refused:
        ww.load(tmp_path / "s.toml")
    (problem,) = refused.value.problems
    assert (problem.path, problem.line, problem.column, problem.hint) == ("link[0].rate", 20, 8, hint)
    assert problem.message.startswith(f"`{value.split()[1]}` is not a unit of rate")


def test_a_microsecond_has_two_letters(tmp_path: Path) -> None:
    for text in ("20 µs", "20 μs"):
        (tmp_path / "s.toml").write_text(SMALL.replace("10 ms", text), encoding="utf-8")
        assert ww.load(tmp_path / "s.toml")._compile().engine.entities()["links"]["delay_s"][0] == 20e-6

"""Applications between real kernels: as root; elsewhere skipped with the reason. Each takes as long as its scenario."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli, in_time
from emulated import emulated, needs_kernels

import windward as ww

APPS = """
name = "apps"
duration = "6 s"
node = [{ name = "client" }, { name = "server" }]

[[link]]
from = "server"
to = "client"
rate = "10 Mbit/s"
delay = "20 ms"
buffer = "1000 packets"

[[app]]
kind = "KIND"
name = "app"
from = "client"
to = "server"
law = { name = "cubic", hystart = true }
tcp = { stack = "linux" }
"""


def apps(tmp_path: Path, kind: str, more: str) -> ww.Scenario:
    """An application behind 10 Mbit/s and 40 ms."""
    (tmp_path / "apps.toml").write_text(APPS.replace("KIND", kind) + more)
    return ww.load(tmp_path / "apps.toml")


REQUESTS = {
    "new": 'arrivals = { kind = "poisson", load = 0.15 }\nconnections = "new"',
    "pool": 'arrivals = { kind = "poisson", load = 0.15 }\nconnections = "pool"\nservice = "10 ms"',
    "one": 'arrivals = { kind = "periodic", every = "250 ms" }\nconnections = 1',
}


@needs_kernels
@pytest.mark.realtime
@pytest.mark.parametrize("connections", REQUESTS)
def test_requests_take_as_long_as_simulated(connections: str, tmp_path: Path) -> None:
    more = REQUESTS[connections] + '\nresponse = { kind = "lognormal", mean = "20 kB", cv = 1.0 }\n'
    scenario = apps(tmp_path, "requests", more)
    run, ours = emulated(scenario, seeds=1), scenario.simulate(seeds=1)
    assert run.requests[["number", "intended_s", "size_bytes"]].equals(
        ours.requests[["number", "intended_s", "size_bytes"]]
    )
    here, there = run.apps.iloc[0], ours.apps.iloc[0]
    assert here["requests"] == there["requests"] > 20
    assert here["unfinished"] <= there["unfinished"] + 1
    opened = [int(apps["connections"]) for apps in (here, there)]
    assert abs(opened[0] - opened[1]) <= (2 if connections == "pool" else 0)
    for column in ("completion_p50_s", "slowdown_p50"):
        assert here[column] == pytest.approx(there[column], rel=0.05), column
    done = run.requests.dropna()
    assert (done["intended_s"] <= done["start_s"]).all()
    # The way there and back, besides the handshake of a new connection.
    assert (done["first_byte_s"] - done["start_s"] > (0.08 if connections == "new" else 0.04)).all()
    assert (done["reused"] == 0).all() == (connections == "new")
    assert run.request_classes["requests"].sum() == here["requests"]


@needs_kernels
@pytest.mark.realtime
def test_servers_begin_under_their_own_law(tmp_path: Path) -> None:
    """100 kB over 25 Mbit/s, 51.1 ms and 62 packets take .225 s with real programs on the same kernel.

    A connection that is accepted under BBR, the default of many machines, stays paced when its law is chosen later.
    """
    arrivals = 'arrivals = { kind = "closed", users = 1, think = "200 ms", think_spread = "fixed" }'
    scenario = apps(tmp_path, "requests", f'{arrivals}\nrequest = "60 B"\nresponse = "100 kB"\nconnections = "new"\n')
    link = replace(scenario.link[0], rate="25 Mbit/s", delay="25.55 ms", buffer="62 packets")
    scenario = replace(scenario, duration="4 s", link=[link])
    run = in_time(lambda: scenario.emulate(seeds=1), any_late)
    assert run.requests["completion_s"].median() == pytest.approx(0.225, rel=0.02)


def any_late(run: ww.Run) -> object:
    """Timing problems of a run in which a single late turn would count, of which a share says nothing."""
    timing = run.timing.iloc[0]
    late = {name: timing[name] for name in ("app_late_max_s", "late_max_s")}
    return run.problems or ((late["app_late_max_s"] > 0.001 or late["late_max_s"] > 0.004) and late)


@needs_kernels
@pytest.mark.realtime
def test_users_wait_for_their_responses(tmp_path: Path) -> None:
    """Three users who think for 100 ms and wait for 10 kB, one round trip and 8.3 ms.

    Their times of thinking are random: with fixed ones a late turn can bring two users together, who then stay so.
    """
    arrivals = 'arrivals = { kind = "closed", users = 3, think = "100 ms" }'
    more = f'{arrivals}\nresponse = "10 kB"\nconnections = "pool"\n'
    scenario = apps(tmp_path, "requests", more)
    run, ours = in_time(lambda: scenario.emulate(seeds=1), any_late), scenario.simulate(seeds=1)
    assert run.apps.loc[0, "connections"] == ours.apps.loc[0, "connections"] == 3
    assert run.apps.loc[0, "requests"] == pytest.approx(ours.apps.loc[0, "requests"], rel=0.05)
    assert run.apps.loc[0, "completion_p50_s"] == pytest.approx(ours.apps.loc[0, "completion_p50_s"], rel=0.05)


@needs_kernels
@pytest.mark.realtime
def test_the_first_request_is_no_slower_than_the_next(tmp_path: Path) -> None:
    """The network and the application are ready when the clock begins: it was 3 to 12 ms before."""
    more = 'arrivals = { kind = "periodic", every = "300 ms" }\nconnections = "new"\nresponse = "10 kB"\n'
    scenario = replace(apps(tmp_path, "requests", more), duration="1300 ms")
    run = in_time(lambda: scenario.emulate(seeds=1), any_late)
    assert run.timing.loc[0, "app_wakeups"] > 4 * 4
    taken = run.requests["completion_s"].to_numpy()[:4]
    assert taken[0] == pytest.approx(np.median(taken[1:]), abs=0.002), taken


PAGE = """
objects = [
    { name = "home", size = "30 kB" },
    { name = "style", size = "20 kB", blocking = true, delay = "10 ms" },
    { name = "script", size = "60 kB", parent = "style", service = "20 ms" },
    { name = "picture", size = "200 kB", origin = "https://pictures.example" },
]
dns = "20 ms"
reading = "300 ms"
reading_spread = "fixed"
"""


@needs_kernels
@pytest.mark.realtime
@pytest.mark.parametrize("protocol", ["h2", "http/1.1"])
def test_a_page_loads_as_simulated(protocol: str, tmp_path: Path) -> None:
    scenario = apps(tmp_path, "page", PAGE + f'protocol = "{protocol}"\n')
    run, ours = emulated(scenario, seeds=1), scenario.simulate(seeds=1)
    here, there = run.pages.iloc[0], ours.pages.iloc[0]
    assert here["visits"] == there["visits"] >= 5
    for column in ("first_byte_p50_s", "paint_p50_s", "load_p50_s"):
        assert here[column] == pytest.approx(there[column], rel=0.05), column
    assert here["connections"] == there["connections"]


@needs_kernels
@pytest.mark.realtime
def test_a_video_plays_as_simulated(tmp_path: Path) -> None:
    scenario = apps(tmp_path, "video", 'rule = "throughput"\nchunk = "1 s"\nchunks = 12\nbuffer = "10 s"\n')
    run, ours = in_time(lambda: scenario.emulate(seeds=1), any_late), scenario.simulate(seeds=1)
    here, there = run.videos.iloc[0], ours.videos.iloc[0]
    assert here["chunks"] == there["chunks"]
    assert here["startup_s"] == pytest.approx(there["startup_s"], rel=0.05)
    assert here["mean_bitrate_bps"] == pytest.approx(there["mean_bitrate_bps"], rel=0.05)


@needs_kernels
def test_applications_that_kernels_cannot_run(tmp_path: Path) -> None:
    more = 'arrivals = { kind = "poisson", rate = 1.0 }\nresponse = "20 kB"\n'
    for options, why in (
        ('receive_buffer = "100 kB"', "app `app`: Linux's receive buffer has a size in memory, not in payload"),
        ('send_buffer = "3000 B"', "app `app`: Linux's send buffers have at least 4608 B, not 3 kB"),
        ('send_buffer = { max = "1 MiB" }', "app `app`: the limit of autotuned send buffers is a setting of the host"),
        ('read = { rate = "1 Mbit/s" }', "app `app`: `read` of applications is not supported by the emulator"),
        ('ecn = "accurate"', "app `app`: Linux has no accurate ECN feedback"),
    ):
        apps(tmp_path, "requests", more)
        text = (tmp_path / "apps.toml").read_text().replace('stack = "linux"', f'stack = "linux", {options}')
        (tmp_path / "apps.toml").write_text(text)
        scenario = ww.load(tmp_path / "apps.toml")
        with pytest.raises(ww.EmulationError) as error:
            scenario.emulate()
        assert why in str(error.value)
        assert "hint: " in str(error.value)


@needs_kernels
def test_compare_has_applications(cli: Cli, tmp_path: Path) -> None:
    more = 'arrivals = { kind = "poisson", load = 0.3 }\nresponse = "20 kB"\n'
    apps(tmp_path, "requests", more)
    run = cli("compare", tmp_path / "apps.toml", "--seeds", "1", "--output", tmp_path / "all")
    assert run.returncode == 0
    header = next(line for line in run.stdout.splitlines() if line.startswith("application"))
    words = ["processor sharing", "packets, mean", "kernel, mean", "packets, p50", "kernel, p50", "kernel/packets"]
    assert re.split(r"  +", header) == ["application", "law", *words]
    row = ww.open(tmp_path / "all").app_rows[0]
    assert 0.02 < row["sharing_mean_s"] < row["packets_mean_s"]
    assert 0.5 < row["kernel_share"] < 2.0

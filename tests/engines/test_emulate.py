"""Scenarios between real kernels: as root; elsewhere skipped with the reason. Each takes as long as its scenario."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import REPOSITORY, SMALL, Cli, environment, in_time
from emulated import emulated, needs_kernels

import windward as ww
from windward._engines.emulate import why_not

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


def laws_are_possible() -> bool:
    from windward import KernelError, _engine

    try:
        _engine.kernel_support()
    except KernelError as why:
        pytest.skip(str(why).splitlines()[0])
    return True


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[ww.Run, Path]:
    """The small scenario emulated, with its packets."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(SMALL)
    return emulated(ww.load(folder / "small.toml"), output=folder / "out", replace=True, pcap=True), folder / "out"


@needs_kernels
@pytest.mark.realtime
def test_a_result_has_the_shape_of_a_simulation(small: tuple[ww.Run, Path], scenario_file: Path) -> None:
    run, folder = small
    simulated = ww.load(scenario_file).simulate(seeds=1)
    for kind in ("flows", "links", "background", "flow_series", "link_series"):
        real, ours = run.table(kind, 1), simulated.table(kind, 1)
        assert real.schema == ours.schema
        assert real.num_rows == ours.num_rows
    assert (run.engine, simulated.engine) == ("emulate", "simulate")
    assert set(run.flow_series["time_s"]) == set(simulated.flow_series["time_s"])
    opened = ww.open(folder)
    assert opened.flows.equals(run.flows)
    assert opened.timing.equals(run.timing)
    assert simulated.timing.empty


@needs_kernels
@pytest.mark.realtime
def test_it_says_how_well_it_kept_its_time(small: tuple[ww.Run, Path]) -> None:
    run, folder = small
    timing = run.timing.iloc[0]
    assert 0 <= timing["late_p50_s"] <= timing["late_p99_s"] <= timing["late_max_s"]
    assert timing["app_wakeups"] == timing["app_late_max_s"] == 0
    # Every packet of the flows that was not lost: data one way, an ACK for every other the other way.
    assert timing["packets"] > run.flows["segments_sent"].sum()
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["engine"] == "emulate"
    assert (summary["timing"][0]["problem"] is None) == (run.problems == [])


@needs_kernels
@pytest.mark.realtime
def test_what_kernels_say_adds_up(small: tuple[ww.Run, Path]) -> None:
    """Delivered and lost make up what was sent, but for what is under way at either end of the measurement."""
    run, _ = small
    window = run.flow_series.groupby("flow")["flight"].max()
    for _, flow in run.flows.iterrows():
        delivered = flow["delivered_bytes"] / 1448
        # A lost segment is sent again; some are sent again without need.
        assert abs(flow["segments_sent"] - flow["retransmits"] - delivered) <= window[flow["flow"]] + 2
        assert flow["segments_lost"] <= flow["retransmits"] + window[flow["flow"]]
        # 20 ms of propagation; 20 packets of 2.4 ms may be in the way.
        assert 0.020 < flow["min_rtt_s"] < 0.072
    goodput = run.flows["goodput_bps"].sum()
    link = run.links[run.links["link"] == "a->b"].iloc[0]
    assert goodput < link["throughput_bps"] < 5e6 * 1.001
    # Packets of the simulator's own cross the same link, and find its queue full as others do.
    voice = run.background.iloc[0]
    assert voice["sent"] == pytest.approx(4 * 64_000 / 1600, abs=1)
    assert 0.8 * voice["sent"] < voice["received"] <= voice["sent"] + 3


@needs_kernels
@pytest.mark.realtime
def test_packets_are_real(small: tuple[ww.Run, Path]) -> None:
    """IPv4 and TCP between the flows' own addresses, seen at the sources."""
    capture = (small[1] / "seed-1" / "capture.pcapng").read_bytes()
    assert capture[:4] == b"\x0a\x0d\x0d\x0a"
    at, flows, data = 0, set(), 0
    while at < len(capture):
        kind, length = (
            int.from_bytes(capture[at : at + 4], "little"),
            int.from_bytes(capture[at + 4 : at + 8], "little"),
        )
        if kind == 6:
            packet = capture[at + 28 : at + length - 4]
            assert (packet[0], packet[9]) == (0x45, 6)
            flows.add(frozenset((packet[12:16], packet[16:20])))
            data += int.from_bytes(capture[at + 24 : at + 28], "little") > 1000
        at += length
    assert len(flows) == 3
    assert data >= small[0].flows["segments_sent"].sum()


@needs_kernels
@pytest.mark.realtime
@pytest.mark.parametrize(("law", "backlog"), [("quic-tcp", "backlog"), ("fast", "alpha")])
def test_the_theory_holds_between_kernels(law: str, backlog: str) -> None:
    """Two flows with base round trips of 20 and 60 ms keep p = 10 packets each in the queue, and share the link.

    Two packets are allowed for each: a window is a whole number of packets, and a base RTT that is 1 ms too long, where
    the first segments were late, is half a packet at a flow's rate. Rates may differ as much as packets in the queue: a
    packet of ten more, a packet less.
    """
    laws_are_possible()
    make = {"quic-tcp": ww.QuicTcp, "fast": ww.Fast}[law]
    choice = make(**{backlog: 10})
    scenario = ww.Scenario(
        name=law,
        duration="16 s",
        warmup="6 s",
        output=ww.Output(internals=True),
        node=[ww.Node(name=name) for name in ("near", "far", "station", "phone")],
        link=[
            ww.Link(from_="near", to="station", rate="100 Mbit/s", delay="5 ms"),
            ww.Link(from_="far", to="station", rate="100 Mbit/s", delay="25 ms"),
            ww.Link(name="air", from_="station", to="phone", rate="10 Mbit/s", delay="5 ms", buffer="200 packets"),
        ],
        flow=[
            ww.Flow(name="near", from_="near", to="phone", law=choice, start="80 ms"),
            ww.Flow(name="far", from_="far", to="phone", law=choice),
        ],
    )

    def base_rtts(run: ww.Run) -> pd.Series:
        return run.flows.set_index("flow")["min_rtt_s"]

    def disturbance(run: ww.Run) -> object:
        """A start that was late, or met a queue, leaves the law with a wrong base RTT: another equilibrium."""
        base = base_rtts(run)
        is_off = (abs(base - [0.0202, 0.0602]) > 0.002).any()
        return run.problems or (is_off and f"base round trips of {base.to_dict()}")

    run = in_time(scenario.emulate, disturbance)
    queue = run.links.set_index("link").loc["air", "mean_backlog"]
    assert queue == pytest.approx(20, abs=4)
    rates = run.flows["goodput_bps"]
    assert rates.sum() == pytest.approx(10e6 * 1448 / 1500, rel=0.01)
    assert rates.max() / rates.min() < 1.25
    internals = run.internals.pivot_table(index="time_s", columns=["flow", "name"], values="value")
    assert np.isfinite(internals.loc[10:].to_numpy()).all()
    # A segment's: 20 ms, 1.2 ms at 10 Mbit/s and 0.1 ms at 100 Mbit/s. The handshake's is none for a law.
    assert internals["near"]["base_rtt"].iloc[-1] == pytest.approx(0.0213, abs=0.001)
    assert f"ww{os.getpid() % 100_000_000}_" not in AVAILABLE.read_text()


@needs_kernels
@pytest.mark.realtime
@pytest.mark.skipif("bbr" not in AVAILABLE.read_text() if AVAILABLE.exists() else True, reason="the kernel has no BBR")
def test_the_kernels_bbr_shows_its_mode_and_estimates() -> None:
    """Beside the simulator's `bbr`: STARTUP, DRAIN, then PROBE_BW at 833 packets a second."""
    scenario = ww.Scenario(
        name="bbr",
        duration="4 s",
        output=ww.Output(internals=True),
        node=[ww.Node(name=name) for name in ("a", "b")],
        link=[ww.Link(from_="a", to="b", rate="10 Mbit/s", delay="20 ms", buffer="67 packets")],
        flow=[ww.Flow(from_="a", to="b", law="bbr")],
    )
    run = in_time(scenario.emulate, lambda run: run.problems)
    of = run.internals.pivot_table(index="time_s", columns="name", values="value")
    modes = [int(mode) for mode, _ in itertools.groupby(of["mode"])]
    assert modes == [0, 1, 2]
    assert of["bandwidth"].iloc[-1] == pytest.approx(10e6 / 12_000, rel=0.02)
    assert of["min_rtt"].iloc[-1] == pytest.approx(0.0415, abs=0.002)


@needs_kernels
@pytest.mark.realtime
def test_sized_flows_complete(tmp_path: Path) -> None:
    """100 segments at 10 Mbit/s take 0.12 s, and from a window of 10 three round trips of 40 ms besides."""
    scenario = ww.Scenario(
        name="sized",
        duration="3 s",
        node=[ww.Node(name=name) for name in ("a", "b", "c", "d")],
        link=[
            ww.Link(from_="a", to="b", rate="10 Mbit/s", delay="20 ms"),
            ww.Link(from_="c", to="d", rate="10 Mbit/s", delay="20 ms", buffer="33 packets"),
        ],
        flow=[
            ww.Flow(name="sized", from_="a", to="b", law=ww.Reno(), size="144800 B", start="500 ms"),
            ww.Flow(name="stopped", from_="c", to="d", law=ww.Reno(), stop="1 s"),
        ],
    )
    flows = emulated(scenario).flows.set_index("flow")
    ours = scenario.simulate(seeds=1).flows.set_index("flow")
    assert flows.loc["sized", "delivered_bytes"] == 144_800
    # The kernel's completion counts the sink's answer to the end of the data: the same round trip.
    assert flows.loc["sized", "completion_s"] == pytest.approx(ours.loc["sized", "completion_s"], rel=0.1)
    assert np.isnan(flows.loc["stopped", "completion_s"])
    # What the kernel had taken already, 64 KiB, it sends; the simulator's source stops in the instant.
    more = int(flows.loc["stopped", "delivered_bytes"]) - int(ours.loc["stopped", "delivered_bytes"])
    assert -50_000 < more < (1 << 16) + 50_000


TREE = REPOSITORY / "evidence" / "papers" / "seferoglu2014" / "tree.toml"


def tree(routing: str) -> str:
    """The tree of seferoglu2014 with CUBIC, the second flow two seconds behind the first.

    Without RTS: with it, the classical rule does not starve the second flow.
    """
    text = TREE.read_text().replace('law = "reno"', 'law = "cubic"')
    text = re.sub(r"(?m)^rts_threshold = .*", 'rts_threshold = "3 kB"', text)
    text = re.sub(r"(?m)^routing = .*", f"routing = {routing}", text)
    first, second, end = text.split('start_spread = "5 s"')
    return f'{first}start = "0 s"{second}start = "2 s"{end}'


def disturbance(run: ww.Run) -> object:
    """Timing problems of a run with round trips of half a second and 5 ms frames; a few milliseconds are tolerated."""
    timing = run.timing.iloc[0]
    return (timing["late_p99_s"] > 0.05 or timing["missed"] + timing["overflowed"] > 0) and run.problems


@needs_kernels
@pytest.mark.realtime
def test_no_connection_outlives_a_run() -> None:
    def orphans() -> int:
        found = re.search(r"orphan (\d+)", Path("/proc/net/sockstat").read_text())
        assert found is not None
        return int(found[1])

    nodes = [ww.Node(name="a"), ww.Node(name="b")]
    link = ww.Link(from_="a", to="b", rate="5 Mbit/s", delay="50 ms")
    flows = [ww.Flow(from_="a", to="b", law="cubic", count=20)]
    web = ww.Requests(
        from_="b",
        to="a",
        law="cubic",
        arrivals=ww.format.PoissonArrivals(rate=40.0),
        response="100 kB",
        connections="new",
    )
    scenario = ww.Scenario(name="many", duration="1 s", node=nodes, link=[link], flow=flows, app=[web])
    before = orphans()
    scenario.emulate()
    # Each of the 40 ends of flows, and those of some 40 requests, was one for two minutes.
    assert orphans() < before + 20


@needs_kernels
@pytest.mark.long
@pytest.mark.realtime
def test_a_backlog_threshold_saves_tcp(tmp_path: Path) -> None:
    """seferoglu2014 Fig. 6 with Linux's TCP: classical backpressure starves the flow of two hops, K = B/|S| does not.

    Five trees under each rule side by side, of which the median counts: chance decides where windows fall together.
    """
    rules = {"classical": '{ kind = "backpressure", k = 0 }', "aware": '{ kind = "backpressure", k = "shared" }'}
    networks = []
    for rule, routing in rules.items():
        for copy in range(5):
            text = re.sub(r'"(air|[A-D]|flow\d)"', rf'"{rule}-{copy}-\1"', tree(routing))
            (tmp_path / "tree.toml").write_text(text)
            networks.append(ww.load(tmp_path / "tree.toml"))
    scenario = replace(
        networks[0],
        duration="25 s",
        node=[node for network in networks for node in network.node],
        wifi=[wifi for network in networks for wifi in network.wifi],
        flow=[flow for network in networks for flow in network.flow],
    )
    run = in_time(scenario.emulate, disturbance)
    names = run.flows["flow"].str.split("-", expand=True)
    goodputs = run.flows["goodput_bps"].groupby([names[0], names[2]]).median()
    assert goodputs["classical", "flow2"] < 0.05 * goodputs["classical", "flow1"], goodputs
    assert goodputs["aware", "flow2"] > 0.15 * goodputs["aware", "flow1"], goodputs
    for kind in ("backlogs", "shares", "backlog_series"):
        assert run.table(kind, 1).num_rows > 0


@needs_kernels
@pytest.mark.long
@pytest.mark.realtime
def test_coding_hides_reordering_and_losses_from_linux(tmp_path: Path) -> None:
    """The diamond with a lossy link: packets overtake each other, and Linux's TCP takes none of it for congestion."""
    text = (TREE.parent / "diamond.toml").read_text().replace('duration = "200 s"', 'duration = "20 s"')
    text = text.replace("start_spread", 'coding = "random"\nstart_spread')
    lossy = '[[wifi.loss]]\nfrom = "A"\nto = "B"\nprobability = 0.3\n\n[[flow]]'
    (tmp_path / "diamond.toml").write_text(text.replace("[[flow]]", lossy, 1))
    run = in_time(ww.load(tmp_path / "diamond.toml").emulate, disturbance)
    coding, flows = run.coding.set_index("flow"), run.flows.set_index("flow")
    assert (flows["goodput_bps"] > 50e3).all(), flows
    for name, flow in flows.iterrows():
        layer = coding.loc[name]
        # Linux sends again what its own queue dropped, and now and then what its timer took for lost.
        assert flow["retransmits"] <= layer["unmasked"] + 0.02 * flow["segments_sent"] + 5, (flow, layer)
        assert layer["innovative"] <= layer["received"] <= layer["combinations"]
    blocks = run.blocks
    assert (blocks["decoded_s"] >= blocks["began_s"]).all()
    assert (blocks["began_s"] >= blocks["opened_s"]).all()


@needs_kernels
@pytest.mark.long
@pytest.mark.realtime
def test_stations_move_between_kernels(tmp_path: Path) -> None:
    """D leaves C's neighbourhood for B's, and AODV finds the other way, with time for a timer that has backed off."""
    text = tree('"aodv"').replace('duration = "200 s"', 'duration = "20 s"')
    motion = """motion = { kind = "waypoints", points = [
        { time = "4 s", at = ["390 m", "20 m"] },
        { time = "5 s", at = ["110 m", "20 m"] },
    ] }"""
    (tmp_path / "tree.toml").write_text(text.replace('at = ["390 m", "20 m"]', f'at = ["390 m", "20 m"]\n{motion}'))
    run = emulated(ww.load(tmp_path / "tree.toml"))
    packets = run.links.set_index("link")["packets"]
    assert packets["C->D"] > 50
    assert packets["B->D"] > 50


@needs_kernels
@pytest.mark.realtime
def test_a_congestion_control_of_the_kernels_own() -> None:
    """In place of a flow's law, or of a group's; a flow's own name counts before its group's."""
    scenario = ww.Scenario(
        name="own",
        duration="3 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate="5 Mbit/s", delay="5 ms")],
        flow=[
            ww.Flow(name="two", from_="a", to="b", law="vegas", count=2),
            ww.Flow(name="one", from_="a", to="b", law="tcp-fit"),
        ],
    )
    run = scenario.emulate(congestion={"two": "cubic", "two-2": "reno"})
    assert run.flows.set_index("flow")["law"].to_dict() == {"two-1": "cubic", "two-2": "reno", "one": "tcp-fit"}
    assert "flow `two-1`: run by the kernel's `cubic`" in run.notes
    assert (run.flows["goodput_bps"] > 1e5).all()


@needs_kernels
def test_refused(tmp_path: Path, cli: Cli) -> None:
    def refusal(scenario: ww.Scenario) -> str:
        with pytest.raises(ww.EmulationError) as error:
            scenario.emulate()
        return str(error.value)

    def scenario(rate: str, law: object) -> ww.Scenario:
        return ww.Scenario(
            name="refused",
            duration="1 s",
            node=[ww.Node(name="a"), ww.Node(name="b")],
            link=[ww.Link(from_="a", to="b", rate=rate, delay="1 ms")],
            flow=[ww.Flow(from_="a", to="b", law=law)],
        )

    class Mine(ww.Law):
        def on_ack(self, ack: ww.Ack) -> float:
            return 1.0

        def on_congestion(self, event: ww.Congestion) -> float:
            return 1.0

    assert "Python laws cannot run in the kernel" in refusal(scenario("1 Mbit/s", Mine))
    for setting, why in (("kernel.panic=1", "not a setting of a network namespace"), ("net.ipv4.tcp_sack=0", "`sack`")):
        (tmp_path / "slow.toml").write_text(scenario("1 Mbit/s", ww.Reno()).to_toml())
        run = cli("emulate", tmp_path / "slow.toml", "--sysctl", setting, "--output", tmp_path / "out")
        assert run.returncode == 2
        assert why in run.stderr
        assert "hint: " in run.stderr
    for option, why in (
        ("a->b=vegas", "the kernel has no congestion control `vegas`; available: "),
        ("a->b=reno,cubic", "hint: give one name for each flow"),
        ("c=cubic", "congestion control `cubic` for `c`: no such flow; flows: a->b"),
        ("a->b", "--congestion a->b: give a flow and a congestion control, such as up=bbr"),
    ):
        run = cli("emulate", tmp_path / "slow.toml", "--congestion", option, "--output", tmp_path / "out")
        assert run.returncode == 2
        assert why in run.stderr
    message = refusal(scenario("400 Gbit/s", ww.Reno()))
    assert "the scenario may send 50000000 packets/s" in message
    assert "hint: " in message
    target = tmp_path / "out"
    (tmp_path / "fast.toml").write_text(scenario("400 Gbit/s", ww.Reno()).to_toml())
    run = cli("emulate", tmp_path / "fast.toml", "--output", target)
    assert run.returncode == 2
    assert run.stderr.startswith("error: the scenario may send")
    assert not target.exists()


def test_without_the_right_to(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("the reason is another there")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "needs root" in str(why_not())


def namespaces() -> int:
    """Network namespaces of the machine's processes."""
    found = set()
    for process in Path("/proc").glob("[0-9]*/task/[0-9]*/ns/net"):
        try:
            found.add(process.readlink())
        except OSError:
            continue
    return len(found)


@needs_kernels
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_behind(how: signal.Signals, tmp_path: Path) -> None:
    """Any end of an emulation removes its hosts and laws and leaves no partial result."""
    laws_are_possible()
    text = SMALL.replace('law = "cubic"', 'law = "fast"').replace('"5 s"', '"60 s"')
    (tmp_path / "long.toml").write_text(text)
    target = tmp_path / "out"
    words = [sys.executable, "-m", "windward", "emulate", str(tmp_path / "long.toml"), "--output", str(target)]
    process = subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True)
    prefix = f"ww{process.pid % 100_000_000}_"

    def is_loaded() -> bool:
        return prefix in AVAILABLE.read_text()

    for _ in range(600):
        if is_loaded() or process.poll() is not None:
            break
        time.sleep(0.05)
    assert is_loaded(), process.communicate()
    time.sleep(1)
    process.send_signal(how)
    _, error = process.communicate(timeout=30)
    for _ in range(600):
        if not is_loaded():
            break
        time.sleep(0.05)
    assert not is_loaded()
    assert not list(target.glob("seed-*"))
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "nothing was saved" in error
        assert not target.exists()
    else:
        assert process.returncode == -how


@needs_kernels
def test_compare_has_four_columns(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    run = cli("compare", scenario_file, "--seeds", "1", "--output", tmp_path / "all")
    assert run.returncode == 0
    header = next(line for line in run.stdout.splitlines() if line.startswith("flow"))
    assert header.split() == ["flow", "law", "optimum", "fluid", "packets", "kernel", "packets/optimum"]
    kept = {path.name for path in (tmp_path / "all").iterdir()}
    assert kept >= {"optimum", "simulate", "emulate"}
    without = cli("compare", scenario_file, "--seeds", "1", "--no-emulate")
    assert "kernel skipped  switched off" in without.stdout

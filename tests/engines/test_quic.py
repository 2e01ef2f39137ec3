"""Flows over QUIC by every question: simulate, sweep, tune, attack, evaluate, optimum and fluid."""

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, Cli
from emulated import emulated, needs_kernels

import windward as ww
from windward._evaluate.networks import bottleneck, fits_quic, flow, over_quic
from windward.errors import OptionError

#: A lossy path, on which QUIC-TCP's backlog and loss decide.
TEXT = """\
name = "path"
duration = "10 s"
warmup = "3 s"
node = [{ name = "a" }, { name = "z" }]
link = [{ name = "path", from = "a", to = "z", rate = "12 Mbit/s", delay = "20 ms", buffer = "80 packets" }]
flow = [{ name = "download", from = "a", to = "z", law = "quic-tcp", transport = "quic" }]
"""


@pytest.fixture
def path(tmp_path: Path) -> ww.Scenario:
    (tmp_path / "path.toml").write_text(TEXT, encoding="utf-8")
    return ww.load(tmp_path / "path.toml")


def over(scenario: ww.Scenario, transport: str) -> ww.Scenario:
    return dataclasses.replace(scenario, flow=[dataclasses.replace(scenario.flow[0], transport=transport)])


def test_threads_do_not_change_a_run(path: ww.Scenario):
    found = [path.simulate(seeds=4, threads=threads) for threads in (1, 2, 8)]
    for run in found[1:]:
        assert run.flows.equals(found[0].flows)
        assert run.flow_series.equals(found[0].flow_series)
    # The path is full: 12 Mbit/s less headers of 4.2 %.
    assert found[0].flows["goodput_bps"].mean() == pytest.approx(11.49e6, rel=0.01)


def test_quinns_own_cubic_is_named_and_fills_the_path(path: ww.Scenario):
    own = dataclasses.replace(path, flow=[dataclasses.replace(path.flow[0], law="cubic", law_of="quinn")])
    run = own.simulate(seeds=1)
    assert run.flows["law"].tolist() == ["cubic of quinn"]
    assert run.flows["goodput_bps"].tolist()[0] == pytest.approx(11.49e6, rel=0.01)
    # Theory knows the law alone.
    ours = dataclasses.replace(path, flow=[dataclasses.replace(path.flow[0], law="cubic")])
    assert own.fluid().flows["goodput_bps"].tolist() == ours.fluid().flows["goodput_bps"].tolist()


def test_noqs_own_cubic_fills_the_path_if_the_engine_has_noq(path: ww.Scenario, cli: Cli, tmp_path: Path):
    own = dataclasses.replace(path, flow=[dataclasses.replace(path.flow[0], law="cubic", law_of="noq")])
    refused = ""
    try:
        run = own.simulate(seeds=1)
    except ValueError as error:
        refused = str(error)
    if refused:
        assert refused.startswith("`download` runs between endpoints of noq, which this engine lacks")
        assert refused.endswith("hint: make .venv/noq")
        with pytest.raises(OptionError, match=r"^transport noq: this engine lacks noq\nhint: make"):
            ww.evaluate("bbr3", output=tmp_path / "e", transport="noq")
        noqs = TEXT.replace('"quic-tcp"', '"cubic"').replace('"quic" }', '"quic", law_of = "noq" }')
        (tmp_path / "own.toml").write_text(noqs, encoding="utf-8")
        checked = cli("check", "own.toml")
        assert checked.returncode == 2
        assert checked.stderr == f"own.toml: {refused}\n"
        return
    assert run.flows["law"].tolist() == ["cubic of noq"]
    assert run.flows["goodput_bps"].tolist()[0] == pytest.approx(11.49e6, rel=0.01)


def test_a_page_over_h3_has_a_handshake_of_one_round_trip():
    page = ww.load(REPOSITORY / "scenarios" / "h3.toml")
    browser = dataclasses.replace(page.app[0], protocol="h2")
    loads = [
        own.simulate(seeds=1).pages["load_p50_s"].tolist()[0]
        for own in (page, dataclasses.replace(page, app=[browser, *page.app[1:]]))
    ]
    # 60 ms less before the first request.
    assert loads[1] - loads[0] == pytest.approx(0.06, abs=0.02)


def test_optimum_and_fluid_see_the_law(path: ww.Scenario):
    tcp = over(path, "tcp")
    assert path.optimum().flows["rate_bps"].tolist() == tcp.optimum().flows["rate_bps"].tolist()
    quic, other = path.fluid(), tcp.fluid()
    assert quic.flows["goodput_bps"].tolist() == other.flows["goodput_bps"].tolist()


def test_a_sweep_has_transports_as_an_axis(path: ww.Scenario, tmp_path: Path):
    sweep = path.sweep({"flow.download.transport": ["tcp", "quic"]}, seeds=2, output=tmp_path / "sweep")
    rates = sweep.flows.groupby("flow.download.transport")["goodput_bps"].mean()
    # A packet of QUIC has 9 bytes of payload less than TCP's 1448.
    assert rates["quic"] / rates["tcp"] == pytest.approx(1439 / 1448, rel=0.005)


def test_a_backlog_is_tuned(path: ww.Scenario, tmp_path: Path):
    short = dataclasses.replace(path, duration="4 s", warmup="1 s")
    tuning = short.tune("power", fields=["law.backlog=1..200 log"], seeds=2, trials=12, output=tmp_path / "tune")
    here = tuning.rows("comparisons")[0]
    figures = {row["figure"]: row for row in here["figures"]}
    assert figures["rtt"]["best"]["mean"] < figures["rtt"]["now"]["mean"]


def test_an_attack_finds_the_buffer_that_overflows(path: ww.Scenario, tmp_path: Path):
    # QUIC-TCP's backlog fits a buffer of 1000 packets; of 80 it loses 16 %.
    link = [dataclasses.replace(path.link[0], buffer="1000 packets")]
    deep = dataclasses.replace(path, link=link, duration="4 s", warmup="1 s")
    within = ["link.path.buffer=10..1000 packets log"]
    attack = deep.attack("loses:5%", within=within, seeds=1, trials=12, fresh=10, output=tmp_path / "attack")
    assert attack.is_found


def test_an_evaluation_is_of_the_flows_over_quic(tmp_path: Path):
    found = ww.evaluate("copa", output=tmp_path / "copa", transport="quic", only=["5.1.2"], seeds=3, smallest=False)
    assert found.summary["title"].startswith("Evidence for copa over QUIC")
    # Copa keeps its queue short over QUIC, too.
    assert found.verdicts == {"5.1.2": "meets"}


def test_networks_with_options_of_tcp_are_left_out():
    own = flow(ack_division=2)
    assert not fits_quic(bottleneck([own]))
    plain = bottleneck([flow(), flow("cubic", name="other")])
    assert fits_quic(plain)
    quic, other = over_quic(plain)["flow"]
    assert quic["transport"] == "quic"
    assert "law_of" not in quic
    assert over_quic(plain, "noq")["flow"] == [{**quic, "law_of": "noq"}, other]
    assert "host_jitter" not in quic
    assert "transport" not in other
    assert "host_jitter" in other


def test_the_suite_of_bbr_runs_over_quic(tmp_path: Path):
    found = ww.evaluate(
        "bbr3",
        output=tmp_path / "bbr3",
        transport="quic",
        suite="bbr-draft",
        only=["A.1", "A.7"],
        seeds=3,
        smallest=False,
    )
    assert found.verdicts["A.1"] == "meets"


def test_refused_laws_say_why(cli: Cli, tmp_path: Path):
    done = cli("evaluate", "prague", "--transport", "quic", "-o", str(tmp_path / "p"))
    assert done.returncode == 2
    assert "counts ECN marks" in done.stderr


def test_connections_of_a_page_model_are_application_limited():
    """As Firefox's telemetry: more than nine of ten, at a quarter of the link's capacity."""
    page = ww.load(REPOSITORY / "scenarios" / "h3.toml")
    link = ww.Link(from_="server", to="browser", rate="50 Mbit/s", delay="30 ms", buffer="250 packets")
    browsers = [dataclasses.replace(page.app[0], count=10, reading="5 s")]
    own = ww.Scenario(name="load", duration="60 s", node=page.node, link=[link], app=browsers)
    requests = own.simulate(seeds=1).requests
    repaired = requests.groupby(["app", "connection"])["retransmits"].sum()
    assert len(repaired) > 300
    assert (repaired == 0).mean() > 0.9


def events(file: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and events of a qlog file: JSON text sequences, RFC 7464."""
    records = [json.loads(record) for record in file.read_text(encoding="utf-8").split("\x1e")[1:]]
    return records[0], records[1:]


def test_qlog_files_tell_what_the_endpoints_did(path: ww.Scenario, tmp_path: Path):
    short = dataclasses.replace(
        path, duration="3 s", warmup="0 s", flow=[dataclasses.replace(path.flow[0], law="reno")]
    )
    runs = [short.simulate(seeds=1, output=tmp_path / name, qlog=True) for name in ("one", "other")]
    own, other = (tmp_path / name / "seed-1" / "qlog" for name in ("one", "other"))
    assert sorted(file.name for file in own.iterdir()) == ["connection-1-client.sqlog", "connection-1-server.sqlog"]
    for file in own.iterdir():
        assert file.read_bytes() == (other / file.name).read_bytes()
    header, client = events(own / "connection-1-client.sqlog")
    assert header["qlog_format"] == "JSON-SEQ"
    kinds = Counter(event["name"] for event in client)
    flow = runs[0].flows.iloc[0]
    # A datagram of the handshake may have two packets.
    assert kinds["transport:packet_sent"] == pytest.approx(int(flow["segments_sent"]), abs=3)
    assert kinds["recovery:packet_lost"] == int(flow["retransmits"]) > 0
    windows = [
        event["data"].get("congestion_window") for event in client if event["name"] == "recovery:metrics_updated"
    ]
    assert max(filter(None, windows)) > 80 * 1452
    # Milliseconds of virtual time, in order.
    times = [event["time"] for event in client]
    assert times == sorted(times)
    assert 0 <= times[0] < 1
    assert 2900 < times[-1] <= 3000
    _, server = events(own / "connection-1-server.sqlog")
    received = sum(event["name"] == "transport:packet_received" for event in server)
    assert received == pytest.approx(kinds["transport:packet_sent"] - kinds["recovery:packet_lost"], abs=100)


def test_qlog_needs_a_folder(path: ww.Scenario):
    with pytest.raises(ValueError, match="qlog=True needs output"):
        path.simulate(qlog=True)


@needs_kernels
@pytest.mark.realtime
def test_a_flow_between_namespaces_has_the_simulator_s_goodput():
    link = ww.Link(name="path", from_="a", to="z", rate="8 Mbit/s", delay="10 ms", buffer="20 packets")
    own = [ww.Flow(name="down", from_="a", to="z", law="reno", transport="quic")]
    ends = [ww.Node(name="a"), ww.Node(name="z")]
    pair = ww.Scenario(name="pair", duration="4 s", warmup="1 s", node=ends, link=[link], flow=own)
    pair = dataclasses.replace(pair, output=ww.Output(internals=True))
    ours, real = pair.simulate(seeds=1), emulated(pair, seeds=1)
    goodput = ours.flows["goodput_bps"][0]
    assert real.flows["goodput_bps"][0] == pytest.approx(goodput, rel=0.05)
    assert real.flow_series["goodput_bps"].iloc[-10:].mean() == pytest.approx(goodput, rel=0.1)
    assert real.flows["min_rtt_s"][0] == pytest.approx(ours.flows["min_rtt_s"][0], abs=2e-3)
    # One reduction for a full buffer, in both; 20 ms and 20 packets make 2.5 cycles a second.
    assert real.flows["segments_lost"][0] == pytest.approx(ours.flows["segments_lost"][0], rel=0.5)
    assert "ssthresh" in set(real.internals["name"])


@needs_kernels
@pytest.mark.realtime
def test_a_sized_flow_between_namespaces_ends(path: ww.Scenario):
    own = dataclasses.replace(path.flow[0], size="300 kB", transport="quic")
    short = dataclasses.replace(path, flow=[own], duration="2 s", warmup="0 s")
    ours, real = short.simulate(seeds=1), emulated(short, seeds=1)
    assert real.flows["delivered_bytes"][0] == ours.flows["delivered_bytes"][0] == 300_000
    assert real.flows["completion_s"][0] == pytest.approx(ours.flows["completion_s"][0], rel=0.1)


@needs_kernels
def test_an_emulation_names_what_to_do(path: ww.Scenario):
    with pytest.raises(Exception, match="cannot control"):
        path.emulate(congestion={"download": "cubic"})
    page = ww.load(REPOSITORY / "scenarios" / "h3.toml")
    with pytest.raises(Exception, match="over QUIC are simulated only"):
        page.emulate()

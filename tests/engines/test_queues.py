"""Queue management and ECN: from a scenario to tables, captures and real kernels."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Cli, in_time

import windward as ww
from windward._engines.emulate import why_not

needs_kernels = pytest.mark.skipif((reason := why_not()) is not None, reason=str(reason))


def scenario(queue: object, ecn: str, duration: str = "20 s") -> ww.Scenario:
    return ww.Scenario(
        name="queues",
        duration=duration,
        warmup="3 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(name="uplink", from_="a", to="b", rate="20 Mbit/s", delay="20 ms", queue=queue)],
        flow=[
            ww.Flow(name="cubic", from_="a", to="b", law="cubic", ecn=ecn),
            ww.Flow(name="vegas", from_="a", to="b", law="vegas"),
        ],
    )


def test_marks_are_in_the_tables() -> None:
    run = scenario(ww.format.FqCodel(), "classic").simulate(seeds=1)
    flows, links = run.flows.set_index("flow"), run.links.set_index("link")
    assert flows.loc["cubic", "marked"] > 0
    assert flows.loc["cubic", "segments_lost"] == 0
    assert flows.loc["vegas", "marked"] == 0
    assert links.loc["uplink", "marked"] >= flows.loc["cubic", "marked"]
    assert "marked" in run._repr_html_()


def test_without_ecn_the_same_queue_drops() -> None:
    run = scenario("fq-codel", "off").simulate(seeds=1)
    assert run.flows["marked"].sum() == 0
    assert run.flows["segments_lost"].sum() > 0


def test_parameters_count() -> None:
    """A target of 30 ms leaves a longer queue than one of 5 ms."""
    waits = [
        scenario(ww.format.Codel(target=target), "off")
        .simulate(seeds=1)
        .links.set_index("link")
        .loc["uplink", "mean_queue_delay_s"]
        for target in ("5 ms", "30 ms")
    ]
    assert 2 * waits[0] < waits[1] < 0.06


def test_a_capture_has_the_bits(tmp_path: Path) -> None:
    """A SYN is Not-ECT and asks for ECN; data is ECT(0), with CWR after a reduction; ACKs carry the echo."""
    scenario("fq-codel", "classic").simulate(seeds=1, output=tmp_path / "run", pcap=True)
    [path] = (tmp_path / "run").rglob("*.pcapng")
    seen: dict[str, set[int]] = {"syn": set(), "data": set(), "ack": set()}
    data, at = path.read_bytes(), 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            packet = data[at + 28 : at + length]
            ecn, flags, is_ours = packet[1] & 3, packet[33], packet[12:16] == bytes([10, 0, 0, 1])
            payload = struct.unpack_from(">H", packet, 2)[0] - 20 - (packet[32] >> 4) * 4
            port = struct.unpack_from(">H", packet, 20 if is_ours else 22)[0]
            name = "syn" if flags & 2 else "data" if payload else "ack"
            if is_ours or name == "ack":
                seen[name].add((port, ecn, flags & 0xC0))
        at += length
    ports = sorted({port for port, _, _ in seen["data"]})
    first = {name: {(ecn, flags) for port, ecn, flags in found if port == ports[0]} for name, found in seen.items()}
    assert first["syn"] == {(0, 0xC0)}
    assert {(2, 0), (2, 0x80)} <= first["data"]
    assert (0, 0x40) in first["ack"]


@pytest.mark.parametrize(
    ("queue", "said"),
    [
        ("codell", "did you mean `codel`"),
        ("codel:target", "expected NAME=VALUE"),
        ("codel:target=1 s", "longer than the interval"),
        ("codel:targt=1 ms", "unknown key `targt`"),
    ],
)
def test_the_link_refuses_what_is_no_discipline(cli: Cli, queue: str, said: str) -> None:
    outcome = cli("link", "--rate", "10mbit", "--queue", queue, "--", "true")
    assert outcome.returncode == 2
    assert said in outcome.stderr


@pytest.mark.realtime
@needs_kernels
def test_real_kernels_are_marked() -> None:
    """CUBIC of Linux with ECN behind FQ-CoDel is marked and not dropped, and gets what it gets in the simulator."""
    short = scenario("fq-codel", "classic", "9 s")
    simulated = short.simulate(seeds=1)
    emulated = in_time(lambda: short.emulate(seeds=1), lambda run: run.problems)
    ours, theirs = (run.flows.set_index("flow") for run in (simulated, emulated))
    assert theirs.loc["cubic", "marked"] > 0
    assert theirs.loc["cubic", "segments_lost"] == 0
    assert (theirs["goodput_bps"] / ours["goodput_bps"] - 1).abs().max() < 0.1


def dsl(queue: object, hosts: tuple[int, ...] = (1, 4), *, flood: str | None = None) -> ww.Scenario:
    """Uploads of several hosts over a line of 10 Mbit/s; a flood is a stream that answers nothing."""
    names = [f"host-{at}" for at in range(len(hosts))]
    sending = [name for name, count in zip(names, hosts, strict=True) for _ in range(count)]
    return ww.Scenario(
        name="dsl",
        duration="40 s",
        warmup="10 s",
        node=[*(ww.Node(name=name) for name in names), ww.Node(name="router"), ww.Node(name="server")],
        link=[
            *(ww.Link(name=name, from_=name, to="router", rate="1 Gbit/s", delay="1 ms") for name in names),
            ww.Link(
                name="line",
                from_="router",
                to="server",
                rate="10 Mbit/s",
                delay="10 ms",
                queue=queue,
                reverse=ww.format.Reverse(queue="drop-tail"),
            ),
        ],
        # A scenario has a flow: beside floods one that sends nothing that counts.
        flow=[
            ww.Flow(name=f"upload-{at}", from_=name, to="server", law="cubic", **({"size": "1 B"} if flood else {}))
            for at, name in enumerate(sending)
        ],
        background=[
            ww.Background(
                name=f"flood-{at}", from_=name, to="server", packet="1500 B", pattern=ww.format.Cbr(rate=flood)
            )
            for at, name in enumerate(sending)
            if flood
        ],
    )


@pytest.mark.parametrize(("isolation", "share"), [("dual-srchost", 0.5), ("flows", 0.2)])
def test_cake_shares_by_host_or_by_flow(isolation: str, share: float) -> None:
    """One stream of a host beside four of another: half of the rate between hosts, a fifth between flows."""
    run = dsl(ww.format.Cake(bandwidth="9 Mbit/s", isolation=isolation), flood="12 Mbit/s").simulate(seeds=1)
    received = run.background["received"]
    assert received[0] / received.sum() == pytest.approx(share, abs=0.005)


def test_the_shaper_counts_the_cells_of_atm() -> None:
    """1500 bytes and 40 of overhead are 33 cells of 53 bytes: 9 Mbit/s of the line carry 9·1500/1749 of packets."""
    queue = ww.format.Cake(bandwidth="9 Mbit/s", framing="atm", overhead=40)
    # More of it would let BLUE empty the queue from time to time.
    run = dsl(queue, (1,), flood="8 Mbit/s").simulate(seeds=1)
    expected = 9e6 * 1500 / 1749
    assert run.background["received"][0] * 12_000 / 30 == pytest.approx(expected, rel=0.001)
    scenario = dsl(queue, (1,))
    assert scenario.optimum().flows["rate_bps"][0] == pytest.approx(expected, rel=1e-3)
    # The queue is in front of the shaper, under COBALT.
    assert 0.001 < scenario.simulate(seeds=1).links.set_index("link").loc["line", "mean_queue_delay_s"] < 0.03


def test_a_call_waits_for_a_packet_under_cake() -> None:
    """Behind drop-tail it waits for the buffer. A packet of 1500 bytes lasts 1.33 ms at 9 Mbit/s."""
    call = ww.Background(
        name="call", from_="host-0", to="server", packet="200 B", pattern=ww.format.Cbr(rate="100 kbit/s")
    )
    waits = []
    for queue in (ww.format.Cake(bandwidth="9 Mbit/s"), "drop-tail"):
        run = replace(dsl(queue), background=[call]).simulate(seeds=1)
        waits.append(float(run.background["mean_delay_s"][0]) - 0.011)
    assert waits[0] < 0.002
    assert waits[1] > 0.1


def test_voice_has_a_tin() -> None:
    """A stream with EF beside four others has a quarter of 9 Mbit/s, one with LE a sixteenth (`diffserv4`)."""
    scenario = dsl(ww.format.Cake(bandwidth="9 Mbit/s", tins="diffserv4", isolation="flows"), flood="12 Mbit/s")
    first, *rest = scenario.background
    for dscp, share in (("EF", 1 / 4), ("LE", 1 / 16)):
        received = (
            replace(scenario, background=[replace(first, dscp=dscp), *rest]).simulate(seeds=1).background["received"]
        )
        assert received[0] / received.sum() == pytest.approx(share, abs=0.005)

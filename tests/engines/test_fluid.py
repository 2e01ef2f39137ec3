"""The fluid engine: against SciPy's integrators, against the optimum, on the command line."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import REPOSITORY, Cli, matches
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import windward as ww
from windward.theory import fluid, num

#: 12 Mbit/s and packets of 1500 B on the wire.
CAPACITY = 1000.0
PACKET_S = 1 / CAPACITY


def bottleneck(law: object, delays_ms: list[int], duration: str = "20 s", loss: float = 0.0) -> ww.Scenario:
    """Flows of one law with access links of these one-way delays, over one link of 1000 packets a second."""
    return ww.Scenario(
        name="bottleneck",
        duration=duration,
        output=ww.Output(sample_interval="100 ms"),
        node=[ww.Node(name="sender", count=len(delays_ms)), ww.Node(name="router"), ww.Node(name="receiver")],
        link=[
            *(
                ww.Link(from_=f"sender-{at}", to="router", rate="100 Gbit/s", delay=f"{delay} ms", buffer="unlimited")
                for at, delay in enumerate(delays_ms, 1)
            ),
            ww.Link(from_="router", to="receiver", rate="12 Mbit/s", delay="1 ms", buffer="unlimited", loss=loss),
        ],
        flow=[
            ww.Flow(name=f"f{at}", from_=f"sender-{at}", to="receiver", law=law) for at in range(1, len(delays_ms) + 1)
        ],
    )


def queue(windows: Iterable[float], base_rtts: Iterable[float]) -> float:
    """The delay q at which the windows fill the link: sum of w/(d + q) = c, or 0."""
    # Arrays of two are ten times as slow as numbers.
    flows = [(float(w), float(d)) for w, d in zip(windows, base_rtts, strict=True)]
    excess = lambda q: sum([w / (d + q) for w, d in flows]) - CAPACITY  # noqa: E731
    return 0.0 if excess(0.0) <= 0 else brentq(excess, 0.0, sum([w for w, _ in flows]) / CAPACITY + 1, xtol=1e-14)


@pytest.mark.parametrize("rho", [0.25, 0.5, 1.0])
def test_quic_tcp_follows_scipy(rho: float) -> None:
    """Equation (18) of huang2020, one step a round trip, by DOP853 with tolerances of 1e-10 and its own root for q.

    Ours runs at 1e-8 a step and rounds delays to a nanosecond, 1e-8 of a round trip of 0.1 s; over the 1000 steps or
    so of a run both stay far below 1e-5.
    """
    kappa, p = 0.5 * 100 ** (2 * rho - 1), 20.0
    delays = [20, 60]
    # There and back, and a packet's transmission on either link.
    base = np.array([2e-3 * (delay + 1) + PACKET_S + 12000 / 100e9 for delay in delays])

    def slope(_: float, w: np.ndarray) -> np.ndarray:
        q = queue(w, base)
        rtt = base + q
        v = w - w * base / rtt - p
        return -kappa * base / rtt * w ** (1 - 2 * rho) * v / rtt

    scenario = bottleneck(ww.QuicTcp(rho=rho, kappa=kappa, backlog=p), delays)
    run = scenario.fluid(tolerance=1e-8)
    times = run.series["time_s"].unique()
    exact = solve_ivp(slope, (0, 21), [10.0, 10.0], method="DOP853", t_eval=times, rtol=1e-10, atol=1e-10).y
    ours = run.series.pivot(index="time_s", columns="flow", values="cwnd").to_numpy().T
    np.testing.assert_allclose(ours, exact, rtol=1e-5)


def test_the_equations_end_at_the_optimum() -> None:
    scenario = bottleneck(ww.QuicTcp(backlog=20), [20, 60, 100], duration="60 s")
    best, run = scenario.optimum("law"), scenario.fluid()
    assert run.flows["rate_bps"].to_numpy() == pytest.approx(best.flows["rate_bps"].to_numpy(), rel=1e-4)
    # The price of the bottleneck is its queueing delay.
    assert run.flows["queue_delay_ms"].max() / 1e3 == pytest.approx(best.links["price"].max(), rel=1e-4)
    assert run.settled_s is not None
    assert 0 < run.settled_s < 15


def test_periods_are_steps() -> None:
    """FAST pinned by its link closes the share gamma of its gap at every update (huang2020 section 2)."""
    run = bottleneck(ww.Fast(gamma=0.25, alpha=50), [49], duration="2 s").fluid(period_s=0.1)
    base = 0.1 + PACKET_S + 12000 / 100e9
    rest = CAPACITY * base + 50
    windows = run.series["cwnd"].to_numpy()
    # The window starts at 10, below the pipe: there x = w/d, and an update adds gamma alpha = 12.5.
    assert windows[:4] == pytest.approx([10, 22.5, 35, 47.5], rel=1e-9)
    full = windows[windows > CAPACITY * base]
    assert np.diff(rest - full) == pytest.approx(-0.25 * (rest - full[:-1]), rel=1e-6)


def test_the_command(cli: Cli, scenario_file: Path) -> None:
    matches("fluid", cli("fluid", scenario_file.name))
    answer = json.loads(cli("fluid", scenario_file.name, "--json", "--period", "0.02").stdout)
    assert {flow["flow"] for flow in answer["flows"]} == {"reno", "cubic-1", "cubic-2"}


def test_a_figure(cli: Cli, scenario_file: Path) -> None:
    assert cli("fluid", scenario_file.name, "--output", "fluid").returncode == 0
    assert cli("plot", "fluid", "--what", "rates", "--output", "fluid.png").returncode == 0
    assert (scenario_file.parent / "fluid.png").read_bytes().startswith(b"\x89PNG")
    refused = cli("plot", "fluid", "--what", "rings", "--output", "fluid.png")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "unknown figure `rings`" in refused.stderr


def test_packets_of_different_size_have_no_fluid_form(link: Callable[..., ww.Scenario]) -> None:
    flows = [ww.Flow(name=f"f{at}", from_="a", to="b", law="reno", segment=f"{at}00 B") for at in (1, 9)]
    with pytest.raises(ValueError, match="differ in size, 152 and 952 B"):
        link(*flows).fluid()


def test_a_law_in_python_has_none() -> None:
    class Mine:
        cwnd = 4.0

        def __init__(self, cwnd: float) -> None:
            pass

        def on_ack(self, ack: ww.Ack) -> None:
            pass

        def on_congestion(self, event: ww.Congestion) -> None:
            pass

    scenario = bottleneck(Mine, [10])
    with pytest.raises(ValueError, match="a law in Python has no fluid model"):
        scenario.fluid()


def test_any_network_can_be_followed() -> None:
    """QUIC-TCP alone on a link of 100 packets/s, d = 0.1 s: it ends with p packets in the queue, w = c d + p."""
    network = num.wired([100.0], [[0]], [])["network"]
    settings = {"base_rtt_s": [0.1], "windows": [2.0], "interval_s": 0.5}
    law = ww.QuicTcp(rho=0.5, kappa=0.5, backlog=30.0)
    run = fluid.follow(network, [law], duration_s=60.0, **settings)
    assert run.windows[-1] == pytest.approx([40], rel=1e-6)
    assert run.delays_s[-1] == pytest.approx([0.3], rel=1e-6)
    assert run.rates.shape == (121, 1)
    settled = run.settled_s([100.0])
    assert settled is not None
    assert 0 < settled < 10
    assert run.settled_s([200.0]) is None
    # By a common clock a step is a second, not a round trip of 0.4 s at rest: it takes longer.
    common = fluid.follow(network, [law], duration_s=60.0, clock="common", **settings).settled_s([100.0])
    assert common is not None
    assert common > settled
    # A buffer of 10 packets holds no more.
    full = fluid.follow(network, [law], duration_s=60.0, buffers=[10.0], **settings)
    assert full.delays_s[-1] == pytest.approx([0.1], rel=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"windows": [0.0]}, "windows: expected 1 numbers above 0"),
        ({"base_rtt_s": [0.1, 0.1]}, "base_rtt_s: expected 1 numbers"),
        ({"duration_s": -1.0}, "the duration_s is -1"),
        ({"period_s": 0.0}, "the period_s is 0"),
        ({"period_s": 1e-300}, r"the period_s is 1e-300: 1e\+300 updates in 1 s; at most 1e\+09 are allowed"),
        ({"buffers": [1.0, 2.0]}, "buffers: expected 1 non-negative numbers"),
        ({"laws": [ww.QuicTcp(rho=2.0)]}, "quic-tcp.rho"),
    ],
)
def test_what_cannot_be_followed_is_refused(change: dict[str, object], message: str) -> None:
    settings = {"laws": [ww.QuicTcp()], "base_rtt_s": [0.1], "windows": [2.0], "duration_s": 1.0, "interval_s": 0.5}
    with pytest.raises(ValueError, match=message):
        fluid.follow(num.wired([100.0], [[0]], [])["network"], **(settings | change))


def test_delayed_feedback_against_explicit_steps() -> None:
    """Two QUIC-TCP flows that see their path 100 ms late, against Euler's steps of the same equation, 16 times shorter.

    The tolerance is Euler's: half a step times the second derivative over the rate at which the law forgets, some 1e-3.
    """
    lag, step, base, backlog = 0.1, 1e-4, np.array([0.1, 0.05]), 20.0
    run = fluid.follow(
        {"links": [{"wired": CAPACITY}], "routes": [[0], [0]]},
        [ww.QuicTcp(kappa=0.3, backlog=backlog)] * 2,
        base_rtt_s=base,
        windows=[100.0, 60.0],
        duration_s=4,
        interval_s=0.5,
        feedback_delay_s=lag,
    )

    windows, late, bases = [100.0, 60.0], round(lag / step), base.tolist()
    queues = [queue(windows, bases)]
    for at in range(40_000):
        if at % 5000 == 0:
            np.testing.assert_allclose(run.windows[at // 5000], windows, rtol=3e-3)
        seen = queues[max(at - late, 0)]
        windows = [
            w - step * 0.3 * d / (d + seen) * (w - w * d / (d + seen) - backlog) / (d + seen)
            for w, d in zip(windows, bases, strict=True)
        ]
        queues.append(queue(windows, bases))


def test_a_delay_is_a_number_of_seconds_or_a_round_trip(cli: Cli, scenario_file: Path) -> None:
    late = json.loads(cli("fluid", str(scenario_file), "--feedback-delay", "rtt", "--json").stdout)
    assert len(late["flows"]) > 0
    for wrong in ("soon", "-1"):
        result = cli("fluid", str(scenario_file), "--feedback-delay", wrong)
        assert result.returncode != 0
        assert "feedback" in result.stderr
    result = cli("fluid", str(scenario_file), "--feedback-delay", "rtt", "--period", "0.02")
    assert result.returncode != 0
    assert "period" in result.stderr


def test_emultcp_against_scipy() -> None:
    """chen2007 (14) over a shared link, against DOP853 on the equations written out here."""
    beta, capacity, loss, rtt, speed = 50.0, 200.0, np.array([0.02, 0.05]), np.array([0.168, 0.1]), 0.0125

    def slope(_: float, state: np.ndarray) -> np.ndarray:
        x, n = state[:2], state[2:]
        g = np.logaddexp(0, beta * (1 - capacity / x.sum())) / beta
        f = np.tanh(beta * g / 2)
        return np.concatenate([(2 * n**2 / rtt**2 - x**2 * (loss + g)) / (2 * n), speed * (1 / n - n * f)])

    users = [fluid.EmultcpUser(rtt_s=t, loss=e, speed=speed) for t, e in zip(rtt, loss, strict=True)]
    start = {"rates": [20.0, 90.0], "connections": [1.0, 3.0]}
    run = fluid.follow_emultcp(
        [capacity], [[0], [0]], users, **start, duration_s=100, interval_s=10, beta=beta, tolerance=1e-9
    )
    exact = solve_ivp(slope, (0, 100), [20, 90, 1, 3], "DOP853", run.time_s, rtol=1e-11, atol=1e-11).y.T
    np.testing.assert_allclose(np.hstack([run.rates, run.connections]), exact, rtol=1e-6)
    with pytest.raises(ValueError, match="one per user"):
        fluid.follow_emultcp([capacity], [[0], [0]], users, rates=[1.0], connections=[1.0], duration_s=1, interval_s=1)
    with pytest.raises(ValueError, match="link 3"):
        fluid.follow_emultcp([capacity], [[0], [3]], users, **start, duration_s=1, interval_s=1)


def test_a_download_as_a_fluid_and_in_packets(tmp_path: Path) -> None:
    """scenarios/emultcp.toml with Reno: means from 20 to 60 s, six seeds.

    What the fluid leaves out, timeouts and the repair of what is lost, costs the packets 1 % at 0.5 and 4 % at 3 % of
    loss. Their queue moves about Q by bursts, which the fluid has none of.
    """
    file = REPOSITORY / "scenarios" / "emultcp.toml"
    text = file.read_text(encoding="utf-8").replace('law = "cubic"', 'law = "reno"')
    scenario = tmp_path / "download.toml"
    for loss in (0.005, 0.02):
        run = fluid.follow_download(capacity=1e7 / 12e3, rtt_s=0.1, loss=loss, buffer=83, duration_s=60)
        late = run.time_s >= 20
        scenario.write_text(text.replace('loss = "2 %"', f"loss = {loss}"), encoding="utf-8")
        packets = ww.load(scenario).simulate(seeds=range(1, 7))
        flows = packets.flow_series[packets.flow_series["time_s"] > 20]
        goodput = flows["goodput_bps"].sum() / 6 / flows["time_s"].nunique()
        # Of 1500 bytes 1448 are payload.
        assert goodput == pytest.approx(run.rates[late].mean() * 8 * 1448, rel=0.05)
        links = packets.link_series[(packets.link_series["link"] == "air") & (packets.link_series["time_s"] > 20)]
        queue = run.queues_s[late].mean() * 1e3
        assert queue < links["queue_delay_ms"].mean() < queue + 5
    with pytest.raises(ValueError, match="loss"):
        fluid.follow_download(capacity=1.0, rtt_s=0.1, loss=1.0, buffer=1, duration_s=1)


def test_tcp_fit_rests_where_its_equations_say() -> None:
    """wang2016 (8) and (3): N = alpha rtt/q and W^2 = (1-p)/p N(3N+1)/2 with W = c (d + q); the root for q by SciPy.

    Steps of 1e-6; the slower of its time constants, W/(p W^2 b/rtt) and N R, are a few seconds of the 300.
    """
    base, loss, alpha = 0.1 + PACKET_S, 1e-3, 0.1

    def excess(q: float) -> float:
        n = alpha * (base + q) / q
        return (1 - loss) / loss * n * (3 * n + 1) / 2 - (CAPACITY * (base + q)) ** 2

    q = brentq(excess, 1e-4, 0.009, xtol=1e-14)
    scenario = ww.Scenario(
        name="lossy",
        duration="300 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate="12 Mbit/s", delay="50 ms", buffer="unlimited", loss=loss)],
        flow=[ww.Flow(from_="a", to="b", law="tcp-fit")],
    )
    end = scenario.fluid().flows.iloc[0]
    assert end["queue_delay_ms"] == pytest.approx(q * 1e3, rel=1e-3)
    assert end["cwnd"] == pytest.approx(CAPACITY * (base + q), rel=1e-4)


@pytest.mark.parametrize(("loss", "stays"), [(1e-3, False), (1e-2, True)])
def test_tcp_fit_follows_scipy(loss: float, stays: bool) -> None:
    """wang2016 (3) and (8) in windows and connections of two flows, by DOP853 with its own root for q.

    N is cut at one while the queue is too long for it, so its slope has corners; DOP853 passes them in short steps.
    Ours runs at 1e-8 a step and rounds delays to a nanosecond: q is some milliseconds, so dN/dt is right to 1e-6.
    """
    alpha, period, delays = 0.1, 0.5, [20, 60]
    base = np.array([2e-3 * (delay + 1) + PACKET_S + 12000 / 100e9 for delay in delays])

    def slope(_: float, state: np.ndarray) -> np.ndarray:
        w, n = state[:2], state[2:]
        q = queue(w, base)
        rtt = base + q
        grow = (1 - n * q / (alpha * rtt)) / np.maximum(rtt, period)
        window = ((1 - loss) * n - loss * w**2 * 2 / (3 * n + 1)) / rtt
        return np.concatenate([window, np.where(n <= 1, np.maximum(grow, 0), grow)])

    run = bottleneck("tcp-fit", delays, loss=loss).fluid(tolerance=1e-8)
    times = run.series["time_s"].unique()
    exact = solve_ivp(slope, (0, 21), [10.0, 10.0, 1.0, 1.0], "DOP853", times, rtol=1e-9, atol=1e-9, max_step=0.01).y
    ours = run.series.pivot(index="time_s", columns="flow", values="cwnd").to_numpy().T
    np.testing.assert_allclose(ours, exact[:2], rtol=1e-5)
    # Neither run is one of two Renos: N leaves 1, and ends above it or cut back to it.
    assert exact[2:].max() > 2
    assert (exact[2:, -1] > 1.1).all() == stays


@pytest.mark.parametrize(
    ("loss", "rtt_ms", "seconds"),
    [(0.001, 20, 60), (0.001, 100, 150), (0.001, 200, 200), (0.003, 20, 60), (0.003, 100, 100), (0.01, 20, 40)],
)
def test_cubic_rests_where_its_packets_do(loss: float, rtt_ms: int, seconds: int) -> None:
    """RFC 9438 section 4.3: the larger of the cubic and the Reno-friendly response."""
    scenario = ww.Scenario(
        name="rest",
        duration=f"{seconds} s",
        stack="rfc",
        warmup=f"{seconds // 5} s",
        output=ww.Output(sample_interval="1 s"),
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[
            ww.Link(
                from_="a",
                to="b",
                rate="100 Mbit/s",
                delay=f"{rtt_ms / 2} ms",
                buffer="1000 packets",
                loss=loss,
                reverse=ww.format.Reverse(loss=0.0),
            )
        ],
        flow=[ww.Flow(name="flow", from_="a", to="b", law="cubic")],
    )
    packets = scenario.simulate(seeds=3).flows["goodput_bps"].mean()
    rest = scenario.fluid().flows["goodput_bps"].mean()
    # Both responses meet near 0.001 and 200 ms, where a flow has the better of them loss by loss; 3 seeds leave 5 %.
    assert 0.8 < packets / rest < 1.3, (packets, rest)


@pytest.mark.parametrize("law", ["vegas", "fast", "quic-tcp", "exp-delay"])
def test_delay_based_laws_cut_their_windows_at_losses(law: str) -> None:
    """One percent of losses on 100 Mbit/s and 50 ms, where the loss-free equations fill the link."""
    scenario = ww.Scenario(
        name="rest",
        duration="60 s",
        warmup="10 s",
        output=ww.Output(sample_interval="1 s"),
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[
            ww.Link(
                from_="a",
                to="b",
                rate="100 Mbit/s",
                delay="25 ms",
                buffer="417 packets",
                loss=0.01,
                reverse=ww.format.Reverse(loss=0.0),
            )
        ],
        flow=[ww.Flow(name="flow", from_="a", to="b", law=law, stack="linux")],
    )
    packets = scenario.simulate(seeds=2).flows["goodput_bps"].mean()
    rest = scenario.fluid().flows["goodput_bps"].mean()
    # Some 250 losses scatter the mean by 5 %; exp-delay doubles within a round trip, which no mean window does.
    assert packets / rest == pytest.approx(1, abs=0.2), (packets, rest)
    free = replace(scenario, duration="400 s").fluid(loss_free=True)
    assert free.flows["rate_bps"].iloc[0] == pytest.approx(100e6, rel=1e-3)
    assert free.how.endswith("loss-free")


def test_many_flows_are_followed_as_one() -> None:
    """Over access links of their own, 2000 flows are one class: one of them alone on its share goes the same way."""

    def crowd(count: int) -> ww.Fluid:
        return ww.Scenario(
            name="crowd",
            duration="5 s",
            output=ww.Output(sample_interval="1 s"),
            node=[ww.Node(name="sender", count=count), ww.Node(name="left"), ww.Node(name="right")],
            link=[
                ww.Link(from_="sender", to="left", rate="1 Gbit/s", delay="1 ms", buffer="unlimited"),
                ww.Link(from_="left", to="right", rate=f"{count} Mbit/s", delay="49 ms", buffer=f"{8 * count} packets"),
            ],
            flow=[ww.Flow(name="cubic", from_="sender", to="right", law="cubic")],
        ).fluid()

    many, one = crowd(2000), crowd(1)
    assert len(many.flows) == 2000
    assert len(many.series) == 6 * 2000
    assert many.flows["flow"].iloc[[0, -1]].tolist() == ["cubic-1", "cubic-2000"]
    every = many.series.pivot(index="time_s", columns="flow", values="cwnd").to_numpy()
    # Transmission takes longer at 1 Mbit/s than at 2 Gbit/s: windows differ by that share of a round trip.
    np.testing.assert_array_equal(every.min(axis=1), every.max(axis=1))
    np.testing.assert_allclose(many.flows["rate_bps"], 1e6, rtol=1e-6)
    np.testing.assert_allclose(one.flows["rate_bps"], 1e6, rtol=1e-6)


KEYS = """
name = "keys"
duration = "5 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ name = "l", from = "a", to = "b", rate = "10 Mbit/s", delay = "20 ms", buffer = "60 packets"LINK }]
flow = [{ name = "f", from = "a", to = "b", law = "reno"FLOW }]
"""


@pytest.mark.parametrize(
    ("flow", "link"),
    [
        (', receive_buffer = "20 kB"', ""),
        (', send_buffer = "20 kB"', ""),
        (', coding = "random"', ""),
        (", ack_counting = true", ""),
        (", ack_division = 4", ""),
        (', optimistic_acks = "1 ms"', ""),
        (", device_queue = 5", ""),
        ("", ', jitter = { model = "exponential", mean = "10 ms" }'),
        ("", ', reorder = { share = 0.1, delay = "15 ms" }'),
        ("", ', hold = { length = "20 ms" }'),
        ("", ', queue = { discipline = "policer", rate = "5 Mbit/s" }'),
    ],
)
def test_keys_that_no_equation_contains_are_refused(tmp_path: Path, flow: str, link: str) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(KEYS.replace("FLOW", flow).replace("LINK", link), encoding="utf-8")
    with pytest.raises(ValueError, match="not supported by the fluid engine"):
        ww.load(file).fluid()


def test_a_policer_is_the_capacity_of_the_optimum(tmp_path: Path) -> None:
    file = tmp_path / "policer.toml"
    policer = ', queue = { discipline = "policer", rate = "5 Mbit/s" }'
    file.write_text(KEYS.replace("FLOW", "").replace("LINK", policer), encoding="utf-8")
    # 1448 of 1500 bytes are payload.
    assert ww.load(file).optimum().flows["goodput_bps"].sum() == pytest.approx(5e6 * 1448 / 1500, rel=1e-3)

"""Eq. (2) of docs/concepts/starvation.md: by hand, in packets, and in the fluid model."""

import math

import pytest

import windward as ww

#: Flows A and B over a link of c packets/s; after 2 s the access link of A is longer.
NODES = [ww.Node(name=name) for name in "abmz"]


def step(law: ww.Law, capacity: int, delay_ms: float) -> ww.Scenario:
    """Flow A's path grows after both know it."""

    def access(name: str) -> ww.Link:
        return ww.Link(name=name, from_=name, to="m", rate="1 Gbit/s", delay="5 ms", buffer="unlimited")

    def flow(name: str) -> ww.Flow:
        return ww.Flow(name=name, from_=name, to="z", law=law, known_base_rtt="path")

    return ww.Scenario(
        name="step",
        duration="120 s",
        warmup="80 s",
        node=NODES,
        link=[
            access("a"),
            access("b"),
            ww.Link(name="core", from_="m", to="z", rate=f"{12 * capacity} kbit/s", delay="20 ms", buffer="unlimited"),
        ],
        change=[ww.Change(link="a", at="2 s", delay=f"{5 + delay_ms} ms")],
        flow=[flow("a"), flow("b")],
    )


def ratio(law: ww.Law, capacity: int, delay_ms: float) -> float:
    """Rate of B over that of A in packets, in seconds 80 to 120."""
    flows = step(law, capacity, delay_ms).simulate(seeds=1).flows.set_index("flow")["goodput_bps"]
    return float(flows["b"] / flows["a"])


@pytest.mark.parametrize(
    ("law", "capacity", "delay_ms"),
    [
        (ww.QuicTcp(backlog=20), 1000, 10),
        (ww.QuicTcp(backlog=20), 1000, 40),
        (ww.QuicTcp(backlog=20), 1000, 160),
        (ww.Fast(alpha=20), 1000, 20),
        (ww.Fast(alpha=20), 1000, 80),
        (ww.QuicTcp(backlog=20), 10_000, 8),
    ],
    ids=lambda value: getattr(type(value), "__name__", None) if not isinstance(value, int) else str(value),
)
def test_packets_share_as_the_formula_says(law: ww.Law, capacity: int, delay_ms: float) -> None:
    expected = ww.laws.ratio_under_delay(delay_ms / 1e3, capacity, 20)
    # Hosts send whole packets: half a packet of the 20 does not wait, 4 % at large a; 4 % more for the oscillation.
    assert ratio(law, capacity, delay_ms) == pytest.approx(expected, rel=0.08)


@pytest.mark.parametrize("law", [ww.QuicTcp(backlog=20), ww.Fast(alpha=20)], ids=["quic-tcp", "fast"])
@pytest.mark.parametrize("delay_ms", [10, 60, 160])
def test_the_fluid_shares_as_the_formula_says(law: ww.Law, delay_ms: float) -> None:
    rests = step(law, 1000, delay_ms).fluid().rests
    last = rests[rests["from_s"] == 2.0].set_index("flow")["rate_bps"]
    assert last["b"] / last["a"] == pytest.approx(ww.laws.ratio_under_delay(delay_ms / 1e3, 1000, 20), rel=2e-3)


def test_a_base_that_is_too_long_is_a_late_starter() -> None:
    settings = {"base_rtt_s": [0.05, 0.05], "windows": [10.0, 10.0], "duration_s": 60.0, "interval_s": 1.0}
    link = ww.num.wired([1000.0], [[0], [0]], [])["network"]
    path = ww.fluid.follow(link, [ww.QuicTcp(backlog=20)] * 2, known_base_rtt_s=[0.05, 0.07], **settings)
    assert path.rates[-1, 1] / path.rates[-1, 0] == pytest.approx((1 + math.sqrt(5)) / 2, rel=1e-4)
    # The same error of both shifts the queue alone.
    both = ww.fluid.follow(link, [ww.QuicTcp(backlog=20)] * 2, known_base_rtt_s=[0.07, 0.07], **settings)
    assert both.rates[-1, 1] == pytest.approx(both.rates[-1, 0])
    assert both.delays_s[-1, 0] == pytest.approx(0.02 + 2 * 20 / 1000, rel=1e-3)
    with pytest.raises(ValueError, match="known_base_rtt_s: expected 2 numbers above 0"):
        ww.fluid.follow(link, [ww.QuicTcp(backlog=20)] * 2, known_base_rtt_s=[0.05, 0.0], **settings)


def test_the_exponential_map_costs_the_same_ratio_on_any_link() -> None:
    # Whole packets: windows of some 30 packets at 1000 packets/s.
    for capacity in (1000, 10_000):
        assert ratio(ww.ExpDelay(), capacity, 10) == pytest.approx(math.exp(10 / 14.4), rel=0.04)


def test_without_the_delay_the_shares_are_equal() -> None:
    assert ratio(ww.QuicTcp(backlog=20), 1000, 0) == pytest.approx(1, rel=0.03)


def test_the_ratio_solves_its_equation() -> None:
    for a in (0.0, 1e-9, 0.5, 1.0, 7.3, 1e6):
        r = ww.laws.ratio_under_delay(a * 20 / 1000, 1000, 20)
        assert r * r - a * r == pytest.approx(1, rel=1e-9, abs=1e-3 if a > 1e5 else 0)
    assert ww.laws.ratio_under_delay(0.02, 1000, 20) == pytest.approx((1 + math.sqrt(5)) / 2)


@pytest.mark.parametrize(("flows", "a"), [(2, 3.0), (5, 2.0), (40, 100.0)])
def test_of_many_flows_one_is_delayed(flows: int, a: float) -> None:
    r = ww.laws.ratio_under_delay(a * 20 / 1000, 1000, 20, flows)
    # x₁ + (n − 1) r x₁ = c, x₁ (q + e₁) = p, r x₁ (q + e₂) = p: the delayed flow's e is larger by a·p/c.
    x1 = 1 / (1 + (flows - 1) * r)
    assert 1 / x1 - 1 / (r * x1) == pytest.approx(a)


@pytest.mark.parametrize(
    "arguments", [(-1.0, 1000, 20), (math.nan, 1000, 20), (1.0, 0, 20), (1.0, 1000, 0), (1.0, 1000, 20, 1)]
)
def test_what_has_no_ratio_is_refused(arguments: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"delay|capacity|backlog|flows"):
        ww.laws.ratio_under_delay(*arguments)

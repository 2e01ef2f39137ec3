"""Eq. (2) of docs/concepts/starvation.md: by hand, and in packets."""

import math

import pytest

import windward as ww

#: Flows A and B over a link of c packets/s; after 2 s the access link of A is longer.
NODES = [ww.Node(name=name) for name in "abmz"]


def ratio(law: ww.Law, capacity: int, delay_ms: float) -> float:
    """Rate of B over that of A, in seconds 80 to 120."""

    def access(name: str) -> ww.Link:
        return ww.Link(name=name, from_=name, to="m", rate="1 Gbit/s", delay="5 ms", buffer="unlimited")

    def flow(name: str) -> ww.Flow:
        return ww.Flow(name=name, from_=name, to="z", law=law, known_base_rtt="path")

    scenario = ww.Scenario(
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
    flows = scenario.simulate(seeds=1).flows.set_index("flow")["goodput_bps"]
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

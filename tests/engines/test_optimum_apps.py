"""Applications in the optimum: loads, the largest multiple, and mean times by processor sharing."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import windward as ww


def read(text: str, folder: Path) -> ww.Scenario:
    file = folder / "n.toml"
    file.write_text(text, encoding="utf-8")
    return ww.load(file)


#: Bytes of a response that is 100 kbit on the wire of 1 Mbit/s, in parts: 1448 + 52 bytes a segment.
RESPONSE = 8 * 1448
WIRE = 8 * 1500 * 8


def network(folder: Path, arrivals: str, *, flows: int = 0, rate: str = "1 Mbit/s", more: str = "") -> ww.Scenario:
    """A client behind one slow link; responses of 96 kbit on the wire, 0.096 s at 1 Mbit/s."""
    flow = "".join(f'[[flow]]\nname = "f{at}"\nfrom = "b"\nto = "a"\nlaw = "reno"\n' for at in range(flows))
    return read(
        f"""
        name = "n"
        duration = "10 s"
        node = [{{ name = "a" }}, {{ name = "b" }}]
        [[link]]
        from = "b"
        to = "a"
        rate = "{rate}"
        delay = "10 ms"
        reverse = {{ rate = "1 Gbit/s" }}
        [[app]]
        kind = "requests"
        name = "web"
        from = "a"
        to = "b"
        law = "reno"
        arrivals = {arrivals}
        response = "{RESPONSE} B"
        {more}
        {flow}
        """,
        folder,
    )


#: A request of 328 + 52 bytes over 1 Gbit/s.
REQUEST_S = 380 * 8 / 1e9


def test_processor_sharing_doubles_the_time_at_half_load(tmp_path: Path) -> None:
    """M/G/1-PS: x/(C(1 − ρ)), so 0.192 s at a load of 0.5, and twice the load fits."""
    best = network(tmp_path, '{ kind = "poisson", load = 0.5 }').optimum()
    assert best.apps is not None
    row = best.apps.iloc[0]
    assert row["load"] == pytest.approx(0.5, abs=1e-6)
    assert best.load_multiple == pytest.approx(2, rel=1e-6)
    assert row["completion_s"] == pytest.approx(0.020 + REQUEST_S + 0.192, rel=1e-6)
    assert row["slowdown"] == pytest.approx((0.020 + REQUEST_S + 0.192) / (0.020 + 0.096), rel=1e-6)
    assert row["requests_per_s"] == pytest.approx(0.5 / 0.096, rel=1e-6)


@pytest.mark.parametrize("flows", [1, 3])
def test_greedy_flows_are_permanent_customers(flows: int, tmp_path: Path) -> None:
    """K greedy flows make the time K + 1 times as long, and share what the requests leave."""
    best = network(tmp_path, '{ kind = "poisson", load = 0.5 }', flows=flows).optimum()
    assert best.apps is not None
    assert best.apps["completion_s"].iloc[0] == pytest.approx(0.020 + REQUEST_S + (flows + 1) * 0.192, rel=1e-6)
    assert best.flows["rate_bps"].tolist() == pytest.approx([0.5e6 / flows] * flows, rel=1e-6)
    assert best.load_multiple == pytest.approx(2, rel=1e-6)


def test_a_load_above_one_is_unstable(tmp_path: Path) -> None:
    best = network(tmp_path, '{ kind = "poisson", load = 1.25 }').optimum()
    assert best.apps is not None
    assert best.load_multiple == pytest.approx(0.8, rel=1e-6)
    assert math.isinf(best.apps["completion_s"].iloc[0])
    assert best.to_dict()["apps"][0]["completion_s"] is None
    with pytest.raises(ValueError, match="link `b->a`: background traffic and applications take all of its capacity"):
        network(tmp_path, '{ kind = "poisson", load = 1.25 }', flows=1).optimum()


@pytest.mark.parametrize(("users", "rate"), [(1, 0.9091), (5, 4.3605), (10, 7.8542), (20, 9.9813)])
def test_closed_loops_have_the_published_rates(users: int, rate: float, tmp_path: Path) -> None:
    """Mean value analysis with D = 0.1 s and Z = 1 s (0.96 Mbit/s; round trip and request are part of Z)."""
    think = 1 - 0.020 - REQUEST_S
    arrivals = f'{{ kind = "closed", users = {users}, think = "{think:.9f} s" }}'
    best = network(tmp_path, arrivals, rate="960 kbit/s").optimum()
    assert best.apps is not None
    assert best.apps["requests_per_s"].iloc[0] == pytest.approx(rate, abs=1e-4)
    assert best.load_multiple is None


def test_closed_loops_of_two_kinds_over_one_link_are_refused(tmp_path: Path) -> None:
    other = '[[app]]\nkind = "requests"\nname = "api"\nfrom = "a"\nto = "b"\nlaw = "reno"\nresponse = "1 kB"\n'
    two = network(
        tmp_path,
        '{ kind = "closed", users = 3, think = "1 s" }',
        more=other + 'arrivals = { kind = "closed", users = 1, think = "1 s" }',
    )
    with pytest.raises(ValueError, match="app `api`: it shares its bottleneck with the closed loop of `web`"):
        two.optimum()


def test_the_fluid_engine_leaves_flows_what_the_loads_leave(tmp_path: Path) -> None:
    run = network(tmp_path, '{ kind = "poisson", load = 0.5 }', flows=1).fluid()
    assert run.flows["rate_bps"].iloc[-1] == pytest.approx(0.5e6, rel=0.01)
    with pytest.raises(ValueError, match="app `web`: closed loops are not supported by the fluid engine"):
        network(tmp_path, '{ kind = "closed", users = 3, think = "1 s" }', flows=1).fluid()
    with pytest.raises(ValueError, match="there is no flow"):
        network(tmp_path, '{ kind = "poisson", load = 0.5 }').fluid()


def test_shared_media_have_a_largest_multiple(tmp_path: Path) -> None:
    """Two stations that alone get c_1 and c_2 carry loads d_1 and d_2 up to θ(d_1/c_1 + d_2/c_2) = 1."""
    text = """
        name = "n"
        duration = "10 s"
        node = [{ name = "a" }, { name = "b" }, { name = "c" }]
        [[cell]]
        name = "cell"
        access_point = "b"
        slot = "1 ms"
        symbol_rate = "1 Msymbol/s"
        amc = "shannon"
        fading = "constant"
        station = [{ node = "a", snr = "0 dB" }, { node = "c", snr = "20 dB" }]
        [[link]]
        from = "a"
        to = "b"
        duplex = false
        rate = "100 Mbit/s"
        delay = "1 ms"
        [[link]]
        from = "c"
        to = "b"
        duplex = false
        rate = "100 Mbit/s"
        delay = "1 ms"
    """
    for name in ("a", "c"):
        text += f'[[app]]\nkind = "requests"\nname = "{name}"\nfrom = "{name}"\nto = "b"\nlaw = "reno"\n'
        text += f'arrivals = {{ kind = "poisson", rate = 1 }}\nresponse = "{RESPONSE} B"\n'
    best = read(text, tmp_path).optimum()
    alone = [math.log2(1 + 1) * 1e6, math.log2(1 + 100) * 1e6]
    assert best.load_multiple == pytest.approx(1 / sum(WIRE / rate for rate in alone), rel=1e-6)
    assert best.apps is not None
    assert best.apps["completion_s"].isna().all()
    assert (best.apps["bottleneck"] == "").all()

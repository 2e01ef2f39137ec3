"""Measures of RFC 9743 §6 and §7: general use and special cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from windward._evaluate import figures
from windward._evaluate.measure import Measure
from windward._evaluate.networks import Plain, bdp_packets, bottleneck, flow, windows


def _fills(section: str, key: str, network: str, template: Mapping[str, Any], **more: Any) -> Measure:
    """Goodput of one flow."""
    return Measure(
        key=key,
        section=section,
        network=network,
        figure="goodput",
        unit="bit/s",
        template=template,
        value=more.pop("value", figures.goodput()),
        is_large=True,
        **more,
    )


def tail_drop(*, is_full: bool) -> Iterator[Measure]:
    """§6.1: short and deep tail-drop buffers."""
    for bdps in (0.1, 0.2, 0.5, 1.0, 5.0, 10.0) if is_full else (0.2, 1.0, 5.0):
        yield _fills("6.1", f"buffer-{bdps:g}", f"20 Mbit/s, 40 ms, {bdps:g} BDP", bottleneck([flow()], bdps=bdps))


def wired(*, is_full: bool) -> Iterator[Measure]:
    """§6.3: rates and round trips of wired paths."""
    cases = [(2, 20), (10, 100), (100, 20)]
    if is_full:
        cases += [(2, 100), (10, 20), (100, 100), (500, 20)]
    for rate, rtt in cases:
        yield _fills(
            "6.3",
            f"{rate}-mbit-{rtt}-ms",
            f"{rate} Mbit/s, {rtt} ms, 1 BDP",
            bottleneck([flow(rate_mbit=rate)], rate_mbit=rate, rtt_ms=rtt, duration_s=30, warmup_s=10),
        )


def wireless(*, is_full: bool) -> Iterator[Measure]:
    """§6.4: random loss, Wi-Fi, a fading cell."""
    for loss in ("0.1 %", "1 %") if is_full else ("0.5 %",):
        lossy = bottleneck([flow()], link={"loss": loss, "reverse": {"loss": 0}})
        yield _fills("6.4", f"loss-{loss.replace(' %', '')}", f"20 Mbit/s, 40 ms, {loss} random loss", lossy)
    yield _fills("6.4", "wifi", "802.11g, a station at 12 m", _wifi())
    yield _fills("6.4", "cell", "LTE of 20 MHz, mean SNR 12 dB, 3 km/h", _cell())


def _wifi() -> Plain:
    return {
        "name": "evaluation",
        "duration": "20 s",
        "warmup": "5 s",
        "node": [{"name": name} for name in ("a", "ap", "b")],
        "link": [{"name": "core", "from": "a", "to": "ap", "rate": "200 Mbit/s", "delay": "10 ms"}],
        "wifi": [
            {
                "name": "home",
                "standard": "802.11g",
                "buffer": "200 packets",
                "station": [
                    {"node": "ap", "at": ["0 m", "0 m"]},
                    {"node": "b", "at": ["12 m", "0 m"]},
                ],
            }
        ],
        "flow": [flow()],
    }


def _cell() -> Plain:
    return {
        "name": "evaluation",
        "duration": "20 s",
        "warmup": "5 s",
        "node": [{"name": name} for name in ("a", "ap", "b")],
        "link": [{"name": "core", "from": "a", "to": "ap", "rate": "100 Mbit/s", "delay": "15 ms"}],
        "cell": [
            {
                "name": "cell",
                "access_point": "ap",
                "technology": "lte",
                "preset": "lte-20mhz",
                "buffer": "300 packets",
                "station": [{"node": "b", "snr": "12 dB", "speed": "3 km/h"}],
            }
        ],
        "flow": [flow()],
    }


def queues(*, is_full: bool) -> Iterator[Measure]:
    """§7.1: queue disciplines, with and without ECN."""
    cases: list[tuple[str, Any, str]] = [
        ("codel", "codel", "off"),
        ("codel-ecn", {"discipline": "codel", "ecn": True}, "classic"),
        ("pie", "pie", "off"),
        ("fq-codel", "fq-codel", "classic"),
        ("dualpi2", "dualpi2", "classic"),
    ]
    if is_full:
        cases += [("pie-ecn", {"discipline": "pie", "ecn": True}, "classic"), ("red", "red", "off")]
    for key, queue, ecn in cases:
        own = flow() if ecn == "off" else flow(ecn=ecn)
        template = bottleneck([own], link={"queue": queue, "buffer": "1000 packets"})
        network = f"{key.replace('-ecn', ' that marks')}, 20 Mbit/s, 40 ms"
        yield Measure(
            key=f"{key}-wait",
            section="7.1",
            network=network,
            figure="mean wait in the queue",
            unit="s",
            template=template,
            value=figures.wait(),
            is_large=False,
            margin=1.5,
            slack=0.002,
        )
        yield _fills("7.1", f"{key}-goodput", network, template)
    # A switch of a data center: what it asks of a law is the answer to marks, which is a question about AQM.
    for count in (2, 8) if is_full else (2,):
        marking = _marking(count)
        network = f"{count} flows, 10 Gbit/s, 40 µs, a switch that marks above 65 packets"
        yield Measure(
            key=f"switch-{count}-wait",
            section="7.1",
            network=network,
            figure="mean wait in the queue",
            unit="s",
            template=marking,
            value=figures.wait(),
            is_large=False,
            absolute=(65 + count) * 1.2e-6,
            source="Alizadeh et al., SIGCOMM 2010, §3.3: the queue peaks at K + N packets",
        )
        yield _fills("7.1", f"switch-{count}-goodput", network, marking)


def _marking(count: int) -> Plain:
    """Flows over a switch with the marking threshold of DCTCP's paper at 10 Gbit/s, 65 packets."""
    step = {"min": 65, "max": 65, "weight": 1, "gentle": False, "ecn": True, "hard_drop": False}
    return bottleneck(
        [flow(rate_mbit=10_000, count=count, ecn="classic", start_spread="1 ms")],
        rate_mbit=10_000,
        duration_s=0.06,
        warmup_s=0.02,
        link={"delay": "20 us", "buffer": "500 packets", "queue": {"discipline": "red", **step}},
    )


def breaker() -> Iterator[Measure]:
    """§7.2: RFC 8083's congestion circuit breaker."""
    yield Measure(
        key="loss-10",
        section="7.2",
        network="20 Mbit/s, 100 ms, 10 % random loss",
        figure="rate as a share of the circuit breaker's",
        unit="%",
        template=bottleneck([flow()], rtt_ms=100, link={"loss": "10 %", "reverse": {"loss": 0}}),
        value=figures.breaker_share(),
        is_large=False,
        absolute=1.0,
        source="RFC 8083 §4.3: ten times s/(Tr·√(2p/3))",
    )


def varying_delay(*, is_full: bool) -> Iterator[Measure]:
    """§7.3: a longer route, steps every 15 s, jitter."""
    step = bottleneck(
        [flow()],
        bdps=2,
        duration_s=30,
        change=[{"link": "core", "at": "10 s", "delay": "100 ms"}],
        output=windows(after=(12, 30)),
    )
    value = figures.window_goodput("after")
    network = "the least round trip steps from 40 to 120 ms, 20 Mbit/s, 133 packets"
    yield _fills("7.3", "step", network, step, value=value)
    jitter = {
        "jitter": {"model": "exponential", "mean": "5 ms"},
        "reverse": {"jitter": {"model": "uniform", "max": "0 s"}},
    }
    yield _fills("7.3", "jitter", "20 Mbit/s, 40 ms, exponential jitter of 5 ms", bottleneck([flow()], link=jitter))
    if is_full:
        steps = [{"at": "5 s", "delay": "50 ms"}, {"at": "20 s", "delay": "20 ms"}]
        often = bottleneck([flow()], bdps=2, duration_s=65, change=[{"link": "core", "every": "30 s", "steps": steps}])
        yield _fills("7.3", "steps", "the delay changes every 15 s, as behind satellites in a low orbit", often)


def constrained() -> Iterator[Measure]:
    """§7.4: a narrow path."""
    link = {"rate": "64 kbit/s", "buffer": "20 packets"}
    # A packet of 452 bytes takes 56.5 ms.
    own = flow(rate_mbit=0.064, segment="400 B") | {"host_jitter": "56 ms"}
    template = bottleneck([own], rate_mbit=0.064, rtt_ms=200, duration_s=90, warmup_s=20, link=link)
    yield _fills("7.4", "goodput", "64 kbit/s, 200 ms, 20 packets of 452 bytes", template)
    yield Measure(
        key="repeated",
        section="7.4",
        network="the same",
        figure="retransmissions",
        unit="%",
        template=template,
        value=figures.repeated(),
        is_large=False,
        margin=1.5,
        slack=0.01,
    )


def high_delay(*, is_full: bool) -> Iterator[Measure]:
    """§7.5: a satellite."""
    for loss in (0, 0.001) if is_full else (0,):
        link = {"loss": loss, "reverse": {"loss": 0}} if loss else {}
        yield _fills(
            "7.5",
            "satellite" + ("-loss" if loss else ""),
            f"10 Mbit/s, 600 ms, 1 BDP{', 0.1 % random loss' if loss else ''}",
            bottleneck([flow(rate_mbit=10)], rate_mbit=10, rtt_ms=600, duration_s=60, warmup_s=20, link=link),
        )


def misbehaving() -> Iterator[Measure]:
    """§7.6: receivers that divide ACKs, pulses of an attacker, a sender that does not respond to congestion."""
    yield Measure(
        key="ack-division",
        section="7.6",
        network="a flow whose receiver sends 10 ACKs for one, beside CUBIC, 20 Mbit/s, 40 ms, 1 BDP",
        figure="goodput of CUBIC",
        unit="bit/s",
        template=bottleneck([flow(ack_division=10), flow("cubic", name="other")], duration_s=60, warmup_s=15),
        value=figures.goodput("other"),
        is_large=True,
        margin=1.5,
    )
    pulses = {"kind": "on-off", "rate": "40 Mbit/s", "on": "100 ms", "off": "900 ms", **_FIXED}
    yield _fills(
        "7.6",
        "pulses",
        "pulses of 100 ms at twice the rate, once a second, 20 Mbit/s, 40 ms, 1 BDP",
        bottleneck([flow()], background=[_others(pulses)]),
        margin=1.5,
    )
    yield _fills(
        "7.6",
        "unresponsive",
        "beside 10 Mbit/s that do not respond to congestion, 20 Mbit/s, 40 ms, 1 BDP",
        bottleneck([flow()], background=[_others({"kind": "cbr", "rate": "10 Mbit/s"})]),
    )


#: Pulses of an attacker do not vary.
_FIXED = {"on_spread": "fixed", "off_spread": "fixed"}


def _others(pattern: Plain) -> Plain:
    """Datagrams of a sender that does not respond to congestion."""
    return {"name": "others", "from": "a", "to": "b", "start": "1 s", "pattern": pattern}


def reordering(*, is_full: bool) -> Iterator[Measure]:
    """§7.7: packets that overtake each other."""
    cases = [("1 %", "10 ms"), ("10 %", "10 ms")]
    if is_full:
        cases += [("1 %", "40 ms"), ("10 %", "5 ms")]
    for share, delay in cases:
        link = {"reorder": {"share": share, "delay": delay}, "reverse": {"reorder": {"share": 0, "delay": delay}}}
        yield _fills(
            "7.7",
            f"{share.removesuffix(' %')}-by-{delay.replace(' ', '-')}",
            f"{share} of the packets {delay} late, 20 Mbit/s, 40 ms",
            bottleneck([flow()], link=link),
        )


def transient(*, is_full: bool) -> Iterator[Measure]:
    """§7.8: outages, and load that comes at once."""
    for outage in (1, 3, 10) if is_full else (3,):
        up = 8 + outage
        template = bottleneck(
            [flow()],
            duration_s=up + 12,
            change=[{"link": "core", "steps": [{"at": "8 s", "up": False}, {"at": f"{up} s", "up": True}]}],
            output=windows(after=(up, up + 12)),
        )
        value = figures.window_goodput("after")
        yield _fills("7.8", f"outage-{outage}", f"12 s after an outage of {outage} s", template, value=value)
    if is_full:
        steps = [{"at": "5 s", "up": False}, {"at": "5.5 s", "up": True}]
        often = bottleneck([flow()], change=[{"link": "core", "every": "5 s", "steps": steps}])
        yield _fills("7.8", "intermittent", "an outage of 0.5 s every 5 s, 20 Mbit/s, 40 ms", often)
    load = {**_others({"kind": "cbr", "rate": "15 Mbit/s"}), "start": "10 s"}
    sudden = bottleneck([flow()], background=[load], output=windows(after=(10, 12)))
    yield Measure(
        key="load",
        section="7.8",
        network="15 of 20 Mbit/s taken by others from 10 s on; the next 2 s",
        figure="lost packets",
        unit="%",
        template=sudden,
        value=figures.window_lost("after"),
        is_large=False,
        margin=1.5,
        slack=0.01,
    )
    if is_full:
        ends = {**_others({"kind": "cbr", "rate": "15 Mbit/s"}), "stop": "10 s"}
        free = bottleneck([flow()], background=[ends], output=windows(after=(10, 20)))
        network = "15 of 20 Mbit/s that others leave at 10 s; the next 10 s"
        yield _fills("7.8", "load-ends", network, free, value=figures.window_goodput("after"))
        more = {**_others({"kind": "cbr", "rate": "500 kbit/s"}), "start": "10 s", "count": 30, "start_step": "1 s"}
        rising = bottleneck([flow()], duration_s=45, background=[more], output=windows(after=(10, 45)))
        yield Measure(
            key="load-rises",
            section="7.8",
            network="0.5 of 20 Mbit/s more taken by others each second from 10 to 40 s",
            figure="lost packets",
            unit="%",
            template=rising,
            value=figures.window_lost("after"),
            is_large=False,
            margin=1.5,
            slack=0.01,
        )


def changes(*, is_full: bool) -> Iterator[Measure]:
    """§7.9: ten times the rate, a tenth, and another route every 10 s."""
    buffer = {"buffer": f"{bdp_packets(20, 40, 2)} packets"}
    up = bottleneck(
        [flow()],
        duration_s=30,
        link={"rate": "2 Mbit/s", **buffer},
        change=[{"link": "core", "at": "10 s", "rate": "20 Mbit/s"}],
        output=windows(after=(12, 30)),
    )
    yield _fills("7.9", "up", "from 2 to 20 Mbit/s at 10 s, 40 ms", up, value=figures.window_goodput("after"))
    down = bottleneck(
        [flow()],
        duration_s=30,
        link=buffer,
        change=[{"link": "core", "at": "10 s", "rate": "2 Mbit/s"}],
        output=windows(after=(12, 30)),
    )
    yield _fills("7.9", "down", "from 20 to 2 Mbit/s at 10 s, 40 ms", down, value=figures.window_goodput("after"))
    yield Measure(
        key="down-loss",
        section="7.9",
        network="the same",
        figure="lost packets",
        unit="%",
        template=down,
        value=figures.window_lost("after"),
        is_large=False,
        margin=1.5,
        slack=0.01,
    )
    if is_full:
        steps = [
            {"at": "5 s", "rate": "10 Mbit/s", "delay": "50 ms"},
            {"at": "15 s", "rate": "20 Mbit/s", "delay": "20 ms"},
        ]
        routes = bottleneck(
            [flow()], duration_s=45, link=buffer, change=[{"link": "core", "every": "20 s", "steps": steps}]
        )
        yield _fills("7.9", "routes", "every 10 s another route: 20 Mbit/s and 40 ms, 10 Mbit/s and 100 ms", routes)


def data_centers() -> Iterator[Measure]:
    """§7.11: incast."""
    cases = [(8, 1000, 100), (32, 10_000, 40)]
    for count, rate, rtt in cases:
        template = bottleneck(
            [flow(rate_mbit=rate, count=count, size="256 kB", start_spread="20 us")],
            rate_mbit=rate,
            duration_s=4,
            warmup_s=0,
            link={"delay": f"{rtt / 2:g} us", "buffer": "128 packets"},
        )
        yield Measure(
            key=f"incast-{count}",
            section="7.11",
            network=f"{count} responses of 256 kB at once, {rate / 1000:g} Gbit/s, {rtt} µs, 128 packets",
            figure="completion of the last",
            unit="s",
            template=template,
            value=figures.last_completion("own", 4.0),
            is_large=False,
            margin=1.5,
            # One minimum timeout more is chance.
            slack=0.2,
        )

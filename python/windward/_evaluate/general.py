"""Measures of RFC 9743 §5: the law alone, and beside others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from windward._evaluate import figures
from windward._evaluate.measure import Measure
from windward._evaluate.networks import LAW, bottleneck, flow

#: Times at which short flows start, in seconds.
_STARTS = [f"{at:g} s" for at in (6, 8, 10, 12, 14, 16, 18, 20)]

#: Bytes of a short flow: some three round trips of slow start.
_SHORT = "100 kB"

#: A short flow that does not end within the run counts as this long.
_UNFINISHED_S = 30.0


def collapse() -> Iterator[Measure]:
    """§5.1.1: 99 % and 100 % loss for a minute; §5.2: loss of all feedback."""
    cases = (
        ("loss-99", "99 % of the packets", {"link": "core", "at": "5 s", "loss": "99 %"}),
        ("loss-100", "100 % of the packets", {"link": "core", "at": "5 s", "loss": "100 %"}),
        ("no-feedback", "all ACKs", {"link": "core-reverse", "at": "5 s", "loss": "100 %"}),
    )
    for key, what, change in cases:
        yield Measure(
            key=key,
            section="5.1.1",
            network=f"{what} lost from 5 s on; counted from 40 s to 100 s",
            figure="packets sent in a minute",
            unit="",
            template=bottleneck([flow()], duration_s=100, warmup_s=40, change=[change]),
            value=figures.sent_per_minute(60),
            is_large=False,
            margin=1.5,
            slack=2,
        )


def bufferbloat(*, is_full: bool) -> Iterator[Measure]:
    """§5.1.2: one flow in deep buffers."""
    for bdps in (1, 2, 5, 10, 20) if is_full else (2, 8):
        yield Measure(
            key=f"buffer-{bdps}",
            section="5.1.2",
            network=f"one flow, 20 Mbit/s, 40 ms, {bdps} BDP",
            figure="mean wait in the queue",
            unit="s",
            template=bottleneck([flow()], bdps=bdps, duration_s=60 if bdps > 8 else 30, warmup_s=5),
            value=figures.wait(),
            is_large=False,
            slack=0.002,
        )


def high_loss(*, is_full: bool) -> Iterator[Measure]:
    """§5.1.3: several flows in short buffers."""
    cases = [(4, bdps) for bdps in ((0.2, 0.5, 1.0, 1.5, 2.0, 4.0) if is_full else (0.5, 1.0, 2.0))]
    for count, bdps in [*cases, (16, 0.5), *([(2, 0.5), (16, 2.0)] if is_full else [])]:
        yield Measure(
            key=f"flows-{count}-buffer-{bdps:g}",
            section="5.1.3",
            network=f"{count} flows, 50 Mbit/s, 40 ms, {bdps:g} BDP",
            figure="lost segments",
            unit="%",
            template=bottleneck([flow(rate_mbit=50, count=count)], rate_mbit=50, bdps=bdps),
            value=figures.lost(),
            is_large=False,
            margin=1.5,
            slack=0.005,
        )


def fairness(*, is_full: bool) -> Iterator[Measure]:
    """§5.1.4: equal flows, a late one, unequal round trips."""
    length = 60 if is_full else 40
    equal = bottleneck([flow(count=4)], duration_s=length, warmup_s=10)
    late = bottleneck([flow(), flow(name="late", start="5 s")], duration_s=length, warmup_s=20)
    far = bottleneck([flow(), flow(name="far") | {"from": "c"}], duration_s=length, warmup_s=10)
    far["node"].append({"name": "c"})
    far["link"].append({"name": "access", "from": "c", "to": "a", "rate": "1 Gbit/s", "delay": "60 ms"})
    cases = [
        ("equal", "four flows from the start", equal, ("own",)),
        ("late", "a second flow 5 s after the first", late, ("own", "late")),
        ("far", "two flows with round trips of 40 ms and 160 ms", far, ("own", "far")),
    ]
    for rtt in (10, 160) if is_full else ():
        same = bottleneck([flow(count=2)], rtt_ms=rtt, bdps=100 / rtt, duration_s=length, warmup_s=20)
        cases.append((f"equal-{rtt}-ms", f"two flows with round trips of {rtt} ms", same, ("own",)))
    for key, network, template, groups in cases:
        yield Measure(
            key=key,
            section="5.1.4",
            network=f"{network}, 20 Mbit/s",
            figure="Jain's index",
            unit="",
            template=template,
            value=figures.jain_of(*groups),
            is_large=True,
            margin=1.15,
            slack=0.02,
        )


def short_flows() -> Iterator[Measure]:
    """§5.1.5: short flows of the law beside a long one, and its start."""
    both = bottleneck([flow(), flow(name="short", start=_STARTS, size=_SHORT, start_spread="1 s")], bdps=2)
    yield Measure(
        key="completion",
        section="5.1.5",
        network="100 kB every 2 s beside a long flow, 20 Mbit/s, 40 ms, 2 BDP",
        figure="mean completion time of the short flows",
        unit="s",
        template=both,
        value=figures.completion("short", _UNFINISHED_S),
        is_large=False,
        margin=1.5,
        slack=0.05,
    )
    yield Measure(
        key="long",
        section="5.1.5",
        network="the same",
        figure="goodput of the long flow",
        unit="bit/s",
        template=both,
        value=figures.goodput(),
        is_large=True,
    )
    # The first second alone: what the start sends beyond what the path holds is lost by then. Their number: a law that
    # sends little afterwards has a large share.
    yield Measure(
        key="start",
        section="5.1.5",
        network="the first second of a flow, 20 Mbit/s, 40 ms, 1 BDP",
        figure="number of lost segments",
        unit="",
        template=bottleneck([flow()], duration_s=1, warmup_s=0),
        value=figures.lost_segments(),
        is_large=False,
        slack=10,
    )


def standard_laws(against: Sequence[Any], *, is_full: bool) -> Iterator[Measure]:
    """§5.2.1: goodput, losses and round trips of standard laws beside the law."""
    counts = (1, 4) if is_full else (1,)
    for law in against:
        name = law if isinstance(law, str) else law["name"]
        for bdps in (0.25, 0.5, 1.0, 4.0, 16.0) if is_full else (0.5, 1.0, 4.0):
            for count in counts:
                yield from _harm(name, law, count, bdps)


def _harm(name: str, law: Any, count: int, bdps: float) -> Iterator[Measure]:
    """§5.2: harm is less goodput, more loss in short buffers, and more delay in deep ones."""
    template = bottleneck([flow(), flow(law, name="other", count=count)], bdps=bdps, duration_s=60, warmup_s=15)
    network = f"beside {count} × {name}, 20 Mbit/s, 40 ms, {bdps:g} BDP"
    yield Measure(
        key=f"{name}-{count}-buffer-{bdps:g}",
        section="5.2.1",
        network=network,
        figure=f"goodput of {name}",
        unit="bit/s",
        template=template,
        value=figures.goodput("other"),
        is_large=True,
        margin=1.5,
    )
    if bdps <= 1:
        yield Measure(
            key=f"{name}-{count}-loss-buffer-{bdps:g}",
            section="5.2.1",
            network=network,
            figure=f"lost segments of {name}",
            unit="%",
            template=template,
            value=figures.lost("other"),
            is_large=False,
            margin=1.5,
            slack=0.005,
        )
    else:
        yield Measure(
            key=f"{name}-{count}-rtt-buffer-{bdps:g}",
            section="5.2.1",
            network=network,
            figure=f"mean round trip of {name}",
            unit="s",
            template=template,
            value=figures.round_trip("other"),
            is_large=False,
            slack=0.002,
        )


def real_time(*, is_full: bool) -> Iterator[Measure]:
    """§5.2.2: beside a call with video."""
    for control in ("nada", "scream", "gcc") if is_full else ("nada",):
        for bdps in (1, 4) if is_full else (1,):
            call = {
                "kind": "call",
                "name": "call",
                "from": "a",
                "to": "b",
                "video": {"control": control, "least": "150 kbit/s", "most": "2 Mbit/s"},
            }
            template = bottleneck([flow()], bdps=bdps, app=[call])
            network = f"a call with {control} beside one flow, 20 Mbit/s, 40 ms, {bdps} BDP"
            yield Measure(
                key=f"{control}-rate-buffer-{bdps}",
                section="5.2.2",
                network=network,
                figure="mean video rate",
                unit="bit/s",
                template=template,
                value=figures.of_run("call_rate_bps"),
                is_large=True,
            )
            yield Measure(
                key=f"{control}-frames-buffer-{bdps}",
                section="5.2.2",
                network=network,
                figure="p95 delay of frames",
                unit="s",
                template=template,
                value=figures.of_run("frame_p95_s"),
                is_large=False,
                slack=0.01,
            )


def short_and_long() -> Iterator[Measure]:
    """§5.2.3: short flows of CUBIC beside the law, and the other way round."""
    for key, long, short in (("short-cubic", LAW, "cubic"), ("long-cubic", "cubic", LAW)):
        template = bottleneck(
            [flow(long, name="long"), flow(short, name="short", start=_STARTS, size=_SHORT, start_spread="1 s")], bdps=2
        )
        is_short = key == "short-cubic"
        yield Measure(
            key=key,
            section="5.2.3",
            network=f"100 kB every 2 s beside a long flow, the {'short' if is_short else 'long'} one of CUBIC",
            figure="mean completion time of the short flows" if is_short else "goodput of the long flow",
            unit="s" if is_short else "bit/s",
            template=template,
            value=figures.completion("short", _UNFINISHED_S) if is_short else figures.goodput("long"),
            is_large=not is_short,
            margin=1.5 if is_short else 1.25,
            slack=0.05 if is_short else 0.0,
        )

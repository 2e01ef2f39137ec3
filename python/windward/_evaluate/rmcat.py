"""The test cases of RFC 8867 for congestion control of interactive real-time media.

The law that is judged controls the video of calls. Its figures are those of the direction over the bottleneck.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from windward._evaluate.figures import Rows, Value, mean
from windward._evaluate.measure import Measure
from windward._evaluate.networks import LAW, Plain
from windward._evaluate.sections import Section
from windward.results.stats import jain

#: Laws of calls that evaluations judge, and those that set the thresholds: an RFC and a draft of a working group.
CONTROLS = ("nada", "scream", "gcc", "constant")
REFERENCES = ("nada", "scream")

#: Largest rate of a stream (§4.3), and rate of the speech beside it, in bit/s.
_MOST, _SPEECH = 1.5e6, 48e3

_SOURCE = "the worse of NADA and SCReAM v2 on the same networks and seeds"

CASES = (
    Section(
        key="5.1",
        title="Variable available capacity with a single flow",
        question="Does the rate follow a capacity of 1, 2.5, 0.6 and 1 Mbit/s?",
    ),
    Section(
        key="5.2",
        title="Variable available capacity with multiple flows",
        question="Do two streams follow a capacity of 4, 2, 3.5, 1 and 2 Mbit/s together, and equally?",
    ),
    Section(
        key="5.3",
        title="Congested feedback link with bi-directional media flows",
        question="Do both directions follow their capacities while reports wait behind media?",
    ),
    Section(
        key="5.4",
        title="Competing media flows with the same congestion control algorithm",
        question="Do three streams that begin 20 s apart share 3.5 Mbit/s equally?",
    ),
    Section(
        key="5.5",
        title="Round-trip time fairness",
        question="Do five streams of 20 to 300 ms share 4 Mbit/s equally?",
    ),
    Section(
        key="5.6",
        title="Media flow competing with a long TCP flow",
        question="Does a stream beside a TCP flow starve, or starve it?",
    ),
    Section(
        key="5.7",
        title="Media flow competing with short TCP flows",
        question="Do two streams keep rate and delay beside ten clients of short transfers?",
    ),
    Section(
        key="5.8",
        title="Media pause and resume",
        question="Is a stream back at its share after a pause of 20 s?",
        not_modelled="calls cannot pause their video",
    ),
    Section(
        key="6.1",
        title="Media flows with priority",
        question="Are shares those of the priorities?",
        not_modelled="only NADA has a priority",
    ),
    Section(
        key="6.2",
        title="Explicit congestion notification usage",
        question="Is the delay short, and little lost, where the queue marks?",
    ),
    Section(
        key="6.3",
        title="Multiple bottlenecks",
        question="Does a stream over two bottlenecks keep a share beside streams over one?",
    ),
)

#: Capacities from each time on, in Mbit/s: §5.1, §5.2, §5.3 there and back.
STEPS = {
    "5.1": ((0, 1.0), (40, 2.5), (60, 0.6), (80, 1.0)),
    "5.2": ((0, 4.0), (25, 2.0), (50, 3.5), (75, 1.0), (100, 2.0)),
    "5.3": ((0, 2.0), (20, 1.0), (40, 0.5), (60, 2.0)),
    "5.3-back": ((0, 2.0), (35, 0.8), (70, 2.0)),
}

_ENDS = {"5.1": 100, "5.2": 125, "5.3": 100, "5.3-back": 100}


def _call(name: str = "call", **more: Any) -> Plain:
    return {"kind": "call", "name": name, "from": "a", "to": "b", "video": {"control": LAW}, **more}


def _path(rate: float, apps: Sequence[Plain], duration_s: float, *, delay_ms: float = 50, **more: Any) -> Plain:
    """§5: 50 ms each way, a queue of 300 ms, jitter of at most 30 ms, and a way back without congestion."""
    core = {
        "name": "core",
        "from": "a",
        "to": "b",
        "rate": f"{rate:g} Mbit/s",
        "delay": f"{delay_ms:g} ms",
        "buffer": "300 ms",
        "jitter": {"model": "uniform", "max": "30 ms"},
        "reverse": {"rate": "100 Mbit/s", "buffer": "1000 packets"},
        **more.pop("link", {}),
    }
    return {
        "name": "evaluation",
        "duration": f"{duration_s:g} s",
        "warmup": more.pop("warmup", "5 s"),
        "node": [{"name": "a"}, {"name": "b"}, *more.pop("node", [])],
        "link": [core, *more.pop("links", [])],
        "app": list(apps),
        **more,
    }


def _steps(case: str, link: str = "core") -> Plain:
    return {"link": link, "steps": [{"at": f"{at} s", "rate": f"{rate:g} Mbit/s"} for at, rate in STEPS[case][1:]]}


def rates(rows: Rows, source: str, from_s: float, to_s: float) -> float:
    """Mean rate of the arrivals of a stream in a time, in bit/s."""
    found = [
        row["received_bps"]
        for row in rows.get("call_video_series", [])
        if row["source"] == source and from_s < row["time_s"] <= to_s
    ]
    return mean(found)


def used(case: str, sources: Sequence[str]) -> Value:
    """Least share of the capacity that streams use in the second half of one of its steps.

    A stream cannot use more than its largest rate, and shares with its call's speech.
    """
    ends = [*(at for at, _ in STEPS[case][1:]), _ENDS[case]]

    def value(rows: Rows) -> float:
        shares = []
        for (at, rate), end in zip(STEPS[case], ends, strict=True):
            most = min(rate * 1e6 - len(sources) * _SPEECH, len(sources) * _MOST)
            shares.append(math.fsum(rates(rows, own, (at + end) / 2, end) for own in sources) / most)
        return min(shares)

    return value


def _of(source: str, column: str) -> Value:
    """A figure of a stream."""
    return lambda rows: mean(row[column] for row in rows.get("call_videos", []) if row["source"] == source)


def _worst(column: str) -> Value:
    """Largest value of a column among the streams over the bottleneck."""
    return lambda rows: max(
        (row[column] for row in rows.get("call_videos", []) if row["source"].endswith(":video-up")), default=math.nan
    )


def _shares(from_s: float, to_s: float) -> Value:
    """Jain's index of the streams over the bottleneck in a time."""

    def value(rows: Rows) -> float:
        sources = {row["source"] for row in rows.get("call_videos", []) if row["source"].endswith(":video-up")}
        return jain([rates(rows, source, from_s, to_s) for source in sorted(sources)])

    return value


def _measure(case: str, key: str, network: str, figure: str, template: Plain, value: Value, **more: Any) -> Measure:
    given: dict[str, Any] = {"unit": "%", "is_large": True, "source": _SOURCE} | more
    return Measure(key=key, section=case, network=network, figure=figure, template=template, value=value, **given)


_FRAMES: Mapping[str, Any] = {"unit": "s", "is_large": False, "slack": 0.02}
_LOSS: Mapping[str, Any] = {"is_large": False, "margin": 1.5, "slack": 0.01}
_JAIN: Mapping[str, Any] = {"unit": "", "margin": 1.15, "slack": 0.02}


def _delays(case: str, network: str, template: Plain) -> list[Measure]:
    """Delay of frames and loss of the worst stream."""
    return [
        _measure(case, "frames", network, "p95 delay of frames", template, _worst("frame_delay_p95_s"), **_FRAMES),
        _measure(case, "loss", network, "lost datagrams", template, _worst("loss"), **_LOSS),
    ]


def measures() -> list[Measure]:
    """Measures of all cases that networks answer."""
    return [*_varying(), *_both_ways(), *_fair(), *_beside_tcp(), *_marked(), *_two_bottlenecks()]


def _varying() -> list[Measure]:
    one = _path(1.0, [_call()], 100, change=[_steps("5.1")])
    alone = "one stream, a capacity of 1, 2.5, 0.6, 1 Mbit/s, 50 ms each way"
    figure = "least share of a step's capacity in its second half"
    two = _path(4.0, [_call("one"), _call("two")], 125, change=[_steps("5.2")])
    both = "two streams, a capacity of 4, 2, 3.5, 1, 2 Mbit/s, 50 ms each way"
    return [
        _measure("5.1", "rate", alone, figure, one, used("5.1", ["call:video-up"])),
        *_delays("5.1", alone, one),
        _measure("5.2", "rate", both, figure, two, used("5.2", ["one:video-up", "two:video-up"])),
        _measure("5.2", "share", both, "Jain's index", two, _shares(25, 125), **_JAIN),
        *_delays("5.2", both, two),
    ]


def _both_ways() -> list[Measure]:
    back = {"rate": "2 Mbit/s", "buffer": "300 ms"}
    template = _path(
        2.0, [_call()], 100, link={"reverse": back}, change=[_steps("5.3"), _steps("5.3-back", "core-reverse")]
    )
    network = "a stream in each direction, capacities of 2, 1, 0.5, 2 and 2, 0.8, 2 Mbit/s"
    figure = "least share of a step's capacity in its second half"
    return [
        _measure("5.3", "rate", network, figure, template, used("5.3", ["call:video-up"])),
        _measure("5.3", "rate-back", network, f"{figure}, back", template, used("5.3-back", ["call:video-down"])),
        *_delays("5.3", network, template),
    ]


def _fair() -> list[Measure]:
    three = _path(3.5, [_call(f"call-{at}", start=f"{20 * at} s") for at in range(3)], 120)
    late = "three streams that begin 20 s apart, 3.5 Mbit/s; from 60 s on"
    ways = (10, 25, 50, 100, 150)
    calls = [_call(f"call-{at}", start=f"{10 * at} s") | {"from": f"c{at}"} for at in range(len(ways))]
    links = [
        {"name": f"access-{at}", "from": f"c{at}", "to": "a", "rate": "100 Mbit/s", "delay": f"{way - 5} ms"}
        for at, way in enumerate(ways)
    ]
    nodes = [{"name": f"c{at}"} for at in range(len(ways))]
    far = _path(4.0, calls, 300, delay_ms=5, node=nodes, links=links)
    distances = "five streams of 10, 25, 50, 100, 150 ms each way that begin 10 s apart, 4 Mbit/s; from 100 s on"
    return [
        _measure("5.4", "share", late, "Jain's index", three, _shares(60, 120), **_JAIN),
        *_delays("5.4", late, three),
        _measure("5.5", "share", distances, "Jain's index", far, _shares(100, 300), **_JAIN),
        *_delays("5.5", distances, far),
    ]


def _beside_tcp() -> list[Measure]:
    tcp = {"name": "other", "from": "a", "to": "b", "law": "cubic", "host_jitter": "6 ms"}
    long = _path(2.0, [_call(start="5 s")], 120, warmup="20 s", flow=[tcp])
    beside = "a stream beside a CUBIC, 2 Mbit/s, a queue of 300 ms"
    clients = {
        "kind": "session",
        "name": "short",
        "from": "b",
        "to": "a",
        "count": 10,
        "law": "cubic",
        "arrivals": {"kind": "closed", "users": 1, "think": "10 s"},
        "size": {"kind": "pareto", "shape": 0.5, "min": "100 kB", "max": "1 MB"},
    }
    short = _path(2.0, [_call("one", start="5 s"), _call("two", start="5 s"), clients], 300, warmup="20 s")
    many = "two streams beside ten clients of transfers of 100 kB to 1 MB, 2 Mbit/s"
    return [
        _measure(
            "5.6", "rate", beside, "mean rate", long, _of("call:video-up", "received_bps"), unit="bit/s", margin=1.5
        ),
        _measure(
            "5.6", "least", beside, "mean rate", long, _of("call:video-up", "received_bps"), unit="bit/s",
            absolute=250e3, source="an equal share is 1 Mbit/s: a quarter of it",
        ),
        _measure(
            "5.6", "tcp", beside, "goodput of CUBIC", long,
            lambda rows: mean(row["goodput_bps"] for row in rows.get("flows", []) if row["group"] == "other"),
            unit="bit/s", margin=1.5,
        ),
        *_delays("5.6", beside, long),
        _measure("5.7", "share", many, "Jain's index", short, _shares(20, 300), **_JAIN),
        _measure(
            "5.7", "rate", many, "mean rate of one", short, _of("one:video-up", "received_bps"), unit="bit/s",
            margin=1.5,
        ),
        *_delays("5.7", many, short),
    ]  # fmt: skip


def _marked() -> list[Measure]:
    call = _call() | {"video": {"control": LAW, "ecn": "classic"}}
    queue = {"queue": {"discipline": "codel", "ecn": True}, "buffer": "1000 packets"}
    template = _path(1.0, [call], 60, link=queue, warmup="20 s")
    network = "one stream, 1 Mbit/s, CoDel that marks"
    return [
        _measure("6.2", "rate", network, "mean rate", template, _of("call:video-up", "received_bps"), unit="bit/s"),
        *_delays("6.2", network, template),
    ]


def _two_bottlenecks() -> list[Measure]:
    second: Plain = {"name": "second", "from": "b", "to": "c", "rate": "2 Mbit/s", "delay": "10 ms", "buffer": "300 ms"}
    second["reverse"] = {"rate": "100 Mbit/s", "buffer": "1000 packets"}
    calls = [_call("both") | {"to": "c"}, _call("first"), _call("last") | {"from": "b", "to": "c"}]
    template = _path(2.0, calls, 120, node=[{"name": "c"}], links=[second], warmup="40 s")
    network = "a stream over two bottlenecks of 2 Mbit/s, beside one over each"
    return [
        _measure(
            "6.3", "rate", network, "mean rate over both", template, _of("both:video-up", "received_bps"),
            unit="bit/s", margin=1.5,
        ),
        *_delays("6.3", network, template),
    ]  # fmt: skip

"""The test cases in the appendix of draft-ietf-ccwg-bbr (the working group's copy of 3 August 2026).

A case is judged by the law's own phases and estimates, which `internals` record every 10 ms.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windward._evaluate.figures import Rows, Value, flows, lost
from windward._evaluate.measure import Measure
from windward._evaluate.networks import LAW, Plain, bottleneck
from windward._evaluate.sections import Section

#: Numbers of the law's phases in `internals`; version 1 has one for all of PROBE_BW.
STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT, PROBE_BW = range(8)

#: Names of version 1 and of the draft, and its modes as phases.
_NAMES_1 = {"phase": "mode", "max_bw": "bandwidth"}
_MODES_1 = (STARTUP, DRAIN, PROBE_BW, PROBE_RTT)

#: Packets a second of 10 Mbit/s.
_RATE = 10e6 / 12_000

_SOURCE = "draft-ietf-ccwg-bbr, appendix"

#: Source of thresholds where the appendix has no figure.
_OURS = "ours; the appendix has no figure"

_TITLES = (
    ("Exiting STARTUP on bandwidth plateau", "Is the estimate within 2 % of the link when STARTUP ends?", ""),
    (
        "Exiting STARTUP on loss when application-limited",
        "Does a loss of more than 2 % end STARTUP of a slow writer?",
        "",
    ),
    ("Exiting DRAIN based on inflight", "Does PROBE_BW follow DRAIN within three rounds?", ""),
    (
        "Exiting DRAIN based on time",
        "Does DRAIN end after three rounds while more than a product is in flight?",
        "",
    ),
    ("Exiting PROBE_UP on bandwidth plateau", "Does PROBE_DOWN follow PROBE_UP without loss?", ""),
    (
        "Exiting PROBE_UP on loss when application-limited",
        "Does a loss end PROBE_UP of a slow writer?",
        "",
    ),
    (
        "Never exiting PROBE_UP (or STARTUP) when application-limited",
        "Does a slow writer without loss stay in STARTUP or PROBE_UP until PROBE_RTT?",
        "",
    ),
    ("Exiting PROBE_DOWN on inflight", "Does PROBE_CRUISE follow PROBE_DOWN?", ""),
    (
        "Exiting PROBE_DOWN after max time",
        "Does PROBE_REFILL follow PROBE_DOWN on a rate that falls?",
        "",
    ),
    ("Entering and exiting PROBE_RTT", "Does PROBE_RTT last 200 ms, and PROBE_BW follow?", ""),
    (
        "Skipping PROBE_RTT due to application-limited sending",
        "Is PROBE_RTT skipped after an idle time?",
        "",
    ),
    ("Expected STARTUP bandwidth with aggregation", "Does STARTUP find the rate behind bursts of ACKs?", ""),
    ("Expected cruise bandwidth with aggregation", "Is the link filled behind bursts of ACKs?", ""),
    ("Sub-packet BDPs", "Is a link filled whose BDP is below a packet, with a window of 4?", ""),
    ("Increasing bandwidth 10x", "Is ten times the rate found within 6 s?", ""),
    ("Decreasing bandwidth 10x", "Does the estimate fall to a tenth within two cycles?", ""),
    ("Token bucket policers", "Is the rate that of the token bucket, without continuous loss?", ""),
    ("Spurious fast recovery", "Is the short-term bound of before restored?", ""),
    ("Spurious RTO recovery", "Is the short-term bound of before restored?", ""),
    ("PROBE_RTT during STARTUP", "Does STARTUP follow a PROBE_RTT in it?", ""),
    (
        "Loss during PROBE_UP after inflight_longterm is set",
        "Does a loss end PROBE_UP, and lower inflight_longterm?",
        "",
    ),
    (
        "Application-limited sending during PROBE_REFILL",
        "Are low samples of a writer that pauses left out?",
        "",
    ),
)

CASES = tuple(
    Section(key=f"A.{at}", title=title, question=question, not_modelled=why)
    for at, (title, question, why) in enumerate(_TITLES, 1)
)


def _network(
    *, flow: Mapping[str, Any] | None = None, duration_s: float = 20, rtt_ms: float = 40, **more: Any
) -> Plain:
    own: Plain = {"name": "own", "from": "a", "to": "b", "law": LAW, "start_spread": "40 ms"}
    if "write" not in (flow or {}):
        # A writer's pace has no host jitter beside it.
        own["host_jitter"] = "1200 us"
    return bottleneck(
        [{**own, **(flow or {})}],
        rate_mbit=10,
        rtt_ms=rtt_ms,
        bdps=more.pop("bdps", 2.0),
        duration_s=duration_s,
        warmup_s=more.pop("warmup_s", 0),
        output={"internals": True, "sample_interval": "10 ms"},
        **more,
    )


def series(rows: Rows, name: str) -> list[tuple[float, float]]:
    """Times and values of a quantity that the law shows."""

    def of(own: str) -> list[tuple[float, float]]:
        return sorted((row["time_s"], row["value"]) for row in rows.get("internals", []) if row["name"] == own)

    found = of(name)
    if found or name not in _NAMES_1:
        return found
    first = of(_NAMES_1[name])
    return [(time, _MODES_1[int(mode)]) for time, mode in first] if name == "phase" else first


def begun(rows: Rows) -> list[tuple[int, float, float]]:
    """Phases of the law: number, beginning and end; the end of the last is not known, and is its beginning."""
    found: list[tuple[int, float, float]] = []
    for number, group in itertools.groupby(series(rows, "phase"), key=lambda pair: int(pair[1])):
        begin = next(iter(group))[0]
        if found:
            found[-1] = (*found[-1][:2], begin)
        found.append((number, begin, begin))
    return found


def phases(rows: Rows) -> list[tuple[int, float, float]]:
    """Phases of the law that end within the run."""
    return begun(rows)[:-1]


def _within(rows: Rows, phase: int, from_s: float, to_s: float = math.inf) -> list[float]:
    """Lengths of a phase's occurrences that begin within a span of time."""
    return [end - begin for number, begin, end in phases(rows) if number == phase and from_s <= begin < to_s]


def _followed(phase: int, by: Sequence[int], from_s: float = 0.0, to_s: float = math.inf) -> Value:
    """Share of a phase's occurrences that one of others follows.

    A transition is complete when the next phase begins, so the last phase of a run counts as one that follows.
    """

    def value(rows: Rows) -> float:
        found = [(number, begin) for number, begin, _ in begun(rows)]
        after = [
            later
            for (number, begin), (later, _) in itertools.pairwise(found)
            if number == phase and from_s <= begin < to_s and (later != PROBE_BW or PROBE_BW in by)
        ]
        return sum(number in by for number in after) / len(after) if after else math.nan

    return value


def _shortest(phase: int) -> Value:
    return lambda rows: min(_within(rows, phase, 0.0), default=math.nan)


def _longest(phase: int, from_s: float = 0.0) -> Value:
    return lambda rows: max(_within(rows, phase, from_s), default=math.nan)


def _number(phase: int, from_s: float) -> Value:
    """Number of a phase's occurrences; of a law without phases there is none."""
    return lambda rows: float(len(_within(rows, phase, from_s))) if phases(rows) else math.nan


def _largest(name: str, from_s: float, to_s: float) -> Value:
    """Largest value of a quantity within a span of time."""
    return lambda rows: max((own for time, own in series(rows, name) if from_s <= time < to_s), default=math.nan)


def _least(name: str, from_s: float, unit: float) -> Value:
    """Least value of a quantity from a time on, as a share of `unit`."""
    return lambda rows: min((own / unit for time, own in series(rows, name) if time >= from_s), default=math.nan)


def _share_above(name: str, from_s: float) -> Value:
    """Share of the time from `from_s` on in which a quantity is above zero."""

    def value(rows: Rows) -> float:
        found = [own > 0 for time, own in series(rows, name) if time >= from_s]
        return sum(found) / len(found) if found else math.nan

    return value


def _ratio(name: str, before_s: float, after_s: float) -> Value:
    """Value of a quantity at a time over that at an earlier one."""

    def value(rows: Rows) -> float:
        found = [next((own for time, own in series(rows, name) if time >= at), math.nan) for at in (before_s, after_s)]
        return found[1] / found[0] if found[0] else math.nan

    return value


def _share_in(allowed: Sequence[int], from_s: float) -> Value:
    """Share of the time from `from_s` on in some phases."""

    def value(rows: Rows) -> float:
        found = [int(number) for time, number in series(rows, "phase") if time >= from_s]
        return sum(number in allowed for number in found) / len(found) if found else math.nan

    return value


def _estimate(at: Callable[[Rows], float], rate: float) -> Value:
    """Distance of the estimated bandwidth from the link's at a time, as a share of it."""

    def value(rows: Rows) -> float:
        time = at(rows)
        known = [bw for when, bw in series(rows, "max_bw") if when >= time]
        return abs(known[0] / rate - 1) if known else math.nan

    return value


def _end_of_startup(rows: Rows) -> float:
    return next((end for number, _, end in phases(rows) if number == STARTUP), 1e9)


def _cycles(from_s: float, rate: float) -> Value:
    """Number of PROBE_DOWNs that begin until the estimate is within 5 % of the link's."""

    def value(rows: Rows) -> float:
        near = [time for time, bw in series(rows, "max_bw") if time > from_s and abs(bw / rate - 1) < 0.05]
        if not near or not _within(rows, DOWN, 0.0):
            return math.nan
        return float(sum(number == DOWN and from_s < begin <= near[0] for number, begin, _ in phases(rows)))

    return value


def _goodput_share(bits: float) -> Value:
    return lambda rows: sum(row["goodput_bps"] for row in flows(rows, "own")) / bits


def _case(number: int, key: str, network: str, figure: str, template: Plain, value: Value, **more: Any) -> Measure:
    given = {"unit": "%", "source": _SOURCE} | more
    return Measure(
        key=key, section=f"A.{number}", network=network, figure=figure, template=template, value=value, **given
    )


def measures() -> list[Measure]:
    """Measures of the cases that networks answer."""
    plain, base, deep = _network(), "10 Mbit/s, 40 ms, 2 BDP", "10 Mbit/s, 40 ms, 10 BDP"
    slow = _network(flow={"write": {"rate": "1 Mbit/s", "every": "20 ms"}})
    lossy = _network(
        flow={"write": {"rate": "8 Mbit/s", "every": "20 ms"}}, change=[{"link": "core", "at": "2 s", "loss": "40 %"}]
    )
    bursts = _network(warmup_s=5, link={"hold": {"length": "20 ms"}, "reverse": {"hold": {"length": "20 ms"}}})
    halved = _network(duration_s=6, change=[{"link": "core", "at": "0.4 s", "rate": "5 Mbit/s"}])
    wider = [{"link": "core", "at": "4 s", "rate": "40 Mbit/s"}]
    writer = {"write": {"rate": "12 Mbit/s", "every": "20 ms"}}
    free = _network(flow=writer, change=wider)
    losing = _network(flow=writer, change=[*wider, {"link": "core", "at": "10 s", "loss": "5 %"}])
    falling = _network(
        bdps=20,
        duration_s=12,
        change=[
            {
                "link": "core",
                "steps": [{"at": f"{6 + n / 2:g} s", "rate": f"{10 * 0.95**n:.4g} Mbit/s"} for n in range(1, 12)],
            }
        ],
    )
    idle = _network(flow={"write": {"chunk": "3 MB", "every": "12 s"}}, duration_s=40)
    pausing = _network(flow={"write": {"chunk": "2.5 MB", "every": "3 s"}}, duration_s=30)
    short = _network(bdps=0.5, change=[{"link": "core", "at": "12 s", "loss": "5 %"}])
    late = [
        {"at": "3 s", "reorder": {"share": 0.3, "delay": "100 ms"}},
        {"at": "3.02 s", "reorder": {"share": 0, "delay": "100 ms"}},
    ]
    mixed = _network(bdps=10, duration_s=5, change=[{"link": "core", "steps": late}])
    longer = [{"at": "3 s", "delay": "500 ms"}, {"at": "3.3 s", "delay": "20 ms"}]
    delayed = _network(bdps=10, duration_s=5, change=[{"link": "core", "steps": longer}])
    police = "40 Mbit/s, 40 ms, a policer of 10 Mbit/s and 50 kB"
    policer = {"discipline": "policer", "rate": "10 Mbit/s", "burst": "50 kB"}
    policed = _network(bdps=8, duration_s=40, warmup_s=10, link={"rate": "40 Mbit/s", "queue": policer})
    tiny = {
        "name": "own", "from": "a", "to": "b", "law": LAW, "host_jitter": "1 ms", "start_spread": "100 ms"
    }  # fmt: skip
    thin = bottleneck(
        [tiny],
        rate_mbit=0.064,
        rtt_ms=1,
        duration_s=60,
        warmup_s=10,
        link={"rate": "64 kbit/s", "buffer": "20 packets"},
    )
    return [
        _case(
            1, "estimate", base, "distance of max_bw from the link at the end of STARTUP", plain,
            _estimate(_end_of_startup, _RATE), is_large=False, absolute=0.02,
        ),
        _case(
            2, "startup", f"{base}, a writer of 8 Mbit/s, 40 % loss from 2 s on", "time in STARTUP from 4 s on", lossy,
            _share_in([STARTUP], 4.0), is_large=False, absolute=0.01,
        ),
        _case(
            3, "length", base, "length of DRAIN, at most three rounds with a full buffer", plain, _longest(DRAIN),
            is_large=False, absolute=0.36, unit="s",
        ),
        _case(3, "next", base, "DRAINs that PROBE_BW follows", plain, _followed(DRAIN, _BANDWIDTH), **_ALL),
        _case(
            4, "next", f"{base}, half the rate from 0.4 s on",
            "DRAINs that PROBE_DOWN follows, as too much is in flight", halved, _followed(DRAIN, [DOWN]), **_ALL,
        ),
        _case(
            4, "length", f"{base}, half the rate from 0.4 s on",
            "length of DRAIN, at most the rest of a round and three with a full buffer", halved, _longest(DRAIN),
            is_large=False, absolute=0.8, unit="s",
        ),
        _case(5, "next", base, "PROBE_UPs that PROBE_DOWN follows", plain, _followed(UP, [DOWN, PROBE_RTT]), **_ALL),
        _case(
            6, "length", f"{base}, a writer of 12 Mbit/s, 40 Mbit/s from 4 s on, 5 % loss from 10 s on",
            "longest PROBE_UP with loss", losing, _longest(UP, 10.0), is_large=False, absolute=0.5, unit="s",
            source=_OURS,
        ),
        _case(
            7, "stays", f"{base}, a writer of 1 Mbit/s", "time in STARTUP and PROBE_RTT", slow,
            _share_in([STARTUP, PROBE_RTT], 0.0), **_ALL,
        ),
        _case(
            7, "stays-up", f"{base}, a writer of 12 Mbit/s, 40 Mbit/s from 4 s on",
            "PROBE_UPs that only PROBE_RTT ends", free, _followed(UP, [PROBE_RTT], 8.0), **_ALL,
        ),
        _case(8, "next", base, "PROBE_DOWNs that CRUISE follows", plain, _followed(DOWN, [CRUISE, PROBE_RTT]), **_ALL),
        _case(
            9, "next", "10 Mbit/s, 5 % less every 0.5 s from 6.5 s on, 40 ms, 20 BDP",
            "PROBE_DOWNs that REFILL follows", falling, _followed(DOWN, [REFILL], 6.5, 8.0), **_ALL,
        ),
        _case(
            10, "length", base, "shortest PROBE_RTT", plain, _shortest(PROBE_RTT), is_large=True, absolute=0.19,
            unit="s",
        ),
        _case(10, "next", base, "PROBE_RTTs that PROBE_BW follows", plain, _followed(PROBE_RTT, _BANDWIDTH), **_ALL),
        _case(
            11, "skips", f"{base}, a writer of 3 MB every 12 s", "number of PROBE_RTTs", idle, _number(PROBE_RTT, 0.0),
            is_large=False, absolute=0.5, unit="",
        ),
        _case(
            12, "estimate", f"{base}, bursts of 20 ms", "distance of max_bw from the link after STARTUP", bursts,
            _estimate(_end_of_startup, _RATE), is_large=False, absolute=0.1, source=_OURS,
        ),
        _case(
            13, "goodput", f"{base}, bursts of 20 ms", "goodput as a share of the link's", bursts,
            _goodput_share(10e6 * 1448 / 1500), is_large=True, absolute=0.9, source=_OURS,
        ),
        _case(
            14, "goodput", "64 kbit/s, 1 ms, 20 packets", "goodput as a share of the link's", thin,
            _goodput_share(64e3 * 1448 / 1500), is_large=True, absolute=0.9, source=_OURS,
        ),
        _case(
            14, "window", "64 kbit/s, 1 ms, 20 packets", "mean window", thin,
            lambda rows: float(flows(rows, "own")[0]["mean_cwnd"]), is_large=True, absolute=3.9, unit="",
        ),
        _case(
            15, "estimate", f"{base}, ten times the rate from 8 s on", "distance of max_bw from the link 6 s later",
            _network(change=[{"link": "core", "at": "8 s", "rate": "100 Mbit/s"}]),
            _estimate(lambda rows: 14.0, 10 * _RATE), is_large=False, absolute=0.05, source=_OURS,
        ),
        _case(
            16, "cycles", f"{base}, a tenth of the rate from 8 s on",
            "cycles of PROBE_BW until max_bw is within 5 % of the link, with the one under way",
            _network(duration_s=44, change=[{"link": "core", "at": "8 s", "rate": "1 Mbit/s"}]),
            _cycles(8.0, _RATE / 10), is_large=False, absolute=3.5, unit="",
        ),
        _case(
            17, "reacts", police, "time with inflight_shortterm", policed, _share_above("inflight_shortterm", 10.0),
            is_large=True, absolute=0.1, source=_OURS,
        ),
        _case(
            17, "goodput", police, "goodput as a share of the token rate", policed, _goodput_share(10e6 * 1448 / 1500),
            is_large=True, absolute=0.8, source=_OURS,
        ),
        _case(
            17, "loss", police, "lost segments", policed, lost(), is_large=False, absolute=0.02,
            source="BBR.LossThresh; the appendix: no excessive continuous loss",
        ),
        _case(
            18, "bound", f"{deep}, 30 % of the packets of 20 ms 100 ms late",
            "inflight_shortterm during the recovery, packets", mixed, _largest("inflight_shortterm", 3.0, 3.3),
            is_large=True, absolute=10.0, unit="", source=_OURS,
        ),
        _case(
            18, "restored", f"{deep}, 30 % of the packets of 20 ms 100 ms late",
            "inflight_shortterm after it, packets; 0 is none", mixed, _largest("inflight_shortterm", 3.3, 3.5),
            is_large=False, absolute=0.5, unit="",
        ),
        _case(
            19, "timeouts", f"{deep}, 0.5 s of delay for 0.3 s", "number of timeouts", delayed,
            lambda rows: float(flows(rows, "own")[0]["timeouts"]), is_large=True, absolute=0.9, unit="",
        ),
        _case(
            19, "restored", f"{deep}, 0.5 s of delay for 0.3 s",
            "largest inflight_shortterm of the next second, packets; 0 is none", delayed,
            _largest("inflight_shortterm", 3.0, 4.2), is_large=False, absolute=0.5, unit="",
        ),
        _case(
            20, "next", f"{base}, a writer of 1 Mbit/s", "PROBE_RTTs that STARTUP follows", slow,
            _followed(PROBE_RTT, [STARTUP]), **_ALL,
        ),
        _case(
            21, "length", "10 Mbit/s, 40 ms, 0.5 BDP, 5 % loss from 12 s on", "longest PROBE_UP with loss", short,
            _longest(UP, 12.0), is_large=False, absolute=0.5, unit="s", source=_OURS,
        ),
        _case(
            21, "lower", "10 Mbit/s, 40 ms, 0.5 BDP, 5 % loss from 12 s on",
            "inflight_longterm at 18 s over that at 11.9 s", short, _ratio("inflight_longterm", 11.9, 18.0),
            is_large=False, absolute=0.7, unit="%", source=_OURS,
        ),
        _case(
            22, "estimate", f"{base}, a writer that pauses for a third of every 3 s",
            "least max_bw from 2 s on, as a share of the link's", pausing, _least("max_bw", 2.0, _RATE), is_large=True,
            absolute=0.95, source=_OURS,
        ),
        _case(
            22, "next", f"{base}, a writer that pauses for a third of every 3 s", "REFILLs that PROBE_UP follows",
            pausing, _followed(REFILL, [UP]), **_ALL,
        ),
    ]  # fmt: skip


#: Phases of PROBE_BW.
_BANDWIDTH = (DOWN, CRUISE, REFILL, UP, PROBE_BW)

#: All occurrences must be as expected, within what is believed of figures that agree on all seeds.
_ALL: dict[str, Any] = {"is_large": True, "absolute": 0.95}

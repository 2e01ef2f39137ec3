"""RFC 9438's windows under periodic loss: Tables 1 and 2, and the Reno-friendly region."""

from __future__ import annotations

from collections.abc import Sequence

from windward._evaluate.figures import Rows, Value, flows
from windward._evaluate.measure import Measure
from windward._evaluate.networks import LAW, Plain, bottleneck
from windward._evaluate.sections import Section

#: Mean windows by loss rate, RFC 9438 §5.2: Table 1 (100 ms) and Table 2 (10 ms).
TABLES = {100: {1e-2: 12, 1e-3: 38, 1e-4: 187, 1e-5: 1054}, 10: {1e-2: 12, 1e-3: 38, 1e-4: 120, 1e-5: 379}}

#: Length of a run: several times from loss to loss at the rarest ones.
_LENGTHS_S = {100: {1e-5: 300.0}, 10: {1e-5: 60.0}}

#: Difference from the tables' windows: fast convergence and an approach that takes more cycles than a run has.
_NEAR = 0.2

CASES = (
    Section(
        key="table-1", title="RFC 9438 §5.2, Table 1", question="Has the window of 100 ms its mean under periodic loss?"
    ),
    Section(
        key="table-2", title="RFC 9438 §5.2, Table 2", question="Has the window of 10 ms its mean under periodic loss?"
    ),
    Section(
        key="reno-friendly",
        title="RFC 9438 §4.3, Reno-friendly region",
        question="Is the rate that of Reno where round trips are short?",
    ),
    Section(
        key="fast-convergence",
        title="RFC 9438 §4.7, fast convergence",
        question="Does a flow give way to a new one?",
    ),
    Section(
        key="spurious",
        title="RFC 9438 §4.9, spurious congestion events",
        question="Is the window back after a loss that was none?",
    ),
)


def measures() -> list[Measure]:
    """Measures of all cases."""
    return [*_tables(), *_reno_friendly(), _convergence(), *_spurious()]


def _periodic(rtt_ms: int, share: float) -> Plain:
    """One flow that loses every N-th packet."""
    duration_s = _LENGTHS_S[rtt_ms].get(share, 100.0)
    every = round(1 / share)
    most = round(1.6 * duration_s * TABLES[rtt_ms][share] / rtt_ms * 1e3)
    own = {
        "name": "own", "from": "a", "to": "b", "law": LAW, "host_jitter": "1 us", "start_spread": f"{rtt_ms} ms",
        "stack": "rfc", "delayed_ack": False,
    }  # fmt: skip
    link = {"rate": "10 Gbit/s", "buffer": "unlimited", "lose": list(range(every, max(most, 2 * every), every))}
    return bottleneck(
        [own],
        rate_mbit=10_000,
        rtt_ms=rtt_ms,
        duration_s=duration_s,
        warmup_s=duration_s / 4,
        link=link | {"reverse": {"lose": []}},
    )


def _window(rtt_ms: int) -> Value:
    """Goodput times round trip, in packets."""
    return lambda rows: sum(row["goodput_pps"] for row in flows(rows, "own")) * rtt_ms / 1e3


def _apart(rtt_ms: int, expected: float) -> Value:
    """Distance of the window from the table's, as a share of it."""

    def value(rows: Rows) -> float:
        return abs(_window(rtt_ms)(rows) / expected - 1)

    return value


def _tables() -> list[Measure]:
    return [
        Measure(
            key=f"loss-{share:g}",
            section="table-1" if rtt_ms == 100 else "table-2",
            network=f"one of {round(1 / share)} packets lost, {rtt_ms} ms, 10 Gbit/s",
            figure=f"distance of the mean window from {window}",
            unit="%",
            template=_periodic(rtt_ms, share),
            value=_apart(rtt_ms, window),
            is_large=False,
            absolute=_NEAR,
            source="RFC 9438 §5.2, within 20 %",
        )
        for rtt_ms, table in TABLES.items()
        for share, window in table.items()
    ]


def _reno_friendly() -> list[Measure]:
    found = []
    for share in (1e-2, 1e-3, 1e-4, 1e-5):
        for key, is_large in (("least", True), ("most", False)):
            found.append(
                Measure(
                    key=f"loss-{share:g}-{key}",
                    section="reno-friendly",
                    network=f"one of {round(1 / share)} packets lost, 10 ms, 10 Gbit/s",
                    figure=f"mean window, at {key} that of Reno",
                    unit="",
                    template=_periodic(10, share),
                    value=_window(10),
                    is_large=is_large,
                    margin=1.1,
                    source="RFC 9438 §4.3: Reno on the same network, within 10 %; α is 1 beyond W_max",
                )
            )
    return found


def _convergence() -> Measure:
    own = {"from": "a", "to": "b", "law": LAW, "host_jitter": "240 us"}
    template = bottleneck(
        [own | {"name": "own"}, own | {"name": "late", "start": "5 s"}],
        rate_mbit=50,
        duration_s=60,
        warmup_s=30,
    )

    def value(rows: Rows) -> float:
        both = sum(row["goodput_bps"] for group in ("own", "late") for row in flows(rows, group))
        return float(sum(row["goodput_bps"] for row in flows(rows, "late")) / both)

    return Measure(
        key="late",
        section="fast-convergence",
        network="a second flow 5 s after the first, 50 Mbit/s, 40 ms, 1 BDP; from 30 s on",
        figure="share of the second flow",
        unit="%",
        template=template,
        value=value,
        is_large=True,
        absolute=0.4,
        source="an equal share is 50 %",
    )


def _spurious() -> list[Measure]:
    """A delay that lets the timer expire, and packets that overtake each other; then the delay of before."""
    later = ({"delay": "500 ms"}, {"delay": "20 ms"})
    mixed = (
        {"reorder": {"share": 0.05, "delay": "30 ms"}},
        {"reorder": {"share": 0, "delay": "30 ms"}},
    )
    cases = (
        ("timeout", "0.5 s of delay from 6 s to 6.2 s", "§4.9.1", later),
        ("fast-retransmit", "5 % of the packets 30 ms late from 6 s to 6.2 s", "§4.9.2", mixed),
    )
    return [_undone(*case) for case in cases]


def _undone(key: str, what: str, clause: str, steps: Sequence[Plain]) -> Measure:
    own = {"name": "own", "from": "a", "to": "b", "law": LAW, "host_jitter": "600 us"}
    times = ("6 s", "6.2 s")
    template = bottleneck(
        [own],
        bdps=10,
        duration_s=10,
        warmup_s=7,
        change=[{"link": "core", "steps": [{"at": at, **step} for at, step in zip(times, steps, strict=True)]}],
    )

    def value(rows: Rows) -> float:
        return float(sum(row["goodput_bps"] for row in flows(rows, "own")))

    return Measure(
        key=key,
        section="spurious",
        network=f"{what}, 20 Mbit/s; from 7 s on",
        figure="goodput",
        unit="bit/s",
        template=template,
        value=value,
        is_large=True,
        absolute=17e6,
        source=f"RFC 9438 {clause}: the window of before, which fills 20 Mbit/s",
    )

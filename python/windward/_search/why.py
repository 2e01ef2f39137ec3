"""Explains a find: the instant from which it parts from the clean network, and what a closed form says of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from windward import _engine
from windward._answers.run import Run
from windward._format.vary import change, name_of, worth
from windward.results._summary import number
from windward.theory.laws import ratio_under_delay

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A flow has parted from its clean run where a mean over this share of the run is off by more than this share of what
#: it has there.
_SPAN, _APART = 0.02, 0.25

#: Bits of a packet on the wire.
_PACKET_BITS = 12_000

#: Columns of the flow that suffers most.
_SYMPTOMS = ("goodput_bps", "mean_rtt_s", "min_rtt_s", "mean_cwnd", "loss", "recoveries", "timeouts")

#: Laws whose window follows from the share of loss events, and the least number of these for a mean.
_WINDOWS, _LEAST_EVENTS = ("reno", "cubic"), 5

#: Least share of the periods of a shrew in which its victim times out.
_SYNCHRONOUS = 0.5

#: Flows that keep a backlog queued lose so few of their segments that losses do not set their rates.
_LOSSLESS = 1e-3

#: Delay beyond which BBR's allowance for aggregated ACKs helps no more: evidence/measured/attacks.md.
_BBR_EXTRA_S = 0.1


def explain(run: Run, clean: Run, plain: Mapping[str, Any]) -> dict[str, Any]:
    """Explains a find: times in seconds, None where the runs never part, and closed forms.

    Parameters
    ----------
    run, clean
        The find, and the network without what the attack does.
    plain
        The find as a scenario with its defaults.
    """
    first_s, part_s = _parting(run, clean)
    return {
        "first_s": number(first_s),
        "part_s": number(part_s),
        "forms": [*_forms(run, plain)],
        "flow": _flow(run, clean),
    }


def _flow(run: Run, clean: Run) -> dict[str, Any]:
    """Means of the flow with the least goodput: without the attack, with it, and those of the other flows with it."""
    sides: list[Any] = [each.flows.groupby("flow", sort=False).mean(numeric_only=True) for each in (run, clean)]
    here, there = sides
    name = str(here["goodput_bps"].idxmin())
    others = here.drop(index=name)
    rows = {
        column: {
            "clean": number(float(there.loc[name, column])) if name in there.index else None,
            "attack": number(float(here.loc[name, column])),
            "others": number(float(others[column].mean())) if len(others) else None,
        }
        for column in _SYMPTOMS
        if column in here.columns and column in there.columns
    }
    return {"name": name, "figures": rows}


def _parting(run: Run, clean: Run) -> tuple[float, float]:
    """First sample that differs, and the beginning of the longest time for which a flow's goodput is another."""
    seed = run.seeds[0]
    tables = []
    for each in (run, clean):
        rows = each.flow_series
        rows = rows[rows["seed"] == seed]
        tables.append(
            tuple(rows.pivot_table(index="time_s", columns="flow", values=of) for of in ("goodput_bps", "cwnd"))
        )
    (goodput, window), (clean_goodput, clean_window) = tables
    flows = [flow for flow in goodput.columns if flow in clean_goodput.columns]
    height = min(len(goodput), len(clean_goodput))
    times = goodput.index.to_numpy()[:height]
    first, longest, part = math.nan, 0, math.nan
    for flow in flows:
        here, there = (table[flow].to_numpy()[:height] for table in (goodput, clean_goodput))
        differs = here != there
        if flow in window.columns and flow in clean_window.columns:
            windows = [table[flow].to_numpy()[:height] for table in (window, clean_window)]
            if len(windows[0]) == len(windows[1]) == height:
                # A window that is not a number in both runs is the same.
                differs |= (windows[0] != windows[1]) & ~(np.isnan(windows[0]) & np.isnan(windows[1]))
        if differs.any():
            first = min([times[int(np.argmax(differs))], *([first] if not math.isnan(first) else [])])
        span = max(int(_SPAN * height), 1)
        kernel = np.ones(span) / span
        smooth, aim = (np.convolve(side, kernel, mode="same") for side in (here, there))
        level = float(np.mean(there)) or 1.0
        for begin, length in _stretches(np.abs(smooth - aim) > _APART * level):
            if length > longest:
                longest, part = length, float(times[begin])
    return first, part


def _stretches(is_apart: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Beginnings and lengths of the times for which it is so."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], is_apart.astype(np.int8), [0]))))
    for begin, end in edges.reshape(-1, 2):
        yield int(begin), int(end - begin)


def _forms(run: Run, plain: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Closed forms that apply: in words, what they expect, and what is found."""
    yield from _receivers(plain)
    flows = run.flows.groupby("flow", sort=False).mean(numeric_only=True)
    laws = {name_of(own): own["law"] for own in plain.get("flow", [])}
    groups = run.flows.drop_duplicates("flow").set_index("flow")["group"]
    law_of = {flow: laws[str(groups[flow])] for flow in flows.index if str(groups[flow]) in laws}
    names = {str(law["name"]) for law in law_of.values()}
    if len(names) != 1:
        return
    name = names.pop()
    law = next(iter(law_of.values()))
    # Of two flows that delay steers, and not losses.
    is_pair = len(flows) == 2 and float(flows["loss"].max()) < _LOSSLESS and not float(flows["timeouts"].max())
    if is_pair and (found := _ratio(flows, law, plain)) is not None:
        yield found
    if is_pair and name == "exp-delay":
        yield _by_map(flows, law)
    if name in _WINDOWS:
        yield from _by_losses(run, name)
    if name == "bbr":
        yield from _bbr(run)
    if name == "tcp-fit":
        yield from _fit(run, law)
    yield from _shrew(run, plain)


def _ratio(flows: Any, law: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any] | None:
    """Shares of two flows that keep a backlog queued, from what each takes for queueing: Eq. 2 of starvation.md."""
    # A law in Python is none of the engine's.
    about = next((own for own in _engine.laws() if own["name"] == law["name"]), {"backlog_parameter": None})
    rates = [rate for link in plain.get("link", []) if (rate := worth(link.get("rate"))[0])]
    backlog = worth(law.get(about["backlog_parameter"] or "", 0))[0]
    if not about["backlog_parameter"] or not rates or not backlog:
        return None
    capacity = min(rates) / _PACKET_BITS
    taken = [float(row["mean_rtt_s"] - row["min_rtt_s"]) for _, row in flows.iterrows()]
    delay = abs(taken[0] - taken[1])
    expected = ratio_under_delay(delay, capacity, backlog)
    rates_of = sorted(float(rate) for rate in flows["goodput_bps"])
    a = delay * capacity / backlog
    return {
        "text": (
            f"x = p/(RTT − base): the flows take {1e3 * taken[0]:.3g} ms and {1e3 * taken[1]:.3g} ms for queueing. "
            f"Δ = {1e3 * delay:.3g} ms, a = Δ·c/p = {a:.3g} with c = {capacity:.4g} packets/s and p = {backlog:g}, "
            "ratio = (a + √(a² + 4))/2"
        ),
        "expected": number(expected),
        "found": number(rates_of[1] / rates_of[0] if rates_of[0] else math.inf),
        "source": "concepts/starvation.md, Eq. 2",
    }


def _by_map(flows: Any, law: Mapping[str, Any]) -> dict[str, Any]:
    """Shares of two flows of `exp-delay`, from what each takes for queueing: Eq. 3 of starvation.md."""
    taken = [float(row["mean_rtt_s"] - row["min_rtt_s"]) for _, row in flows.iterrows()]
    delay, tau = abs(taken[0] - taken[1]), float(law["tau"])
    rates = sorted(float(rate) for rate in flows["goodput_bps"])
    return {
        "text": (
            f"x = X·e^(−q/τ): the flows take {1e3 * taken[0]:.3g} ms and {1e3 * taken[1]:.3g} ms for queueing. "
            f"Δ = {1e3 * delay:.3g} ms with τ = {1e3 * tau:.3g} ms, ratio = e^(Δ/τ)"
        ),
        "expected": number(math.exp(delay / tau)),
        "found": number(rates[1] / rates[0] if rates[0] else math.inf),
        "source": "concepts/starvation.md, Eq. 3",
    }


def _by_losses(run: Run, law: str) -> Iterator[dict[str, Any]]:
    """Goodput of the slowest flow from its loss events and its round trip, where it is limited by them."""
    flows: Any = run.flows.groupby("flow", sort=False).mean(numeric_only=True)
    row = flows.loc[flows["goodput_bps"].idxmin()]
    events, sent, rtt = (float(row[name]) for name in ("recoveries", "segments_sent", "mean_rtt_s"))
    if events < _LEAST_EVENTS or row["timeouts"] > 0 or not sent > 0 or not rtt > 0:
        return
    share = events / sent
    window = math.sqrt(1.5 / share)
    said, source = "√(3/(2p))", "Mathis et al., CCR 27(3), 1997"
    if law == "cubic":
        cubic = (0.4 * 3.7 / 1.2) ** 0.25 * (rtt / share) ** 0.75
        if cubic > window:
            window, said, source = cubic, "(C·(3 + β)/(4·(1 − β)))^¼·(RTT/p)^¾", "RFC 9438 §5"
    segment = float(row["goodput_bps"]) / float(row["goodput_pps"]) if row["goodput_pps"] > 0 else 0.0
    yield {
        "text": (
            f"The slowest flow has {events:.3g} loss events in {sent:.0f} segments: p = {share:.2g}, W = {said} = "
            f"{window:.3g} packets in {1e3 * rtt:.3g} ms, in Mbit/s"
        ),
        "expected": number(window / rtt * segment / 1e6),
        "found": number(float(row["goodput_bps"]) / 1e6),
        "source": source,
    }


def _bbr(run: Run) -> Iterator[dict[str, Any]]:
    row = run.flows.mean(numeric_only=True)
    least, usual = float(row["min_rtt_s"]), float(row["rtt_p50_s"])
    if usual - least > least + _BBR_EXTRA_S:
        yield {
            "text": (
                f"BBR's window is at most 2·BW·R and 0.1 s·BW of aggregated ACKs. The least round trip is R = "
                f"{1e3 * least:.3g} ms, the usual one D = {1e3 * (usual - least):.3g} ms longer: D > R + 0.1 s, so the "
                "bandwidth that it measures falls from one probe to the next"
            ),
            "expected": None,
            "found": None,
            "source": "measured/attacks.md, causes",
        }


def _fit(run: Run, law: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    row = run.flows.mean(numeric_only=True)
    extra = float(row["mean_rtt_s"] - row["min_rtt_s"])
    alpha = worth(law.get("alpha", 0))[0]
    if alpha and extra > 0:
        most = max(1.0, alpha * float(row["mean_rtt_s"]) / extra)
        yield {
            "text": (
                f"TCP-FIT counts as N = max(1, α·RTT/(RTT − base)) flows: the mean round trip is {1e3 * extra:.3g} ms "
                f"above the least, N = {most:.3g}, and its gain over Reno √(N(3N + 1)/4) = "
                f"{math.sqrt(most * (3 * most + 1) / 4):.3g}"
            ),
            "expected": None,
            "found": None,
            "source": "measured/attacks.md, causes",
        }


def _receivers(plain: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Gains of receivers that cheat."""
    for flow in plain.get("flow", []):
        pieces, lag = flow.get("ack_division") or 1, flow.get("optimistic_acks")
        counts_acks = flow.get("ack_counting") or not flow["law"].get("byte_counting", True)
        said = None
        if pieces > 1 and counts_acks:
            said = (
                f"The receiver of {name_of(flow)} sends {pieces} ACKs in the place of one, and its sender counts ACKs: "
                f"the window grows {pieces} times as fast. Beside an honest receiver it is {pieces} times as large if "
                f"both lose packets at once, and √{pieces} = {math.sqrt(pieces):.3g} times if losses are random"
            )
        elif lag is not None:
            said = (
                f"The receiver of {name_of(flow)} acknowledges segments {lag} after they have left, whether or not "
                "they arrive: the sender sees this and the way back as its round trip, and no losses. Only the receive "
                "window or the send buffer bounds its window"
            )
        if said is not None:
            yield {"text": said, "expected": None, "found": None, "source": "Savage et al., CCR 29(5), 1999"}


def _shrew(run: Run, plain: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Share that pulses leave to a sender whose retransmissions meet them: Eq. 3 of attacks.md."""
    waits = {name_of(flow): float(worth(flow.get("min_rto"))[0] or 0) for flow in plain.get("flow", [])}
    row = _slowest(run)
    wait = waits.get(str(row["group"]), 0.0)
    for source in plain.get("background", []):
        pattern = source["pattern"]
        if pattern.get("kind") != "on-off" or pattern.get("on_spread") != "fixed":
            continue
        period = math.fsum(float(worth(pattern[key])[0] or 0) for key in ("on", "off"))
        if not wait or not period:
            continue
        times = math.ceil(round(wait / period, 9)) * period
        # The form is that of a sender which each pulse that its retransmission meets sends to the next one: it times
        # out once in so long, for the whole run.
        if float(row["timeouts"]) < _SYNCHRONOUS * (run.duration_s - run.warmup_s) / times:
            continue
        yield {
            "text": (
                f"Pulses every T = {period:g} s meet retransmissions that are {wait:g} s late: the share left is "
                "(⌈RTO/T⌉·T − RTO)/(⌈RTO/T⌉·T)"
            ),
            "expected": number((times - wait) / times),
            "found": None,
            "source": "measured/attacks.md, Eq. 3",
        }


def _slowest(run: Run) -> dict[str, Any]:
    """Means of the flow with the least goodput, over the seeds, with its group."""
    flows: Any = run.flows.groupby("flow", sort=False).mean(numeric_only=True)
    name = flows["goodput_bps"].idxmin()
    group = run.flows.loc[run.flows["flow"] == name, "group"].iloc[0]
    return {"group": str(group), **flows.loc[name].to_dict()}


def without_attack(file: Mapping[str, Any], written: Mapping[str, Any], neutral: Mapping[str, Any]) -> dict[str, Any]:
    """The find's file without what the attack added and with the fields at rest that it changed.

    Parameters
    ----------
    written
        The scenario that was attacked.
    neutral
        The fields that the attack changed, by their paths, with their values at rest.
    """
    found: dict[str, Any] = json.loads(json.dumps(file))
    # It tells what the attack does.
    found.pop("title", None)
    for kind in ("change", "background"):
        before = [json.dumps(own, sort_keys=True) for own in written.get(kind, [])]
        left = [own for own in found.get(kind, []) if json.dumps(own, sort_keys=True) in before]
        found = {key: value for key, value in found.items() if key != kind} | ({kind: left} if left else {})
    for path, value in neutral.items():
        if not path.startswith("change."):
            # A part of the find may be left out, and its fields with it.
            with suppress(ValueError):
                found = change(found, {path: value})
    return found

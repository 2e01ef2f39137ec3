"""Two questions that the editors of draft-ietf-ccwg-bbr have open, in figures: evidence/measured/bbr-questions.md.

python evidence/benches/evaluate/bbr_questions.py [--seeds N]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from windward._evaluate import figures
from windward._evaluate.bbr_draft import PROBE_RTT, phases, series
from windward._evaluate.networks import Plain, bottleneck, flow
from windward._evaluate.request import EvaluationRequest
from windward._evaluate.suites import SUITES
from windward._evaluate.whole import whole
from windward._search.objective import rows_of
from windward.results._files import replace_text
from windward.results.stats import mean_and_interval

PAGE = Path(__file__).parents[3] / "evidence" / "measured" / "bbr-questions.md"

#: Seeds that no parameter was chosen on.
_FIRST_SEED = 2001

#: Of all networks.
RATE_MBIT, RTT_MS = 20.0, 40.0

#: Figures as texts, by network, variant and heading.
Rows = dict[str, dict[str, dict[str, str]]]

#: A figure: its heading and its value, of which the unit is a part.
Figure = tuple[str, figures.Value]


def law(**more: Any) -> Plain:
    """BBRv3 with other parameters than the draft's."""
    return {"name": "bbr3", **more}


PRECAUTION = {
    "without": law(precaution=False),
    "the draft: flight after the ACK": law(),
    "Linux: flight before the ACK": law(prior_flight=True),
}
INTERVALS = {
    "5 s, filter of 10 s (the draft)": law(),
    "10 s, filter of 10 s": law(probe_rtt_interval=10),
    "10 s, filter of 20 s": law(probe_rtt_interval=10, min_rtt_window=20),
    "10 s, filter of 10 s, prior minimum (issue 109)": law(probe_rtt_interval=10, prior_min_rtt=True),
}


def network(flows: Sequence[Plain], bdps: float) -> Plain:
    """A bottleneck with the law's state every 20 ms."""
    return bottleneck(
        flows,
        rate_mbit=RATE_MBIT,
        rtt_ms=RTT_MS,
        bdps=bdps,
        duration_s=90,
        warmup_s=20,
        output={"internals": True, "sample_interval": "20 ms"},
    )


def probes(own: Plain) -> Iterator[tuple[str, Plain, list[Figure]]]:
    """Networks of the first question."""
    alone = [("lost, %", percent(figures.lost())), ("wait, ms", milli(figures.wait())), rate("own", "goodput, Mbit/s")]
    for bdps in (0.1, 0.25, 0.5, 1.0):
        yield f"one flow, {bdps:g} BDP", network([flow(own)], bdps), alone
    yield "four flows, 0.5 BDP", network([flow(own, count=4)], 0.5), alone
    beside = [*alone, rate("other", "CUBIC, Mbit/s"), ("CUBIC's losses, %", percent(figures.lost("other")))]
    for bdps in (0.5, 1.0):
        yield f"beside a CUBIC, {bdps:g} BDP", network([flow(own), flow("cubic", name="other")], bdps), beside


def intervals(own: Plain) -> Iterator[tuple[str, Plain, list[Figure]]]:
    """Networks of the second question."""
    about: list[Figure] = [
        ("min_rtt when ProbeRTT begins, ms", milli(at_probe("min_rtt"))),
        ("window then, BDP", at_probe("cwnd")),
        ("wait, ms", milli(figures.wait())),
        rate("own", "goodput, Mbit/s"),
    ]
    yield "one flow, 2 BDP", network([flow(own)], 2), about
    yield "two flows, 2 BDP", network([flow(own, count=2)], 2), [*about, ("Jain's index", figures.jain_of("own"))]
    beside = [*about, rate("other", "CUBIC, Mbit/s")]
    for bdps in (2, 8):
        yield f"beside a CUBIC, {bdps} BDP", network([flow(own), flow("cubic", name="other")], bdps), beside
    # About 10 s of sending and 15 s of silence.
    pauses = {key: value for key, value in flow(own).items() if key != "host_jitter"}
    pauses["write"] = {"chunk": "12 MB", "every": "25 s"}
    title = "beside a CUBIC, 8 BDP, 12 MB every 25 s"
    yield title, network([pauses, flow("cubic", name="other")], 8), beside


def rate(group: str, name: str) -> Figure:
    """Goodput of a group."""
    value = figures.goodput(group)
    return name, lambda rows: value(rows) / 1e6


def percent(value: figures.Value) -> figures.Value:
    """A share in per cent."""
    return lambda rows: 100 * value(rows)


def milli(value: figures.Value) -> figures.Value:
    """A time in milliseconds."""
    return lambda rows: 1e3 * value(rows)


def at_probe(name: str) -> figures.Value:
    """A quantity of the first flow 100 ms after ProbeRTT begins, from 20 s on, on average; windows in BDP."""
    bdp = RATE_MBIT * 1e6 / 12_000 * RTT_MS / 1e3

    def value(rows: figures.Rows) -> float:
        first = next(row["flow"] for row in rows["flows"] if row["group"] == "own")
        own = {kind: [row for row in rows[kind] if row["flow"] == first] for kind in ("internals", "flow_series")}
        if name == "cwnd":
            known = [(row["time_s"], row["cwnd"] / bdp) for row in own["flow_series"]]
        else:
            known = series(own, name)
        begins = [begin for phase, begin, _ in phases(own) if phase == PROBE_RTT and begin > 20]
        found = [next((v for at, v in known if at >= begin + 0.1), math.nan) for begin in begins]
        return statistics.mean(found) if found else math.nan

    return value


def table(
    variants: Mapping[str, Plain],
    networks: Callable[[Plain], Iterator[tuple[str, Plain, list[Figure]]]],
    seeds: Sequence[int],
) -> tuple[str, Rows]:
    """Figures of each network under each variant, and their table."""
    suite = replace(SUITES["bbr-draft"], series=("internals", "flow_series"))
    asked = EvaluationRequest(law="bbr3", text="bbr3", suite=suite, seeds=seeds)
    rows: Rows = {}
    names: dict[str, None] = {}
    for variant, own in variants.items():
        for title, plain, wanted in networks(own):
            runs = [
                {kind: rows_of(columns) for kind, columns in tables.items()}
                for _, tables in sorted(whole(asked, json.dumps(plain), seeds, None))
            ]
            found = rows.setdefault(title, {}).setdefault(variant, {})
            for name, value in wanted:
                mean, error = mean_and_interval([value(run) for run in runs])
                found[name] = f"{mean:.3g} ± {error:.2g}" if error > 0.005 * abs(mean) else f"{mean:.3g}"
                names[name] = None
            print(title, variant, found, flush=True)
    lines = [f"| network | variant | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for title, by in rows.items():
        for variant, found in by.items():
            lines.append(f"| {title} | {variant} | {' | '.join(found.get(name, '–') for name in names)} |")
    return "\n".join(lines), rows


def said(rows: Rows) -> str:
    """Findings on the first question, in words."""
    without, draft, linux = PRECAUTION
    is_same = all(by[without] == by[draft] for by in rows.values())
    first = "The draft's comparison changes no figure in any of these networks." if is_same else ""
    four = rows["four flows, 0.5 BDP"]
    second = f"With Linux's, four flows lose {four[linux]['lost, %']} % (without: {four[without]['lost, %']} %)."
    return f"{first} {second}".strip()


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    count = parser.parse_args().seeds
    seeds = list(range(_FIRST_SEED, _FIRST_SEED + count))
    template = (Path(__file__).parent / "bbr-questions.md.in").read_text(encoding="utf-8")
    first, rows = table(PRECAUTION, probes, seeds)
    second, _ = table(INTERVALS, intervals, seeds)
    page = template.replace("@seeds@", str(count)).replace("@probes@", first).replace("@said@", said(rows))
    replace_text(PAGE, page.replace("@intervals@", second))


if __name__ == "__main__":
    main()

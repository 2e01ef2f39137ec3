"""Evaluations of all laws, by suites, and of laws with a planted fault.

python evidence/benches/evaluate/write.py laws writes evidence/measured/evaluations.md and the evaluation on each law's
page, with `suites` evidence/measured/suites.md, with `stacks` evidence/measured/stacks.md, with `faults`
evidence/measured/validation/evaluate.md. What was interrupted goes on where it was: runs are kept in
results/evaluations.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import windward as ww
from windward import _engine
from windward._evaluate.run import shared_references
from windward._evaluate.sections import SECTIONS
from windward.results._files import replace_text

ROOT = Path(__file__).parents[3]
KEPT = ROOT / "results" / "evaluations"
LAW_PAGES = ROOT / "docs" / "reference" / "laws"
SUITES_PAGE = ROOT / "evidence" / "measured" / "suites.md"
STACKS_PAGE = ROOT / "evidence" / "measured" / "stacks.md"
#: Heading of its section that `kernel_bbr.py` writes.
KERNELS_HEADING = "## The kernel's BBR"
LAWS_PAGE = ROOT / "evidence" / "measured" / "evaluations.md"
FAULTS_PAGE = ROOT / "evidence" / "measured" / "validation" / "evaluate.md"
FAULTS = ROOT / "tests" / "evaluate" / "faults.py"

#: Runs at once; as many as there are cores by default.
THREADS = int(os.environ["THREADS"]) if "THREADS" in os.environ else None

#: Planted faults and the section that must find each; none for the law without one.
PLANTED = {
    "Sound": "",
    "NoBackoff": "5.1.1",
    "DeafToLoss": "5.1.3",
    "FirstComer": "5.1.4",
    "Hasty": "5.1.5",
    "DeafToMarks": "7.1",
    "StaleRoundTrip": "7.3",
}

#: Laws that with their defaults are another, to the byte, and the test that holds them to it: they have its evaluation.
SAME = {"formula": ("reno", "tests/engines/test_formula.py")}

#: Signs of the verdicts in a table.
SIGNS = {"meets": "✓", "does not": "✗", "cannot tell": "?", "not applicable": "–"}


def laws() -> list[str]:
    """All laws but those in Python and copies of others, with the parameters that fit links of some Mbit/s."""
    found = [own for own in _engine.schema()["$defs"]["LawSpec"]["oneOf"] if "properties" in own]
    names = [own["properties"]["name"]["const"] for own in found]
    fitting = {"fast": "fast,alpha=20", "quic-tcp": "quic-tcp,backlog=20"}
    return [fitting.get(name, name) for name in names if name not in ("python", "tfrc", *SAME)]


def evaluated(law: str, name: str, seeds: int, suite: str | None = None, transport: str = "tcp") -> ww.Evaluation:
    """An evaluation, run or taken up again."""
    parts = [re.sub(r"[,=:/]", "-", name), *([suite] if suite else []), *([] if transport == "tcp" else [transport])]
    folder = KEPT / "-".join([*parts, str(seeds)])
    found = ww.evaluate(
        law, output=folder, seeds=seeds, suite=suite, transport=transport, smallest=False, threads=THREADS
    )
    counts = {word: count for word, count in found.summary["counts"].items() if count}
    print(name, counts, flush=True)
    return found


def table(rows: Mapping[str, ww.Evaluation]) -> str:
    """Laws over sections."""
    sections = [section.key for section in SECTIONS if not section.not_modelled]
    lines = [["law", *sections], ["---"] * (len(sections) + 1)]
    for name, found in rows.items():
        lines.append([f"`{name}`", *(SIGNS[found.verdicts[key]] for key in sections)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def worst(rows: Mapping[str, ww.Evaluation]) -> str:
    """Sections that each law does not meet, with the figures."""
    from windward.show import _evaluate as words

    lines = []
    for name, found in rows.items():
        for row in found.rows("sections"):
            own = words.measure(found, row["measure"])
            if row["verdict"] == "does not" and own is not None:
                figures = f"{own['figure']} {words.value(own)}, allowed {words.allowed(own)} ({words.set_by(own)})"
                lines.append(f"| `{name}` | {row['section']} | {own['network']} | {figures} |")
    return "\n".join(["| law | section | network | figure |", "| --- | --- | --- | --- |", *lines])


def write_laws(seeds: int, only: Sequence[str]) -> None:
    """The page of all laws."""
    rows = {law: evaluated(law, law, seeds) for law in laws() if not only or law.partition(",")[0] in only}
    titles = "\n".join(f"* {own.key} {own.title}: {own.question}" for own in SECTIONS if not own.not_modelled)
    same = "\n".join(
        f"`{law}` has no row: with its defaults it is `{other}`, to the byte (`{test}`)."
        for law, (other, test) in SAME.items()
    )
    text = f"""\
# Evaluations of all laws by RFC 9743

<!-- Generated: python evidence/benches/evaluate/write.py laws (make evaluations) -->

Verdicts of [`windward evaluate`](../../docs/guides/evaluate.md) on every law, {seeds} seeds for each network. They are
evidence for and against, from simulations: RFC 9743 sets no thresholds. Here the worse of CUBIC and Reno on the same
networks and seeds sets them, with a margin.

✓ meets, ✗ does not, ? cannot be told from {seeds} seeds, – not applicable. 5.3.1, 5.3.2, 6.2 and 7.10 are not modelled.

{same}

{table(rows)}

## What is not met

{worst(rows)}

## Sections

{titles}
"""
    replace_text(LAWS_PAGE, text)
    for name, found in rows.items():
        write_own(LAW_PAGES / f"{name.partition(',')[0]}.md", evaluation(found, seeds))
    for law, (other, test) in SAME.items():
        said = (
            f"The defaults have the [evaluation of `{other}`]({other}.md#evaluation): the tables of their runs are "
            f"equal to the byte\n(`{test}`). [All laws](../../../evidence/measured/evaluations.md)."
        )
        write_own(LAW_PAGES / f"{law}.md", [said, ""])


def evaluation(found: ww.Evaluation, seeds: int) -> list[str]:
    """The lines of an evaluation on a law's own page."""
    from windward.show import _evaluate as words

    verdicts = [word for word in found.verdicts.values() if word in ("meets", "does not", "cannot tell")]
    open_ = [key for key, word in found.verdicts.items() if word == "cannot tell"]
    said = f"{verdicts.count('meets')} of {len(verdicts)} sections of RFC 9743 are met"
    said += f"; {', '.join(open_)} cannot be told" if open_ else ""
    with_parameters = f" `{found.name}`:" if "," in found.name else ""
    lines = [
        f"[Evidence by simulation](../../../evidence/measured/evaluations.md), {seeds} seeds:{with_parameters} {said}.",
        "",
    ]
    missed = [row for row in found.rows("sections") if row["verdict"] == "does not"]
    if missed:
        lines += ["| not met | network | figure | here | allowed |", "|---|---|---|---|---|"]
        for row in missed:
            own = words.measure(found, row["measure"])
            assert own is not None
            cells = [own["network"], own["figure"], words.value(own), f"{words.allowed(own)} ({words.set_by(own)})"]
            lines.append(f"| {row['section']} {row['title']} | {' | '.join(map(str, cells))} |")
        lines.append("")
    return lines


def write_own(page: Path, own: Sequence[str]) -> None:
    """The evaluation on a law's own page, before its limits."""
    lines = ["## Evaluation", "", "<!-- Generated: make evaluations -->", "", *own]
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^## Evaluation\n.*?(?=^## )", "", text, flags=re.MULTILINE | re.DOTALL)
    replace_text(page, text.replace("\n## Limits\n", "\n" + "\n".join(lines) + "\n## Limits\n", 1))


#: Suites and the laws that their page shows.
SUITES = {
    "bbr-draft": ("bbr3", "bbr"),
    "cubic": ("cubic,version=rfc9438", "cubic,version=linux"),
    "rmcat": ("nada", "scream", "gcc"),
}


def write_suites(seeds: int) -> None:
    """The page of the suites: figure and threshold of each case under each law."""
    from windward.show import _evaluate as words

    parts = []
    for suite, laws_of_it in SUITES.items():
        rows = {law: evaluated(law, law, seeds, suite) for law in laws_of_it}
        first = next(iter(rows.values()))
        lines = [
            f"## `{suite}`: {first.title.partition(' by ')[2]}",
            "",
            f"| case | network | figure | {' | '.join(f'`{law}`' for law in rows)} | allowed |",
            "|---|---|---|" + "---|" * (len(rows) + 1),
        ]
        missing = []
        for section in first.rows("sections"):
            if section["verdict"] == "not modelled":
                missing.append(f"{section['section']} {section['title']} ({section['why']})")
            for own in first.rows("measures"):
                if own["section"] != section["section"]:
                    continue
                cells = []
                for found in rows.values():
                    theirs = words.measure(found, own["measure"])
                    assert theirs is not None
                    cells.append(f"{SIGNS[theirs['verdict']]} {words.value(theirs)}")
                head = f"{section['section']} {section['title']}"
                cells += [f"{words.allowed(own)} ({words.set_by(own)})"]
                lines.append(f"| {head} | {own['network']} | {own['figure']} | {' | '.join(cells)} |")
        if missing:
            lines += ["", "Not modelled:", "", *(f"* {each}" for each in missing)]
        parts.append("\n".join(lines))
    body = "\n\n".join(parts)
    text = f"""\
# Conformance suites: BBR's draft, RFC 9438 and RFC 8867

<!-- Generated: python evidence/benches/evaluate/write.py suites (make evaluations) -->

Cases of specifications, run by [`windward evaluate
--suite`](../../docs/guides/evaluate.md#suites-cases-of-one-specification) with {seeds} seeds each. ✓ meets, ✗ does not,
? cannot be told from {seeds} seeds. The thresholds are those of the specifications where they have one, and named where
they do not.

{body}
"""
    replace_text(SUITES_PAGE, text)


#: Stacks: name, law, and transport of `windward evaluate`.
STACKS = (
    ("`bbr3` over TCP", "bbr3", "tcp"),
    ("`bbr3` over QUIC", "bbr3", "quic"),
    ("`bbr` over TCP", "bbr", "tcp"),
    ("`bbr` over QUIC", "bbr", "quic"),
    ("quinn's BBR", "bbr", "quinn"),
    ("noq's BBRv3", "bbr3", "noq"),
)


#: Section on what noq's BBRv3 does not meet, from its sources and from copies with one change each.
NOQ = """\
## noq's BBRv3

Causes in noq-proto 1.4.0, `src/congestion/bbr3/mod.rs`. Each was tested with a copy of the crate in which it alone is
changed, 5 seeds each. As released, the verdicts of A.13, A.15, A.17 and A.18 differ from run to run. ACKS_INIT: a
further value of `AckPhase`, which `adapt_long_term_model` sets where it advances the filter. PROBE_RTT marks:
`handle_probe_rtt` sets `app_limited` to max(delivered + inflight, 1).

| case | as released | ACKS_INIT | PROBE_RTT marks | both | allowed |
|---|---|---|---|---|---|
| A.7 time in STARTUP and PROBE_RTT | ✗ 28.6 % | ✗ 28.2 % | ✓ 100 % | ✓ 100 % | ≥ 95.0 % |
| A.9 PROBE_DOWNs that REFILL follows | ✗ 0 % | ? – | ✗ 0 % | ? – | ≥ 95.0 % |
| A.12 distance of max_bw from the link after STARTUP | ✗ 15.8 % | ✗ 15.8 % | ✗ 15.8 % | ✗ 15.8 % | ≤ 10.0 % |
| A.13 goodput | ? 86.8 % | ✓ 96.6 % | ? 87.5 % | ✓ 96.7 % | ≥ 90.0 % |
| A.15 distance of max_bw from the link 6 s later | ✗ 6.1 % | ✓ 0.002 % | ✗ 7.3 % | ✓ 0.000 % | ≤ 5.00 % |
| A.16 cycles until max_bw is within 5 % | ✓ 0 | ✓ 1.6 | ✓ 0.4 | ✗ 4.0 | ≤ 3.50 |
| A.17 lost segments | ? 2.53 % | ✓ 1.83 % | ? 2.39 % | ? 1.83 % | ≤ 2.00 % |
| A.18 inflight_shortterm after the recovery, packets | ? 6 | ✗ 34 | ✓ 0 | ✗ 34 | ≤ 0.500 |
| A.20 PROBE_RTTs that STARTUP follows | ✗ 0 % | ✗ 0 % | ✓ 100 % | ✓ 100 % | ≥ 95.0 % |
| A.22 least max_bw | ✗ 83.7 % | ✓ 100 % | ✗ 83.6 % | ✓ 100 % | ≥ 95.0 % |

* **The maximum filter forgets in rounds, not in cycles** (A.13, A.15, A.22). In the draft, the first round of
  PROBE_DOWN ends the samples of a probe: BBRAdaptLongTermModel clears `bw_probe_samples`, sets `ack_phase` to
  ACKS_INIT, and advances the filter once. noq's `AckPhase` has no such value. `adapt_long_term_model` advances the
  filter at the beginning of every round of PROBE_DOWN and PROBE_CRUISE, so that `max_bw` is the maximum of two
  rounds. With the pacing margin of 1 %, it falls from 833 to 772 packets a second in the first PROBE_CRUISE, of 1.3 s.
  A.16 is met before a cycle has passed for the same reason.
* **PROBE_RTT does not mark the connection as application-limited** (A.7, A.20), as BBRHandleProbeRTT does. Its rounds
  have four packets in flight and no growth. Three of them end STARTUP.
* A.9 with ACKS_INIT: the PROBE_DOWN of the falling rate begins after 8.5 s (two seeds), and the case counts those
  between 6.5 and 8 s. In one of the two REFILL follows it, in the other PROBE_RTT.
* **No undo of a spurious recovery** (A.18). As released and with ACKS_INIT, the next REFILL lifts
  `inflight_shortterm`, 0.13 s and 0.4 s later; over TCP the undo of `bbr3` lifts it after 60 ms. Saving the state only
  at the start of a recovery changes nothing. Whether `on_spurious_congestion_event` is called is not known.
* **No seed**: `Bbr3Config` has a field `probe_rng_seed`, and no function that sets it.

Differences from the draft that change no verdict alone:

* The mark of an application-limited phase is not renewed: `on_end_acks` removes it when it has been delivered, or else
  sets one. Renewed at each ACK: A.7 28.7 %, A.20 0 %.
* The first RTT sample is the estimator's initial guess of 333 ms. With the packet's own: A.7 28.8 %, A.12 15.8 %.
* `bw_probe_samples` is not cleared after a probe. Cleared with ACKS_INIT: A.13 96.5 %, A.17 2.00 %.

A.12 has the same figure with all of these changes. With bursts of two packets from noq's pacer in place of ten it is
13.4 %. `bbr3` over quinn overestimates as much (14.3 %), over TCP it does not (1.8 %). The rest of the cause is not
known. A.17 is near its threshold in all columns of BBRv3. A.19 has no timeout over QUIC.
"""


def write_stacks(seeds: int) -> None:
    """The page of the cases of BBR's draft on each stack."""
    from windward.show import _evaluate as words

    rows = {name: evaluated(law, law, seeds, "bbr-draft", transport) for name, law, transport in STACKS}
    first = next(iter(rows.values()))
    lines = [f"| case | figure | {' | '.join(rows)} | allowed |", "|---|---|" + "---|" * (len(rows) + 1)]
    for section in first.rows("sections"):
        for own in first.rows("measures"):
            if own["section"] != section["section"]:
                continue
            theirs = [words.measure(found, own["measure"]) for found in rows.values()]
            cells = [f"{SIGNS[each['verdict']]} {words.value(each)}" if each else "not run" for each in theirs]
            head = f"{section['section']} {section['title']}, {own['network']}"
            lines.append(f"| {head} | {own['figure']} | {' | '.join(cells)} | {words.allowed(own)} |")
    counts = ["| stack | ✓ | ✗ | ? | not run |", "|---|---|---|---|---|"]
    every = first.rows("measures")
    for name, found in rows.items():
        verdicts = [row["verdict"] for row in found.rows("measures")]
        signs = [sum(SIGNS[verdict] == sign for verdict in verdicts) for sign in "✓✗?"]
        counts.append(f"| {name} | {' | '.join(map(str, signs))} | {len(every) - len(verdicts)} |")
    text = f"""\
# The test cases of BBR's draft across stacks

<!-- Generated: python evidence/benches/evaluate/write.py stacks (make evaluations) -->

The 22 cases in the appendix of draft-ietf-ccwg-bbr, on Windward's laws over its TCP and over QUIC between endpoints of
quinn-proto 0.11, and on quinn's own BBR. The last column has the BBRv3 of noq-proto 1.4 between endpoints of noq.
The commands are `windward evaluate LAW --suite bbr-draft --transport tcp|quic|quinn|noq`, {seeds} seeds each. ✓ meets,
✗ does not, ? cannot be told: the law shows no such state, or {seeds} seeds do not decide.
The networks and the sources of the thresholds are those of the [suite](suites.md).

{chr(10).join(counts)}

* `bbr` and quinn's BBR are of the first version, for which the cases were not written. Their state is their mode and
  their estimate of the bandwidth: cases on the phases of PROBE_BW and on bounds of the flight cannot be told.
* QUIC has probes and no retransmission timeout: what counts as one (A.19) is persistent congestion (RFC 9002 §7.6).
* quinn's BBR takes its samples of the bandwidth between two ACKs (A.1, A.12), and its estimate exceeds the link's rate.
* The [pacing rate](quinn-bbr.md) of a law does not reach quinn's pacer, whatever the law.
* [noq's BBRv3](#noqs-bbrv3) differs from run to run: its generator of random waits has no public seed.
* The kernel's BBR is in a [table of its own](#the-kernels-bbr), of real time.

{chr(10).join(lines)}

{NOQ}"""
    # The section on the kernel's BBR is of real time, by `kernel_bbr.py`.
    _, heading, kernels = STACKS_PAGE.read_text(encoding="utf-8").partition(f"\n{KERNELS_HEADING}")
    replace_text(STACKS_PAGE, text + heading + kernels)


def null() -> str:
    """Section on false verdicts, by `null.py`."""
    file = KEPT / "null.json"
    if not file.exists():
        return ""
    found = json.loads(file.read_text(encoding="utf-8"))
    lines = []
    for name, what in (("thresholds", "as they are"), ("exact", "CUBIC's own figure, without margin or slack")):
        for own in found[name]:
            low, high = 100 * own["low"], 100 * own["high"]
            lines.append(f"| {what} | {own['each']} | {own['false']} of {own['of']} | {low:.1f} to {high:.1f} % |")
    rows = "\n".join(lines)
    return f"""
## False verdicts

CUBIC is judged as a stranger against CUBIC (`evidence/benches/evaluate/null.py`): {found["measures"]} measures on
{found["seeds"]} seeds, none of which chose a threshold. An evaluation takes as many seeds for the stranger as for the
reference. No run is in two evaluations of a row. An evaluation is false if any of its measures has *does not*: that
may happen in at most 5 %. Intervals are those of Clopper and Pearson (95 %).

| thresholds | seeds of each | false evaluations | interval |
|---|---|---|---|
{rows}
"""


def ware() -> str:
    """Section on BBRv1 beside loss-driven flows, by `ware.py`."""
    file = KEPT / "ware.json"
    if not file.exists():
        return ""
    found = json.loads(file.read_text(encoding="utf-8"))
    names = [name for name in found[0] if name not in ("buffer", "model", "seeds")]
    lines = [f"| buffer | model | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for row in found:
        cells = [f"{mean:.3f} ± {error:.3f}" for mean, error in (row[name] for name in names)]
        lines.append(f"| {row['buffer']} BDP | {row['model']:.3f} | {' | '.join(cells)} |")
    rows = "\n".join(lines)
    changes = max(abs(row["1 cubic"][0] - row["16 cubic"][0]) for row in found if row["buffer"] >= 4)
    return f"""
## BBRv1 beside loss-driven flows

Share of one BBRv1 beside others (`evidence/benches/evaluate/ware.py`): 20 Mbit/s, 40 ms, {found[0]["seeds"]} seeds of
400 s, the first 100 s not counted. The model is that of R. Ware et al. (IMC 2019, §5). It assumes a buffer that is
always full and is an upper bound. Loss-driven flows let the queue fall after each loss, and BBR's window is two
products of the round trip that it finds then. As the model says, the number of the others matters little. From 4 BDP on
the share changes by at most {changes:.3f} from 1 to 16 CUBICs; an equal share falls from 0.5 to 0.06.

{rows}
"""


def write_faults(seeds: int) -> bool:
    """The page of planted faults; false if one is not found, or found elsewhere."""
    rows = {name: evaluated(f"{FAULTS}:{name}", name, seeds) for name in PLANTED}
    wrong = []
    for name, expected in PLANTED.items():
        failed = [key for key, verdict in rows[name].verdicts.items() if verdict == "does not"]
        if failed != ([expected] if expected else []):
            wrong.append(f"`{name}` fails {', '.join(failed) or 'nothing'} and should fail {expected or 'nothing'}")
    said = "Each fails its own section and no other." if not wrong else "; ".join(wrong) + "."
    expected = "\n".join(f"| `{name}` | {key or 'none'} |" for name, key in PLANTED.items())
    text = f"""\
# Planted faults in evaluations

<!-- Generated: python evidence/benches/evaluate/write.py faults (make validate WHAT=evaluate) -->

Laws with one planted fault each (`tests/evaluate/faults.py`), evaluated by
[`windward evaluate`](../../../docs/guides/evaluate.md) with {seeds} seeds. {said}

✓ meets, ✗ does not, ? cannot be told from {seeds} seeds, – not applicable.

{table(rows)}

| law | section of its fault |
| --- | --- |
{expected}
{null()}{ware()}"""
    replace_text(FAULTS_PAGE, text)
    print(said)
    return not wrong


def main() -> None:
    """Writes a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", choices=("laws", "suites", "stacks", "faults"))
    parser.add_argument("--seeds", type=int, default=None)
    parser.add_argument("--only", nargs="*", default=())
    asked = parser.parse_args()
    with shared_references():
        if asked.page == "laws":
            write_laws(asked.seeds or 10, asked.only)
        elif asked.page == "suites":
            write_suites(asked.seeds or 5)
        elif asked.page == "stacks":
            write_stacks(asked.seeds or 5)
        elif not write_faults(asked.seeds or 10):
            sys.exit(1)


if __name__ == "__main__":
    main()

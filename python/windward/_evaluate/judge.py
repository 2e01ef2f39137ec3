"""Rows of an answer: a verdict for each measure and each section."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from windward._evaluate.networks import OWN_ECN, name_of
from windward._evaluate.plan import Planned
from windward._evaluate.sections import Section
from windward._evaluate.smallest import Networks
from windward._evaluate.verdict import (
    ALPHA,
    CANNOT_TELL,
    DOES_NOT,
    NOT_APPLICABLE,
    NOT_MODELLED,
    Tested,
    adjusted,
    evaluated,
    needed,
    of_section,
    verdicts,
)
from windward.results._summary import number
from windward.results.stats import mean_and_interval

#: Runs by point and seed.
Runs = Mapping[tuple[int, int], Mapping[str, Any]]


def judged(planned: Planned, runs: Runs, networks: Networks, output: Path) -> dict[str, Any]:
    """Measures, sections, and the networks that show what is not met."""
    tested = [_tested(planned, own, runs) for own in planned.measures]
    found = verdicts(tested)
    known = [own for own in tested if own.is_known]
    corrected = dict(zip(map(id, known), adjusted([own.chance for own in known]), strict=True))
    measures = [
        _measure(own, verdict, corrected.get(id(own)), len(known)) for own, verdict in zip(tested, found, strict=True)
    ]
    sections = []
    for section in planned.asked.sections:
        if planned.asked.only and section.key not in {name.partition("/")[0] for name in planned.asked.only}:
            continue
        inside = [at for at, own in enumerate(tested) if own.measure.section == section.key]
        row = _section(section, [tested[at] for at in inside], [found[at] for at in inside], planned)
        if row["verdict"] == DOES_NOT and planned.asked.smallest:
            shown = next(own for own in tested if own.measure.name == row["measure"])
            row["smallest"] = networks.smallest(shown, output)
        sections.append(row)
    return {
        "alpha": ALPHA,
        "comparisons": len(known),
        "sections": sections,
        "measures": measures,
        "failures": len(runs.get((0, 0), {}).get("failures", [])),
        "counts": {word: sum(row["verdict"] == word for row in sections) for word in _ORDER},
    }


_ORDER = (DOES_NOT, CANNOT_TELL, "meets", NOT_APPLICABLE, NOT_MODELLED)


def _tested(planned: Planned, measure: Any, runs: Runs) -> Tested:
    asked = planned.asked

    def values(law: Any) -> list[float]:
        point = planned.point(measure, law)
        rows = [runs.get((point, seed)) for seed in asked.seeds]
        return [math.nan if own is None else measure.value(own) for own in rows]

    references = {} if measure.absolute is not None else {law: values(law) for law in asked.references}
    return evaluated(measure, values(asked.law), references)


def _measure(own: Tested, verdict: str, corrected: float | None, comparisons: int) -> dict[str, Any]:
    measure = own.measure
    row = {
        "measure": measure.name,
        "section": measure.section,
        "network": measure.network,
        "figure": measure.figure,
        "unit": measure.unit,
        "better": "more" if measure.is_large else "less",
        "value": number(own.mean),
        "ci95": number(own.interval),
        "allowed": number(own.allowed),
        "source": measure.source,
        "margin": measure.margin,
        "slack": measure.slack,
        "absolute": measure.absolute,
        "reference": own.reference,
        "references": {law: _mean(values) for law, values in own.references.items()},
        "values": [number(value) for value in own.values],
        "seeds": own.seeds,
        "chance": None if corrected is None else number(corrected),
        "verdict": verdict,
    }
    if verdict == CANNOT_TELL:
        row["needed"] = needed(own, comparisons)
    return row


def _mean(values: Sequence[float]) -> dict[str, Any]:
    mean, interval = mean_and_interval(values)
    return {"value": number(mean), "ci95": number(interval)}


def _section(section: Section, tested: Sequence[Tested], found: Sequence[str], planned: Planned) -> dict[str, Any]:
    row: dict[str, Any] = {
        "section": section.key,
        "title": section.title,
        "question": section.question,
        "networks": len({own.measure.network for own in tested}),
        "measure": None,
        "why": "",
    }
    if section.not_modelled:
        why, verdict = section.not_modelled, NOT_MODELLED
        if section.key == "6.2" and not _sets_ecn(planned.asked.law):
            why, verdict = "the law sets no codepoint of ECN by itself", NOT_APPLICABLE
        return row | {"verdict": verdict, "why": why}
    if not tested:
        return row | {"verdict": NOT_MODELLED, "why": "none of its networks has the law's flows over QUIC"}
    verdict = of_section(found)
    # The measure that decides: of those with this verdict the one farthest on the wrong side.
    deciding = [own for own, each in zip(tested, found, strict=True) if each == verdict]
    known = [own for own in deciding if not math.isnan(own.relative_excess)]
    worst = max(known, key=lambda own: own.relative_excess) if known else deciding[0]
    return row | {"verdict": verdict, "measure": worst.measure.name}


def _sets_ecn(law: Any) -> bool:
    return name_of(law) in OWN_ECN

"""The networks of an evaluation under all its laws."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windward._evaluate.measure import Measure
from windward._evaluate.networks import with_law
from windward._evaluate.request import EvaluationRequest


@dataclass(frozen=True, kw_only=True)
class Point:
    """A network under one law."""

    law: str
    network: str
    #: The scenario in JSON.
    text: str


@dataclass(frozen=True, kw_only=True)
class Planned:
    """The networks of an evaluation under all its laws; equal ones are run once."""

    asked: EvaluationRequest
    measures: Sequence[Measure]
    points: Sequence[Point]
    #: Number of the point by the scenario's text.
    place: Mapping[str, int]

    def point(self, measure: Measure, law: Any) -> int:
        """The point of a measure under a law."""
        return self.place[_text(measure, law)]


def plan(asked: EvaluationRequest) -> Planned:
    """The networks that are needed."""
    found: dict[str, Point] = {}
    measures = asked.measures()
    for measure in measures:
        references = [] if measure.absolute is not None else list(asked.references)
        for law, name in ((asked.law, asked.text), *((own, own) for own in references)):
            text = _text(measure, law)
            found.setdefault(text, Point(law=name, network=measure.name, text=text))
    place = {text: at for at, text in enumerate(found)}
    return Planned(asked=asked, measures=measures, points=list(found.values()), place=place)


def _text(measure: Measure, law: Any) -> str:
    return json.dumps(with_law(measure.template, law), ensure_ascii=False)

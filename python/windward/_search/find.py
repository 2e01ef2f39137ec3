"""A find: shrunk, written, explained, and confirmed between kernels."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windward import _engine
from windward._answers.run import Run
from windward._engines.simulate import simulate
from windward._format import shrunk
from windward._format.parse import parse
from windward._format.vary import Field, change, label, split
from windward._search.bounds import Allowed
from windward._search.confirm import confirm
from windward._search.fair import Fair
from windward._search.figures import Runs
from windward._search.judge import MARGIN, Judge
from windward._search.objective import mean_of
from windward._search.patterns import Event
from windward._search.questions import Question
from windward._search.request import AttackRequest
from windward._search.shrink import (
    entries,
    fewer_lines,
    fewer_members,
    keys,
    named,
    shrink,
    text_of,
    with_members,
    without,
)
from windward._search.trials import Search
from windward._search.why import explain, without_attack
from windward.results._files import replace_text
from windward.results._place import SCENARIO, claim
from windward.results._shapes import Progress
from windward.results._summary import number

#: Longest find that is confirmed without being asked for, in seconds.
_PATIENCE_S = 120.0


@dataclass(kw_only=True)
class Writer:
    """Shrinks a find and writes it, with what each of its parts is needed for."""

    asked: AttackRequest
    question: Question
    search: Search
    runs: Runs
    judge: Judge
    allowed: Allowed
    progress: Callable[[Progress], None] | None = None

    def write(self, path: Path, values: Sequence[Any], *, is_spared: bool) -> dict[str, Any]:
        """Writes the find as a scenario without defaults; returns its part of the summary."""
        margin = MARGIN if is_spared else 1.0
        variables, patterns = self.allowed.variables, self.allowed.patterns
        self._lessen(values, margin)
        plain = self.search.plain
        small = shrink(
            values, variables, patterns, lambda tried: self._holds(self.search.changed(tried), plain, margin)
        )
        file = self._file(small)
        # One entry may make several flows.
        flows = min(2 if self.question.kind.is_of_flows else 1, len(file.get("flow", [])))
        neutral = {
            own.field.path: own.neutral for at, own in enumerate(variables) if label(small[at]) != label(own.neutral)
        }
        if patterns is not None:
            neutral |= patterns.neutral(small[-1])

        def clean(tried: Mapping[str, Any]) -> dict[str, Any]:
            return without_attack(tried, self.asked.written, neutral)

        file = fewer_lines(file, self.runs.resolved, lambda tried: self._holds(tried, clean(tried), margin), flows)
        (path / "find").mkdir(exist_ok=True)
        replace_text(path / "find" / SCENARIO, shrunk.to_toml(file))
        replayed = json.loads(self.runs.resolved(file) or "{}")
        shares = self.judge.fair(clean(file), file)
        runs = self.runs.figures(replayed, shares)
        run = self._simulate(parse(path / "find" / SCENARIO), path / "find" / "run")
        why = self._why(clean(file), run, replayed, path)
        figure = self.question.kind.figure
        reference = None
        if self.asked.reference is not None:
            reference = number(self.judge.under_reference(file, clean(file)))
        return {
            "value": number(mean_of(runs, figure)),
            "values": [number(run.get(figure, math.nan)) for run in runs],
            "goodput": number(mean_of(runs, "goodput")),
            "clean": self._clean(clean(file)),
            "fresh": [number(own.get(figure, math.nan)) for own in self._fresh(replayed, shares)],
            "worst": _worst(run, shares),
            "reference": reference,
            "changes": self._changes(small),
            "lines": self._lines(file, clean),
            "why": why,
            "kernels": self._confirm(file, run, shares, path),
            "holds": all(self.question.holds(run.get(figure, math.nan)) for run in runs),
        }

    def _lessen(self, values: Sequence[Any], margin: float) -> None:
        """Makes groups of nodes as small as the question allows: fewer flows are easier to understand, and faster."""

        def holds(sizes: Mapping[int, int]) -> bool:
            plain = with_members(self.search.plain, sizes)
            if self.runs.resolved(plain) is None:
                return False
            return self._holds(self.search.changed(values, plain), plain, margin)

        sizes = fewer_members(self.search.plain, holds)
        self.search = replace(self.search, plain=with_members(self.search.plain, sizes))
        self.allowed = replace(self.allowed, written=with_members(self.allowed.written, sizes))

    def _simulate(self, scenario: _engine.Scenario, output: Path) -> Run:
        with claim(output, "replace") as place:
            return simulate(
                scenario, folder=self.asked.folder, laws=self.asked.laws, threads=self.runs.threads, place=place
            )

    def _why(
        self, clean: Mapping[str, Any], run: Run, replayed: Mapping[str, Any], path: Path
    ) -> dict[str, Any] | None:
        """Runs the network without the attack, and says from when on and why the find differs."""
        resolved = self.runs.resolved(clean)
        if resolved is None:
            return None
        scenario = _engine.Scenario.from_json(resolved, "the find without the attack", self.asked.folder)
        return explain(run, self._simulate(scenario, path / "find" / "clean"), replayed)

    def _clean(self, clean: Mapping[str, Any]) -> dict[str, float | None]:
        """Figures of the find's network without the attack."""
        if self.runs.resolved(clean) is None:
            return {}
        runs = self.runs.figures(clean, self.judge.fair(clean, clean))
        return {name: number(mean_of(runs, name)) for name in (self.question.kind.figure, "goodput")}

    def _fresh(self, replayed: Mapping[str, Any], shares: Fair | None) -> list[dict[str, float]]:
        """Figures of as many seeds again, for which nothing was searched."""
        seeds = range(self.asked.seeds + 1, 2 * self.asked.seeds + 1)
        return self.runs.figures(replayed, shares, seeds=seeds)

    def _confirm(self, file: Mapping[str, Any], run: Run, shares: Fair | None, path: Path) -> dict[str, Any] | None:
        runs = self.asked.confirm
        if runs is None:
            if run.duration_s > _PATIENCE_S:
                said = f"the find takes {run.duration_s:g} s in real time; it is confirmed if asked for"
                return {"runs": 0, "skipped": said}
            runs = 1
        if not runs:
            return None
        goodputs = run.flows.groupby("flow", sort=False)["goodput_bps"].mean()
        return confirm(
            file,
            self.question,
            {str(flow): float(goodput) for flow, goodput in goodputs.items()},
            runs=runs,
            fair=shares,
            folder=self.asked.folder,
            output=path / "find" / "kernels",
            progress=self.progress,
        )

    def _holds(self, plain: Mapping[str, Any], clean: Mapping[str, Any], margin: float) -> bool:
        if self.question.kind.is_fair and self.runs.resolved(clean) is None:
            return False
        runs = self.runs.figures(plain, self.judge.fair(clean, plain))
        if not self.search.objective.judge(runs).is_feasible:
            return False
        if not all(self.question.holds(run.get(self.question.kind.figure, math.nan), margin) for run in runs):
            return False
        # A smaller find must be the law's own too.
        return not self.judge.suffers(plain, clean)

    def _file(self, values: Sequence[Any]) -> dict[str, Any]:
        """The find as it is written, without changes that do nothing."""
        variables = self.allowed.variables
        needed = [at for at, own in enumerate(variables) if label(values[at]) != label(own.neutral)]
        file = change(self.allowed.written, {variables[at].field.path: values[at] for at in needed})
        used = {int(split(path)[1]) for at in needed if (path := variables[at].field.path).startswith("change.")}
        before = len(self.asked.written.get("change", []))
        for at, own in enumerate(variables):
            path = own.field.path
            if at not in needed and own.is_added:
                file = shrunk.without(file, path.removesuffix(".max"))
            if at not in needed and path.startswith("change.") and int(split(path)[1]) in used:
                file = shrunk.without(file, path)
        if "change" in file:
            file["change"] = [own for at, own in enumerate(file["change"]) if at < before or at in used]
            file = {key: value for key, value in file.items() if key != "change" or value}
        if self.allowed.patterns is not None:
            file = self.allowed.patterns.applied(file, values[-1])
        return {**file, "seeds": self.asked.seeds}

    def _changes(self, values: Sequence[Any]) -> list[dict[str, Any]]:
        """Each change with the figure if it alone is left out."""
        rows = []
        for at, own in enumerate(self.allowed.variables):
            if label(values[at]) != label(own.neutral):
                left = [*values[:at], own.neutral, *values[at + 1 :]]
                rows.append((own.name, _alike(own.neutral, own.field), label(values[at]), left))
        if self.allowed.patterns is not None:
            events: list[Event] = list(values[-1])
            for at, event in enumerate(events):
                own_text = self.allowed.patterns.describe(event)
                generator = self.allowed.patterns.generators[event.of]
                rest = "–" if generator.neutral is None else label(generator.neutral)
                if generator.key == "up":
                    rest = "up"
                left = [*values[:-1], [*events[:at], *events[at + 1 :]]]
                rows.append((generator.path, rest, own_text, left))
        return [
            {"field": name, "clean": clean, "attack": there, "without": self._figure(self.search.changed(left))}
            for name, clean, there, left in rows
        ]

    def _figure(self, plain: Mapping[str, Any]) -> float | None:
        return self._figure_of(plain, self.search.plain)

    def _figure_of(self, plain: Mapping[str, Any], clean: Mapping[str, Any]) -> float | None:
        if self.question.kind.is_fair and self.runs.resolved(clean) is None:
            return None
        found: float | None = number(
            mean_of(self.runs.figures(plain, self.judge.fair(clean, plain)), self.question.kind.figure)
        )
        return found

    def _lines(
        self, file: Mapping[str, Any], clean: Callable[[Mapping[str, Any]], dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Every part of the file: the figure without it, or nothing where no network is left."""
        rows = []
        for place in [*entries(file), *keys(file)]:
            tried = without(file, place)
            is_network = self.runs.resolved(tried) is not None
            rows.append(
                {
                    "line": named(file, place),
                    "content": text_of(file, place),
                    "is_network": is_network,
                    "without": self._figure_of(tried, clean(tried)) if is_network else None,
                    "holds": is_network and self._holds(tried, clean(tried), 1.0),
                }
            )
        return rows


def _worst(run: Run, shares: Fair | None) -> dict[str, Any] | None:
    """The flow that falls farthest short of its fair share, over the seeds."""
    if shares is None:
        return None
    goodputs = {
        str(flow): float(own) for flow, own in run.flows.groupby("flow", sort=False)["goodput_bps"].mean().items()
    }
    short = shares.shortfalls(goodputs)
    if not short:
        return None
    flow = max(short, key=lambda own: short[own])
    return {"flow": flow, "goodput": number(goodputs[flow]), "fair": number(short[flow] * goodputs[flow])}


def _alike(value: Any, own: Field) -> str:
    """A value in the unit of a field's range, where shares are written as numbers otherwise."""
    if value is None:
        return "–"
    if own.range is not None and own.range.unit == "%" and isinstance(value, int | float):
        return f"{100 * value:g} %"
    return label(value)

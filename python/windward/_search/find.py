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
from windward._search.fresh import Share
from windward._search.judge import Judge
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

#: Changes that a title tells, at most.
_TOLD = 3

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

    def write(self, path: Path, values: Sequence[Any], margin: float) -> dict[str, Any] | None:
        """Writes the find as a scenario without defaults, and returns its part of the summary.

        It is shrunk on one batch of fresh seeds and confirmed on another, since the smallest of many that hold on some
        seeds holds more seldom on others. If that fails, it is confirmed on a third batch as strong as it was found.
        None if it fails, too.
        """
        self._lessen(values, margin)
        for batch, is_weakened in ((1, True), (2, False)):
            small, file, clean = self._shrunk(values, margin, is_weakened=is_weakened)
            seeds = self.judge.fresh(batch)
            if (told := self._told(file, clean(file), seeds)) is not None:
                break
        else:
            return None
        (path / "find").mkdir(exist_ok=True)
        self.search.take_files(path / "find")
        replace_text(path / "find" / SCENARIO, shrunk.to_toml(file))
        replayed = json.loads(self.runs.resolved(file) or "{}")
        shares = self.judge.fair(clean(file), file)
        runs = self.runs.figures(replayed, shares)
        run = self._simulate(parse(path / "find" / SCENARIO), path / "find" / "run")
        figure = self.question.kind.figure
        fresh = self.runs.figures(file, shares, seeds=seeds)
        return {
            "value": number(mean_of(runs, figure)),
            "values": [number(run.get(figure, math.nan)) for run in runs],
            "goodput": number(mean_of(runs, "goodput")),
            "clean": self._clean(clean(file)),
            "fresh": [number(own.get(figure, math.nan)) for own in fresh],
            **told,
            "worst": _worst(run, shares),
            "changes": self._changes(small),
            "lines": self._lines(file, clean),
            "why": self._why(clean(file), run, replayed, path),
            "kernels": self._confirm(file, run, shares, path),
            "holds": all(self.question.holds(run.get(figure, math.nan)) for run in runs),
        }

    def _shrunk(
        self, values: Sequence[Any], margin: float, *, is_weakened: bool
    ) -> tuple[list[Any], dict[str, Any], Callable[[Mapping[str, Any]], dict[str, Any]]]:
        """Values that do as little as possible, the file with them, and what makes a file one without the attack."""
        plain, variables, patterns = self.search.plain, self.allowed.variables, self.allowed.patterns

        def holds(tried: Sequence[Any]) -> bool:
            return self._holds(self.search.changed(tried), plain, margin)

        small = shrink(values, variables, patterns, holds, is_weakened=is_weakened)
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
        return small, file, clean

    def _told(self, file: Mapping[str, Any], clean: Mapping[str, Any], seeds: Sequence[int]) -> dict[str, Any] | None:
        """The shares of fresh seeds on which the find holds, and elsewhere; None if it is none on these seeds."""
        share = self.judge.share(file, clean, seeds=seeds)
        if not share.is_enough():
            return None
        # Without a network that is left there is nothing to compare.
        is_network = self.runs.resolved(clean) is not None
        without = self.judge.clean_share(clean, seeds) if is_network else Share(held=0, of=len(seeds))
        reference, value = None, None
        if self.asked.reference is not None:
            reference = self.judge.of_reference(file, clean, seeds=seeds)
            value = number(self.judge.under_reference(file, clean, seeds))
        if not self.judge.is_own(share, without, reference):
            return None
        return {
            "share": share.summary(),
            "clean_share": without.summary(),
            "reference": value,
            "reference_share": None if reference is None else reference.summary(),
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
        # A smaller find must be the law's own too.
        return self.judge.share(plain, clean, margin).is_enough() and not self.judge.suffers(plain, clean)

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
        named = {"name": file["name"], "title": self._title(values)}
        return {**named, **{key: own for key, own in file.items() if key not in named}, "seeds": self.asked.seeds}

    def _title(self, values: Sequence[Any]) -> str:
        """The find in one line: what holds, and by which changes. The scenario's title may be of another network."""
        variables, patterns = self.allowed.variables, self.allowed.patterns
        changes = [
            f"{own.name} {label(values[at])}"
            for at, own in enumerate(variables)
            if label(values[at]) != label(own.neutral)
        ]
        if patterns is not None:
            changes += map(patterns.describe, values[-1])
        more = f", and {len(changes) - _TOLD} more changes" if len(changes) > _TOLD else ""
        says = self.question.says
        return f"{says[:1].upper()}{says[1:]}: {', '.join(changes[:_TOLD])}{more}"

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
        found = []
        for name, clean, there, left in rows:
            plain = self.search.changed(left)
            share = self.judge.share(plain, self.search.plain)
            row = {"field": name, "clean": clean, "attack": there, "held": share.held, "of": share.of}
            found.append(row | {"without": self._figure_of(plain, self.search.plain)})
        return found

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

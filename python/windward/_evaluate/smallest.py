"""The smallest network that shows what a law does not meet, as a file that `simulate` repeats."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windward import _engine
from windward._engines.lines import simulated
from windward._engines.simulate import count_threads
from windward._evaluate.kernels import repeated
from windward._evaluate.measure import Measure
from windward._evaluate.networks import with_law
from windward._evaluate.request import EvaluationRequest
from windward._evaluate.verdict import Tested
from windward._evaluate.whole import whole
from windward._format import shrunk
from windward._format.own import finders
from windward._search.fresh import LEAST, fresh_seeds
from windward._search.objective import rows_of
from windward._search.shrink import fewer_lines
from windward.results._files import replace_text
from windward.results._summary import number
from windward.results.stats import mean_and_interval

#: Fresh seeds on which each step of the shrinking is judged.
_SEEDS = 5

#: Shortest run that is tried.
_SHORTEST_S = 10.0


@dataclass
class Networks:
    """Runs of single networks, apart from those of the evaluation."""

    asked: EvaluationRequest
    threads: int | None

    def smallest(self, own: Tested, output: Path) -> dict[str, Any] | None:
        """Shrinks the network of a measure and writes it; None if it does not show the same on fresh seeds."""
        measure = own.measure
        seeds = fresh_seeds(self.asked.seeds, _SEEDS)

        def share(template: Mapping[str, Any]) -> float:
            return self._share(measure, template, own.reference, seeds)

        def holds(template: Mapping[str, Any]) -> bool:
            return share(template) >= LEAST

        found = dict(measure.template)
        if not holds(found):
            return None
        least = min(len(found.get("flow", [])), 1)
        found = fewer_lines(found, self._resolved, holds, least)
        found = _fewer_flows(found, holds)
        found = self._shorter(found, holds)
        return self._write(own, found, seeds, share(found), output)

    def _write(
        self, own: Tested, template: Mapping[str, Any], seeds: Sequence[int], share: float, output: Path
    ) -> dict[str, Any]:
        measure = own.measure
        values = self._values(measure, with_law(template, self.asked.law), seeds)
        others = self._values(measure, with_law(template, own.reference), seeds) if own.reference else []
        prefix = "rfc9743" if self.asked.suite is None else self.asked.suite.name
        written = {
            "name": f"{prefix}-{measure.section}",
            "title": f"{self.asked.title}, {measure.section}: {measure.figure}, {measure.network}",
            "seeds": list(seeds),
            **{key: value for key, value in with_law(template, self.asked.law).items() if key != "name"},
        }
        text = shrunk.to_toml(written)
        folder = output / "shown"
        folder.mkdir(exist_ok=True)
        for name in self.asked.files:
            shutil.copyfile(self.asked.folder / name, folder / name)
        replace_text(folder / f"{measure.section}.toml", text)
        reference = mean_and_interval(others)[0] if others else math.nan
        between = {}
        if self.asked.emulates:
            between["kernels"] = repeated(measure, template, self.asked.law, own.reference, self.asked.folder)
        return {
            "file": f"shown/{measure.section}.toml",
            "lines": len(text.splitlines()),
            "text": text,
            "values": [number(value) for value in values],
            "value": number(mean_and_interval(values)[0]),
            "reference": number(reference) if others else None,
            "allowed": number(measure.allowed(reference)),
            "share": number(share),
            **between,
        }

    def _share(self, measure: Measure, template: Mapping[str, Any], reference: str, seeds: Sequence[int]) -> float:
        """Share of the seeds on which the law is on the wrong side of the reference's mean threshold."""
        values = self._values(measure, with_law(template, self.asked.law), seeds)
        limit = math.nan
        if reference:
            others = self._values(measure, with_law(template, reference), seeds)
            if any(math.isnan(value) for value in others):
                return 0.0
            limit = mean_and_interval(others)[0]
        return sum(measure.excess(value, limit) > 0 for value in values) / len(seeds)

    def _values(self, measure: Measure, plain: Mapping[str, Any], seeds: Sequence[int]) -> list[float]:
        text = json.dumps(plain, ensure_ascii=False)
        if self.asked.series:
            known = dict(whole(self.asked, text, seeds, self.threads))
            rows = {seed: {kind: rows_of(table) for kind, table in known[seed].items()} for seed in seeds}
            return [measure.value(rows[seed]) for seed in seeds]
        pool = _engine.Sweep(
            "simulate",
            threads=count_threads(self.threads, has_python=self.asked.has_python),
            folder=self.asked.folder,
            **finders(self.asked.laws, self.asked.folder),
        )
        pool.submit(0, text, list(seeds))
        found: dict[int, float] = {}
        try:
            while len(found) < len(seeds):
                for _, seed, answer, _ in pool.wait(0.1):
                    tables = {} if answer is None else simulated(answer)
                    found[seed] = measure.value({kind: rows_of(table) for kind, table in tables.items()})
        finally:
            pool.cancel()
        return [found[seed] for seed in seeds]

    def _resolved(self, written: Mapping[str, Any]) -> str | None:
        """A network with its defaults; None for one that cannot be."""
        try:
            calls = self.asked.suite is not None and self.asked.suite.controls
            text = json.dumps(with_law(written, self.asked.law if calls else "reno"))
            return _engine.Scenario.from_json(text, "the network", self.asked.folder).to_json()
        except ValueError:
            return None

    def _shorter(self, template: Mapping[str, Any], holds: Any) -> dict[str, Any]:
        """The network with the shortest run, by halves; not where changes and windows have their times."""
        found = dict(template)
        if any(key in found for key in ("app", "change", "output", "background")) or _has_times(found):
            return found
        while True:
            duration, warmup = (float(str(found.get(key, "0 s")).removesuffix(" s")) for key in ("duration", "warmup"))
            shorter = {**found, "duration": f"{duration / 2:g} s"}
            if "warmup" in found:
                shorter["warmup"] = f"{warmup / 2:g} s"
            if duration / 2 < _SHORTEST_S or self._resolved(shorter) is None or not holds(shorter):
                return found
            found = shorter


def _has_times(template: Mapping[str, Any]) -> bool:
    return any("start" in own or "size" in own for own in template.get("flow", []))


def _fewer_flows(template: Mapping[str, Any], holds: Any) -> dict[str, Any]:
    """The network with groups of flows halved as often as it shows the same."""
    found: dict[str, Any] = dict(template)
    for at, own in enumerate(found.get("flow", [])):
        count = own.get("count", 1)
        while count > 1:
            count //= 2
            changed = {**found["flow"][at], "count": count}
            if count == 1:
                del changed["count"]
            tried = {**found, "flow": [*found["flow"][:at], changed, *found["flow"][at + 1 :]]}
            if not holds(tried):
                break
            found = tried
    return found

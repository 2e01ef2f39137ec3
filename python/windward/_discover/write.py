"""Files of a search that other tools open: a table, a picture, and a scenario with the law."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windward import _engine
from windward._discover.search import Search
from windward._evaluate.networks import bottleneck, flow, with_law
from windward.results._files import replace_text

TABLE, PICTURE, LAW_FILE = "candidates.csv", "progress.svg", "law.toml"

#: Columns of the table.
COLUMNS = (
    *("candidate", "generation", "rounds", "score", "violation", "step", "loss", "exit", "average", "constants"),
)


def write(search: Search, answer: Mapping[str, Any], folder: Path) -> None:
    """Writes table, picture and scenario."""
    replace_text(folder / TABLE, table(search))
    _draw(search, answer, folder / PICTURE)
    law = {"name": "formula", **answer["law"]}
    plain = with_law(
        bottleneck(
            [flow(), flow("cubic", name="cubic", start="5 s")],
            bdps=2,
            duration_s=60.0,
            warmup_s=10.0,
        ),
        law,
    )
    plain |= {"name": "discovered", "title": "A law that was searched, beside CUBIC"}
    import json

    replace_text(folder / LAW_FILE, _engine.Scenario.from_json(json.dumps(plain), "the law", Path()).to_toml())


def table(search: Search) -> str:
    """All candidates as CSV."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for at, own in enumerate(search.tried):
        law, verdict = own.law, own.verdict
        constants = " ".join(f"{name}={value:g}" for name, value in law["constants"].items())
        rows.writerow(
            [
                at,
                own.generation,
                verdict.rounds,
                f"{verdict.score:.4f}",
                f"{verdict.violation:.4f}",
                law["step"],
                law["loss"],
                f"{law['exit']:g}",
                f"{law['average']:g}",
                constants,
            ]
        )
    return text.getvalue()


def _draw(search: Search, answer: Mapping[str, Any], path: Path) -> None:
    """Scores of the candidates in their order, those within the limits filled, and known laws as lines."""
    from matplotlib.figure import Figure

    from windward.show.plot import save

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for is_within, label in ((False, "breaks a limit"), (True, "within the limits")):
        own = [
            (at, each.verdict.score)
            for at, each in enumerate(search.tried)
            if (each.verdict.violation == 0) == is_within
        ]
        face = "tab:blue" if is_within else "none"
        axes.scatter(
            [at for at, _ in own], [score for _, score in own], s=9, facecolors=face, edgecolors="tab:blue", label=label
        )
    axes.axhline(0.0, color="0.4", linewidth=0.8, label="CUBIC")
    axes.axhline(answer["score"], color="tab:red", linewidth=0.8, label="the find, on all training networks")
    axes.set(xlabel="candidate", ylabel="combined score on the networks that it ran on", ylim=(-4.1, 1.0))
    axes.legend(loc="lower right", fontsize="small")
    save(figure, path)

"""Answers of an engine at a point of a sweep, as lines of its journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windward._answers.run import Run
from windward.results import _figures
from windward.results._schema import KEPT
from windward.results._sweep import RUNS, to_line
from windward.results._tables import build, has_rows


def failed(point: int, seed: int, cells: Sequence[Any], reason: str) -> bytes:
    """A run that failed."""
    return to_line(point, seed, cells, None, reason)


def answered(engine: str, point: int, seed: int, cells: Sequence[Any], answer: Mapping[str, Any]) -> bytes:
    """Answer that `_engine.Sweep` returns for a run."""
    return to_line(point, seed, cells, _TABLES[engine](answer), None)


def emulated(point: int, seed: int, cells: Sequence[Any], run: Run) -> bytes:
    """An emulation of one seed; one that did not keep its time is kept with that as the reason."""
    tables = {kind: run.totals(kind).tables[0] for kind in KEPT}
    tables[RUNS] = _figures.packets(tables, {}, run.duration_s - run.warmup_s)
    return to_line(point, seed, cells, _filled(tables), "; ".join(run.problems))


def simulated(answer: Mapping[str, Any], series: Sequence[str] = ()) -> dict[str, Any]:
    """Tables of a simulated run, with its row of `runs`, and with these series."""
    built = build(answer, answer["entities"])
    counts = {name: int(answer[name]) for name in ("events", "packet_hops")}
    return _filled(
        {
            RUNS: _figures.packets(built, counts, answer["measured_s"]),
            **{kind: built[kind] for kind in (*KEPT, *series)},
        }
    )


def _fluid(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {RUNS: _figures.fluid(answer["flows"], answer["settled_s"]), "flows": answer["flows"]}


def _optimum(answer: Mapping[str, Any]) -> dict[str, Any]:
    runs = _figures.optimum(answer["flows"], answer["objective"], answer["certificate"], answer["iterations"])
    # What the flows maximise follows from the scenario.
    flows = {name: column for name, column in answer["flows"].items() if name != "utility"}
    return {RUNS: runs, "flows": flows, "links": answer["links"]}


_TABLES = {"simulate": simulated, "fluid": _fluid, "optimum": _optimum}


def _filled(tables: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: table for kind, table in tables.items() if has_rows(table)}

"""Answers of `optimum` and `fluid` in folders: kept, and opened again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from windward import _engine
from windward._answers.fluid import Fluid
from windward._answers.optimum import Optimum
from windward._answers.run import Run
from windward.errors import ResultError
from windward.results import _folder
from windward.results._summary import number, versions

if TYPE_CHECKING:
    import pandas as pd

#: Whatever an engine answers.
Result = Run | Fluid | Optimum


def open_result(path: Path) -> Result:
    """Opens the folder of any engine's result.

    Raises
    ------
    windward.ResultError
        If it holds none that this version reads, or no finished seed.
    """
    engine = _folder.read_summary(path)["engine"]
    if engine == "optimum":
        return open_optimum(path)
    if engine == "fluid":
        return open_fluid(path)
    run = open(path)
    if not run.seeds:
        raise ResultError(f"{path} holds no finished seed: its run was stopped too early")
    return run


def open(path: str | Path) -> Run:  # noqa: A001
    """Opens the folder of a simulation or an emulation, whole or interrupted.

    Raises
    ------
    windward.ResultError
        If the folder holds no Windward result, one of another engine, or one of a format that this version does not
        read.
    """
    path = Path(path)
    summary = _folder.read_summary(path, "simulate", "emulate")
    try:
        scenario = (path / _folder.SCENARIO).read_text()
    except OSError:
        scenario = ""
    return Run(about=summary, scenario=scenario, load=lambda kind, seed: _folder.read_table(path, kind, seed))


def save_optimum(best: Optimum, path: Path) -> None:
    """Keeps an optimum; see `Optimum.save`."""
    flows = best.flows.assign(utility=[json.dumps(utility) for utility in best.flows["utility"]])
    answer = {key: number(value) for key, value in best.to_dict().items() if key not in ("flows", "links")}
    tables = {"flows": flows, "links": best.links}
    _save(path, best, "optimum", answer | {"flows": _rows(best.flows), "links": _rows(best.links)}, tables)


def open_optimum(path: Path) -> Optimum:
    """Opens an optimum; see `Optimum.open`."""
    summary = _folder.read_summary(path, "optimum")
    flows = _folder.read_table(path, "flows").to_pandas()
    flows["utility"] = [json.loads(utility) for utility in flows["utility"]]
    return Optimum(
        name=summary["name"],
        title=summary["title"],
        scenario=_scenario(path),
        objective=summary["objective"],
        flows=flows,
        links=_folder.read_table(path, "links").to_pandas(),
        value=summary["value"],
        certificate=summary["certificate"],
        method=summary["method"],
        iterations=summary["iterations"],
        packet_bytes=summary["packet_bytes"],
    )


def save_fluid(run: Fluid, path: Path) -> None:
    """Keeps a fluid run; see `Fluid.save`."""
    tables = {"flows": run.flows, "flow_series": run.series}
    if run.lyapunov is not None:
        tables["lyapunov"] = run.lyapunov
    answer = {
        "duration_s": run.duration_s,
        "how": run.how,
        "settled_s": run.settled_s,
        "evaluations": run.evaluations,
        "lyapunov": run.lyapunov is not None,
        "flows": _rows(run.flows),
    }
    _save(path, run, "fluid", answer, tables)


def open_fluid(path: Path) -> Fluid:
    """Opens a fluid run; see `Fluid.open`."""
    summary = _folder.read_summary(path, "fluid")
    return Fluid(
        name=summary["name"],
        title=summary["title"],
        scenario=_scenario(path),
        duration_s=summary["duration_s"],
        how=summary["how"],
        flows=_folder.read_table(path, "flows").to_pandas(),
        series=_folder.read_table(path, "flow_series").to_pandas(),
        lyapunov=_folder.read_table(path, "lyapunov").to_pandas() if summary["lyapunov"] else None,
        settled_s=summary["settled_s"],
        evaluations=summary["evaluations"],
    )


def _save(
    path: Path, result: Fluid | Optimum, engine: str, answer: dict[str, Any], tables: dict[str, pd.DataFrame]
) -> None:
    summary = {
        "windward": _engine.__version__,
        "format": _folder.FORMAT,
        "engine": engine,
        "name": result.name,
        "title": result.title,
        "complete": True,
        "versions": versions(),
    }
    target = _folder.ResultFolder(path)
    try:
        written = {kind: pa.Table.from_pandas(table, preserve_index=False) for kind, table in tables.items()}
        target.write(written, result.scenario, summary | answer)
    finally:
        target.close()


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): number(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _scenario(path: Path) -> str:
    try:
        return (path / _folder.SCENARIO).read_text()
    except OSError:
        return ""

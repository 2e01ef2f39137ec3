"""A scenario in parts that do not meet: what changes in one leaves the others as they are.

Random streams are each entity's own, by its name. So a part's flows do the same, to the last bit, whether the other
parts are there or not; `tests/explore/test_explore.py` holds the parts to the whole.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windward import _engine

#: What a scenario in parts consists of: nodes, links, what is sent.
_PLAIN = {
    "name",
    "title",
    "cite",
    "duration",
    "warmup",
    "seeds",
    "stack",
    "output",
    "node",
    "link",
    "flow",
    "background",
    "change",
}


@dataclass(frozen=True, kw_only=True)
class Part:
    """Some of a scenario's flows and background sources, over all of its links."""

    #: The scenario without the other flows, as JSON.
    text: str
    #: Of the whole: its flows, its sources, and the links that none but it uses.
    flows: Sequence[int]
    sources: Sequence[int]
    links: Sequence[int]


def split(scenario: Mapping[str, Any], whole: _engine.Scenario) -> list[Part]:
    """The parts of a scenario; one, of everything, where it has media or coding, whose tables are not put together."""
    tables = whole.entities()
    names = {kind: len(tables[kind][column]) for kind, column in (("flows", "flow"), ("background", "source"))}
    count = len(tables["links"]["link"])
    everything = Part(
        text=json.dumps(scenario),
        flows=range(names["flows"]),
        sources=range(names["background"]),
        links=range(count),
    )
    is_plain = set(scenario) <= _PLAIN and not scenario.get("output", {}).get("internals")
    flows = scenario.get("flow", [])
    if not is_plain or any("coding" in flow or "connections" in flow for flow in flows):
        return [everything]
    root = _Joined(tables)
    of_flow = _entries(tables["flows"]["group"], len(flows))
    of_source = _entries(tables["background"]["group"], len(scenario.get("background", [])))
    if of_flow is None or of_source is None:
        return [everything]
    # Entries whose members are in several parts hold these together.
    for rows, kind in ((of_flow, "flows"), (of_source, "background")):
        first: dict[int, str] = {}
        for at, entry in enumerate(rows):
            root.merge(first.setdefault(entry, tables[kind]["from"][at]), tables[kind]["from"][at])
    parts: dict[str, dict[str, list[int]]] = {}

    def part(node: str) -> dict[str, list[int]]:
        return parts.setdefault(root.find(node), {"flows": [], "sources": [], "links": []})

    for at in range(names["flows"]):
        part(tables["flows"]["from"][at])["flows"].append(at)
    for at in range(names["background"]):
        part(tables["background"]["from"][at])["sources"].append(at)
    if len(parts) < 2:
        return [everything]
    idle = next(iter(parts.values()))
    for at in range(count):
        parts.get(root.find(tables["links"]["from"][at]), idle)["links"].append(at)
    return [
        Part(
            text=json.dumps(
                {
                    **scenario,
                    "flow": [flows[entry] for entry in sorted({of_flow[at] for at in members["flows"]})],
                    **(
                        {
                            "background": [
                                scenario["background"][entry]
                                for entry in sorted({of_source[at] for at in members["sources"]})
                            ]
                        }
                        if "background" in scenario
                        else {}
                    ),
                }
            ),
            **members,
        )
        for members in parts.values()
    ]


class _Joined:
    """Which nodes hang together."""

    def __init__(self, tables: Mapping[str, Mapping[str, Any]]) -> None:
        self.above: dict[str, str] = {node: node for node in tables["nodes"]["node"]}
        for a, b in zip(tables["links"]["from"], tables["links"]["to"], strict=True):
            self.merge(a, b)

    def find(self, node: str) -> str:
        while self.above[node] != node:
            self.above[node] = node = self.above[self.above[node]]
        return node

    def merge(self, a: str, b: str) -> None:
        self.above[self.find(b)] = self.find(a)


def _entries(groups: Sequence[str], count: int) -> list[int] | None:
    """The entry of the file that each flow or source is a member of; None where that cannot be told."""
    rows: list[int] = []
    for at, group in enumerate(groups):
        rows.append(0 if at == 0 else rows[-1] + (group != groups[at - 1]))
    return rows if (rows[-1] + 1 if rows else 0) == count else None


#: Tables of a part that are not merged.
_OWN = {"groups", "rtt_histograms", "queue_delay_histograms", "datagram_histograms"}


def together(parts: Sequence[tuple[Part, Mapping[str, Any]]]) -> dict[str, Any]:
    """Joins the engine's answers to the parts into the answer to the whole."""
    if len(parts) == 1:
        return dict(parts[0][1])
    first = parts[0][1]
    # What parts have of their own flows and links alone is left out.
    merged: dict[str, Any] = {name: table for name, table in first.items() if name not in _OWN}
    for kind, column in (("flows", "flows"), ("background", "sources")):
        if kind in first:
            merged[kind] = _rows([(getattr(part, column), output[kind]) for part, output in parts])
    if "links" in first:
        # Every part has all links; each link's numbers are those of the part that uses it.
        merged["links"] = _rows([(part.links, _pick(output["links"], part.links)) for part, output in parts])
    for kind, entity, column in (("flow_series", "flow", "flows"), ("link_series", "link", "links")):
        merged[kind] = _series([(getattr(part, column), output[kind], entity) for part, output in parts])
    for count in ("events", "packet_hops"):
        if count in first:
            merged[count] = sum(output[count] for _, output in parts)
    return merged


def _pick(columns: Mapping[str, Any], rows: Sequence[int]) -> dict[str, Any]:
    return {name: [column[at] for at in rows] for name, column in columns.items()}


def _rows(parts: Sequence[tuple[Sequence[int], Mapping[str, Any]]]) -> dict[str, Any]:
    """Rows of the whole, each from its part."""
    size = sum(len(rows) for rows, _ in parts)
    merged: dict[str, list[Any]] = {name: [0] * size for name in parts[0][1]}
    for rows, columns in parts:
        for name, column in columns.items():
            for row, value in zip(rows, column, strict=True):
                merged[name][row] = value
    return {name: _packed(values) for name, values in merged.items()}


def _packed(values: list[Any]) -> Any:
    is_whole = all(isinstance(value, int) for value in values)
    return memoryview(array("Q" if is_whole else "d", values).tobytes()).cast("Q" if is_whole else "d")


def _series(parts: Sequence[tuple[Sequence[int], Mapping[str, Any], str]]) -> dict[str, Any]:
    """Samples of the whole, part after part: of links only those of the part that uses them."""
    import numpy as np

    columns: dict[str, list[Any]] = {}
    for rows, series, entity in parts:
        whose = np.asarray(series[entity])
        if entity == "link":
            is_own = np.isin(whose, np.asarray(rows, dtype=whose.dtype))
            chosen = {name: np.asarray(column)[is_own] for name, column in series.items()}
        else:
            chosen = {name: np.asarray(column) for name, column in series.items()}
            chosen[entity] = np.asarray(rows, dtype=np.uint32)[whose]
        for name, column in chosen.items():
            columns.setdefault(name, []).append(column)
    merged = {name: np.concatenate(values) for name, values in columns.items()}
    # By instant, as the engine writes them.
    order = np.lexsort((merged[parts[0][2]], merged["time_s"]))
    return {name: np.ascontiguousarray(column[order]) for name, column in merged.items()}

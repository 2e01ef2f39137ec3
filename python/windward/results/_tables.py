"""The tables of a run: what the engine returns, with names in place of indices.

A table is a dict of columns: memoryviews or arrays of numbers, lists of texts, and `Named`: names by their index.
Arrow and pandas are imported when a person asks for them.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

#: The tables of totals and means, one row per entity; the others are series.
TOTALS = ("flows", "links", "stations", "wifi_stations", "wifi_links", "csma_links", "slotted_links", "background")

#: All tables that are not series: what a sweep keeps of a run.
KEPT = (*TOTALS, "backlogs", "shares", "coding")

#: What members of media and their stations have beyond links and nodes.
FIGURES = ("stations", "wifi_stations", "wifi_links", "csma_links", "slotted_links")

#: The column that names the rows' entity, by table.
ENTITY = {
    "flows": "flow",
    "links": "link",
    "stations": "link",
    "wifi_stations": "node",
    "wifi_links": "link",
    "csma_links": "link",
    "slotted_links": "link",
    "background": "source",
    "flow_series": "flow",
    "link_series": "link",
    "internals": "flow",
}

#: Columns that say what an entity is, not what was measured.
ATTRIBUTES = frozenset(
    {"seed", "flow", "link", "node", "source", "group", "law", "from", "to", "rate_bps", "delay_s", "x_m", "y_m"}
)

Columns = Mapping[str, Any]
Tables = Mapping[str, Columns]


class Named(NamedTuple):
    """A column of names, each by its index."""

    names: list[str]
    #: 32-bit integers.
    indices: Any


def _nothing(format: str) -> memoryview:  # noqa: A002
    return memoryview(b"").cast(format)  # type: ignore[call-overload, no-any-return]


#: Tables that are not written where they have no rows, and what is read in their place.
ABSENT_IF_EMPTY: Tables = {
    "internals": {
        "time_s": _nothing("d"),
        "flow": Named([], _nothing("I")),
        "name": Named([], _nothing("I")),
        "value": _nothing("d"),
    },
    "stations": {
        "link": [],
        **{name: _nothing("d") for name in ("airtime", "mean_snr", "offered_bps", "served_bps")},
        "errors": _nothing("Q"),
    },
    "wifi_stations": {
        "node": [],
        **{name: _nothing("d") for name in ("x_m", "y_m")},
        **{name: _nothing("Q") for name in ("attempts", "failures")},
        "mean_cw": _nothing("d"),
        **{f"{kind}_frames": _nothing("Q") for kind in ("rts", "cts", "data", "ack", "broadcast", "garbled")},
        **{name: _nothing("d") for name in ("sending", "sensing", "mean_queue")},
        **{name: _nothing("Q") for name in ("longest_queue", "routing_messages", "routing_bytes")},
    },
    "wifi_links": {
        "link": [],
        **{name: _nothing("Q") for name in ("attempts", "data_frames", "failures", "successes")},
        "mean_cw": _nothing("d"),
    },
    "backlogs": {
        "node": [],
        "flow": [],
        "class": [],
        **{name: _nothing("Q") for name in ("arrived", "dropped")},
        **{name: _nothing("d") for name in ("mean_backlog", "mean_trapped")},
        **{name: _nothing("Q") for name in ("max_backlog", "last_backlog")},
    },
    "shares": {"link": [], "flow": [], "class": [], "packets": _nothing("Q")},
    "backlog_series": {
        "time_s": _nothing("d"),
        **{name: Named([], _nothing("I")) for name in ("node", "flow", "class")},
        "backlog": _nothing("I"),
        **{name: _nothing("d") for name in ("idle_s", "threshold")},
    },
    "coding": {
        "flow": [],
        **{
            name: _nothing("Q")
            for name in ("combinations", "repairs", "unmasked", "received", "innovative", "requests", "requested")
        },
    },
    "blocks": {
        "flow": Named([], _nothing("I")),
        **{name: _nothing("I") for name in ("block", "size")},
        **{name: _nothing("d") for name in ("opened_s", "began_s", "decoded_s")},
        "requests": _nothing("I"),
    },
    "csma_links": {"link": [], "activations": _nothing("Q"), "mean_holding_us": _nothing("d")},
    "slotted_links": {"link": [], "active_slots": _nothing("Q")},
    "air": {
        **{name: _nothing("d") for name in ("began_s", "ended_s")},
        **{name: Named([], _nothing("I")) for name in ("from", "to", "kind")},
        **{name: _nothing("I") for name in ("bytes", "received")},
    },
}


def build(output: Mapping[str, Any], entities: Mapping[str, Mapping[str, Any]], measured_s: float) -> Tables:
    """The tables of one seed.

    Parameters
    ----------
    output
        What `_engine.Job` returns for a seed: columns by table.
    entities
        What `_engine.Scenario.entities` returns: names, groups, laws and ends of flows, links and sources.
    measured_s
        Seconds from the warm-up to the end.
    """
    flows, links, background = output["flows"], output["links"], output["background"]
    internals = dict(output["internals"])
    internals["name"] = Named(internals.pop("names"), internals["name"])
    names = entities["flows"]["flow"]
    coding = {**output["coding"], "flow": [names[at] for at in output["coding"]["flow"]]}
    sent = sent_by_flow({"flow": names, **flows}, coding)
    lost = [dropped + lost for dropped, lost in zip(links["dropped"], links["lost"], strict=True)]
    offered = [packets + dropped for packets, dropped in zip(links["packets"], links["dropped"], strict=True)]
    return {
        "flows": {**entities["flows"], **flows, "loss": _share(flows["segments_lost"], sent)},
        "links": {
            **entities["links"],
            **links,
            "loss": _share(lost, offered),
            "throughput_bps": _doubles(count * (8 / measured_s) for count in links["bytes"]),
        },
        **{kind: ABSENT_IF_EMPTY[kind] for kind in FIGURES},
        **{kind: _figures(columns, entities) for kind, columns in output["figures"].items()},
        "background": {**entities["background"], **background, "loss": _share(background["lost"], background["sent"])},
        "flow_series": _with_names(output["flow_series"], "flow", entities["flows"]["flow"]),
        "link_series": _with_names(output["link_series"], "link", entities["links"]["link"]),
        "internals": _with_names(internals, "flow", entities["flows"]["flow"]),
        **{table: _queued(output[table], entities) for table in ("backlogs", "shares", "backlog_series")},
        "coding": coding,
        "blocks": _with_names(output["blocks"], "flow", entities["flows"]["flow"]),
        "air": _air(output["air"], entities),
    }


def sent_by_flow(flows: Columns, coding: Columns) -> list[int]:
    """What each flow gave the network, and may lose: its segments, of a coded flow its combinations."""
    combinations = dict(zip(coding["flow"], coding["combinations"], strict=True))
    return [combinations.get(flow, sent) for flow, sent in zip(flows["flow"], flows["segments_sent"], strict=True)]


def _figures(columns: Columns, entities: Mapping[str, Mapping[str, Any]]) -> Columns:
    """What some links or nodes have beyond the others."""
    rows, entity = ("port", "link") if "port" in columns else ("node", "node")
    names = entities[f"{entity}s"][entity]
    return {entity: [names[at] for at in columns[rows]], **{k: v for k, v in columns.items() if k != rows}}


#: What queues of nodes that forward by backlog hold, by number.
CLASSES = ["data", "acks", "datagrams"]


def _queued(columns: Columns, entities: Mapping[str, Mapping[str, Any]]) -> Columns:
    """Queues of nodes and packets of links by flow or source, with their names."""
    flows, sources = entities["flows"]["flow"], entities["background"]["source"]
    row = array(
        "I", (at + len(flows) * (kind == 2) for kind, at in zip(columns["class"], columns["flow"], strict=True))
    )
    entity, place = ("link", "port") if "port" in columns else ("node", "node")
    names = entities[f"{entity}s"][entity]
    is_series = "time_s" in columns
    return {
        **({"time_s": columns["time_s"]} if is_series else {}),
        entity: Named(names, columns[place]) if is_series else [names[at] for at in columns[place]],
        "flow": Named([*flows, *sources], memoryview(row.tobytes()).cast("I")),
        "class": Named(CLASSES, columns["class"]),
        **{k: v for k, v in columns.items() if k not in ("time_s", place, "class", "flow")},
    }


def _air(columns: Columns, entities: Mapping[str, Mapping[str, Any]]) -> Columns:
    """Frames, with the names of nodes and kinds; a broadcast is for `*`."""
    nodes = entities["nodes"]["node"]
    to = array("I", (min(at, len(nodes)) for at in columns["to"]))
    return {
        **columns,
        "from": Named(nodes, columns["from"]),
        "to": Named([*nodes, "*"], memoryview(to.tobytes()).cast("I")),
        "kind": Named(list(entities["frames"]["kind"]), columns["kind"]),
    }


def _share(part: Iterable[int], whole: Iterable[int]) -> memoryview:
    """`part / whole`; NaN where there is nothing to share."""
    return _doubles(a / b if b else math.nan for a, b in zip(part, whole, strict=True))


def _doubles(values: Iterable[float]) -> memoryview:
    # Not the array itself: an empty one has no aligned memory, which the engine asks for.
    return memoryview(array("d", values).tobytes()).cast("d")  # type: ignore[return-value]


def _with_names(columns: Columns, entity: str, names: list[str]) -> Columns:
    return {key: Named(names, value) if key == entity else value for key, value in columns.items()}


def has_rows(columns: Columns) -> bool:
    """Whether a table has any row."""
    first = next(iter(columns.values()))
    return len(first.indices if isinstance(first, Named) else first) > 0


class Packed(Mapping[str, Any]):
    """A table of numbers in little memory: what many seeds have in common is there once."""

    __slots__ = ("_data", "_layout")

    def __init__(self, layout: Mapping[str, Any], data: bytes) -> None:
        #: A column's texts, or the format of its numbers and where they begin and end.
        self._layout = layout
        self._data = data

    @classmethod
    def of(cls, table: Columns, like: Columns | None) -> Columns:
        """The table packed, its layout shared with another's where it is the same; as it is if it has other columns."""
        layout: dict[str, Any] = {}
        data = bytearray()
        for name, column in table.items():
            if isinstance(column, list):
                layout[name] = column
            elif isinstance(column, memoryview):
                begin = len(data)
                data += column.tobytes()
                layout[name] = (column.format, begin, len(data))
                # Arrow wants its numbers aligned.
                data += bytes(-len(data) % 8)
            else:
                return table
        shared = like._layout if isinstance(like, Packed) and like._layout == layout else layout
        return cls(shared, bytes(data))

    def __getitem__(self, name: str) -> Any:
        column = self._layout[name]
        if isinstance(column, list):
            return column
        format, begin, end = column  # noqa: A001
        return memoryview(self._data)[begin:end].cast(format)

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout)

    def __len__(self) -> int:
        return len(self._layout)


def to_arrow(columns: Columns) -> pa.Table:
    """A table for Arrow, which shares the memory of its numbers."""
    import numpy as np
    import pyarrow as pa

    def convert(column: Any) -> pa.Array:
        if isinstance(column, Named):
            indices = pa.array(np.asarray(column.indices).view(np.int32))
            return pa.DictionaryArray.from_arrays(indices, pa.array(column.names, pa.string()))
        return pa.array(column, pa.string()) if isinstance(column, list) else pa.array(np.asarray(column))

    return pa.table({name: convert(column) for name, column in columns.items()})


def from_arrow(table: pa.Table) -> Columns:
    """The columns of a table of Arrow's: numbers, texts, names by their index."""
    import numpy as np

    def convert(column: Any) -> Any:
        if hasattr(column.type, "value_type"):
            column = column.unify_dictionaries().combine_chunks()
            return Named(column.dictionary.to_pylist(), numbers(column.indices).astype(np.uint32))
        return column.to_pylist() if str(column.type) in ("string", "large_string") else numbers(column)

    return {name: convert(table.column(name)) for name in table.column_names}


def numbers(column: Any) -> Any:
    """A column of numbers as an array that shares its memory; Arrow's own way there imports pandas."""
    import numpy as np

    array = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    if array.null_count:
        return array.to_numpy(zero_copy_only=False)
    dtype = np.dtype(array.type.to_pandas_dtype())
    buffer = array.buffers()[1]
    whole = np.frombuffer(buffer, dtype) if buffer is not None else np.empty(0, dtype)
    return whole[array.offset : array.offset + len(array)]


def as_rows(columns: Columns) -> list[dict[str, Any]]:
    """A row for each entity, of plain values."""

    def plain(column: Any) -> Sequence[Any]:
        if isinstance(column, Named):
            return [column.names[at] for at in column.indices]
        return column if isinstance(column, list) else column.tolist()

    values = [plain(column) for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


@dataclass(frozen=True, kw_only=True)
class Totals:
    """One table of totals over seeds. Every seed has the same entities."""

    #: Which: one of `TOTALS`.
    kind: str
    #: The columns of each seed.
    tables: Sequence[Columns]

    @property
    def names(self) -> list[str]:
        """The entities, in the order of the scenario."""
        return list(self.attribute(ENTITY[self.kind]))

    @property
    def metrics(self) -> list[str]:
        """What was measured."""
        return [name for name in (self.tables[0] if self.tables else ()) if name not in ATTRIBUTES]

    def attribute(self, name: str) -> Sequence[Any]:
        """A column that is the same in every seed."""
        return self.tables[0][name] if self.tables else ()

    def once(self) -> Totals:
        """The first seed alone: where all seeds are the same run, one draw and not several."""
        return Totals(kind=self.kind, tables=self.tables[:1])

    def values(self, metric: str, at: int) -> list[float]:
        """A metric of one entity, by seed."""
        return [table[metric][at] for table in self.tables]

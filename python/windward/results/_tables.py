"""The tables of a run: what the engine returns, as Arrow tables with names in place of indices.

Series keep the engine's columns without copying; names are dictionary-encoded over the engine's own indices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

#: The tables of totals and means, one row per entity; the others are series.
TOTALS = ("flows", "links", "stations", "background")

#: The column that names the rows' entity, by table.
ENTITY = {
    "flows": "flow",
    "links": "link",
    "stations": "link",
    "background": "source",
    "flow_series": "flow",
    "link_series": "link",
    "internals": "flow",
}

#: Columns that say what an entity is, not what was measured.
ATTRIBUTES = frozenset({"seed", "flow", "link", "source", "group", "law", "from", "to", "rate_bps", "delay_s"})

#: The internals of a run that did not record them.
EMPTY_INTERNALS = pa.table(
    {
        "time_s": pa.array([], pa.float64()),
        "flow": pa.array([], pa.string()).dictionary_encode(),
        "name": pa.array([], pa.string()).dictionary_encode(),
        "value": pa.array([], pa.float64()),
    }
)

#: The stations of a run without cells.
EMPTY_STATIONS = pa.table(
    {
        "link": pa.array([], pa.string()),
        **{name: pa.array([], pa.float64()) for name in ("airtime", "mean_snr", "offered_bps", "served_bps")},
        "errors": pa.array([], pa.uint64()),
    }
)

Tables = dict[str, pa.Table]


def build(output: Mapping[str, Any], entities: Mapping[str, Mapping[str, list[Any]]], measured_s: float) -> Tables:
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
    flows = dict(output["flows"])
    flows["loss"] = _share(flows["segments_lost"], flows["segments_sent"])
    links = dict(output["links"])
    links["loss"] = _share(links["dropped"] + links["lost"], links["packets"] + links["dropped"])
    links["throughput_bps"] = links["bytes"] * (8 / measured_s)
    background = dict(output["background"])
    # Datagrams under way at the warm-up and at the end shift this by a few packets, below zero at the least loss.
    missing = background["sent"].astype(np.int64) - background["received"].astype(np.int64)
    background["loss"] = np.maximum(_share(missing, background["sent"]), 0.0)
    internals = dict(output["internals"])
    names = internals.pop("names")
    internals["name"] = _named(internals["name"], names)
    return {
        "flows": pa.table({**entities["flows"], **flows}),
        "links": pa.table({**entities["links"], **links}),
        "stations": EMPTY_STATIONS,
        **{kind: _figures(columns, entities["links"]["link"]) for kind, columns in output["figures"].items()},
        "background": pa.table({**entities["background"], **background}),
        "flow_series": pa.table(_with_names(output["flow_series"], "flow", entities["flows"]["flow"])),
        "link_series": pa.table(_with_names(output["link_series"], "link", entities["links"]["link"])),
        "internals": pa.table(_with_names(internals, "flow", entities["flows"]["flow"])),
    }


def _figures(columns: Mapping[str, Any], links: list[str]) -> pa.Table:
    """What some links have beyond the others."""
    return pa.table({"link": [links[port] for port in columns["port"]], **{k: v for k, v in columns.items() if k != "port"}})


def _share(part: np.ndarray[Any, Any], whole: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """`part / whole`; NaN where there is nothing to share."""
    result = np.full(len(whole), np.nan)
    np.divide(part, whole, out=result, where=whole > 0, dtype=float, casting="unsafe")
    return result


def _with_names(columns: Mapping[str, Any], column: str, names: list[str]) -> dict[str, Any]:
    return {key: _named(value, names) if key == column else value for key, value in columns.items()}


def _named(indices: np.ndarray[Any, Any], names: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(indices.view(np.int32)), pa.array(names, pa.string()))

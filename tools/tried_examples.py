"""Puts an example of a docstring into a scenario, to see whether it is taken.

An example makes an entry of a scenario, such as a link. It is tried in one small network of each medium: in the place
of the entry that is there, or beside it.
"""

from __future__ import annotations

import dataclasses
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import windward as ww
from windward import format as classes

#: Files that examples name.
_FILES = {
    "drive.trace": "1\n2\n3\n4\n",
    "page.json": '{ "objects": [{ "name": "page", "size": "20 kB" }] }',
    "sizes.csv": "bytes,share\n1000,0.5\n9000,1\n",
    "arrivals.csv": "seconds\n0.5\n1\n2\n",
}

_NODES = ("server", "client", "home", "phone", "mast")


def _wired() -> dict[str, Any]:
    return {
        "node": [ww.Node(name=name) for name in _NODES],
        "link": [
            ww.Link(
                name="up",
                from_="client",
                to="server",
                rate="9 Mbit/s",
                delay="9 ms",
                reverse=ww.format.Reverse(name="down"),
            )
        ],
        "flow": [ww.Flow(name="download", from_="server", to="client", law="cubic")],
    }


def _wifi(**fields: Any) -> dict[str, Any]:
    stations = [
        ww.format.WifiStation(node="home", at=["0 m", "0 m"]),
        ww.format.WifiStation(node="phone", at=["5 m", "0 m"]),
    ]
    return _wired() | {"wifi": [ww.Wifi(name="air", access_point="home", station=stations, **fields)]}


def networks() -> Iterator[dict[str, Any]]:
    """Fields of small scenarios: one of wires, then those of the media."""
    yield _wired()
    yield _wifi()
    yield _wifi(standard="802.11n")
    yield _wifi(standard="802.11ax")


def refused(code: str) -> str:
    """The message of every network that refuses the example; empty if one takes it.

    Parameters
    ----------
    code
        Lines of Python; what they assign last is an entry of a scenario, or a field of one.
    """
    names: dict[str, Any] = {}
    exec(code, names)
    entry = list(names.values())[-1]
    tables = _tables(entry)
    if not tables:
        return f"{type(entry).__name__} is not an entry of a scenario"
    messages = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _FILES.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        before = Path.cwd()
        os.chdir(folder)
        try:
            for network in networks():
                for table, is_list in tables.items():
                    there = list(network.get(table) or []) if is_list else []
                    for entries in ([entry], [*there, entry], *([entry, *there[1:]],)):
                        fields = network | {table: entries if is_list else entry}
                        try:
                            ww.Scenario(name="example", duration="60 s", **fields)
                        except (ww.ScenarioError, ValueError, TypeError) as error:
                            messages.append(str(error).splitlines()[0])
                        else:
                            return ""
        finally:
            os.chdir(before)
    return "\n".join(dict.fromkeys(messages)) or "no network"


def _tables(entry: Any) -> dict[str, bool]:
    """Fields of a scenario that hold entries of this class, and whether they are lists."""
    found = {}
    for field in dataclasses.fields(ww.Scenario):
        kind = str(field.type)
        if _holds(kind, type(entry).__name__):
            found[field.name] = "Sequence[" in kind
    return found


def _holds(kind: str, name: str) -> bool:
    words = set(re.findall(r"\w+", kind))
    unions = [getattr(classes, word, None) for word in words]
    members = {getattr(member, "__name__", "") for union in unions for member in getattr(union, "__args__", ())}
    return name in words | members

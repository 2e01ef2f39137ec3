"""A network beside its twin under another law, within one scenario: both suffer the same in the same run."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from windward.errors import OptionError

#: How names of the twin begin.
PREFIX = "twin-"

#: Entries that refer to nodes or links by these fields.
_REFERENCES = {"node": ("name",), "link": ("name", "from", "to"), "flow": ("name", "from", "to")}
_REFERENCES |= {"background": ("name", "from", "to"), "change": ("link",)}

_WITHOUT = ("cell", "wifi", "region", "app")


def twinned(plain: Mapping[str, Any], law: str) -> dict[str, Any]:
    """The scenario and a copy of it, apart from each other, whose flows have another law.

    Raises
    ------
    OptionError
        For a scenario of other parts than links, flows and datagrams.
    """
    if others := [kind for kind in _WITHOUT if plain.get(kind)]:
        raise OptionError(("until", f"differs:{law}", f"laws are compared over links only, not with `{others[0]}`"))
    found: dict[str, Any] = copy.deepcopy(dict(plain))
    for kind, names in _REFERENCES.items():
        twins = copy.deepcopy(list(plain.get(kind, [])))
        for own in twins:
            for name in names:
                if name in own:
                    own[name] = PREFIX + str(own[name])
            for way in ("via", "return_via"):
                if way in own:
                    own[way] = [PREFIX + str(node) for node in own[way]]
            if kind == "link" and "name" in own.get("reverse", {}):
                own["reverse"]["name"] = PREFIX + own["reverse"]["name"]
            if kind == "flow":
                own["law"] = {"name": law}
        if twins:
            found[kind] = [*plain.get(kind, []), *twins]
    return found

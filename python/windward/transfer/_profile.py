"""Profiles: networks by name, as scenario files of the package or of a user."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from windward.errors import OptionError, nearest

#: Where the package has them.
FOLDER = Path(__file__).parent.parent / "_profiles"

#: The tables of a scenario that make a link.
_TABLES = ("node", "link", "wifi", "cell", "change", "background")

#: Names of the directions of a link.
_DOWN, _UP = "down", "up"


def names() -> list[str]:
    """Names of the package's profiles."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def about(name: str) -> dict[str, str]:
    """Title and source of a profile of the package."""
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    source = " ".join(re.findall(r"^# (.*)", text.partition("# Source:")[2].partition("\n\n")[0], re.MULTILINE))
    first = text.partition("# Source:")[2].partition("\n")[0].strip()
    return {"name": name, "title": tomllib.loads(text)["title"], "source": f"{first} {source}".strip()}


def load(name: str) -> tuple[dict[str, Any], Path]:
    """The network of a profile, and the folder of its recordings. Its first link is named "down", and back "up".

    Raises
    ------
    OptionError
        For a name that is neither a profile nor a file, or a file that cannot be read.
    """
    path = FOLDER / f"{name}.toml"
    if not path.is_file():
        path = Path(name)
        if path.suffix not in (".toml", ".json"):
            known = names()
            message = f"no such profile; known: {', '.join(known)}, or a scenario file{nearest(name, known)}"
            raise OptionError(("profile", name, message))
    try:
        text = path.read_text(encoding="utf-8")
        tables = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise OptionError(("profile", name, f"cannot be read: {error}")) from None
    network = {key: tables[key] for key in _TABLES if key in tables}
    _rename(network)
    return network, path.parent


def _rename(network: dict[str, Any]) -> None:
    """Names the first link, and what changes it."""
    links = network.get("link")
    if not isinstance(links, list) or not links or not isinstance(links[0], dict):
        return
    link = links[0]
    back = link.get("reverse", {})
    name = link.get("name", f"{link.get('from')}->{link.get('to')}")
    reverse = f"{link['name']}-reverse" if "name" in link else f"{link.get('to')}->{link.get('from')}"
    renamed = {name: _DOWN, back.get("name", reverse): _UP}
    link |= {"name": _DOWN, "reverse": back | {"name": _UP}}
    for change in network.get("change", []):
        if isinstance(change, dict) and change.get("link") in renamed:
            change["link"] = renamed[change["link"]]

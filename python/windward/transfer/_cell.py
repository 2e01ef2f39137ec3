"""LTE or NR cell of an emulated link: "n78-40mhz,snr=18dB,users=4" as tables of a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from windward.errors import nearest
from windward.transfer._text import count, first_and_values, written

#: Keys of a station of a scenario, and of its cell, by their name in the text.
_OF_STATION = {"snr": "snr", "uplink-snr": "uplink_snr", "speed": "speed"}
_OF_CELL = {"scheduler": "scheduler", "buffer": "buffer", "queue": "queue", "drx": "drx"}
KEYS = (*_OF_STATION, "users", "layers", "rlc", "sr-period", *_OF_CELL)

#: Carriers that scenarios have. A download imports this module, and does not wait for the classes of scenarios; a test
#: holds both lists together.
PRESETS = (
    "lte-10mhz",
    "lte-20mhz",
    "n78-20mhz",
    "n78-40mhz",
    "n78-100mhz",
    "nr-fdd-10mhz",
    "nr-fdd-20mhz",
)

_SNR = "20 dB"
_MOST_USERS = 32
_PACKET = "1500 B"

ACCESS_POINT, CLIENT, NAME = "mast", "client", "cell"


@dataclass(frozen=True)
class Cell:
    """The cell of one text."""

    #: The table `cell`.
    table: dict[str, Any]
    #: Names of the other stations, to which the cell always has something to send.
    others: list[str]
    #: Texts of what was given, by the key of the scenario.
    given: dict[str, str]

    def background(self, rate_bps: int) -> list[dict[str, Any]]:
        """Sources that keep the queues of the other stations full: each has the rate of the whole cell, shared."""
        pattern = {"kind": "cbr", "rate": f"{max(1, rate_bps)} bit/s"}
        return [{"from": ACCESS_POINT, "to": other, "pattern": pattern, "packet": _PACKET} for other in self.others]

    def fault(self, path: str, message: str) -> str:
        """A problem of the table at `path`, with the words of the text."""
        key = path.partition(".")[2].replace("station[0].", "")
        given = self.given.get(key.partition(".")[0]) or self.given.get(key)
        return f"{given}: {message}" if given else message


def read(text: str) -> Cell:
    """The cell of a text.

    Raises
    ------
    ValueError
        For a text that is not of the form PRESET,KEY=VALUE,….
    """
    preset, values = first_and_values(text, KEYS)
    if preset not in PRESETS:
        raise ValueError(f"`{preset}`: expected a carrier first: {', '.join(PRESETS)}{nearest(preset, PRESETS)}")
    return _cell(preset, values)


def _cell(preset: str, values: dict[str, str]) -> Cell:
    given = written(values)
    users = count("users", values.get("users", "1"))
    if not 1 <= users <= _MOST_USERS:
        raise ValueError(f"users={users}: out of range; allowed: 1 to {_MOST_USERS}")
    others = [f"other-{n}" for n in range(1, users)]
    station = {"snr": _SNR} | {own: values[key] for key, own in _OF_STATION.items() if key in values}
    table: dict[str, Any] = {
        "name": NAME,
        "access_point": ACCESS_POINT,
        "technology": "lte" if preset.startswith("lte") else "nr",
        "preset": preset,
        "station": [station | {"node": node} for node in (CLIENT, *others)],
    }
    table |= {own: values[key] for key, own in _OF_CELL.items() if key in values}
    if "layers" in values:
        table["layers"] = count("layers", values["layers"])
    if "rlc" in values:
        table["rlc"] = {"mode": values["rlc"]}
    if "sr-period" in values:
        table["uplink"] = {"sr_period": values["sr-period"]}
        given["uplink"] = given["sr_period"]
    return Cell(table, others, given)

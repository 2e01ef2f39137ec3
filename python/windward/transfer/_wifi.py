"""Wi-Fi of an emulated link: "802.11ac,width=80MHz,snr=25dB" as tables of a scenario."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from windward import _engine
from windward.transfer._text import count, first_and_values, written

#: Standards with an access point and aggregation.
STANDARDS = ("802.11n", "802.11ac", "802.11ax")
#: Keys that scenarios have, by their name in the text. Values go as they are, or are read.
_OF_WIFI = {"width": "width", "band": "band", "streams": "streams", "guard-interval": "guard_interval"}
_OF_QUEUE = {"queue": "queue", "airtime-fairness": "airtime_fairness", "hardware": "hardware"}
KEYS = (*_OF_WIFI, "mcs", "rate-control", "snr", "distance", "stations", *_OF_QUEUE)

#: Distance of the stations from the access point where none is given.
_DISTANCE = "5 m"
_SPEED_OF_LIGHT = 299_792_458.0
#: Radio of a network with a given signal-to-noise ratio: so strong that all stations sense each other.
_POWER_DBM, _HERTZ, _METRES = 20.0, 5.25e9, 5.0
_MOST_STATIONS = 100
_RATIOS_DB = (0, 70)
#: Datagrams of the other stations.
_PACKET = "1500 B"

_ASSIGNED = re.compile(r'\b(\w+) = "?([\w. -]+)"?')

ACCESS_POINT, CLIENT, NAME = "AP", "client", "wifi"


@dataclass(frozen=True)
class Wifi:
    """The network of one text."""

    #: The table `wifi`, without its stations.
    table: dict[str, Any]
    #: Names of stations that always have something to send.
    others: list[str]
    #: Distance of the stations from the access point.
    metres: float
    #: Texts of what was given, by the key of the scenario.
    given: dict[str, str]

    def background(self, rate_bps: int) -> list[dict[str, Any]]:
        """Sources that keep the other stations saturated, together at the rate of the data."""
        pattern = {"kind": "cbr", "rate": f"{max(1, rate_bps // max(1, len(self.others)))} bit/s"}
        return [{"from": other, "to": ACCESS_POINT, "pattern": pattern, "packet": _PACKET} for other in self.others]

    def at(self, metres: float) -> dict[str, Any]:
        """The table with all stations at this distance from the access point."""
        stations = [{"node": ACCESS_POINT, "at": ["0 m", "0 m"]}]
        for at, node in enumerate([CLIENT, *self.others]):
            # On a circle around the access point.
            angle = 2 * math.pi * at / (len(self.others) + 1)
            place = [f"{metres * part(angle):.9f} m" for part in (math.cos, math.sin)]
            stations.append({"node": node, "at": place})
        return self.table | {"station": stations}

    def too_far(self, farthest: int) -> str:
        """A problem of the distance, where stations reach the access point from `farthest` metres."""
        return f"{self.given['distance']}: the station does not reach the access point; allowed: up to {farthest} m"

    def fault(self, path: str, message: str) -> str:
        """A problem of the table at `path`, with the words of the text."""
        key = path.partition(".")[2].replace("station[1].", "").replace("rate_control.", "").replace("txq.", "")
        given = self.given.get(key.partition(".")[0].partition("[")[0])
        # A hint of a scenario: width = "40 MHz".
        message = _ASSIGNED.sub(lambda found: f"{found[1].replace('_', '-')}={found[2].replace(' ', '')}", message)
        return f"{given}: {message}" if given else message


def read(text: str) -> Wifi:
    """The network of a text.

    Raises
    ------
    ValueError
        For a text that is not of the form STANDARD,KEY=VALUE,….
    """
    standard, values = first_and_values(text, KEYS)
    _check_standard(standard)
    for one, other in (("snr", "distance"), ("mcs", "rate-control")):
        if one in values and other in values:
            raise ValueError(f"{one} and {other}: give one of them, not both")
    return _network(standard, values)


def _check_standard(standard: str) -> None:
    if standard in STANDARDS:
        return
    if standard == "802.11be":
        raise ValueError("802.11be is not modelled; 802.11ax is the nearest standard")
    near = [each for each in STANDARDS if each.removeprefix("802.11") == standard.lower().removeprefix("802.11")]
    hint = f"\nhint: did you mean `{near[0]}`?" if near else ""
    raise ValueError(f"`{standard}`: expected a standard first: {', '.join(STANDARDS)}{hint}")


def _network(standard: str, values: dict[str, str]) -> Wifi:
    table: dict[str, Any] = {"name": NAME, "standard": standard, "access_point": ACCESS_POINT}
    for key, own in _OF_WIFI.items():
        if key in values:
            table[own] = count(key, values[key]) if key == "streams" else values[key]
    queues = {own: _plain(values[key]) for key, own in _OF_QUEUE.items() if key in values}
    if queues:
        table["txq"] = queues
    if "mcs" in values:
        table["rate_control"] = {"kind": "fixed", "mcs": count("mcs", values["mcs"])}
    elif "rate-control" in values:
        table["rate_control"] = values["rate-control"]
    metres = _quantity("distance", values.get("distance", _DISTANCE), "m", "40 m")
    if not metres > 0:
        raise ValueError(f"distance={values['distance']}: must be above 0 m")
    if "snr" in values:
        metres = _METRES
        table |= _of_ratio(_quantity("snr", values["snr"], "dB", "25 dB"), values["snr"])
    stations = count("stations", values.get("stations", "0"))
    if stations > _MOST_STATIONS:
        raise ValueError(f"stations={stations}: too many; allowed: 0 to {_MOST_STATIONS}")
    return Wifi(table, [f"other-{n}" for n in range(1, stations + 1)], metres, written(values))


def _of_ratio(ratio_db: float, text: str) -> dict[str, Any]:
    """Radio whose receivers at the distance of the stations have this signal-to-noise ratio."""
    least, most = _RATIOS_DB
    if not least <= ratio_db <= most:
        raise ValueError(f"snr={text}: out of range; allowed: {least} dB to {most} dB")
    loss_db = 20 * math.log10(4 * math.pi * _METRES * _HERTZ / _SPEED_OF_LIGHT)
    return {
        "reach": {
            "power": f"{_POWER_DBM} dBm",
            "frequency": f"{_HERTZ} Hz",
            "path_loss": "free-space",
        },
        "noise": {"power": f"{_POWER_DBM - loss_db - ratio_db:.9f} dBm"},
    }


def _quantity(key: str, text: str, unit: str, example: str) -> float:
    found = _engine.quantity(text)
    if found is None or found[1] != unit:
        raise ValueError(f"{key}={text}: expected a value with its unit, such as {key}={example.replace(' ', '')}")
    return found[0]


def _plain(text: str) -> str | bool:
    return {"true": True, "false": False}.get(text, text)

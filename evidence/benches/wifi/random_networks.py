"""Runs random Wi-Fi networks and cells: none panics, and each conserves its datagrams to the last one.

python evidence/benches/wifi/random_networks.py --draws 1000

Each draw has its own number, printed if it fails; `--first N --draws 1` repeats it. Without `--first` they are fresh.
`NETWORKS` lists the kinds of networks. Another kind is a function that draws a scenario, and its line there.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import windward as ww

#: Sources begin and end within this time, in seconds; the rest of the run drains the queues.
LOADED_S, DRAINED_S = 5.0, 90.0
DSCPS = ("CS1", "DF", "CS4", "EF")
LAWS = ("cubic", "reno", "bbr", "vegas")


class Draw:
    """Draws of one network."""

    def __init__(self, number: int) -> None:
        self.random = np.random.default_rng(number)

    def of(self, *choices: Any) -> Any:
        """One of the choices."""
        return choices[int(self.random.integers(len(choices)))]

    def chance(self, p: float) -> bool:
        """True with probability `p`."""
        return bool(self.random.random() < p)

    def between(self, low: float, high: float) -> float:
        """A number, rounded to 0.01."""
        return round(float(self.random.uniform(low, high)), 2)

    def count(self, low: int, high: int) -> int:
        """A whole number."""
        return int(self.random.integers(low, high + 1))


@dataclass(frozen=True)
class Network:
    """A random network."""

    scenario: dict[str, Any]
    #: False if its stations may try a datagram for ever, so that some can still be under way at the end.
    drains: bool


def load(draw: Draw, pairs: list[tuple[str, str]], mbit: float) -> dict[str, Any]:
    """Sources, downloads and applications between the ends of `pairs`, about `mbit` Mbit/s for each source."""
    sources, flows, apps = [], [], []
    for at in range(draw.count(2, 8)):
        start, stop = draw.between(0.01, 0.3 * LOADED_S), draw.between(0.3 * LOADED_S, LOADED_S)
        rate = f"{draw.of(0.05, 0.5, 1.0, 1.5) * mbit:.3f} Mbit/s"
        pattern = draw.of(
            {"kind": "poisson", "rate": rate},
            {"kind": "cbr", "rate": rate},
            {"kind": "on-off", "rate": rate, "on": "100 ms", "off": "100 ms"},
        )
        ends = pairs[draw.count(0, len(pairs) - 1)]
        sources.append(
            {
                "name": f"u{at}",
                "from": ends[0],
                "to": ends[1],
                "pattern": pattern,
                "packet": f"{draw.of(100, 700, 1500)} B",
                "dscp": draw.of(*DSCPS),
                "start": f"{start} s",
                "stop": f"{stop} s",
            }
        )
    for at in range(draw.count(0, 2)):
        ends = pairs[draw.count(0, len(pairs) - 1)]
        flows.append(
            {
                "name": f"t{at}",
                "from": ends[0],
                "to": ends[1],
                "law": draw.of(*LAWS),
                "size": f"{draw.of(20, 300, 2000)} kB",
                "stack": draw.of("rfc", "linux"),
                "dscp": draw.of(*DSCPS),
            }
        )
    for at in range(draw.count(0, 2)):
        ends = pairs[draw.count(0, len(pairs) - 1)]
        kind = draw.of("call", "ping")
        apps.append(
            {"name": f"a{at}", "kind": kind, "from": ends[0], "to": ends[1], "start": "20 ms", "stop": f"{LOADED_S} s"}
        )
    return {"background": sources, "flow": flows, "app": apps}


def stations(draw: Draw, count: int, spread_m: float, *, moves: bool) -> list[dict[str, Any]]:
    """Stations around the first, of which some walk."""
    found: list[dict[str, Any]] = [{"node": "n0", "at": ["0 m", "0 m"]}]
    for at in range(1, count):
        place = [f"{draw.between(-spread_m, spread_m)} m" for _ in range(2)]
        station: dict[str, Any] = {"node": f"n{at}", "at": place}
        if moves and draw.chance(0.7):
            speed = draw.between(3, 20)
            station["motion"] = {
                "kind": "random-waypoint",
                "width": f"{3 * spread_m} m",
                "height": f"{3 * spread_m} m",
                "origin": [f"{-1.5 * spread_m} m", f"{-1.5 * spread_m} m"],
                "min_speed": f"{speed} m/s",
                "max_speed": f"{speed + draw.between(0, 15)} m/s",
                "seed": draw.count(1, 1000),
            }
        found.append(station)
    return found


def edca(draw: Draw) -> Network:
    """An access point of 802.11n, ac or ax, its stations, categories, profiles and motion."""
    standard = draw.of("802.11n", "802.11ac", "802.11ax")
    count = draw.count(2, 6)
    nodes = [f"n{at}" for at in range(count)]
    wifi: dict[str, Any] = {
        "name": "air",
        "standard": standard,
        "access_point": "n0",
        "station": stations(draw, count, draw.of(10.0, 25.0, 40.0), moves=draw.chance(0.7)),
    }
    if standard == "802.11n":
        wifi["width"] = draw.of("20 MHz", "40 MHz")
    profile = draw.of(None, "linux-mt76", "linux-ath9k", "ns3")
    if profile and (profile != "linux-ath9k" or standard == "802.11n"):
        wifi["profile"] = profile
    if draw.chance(0.4):
        wifi["rate_control"] = draw.of("ideal", "minstrel-ht", {"kind": "fixed", "mcs": draw.count(0, 7)})
    if draw.chance(0.3):
        wifi["rts_threshold"] = draw.of("0 B", "2 kB")
    if draw.chance(0.3):
        wifi["ampdu"] = {"mpdus": draw.of(1, 2, 16)}
    attempts = draw.of(None, 2, 5)
    wifi["block_ack"] = {"after_loss": draw.of("data", "request"), **({"attempts": attempts} if attempts else {})}
    if wifi.get("ampdu") == {"mpdus": 1}:
        # Each frame is acknowledged on its own.
        del wifi["block_ack"]
    if draw.chance(0.3):
        wifi["noise"] = {"power": "-92 dBm", "rayleigh": True}
    queue = draw.of(None, "fifo", "strict-fifo", "fq-codel", "shared-fq-codel")
    if queue:
        wifi["txq"] = {"queue": queue}
    # mac80211's queues, the default of all profiles but ns-3's, have limits of their own.
    if queue in ("fifo", "strict-fifo") or (queue is None and wifi.get("profile") == "ns3"):
        wifi["buffer"] = draw.of("20 packets", "100 packets", "1000 packets")
    pairs = [ends for other in nodes[1:] for ends in (("n0", other), (other, "n0"))]
    if draw.chance(0.6):
        lossy = [ends for ends in pairs if draw.chance(0.5)]
        wifi["loss"] = [{"from": a, "to": b, "probability": draw.between(0.05, 0.7)} for a, b in lossy]
    scenario = {"wifi": [wifi], **load(draw, pairs, draw.of(2.0, 20.0, 60.0))}
    drains = attempts is not None or wifi.get("profile") != "ns3"
    return Network({"node": [{"name": name} for name in nodes], **scenario}, drains)


def dcf(draw: Draw) -> Network:
    """Stations of 802.11b, a or g that reach each other directly or over others."""
    count = draw.count(2, 6)
    nodes = [f"n{at}" for at in range(count)]
    moves = draw.chance(0.4)
    wifi: dict[str, Any] = {
        "name": "air",
        "standard": draw.of("802.11b", "802.11a", "802.11g"),
        "station": stations(draw, count, draw.of(50.0, 160.0), moves=moves),
        "buffer": draw.of("10 packets", "100 packets"),
    }
    if draw.chance(0.4):
        wifi["rts_threshold"] = "0 B"
    if draw.chance(0.3):
        wifi["access"] = draw.of("queueing-delay", "queue-length")
    if moves or draw.chance(0.3):
        wifi["routing"] = draw.of("dsdv", "aodv")
    elif draw.chance(0.4):
        wifi["queue"] = draw.of("codel", "fq-codel", "red")
    if draw.chance(0.3):
        wifi["loss"] = [{"from": "n1", "to": "n0", "probability": draw.between(0.01, 0.7), "of": "attempts"}]
    pairs = [(one, other) for one in nodes for other in nodes if one != other]
    return Network({"node": [{"name": name} for name in nodes], "wifi": [wifi], **load(draw, pairs, 1.5)}, True)


def bearers(draw: Draw, used: set[str]) -> list[dict[str, Any]]:
    """Bearers of a station beside the default one, for code points of `used`."""
    classes = [1, 3, 4, 7]
    draw.random.shuffle(classes)
    found: list[dict[str, Any]] = []
    for dscp, qi in zip(DSCPS[2:], classes, strict=False):
        if dscp in used and draw.chance(0.6):
            # 5QI 7 has no guaranteed rate, the others need one.
            found.append({"qi": qi, "dscp": dscp, **({"guaranteed": "200 kbit/s"} if qi != 7 else {})})
    return found


def cell(draw: Draw) -> Network:
    """A cell of LTE or NR: handovers between sites, fading, HARQ that gives up, both modes of RLC, bearers, DRX."""
    technology = draw.of("lte", "nr", "nr")
    presets = ("lte-10mhz", "lte-20mhz") if technology == "lte" else ("n78-20mhz", "n78-40mhz", "nr-fdd-10mhz")
    nodes = [f"n{at}" for at in range(draw.count(2, 5))]
    has_places = draw.chance(0.5)
    mode = draw.of("am", "um")
    own: dict[str, Any] = {
        "name": "air",
        "access_point": "n0",
        "technology": technology,
        "preset": draw.of(*presets),
        "scheduler": draw.of("round-robin", "proportional-fair", "m-lwdf"),
        "harq": {"transmissions": draw.count(1, 4), "feedback_error": draw.of(0.0, 0.001, 0.05)},
        "rlc": {"mode": mode, **({"poll_packets": draw.of(1, 16)} if mode == "am" else {})},
        "adaptation": draw.of({}, {"target": 0.3}, {"outer_loop": False}),
        "buffer": draw.of("50 packets", "500 packets"),
    }
    if draw.chance(0.3):
        own["queue"] = draw.of("codel", "fq-codel", "dualpi2")
    if draw.chance(0.3):
        own["drx"] = {"kind": "cycles", "on": "10 ms", "inactivity": "50 ms", "short": "40 ms", "long": "160 ms"}
    if draw.chance(0.3):
        own["uplink"] = {"prescheduling": "5 ms"}
    if draw.chance(0.3):
        own["pdcp"] = {"discard": "100 ms"}
    if has_places:
        own["site"] = [{"name": f"s{at}", "at": [f"{150 * at} m", "0 m"]} for at in range(draw.count(1, 3))]
        handover = {"offset": f"{draw.of(0, 1, 3)} dB", "time_to_trigger": draw.of("0 s", "40 ms", "256 ms")}
        own["handover"] = {**handover, "forwarding": draw.chance(0.7)}
    pairs = [ends for other in nodes[1:] for ends in (("n0", other), (other, "n0"))]
    traffic = load(draw, pairs, 4.0)
    members = []
    for node in nodes[1:]:
        station: dict[str, Any] = {"node": node}
        if has_places:
            station["at"] = [f"{draw.between(-20, 320)} m", f"{draw.between(10, 40)} m"]
            if draw.chance(0.7):
                place = [f"{draw.between(-20, 320)} m", f"{draw.between(10, 40)} m"]
                points = [{"time": f"{draw.between(2, 60)} s", "at": place}]
                station["motion"] = {"kind": "waypoints", "points": points}
        else:
            station["snr"] = f"{draw.between(6, 30)} dB"
            if draw.chance(0.6):
                station["speed"] = draw.of("3 km/h", "30 km/h", "120 km/h")
        own_traffic = [
            entry for entry in traffic["background"] + traffic["flow"] if node in (entry["from"], entry["to"])
        ]
        if others := bearers(draw, {entry["dscp"] for entry in own_traffic}):
            station["bearer"] = others
        members.append(station)
    own["station"] = members
    # A station that an outage leaves without a CQI keeps what waits.
    return Network({"node": [{"name": name} for name in nodes], "cell": [own], **traffic}, not has_places)


#: Kinds of networks: the share of draws, and the function that draws one.
NETWORKS: dict[str, tuple[float, Callable[[Draw], Network]]] = {
    "edca": (0.55, edca),
    "dcf": (0.2, dcf),
    "cell": (0.25, cell),
}


def scenario_of(number: int) -> tuple[str, Network]:
    """Kind and network of a draw."""
    draw = Draw(number)
    shares = np.array([share for share, _ in NETWORKS.values()])
    kind = list(NETWORKS)[int(draw.random.choice(len(NETWORKS), p=shares / shares.sum()))]
    network = NETWORKS[kind][1](draw)
    head = {"name": f"draw-{number}", "duration": f"{LOADED_S + DRAINED_S} s"}
    # What spans the end of the warm-up counts at both ends or at neither.
    if draw.chance(0.5):
        head["warmup"] = f"{draw.between(0.1, LOADED_S)} s"
    return kind, Network({**head, **network.scenario}, network.drains)


def problem(number: int) -> str | None:
    """Fault of a draw, if there is one; "refused: …" if the scenario makes no sense."""
    kind, network = scenario_of(number)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.json"
        file.write_text(json.dumps(network.scenario))
        try:
            scenario = ww.load(file)
        except ww.ScenarioError as error:
            return f"refused: {kind}: {error}"
        try:
            run = scenario.simulate(seeds=[number % 1000 + 1])
        except Exception as error:  # Any failure of the engine is a finding.
            return f"{kind}: {type(error).__name__}: {error}"
    for source in run.background.itertuples():
        left = source.sent - source.received - source.lost
        if left < 0 or (network.drains and left != 0):
            return f"{kind}: {source.source}: {source.sent} sent, {source.received} received, {source.lost} lost"
    for link in run.links.itertuples():
        if link.loss > 1:
            return f"{kind}: {link.link}: a loss of {link.loss}"
    return None


def main() -> int:
    """Runs the draws and prints those that fail."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000, help="number of networks (default: 1000)")
    parser.add_argument("--first", type=int, help="number of the first draw (default: a fresh one)")
    options = parser.parse_args()
    first = secrets.randbelow(10**9) if options.first is None else options.first
    print(f"draws {first} to {first + options.draws - 1}", flush=True)
    refused = failed = 0
    for number in range(first, first + options.draws):
        found = problem(number)
        if found is None:
            continue
        refused += found.startswith("refused")
        failed += not found.startswith("refused")
        print(f"draw {number}: {found}", flush=True)
    print(f"{options.draws} networks: {failed} failed, {refused} refused as scenarios")
    return int(failed > 0 or refused > options.draws // 3)


if __name__ == "__main__":
    sys.exit(main())

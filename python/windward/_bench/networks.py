"""The sets of networks: drawn from our own models, the same for a version on every machine.

A set has eight networks of each of eight families. *train* and *validation* are drawn from the same ranges; *held-out*
from ranges that go on beyond them, with other standards, handovers and second bottlenecks, and from a seed that is not
known while laws are searched.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from windward._evaluate.networks import Plain, flow
from windward.errors import OptionError

#: Version of the sets: grows with every change of a network.
VERSION = 1

#: Sets, in the order in which a law meets them.
SETS = ("train", "validation", "held-out")

#: Networks of each family in a set.
EACH = 8

#: Packets of the bandwidth-delay product below which a buffer is not sized by it.
_LEAST_BUFFER = 8


@dataclass(frozen=True, kw_only=True)
class Network:
    """A network of a set."""

    #: Such as `wifi-3`.
    name: str
    family: str
    #: In a few words.
    about: str
    #: The scenario without times, with the placeholder of the law.
    template: Plain


class Draws:
    """Random numbers of one network, the same on every machine and version of Python."""

    def __init__(self, name: str) -> None:
        seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        self._random = random.Random(seed)  # noqa: S311

    def between(self, least: float, most: float) -> float:
        """A number, uniform in a range."""
        return least + (most - least) * self._random.random()

    def log(self, least: float, most: float) -> float:
        """A number whose logarithm is uniform, of three digits."""
        return float(f"{math.exp(self.between(math.log(least), math.log(most))):.3g}")

    def whole(self, least: int, most: int) -> int:
        """A whole number."""
        return least + int(self._random.random() * (most - least + 1))

    def one_of(self, choices: Sequence[Any]) -> Any:
        """One of several."""
        return choices[self.whole(0, len(choices) - 1)]


def _own(count: int, rate_mbit: float, *, late_s: float = 0.0, **more: Any) -> list[Plain]:
    """Flows of the law, the second and later ones some time after the one before."""
    return [
        flow(
            name=f"own-{at}", rate_mbit=rate_mbit, **({"start": f"{at * late_s:.3g} s"} if at * late_s else {}), **more
        )
        for at in range(count)
    ]


def _wire(draws: Draws, is_far: bool, *, rates: tuple[float, float] = (2.0, 60.0), **link: Any) -> Plain:
    """One link, as the bottleneck of what is to come."""
    rate = draws.log(rates[0] / 4, rates[0]) if is_far and draws.whole(0, 1) else draws.log(*rates)
    rtt = draws.log(4, 300) if is_far else draws.log(10, 150)
    bdp = rate * 1e3 * rtt / 12_000
    buffer = max(_LEAST_BUFFER, round(bdp * (draws.log(0.1, 10) if is_far else draws.log(0.3, 4))))
    core = {
        "name": "core",
        "from": "a",
        "to": "b",
        "rate": f"{rate:.3g} Mbit/s",
        "delay": f"{rtt / 2:.3g} ms",
        "buffer": f"{buffer} packets",
        **link,
    }
    return {"node": [{"name": "a"}, {"name": "b"}], "link": [core]}


def _rate(plain: Plain) -> float:
    return float(plain["link"][0]["rate"].split()[0])


def _about(plain: Plain) -> str:
    core = plain["link"][0]
    return f"{core['rate']}, {2 * float(core['delay'].split()[0]):.3g} ms, {core['buffer']}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _wired(draws: Draws, is_far: bool) -> tuple[Plain, str]:
    plain = _wire(draws, is_far)
    count = draws.whole(1, 8 if is_far else 4)
    plain["flow"] = _own(count, _rate(plain), late_s=draws.between(0.1, 0.5))
    about = f"{_about(plain)}, {_many(count, 'flow')}"
    if is_far and draws.whole(0, 1):
        # A second bottleneck behind the first, with a CUBIC flow across it alone.
        plain["node"].append({"name": "c"})
        plain["link"].append({**plain["link"][0], "name": "second", "from": "b", "to": "c"})
        plain["flow"][0]["to"] = "c"
        plain["flow"].append({**flow("cubic", name="across", rate_mbit=_rate(plain)), "from": "b", "to": "c"})
        about += ", a second bottleneck"
    return plain, about


def _lossy(draws: Draws, is_far: bool) -> tuple[Plain, str]:
    loss = draws.log(2, 6) if is_far and draws.whole(0, 1) else draws.log(0.02, 2)
    plain = _wire(draws, is_far, loss=f"{loss:.3g} %", reverse={"loss": 0})
    count = draws.whole(1, 3)
    plain["flow"] = _own(count, _rate(plain), late_s=0.3)
    return plain, f"{_about(plain)}, {_many(count, 'flow')}, {loss:.3g} % lost"


def _cell(draws: Draws, is_far: bool) -> tuple[Plain, str]:
    presets = ("n78-40mhz", "lte-20mhz") if is_far else ("lte-10mhz", "n78-20mhz")
    preset = draws.one_of(presets)
    count = draws.whole(1, 4)
    speed = draws.log(20, 100) if is_far else draws.log(1, 10)
    snrs = [draws.between(0, 25) if is_far else draws.between(6, 22) for _ in range(count)]
    names = [f"phone-{at}" for at in range(count)]
    station = [
        {"node": name, "snr": f"{snr:.3g} dB", "speed": f"{speed:.3g} km/h"}
        for name, snr in zip(names, snrs, strict=True)
    ]
    delay = draws.log(5, 80 if is_far else 40)
    cell = {
        "name": "cell",
        "access_point": "mast",
        "technology": "nr" if preset.startswith("n78") else "lte",
        "preset": preset,
        "station": station,
    }
    plain = {
        "node": [{"name": name} for name in ("a", "mast", *names)],
        "link": [{"name": "core", "from": "a", "to": "mast", "rate": "1 Gbit/s", "delay": f"{delay:.3g} ms"}],
        "cell": [cell],
        "flow": [own | {"to": name} for own, name in zip(_own(count, 100.0, late_s=0.2), names, strict=True)],
    }
    return plain, f"{preset}, {_many(count, 'station')} at {speed:.3g} km/h"


def _wifi(draws: Draws, is_far: bool) -> tuple[Plain, str]:
    standard = draws.one_of(("802.11ac", "802.11a") if is_far else ("802.11g", "802.11n"))
    count = draws.whole(1, 5 if is_far else 3)
    names = [f"laptop-{at}" for at in range(count)]
    places = [draws.between(2, 25) if is_far else draws.between(2, 15) for _ in names]
    delay = draws.log(5, 80 if is_far else 40)
    # 802.11n and later have mac80211's queue for each flow, unless they are told otherwise.
    is_by_flow = standard in ("802.11n", "802.11ac") and bool(draws.whole(0, 1))
    queue: Plain = {} if is_by_flow else {"buffer": f"{draws.one_of((100, 300, 800))} packets"}
    if not is_by_flow and standard in ("802.11n", "802.11ac"):
        queue["txq"] = {"queue": "fifo"}
    wifi = {
        "name": "home",
        "standard": standard,
        **queue,
        "station": [
            {"node": "ap", "at": ["0 m", "0 m"]},
            *({"node": name, "at": [f"{place:.3g} m", "0 m"]} for name, place in zip(names, places, strict=True)),
        ],
    }
    plain = {
        "node": [{"name": name} for name in ("a", "ap", *names)],
        "link": [{"name": "core", "from": "a", "to": "ap", "rate": "500 Mbit/s", "delay": f"{delay:.3g} ms"}],
        "wifi": [wifi],
        "flow": [own | {"to": name} for own, name in zip(_own(count, 100.0, late_s=0.2), names, strict=True)],
    }
    return plain, f"{standard}, {_many(count, 'station')}, {queue.get('buffer', 'a queue per flow')}"


def _leo(draws: Draws, is_far: bool) -> tuple[Plain, str]:
    capacity = draws.log(5, 100) if is_far else draws.log(10, 40)
    seed = draws.whole(1, 10**6)
    offset = draws.between(3, 8)
    more = {"outage": "300 ms", "loss": "0.5 %"} if is_far and draws.whole(0, 1) else {}
    steps = {"offset": f"{offset:.3g} s", "epoch": "8 s" if is_far else "15 s", "seed": seed, **more}
    rate = f"{capacity:.3g} Mbit/s"
    plain = {
        "node": [{"name": "a"}, {"name": "gateway"}, {"name": "b"}],
        "link": [
            {"name": "ground", "from": "a", "to": "gateway", "rate": "1 Gbit/s", "delay": f"{draws.log(5, 50):.3g} ms"},
            {
                "name": "sky",
                "from": "gateway",
                "to": "b",
                "rate": rate,
                "delay": "12 ms",
                "buffer": f"{draws.one_of((100, 200, 500))} packets",
                "reverse": {"rate": "10 Mbit/s"},
            },
        ],
        "change": [
            {"link": "sky", "leo": {"capacity": rate, **steps}},
            {"link": "sky-reverse", "leo": {"capacity": "10 Mbit/s", **steps}},
        ],
        "flow": _own(draws.whole(1, 2), capacity, late_s=0.3),
    }
    return plain, f"{rate}, a satellite every {steps['epoch']}"


def _aqm(draws: Draws, is_far: bool) -> tuple[Plain, str]:
    queue = draws.one_of(("red", "cake") if is_far and draws.whole(0, 1) else ("codel", "fq-codel", "pie"))
    plain = _wire(draws, is_far, queue=queue)
    core = plain["link"][0]
    bdp = _rate(plain) * 1e3 * 2 * float(core["delay"].split()[0]) / 12_000
    core["buffer"] = f"{max(50, round(4 * bdp))} packets"
    count = draws.whole(1, 4)
    plain["flow"] = _own(count, _rate(plain), late_s=0.3)
    return plain, f"{_about(plain)}, {_many(count, 'flow')}, {queue}"


def _jitter(draws: Draws, is_far: bool) -> tuple[Plain, str]:
    most = draws.log(20, 60) if is_far and draws.whole(0, 1) else draws.log(1, 20)
    plain = _wire(draws, is_far)
    # On the access link of the first flow alone: others find the path without it.
    plain["node"] += [{"name": "near"}]
    plain["link"].append(
        {
            "name": "access",
            "from": "near",
            "to": "a",
            "rate": "1 Gbit/s",
            "delay": "1 ms",
            "jitter": {"model": "uniform", "max": f"{most:.3g} ms"},
        }
    )
    plain["flow"] = _own(2, _rate(plain), late_s=0.4)
    plain["flow"][0]["from"] = "near"
    about = f"{_about(plain)}, 2 flows, jitter to {most:.3g} ms before one"
    if is_far:
        # A handover: the path is longer, and slower, for the second half.
        core = plain["link"][0]
        longer, slower = 2 * float(core["delay"].split()[0]), 0.5 * _rate(plain)
        plain["change"] = [{"link": "core", "at": "@half", "delay": f"{longer:.3g} ms", "rate": f"{slower:.3g} Mbit/s"}]
        about += ", a handover"
    return plain, about


def _beside(draws: Draws, is_far: bool) -> tuple[Plain, str]:
    other = draws.one_of(("cubic", "bbr3", "bbr", "reno") if is_far else ("cubic", "cubic", "bbr"))
    plain = _wire(draws, is_far, rates=(4.0, 60.0))
    rate = _rate(plain)
    is_late = bool(draws.whole(0, 1))
    strangers = draws.whole(1, 3 if is_far else 2)
    plain["flow"] = [
        flow(name="own-0", rate_mbit=rate, start="1.5 s" if is_late else "0 s"),
        *(
            flow(other, name=f"other-{at}", rate_mbit=rate, start="0 s" if is_late else "1 s")
            for at in range(strangers)
        ),
    ]
    return plain, f"{_about(plain)}, {'after' if is_late else 'before'} {strangers} × {other}"


#: Families, in their order.
FAMILIES: dict[str, Callable[[Draws, bool], tuple[Plain, str]]] = {
    "wired": _wired,
    "lossy": _lossy,
    "cell": _cell,
    "wifi": _wifi,
    "leo": _leo,
    "aqm": _aqm,
    "jitter": _jitter,
    "beside": _beside,
}


def networks(name: str, seed: int | None = None) -> list[Network]:
    """The networks of a set, the first of each family first.

    Raises
    ------
    OptionError
        For a set that does not exist, a held-out set without a seed, and another set with one.
    """
    if name not in SETS:
        raise OptionError(("set", name, f"unknown set; sets: {', '.join(SETS)}"))
    is_far = name == "held-out"
    if is_far and seed is None:
        said = "it is drawn from a seed, which a release names\nhint: any number draws a set like it"
        raise OptionError(("set", name, said))
    if seed is not None and not is_far:
        raise OptionError(("seed", str(seed), f"the set {name} is fixed; a seed draws the held-out set"))
    found = []
    for at in range(EACH):
        for family, draw in FAMILIES.items():
            draws = Draws(f"windward-bench-{VERSION}-{name}-{seed if is_far else ''}-{family}-{at}")
            template, about = draw(draws, is_far)
            found.append(Network(name=f"{family}-{at + 1}", family=family, about=about, template=template))
    return found


def timed(network: Network, duration_s: float, warmup_s: float) -> Plain:
    """The scenario of a network, with its times."""
    half = f"{(duration_s + warmup_s) / 2:g} s"
    template: Plain = json.loads(json.dumps(network.template).replace("@half", half))
    return {"name": network.name, "duration": f"{duration_s:g} s", "warmup": f"{warmup_s:g} s", **template}


def digest(name: str, seed: int | None = None) -> str:
    """Digest of a set, which changes with any of its networks."""
    text = json.dumps([[each.name, each.template] for each in networks(name, seed)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

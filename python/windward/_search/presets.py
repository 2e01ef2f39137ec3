"""Bounds of kinds of networks, for the slowest link of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windward._format.vary import name_of, quoted, worth
from windward.errors import OptionError

#: Bounds by kind, with LINK for the link and shares of its rate as LOW and HIGH. Sources:
#: wifi: an MPDU is tried at most eight times (retry limit 7), in PPDUs of at most 5.484 ms (IEEE 802.11-2020); a
#: passive scan listens for one beacon interval of 102.4 ms; rate adaptation moves over a few modes at once.
#: cellular: five transmissions, one HARQ round trip of 8 ms apart (LTE FDD, 3GPP TS 36.321); a handover interrupts for
#: some 50 ms (3GPP TR 36.881); rates vary by ten within seconds (Winstein et al., NSDI 2013).
#: leo: paths are assigned anew every 15 s, with other round trips and a short loss (Mohan et al., WWW 2024).
#: wired: routes change rarely and for long.
PRESETS: Mapping[str, tuple[str, ...]] = {
    "wifi": (
        "link.LINK.delay=pattern +0..44 ms, every 20 ms, bucket 200 ms",
        "link.LINK.up=pattern 1..103 ms, every 1 s",
        "link.LINK.rate=pattern QUARTER..WHOLE Mbit/s, every 100 ms, factor 4",
        "link.LINK.loss=pattern 0..1 %",
    ),
    "cellular": (
        "link.LINK.delay=pattern +0..40 ms, every 20 ms, bucket 200 ms",
        "link.LINK.up=pattern 1..50 ms, every 1 s",
        "link.LINK.rate=pattern TENTH..WHOLE Mbit/s, every 100 ms, factor 10",
    ),
    "leo": (
        "link.LINK.delay=pattern +0..30 ms, every 15 s",
        "link.LINK.up=pattern 1..200 ms, every 15 s",
        "link.LINK.rate=pattern HALF..WHOLE Mbit/s, every 15 s, factor 2",
        "link.LINK.loss=pattern 0..2 %",
    ),
    "wired": (
        "link.LINK.delay=pattern +0..20 ms, every 10 s",
        "link.LINK.loss=pattern 0..0.1 %",
    ),
}

#: Other traffic on a wired link.
_TRAFFIC = "pattern TENTH..WHOLE Mbit/s, every 100 ms, load TENTH Mbit/s"

#: Kinds of networks by the tables that a scenario of them has.
_KINDS = {"wifi": "wifi", "region": "wifi", "cell": "cellular"}

_SHARES = {"TENTH": 0.1, "QUARTER": 0.25, "HALF": 0.5, "WHOLE": 1.0}


def bounds_like(kind: str, plain: Mapping[str, Any]) -> list[str]:
    """The bounds of a kind of network for the slowest link of a scenario.

    Raises
    ------
    OptionError
        For another kind, and where no link has a constant rate.
    """
    if kind not in PRESETS:
        raise OptionError(("like", kind, f"unknown kind of network; kinds: {', '.join(PRESETS)}"))
    link = _slowest(plain.get("link", []))
    if link is None:
        raise OptionError(("like", kind, "no link of the scenario has a constant rate"))
    return [_filled(bound, name_of(link), _rate(link)) for bound in PRESETS[kind]]


def default_bounds(plain: Mapping[str, Any], *, is_of_flows: bool) -> tuple[str, list[str]]:
    """The kind of network that a scenario is, and bounds that are natural for it.

    The slowest link has the bounds of that kind. On wired networks other traffic takes up to a tenth of it. Where flows
    are compared, the path of one flow has the same bounds by itself, and flows that begin at once begin up to a second
    apart.

    Raises
    ------
    OptionError
        Where no link has a constant rate.
    """
    kind = next((own for table, own in _KINDS.items() if plain.get(table)), "wired")
    link = _slowest([own for own in plain.get("link", []) if not _changes(plain, name_of(own))])
    if link is None:
        said = "no link has a constant rate; give bounds, as in 'link.*.delay=+0..20 ms', or a kind of network (like)"
        raise OptionError(("within", "", said))
    found = [_filled(bound, name_of(link), _rate(link)) for bound in PRESETS[kind]]
    groups = {str(own["name"]) for own in plain.get("node", []) if own.get("count")}
    if kind == "wired" and not groups & {link["from"], link["to"]}:
        found.append(_filled(f"traffic.{link['from']}->{link['to']}={_TRAFFIC}", "", _rate(link)))
    if not is_of_flows:
        return kind, found
    if (own := _own(plain, link, groups)) is not None:
        name, rate = own
        found += [_filled(bound, name, rate) for bound in PRESETS[kind]]
    flows = plain.get("flow", [])
    if len(flows) > 1:
        found += [f"flow.{quoted(name_of(flow))}.start=0..1 s" for flow in flows if worth(flow["start"])[0] == 0.0]
    return kind, found


def _slowest(links: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The link of the least rate that is constant."""
    return min((own for own in links if _rate(own)), key=_rate, default=None)


def _own(plain: Mapping[str, Any], slowest: Mapping[str, Any], groups: set[str]) -> tuple[str, float] | None:
    """Name and rate of a link that the data of one flow alone takes from its source; None if there is none."""
    flows = plain.get("flow", [])
    for flow in flows:
        source = str(flow["from"])
        if flow.get("count", 1) > 1 or sum(source == other["from"] for other in flows) > 1:
            continue
        for link in plain.get("link", []):
            if link is slowest or link["from"] != source or not _rate(link) or _changes(plain, name_of(link)):
                continue
            if source not in groups:
                return name_of(link), _rate(link)
            return f"{source}-1->{link['to']}{'-1' if link['to'] in groups else ''}", _rate(link)
    return None


def _changes(plain: Mapping[str, Any], name: str) -> bool:
    return any(own.get("link") == name for own in plain.get("change", []))


def _rate(link: Mapping[str, Any]) -> float:
    return worth(link.get("rate"))[0] or 0.0


def _filled(bound: str, name: str, rate: float) -> str:
    """A bound with the name of a link, and shares of its rate."""
    text = bound.replace("LINK", quoted(name))
    for word, share in _SHARES.items():
        text = text.replace(word, f"{share * rate / 1e6:.6g}")
    return text

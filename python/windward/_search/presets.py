"""Bounds of kinds of networks, for the slowest link of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windward._format.vary import worth
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

_SHARES = {"TENTH": 0.1, "QUARTER": 0.25, "HALF": 0.5, "WHOLE": 1.0}


def bounds_like(kind: str, plain: Mapping[str, Any]) -> list[str]:
    """The bounds of a kind of network for the slowest named link of a scenario.

    Raises
    ------
    OptionError
        For another kind, and where no link has a name and a constant rate.
    """
    if kind not in PRESETS:
        raise OptionError(("like", kind, f"unknown kind of network; kinds: {', '.join(PRESETS)}"))
    rated = [(rate, own) for own in plain.get("link", []) if "name" in own and (rate := worth(own.get("rate"))[0])]
    if not rated:
        raise OptionError(("like", kind, "no link of the scenario has a name and a constant rate"))
    rate, link = min(rated, key=lambda pair: pair[0])
    name = str(link["name"])
    found = []
    for bound in PRESETS[kind]:
        text = bound.replace("LINK", f'"{name}"' if "." in name else name)
        for word, share in _SHARES.items():
            text = text.replace(word, f"{share * rate / 1e6:.6g}")
        found.append(text)
    return found

"""Networks of thousands of stations are read in time that is linear in the number of stations."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import windward as ww

# What the i-th station has beside its place.
EXTRAS = {
    "alone": "",
    "walls": ', wall_loss = "3 dB"',
    "weights": ", weight = 300",
    "own queues": ', txq = { queue = "fq-codel" }',
    "motion": ', motion = { kind = "waypoints", points = [{ time = "1 s", at = ["METRES m", "-1 m"] }] }',
    "losses": "",
    "group": "",
}


def crowd(stations: int, kind: str) -> str:
    """An access point and its stations, listed one by one or as a group."""
    names = [f"s-{at + 1}" for at in range(stations)]
    if kind == "group":
        nodes = f'{{ name = "s", count = {stations} }}'
        tables = '{ node = "s", layout = { kind = "grid", columns = 100, spacing = "10 cm" } }'
    else:
        nodes = ", ".join(f'{{ name = "{name}" }}' for name in names)
        places = (f'at = ["{at % 100 / 10} m", "{at // 100 / 10} m"]' for at in range(stations))
        extras = (EXTRAS[kind].replace("METRES", str(at)) for at in range(stations))
        rows = zip(names, places, extras, strict=True)
        tables = ",\n".join(f'{{ node = "{name}", {place}{extra} }}' for name, place, extra in rows)
    rows = (f'{{ from = "AP", to = "{name}", probability = 0.1, of = "attempts" }}' for name in names)
    losses = f"loss = [{', '.join(rows)}]" if kind == "losses" else ""
    return f"""\
name = "crowd"
duration = "1 s"
node = [{{ name = "AP" }}, {nodes}]
flow = [{{ from = "AP", to = "s-1", law = "cubic" }}]
[[wifi]]
name = "hall"
standard = "802.11ax"
access_point = "AP"
station = [{{ node = "AP", at = ["0 m", "-1 m"] }},
{tables}]
{losses}
"""


def reading(path: Path) -> float:
    """CPU time of reading and planning a file."""
    begin = time.process_time()
    ww.load(path)._compile()
    return time.process_time() - begin


@pytest.mark.parametrize("kind", EXTRAS)
def test_reading_is_linear_in_the_stations(tmp_path: Path, kind: str) -> None:
    """Four times the stations take four times as long; 16 times if one station looks for itself among all others.

    The least of three counts for few stations, and one of at most three readings of many.
    """
    few, many = tmp_path / "few.toml", tmp_path / "many.toml"
    few.write_text(crowd(1500, kind), encoding="utf-8")
    many.write_text(crowd(6000, kind), encoding="utf-8")
    least = min(reading(few) for _ in range(3))
    times = []
    for _ in range(3):
        times.append(reading(many))
        if times[-1] / least < 8:
            return
    pytest.fail(f"{least} s and {times} s")

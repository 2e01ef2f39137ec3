"""Finds the best rates of a scenario."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from windward import _engine
from windward._answers.compare import Piece
from windward._answers.optimum import APPS, ROUTED, Optimum
from windward.results._tables import Columns

#: What the flows may want, beside "alpha=NUMBER".
UTILITIES = ("proportional", "max-min", "law")

#: Whether flows keep their routes, or may take any and split over them.
ROUTINGS = ("fixed", "free")

#: The links that flows may use with free routing: those a hop closer to the destination, those not farther from it,
#: those of loop-free directed paths, all.
LINKS = ("downstream", "not-farther", "loop-free", "all")


def solve(
    compiled: _engine.Scenario,
    utility: str,
    routing: str = "fixed",
    links: str | None = None,
    *,
    time_s: float | None = None,
) -> Optimum:
    """The optimum of a scenario for "proportional", "max-min", "law" or "alpha=NUMBER", as it is at a time.

    Raises
    ------
    ValueError
        For another utility, routing or time.
    windward.NoAnswerError
        Where there are no best rates.
    windward.RunInterrupted
        On Ctrl-C.
    """
    if time_s is not None and not 0 <= time_s <= compiled.duration_s:
        raise ValueError(f"the run lasts from 0 to {compiled.duration_s:g} s; there is no network at {time_s:g} s")
    if routing not in ROUTINGS:
        raise ValueError(f"unknown routing `{routing}`; allowed: {', '.join(ROUTINGS)}")
    if links is not None and links not in LINKS:
        raise ValueError(f"unknown links `{links}`; allowed: {', '.join(LINKS)}")
    if links is not None and routing != "free":
        raise ValueError("flows keep their links with fixed routing\nhint: allowed links are for free routing")
    if routing == "free" and links is None:
        links = "all"
    name, alpha = split_utility(utility)
    try:
        answer = compiled.optimum(name, alpha, links, time_s)
    except KeyboardInterrupt as interrupt:
        stopped = _engine.RunInterrupted("interrupted: no optimum found")
        stopped.run = None
        raise stopped from interrupt
    flows = answer["flows"]
    flows["utility"] = [json.dumps(utility) for utility in flows["utility"]]
    tables = {kind: _columns(answer[kind]) for kind in ("flows", "links", APPS, *ROUTED) if kind in answer}
    return Optimum(
        name=compiled.name,
        title=compiled.title,
        scenario=compiled.to_toml(),
        utility=utility,
        tables=tables,
        value=answer["objective"],
        certificate=answer["certificate"],
        method=answer["method"],
        iterations=answer["iterations"],
        packet_bytes=answer["packet_bytes"],
        load_multiple=answer["load_multiple"],
        routing=routing,
        allowed_links=links,
    )


def pieces(compiled: _engine.Scenario, utility: str, most: int) -> list[Piece]:
    """The goodputs of the flows at the optimum of each piece of a network that changes; empty where it does not.

    Raises
    ------
    windward.NoAnswerError
        If there are more than `most` pieces, or none has best rates.
    """
    changes = [time for time in compiled.changes_s() if 0 < time < compiled.duration_s]
    if not changes:
        return []
    if len(changes) >= most:
        raise _engine.NoAnswerError(f"the network changes {len(changes)} times; the optimum is that of its end")
    name, alpha = split_utility(utility)
    found: list[Piece] = []
    for begin, end in pairwise((0.0, *changes, compiled.duration_s)):
        goodputs, reason = None, ""
        try:
            goodputs = list(compiled.optimum(name, alpha, None, begin)["flows"]["goodput_bps"])
        except _engine.NoAnswerError as error:
            reason = str(error).splitlines()[0]
        found.append(Piece(from_s=begin, until_s=end, goodput_bps=goodputs, reason=reason))
    if all(piece.goodput_bps is None for piece in found):
        raise _engine.NoAnswerError(found[0].reason)
    return found


def _columns(table: Mapping[str, Sequence[Any]]) -> Columns:
    """Texts as lists, numbers as arrays."""
    return {
        name: list(values) if name in _TEXTS else np.array(values, dtype=np.int64 if name == "hops" else np.float64)
        for name, values in table.items()
    }


#: Columns of texts.
_TEXTS = {"flow", "law", "utility", "link", "links", "path", "app", "bottleneck"}


def split_utility(utility: str) -> tuple[str, float | None]:
    """The name of a utility, and its alpha where it has one.

    Raises
    ------
    ValueError
        For another utility.
    """
    name, _, number = utility.partition("=")
    alpha = None
    if name == "alpha":
        try:
            alpha = float(number)
        except ValueError:
            alpha = -1.0
    if (name not in UTILITIES or number) and not (alpha is not None and 0 <= alpha < float("inf")):
        raise ValueError(
            f"unknown utility `{utility}`; utilities: {', '.join(UTILITIES)}, and alpha=NUMBER with NUMBER >= 0"
        )
    return name, alpha

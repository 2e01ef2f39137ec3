"""The engines side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward._answers.compare import Comparison, Piece
from windward._answers.optimum import Optimum
from windward._engine import EmulationError, KernelError, NoAnswerError, Scenario, ScenarioError
from windward._engines.collect import choose
from windward._engines.emulate import emulate, why_not
from windward._engines.fluid import run as follow
from windward._engines.optimum import pieces, solve, split_utility
from windward._engines.simulate import simulate

if TYPE_CHECKING:
    from windward.results._place import Place
    from windward.results._shapes import Progress

#: An emulation that nobody asked for takes at most this long, in seconds.
_PATIENCE_S = 120.0

#: Most pieces of a network that changes whose optimum is asked for.
_PIECES = 200

#: So many groups are named in a remark.
_NAMED = 4

#: Ideal CSMA beside 802.11. As printed, β = 1, the aggressiveness of a few waiting packets passes any cap, and links
#: take turns whatever their queues are; with this one that of 80 packets is 4.
_IDEAL = {"kind": "ideal", "scale": 0.05}


def compare(
    scenario: Scenario,
    *,
    folder: Path,
    laws: Mapping[str, Callable[..., Any]] | None = None,
    utility: str = "proportional",
    seeds: int | Sequence[int] | None = None,
    with_emulation: bool | None = None,
    place: Place | None = None,
    progress: Callable[[str, Progress], None] | None = None,
    early: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Asks every engine; `Scenario.compare` says what the arguments mean, `simulate` what `folder` and `laws` do.

    `early` gets the answers of the others before the emulation begins, which takes the network's own time.
    """
    # Another utility is refused, not left out.
    split_utility(utility)
    # Before the engines that need none: the fluid may take minutes.
    choose(seeds, scenario.seeds)
    left_out = {}
    found, notes = _pieces(scenario, utility)
    best, fluid = None, None
    try:
        best, note = _last(scenario, utility, found)
        notes += note
    except NoAnswerError as error:
        left_out["optimum"] = _first_line(error)
    try:
        fluid = follow(scenario, progress=None if progress is None else partial(progress, "fluid"))
    except NoAnswerError as error:
        left_out["fluid"] = _first_line(error)
        if best is None and scenario.has_region:
            raise
    part_time, ignored = ignored_by_optimum(scenario)
    if best is not None or fluid is not None:
        notes += ignored
    if fluid is not None:
        notes += fluid.notes
    if place is not None:
        Comparison.begin(place.path, scenario)
        for answer in (best, fluid):
            if answer is not None:
                answer.save_in(place.inside(answer.engine))

    def keep(engine: str) -> dict[str, Any]:
        return {
            "place": None if place is None else place.inside(engine),
            "progress": None if progress is None else partial(progress, engine),
        }

    ideal = packets = None
    if scenario.has_region:
        left_out["packets"] = "a region says which rates are possible, not how packets get them"
    else:
        other = None
        try:
            other = _with_ideal_access(scenario, folder)
        except ScenarioError as error:
            left_out["ideal"] = _first_line(error)
        if other is not None:
            ideal = simulate(other, folder=folder, laws=laws, seeds=seeds, **keep("ideal"))
        packets = simulate(scenario, folder=folder, laws=laws, seeds=seeds, **keep("simulate"))
    compared = Comparison(
        scenario=scenario.to_toml(),
        optimum=best,
        fluid=fluid,
        ideal=ideal,
        packets=packets,
        kernel=None,
        left_out=left_out,
        pieces=found,
        notes=notes,
        partial=part_time,
        span_s=(scenario.warmup_s, scenario.duration_s),
    )
    if reason := left_out.get("packets") or _why_no_emulation(scenario, with_emulation):
        left_out["kernel"] = reason
    else:
        if early is not None:
            early(compared)
        try:
            compared = replace(compared, kernel=emulate(scenario, **keep("emulate")))
        except (EmulationError, KernelError) as error:
            left_out["kernel"] = _first_line(error)
    if place is not None:
        compared.note(place.path)
        place.settle()
    return compared


def _last(scenario: Scenario, utility: str, found: Sequence[Piece]) -> tuple[Optimum, list[str]]:
    """The optimum of the network's end, or of the last piece that has one, and what is to be said of that.

    Raises
    ------
    windward.NoAnswerError
        If no piece has best rates.
    """
    try:
        return solve(scenario, utility), []
    except NoAnswerError as error:
        possible = [piece for piece in found if piece.goodput_bps is not None]
        if not possible:
            raise
        begin = possible[-1].from_s
        return solve(scenario, utility, time_s=begin), [
            f"tables of the optimum: the network of {begin:g} s, as its end has none: {_first_line(error)}"
        ]


def _pieces(scenario: Scenario, utility: str) -> tuple[list[Piece], list[str]]:
    """The optimum piece by piece, and what is to be said of it."""
    try:
        found = pieces(scenario, utility, _PIECES)
    except NoAnswerError as error:
        return [], [f"optimum and equations: {_first_line(error)}"]
    if not found:
        return [], []
    counted = [piece for piece in found if piece.within(scenario.warmup_s, scenario.duration_s) > 0]
    many = f"{len(counted)} piece{'s' if len(counted) > 1 else ''}"
    notes = [f"optimum and equations: the mean over {many} between changes, each as long as it counts"]
    missing = [piece for piece in counted if piece.goodput_bps is None]
    notes += [f"optimum: without {piece.from_s:g} to {piece.until_s:g} s: {piece.reason}" for piece in missing[:_NAMED]]
    return found, notes


def ignored_by_optimum(scenario: Scenario) -> tuple[list[str], list[str]]:
    """Flows that do not send all the time that counts, and what optimum and equations take instead, in words."""
    spans, flows = scenario.spans(), scenario.entities()["flows"]
    columns = (flows["flow"], flows["group"], spans["start_s"], spans["stop_s"], spans["size_bytes"])
    rows = list(zip(*columns, strict=True))
    sized = {flow: group for flow, group, _, _, size in rows if size}
    part_time = {
        flow: group for flow, group, start, stop, _ in rows if start > scenario.warmup_s or stop < scenario.duration_s
    }
    notes = []
    if sized:
        notes.append(f"optimum and equations: without `size` of {_listed(sized.values())}, as if it had no end")
    if part_time:
        groups = _listed(part_time.values())
        notes.append(
            f"optimum and equations: without `start` and `stop` of {groups}, as if all flows sent all the time"
        )
    return list(sized | part_time), notes


def _listed(groups: Iterable[str]) -> str:
    names = list(dict.fromkeys(groups))
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _with_ideal_access(scenario: Scenario, folder: Path) -> Scenario | None:
    """The scenario with ideal CSMA in place of 802.11, by backlogs or over fixed routes; None if nothing changes."""
    fields = json.loads(scenario.to_json())
    networks = [network for network in fields.get("wifi", []) if network["access"]["kind"] != "ideal"]
    for network in networks:
        network["access"] = _IDEAL
        # Backlogs are compared there too, but by no rule of a user's own; protocols have no frames for their messages.
        if network["routing"]["kind"] != "backpressure" or "class" in network["routing"]:
            network["routing"] = "shortest"
    # Frames are 802.11's.
    fields["output"].pop("air", None)
    return Scenario.from_json(json.dumps(fields), "scenario", folder) if networks else None


def _why_no_emulation(scenario: Scenario, wanted: bool | None) -> str | None:
    if wanted is False:
        return "switched off"
    if wanted is None and scenario.duration_s > _PATIENCE_S:
        return f"it would take {scenario.duration_s:g} s; at most {_PATIENCE_S:g} s are emulated by default"
    return why_not()


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]

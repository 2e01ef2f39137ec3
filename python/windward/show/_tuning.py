"""A tuning as tables of text and sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windward.results._figures import FIGURES, is_large
from windward.show.digest._numbers import Amount, quantity
from windward.show.digest._table import Digest

if TYPE_CHECKING:
    from windward.results._shapes import Found

#: Figures that grow by logarithms.
_LOGARITHMS = ("power",)

#: Seeds of a search from which on its best values are hardly those of chance.
_MANY_SEEDS = 5


def digests(found: Found) -> list[Digest]:
    """Fields, comparison on fresh seeds, networks near this one, and of two goals the front."""
    if not found.rows("parameters"):
        return []
    return [_parameters(found), *_comparisons(found), *_front(found)]


def verdicts(found: Found) -> list[tuple[str, str]]:
    """Sentences: what to set, what it brings, and how sure that is."""
    comparisons = found.rows("comparisons")
    if not comparisons:
        done = found.summary.get("trials", 0)
        return [("found", f"nothing: of {done} trials none finished with every seed")]
    here, *others = comparisons
    goals = [name for name in _goals(found) if any(row["figure"] == name for row in here["figures"])]
    if all(row["now"] == row["best"] for row in found.rows("parameters")):
        return [("found", "the present values are the best of all trials"), *_broken(here)]
    said = [(f"{name} with the best values", _verdict(_row(here, name), here["seeds"])) for name in goals]
    searched = len(found.summary["seeds"])
    if searched < _MANY_SEEDS and any(_is_worse(here, name) for name in goals):
        said.append(
            ("searched on", f"{searched} seed{'s' if searched > 1 else ''}, too few: try --seeds {_MANY_SEEDS}")
        )
    said += _broken(here)
    # What is worse here is worse elsewhere, too, for the bounds' sake.
    kept = [name for name in goals if not _is_worse(here, name)]
    worse = [other["network"] for other in others if any(_is_worse(other, name) for name in kept)]
    broken = [other["network"] for other in others if other["broken"]["best"] and not here["broken"]["best"]]
    if worse:
        said.append(("worse than the present values with", ", ".join(worse)))
    if broken:
        said.append(("beyond the bounds with", ", ".join(broken)))
    if others and kept and not worse and not broken:
        said.append(("on the networks near this one", "no worse than the present values"))
    if sharing := found.summary.get("sharing"):
        delay = quantity(sharing["delay_s"], "s")
        said.append(
            (
                f"two flows of which one has {delay} more delay",
                f"share 1 : {sharing['best']:.2f}; with the present values 1 : {sharing['now']:.2f}",
            )
        )
    if attacked := found.summary.get("attacked"):
        sides = [_side(attacked, side) for side in ("best", "now")]
        said.append((f"attacked as {attacked['like']}", f"{sides[0]}; with the present values {sides[1]}"))
    if line := found.summary.get("kernel"):
        said.append(("in the kernel", line))
    said.append(("scenario with the best values", str(found.scenario_file)))
    return said


def _side(attacked: Mapping[str, Any], side: str) -> str:
    """The outcome of an attack on one side."""
    own = attacked[side]
    if "skipped" in own:
        return f"not tried: {own['skipped']}"
    value = "–" if own["value"] is None else f"{own['value']:.3g}"
    if own["value"] is not None and attacked["unit"]:
        value = quantity(own["value"], attacked["unit"])
    return f"{attacked['label']} {value} ({'found' if own['is_found'] else 'not found'})"


def _broken(here: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The bounds that the present and the best values break on fresh seeds."""
    return [
        (f"the {name} values break", ", ".join(here["broken"][side]))
        for side, name in (("now", "present"), ("best", "best"))
        if here["broken"][side]
    ]


def _goals(found: Found) -> list[str]:
    return list(found.summary.get("goals", []))


def _parameters(found: Found) -> Digest:
    rows = []
    for row in found.rows("parameters"):
        explains = row["explains"]
        rows.append(
            [
                row["field"],
                row["now"],
                _short(row["best"]),
                " to ".join(dict.fromkeys(map(_short, row["plateau"]))),
                " to ".join(_short(end) for end in (row["least"], row["most"]) if end is not None),
                "–" if explains is None else quantity(100 * explains, "%"),
            ]
        )
    columns = ["field", "present", "best", "within 2 % of it", "searched", "explains"]
    note = (
        "explains: share of the objective's variance over the Latin hypercube between fifths of the range, less chance "
        "(ε²); –: no more than chance"
    )
    return Digest(title="Fields", columns=columns, words=5, rows=rows, note=note)


def _short(value: str) -> str:
    """A quantity with at most six digits: `tuned.toml` has them all."""
    return re.sub(r"^-?\d+\.\d{4,}(?=\b)", lambda number: f"{float(number[0]):.6g}", value)


def _comparisons(found: Found) -> list[Digest]:
    here, *others = found.rows("comparisons")
    rows = [
        [row["figure"], _amount(row["figure"], row["now"]), _amount(row["figure"], row["best"]), _change(row)]
        for row in here["figures"]
    ]
    note = f"{here['seeds']} seeds that the search has not seen; the intervals hold 95 %"
    tables = [
        Digest(title="Fresh seeds", columns=["figure", "present", "best", "change"], words=1, rows=rows, note=note)
    ]
    goal = _goals(found)[0]
    if others:
        tables.append(
            Digest(
                title="Networks near this one",
                columns=["network", f"present: {goal}", f"best: {goal}", "change"],
                words=1,
                rows=[
                    [
                        other["network"],
                        _amount(goal, _row(other, goal)["now"]),
                        _amount(goal, _row(other, goal)["best"]),
                        _change(_row(other, goal)),
                    ]
                    for other in others
                    if _row(other, goal)
                ],
            )
        )
    return tables


def _front(found: Found) -> list[Digest]:
    rows = found.rows("front")
    if not rows:
        return []
    goals, fields = _goals(found), [row["field"] for row in found.rows("parameters")]
    cells = [
        [
            *row["values"],
            *(_amount(name, {"mean": value, "ci95": None}) for name, value in zip(goals, row["goals"], strict=True)),
        ]
        for row in rows
    ]
    note = "trials that no other betters in both"
    return [Digest(title="Front", columns=[*fields, *goals], words=len(fields), rows=cells, note=note)]


def _row(comparison: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return next((row for row in comparison["figures"] if row["figure"] == name), {})


def _amount(name: str, value: Mapping[str, Any]) -> str:
    unit = FIGURES[name].unit if name in FIGURES else ""
    mean, error = value["mean"], math.nan if not value["ci95"] else value["ci95"]
    if mean is None:
        return "–"
    if unit == "%":
        return quantity(100 * mean, "%", 100 * error)
    return quantity(mean, "" if unit == "packets" else unit, error)


def _change(row: Mapping[str, Any]) -> str:
    """The mean of the paired differences, as a share of the present value; a difference for logarithms."""
    difference, now = row["difference"], row["now"]["mean"]
    if difference["mean"] is None or now is None:
        return "–"
    error = difference["ci95"] if difference["ci95"] is not None else math.nan
    if row["figure"] in _LOGARITHMS or not now:
        return Amount(
            f"{difference['mean']:+.3g}" + ("" if math.isnan(error) else f" ± {error:.2g}"), difference["mean"]
        )
    share, half = 100 * difference["mean"] / abs(now), 100 * error / abs(now)
    return Amount(f"{share:+.1f}" + ("" if math.isnan(half) else f" ± {half:.1f}") + " %", share, "%", half)


def _is_sure(row: Mapping[str, Any]) -> bool:
    difference = row["difference"]
    if difference["mean"] is None:
        return False
    return bool(abs(difference["mean"]) > (difference["ci95"] or 0.0))


def _is_better(row: Mapping[str, Any]) -> bool:
    return bool((row["difference"]["mean"] > 0) == is_large(row["figure"]))


def _is_worse(comparison: Mapping[str, Any], name: str) -> bool:
    row = _row(comparison, name)
    return bool(row) and _is_sure(row) and not _is_better(row)


def _verdict(row: Mapping[str, Any], seeds: int) -> str:
    if not _is_sure(row):
        return f"no difference that {seeds} seeds can show ({_change(row)})"
    word = "better" if _is_better(row) else "worse"
    name = row["figure"]
    return f"{word}: {_amount(name, row['now'])} → {_amount(name, row['best'])} ({_change(row)})"

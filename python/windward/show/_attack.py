"""An attack as tables of text and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windward.show._digest import Amount, Digest, quantity

if TYPE_CHECKING:
    from windward.results._shapes import Finding


def digests(attack: Finding) -> list[Digest]:
    """The changes that the find needs."""
    rows = [
        [row["field"], row["clean"], row["attack"], _amount(attack.summary, row["without"])]
        for row in attack.rows("changes")
    ]
    if not rows:
        return []
    note = "without it: the figure if this change alone is left out"
    columns = ["field", "clean", "attack", "without it"]
    return [Digest(title="Changes", columns=columns, words=3, rows=rows, note=note)]


def verdicts(attack: Finding) -> list[tuple[str, str]]:
    """Sentences: whether something was found, how bad it is, what others do there."""
    about = attack.summary
    found = about.get("found")
    clean = about.get("clean", {})
    said = [("question", f"{about['until']}: {about['says']}")]
    if found is None:
        worst = f"{about['label']} {_amount(about, about.get('closest'))}"
        said.append(("not found", f"in {about.get('trials', 0)} trials; the worst has {worst}"))
        if about.get("shared"):
            said.append(
                (f"as bad under {about['reference']}", f"{about['shared']} trials, which are no fault of the law")
            )
        return said
    said += [
        (
            about["label"],
            f"{_amount(about, found['value'])}; without the attack {_amount(about, clean.get(about['figure']))}",
        ),
        (
            "goodput of all flows",
            f"{_goodput(found['goodput'])}; without {_goodput(clean.get('goodput'))}",
        ),
    ]
    if about["reference"] is not None:
        said.append((f"under {about['reference']}", f"{about['label']} {_amount(about, found['reference'])}"))
    if found.get("kernels") is not None:
        said.append(("between kernels", _kernels(about, found["kernels"])))
    return [*said, ("scenario", str(attack.scenario_file))]


def _kernels(about: Mapping[str, Any], kernels: Mapping[str, Any]) -> str:
    """The verdict of runs between kernels."""
    if "skipped" in kernels:
        return f"not tried: {kernels['skipped']}"
    values = ", ".join(_amount(about, value) for value in kernels["values"])
    held = f"holds in {kernels['held']} of {kernels['runs']} runs ({values})"
    if kernels["is_confirmed"]:
        return f"confirmed: {held}"
    if kernels["held"] and not kernels["is_near"]:
        return f"other rates than in the simulator: {held}"
    return f"simulator only: {held}"


def explanation(attack: Finding) -> list[tuple[str, str]]:
    """Why the find is one: when it parts from the clean network, and what closed forms say."""
    found = attack.summary.get("found") or {}
    why = found.get("why") or {}
    said = []
    if why.get("first_s") is not None:
        said.append(("first difference", f"at {why['first_s']:g} s"))
    if why.get("part_s") is not None:
        said.append(("goodputs part", f"from {why['part_s']:g} s on, for the longest time"))
    for form in why.get("forms", []):
        text = str(form["text"])
        if form["expected"] is not None:
            text += f" = {form['expected']:.3g}"
        if form["found"] is not None:
            text += f"; simulated {form['found']:.3g}"
        said.append(("closed form", f"{text} ({form['source']})"))
    return said


def lines(attack: Finding) -> Digest:
    """Each part of the find, and the figure without it."""
    rows = []
    for row in attack.rows("lines"):
        if not row["is_network"]:
            # Keys that every entry has say nothing new.
            if row["line"].count(".") > 1:
                continue
            without = "no network without it"
        else:
            without = _amount(attack.summary, row["without"]) + (" (still holds)" if row["holds"] else "")
            without = "nothing to compare" if row["without"] is None else without
        rows.append([row["line"], row["content"], without])
    note = "without it: the figure if this part alone is left out, and takes its default"
    return Digest(title="Parts of the find", columns=["part", "content", "without it"], words=3, rows=rows, note=note)


def of_kernels(attack: Finding) -> Digest | None:
    """Goodput of each flow in the simulator and between kernels."""
    kernels = (attack.summary.get("found") or {}).get("kernels") or {}
    if "goodputs" not in kernels:
        return None
    rows = [
        [flow, *(_goodput(own[side]) for side in ("simulator", "kernels"))] for flow, own in kernels["goodputs"].items()
    ]
    columns = ["flow", "simulator", "kernels"]
    return Digest(title="Goodput between kernels", columns=columns, words=1, rows=rows)


def _goodput(value: float | None) -> str:
    return "–" if value is None else quantity(value, "bit/s")


def _amount(about: Mapping[str, Any], value: float | None) -> str:
    """The figure of the question, with its unit."""
    if value is None:
        return "–"
    if not about["unit"]:
        return Amount(f"{value:.3g}", value)
    return quantity(100 * value, "%") if about["unit"] == "%" else quantity(value, about["unit"])

"""An attack as tables of text and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windward.results._place import REPORT
from windward.show.digest._numbers import Amount, quantity
from windward.show.digest._table import Digest

if TYPE_CHECKING:
    from windward.results._shapes import Finding


def digests(attack: Finding) -> list[Digest]:
    """The changes that the find needs."""
    rows = [
        [
            row["field"],
            row["clean"],
            row["attack"],
            _amount(attack.summary, row["without"]),
            f"{row['held']} of {row['of']} seeds",
        ]
        for row in attack.rows("changes")
    ]
    if not rows:
        return []
    note = "without it: the figure if this change alone is left out, and fresh seeds on which the question holds then"
    columns = ["field", "clean", "attack", "without it", "holds without it"]
    return [Digest(title="Changes", columns=columns, words=3, rows=rows, note=note)]


def verdicts(attack: Finding) -> list[tuple[str, str]]:
    """Sentences: whether something was found, how bad it is, what others do there."""
    about = attack.summary
    found = about.get("found")
    said = [("question", f"{about['until']}: {about['says']}")]
    if found is None:
        worst = f"{about['label']} {_amount(about, about.get('closest'))}"
        said.append(("not found", f"in {about.get('trials', 0)} trials; the worst has {worst}"))
        if about.get("shared"):
            said.append(
                (f"as bad under {about['reference']}", f"{about['shared']} trials, which are no fault of the law")
            )
        if about.get("scattered"):
            said.append(
                ("by chance", f"{about['scattered']} trials, which hold on fewer than four of five fresh seeds")
            )
        return said
    clean = found.get("clean", {})
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
    if (worst := found.get("worst")) is not None:
        said.append(
            (
                "worst flow",
                f"{worst['flow']}: {_goodput(worst['goodput'])} of a fair share of {_goodput(worst['fair'])}",
            )
        )
    said.append(("holds on", _share(found["share"])))
    if fresh := [value for value in found.get("fresh", []) if value is not None]:
        ends = sorted({str(_amount(about, value)): value for value in (min(fresh), max(fresh))}.items(), key=_second)
        said.append(("on these seeds", f"{about['label']} {' to '.join(text for text, _ in ends)}"))
    said.append(("without the attack", f"holds on {_share(found['clean_share'])}"))
    if about["reference"] is not None:
        there = f"{about['label']} {_amount(about, found['reference'])}; holds on {_share(found['reference_share'])}"
        said.append((f"under {about['reference']}", there))
    if not found["holds"]:
        said.append(("on its own seeds", "fails on one or more of them; `--seeds` runs others"))
    if found.get("kernels") is not None:
        said.append(("between kernels", _kernels(about, found["kernels"])))
    said.append(("scenario", str(attack.scenario_file)))
    page = attack.scenario_file.parents[1] / REPORT
    return [*said, ("page", str(page))] if page.exists() else said


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


def _share(share: Mapping[str, Any]) -> str:
    """The seeds on which the question holds, with the interval of their share."""
    if share["one_run"]:
        return "every seed: nothing in the network is random" if share["held"] else "no seed"
    low, high = (f"{100 * share[end]:.0f}" for end in ("low", "high"))
    return f"{share['held']} of {share['of']} fresh seeds; of all seeds {low} to {high} %"


def bounds(about: Mapping[str, Any]) -> str:
    """The bounds of the search."""
    kind = about.get("default")
    return f"{f'by default as a {kind} network: ' if kind else ''}{'; '.join(about['within'])}"


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


def of_flow(attack: Finding) -> Digest | None:
    """Figures of the flow with the least goodput, with and without the attack."""
    own = ((attack.summary.get("found") or {}).get("why") or {}).get("flow")
    if not own:
        return None
    rows = []
    for column, row in own["figures"].items():
        title, unit = _FIGURES[column]
        rows.append([title, *(_with_unit(row[side], unit) for side in ("clean", "attack", "others"))])
    columns = ["figure", "without the attack", "with it", "mean of the others"]
    return Digest(title=f"Flow {own['name']}, which has the least", columns=columns, words=1, rows=rows)


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


def _with_unit(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    text = f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    return Amount(text, value) if not unit else quantity(100 * value if unit == "%" else value, unit)


#: Figures of a flow by their columns, with their units.
_FIGURES = {
    "goodput_bps": ("goodput", "bit/s"),
    "mean_rtt_s": ("mean RTT", "s"),
    "min_rtt_s": ("least RTT", "s"),
    "mean_cwnd": ("mean window (packets)", ""),
    "loss": ("lost segments", "%"),
    "recoveries": ("loss events", ""),
    "timeouts": ("timeouts", ""),
}


def _goodput(value: float | None) -> str:
    return "–" if value is None else quantity(value, "bit/s")


def _amount(about: Mapping[str, Any], value: float | None) -> str:
    """The figure of the question, with its unit."""
    if value is None:
        return "–"
    if not about["unit"]:
        return Amount(f"{value:.3g}", value)
    return quantity(100 * value, "%") if about["unit"] == "%" else quantity(value, about["unit"])

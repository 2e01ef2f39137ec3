"""An attack as tables of text and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windward.results._figures import FIGURES
from windward.show._digest import Amount, Digest, quantity

if TYPE_CHECKING:
    from windward.results._shapes import Finding


def digests(attack: Finding) -> list[Digest]:
    """The changes that the find needs."""
    rows = [
        [row["field"], row["clean"], row["attack"], _amount(attack.summary["figure"], row["without"])]
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
    figure, found = about["figure"], about.get("found")
    clean = about.get("clean", {})
    said = [("question", f"{about['until']}: {about['says']}")]
    if found is None:
        worst = named(figure, about.get("closest"))
        said.append(("not found", f"in {about.get('trials', 0)} trials; the worst has {worst}"))
        if about.get("shared"):
            said.append(
                (f"as bad under {about['reference']}", f"{about['shared']} trials, which are no fault of the law")
            )
        return said
    said += [
        (_name(figure), f"{_amount(figure, found['value'])}; without the attack {_amount(figure, clean.get(figure))}"),
        (
            "goodput of all flows",
            f"{_amount('goodput', found['goodput'])}; without {_amount('goodput', clean.get('goodput'))}",
        ),
    ]
    if about["reference"] is not None:
        said.append((f"under {about['reference']}", named(figure, found["reference"])))
    return [*said, ("scenario", str(attack.scenario_file))]


def named(figure: str, value: float | None) -> str:
    """A figure with its name and its unit."""
    return f"{_name(figure)} {_amount(figure, value)}"


def _name(figure: str) -> str:
    return FIGURES[figure].label if figure in FIGURES else "ratio of goodputs"


def _amount(figure: str, value: float | None) -> str:
    if value is None:
        return "–"
    unit = FIGURES[figure].unit if figure in FIGURES else ""
    if not unit:
        return Amount(f"{value:.3g}", value)
    return quantity(100 * value, "%") if unit == "%" else quantity(value, unit)

"""An evaluation as tables of text, Markdown and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windward.show.digest._numbers import Amount, quantity
from windward.show.digest._table import Digest

if TYPE_CHECKING:
    from windward.results._shapes import Judgement

#: Verdicts in the order in which they are shown.
ORDER = ("does not", "cannot tell", "meets", "not applicable", "not modelled")

#: A sentence about what verdicts are.
CAVEAT = (
    "evidence for and against, from simulations: RFC 9743 sets no thresholds, and whether a law may progress is the "
    "IETF's consensus"
)


def digests(found: Judgement) -> list[Digest]:
    """The sections, those that are not met first, with the measure that decides each."""
    columns = ["section", "verdict", "criterion", "figure", "value", "allowed", "set by"]
    rows = [_row(found, own) for own in _ordered(found)]
    return [Digest(title="Sections of RFC 9743", columns=columns, words=4, rows=rows)]


def _ordered(found: Judgement) -> list[Mapping[str, Any]]:
    return [row for word in ORDER for row in found.rows("sections") if row["verdict"] == word]


def _row(found: Judgement, row: Mapping[str, Any]) -> list[str]:
    own = measure(found, row["measure"])
    head = [row["section"], verdict(own, row["verdict"]), row["title"]]
    if own is None:
        return [*head, row["why"] or "–", "–", "–", "–"]
    return [*head, own["figure"], value(own), allowed(own), set_by(own)]


def measure(found: Judgement, name: str | None) -> Mapping[str, Any] | None:
    """The row of a measure."""
    return next((own for own in found.rows("measures") if own["measure"] == name), None)


def verdict(own: Mapping[str, Any] | None, word: str) -> str:
    """A verdict, with the number of seeds that would decide."""
    if word != "cannot tell" or own is None:
        return word
    if own["seeds"] < 3:
        return f"{word}: {own['seeds']} of {len(own['values'])} runs have the figure"
    return f"{word}: {own['needed'] or 'more than 1000'} seeds would"


def value(own: Mapping[str, Any]) -> str:
    """The law's figure with its interval."""
    return amount(own["value"], own["unit"], own["ci95"])


def allowed(own: Mapping[str, Any]) -> str:
    """The threshold, with its direction."""
    sign = "≥" if own["better"] == "more" else "≤"
    text = amount(own["allowed"], own["unit"])
    return text if text == "–" else Amount(f"{sign} {text}", own["allowed"])


def set_by(own: Mapping[str, Any]) -> str:
    """Law or standard that the threshold comes from."""
    return str(own["reference"] or own["source"].partition(":")[0])


def between_kernels(found: Mapping[str, Any], unit: str) -> str:
    """A sentence about the repetition of a network between kernels."""
    if "skipped" in found:
        return f"Between kernels: not run, {found['skipped']}"
    runs, values = len(found["values"]), amount(found["value"], unit)
    late = f"; its timing: {'; '.join(found['problems'])}" if found["problems"] else ""
    return (
        f"Between kernels {values}, allowed {amount(found['allowed'], unit)}, "
        f"in {round(found['share'] * runs)} of {runs} runs{late}"
    )


def amount(number: float | None, unit: str, error: float | None = None) -> str:
    """A figure with its unit."""
    if number is None or math.isnan(number):
        return "–"
    error = math.nan if error is None else error
    if unit == "%":
        return quantity(100 * number, "%", 100 * error)
    return quantity(number, unit, error)


def counts(found: Judgement) -> str:
    """Number of sections with each verdict."""
    return ", ".join(f"{count} {word}" for word, count in found.summary.get("counts", {}).items() if count)


def facts(found: Judgement) -> list[tuple[str, str]]:
    """Sentences below the table."""
    about = found.summary
    if not found.is_complete:
        return [("interrupted", "the same command goes on")]
    said = [
        ("verdicts", counts(found)),
        ("is", CAVEAT),
        (
            "chance of a false *does not*",
            f"at most {100 * about['alpha']:g} % in the whole evaluation (Holm, {about['comparisons']} measures)",
        ),
    ]
    if about.get("failures"):
        said.append(("failed", f"{about['failures']} runs"))
    shown = [row["smallest"] for row in found.rows("sections") if row.get("smallest")]
    said += [("network that shows it", str(found.path / own["file"])) for own in shown]
    return [*said, ("page", str(found.path / "evaluation.html"))]


def markdown(found: Judgement) -> str:
    """The sections as a table of Markdown."""
    table = digests(found)[0]
    lines = [f"# {found.title}", "", f"{counts(found)}. {CAVEAT[0].upper()}{CAVEAT[1:]}.", ""]
    lines += [_line([*table.columns, "network"]), _line(["---"] * (len(table.columns) + 1))]
    for row, own in zip(table.rows, _ordered(found), strict=True):
        lines.append(_line([*row, (measure(found, own["measure"]) or {"network": "–"})["network"]]))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '∣') for cell in cells)} |"


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "≤": r"$\le$", "≥": r"$\ge$", "±": r"$\pm$", "µ": r"$\mu$",
    "×": r"$\times$", "§": r"\S", "√": r"$\surd$", "–": "--", "·": r"$\cdot$",
}  # fmt: skip


def latex(found: Judgement) -> str:
    """The sections as a table of LaTeX, for booktabs."""
    table = digests(found)[0]
    keep = [table.columns.index(name) for name in ("section", "criterion", "verdict", "figure", "value", "allowed")]

    def line(cells: Sequence[str]) -> str:
        return " & ".join("".join(_LATEX.get(letter, letter) for letter in cells[at]) for at in keep) + r" \\"

    rows = "\n".join(map(line, table.rows))
    return (
        "% needs \\usepackage{booktabs}\n\\begin{tabular}{lllllr}\n\\toprule\n"
        f"{line(table.columns)}\n\\midrule\n{rows}\n\\bottomrule\n\\end{{tabular}}\n"
    )

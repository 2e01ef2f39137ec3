"""Tables for other programs: CSV, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence

from windward.errors import OptionError
from windward.show.digest._numbers import Amount, column_scale, with_error
from windward.show.digest._table import Digest

#: What LaTeX reads as something else.
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "±": r"$\pm$",
    "µ": r"\textmu{}",
    "→": r"$\rightarrow$",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}


def write(tables: Sequence[Digest], form: str) -> str:
    """The tables in a format, one after the other.

    Raises
    ------
    ValueError
        For another format.
    """
    if form not in FORMS:
        raise OptionError(("as", form, f"not a format of tables; formats: {', '.join(FORMS)}"))
    return "\n".join(FORMS[form](table) for table in tables)


def _csv(table: Digest) -> str:
    """Plain numbers in base units, the unit in the header; mean and interval in columns of their own."""
    columns: list[list[str]] = []
    for at, name in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        amounts = [cell if isinstance(cell, Amount) else None for cell in cells]
        unit = next((f" ({amount.unit})" for amount in amounts if amount and amount.unit), "")
        means = [_plain(amount.value) if amount else cell for cell, amount in zip(cells, amounts, strict=True)]
        # What was not measured is an empty cell.
        columns.append([f"{name}{unit}", *("" if cell == "–" else cell for cell in means)])
        errors = [amount.error if amount else math.nan for amount in amounts]
        if not all(map(math.isnan, errors)):
            columns.append([f"{name} ±{unit}", *map(_plain, errors)])
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(zip(*columns, strict=True))
    return out.getvalue()


def _plain(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.10g}"


def _markdown(table: Digest) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = ["---" if at < table.words else "---:" for at in range(len(table.columns))]
    lines = [line(table.columns), line(rule), *map(line, table.rows)]
    return "\n".join([f"**{table.title}**", "", *lines, *(["", table.note] if table.note else [])]) + "\n"


def _latex(table: Digest) -> str:
    """A `table` with the rules of the package booktabs; each column has one unit, which its head names."""

    def escape(text: str) -> str:
        return "".join(_LATEX.get(char, char) for char in text)

    def line(cells: Sequence[str]) -> str:
        return "    " + " & ".join(map(escape, cells)) + r" \\"

    heads, cells = zip(*(_in_one_unit(table, at) for at in range(len(table.columns))), strict=True)
    columns = "".join("l" if at < table.words else "r" for at in range(len(table.columns)))
    note = [f"  \\par\\smallskip\\footnotesize {escape(table.note)}"] if table.note else []
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{escape(table.title)}}}",
            f"  \\begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            line(heads),
            r"    \midrule",
            *map(line, zip(*cells, strict=True)),
            r"    \bottomrule",
            r"  \end{tabular}",
            *note,
            r"\end{table}",
            "",
        ]
    )


#: Most decimals of a number in a column that has one unit.
_DECIMALS = 6


def _in_one_unit(table: Digest, at: int) -> tuple[str, list[str]]:
    """The head of a column with its unit, and its cells without."""
    cells = [row[at] for row in table.rows]
    scale, unit = column_scale(cells)
    if not unit:
        return table.columns[at], cells

    def text(cell: str) -> str:
        if not isinstance(cell, Amount):
            return cell
        # Values of fields have all their digits.
        is_field = at < table.words
        return f"{cell.value:.6g}" if is_field else with_error(cell.value / scale, cell.error / scale, _DECIMALS)

    texts = [text(cell) for cell in cells]
    return f"{table.columns[at]} ({unit})", texts


#: By the names that people choose them by.
FORMS: Mapping[str, Callable[[Digest], str]] = {"csv": _csv, "markdown": _markdown, "latex": _latex}

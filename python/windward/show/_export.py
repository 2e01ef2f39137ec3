"""Tables for other programs: CSV, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence

from windward.show._digest import Digest

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
        raise ValueError(f"--as {form}: not a format of tables; formats: {', '.join(FORMS)}")
    return "\n".join(FORMS[form](table) for table in tables)


def _csv(table: Digest) -> str:
    """As the terminal shows it, mean and interval in columns of their own; a comment line names the table."""
    split = [at >= table.words and any(" ± " in row[at] for row in table.rows) for at in range(len(table.columns))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")

    def cells(row: Sequence[str], error: Callable[[str], str]) -> list[str]:
        found: list[str] = []
        for value, is_split in zip(row, split, strict=True):
            found += [_mean(value), error(value)] if is_split else [value]
        return found

    writer.writerow(cells(table.columns, lambda name: f"{name} ±"))
    writer.writerows(cells(row, _error) for row in table.rows)
    return out.getvalue()


def _mean(text: str) -> str:
    """`7.72 Mbit/s` of `7.72 ± 0.92 Mbit/s`."""
    return re.sub(r" ± [\d.]+", "", text)


def _error(text: str) -> str:
    found = re.fullmatch(r"[^±]* ± ([\d.]+)( .*)?", text)
    return f"{found[1]}{found[2] or ''}" if found else ""


def _markdown(table: Digest) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = ["---" if at < table.words else "---:" for at in range(len(table.columns))]
    lines = [line(table.columns), line(rule), *map(line, table.rows)]
    return "\n".join([f"**{table.title}**", "", *lines, *(["", table.note] if table.note else [])]) + "\n"


def _latex(table: Digest) -> str:
    """A `table` with the rules of the package booktabs."""

    def escape(text: str) -> str:
        return "".join(_LATEX.get(char, char) for char in text)

    def line(cells: Sequence[str]) -> str:
        return "    " + " & ".join(map(escape, cells)) + r" \\"

    columns = "".join("l" if at < table.words else "r" for at in range(len(table.columns)))
    note = [f"  \\par\\smallskip\\footnotesize {escape(table.note)}"] if table.note else []
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{escape(table.title)}}}",
            f"  \\begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            line(table.columns),
            r"    \midrule",
            *map(line, table.rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            *note,
            r"\end{table}",
            "",
        ]
    )


#: By the names that people choose them by.
FORMS: Mapping[str, Callable[[Digest], str]] = {"csv": _csv, "markdown": _markdown, "latex": _latex}

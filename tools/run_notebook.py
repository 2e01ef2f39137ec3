"""Runs a notebook cell by cell, as Jupyter would, and writes what the cells show into it.

    python tools/run_notebook.py docs/start/notebook.ipynb

No kernel is needed: a cell shows what it prints and the value of its last line, as HTML, SVG or text.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from windward.show.plot.style import committed

#: What a value may show itself as; Jupyter takes the richest.
_SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def run(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run in its own folder."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with contextlib.chdir(path.parent), committed():
        for count, cell in enumerate(cells, 1):
            cell["execution_count"] = count
            cell["outputs"] = _outputs("".join(cell["source"]), f"cell {count}", names, count)
    return notebook


def _outputs(source: str, where: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    body = ast.parse(source, where).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), where, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {mime: _lines(text) for mime, method in _SHOWN.items() if (text := _show(value, method))}
        data["text/plain"] = _lines(repr(value))
        outputs.append({"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}})
    return outputs


def _show(value: Any, method: str) -> str | None:
    shown = getattr(value, method, None)
    return None if shown is None else shown()


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Runs the notebooks named on the command line."""
    for name in sys.argv[1:]:
        path = Path(name)
        notebook = run(path)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()

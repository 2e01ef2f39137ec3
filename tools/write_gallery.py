"""Runs the programs in examples/, and writes what they print into their heads, their pictures, and docs/gallery.md.

`make docs` runs it; names of programs choose some. With `--page` it runs none and only writes the page from the heads.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PICTURES = ROOT / "docs" / "pictures" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"

#: Programs that run in real time: no two runs are alike, so that they run where they are named alone.
REAL_TIME = ("to_kernel",)

#: The programs, in the order of the page.
ORDER = (
    *(
        "bufferbloat",
        "household",
        "bbr_cubic",
        "quic",
        "wifi_walk",
        "slow_station",
        "satellite",
        "lte_drive",
        "late_start",
        "backpressure",
    ),
    *("network_coding", "own_law", "paper_figure", "to_kernel", "compare_laws", "buffer_sizing", "quic_tcp_backlog"),
)

HEAD = """# Gallery: questions, figures and answers in short programs

<!-- Generated: tools/write_gallery.py -->

Each program in [examples](../examples) asks one question, draws one figure and prints the numbers of its answer. They
run in seconds: `python examples/plot_bufferbloat.py`. Means are over seeds, ± is the half width of the 95 % confidence
interval, and the pictures' error bars show the same.
"""

PRINTS = "\n\nIt prints:\n\n"


@dataclass(frozen=True)
class Example:
    """A program, by what its head says."""

    name: str
    question: str
    text: str
    answer: str
    printed: str

    @property
    def path(self) -> Path:
        return EXAMPLES / f"plot_{self.name}.py"

    @classmethod
    def read(cls, name: str) -> Example:
        head = ast.get_docstring(ast.parse((EXAMPLES / f"plot_{name}.py").read_text(encoding="utf-8"))) or ""
        said, _, printed = head.partition(PRINTS)
        question, text, answer = re.fullmatch(r"(.*?)\n\n(.*)\n\nAnswer: (.*)", said, flags=re.DOTALL).groups()  # type: ignore[union-attr]
        return cls(name, question, " ".join(text.split()), " ".join(answer.split()), textwrap.dedent(printed))

    def run(self) -> None:
        """Runs the program; keeps what it prints in its head, and its picture."""
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-W", "error", str(self.path)]
            environment = os.environ | {"MPLBACKEND": "Agg"}
            done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            picture = (Path(folder) / f"{self.name}.png").read_bytes()
        PICTURES.mkdir(exist_ok=True)
        (PICTURES / f"{self.name}.png").write_bytes(picture)
        source = self.path.read_text(encoding="utf-8")
        before, mark, rest = source.partition(PRINTS)
        after = rest[rest.index('"""') :]
        self.path.write_text(f"{before}{mark}{textwrap.indent(done.stdout, '    ')}{after}", encoding="utf-8")


def entry(example: Example) -> str:
    return "\n".join(
        [
            f"## {example.question}",
            "",
            _fill(example.text),
            "",
            f"![{example.question}](pictures/gallery/{example.name}.png)",
            "",
            _fill(f"**{example.answer[0].upper()}{example.answer[1:]}**"),
            "",
            f"Program: [plot_{example.name}.py](../examples/plot_{example.name}.py). It prints:",
            "",
            f"```\n{example.printed.rstrip()}\n```",
            "",
        ]
    )


def page() -> str:
    return "\n".join([HEAD, *(entry(Example.read(name)) for name in ORDER)])


def _fill(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    arguments = sys.argv[1:]
    if "--page" not in arguments:
        for name in arguments or [name for name in ORDER if name not in REAL_TIME]:
            Example.read(name).run()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

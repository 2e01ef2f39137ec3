"""Style of all figures."""

from __future__ import annotations

import io
import json
import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from windward.results._names import drawable
from windward.show.plot._paper import Column

__all__ = [
    "COLORS",
    "DASHES",
    "FAINT",
    "INK",
    "LINE",
    "WARMUP",
    "Styled",
    "as_svg",
    "committed",
    "head",
    "inside",
    "left_out_note",
    "looks",
    "styled",
    "with_axes",
    "write_as_they_are",
]

#: Told apart by people of every colour vision, on paper too (after M. Okabe and K. Ito, 2002; without its yellow).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

#: When the colours are used up, lines are told apart by their dashes.
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)))

INK = "#222222"
FAINT = "#6b6b6b"
LINE = "#9a9a9a"
WARMUP = "#eeeeee"

_SETTINGS: Any = {
    "figure.figsize": (8.0, 4.0),
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "figure.constrained_layout.use": True,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 5,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.handlelength": 1.8,
    # The same figure is the same file: no dates, and ids that follow from the content.
    "svg.hashsalt": "windward",
    "pdf.fonttype": 42,
}


@contextmanager
def styled(column: Column | None = None) -> Iterator[None]:
    """Figures made inside look like Windward's, or as a paper's column wants them; nothing outside is touched."""
    with mpl.rc_context(_SETTINGS | (column.settings() if column else {})):
        yield


@contextmanager
def committed() -> Iterator[None]:
    """Figures made inside are files of a repository: half a pixel decides what a line needs, and text stays text."""
    with styled(), mpl.rc_context({"path.simplify_threshold": 0.5, "svg.fonttype": "none"}):
        yield


class Styled(Figure):
    """A figure that is written in the style in which it was drawn, whoever writes it."""

    def __init__(self, column: Column | None = None) -> None:
        super().__init__()
        self.column = column
        #: What the figure says of itself: its title and its note. In a paper the caption says it.
        self.caption = ""
        #: The name of what is drawn.
        self.what = ""

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        with styled(self.column), warnings.catch_warnings():
            # A letter that no font of the machine has is drawn as a box.
            warnings.filterwarnings("ignore", message="Glyph")
            super().savefig(*args, **kwargs)

    def _repr_svg_(self) -> str:
        """Display in Jupyter."""
        buffer = io.StringIO()
        self.savefig(buffer, format="svg", metadata={"Date": None})
        text = buffer.getvalue()
        return text[text.index("<svg") :]


def as_svg(figure: Figure) -> str:
    """A figure as an SVG element that says where its axes are: a page's script reads values off it."""
    buffer = io.StringIO()
    with styled():
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return with_axes(figure, text[text.index("<svg") :])


def with_axes(figure: Figure, svg: str) -> str:
    """The SVG of a figure, which has been drawn, with the place of its axes as `data-axes`.

    Of each it has left, top, width and height in the element's own unit, the ends of both axes, and whether these are
    logarithmic.
    """
    width, height = (72 * float(side) for side in figure.get_size_inches())
    places = []
    for axes in figure.axes:
        box = axes.get_position()
        scales = (axes.get_xscale(), axes.get_yscale())
        # Along other scales no value can be read off.
        if axes.get_label() == "<colorbar>" or not set(scales) <= {"linear", "log"}:
            continue
        place = (box.x0 * width, (1 - box.y1) * height, box.width * width, box.height * height)
        ends = (*axes.get_xlim(), *axes.get_ylim())
        is_log = [int(scale == "log") for scale in scales]
        places.append([*(round(float(side), 2) for side in place), *(float(f"{end:.6g}") for end in ends), *is_log])
    return svg.replace("<svg ", f"<svg data-axes='{json.dumps(places)}' ", 1)


def head(figure: Figure, title: str, note: str) -> None:
    """Writes the title of a figure, and the note under it."""
    # The title's second line is kept free for the note, which is set in another weight.
    figure.suptitle(f"{title}\n", x=0.012, ha="left", fontsize=11, fontweight="bold")
    figure.text(
        0.012,
        1,
        note,
        transform=figure.transFigure + ScaledTranslation(0, -20 / 72, figure.dpi_scale_trans),
        va="top",
        fontsize=9,
        color=FAINT,
        in_layout=False,
    )


def write_as_they_are(figure: Figure) -> None:
    """Texts are names and numbers, no mathematics, whatever dollar signs are in them; but for logarithmic scales."""
    powers = {
        id(label)
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        if axis.get_scale() != "linear"
        for label in axis.get_ticklabels(which="both")
    }
    texts: Iterable[Any] = figure.findobj(Text)
    for text in texts:
        if id(text) not in powers:
            text.set_parse_math(False)
            text.set_text(drawable(text.get_text(), keep="\n"))


def looks(count: int) -> list[dict[str, Any]]:
    """Colour and dashes of each of `count` lines."""
    pairs = ({"color": color, "linestyle": dash} for dash in cycle(DASHES) for color in COLORS)
    return list(islice(pairs, count))


def inside(means: Any, errors: Any, most: float = math.inf) -> Any:
    """Error bars of means that are between zero and `most`, below and above: none ends where no value can be."""
    errors = np.nan_to_num(np.asarray(errors, float))
    means = np.nan_to_num(np.asarray(means, float))
    return np.stack([np.minimum(errors, np.maximum(means, 0.0)), np.minimum(errors, np.maximum(most - means, 0.0))])


def left_out_note(count: int, noun: str) -> str:
    """The end of a note that tells how many things are not drawn."""
    return f", {count} {noun}{'s' if count > 1 else ''} not drawn" if count > 0 else ""
